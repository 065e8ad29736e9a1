// The editor's parameters as those of Plait.
#pragma once

#include "PlaitTypes.h"

#include "plait.h"

class FPlaitSettings
{
public:
	/** GravityZ: for sag-free rods, cm/s^2. */
	void Set(EPlaitSolver Solver, const FPlaitShapeSettings& From, const FPlaitRodSettings& Rods, float GravityZ);

	/** The struct of the solver that was set. */
	const void* Get() const { return bRods ? static_cast<const void*>(&Hybrid) : &Shape; }

private:
	bool bRods = false;
	plait_shape_params Shape = PLAIT_SHAPE_PARAMS_INIT;
	plait_hybrid_params Hybrid = PLAIT_HYBRID_PARAMS_INIT;
};
