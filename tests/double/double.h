// A test double for Vulkan drivers: a layer between the program and the driver that changes what "the driver" does. A
// test links to it and controls it; the Vulkan loader opens the same library when the environment names the layer
// (plait_use_double in CMake), so both share one state. Validation layers come before it: they check the program, not
// the double. All functions may be called from any thread.
#ifndef PLAIT_TESTS_DOUBLE_H
#define PLAIT_TESTS_DOUBLE_H

#include <stdbool.h>
#include <stdint.h>

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#define DOUBLE_EXPORT __attribute__((visibility("default")))

// What the driver reports about itself. All zero: the truth. Existing devices stay as they are.
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

// Resets: the real driver, nothing fails, counters at zero. Lost devices stay lost.
DOUBLE_EXPORT void double_reset(void);

DOUBLE_EXPORT void double_pretend(const struct double_pretence *pretence);

// The nth call of a function from now on, counted from 1, returns `result` without reaching the driver: that one, or
// that one and all after it. One such setting per function; the next replaces it. VK_ERROR_DEVICE_LOST loses that
// device. False: the double does not know the function.
DOUBLE_EXPORT bool double_fail(const char *function, uint32_t nth, VkResult result);
DOUBLE_EXPORT bool double_fail_from(const char *function, uint32_t nth, VkResult result);

// Calls of a function since the last reset, including failed ones; and how many were made to fail.
DOUBLE_EXPORT uint32_t double_calls(const char *function);
DOUBLE_EXPORT uint32_t double_failures(void);

// The functions that can be made to fail, and a result that drivers give when they do; null after the last.
DOUBLE_EXPORT const char *double_function(uint32_t index, VkResult *result);

// From now on every submission, wait and mapping of the devices that exist returns VK_ERROR_DEVICE_LOST. Returns when
// their work has ended; work that waits for a semaphore imported by file descriptor is released.
DOUBLE_EXPORT void double_lose_device(void);

// Exported file descriptors of semaphores that are still open somewhere.
DOUBLE_EXPORT uint32_t double_open_fds(void);

// Live internal objects of the double, for semaphores with file descriptors.
DOUBLE_EXPORT uint32_t double_payloads(void);

// Whether the loader has the layer in place: false until the first instance was made.
DOUBLE_EXPORT bool double_present(void);

#endif
