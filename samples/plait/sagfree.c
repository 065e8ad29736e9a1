// Plait sagfree: does hair with rest_gravity return to where it was drawn, once the figure stands still? One table for all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "drawn_shape.h"
#include "options.h"

static const scene_motion MOTIONS[] = {SCENE_MOTION_STILL, SCENE_MOTION_NOD, SCENE_MOTION_RUN, SCENE_MOTION_SHAKE,
                                       SCENE_MOTION_VIOLENT};
enum { MOTION_COUNT = sizeof MOTIONS / sizeof *MOTIONS };
static const double MEAN_MM = 10; // the target

typedef struct sagfree_options {
    uint32_t motion;   // 0: nod, run and shake; else one more than an index
    const char *groom; // null: all
    uint32_t backend, threads, strands, substeps, as_drawn, no_body, hair_hair;
    float step_rate, seconds;
} sagfree_options;

// Rows of the table so far.
typedef struct sagfree_count {
    uint32_t rows, missed;
    double started;
} sagfree_count;

static int parse(int argc, char **argv, sagfree_options *o);
static bool measure_groom(const sagfree_options *o, uint32_t preset, sagfree_count *count);
static void print_row(const char *groom, uint32_t strands, const drawn_shape_case *c, const drawn_shape_result *r,
                      sagfree_count *count);

int command_sagfree(int argc, char **argv) {
    sagfree_options o;
    int code = parse(argc, argv, &o);
    if (code != OPTIONS_RUN) return code;
    printf("%u strands, %g x %u steps a second\n", o.strands, (double)o.step_rate, o.substeps);
    printf("%-6s %-8s %9s %9s %7s %7s %8s %9s %9s %9s %10s %s\n", "groom", "motion", "mean mm", "worst mm", "far",
           "raised", "between", "sagging", "restless", "rms mm/s", "us/vertex", "met");
    fflush(stdout);
    sagfree_count count = {.started = host_seconds()};
    uint32_t only = o.groom ? scene_preset_find(o.groom) : SCENE_PRESET_COUNT;
    bool measured = true;
    for (uint32_t preset = 0; measured && preset < SCENE_PRESET_COUNT; preset++)
        if (only == SCENE_PRESET_COUNT || preset == only) measured = measure_groom(&o, preset, &count);
    if (!measured) return EXIT_FAILURE;
    printf("%u of %u as drawn, in %.0f s\n", count.rows - count.missed, count.rows, host_seconds() - count.started);
    return count.missed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int parse(int argc, char **argv, sagfree_options *o) {
    char motions[128] = "all";
    for (uint32_t i = 0; i < MOTION_COUNT; i++)
        snprintf(motions + strlen(motions), sizeof motions - strlen(motions), "|%s", scene_motion_name(MOTIONS[i]));
    *o = (sagfree_options){.backend = PLAIT_BACKEND_CPU, .strands = 400, .substeps = 1, .step_rate = 60, .seconds = 5};
    // Choices are in the order of the constants in plait.h.
    const option options[] = {
        {"groom", OPTION_TEXT, &o->groom, 0, 0, NULL, "NAME", "1a to 4c; default all twelve"},
        {"motion", OPTION_CHOICE, &o->motion, 0, 0, motions, NULL, "of the mannequin; all: nod, run and shake"},
        {"as-drawn", OPTION_FLAG, &o->as_drawn, 0, 0, NULL, NULL, "without rest_gravity, for comparison"},
        {"hair-hair", OPTION_CHOICE, &o->hair_hair, 0, 0, HOST_HAIR_HAIR_CHOICES, NULL, "forces between strands"},
        {"no-body", OPTION_FLAG, &o->no_body, 0, 0, NULL, NULL, "no colliders that strands could be caught on"},
        {"strands", OPTION_COUNT, &o->strands, 1, 1000000, NULL, NULL, "default 400"},
        {"rate", OPTION_NUMBER, &o->step_rate, 1, 10000, NULL, "HZ", "steps per second; default 60"},
        {"substeps", OPTION_COUNT, &o->substeps, 1, 64, NULL, NULL, "per step; default 1"},
        {"seconds", OPTION_NUMBER, &o->seconds, 0, 1000, NULL, "S", "of motion; default 5"},
        {"backend", OPTION_CHOICE, &o->backend, 0, 0, "best|cpu|vulkan|cuda", NULL, "where it runs; default cpu"},
        {"threads", OPTION_COUNT, &o->threads, 0, 256, NULL, NULL, "default 0: one per core"},
    };
    command_line line = {
        .command = "plait sagfree",
        .usage = "[OPTION...]",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .purpose =
            "Solver hybrid with rest_gravity: moves the mannequin, lets it return to the bind pose within half a\n"
            "second and stand there for 3 s. Then it prints the mean distance of vertices from where they were drawn\n"
            "(mean), that of the strand for which it is largest (worst), the strands farther than 10 mm in the mean\n"
            "(far), those with a vertex 20 mm above all that was drawn of them (raised; between: at worst during the\n"
            "motion, seen from the head), those that the library says cannot stay (sagging), strands faster than\n"
            "1 cm/s in the last frame (restless) and the root mean square speed then, and what creating the hair took\n"
            "per vertex. The targets are a mean below 10 mm, no raised strand, and at most 1 percent\n"
            "sagging, 10 of 4a to 4c; the exit code is 1 if a row misses one.",
    };
    int code = options_parse(&line, argc, argv);
    if (code != OPTIONS_RUN) return code;
    if (o->groom && scene_preset_find(o->groom) == SCENE_PRESET_COUNT)
        return options_error(line.command, "groom", "'%s' is not one of 1a to 4c", o->groom);
    return OPTIONS_RUN;
}

static bool is_target(scene_motion motion) { return motion != SCENE_MOTION_STILL && motion != SCENE_MOTION_VIOLENT; }

static bool measure_groom(const sagfree_options *o, uint32_t index, sagfree_count *count) {
    scene_preset preset;
    scene_groom groom;
    scene_body body;
    scene_preset_get(index, o->strands, 0, 1, &preset);
    scene_body_make(&preset.groom.scalp, &body);
    bool measured = scene_groom_make(&preset.groom, &groom);
    if (!measured) fprintf(stderr, "plait sagfree: out of memory\n");
    host_options where = {o->backend, PLAIT_CPU_AUTO, o->threads};
    for (uint32_t i = 0; i < MOTION_COUNT && measured; i++) {
        if (o->motion ? o->motion != i + 1 : !is_target(MOTIONS[i])) continue;
        drawn_shape_case c = {MOTIONS[i], o->seconds, o->step_rate, o->substeps, !o->as_drawn, o->hair_hair};
        drawn_shape_result result;
        measured = drawn_shape_measure(&groom, o->no_body ? NULL : &body, &where, &c, &result);
        if (measured) print_row(preset.name, groom.strand_count, &c, &result, count);
    }
    scene_groom_free(&groom);
    return measured;
}

static void print_row(const char *groom, uint32_t strands, const drawn_shape_case *c, const drawn_shape_result *r,
                      sagfree_count *count) {
    double sagging = (double)r->sagging / strands;
    bool met = r->mean_mm < MEAN_MM && r->raised == 0 && sagging <= (groom[0] == '4' ? 0.1 : 0.01);
    printf("%-6s %-8s %9.2f %9.2f %7u %7u %8u %7.1f %% %9llu %9.4f %10.2f %s\n", groom, scene_motion_name(c->motion),
           r->mean_mm, r->worst_mm, r->far, r->raised, r->raised_between, 100 * sagging,
           (unsigned long long)r->restless, r->rms_mm_s, r->create_us, met ? "yes" : "no");
    fflush(stdout);
    count->rows++;
    count->missed += !met;
}
