#include "binding_search.h"

#include <string.h>

static const float *points_of(const struct groom *groom, uint32_t strand) {
    return groom->positions + 3 * (size_t)groom->first_vertex[strand];
}

static double segment_length(const float *p) { return d3_length(d3_sub(d3_load(p + 3), d3_load(p))); }

double strand_length(const struct groom *groom, uint32_t strand) {
    double length = 0;
    for (uint32_t v = 0; v + 1 < groom->vertex_counts[strand]; v++)
        length += segment_length(points_of(groom, strand) + 3 * (size_t)v);
    return length;
}

void strand_look(const struct groom *groom, uint32_t strand, struct strand_look *look) {
    const float *p = points_of(groom, strand);
    const uint32_t last = groom->vertex_counts[strand] - 1;
    const double length = strand_length(groom, strand);
    uint32_t v = 0, next = 1;
    double passed = 0, segment = segment_length(p);
    double3 root = d3_load(p), third = d3(0, 0, 0);
    bool has_third = false;
    while (next <= SHAPE_POINTS) {
        double at = length * next / SHAPE_POINTS;
        bool is_third = !has_third && at > length / 3;
        if (is_third) at = length / 3;
        while (passed + segment < at && v + 1 < last) {
            passed += segment;
            segment = segment_length(p + 3 * (size_t)++v);
        }
        double share = fmin((at - passed) / segment, 1);
        double3 a = d3_load(p + 3 * (size_t)v), b = d3_load(p + 3 * (size_t)v + 3);
        double3 point = d3_sub(d3_add(a, d3_mul(d3_sub(b, a), share)), root);
        if (is_third) {
            third = point;
            has_third = true;
            continue;
        }
        float *to = look->points[next++ - 1];
        to[0] = (float)point.x;
        to[1] = (float)point.y;
        to[2] = (float)point.z;
    }
    double size = d3_length(third);
    double3 direction = size > 1e-6 * length ? d3_mul(third, 1 / size) : d3_load(groom->normals + 3 * (size_t)strand);
    look->direction[0] = (float)direction.x;
    look->direction[1] = (float)direction.y;
    look->direction[2] = (float)direction.z;
    memcpy(look->root, p, sizeof look->root);
    look->length = (float)length;
    look->group = groom->group_indices[strand];
}

// ---- the tree ----

static float root_of(const struct guide_tree *tree, uint32_t i, int axis) {
    return tree->looks[tree->order[i]].root[axis];
}

// Puts the root that is in the middle by this axis there, smaller ones before it.
static void split(struct guide_tree *tree, uint32_t first, uint32_t end, uint32_t middle, int axis) {
    while (end - first > 1) {
        float pivot = root_of(tree, first + (end - first - 1) / 2, axis);
        uint32_t low = first, high = end - 1;
        for (;;) {
            while (root_of(tree, low, axis) < pivot) low++;
            while (root_of(tree, high, axis) > pivot) high--;
            if (low >= high) break;
            uint32_t swap = tree->order[low];
            tree->order[low++] = tree->order[high];
            tree->order[high--] = swap;
        }
        if (middle <= high)
            end = high + 1;
        else
            first = high + 1;
    }
}

static void build(struct guide_tree *tree, uint32_t first, uint32_t end) {
    while (end - first > 1) {
        float low[3], high[3];
        for (int c = 0; c < 3; c++) low[c] = high[c] = root_of(tree, first, c);
        for (uint32_t i = first; i < end; i++)
            for (int c = 0; c < 3; c++) {
                low[c] = fminf(low[c], root_of(tree, i, c));
                high[c] = fmaxf(high[c], root_of(tree, i, c));
            }
        int axis = 0;
        for (int c = 1; c < 3; c++)
            if (high[c] - low[c] > high[axis] - low[axis]) axis = c;
        uint32_t middle = first + (end - first) / 2;
        split(tree, first, end, middle, axis);
        tree->axes[middle] = (uint8_t)axis;
        build(tree, first, middle); // half of it: the depth is that of the tree
        first = middle + 1;
    }
}

bool guide_tree_create(struct context *context, const struct groom *guides, struct guide_tree *tree) {
    tree->count = guides->info.strand_count;
    tree->looks = memory_allocate(context, tree->count, sizeof *tree->looks);
    tree->order = memory_allocate(context, tree->count, sizeof *tree->order);
    tree->axes = memory_allocate(context, tree->count, sizeof *tree->axes);
    if (!tree->looks || !tree->order || !tree->axes) return false;
    for (uint32_t i = 0; i < tree->count; i++) {
        strand_look(guides, i, &tree->looks[i]);
        tree->order[i] = i;
    }
    build(tree, 0, tree->count);
    return true;
}

void guide_tree_destroy(struct context *context, struct guide_tree *tree) {
    memory_release(context, tree->looks);
    memory_release(context, tree->order);
    memory_release(context, tree->axes);
}

struct search {
    const struct guide_tree *tree;
    const float *root;
    uint32_t group, most, count;
    struct near_guide *found; // nearest first; of two that are as near, the one with the smaller number
};

static void offer(struct search *s, uint32_t guide) {
    const struct strand_look *look = &s->tree->looks[guide];
    if (s->group != ANY_GROUP && look->group != s->group) return;
    float distance2 = 0;
    for (int c = 0; c < 3; c++) distance2 += (look->root[c] - s->root[c]) * (look->root[c] - s->root[c]);
    uint32_t at = s->count;
    while (at > 0 && (s->found[at - 1].distance2 > distance2 ||
                      (s->found[at - 1].distance2 == distance2 && s->found[at - 1].guide > guide)))
        at--;
    if (at == s->most) return;
    uint32_t kept = s->count < s->most ? s->count : s->most - 1;
    memmove(&s->found[at + 1], &s->found[at], (kept - at) * sizeof *s->found);
    s->found[at] = (struct near_guide){guide, distance2};
    s->count = kept + 1;
}

static void search(struct search *s, uint32_t first, uint32_t end) {
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        offer(s, s->tree->order[middle]);
        if (end - first == 1) return;
        int axis = s->tree->axes[middle];
        float beyond = s->root[axis] - root_of(s->tree, middle, axis);
        uint32_t near_first = beyond < 0 ? first : middle + 1, near_end = beyond < 0 ? middle : end;
        uint32_t far_first = beyond < 0 ? middle + 1 : first, far_end = beyond < 0 ? end : middle;
        search(s, near_first, near_end);
        if (s->count == s->most && beyond * beyond > s->found[s->count - 1].distance2) return;
        first = far_first;
        end = far_end;
    }
}

uint32_t guide_tree_find(const struct guide_tree *tree, const float root[3], uint32_t group, uint32_t most,
                         struct near_guide *found) {
    struct search s = {.tree = tree, .root = root, .group = group, .most = most, .found = found};
    search(&s, 0, tree->count);
    return s.count;
}

// ---- places along strands ----

void strand_shares(const struct groom *groom, uint32_t strand, double *shares) {
    const float *p = points_of(groom, strand);
    const uint32_t segments = groom->vertex_counts[strand] - 1;
    double passed = 0;
    for (uint32_t v = 0; v <= segments; v++) {
        shares[v] = passed;
        if (v < segments) passed += segment_length(p + 3 * (size_t)v);
    }
    for (uint32_t v = 0; v < segments; v++) shares[v] /= passed;
    shares[segments] = 1;
}

void strand_places(const struct groom *groom, uint32_t strand, uint32_t count, const double *shares, double *places) {
    const float *p = points_of(groom, strand);
    const uint32_t segments = groom->vertex_counts[strand] - 1;
    const double length = strand_length(groom, strand);
    uint32_t k = 0;
    double passed = 0, segment = segment_length(p);
    for (uint32_t v = 0; v < count; v++) {
        double at = length * shares[v];
        while (passed + segment < at && k + 1 < segments) {
            passed += segment;
            segment = segment_length(p + 3 * (size_t)++k);
        }
        places[v] = k + fmin((at - passed) / segment, 1);
    }
}

// The place of a guide's segment that is nearest to a point, and how near it is.
static double nearest_share(const float *segment, double3 point, double *distance2) {
    double3 a = d3_load(segment), along = d3_sub(d3_load(segment + 3), a), from = d3_sub(point, a);
    double share = fmax(0, fmin(1, d3_dot(from, along) / d3_dot(along, along)));
    double3 off = d3_sub(from, d3_mul(along, share));
    *distance2 = d3_dot(off, off);
    return share;
}

// Vertices come one behind the other, so each is looked for from where the last one was.
bool strand_lies_on(const struct groom *render, uint32_t strand, const struct groom *guides, uint32_t guide,
                    double *places) {
    const float *p = points_of(render, strand), *q = points_of(guides, guide);
    const uint32_t segments = guides->vertex_counts[guide] - 1;
    const double off = ON_GUIDE * strand_length(render, strand);
    uint32_t from = 0;
    for (uint32_t v = 0; v < render->vertex_counts[strand]; v++) {
        double3 point = d3_load(p + 3 * (size_t)v);
        double best = INFINITY;
        for (uint32_t k = from; k < segments; k++) {
            double distance2, share = nearest_share(q + 3 * (size_t)k, point, &distance2);
            if (distance2 < best) {
                best = distance2;
                places[v] = k + share;
            }
            if (best <= off * off && distance2 > best) break; // found, and leaving again
        }
        if (!(best <= off * off)) return false;
        from = (uint32_t)fmin(places[v], segments - 1);
    }
    return true;
}
