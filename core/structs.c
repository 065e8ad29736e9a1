#include "structs.h"
#include "vector.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define MAX_STRUCT_SIZE 4096 // no struct will ever be longer; a larger size is garbage
#define MAX_CHAIN 16
#define MAX_INFO_SIZE 512

static plait_result check_aligned(const struct call *call, const char *argument, const void *in) {
    if ((uintptr_t)in % _Alignof(plait_head))
        return fail(call, PLAIT_ERROR_INVALID_STRUCT, "%s is not aligned to %zu bytes", argument, _Alignof(plait_head));
    return PLAIT_OK;
}

static plait_result check_head(const struct call *call, const char *argument, const void *in, uint32_t type) {
    if (!in) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s is null", argument);
    plait_result result = check_aligned(call, argument, in);
    if (result != PLAIT_OK) return result;
    const plait_head *head = in;
    if (head->type != type)
        return fail(call, PLAIT_ERROR_INVALID_STRUCT, "%s.head.type is %u, not %u", argument, head->type, type);
    if (head->size < sizeof *head || head->size > MAX_STRUCT_SIZE || head->size % _Alignof(plait_head))
        return fail(call, PLAIT_ERROR_INVALID_STRUCT, "%s.head.size is %u, which is not a size of this struct",
                    argument, head->size);
    return PLAIT_OK;
}

static plait_result copy_struct(const struct call *call, const char *argument, const void *in, void *out, size_t size) {
    size_t given = ((const plait_head *)in)->size;
    for (size_t i = size; i < given; i++)
        if (((const unsigned char *)in)[i])
            return fail(call, PLAIT_ERROR_INVALID_STRUCT,
                        "%s has %zu bytes, of which this library knows %zu, and the rest is not zero", argument, given,
                        size);
    memset(out, 0, size);
    memcpy(out, in, given < size ? given : size);
    return PLAIT_OK;
}

plait_result struct_read(const struct call *call, const char *argument, const void *in, uint32_t type, void *out,
                         size_t size, struct extension *extensions, uint32_t extension_count) {
    plait_result result = check_head(call, argument, in, type);
    if (result != PLAIT_OK) return result;
    result = copy_struct(call, argument, in, out, size);
    if (result != PLAIT_OK) return result;
    const plait_head *link = ((const plait_head *)in)->next;
    for (uint32_t length = 0; link; length++, link = link->next) {
        if (length == MAX_CHAIN)
            return fail(call, PLAIT_ERROR_UNKNOWN_EXTENSION, "%s.head.next is longer than %d structs", argument,
                        MAX_CHAIN);
        char name[64]; // of the link: desc.head.next, desc.head.next[1], ...
        int end = snprintf(name, sizeof name, "%s.head.next", argument);
        if (length > 0) snprintf(name + end, sizeof name - (size_t)end, "[%u]", length);
        result = check_aligned(call, name, link); // before its type is read
        if (result != PLAIT_OK) return result;
        struct extension *known = NULL;
        for (uint32_t i = 0; i < extension_count; i++)
            if (extensions[i].type == link->type) known = &extensions[i];
        if (!known || known->found)
            return fail(call, PLAIT_ERROR_UNKNOWN_EXTENSION, "%s.head.next has a struct of type %u that %s", argument,
                        link->type, known ? "is there twice" : "cannot extend it");
        result = check_head(call, name, link, known->type);
        if (result == PLAIT_OK) result = copy_struct(call, name, link, known->copy, known->size);
        if (result != PLAIT_OK) return result;
        known->found = true;
    }
    return PLAIT_OK;
}

const void *struct_element(const void *array, uint32_t index) {
    uint32_t size; // an array that is not aligned is refused where its elements are read
    memcpy(&size, (const char *)array + offsetof(plait_head, size), sizeof size);
    return (const char *)array + (size_t)index * size;
}

plait_result struct_check_element(const struct call *call, const char *argument, const void *array, uint32_t index) {
    const plait_head *first = array, *element = struct_element(array, index);
    if (element->size != first->size)
        return fail(call, PLAIT_ERROR_INVALID_STRUCT, "%s[%u].head.size differs from that of the first", argument,
                    index);
    return PLAIT_OK;
}

plait_result struct_read_element(const struct call *call, const char *argument, const void *array, uint32_t index,
                                 uint32_t type, void *out, size_t size) {
    // The size of the first is known to be one: it is not read as far as a later one only says.
    plait_result result = index ? struct_check_element(call, argument, array, index) : PLAIT_OK;
    if (result != PLAIT_OK) return result;
    return struct_read(call, argument, struct_element(array, index), type, out, size, NULL, 0);
}

static plait_result fail_float(const struct call *call, const char *argument, uint32_t index,
                               const struct float_range *range, float value) {
    char element[16] = "";
    if (index != NOT_IN_ARRAY) snprintf(element, sizeof element, "[%u]", index);
    if (range->high == FLT_MAX)
        return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s%s.%s is %g, not %g or more and finite", argument, element,
                    range->name, (double)value, (double)range->low);
    const bool apart = range->zero_means != 0 && range->low > 0; // zero is no part of the range
    return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "%s%s.%s is %g, not %s%g to %g", argument, element, range->name,
                (double)value, apart ? "0 or " : "", (double)range->low, (double)range->high);
}

plait_result struct_check_floats(const struct call *call, const char *argument, uint32_t index, void *values,
                                 const struct float_range *ranges, size_t range_count) {
    for (size_t i = 0; i < range_count; i++) {
        const struct float_range *range = &ranges[i];
        float *value = (float *)((char *)values + range->offset);
        bool finite = is_finite(*value);
        if (finite && *value == 0 && range->zero_means != 0)
            *value = range->zero_means;
        else if (!finite || *value < range->low || *value > range->high)
            return fail_float(call, argument, index, range, *value);
    }
    return PLAIT_OK;
}

plait_result struct_check_info(const struct call *call, const char *argument, const void *info, uint32_t type) {
    plait_result result = check_head(call, argument, info, type);
    if (result == PLAIT_OK && ((const plait_head *)info)->next)
        return fail(call, PLAIT_ERROR_UNKNOWN_EXTENSION, "%s.head.next is not null", argument);
    return result;
}

void struct_write(void *info, const void *values, size_t size) {
    plait_head head;
    memcpy(&head, info, sizeof head);
    memset((char *)info + sizeof head, 0, head.size - sizeof head);
    size_t known = head.size < size ? head.size : size;
    memcpy((char *)info + sizeof head, (const char *)values + sizeof head, known - sizeof head);
}

plait_result struct_list(const struct call *call, uint32_t type, size_t size, uint32_t available, uint32_t *count,
                         void *infos, void (*write)(void *user, uint32_t index, void *out), void *user) {
    if (!count) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "count is null");
    if (!infos) {
        *count = available;
        return PLAIT_OK;
    }
    uint32_t room = *count < available ? *count : available;
    for (uint32_t i = 0; i < room; i++) {
        plait_result result = struct_check_info(call, "infos", struct_element(infos, i), type);
        if (result == PLAIT_OK) result = struct_check_element(call, "infos", infos, i);
        if (result != PLAIT_OK) return result;
    }
    for (uint32_t i = 0; i < room; i++) {
        _Alignas(plait_head) char values[MAX_INFO_SIZE] = {0};
        write(user, i, values);
        struct_write((void *)(uintptr_t)struct_element(infos, i), values, size);
    }
    *count = room;
    return room < available ? PLAIT_INCOMPLETE : PLAIT_OK;
}
