// Choices and parameters as the editor shows them. Lengths are centimetres.
#pragma once

#include "CoreMinimal.h"

#include "PlaitTypes.generated.h"

UENUM(BlueprintType)
enum class EPlaitSolver : uint8
{
	/** Keeps the groomed shape and all lengths in one pass from root to tip. Cheap: for crowds. */
	Shape,
	/** Elastic rods that stretch, bend and twist according to their material. For main characters. */
	Rods
};

UENUM(BlueprintType)
enum class EPlaitBackend : uint8
{
	/** The first of CUDA, Vulkan and CPU that has a device. */
	Best,
	Cpu UMETA(DisplayName = "CPU"),
	Vulkan,
	Cuda UMETA(DisplayName = "CUDA")
};

/** Parameters of the solver Shape. */
USTRUCT(BlueprintType)
struct PLAIT_API FPlaitShapeSettings
{
	GENERATED_BODY()

	/** Softness of the rest shape at the root, s^2: 0 rigid, 0.001 stiff, 0.1 limp. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "0.2"))
	float ComplianceRoot = 0.01f;

	/** The same at the tip; linear in between. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "0.2"))
	float ComplianceTip = 0.02f;

	/** Damping of bending, in units of the square root of the compliance. Below 0.1 soft curls may tremble. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "2"))
	float ShapeDamping = 0.3f;

	/** Rate at which velocity approaches the wind's, per second. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "20"))
	float Drag = 2.0f;

	/** Rate at which velocity approaches the root's, per second. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "20"))
	float Damping = 2.0f;

	/** How much of its child's pull a vertex feels. 1: least damping. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", ClampMax = "1"))
	float VelocityCorrection = 0.9f;

	/** Clearance added to the strand's radius at colliders. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "2", Units = "cm"))
	float CollisionRadius = 0.0f;
};

/** Parameters of the solver Rods. Moduli are in pascals. */
USTRUCT(BlueprintType)
struct PLAIT_API FPlaitRodSettings
{
	GENERATED_BODY()

	/** Resistance to stretching, Pa. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", ClampMax = "1e12"))
	float StretchModulus = 1.6e7f;

	/** Resistance to bending, Pa. Real hair has about 3e9. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", ClampMax = "1e12"))
	float BendModulus = 1.5e10f;

	/** Resistance to twisting (shear modulus), Pa. Real hair has about 1e9. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", ClampMax = "1e12"))
	float TwistModulus = 7.7e9f;

	/** kg/m^3. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "1", ClampMax = "1e5"))
	float Density = 1300.0f;

	/** 0: round strands; else the short axis of the section is this share shorter than the long one. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", ClampMax = "0.95"))
	float Flatness = 0.0f;

	/** Strain-rate damping: stress grows by modulus times strain rate times this time. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "0.1", Units = "s"))
	float Damping = 0.002f;

	/** Rate at which velocity approaches the wind's, per second. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "20"))
	float Drag = 3.0f;

	/** What a root moves beyond this, its strand moves along rigidly. 0: no limit. */
	UPROPERTY(
		EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "5000", Units = "cm/s"))
	float MaxRootSpeed = 1000.0f;

	/** The same for its rotation, degrees per second. 0: no limit. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "3600"))
	float MaxRootTurn = 1718.873f;

	/** Clearance added to the strand's radius at colliders. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait", meta = (ClampMin = "0", UIMax = "2", Units = "cm"))
	float CollisionRadius = 0.0f;

	/** The groom as drawn is in equilibrium under gravity; else it sags below it. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Plait")
	bool bSagFree = true;
};
