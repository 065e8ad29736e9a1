// Sine and cosine of up to three eighths of a turn either way, for preparation. C libraries differ in the last bit of
// theirs, and what is prepared reaches the state: these have the same bits wherever doubles are IEEE 754. Errors are below
// one unit in the last place.
#ifndef PLAIT_SINE_H
#define PLAIT_SINE_H

#include <math.h>

#define SINE_QUARTER_TURN 1.5707963267948966
#define SINE_QUARTER_TURN_REST 6.123233995736766e-17 // and what a double cannot hold of it

// Taylor series of x + rest, up to an eighth of a turn either way; of the rest, which is tiny, the first term.
static inline double sine_series(double x, double rest) {
    double z = x * x, sum = 1 / 355687428096000.0;
    sum = -1 / 1307674368000.0 + z * sum;
    sum = 1 / 6227020800.0 + z * sum;
    sum = -1 / 39916800.0 + z * sum;
    sum = 1 / 362880.0 + z * sum;
    sum = -1 / 5040.0 + z * sum;
    sum = 1 / 120.0 + z * sum;
    sum = -1 / 6.0 + z * sum;
    return x + (x * z * sum + rest * (1 - 0.5 * z));
}

static inline double cosine_series(double x, double rest) {
    double z = x * x, sum = 1 / 20922789888000.0;
    sum = -1 / 87178291200.0 + z * sum;
    sum = 1 / 479001600.0 + z * sum;
    sum = -1 / 3628800.0 + z * sum;
    sum = 1 / 40320.0 + z * sum;
    sum = -1 / 720.0 + z * sum;
    sum = 1 / 24.0 + z * sum;
    double half = 0.5 * z, most = 1 - half;
    return most + ((1 - most - half) + (z * z * sum - x * rest));
}

// Beyond an eighth of a turn, of what the angle lacks to a quarter: that difference is exact.
static inline double sine_of(double angle) {
    double size = fabs(angle), lacks = SINE_QUARTER_TURN - size;
    double sine = lacks > size ? sine_series(size, 0) : cosine_series(lacks, SINE_QUARTER_TURN_REST);
    return angle < 0 ? -sine : sine;
}

static inline double cosine_of(double angle) {
    double size = fabs(angle), lacks = SINE_QUARTER_TURN - size;
    return lacks > size ? cosine_series(size, 0) : sine_series(lacks, SINE_QUARTER_TURN_REST);
}

#endif
