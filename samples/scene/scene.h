// Procedural grooms, a mannequin with colliders, and motions, for tests, samples and benches.
//
// Everything is made from numbers and a seed; the same numbers give the same scene. Lengths are metres, y is up, the
// mannequin faces +z and stands on y = 0. Nothing here calls Plait: only the types of plait.h are used.
#ifndef SCENE_H
#define SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plait.h"

// The mannequin.

typedef enum scene_bone {
    SCENE_BONE_PELVIS,
    SCENE_BONE_TORSO,
    SCENE_BONE_NECK,
    SCENE_BONE_HEAD,
    SCENE_BONE_UPPER_ARM_LEFT,
    SCENE_BONE_FOREARM_LEFT,
    SCENE_BONE_UPPER_ARM_RIGHT,
    SCENE_BONE_FOREARM_RIGHT,
    SCENE_BONE_COUNT
} scene_bone;

// The skull: a spheroid around the front-to-back axis through the head's centre. Zero: a default head.
typedef struct scene_scalp {
    float radius_m;      // half its width and height
    float half_length_m; // half its extent from back to front, radius_m (a sphere) or more
} scene_scalp;

#define SCENE_MAX_COLLIDERS 24

typedef struct scene_body {
    uint32_t collider_count;
    plait_collider colliders[SCENE_MAX_COLLIDERS];
} scene_body;

// "head" and so on; null if bone is out of range.
const char *scene_bone_name(uint32_t bone);

// World matrices, 3x4 row-major, of the pose that grooms and colliders are made in.
void scene_bind_pose(float bones[SCENE_BONE_COUNT][12]);

// Centre of the skull in the bind pose.
void scene_head_center(float center[3]);

// Colliders of the mannequin with this skull; null: a default head. They lie inside the skull's spheroid, by at most 2
// mm where strands grow, so no root is pushed.
void scene_body_make(const scene_scalp *scalp, scene_body *body);

// Points into body, which must outlive the description.
void scene_body_describe(const scene_body *body, plait_body_desc *desc);

// The same colliders in world space under these bones; kind, radii and friction stay.
void scene_body_pose(const scene_body *body, const float bones[SCENE_BONE_COUNT][12], scene_body *posed);

// Distance from a point to the nearest surface of a posed body, negative inside; outward receives the unit vector that
// leads away from it.
float scene_body_distance(const scene_body *posed, const float point[3], float outward[3]);

// The same for one posed sphere or capsule. At limit or farther: FLT_MAX, and outward is not written.
float scene_collider_distance(const plait_collider *posed, const float point[3], float limit, float outward[3]);

// Grooms.

typedef enum scene_curl {
    SCENE_CURL_HELIX,
    SCENE_CURL_WAVE,  // a sine in one plane
    SCENE_CURL_ZIGZAG // sharp bends whose plane turns slowly
} scene_curl;

typedef enum scene_style {
    SCENE_STYLE_COMBED, // from the scalp's normal over into the fall, parted, clear of the mannequin
    SCENE_STYLE_RADIAL  // straight along the normal, ignoring the body
} scene_style;

typedef enum scene_binding {
    SCENE_BINDING_HEAD,     // rigid to the head
    SCENE_BINDING_HEAD_NECK // roots of the nape are bound to head and neck with blended weights
} scene_binding;

typedef struct scene_groom_options {
    uint32_t strand_count;
    uint32_t vertex_count;  // per strand, root included, 2 to PLAIT_MAX_STRAND_VERTICES
    float length_m;         // along the strand with its curls, not of the fall
    float length_variation; // relative: strands are longer or shorter by up to this share
    float radius_m;         // of a strand
    scene_curl curl;
    float curl_radius_m; // of the helix, or amplitude of the wave; 0: straight
    float curl_pitch_m;  // along the centreline, per turn
    scene_style style;
    float bend_length_m;  // over which a combed strand turns from the normal into the fall
    float volume_m;       // how far above the scalp the outermost combed strands lie
    uint32_t clump_count; // locks that neighbouring strands join; 0: none
    float clumping;       // 0 to 1: how far a tip is pulled to its lock
    float frizz_m;        // how far a tip strays at random
    float fringe; // 0 to 0.5: short, sparse strands grow this far below the hairline too, in radii of the skull; the
                  // first clump_count strands are the same with and without
    scene_binding binding;
    scene_scalp scalp;
    uint64_t seed;
} scene_groom_options;

// Owns its arrays; all null after scene_groom_free or a failure.
typedef struct scene_groom {
    uint32_t strand_count;
    uint32_t vertex_count;        // of all strands
    uint32_t *vertex_counts;      // [strand_count]
    float *positions;             // [vertex_count][3] in the bind pose
    float *root_normals;          // [strand_count][3], or null
    uint32_t *root_bones;         // [strand_count], or null when bindings are given
    plait_root_binding *bindings; // [strand_count], or null
    float *radii;                 // [vertex_count], or null: the group's
    uint32_t *held_counts;        // [strand_count], or null
    float bind_pose[SCENE_BONE_COUNT][12];
    plait_group_desc group;
} scene_groom;

// Strands of one head. False when an option is out of range or memory runs out; the groom is then empty. Cost: a tenth
// of a millisecond per strand.
bool scene_groom_make(const scene_groom_options *options, scene_groom *groom);

// Radial strands on the corners of a subdivided icosahedron whose faces share no corners: 60, 240, 960, 3840, 15360
// strands for level 0 to 4. Of the options it takes vertex_count, length, radius, curl and seed; the sphere lies around
// the head's centre.
#define SCENE_ICOSPHERE_MAX_LEVEL 5u
bool scene_groom_icosphere(uint32_t level, const scene_groom_options *options, scene_groom *groom);

// Allocates strands for the caller to fill in: strand_count strands of vertex_counts[i] vertices, rigid to the head.
// Arrays other than vertex_counts, root_bones and bind_pose are zero.
bool scene_groom_allocate(uint32_t strand_count, const uint32_t *vertex_counts, scene_groom *groom);

void scene_groom_free(scene_groom *groom);

// Points into groom, which must outlive the description.
void scene_groom_describe(const scene_groom *groom, plait_groom_desc *desc);

// The twelve types of Walker's chart, 1a (fine, straight) to 4c (tightly coiled).

#define SCENE_PRESET_COUNT 12u

typedef struct scene_preset {
    const char *name; // "3b"
    scene_groom_options groom;
    plait_shape_params shape;
} scene_preset;

// Options of preset index with these counts; vertex_count 0: as many as the curl needs, 12 or more a turn. False if
// index is out of range.
bool scene_preset_get(uint32_t index, uint32_t strand_count, uint32_t vertex_count, uint64_t seed,
                      scene_preset *preset);

// Index of a name, upper or lower case; SCENE_PRESET_COUNT if there is no such preset.
uint32_t scene_preset_find(const char *name);

// Motions: world matrices of all bones as smooth functions of time, so that any frame rate samples the same motion.

typedef enum scene_motion {
    SCENE_MOTION_STILL,
    SCENE_MOTION_IDLE,
    SCENE_MOTION_NOD,
    SCENE_MOTION_SHAKE,
    SCENE_MOTION_RUN, // on the spot
    SCENE_MOTION_DANCE,
    SCENE_MOTION_VIOLENT, // violent motion of the head: up to 8 m/s and 40 rad/s, within half a metre
    SCENE_MOTION_COUNT
} scene_motion;

const char *scene_motion_name(uint32_t motion);

// SCENE_MOTION_COUNT if there is no such motion.
uint32_t scene_motion_find(const char *name);

// The pose at time_s. At 0 and before it is the bind pose, at rest; motion sets in over half a second.
void scene_motion_pose(scene_motion motion, double time_s, uint64_t seed, float bones[SCENE_BONE_COUNT][12]);

// Which time to pose a motion at, at time_s, so that it goes on for moving_s, comes to a stop within SCENE_MOTION_STOP_S,
// without a jump in its speed, and stands still from then on, to the bit.
#define SCENE_MOTION_STOP_S 0.5
double scene_motion_until(double time_s, double moving_s);

// The pose of a motion that goes on for moving_s, returns to the bind pose within SCENE_MOTION_STOP_S and stays there.
void scene_motion_and_back(scene_motion motion, double time_s, double moving_s, uint64_t seed,
                           float bones[SCENE_BONE_COUNT][12]);

#endif
