// Figures of `plait validate` that are watched beside those of speed.
#include <math.h>

#include "validate.h"

static bool energy_worst(double *value);
static bool coarse_worst(double *value);

const bench_figure VALIDATE_BENCHED[VALIDATE_BENCHED_COUNT] = {
    [VALIDATE_ENERGY_WORST] = {"validate.energy_worst", "%", 1, BENCH_AT_MOST, energy_worst,
                               "most that undamped rods gain at 60 to 2000 steps/s, of a fall from level to hanging"},
    [VALIDATE_COARSE_WORST] = {"validate.coarse_worst", "x", 1, BENCH_AT_MOST, coarse_worst,
                               "drop of level rods: worst error over what is allowed, 2 % with 20 edges, 5 % with 10"},
};
const bench_table BENCH_VALIDATE = {VALIDATE_BENCHED, VALIDATE_BENCHED_COUNT, NULL};

static bool measure(bool (*comparison)(validate_run *run), int wanted, double *value) {
    validate_run run = {.where.backend = PLAIT_BACKEND_CPU, .wanted = &VALIDATE_BENCHED[wanted], .value = NAN};
    bool measured = comparison(&run);
    *value = run.value;
    return measured;
}

static bool energy_worst(double *value) { return measure(validate_energy, VALIDATE_ENERGY_WORST, value); }
static bool coarse_worst(double *value) { return measure(validate_coarse, VALIDATE_COARSE_WORST, value); }
