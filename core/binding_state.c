// Saved bindings: a header, then the arrays one after the other. A blob is checked as a host's input is: damaged or forged, it is
// refused and never leads out of a groom.
#include "binding.h"
#include "hash.h"
#include "vector.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define BINDING_VERSION 1u

struct binding_header {
    char magic[8];
    uint64_t checksum; // of everything behind it
    uint32_t version;
    uint32_t guide_count;
    uint64_t guides_identity, render_identity;
    uint64_t size;
    uint64_t place_count;
    uint32_t strand_count, row_count, single_count;
    float mean_distance, max_distance;
    uint32_t reserved;
};

static const char binding_magic[8] = "PLAITBN";
#define CHECKSUM_FROM offsetof(struct binding_header, version)

// Arrays of a binding, in the order that they have in a blob.
enum { BLOB_ARRAYS = 5 };
struct blob_array {
    void **memory; // in the binding
    uint64_t size;
};

static void list_arrays(struct binding *b, uint64_t strands, uint64_t rows, uint64_t places,
                        struct blob_array arrays[BLOB_ARRAYS]) {
    const uint64_t each = strands * b->guide_count;
    arrays[0] = (struct blob_array){(void **)&b->places, places * sizeof *b->places}; // first: it is aligned to 8 there
    arrays[1] = (struct blob_array){(void **)&b->order, strands * sizeof *b->order};
    arrays[2] = (struct blob_array){(void **)&b->strand_rows, each * sizeof *b->strand_rows};
    arrays[3] = (struct blob_array){(void **)&b->weights, each * sizeof *b->weights};
    arrays[4] = (struct blob_array){(void **)&b->rows, rows * sizeof *b->rows};
}

static uint64_t blob_size(const struct blob_array arrays[BLOB_ARRAYS]) {
    uint64_t size = sizeof(struct binding_header);
    for (int i = 0; i < BLOB_ARRAYS; i++) size += arrays[i].size;
    return size;
}

static uint64_t place_count(const struct binding *binding) {
    uint64_t count = 0;
    for (uint32_t r = 0; r < binding->info.row_count; r++)
        if (binding->rows[r].places != EVEN_ROW) count += binding->rows[r].count;
    return count;
}

static plait_result save_binding(const struct call *call, struct binding *binding, uint64_t *size, void *memory) {
    if (!size) return fail(call, PLAIT_ERROR_INVALID_ARGUMENT, "size is null");
    struct blob_array arrays[BLOB_ARRAYS];
    const plait_binding_info *info = &binding->info;
    struct binding_header header = {.version = BINDING_VERSION,
                                    .guide_count = binding->guide_count,
                                    .guides_identity = info->guides_identity,
                                    .render_identity = info->render_identity,
                                    .place_count = place_count(binding),
                                    .strand_count = info->strand_count,
                                    .row_count = info->row_count,
                                    .single_count = info->single_count,
                                    .mean_distance = info->mean_distance,
                                    .max_distance = info->max_distance};
    list_arrays(binding, info->strand_count, info->row_count, header.place_count, arrays);
    header.size = blob_size(arrays);
    if (memory && *size < header.size)
        return fail(call, PLAIT_ERROR_BUFFER_TOO_SMALL, "size is %llu, the binding needs %llu bytes",
                    (unsigned long long)*size, (unsigned long long)header.size);
    *size = header.size;
    if (!memory) return PLAIT_OK;
    memcpy(header.magic, binding_magic, sizeof header.magic);
    unsigned char *at = memory;
    memcpy(at, &header, sizeof header);
    at += sizeof header;
    for (int i = 0; i < BLOB_ARRAYS; i++) {
        memcpy(at, *arrays[i].memory, arrays[i].size);
        at += arrays[i].size;
    }
    header.checksum = hash_bytes(HASH_START, (unsigned char *)memory + CHECKSUM_FROM, header.size - CHECKSUM_FROM);
    memcpy((unsigned char *)memory + offsetof(struct binding_header, checksum), &header.checksum,
           sizeof header.checksum);
    return PLAIT_OK;
}

plait_result PLAIT_CALL plait_binding_save(plait_binding handle, uint64_t *size, void *memory) {
    struct call call = {.function = __func__};
    struct object *object;
    plait_result result = call_enter(&call, handle.id, OBJECT_BINDING, false, &object);
    if (result != PLAIT_OK) return result;
    result = save_binding(&call, (struct binding *)object, size, memory);
    call_leave_object(&call, object, false);
    return result;
}

// ---- loading ----

static bool rows_are_right(const struct binding *b, uint64_t places) {
    uint64_t used = 0;
    for (uint32_t r = 0; r < b->info.row_count; r++) {
        const struct binding_row *row = &b->rows[r];
        if (row->guide >= b->info.guide_strand_count || row->count < 2 || row->count > PLAIT_MAX_STRAND_VERTICES)
            return false;
        if (row->places == EVEN_ROW) continue;
        if (row->places > places || row->count > places - row->places) return false;
        used += row->count;
        for (uint32_t v = 0; v < row->count; v++) {
            double at = b->places[row->places + v];
            if (!is_finite_double(at) || at < 0 || at > b->guides->vertex_counts[row->guide] - 1) return false;
        }
    }
    return used == places;
}

// seen: zeros, one for each strand.
static bool strands_are_right(const struct binding *b, bool *seen) {
    uint32_t singles = 0;
    for (uint32_t i = 0; i < b->info.strand_count; i++) {
        bool single = true; // all of its rows are the first: that of one guide
        double sum = 0;
        if (b->order[i] >= b->info.strand_count || seen[b->order[i]]) return false;
        seen[b->order[i]] = true;
        for (uint32_t g = 0; g < b->guide_count; g++) {
            const size_t at = (size_t)i * b->guide_count + g;
            const float weight = b->weights[at];
            if (!is_finite(weight) || weight < 0 || weight > 1) return false;
            if (b->strand_rows[at] >= b->info.row_count ||
                b->rows[b->strand_rows[at]].count != b->render->vertex_counts[b->order[i]])
                return false;
            single = single && b->strand_rows[at] == b->strand_rows[at - g];
            sum += (double)weight;
        }
        if (fabs(sum - 1) > 1e-4) return false;
        singles += single;
    }
    return singles == b->info.single_count;
}

static plait_result check_header(const struct call *call, const struct binding *b, const struct binding_header *h,
                                 const unsigned char *memory, uint64_t size) {
    if (memcmp(h->magic, binding_magic, sizeof h->magic) != 0 || h->size != size)
        return fail(call, PLAIT_ERROR_INVALID_STATE, "memory holds no binding of %llu bytes", (unsigned long long)size);
    if (h->version != BINDING_VERSION)
        return fail(call, PLAIT_ERROR_INVALID_STATE, "the binding is of version %u, not %u", h->version,
                    BINDING_VERSION);
    if (h->checksum != hash_bytes(HASH_START, memory + CHECKSUM_FROM, size - CHECKSUM_FROM))
        return fail(call, PLAIT_ERROR_INVALID_STATE, "the binding is damaged: its checksum is wrong");
    if (h->guides_identity != b->guides->info.identity)
        return fail(call, PLAIT_ERROR_INVALID_STATE, "the binding is of other guides");
    if (h->render_identity != b->render->info.identity || h->strand_count != b->render->info.strand_count)
        return fail(call, PLAIT_ERROR_INVALID_STATE, "the binding is of another render groom");
    if (h->guide_count < 1 || h->guide_count > MAX_GUIDES || h->row_count == 0 || h->place_count > size ||
        h->row_count > (uint64_t)h->strand_count * h->guide_count || !is_finite(h->mean_distance) ||
        !is_finite(h->max_distance) || h->mean_distance < 0 || h->max_distance < 0 || h->reserved != 0)
        return fail(call, PLAIT_ERROR_INVALID_STATE, "the binding is damaged: its counts make no sense");
    return PLAIT_OK;
}

static plait_result load_arrays(struct call *call, struct binding *b, const struct binding_header *h,
                                const unsigned char *memory) {
    struct blob_array arrays[BLOB_ARRAYS];
    list_arrays(b, h->strand_count, h->row_count, h->place_count, arrays);
    if (blob_size(arrays) != h->size)
        return fail(call, PLAIT_ERROR_INVALID_STATE, "the binding is damaged: its counts make no sense");
    const unsigned char *at = memory + sizeof *h;
    for (int i = 0; i < BLOB_ARRAYS; i++) {
        *arrays[i].memory = memory_allocate(call->context, 1, arrays[i].size ? arrays[i].size : 1);
        if (!*arrays[i].memory)
            return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory to bind %u strands", h->strand_count);
        memcpy(*arrays[i].memory, at, arrays[i].size);
        at += arrays[i].size;
        b->info.memory_bytes += arrays[i].size;
    }
    bool *seen = memory_allocate(call->context, h->strand_count, sizeof *seen);
    if (!seen) return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory to bind %u strands", h->strand_count);
    bool right = rows_are_right(b, h->place_count) && strands_are_right(b, seen);
    memory_release(call->context, seen);
    return right ? PLAIT_OK
                 : fail(call, PLAIT_ERROR_INVALID_STATE, "the binding is damaged: it does not fit its grooms");
}

plait_result binding_fill_from(struct call *call, struct binding *b, const void *memory, uint64_t size) {
    struct binding_header header;
    if (!memory || size < sizeof header)
        return fail(call, PLAIT_ERROR_INVALID_STATE, "memory is null, or holds no binding");
    memcpy(&header, memory, sizeof header);
    plait_result result = check_header(call, b, &header, memory, size);
    if (result != PLAIT_OK) return result;
    b->guide_count = header.guide_count;
    b->info.row_count = header.row_count;
    b->info.single_count = header.single_count;
    b->info.mean_distance = header.mean_distance;
    b->info.max_distance = header.max_distance;
    return load_arrays(call, b, &header, memory);
}
