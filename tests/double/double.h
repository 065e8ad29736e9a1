// A test double for Vulkan drivers: a layer that stands between the program and the driver and changes what "the driver"
// does. A test links to it and steers it; the Vulkan loader opens the very same library when the environment names the
// layer (plait_use_double in CMake), so both see one state. Validation layers are named before it: they watch the program,
// not the double. All functions may be called from any thread.
#ifndef PLAIT_TESTS_DOUBLE_H
#define PLAIT_TESTS_DOUBLE_H

#include <stdbool.h>
#include <stdint.h>

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#define DOUBLE_EXPORT __attribute__((visibility("default")))

// What the driver says of itself. All zero: the truth. Devices that exist stay as they are.
struct double_pretence {
    uint32_t api_version; // of every physical device, such as VK_API_VERSION_1_0; 0: the truth
    bool no_devices;      // vkEnumeratePhysicalDevices finds none
    bool no_timeline;     // the feature timelineSemaphore is missing
    bool no_timestamps;   // of no queue family
    bool
        semaphore_fds; // VK_KHR_external_semaphore_fd for timeline semaphores, also among devices, by the double itself
    uint8_t uuid[16];  // deviceUUID; all zero: the truth
    char hidden[64];   // an extension that devices do not have; empty: none
    uint32_t unheard;  // extensions that nobody has heard of, listed before the others
};

// The driver as it is, nothing fails, counters at zero. Devices that were lost stay lost.
DOUBLE_EXPORT void double_reset(void);

DOUBLE_EXPORT void double_pretend(const struct double_pretence *pretence);

// The nth call of a function from now on, counted from 1, returns `result` without reaching the driver: that one, or that
// one and all after it. One such order a function; the next replaces it. VK_ERROR_DEVICE_LOST loses that device. False: the
// double does not know the function.
DOUBLE_EXPORT bool double_fail(const char *function, uint32_t nth, VkResult result);
DOUBLE_EXPORT bool double_fail_from(const char *function, uint32_t nth, VkResult result);

// Calls of a function since the last reset, those that were made to fail included; and how many those were.
DOUBLE_EXPORT uint32_t double_calls(const char *function);
DOUBLE_EXPORT uint32_t double_failures(void);

// The functions that can be made to fail, and a result that drivers give when they do; null after the last.
DOUBLE_EXPORT const char *double_function(uint32_t index, VkResult *result);

// From now on every submission, wait and mapping of the devices that exist returns VK_ERROR_DEVICE_LOST. Returns when what
// they were doing has ended; work that waits for a semaphore that came by file descriptor is let go.
DOUBLE_EXPORT void double_lose_device(void);

// File descriptors of semaphores that were given out and are still open somewhere.
DOUBLE_EXPORT uint32_t double_open_fds(void);

// Objects of the double's own, for semaphores with file descriptors, that are still there.
DOUBLE_EXPORT uint32_t double_payloads(void);

// Whether the loader has the layer in place: false until the first instance was made.
DOUBLE_EXPORT bool double_present(void);

#endif
