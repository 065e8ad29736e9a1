// Figures with targets, and how they are measured: sides take turns, the median counts.
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum bench_direction {
    BENCH_NO_TARGET,
    BENCH_AT_LEAST,
    BENCH_AT_MOST,
} bench_direction;

typedef struct bench_figure {
    const char *name; // dotted: subject, then figure
    const char *unit;
    double target;
    bench_direction direction;
    bool (*measure)(double *value); // false after reporting why not
    const char *what;               // what it measures, in one line
} bench_figure;

// One line of the table for people and, unless json is null, one JSON object. False when that could not be written.
void bench_report_head(void);
bool bench_report(const bench_figure *figure, double value, FILE *json);
bool bench_met(const bench_figure *figure, double value);

// Whether a name from the command line selects this figure: "shape" covers "shape.frame_ms", "sha" does not.
bool bench_covers(const char *name, const char *figure);

// One side of a comparison.
typedef struct bench_side {
    bool (*run)(void *argument);
    void *argument;
    double seconds;   // out: median of one run
    double over_next; // out: median of this side over the next one, both of the same round; 0 for the last side
} bench_side;

// Runs all sides in turns for two seconds or so. False when a run failed.
bool bench_measure(bench_side *sides, size_t count);

// Figures of one subject.
typedef struct bench_table {
    const bench_figure *figures;
    size_t count;
    bool (*available)(void); // null: always; false after printing why not
} bench_table;

extern const bench_table BENCH_CROWD, BENCH_DANCE, BENCH_DANCE_VULKAN, BENCH_GROOM, BENCH_RENDER, BENCH_REST,
    BENCH_RODS, BENCH_SAGFREE, BENCH_SHAPE, BENCH_VALIDATE, BENCH_VULKAN;
bool bench_vulkan_available(void); // says so if not
// All tables of the program, null-terminated.
extern const bench_table *const BENCH_TABLES[];

#endif
