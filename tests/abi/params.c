/* Default parameters come in the host's unit, and only there: a host that takes them to change one field gets the hair
 * that it would get without parameters. */
#include "session.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* A solver's defaults as bytes, and where the fields lie that have a length in them. */
typedef struct defaults {
    const char *name;
    plait_head head;
    plait_result (*get)(float meters_per_unit, void *params);
    size_t lengths[8]; /* offsets; 0 ends the list */
} defaults;

enum { MAX_PARAMS = 128, GUARD = 0xa5 };

static plait_result shape(float meters_per_unit, void *params) {
    return plait_shape_params_default(meters_per_unit, params);
}

static plait_result hybrid(float meters_per_unit, void *params) {
    return plait_hybrid_params_default(meters_per_unit, params);
}

static plait_result volume(float meters_per_unit, void *params) {
    return plait_volume_params_default(meters_per_unit, params);
}

static const defaults solvers[] = {
    {"volume",
     {PLAIT_TYPE_VOLUME_PARAMS, sizeof(plait_volume_params), NULL},
     volume,
     {offsetof(plait_volume_params, cell_size)}},
    {"shape",
     {PLAIT_TYPE_SHAPE_PARAMS, sizeof(plait_shape_params), NULL},
     shape,
     {offsetof(plait_shape_params, collision_radius)}},
    {"hybrid",
     {PLAIT_TYPE_HYBRID_PARAMS, sizeof(plait_hybrid_params), NULL},
     hybrid,
     {offsetof(plait_hybrid_params, max_root_speed), offsetof(plait_hybrid_params, collision_radius),
      offsetof(plait_hybrid_params, rest_gravity[0]), offsetof(plait_hybrid_params, rest_gravity[1]),
      offsetof(plait_hybrid_params, rest_gravity[2])}},
};

#define FOR_EACH_SOLVER(d) for (const defaults *d = solvers; d < solvers + COUNT_OF(solvers); ++d)

/* Guard bytes but for the head. */
static void make_params(const defaults *d, unsigned char *params) {
    memset(params, GUARD, MAX_PARAMS);
    memcpy(params, &d->head, sizeof d->head);
}

static int has_length(const defaults *d, size_t offset) {
    for (const size_t *length = d->lengths; *length; ++length) {
        if (*length == offset) {
            return 1;
        }
    }
    return 0;
}

static void lengths_are_in_the_host_s_unit_and_nothing_else_changes(void **state) {
    static const float units[] = {1e-6f, 1e-3f, 0.01f, 0.0254f, 1000, 1e6f};
    (void)state;
    FOR_EACH_SOLVER(d) {
        _Alignas(8) unsigned char metres[MAX_PARAMS], params[MAX_PARAMS];
        make_params(d, metres);
        assert_ok(d->get(1, metres));
        for (size_t i = 0; i < COUNT_OF(units); ++i) {
            make_params(d, params);
            assert_ok(d->get(units[i], params));
            for (size_t offset = sizeof d->head; offset < d->head.size; offset += sizeof(float)) {
                float before, after;
                memcpy(&before, metres + offset, sizeof before);
                memcpy(&after, params + offset, sizeof after);
                double expected = has_length(d, offset) ? before / (double)units[i] : (double)before;
                if ((float)expected != after) {
                    print_error("%s in units of %g m: %g at offset %zu, not %g\n", d->name, (double)units[i],
                                (double)after, offset, expected);
                    fail();
                }
            }
        }
    }
}

static void zero_is_a_metre_as_in_a_hair_s_desc(void **state) {
    (void)state;
    FOR_EACH_SOLVER(d) {
        _Alignas(8) unsigned char metres[MAX_PARAMS], params[MAX_PARAMS];
        make_params(d, metres);
        make_params(d, params);
        assert_ok(d->get(1, metres));
        assert_ok(d->get(0, params));
        assert_memory_equal(metres, params, MAX_PARAMS);
    }
}

static void a_unit_out_of_range_is_refused_and_nothing_is_written(void **state) {
    static const float bad[] = {NAN, INFINITY, -INFINITY, -1, -0.01f, 9.9e-7f, 1.1e6f};
    (void)state;
    FOR_EACH_SOLVER(d) {
        for (size_t i = 0; i < COUNT_OF(bad); ++i) {
            _Alignas(8) unsigned char untouched[MAX_PARAMS], params[MAX_PARAMS];
            make_params(d, untouched);
            make_params(d, params);
            assert_result(d->get(bad[i], params), PLAIT_ERROR_INVALID_ARGUMENT);
            assert_memory_equal(untouched, params, MAX_PARAMS);
        }
    }
}

static void the_rounding_of_the_host_changes_no_default(void **state) {
    (void)state;
    FOR_EACH_SOLVER(d) {
        _Alignas(8) unsigned char nearest[MAX_PARAMS], down[MAX_PARAMS];
        plait_result result;
        make_params(d, nearest);
        make_params(d, down);
        assert_ok(d->get(0.03f, nearest));
        fesetround(FE_DOWNWARD);
        result = d->get(0.03f, down);
        fesetround(FE_TONEAREST);
        assert_ok(result);
        assert_memory_equal(nearest, down, MAX_PARAMS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_in_the_host_s_unit_and_nothing_else_changes),
        cmocka_unit_test(zero_is_a_metre_as_in_a_hair_s_desc),
        cmocka_unit_test(a_unit_out_of_range_is_refused_and_nothing_is_written),
        cmocka_unit_test(the_rounding_of_the_host_changes_no_default),
    };
    return cmocka_run_group_tests_name("default parameters", tests, NULL, NULL);
}
