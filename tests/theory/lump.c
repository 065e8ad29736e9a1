// The material points of hair-hair forces without a solver and with nobody held: a lump that turns in free fall keeps its
// momentum, and its rotation as separable FLIP should.
#include "blocks.h"
#include "couplings/volume/volume.h"
#include "hair.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define assert_ok(call) assert_int_equal((call), PLAIT_OK)

enum { STRANDS = 2000, VERTICES = 2 * STRANDS };
#define RADIUS_M 0.06
#define RATE 10.0 // rad/s, about z

struct lump {
    plait_context context;
    plait_device device;
    plait_groom groom;
    plait_hair hair;
};

static uint64_t seed;

static double between(double low, double high) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static void in_ball(float x[3]) {
    double size;
    do {
        size = 0;
        for (int c = 0; c < 3; c++) {
            x[c] = (float)between(-RADIUS_M, RADIUS_M);
            size += (double)x[c] * x[c];
        }
    } while (size > RADIUS_M * RADIUS_M);
}

static struct lump lump_open(const plait_volume_params *params) {
    static float positions[VERTICES][3];
    static uint32_t counts[STRANDS];
    struct lump l;
    seed = 88172645463325252u;
    for (uint32_t v = 0; v < VERTICES; v++) in_ball(positions[v]);
    for (uint32_t s = 0; s < STRANDS; s++) counts[s] = 2;
    plait_device_desc device = PLAIT_DEVICE_DESC_INIT;
    plait_groom_desc groom = PLAIT_GROOM_DESC_INIT;
    plait_hair_desc hair = PLAIT_HAIR_DESC_INIT;
    device.backend = PLAIT_BACKEND_CPU;
    groom.strand_count = STRANDS;
    groom.vertex_counts = counts;
    groom.positions = &positions[0][0];
    groom.bone_count = 1;
    assert_ok(plait_context_create(NULL, &l.context));
    assert_ok(plait_device_open(l.context, &device, &l.device));
    assert_ok(plait_groom_create(l.context, &groom, &l.groom));
    hair.groom = l.groom;
    hair.device = l.device;
    hair.solver = PLAIT_SOLVER_HYBRID; // its velocities are motion; its stages do not run
    hair.step_rate_hz = 120;
    assert_ok(plait_hair_create(l.context, &hair, &l.hair));
    assert_ok(plait_hair_set_volume(l.hair, params));
    return l;
}

static void lump_close(struct lump *l) {
    assert_ok(plait_hair_destroy(l->hair));
    assert_ok(plait_groom_destroy(l->groom));
    assert_ok(plait_device_close(l->device));
    assert_ok(plait_context_destroy(l->context));
}

static struct hair *enter(struct call *call, const struct lump *l) {
    struct hair *hair;
    call->function = "test";
    assert_ok(hair_enter(call, l->hair, &hair));
    return hair;
}

static uint32_t data_named(const struct hair *hair, const char *name) {
    const struct data_set *set = &hair->on.sets[SET_COUPLINGS];
    for (uint32_t i = 0; i < set->count; i++)
        if (strcmp(set->decls[i].name, name) == 0) return i;
    fail_msg("there is no %s", name);
    return 0;
}

// Nobody is held, all have one mass, and a step is the grid's alone.
static void set_free(struct hair *hair) {
    static uint32_t words[VERTICES][VOLUME_ROWS];
    const uint32_t which = data_named(hair, "volume of vertices");
    const float mass = 1e-6f;
    for (uint32_t v = 0; v < VERTICES; v++) {
        memcpy(&words[v][VOLUME_MASS], &mass, sizeof mass);
        words[v][VOLUME_NUMBER] = v;
    }
    assert_ok(hair_copy_data(hair, &hair->on, SET_COUPLINGS, which, (unsigned char *)words, true));
    struct call call = {.context = hair->object.context, .function = "test"};
    struct stage_list *list = hair_draft_plan(hair);
    volume_coupling.before_stages(hair, 0, list);
    volume_coupling.step_stages(hair, 0, list);
    assert_ok(hair_set_plan(&call, hair, PLAN_STEP));
}

struct motion {
    double momentum[3], spin; // over the mass, about z
};

static struct motion motion_of(const float (*x)[3], const float (*v)[3]) {
    struct motion m = {{0}, 0};
    double middle[3] = {0};
    for (uint32_t i = 0; i < VERTICES; i++)
        for (int c = 0; c < 3; c++) {
            middle[c] += (double)x[i][c] / VERTICES;
            m.momentum[c] += (double)v[i][c] / VERTICES;
        }
    for (uint32_t i = 0; i < VERTICES; i++)
        m.spin +=
            ((x[i][0] - middle[0]) * (v[i][1] - m.momentum[1]) - (x[i][1] - middle[1]) * (v[i][0] - m.momentum[0])) /
            VERTICES;
    return m;
}

// Half a second of rotation in flight. Returns which share of it is left.
static double fly(const plait_volume_params *params) {
    static float x[VERTICES][3], v[VERTICES][3];
    struct lump l = lump_open(params);
    struct call call = {0};
    struct hair *hair = enter(&call, &l);
    set_free(hair);
    assert_ok(hair_copy_data(hair, &hair->on, SET_HAIR, HAIR_POSITIONS, (unsigned char *)x, false));
    for (uint32_t i = 0; i < VERTICES; i++) {
        v[i][0] = (float)(1 - RATE * x[i][1]);
        v[i][1] = (float)(-2 + RATE * x[i][0]);
        v[i][2] = 0.5f;
    }
    struct motion before = motion_of(x, v);
    assert_ok(hair_copy_data(hair, &hair->on, SET_HAIR, HAIR_VELOCITIES, (unsigned char *)v, true));
    float frame[FRAME_FLOATS] = {[FRAME_STEP] = 1.0f / 120, [FRAME_STEP_INVERSE] = 120};
    hair_write(hair, HAIR_FRAME, frame, sizeof frame);
    for (int step = 0; step < 60; step++) assert_ok(hair_run(&call, hair, PLAN_STEP));
    assert_ok(hair_copy_data(hair, &hair->on, SET_HAIR, HAIR_POSITIONS, (unsigned char *)x, false));
    assert_ok(hair_copy_data(hair, &hair->on, SET_HAIR, HAIR_VELOCITIES, (unsigned char *)v, false));
    hair_leave(&call, hair);
    plait_volume_info info = PLAIT_VOLUME_INFO_INIT;
    assert_ok(plait_hair_volume(l.hair, &info));
    assert_true(fabs(info.mass - VERTICES * 1e-6) < 1e-6 * info.mass);
    assert_true(fabs(info.grid_mass - info.mass) < 1e-6 * info.mass);
    struct motion after = motion_of(x, v);
    for (int c = 0; c < 3; c++) { // after 180 transfers there and back
        assert_true(fabs(after.momentum[c] - before.momentum[c]) < 2e-5);
        assert_true(fabs(info.momentum[c] - info.grid_momentum[c]) < 2e-6 * info.mass);
        assert_true(fabs(info.momentum[c] - info.momentum_after[c]) < 2e-6 * info.mass);
    }
    lump_close(&l);
    return after.spin / before.spin;
}

static void a_lump_that_turns_in_flight_goes_on_turning(void **state) {
    (void)state;
    plait_volume_params params = PLAIT_VOLUME_PARAMS_INIT;
    assert_ok(plait_volume_params_default(1, &params));
    params.simulated_share = 1;
    double kept[3];
    const float ratios[3] = {0, 0.3f, 1};
    for (int i = 0; i < 3; i++) {
        params.flip_ratio = ratios[i];
        kept[i] = fly(&params);
        printf("FLIP ratio %.2f: %.1f percent of its rotation are left\n", (double)ratios[i], 100 * kept[i]);
    }
    assert_true(kept[0] < kept[1] && kept[1] < kept[2]);
    assert_true(kept[2] > 0.99 && kept[2] < 1.005);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_lump_that_turns_in_flight_goes_on_turning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
