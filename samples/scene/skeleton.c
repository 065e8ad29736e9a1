// The mannequin: eight bones, and tapered capsules that give it a head, a neck, shoulders and arms.
#include <float.h>
#include <string.h>

#include "scalp.h"
#include "scene.h"
#include "scene_math.h"

// Where a bone begins and where its y axis points, in the bind pose.
typedef struct bone_rest {
    const char *name;
    float origin[3];
    float toward[3];
} bone_rest;

static const bone_rest BONES[SCENE_BONE_COUNT] = {
    [SCENE_BONE_PELVIS] = {"pelvis", {0, 0.95f, 0}, {0, 1.05f, 0}},
    [SCENE_BONE_TORSO] = {"torso", {0, 1.05f, 0}, {0, 1.45f, 0}},
    [SCENE_BONE_NECK] = {"neck", {0, 1.455f, -0.02f}, {0, 1.56f, -0.02f}},
    [SCENE_BONE_HEAD] = {"head", {0, 1.56f, 0}, {0, 1.75f, 0}},
    [SCENE_BONE_UPPER_ARM_LEFT] = {"upper_arm_left", {0.175f, 1.40f, -0.015f}, {0.25f, 1.13f, -0.025f}},
    [SCENE_BONE_FOREARM_LEFT] = {"forearm_left", {0.25f, 1.13f, -0.025f}, {0.285f, 0.90f, 0.05f}},
    [SCENE_BONE_UPPER_ARM_RIGHT] = {"upper_arm_right", {-0.175f, 1.40f, -0.015f}, {-0.25f, 1.13f, -0.025f}},
    [SCENE_BONE_FOREARM_RIGHT] = {"forearm_right", {-0.25f, 1.13f, -0.025f}, {-0.285f, 0.90f, 0.05f}},
};

static const float HEAD_CENTER[3] = {0, 1.668f, 0.008f};

// A tapered capsule in the bind pose's world space. With mirror set there is a twin at -x on the bone after next, the
// right arm's, or on the same bone.
typedef struct limb {
    uint32_t bone;
    float from[3], from_radius;
    float to[3], to_radius;
    bool mirror;
} limb;

static const limb LIMBS[] = {
    {SCENE_BONE_HEAD, {0, 1.635f, 0.034f}, 0.066f, {0, 1.570f, 0.062f}, 0.036f, false}, // jaw
    {SCENE_BONE_HEAD, {0, 1.655f, 0.095f}, 0.007f, {0, 1.625f, 0.104f}, 0.010f, false}, // nose
    {SCENE_BONE_NECK, {0, 1.450f, -0.020f}, 0.058f, {0, 1.600f, -0.008f}, 0.052f, false},
    {SCENE_BONE_TORSO, {0, 1.455f, -0.022f}, 0.056f, {0.150f, 1.402f, -0.015f}, 0.052f, true},    // shoulders
    {SCENE_BONE_TORSO, {0.070f, 1.325f, 0.000f}, 0.100f, {0.045f, 1.080f, 0.000f}, 0.098f, true}, // ribs
    {SCENE_BONE_TORSO, {0, 1.330f, 0.000f}, 0.105f, {0, 1.080f, 0.004f}, 0.100f, false},          // breastbone
    {SCENE_BONE_PELVIS, {-0.065f, 0.960f, 0}, 0.115f, {0.065f, 0.960f, 0}, 0.115f, false},
    {SCENE_BONE_UPPER_ARM_LEFT, {0.180f, 1.395f, -0.015f}, 0.052f, {0.250f, 1.130f, -0.025f}, 0.040f, true},
    {SCENE_BONE_FOREARM_LEFT, {0.250f, 1.130f, -0.025f}, 0.039f, {0.285f, 0.900f, 0.050f}, 0.028f, true},
};

// Skin against hair; a combed strand on a scalp slides rather than sticks.
static const float FRICTION = 0.3f;

static void add_capsule(scene_body *body, uint32_t bone, vec3 from, float from_radius, vec3 to, float to_radius);
static void add_skull(scene_body *body, const scene_scalp *scalp);
static mat34 bind_matrix(uint32_t bone);

const char *scene_bone_name(uint32_t bone) { return bone < SCENE_BONE_COUNT ? BONES[bone].name : NULL; }

void scene_bind_pose(float bones[SCENE_BONE_COUNT][12]) {
    for (uint32_t i = 0; i < SCENE_BONE_COUNT; i++) memcpy(bones[i], bind_matrix(i).m, sizeof bones[i]);
}

void scene_head_center(float center[3]) { memcpy(center, HEAD_CENTER, sizeof HEAD_CENTER); }

void scene_body_make(const scene_scalp *scalp, scene_body *body) {
    memset(body, 0, sizeof *body);
    scene_scalp skull = scalp_or_usual(scalp);
    add_skull(body, &skull);
    for (size_t i = 0; i < sizeof LIMBS / sizeof *LIMBS; i++) {
        const limb *l = &LIMBS[i];
        vec3 from = v3_from(l->from), to = v3_from(l->to);
        add_capsule(body, l->bone, from, l->from_radius, to, l->to_radius);
        if (!l->mirror) continue;
        from.x = -from.x, to.x = -to.x;
        uint32_t twin = l->bone >= SCENE_BONE_UPPER_ARM_LEFT ? l->bone + 2 : l->bone;
        add_capsule(body, twin, from, l->from_radius, to, l->to_radius);
    }
}

void scene_body_describe(const scene_body *body, plait_body_desc *desc) {
    *desc = (plait_body_desc)PLAIT_BODY_DESC_INIT;
    desc->bone_count = SCENE_BONE_COUNT;
    desc->collider_count = body->collider_count;
    desc->colliders = body->colliders;
}

void scene_body_pose(const scene_body *body, const float bones[SCENE_BONE_COUNT][12], scene_body *posed) {
    *posed = *body;
    for (uint32_t i = 0; i < posed->collider_count; i++) {
        plait_collider *c = &posed->colliders[i];
        for (int end = 0; end < 2; end++) v3_store(c->points[end], m34_point(bones[c->bone], v3_from(c->points[end])));
    }
}

float scene_body_distance(const scene_body *posed, const float point[3], float outward[3]) {
    float nearest = FLT_MAX;
    outward[0] = outward[2] = 0, outward[1] = 1;
    for (uint32_t i = 0; i < posed->collider_count; i++)
        nearest = scene_min(nearest, scene_collider_distance(&posed->colliders[i], point, nearest, outward));
    return nearest;
}

float scene_collider_distance(const plait_collider *posed, const float point[3], float limit, float outward[3]) {
    vec3 from = v3_from(posed->points[0]), offset = v3_sub(v3_from(point), from);
    vec3 axis = v3_sub(v3_from(posed->points[1]), from);
    float length2 = posed->kind == PLAIT_COLLIDER_SPHERE ? 0 : v3_dot(axis, axis), along = 0, slope = 0;
    if (length2 > 0) {
        // Most colliders are far: the nearest point of the axis is enough to reject them.
        float y = v3_dot(offset, axis) / length2, reach = limit + scene_max(posed->radii[0], posed->radii[1]);
        vec3 foot = v3_mad(offset, axis, -scene_clamp(y, 0, 1));
        if (reach > 0 && v3_dot(foot, foot) > reach * reach) return FLT_MAX;
        // The capsule is the hull of spheres along its axis; the one nearest to the point lies where the cone's normal
        // through the point meets the axis.
        float length = sqrtf(length2);
        axis = v3_scale(axis, 1 / length);
        slope = scene_clamp((posed->radii[0] - posed->radii[1]) / length, -0.999f, 0.999f);
        float x = v3_length(v3_reject(offset, axis));
        along = scene_clamp(y * length - x * slope / sqrtf(1 - slope * slope), 0, length);
    }
    vec3 normal = v3_mad(offset, axis, -along);
    float reach = v3_length(normal), distance = reach - (posed->radii[0] - slope * along);
    if (distance >= limit) return FLT_MAX;
    v3_store(outward, reach > 0 ? v3_scale(normal, 1 / reach) : v3(0, 1, 0));
    return distance;
}

// The spheres that touch a spheroid from inside have their centres on its long axis; capsules between some of them lie
// inside it too and leave a gap of a millimetre between two touching points.
static void add_skull(scene_body *body, const scene_scalp *scalp) {
    const int capsules = 3;
    float a = scalp->half_length_m, b = scalp->radius_m, focal = a * a - b * b;
    vec3 center = v3_from(HEAD_CENTER);
    if (focal <= 1e-6f) {
        add_capsule(body, SCENE_BONE_HEAD, center, b, center, b);
        return;
    }
    vec3 last = center;
    float last_radius = 0;
    for (int i = 0; i <= capsules; i++) {
        float z = focal / a * (2.0f * (float)i / (float)capsules - 1);
        vec3 point = v3_add(center, v3(0, 0, z));
        float radius = b * sqrtf(1 - z * z / focal);
        if (i > 0) add_capsule(body, SCENE_BONE_HEAD, last, last_radius, point, radius);
        last = point, last_radius = radius;
    }
}

static void add_capsule(scene_body *body, uint32_t bone, vec3 from, float from_radius, vec3 to, float to_radius) {
    plait_collider *c = &body->colliders[body->collider_count++];
    *c = (plait_collider)PLAIT_COLLIDER_INIT;
    mat34 bind = bind_matrix(bone), to_bone = m34_rigid_inverse(bind.m);
    bool sphere = v3_length(v3_sub(to, from)) <= 0;
    c->kind = sphere ? PLAIT_COLLIDER_SPHERE : PLAIT_COLLIDER_CAPSULE;
    c->bone = bone;
    v3_store(c->points[0], m34_point(to_bone.m, from));
    v3_store(c->points[1], m34_point(to_bone.m, to));
    c->radii[0] = from_radius;
    c->radii[1] = to_radius;
    c->friction = FRICTION;
}

static mat34 bind_matrix(uint32_t bone) {
    vec3 origin = v3_from(BONES[bone].origin);
    vec3 y = v3_unit(v3_sub(v3_from(BONES[bone].toward), origin));
    vec3 x = v3_unit(v3_cross(y, v3(0, 0, 1))), z = v3_cross(x, y);
    return (mat34){{x.x, y.x, z.x, origin.x, x.y, y.y, z.y, origin.y, x.z, y.z, z.z, origin.z}};
}
