// The plugin as a game runs it: the real library, opened from the installed folder, and the component for many frames.
#include "figure.h"

#include "PlaitHair.h"
#include "PlaitSettings.h"

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
}

static const plait_api &api() { return *FPlaitModule::Get().GetApi(); }

static double largest_difference(const TArray<FVector> &a, const TArray<FVector> &b) {
    assert_int_equal(a.Num(), b.Num());
    double largest = 0;
    for (int32 i = 0; i < a.Num(); i++) largest = std::max(largest, FVector::Dist(a[i], b[i]));
    return largest;
}

static void matrices_are_transposed_and_relative(void **) {
    const double rows[4][4] = {{1, 2, 3, 0}, {4, 5, 6, 0}, {7, 8, 9, 0}, {1e9 + 10, 11, 12, 1}},
                 origin[3] = {1e9, 1, 2};
    const float expected[12] = {1, 4, 7, 10, 2, 5, 8, 10, 3, 6, 9, 10};
    float out[12];
    PlaitMatrix(rows, origin, out);
    for (int i = 0; i < 12; i++) assert_true(out[i] == expected[i]);
}

static void settings_begin_with_plaits_defaults(void **) {
    FPlaitSettings settings;
    FPlaitRodSettings rods;
    rods.bSagFree = false;
    plait_shape_params shape = PLAIT_SHAPE_PARAMS_INIT;
    assert_int_equal(api().plait_shape_params_default(0.01f, &shape), PLAIT_OK);
    settings.Set(EPlaitSolver::Shape, FPlaitShapeSettings(), rods, -980);
    assert_memory_equal(settings.Get(), &shape, sizeof shape);
    plait_hybrid_params hybrid = PLAIT_HYBRID_PARAMS_INIT;
    assert_int_equal(api().plait_hybrid_params_default(0.01f, &hybrid), PLAIT_OK);
    settings.Set(EPlaitSolver::Rods, FPlaitShapeSettings(), rods, -980);
    const plait_hybrid_params *ours = static_cast<const plait_hybrid_params *>(settings.Get());
    assert_true(std::fabs(ours->max_root_turn - hybrid.max_root_turn) < 1e-4f); // it went through degrees
    hybrid.max_root_turn = ours->max_root_turn;
    assert_memory_equal(ours, &hybrid, sizeof hybrid);
}

// Runs plugin and the host in metres side by side. Returns the largest distance of a vertex from its twin, centimetres.
static double compare_with_metres(EPlaitSolver solver, int frames) {
    figure f;
    f.hair.Solver = solver;
    f.hair.Friction = 0.2f;
    f.hair.Wind = FVector(120, -80, 30);
    f.hair.BeginPlay();
    assert_true(f.hair.IsRunning());
    metres_bone bind[2] = {f.points(f.reference(2)), f.points(f.reference(1))};
    metres_bone start[2] = {f.points(f.bone(2)), f.points(f.bone(1))};
    metres_setup setup = {};
    setup.solver = solver == EPlaitSolver::Shape ? PLAIT_SOLVER_SHAPE : PLAIT_SOLVER_HYBRID;
    setup.strand_count = (uint32_t)f.groom.Guides.VertexCounts.Num();
    setup.vertices = strand_vertices;
    setup.positions = &f.groom.Guides.Positions.GetData()->X;
    setup.radius = 0.004f;
    setup.bone_count = 2;
    setup.bind_pose = bind;
    setup.start = start;
    setup.capsule_count = (uint32_t)f.capsules.size();
    setup.capsules = f.capsules.data();
    setup.friction = 0.2f;
    metres_host host;
    assert_int_equal(metres_open(&host, &api(), &setup), PLAIT_OK);

    std::vector<double> twin(3 * (size_t)host.vertex_count);
    const double wind[3] = {120, -80, 30};
    double largest = 0, moved = 0;
    const TArray<FVector> before = f.positions();
    for (int i = 0; i < frames; i++) {
        f.tick();
        const metres_bone bones[2] = {f.points(f.bone(2)), f.points(f.bone(1))};
        assert_int_equal(metres_step(&host, (float)(1.0 / 60), bones, wind), PLAIT_OK);
        assert_int_equal(metres_read(&host, twin.data()), PLAIT_OK);
        const TArray<FVector> positions = f.positions();
        for (int32 v = 0; v < positions.Num(); v++) {
            const double *other = &twin[3 * (size_t)v];
            largest = std::max(largest, FVector::Dist(positions[v], FVector(other[0], other[1], other[2])));
            moved = std::max(moved, FVector::Dist(positions[v], before[v]));
        }
    }
    assert_true(moved > 50); // centimetres: it went along
    metres_close(&host);
    f.hair.EndPlay(EEndPlayReason::Destroyed);
    return largest;
}

static void shape_moves_as_in_metres(void **) {
    const double largest = compare_with_metres(EPlaitSolver::Shape, 600);
    print_message("solver shape, 600 frames: %.4f cm from a host in metres\n", largest);
    assert_true(largest < 0.01);
}

static void rods_move_as_in_metres(void **) {
    const double largest = compare_with_metres(EPlaitSolver::Rods, 600);
    print_message("solver rods, 600 frames: %.4f cm from a host in metres\n", largest);
    assert_true(largest < 0.5); // strands stick and slip at colliders, where rounding decides
}

// Roots are on the skull, wherever the head is; 25 metres of way move the origin of the output.
static void roots_follow_their_bone(void **) {
    figure f;
    f.hair.BeginPlay();
    const FVector first = f.hair.GetOutputOrigin();
    for (int i = 0; i < 100; i++) {
        f.place.X += 25;
        f.tick();
        assert_true(FVector::Dist(f.hair.GetOutputOrigin(), f.component.GetComponentLocation()) <= 1000);
        const TArray<FVector> positions = f.positions();
        const FVector centre = f.bone(2).TransformPosition(FVector(0, 0, 5));
        for (int32 v = 0; v < positions.Num(); v += strand_vertices)
            assert_true(std::fabs(FVector::Dist(positions[v], centre) - 9.2) < 1e-3);
    }
    assert_true(FVector::Dist(first, f.hair.GetOutputOrigin()) > 1000);
    f.hair.EndPlay(EEndPlayReason::Destroyed);
}

static void fifty_kilometres_away_hair_moves_alike(void **) {
    const FVector far(5e6, -3e6, 1e5);
    figure here, there(48, far);
    here.hair.BeginPlay();
    there.hair.BeginPlay();
    double largest = 0;
    for (int i = 0; i < 120; i++) {
        here.tick();
        there.tick();
        const TArray<FVector> a = here.positions();
        TArray<FVector> b = there.positions();
        for (int32 v = 0; v < b.Num(); v++) b[v] = b[v] - far;
        largest = std::max(largest, largest_difference(a, b));
    }
    print_message("58 km away: %.5f cm from near the origin\n", largest);
    assert_true(largest < 0.01);
    here.hair.EndPlay(EEndPlayReason::Destroyed);
    there.hair.EndPlay(EEndPlayReason::Destroyed);
}

// How deep a point is in a capsule, centimetres; less than 0: outside. Plain geometry, in the world.
static double depth_in(const figure &f, const metres_capsule &c, const FVector &point) {
    const FTransform bone = f.bone(c.bone == 0 ? 2 : 1);
    const FVector a = bone.TransformPosition(FVector(c.ends[0][0], c.ends[0][1], c.ends[0][2]));
    const FVector b = bone.TransformPosition(FVector(c.ends[1][0], c.ends[1][1], c.ends[1][2]));
    double deepest = -1e9; // the hull of two spheres is that of all spheres between them
    for (int i = 0; i <= 200; i++) {
        const double t = i / 200.0;
        deepest = std::max(deepest, c.radii[0] + t * (c.radii[1] - c.radii[0]) - FVector::Dist(point, a + (b - a) * t));
    }
    return deepest;
}

static double deepest_vertex(bool collide, EPlaitSolver solver) {
    figure f;
    f.hair.Solver = solver;
    f.hair.bCollideWithPhysicsAsset = collide;
    f.hair.Shape.ComplianceRoot = f.hair.Shape.ComplianceTip = 0.5f; // limp: it falls on the shoulders
    f.hair.BeginPlay();
    double deepest = -1e9;
    for (int i = 0; i < 240; i++) {
        f.tick();
        const TArray<FVector> positions = f.positions();
        for (int32 v = 0; i >= 60 && v < positions.Num(); v++)
            for (const metres_capsule &c : f.capsules) deepest = std::max(deepest, depth_in(f, c, positions[v]));
    }
    f.hair.EndPlay(EEndPlayReason::Destroyed);
    return deepest;
}

static void no_vertex_is_inside_a_collider(void **) {
    const double with = deepest_vertex(true, EPlaitSolver::Shape), without = deepest_vertex(false, EPlaitSolver::Shape);
    print_message("deepest vertex: %.4f cm with the physics asset, %.2f cm without\n", with, without);
    assert_true(with < 0.01);
    assert_true(without > 1);
}

static void frames_of_any_length_and_pauses_work(void **) {
    figure f;
    f.hair.BeginPlay();
    for (int i = 0; i < 100; i++) f.tick(i % 3 == 0 ? 0.004 : i % 3 == 1 ? 0.031 : 0.0);
    assert_false(logged("Error", "plait_hair_step"));
    f.hair.EndPlay(EEndPlayReason::Destroyed);
}

static void the_texture_has_the_strands(void **) {
    figure f(100); // 1200 vertices: two rows, the second one not full
    f.hair.BeginPlay();
    for (int i = 0; i < 5; i++) f.tick();
    UTexture2D *texture = f.hair.PositionTexture;
    assert_non_null(texture);
    assert_false(texture->SRGB);
    assert_int_equal(texture->SizeX, 1024);
    assert_int_equal(texture->SizeY, 2);
    assert_false(f.hair.IsOutputOnGpu());
    const TArray<FVector> positions = f.positions();
    assert_int_equal(positions.Num(), 1200);
    for (int32 v = 0; v < positions.Num(); v++) {
        const float *texel = &texture->Pixels[4 * (size_t)v];
        assert_true(FVector::Dist(positions[v] - f.hair.GetOutputOrigin(), FVector(texel[0], texel[1], texel[2])) <
                    1e-6);
        assert_true(std::fabs(texel[3] - 0.004f) < 1e-6f);
    }
    const FBox box = f.hair.GetHairBounds();
    for (int32 v = 0; v < positions.Num(); v++)
        for (int k = 0; k < 3; k++)
            assert_true(positions[v][k] > box.Min[k] - 1e-3 && positions[v][k] < box.Max[k] + 1e-3);
    f.hair.EndPlay(EEndPlayReason::Destroyed);
    assert_null(static_cast<UTexture2D *>(f.hair.PositionTexture));
}

static void a_change_of_backend_leaves_strands_where_they_are(void **) {
    figure f;
    f.hair.BeginPlay();
    for (int i = 0; i < 60; i++) f.tick();
    const TArray<FVector> before = f.positions();
    if (!f.hair.SetBackend(EPlaitBackend::Vulkan)) {
        print_message("skipped: no Vulkan device\n");
        f.hair.EndPlay(EEndPlayReason::Destroyed);
        skip();
    }
    assert_true(f.hair.Backend == EPlaitBackend::Vulkan);
    f.tick(0);
    const double jump = largest_difference(before, f.positions());
    print_message("CPU to Vulkan: %.6f cm\n", jump);
    assert_true(jump < 1e-3);
    for (int i = 0; i < 10; i++) f.tick();
    const TArray<FVector> there = f.positions();
    assert_true(largest_difference(before, there) > 1);
    assert_true(f.hair.SetBackend(EPlaitBackend::Cpu));
    f.tick(0);
    assert_true(largest_difference(there, f.positions()) < 1e-3);
    f.hair.EndPlay(EEndPlayReason::Destroyed);
}

static void jumps_carry_hair_along(void **) {
    figure f;
    f.hair.BeginPlay();
    for (int i = 0; i < 60; i++) f.tick();
    TArray<FVector> before = f.positions();
    const FVector centre = f.bone(2).GetLocation();
    const FTransform old = f.component.ToWorld;
    f.component.ToWorld = FTransform(FQuat(FVector(0, 0, 1), 0.7 * f.time), old.GetLocation() + FVector(1000, 0, 0));
    f.hair.TickComponent(0, LEVELTICK_All, nullptr);
    for (int32 v = 0; v < before.Num(); v++) before[v] = before[v] + (f.bone(2).GetLocation() - centre);
    assert_true(largest_difference(before, f.positions()) < 0.01);
    // A cut that the host knows of.
    f.component.ToWorld = old;
    assert_true(f.hair.TeleportHair());
    f.hair.TickComponent(0, LEVELTICK_All, nullptr);
    for (int32 v = 0; v < before.Num(); v++) before[v] = before[v] - FVector(1000, 0, 0);
    assert_true(largest_difference(before, f.positions()) < 0.01);
    assert_true(f.hair.ResetHair());
    f.hair.EndPlay(EEndPlayReason::Destroyed);
}

static void settings_change_while_it_runs(void **) {
    figure stiff, soft;
    stiff.hair.BeginPlay();
    soft.hair.BeginPlay();
    soft.hair.Shape.ComplianceRoot = soft.hair.Shape.ComplianceTip = 1.0f;
    soft.hair.HairHairStrength = 0.5f;
    assert_true(soft.hair.ApplySettings());
    for (int i = 0; i < 30; i++) stiff.tick(), soft.tick();
    assert_true(largest_difference(stiff.positions(), soft.positions()) > 1);
    stiff.hair.EndPlay(EEndPlayReason::Destroyed);
    soft.hair.EndPlay(EEndPlayReason::Destroyed);
}

// A Groom asset of two groups: guides, and three strands beside each.
static void make_groom_asset(const FPlaitStrands &from, UGroomAsset &asset) {
    asset.Groups.resize(2);
    for (int32 s = 0; s < from.VertexCounts.Num(); s++)
        for (int copy = 0; copy < 4; copy++) {
            UGroomAsset::Group &group = asset.Groups[(size_t)(s % 2)];
            FHairStrandsDatas &data = copy == 0 ? group.Guides : group.Strands;
            data.StrandsCurves.CurvesCount.Add(strand_vertices);
            data.StrandsCurves.CurvesOffset.Add((uint32)data.StrandsPoints.PointsPosition.Num());
            data.StrandsCurves.MaxRadius = 0.006f;
            for (int v = 0; v < strand_vertices; v++) {
                FVector3f point = from.Positions[s * strand_vertices + v];
                point.X += 0.1f * (float)copy;
                data.StrandsPoints.PointsPosition.Add(point);
                data.StrandsPoints.PointsRadius.Add(0.5f);
            }
        }
}

static void groom_assets_become_guides_and_strands(void **) {
    figure f;
    UGroomAsset asset;
    make_groom_asset(f.groom.Guides, asset);
    UPlaitGroom groom;
    assert_false(groom.ImportGroom(nullptr));
    assert_true(logged("Error", "Groom is null"));
    assert_true(groom.ImportGroom(&asset));
    assert_int_equal(groom.GroupCount, 2);
    assert_int_equal(groom.Guides.VertexCounts.Num(), 48);
    assert_int_equal(groom.Strands.VertexCounts.Num(), 144);
    assert_true(std::fabs(groom.Guides.Radii[0] - 0.003f) < 1e-7f);
    f.hair.Groom = &groom;
    f.hair.BeginPlay();
    for (int i = 0; i < 60; i++) f.tick();
    // Strands stay beside their guides, and the last thirds of both moved.
    assert_int_equal(f.positions().Num(), 144 * strand_vertices);
    assert_int_equal(f.hair.GetDrawnStrandCount(), 144);
    // Far away fewer are drawn.
    f.world.Player = &f.player;
    f.camera.Location = f.component.GetComponentLocation() + FVector(3000, 0, 0);
    f.tick();
    const int32 fewer = f.hair.GetDrawnStrandCount();
    assert_true(fewer > 10 && fewer < 30); // a tenth and some that get thin
    f.hair.EndPlay(EEndPlayReason::Destroyed);
}

static void hair_far_from_the_camera_is_rigid(void **) {
    figure f;
    f.hair.TeleportDistance = f.hair.TeleportAngle = 0;
    f.hair.BeginPlay();
    f.world.Player = &f.player;
    f.camera.Location = FVector(100000, 0, 0);
    for (int i = 0; i < 60; i++) f.tick();
    const TArray<FVector> positions = f.positions();
    for (int32 v = 0; v < positions.Num(); v++) {
        const FVector3f &drawn = f.groom.Guides.Positions[v];
        // From the mesh to the bone and to where the bone is.
        const metres_bone bind = f.points(f.reference(2)), now = f.points(f.bone(2));
        FVector at(now.points[0][0], now.points[0][1], now.points[0][2]);
        for (int axis = 1; axis < 4; axis++) {
            double along = 0;
            const double drawn_[3] = {drawn.X, drawn.Y, drawn.Z};
            for (int k = 0; k < 3; k++)
                along += (drawn_[k] - bind.points[0][k]) * (bind.points[axis][k] - bind.points[0][k]);
            for (int k = 0; k < 3; k++) at[k] += along * (now.points[axis][k] - now.points[0][k]);
        }
        assert_true(FVector::Dist(positions[v], at) < 0.01);
    }
    f.hair.EndPlay(EEndPlayReason::Destroyed);
}

static void errors_are_logged_by_name(void **) {
    figure f;
    f.hair.AttachBone = L"haed";
    assert_false(f.hair.StartHair());
    assert_true(logged("Error", "AttachBone: the mesh has no bone \"haed\""));
    f.hair.AttachBone = L"head";
    f.hair.Groom = nullptr;
    assert_false(f.hair.StartHair());
    assert_true(logged("Error", "Groom is missing"));
    UPlaitGroom folded = f.groom;
    folded.Guides.Positions[1] = folded.Guides.Positions[0];
    f.hair.Groom = &folded;
    assert_false(f.hair.StartHair());
    assert_true(logged("Error", "/Game/Map.Actor.Hair: plait_groom_create: PLAIT_ERROR_INVALID_GROOM"));
    assert_true(logged("Error", "PLAIT_ERROR_INVALID_GROOM: ")); // Plait's own line, which names strand and vertex
    folded.Guides.Positions.Add({0, 0, 0});
    assert_false(f.hair.StartHair());
    f.hair.Groom = &f.groom;
    f.hair.Friction = -1;
    assert_false(f.hair.StartHair());
    assert_true(logged("Error", "plait_body_create: PLAIT_ERROR_INVALID_ARGUMENT"));
    f.hair.Friction = 0.2f;
    f.actor.Mesh = nullptr;
    assert_false(f.hair.StartHair());
    assert_true(logged("Error", "no skeletal mesh"));
    f.actor.Mesh = &f.component;
    FKBoxElem box;
    f.spine.AggGeom.BoxElems.Add(box);
    assert_true(f.hair.StartHair());
    assert_true(logged("Warning", "1 boxes and convex hulls"));

    // A mirrored mesh: the frame is refused, the hair stays and goes on.
    const FTransform good = f.component.ToWorld;
    f.component.ToWorld = FTransform(FQuat(), FVector(), FVector(-1, 1, 1));
    f.hair.TickComponent(0.016f, LEVELTICK_All, nullptr);
    assert_true(logged("Error", "plait_hair_step: PLAIT_ERROR_INVALID_ARGUMENT"));
    f.component.ToWorld = good;
    stand_in_log().clear();
    f.tick();
    assert_false(logged("Error", ""));

    f.hair.Shape.VelocityCorrection = 2;
    assert_false(f.hair.ApplySettings());
    assert_true(logged("Error", "plait_hair_set_params: PLAIT_ERROR_INVALID_ARGUMENT"));
    if (!f.hair.SetBackend(EPlaitBackend::Cuda)) {
        assert_true(logged("Error", "SetBackend: plait_device_open: PLAIT_ERROR_UNAVAILABLE"));
        assert_true(f.hair.Backend == EPlaitBackend::Cpu);
        f.tick();
    }
    f.hair.EndPlay(EEndPlayReason::Destroyed);
}

static void hair_can_start_and_stop_often(void **) {
    figure f;
    for (int i = 0; i < 30; i++) {
        f.hair.BeginPlay();
        f.tick();
        f.hair.EndPlay(EEndPlayReason::Destroyed);
        assert_false(f.hair.IsRunning());
        f.tick(); // a component that does not run may tick
    }
    stand_in_collect();
}

static void the_module_can_be_loaded_again(void **) {
    figure f;
    f.hair.BeginPlay();
    f.hair.EndPlay(EEndPlayReason::Destroyed);
    FModuleManager::Unload();
    const std::string folder = IPlugin::Folder;
    IPlugin::Folder = folder + "/nowhere";
    assert_false(f.hair.StartHair());
    assert_true(logged("Error", "The library cannot be opened"));
    assert_true(logged("Error", "Plait's library is not there"));
    FModuleManager::Unload();
    IPlugin::Folder = folder;
    assert_true(f.hair.StartHair());
    f.hair.StopHair();
}

static int unload(void **) {
    FModuleManager::Unload();
    stand_in_collect();
    return stand_in_live_blocks() == 0 ? 0 : -1;
}

int main(void) {
    IPlugin::Folder = PLUGIN_FOLDER;
    printf("The plugin for Unreal, against stand-in headers: it has not been built inside Unreal.\n");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_transposed_and_relative),
        cmocka_unit_test(settings_begin_with_plaits_defaults),
        cmocka_unit_test(shape_moves_as_in_metres),
        cmocka_unit_test(rods_move_as_in_metres),
        cmocka_unit_test(roots_follow_their_bone),
        cmocka_unit_test(fifty_kilometres_away_hair_moves_alike),
        cmocka_unit_test(no_vertex_is_inside_a_collider),
        cmocka_unit_test(frames_of_any_length_and_pauses_work),
        cmocka_unit_test(the_texture_has_the_strands),
        cmocka_unit_test(a_change_of_backend_leaves_strands_where_they_are),
        cmocka_unit_test(jumps_carry_hair_along),
        cmocka_unit_test(settings_change_while_it_runs),
        cmocka_unit_test(groom_assets_become_guides_and_strands),
        cmocka_unit_test(hair_far_from_the_camera_is_rigid),
        cmocka_unit_test(errors_are_logged_by_name),
        cmocka_unit_test(hair_can_start_and_stop_often),
        cmocka_unit_test(the_module_can_be_loaded_again),
    };
    return cmocka_run_group_tests(tests, nullptr, unload);
}
