// Inside the double: layer.c is in the loader's chain, control.c keeps the settings, semaphores.c implements semaphores
// with file descriptors.
#ifndef PLAIT_TESTS_DOUBLE_LAYER_H
#define PLAIT_TESTS_DOUBLE_LAYER_H

#include "double.h"
#include "functions.h"

#include <pthread.h>

// The driver's own functions, below the double.
struct device_table {
#define X(name, failure, loses, parameters, arguments) PFN_##name name;
    FOR_EACH_DEVICE_FUNCTION(X, X)
#undef X
    PFN_vkDestroyDevice vkDestroyDevice;
    PFN_vkDestroySemaphore vkDestroySemaphore;
};

struct crossing; // a submission that waits for or signals what came by file descriptor

struct device {
    struct device *next;
    void *key; // what the loader put at the start of the device's handle, its queues' and its command buffers'
    VkDevice handle;
    PFN_vkGetDeviceProcAddr get;
    struct device_table driver;
    bool lost;
    bool semaphore_fds; // the extension was asked for
    pthread_t watcher;  // brings signals from the driver to payloads; started with the first crossing
    bool watching, closing;
    struct crossing *first, *last;
};

// control.c
extern pthread_mutex_t double_mutex; // guards everything of the double
extern pthread_cond_t double_news;   // some payload, crossing or device changed
// Counts a call. Returns the error that it shall fail with, or VK_SUCCESS. device null: an instance's function.
VkResult planned(enum function function, struct device *device, bool loses);
struct double_pretence pretence(void);

// semaphores.c
#define X(name, failure, loses, parameters, arguments) VkResult own_##name parameters;
#define NOTHING(name, failure, loses, parameters, arguments)
FOR_EACH_DEVICE_FUNCTION(NOTHING, X)
#undef NOTHING
#undef X
struct device *device_of(void *handle); // a device, queue or command buffer
void semaphore_destroyed(struct device *device, VkSemaphore semaphore);
void semaphores_let_go(struct device *device); // waits of the device for payloads end at once
void semaphores_close(struct device *device);  // before the device goes

#endif
