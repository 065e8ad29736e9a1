/* plait_vulkan.h - Plait on a Vulkan host's own device: strands are written into the renderer's buffer without a copy.
 *
 * The structs here are chained to structs of plait.h through head.next. No Vulkan header is needed: dispatchable handles
 * are void pointers, others uint64_t, so that every language can fill them in. Cast VkPhysicalDevice, VkDevice and VkQueue
 * to void *, VkBuffer and VkSemaphore to uint64_t.
 *
 * The host's device needs Vulkan 1.1, the system's loader (libvulkan.so.1, vulkan-1.dll), the feature timelineSemaphore
 * enabled (VkPhysicalDeviceVulkan12Features, or VK_KHR_timeline_semaphore before Vulkan 1.2), and a queue of a compute
 * family. plait_vulkan_query_wants answers for a given physical device, and names the extensions that Plait can use.
 */
#ifndef PLAIT_VULKAN_H
#define PLAIT_VULKAN_H

#include "plait.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLAIT_TYPE_VULKAN_DEVICE_DESC 1001u
#define PLAIT_TYPE_VULKAN_OUTPUT_DESC 1002u
#define PLAIT_TYPE_VULKAN_FRAME_DESC 1003u
#define PLAIT_TYPE_VULKAN_WANTS_INFO 1004u

#define PLAIT_VULKAN_FEATURE_TIMELINE_SEMAPHORE (1u << 0)

/* What a VkDevice needs for Plait to run on it, and what would help. Names live as long as the context. */
typedef struct plait_vulkan_wants_info {
    plait_head head;
    uint32_t api_version; /* lowest version of instance and device, as VK_MAKE_API_VERSION encodes it */
    uint32_t features;    /* PLAIT_VULKAN_FEATURE_xxx: all must be enabled */
    uint32_t required_extension_count;
    uint32_t optional_extension_count;
    const char *required_extensions[4]; /* of the device, for VkDeviceCreateInfo.ppEnabledExtensionNames */
    const char
        *optional_extensions[8]; /* those that this device has: for external memory and semaphores, and for output in
                                    host memory without a copy. A host that uses neither may leave them out */
} plait_vulkan_wants_info;
#define PLAIT_VULKAN_WANTS_INFO_INIT                                                                                   \
    {                                                                                                                  \
        {PLAIT_TYPE_VULKAN_WANTS_INFO, (uint32_t)sizeof(plait_vulkan_wants_info), 0}, 0, 0, 0, 0, {0}, { 0 }           \
    }

/* Call this before creating the VkDevice. physical_device: VkPhysicalDevice of the host's instance.
 * PLAIT_ERROR_UNSUPPORTED, with the reason in the log, if Plait cannot run on it; PLAIT_ERROR_UNAVAILABLE if there is no
 * Vulkan. Cost: under a millisecond; the first time it loads a driver. Any thread. */
PLAIT_FUNCTION(plait_vulkan_query_wants, (plait_context context, void *physical_device, plait_vulkan_wants_info *info));

/* Every function of this header, as in plait.h. */
#define PLAIT_FOR_EACH_VULKAN_FUNCTION(X) X(plait_vulkan_query_wants)

/* Chained to plait_device_desc with backend PLAIT_BACKEND_VULKAN: opens Plait on the host's device. The host keeps owning
 * everything here; it must outlive the Plait device and its hairs and semaphores. index, uuid and name must be zero. */
typedef struct plait_vulkan_device_desc {
    plait_head head;
    void *physical_device; /* VkPhysicalDevice */
    void *device;          /* VkDevice */
    void *queue;           /* VkQueue that Plait submits to */
    uint32_t queue_family;
    uint32_t
        features; /* PLAIT_VULKAN_FEATURE_xxx that were enabled; all that plait_vulkan_wants_info names are needed */
    /* Called around every submission. Needed if another thread of the host or another Plait device uses the queue; set both
     * or neither. Plait holds locks of its own meanwhile: a thread that holds the host's lock must not call Plait. */
    void *user;
    void(PLAIT_CALL *lock_queue)(void *user);
    void(PLAIT_CALL *unlock_queue)(void *user);
    const char *const *extensions; /* [extension_count] enabled device extensions; Plait uses no others */
    uint32_t extension_count;
    uint32_t reserved;
} plait_vulkan_device_desc;
#define PLAIT_VULKAN_DEVICE_DESC_INIT                                                                                  \
    { {PLAIT_TYPE_VULKAN_DEVICE_DESC, (uint32_t)sizeof(plait_vulkan_device_desc), 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Chained to plait_output_desc, whose memory must be null and whose size counts from `offset`: output goes into a buffer
 * of the host's device, created with VK_BUFFER_USAGE_STORAGE_BUFFER_BIT and not used by another queue family at the time.
 * Only for hairs on a device opened with plait_vulkan_device_desc on that VkDevice; while this output is set, such a hair
 * can move only to another Plait device on the same VkDevice. The buffer must outlive the output. */
typedef struct plait_vulkan_output_desc {
    plait_head head;
    void *device;    /* VkDevice of the buffer */
    uint64_t buffer; /* VkBuffer */
    uint64_t offset; /* bytes, a multiple of 4 */
} plait_vulkan_output_desc;
#define PLAIT_VULKAN_OUTPUT_DESC_INIT                                                                                  \
    { {PLAIT_TYPE_VULKAN_OUTPUT_DESC, (uint32_t)sizeof(plait_vulkan_output_desc), 0}, 0, 0, 0 }

/* Chained to plait_frame_desc, for hairs whose output is a VkBuffer: the frame's work waits for one timeline semaphore and
 * signals another (or the same). Calls that look at or change the hair, such as plait_hair_read, wait for that work. Without
 * it, plait_hair_wait tells when the output is written. A frame signals also when it had no step to run, and when it is
 * refused or fails, as with plait_frame_sync_desc. Writes to the output are available to everything after the signal.
 * Without a semaphore to wait for, the host must be done with the buffer when it calls plait_hair_step. */
typedef struct plait_vulkan_frame_desc {
    plait_head head;
    uint64_t wait_semaphore; /* VkSemaphore of type timeline; 0: none */
    uint64_t wait_value;
    uint64_t signal_semaphore; /* VkSemaphore of type timeline; 0: none */
    uint64_t signal_value;
} plait_vulkan_frame_desc;
#define PLAIT_VULKAN_FRAME_DESC_INIT                                                                                   \
    { {PLAIT_TYPE_VULKAN_FRAME_DESC, (uint32_t)sizeof(plait_vulkan_frame_desc), 0}, 0, 0, 0, 0 }

#ifdef __cplusplus
}
#endif

#endif
