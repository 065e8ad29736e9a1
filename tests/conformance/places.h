// Where Plait runs. Missing devices are named and skipped; the first place is the reference for all others.
#ifndef PLAIT_TESTS_PLACES_H
#define PLAIT_TESTS_PLACES_H

#include "plait.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
    const char *name;
    uint32_t backend, instruction_set;
    bool hosted; // on a VkDevice of the test's own
};

static const struct place places[] = {
    {"scalar", PLAIT_BACKEND_CPU, PLAIT_CPU_SCALAR, false},
    {"sse2", PLAIT_BACKEND_CPU, PLAIT_CPU_SSE2, false},
    {"avx2", PLAIT_BACKEND_CPU, PLAIT_CPU_AVX2, false},
    {"avx512", PLAIT_BACKEND_CPU, PLAIT_CPU_AVX512, false},
    {"neon", PLAIT_BACKEND_CPU, PLAIT_CPU_NEON, false},
    {"cuda", PLAIT_BACKEND_CUDA, 0, false},
    {"vulkan", PLAIT_BACKEND_VULKAN, 0, false},
    {"vulkan on a host's device", PLAIT_BACKEND_VULKAN, 0, true},
};
enum { PLACES = sizeof places / sizeof places[0] };

// What is chained to plait_device_desc for a hosted place; null: there is no Vulkan. Lives until places_close, which
// comes after all devices are closed.
const void *place_host(void);
void places_close(void);

// Whether it gives the bits of the first. CPU builds do, and so does CUDA, which is compiled without contraction and
// rounds like the CPU; Vulkan leaves more to the device.
static inline bool place_is_exact(const struct place *place) { return place->backend != PLAIT_BACKEND_VULKAN; }

// PLAIT_TEST_PLACES, where it is set, names the places to run on beside the first, for runs that differ in one backend only.
static inline bool place_is_wanted(const struct place *place) {
    const char *wanted = getenv("PLAIT_TEST_PLACES");
    return !wanted || place == &places[0] || strstr(wanted, place->name);
}

static inline bool place_open(const struct place *place, plait_context context, plait_device *device) {
    if (!place_is_wanted(place)) return false;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    desc.backend = place->backend;
    cpu.instruction_set = place->instruction_set;
    if (place->backend == PLAIT_BACKEND_CPU) desc.head.next = &cpu;
    if (place->hosted) desc.head.next = place_host();
    bool opened = (!place->hosted || desc.head.next) && plait_device_open(context, &desc, device) == PLAIT_OK;
    if (!opened) printf("%s is not available on this machine\n", place->name);
    return opened;
}

#endif
