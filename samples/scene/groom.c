// Heads of hair from options: roots, locks, centrelines, curls; and their arrays.
#include <stdlib.h>
#include <string.h>

#include "centreline.h"
#include "scalp.h"
#include "scene.h"
#include "strand.h"

// What scene_groom_make works with, owned for the duration of the call.
typedef struct groom_work {
    scalp_root *roots; // [strand_count]
    centreline *locks; // [lock_count]: the first strands lead the locks
    uint32_t lock_count;
    scene_body posed;
    combing comb;
} groom_work;

static bool options_valid(const scene_groom_options *options);
static bool within(float x, float low, float high);
static bool work_make(const scene_groom_options *options, groom_work *work);
static void strand_make(const scene_groom_options *options, const groom_work *work, uint32_t strand, float *positions);
static void drape(const scene_body *posed, uint32_t vertex_count, float segment_m, float *positions);
static uint32_t lock_of(const groom_work *work, uint32_t strand);
static strand_curl curl_of(const scene_groom_options *options, const combing *comb, uint32_t strand, uint32_t lock);
static bool bind_to_neck(scene_groom *groom);

bool scene_groom_make(const scene_groom_options *options, scene_groom *groom) {
    memset(groom, 0, sizeof *groom);
    groom_work work = {0};
    uint32_t *counts = NULL;
    bool made = false;
    if (!options_valid(options)) return false;
    counts = malloc(options->strand_count * sizeof *counts);
    if (!counts || !work_make(options, &work)) goto end;
    for (uint32_t i = 0; i < options->strand_count; i++) counts[i] = options->vertex_count;
    if (!scene_groom_allocate(options->strand_count, counts, groom)) goto end;
    groom->group.radius = options->radius_m;
    for (uint32_t i = 0; i < options->strand_count; i++) {
        v3_store(groom->root_normals + 3 * i, work.roots[i].normal);
        strand_make(options, &work, i, groom->positions + 3 * (size_t)i * options->vertex_count);
    }
    made = options->binding == SCENE_BINDING_HEAD || bind_to_neck(groom);
    if (!made) scene_groom_free(groom);
end:
    free(counts);
    free(work.roots);
    free(work.locks);
    return made;
}

bool scene_groom_allocate(uint32_t strand_count, const uint32_t *vertex_counts, scene_groom *groom) {
    memset(groom, 0, sizeof *groom);
    uint64_t vertex_count = 0;
    for (uint32_t i = 0; i < strand_count; i++) vertex_count += vertex_counts[i];
    if (strand_count == 0 || vertex_count == 0 || vertex_count > UINT32_MAX) return false;
    groom->strand_count = strand_count;
    groom->vertex_count = (uint32_t)vertex_count;
    groom->vertex_counts = malloc(strand_count * sizeof *groom->vertex_counts);
    groom->positions = calloc(vertex_count, 3 * sizeof *groom->positions);
    groom->root_normals = calloc(strand_count, 3 * sizeof *groom->root_normals);
    groom->root_bones = malloc(strand_count * sizeof *groom->root_bones);
    if (!groom->vertex_counts || !groom->positions || !groom->root_normals || !groom->root_bones) {
        scene_groom_free(groom);
        return false;
    }
    memcpy(groom->vertex_counts, vertex_counts, strand_count * sizeof *vertex_counts);
    for (uint32_t i = 0; i < strand_count; i++) groom->root_bones[i] = SCENE_BONE_HEAD;
    scene_bind_pose(groom->bind_pose);
    groom->group = (plait_group_desc)PLAIT_GROUP_DESC_INIT;
    return true;
}

void scene_groom_free(scene_groom *groom) {
    free(groom->vertex_counts);
    free(groom->positions);
    free(groom->root_normals);
    free(groom->root_bones);
    free(groom->bindings);
    free(groom->radii);
    free(groom->held_counts);
    memset(groom, 0, sizeof *groom);
}

void scene_groom_describe(const scene_groom *groom, plait_groom_desc *desc) {
    *desc = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    desc->strand_count = groom->strand_count;
    desc->bone_count = SCENE_BONE_COUNT;
    desc->vertex_counts = groom->vertex_counts;
    desc->positions = groom->positions;
    desc->root_bones = groom->root_bones;
    desc->root_bindings = groom->bindings;
    desc->bind_pose = groom->bind_pose[0];
    desc->root_normals = groom->root_normals;
    desc->radii = groom->radii;
    desc->held_counts = groom->held_counts;
    desc->groups = &groom->group;
    desc->group_count = 1;
}

static bool options_valid(const scene_groom_options *o) {
    bool combed = o->style == SCENE_STYLE_COMBED, curled = o->curl_radius_m != 0;
    return o->strand_count > 0 && o->vertex_count >= 2 && o->vertex_count <= PLAIT_MAX_STRAND_VERTICES &&
           within(o->length_m, 1e-4f, 10) && within(o->length_variation, 0, 0.95f) && within(o->radius_m, 0, 0.01f) &&
           within(o->curl_radius_m, 0, 1) && (!curled || within(o->curl_pitch_m, 1e-4f, 10)) &&
           (!combed || within(o->bend_length_m, 1e-4f, 100)) && within(o->volume_m, 0, 1) &&
           within(o->clumping, 0, 1) && within(o->frizz_m, 0, 1) && within(o->fringe, 0, 0.5f) &&
           within(o->scalp.radius_m, 0, 1) && within(o->scalp.half_length_m, 0, 2);
}

// False for NaN too.
static bool within(float x, float low, float high) { return x >= low && x <= high; }

static bool work_make(const scene_groom_options *options, groom_work *work) {
    work->lock_count = options->style == SCENE_STYLE_RADIAL ? 0 : options->clump_count;
    if (work->lock_count > options->strand_count) work->lock_count = options->strand_count;
    work->roots = malloc(options->strand_count * sizeof *work->roots);
    work->locks = malloc((work->lock_count + 1) * sizeof *work->locks);
    if (!work->roots || !work->locks) return false;
    scene_scalp scalp = scalp_or_usual(&options->scalp);
    scalp_fringe fringe = {options->fringe, work->lock_count};
    scalp_roots(&scalp, options->seed, options->strand_count, fringe, work->roots);

    scene_body body;
    float bind[SCENE_BONE_COUNT][12];
    scene_bind_pose(bind);
    scene_body_make(&scalp, &body);
    scene_body_pose(&body, bind, &work->posed);

    // A curled strand's centreline is shorter than the strand, except where the curl begins.
    float length = options->length_m * (1 + options->length_variation), ramp = 0, needed = length;
    if (options->curl_radius_m > 0) {
        float around = 2 * SCENE_PI * 0.8f * options->curl_radius_m, pitch = options->curl_pitch_m;
        needed = length * pitch / sqrtf(around * around + pitch * pitch);
        ramp = scene_min(scene_max(pitch, 0.015f), 0.5f * needed);
        needed = scene_min(length, needed + ramp);
    }
    work->comb = (combing){&work->posed,           needed, options->bend_length_m, options->volume_m,
                           options->curl_radius_m, ramp,   options->frizz_m,       options->seed};
    for (uint32_t i = 0; i < work->lock_count; i++) centreline_combed(&work->comb, &work->roots[i], i, &work->locks[i]);
    return true;
}

static void strand_make(const scene_groom_options *options, const groom_work *work, uint32_t strand, float *positions) {
    const scalp_root *root = &work->roots[strand];
    uint32_t lock = lock_of(work, strand);
    centreline line;
    if (options->style == SCENE_STYLE_RADIAL) {
        centreline_radial(root, work->comb.length_m, &line);
    } else {
        centreline_combed(&work->comb, root, strand, &line);
        if (work->lock_count > 0) centreline_join(&work->comb, &work->locks[lock], options->clumping, &line);
    }
    centreline_frame(&line);
    strand_curl curl = curl_of(options, &work->comb, strand, lock);
    float length = options->length_m * (1 + options->length_variation * scene_random_signed(options->seed, strand, 10));
    length *= 1 - 0.75f * root->fringe;
    strand_lay(&line, &curl, length, options->vertex_count, positions);
    if (options->style == SCENE_STYLE_COMBED)
        drape(&work->posed, options->vertex_count, length / (float)(options->vertex_count - 1), positions);
}

// Strands that still reach into the body, such as a lock parted by a shoulder, are laid onto it, segment by segment.
static void drape(const scene_body *posed, uint32_t vertex_count, float segment_m, float *positions) {
    const float gap = 0.0003f;
    for (uint32_t v = 1; v < vertex_count; v++) {
        float *p = positions + 3 * v, outward[3];
        vec3 last = v3_from(p - 3);
        for (int attempt = 0; attempt < 6; attempt++) {
            v3_store(p, v3_mad(last, v3_unit(v3_sub(v3_from(p), last)), segment_m));
            float distance = scene_body_distance(posed, p, outward);
            if (distance >= 0.5f * gap) break;
            v3_store(p, v3_mad(v3_from(p), v3_from(outward), gap - distance));
        }
    }
}

static uint32_t lock_of(const groom_work *work, uint32_t strand) {
    uint32_t nearest = work->lock_count > 0 ? 0 : strand;
    float nearest_distance = INFINITY;
    for (uint32_t i = 0; i < work->lock_count; i++) {
        vec3 between = v3_sub(work->roots[i].position, work->roots[strand].position);
        float distance = v3_dot(between, between);
        if (distance < nearest_distance) nearest_distance = distance, nearest = i;
    }
    return nearest;
}

// Locks differ in phase and pitch; inside one, strands differ a little.
static strand_curl curl_of(const scene_groom_options *options, const combing *comb, uint32_t strand, uint32_t lock) {
    uint64_t seed = options->seed;
    float apart = 1 + 0.12f * scene_random_signed(seed, lock, 11) + 0.03f * scene_random_signed(seed, strand, 12);
    return (strand_curl){
        .kind = options->curl,
        .radius_m = options->curl_radius_m * (0.9f + 0.1f * scene_random_signed(seed, strand, 13)),
        .pitch_m = options->curl_pitch_m * apart,
        .ramp_m = comb->curl_ramp_m,
        .phase = 2 * SCENE_PI * scene_random(seed, lock, 14) + 0.5f * scene_random_signed(seed, strand, 15),
    };
}

// The lower a root, the more it moves with the neck.
static bool bind_to_neck(scene_groom *groom) {
    groom->bindings = calloc(groom->strand_count, sizeof *groom->bindings);
    if (!groom->bindings) return false;
    float center[3];
    scene_head_center(center);
    const float *root = groom->positions;
    for (uint32_t i = 0; i < groom->strand_count; root += 3 * (size_t)groom->vertex_counts[i], i++) {
        float neck = 0.6f * scene_smooth(0.01f, 0.06f, center[1] - root[1]);
        groom->bindings[i] = (plait_root_binding){{SCENE_BONE_HEAD, SCENE_BONE_NECK, 0, 0}, {1 - neck, neck, 0, 0}};
    }
    free(groom->root_bones);
    groom->root_bones = NULL;
    return true;
}
