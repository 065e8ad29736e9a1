// CPU and null devices: instruction sets and host memory. plan.c runs what they are given.
#include "cpu_device.h"
#include "share.h"

#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

// What a group of a building block has at a time. Of a radix sort of 1,000,000 pairs of words 4096 take a quarter longer,
// 32768 a twentieth less but leave too few groups for many threads.
#define TILE_WORDS 16384

// ---- instruction sets ----

struct instruction_set {
    const char *name;
    const struct cpu_variant *variant, *narrow;
};

#if PLAIT_REGISTERS == 2
#define NARROW(set) &cpu_variant_##set##_narrow
#else
#define NARROW(set) &cpu_variant_##set
#endif

// Indexed by PLAIT_CPU_xxx; a null variant is not there on this processor or in this build.
static struct instruction_set instruction_set(uint32_t id) {
    struct instruction_set none = {"none", NULL, NULL};
    switch (id) {
    case PLAIT_CPU_SCALAR: return (struct instruction_set){"scalar", &cpu_variant_scalar, &cpu_variant_scalar};
#if defined(PLAIT_HAS_SSE2)
    case PLAIT_CPU_SSE2: return (struct instruction_set){"sse2", &cpu_variant_sse2, NARROW(sse2)};
#endif
#if defined(PLAIT_HAS_AVX2)
    case PLAIT_CPU_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                   ? (struct instruction_set){"avx2", &cpu_variant_avx2, NARROW(avx2)}
                   : none;
#endif
#if defined(PLAIT_HAS_AVX512)
    case PLAIT_CPU_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma")
                   ? (struct instruction_set){"avx512", &cpu_variant_avx512, &cpu_variant_avx512}
                   : none;
#endif
#if defined(PLAIT_HAS_NEON) // every 64-bit ARM has it
    case PLAIT_CPU_NEON: return (struct instruction_set){"neon", &cpu_variant_neon, NARROW(neon)};
#endif
    default: return none;
    }
}

static plait_result cpu_probe(struct context *context, void **state, uint32_t *count, char reason[PLAIT_REASON_SIZE]) {
    (void)context;
    (void)state;
    (void)reason;
    *count = 1;
    return PLAIT_OK;
}

static void cpu_forget(struct context *context, void *state) {
    (void)context;
    (void)state;
}

static bool cpu_is_software(void *state, uint32_t index) {
    (void)state;
    (void)index;
    return false;
}

static void cpu_describe(void *state, uint32_t index, plait_device_info *info) {
    (void)state;
    (void)index;
    info->interop = PLAIT_INTEROP_HOST_POINTER;
    info->memory_bytes = physical_memory_bytes();
    snprintf(info->name, sizeof info->name, "CPU");
#if defined(__x86_64__)
    unsigned words[12] = {0};
    unsigned *w = words;
    for (unsigned leaf = 0x80000002u; leaf <= 0x80000004u; leaf++, w += 4)
        if (!__get_cpuid(leaf, &w[0], &w[1], &w[2], &w[3])) return;
    char brand[49] = {0};
    memcpy(brand, words, 48);
    if (brand[0]) snprintf(info->name, sizeof info->name, "%s", brand);
#endif
}

static void null_describe(void *state, uint32_t index, plait_device_info *info) {
    cpu_describe(state, index, info);
    snprintf(info->name, sizeof info->name, "null");
}

// ---- memory ----

// All memory is the process's: any plan can bind any buffer. What arenas share is the order of their runs.
static plait_result cpu_arena_create(struct device *device, uint32_t frame_runs, struct arena *beside,
                                     struct arena **out) {
    (void)frame_runs; // each is done when it returns
    struct context *context = device->object.context;
    struct cpu_arena *arena = memory_allocate(context, 1, sizeof *arena);
    if (!arena) return PLAIT_ERROR_OUT_OF_MEMORY;
    arena->arena.device = device;
    arena->share = beside ? ((struct cpu_arena *)beside)->share : share_create(context);
    if (!arena->share) {
        memory_release(context, arena);
        return PLAIT_ERROR_OUT_OF_MEMORY;
    }
    if (beside) share_keep(arena->share);
    *out = &arena->arena;
    return PLAIT_OK;
}

static void cpu_arena_destroy(struct arena *arena) {
    share_drop(((struct cpu_arena *)arena)->share);
    memory_release(arena->device->object.context, arena);
}

static plait_result cpu_buffer_create(struct arena *arena, uint64_t size, enum buffer_use use, struct buffer *buffer) {
    struct device *device = arena->device;
    const size_t row = device->pack_width * sizeof(float); // kernels over items read a full one from any word on
    if (use == USE_SCRATCH) size = 0;                      // see banks
    void *memory = size <= SIZE_MAX / 2 ? memory_allocate(device->object.context, 1, (size_t)size + row) : NULL;
    if (!memory) return PLAIT_ERROR_OUT_OF_MEMORY;
    *buffer = (struct buffer){.arena = arena, .memory = memory, .size = size, .use = use};
    atomic_fetch_add(&device->used_bytes, size);
    return PLAIT_OK;
}

static void cpu_buffer_destroy(struct buffer *buffer) {
    if (!buffer->memory) return;
    struct device *device = buffer->arena->device;
    atomic_fetch_sub(&device->used_bytes, buffer->size);
    memory_release(device->object.context, buffer->memory);
    memset(buffer, 0, sizeof *buffer);
}

// A copy between two runs of arenas that share memory.
struct copy_run {
    struct share_run run;
    void *to;
    const void *from;
    size_t size;
};

static bool copy_piece(struct share_run *run, struct share_piece *none) {
    struct copy_run *copy = (struct copy_run *)run;
    (void)none;
    memcpy(copy->to, copy->from, copy->size);
    return false;
}

// Dynamic buffers belong to the runs of their own arena.
static void copy_memory(const struct buffer *buffer, void *to, const void *from, uint64_t size) {
    struct share *share = ((struct cpu_arena *)buffer->arena)->share;
    struct copy_run copy = {.run.next = copy_piece, .to = to, .from = from, .size = (size_t)size};
    if (buffer->use != USE_DYNAMIC && share_is_shared(share))
        share_take_turn(share, &copy.run);
    else
        memcpy(to, from, copy.size);
}

static plait_result cpu_buffer_write(struct buffer *buffer, uint64_t offset, const void *data, uint64_t size) {
    copy_memory(buffer, (char *)buffer->memory + offset, data, size);
    return PLAIT_OK;
}

static plait_result cpu_buffer_read(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size) {
    copy_memory(buffer, data, (const char *)buffer->memory + offset, size);
    return PLAIT_OK;
}

// What is peeked at is the arena's own, and its runs are done.
static plait_result cpu_buffer_peek(const struct buffer *buffer, uint64_t offset, void *data, uint64_t size) {
    memcpy(data, (const char *)buffer->memory + offset, (size_t)size);
    return PLAIT_OK;
}

static plait_result cpu_wait(struct arena *arena, uint64_t timeout_ns) {
    (void)arena;
    (void)timeout_ns;
    return PLAIT_OK;
}

// ---- opening ----

static void cpu_close(struct device *device) {
    mutex_destroy(&((struct cpu_device *)device)->banks.mutex);
    memory_release(device->object.context, device);
}

static const struct device_ops cpu_ops = {
    .sweeps = true,
    .takes_crew = true,
    .arena_create = cpu_arena_create,
    .arena_destroy = cpu_arena_destroy,
    .buffer_create = cpu_buffer_create,
    .buffer_destroy = cpu_buffer_destroy,
    .buffer_write = cpu_buffer_write,
    .buffer_read = cpu_buffer_read,
    .buffer_peek = cpu_buffer_peek,
    .plan_create = cpu_plan_create,
    .plan_destroy = cpu_plan_destroy,
    .plan_set = cpu_plan_set,
    .plan_run = cpu_plan_run,
    .plan_time = cpu_plan_time,
    .wait = cpu_wait,
    .close = cpu_close,
};

static plait_result make_device(struct call *call, struct instruction_set set, bool skip_physics, struct device **out) {
    struct cpu_device *cpu = memory_allocate(call->context, 1, sizeof *cpu);
    if (!cpu) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory for the device");
    cpu->variant = set.variant;
    cpu->narrow = set.narrow;
    cpu->skip_physics = skip_physics;
    mutex_init(&cpu->banks.mutex);
    cpu->device.ops = &cpu_ops;
    cpu->device.object.context = call->context;
    cpu->device.pack_width = set.variant->width;
    cpu->device.narrow_width = set.narrow->width;
    cpu->device.tile = TILE_WORDS;
    cpu->device.lists_per_pack = skip_physics ? 0 : 1;
    atomic_init(&cpu->device.used_bytes, 0);
    snprintf(cpu->device.info.variant, sizeof cpu->device.info.variant, "%s", set.name);
    *out = &cpu->device;
    return PLAIT_OK;
}

static plait_result cpu_open(struct call *call, void *state, const struct device_request *request,
                             struct device **out) {
    (void)state;
    uint32_t wanted = request->cpu.instruction_set;
    if (wanted > PLAIT_CPU_NEON)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "instruction_set is %u, not a PLAIT_CPU_xxx", wanted);
    struct instruction_set set = {NULL, NULL, NULL};
    if (wanted == PLAIT_CPU_AUTO)
        for (uint32_t id = PLAIT_CPU_NEON; id > PLAIT_CPU_AUTO && !set.variant; id--) set = instruction_set(id);
    else
        set = instruction_set(wanted);
    if (!set.variant)
        return fail(call, PLAIT_ERROR_UNAVAILABLE, "this processor or build lacks instruction set %u", wanted);
    return make_device(call, set, false, out);
}

static plait_result null_open(struct call *call, void *state, const struct device_request *request,
                              struct device **out) {
    (void)state;
    (void)request;
    return make_device(call, instruction_set(PLAIT_CPU_SCALAR), true, out);
}

const struct backend cpu_backend = {.id = PLAIT_BACKEND_CPU,
                                    .name = "cpu",
                                    .probe = cpu_probe,
                                    .forget = cpu_forget,
                                    .describe = cpu_describe,
                                    .is_software = cpu_is_software,
                                    .open = cpu_open};
const struct backend null_backend = {.id = PLAIT_BACKEND_NULL,
                                     .name = "null",
                                     .probe = cpu_probe,
                                     .forget = cpu_forget,
                                     .describe = null_describe,
                                     .is_software = cpu_is_software,
                                     .open = null_open};
