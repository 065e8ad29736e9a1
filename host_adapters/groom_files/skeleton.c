/* A skeleton from a motion file: poses, joints by name, capsules. */
#include "groom_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct quaternion {
    double w, x, y, z;
} quaternion;

static void joint_at(const plait_gf_motion *m, uint32_t frame, uint32_t joint, double place[3], quaternion *turn);
static void compose(const plait_gf_motion *m, uint32_t joint, const double place[3], quaternion turn,
                    float (*bones)[12]);

plait_result plait_gf_motion_bind(const plait_gf_motion *motion, float *bones) {
    uint32_t i, c;
    if (!motion || !motion->parents || !bones) return PLAIT_ERROR_INVALID_ARGUMENT;
    for (i = 0; i < motion->joint_count; i++) {
        quaternion none = {1, 0, 0, 0};
        double place[3];
        for (c = 0; c < 3; c++) place[c] = (double)motion->offsets[3 * (size_t)i + c];
        compose(motion, i, place, none, (float(*)[12])(void *)bones);
    }
    return PLAIT_OK;
}

plait_result plait_gf_motion_pose(const plait_gf_motion *motion, double time_s, float *bones) {
    double at, share;
    uint32_t frame, next, i, c;
    if (!motion || !motion->parents || !motion->values || !bones || !(fabs(time_s) <= 1e12))
        return PLAIT_ERROR_INVALID_ARGUMENT;
    at = time_s / (double)motion->frame_s;
    at = at < 0 ? 0 : at > motion->frame_count - 1 ? motion->frame_count - 1 : at;
    frame = (uint32_t)at;
    next = frame + 1 < motion->frame_count ? frame + 1 : frame;
    share = at - frame;
    for (i = 0; i < motion->joint_count; i++) {
        double place[3], other_place[3];
        quaternion turn, other;
        joint_at(motion, frame, i, place, &turn);
        joint_at(motion, next, i, other_place, &other);
        for (c = 0; c < 3; c++) place[c] += share * (other_place[c] - place[c]);
        /* Frames are near each other: the straight way is as good as the great circle. */
        if (turn.w * other.w + turn.x * other.x + turn.y * other.y + turn.z * other.z < 0)
            other.w = -other.w, other.x = -other.x, other.y = -other.y, other.z = -other.z;
        turn.w += share * (other.w - turn.w), turn.x += share * (other.x - turn.x);
        turn.y += share * (other.y - turn.y), turn.z += share * (other.z - turn.z);
        compose(motion, i, place, turn, (float(*)[12])(void *)bones);
    }
    return PLAIT_OK;
}

/* Relative to the parent. Rotations apply in the order in which the channels are listed, the last one first. */
static void joint_at(const plait_gf_motion *m, uint32_t frame, uint32_t joint, double place[3], quaternion *turn) {
    const float *values = m->values + (size_t)frame * m->channel_count;
    quaternion q = {1, 0, 0, 0};
    uint32_t i;
    for (i = 0; i < 3; i++) place[i] = (double)m->offsets[3 * (size_t)joint + i];
    for (i = m->first_channels[joint]; i < m->first_channels[joint + 1]; i++) {
        double half = (double)values[i] * 3.14159265358979323846 / 360, c = cos(half), s = sin(half);
        quaternion p = q;
        switch (m->channels[i]) {
        case 3:
            q.w = c * p.w - s * p.x, q.x = c * p.x + s * p.w, q.y = c * p.y + s * p.z, q.z = c * p.z - s * p.y;
            break;
        case 4:
            q.w = c * p.w - s * p.y, q.x = c * p.x - s * p.z, q.y = c * p.y + s * p.w, q.z = c * p.z + s * p.x;
            break;
        case 5:
            q.w = c * p.w - s * p.z, q.x = c * p.x + s * p.y, q.y = c * p.y - s * p.x, q.z = c * p.z + s * p.w;
            break;
        default: place[m->channels[i]] = (double)values[i]; /* instead of the offset */
        }
    }
    *turn = q;
}

static void compose(const plait_gf_motion *m, uint32_t joint, const double place[3], quaternion q, float (*bones)[12]) {
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z), w, x, y, z, local[12];
    const float *parent;
    int r, c;
    length = length > 0 ? 1 / length : 1;
    w = q.w * length, x = q.x * length, y = q.y * length, z = q.z * length;
    local[0] = 1 - 2 * (y * y + z * z), local[1] = 2 * (x * y - w * z), local[2] = 2 * (x * z + w * y);
    local[4] = 2 * (x * y + w * z), local[5] = 1 - 2 * (x * x + z * z), local[6] = 2 * (y * z - w * x);
    local[8] = 2 * (x * z - w * y), local[9] = 2 * (y * z + w * x), local[10] = 1 - 2 * (x * x + y * y);
    local[3] = place[0], local[7] = place[1], local[11] = place[2];
    if (m->parents[joint] < 0) {
        for (r = 0; r < 12; r++) bones[joint][r] = (float)local[r];
        return;
    }
    parent = bones[m->parents[joint]];
    for (r = 0; r < 3; r++)
        for (c = 0; c < 4; c++)
            bones[joint][4 * r + c] =
                (float)((double)parent[4 * r] * local[c] + (double)parent[4 * r + 1] * local[4 + c] +
                        (double)parent[4 * r + 2] * local[8 + c] + (c == 3 ? (double)parent[4 * r + 3] : 0));
}

/* ---- names ---- */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c; }

/* What follows the last : or |, as in "mixamorig:Head". */
static const char *bare(const char *name) {
    const char *from = name;
    for (; *name; name++)
        if (*name == ':' || *name == '|') from = name + 1;
    return from;
}

static int same_name(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b)) a++, b++;
    return lower(*a) == lower(*b);
}

static int has(const char *name, const char *part) {
    for (; *name; name++) {
        size_t i = 0;
        while (part[i] && lower(name[i]) == part[i]) i++;
        if (!part[i]) return 1;
    }
    return 0;
}

static const char *name_of(const plait_gf_motion *m, uint32_t joint) {
    return m->names + (size_t)joint * PLAIT_GF_NAME_SIZE;
}

uint32_t plait_gf_motion_find(const plait_gf_motion *motion, const char *name) {
    uint32_t i;
    if (!motion || !motion->names || !name) return PLAIT_GF_NO_JOINT;
    for (i = 0; i < motion->joint_count; i++)
        if (strcmp(name_of(motion, i), name) == 0) return i;
    for (i = 0; i < motion->joint_count; i++)
        if (same_name(bare(name_of(motion, i)), bare(name))) return i;
    return PLAIT_GF_NO_JOINT;
}

uint32_t plait_gf_motion_map(const plait_gf_motion *motion, const char *names, uint32_t count, uint32_t *joints) {
    uint32_t i, found = 0;
    for (i = 0; i < count; i++) {
        joints[i] = plait_gf_motion_find(motion, names + (size_t)i * PLAIT_GF_NAME_SIZE);
        found += joints[i] != PLAIT_GF_NO_JOINT;
    }
    return found;
}

/* ---- capsules ---- */

/* Radii as shares of the stature, by parts of the name of the joint that a capsule begins at; the first that fits. Measured on
 * the mannequin of samples/scene. */
static const struct {
    const char *part;
    float radius; /* 0: none */
} RADII[] = {{"finger", 0},     {"thumb", 0},        {"index", 0},        {"middle", 0},      {"ring", 0},
             {"pinky", 0},      {"toe", 0},          {"eye", 0},          {"jaw", 0},         {"hand", 0.018f},
             {"wrist", 0.018f}, {"foot", 0.025f},    {"ankle", 0.025f},   {"forearm", 0.02f}, {"lowerarm", 0.02f},
             {"elbow", 0.02f},  {"shoulder", 0.03f}, {"clavicle", 0.03f}, {"collar", 0.03f},  {"arm", 0.027f},
             {"upleg", 0.048f}, {"thigh", 0.048f},   {"hip", 0.045f},     {"knee", 0.035f},   {"calf", 0.035f},
             {"shin", 0.035f},  {"leg", 0.035f},     {"neck", 0.033f},    {"spine", 0.06f},   {"chest", 0.06f},
             {"back", 0.06f},   {"pelvis", 0.06f},   {"torso", 0.06f}};

static double stature(const plait_gf_motion *m, const float *bones) {
    double most = 0;
    uint32_t c, i;
    for (c = 0; c < 3; c++) {
        double low = 1e30, high = -1e30;
        for (i = 0; i < m->joint_count; i++) {
            double x = (double)bones[12 * (size_t)i + 4 * c + 3], tip = x + (double)m->end_offsets[3 * (size_t)i + c];
            low = x < low ? x : low, low = tip < low ? tip : low;
            high = x > high ? x : high, high = tip > high ? tip : high;
        }
        most = high - low > most ? high - low : most;
    }
    return most; /* arms are spread as wide as people are tall */
}

/* From the joint to a point in its space; nothing if the joint has no part in a body, or the capsule no length. */
static void add_capsule(const plait_gf_motion *m, uint32_t joint, const float *to, double height, float friction,
                        uint32_t room, plait_collider *colliders, uint32_t *count) {
    static const plait_collider init = PLAIT_COLLIDER_INIT;
    double length = sqrt((double)to[0] * to[0] + (double)to[1] * to[1] + (double)to[2] * to[2]), radius = 0.2 * length;
    size_t k;
    plait_collider *c;
    for (k = 0; k < sizeof RADII / sizeof *RADII; k++)
        if (has(bare(name_of(m, joint)), RADII[k].part)) break;
    if (k < sizeof RADII / sizeof *RADII) radius = (double)RADII[k].radius * height;
    if (!(radius > 0 && radius <= 1e6) || !(length > 0.01 * height)) return;
    if (*count < room) {
        c = &colliders[*count];
        *c = init;
        c->kind = PLAIT_COLLIDER_CAPSULE;
        c->bone = joint;
        memcpy(c->points[1], to, 3 * sizeof *to);
        c->radii[0] = c->radii[1] = (float)radius;
        c->friction = friction;
    }
    ++*count;
}

plait_result plait_gf_motion_capsules(const plait_gf_motion *motion, uint32_t head, float friction, uint32_t *count,
                                      plait_collider *colliders) {
    uint32_t room, i;
    double height;
    uint8_t *of_head; /* 1: the head, or after it */
    float *bones;
    if (!motion || !motion->parents || !count || (*count > 0 && !colliders) || !(friction >= 0 && friction <= 1e6f))
        return PLAIT_ERROR_INVALID_ARGUMENT;
    bones = gf_allocate(motion->joint_count, 12 * sizeof *bones);
    of_head = gf_allocate(motion->joint_count, 1);
    if (!bones || !of_head) {
        free(bones);
        free(of_head);
        return PLAIT_ERROR_OUT_OF_MEMORY;
    }
    plait_gf_motion_bind(motion, bones);
    height = stature(motion, bones);
    free(bones);
    room = *count;
    *count = 0;
    for (i = 0; i < motion->joint_count; i++) {
        int32_t parent = motion->parents[i];
        of_head[i] = i == head || (parent >= 0 && of_head[parent]);
        if (parent >= 0 && !of_head[parent])
            add_capsule(motion, (uint32_t)parent, motion->offsets + 3 * (size_t)i, height, friction, room, colliders,
                        count);
        if (!of_head[i])
            add_capsule(motion, i, motion->end_offsets + 3 * (size_t)i, height, friction, room, colliders, count);
    }
    free(of_head);
    if (*count <= room) return PLAIT_OK;
    *count = room;
    return PLAIT_INCOMPLETE;
}
