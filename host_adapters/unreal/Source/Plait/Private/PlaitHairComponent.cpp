#include "PlaitHairComponent.h"

#include "PlaitGroom.h"
#include "PlaitModule.h"
#include "PlaitSettings.h"
#include "PlaitStrandTexture.h"

#include "Camera/PlayerCameraManager.h"
#include "Components/SkeletalMeshComponent.h"
#include "Engine/SkeletalMesh.h"
#include "Engine/Texture2D.h"
#include "Engine/World.h"
#include "GameFramework/Actor.h"
#include "GameFramework/PlayerController.h"
#include "PhysicsEngine/PhysicsAsset.h"
#include "PhysicsEngine/SkeletalBodySetup.h"

// Centimetres: up to this, floats have steps of less than a thousandth of a millimetre, and the origin stays.
static constexpr double MaxOriginDistance = 1000.0;

struct FPlaitHairState
{
	USkeletalMeshComponent* Mesh = nullptr; // of the same actor, which stops the hair before it lets go of it
	TArray<int32> BoneIndices;				// in the mesh; the hair's bones are those that it needs, roots first
	std::vector<float> BindPose, Bones;		// [BoneIndices.Num()][12]
	std::vector<plait_collider> Colliders;
	FVector Origin = FVector::ZeroVector; // that bones are relative to; the hair started with that of its first frame
	bool bStepped = false;
	FPlaitSettings Settings;
	FPlaitHair Hair;
	FPlaitStrandTexture Texture;

	~FPlaitHairState() { Texture.Close(); }
};

static void ToPlait(const FTransform& Transform, const FVector& Origin, float* Out)
{
	const FMatrix Matrix = Transform.ToMatrixWithScale();
	const double Point[3] = {Origin.X, Origin.Y, Origin.Z};
	PlaitMatrix(Matrix.M, Point, Out);
}

// The bone in the space of the mesh, in the reference pose.
static FTransform ReferencePose(const FReferenceSkeleton& Skeleton, int32 Bone)
{
	FTransform Pose = Skeleton.GetRefBonePose()[Bone];
	for (int32 Parent = Skeleton.GetParentIndex(Bone); Parent != INDEX_NONE; Parent = Skeleton.GetParentIndex(Parent))
	{
		Pose = Pose * Skeleton.GetRefBonePose()[Parent];
	}
	return Pose;
}

static FPlaitStrandView View(const FPlaitStrands& Strands, int32 GroupCount)
{
	FPlaitStrandView Out;
	Out.StrandCount = static_cast<uint32>(Strands.VertexCounts.Num());
	Out.VertexCount = static_cast<uint32>(Strands.Positions.Num());
	Out.VertexCounts = Strands.VertexCounts.GetData();
	Out.Positions = reinterpret_cast<const float*>(Strands.Positions.GetData());
	Out.Radii = Strands.Radii.Num() == Strands.Positions.Num() ? Strands.Radii.GetData() : nullptr;
	Out.Groups = Strands.Groups.Num() == Strands.VertexCounts.Num() ? Strands.Groups.GetData() : nullptr;
	Out.GroupCount = static_cast<uint32>(GroupCount);
	return Out;
}

// Counts and positions come from an asset, which may be damaged.
static bool IsWhole(const FPlaitStrands& Strands)
{
	int64 Total = 0;
	for (const int32 Count : Strands.VertexCounts)
	{
		Total += Count > 0 ? Count : 0;
	}
	return Total == Strands.Positions.Num();
}

UPlaitHairComponent::UPlaitHairComponent()
{
	PrimaryComponentTick.bCanEverTick = true;
	PrimaryComponentTick.TickGroup = TG_PostPhysics; // behind animation
}

void UPlaitHairComponent::BeginPlay()
{
	Super::BeginPlay();
	StartHair();
}

void UPlaitHairComponent::EndPlay(const EEndPlayReason::Type Reason)
{
	StopHair();
	Super::EndPlay(Reason);
}

bool UPlaitHairComponent::IsRunning() const
{
	return State && State->Hair.IsOpen();
}

void UPlaitHairComponent::StopHair()
{
	State.Reset();
	PositionTexture = nullptr;
}

// Says what failed, and on which component. Plait itself has named the argument.
bool UPlaitHairComponent::Report(int32 Result) const
{
	if (Result < 0)
	{
		const FString Name = UTF8_TO_TCHAR(PlaitResultName(Result));
		const FString Call = UTF8_TO_TCHAR(State ? State->Hair.Failed().c_str() : "plait_device_open");
		UE_LOG(LogPlait, Error, TEXT("%s: %s: %s"), *GetPathName(), *Call, *Name);
	}
	return Result >= 0;
}

bool UPlaitHairComponent::StartHair()
{
	StopHair();
	if (!FPlaitModule::Get().GetApi())
	{
		UE_LOG(LogPlait, Error, TEXT("%s: Plait's library is not there"), *GetPathName());
		return false;
	}
	if (!Groom || Groom->Guides.VertexCounts.Num() == 0 || !IsWhole(Groom->Guides) || !IsWhole(Groom->Strands))
	{
		UE_LOG(LogPlait, Error, TEXT("%s: Groom is missing, empty or damaged"), *GetPathName());
		return false;
	}
	USkeletalMeshComponent* Mesh = GetOwner() ? GetOwner()->FindComponentByClass<USkeletalMeshComponent>() : nullptr;
	if (!Mesh || !Mesh->GetSkeletalMeshAsset())
	{
		UE_LOG(LogPlait, Error, TEXT("%s: the actor has no skeletal mesh"), *GetPathName());
		return false;
	}
	State = MakeShared<FPlaitHairState>();
	State->Mesh = Mesh;
	if (UseBone(AttachBone) == INDEX_NONE)
	{
		UE_LOG(LogPlait, Error, TEXT("%s: AttachBone: the mesh has no bone \"%s\""), *GetPathName(),
			*AttachBone.ToString());
		StopHair();
		return false;
	}
	AddTickPrerequisiteComponent(Mesh);
	if (bCollideWithPhysicsAsset)
	{
		GatherColliders();
	}
	if (!OpenHair())
	{
		StopHair();
		return false;
	}
	return true;
}

// The number that Plait knows the bone by.
int32 UPlaitHairComponent::UseBone(const FName& Name)
{
	const FReferenceSkeleton& Skeleton = State->Mesh->GetSkeletalMeshAsset()->GetRefSkeleton();
	const int32 Index = Skeleton.FindBoneIndex(Name);
	if (Index == INDEX_NONE)
	{
		return INDEX_NONE;
	}
	const int32 Known = State->BoneIndices.Find(Index);
	if (Known != INDEX_NONE)
	{
		return Known;
	}
	State->BindPose.resize(State->BindPose.size() + 12);
	ToPlait(ReferencePose(Skeleton, Index), FVector::ZeroVector, &State->BindPose[State->BindPose.size() - 12]);
	State->Bones.resize(State->BindPose.size());
	return State->BoneIndices.Add(Index);
}

void UPlaitHairComponent::GatherColliders()
{
	const UPhysicsAsset* Asset = State->Mesh->GetPhysicsAsset();
	if (!Asset)
	{
		return;
	}
	int32 Others = 0;
	for (const USkeletalBodySetup* Setup : Asset->SkeletalBodySetups)
	{
		const int32 Bone = Setup ? UseBone(Setup->BoneName) : INDEX_NONE;
		if (Bone == INDEX_NONE)
		{
			continue; // physics assets may be shared by meshes with fewer bones
		}
		const uint32 Number = static_cast<uint32>(Bone);
		const FKAggregateGeom& Shapes = Setup->AggGeom;
		for (const FKSphereElem& Sphere : Shapes.SphereElems)
		{
			State->Colliders.push_back(PlaitSphere(Number, &Sphere.Center.X, Sphere.Radius, Friction));
		}
		for (const FKSphylElem& Capsule : Shapes.SphylElems)
		{
			const FVector Axis = Capsule.Rotation.RotateVector(FVector::UpVector);
			State->Colliders.push_back(PlaitCapsule(
				Number, &Capsule.Center.X, &Axis.X, Capsule.Length, Capsule.Radius, Capsule.Radius, Friction));
		}
		for (const FKTaperedCapsuleElem& Capsule : Shapes.TaperedCapsuleElems)
		{
			const FVector Axis = Capsule.Rotation.RotateVector(FVector::UpVector);
			State->Colliders.push_back(PlaitCapsule(
				Number, &Capsule.Center.X, &Axis.X, Capsule.Length, Capsule.Radius0, Capsule.Radius1, Friction));
		}
		Others += Shapes.BoxElems.Num() + Shapes.ConvexElems.Num();
	}
	if (Others > 0)
	{
		UE_LOG(LogPlait, Warning, TEXT("%s: %d boxes and convex hulls of the physics asset do not collide with hair"),
			*GetPathName(), Others);
	}
}

bool UPlaitHairComponent::OpenHair()
{
	FPlaitModule& Module = FPlaitModule::Get();
	plait_device Device = {0};
	plait_result Result = Module.GetDevice(Backend, Device);
	if (Result < 0)
	{
		const FString Name = UTF8_TO_TCHAR(PlaitResultName(Result));
		UE_LOG(LogPlait, Error, TEXT("%s: Backend: plait_device_open: %s"), *GetPathName(), *Name);
		return false;
	}
	GatherBones(State->Mesh->GetComponentLocation());
	State->Settings.Set(Solver, Shape, Rods, GetWorld()->GetGravityZ() * GravityScale);
	FPlaitHairSetup Setup;
	Setup.Guides = View(Groom->Guides, Groom->GroupCount);
	Setup.Strands = View(Groom->Strands, Groom->GroupCount);
	Setup.BoneCount = static_cast<uint32>(State->BoneIndices.Num());
	Setup.BindPose = State->BindPose.data();
	Setup.Bones = State->Bones.data();
	Setup.Colliders = &State->Colliders;
	Setup.Solver = Solver == EPlaitSolver::Shape ? PLAIT_SOLVER_SHAPE : PLAIT_SOLVER_HYBRID;
	Setup.Params = State->Settings.Get();
	Setup.StepRate = StepRate;
	Setup.Substeps = static_cast<uint32>(Substeps);
	Setup.TeleportDistance = TeleportDistance;
	Setup.TeleportAngle = FMath::DegreesToRadians(TeleportAngle);
	Result = State->Hair.Open(*Module.GetApi(), Module.GetContext(), Device, Setup);
	if (Result >= 0 && HairHairStrength > 0.0f)
	{
		Result = State->Hair.SetVolume(HairHairStrength);
	}
	if (Result >= 0)
	{
		Result = State->Texture.Open(State->Hair, bShareGpuMemory);
	}
	PositionTexture = State->Texture.GetTexture();
	return Report(Result);
}

void UPlaitHairComponent::GatherBones(const FVector& Origin)
{
	State->Origin = Origin;
	const FTransform& ToWorld = State->Mesh->GetComponentTransform();
	for (int32 Bone = 0; Bone < State->BoneIndices.Num(); ++Bone)
	{
		ToPlait(State->Mesh->GetBoneTransform(State->BoneIndices[Bone], ToWorld), Origin, &State->Bones[12 * Bone]);
	}
}

// Zero where nobody looks.
double UPlaitHairComponent::CameraDistance() const
{
	const APlayerController* Player = GetWorld()->GetFirstPlayerController();
	if (!Player || !Player->PlayerCameraManager)
	{
		return 0.0;
	}
	return FVector::Dist(Player->PlayerCameraManager->GetCameraLocation(), State->Mesh->GetComponentLocation());
}

void UPlaitHairComponent::TickComponent(
	float DeltaTime, ELevelTick TickType, FActorComponentTickFunction* ThisTickFunction)
{
	Super::TickComponent(DeltaTime, TickType, ThisTickFunction);
	if (!IsRunning())
	{
		return;
	}
	const FVector Place = State->Mesh->GetComponentLocation();
	const bool bFar = State->bStepped && FVector::Dist(Place, State->Origin) > MaxOriginDistance;
	GatherBones(bFar ? Place : State->Origin);
	const double Distance = CameraDistance();
	FPlaitFrame Frame;
	Frame.DeltaTime = SimulationDistance > 0.0f && Distance > SimulationDistance ? 0.0f : DeltaTime;
	Frame.Bones = State->Bones.data();
	Frame.Gravity[2] = GetWorld()->GetGravityZ() * GravityScale;
	Frame.StrandFraction = PlaitStrandFraction(Distance, FullDetailDistance, MinStrandFraction);
	for (int32 i = 0; i < 3; ++i)
	{
		Frame.Origin[i] = State->Origin[i];
		Frame.Wind[i] = static_cast<float>(Wind[i]);
	}
	plait_result Result = State->Hair.Step(Frame);
	if (Result >= 0)
	{
		State->bStepped = true;
		Result = State->Texture.Update(State->Hair);
		PositionTexture = State->Texture.GetTexture();
	}
	Report(Result);
}

bool UPlaitHairComponent::SetBackend(EPlaitBackend NewBackend)
{
	plait_device Device = {0};
	if (!IsRunning())
	{
		Backend = NewBackend;
		return true;
	}
	const plait_result Opened = FPlaitModule::Get().GetDevice(NewBackend, Device);
	if (Opened < 0)
	{
		const FString Name = UTF8_TO_TCHAR(PlaitResultName(Opened));
		UE_LOG(LogPlait, Error, TEXT("%s: SetBackend: plait_device_open: %s"), *GetPathName(), *Name);
		return false;
	}
	State->Texture.Close();
	const bool bMoved = Report(State->Hair.SetDevice(Device));
	if (bMoved)
	{
		Backend = NewBackend;
	}
	const bool bOutput = Report(State->Texture.Open(State->Hair, bShareGpuMemory));
	PositionTexture = State->Texture.GetTexture();
	return bMoved && bOutput;
}

bool UPlaitHairComponent::ApplySettings()
{
	if (!IsRunning())
	{
		return true; // they count when it starts
	}
	State->Settings.Set(Solver, Shape, Rods, GetWorld()->GetGravityZ() * GravityScale);
	return Report(State->Hair.SetParams(State->Settings.Get())) && Report(State->Hair.SetVolume(HairHairStrength));
}

bool UPlaitHairComponent::Place(uint32 Kind)
{
	if (!IsRunning())
	{
		return false;
	}
	GatherBones(State->Origin);
	return Report(State->Hair.Place(Kind, State->Bones.data()));
}

bool UPlaitHairComponent::ResetHair()
{
	return Place(PLAIT_PLACE_RESET);
}

bool UPlaitHairComponent::TeleportHair()
{
	return Place(PLAIT_PLACE_TELEPORT);
}

bool UPlaitHairComponent::GetPositions(TArray<FVector>& OutPositions) const
{
	std::vector<float> Positions;
	if (!IsRunning() || !Report(State->Hair.Read(Positions)))
	{
		return false;
	}
	OutPositions.SetNum(static_cast<int32>(Positions.size() / 4));
	for (int32 Vertex = 0; Vertex < OutPositions.Num(); ++Vertex)
	{
		const float* Position = &Positions[4 * static_cast<size_t>(Vertex)];
		OutPositions[Vertex] = State->Origin + FVector(Position[0], Position[1], Position[2]);
	}
	return true;
}

FVector UPlaitHairComponent::GetOutputOrigin() const
{
	return State ? State->Origin : FVector::ZeroVector;
}

int32 UPlaitHairComponent::GetDrawnStrandCount() const
{
	return IsRunning() ? static_cast<int32>(State->Hair.DrawnStrandCount()) : 0;
}

FBox UPlaitHairComponent::GetHairBounds() const
{
	float Min[3], Max[3];
	if (!IsRunning() || !Report(State->Hair.Bounds(Min, Max)))
	{
		return FBox(ForceInit);
	}
	return FBox(State->Origin + FVector(Min[0], Min[1], Min[2]), State->Origin + FVector(Max[0], Max[1], Max[2]));
}

bool UPlaitHairComponent::IsOutputOnGpu() const
{
	return State && State->Texture.IsOnGpu();
}
