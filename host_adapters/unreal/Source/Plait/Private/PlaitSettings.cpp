#include "PlaitSettings.h"

void FPlaitSettings::Set(
	EPlaitSolver Solver, const FPlaitShapeSettings& From, const FPlaitRodSettings& Rods, float GravityZ)
{
	bRods = Solver == EPlaitSolver::Rods;

	Shape.compliance_root_s2 = From.ComplianceRoot;
	Shape.compliance_tip_s2 = From.ComplianceTip;
	Shape.shape_damping = From.ShapeDamping;
	Shape.drag_per_s = From.Drag;
	Shape.damping_per_s = From.Damping;
	Shape.velocity_correction = From.VelocityCorrection;
	Shape.collision_radius = From.CollisionRadius;

	Hybrid.stretch_modulus = Rods.StretchModulus;
	Hybrid.bend_modulus = Rods.BendModulus;
	Hybrid.twist_modulus = Rods.TwistModulus;
	Hybrid.density = Rods.Density;
	Hybrid.flatness = Rods.Flatness;
	Hybrid.damping_s = Rods.Damping;
	Hybrid.drag_per_s = Rods.Drag;
	Hybrid.clamp_extension = 1.0f;
	Hybrid.held_blend = 1.0f;
	Hybrid.max_root_speed = Rods.MaxRootSpeed;
	Hybrid.max_root_turn = FMath::DegreesToRadians(Rods.MaxRootTurn);
	Hybrid.collision_radius = Rods.CollisionRadius;
	Hybrid.rest_gravity[2] = Rods.bSagFree ? GravityZ : 0.0f;
}
