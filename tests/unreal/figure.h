// A figure with hair, made of stand-ins: three bones, colliders, a groom, a world. Centimetres, z up, left-handed.
#pragma once

#include "PlaitGroom.h"
#include "PlaitHairComponent.h"
#include "PlaitModule.h"

#include "metres.h"
#include "vulkan_rhi.h"

#include <cstdio>

inline constexpr int strand_vertices = 12;

struct figure {
    USkeletalMesh mesh;
    UPhysicsAsset physics;
    USkeletalBodySetup head, spine;
    USkeletalMeshComponent component;
    AActor actor;
    UWorld world;
    APlayerController player;
    APlayerCameraManager camera;
    UPlaitGroom groom;
    UPlaitHairComponent hair;
    double time = 0;
    FVector place; // that it walks about

    explicit figure(int strands = 48, const FVector &where = FVector()) : place(where) {
        // Bones of an animation package rarely have the world's axes.
        const FQuat quarter(FVector(1, 0, 0), 1.5707963267948966), back(FVector(1, 0, 0), -1.5707963267948966);
        mesh.Skeleton.Add(L"root", -1, FTransform());
        mesh.Skeleton.Add(L"spine", 0, FTransform(quarter, FVector(0, 0, 100)));
        mesh.Skeleton.Add(L"head", 1, FTransform(back * FQuat(FVector(0, 0, 1), 0.5), FVector(0, 60, 0)));
        add_colliders();
        add_strands(strands);
        component.Mesh = &mesh;
        component.Physics = &physics;
        component.Owner = &actor;
        actor.Mesh = &component;
        player.PlayerCameraManager = &camera;
        hair.Owner = &actor;
        hair.World = &world;
        hair.Groom = &groom;
        hair.Backend = EPlaitBackend::Cpu;
        component.Pose.SetNum(3);
        pose(0);
    }

    // The space of a bone in the reference pose, relative to the mesh.
    FTransform reference(int bone) const {
        const TArray<FTransform> &local = mesh.Skeleton.GetRefBonePose();
        return bone == 0 ? local[0] : bone == 1 ? local[1] * local[0] : local[2] * local[1] * local[0];
    }

    // Walks in a circle and shakes the head.
    void pose(double t) {
        time = t;
        component.ToWorld =
            FTransform(FQuat(FVector(0, 0, 1), 0.7 * t),
                       place + FVector(80 * std::sin(1.3 * t), 60 * std::sin(0.9 * t), 5 * std::sin(5 * t)));
        const FTransform shake(
            FQuat(FVector(0, 0, 1), 0.6 * std::sin(4 * t)) * FQuat(FVector(0, 1, 0), 0.4 * std::sin(3 * t)), FVector());
        const TArray<FTransform> &local = mesh.Skeleton.GetRefBonePose();
        component.Pose[0] = local[0];
        component.Pose[1] = local[1] * local[0];
        component.Pose[2] = shake * local[2] * component.Pose[1];
    }

    void tick(double dt = 1.0 / 60) {
        pose(time + dt);
        hair.TickComponent((float)dt, LEVELTICK_All, nullptr);
    }

    FTransform bone(int index) const { return component.Pose[index] * component.ToWorld; }

    metres_bone points(const FTransform &transform) const {
        metres_bone out;
        for (int i = 0; i < 4; i++) {
            FVector axis;
            if (i > 0) axis[i - 1] = 1;
            const FVector at = transform.TransformPosition(axis);
            for (int k = 0; k < 3; k++) out.points[i][k] = at[k];
        }
        return out;
    }

    TArray<FVector> positions() const {
        TArray<FVector> out;
        if (!hair.GetPositions(out)) out.SetNum(0);
        return out;
    }

    // Every collider as a capsule in its bone's space; bones as the plugin numbers them: head 0, spine 1.
    std::vector<metres_capsule> capsules;

  private:
    void add_colliders() {
        head.BoneName = L"head";
        FKSphereElem skull;
        skull.Center = FVector(0, 0, 5);
        skull.Radius = 9;
        head.AggGeom.SphereElems.Add(skull);
        capsules.push_back({0, {{0, 0, 5}, {0, 0, 5}}, {9, 9}});
        spine.BoneName = L"spine";
        FKSphylElem shoulders; // along the world's y: in the bone's space that is -z, so it stands there
        shoulders.Center = FVector(0, 40, 0);
        shoulders.Radius = 8;
        shoulders.Length = 36;
        spine.AggGeom.SphylElems.Add(shoulders);
        capsules.push_back({1, {{0, 40, 18}, {0, 40, -18}}, {8, 8}});
        FKTaperedCapsuleElem chest; // rolled so that its axis is the spine
        chest.Center = FVector(0, 15, 0);
        chest.Rotation.Roll = 90;
        chest.Radius0 = 16;
        chest.Radius1 = 10;
        chest.Length = 30;
        spine.AggGeom.TaperedCapsuleElems.Add(chest);
        const FVector up = chest.Rotation.RotateVector(FVector(0, 0, 1)); // +z is the end with Radius0
        capsules.push_back(
            {1, {{up.X * 15, 15 + up.Y * 15, up.Z * 15}, {-up.X * 15, 15 - up.Y * 15, -up.Z * 15}}, {16, 10}});
        physics.SkeletalBodySetups.Add(&head);
        physics.SkeletalBodySetups.Add(&spine);
    }

    // Roots on the upper half of the skull, strands of 33 cm outwards and down.
    void add_strands(int count) {
        const FVector centre = reference(2).TransformPosition(FVector(0, 0, 5));
        for (int i = 0; i < count; i++) {
            const double height = (i + 0.5) / count, turn = 2.399963 * i;
            const double ring = std::sqrt(1 - height * height);
            const FVector out(ring * std::cos(turn), ring * std::sin(turn), height);
            FVector at = centre + out * 9.2, direction = out;
            groom.Guides.VertexCounts.Add(strand_vertices);
            for (int v = 0; v < strand_vertices; v++) {
                groom.Guides.Positions.Add({(float)at.X, (float)at.Y, (float)at.Z});
                groom.Guides.Radii.Add(0.004f);
                at = at + direction * 3;
                direction = direction + FVector(0, 0, -0.25);
                direction = direction * (1 / direction.Size());
            }
        }
    }
};

// True if a line of the log has both, and prints none.
inline bool logged(const char *level, const char *part) {
    for (const std::string &line : stand_in_log())
        if (line.compare(0, strlen(level), level) == 0 && line.find(part) != std::string::npos) return true;
    return false;
}
