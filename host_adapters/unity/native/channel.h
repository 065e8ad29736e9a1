/* What the plugin's parts share. */
#ifndef PLAIT_UNITY_CHANNEL_H
#define PLAIT_UNITY_CHANNEL_H

#include <stdatomic.h>

#include "plait_unity.h"

/* What the plugin calls; it is not linked to Plait, because Unity may load it first. */
#define LIBRARY_FUNCTIONS(X)                                                                                           \
    X(plait_device_open)                                                                                               \
    X(plait_device_close)                                                                                              \
    X(plait_hair_query)                                                                                                \
    X(plait_hair_set_device)                                                                                           \
    X(plait_hair_set_output)                                                                                           \
    X(plait_hair_set_render_output)                                                                                    \
    X(plait_hair_step)

#define LIBRARY_MEMBER(name) PFN_##name name;
typedef struct library_functions {
    LIBRARY_FUNCTIONS(LIBRARY_MEMBER)
} library_functions;
extern library_functions library;

/* What an event leaves for plait_unity_poll. */
typedef struct record {
    plait_result result;
    const char *reason;
    uint64_t frame_count;
    plait_hair_info info;
} record;

/* Events that can pass while the main thread reads one record: it pushes no frames meanwhile. */
enum { RECORDS = PLAIT_UNITY_FRAMES + 2 };

/* A channel of one hair. The main thread writes a frame and then pushed, the render thread takes it and then writes taken. Records go
 * the other way, with told. Each side looks at the other's counters, so no lock is needed. */
typedef struct channel {
    plait_unity_desc desc;
    atomic_uint state; /* 0: free; else PLAIT_UNITY_OPEN or PLAIT_UNITY_CLOSED */
    atomic_bool closing;
    atomic_ullong pushed, taken, told;
    struct {
        plait_frame_desc desc;
        float *bones;             /* [bone_count][12] */
    } frames[PLAIT_UNITY_FRAMES]; /* frame n at n % PLAIT_UNITY_FRAMES */
    record records[RECORDS];      /* record n at n % RECORDS */

    /* The render thread's. */
    bool started;
    uint64_t target;   /* what the output goes to: a VkBuffer */
    uint64_t timeline; /* VkSemaphore */
    uint64_t value;    /* that it was last raised to */
    const char *reason;
} channel;

/* Notes why something is not possible. */
plait_result channel_fail(channel *c, plait_result result, const char *reason);

#ifdef PLAIT_UNITY_VULKAN
/* Called in UnityPluginLoad; then when Unity's device is there, and before it goes. */
void vulkan_load(IUnityInterfaces *interfaces);
void vulkan_begin(int first_event, int event_count);
void vulkan_end(void);
bool vulkan_supported(const char **reason);

/* On the render thread. */
plait_result vulkan_start(channel *c);
plait_result vulkan_step(channel *c, plait_frame_desc *frame);
plait_result vulkan_stop(channel *c);
#endif

#endif
