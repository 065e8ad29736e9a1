// Strands on the GPU, from Plait's memory to an image of the renderer: the RHI is a stand-in, its device a real one. The test
// double of a driver lets semaphores be shared, which software drivers cannot.
#include <volk.h>

#include "figure.h"

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "double.h"
}

#include <dirent.h>

class FRHITexture {
  public:
    VkImage image;
    VkDeviceMemory memory;
    int32 width, height;
};

static bool submissions_fail;

static VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence) {
    return submissions_fail ? VK_ERROR_OUT_OF_DEVICE_MEMORY : vkQueueSubmit(queue, count, infos, fence);
}

struct test_rhi : public IVulkanDynamicRHI {
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkPhysicalDeviceMemoryProperties types;
    uint8 uuid[16];
    std::vector<std::unique_ptr<FRHITexture>> textures;

    VkDevice RHIGetVkDevice() const override { return device; }
    const uint8 *RHIGetVulkanDeviceUUID() const override { return uuid; }
    uint32 RHIGetGraphicsQueueFamilyIndex() const override { return 0; }
    void *RHIGetVkDeviceProcAddr(const char *name) const override {
        return strcmp(name, "vkQueueSubmit") == 0 ? reinterpret_cast<void *>(submit)
                                                  : reinterpret_cast<void *>(vkGetDeviceProcAddr(device, name));
    }
    VkImage RHIGetVkImage(FRHITexture *texture) const override { return texture->image; }
    void RHIRunOnQueue(EVulkanRHIRunOnQueueType, TFunction<void(VkQueue)> &&code, bool) override { code(queue); }

    bool open();
    void close();
    VkDeviceMemory allocate(const VkMemoryRequirements &needs, VkMemoryPropertyFlags wanted) const;
    std::vector<float> read(const FRHITexture &texture) const;
};

static test_rhi *rhi;

bool test_rhi::open() {
    if (volkInitialize() != VK_SUCCESS) return false;
    VkApplicationInfo application = {};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo instance_info = {};
    instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    instance_info.pApplicationInfo = &application;
    if (vkCreateInstance(&instance_info, nullptr, &instance) != VK_SUCCESS) return false;
    volkLoadInstance(instance);
    uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) return false;
    VkPhysicalDeviceIDProperties id = {};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties = {};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    vkGetPhysicalDeviceProperties2(physical, &properties);
    memcpy(uuid, id.deviceUUID, 16);
    vkGetPhysicalDeviceMemoryProperties(physical, &types);

    std::vector<const char *> extensions; // those that the module asked for, as the engine does
    for (const std::string &name : Extensions()) extensions.push_back(name.c_str());
    const float priority = 1;
    VkDeviceQueueCreateInfo queue_info = {};
    queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    VkPhysicalDeviceTimelineSemaphoreFeatures features = {};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
    features.timelineSemaphore = VK_TRUE;
    VkDeviceCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue_info;
    info.enabledExtensionCount = (uint32_t)extensions.size();
    info.ppEnabledExtensionNames = extensions.data();
    if (vkCreateDevice(physical, &info, nullptr, &device) != VK_SUCCESS) return false;
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandPoolCreateInfo pool_info = {};
    pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    assert_int_equal(vkCreateCommandPool(device, &pool_info, nullptr, &pool), VK_SUCCESS);
    return true;
}

void test_rhi::close() {
    for (const auto &texture : textures) {
        vkDestroyImage(device, texture->image, nullptr);
        vkFreeMemory(device, texture->memory, nullptr);
    }
    textures.clear();
    if (device) {
        vkDestroyCommandPool(device, pool, nullptr);
        vkDestroyDevice(device, nullptr);
    }
    if (instance) vkDestroyInstance(instance, nullptr);
}

VkDeviceMemory test_rhi::allocate(const VkMemoryRequirements &needs, VkMemoryPropertyFlags wanted) const {
    VkMemoryAllocateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = needs.size;
    while (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1) ||
           (types.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) != wanted)
        info.memoryTypeIndex++;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    assert_int_equal(vkAllocateMemory(device, &info, nullptr, &memory), VK_SUCCESS);
    return memory;
}

static FTextureRHIRef make_image(int32 width, int32 height) {
    auto texture = std::make_unique<FRHITexture>();
    texture->width = width;
    texture->height = height;
    VkImageCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R32G32B32A32_SFLOAT;
    info.extent = {(uint32_t)width, (uint32_t)height, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    assert_int_equal(vkCreateImage(rhi->device, &info, nullptr, &texture->image), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(rhi->device, texture->image, &needs);
    texture->memory = rhi->allocate(needs, 0);
    assert_int_equal(vkBindImageMemory(rhi->device, texture->image, texture->memory, 0), VK_SUCCESS);
    rhi->textures.push_back(std::move(texture));
    return rhi->textures.back().get();
}

// What a shader would read: from the layout that the copy leaves, and back to it.
std::vector<float> test_rhi::read(const FRHITexture &texture) const {
    std::vector<float> floats(4 * (size_t)texture.width * (size_t)texture.height);
    VkBufferCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = floats.size() * sizeof(float);
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBuffer buffer;
    assert_int_equal(vkCreateBuffer(device, &info, nullptr, &buffer), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    const VkDeviceMemory memory =
        allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    assert_int_equal(vkBindBufferMemory(device, buffer, memory, 0), VK_SUCCESS);

    VkCommandBufferAllocateInfo allocate_info = {};
    allocate_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocate_info.commandPool = pool;
    allocate_info.commandBufferCount = 1;
    VkCommandBuffer commands;
    assert_int_equal(vkAllocateCommandBuffers(device, &allocate_info, &commands), VK_SUCCESS);
    VkCommandBufferBeginInfo begin = {};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    assert_int_equal(vkBeginCommandBuffer(commands, &begin), VK_SUCCESS);
    VkImageMemoryBarrier barrier = {};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.oldLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    barrier.image = texture.image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
    VkBufferImageCopy region = {};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {(uint32_t)texture.width, (uint32_t)texture.height, 1};
    vkCmdCopyImageToBuffer(commands, texture.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1, &region);
    std::swap(barrier.oldLayout, barrier.newLayout);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
    assert_int_equal(vkEndCommandBuffer(commands), VK_SUCCESS);
    VkSubmitInfo submit_info = {};
    submit_info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit_info.commandBufferCount = 1;
    submit_info.pCommandBuffers = &commands;
    assert_int_equal(vkQueueSubmit(queue, 1, &submit_info, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(vkQueueWaitIdle(queue), VK_SUCCESS);
    void *mapped = nullptr;
    assert_int_equal(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
    memcpy(floats.data(), mapped, floats.size() * sizeof(float));
    vkFreeCommandBuffers(device, pool, 1, &commands);
    vkDestroyBuffer(device, buffer, nullptr);
    vkFreeMemory(device, memory, nullptr);
    return floats;
}

// Those that are the program's: the double lets go of its ends of semaphores' handles when it counts them.
static int open_fds() {
    int count = 0;
    assert_int_equal(double_open_fds(), 0);
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

static int32 vertex_count(const figure &f) {
    const FPlaitStrands &drawn =
        f.hair.Groom->Strands.VertexCounts.Num() ? f.hair.Groom->Strands : f.hair.Groom->Guides;
    return drawn.Positions.Num();
}

static void expect_same(const figure &shared, const figure &copied) {
    UTexture2D *texture = shared.hair.PositionTexture;
    const std::vector<float> image = rhi->read(*texture->GetResource()->TextureRHI);
    const UTexture2D *host = copied.hair.PositionTexture;
    assert_int_equal(host->Pixels.size(), image.size());
    assert_memory_equal(image.data(), host->Pixels.data(), sizeof(float) * 4 * (size_t)vertex_count(shared));
}

// Two figures on the same card, one with shared memory, one by the CPU: the same bits in every frame.
static void compare(UPlaitGroom *groom) {
    figure shared(100), copied(100);
    if (groom) shared.hair.Groom = copied.hair.Groom = groom;
    shared.hair.Backend = copied.hair.Backend = EPlaitBackend::Vulkan;
    copied.hair.bShareGpuMemory = false;
    shared.hair.BeginPlay();
    copied.hair.BeginPlay();
    assert_true(shared.hair.IsOutputOnGpu());
    assert_false(copied.hair.IsOutputOnGpu());
    for (int i = 0; i < 20; i++) {
        shared.tick(i == 7 ? 0.05 : 1.0 / 60);
        copied.tick(i == 7 ? 0.05 : 1.0 / 60);
        if (i % 5 != 3) expect_same(shared, copied); // and some frames without anything that waits
    }
    shared.hair.EndPlay(EEndPlayReason::Destroyed);
    copied.hair.EndPlay(EEndPlayReason::Destroyed);
}

static void guides_reach_the_image(void **) { compare(nullptr); }

static void strands_that_follow_reach_the_image(void **) {
    figure f(100);
    UPlaitGroom groom = f.groom;
    for (int copy = 0; copy < 3; copy++)
        for (int32 s = 0; s < f.groom.Guides.VertexCounts.Num(); s++) {
            groom.Strands.VertexCounts.Add(strand_vertices);
            for (int v = 0; v < strand_vertices; v++) {
                FVector3f point = f.groom.Guides.Positions[s * strand_vertices + v];
                point.Y += 0.2f * (float)copy;
                groom.Strands.Positions.Add(point);
            }
        }
    compare(&groom);
}

static void backends_change_and_handles_are_closed(void **) {
    figure f;
    f.hair.BeginPlay();
    f.tick();
    int first = 0;
    for (int i = 0; i < 4; i++) {
        assert_true(f.hair.SetBackend(EPlaitBackend::Vulkan));
        assert_true(f.hair.IsOutputOnGpu());
        for (int k = 0; k < 5; k++) f.tick();
        const TArray<FVector> there = f.positions();
        assert_true(f.hair.SetBackend(EPlaitBackend::Cpu));
        assert_false(f.hair.IsOutputOnGpu());
        f.tick(0);
        const TArray<FVector> here = f.positions();
        for (int32 v = 0; v < here.Num(); v++) assert_true(FVector::Dist(there[v], here[v]) < 1e-3);
        if (i == 0) first = open_fds();
    }
    assert_int_equal(open_fds(), first);
    f.hair.EndPlay(EEndPlayReason::Destroyed);
}

static void a_copy_that_fails_sends_strands_by_the_cpu(void **) {
    figure f;
    f.hair.Backend = EPlaitBackend::Vulkan;
    f.hair.BeginPlay();
    for (int i = 0; i < 3; i++) f.tick();
    assert_true(f.hair.IsOutputOnGpu());
    submissions_fail = true;
    for (int i = 0; i < 5; i++) f.tick();
    submissions_fail = false;
    assert_false(f.hair.IsOutputOnGpu());
    assert_true(logged("Warning", "could not be submitted"));
    f.tick();
    const UTexture2D *texture = f.hair.PositionTexture;
    const TArray<FVector> positions = f.positions();
    for (int32 v = 0; v < positions.Num(); v++) {
        const float *texel = &texture->Pixels[4 * (size_t)v];
        assert_true(FVector::Dist(positions[v] - f.hair.GetOutputOrigin(), FVector(texel[0], texel[1], texel[2])) <
                    1e-6);
    }
    f.hair.EndPlay(EEndPlayReason::Destroyed);
}

static void memory_that_cannot_be_imported_sends_strands_by_the_cpu(void **) {
    figure f;
    f.hair.Backend = EPlaitBackend::Vulkan;
    int before = 0;
    // The calls of these functions that are the renderer's: Plait has made its own before.
    for (const char *function : {"vkImportSemaphoreFdKHR", "vkCreateCommandPool", "vkImportSemaphoreFdKHR"}) {
        assert_true(double_fail(function, 1, VK_ERROR_OUT_OF_HOST_MEMORY));
        f.hair.BeginPlay();
        assert_true(f.hair.IsRunning());
        assert_false(f.hair.IsOutputOnGpu());
        f.tick();
        assert_true(f.positions().Num() > 0);
        f.hair.EndPlay(EEndPlayReason::Destroyed);
        if (!before) before = open_fds();
    }
    assert_int_equal(open_fds(), before);
}

int main(void) {
    IPlugin::Folder = PLUGIN_FOLDER;
    printf("The plugin for Unreal, against stand-in headers: it has not been built inside Unreal.\n");
    double_pretence pretence = {};
    pretence.semaphore_fds = true;
    double_pretend(&pretence);
    if (!FPlaitModule::Get().GetApi()) return 1;
    test_rhi host;
    rhi = &host;
    if (!host.open()) {
        printf("skipped: no Vulkan device whose memory and semaphores can be shared\n");
        host.close();
        FModuleManager::Unload();
        return 77;
    }
    GDynamicRHI = &host;
    stand_in_make_image = make_image;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guides_reach_the_image),
        cmocka_unit_test(strands_that_follow_reach_the_image),
        cmocka_unit_test(backends_change_and_handles_are_closed),
        cmocka_unit_test(a_copy_that_fails_sends_strands_by_the_cpu),
        cmocka_unit_test(memory_that_cannot_be_imported_sends_strands_by_the_cpu),
    };
    int failures = cmocka_run_group_tests(tests, nullptr, nullptr);
    FModuleManager::Unload();
    stand_in_collect();
    if (stand_in_live_blocks() != 0) {
        printf("FAILED: %d blocks were not freed\n", stand_in_live_blocks().load());
        failures++;
    }
    GDynamicRHI = nullptr;
    host.close();
    return failures;
}
