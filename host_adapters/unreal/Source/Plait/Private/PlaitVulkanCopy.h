// Copies strands from Plait's memory to an image of the renderer, both on the GPU. No type of the engine, only Vulkan's.
//
// Plait runs on a device of its own, on the same card. Its memory and two timeline semaphores come by handle. Each copy is
// one submission of its own: it waits until Plait has written a frame, copies, and tells Plait that the memory is free.
#pragma once

#include "plait.h"

#include "VulkanThirdParty.h"

#include <cstdint>

// Closes a handle that came out of Plait and was not imported. Kind 0: there is none.
void PlaitCloseExternal(uint32_t Kind, int64_t Handle);

// Functions that the copy calls, through pointers from the renderer's device.
#define PLAIT_FOR_EACH_VULKAN_CALL(X)                                                                                  \
	X(vkCreateBuffer)                                                                                                  \
	X(vkDestroyBuffer)                                                                                                 \
	X(vkAllocateMemory)                                                                                                \
	X(vkFreeMemory)                                                                                                    \
	X(vkBindBufferMemory)                                                                                              \
	X(vkCreateSemaphore)                                                                                               \
	X(vkDestroySemaphore)                                                                                              \
	X(vkCreateFence)                                                                                                   \
	X(vkDestroyFence)                                                                                                  \
	X(vkWaitForFences)                                                                                                 \
	X(vkResetFences)                                                                                                   \
	X(vkSignalSemaphore)                                                                                               \
	X(vkCreateCommandPool)                                                                                             \
	X(vkDestroyCommandPool)                                                                                            \
	X(vkAllocateCommandBuffers)                                                                                        \
	X(vkBeginCommandBuffer)                                                                                            \
	X(vkEndCommandBuffer)                                                                                              \
	X(vkCmdPipelineBarrier)                                                                                            \
	X(vkCmdCopyBufferToImage)                                                                                          \
	X(vkQueueSubmit)

// The renderer's device. It must outlive the copy, and have VK_KHR_external_memory_fd and VK_KHR_external_semaphore_fd
// enabled, or their _win32 forms, and the feature timelineSemaphore.
struct FPlaitVulkanHost
{
	VkDevice Device = VK_NULL_HANDLE;
	uint32_t QueueFamily = 0;
	void* User = nullptr;
	void* (*GetProc)(void* User, const char* Name) = nullptr; // vkGetDeviceProcAddr
};

class FPlaitVulkanCopy
{
public:
	FPlaitVulkanCopy() = default;
	FPlaitVulkanCopy(const FPlaitVulkanCopy&) = delete;
	FPlaitVulkanCopy& operator=(const FPlaitVulkanCopy&) = delete;
	~FPlaitVulkanCopy() { Close(); }

	// Takes over the three handles, also when it fails. Width: texels in a row of the image.
	VkResult Open(const FPlaitVulkanHost& Host, const plait_external_memory& Memory,
		const plait_external_semaphore& Done, const plait_external_semaphore& Read, uint32_t VertexCount,
		uint32_t Width);

	// Waits up to a second for copies under way.
	void Close();

	// Image: RGBA of 32-bit floats, Width texels wide. Whatever layout it was in, it is in
	// VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL afterwards. The caller's thread has the queue to itself. The copy waits for
	// Done to reach DoneValue and raises Read to it. Read rises also when it fails, so that Plait does not wait forever.
	VkResult Submit(VkQueue Queue, VkImage Image, uint64_t DoneValue);

private:
	VkResult ImportMemory(const plait_external_memory& Memory);
	VkResult ImportSemaphore(const plait_external_semaphore& External, VkSemaphore& Semaphore);
	VkResult MakeCommands();
	VkResult TrySubmit(VkQueue Queue, VkImage Image, uint64_t DoneValue);
	void Record(VkCommandBuffer Commands, VkImage Image) const;

	enum
	{
		RingSize = 3
	};
	FPlaitVulkanHost Host;
#define PLAIT_VULKAN_MEMBER(Name) PFN_##Name Name = nullptr;
	PLAIT_FOR_EACH_VULKAN_CALL(PLAIT_VULKAN_MEMBER)
#undef PLAIT_VULKAN_MEMBER
	VkBuffer Buffer = VK_NULL_HANDLE;
	VkDeviceMemory DeviceMemory = VK_NULL_HANDLE;
	VkSemaphore DoneSemaphore = VK_NULL_HANDLE, ReadSemaphore = VK_NULL_HANDLE;
	VkCommandPool Pool = VK_NULL_HANDLE;
	VkCommandBuffer Ring[RingSize] = {};
	VkFence Fences[RingSize] = {}; // signalled when the commands can be used again
	uint32_t Next = 0;
	uint64_t Offset = 0;
	uint32_t Vertices = 0, RowWidth = 0;
};
