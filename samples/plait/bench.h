// Figures with targets, and how they are measured. A machine has phases, of a frame to half a minute: other programs run, other
// machines have the other half of a core (arithmetic takes 1.4 times as long), or a virtual machine's cores lie in different
// parts of the processor (see machine.between_cores_ns). So what is compared takes turns, of a frame if it can be, and short
// times count.
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
    double seconds; // out: one run, as long as in the turn that is longer than a tenth of them
} bench_side;

// Runs all sides in turns, for two seconds a side or so. False when a run failed.
bool bench_measure(bench_side *sides, size_t count);
double bench_ratio(const bench_side sides[2]); // of the first over the second

// A scene that has the same frames whenever it begins anew.
typedef struct bench_film {
    bool (*begin)(void *argument); // closes what is open, opens it anew; the caller closes it in the end
    bool (*frame)(void *argument, double *seconds);
    void *argument;
} bench_film;

// Runs it several times; of each frame behind the first ones the least time counts. False when something failed.
bool bench_film_frames(const bench_film *film, size_t unmeasured, size_t count, double *seconds);
double bench_median(double *values, size_t count); // sorts them

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
