// Stand-ins for what host_adapters/unreal uses of Unreal's Engine, Projects, RHI and HairStrandsCore. See core.h.
#pragma once

#include "core.h"

#include <map>

// ---- modules and plugins ----

class IModuleInterface {
  public:
    virtual ~IModuleInterface() = default;
    virtual void StartupModule() {}
    virtual void ShutdownModule() {}
};
class FModuleManager {
  public:
    // Makes and starts it when it is first asked for.
    template <typename T> static T &LoadModuleChecked(const TCHAR *) { return static_cast<T &>(*Started()); }
    static void Unload();
    static IModuleInterface *Started();
    static IModuleInterface *(*Make)();
};
#define IMPLEMENT_MODULE(type, name)                                                                                   \
    static const bool stand_in_registered = (                                                                          \
        FModuleManager::Make = []() -> IModuleInterface * { return new type; }, true);

class IPlugin {
  public:
    FString GetBaseDir() const { return FString(stand_in_wide(Folder.c_str())); }
    static std::string Folder;
};
class IPluginManager {
  public:
    static IPluginManager &Get() {
        static IPluginManager manager;
        return manager;
    }
    TSharedPtr<IPlugin> FindPlugin(const TCHAR *) { return MakeShared<IPlugin>(); }
};
struct FPaths {
    static FString ConvertRelativePathToFull(const FString &path) { return path; }
};

// ---- tasks ----

class FTaskGraphInterface {
  public:
    static FTaskGraphInterface &Get() {
        static FTaskGraphInterface graph;
        return graph;
    }
    int32 GetNumWorkerThreads() const { return 1; }
};
void ParallelFor(int32 count, const std::function<void(int32)> &body); // on two threads

// ---- rendering: what goes to the render thread runs at once ----

class FRHITexture;
typedef FRHITexture *FTextureRHIRef;
class FTextureResource {
  public:
    FTextureRHIRef TextureRHI = nullptr;
};
class FRHICommandListImmediate {};
#define ENQUEUE_RENDER_COMMAND(name) stand_in_enqueue
template <typename T> void stand_in_enqueue(T &&command) {
    FRHICommandListImmediate list;
    command(list);
}
inline void FlushRenderingCommands() {}

enum EPixelFormat { PF_A32B32G32R32F };
enum TextureFilter { TF_Nearest };
struct FUpdateTextureRegion2D {
    uint32 DestX, DestY, Width, Height;
    FUpdateTextureRegion2D(uint32 x, uint32 y, int32, int32, uint32 width, uint32 height)
        : DestX(x), DestY(y), Width(width), Height(height) {}
};
// Four floats a texel, in Pixels when the CPU has updated it.
class UTexture2D : public UObject {
  public:
    bool SRGB = true;
    TextureFilter Filter = TF_Nearest;
    int32 SizeX = 0, SizeY = 0;
    std::vector<float> Pixels;

    // Alive until stand_in_collect.
    static UTexture2D *CreateTransient(int32 x, int32 y, EPixelFormat format);
    void UpdateResource();
    FTextureResource *GetResource() { return &resource; }
    void UpdateTextureRegions(int32 mip, uint32 count, const FUpdateTextureRegion2D *regions, uint32 pitch,
                              uint32 texel, uint8 *data, TFunction<void(uint8 *, const FUpdateTextureRegion2D *)> done);

  private:
    FTextureResource resource;
};
void stand_in_collect();
// Makes the image of a texture, where a test has a renderer; null otherwise.
extern FTextureRHIRef (*stand_in_make_image)(int32 x, int32 y);

// ---- physics assets ----

struct FKSphereElem {
    FVector Center;
    float Radius = 1;
};
struct FKSphylElem {
    FVector Center;
    FRotator Rotation;
    float Radius = 1, Length = 1;
};
struct FKTaperedCapsuleElem {
    FVector Center;
    FRotator Rotation;
    float Radius0 = 1, Radius1 = 1, Length = 1;
};
struct FKBoxElem {};
struct FKConvexElem {};
struct FKAggregateGeom {
    TArray<FKSphereElem> SphereElems;
    TArray<FKBoxElem> BoxElems;
    TArray<FKSphylElem> SphylElems;
    TArray<FKConvexElem> ConvexElems;
    TArray<FKTaperedCapsuleElem> TaperedCapsuleElems;
};
class USkeletalBodySetup : public UObject {
  public:
    FName BoneName;
    FKAggregateGeom AggGeom;
};
class UPhysicsAsset : public UObject {
  public:
    TArray<TObjectPtr<USkeletalBodySetup>> SkeletalBodySetups;
};

// ---- skeletons ----

class FReferenceSkeleton {
  public:
    void Add(const FName &name, int32 parent, const FTransform &pose) {
        names.Add(name), parents.Add(parent), poses.Add(pose);
    }
    int32 FindBoneIndex(const FName &name) const { return names.Find(name); }
    int32 GetParentIndex(int32 bone) const { return parents[bone]; }
    const TArray<FTransform> &GetRefBonePose() const { return poses; }

  private:
    TArray<FName> names;
    TArray<int32> parents;
    TArray<FTransform> poses;
};
class USkeletalMesh : public UObject {
  public:
    FReferenceSkeleton Skeleton;
    const FReferenceSkeleton &GetRefSkeleton() const { return Skeleton; }
};

// ---- world, actors, components ----

class APlayerCameraManager {
  public:
    FVector Location;
    FVector GetCameraLocation() const { return Location; }
};
class APlayerController {
  public:
    TObjectPtr<APlayerCameraManager> PlayerCameraManager;
};
class UWorld {
  public:
    float GravityZ = -980;
    APlayerController *Player = nullptr;
    float GetGravityZ() const { return GravityZ; }
    APlayerController *GetFirstPlayerController() const { return Player; }
};

enum ETickingGroup { TG_PrePhysics, TG_PostPhysics };
enum ELevelTick { LEVELTICK_All };
struct FActorComponentTickFunction {
    bool bCanEverTick = false;
    ETickingGroup TickGroup = TG_PrePhysics;
};
namespace EEndPlayReason {
enum Type { Destroyed };
}
class AActor;
class UActorComponent : public UObject {
  public:
    typedef UActorComponent Super;
    FActorComponentTickFunction PrimaryComponentTick;
    AActor *Owner = nullptr;
    UWorld *World = nullptr;
    virtual void BeginPlay() {}
    virtual void EndPlay(const EEndPlayReason::Type) {}
    virtual void TickComponent(float, ELevelTick, FActorComponentTickFunction *) {}
    AActor *GetOwner() const { return Owner; }
    UWorld *GetWorld() const { return World; }
    void AddTickPrerequisiteComponent(UActorComponent *) {}
};
class USkeletalMeshComponent : public UActorComponent {
  public:
    USkeletalMesh *Mesh = nullptr;
    UPhysicsAsset *Physics = nullptr;
    FTransform ToWorld;
    TArray<FTransform> Pose; // of bones, in the space of the component
    USkeletalMesh *GetSkeletalMeshAsset() const { return Mesh; }
    UPhysicsAsset *GetPhysicsAsset() const { return Physics; }
    const FTransform &GetComponentTransform() const { return ToWorld; }
    FVector GetComponentLocation() const { return ToWorld.GetLocation(); }
    FTransform GetBoneTransform(int32 bone, const FTransform &to_world) const { return Pose[bone] * to_world; }
};
class AActor : public UObject {
  public:
    USkeletalMeshComponent *Mesh = nullptr;
    template <typename T> T *FindComponentByClass() const { return Mesh; }
};

// ---- Groom assets, as the editor gives them ----

struct FHairStrandsPoints {
    TArray<FVector3f> PointsPosition;
    TArray<float> PointsRadius; // shares of MaxRadius
};
struct FHairStrandsCurves {
    TArray<uint16> CurvesCount;
    TArray<uint32> CurvesOffset;
    float MaxRadius = 0;
};
struct FHairStrandsDatas {
    FHairStrandsPoints StrandsPoints;
    FHairStrandsCurves StrandsCurves;
};
class UGroomAsset : public UObject {
  public:
    struct Group {
        FHairStrandsDatas Strands, Guides;
    };
    std::vector<Group> Groups;
    int32 GetNumHairGroups() const { return (int32)Groups.size(); }
    bool GetHairStrandsDatas(const int32 group, FHairStrandsDatas &strands, FHairStrandsDatas &guides) {
        strands = Groups.at((size_t)group).Strands;
        guides = Groups.at((size_t)group).Guides;
        return strands.StrandsCurves.CurvesCount.Num() + guides.StrandsCurves.CurvesCount.Num() > 0;
    }
};
