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

enum { MAX_NAMES = 64, MAX_SIDES = 4, MAX_ROUNDS = 101 };

static bool selected(const command_line *line, const char *figure);
static bool run_table(const command_line *line, const bench_table *table, FILE *json);
static bool run_figure(const bench_figure *figure, FILE *json);
static bool time_batch(const bench_side *side, unsigned runs, double *seconds);
static int compare_doubles(const void *a, const void *b);

int command_bench(int argc, char **argv) {
    const char *path = NULL, *names[MAX_NAMES];
    const option options[] = {
        {"json", OPTION_FILE, &path, 0, 0, NULL, NULL, "write one JSON object per figure and line"},
    };
    char purpose[8192] = "Measures figures and compares them with their targets. A NAME is a figure or the first part\n"
                         "of its name; without one, all are measured. The figures:";
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

bool bench_measure(bench_side *sides, size_t count) {
    static const double BATCH_S = 0.01, TOTAL_S = 2.0;
    double times[MAX_SIDES][MAX_ROUNDS], round_s = 0;
    unsigned runs[MAX_SIDES];
    if (count > MAX_SIDES) return false;
    for (size_t i = 0; i < count; i++) {
        double warm, once;
        if (!time_batch(&sides[i], 3, &warm) || !time_batch(&sides[i], 1, &once)) return false;
        runs[i] = once >= BATCH_S ? 1 : (unsigned)(BATCH_S / (once + 1e-9)) + 1;
        runs[i] = runs[i] > 100000 ? 100000 : runs[i];
        round_s += once * runs[i];
    }
    size_t rounds = (size_t)(TOTAL_S / round_s) | 1;
    rounds = rounds < 7 ? 7 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds;
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < count; i++)
            if (!time_batch(&sides[i], runs[i], &times[i][r])) return false;
    // Sides of one round ran under the same load; two medians may not have.
    for (size_t i = 0; i + 1 < count; i++) {
        double ratios[MAX_ROUNDS];
        for (size_t r = 0; r < rounds; r++) ratios[r] = times[i][r] / times[i + 1][r];
        qsort(ratios, rounds, sizeof ratios[0], compare_doubles);
        sides[i].over_next = ratios[rounds / 2];
    }
    for (size_t i = 0; i < count; i++) {
        qsort(times[i], rounds, sizeof times[i][0], compare_doubles);
        sides[i].seconds = times[i][rounds / 2];
    }
    return true;
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

static bool time_batch(const bench_side *side, unsigned runs, double *seconds) {
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
