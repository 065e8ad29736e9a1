/* A host that changes a groom's arrays while they are read, as another thread might: refused, or a groom that is whole. The
 * changes happen when memory is asked for, the same way in every run. */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../platform/system.h"

enum { FEW = 2, MANY = 1024, CHANGING = 4, FENCE = 65536, HEADER = 64 };

typedef struct source {
    uint32_t vertex_counts[CHANGING], held_counts[CHANGING];
    uint16_t group_indices[CHANGING];
    plait_root_binding bindings[CHANGING];
    float positions[CHANGING * MANY][3], radii[CHANGING * MANY];
    plait_groom_desc desc;
    int allocations_left; /* until they change */
    int change;           /* which array */
    int broken_fences;
} source;

/* Everything of one strand but what is asked for is good with few vertices and with many. */
static void set_array(source *s, int which, int good) {
    switch (which) {
    case 0: s->vertex_counts[1] = good ? FEW : MANY; break;
    case 1: s->vertex_counts[1] = good ? MANY : FEW; break;
    case 2: s->group_indices[1] = good ? 0 : 60000; break;
    case 3: s->bindings[1].bones[0] = good ? 0 : 60000; break;
    case 4: s->held_counts[1] = good ? 1 : 100000; break;
    case 5: s->positions[2][1] = good ? 0 : NAN; break;
    default: s->radii[2] = good ? 1e-4f : -1; break;
    }
}

enum { ARRAYS = 7 };

static void *PLAIT_CALL allocate(void *user, size_t size, size_t alignment) {
    source *s = user;
    unsigned char *raw = aligned_memory(4096, HEADER + size + FENCE);
    (void)alignment;
    if (s->allocations_left-- == 0) {
        set_array(s, s->change, 0);
    }
    if (raw) {
        memset(raw + HEADER + size, 0xfe, FENCE);
    }
    return raw ? raw + HEADER : NULL;
}

static void PLAIT_CALL release(void *user, void *pointer, size_t size, size_t alignment) {
    source *s = user;
    const unsigned char *fence = (unsigned char *)pointer + size;
    (void)alignment;
    for (int i = 0; i < FENCE; ++i) {
        s->broken_fences += fence[i] != 0xfe;
    }
    aligned_memory_free((unsigned char *)pointer - HEADER);
}

static void fill(source *s) {
    memset(s, 0, sizeof *s);
    for (int i = 0; i < CHANGING; ++i) {
        s->vertex_counts[i] = FEW;
        s->held_counts[i] = 1;
        s->bindings[i].weights[0] = 1;
    }
    for (int v = 0; v < CHANGING * MANY; ++v) {
        s->positions[v][0] = 0.001f * (float)(v + 1);
        s->radii[v] = 1e-4f;
    }
    s->desc = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    s->desc.strand_count = CHANGING;
    s->desc.bone_count = 1;
    s->desc.vertex_counts = s->vertex_counts;
    s->desc.positions = s->positions[0];
    s->desc.radii = s->radii;
    s->desc.root_bindings = s->bindings;
    s->desc.held_counts = s->held_counts;
    s->desc.group_indices = s->group_indices;
}

static void use(plait_context context, plait_groom groom) {
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    plait_hair hair;
    desc.groom = groom;
    desc.device = open_device(context, 0, 0);
    desc.solver = test_solver();
    assert_ok(plait_hair_create(context, &desc, &hair));
    frame.dt = 1.0f / 60;
    assert_ok(plait_hair_step(hair, &frame));
    assert_ok(plait_hair_destroy(hair));
}

static void a_groom_that_changes_while_it_is_read_is_refused_or_whole(void **state) {
    source *s = malloc(sizeof *s);
    int taken = 0, refused = 0;
    (void)state;
    assert_non_null(s);
    for (int array = 0; array < ARRAYS; ++array) {
        for (int when = 0; when < 16; ++when) {
            plait_allocator allocator = PLAIT_ALLOCATOR_INIT;
            plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
            plait_context context;
            plait_groom groom;
            fill(s);
            allocator.user = s;
            allocator.allocate = allocate;
            allocator.release = release;
            desc.allocator = &allocator;
            desc.thread_count = 1;
            s->allocations_left = -1;
            assert_ok(plait_context_create(&desc, &context));
            set_array(s, array, 1);
            s->change = array;
            s->allocations_left = when;
            plait_result result = plait_groom_create(context, &s->desc, &groom);
            s->allocations_left = -1;
            if (result == PLAIT_OK) {
                plait_groom_info info = PLAIT_GROOM_INFO_INIT;
                assert_ok(plait_groom_query(groom, &info));
                assert_int_equal(info.vertex_count, (CHANGING - 1) * FEW + info.max_vertex_count);
                use(context, groom);
                ++taken;
            } else {
                assert_result(result, PLAIT_ERROR_INVALID_GROOM);
                ++refused;
            }
            assert_ok(plait_context_destroy(context));
            if (s->broken_fences) {
                fail_msg("array %d changed at allocation %d: memory was overrun", array, when);
            }
        }
    }
    print_message("%d taken, %d refused\n", taken, refused);
    assert_true(taken > 0 && refused > 0);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_groom_that_changes_while_it_is_read_is_refused_or_whole),
    };
    return cmocka_run_group_tests_name("grooms that change", tests, NULL, NULL);
}
