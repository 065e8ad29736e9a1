/* Colliders: shapes of the scene, and what can be guessed from roots and skeleton. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "affine.h"
#include "hair.h"

static collider *add_collider(hair *h, uint32_t kind, uint32_t bone) {
    static const plait_collider init = PLAIT_COLLIDER_INIT;
    collider *c;
    if (h->collider_count == PLAIT_MAX_COLLIDERS) return NULL;
    h->colliders = realloc(h->colliders, (h->collider_count + 1) * sizeof *h->colliders);
    c = &h->colliders[h->collider_count++];
    c->desc = init;
    c->node = 0;
    c->desc.kind = kind;
    c->desc.bone = bone;
    c->desc.friction = (float)hair_number(h, COLLIDER_FRICTION);
    return c;
}

/* ---- of the scene ---- */

static int is_a(void *object, const char *class_name) {
    return (int)gd_take_int(GD_CALL(object, "is_class", gd_text(class_name)));
}

/* A capsule or sphere, with a bone of its own that follows the node. */
static void add_shape(hair *h, void *node) {
    gd_variant shape = GD_CALL0(node, "get_shape");
    void *object = gd_to_object(&shape);
    int capsule = object && is_a(object, "CapsuleShape3D"), sphere = object && is_a(object, "SphereShape3D");
    collider *c =
        capsule || sphere ? add_collider(h, capsule ? PLAIT_COLLIDER_CAPSULE : PLAIT_COLLIDER_SPHERE, 0) : NULL;
    if (c) {
        float radius = (float)gd_take_float(GD_CALL0(object, "get_radius"));
        c->node = gd_id(node);
        c->desc.bone = h->bone_count;
        c->desc.radii[0] = c->desc.radii[1] = radius;
        if (capsule) {
            float half = 0.5f * (float)gd_take_float(GD_CALL0(object, "get_height")) - radius;
            c->desc.points[0][1] = -half;
            c->desc.points[1][1] = half;
        }
        h->bones = realloc(h->bones, (h->bone_count + 1) * sizeof *h->bones);
        h->bones[h->bone_count++] = (bone){c->node, -1, 1};
    }
    gd_drop(shape);
}

int colliders_find(hair *h) {
    char path[256];
    gd_variant found = gd_object(h->base.object), shapes;
    gd_to_text(&h->base.values[COLLIDERS], path, sizeof path);
    if (path[0]) {
        gd_drop(found);
        found = GD_CALL(h->base.object, "get_node_or_null", gd_copy(&h->base.values[COLLIDERS]));
    }
    if (!gd_to_object(&found)) {
        hair_fail(h, "colliders is \"%s\", where there is no node", path);
        gd_drop(found);
        return 0;
    }
    shapes = GD_CALL(gd_to_object(&found), "find_children", gd_text("*"), gd_text("CollisionShape3D"), gd_bool(1),
                     gd_bool(0));
    int64_t count = gd_take_int(gd_call_value(&shapes, "size", 0, NULL));
    for (int64_t i = 0; i < count; i++) add_shape(h, gd_to_object(gd_array_at(&shapes, i)));
    gd_drop(shapes);
    gd_drop(found);
    return 1;
}

void colliders_enabled(const hair *h, uint32_t *words) {
    for (uint32_t i = 0; i < h->collider_count; i++) {
        void *node = gd_find(h->colliders[i].node);
        int acts = h->colliders[i].node == 0 || (node && !gd_take_int(GD_CALL0(node, "is_disabled")));
        if (acts) words[i / 32] |= 1u << i % 32;
    }
}

/* ---- generated ---- */

/* Solves a x = b by elimination with pivots; 0 if there is no solution. */
static int solve4(double a[4][5]) {
    for (int k = 0; k < 4; k++) {
        int pivot = k;
        for (int i = k + 1; i < 4; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
        if (!(fabs(a[pivot][k]) > 1e-12)) return 0;
        for (int j = 0; j < 5; j++) {
            double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        for (int i = 0; i < 4; i++) {
            double factor = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j < 5; j++) a[i][j] -= factor * a[k][j];
        }
    }
    for (int k = 0; k < 4; k++) a[k][4] /= a[k][k];
    return 1;
}

/* The sphere nearest to the roots by least squares: |p|^2 = 2 c.p + (r^2 - |c|^2) is linear in c and the rest. 0: they lie on
 * none. */
static int fit_sphere(const plait_gf_groom *groom, double center[3], double *radius) {
    double a[4][5] = {{0}}, error = 0;
    const float *p = groom->positions;
    for (uint32_t i = 0; i < groom->strand_count; p += 3 * (size_t)groom->vertex_counts[i], i++) {
        double row[5] = {2.0 * (double)p[0], 2.0 * (double)p[1], 2.0 * (double)p[2], 1, 0};
        for (int c = 0; c < 3; c++) row[4] += (double)p[c] * (double)p[c];
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 5; k++) a[j][k] += row[j] * row[k];
    }
    if (!solve4(a)) return 0;
    *radius = a[3][4];
    for (int c = 0; c < 3; c++) {
        center[c] = a[c][4];
        *radius += center[c] * center[c];
    }
    if (!(*radius > 0)) return 0;
    *radius = sqrt(*radius);
    p = groom->positions;
    for (uint32_t i = 0; i < groom->strand_count; p += 3 * (size_t)groom->vertex_counts[i], i++) {
        double distance = 0;
        for (int c = 0; c < 3; c++) distance += ((double)p[c] - center[c]) * ((double)p[c] - center[c]);
        error += (sqrt(distance) - *radius) * (sqrt(distance) - *radius);
    }
    return sqrt(error / groom->strand_count) < 0.2 * *radius;
}

/* Roots are on the scalp, a little outside of the sphere. */
static void generate_head(hair *h, const plait_gf_groom *groom, const float *bind, uint32_t head) {
    enum { FEWEST_ROOTS = 16 };
    const double inside = 0.97;
    double center[3], radius;
    float inverse[12], p[3];
    collider *c;
    if (groom->strand_count < FEWEST_ROOTS || !fit_sphere(groom, center, &radius)) return;
    if (!affine_invert(bind + 12 * (size_t)head, inverse)) return;
    c = add_collider(h, PLAIT_COLLIDER_SPHERE, head);
    if (!c) return;
    for (int k = 0; k < 3; k++) p[k] = (float)center[k];
    affine_apply(inverse, p, c->desc.points[0]);
    /* The radius is in the bone's space, whose scale is the cube root of the determinant. */
    float determinant = inverse[0] * (inverse[5] * inverse[10] - inverse[6] * inverse[9]) -
                        inverse[1] * (inverse[4] * inverse[10] - inverse[6] * inverse[8]) +
                        inverse[2] * (inverse[4] * inverse[9] - inverse[5] * inverse[8]);
    c->desc.radii[0] = (float)(inside * radius) * cbrtf(fabsf(determinant));
}

/* Capsules around the limbs, by names of joints and the size of the skeleton, as groom_files makes them. It sees joints that are not
 * turned: ends of capsules are turned into the spaces of the bones here. */
static void generate_limbs(hair *h, const float *bind, uint32_t head) {
    enum { MOST = 128 };
    void *skeleton = hair_skeleton(h);
    uint32_t joints = 0, count = MOST;
    plait_gf_motion m;
    plait_collider *capsules = calloc(MOST, sizeof *capsules);
    while (joints + 1 < h->bone_count && h->bones[joints + 1].index >= 0) joints++;
    memset(&m, 0, sizeof m);
    m.joint_count = joints;
    m.names = calloc(joints + 1, PLAIT_GF_NAME_SIZE);
    m.parents = calloc(joints + 1, sizeof *m.parents);
    m.offsets = calloc(joints + 1, 3 * sizeof *m.offsets);
    m.end_offsets = calloc(joints + 1, 3 * sizeof *m.end_offsets);
    int ordered = joints > 0;
    for (uint32_t i = 0; i < joints; i++) {
        gd_variant name = GD_CALL(skeleton, "get_bone_name", gd_int(i));
        gd_to_text(&name, m.names + i * PLAIT_GF_NAME_SIZE, PLAIT_GF_NAME_SIZE);
        gd_drop(name);
        m.parents[i] = (int32_t)gd_take_int(GD_CALL(skeleton, "get_bone_parent", gd_int(i)));
        if (m.parents[i] >= (int32_t)i) ordered = 0;
        for (int c = 0; c < 3 && ordered; c++) {
            float parent = m.parents[i] >= 0 ? bind[12 * (size_t)(m.parents[i] + 1) + 4 * c + 3] : 0;
            m.offsets[3 * i + c] = bind[12 * (size_t)(i + 1) + 4 * c + 3] - parent;
        }
    }
    if (ordered &&
        plait_gf_motion_capsules(&m, head - 1, (float)hair_number(h, COLLIDER_FRICTION), &count, capsules) < 0)
        count = 0;
    for (uint32_t i = 0; ordered && i < count; i++) {
        const float *b = bind + 12 * (size_t)(capsules[i].bone + 1);
        float inverse[12], end[3];
        collider *c;
        if (!affine_invert(b, inverse)) continue;
        for (int k = 0; k < 3; k++) end[k] = capsules[i].points[1][k] + b[4 * k + 3];
        c = add_collider(h, PLAIT_COLLIDER_CAPSULE, capsules[i].bone + 1);
        if (!c) break;
        affine_apply(inverse, end, c->desc.points[1]);
        c->desc.radii[0] = capsules[i].radii[0];
        c->desc.radii[1] = capsules[i].radii[1];
    }
    free(m.names);
    free(m.parents);
    free(m.offsets);
    free(m.end_offsets);
    free(capsules);
}

void colliders_generate(hair *h, const plait_gf_groom *groom, const float *bind, uint32_t head) {
    generate_head(h, groom, bind, head);
    if (hair_skeleton(h)) generate_limbs(h, bind, head);
}
