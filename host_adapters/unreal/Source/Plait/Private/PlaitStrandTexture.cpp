#include "PlaitStrandTexture.h"

#include "PlaitModule.h"
#include "PlaitVulkanCopy.h"

#include "Engine/Texture2D.h"
#include "IVulkanDynamicRHI.h"
#include "RenderingThread.h"
#include "TextureResource.h"

// Null where the RHI is not Vulkan's.
static IVulkanDynamicRHI* GetVulkan()
{
	return GDynamicRHI && GDynamicRHI->GetInterfaceType() == ERHIInterfaceType::Vulkan ? GetIVulkanDynamicRHI()
																					   : nullptr;
}

void FPlaitStrandTexture::RequestExtensions()
{
#if PLATFORM_WINDOWS
	static const ANSICHAR* const Extensions[] = {"VK_KHR_external_memory_win32", "VK_KHR_external_semaphore_win32"};
#else
	static const ANSICHAR* const Extensions[] = {"VK_KHR_external_memory_fd", "VK_KHR_external_semaphore_fd"};
#endif
	IVulkanDynamicRHI::AddEnabledDeviceExtensionsAndLayers(
		MakeArrayView(Extensions, 2), TArrayView<const ANSICHAR* const>());
}

void FPlaitStrandTexture::GetCard(uint8 OutUuid[16])
{
	if (const IVulkanDynamicRHI* Vulkan = GetVulkan())
	{
		FMemory::Memcpy(OutUuid, Vulkan->RHIGetVulkanDeviceUUID(), 16);
	}
}

plait_result FPlaitStrandTexture::Open(FPlaitHair& Hair, bool bAllowGpu)
{
	Close();
	Rows = static_cast<int32>((Hair.DrawnVertexCount() + PlaitTextureWidth - 1) / PlaitTextureWidth);
	Texture = UTexture2D::CreateTransient(static_cast<int32>(PlaitTextureWidth), Rows, PF_A32B32G32R32F);
	Texture->SRGB = false;
	Texture->Filter = TF_Nearest;
	Texture->UpdateResource();
	if (bAllowGpu && OpenOnGpu(Hair))
	{
		return PLAIT_OK;
	}
	return Hair.OutputToHost();
}

bool FPlaitStrandTexture::OpenOnGpu(FPlaitHair& Hair)
{
	IVulkanDynamicRHI* Vulkan = GetVulkan();
	plait_external_memory Memory = PLAIT_EXTERNAL_MEMORY_INIT;
	plait_external_semaphore Done = PLAIT_EXTERNAL_SEMAPHORE_INIT;
	plait_external_semaphore Read = PLAIT_EXTERNAL_SEMAPHORE_INIT;
	if (!Vulkan)
	{
		return false;
	}
	if (Hair.OutputToGpu(Memory, Done, Read) < 0)
	{
		PlaitCloseExternal(Done.kind, Done.handle);
		PlaitCloseExternal(Read.kind, Read.handle);
		return false;
	}
	FPlaitVulkanHost Host;
	Host.Device = Vulkan->RHIGetVkDevice();
	Host.QueueFamily = Vulkan->RHIGetGraphicsQueueFamilyIndex();
	Host.User = Vulkan;
	Host.GetProc = [](void* User, const char* Name)
	{ return static_cast<IVulkanDynamicRHI*>(User)->RHIGetVkDeviceProcAddr(Name); };
	auto NewCopy = std::make_shared<FPlaitVulkanCopy>();
	const VkResult Result = NewCopy->Open(Host, Memory, Done, Read, Hair.DrawnVertexCount(), PlaitTextureWidth);
	if (Result != VK_SUCCESS)
	{
		UE_LOG(LogPlait, Log, TEXT("Strands go by the CPU: Vulkan cannot take Plait's memory (VkResult %d)"),
			static_cast<int32>(Result));
		return false;
	}
	Copy = NewCopy;
	CopyFailed = std::make_shared<std::atomic<bool>>(false);
	return true;
}

void FPlaitStrandTexture::Close()
{
	if (Copy)
	{
		// The render thread and the thread that submits let go of the copy first.
		FlushRenderingCommands();
		if (IVulkanDynamicRHI* Vulkan = GetVulkan())
		{
			Vulkan->RHIRunOnQueue(
				EVulkanRHIRunOnQueueType::Graphics, [](VkQueue) {}, true);
		}
		Copy->Close();
	}
	Copy.reset();
	CopyFailed.reset();
	Texture = nullptr;
}

plait_result FPlaitStrandTexture::Update(FPlaitHair& Hair)
{
	if (Copy && CopyFailed->load())
	{
		UE_LOG(LogPlait, Warning, TEXT("Strands go by the CPU from now on: a copy on the GPU could not be submitted"));
		return Open(Hair, false);
	}
	if (Copy)
	{
		UpdateOnGpu(Hair);
		return PLAIT_OK;
	}
	const plait_result Result = Hair.Wait();
	if (Result >= 0)
	{
		UpdateFromHost(Hair);
	}
	return Result;
}

void FPlaitStrandTexture::UpdateOnGpu(FPlaitHair& Hair)
{
	const uint64 Value = Hair.LastDone();
	Hair.WillRead(Value);
	FTextureResource* Resource = Texture->GetResource();
	// The copy is a submission of its own, on the thread that owns the queue: before what the renderer has not yet
	// submitted, behind what it has.
	ENQUEUE_RENDER_COMMAND(PlaitCopy)
	(
		[Resource, Value, Used = Copy, Failed = CopyFailed](FRHICommandListImmediate&)
		{
			IVulkanDynamicRHI* Vulkan = GetIVulkanDynamicRHI();
			const VkImage Image = Vulkan->RHIGetVkImage(Resource->TextureRHI);
			Vulkan->RHIRunOnQueue(
				EVulkanRHIRunOnQueueType::Graphics,
				[Image, Value, Used, Failed](VkQueue Queue)
				{
					if (Used->Submit(Queue, Image, Value) != VK_SUCCESS)
					{
						Failed->store(true);
					}
				},
				false);
		});
}

void FPlaitStrandTexture::UpdateFromHost(const FPlaitHair& Hair)
{
	// The render thread reads its own copy, which goes when it is done.
	const uint32 Pitch = PlaitTextureWidth * 4 * sizeof(float);
	const SIZE_T Bytes = static_cast<SIZE_T>(Rows) * Pitch;
	uint8* Pixels = static_cast<uint8*>(FMemory::Malloc(Bytes));
	FMemory::Memcpy(Pixels, Hair.HostPositions(), Bytes);
	FUpdateTextureRegion2D* Region =
		new FUpdateTextureRegion2D(0, 0, 0, 0, PlaitTextureWidth, static_cast<uint32>(Rows));
	Texture->UpdateTextureRegions(0, 1, Region, Pitch, 4 * sizeof(float), Pixels,
		[](uint8* Data, const FUpdateTextureRegion2D* Regions)
		{
			FMemory::Free(Data);
			delete Regions;
		});
}
