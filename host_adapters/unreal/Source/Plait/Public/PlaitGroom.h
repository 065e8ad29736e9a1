// Strands as the simulation takes them: an asset made from a Groom asset in the editor, and cooked with the game.
#pragma once

#include "CoreMinimal.h"
#include "Engine/DataAsset.h"

#include "PlaitGroom.generated.h"

class UGroomAsset;

/** Strands one after the other, root first, in the space of the skeletal mesh in its reference pose. */
USTRUCT(BlueprintType)
struct PLAIT_API FPlaitStrands
{
	GENERATED_BODY()

	UPROPERTY()
	TArray<int32> VertexCounts;

	UPROPERTY()
	TArray<FVector3f> Positions;

	/** Centimetres, a value for each vertex; empty: those of human hair. */
	UPROPERTY()
	TArray<float> Radii;

	/** The group of each strand. */
	UPROPERTY()
	TArray<uint16> Groups;
};

UCLASS(BlueprintType)
class PLAIT_API UPlaitGroom : public UDataAsset
{
	GENERATED_BODY()

public:
	/** Simulated. */
	UPROPERTY()
	FPlaitStrands Guides;

	/** Drawn; they follow the guides. Empty: the guides are drawn. */
	UPROPERTY()
	FPlaitStrands Strands;

	UPROPERTY(VisibleAnywhere, Category = "Plait")
	int32 GroupCount = 1;

#if WITH_EDITOR
	/** Takes over guides, and with them all strands if bWithStrands, of every group of a Groom asset. */
	UFUNCTION(BlueprintCallable, Category = "Plait")
	bool ImportGroom(UGroomAsset* Groom, bool bWithStrands = true);
#endif
};
