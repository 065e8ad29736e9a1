// Reading structs that come in and writing structs that go out, by the rules of plait.h: heads, sizes, chains.
#ifndef PLAIT_STRUCTS_H
#define PLAIT_STRUCTS_H

#include "context.h"

#include <stddef.h>

// A struct that may be chained to another. Its copy is zero-filled like that of the main struct.
struct extension {
    uint32_t type;
    size_t size;
    void *copy;
    bool found;
};

// Copies `in` to `out`. A shorter struct leaves the tail zero; a longer one must be zero beyond what is known.
plait_result struct_read(const struct call *call, const char *argument, const void *in, uint32_t type, void *out,
                         size_t size, struct extension *extensions, uint32_t extension_count);

// The element at `index` of an array of structs, each as long as the first one's head says.
const void *struct_element(const void *array, uint32_t index);

// Whether that element's head says that it is as long as the first one's.
plait_result struct_check_element(const struct call *call, const char *argument, const void *array, uint32_t index);

// Reads that element; its head must be like the first one's.
plait_result struct_read_element(const struct call *call, const char *argument, const void *array, uint32_t index,
                                 uint32_t type, void *out, size_t size);

// What a float field of the host's may be.
struct float_range {
    const char *name; // for messages
    size_t offset;
    float low, high;
    float zero_means; // 0, where zero is nothing but a number
};
#define FLOAT_RANGE(type, field, low, high)                                                                            \
    { #field, offsetof(type, field), low, high, 0 }
#define FLOAT_RANGE3(type, field, low, high)                                                                           \
    FLOAT_RANGE(type, field[0], low, high), FLOAT_RANGE(type, field[1], low, high),                                    \
        FLOAT_RANGE(type, field[2], low, high)

#define NOT_IN_ARRAY UINT32_MAX

// Checks floats of a struct that was read; puts zero_means in the place of zeros. index: that of the array `argument`.
plait_result struct_check_floats(const struct call *call, const char *argument, uint32_t index, void *values,
                                 const struct float_range *ranges, size_t range_count);

// Checks an output struct, before anything is done.
plait_result struct_check_info(const struct call *call, const char *argument, const void *info, uint32_t type);

// Copies what fits of `values` (its head is ignored) into the host's struct; zeros the fields that only the host knows.
void struct_write(void *info, const void *values, size_t size);

// The common two-call listing: count alone, or count and infos. write(i, user) copies values of entry i to out.
plait_result struct_list(const struct call *call, uint32_t type, size_t size, uint32_t available, uint32_t *count,
                         void *infos, void (*write)(void *user, uint32_t index, void *out), void *user);

#endif
