// Plait validate: compares rods with continuum theory, prints tables, writes CSV, JSON lines and plots.
#include "validate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "system.h"

static const struct {
    const char *name;
    bool (*run)(validate_run *run);
    const char *help;
    unsigned panels;      // of the plot
    const char *reported; // why it has no target; null: it has one
} COMPARISONS[] = {
    {"cantilever", validate_cantilever, "drop over reach of level rods under their weight", 2, NULL},
    {"coarse", validate_coarse, "drop of level rods of few edges under their weight", 1, NULL},
    {"bend_twist", validate_bend_twist, "which curls stay in their plane when they hang", 1, NULL},
    {"frequency", validate_frequency, "first two bending frequencies, and how steps of 1/120 s damp them", 1, NULL},
    {"modes", validate_modes, "first three frequencies of a hanging rod at 60, 120 and 240 steps/s, and their damping",
     1, NULL},
    {"rope", validate_rope, "first frequency of a hanging rope", 1, NULL},
    {"stretch", validate_stretch, "stretch of a hanging rod", 1, NULL},
    {"ring", validate_ring, "twist at which a ring buckles", 1, NULL},
    {"energy", validate_energy, "energy that undamped rods gain, at 60 to 2000 steps/s", 1, NULL},
    {"rate", validate_rate, "speed of nodding rods at 60 to 480 steps/s against 960", 1, NULL},
    {"stick_slip", validate_stick_slip, "when the tip of a rod slips that is pushed onto a plane", 1,
     "friction here follows how deep a vertex lies in the surface, which this theory does not model"},
};
enum { COUNT = sizeof COMPARISONS / sizeof *COMPARISONS, MAX_NAMES = 16 };

static int parse(int argc, char **argv, validate_run *run, bool chosen[COUNT], const char *paths[3]);
static bool open_file(const char *option, const char *path, FILE **file);
static bool close_file(const char *option, const char *path, FILE *file);

int command_validate(int argc, char **argv) {
    validate_run run = {0};
    bool chosen[COUNT] = {0}, done = true;
    const char *paths[3] = {0}; // csv, json, png
    int code = parse(argc, argv, &run, chosen, paths);
    if (code != OPTIONS_RUN) return code;
    if (!open_file("csv", paths[0], &run.csv) || !open_file("json", paths[1], &run.json)) return EXIT_FAILURE;
    unsigned panels = 0;
    for (unsigned i = 0; i < COUNT; i++) panels += chosen[i] ? COMPARISONS[i].panels : 0;
    if (paths[2] && !plot_open(&run.plot, panels)) {
        fprintf(stderr, "plait validate: out of memory\n");
        return EXIT_FAILURE;
    }
    if (run.csv) fprintf(run.csv, "comparison,what,at,theory,measured,error_percent\n");
    for (unsigned i = 0; i < COUNT; i++) {
        if (!chosen[i]) continue;
        double before = host_seconds();
        run.name = COMPARISONS[i].name;
        printf("%s: %s\n", COMPARISONS[i].name, COMPARISONS[i].help);
        if (COMPARISONS[i].reported) printf("  no target: %s\n", COMPARISONS[i].reported);
        printf("  %-28s %12s %12s %12s %10s\n", "what", "at", "theory", "measured",
               COMPARISONS[i].reported ? "difference" : "error");
        fflush(stdout);
        if (!COMPARISONS[i].run(&run)) {
            fprintf(stderr, "plait validate: %s could not be measured\n", COMPARISONS[i].name);
            done = false;
        }
        printf("  in %.1f s\n\n", host_seconds() - before);
        fflush(stdout);
    }
    const char *problem = paths[2] ? plot_write(&run.plot, paths[2]) : NULL;
    if (problem) fprintf(stderr, "plait validate: --png: %s: %s\n", paths[2], problem);
    plot_close(&run.plot);
    bool written = close_file("csv", paths[0], run.csv);
    written = close_file("json", paths[1], run.json) && written && !run.unwritten && !problem;
    return done && written && !run.missed ? EXIT_SUCCESS : EXIT_FAILURE;
}

void validate_add(validate_run *run, const validate_row *row) {
    if (!row->silent && !run->wanted) {
        char error[24] = "";
        if (isfinite(row->error)) snprintf(error, sizeof error, "%.3f %%", row->error);
        printf("  %-28s %12.6g %12.6g %12.6g %10s\n", row->what, row->at, row->theory, row->measured, error);
    }
    if (run->csv && fprintf(run->csv, "%s,\"%s\",%.9g,%.9g,%.9g,%.6g\n", run->name, row->what, row->at, row->theory,
                            row->measured, row->error) < 0)
        run->unwritten = true;
}

double validate_error(double measured, double theory) { return 100 * (measured / theory - 1); }

double validate_worse(double worst, double error) { return error <= worst || isnan(worst) ? worst : error; }

void validate_figure(validate_run *run, const bench_figure *figure, double value) {
    if (run->wanted) {
        if (figure == run->wanted) run->value = value;
        return;
    }
    printf("  ");
    run->unwritten = !bench_report(figure, value, run->json) || run->unwritten;
    run->missed = !bench_met(figure, value) || run->missed;
}

static int parse(int argc, char **argv, validate_run *run, bool chosen[COUNT], const char *paths[3]) {
    const char *names[MAX_NAMES];
    uint32_t quick = 0;
    const option options[] = {
        {"csv", OPTION_FILE, &paths[0], 0, 0, NULL, NULL, "write a line for everything measured"},
        {"json", OPTION_FILE, &paths[1], 0, 0, NULL, NULL, "write one JSON object per figure and line"},
        {"png", OPTION_FILE, &paths[2], 0, 0, NULL, NULL, "draw theory and what was measured"},
        {"quick", OPTION_FLAG, &quick, 0, 0, NULL, NULL, "a few points of each only"},
        {"backend", OPTION_CHOICE, &run->where.backend, 0, 0, "best|cpu|vulkan|cuda", NULL, "where it runs"},
        {"threads", OPTION_COUNT, &run->where.thread_count, 0, 256, NULL, NULL, "threads to use; 0: one per core"},
    };
    char purpose[2048] =
        "Compares elastic rods of solver hybrid with continuum theory, and the errors with their targets;\n"
        "fails when one is missed. Without a NAME all comparisons are made. They are:";
    for (unsigned i = 0; i < COUNT; i++)
        snprintf(purpose + strlen(purpose), sizeof purpose - strlen(purpose), "\n  %-12s %s", COMPARISONS[i].name,
                 COMPARISONS[i].help);
    run->where.backend = PLAIT_BACKEND_CPU;
    command_line line = {.command = "plait validate",
                         .usage = "[NAME...] [OPTION...]",
                         .purpose = purpose,
                         .options = options,
                         .option_count = sizeof options / sizeof *options,
                         .operands = names,
                         .operand_limit = MAX_NAMES};
    int code = options_parse(&line, argc, argv);
    if (code != OPTIONS_RUN) return code;
    run->quick = quick != 0;
    for (size_t n = 0; n < line.operand_count; n++) {
        unsigned i = 0;
        while (i < COUNT && strcmp(names[n], COMPARISONS[i].name) != 0) i++;
        if (i == COUNT) {
            fprintf(stderr, "plait validate: no comparison '%s'; see plait validate --help\n", names[n]);
            return EXIT_USAGE;
        }
        chosen[i] = true;
    }
    for (unsigned i = 0; i < COUNT && line.operand_count == 0; i++) chosen[i] = true;
    return OPTIONS_RUN;
}

static bool open_file(const char *option, const char *path, FILE **file) {
    if (path) *file = system_open(path, "w");
    if (path && !*file) fprintf(stderr, "plait validate: --%s: %s: %s\n", option, path, strerror(errno));
    return !path || *file;
}

static bool close_file(const char *option, const char *path, FILE *file) {
    if (!file || fclose(file) == 0) return true;
    fprintf(stderr, "plait validate: --%s: %s: %s\n", option, path, strerror(errno));
    return false;
}
