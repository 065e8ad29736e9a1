// Where the strands of a FPlaitHair are written to.
#include "PlaitHair.h"

static plait_output_attribute PositionAttribute()
{
	plait_output_attribute Attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
	Attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
	Attribute.format = PLAIT_FORMAT_FLOAT32X4;
	Attribute.stride = 4 * sizeof(float);
	return Attribute;
}

plait_result FPlaitHair::SetOutput(const plait_output_desc* Output)
{
	return Binding.id ? Check(Api->plait_hair_set_render_output(Hair, Output), "plait_hair_set_render_output")
					  : Check(Api->plait_hair_set_output(Hair, Output), "plait_hair_set_output");
}

void FPlaitHair::EndOutput()
{
	// Frames that wait for a reader that is gone go on when the semaphore goes.
	if (ReadSemaphore.id)
	{
		Api->plait_semaphore_destroy(ReadSemaphore);
	}
	SetOutput(nullptr);
	if (DoneSemaphore.id)
	{
		Api->plait_semaphore_destroy(DoneSemaphore);
	}
	ReadSemaphore.id = DoneSemaphore.id = 0;
	ReadValue = DoneValue = 0;
	HostOutput = false;
}

plait_result FPlaitHair::OutputToHost()
{
	EndOutput();
	const size_t Rows = (static_cast<size_t>(DrawnVertices) + PlaitTextureWidth - 1) / PlaitTextureWidth;
	HostMemory.assign(4 * Rows * PlaitTextureWidth, 0.0f);
	const plait_output_attribute Attribute = PositionAttribute();
	plait_output_desc Output = PLAIT_OUTPUT_DESC_INIT;
	Output.attribute_count = 1;
	Output.attributes = &Attribute;
	Output.memory = HostMemory.data();
	Output.size = HostMemory.size() * sizeof(float);
	const plait_result Result = SetOutput(&Output);
	HostOutput = Result >= 0;
	return Result;
}

plait_result FPlaitHair::Wait() const
{
	return Check(Api->plait_hair_wait(Hair, UINT64_MAX), "plait_hair_wait");
}

plait_result FPlaitHair::OutputToGpu(
	plait_external_memory& Memory, plait_external_semaphore& Done, plait_external_semaphore& Read)
{
#ifdef _WIN32
	const uint32_t Kind = PLAIT_EXTERNAL_OPAQUE_WIN32;
	const uint32_t Needed = PLAIT_INTEROP_MEMORY_WIN32 | PLAIT_INTEROP_SEMAPHORE_WIN32;
#else
	const uint32_t Kind = PLAIT_EXTERNAL_OPAQUE_FD;
	const uint32_t Needed = PLAIT_INTEROP_MEMORY_FD | PLAIT_INTEROP_SEMAPHORE_FD;
#endif
	EndOutput();
	plait_device_info Info = PLAIT_DEVICE_INFO_INIT;
	plait_result Result = Check(Api->plait_device_query(Device, &Info), "plait_device_query");
	if (Result >= 0 && (Info.interop & Needed) != Needed)
	{
		Result = Check(PLAIT_ERROR_UNSUPPORTED, "plait_device_info.interop");
	}
	if (Result < 0)
	{
		return Result;
	}
	const plait_output_attribute Attribute = PositionAttribute();
	plait_output_export_desc Export = PLAIT_OUTPUT_EXPORT_DESC_INIT;
	Export.kind = Kind;
	plait_output_desc Output = PLAIT_OUTPUT_DESC_INIT;
	Output.head.next = &Export;
	Output.attribute_count = 1;
	Output.attributes = &Attribute;
	Output.size = static_cast<uint64_t>(DrawnVertices) * Attribute.stride;
	Result = SetOutput(&Output);
	if (Result >= 0)
	{
		Result = Check(Api->plait_semaphore_create(Device, nullptr, &DoneSemaphore), "plait_semaphore_create");
	}
	if (Result >= 0)
	{
		Result = Check(Api->plait_semaphore_create(Device, nullptr, &ReadSemaphore), "plait_semaphore_create");
	}
	if (Result >= 0)
	{
		Result = Check(Api->plait_semaphore_export(DoneSemaphore, Kind, &Done), "plait_semaphore_export");
	}
	if (Result >= 0)
	{
		Result = Check(Api->plait_semaphore_export(ReadSemaphore, Kind, &Read), "plait_semaphore_export");
	}
	if (Result >= 0)
	{
		Result = Check(Binding.id ? Api->plait_hair_export_render_output(Hair, &Memory)
								  : Api->plait_hair_export_output(Hair, &Memory),
			"plait_hair_export_output");
	}
	if (Result < 0)
	{
		EndOutput(); // handles that were exported before are the caller's, as in plait.h
	}
	return Result;
}

plait_result FPlaitHair::Read(std::vector<float>& Positions) const
{
	if (HostOutput)
	{
		const plait_result Result = Wait();
		if (Result >= 0)
		{
			Positions.assign(HostMemory.begin(), HostMemory.begin() + 4 * static_cast<size_t>(DrawnVertices));
		}
		return Result;
	}
	if (Binding.id)
	{
		return Check(PLAIT_ERROR_UNSUPPORTED, "reading strands that are on the GPU");
	}
	Positions.resize(4 * static_cast<size_t>(DrawnVertices));
	const plait_output_attribute Attribute = PositionAttribute();
	plait_output_desc Output = PLAIT_OUTPUT_DESC_INIT;
	Output.attribute_count = 1;
	Output.attributes = &Attribute;
	Output.memory = Positions.data();
	Output.size = Positions.size() * sizeof(float);
	return Check(Api->plait_hair_read(Hair, &Output), "plait_hair_read");
}
