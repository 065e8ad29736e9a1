// Poses as functions of time: joint angles from sines and random keys, then forward kinematics.
#include <string.h>

#include "scene.h"
#include "scene_math.h"

// Angles are radians about the bone's own x (nod, forward positive), y (turn to the left) and z (lean to the right).
typedef struct joints {
    vec3 angles[SCENE_BONE_COUNT];
    vec3 travel; // of the pelvis, metres
} joints;

typedef void motion_function(float t, uint64_t seed, joints *j);

static motion_function still, idle, nod, shake, run, dance, violent;

static const struct {
    const char *name;
    motion_function *function;
} MOTIONS[SCENE_MOTION_COUNT] = {
    [SCENE_MOTION_STILL] = {"still", still},
    [SCENE_MOTION_IDLE] = {"idle", idle},
    [SCENE_MOTION_NOD] = {"nod", nod},
    [SCENE_MOTION_SHAKE] = {"shake", shake},
    [SCENE_MOTION_RUN] = {"run", run},
    [SCENE_MOTION_DANCE] = {"dance", dance},
    [SCENE_MOTION_VIOLENT] = {"violent", violent},
};

static const int PARENTS[SCENE_BONE_COUNT] = {
    [SCENE_BONE_PELVIS] = -1,
    [SCENE_BONE_TORSO] = SCENE_BONE_PELVIS,
    [SCENE_BONE_NECK] = SCENE_BONE_TORSO,
    [SCENE_BONE_HEAD] = SCENE_BONE_NECK,
    [SCENE_BONE_UPPER_ARM_LEFT] = SCENE_BONE_TORSO,
    [SCENE_BONE_FOREARM_LEFT] = SCENE_BONE_UPPER_ARM_LEFT,
    [SCENE_BONE_UPPER_ARM_RIGHT] = SCENE_BONE_TORSO,
    [SCENE_BONE_FOREARM_RIGHT] = SCENE_BONE_UPPER_ARM_RIGHT,
};

static void pose(scene_motion motion, double time_s, float amount, uint64_t seed, float bones[SCENE_BONE_COUNT][12]);
static mat34 rotation(vec3 angles);
static float keyed(float t, float interval_s, uint64_t seed, uint64_t channel);
static void swing_arms(joints *j, float left, float right, float bend);

const char *scene_motion_name(uint32_t motion) { return motion < SCENE_MOTION_COUNT ? MOTIONS[motion].name : NULL; }

uint32_t scene_motion_find(const char *name) {
    uint32_t i = 0;
    while (i < SCENE_MOTION_COUNT && strcmp(name, MOTIONS[i].name) != 0) i++;
    return i;
}

void scene_motion_pose(scene_motion motion, double time_s, uint64_t seed, float bones[SCENE_BONE_COUNT][12]) {
    pose(motion, time_s, scene_smooth(0, 0.5f, (float)time_s), seed, bones);
}

void scene_motion_and_back(scene_motion motion, double time_s, double moving_s, uint64_t seed,
                           float bones[SCENE_BONE_COUNT][12]) {
    float begun = scene_smooth(0, 0.5f, (float)time_s);
    float over = scene_smooth(0, (float)SCENE_MOTION_STOP_S, (float)(time_s - moving_s));
    pose(motion, time_s, begun * (1 - over), seed, bones);
}

// amount: of the motion's angles and travel, 0 to 1.
static void pose(scene_motion motion, double time_s, float amount, uint64_t seed, float bones[SCENE_BONE_COUNT][12]) {
    float bind[SCENE_BONE_COUNT][12];
    scene_bind_pose(bind);
    joints j;
    memset(&j, 0, sizeof j);
    if (time_s > 0 && motion < SCENE_MOTION_COUNT) MOTIONS[motion].function((float)time_s, seed, &j);
    for (int i = 0; i < SCENE_BONE_COUNT; i++) {
        mat34 turned = rotation(v3_scale(j.angles[i], amount)), local;
        if (PARENTS[i] < 0) {
            memcpy(local.m, bind[i], sizeof local.m);
            local.m[3] += amount * j.travel.x;
            local.m[7] += amount * j.travel.y;
            local.m[11] += amount * j.travel.z;
        } else {
            mat34 to_parent = m34_rigid_inverse(bind[PARENTS[i]]);
            mat34 in_parent = m34_multiply(to_parent.m, bind[i]);
            local = m34_multiply(bones[PARENTS[i]], in_parent.m);
        }
        memcpy(bones[i], m34_multiply(local.m, turned.m).m, sizeof bones[i]);
    }
}

double scene_motion_until(double time_s, double moving_s) {
    double u = (time_s - moving_s) / SCENE_MOTION_STOP_S;
    if (u <= 0) return time_s;
    if (u >= 1) return moving_s + 0.5 * SCENE_MOTION_STOP_S;
    return moving_s + SCENE_MOTION_STOP_S * u * (1 + u * u * (0.5 * u - 1)); // integral of 1 - smoothstep
}

static void still(float t, uint64_t seed, joints *j) { (void)t, (void)seed, (void)j; }

static void idle(float t, uint64_t seed, joints *j) {
    float start = 6.3f * scene_random(seed, 0, 40);
    float breath = sinf(1.6f * t), sway = sinf(0.7f * t + start), look = sinf(0.45f * t + 2 * start);
    j->angles[SCENE_BONE_PELVIS] = v3(0, 0.03f * look, 0.015f * sway);
    j->angles[SCENE_BONE_TORSO] = v3(0.015f * breath, 0.04f * look, -0.02f * sway);
    j->angles[SCENE_BONE_NECK] = v3(0.02f * sinf(0.9f * t), 0.08f * look, 0.02f * sway);
    j->angles[SCENE_BONE_HEAD] = v3(0.05f * sinf(0.6f * t + start), 0.22f * look, 0.04f * sway);
    j->travel = v3(0.012f * sway, 0.003f * breath, 0);
    swing_arms(j, 0.02f * sway, -0.02f * sway, 0);
}

static void nod(float t, uint64_t seed, joints *j) {
    (void)seed;
    float swing = sinf(2 * SCENE_PI * 1.2f * t);
    j->angles[SCENE_BONE_NECK].x = 0.20f * swing;
    j->angles[SCENE_BONE_HEAD].x = 0.08f + 0.42f * swing;
}

static void shake(float t, uint64_t seed, joints *j) {
    (void)seed;
    float swing = sinf(2 * SCENE_PI * 1.5f * t);
    j->angles[SCENE_BONE_NECK].y = 0.25f * swing;
    j->angles[SCENE_BONE_HEAD].y = 0.65f * swing;
    j->angles[SCENE_BONE_HEAD].z = 0.06f * sinf(2 * SCENE_PI * 1.5f * t + 0.8f);
}

static void run(float t, uint64_t seed, joints *j) {
    (void)seed;
    float stride = 2 * SCENE_PI * 1.4f * t, step = 2 * stride; // two steps a stride
    j->travel = v3(0.02f * sinf(stride), 0.045f * (1 - cosf(step)) - 0.045f, 0.02f * sinf(step + 0.6f));
    j->angles[SCENE_BONE_PELVIS] = v3(0.08f, 0.12f * sinf(stride), 0.03f * sinf(stride));
    j->angles[SCENE_BONE_TORSO] = v3(0.12f + 0.02f * sinf(step), -0.24f * sinf(stride), -0.03f * sinf(stride));
    j->angles[SCENE_BONE_NECK] = v3(-0.08f, 0.08f * sinf(stride), 0);
    j->angles[SCENE_BONE_HEAD] =
        v3(-0.06f + 0.06f * sinf(step + 0.8f), 0.05f * sinf(stride), 0.03f * sinf(stride + 0.5f));
    swing_arms(j, 0.6f * sinf(stride), -0.6f * sinf(stride), 1.2f);
}

static void dance(float t, uint64_t seed, joints *j) {
    float beat = 2 * SCENE_PI * 1.0f * t, start = 6.3f * scene_random(seed, 0, 41);
    j->travel = v3(0.12f * sinf(beat / 2), 0.03f * sinf(beat), 0.06f * sinf(beat / 4 + start));
    j->angles[SCENE_BONE_PELVIS] = v3(0, 0.7f * sinf(beat / 4), 0.12f * sinf(beat / 2));
    j->angles[SCENE_BONE_TORSO] = v3(0.08f * sinf(beat), 0.35f * sinf(beat / 2 + start), -0.15f * sinf(beat / 2));
    j->angles[SCENE_BONE_NECK] = v3(0.12f * sinf(beat + 0.5f), 0.15f * sinf(beat / 2), 0.10f * sinf(beat / 2 + start));
    j->angles[SCENE_BONE_HEAD] =
        v3(0.25f * sinf(beat + 0.9f), 0.5f * sinf(beat / 2 + 0.7f), 0.22f * sinf(beat / 2 + 1.1f));
    swing_arms(j, 0.5f * sinf(beat / 2), 0.5f * sinf(beat / 2 + 1.5f), 0.6f + 0.4f * sinf(beat));
}

static void violent(float t, uint64_t seed, joints *j) {
    for (uint32_t axis = 0; axis < 3; axis++) {
        float *travel = &j->travel.x + axis, *neck = &j->angles[SCENE_BONE_NECK].x + axis;
        float *head = &j->angles[SCENE_BONE_HEAD].x + axis, *torso = &j->angles[SCENE_BONE_TORSO].x + axis;
        *travel = 0.25f * keyed(t, 0.17f, seed, 50 + axis);
        *torso = 0.20f * keyed(t, 0.31f, seed, 53 + axis);
        *neck = 0.45f * keyed(t, 0.13f, seed, 56 + axis);
        *head = 0.80f * keyed(t, 0.11f, seed, 59 + axis);
    }
    swing_arms(j, keyed(t, 0.3f, seed, 62), keyed(t, 0.3f, seed, 63), 0.5f);
}

// Positive: the arm swings forward.
static void swing_arms(joints *j, float left, float right, float bend) {
    j->angles[SCENE_BONE_UPPER_ARM_LEFT].x = left;
    j->angles[SCENE_BONE_UPPER_ARM_RIGHT].x = right;
    j->angles[SCENE_BONE_FOREARM_LEFT].x = bend;
    j->angles[SCENE_BONE_FOREARM_RIGHT].x = bend;
}

// Random values in [-1, 1), one every interval, joined by quintics with zero velocity and acceleration at both ends.
static float keyed(float t, float interval_s, uint64_t seed, uint64_t channel) {
    float x = t / interval_s, key = floorf(x), u = x - key;
    float from = scene_random_signed(seed, (uint64_t)key, channel);
    float to = scene_random_signed(seed, (uint64_t)key + 1, channel);
    return from + (to - from) * u * u * u * (u * (6 * u - 15) + 10);
}

static mat34 rotation(vec3 a) {
    float cx = cosf(a.x), sx = sinf(a.x), cy = cosf(a.y), sy = sinf(a.y), cz = cosf(a.z), sz = sinf(a.z);
    mat34 x = {{1, 0, 0, 0, 0, cx, -sx, 0, 0, sx, cx, 0}};
    mat34 y = {{cy, 0, sy, 0, 0, 1, 0, 0, -sy, 0, cy, 0}};
    mat34 z = {{cz, -sz, 0, 0, sz, cz, 0, 0, 0, 0, 1, 0}};
    mat34 yx = m34_multiply(y.m, x.m);
    return m34_multiply(yx.m, z.m);
}
