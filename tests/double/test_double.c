// The double itself: if it did not do as told, every test on it would be worthless.
#include "double.h"

#include <volk.h>

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define assert_success(call) assert_int_equal((call), VK_SUCCESS)

static VkInstance instance;
static VkPhysicalDevice physical;

struct machine {
    VkDevice device;
    VkQueue queue;
};

static int open_instance(void **state) {
    (void)state;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    if (volkInitialize() != VK_SUCCESS || vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS) return 0;
    volkLoadInstance(instance);
    uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) physical = VK_NULL_HANDLE;
    return 0;
}

static int close_instance(void **state) {
    (void)state;
    if (instance) vkDestroyInstance(instance, NULL);
    return 0;
}

static int calm(void **state) {
    (void)state;
    double_reset();
    return 0;
}

#define need_double()                                                                                                  \
    if (!physical || !double_present()) skip()

static VkResult machine_open(struct machine *m, const char *extension) {
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .timelineSemaphore = VK_TRUE};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = extension != NULL,
                               .ppEnabledExtensionNames = &extension};
    VkResult result = vkCreateDevice(physical, &info, NULL, &m->device);
    if (result == VK_SUCCESS) vkGetDeviceQueue(m->device, 0, 0, &m->queue);
    return result;
}

static bool has_extension(const char *name) {
    VkExtensionProperties all[512];
    uint32_t count = 512;
    assert_success(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, all));
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(all[i].extensionName, name) == 0) return true;
    return false;
}

static VkSemaphore make_semaphore(VkDevice device, uint64_t value, bool exported) {
    VkExportSemaphoreCreateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                          .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .pNext = exported ? &export : NULL,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                      .initialValue = value};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore;
    assert_success(vkCreateSemaphore(device, &info, NULL, &semaphore));
    return semaphore;
}

static int get_fd(VkDevice device, VkSemaphore semaphore) {
    VkSemaphoreGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                    .semaphore = semaphore,
                                    .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;
    assert_success(vkGetSemaphoreFdKHR(device, &info, &fd));
    assert_true(fd >= 0);
    return fd;
}

static VkResult import_fd(VkDevice device, VkSemaphore semaphore, int fd) {
    VkImportSemaphoreFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                       .semaphore = semaphore,
                                       .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
                                       .fd = fd};
    return vkImportSemaphoreFdKHR(device, &info);
}

static VkResult wait_for(VkDevice device, VkSemaphore semaphore, uint64_t value, uint64_t timeout_ns) {
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &semaphore,
                                .pValues = &value};
    return vkWaitSemaphores(device, &info, timeout_ns);
}

static uint64_t value_of(VkDevice device, VkSemaphore semaphore) {
    uint64_t value;
    assert_success(vkGetSemaphoreCounterValue(device, semaphore, &value));
    return value;
}

static VkResult signal(VkDevice device, VkSemaphore semaphore, uint64_t value) {
    VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = value};
    return vkSignalSemaphore(device, &info);
}

// Work that only waits and signals; semaphores may be null.
static VkResult submit(const struct machine *m, VkSemaphore wait, uint64_t wait_value, VkSemaphore done,
                       uint64_t done_value) {
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = wait != VK_NULL_HANDLE,
                                            .pWaitSemaphoreValues = &wait_value,
                                            .signalSemaphoreValueCount = done != VK_NULL_HANDLE,
                                            .pSignalSemaphoreValues = &done_value};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = &values,
                         .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                         .pWaitSemaphores = &wait,
                         .pWaitDstStageMask = &stage,
                         .signalSemaphoreCount = done != VK_NULL_HANDLE,
                         .pSignalSemaphores = &done};
    return vkQueueSubmit(m->queue, 1, &info, VK_NULL_HANDLE);
}

static void the_chosen_call_fails_and_no_other(void **state) {
    (void)state;
    need_double();
    struct machine m;
    assert_false(double_fail("vkNoSuchThing", 1, VK_ERROR_UNKNOWN));
    assert_true(double_fail("vkCreateDevice", 1, VK_ERROR_TOO_MANY_OBJECTS));
    assert_int_equal(machine_open(&m, NULL), VK_ERROR_TOO_MANY_OBJECTS);
    assert_success(machine_open(&m, NULL));
    assert_int_equal(double_calls("vkCreateDevice"), 2);
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    assert_true(double_fail("vkCreateFence", 2, VK_ERROR_OUT_OF_HOST_MEMORY));
    for (int i = 1; i <= 4; i++) {
        VkResult result = vkCreateFence(m.device, &info, NULL, &fence);
        assert_int_equal(result, i == 2 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS);
        if (i != 2) vkDestroyFence(m.device, fence, NULL);
    }
    assert_true(double_fail_from("vkCreateFence", 2, VK_ERROR_OUT_OF_DEVICE_MEMORY));
    assert_success(vkCreateFence(m.device, &info, NULL, &fence));
    vkDestroyFence(m.device, fence, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(vkCreateFence(m.device, &info, NULL, &fence), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(double_failures(), 1 + 1 + 3);
    assert_int_equal(double_calls("vkCreateFence"), 8);
    double_reset();
    assert_success(vkCreateFence(m.device, &info, NULL, &fence));
    vkDestroyFence(m.device, fence, NULL);
    vkDestroyDevice(m.device, NULL);
}

static void a_lost_device_stays_lost_and_the_next_works(void **state) {
    (void)state;
    need_double();
    struct machine m, next;
    assert_success(machine_open(&m, NULL));
    VkSemaphore semaphore = make_semaphore(m.device, 0, false);
    assert_success(submit(&m, VK_NULL_HANDLE, 0, semaphore, 1));
    assert_success(wait_for(m.device, semaphore, 1, UINT64_MAX));
    double_lose_device();
    assert_int_equal(submit(&m, VK_NULL_HANDLE, 0, semaphore, 2), VK_ERROR_DEVICE_LOST);
    assert_int_equal(wait_for(m.device, semaphore, 1, 0), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vkDeviceWaitIdle(m.device), VK_ERROR_DEVICE_LOST);
    double_reset();
    assert_int_equal(vkDeviceWaitIdle(m.device), VK_ERROR_DEVICE_LOST);
    assert_success(machine_open(&next, NULL));
    assert_success(vkDeviceWaitIdle(next.device));
    assert_true(double_fail("vkQueueSubmit", 1, VK_ERROR_DEVICE_LOST));
    assert_int_equal(submit(&next, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vkDeviceWaitIdle(next.device), VK_ERROR_DEVICE_LOST);
    vkDestroySemaphore(m.device, semaphore, NULL);
    vkDestroyDevice(m.device, NULL);
    vkDestroyDevice(next.device, NULL);
}

static void the_driver_says_what_it_is_told_to(void **state) {
    (void)state;
    need_double();
    struct double_pretence lie = {.api_version = VK_API_VERSION_1_0,
                                  .no_timeline = true,
                                  .no_timestamps = true,
                                  .uuid = {1, 2, 3},
                                  .hidden = VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME};
    for (int lying = 0; lying < 2; lying++) {
        if (lying) double_pretend(&lie);
        VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
        VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                  .pNext = &id};
        VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
        VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                              .pNext = &timeline};
        VkQueueFamilyProperties family;
        uint32_t count = 1;
        vkGetPhysicalDeviceProperties2(physical, &properties);
        vkGetPhysicalDeviceFeatures2(physical, &features);
        vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, &family);
        assert_int_equal(properties.properties.apiVersion == VK_API_VERSION_1_0, lying);
        assert_int_equal(memcmp(id.deviceUUID, lie.uuid, 16) == 0, lying);
        assert_int_equal(timeline.timelineSemaphore, !lying);
        assert_int_equal(family.timestampValidBits == 0, lying);
        assert_int_equal(has_extension(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME), !lying);
    }
    double_pretend(&(struct double_pretence){.no_devices = true});
    uint32_t count = 0;
    assert_success(vkEnumeratePhysicalDevices(instance, &count, NULL));
    assert_int_equal(count, 0);
}

static void semaphores_with_descriptors_are_there_when_asked_for(void **state) {
    (void)state;
    need_double();
    const char *name = VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkPhysicalDeviceExternalSemaphoreInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
                                                  .pNext = &type,
                                                  .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkExternalSemaphoreProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    double_pretend(&(struct double_pretence){.semaphore_fds = true});
    assert_true(has_extension(name));
    vkGetPhysicalDeviceExternalSemaphoreProperties(physical, &info, &properties);
    assert_true(properties.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT);
    assert_true(properties.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT);
    struct machine m;
    assert_success(machine_open(&m, name));
    assert_non_null(vkGetDeviceProcAddr(m.device, "vkGetSemaphoreFdKHR"));
    assert_non_null(vkGetDeviceProcAddr(m.device, "vkImportSemaphoreFdKHR"));
    vkDestroyDevice(m.device, NULL);
    assert_success(machine_open(&m, NULL));
    assert_null(vkGetDeviceProcAddr(m.device, "vkGetSemaphoreFdKHR"));
    vkDestroyDevice(m.device, NULL);
}

static void *signal_later(void *argument) {
    void **both = argument;
    struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
    signal(both[0], (VkSemaphore)both[1], 100);
    return NULL;
}

static void two_devices_share_a_semaphore(void **state) {
    (void)state;
    need_double();
    double_pretend(&(struct double_pretence){.semaphore_fds = true});
    struct machine a, b;
    assert_success(machine_open(&a, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME));
    assert_success(machine_open(&b, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME));
    VkSemaphore given = make_semaphore(a.device, 3, true), taken = make_semaphore(b.device, 0, false);
    VkSemaphore own = make_semaphore(b.device, 0, false);
    int fd = get_fd(a.device, given), other = get_fd(a.device, given);
    assert_true(fd != other);
    assert_int_equal(double_open_fds(), 2);
    assert_success(import_fd(b.device, taken, fd));
    assert_int_equal(fcntl(fd, F_GETFD), -1); // the driver's now, and closed
    assert_int_equal(double_open_fds(), 1);
    close(other);
    assert_int_equal(double_open_fds(), 0);
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(import_fd(b.device, taken, pipe_ends[0]), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_true(fcntl(pipe_ends[0], F_GETFD) >= 0); // still ours
    close(pipe_ends[0]);
    close(pipe_ends[1]);

    assert_true(value_of(b.device, taken) == 3);
    // Wait before signal, between devices, in both directions.
    for (uint64_t value = 4; value < 50; value += 2) {
        assert_success(submit(&b, taken, value, taken, value + 1));
        assert_int_equal(wait_for(b.device, taken, value, 100000), VK_TIMEOUT);
        assert_success(submit(&a, VK_NULL_HANDLE, 0, given, value));
        assert_success(wait_for(a.device, given, value + 1, 10000000000u));
        assert_true(value_of(a.device, given) == value + 1);
        assert_success(submit(&b, taken, value + 1, own, value)); // the past is no wait
        assert_success(wait_for(b.device, own, value, 10000000000u));
    }
    // The host signals one end, device and host wait at the other.
    assert_success(submit(&b, taken, 100, own, 100));
    pthread_t thread;
    void *both[2] = {a.device, (void *)given};
    assert_int_equal(pthread_create(&thread, NULL, signal_later, both), 0);
    assert_success(wait_for(b.device, taken, 100, 10000000000u));
    assert_success(wait_for(b.device, own, 100, 10000000000u));
    pthread_join(thread, NULL);
    // The exporter is destroyed first.
    vkDeviceWaitIdle(a.device);
    vkDestroySemaphore(a.device, given, NULL);
    vkDestroyDevice(a.device, NULL);
    assert_true(value_of(b.device, taken) == 100);
    assert_success(submit(&b, VK_NULL_HANDLE, 0, taken, 101));
    assert_success(wait_for(b.device, taken, 101, 10000000000u));
    assert_int_equal(double_payloads(), 1);
    vkDestroySemaphore(b.device, taken, NULL);
    vkDestroySemaphore(b.device, own, NULL);
    vkDestroyDevice(b.device, NULL);
    assert_int_equal(double_payloads(), 0);
}

static void a_lost_device_waits_for_nobody(void **state) {
    (void)state;
    need_double();
    double_pretend(&(struct double_pretence){.semaphore_fds = true});
    struct machine m;
    assert_success(machine_open(&m, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME));
    VkSemaphore shared = make_semaphore(m.device, 0, true);
    assert_success(submit(&m, shared, 1, shared, 2));
    double_lose_device();
    assert_int_equal(wait_for(m.device, shared, 2, UINT64_MAX), VK_ERROR_DEVICE_LOST);
    vkDestroySemaphore(m.device, shared, NULL);
    vkDestroyDevice(m.device, NULL);
    assert_int_equal(double_payloads(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_chosen_call_fails_and_no_other, calm),
        cmocka_unit_test_setup(a_lost_device_stays_lost_and_the_next_works, calm),
        cmocka_unit_test_setup(the_driver_says_what_it_is_told_to, calm),
        cmocka_unit_test_setup(semaphores_with_descriptors_are_there_when_asked_for, calm),
        cmocka_unit_test_setup(two_devices_share_a_semaphore, calm),
        cmocka_unit_test_setup(a_lost_device_waits_for_nobody, calm),
    };
    return cmocka_run_group_tests(tests, open_instance, close_instance);
}
