// The line that a strand's curl winds around, from the scalp into the fall. Private to the scene.
#ifndef SCENE_CENTRELINE_H
#define SCENE_CENTRELINE_H

#include "scalp.h"
#include "scene.h"
#include "scene_math.h"

#define CENTRELINE_SAMPLES 65

typedef struct centreline {
    float step_m;                     // between two samples, along the line
    vec3 points[CENTRELINE_SAMPLES];  // bind pose
    vec3 normals[CENTRELINE_SAMPLES]; // unit, carried along the line without twist; see centreline_frame
} centreline;

// How the strands of one groom are combed.
typedef struct combing {
    const scene_body *posed; // to be kept clear of, in the bind pose
    float length_m;          // of the line
    float bend_length_m;
    float volume_m;
    float curl_radius_m; // the curl needs this much room on all sides, from curl_ramp_m on
    float curl_ramp_m;
    float frizz_m;
    uint64_t seed;
} combing;

// Room that a curl takes at distance s from the root: nothing at the root, all of it after the ramp.
static inline float centreline_curl_room(float radius_m, float ramp_m, float s) {
    return radius_m * scene_smooth(0, ramp_m, s);
}

void centreline_radial(const scalp_root *root, float length_m, centreline *line);
void centreline_combed(const combing *comb, const scalp_root *root, uint32_t strand, centreline *line);

// Pulls the line towards its lock's, by share at the tip, and keeps it clear of the body. A line that would fold, as at
// the parting, stays as it is.
void centreline_join(const combing *comb, const centreline *lock, float share, centreline *line);

// Fills in normals once the points are final.
void centreline_frame(centreline *line);

// Point and frame at distance s from the root; beyond the end the line goes straight on.
void centreline_at(const centreline *line, float s, vec3 *point, vec3 *normal, vec3 *binormal);

#endif
