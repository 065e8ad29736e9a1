// Tests of blocks.h, for blocks.c to run.
#ifndef PLAIT_TESTS_COMPOSED_H
#define PLAIT_TESTS_COMPOSED_H

struct run;

#define FOR_EACH_COMPOSED(X)                                                                                           \
    X(scan)                                                                                                            \
    X(repeated_scan)                                                                                                   \
    X(sort)                                                                                                            \
    X(compaction)                                                                                                      \
    X(runs)                                                                                                            \
    X(words_that_the_device_has_counted)                                                                               \
    X(counts_that_agree_with_runs)                                                                                     \
    X(sums_of_floats)

enum {
#define X(name) COMPOSED_##name,
    FOR_EACH_COMPOSED(X)
#undef X
};

#define X(name) void composed_##name(struct run *run);
FOR_EACH_COMPOSED(X)
#undef X

#endif
