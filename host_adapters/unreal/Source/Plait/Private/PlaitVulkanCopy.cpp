#include "PlaitVulkanCopy.h"

#ifdef _WIN32
extern "C" __declspec(dllimport) int __stdcall CloseHandle(void* Handle);
#else
#include <unistd.h>
#endif

namespace
{
// Win32's structs and functions as Vulkan defines them, without windows.h, and so with names of our own.
struct FImportMemoryWin32
{
	VkStructureType sType;
	const void* pNext;
	VkExternalMemoryHandleTypeFlagBits handleType;
	void* handle;
	const wchar_t* name;
};
struct FImportSemaphoreWin32
{
	VkStructureType sType;
	const void* pNext;
	VkSemaphore semaphore;
	VkSemaphoreImportFlags flags;
	VkExternalSemaphoreHandleTypeFlagBits handleType;
	void* handle;
	const wchar_t* name;
};
constexpr uint64_t LongestWait = 1000000000; // ns

typedef VkResult(VKAPI_PTR* FImportSemaphoreWin32Function)(VkDevice, const FImportSemaphoreWin32*);
} // namespace

void PlaitCloseExternal(uint32_t Kind, int64_t Handle)
{
#ifdef _WIN32
	if (Kind == PLAIT_EXTERNAL_OPAQUE_WIN32 && Handle > 0)
	{
		CloseHandle(reinterpret_cast<void*>(Handle));
	}
#else
	if (Kind == PLAIT_EXTERNAL_OPAQUE_FD && Handle >= 0)
	{
		close(static_cast<int>(Handle));
	}
#endif
}

VkResult FPlaitVulkanCopy::Open(const FPlaitVulkanHost& InHost, const plait_external_memory& Memory,
	const plait_external_semaphore& Done, const plait_external_semaphore& Read, uint32_t VertexCount, uint32_t Width)
{
	Close();
	Host = InHost;
	Offset = Memory.offset;
	Vertices = VertexCount;
	RowWidth = Width;
	VkResult Result = VK_SUCCESS;
#define PLAIT_VULKAN_LOAD(Name)                                                                                        \
	Name = reinterpret_cast<PFN_##Name>(Host.GetProc(Host.User, #Name));                                               \
	Result = Name ? Result : VK_ERROR_EXTENSION_NOT_PRESENT;
	PLAIT_FOR_EACH_VULKAN_CALL(PLAIT_VULKAN_LOAD)
#undef PLAIT_VULKAN_LOAD
	if (Result != VK_SUCCESS)
	{
		PlaitCloseExternal(Memory.kind, Memory.handle);
		PlaitCloseExternal(Done.kind, Done.handle);
		PlaitCloseExternal(Read.kind, Read.handle);
		Host = FPlaitVulkanHost();
		return Result;
	}
	// Each import takes over its handle, so all three are made.
	const VkResult Results[] = {ImportMemory(Memory), ImportSemaphore(Done, DoneSemaphore),
		ImportSemaphore(Read, ReadSemaphore), MakeCommands()};
	for (const VkResult Each : Results)
	{
		Result = Result == VK_SUCCESS ? Each : Result;
	}
	if (Result != VK_SUCCESS)
	{
		Close();
	}
	return Result;
}

VkResult FPlaitVulkanCopy::ImportMemory(const plait_external_memory& Memory)
{
	const bool bWin32 = Memory.kind == PLAIT_EXTERNAL_OPAQUE_WIN32;
	const auto Type =
		bWin32 ? VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT : VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
	const uint64_t Bytes = static_cast<uint64_t>(Vertices) * 16;
	VkExternalMemoryBufferCreateInfo External = {};
	External.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
	External.handleTypes = Type;
	VkBufferCreateInfo Info = {};
	Info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
	Info.pNext = &External;
	Info.size = Memory.dedicated ? Bytes : Memory.offset + Bytes; // a dedicated buffer is as Plait has made it
	Info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
	if (Memory.dedicated)
	{
		Info.usage = Memory.usage;
	}
	VkResult Result = vkCreateBuffer(Host.Device, &Info, nullptr, &Buffer);
	if (Result == VK_SUCCESS)
	{
		VkImportMemoryFdInfoKHR Fd = {};
		Fd.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
		Fd.handleType = Type;
		Fd.fd = static_cast<int>(Memory.handle);
		FImportMemoryWin32 Win32 = {};
		Win32.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_WIN32_HANDLE_INFO_KHR;
		Win32.handleType = Type;
		Win32.handle = reinterpret_cast<void*>(Memory.handle);
		VkMemoryDedicatedAllocateInfo Dedicated = {};
		Dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
		Dedicated.pNext = bWin32 ? static_cast<const void*>(&Win32) : &Fd;
		Dedicated.buffer = Buffer;
		VkMemoryAllocateInfo Allocate = {};
		Allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
		Allocate.pNext = Memory.dedicated ? static_cast<const void*>(&Dedicated) : Dedicated.pNext;
		Allocate.allocationSize = Memory.allocation_size;
		Allocate.memoryTypeIndex = Memory.memory_type;
		Result = vkAllocateMemory(Host.Device, &Allocate, nullptr, &DeviceMemory);
	}
	if (bWin32 || Result != VK_SUCCESS) // a file descriptor belongs to Vulkan once it is imported, a HANDLE does not
	{
		PlaitCloseExternal(Memory.kind, Memory.handle);
	}
	return Result == VK_SUCCESS ? vkBindBufferMemory(Host.Device, Buffer, DeviceMemory, 0) : Result;
}

VkResult FPlaitVulkanCopy::ImportSemaphore(const plait_external_semaphore& External, VkSemaphore& Semaphore)
{
	VkSemaphoreTypeCreateInfo Timeline = {};
	Timeline.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
	Timeline.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
	VkSemaphoreCreateInfo Info = {};
	Info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
	Info.pNext = &Timeline;
	const bool bWin32 = External.kind == PLAIT_EXTERNAL_OPAQUE_WIN32;
	VkResult Result = vkCreateSemaphore(Host.Device, &Info, nullptr, &Semaphore);
	if (Result == VK_SUCCESS && bWin32)
	{
		const auto Import =
			reinterpret_cast<FImportSemaphoreWin32Function>(Host.GetProc(Host.User, "vkImportSemaphoreWin32HandleKHR"));
		FImportSemaphoreWin32 Win32 = {};
		Win32.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_WIN32_HANDLE_INFO_KHR;
		Win32.semaphore = Semaphore;
		Win32.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT;
		Win32.handle = reinterpret_cast<void*>(External.handle);
		Result = Import ? Import(Host.Device, &Win32) : VK_ERROR_EXTENSION_NOT_PRESENT;
	}
	else if (Result == VK_SUCCESS)
	{
		const auto Import =
			reinterpret_cast<PFN_vkImportSemaphoreFdKHR>(Host.GetProc(Host.User, "vkImportSemaphoreFdKHR"));
		VkImportSemaphoreFdInfoKHR Fd = {};
		Fd.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR;
		Fd.semaphore = Semaphore;
		Fd.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
		Fd.fd = static_cast<int>(External.handle);
		Result = Import ? Import(Host.Device, &Fd) : VK_ERROR_EXTENSION_NOT_PRESENT;
	}
	if (bWin32 || Result != VK_SUCCESS)
	{
		PlaitCloseExternal(External.kind, External.handle);
	}
	return Result;
}

VkResult FPlaitVulkanCopy::MakeCommands()
{
	VkCommandPoolCreateInfo Info = {};
	Info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
	Info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
	Info.queueFamilyIndex = Host.QueueFamily;
	VkResult Result = vkCreateCommandPool(Host.Device, &Info, nullptr, &Pool);
	if (Result == VK_SUCCESS)
	{
		VkCommandBufferAllocateInfo Allocate = {};
		Allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
		Allocate.commandPool = Pool;
		Allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
		Allocate.commandBufferCount = RingSize;
		Result = vkAllocateCommandBuffers(Host.Device, &Allocate, Ring);
	}
	VkFenceCreateInfo FenceInfo = {};
	FenceInfo.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
	FenceInfo.flags = VK_FENCE_CREATE_SIGNALED_BIT;
	for (uint32_t i = 0; i < RingSize && Result == VK_SUCCESS; i++)
	{
		Result = vkCreateFence(Host.Device, &FenceInfo, nullptr, &Fences[i]);
	}
	return Result;
}

static VkImageMemoryBarrier LayoutBarrier(VkImage Image, VkImageLayout From, VkImageLayout To)
{
	VkImageMemoryBarrier Barrier = {};
	Barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
	Barrier.oldLayout = From;
	Barrier.newLayout = To;
	Barrier.srcQueueFamilyIndex = Barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
	Barrier.image = Image;
	Barrier.subresourceRange.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
	Barrier.subresourceRange.levelCount = Barrier.subresourceRange.layerCount = 1;
	return Barrier;
}

void FPlaitVulkanCopy::Record(VkCommandBuffer Commands, VkImage Image) const
{
	// Commands before, on this queue, may still read the image; what is in it may be lost.
	VkImageMemoryBarrier Barrier =
		LayoutBarrier(Image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	Barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
	vkCmdPipelineBarrier(Commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
		nullptr, 1, &Barrier);

	// Whole rows, then what is left.
	VkBufferImageCopy Regions[2] = {};
	uint32_t Count = 0;
	const uint32_t Rows = Vertices / RowWidth, Rest = Vertices % RowWidth;
	for (uint32_t i = 0; i < 2; i++)
	{
		if (i == 0 ? Rows == 0 : Rest == 0)
		{
			continue;
		}
		VkBufferImageCopy& Region = Regions[Count++];
		Region.bufferOffset = Offset + (i == 0 ? 0 : static_cast<uint64_t>(Rows) * RowWidth * 16);
		Region.imageSubresource.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
		Region.imageSubresource.layerCount = 1;
		Region.imageOffset.y = i == 0 ? 0 : static_cast<int32_t>(Rows);
		Region.imageExtent = {i == 0 ? RowWidth : Rest, i == 0 ? Rows : 1, 1};
	}
	vkCmdCopyBufferToImage(Commands, Buffer, Image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, Count, Regions);

	Barrier = LayoutBarrier(Image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
	Barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
	Barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
	vkCmdPipelineBarrier(Commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
		nullptr, 1, &Barrier);
}

VkResult FPlaitVulkanCopy::Submit(VkQueue Queue, VkImage Image, uint64_t DoneValue)
{
	const VkResult Result = TrySubmit(Queue, Image, DoneValue);
	if (Result != VK_SUCCESS)
	{
		VkSemaphoreSignalInfo Signal = {};
		Signal.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
		Signal.semaphore = ReadSemaphore;
		Signal.value = DoneValue;
		vkSignalSemaphore(Host.Device, &Signal);
	}
	return Result;
}

VkResult FPlaitVulkanCopy::TrySubmit(VkQueue Queue, VkImage Image, uint64_t DoneValue)
{
	const uint32_t Slot = Next;
	VkResult Result = vkWaitForFences(Host.Device, 1, &Fences[Slot], VK_TRUE, LongestWait);
	if (Result != VK_SUCCESS)
	{
		return Result;
	}
	VkCommandBufferBeginInfo Begin = {};
	Begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
	Begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
	Result = vkBeginCommandBuffer(Ring[Slot], &Begin);
	if (Result == VK_SUCCESS)
	{
		Record(Ring[Slot], Image);
		Result = vkEndCommandBuffer(Ring[Slot]);
	}
	if (Result == VK_SUCCESS)
	{
		Result = vkResetFences(Host.Device, 1, &Fences[Slot]);
	}
	if (Result != VK_SUCCESS)
	{
		return Result;
	}
	VkTimelineSemaphoreSubmitInfo Values = {};
	Values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
	Values.waitSemaphoreValueCount = Values.signalSemaphoreValueCount = 1;
	Values.pWaitSemaphoreValues = Values.pSignalSemaphoreValues = &DoneValue;
	const VkPipelineStageFlags Stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	VkSubmitInfo Submit = {};
	Submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
	Submit.pNext = &Values;
	Submit.waitSemaphoreCount = Submit.signalSemaphoreCount = Submit.commandBufferCount = 1;
	Submit.pWaitSemaphores = &DoneSemaphore;
	Submit.pWaitDstStageMask = &Stage;
	Submit.pCommandBuffers = &Ring[Slot];
	Submit.pSignalSemaphores = &ReadSemaphore;
	Result = vkQueueSubmit(Queue, 1, &Submit, Fences[Slot]);
	if (Result == VK_SUCCESS)
	{
		Next = (Next + 1) % RingSize;
		return VK_SUCCESS;
	}
	// Nothing will signal this fence any more: the slot gets a new one.
	vkDestroyFence(Host.Device, Fences[Slot], nullptr);
	Fences[Slot] = VK_NULL_HANDLE;
	VkFenceCreateInfo Info = {};
	Info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
	Info.flags = VK_FENCE_CREATE_SIGNALED_BIT;
	vkCreateFence(Host.Device, &Info, nullptr, &Fences[Slot]);
	return Result;
}

void FPlaitVulkanCopy::Close()
{
	if (!Host.Device)
	{
		return;
	}
	for (VkFence& Fence : Fences)
	{
		if (Fence)
		{
			vkWaitForFences(Host.Device, 1, &Fence, VK_TRUE, LongestWait);
			vkDestroyFence(Host.Device, Fence, nullptr);
		}
		Fence = VK_NULL_HANDLE;
	}
	vkDestroyCommandPool(Host.Device, Pool, nullptr);
	vkDestroySemaphore(Host.Device, DoneSemaphore, nullptr);
	vkDestroySemaphore(Host.Device, ReadSemaphore, nullptr);
	vkDestroyBuffer(Host.Device, Buffer, nullptr);
	vkFreeMemory(Host.Device, DeviceMemory, nullptr);
	Pool = VK_NULL_HANDLE;
	DoneSemaphore = ReadSemaphore = VK_NULL_HANDLE;
	Buffer = VK_NULL_HANDLE;
	DeviceMemory = VK_NULL_HANDLE;
	Next = 0;
	Host = FPlaitVulkanHost();
}
