// Eigen's SimplicialLDLT. Symbolic analysis is done once, since all systems have the same pattern; in natural order,
// the best for a band (the default, AMD, takes 1.4 times as long).
#include "rivals.h"

#include <Eigen/SparseCholesky>
#include <algorithm>

namespace {

typedef Eigen::SparseMatrix<float> matrix;

struct state {
    int n;
    matrix a;
    Eigen::VectorXf b, x;
    Eigen::SimplicialLDLT<matrix, Eigen::Lower, Eigen::NaturalOrdering<int>> solver;
};

void *open(int n) {
    state *s = new state;
    s->n = n;
    s->a.resize(n, n);
    s->a.reserve(Eigen::VectorXi::Constant(n, 11));
    for (int j = 0; j < n; j++)
        for (int k = 0; k < 11 && j + k < n; k++) s->a.insert(j + k, j) = 1;
    s->a.makeCompressed();
    s->b.resize(n);
    s->x.resize(n);
    s->solver.analyzePattern(s->a);
    return s;
}

void load(void *argument, const float *columns, const float *right) {
    state *s = static_cast<state *>(argument);
    float *value = s->a.valuePtr();
    for (int j = 0; j < s->n; j++)
        for (int k = 0; k < 11 && j + k < s->n; k++) *value++ = columns[j * 11 + k];
    std::copy(right, right + s->n, s->b.data());
}

int solve(void *argument) {
    state *s = static_cast<state *>(argument);
    s->solver.factorize(s->a);
    s->x = s->solver.solve(s->b);
    return s->solver.info() == Eigen::Success;
}

const float *solution(void *argument) { return static_cast<state *>(argument)->x.data(); }
void close(void *argument) { delete static_cast<state *>(argument); }

} // namespace

extern "C" const struct rival rival_eigen = {"Eigen", open, load, solve, solution, close};
