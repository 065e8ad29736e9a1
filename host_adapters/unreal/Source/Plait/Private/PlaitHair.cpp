#include "PlaitHair.h"

#include <algorithm>

const char* PlaitResultName(plait_result Result)
{
	switch (Result)
	{
#define PLAIT_NAME_CASE(Name)                                                                                          \
	case Name:                                                                                                         \
		return #Name;
		PLAIT_NAME_CASE(PLAIT_OK)
		PLAIT_NAME_CASE(PLAIT_INCOMPLETE)
		PLAIT_NAME_CASE(PLAIT_ERROR_INVALID_ARGUMENT)
		PLAIT_NAME_CASE(PLAIT_ERROR_INVALID_STRUCT)
		PLAIT_NAME_CASE(PLAIT_ERROR_UNKNOWN_EXTENSION)
		PLAIT_NAME_CASE(PLAIT_ERROR_INVALID_HANDLE)
		PLAIT_NAME_CASE(PLAIT_ERROR_FOREIGN_HANDLE)
		PLAIT_NAME_CASE(PLAIT_ERROR_BUSY)
		PLAIT_NAME_CASE(PLAIT_ERROR_OUT_OF_MEMORY)
		PLAIT_NAME_CASE(PLAIT_ERROR_TOO_LARGE)
		PLAIT_NAME_CASE(PLAIT_ERROR_UNAVAILABLE)
		PLAIT_NAME_CASE(PLAIT_ERROR_UNSUPPORTED)
		PLAIT_NAME_CASE(PLAIT_ERROR_INVALID_GROOM)
		PLAIT_NAME_CASE(PLAIT_ERROR_INVALID_STATE)
		PLAIT_NAME_CASE(PLAIT_ERROR_BUFFER_TOO_SMALL)
		PLAIT_NAME_CASE(PLAIT_ERROR_LIMIT)
		PLAIT_NAME_CASE(PLAIT_ERROR_TIMEOUT)
		PLAIT_NAME_CASE(PLAIT_ERROR_SYSTEM)
		PLAIT_NAME_CASE(PLAIT_ERROR_DEVICE_LOST)
		PLAIT_NAME_CASE(PLAIT_ERROR_OTHER_DEVICE)
#undef PLAIT_NAME_CASE
	default:
		return "unknown result";
	}
}

void PlaitMatrix(const double Rows[4][4], const double Origin[3], float Out[12])
{
	for (int Row = 0; Row < 3; Row++)
	{
		for (int Column = 0; Column < 3; Column++)
		{
			Out[4 * Row + Column] = static_cast<float>(Rows[Column][Row]);
		}
		Out[4 * Row + 3] = static_cast<float>(Rows[3][Row] - Origin[Row]);
	}
}

plait_collider PlaitCapsule(uint32_t Bone, const double Center[3], const double Axis[3], double Length, double Radius0,
	double Radius1, float Friction)
{
	plait_collider Collider = PLAIT_COLLIDER_INIT;
	Collider.kind = PLAIT_COLLIDER_CAPSULE;
	Collider.bone = Bone;
	for (int i = 0; i < 3; i++)
	{
		Collider.points[0][i] = static_cast<float>(Center[i] + Axis[i] * Length / 2);
		Collider.points[1][i] = static_cast<float>(Center[i] - Axis[i] * Length / 2);
	}
	Collider.radii[0] = static_cast<float>(Radius0);
	Collider.radii[1] = static_cast<float>(Radius1);
	Collider.friction = Friction;
	return Collider;
}

plait_collider PlaitSphere(uint32_t Bone, const double Center[3], double Radius, float Friction)
{
	plait_collider Collider = PLAIT_COLLIDER_INIT;
	Collider.kind = PLAIT_COLLIDER_SPHERE;
	Collider.bone = Bone;
	for (int i = 0; i < 3; i++)
	{
		Collider.points[0][i] = static_cast<float>(Center[i]);
	}
	Collider.radii[0] = static_cast<float>(Radius);
	Collider.friction = Friction;
	return Collider;
}

float PlaitStrandFraction(double Distance, double FullDetailDistance, float MinFraction)
{
	if (FullDetailDistance <= 0 || Distance <= FullDetailDistance)
	{
		return 1.0f;
	}
	return std::max(static_cast<float>(FullDetailDistance / Distance), std::max(MinFraction, 0.001f));
}

plait_result FPlaitHair::Check(plait_result Result, const char* Call) const
{
	if (Result < 0)
	{
		FailedCall = Call;
	}
	return Result;
}

plait_result FPlaitHair::Open(
	const plait_api& InApi, plait_context InContext, plait_device InDevice, const FPlaitHairSetup& Setup)
{
	Close();
	Api = &InApi;
	Context = InContext;
	plait_result Result = MakeGroom(Setup, Setup.Guides, GuideGroom);
	if (Result >= 0)
	{
		Result = MakeBody(Setup);
	}
	if (Result >= 0)
	{
		Result = MakeHair(Setup, InDevice);
	}
	if (Result >= 0 && Setup.Strands.StrandCount > 0)
	{
		Result = MakeBinding(Setup);
	}
	if (Result < 0)
	{
		Close();
	}
	return Result;
}

plait_result FPlaitHair::MakeGroom(const FPlaitHairSetup& Setup, const FPlaitStrandView& View, plait_groom& Groom)
{
	const std::vector<uint32_t> Counts(View.VertexCounts, View.VertexCounts + View.StrandCount);
	plait_groom_desc Desc = PLAIT_GROOM_DESC_INIT;
	Desc.strand_count = View.StrandCount;
	Desc.bone_count = Setup.BoneCount;
	Desc.vertex_counts = Counts.data();
	Desc.positions = View.Positions;
	Desc.radii = View.Radii;
	Desc.bind_pose = Setup.BindPose;
	Desc.group_indices = View.Groups;
	Desc.group_count = View.GroupCount;
	return Check(Api->plait_groom_create(Context, &Desc, &Groom), "plait_groom_create");
}

plait_result FPlaitHair::MakeBody(const FPlaitHairSetup& Setup)
{
	if (!Setup.Colliders || Setup.Colliders->empty())
	{
		return PLAIT_OK;
	}
	plait_body_desc Desc = PLAIT_BODY_DESC_INIT;
	Desc.bone_count = Setup.BoneCount;
	Desc.collider_count = static_cast<uint32_t>(Setup.Colliders->size());
	Desc.colliders = Setup.Colliders->data();
	return Check(Api->plait_body_create(Context, &Desc, &Body), "plait_body_create");
}

plait_result FPlaitHair::MakeHair(const FPlaitHairSetup& Setup, plait_device InDevice)
{
	plait_hair_desc Desc = PLAIT_HAIR_DESC_INIT;
	Desc.groom = GuideGroom;
	Desc.device = InDevice;
	Desc.body = Body;
	Desc.solver = Setup.Solver;
	Desc.params_count = Setup.Params ? 1 : 0;
	Desc.params = Setup.Params;
	Desc.bones = Setup.Bones;
	Desc.meters_per_unit = PlaitMetersPerUnit;
	Desc.step_rate_hz = Setup.StepRate;
	Desc.substeps = Setup.Substeps;
	Desc.teleport_distance = Setup.TeleportDistance;
	Desc.teleport_angle = Setup.TeleportAngle;
	const plait_result Result = Check(Api->plait_hair_create(Context, &Desc, &Hair), "plait_hair_create");
	if (Result >= 0)
	{
		Device = InDevice;
		Bones = Setup.BoneCount;
		DrawnVertices = Setup.Guides.VertexCount;
	}
	return Result;
}

plait_result FPlaitHair::MakeBinding(const FPlaitHairSetup& Setup)
{
	plait_result Result = MakeGroom(Setup, Setup.Strands, StrandGroom);
	if (Result < 0)
	{
		return Result;
	}
	plait_binding_desc Desc = PLAIT_BINDING_DESC_INIT;
	Desc.guides = GuideGroom;
	Desc.render = StrandGroom;
	Desc.flags = PLAIT_BINDING_BY_GROUP;
	Result = Check(Api->plait_binding_create(Context, &Desc, &Binding), "plait_binding_create");
	if (Result >= 0)
	{
		Result = Check(Api->plait_hair_set_binding(Hair, Binding), "plait_hair_set_binding");
	}
	if (Result >= 0)
	{
		DrawnVertices = Setup.Strands.VertexCount;
	}
	return Result;
}

// The rest of an object that failed to open is released the same way as a whole one.
void FPlaitHair::Close()
{
	if (!Api)
	{
		return;
	}
	if (Hair.id)
	{
		EndOutput();
		Api->plait_hair_destroy(Hair);
	}
	if (Binding.id)
	{
		Api->plait_binding_destroy(Binding);
	}
	if (Body.id)
	{
		Api->plait_body_destroy(Body);
	}
	if (StrandGroom.id)
	{
		Api->plait_groom_destroy(StrandGroom);
	}
	if (GuideGroom.id)
	{
		Api->plait_groom_destroy(GuideGroom);
	}
	Hair.id = Binding.id = Body.id = StrandGroom.id = GuideGroom.id = Device.id = 0;
	Bones = DrawnVertices = 0;
	Fraction = 1.0f;
	HostMemory.clear();
	Api = nullptr;
}

plait_result FPlaitHair::Step(const FPlaitFrame& Frame)
{
	if (Binding.id && Frame.StrandFraction != Fraction)
	{
		plait_render_params Params = PLAIT_RENDER_PARAMS_INIT;
		Api->plait_render_params_default(&Params);
		Params.strand_fraction = Frame.StrandFraction;
		const plait_result Result =
			Check(Api->plait_hair_set_render_params(Hair, &Params), "plait_hair_set_render_params");
		if (Result < 0)
		{
			return Result;
		}
		Fraction = Frame.StrandFraction;
	}
	plait_frame_desc Desc = PLAIT_FRAME_DESC_INIT;
	plait_frame_sync_desc Sync = PLAIT_FRAME_SYNC_DESC_INIT;
	Desc.dt = Frame.DeltaTime;
	Desc.bone_count = Bones;
	Desc.bones = Frame.Bones;
	for (int i = 0; i < 3; i++)
	{
		Desc.gravity[i] = Frame.Gravity[i];
		Desc.wind[i] = Frame.Wind[i];
		Desc.origin[i] = Frame.Origin[i];
	}
	if (IsOutputOnGpu())
	{
		Sync.wait_semaphore = ReadSemaphore;
		Sync.wait_value = ReadValue;
		Sync.signal_semaphore = DoneSemaphore;
		Sync.signal_value = ++DoneValue;
		Desc.head.next = &Sync;
	}
	return Check(Api->plait_hair_step(Hair, &Desc), "plait_hair_step");
}

plait_result FPlaitHair::SetParams(const void* Params)
{
	return Check(Api->plait_hair_set_params(Hair, Params ? 1 : 0, Params), "plait_hair_set_params");
}

plait_result FPlaitHair::SetVolume(float Strength)
{
	plait_volume_params Params = PLAIT_VOLUME_PARAMS_INIT;
	Api->plait_volume_params_default(PlaitMetersPerUnit, &Params);
	Params.strength = Strength;
	return Check(Api->plait_hair_set_volume(Hair, Strength > 0 ? &Params : nullptr), "plait_hair_set_volume");
}

plait_result FPlaitHair::SetDevice(plait_device InDevice)
{
	EndOutput();
	const plait_result Result = Check(Api->plait_hair_set_device(Hair, InDevice), "plait_hair_set_device");
	if (Result >= 0)
	{
		Device = InDevice;
	}
	return Result;
}

plait_result FPlaitHair::Place(uint32_t Kind, const float* InBones)
{
	plait_place_desc Desc = PLAIT_PLACE_DESC_INIT;
	Desc.kind = Kind;
	Desc.bone_count = Bones;
	Desc.bones = InBones;
	return Check(Api->plait_hair_place(Hair, &Desc), "plait_hair_place");
}

uint32_t FPlaitHair::DrawnStrandCount() const
{
	plait_hair_info Info = PLAIT_HAIR_INFO_INIT;
	if (Check(Api->plait_hair_query(Hair, &Info), "plait_hair_query") < 0)
	{
		return 0;
	}
	return Binding.id ? Info.render_strand_count : Info.strand_count;
}

plait_result FPlaitHair::Bounds(float Min[3], float Max[3]) const
{
	plait_hair_info Info = PLAIT_HAIR_INFO_INIT;
	const plait_result Result = Check(Api->plait_hair_query(Hair, &Info), "plait_hair_query");
	if (Result >= 0)
	{
		std::copy_n(Binding.id ? Info.render_bounds_min : Info.bounds_min, 3, Min);
		std::copy_n(Binding.id ? Info.render_bounds_max : Info.bounds_max, 3, Max);
	}
	return Result;
}
