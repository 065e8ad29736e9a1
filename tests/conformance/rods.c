#include "rods.h"

#include <math.h>
#include <stdlib.h>

static float *room(uint32_t count, uint32_t rows) {
    float *memory = calloc((size_t)count * rows, sizeof *memory);
    if (!memory) abort();
    return memory;
}

static float between(struct strands *s, double low, double high) { return (float)random_between(s, low, high); }

static void make_constants(struct strands *s, uint32_t i, bool slow, float *c) {
    double length = 0, longest = 0, turn = random_between(s, 0, 6);
    for (uint32_t v = s->first_vertex[i] + 1; v < s->first_vertex[i] + s->vertex_counts[i]; v++) {
        length += s->targets[v * TARGET_ROWS + TARGET_LENGTH];
        longest = fmax(longest, s->targets[v * TARGET_ROWS + TARGET_LENGTH]);
    }
    c[HYBRID_DRAG] = between(s, 0, 5);
    c[HYBRID_DAMPING] = between(s, 0, 5e-3);
    c[HYBRID_HELD_BLEND] = between(s, 0.2, 1);
    c[HYBRID_MAX_SPEED] = slow ? between(s, 0, 1) : 1e30f;
    c[HYBRID_MAX_TURN] = slow ? between(s, 0, 5) : 1e30f;
    c[HYBRID_RADIUS] = between(s, 0, 2e-3);
    c[HYBRID_FRICTION] = between(s, 0, 1);
    c[HYBRID_LENGTH] = (float)length;
    c[HYBRID_LENGTH_INVERSE] = (float)(1 / length);
    c[HYBRID_ROOT_COSINE] = (float)cos(turn);
    c[HYBRID_ROOT_SINE] = (float)sin(turn);
    c[HYBRID_RUN_LENGTH] = (float)(CONTACT_RUN * longest);
    c[HYBRID_LIGHTEST] = 0.7f;
}

// Stiffnesses of 1 to 10 masses over the step, squared.
static void make_rest(struct strands *s, uint32_t v, bool last, double step, float *rest) {
    double length = last ? 0 : s->targets[(v + 1) * TARGET_ROWS + TARGET_LENGTH];
    rest[ROD_CURVATURE1] = between(s, -0.5, 0.5);
    rest[ROD_CURVATURE2] = between(s, -0.5, 0.5);
    rest[ROD_TWIST] = between(s, -0.5, 0.5);
    rest[ROD_BEND1] = between(s, 1, 10) * (float)(length / step);
    rest[ROD_BEND2] = between(s, 1, 10) * (float)(length / step);
    rest[ROD_TORSION] = between(s, 1, 10) * (float)(length / step);
    rest[ROD_STRETCH] = last ? 0 : between(s, 1, 10) / (float)step;
    rest[ROD_LENGTH] = (float)length;
    rest[ROD_MASS] = between(s, 0.5, 1.5);
    rest[ROD_INERTIA] = between(s, 0.1, 1);
}

static void make_work(struct strands *s, uint32_t v, bool last, bool touching, float *work) {
    const float *x = s->positions + 3 * (size_t)v;
    double director[3], normal[3], along = 0, edge2 = 0, size2 = 0;
    random_unit(s, director);
    random_unit(s, normal);
    for (int c = 0; c < 3 && !last; c++) {
        double edge = (double)x[3 + c] - x[c];
        along += edge * director[c];
        edge2 += edge * edge;
    }
    for (int c = 0; c < 3 && !last; c++) director[c] -= along * ((double)x[3 + c] - x[c]) / edge2;
    for (int c = 0; c < 3; c++) size2 += director[c] * director[c];
    for (int c = 0; c < 3; c++) work[WORK_DIRECTOR + c] = (float)(director[c] / sqrt(size2));
    bool near = touching && v % 2;
    for (int c = 0; c < 3; c++) {
        work[WORK_NORMAL + c] = near ? (float)normal[c] : 0;
        work[WORK_SURFACE + c] = near ? between(s, -0.1, 0.1) : 0;
    }
    work[WORK_GAP] = near ? between(s, -1e-3, 1e-3) : 0;
    work[WORK_FRICTION] = near ? between(s, 0, 1) : 0;
}

struct rods rods_make(struct strands *s, bool slow, bool touching) {
    struct rods r = {.step = random_between(s, 1.0 / 240, 1.0 / 60),
                     .constants = room(s->count, HYBRID_ROWS),
                     .rest = room(s->vertex_count, ROD_ROWS),
                     .spin = room(s->vertex_count, SPIN_ROWS),
                     .work = room(s->vertex_count, WORK_ROWS),
                     .vector = room(s->vertex_count, 4)};
    for (uint32_t i = 0; i < s->count; i++) {
        make_constants(s, i, slow, r.constants + (size_t)i * HYBRID_ROWS);
        for (uint32_t k = 0; k < s->vertex_counts[i]; k++) {
            uint32_t v = s->first_vertex[i] + k;
            bool last = k + 1 == s->vertex_counts[i];
            make_rest(s, v, last, r.step, r.rest + (size_t)v * ROD_ROWS);
            make_work(s, v, last, touching, r.work + (size_t)v * WORK_ROWS);
            r.spin[v * SPIN_ROWS + SPIN_TWIST] = k > 0 && !last ? between(s, -4, 4) : 0;
            r.spin[v * SPIN_ROWS + SPIN_RATE] = last ? 0 : between(s, -20, 20);
            for (uint32_t c = 0; c < 4; c++) r.vector[4 * v + c] = between(s, -0.5, 0.5);
            // An angle's speed is taken times the edge's length.
            r.vector[4 * v + 3] *= 20 * r.rest[v * ROD_ROWS + ROD_LENGTH];
        }
    }
    return r;
}

void rods_free(struct rods *r) {
    free(r->constants);
    free(r->rest);
    free(r->spin);
    free(r->work);
    free(r->vector);
}
