#include "mesh_search.h"

#include <float.h>

#define LEAF_TRIANGLES 4u
#define MOST_DEPTH 64 // halves of 2^32 triangles end long before

struct mesh_node {
    float low[3], high[3];
    uint32_t first, count; // in order; a leaf, if count is more than 0
    uint32_t right;        // the left child follows its parent
};

// ---- one triangle ----

static double3 corner(const float *positions, const uint32_t corners[3], int i) {
    return d3_load(positions + 3 * (size_t)corners[i]);
}

bool triangle_has_area(const float *positions, const uint32_t corners[3]) {
    double3 a = corner(positions, corners, 0), b = corner(positions, corners, 1), c = corner(positions, corners, 2);
    double3 ab = d3_sub(b, a), ac = d3_sub(c, a), bc = d3_sub(c, b);
    double longest = fmax(d3_dot(ab, ab), fmax(d3_dot(ac, ac), d3_dot(bc, bc)));
    double far = fmax(d3_length(a), fmax(d3_length(b), d3_length(c)));
    // Heights and edges must be more than the rounding of their ends.
    double area = d3_length(d3_cross(ab, ac));
    return area > 1e-6 * longest && area > 4 * FLT_EPSILON * far * sqrt(longest) &&
           d3_length(ab) > 1e-3 * sqrt(longest);
}

static double3 blend(double3 a, double3 b, double3 c, const double w[3]) {
    return d3_add(d3_add(d3_mul(a, w[0]), d3_mul(b, w[1])), d3_mul(c, w[2]));
}

// How far along an edge, 0 to 1, the point next to p is.
static double along(double3 a, double3 b, double3 p) {
    double3 edge = d3_sub(b, a);
    double t = d3_dot(d3_sub(p, a), edge) / fmax(d3_dot(edge, edge), 1e-300);
    return fmin(fmax(t, 0), 1);
}

struct mesh_point triangle_nearest(const float *positions, const uint32_t corners[3], double3 p) {
    double3 v[3];
    for (int i = 0; i < 3; i++) v[i] = corner(positions, corners, i);
    double3 ab = d3_sub(v[1], v[0]), ac = d3_sub(v[2], v[0]), ap = d3_sub(p, v[0]);
    double3 normal = d3_cross(ab, ac);
    double square = d3_dot(normal, normal);
    struct mesh_point best = {.distance = INFINITY};
    // Above the triangle: areas of the three parts over the whole.
    double w2 = d3_dot(d3_cross(ab, ap), normal) / square, w1 = d3_dot(d3_cross(ap, ac), normal) / square;
    if (w1 >= 0 && w2 >= 0 && w1 + w2 <= 1) {
        best = (struct mesh_point){.weights = {1 - w1 - w2, w1, w2}};
        best.distance = d3_length(d3_sub(blend(v[0], v[1], v[2], best.weights), p));
        return best;
    }
    for (int i = 0; i < 3; i++) { // else on an edge
        int next = (i + 1) % 3;
        double t = along(v[i], v[next], p);
        double3 q = d3_add(v[i], d3_mul(d3_sub(v[next], v[i]), t));
        double distance = d3_length(d3_sub(q, p));
        if (!(distance < best.distance)) continue;
        best = (struct mesh_point){.distance = distance};
        best.weights[i] = 1 - t;
        best.weights[next] = t;
    }
    return best;
}

// ---- the tree ----

static float middle(const struct mesh_search *s, uint32_t triangle, int axis) {
    const uint32_t *c = s->triangles + 3 * (size_t)triangle;
    float a = s->positions[3 * (size_t)c[0] + (size_t)axis], b = s->positions[3 * (size_t)c[1] + (size_t)axis];
    float d = s->positions[3 * (size_t)c[2] + (size_t)axis];
    return fminf(a, fminf(b, d)) * 0.5f + fmaxf(a, fmaxf(b, d)) * 0.5f;
}

static bool before(const struct mesh_search *s, uint32_t a, uint32_t b, int axis) {
    float x = middle(s, a, axis), y = middle(s, b, axis);
    return x < y || (x == y && a < b); // a total order: the tree does not depend on how it was found
}

// Hoare's "find" (1961): the n-th of order[first..last] comes to its place, lesser ones before it.
static void select_nth(struct mesh_search *s, int64_t first, int64_t last, int64_t n, int axis) {
    while (first < last) {
        uint32_t pivot = s->order[n];
        int64_t i = first, j = last;
        while (i <= j) {
            while (before(s, s->order[i], pivot, axis)) i++;
            while (before(s, pivot, s->order[j], axis)) j--;
            if (i > j) break;
            uint32_t kept = s->order[i];
            s->order[i++] = s->order[j];
            s->order[j--] = kept;
        }
        if (j < n) first = i;
        if (n < i) last = j;
    }
}

static void bound(struct mesh_search *s, struct mesh_node *node, uint32_t first, uint32_t count) {
    for (int c = 0; c < 3; c++) node->low[c] = FLT_MAX, node->high[c] = -FLT_MAX;
    for (uint32_t i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++) {
            const float *p = s->positions + 3 * (size_t)s->triangles[3 * (size_t)s->order[i] + (size_t)k];
            for (int c = 0; c < 3; c++) {
                node->low[c] = fminf(node->low[c], p[c]);
                node->high[c] = fmaxf(node->high[c], p[c]);
            }
        }
}

static uint32_t build(struct mesh_search *s, uint32_t first, uint32_t count) {
    uint32_t number = s->node_count++;
    struct mesh_node *node = &s->nodes[number];
    bound(s, node, first, count);
    if (count <= LEAF_TRIANGLES) {
        node->first = first;
        node->count = count;
        return number;
    }
    int axis = 0;
    for (int c = 1; c < 3; c++)
        if (node->high[c] - node->low[c] > node->high[axis] - node->low[axis]) axis = c;
    uint32_t half = count / 2;
    select_nth(s, first, (int64_t)first + count - 1, (int64_t)first + half, axis);
    build(s, first, half);
    node->right = build(s, first + half, count - half);
    return number;
}

bool mesh_search_create(struct context *context, const float *positions, const uint32_t *triangles,
                        uint32_t triangle_count, struct mesh_search *search) {
    *search = (struct mesh_search){.positions = positions, .triangles = triangles};
    search->order = memory_allocate(context, triangle_count, sizeof *search->order);
    if (!search->order) return false;
    for (uint32_t t = 0; t < triangle_count; t++)
        if (triangle_has_area(positions, triangles + 3 * (size_t)t)) search->order[search->count++] = t;
    search->nodes = memory_allocate(context, search->count ? search->count : 1, 2 * sizeof *search->nodes);
    if (!search->nodes) {
        mesh_search_destroy(context, search);
        return false;
    }
    if (search->count) build(search, 0, search->count);
    return true;
}

static double box_distance(const struct mesh_node *node, double3 p) {
    double x = fmax(fmax(node->low[0] - p.x, p.x - node->high[0]), 0);
    double y = fmax(fmax(node->low[1] - p.y, p.y - node->high[1]), 0);
    double z = fmax(fmax(node->low[2] - p.z, p.z - node->high[2]), 0);
    return sqrt(x * x + y * y + z * z);
}

struct mesh_point mesh_search_find(const struct mesh_search *search, double3 p) {
    struct mesh_point best = {.triangle = UINT32_MAX, .distance = INFINITY};
    uint32_t stack[MOST_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth) {
        uint32_t number = stack[--depth];
        const struct mesh_node *node = &search->nodes[number];
        if (box_distance(node, p) > best.distance) continue;
        for (uint32_t i = node->first; i < node->first + node->count; i++) {
            uint32_t triangle = search->order[i];
            struct mesh_point next = triangle_nearest(search->positions, search->triangles + 3 * (size_t)triangle, p);
            next.triangle = triangle;
            if (next.distance < best.distance || (next.distance == best.distance && triangle < best.triangle))
                best = next;
        }
        if (node->count) continue;
        bool left_first = box_distance(node + 1, p) <= box_distance(&search->nodes[node->right], p);
        stack[depth++] = left_first ? node->right : number + 1; // the nearer one is looked at first
        stack[depth++] = left_first ? number + 1 : node->right;
    }
    return best;
}

void mesh_search_destroy(struct context *context, struct mesh_search *search) {
    memory_release(context, search->order);
    memory_release(context, search->nodes);
}
