// Least squares: |p|^2 = 2 c.p + k is linear in the centre c and in k = r^2 - |c|^2.
#include "fitted_head.h"

#include <math.h>
#include <string.h>

#include "scene_math.h"

typedef struct sphere {
    double center[3];
    double radius;
} sphere;

// Heads are no spheres. This many standard deviations inside that of the roots, hardly a root is pushed: of Sintel's hair
// three in a hundred lie deeper, by less than 2 mm.
static const double DEVIATIONS_INSIDE = 2;
static const double MOST_DEVIATION = 0.2; // of the radius: farther apart, roots lie on nothing like a sphere
static const double MOST_RADIUS = 3;      // of the roots' spread: a larger one means that they lie in a plane
static const double MOST_INSIDE = 0.05;   // of the vertices
static const float FRICTION = 0.3f;       // as the mannequin's

static bool fit(const scene_groom *groom, sphere *s);
static bool solve(double m[4][5]);
static double distance(const sphere *s, const float *point);
static double share_inside(const scene_groom *groom, const sphere *s);

bool fitted_head_make(const scene_groom *groom, scene_body *body, float *radius_m) {
    memset(body, 0, sizeof *body);
    sphere s;
    if (!fit(groom, &s) || share_inside(groom, &s) > MOST_INSIDE) return false;
    mat34 to_bone = m34_rigid_inverse(groom->bind_pose[SCENE_BONE_HEAD]);
    vec3 center = m34_point(to_bone.m, v3((float)s.center[0], (float)s.center[1], (float)s.center[2]));
    plait_collider *c = &body->colliders[body->collider_count++];
    *c = (plait_collider)PLAIT_COLLIDER_INIT;
    c->kind = PLAIT_COLLIDER_SPHERE;
    c->bone = SCENE_BONE_HEAD;
    for (int end = 0; end < 2; end++) {
        v3_store(c->points[end], center);
        c->radii[end] = (float)s.radius;
    }
    c->friction = FRICTION;
    *radius_m = (float)s.radius;
    return true;
}

// The sphere just inside the roots. Sums are taken about the head's centre, which lies among them.
static bool fit(const scene_groom *groom, sphere *s) {
    float origin[3];
    scene_head_center(origin);
    double m[4][5] = {{0}}, spread = 0, off = 0;
    const float *root = groom->positions;
    for (uint32_t i = 0; i < groom->strand_count; root += 3 * (size_t)groom->vertex_counts[i], i++) {
        double row[5] = {0, 0, 0, 1, 0};
        for (int c = 0; c < 3; c++) {
            double x = (double)root[c] - (double)origin[c];
            row[c] = 2 * x;
            row[4] += x * x;
        }
        spread += row[4] / groom->strand_count;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 5; b++) m[a][b] += row[a] * row[b] / groom->strand_count;
    }
    if (!solve(m)) return false;
    double square = m[3][4];
    for (int c = 0; c < 3; c++) {
        square += m[c][4] * m[c][4];
        s->center[c] = m[c][4] + (double)origin[c];
    }
    s->radius = sqrt(square);
    if (!(s->radius <= MOST_RADIUS * sqrt(spread))) return false;
    root = groom->positions;
    for (uint32_t i = 0; i < groom->strand_count; root += 3 * (size_t)groom->vertex_counts[i], i++) {
        double difference = distance(s, root) - s->radius;
        off += difference * difference / groom->strand_count;
    }
    if (sqrt(off) > MOST_DEVIATION * s->radius) return false;
    s->radius -= DEVIATIONS_INSIDE * sqrt(off);
    return true;
}

// Gauss-Jordan with pivots; the solution replaces the last column. False if the roots lie in a plane or are too few.
static bool solve(double m[4][5]) {
    double scale = m[0][0] + m[1][1] + m[2][2];
    for (int i = 0; i < 4; i++) {
        int best = i;
        for (int r = i + 1; r < 4; r++)
            if (fabs(m[r][i]) > fabs(m[best][i])) best = r;
        if (!(fabs(m[best][i]) > 1e-6 * (i < 3 ? scale : 1))) return false;
        for (int c = 0; c < 5; c++) {
            double kept = m[i][c];
            m[i][c] = m[best][c];
            m[best][c] = kept;
        }
        for (int r = 0; r < 4; r++) {
            double factor = r == i ? 0 : m[r][i] / m[i][i];
            for (int c = 0; c < 5; c++) m[r][c] -= factor * m[i][c];
        }
    }
    for (int i = 0; i < 4; i++) m[i][4] /= m[i][i];
    return true;
}

static double distance(const sphere *s, const float *point) {
    double x = (double)point[0] - s->center[0], y = (double)point[1] - s->center[1];
    double z = (double)point[2] - s->center[2];
    return sqrt(x * x + y * y + z * z);
}

static double share_inside(const scene_groom *groom, const sphere *s) {
    uint32_t inside = 0;
    for (uint32_t v = 0; v < groom->vertex_count; v++)
        inside += distance(s, groom->positions + 3 * (size_t)v) < s->radius * (1 - 1e-4);
    return (double)inside / groom->vertex_count;
}
