// A stand-in for Unity that draws with Vulkan: it loads the plugin, makes its instance and device as Unity does, through the function
// that the plugin gives it, has graphics buffers, and runs events in a thread of their own. A shared library, for C and C#.
#ifndef BINDINGS_STAND_IN_H
#define BINDINGS_STAND_IN_H

#include <stdint.h>
#include <unity_interface.h>

enum { STAND_IN_FIRST_EVENT = 1000 };

// What GraphicsBuffer.GetNativeBufferPtr points to.
typedef struct stand_in_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    void *mapped;
    uint64_t size, told_size; // told_size: what Unity says that it is
} stand_in_buffer;

// early: the plugin is there before the device, as with "Load on startup". Null: there is no Vulkan. Else dlopen's handle of the plugin.
UNITY_EXPORT void *stand_in_start(const char *plugin, int renderer, int early);
UNITY_EXPORT void stand_in_end(void);
// Unity's device goes while the plugin is there.
UNITY_EXPORT void stand_in_shutdown(void);
UNITY_EXPORT int stand_in_configured_events(void);

// Unity's render thread comes to an event; returns when it has passed.
UNITY_EXPORT void stand_in_issue(UnityRenderingEvent function, int event);

// Memory that the CPU can read, once the GPU is done, for which stand_in_read waits.
UNITY_EXPORT stand_in_buffer *stand_in_make_buffer(uint64_t size);
UNITY_EXPORT void stand_in_release_buffer(stand_in_buffer *buffer);
UNITY_EXPORT void stand_in_read(const stand_in_buffer *buffer, void *memory, uint64_t size);

#endif
