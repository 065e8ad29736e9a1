// Hair with rest_gravity is where it was drawn once the head is back where it was, whatever the type; and if it was drawn
// hanging, it does not stand above the head in between.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STRANDS = 64, MOVING_S = 3, FRAMES = 60 * (MOVING_S + 3) + 30 };

struct ending {
    double mean, worst; // distance from the drawn shape, m: of all vertices, and of the worst strand's
    int raised;         // strands more than 2 cm above all that was drawn of them
    int leaping;        // strands more than 10 cm above that at worst while the head nods
};

static int above(const scene_groom *groom, const float *now, float by) {
    const float *drawn = groom->positions;
    int count = 0;
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        float highest = -HUGE_VALF, most = -HUGE_VALF;
        for (uint32_t v = 0; v < groom->vertex_counts[s]; v++, drawn += 3, now += 3) {
            highest = fmaxf(highest, drawn[1]);
            most = fmaxf(most, now[1]);
        }
        count += most > highest + by;
    }
    return count;
}

static void compare(const scene_groom *groom, const float *now, struct ending *e) {
    const float *drawn = groom->positions;
    e->mean = e->worst = 0;
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        uint32_t count = groom->vertex_counts[s];
        double sum = 0;
        for (uint32_t v = 0; v < count; v++, drawn += 3, now += 3) sum += distance3(drawn, now);
        e->mean += sum / groom->vertex_count;
        e->worst = fmax(e->worst, sum / count);
    }
}

static struct ending after_nodding(const char *name) {
    scene_preset preset;
    scene_groom groom;
    assert_true(scene_preset_get(scene_preset_find(name), STRANDS, 0, 1, &preset));
    assert_true(scene_groom_make(&preset.groom, &groom));
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    scene_groom_describe(&groom, &desc);
    scene_body body;
    scene_body_make(&preset.groom.scalp, &body);
    plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
    scene_body_describe(&body, &body_desc);
    plait_hybrid_params params = PLAIT_HYBRID_PARAMS_INIT;
    assert_ok(plait_hybrid_params_default(1, &params));
    params.rest_gravity[1] = -9.81f;
    struct rig_options options = rig_options(&desc);
    options.solver = PLAIT_SOLVER_HYBRID;
    options.params = &params;
    options.body = &body_desc;
    options.hair.step_rate_hz = 60;
    struct rig rig = rig_open(&options);
    assert_int_equal(rig_stats(&rig).sagging_strand_count, 0);
    struct ending e = {0};
    for (int f = 1; f <= FRAMES; f++) {
        float bones[SCENE_BONE_COUNT][12];
        scene_motion_and_back(SCENE_MOTION_NOD, f / 60.0, MOVING_S, 1, bones);
        rig_step(&rig, 1.0f / 60, &bones[0][0], true);
        float *now = rig_positions(&rig);
        int leaping = above(&groom, now, 0.1f);
        if (leaping > e.leaping) e.leaping = leaping;
        e.raised = above(&groom, now, 0.02f);
        if (f == FRAMES) compare(&groom, now, &e);
        free(now);
    }
    assert_int_equal(rig_stats(&rig).nonfinite_strand_count, 0);
    rig_close(&rig);
    scene_groom_free(&groom);
    return e;
}

// Rest shapes were once as far from the drawn ones as gravity took: after a nod strands of 1b stood in loops above the head,
// 17 cm from where they were drawn, and all of 4b had sagged.
static void hair_returns_to_where_it_was_drawn(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool hangs; // else it stands off the head, and strands of the sides swing up
    } TYPES[] = {{"1b", true}, {"3b", true}, {"4b", false}};
    for (int i = 0; i < 3; i++) {
        struct ending e = after_nodding(TYPES[i].name);
        printf("%s: %.2f mm from the drawn shape, the worst strand %.2f mm; %d raised, %d leaping\n", TYPES[i].name,
               1e3 * e.mean, 1e3 * e.worst, e.raised, e.leaping);
        assert_true(e.mean < 1e-3);
        assert_true(e.worst < 5e-3);
        assert_int_equal(e.raised, 0);
        if (TYPES[i].hangs) assert_int_equal(e.leaping, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hair_returns_to_where_it_was_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
