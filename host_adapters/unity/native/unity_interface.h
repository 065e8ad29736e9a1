/* What this plugin uses of Unity's interface for native plugins, declared from its documented layout. Names are Unity's, so that
 * its manual applies. Tables of functions are as long as what is used of them. */
#ifndef PLAIT_UNITY_INTERFACE_H
#define PLAIT_UNITY_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(_WIN32)
#define UNITY_CALL __stdcall
#define UNITY_EXPORT __declspec(dllexport)
#else
#define UNITY_CALL
#define UNITY_EXPORT __attribute__((visibility("default")))
#endif

typedef struct UnityInterfaceGUID {
    unsigned long long high, low;
} UnityInterfaceGUID;

typedef struct IUnityInterfaces {
    void *(UNITY_CALL *GetInterface)(UnityInterfaceGUID guid);
    void(UNITY_CALL *RegisterInterface)(UnityInterfaceGUID guid, void *table);
    void *(UNITY_CALL *GetInterfaceSplit)(unsigned long long high, unsigned long long low);
    void(UNITY_CALL *RegisterInterfaceSplit)(unsigned long long high, unsigned long long low, void *table);
} IUnityInterfaces;

typedef void(UNITY_CALL *UnityRenderingEvent)(int event);
typedef void(UNITY_CALL *UnityRenderingEventAndData)(int event, void *data);

/* ---- IUnityGraphics */

#define UNITY_GRAPHICS_HIGH 0x7CBA0A9CA4DDB544ull
#define UNITY_GRAPHICS_LOW 0x8C5AD4926EB17B11ull

enum { UNITY_RENDERER_NULL = 4, UNITY_RENDERER_VULKAN = 21 };
enum { UNITY_DEVICE_INITIALIZE = 0, UNITY_DEVICE_SHUTDOWN = 1 };

typedef void(UNITY_CALL *UnityDeviceEvent)(int event);

typedef struct IUnityGraphics {
    int(UNITY_CALL *GetRenderer)(void);
    void(UNITY_CALL *RegisterDeviceEventCallback)(UnityDeviceEvent callback);
    void(UNITY_CALL *UnregisterDeviceEventCallback)(UnityDeviceEvent callback);
    int(UNITY_CALL *ReserveEventIDRange)(int count);
} IUnityGraphics;

/* ---- IUnityGraphicsVulkan */

#ifdef PLAIT_UNITY_VULKAN
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#define UNITY_VULKAN_HIGH 0x95355348d4ef4e11ull
#define UNITY_VULKAN_LOW 0x9789313dfcffcc87ull

typedef struct UnityVulkanInstance {
    VkPipelineCache pipelineCache;
    VkInstance instance;
    VkPhysicalDevice physicalDevice;
    VkDevice device;
    VkQueue graphicsQueue;
    PFN_vkGetInstanceProcAddr getInstanceProcAddr;
    unsigned queueFamilyIndex;
    void *reserved[8];
} UnityVulkanInstance;

typedef struct UnityVulkanMemory {
    VkDeviceMemory memory;
    VkDeviceSize offset, size;
    void *mapped;
    VkMemoryPropertyFlags flags;
    unsigned memoryTypeIndex;
    void *reserved[4];
} UnityVulkanMemory;

typedef struct UnityVulkanBuffer {
    UnityVulkanMemory memory;
    VkBuffer buffer;
    size_t sizeInBytes;
    VkBufferUsageFlags usage;
    void *reserved[4];
} UnityVulkanBuffer;

enum { UNITY_VULKAN_OUTSIDE_RENDER_PASS = 2, UNITY_VULKAN_QUEUE_ALLOWED = 1, UNITY_VULKAN_OBSERVE_ONLY = 0 };
enum { UNITY_VULKAN_PREVIOUS_FRAME_SUBMITTED = 1, UNITY_VULKAN_FLUSH = 2, UNITY_VULKAN_SYNC_WORKERS = 4 };

typedef struct UnityVulkanPluginEventConfig {
    int renderPassPrecondition, graphicsQueueAccess;
    unsigned flags;
} UnityVulkanPluginEventConfig;

typedef PFN_vkGetInstanceProcAddr(UNITY_CALL *UnityVulkanInitCallback)(PFN_vkGetInstanceProcAddr get, void *user);

typedef struct IUnityGraphicsVulkan {
    bool(UNITY_CALL *InterceptInitialization)(UnityVulkanInitCallback callback, void *user);
    PFN_vkVoidFunction(UNITY_CALL *InterceptVulkanAPI)(const char *name, PFN_vkVoidFunction function);
    void(UNITY_CALL *ConfigureEvent)(int event, const UnityVulkanPluginEventConfig *config);
    UnityVulkanInstance(UNITY_CALL *Instance)(void);
    void *unused[4]; /* command buffers and textures */
    bool(UNITY_CALL *AccessBuffer)(void *native, VkPipelineStageFlags stages, VkAccessFlags access, int mode,
                                   UnityVulkanBuffer *buffer);
} IUnityGraphicsVulkan;
#endif

#endif
