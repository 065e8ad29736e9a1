// Which device a host gets, what Plait requires of a host's device, and the cache of compiled kernels.
#include "vulkan_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ignored;

static void PLAIT_CALL count_ignored(void *user, uint32_t level, int32_t id, const char *text) {
    (void)user, (void)level, (void)text;
    ignored += id == PLAIT_MESSAGE_CACHE_IGNORED;
}

static plait_context open_context(void) {
    plait_logger logger = PLAIT_LOGGER_INIT;
    logger.log = count_ignored;
    logger.min_level = PLAIT_LOG_INFO;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    desc.logger = &logger;
    plait_context context;
    assert_ok(plait_context_create(&desc, &context));
    return context;
}

// The first Vulkan device; false where there is none.
static bool find_device(plait_context context, plait_device_info *info) {
    plait_device_info infos[16];
    for (int i = 0; i < 16; i++) infos[i] = (plait_device_info)PLAIT_DEVICE_INFO_INIT;
    uint32_t count = 16;
    assert_true(plait_device_enumerate(context, &count, infos) >= 0);
    for (uint32_t i = 0; i < count; i++)
        if (infos[i].backend == PLAIT_BACKEND_VULKAN) {
            *info = infos[i];
            return true;
        }
    return false;
}

static void devices_are_chosen_by_index_name_and_uuid(void **state) {
    (void)state;
    plait_context context = open_context();
    plait_device_info wanted, info = PLAIT_DEVICE_INFO_INIT;
    if (!find_device(context, &wanted)) {
        assert_ok(plait_context_destroy(context));
        skip();
    }
    plait_device device;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_VULKAN;
    char part[PLAIT_NAME_SIZE];
    snprintf(part, sizeof part, "%.6s", wanted.name + 1);
    for (char *c = part; *c; c++) // upper and lower case alike
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 32);
    desc.name = part;
    memcpy(desc.uuid, wanted.uuid, 16);
    assert_ok(plait_device_open(context, &desc, &device));
    assert_ok(plait_device_query(device, &info));
    assert_string_equal(info.name, wanted.name);
    assert_memory_equal(info.uuid, wanted.uuid, 16);
    assert_memory_equal(info.driver_uuid, wanted.driver_uuid, 16);
    assert_ok(plait_device_close(device));
    desc.name = "no such card";
    assert_int_equal(plait_device_open(context, &desc, &device), PLAIT_ERROR_UNAVAILABLE);
    desc.name = NULL;
    desc.uuid[5] ^= 1;
    assert_int_equal(plait_device_open(context, &desc, &device), PLAIT_ERROR_UNAVAILABLE);
    memset(desc.uuid, 0, 16);
    desc.name = "";
    assert_ok(plait_device_open(context, &desc, &device));
    assert_ok(plait_device_close(device));
    desc.index = 1000;
    desc.name = NULL;
    assert_int_equal(plait_device_open(context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT);
    // The best device is never a software device.
    desc = (plait_device_desc)PLAIT_DEVICE_DESC_INIT;
    assert_ok(plait_device_open(context, &desc, &device));
    assert_ok(plait_device_query(device, &info));
    if (strstr(info.name, "llvmpipe")) fail();
    plait_device_info first = PLAIT_DEVICE_INFO_INIT; // and the list begins with it
    uint32_t one = 1;
    assert_true(plait_device_enumerate(context, &one, &first) >= 0);
    assert_int_equal(first.backend, info.backend);
    assert_string_equal(first.name, info.name);
    assert_ok(plait_context_destroy(context));
}

static void plait_says_what_it_wants_of_a_device(void **state) {
    (void)state;
    struct vulkan_host host;
    if (!host_open(&host, false)) skip();
    assert_int_equal(host.wants.features, PLAIT_VULKAN_FEATURE_TIMELINE_SEMAPHORE);
    assert_true(host.wants.api_version == VK_API_VERSION_1_1);
    VkExtensionProperties has[512];
    uint32_t count = 512;
    assert_true(vkEnumerateDeviceExtensionProperties(host.physical, NULL, &count, has) >= 0);
    for (uint32_t i = 0; i < host.wants.optional_extension_count; i++) {
        uint32_t k = 0;
        while (k < count && strcmp(has[k].extensionName, host.wants.optional_extensions[i]) != 0) k++;
        assert_true(k < count);
    }
    plait_context context = open_context();
    plait_vulkan_wants_info info = PLAIT_VULKAN_WANTS_INFO_INIT;
    assert_int_equal(plait_vulkan_query_wants(context, NULL, &info), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(plait_vulkan_query_wants(context, host.physical, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    // Plait relies on what the host says it enabled, so that must be enough.
    plait_vulkan_device_desc vulkan = PLAIT_VULKAN_DEVICE_DESC_INIT;
    vulkan.physical_device = host.physical;
    vulkan.device = host.device;
    vulkan.queue = host.queue;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_VULKAN;
    desc.head.next = &vulkan;
    plait_device device;
    assert_int_equal(plait_device_open(context, &desc, &device), PLAIT_ERROR_UNSUPPORTED);
    vulkan.features = 0xff;
    assert_int_equal(plait_device_open(context, &desc, &device), PLAIT_ERROR_UNSUPPORTED);
    vulkan.features = PLAIT_VULKAN_FEATURE_TIMELINE_SEMAPHORE;
    vulkan.extension_count = 1;
    assert_int_equal(plait_device_open(context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT);
    // Features that are not enabled are not used; a queue family without compute is detected.
    static const char *const stated[] = {"VK_EXT_external_memory_host", "VK_KHR_external_memory_fd",
                                         "VK_KHR_external_semaphore_fd"};
    VkDevice bare;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceTimelineSemaphoreFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .pNext = &features,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue};
    assert_int_equal(vkCreateDevice(host.physical, &create, NULL, &bare), VK_SUCCESS);
    vulkan.device = bare;
    vkGetDeviceQueue(bare, 0, 0, (VkQueue *)&vulkan.queue);
    vulkan.extensions = stated;
    vulkan.extension_count = 3;
    plait_device_info found = PLAIT_DEVICE_INFO_INIT;
    assert_ok(plait_device_open(context, &desc, &device));
    assert_ok(plait_device_query(device, &found));
    assert_int_equal(found.interop & (PLAIT_INTEROP_HOST_MEMORY | PLAIT_INTEROP_MEMORY_FD | PLAIT_INTEROP_SEMAPHORE_FD),
                     0);
    assert_ok(plait_device_close(device));
    vulkan.queue_family = 99;
    assert_true(plait_device_open(context, &desc, &device) < 0);
    vulkan.queue_family = 0;
    vkDestroyDevice(bare, NULL);
    vulkan.device = host.device;
    vulkan.queue = host.queue;
    vulkan.extension_count = 0;
    desc.name = "llvmpipe";
    assert_int_equal(plait_device_open(context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_ok(plait_context_destroy(context));
    host_close(&host);
}

static void a_kept_cache_is_used_and_anything_else_ignored(void **state) {
    (void)state;
    plait_context context = open_context();
    plait_device device;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_VULKAN;
    if (plait_device_open(context, &desc, &device) != PLAIT_OK) {
        assert_ok(plait_context_destroy(context));
        skip();
    }
    uint64_t size = 0;
    assert_int_equal(plait_device_save_cache(device, NULL, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_ok(plait_device_save_cache(device, &size, NULL));
    assert_true(size > 64);
    unsigned char *cache = malloc(size), *damaged = malloc(size);
    assert_true(cache && damaged);
    uint64_t room = size - 1;
    assert_int_equal(plait_device_save_cache(device, &room, cache), PLAIT_ERROR_BUFFER_TOO_SMALL);
    assert_true(room == size - 1);
    room = size;
    assert_ok(plait_device_save_cache(device, &room, cache));
    assert_true(room == size);
    unsigned char *roomy = malloc(size + 5000);
    assert_non_null(roomy);
    memset(roomy, 0x77, size + 5000);
    uint64_t written = UINT64_MAX; // a host that claims too much: only what is needed is used
    assert_ok(plait_device_save_cache(device, &written, roomy));
    assert_true(written == size);
    assert_memory_equal(roomy, cache, size);
    for (uint64_t i = size; i < size + 5000; i++) assert_int_equal(roomy[i], 0x77);
    free(roomy);
    assert_ok(plait_device_close(device));
    desc.cache = cache;
    desc.cache_size = room;
    ignored = 0;
    assert_ok(plait_device_open(context, &desc, &device));
    assert_int_equal(ignored, 0);
    assert_ok(plait_device_close(device));
    // A cache with a wrong bit, or a part of one, is not given to the driver.
    int tries = 0;
    for (uint64_t at = 0; at < room; at += room / 20 + 1, tries++) {
        memcpy(damaged, cache, room);
        damaged[at] ^= 0x10;
        desc.cache = damaged;
        desc.cache_size = room;
        assert_ok(plait_device_open(context, &desc, &device));
        assert_ok(plait_device_close(device));
    }
    desc.cache = cache;
    for (desc.cache_size = 1; desc.cache_size < room; desc.cache_size = desc.cache_size * 3 + 1, tries++) {
        assert_ok(plait_device_open(context, &desc, &device));
        assert_ok(plait_device_close(device));
    }
    assert_int_equal(ignored, tries);
    desc.cache = NULL;
    assert_int_equal(plait_device_open(context, &desc, &device), PLAIT_ERROR_INVALID_ARGUMENT);
    // The CPU backend compiles nothing.
    desc = (plait_device_desc)PLAIT_DEVICE_DESC_INIT;
    desc.backend = PLAIT_BACKEND_CPU;
    assert_ok(plait_device_open(context, &desc, &device));
    assert_ok(plait_device_save_cache(device, &size, NULL));
    assert_true(size == 0);
    assert_ok(plait_context_destroy(context));
    free(cache);
    free(damaged);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_chosen_by_index_name_and_uuid),
        cmocka_unit_test(plait_says_what_it_wants_of_a_device),
        cmocka_unit_test(a_kept_cache_is_used_and_anything_else_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
