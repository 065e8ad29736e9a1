// Random band systems as rods make them, M + J^T K J, one for each strand; in host order.
#ifndef PLAIT_TESTS_BAND_H
#define PLAIT_TESTS_BAND_H

#include "trial.h"

struct band {
    float *matrix; // [vertex][4][BAND_ROWS]
    float *right;  // [vertex][4]
    float *floors; // [strand][BAND_FLOOR_ROWS]
};

// Springs up to `stiffness`; floors are `mass`, or one where that is zero.
struct band band_make(struct strands *s, double mass, double stiffness);
// One of them: [4 * vertices][BAND_ROWS].
void band_system(struct strands *random, uint32_t vertices, double mass, double stiffness, float *matrix);
void band_free(struct band *b);
// The kernel band over it. Nothing is named as written yet.
struct trial band_trial(const struct band *b, const char *name);

#endif
