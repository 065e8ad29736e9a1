// What translated PTX is made of: registers are unsigned integers of their width, types come with the instructions. See
// ptx_to_c.c and the PTX ISA, "Instruction Set".
#ifndef PLAIT_TESTS_PTX_RUN_H
#define PLAIT_TESTS_PTX_RUN_H

#include "kernels.h"

#include <math.h>
#include <string.h>

// Whether bytes of the device's memory may be touched; the fake driver knows.
bool device_memory_holds(uint64_t address, uint64_t size);

#define PTX static inline __attribute__((always_inline, unused))

// ---- registers to values and back ----

PTX float to_f32(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
PTX uint32_t from_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
// Arithmetic makes one kind of NaN.
PTX float canonical(float value) { return value == value ? value : to_f32(0x7fffffffu); }

PTX float ptx_max(float a, float b) {
    if (a != a) return canonical(b);
    if (b != b) return a;
    if (a == b) return to_f32(from_f32(a) & from_f32(b)); // +0 is more than -0
    return a > b ? a : b;
}
PTX float ptx_min(float a, float b) {
    if (a != a) return canonical(b);
    if (b != b) return a;
    if (a == b) return to_f32(from_f32(a) | from_f32(b));
    return a < b ? a : b;
}

// The low bits of a, as many as `length`, in the place of those of b from `at` on.
PTX uint32_t ptx_insert(uint32_t a, uint32_t b, uint32_t at, uint32_t length) {
    uint64_t mask = (length > 31 ? 0xffffffffull : (1ull << length) - 1) << (at > 63 ? 63 : at);
    return (uint32_t)((((uint64_t)a << (at > 63 ? 63 : at)) & mask) | (b & ~mask));
}

// Four of the eight bytes of b and a; the top bit of a selector spreads the byte's sign over it.
PTX uint32_t ptx_permute(uint32_t a, uint32_t b, uint32_t selectors) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t selector = selectors >> 4 * i & 15, byte = (uint32_t)(bytes >> 8 * (selector & 7)) & 255;
        if (selector & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}

// To whole numbers, cut: what is too large or too small becomes the last that there is, NaN becomes 0.
PTX int32_t to_s32(float a) {
    if (a != a) return 0;
    return a >= 2147483648.0f ? INT32_MAX : a < -2147483648.0f ? INT32_MIN : (int32_t)a;
}
PTX uint32_t to_u32(float a) {
    if (!(a > 0)) return 0;
    return a >= 4294967296.0f ? UINT32_MAX : (uint32_t)a;
}

// ---- memory ----

PTX void *global_at(uint64_t address, uint64_t size, int line) {
    if (address % size) fiber_trap("a misaligned address in global memory", line);
    if (!device_memory_holds(address, size)) fiber_trap("an address outside of all global memory", line);
    return (void *)(uintptr_t)address;
}
PTX void *shared_at(uint64_t address, uint64_t size, uint64_t room, int line) {
    if (address % size) fiber_trap("a misaligned address in shared memory", line);
    if (address > room || size > room - address) fiber_trap("an address outside of shared memory", line);
    return fiber_self->shared + address;
}
PTX const void *param_at(const void *params, uint64_t address, uint64_t size, uint64_t room, int line) {
    uint64_t offset = address - (uint64_t)(uintptr_t)params;
    if (offset % size || offset > room || size > room - offset)
        fiber_trap("an address outside of the parameters", line);
    return (const void *)(uintptr_t)address;
}

#define LOAD_STORE(type)                                                                                               \
    PTX type##_t load_##type(const void *at) {                                                                         \
        type##_t value;                                                                                                \
        memcpy(&value, at, sizeof value);                                                                              \
        return value;                                                                                                  \
    }                                                                                                                  \
    PTX void store_##type(void *at, type##_t value) { memcpy(at, &value, sizeof value); }
LOAD_STORE(uint8)
LOAD_STORE(uint16)
LOAD_STORE(uint32)
LOAD_STORE(uint64)
#undef LOAD_STORE

// Fibers change places only where they wait: nothing comes between a load and a store.
#define ATOMIC(name, now)                                                                                              \
    PTX uint32_t name##_at(void *at, uint32_t value) {                                                                 \
        uint32_t old = load_uint32(at);                                                                                \
        store_uint32(at, now);                                                                                         \
        return old;                                                                                                    \
    }
ATOMIC(add_u32, old + value)
ATOMIC(add_f32, from_f32(canonical(to_f32(old) + to_f32(value))))
ATOMIC(min_u32, value < old ? value : old)
ATOMIC(max_u32, value > old ? value : old)
ATOMIC(min_s32, (int32_t)value < (int32_t)old ? value : old)
ATOMIC(max_s32, (int32_t)value > (int32_t)old ? value : old)
ATOMIC(and_b32, value &old)
ATOMIC(or_b32, value | old)
ATOMIC(xor_b32, value ^ old)
#undef ATOMIC
PTX uint32_t cas_b32_at(void *at, uint32_t expected, uint32_t value) {
    uint32_t old = load_uint32(at);
    if (old == expected) store_uint32(at, value);
    return old;
}

// ---- warps ----

enum { PTX_SYNC, PTX_SHUFFLE, PTX_VOTE };

// shfl.sync: b is the lane or distance, c the clamp and the segment mask.
PTX uint32_t shuffle(char mode, uint32_t value, uint32_t b, uint32_t c, uint32_t mask, bool *inside, int line) {
    uint32_t lane = fiber_self->lane, segment = c >> 8 & 31, clamp = c & 31, from;
    uint32_t limit = (lane & segment) | (clamp & ~segment);
    b &= 31;
    fiber_exchange(mask, PTX_SHUFFLE, value, line);
    switch (mode) {
    case 'u':
        from = lane - b;
        *inside = (int32_t)from >= (int32_t)limit;
        break;
    case 'd':
        from = lane + b;
        *inside = from <= limit;
        break;
    case 'b':
        from = lane ^ b;
        *inside = from <= limit;
        break;
    default:
        from = (lane & segment) | (b & ~segment);
        *inside = from <= limit;
        break;
    }
    if (!*inside) from = lane;
    if (!(mask >> from & 1)) fiber_trap("a shuffle reads a lane outside of its mask", line);
    return (uint32_t)fiber_self->gathered[from];
}

PTX uint32_t ballot(bool predicate, uint32_t mask, int line) {
    fiber_exchange(mask, PTX_VOTE, predicate, line);
    uint32_t set = 0;
    for (uint32_t i = 0; i < FIBER_WARP; i++)
        if (mask >> i & 1) set |= (uint32_t)(fiber_self->gathered[i] != 0) << i;
    return set;
}

#endif
