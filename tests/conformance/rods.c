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

// A unit vector across another that need not be one.
static void random_across(struct strands *s, const double along[3], double out[3]) {
    double dot, along2, size2;
    do {
        dot = along2 = size2 = 0;
        random_unit(s, out);
        for (int c = 0; c < 3; c++) dot += along[c] * out[c], along2 += along[c] * along[c];
        for (int c = 0; c < 3; c++) out[c] -= dot * along[c] / along2;
        for (int c = 0; c < 3; c++) size2 += out[c] * out[c];
    } while (size2 < 0.01);
    for (int c = 0; c < 3; c++) out[c] /= sqrt(size2);
}

// From a vertex to the next, at the end of a step in which both go straight on.
static void edge_ahead(const struct strands *s, uint32_t v, double step, double edge[3]) {
    const float *x = s->positions + 3 * (size_t)v, *velocity = s->velocities + 3 * (size_t)v;
    for (int c = 0; c < 3; c++) edge[c] = ((double)x[3 + c] - x[c]) + step * ((double)velocity[3 + c] - velocity[c]);
}

// A spring along the normal, a brake across it, and what they push with.
static void make_touch(struct strands *s, float *work) {
    double n[3], along = random_between(s, 0, 50), across = random_between(s, 0, 50);
    int at = WORK_TOUCH;
    random_unit(s, n);
    for (int row = 0; row < 3; row++)
        for (int column = row; column < 3; column++)
            work[at++] = (float)((along - across) * n[row] * n[column] + (row == column ? across : 0));
    for (int c = 0; c < 3; c++) work[WORK_PUSH + c] = between(s, -0.5, 0.5);
}

static void make_work(struct strands *s, uint32_t v, bool last, bool touching, double step, float *work) {
    double edge[3] = {1, 0, 0}, director[3];
    if (!last) edge_ahead(s, v, step, edge);
    random_across(s, edge, director);
    double size = sqrt(edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2]);
    for (int c = 0; c < 3; c++) {
        work[WORK_DIRECTOR + c] = last ? 0 : (float)director[c];
        work[WORK_TANGENT + c] = (float)(edge[c] / size);
        work[WORK_START + c] = s->velocities[3 * v + c] + between(s, -0.1, 0.1);
    }
    work[WORK_TWIST] = last ? 0 : between(s, -4, 4);
    if (touching && v % 2) make_touch(s, work);
}

// At an angle of up to 60 degrees to the first edge.
static void make_clamp(struct strands *s, uint32_t root, double step, float *clamp) {
    double tangent[3], aside[3], director[3], size = 0;
    edge_ahead(s, root, step, tangent);
    random_unit(s, aside);
    for (int c = 0; c < 3; c++) size += tangent[c] * tangent[c];
    for (int c = 0; c < 3; c++) tangent[c] += 0.85 * sqrt(size) * aside[c];
    size = 0;
    for (int c = 0; c < 3; c++) size += tangent[c] * tangent[c];
    random_across(s, tangent, director);
    for (int c = 0; c < 3; c++) {
        clamp[CLAMP_TANGENT + c] = (float)(tangent[c] / sqrt(size));
        clamp[CLAMP_DIRECTOR + c] = (float)director[c];
        clamp[CLAMP_RATE + c] = between(s, -5, 5);
    }
    clamp[CLAMP_SPIN] = between(s, -20, 20);
}

struct rods rods_make(struct strands *s, bool slow, bool touching) {
    struct rods r = {.step = random_between(s, 1.0 / 240, 1.0 / 60),
                     .constants = room(s->count, HYBRID_ROWS),
                     .clamps = room(s->count, CLAMP_ROWS),
                     .rest = room(s->vertex_count, ROD_ROWS),
                     .spin = room(s->vertex_count, SPIN_ROWS),
                     .work = room(s->vertex_count, WORK_ROWS),
                     .care = room(s->count, CARE_ROWS),
                     .vector = room(s->vertex_count, 4)};
    for (uint32_t i = 0; i < s->count; i++) {
        r.care[i * CARE_ROWS + CARE_PARTS] = (float)(i % 5 == 3 ? 4 : i % 5 == 1 ? 2 : 1);
        make_constants(s, i, slow, r.constants + (size_t)i * HYBRID_ROWS);
        make_clamp(s, s->first_vertex[i], r.step, r.clamps + (size_t)i * CLAMP_ROWS);
        for (uint32_t k = 0; k < s->vertex_counts[i]; k++) {
            uint32_t v = s->first_vertex[i] + k;
            bool last = k + 1 == s->vertex_counts[i];
            make_rest(s, v, last, r.step, r.rest + (size_t)v * ROD_ROWS);
            make_work(s, v, last, touching, r.step, r.work + (size_t)v * WORK_ROWS);
            r.spin[v * SPIN_ROWS + SPIN_TWIST] = !last ? between(s, -4, 4) : 0;
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
    free(r->clamps);
    free(r->rest);
    free(r->spin);
    free(r->work);
    free(r->care);
    free(r->vector);
}
