// The solvers there are: one for each folder here, found by CMake.
#include "solver.h"

#include "solver_list.h"

#define X(name) extern const struct solver name##_solver;
FOR_EACH_SOLVER(X)
#undef X

const struct solver *solver_find(uint32_t id) {
#define X(name)                                                                                                        \
    if (name##_solver.id == id) return &name##_solver;
    FOR_EACH_SOLVER(X)
#undef X
    return NULL;
}
