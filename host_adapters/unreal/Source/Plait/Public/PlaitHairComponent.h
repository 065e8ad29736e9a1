// Hair on a skeletal mesh. Add it to an actor, give it a UPlaitGroom, and draw from its texture.
#pragma once

#include "CoreMinimal.h"
#include "Components/ActorComponent.h"

#include "PlaitTypes.h"

#include "PlaitHairComponent.generated.h"

class UPlaitGroom;
class USkeletalMeshComponent;
class UTexture2D;
struct FPlaitHairState;

UCLASS(ClassGroup = (Plait), meta = (BlueprintSpawnableComponent))
class PLAIT_API UPlaitHairComponent : public UActorComponent
{
	GENERATED_BODY()

public:
	UPlaitHairComponent();

	/** What grows. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait")
	TObjectPtr<UPlaitGroom> Groom;

	/** The bone that all roots follow. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait")
	FName AttachBone = TEXT("head");

	/** Takes effect when the hair starts. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait|Simulation")
	EPlaitSolver Solver = EPlaitSolver::Shape;

	/** Where it runs. SetBackend changes it while the hair moves. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait|Simulation")
	EPlaitBackend Backend = EPlaitBackend::Best;

	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait|Simulation",
		meta = (EditCondition = "Solver == EPlaitSolver::Shape"))
	FPlaitShapeSettings Shape;

	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait|Simulation",
		meta = (EditCondition = "Solver == EPlaitSolver::Rods"))
	FPlaitRodSettings Rods;

	/** Strands feel each other. 0: off. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait|Simulation", meta = (ClampMin = "0", ClampMax = "1"))
	float HairHairStrength = 0.0f;

	/** Fixed steps a second, whatever the frame rate. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait|Simulation",
		meta = (ClampMin = "24", ClampMax = "480", Units = "Hz"))
	float StepRate = 60.0f;

	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait|Simulation", meta = (ClampMin = "1", ClampMax = "16"))
	int32 Substeps = 1;

	/** Velocity of the air, in the world's axes. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait|Forces", meta = (Units = "cm/s"))
	FVector Wind = FVector::ZeroVector;

	/** Multiplies the world's gravity. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait|Forces", meta = (UIMin = "0", UIMax = "2"))
	float GravityScale = 1.0f;

	/** Spheres, capsules and tapered capsules of the mesh's physics asset push strands out. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait|Collision")
	bool bCollideWithPhysicsAsset = true;

	/** Coulomb's coefficient. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait|Collision", meta = (ClampMin = "0", UIMax = "1"))
	float Friction = 0.3f;

	/** A bone that moves farther in a frame takes the hair along rigidly. 0: never. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait|Teleport",
		meta = (ClampMin = "0", UIMax = "1000", Units = "cm"))
	float TeleportDistance = 200.0f;

	/** The same for its rotation. 0: never. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait|Teleport",
		meta = (ClampMin = "0", ClampMax = "180", Units = "deg"))
	float TeleportAngle = 120.0f;

	/** Up to this distance of the camera all strands are drawn; beyond, fewer and wider ones. 0: always all. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait|Level of detail",
		meta = (ClampMin = "0", UIMax = "5000", Units = "cm"))
	float FullDetailDistance = 300.0f;

	/** The least share of the strands. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait|Level of detail",
		meta = (ClampMin = "0.001", ClampMax = "1"))
	float MinStrandFraction = 0.02f;

	/** Beyond this distance of the camera strands follow their bone rigidly. 0: never. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait|Level of detail",
		meta = (ClampMin = "0", UIMax = "20000", Units = "cm"))
	float SimulationDistance = 5000.0f;

	/** On the Vulkan RHI, with backend Vulkan: strands stay on the GPU. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Plait|Output")
	bool bShareGpuMemory = true;

	/** x, y, z and radius of vertex v in texel (v % 1024, v / 1024), centimetres, relative to GetOutputOrigin. */
	UPROPERTY(Transient, BlueprintReadOnly, Category = "Plait|Output")
	TObjectPtr<UTexture2D> PositionTexture;

	/** Starts, or starts again with the present settings. BeginPlay does so. */
	UFUNCTION(BlueprintCallable, Category = "Plait")
	bool StartHair();

	UFUNCTION(BlueprintCallable, Category = "Plait")
	void StopHair();

	UFUNCTION(BlueprintPure, Category = "Plait")
	bool IsRunning() const;

	/** Moves the running hair to another backend; strands go on from where they are. */
	UFUNCTION(BlueprintCallable, Category = "Plait")
	bool SetBackend(EPlaitBackend NewBackend);

	/** Hands Shape or Rods, and HairHairStrength, to the running hair. */
	UFUNCTION(BlueprintCallable, Category = "Plait")
	bool ApplySettings();

	/** Puts all strands into their groomed shape, without motion. */
	UFUNCTION(BlueprintCallable, Category = "Plait")
	bool ResetHair();

	/** Carries all strands along to where the bones are now, for cuts and portals. */
	UFUNCTION(BlueprintCallable, Category = "Plait")
	bool TeleportHair();

	/** Positions in the world, of the strands that are drawn. Slow where they are on the GPU. */
	UFUNCTION(BlueprintCallable, Category = "Plait")
	bool GetPositions(TArray<FVector>& OutPositions) const;

	/** The point of the world that the texture's positions are relative to. */
	UFUNCTION(BlueprintPure, Category = "Plait")
	FVector GetOutputOrigin() const;

	/** How many strands to draw: the first so many. */
	UFUNCTION(BlueprintPure, Category = "Plait")
	int32 GetDrawnStrandCount() const;

	/** Box around the strands, in the world. On a GPU it may be a few frames old. */
	UFUNCTION(BlueprintPure, Category = "Plait")
	FBox GetHairBounds() const;

	UFUNCTION(BlueprintPure, Category = "Plait")
	bool IsOutputOnGpu() const;

	virtual void BeginPlay() override;
	virtual void EndPlay(const EEndPlayReason::Type Reason) override;
	virtual void TickComponent(
		float DeltaTime, ELevelTick TickType, FActorComponentTickFunction* ThisTickFunction) override;

private:
	bool Report(int32 Result) const;
	void GatherBones(const FVector& Origin);
	void GatherColliders();
	int32 UseBone(const FName& Name);
	bool OpenHair();
	bool Place(uint32 Kind);
	double CameraDistance() const;

	/** What the hair is made of; null: it does not run. */
	TSharedPtr<FPlaitHairState> State;
};
