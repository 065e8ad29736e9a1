// Other band solvers for comparison: each solves one system of dimension n at a time, in floats, and reuses what it
// can. A matrix is columns of 11 from the diagonal down, zero beyond the end.
#ifndef PLAIT_TESTS_RIVALS_H
#define PLAIT_TESTS_RIVALS_H

#ifdef __cplusplus
extern "C" {
#endif

struct rival {
    const char *name;
    // Done once: memory and symbolic analysis.
    void *(*open)(int n);
    void (*load)(void *state, const float *matrix, const float *right);
    int (*solve)(void *state); // the part that is timed; 0: it failed
    const float *(*solution)(void *state);
    void (*close)(void *state);
};

#ifdef HAS_EIGEN
extern const struct rival rival_eigen;
#endif
#ifdef HAS_LAPACK
extern const struct rival rival_lapack;
#endif

#ifdef __cplusplus
}
#endif

#endif
