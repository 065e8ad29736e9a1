// Structs of plait_vulkan.h and plait_cuda.h that hosts chain to those of plait.h. Core knows the size and the
// backend of each, copies it and passes it to that backend, which checks the content.
#ifndef PLAIT_PLATFORM_STRUCTS_H
#define PLAIT_PLATFORM_STRUCTS_H

#include "structs.h"

#define MAX_PLATFORM_STRUCTS 2 // that extend the same struct
#define MAX_PLATFORM_SIZE 128

enum platform_place { PLATFORM_DEVICE, PLATFORM_OUTPUT, PLATFORM_FRAME };

// What was found in a chain.
struct platform_struct {
    _Alignas(plait_head) unsigned char copies[MAX_PLATFORM_STRUCTS][MAX_PLATFORM_SIZE];
    uint32_t count;   // 0: none; more than 1: several
    const void *copy; // the last of them, or null
    const char *name; // of its type
    uint32_t backend; // PLAIT_BACKEND_xxx that it is for
};

// As struct_read, with more extensions that core knows itself.
plait_result platform_read(const struct call *call, const char *argument, const void *in, uint32_t type, void *out,
                           size_t size, struct extension *extensions, uint32_t extension_count,
                           enum platform_place place, struct platform_struct *found);

#endif
