// Plait rest: does hair come to rest, and without knots, once the figure stands still? One table for all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "stillness.h"

static const scene_motion MOTIONS[] = {SCENE_MOTION_STILL, SCENE_MOTION_NOD,   SCENE_MOTION_RUN,
                                       SCENE_MOTION_SHAKE, SCENE_MOTION_DANCE, SCENE_MOTION_VIOLENT};
enum { MOTION_COUNT = sizeof MOTIONS / sizeof *MOTIONS };
static const char *const SOLVERS[] = {[PLAIT_SOLVER_SHAPE] = "shape", [PLAIT_SOLVER_HYBRID] = "hybrid"};

typedef struct rest_options {
    uint32_t solver, motion; // 0: all, else one more than an index
    const char *groom;       // null: all
    uint32_t backend, threads, strands, substeps, hair_hair;
    float step_rate, seconds;
} rest_options;

// Rows of the table so far.
typedef struct rest_count {
    uint32_t rows, missed;
    double started;
} rest_count;

static int parse(int argc, char **argv, rest_options *o);
static bool measure_groom(const rest_options *o, uint32_t preset, rest_count *count);
static void print_row(const char *groom, const stillness_case *c, const stillness_result *r, rest_count *count);

int command_rest(int argc, char **argv) {
    rest_options o;
    int code = parse(argc, argv, &o);
    if (code != OPTIONS_RUN) return code;
    printf("%u strands, %g x %u steps a second\n", o.strands, (double)o.step_rate, o.substeps);
    printf("%-8s %-6s %-8s %10s %10s %10s %13s %s\n", "solver", "groom", "motion", "restless", "knotted", "rms mm/s",
           "fastest mm/s", "met");
    fflush(stdout);
    rest_count count = {.started = host_seconds()};
    uint32_t only = o.groom ? scene_preset_find(o.groom) : SCENE_PRESET_COUNT;
    bool measured = true;
    for (uint32_t preset = 0; measured && preset < SCENE_PRESET_COUNT; preset++)
        if (only == SCENE_PRESET_COUNT || preset == only) measured = measure_groom(&o, preset, &count);
    if (!measured) return EXIT_FAILURE;
    printf("%u of %u at rest, in %.0f s\n", count.rows - count.missed, count.rows, host_seconds() - count.started);
    return count.missed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int parse(int argc, char **argv, rest_options *o) {
    char motions[128] = "all";
    for (uint32_t i = 0; i < MOTION_COUNT; i++)
        snprintf(motions + strlen(motions), sizeof motions - strlen(motions), "|%s", scene_motion_name(MOTIONS[i]));
    *o = (rest_options){.backend = PLAIT_BACKEND_CPU, .strands = 4000, .substeps = 1, .step_rate = 60, .seconds = 4};
    // Choices are in the order of the constants in plait.h.
    const option options[] = {
        {"solver", OPTION_CHOICE, &o->solver, 0, 0, "both|shape|hybrid", NULL, "what the physics is"},
        {"groom", OPTION_TEXT, &o->groom, 0, 0, NULL, "NAME", "1a to 4c; default all twelve"},
        {"hair-hair", OPTION_CHOICE, &o->hair_hair, 0, 0, HOST_HAIR_HAIR_CHOICES, NULL, "forces between strands"},
        {"motion", OPTION_CHOICE, &o->motion, 0, 0, motions, NULL, "of the mannequin before it stands still"},
        {"strands", OPTION_COUNT, &o->strands, 1, 1000000, NULL, NULL, "default 4000"},
        {"rate", OPTION_NUMBER, &o->step_rate, 1, 10000, NULL, "HZ", "steps per second; default 60"},
        {"substeps", OPTION_COUNT, &o->substeps, 1, 64, NULL, NULL, "per step; default 1"},
        {"seconds", OPTION_NUMBER, &o->seconds, 0, 1000, NULL, "S", "of motion; default 4"},
        {"backend", OPTION_CHOICE, &o->backend, 0, 0, "best|cpu|vulkan|cuda", NULL, "where it runs; default cpu"},
        {"threads", OPTION_COUNT, &o->threads, 0, 256, NULL, NULL, "default 0: one per core"},
    };
    command_line line = {
        .command = "plait rest",
        .usage = "[OPTION...]",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .purpose =
            "Moves the mannequin, lets it come to a stop within half a second and stand still for 6 s (motion still:\n"
            "10 s from the start). Of the last second it prints the worst frame: strands with a vertex faster than\n"
            "1 cm/s (restless), strands that turn by 540 degrees more than in the groom for longer than half a second\n"
            "(knotted), the root mean square speed over all vertices and that of the fastest. The targets are no\n"
            "restless strand, no knotted one and less than 1 mm/s; the exit code is 1 if a row misses one.",
    };
    int code = options_parse(&line, argc, argv);
    if (code != OPTIONS_RUN) return code;
    if (o->groom && scene_preset_find(o->groom) == SCENE_PRESET_COUNT)
        return options_error(line.command, "groom", "'%s' is not one of 1a to 4c", o->groom);
    return OPTIONS_RUN;
}

static bool measure_groom(const rest_options *o, uint32_t preset, rest_count *count) {
    stillness_scene scene;
    bool measured = stillness_open(&scene, "plait rest", preset, o->strands);
    host_options where = {o->backend, PLAIT_CPU_AUTO, o->threads};
    for (uint32_t solver = PLAIT_SOLVER_SHAPE; solver <= PLAIT_SOLVER_HYBRID; solver++)
        for (uint32_t i = 0; i < MOTION_COUNT && measured; i++) {
            if ((o->solver && o->solver != solver) || (o->motion && o->motion != i + 1)) continue;
            stillness_case c = {solver, MOTIONS[i], o->seconds, o->step_rate, o->substeps, o->hair_hair};
            stillness_result result;
            measured = stillness_measure(&scene, &where, &c, &result);
            if (measured) print_row(scene.preset.name, &c, &result, count);
        }
    stillness_close(&scene);
    return measured;
}

static void print_row(const char *groom, const stillness_case *c, const stillness_result *r, rest_count *count) {
    bool met = r->restless == 0 && r->knotted == 0 && r->rms_mm_s < STILLNESS_RMS_MM_S;
    printf("%-8s %-6s %-8s %10llu %10llu %10.4f %13.4f %s\n", SOLVERS[c->solver], groom, scene_motion_name(c->motion),
           (unsigned long long)r->restless, (unsigned long long)r->knotted, r->rms_mm_s, r->fastest_mm_s,
           met ? "yes" : "no");
    fflush(stdout);
    count->rows++;
    count->missed += !met;
}
