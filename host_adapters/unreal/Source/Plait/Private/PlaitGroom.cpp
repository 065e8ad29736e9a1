#include "PlaitGroom.h"

#include "PlaitModule.h"

#if WITH_EDITOR
#include "GroomAsset.h"
#include "HairStrandsDatas.h"

static void Append(const FHairStrandsDatas& Data, uint16 Group, FPlaitStrands& Out)
{
	const FHairStrandsCurves& Curves = Data.StrandsCurves;
	const FHairStrandsPoints& Points = Data.StrandsPoints;
	const bool bRadii = Points.PointsRadius.Num() == Points.PointsPosition.Num() && Curves.MaxRadius > 0.0f;
	for (int32 Curve = 0; Curve < Curves.CurvesCount.Num(); ++Curve)
	{
		const int32 Count = Curves.CurvesCount[Curve];
		const int32 First = static_cast<int32>(Curves.CurvesOffset[Curve]);
		if (Count < 2)
		{
			continue; // a point is no strand
		}
		Out.VertexCounts.Add(Count);
		Out.Groups.Add(Group);
		for (int32 Point = First; Point < First + Count; ++Point)
		{
			Out.Positions.Add(Points.PointsPosition[Point]);
			// Radii are shares of the largest one. Without them: a human hair's.
			Out.Radii.Add(bRadii ? Points.PointsRadius[Point] * Curves.MaxRadius : 0.004f);
		}
	}
}

bool UPlaitGroom::ImportGroom(UGroomAsset* Groom, bool bWithStrands)
{
	if (!Groom)
	{
		UE_LOG(LogPlait, Error, TEXT("%s: ImportGroom: Groom is null"), *GetName());
		return false;
	}
	FPlaitStrands NewGuides, NewStrands;
	const int32 Groups = Groom->GetNumHairGroups();
	for (int32 Group = 0; Group < Groups; ++Group)
	{
		FHairStrandsDatas StrandData, GuideData;
		if (!Groom->GetHairStrandsDatas(Group, StrandData, GuideData))
		{
			UE_LOG(LogPlait, Error, TEXT("%s: ImportGroom: group %d of %s has no strands"), *GetName(), Group,
				*Groom->GetName());
			return false;
		}
		Append(GuideData, static_cast<uint16>(Group), NewGuides);
		if (bWithStrands)
		{
			Append(StrandData, static_cast<uint16>(Group), NewStrands);
		}
	}
	Guides = MoveTemp(NewGuides);
	Strands = MoveTemp(NewStrands);
	GroupCount = FMath::Max(Groups, 1);
	MarkPackageDirty();
	return true;
}
#endif
