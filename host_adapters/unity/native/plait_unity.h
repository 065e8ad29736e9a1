/* plait_unity.h - Plait on Unity's render thread: strands go into a GraphicsBuffer without a copy.
 *
 * With Vulkan, Plait runs on Unity's own device and submits to its queue, which only the render thread may do. A channel carries
 * frames there: the main thread pushes one and issues a plugin event (CommandBuffer.IssuePluginEvent with
 * plait_unity_event_function and the channel's event); Unity's render thread then steps the hair, between what it has drawn
 * before and what it draws afterwards. Neither CPU thread waits for the GPU.
 *
 * Unity must load the plugin at start-up ("Load on startup"), because Vulkan's timeline semaphores are turned on while Unity makes
 * its device. With other graphics APIs channels are refused, and hosts copy strands instead.
 *
 * Threads: all functions here belong to one thread, Unity's main thread. From plait_unity_open until the channel is closed the hair
 * belongs to the render thread: the host makes no calls on it.
 */
#ifndef PLAIT_UNITY_H
#define PLAIT_UNITY_H

#include <plait.h>

#include "unity_interface.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLAIT_UNITY_CHANNELS 64
#define PLAIT_UNITY_FRAMES 4 /* that may wait for the render thread */

typedef struct plait_unity_desc {
    plait_context context;
    plait_hair hair;
    plait_device fallback; /* where the hair goes when the channel is closed */
    void *buffer;          /* GraphicsBuffer.GetNativeBufferPtr, of a structured buffer of float4 (position, radius) */
    uint64_t size;         /* bytes of it */
    uint32_t bone_count;   /* of every frame */
    uint32_t render;       /* 1: the render strands of the hair's binding; 0: the simulated ones */
} plait_unity_desc;

#define PLAIT_UNITY_OPEN 1u    /* waits for its first event, or runs */
#define PLAIT_UNITY_CLOSING 2u /* waits for its last event */
#define PLAIT_UNITY_CLOSED 3u  /* the hair is the host's again, on the fallback device, without an output */

typedef struct plait_unity_status {
    uint32_t state;       /* PLAIT_UNITY_xxx */
    plait_result result;  /* of the last event */
    uint64_t frame_count; /* that the render thread has taken */
    const char
        *reason; /* why it failed, where Plait's own log does not tell; static; null: it did not, or the log tells */
    plait_hair_info info; /* as of the last frame: strands to draw, bounds */
} plait_unity_status;

/* Comes first: the library's plait_get_proc_address. The library must stay loaded as long as the plugin.
 * PLAIT_ERROR_UNSUPPORTED if the library lacks a function. */
UNITY_EXPORT plait_result plait_unity_connect(PFN_plait_get_proc_address get_proc_address);

/* Whether channels can be opened: PLAIT_OK, or PLAIT_ERROR_UNSUPPORTED and why (static text; reason may be null). */
UNITY_EXPORT plait_result plait_unity_supported(const char **reason);

/* Opens a channel, numbered from 0. The first event moves the hair to Unity's device and sets its output. */
UNITY_EXPORT plait_result plait_unity_open(const plait_unity_desc *desc, uint32_t *channel);

/* What to issue for a channel, after each push and after closing. */
UNITY_EXPORT int plait_unity_event(uint32_t channel);
UNITY_EXPORT UnityRenderingEvent plait_unity_event_function(void);

/* Copies a frame, which has bones and neither chained structs nor switched-off colliders. PLAIT_ERROR_BUSY when
 * PLAIT_UNITY_FRAMES wait already; the host then goes on without this one. */
UNITY_EXPORT plait_result plait_unity_push(uint32_t channel, const plait_frame_desc *frame);

/* How the channel is. Once it has told PLAIT_UNITY_CLOSED, the number is free. */
UNITY_EXPORT plait_result plait_unity_poll(uint32_t channel, plait_unity_status *status);

/* Asks for the end of the channel, at its next event. */
UNITY_EXPORT plait_result plait_unity_close(uint32_t channel);

/* What Unity calls. */
UNITY_EXPORT void UNITY_CALL UnityPluginLoad(IUnityInterfaces *interfaces);
UNITY_EXPORT void UNITY_CALL UnityPluginUnload(void);

#ifdef __cplusplus
}
#endif

#endif
