// See actor.h.
#include "actor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_math.h"

static const float USUAL_HEIGHT_M = 1.75f;
static const float FRICTION = 0.3f;   // as the mannequin's
static const float PICTURED_M = 0.6f; // from the head

static double height_of(const plait_gf_motion *file);
static bool begins_apart(actor *a);
static void add_limbs(const actor *a, scene_body *body);

void actor_mannequin(actor *a, scene_motion motion, uint64_t seed) {
    memset(a, 0, sizeof *a);
    a->name = scene_motion_name(motion);
    a->bone_count = SCENE_BONE_COUNT;
    a->head = SCENE_BONE_HEAD;
    a->bind_pose = a->mannequin[0];
    a->bones = a->mannequin[1];
    a->motion = motion;
    a->seed = seed;
    scene_bind_pose(a->bind_pose);
}

bool actor_from_file(actor *a, const char *path, const actor_file_options *options, char *problem,
                     size_t problem_size) {
    memset(a, 0, sizeof *a);
    plait_gf_report report;
    const char *slash = strrchr(path, '/');
    a->name = slash ? slash + 1 : path;
    a->from_file = true;
    plait_result result = plait_gf_motion_read(path, options->scale > 0 ? options->scale : 1, &a->file, &report);
    double height = result == PLAIT_OK ? height_of(&a->file) : 0;
    if (result == PLAIT_OK && options->scale == 0 && height > 0) {
        plait_gf_motion_free(&a->file);
        result = plait_gf_motion_read(path, (float)(USUAL_HEIGHT_M / height), &a->file, &report);
    }
    snprintf(problem, problem_size, "%s", report.message);
    if (result != PLAIT_OK) return false;
    a->bone_count = a->file.joint_count;
    a->head = plait_gf_motion_find(&a->file, options->joint);
    if (a->head == PLAIT_GF_NO_JOINT) {
        snprintf(problem, problem_size, "it has no joint '%s'; choose another with --joint", options->joint);
        return false;
    }
    a->bind_pose = calloc(a->bone_count, sizeof *a->bind_pose);
    a->bones = calloc(a->bone_count, sizeof *a->bones);
    if (!a->bind_pose || !a->bones) {
        snprintf(problem, problem_size, "out of memory");
        return false;
    }
    plait_gf_motion_bind(&a->file, a->bind_pose[0]);
    a->start_s = begins_apart(a) ? (double)a->file.frame_s : 0;
    return true;
}

void actor_free(actor *a) {
    if (a->from_file) {
        plait_gf_motion_free(&a->file);
        free(a->bind_pose);
        free(a->bones);
    }
    memset(a, 0, sizeof *a);
}

void actor_dress(const actor *a, scene_groom *groom, scene_body *body, float moved[3]) {
    float bind[SCENE_BONE_COUNT][12];
    scene_bind_pose(bind);
    const float *from = bind[SCENE_BONE_HEAD], *to = a->bind_pose[a->head];
    vec3 shift = v3(to[3] - from[3], to[7] - from[7], to[11] - from[11]);
    for (uint32_t v = 0; v < groom->vertex_count; v++) {
        float *p = groom->positions + 3 * (size_t)v;
        v3_store(p, v3_add(v3_from(p), shift));
    }
    v3_store(moved, shift);
    free(groom->bindings);
    groom->bindings = NULL;
    for (uint32_t i = 0; groom->root_bones && i < groom->strand_count; i++) groom->root_bones[i] = a->head;
    if (!body) return;
    uint32_t kept = 0; // the head's, which is upright in both skeletons, so that its colliders stay as they are
    for (uint32_t i = 0; i < body->collider_count; i++)
        if (body->colliders[i].bone == SCENE_BONE_HEAD) {
            body->colliders[kept] = body->colliders[i];
            body->colliders[kept++].bone = a->head;
        }
    body->collider_count = kept;
    add_limbs(a, body);
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether the word stands in the text by itself, in upper or lower case.
static bool has_word(const char *text, const char *word) {
    size_t length = strlen(word);
    for (const char *at = text; *at; at++) {
        size_t i = 0;
        while (i < length && at[i] && (at[i] | 32) == word[i]) i++;
        if (i == length && !is_letter(at[length]) && (at == text || !is_letter(at[-1]))) return true;
    }
    return false;
}

uint32_t actor_find(const actor *a, const char *name) {
    static const struct {
        const char *name;
        uint32_t bone;
    } mannequin[] = {{"pelvis", SCENE_BONE_PELVIS}, {"hips", SCENE_BONE_PELVIS}, {"torso", SCENE_BONE_TORSO},
                     {"spine", SCENE_BONE_TORSO},   {"chest", SCENE_BONE_TORSO}, {"neck", SCENE_BONE_NECK},
                     {"head", SCENE_BONE_HEAD}};
    if (a->from_file) {
        uint32_t joint = plait_gf_motion_find(&a->file, name);
        for (uint32_t i = 0; joint == PLAIT_GF_NO_JOINT && i < a->file.joint_count; i++) {
            char word[PLAIT_GF_NAME_SIZE];
            size_t k = 0;
            for (const char *c = a->file.names + (size_t)i * PLAIT_GF_NAME_SIZE; c[k]; k++)
                word[k] = is_letter(c[k]) ? (char)(c[k] | 32) : c[k];
            word[k] = 0;
            if (k > 0 && has_word(name, word)) joint = i;
        }
        return joint;
    }
    for (size_t i = 0; i < sizeof mannequin / sizeof *mannequin; i++)
        if (has_word(name, mannequin[i].name)) return mannequin[i].bone;
    return PLAIT_GF_NO_JOINT;
}

void actor_pose(actor *a, double time_s) {
    if (a->from_file)
        plait_gf_motion_pose(&a->file, a->start_s + time_s, a->bones[0]);
    else
        scene_motion_pose(a->motion, time_s, a->seed, a->bones);
}

void actor_stay(const actor *a, uint32_t vertex_count, float *positions, scene_body *posed) {
    if (!a->from_file) return; // the mannequin runs on the spot, and ends at the hips
    const float *from = a->bones[a->head], *to = a->bind_pose[a->head];
    vec3 head = v3(to[3], to[7], to[11]), shift = v3_sub(head, v3(from[3], from[7], from[11]));
    for (uint32_t v = 0; v < vertex_count; v++) {
        float *p = positions + 3 * (size_t)v;
        v3_store(p, v3_add(v3_from(p), shift));
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < posed->collider_count; i++) {
        plait_collider c = posed->colliders[i];
        for (int end = 0; end < 2; end++) v3_store(c.points[end], v3_add(v3_from(c.points[end]), shift));
        vec3 middle = v3_scale(v3_add(v3_from(c.points[0]), v3_from(c.points[1])), 0.5f);
        c.bone = c.bone == a->head ? SCENE_BONE_HEAD : SCENE_BONE_TORSO; // pictures have all of the head in view
        if (v3_length(v3_sub(middle, head)) < PICTURED_M) posed->colliders[kept++] = c;
    }
    posed->collider_count = kept;
}

void actor_head(const actor *a, float matrix[12]) {
    mat34 to_bone = m34_rigid_inverse(a->bind_pose[a->head]), m;
    float bone[12];
    memcpy(bone, a->bones[a->head], sizeof bone);
    for (int i = 3; a->from_file && i < 12; i += 4) bone[i] = a->bind_pose[a->head][i];
    m = m34_multiply(bone, to_bone.m);
    memcpy(matrix, m.m, sizeof m.m);
}

// The largest extent of the rest pose: arms are spread as wide as people are tall.
static double height_of(const plait_gf_motion *file) {
    float(*bones)[12] = calloc(file->joint_count, sizeof *bones);
    double most = 0;
    if (!bones) return 0;
    plait_gf_motion_bind(file, bones[0]);
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < file->joint_count; i++) {
            double x = (double)bones[i][4 * c + 3], tip = x + (double)file->end_offsets[3 * i + (uint32_t)c];
            low = fmin(low, fmin(x, tip));
            high = fmax(high, fmax(x, tip));
        }
        most = fmax(most, high - low);
    }
    free(bones);
    return most;
}

// How far bones turn at most from one frame of the file to the next, radians. Uses bones as scratch.
static double largest_turn(actor *a, uint32_t frame, float (*next)[12]) {
    double most = 0, frame_s = (double)a->file.frame_s;
    plait_gf_motion_pose(&a->file, frame * frame_s, a->bones[0]);
    plait_gf_motion_pose(&a->file, (frame + 1) * frame_s, next[0]);
    for (uint32_t i = 0; i < a->bone_count; i++) {
        double trace = 0;
        for (int k = 0; k < 11; k++)
            if (k % 4 < 3) trace += (double)a->bones[i][k] * (double)next[i][k];
        most = fmax(most, acos(fmax(-1, fmin(1, 0.5 * (trace - 1)))));
    }
    return most;
}

// Nobody turns by 20 degrees in a frame, and then goes on at half that speed.
static bool begins_apart(actor *a) {
    float(*next)[12] = calloc(a->bone_count, sizeof *next);
    if (!next || a->file.frame_count < 3) {
        free(next);
        return false;
    }
    double first = largest_turn(a, 0, next), second = largest_turn(a, 1, next);
    free(next);
    return first > 0.35 && second < 0.5 * first;
}

static void add_limbs(const actor *a, scene_body *body) {
    enum { MOST = 256 };
    plait_collider limbs[MOST];
    uint32_t count = MOST;
    vec3 head = v3(a->bind_pose[a->head][3], a->bind_pose[a->head][7], a->bind_pose[a->head][11]);
    if (plait_gf_motion_capsules(&a->file, a->head, FRICTION, &count, limbs) < 0) return;
    while (count > 0 && body->collider_count < SCENE_MAX_COLLIDERS) {
        uint32_t nearest = 0;
        float least = INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            const float *bone = a->bind_pose[limbs[i].bone];
            vec3 middle = v3_scale(v3_add(v3_from(limbs[i].points[0]), v3_from(limbs[i].points[1])), 0.5f);
            float distance = v3_length(v3_sub(m34_point(bone, middle), head));
            if (distance < least) least = distance, nearest = i;
        }
        body->colliders[body->collider_count++] = limbs[nearest];
        limbs[nearest] = limbs[--count];
    }
}
