// Comparisons of rods with theory. Each makes strands through the ABI, lets them rest or move, prints a row per
// measurement, and ends with figures, most of which have targets.
#ifndef VALIDATE_H
#define VALIDATE_H

#include "bench.h"
#include "host.h"
#include "plot.h"

typedef struct validate_run {
    host_options where;
    bool quick;       // a few points of each, for tests
    FILE *csv, *json; // null: not wanted
    plot plot;        // empty: not wanted
    const char *name; // of the present comparison
    bool missed;      // a target
    bool unwritten;   // csv or json
    // Not null: nothing is printed or written, this figure's value is kept.
    const bench_figure *wanted;
    double value;
} validate_run;

// One measurement. what: variant or quantity; at: the parameter that varies; error: percent, or NaN if it has none.
// Silent rows go to the CSV file only.
typedef struct validate_row {
    const char *what;
    double at, theory, measured, error;
    bool silent;
} validate_row;
void validate_add(validate_run *run, const validate_row *row);
double validate_error(double measured, double theory); // percent
// The larger one; NaN, which meets no target, if one of them is.
double validate_worse(double worst, double error);

// Figures that plait bench measures, too.
enum { VALIDATE_ENERGY_WORST, VALIDATE_COARSE_WORST, VALIDATE_BENCHED_COUNT };
extern const bench_figure VALIDATE_BENCHED[VALIDATE_BENCHED_COUNT];

void validate_figure(validate_run *run, const bench_figure *figure, double value);

// False after reporting a failure.
bool validate_cantilever(validate_run *run);
bool validate_coarse(validate_run *run);
bool validate_bend_twist(validate_run *run);
bool validate_frequency(validate_run *run);
bool validate_modes(validate_run *run);
bool validate_rope(validate_run *run);
bool validate_stretch(validate_run *run);
bool validate_ring(validate_run *run);
bool validate_stick_slip(validate_run *run);
bool validate_energy(validate_run *run);
bool validate_rate(validate_run *run);

#endif
