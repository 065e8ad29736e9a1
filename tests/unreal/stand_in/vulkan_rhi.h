// Stand-in for Unreal's Vulkan RHI: a test makes one on a real device, or none. See core.h.
#pragma once

#include "engine.h"

#include "VulkanThirdParty.h"

enum class ERHIInterfaceType { Vulkan, D3D12 };
class FDynamicRHI {
  public:
    virtual ~FDynamicRHI() = default;
    virtual ERHIInterfaceType GetInterfaceType() const = 0;
};
extern FDynamicRHI *GDynamicRHI;

enum class EVulkanRHIRunOnQueueType { Graphics };
struct IVulkanDynamicRHI : public FDynamicRHI {
    virtual ERHIInterfaceType GetInterfaceType() const override { return ERHIInterfaceType::Vulkan; }
    virtual VkDevice RHIGetVkDevice() const = 0;
    virtual const uint8 *RHIGetVulkanDeviceUUID() const = 0;
    virtual uint32 RHIGetGraphicsQueueFamilyIndex() const = 0;
    virtual void *RHIGetVkDeviceProcAddr(const char *name) const = 0;
    virtual VkImage RHIGetVkImage(FRHITexture *texture) const = 0;
    virtual void RHIRunOnQueue(EVulkanRHIRunOnQueueType type, TFunction<void(VkQueue)> &&code, bool wait) = 0;
    // Those that the module asked for.
    static std::vector<std::string> &Extensions();
    static void AddEnabledDeviceExtensionsAndLayers(TArrayView<const ANSICHAR *const> extensions,
                                                    TArrayView<const ANSICHAR *const> layers);
};
inline IVulkanDynamicRHI *GetIVulkanDynamicRHI() { return static_cast<IVulkanDynamicRHI *>(GDynamicRHI); }
