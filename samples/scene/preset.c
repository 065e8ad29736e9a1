// The twelve hair types of Walker's chart as numbers: thickness, curl, length, motion.
#include <math.h>
#include <string.h>

#include "scene.h"
#include "scene_math.h"

typedef struct preset_row {
    const char *name;
    float radius_m;
    int curl;
    float curl_diameter_m, curl_pitch_m; // a wave's diameter is its width from crest to crest
    float length_m, length_variation;
    float bend_length_m, volume_m;
    uint32_t clump_count;
    float clumping, frizz_m;
    float compliance_root_s2, compliance_tip_s2;
    float drag_per_s, damping_per_s;
} preset_row;

enum { WAVE = SCENE_CURL_WAVE, HELIX = SCENE_CURL_HELIX, ZIGZAG = SCENE_CURL_ZIGZAG };

// Tight curls hold their shape against gravity through their own stiffness: the tighter the curl, the less compliant a
// segment must be, since many of them follow one another along the same fall.
static const preset_row ROWS[SCENE_PRESET_COUNT] = {
    {"1a", 2.5e-5f, WAVE, 0, 0, 0.30f, 0.06f, 0.012f, 0.010f, 500, 0.30f, 0.010f, 0.02f, 0.04f, 3.0f, 2.0f},
    {"1b", 3.5e-5f, WAVE, 0, 0, 0.30f, 0.08f, 0.016f, 0.016f, 400, 0.40f, 0.014f, 0.016f, 0.035f, 2.5f, 2.0f},
    {"1c", 4.5e-5f, WAVE, 0.006f, 0.160f, 0.30f, 0.10f, 0.020f, 0.024f, 300, 0.45f, 0.020f, 0.012f, 0.03f, 2.0f, 2.0f},
    {"2a", 3.0e-5f, WAVE, 0.016f, 0.100f, 0.32f, 0.10f, 0.016f, 0.016f, 300, 0.60f, 0.014f, 0.008f, 0.015f, 2.5f, 2.0f},
    {"2b", 3.5e-5f, WAVE, 0.022f, 0.075f, 0.34f, 0.10f, 0.020f, 0.022f, 250, 0.65f, 0.016f, 0.006f, 0.012f, 2.5f, 2.0f},
    {"2c", 4.5e-5f, WAVE, 0.028f, 0.060f, 0.38f, 0.12f, 0.024f, 0.028f, 200, 0.70f, 0.018f, 0.002f, 0.005f, 2.0f, 2.0f},
    {"3a", 3.5e-5f, HELIX, 0.034f, 0.065f, 0.50f, 0.10f, 0.020f, 0.016f, 120, 0.88f, 0.010f, 0.004f, 0.008f, 2.5f,
     2.5f},
    {"3b", 3.5e-5f, HELIX, 0.020f, 0.034f, 0.48f, 0.12f, 0.024f, 0.020f, 220, 0.88f, 0.010f, 0.003f, 0.006f, 2.5f,
     2.5f},
    {"3c", 3.0e-5f, HELIX, 0.010f, 0.018f, 0.44f, 0.15f, 0.032f, 0.028f, 500, 0.85f, 0.014f, 0.002f, 0.004f, 2.5f,
     3.0f},
    {"4a", 3.0e-5f, HELIX, 0.005f, 0.009f, 0.26f, 0.15f, 0.070f, 0.040f, 1200, 0.55f, 0.030f, 0.002f, 0.004f, 3.0f,
     3.0f},
    {"4b", 2.5e-5f, ZIGZAG, 0.004f, 0.005f, 0.15f, 0.15f, 0.300f, 0.050f, 1500, 0.25f, 0.05f, 0.001f, 0.002f, 3.8f,
     3.5f},
    {"4c", 2.0e-5f, HELIX, 0.003f, 0.004f, 0.15f, 0.15f, 0.500f, 0.050f, 2000, 0.15f, 0.060f, 0.001f, 0.002f, 3.8f,
     4.0f},
};

static uint32_t vertices_for(const preset_row *row);

bool scene_preset_get(uint32_t index, uint32_t strand_count, uint32_t vertex_count, uint64_t seed,
                      scene_preset *preset) {
    memset(preset, 0, sizeof *preset);
    if (index >= SCENE_PRESET_COUNT) return false;
    const preset_row *row = &ROWS[index];
    preset->name = row->name;
    preset->groom = (scene_groom_options){
        .strand_count = strand_count,
        .vertex_count = vertex_count ? vertex_count : vertices_for(row),
        .length_m = row->length_m,
        .length_variation = row->length_variation,
        .radius_m = row->radius_m,
        .curl = (scene_curl)row->curl,
        .curl_radius_m = 0.5f * row->curl_diameter_m,
        .curl_pitch_m = row->curl_pitch_m,
        .style = SCENE_STYLE_COMBED,
        .bend_length_m = row->bend_length_m,
        .volume_m = row->volume_m,
        .clump_count = row->clump_count,
        .clumping = row->clumping,
        .frizz_m = row->frizz_m,
        .seed = seed,
    };
    preset->shape = (plait_shape_params)PLAIT_SHAPE_PARAMS_INIT;
    preset->shape.compliance_root_s2 = row->compliance_root_s2;
    preset->shape.compliance_tip_s2 = row->compliance_tip_s2;
    preset->shape.drag_per_s = row->drag_per_s;
    preset->shape.damping_per_s = row->damping_per_s;
    preset->shape.shape_damping = 0.3f;
    preset->shape.velocity_correction = 0.9f;
    preset->shape.collision_radius = 0.0005f;
    return true;
}

uint32_t scene_preset_find(const char *name) {
    uint32_t i = 0;
    while (i < SCENE_PRESET_COUNT &&
           !(name[0] == ROWS[i].name[0] && (name[1] | 0x20) == ROWS[i].name[1] && name[2] == 0))
        i++;
    return i;
}

// Twelve or more per turn of the tightest curl that variation gives, and enough for a smooth bend at the scalp.
static uint32_t vertices_for(const preset_row *row) {
    float longest = row->length_m * (1 + row->length_variation), turns = 0;
    if (row->curl_diameter_m > 0) {
        float pitch = 0.85f * row->curl_pitch_m, around = row->curl == SCENE_CURL_HELIX ? SCENE_PI : 2;
        around *= 0.8f * row->curl_diameter_m;
        turns = longest / sqrtf(pitch * pitch + around * around);
    }
    float needed = ceilf(12 * turns) + 1;
    return (uint32_t)scene_clamp(needed, 48, (float)PLAIT_MAX_STRAND_VERTICES);
}
