// Plait bench: picks figures by name, measures them, prints a table and writes JSON lines.
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "host.h"
#include "options.h"
#include "system.h"

enum { MAX_NAMES = 64, MAX_SIDES = 4, MAX_ROUNDS = 1001, PASSES = 5 };

static bool selected(const command_line *line, const char *figure);
static bool run_table(const command_line *line, const bench_table *table, FILE *json);
static bool run_figure(const bench_figure *figure, FILE *json);
static bool time_turn(const bench_side *side, unsigned runs, double *seconds);
static int compare_doubles(const void *a, const void *b);

int command_bench(int argc, char **argv) {
    const char *path = NULL, *names[MAX_NAMES];
    const option options[] = {
        {"json", OPTION_FILE, &path, 0, 0, NULL, NULL, "write one JSON object per figure and line"},
    };
    char purpose[8192] =
        "Measures figures and compares them with their targets. A NAME is a figure or the first part\n"
        "of its name; without one, all are measured. What is compared takes turns, and of all turns of a side\n"
        "the fastest tenth counts. The figures:";
    for (size_t t = 0; BENCH_TABLES[t]; t++)
        for (size_t i = 0; i < BENCH_TABLES[t]->count; i++)
            snprintf(purpose + strlen(purpose), sizeof purpose - strlen(purpose), "\n  %-28s %s",
                     BENCH_TABLES[t]->figures[i].name, BENCH_TABLES[t]->figures[i].what);
    command_line line = {.command = "plait bench",
                         .usage = "[NAME...] [--json FILE]",
                         .purpose = purpose,
                         .options = options,
                         .option_count = 1,
                         .operands = names,
                         .operand_limit = MAX_NAMES};
    int code = options_parse(&line, argc, argv);
    if (code != OPTIONS_RUN) return code;
    for (size_t n = 0; n < line.operand_count; n++) {
        bool known = false;
        for (size_t t = 0; BENCH_TABLES[t]; t++)
            for (size_t i = 0; i < BENCH_TABLES[t]->count; i++)
                known = known || bench_covers(names[n], BENCH_TABLES[t]->figures[i].name);
        if (!known) {
            fprintf(stderr, "plait bench: no figure '%s'; see plait bench --help\n", names[n]);
            return EXIT_USAGE;
        }
    }
    FILE *json = path ? system_open(path, "w") : NULL;
    if (path && !json) {
        fprintf(stderr, "plait bench: --json: %s: %s\n", path, strerror(errno));
        return EXIT_FAILURE;
    }
    bench_report_head();
    bool measured = true;
    for (size_t t = 0; BENCH_TABLES[t]; t++) measured = run_table(&line, BENCH_TABLES[t], json) && measured;
    if (json && fclose(json) != 0) {
        fprintf(stderr, "plait bench: --json: %s: %s\n", path, strerror(errno));
        measured = false;
    }
    return measured ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Not the least turn, which is less steady: crowd.overhead was 1.00 to 1.26 in 30 runs by that, 1.02 to 1.23 by the tenth.
bool bench_measure(bench_side *sides, size_t count) {
    static const double TURN_S = 0.003, SIDE_S = 2.0;
    static double times[MAX_SIDES][MAX_ROUNDS];
    double round_s = 0;
    unsigned runs[MAX_SIDES];
    if (count > MAX_SIDES) return false;
    for (size_t i = 0; i < count; i++) {
        double warm, once;
        if (!time_turn(&sides[i], 3, &warm) || !time_turn(&sides[i], 1, &once)) return false;
        runs[i] = once >= TURN_S ? 1 : (unsigned)(TURN_S / (once + 1e-9)) + 1;
        runs[i] = runs[i] > 100000 ? 100000 : runs[i];
        round_s += once * runs[i];
    }
    size_t rounds = (size_t)((double)count * SIDE_S / round_s);
    rounds = rounds < 7 ? 7 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < count; i++)
            if (!time_turn(&sides[i], runs[i], &times[i][r])) return false;
    for (size_t i = 0; i < count; i++) {
        qsort(times[i], rounds, sizeof times[i][0], compare_doubles);
        sides[i].seconds = times[i][rounds / 10];
    }
    return true;
}

double bench_ratio(const bench_side sides[2]) { return sides[0].seconds / sides[1].seconds; }

bool bench_film_frames(const bench_film *film, size_t unmeasured, size_t count, double *seconds) {
    bool measured = true;
    for (int pass = 0; pass < PASSES && measured; pass++) {
        measured = film->begin(film->argument);
        for (size_t f = 0; f < unmeasured + count && measured; f++) {
            double took;
            measured = film->frame(film->argument, &took);
            if (measured && f >= unmeasured && (pass == 0 || took < seconds[f - unmeasured]))
                seconds[f - unmeasured] = took;
        }
    }
    return measured;
}

double bench_median(double *values, size_t count) {
    qsort(values, count, sizeof values[0], compare_doubles);
    return values[count / 2];
}

// A table that is not available on this machine is skipped; that is not a failure.
static bool run_table(const command_line *line, const bench_table *table, FILE *json) {
    bool measured = true, asked = false;
    for (size_t i = 0; i < table->count; i++) {
        if (!selected(line, table->figures[i].name)) continue;
        if (!asked && table->available && !table->available()) return true;
        asked = true;
        measured = run_figure(&table->figures[i], json) && measured;
    }
    return measured;
}

static bool run_figure(const bench_figure *figure, FILE *json) {
    double value;
    if (!figure->measure(&value)) {
        fprintf(stderr, "plait bench: %s could not be measured\n", figure->name);
        return false;
    }
    return bench_report(figure, value, json);
}

void bench_report_head(void) {
    printf("%-32s %10s %-4s %-14s %-4s %s\n", "figure", "value", "unit", "target", "met", "what it measures");
    fflush(stdout);
}

bool bench_report(const bench_figure *figure, double value, FILE *json) {
    static const char *const WORDS[] = {
        [BENCH_NO_TARGET] = "", [BENCH_AT_LEAST] = "at least", [BENCH_AT_MOST] = "at most"};
    char target[32] = "none", json_target[32] = "null";
    const char *met = "-";
    if (figure->direction != BENCH_NO_TARGET) {
        snprintf(target, sizeof target, "%s %g", WORDS[figure->direction], figure->target);
        snprintf(json_target, sizeof json_target, "%g", figure->target);
        met = bench_met(figure, value) ? "yes" : "no";
    }
    printf("%-32s %10.3f %-4s %-14s %-4s %s\n", figure->name, value, figure->unit, target, met, figure->what);
    fflush(stdout);
    return !json || fprintf(json, "{\"name\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",\"target\":%s}\n", figure->name,
                            value, figure->unit, json_target) > 0;
}

bool bench_met(const bench_figure *figure, double value) {
    if (figure->direction == BENCH_NO_TARGET) return true;
    return figure->direction == BENCH_AT_LEAST ? value >= figure->target : value <= figure->target;
}

static bool selected(const command_line *line, const char *figure) {
    bool chosen = line->operand_count == 0;
    for (size_t i = 0; i < line->operand_count; i++) chosen = chosen || bench_covers(line->operands[i], figure);
    return chosen;
}

bool bench_covers(const char *name, const char *figure) {
    size_t length = strlen(name);
    return strncmp(name, figure, length) == 0 && (figure[length] == 0 || figure[length] == '.');
}

// A turn of several runs follows one that is not measured: the side before took the caches.
static bool time_turn(const bench_side *side, unsigned runs, double *seconds) {
    if (runs > 1 && !side->run(side->argument)) return false;
    double before = host_seconds();
    for (unsigned i = 0; i < runs; i++)
        if (!side->run(side->argument)) return false;
    *seconds = (host_seconds() - before) / runs;
    return true;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}
