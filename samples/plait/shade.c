// Hair after Kajiya and Kay: a diffuse term and two highlights along the strand, the second one tinted.
#include "shade.h"

#include <string.h>

typedef struct light {
    vec3 from; // unit vector to the light
    vec3 color;
    float ambient; // 1: from the whole hemisphere, without highlights
    int texels;    // size of its map: a map larger than the cache costs more than all drawing
} light;

// Key from the front left above, rim from behind, and the sky.
static const light LIGHTS[SHADE_LIGHTS] = {
    {{0.483f, 0.652f, 0.584f}, {2.3f, 2.2f, 2.05f}, 0, 320},
    {{-0.581f, 0.450f, -0.678f}, {1.3f, 1.45f, 1.7f}, 0, 192},
    {{0.05f, 0.9987f, 0.0f}, {0.50f, 0.55f, 0.62f}, 1, 160},
};

static const vec3 SKIN = {0.62f, 0.55f, 0.50f};

static vec3 times(vec3 a, vec3 b) { return v3(a.x * b.x, a.y * b.y, a.z * b.z); }
static vec3 blended_normal(const scene_body *posed, vec3 p);

bool shade_lights_make(shade_lights *lights, const shadow_strands *strands) {
    memset(lights, 0, sizeof *lights);
    for (int i = 0; i < SHADE_LIGHTS; i++)
        if (!shadow_make(&lights->maps[i], strands, v3_scale(LIGHTS[i].from, -1), LIGHTS[i].texels)) {
            shade_lights_free(lights);
            return false;
        }
    return true;
}

void shade_lights_free(shade_lights *lights) {
    for (int i = 0; i < SHADE_LIGHTS; i++) shadow_free(&lights->maps[i]);
}

vec3 shade_hair_pigment(uint32_t strand, float along) {
    float lightness = 0.75f + 0.5f * scene_random(7, strand, 0), warmth = scene_random(7, strand, 1);
    vec3 root = v3(0.060f, 0.031f, 0.017f), tip = v3(0.125f + 0.03f * warmth, 0.068f, 0.035f - 0.006f * warmth);
    return v3_scale(v3_mix(root, tip, scene_smooth(0, 1, along)), lightness);
}

void shade_lit(const shade_lights *lights, vec3 p, float lit[SHADE_LIGHTS]) {
    for (int i = 0; i < SHADE_LIGHTS; i++) lit[i] = expf(-0.55f * shadow_depth(&lights->maps[i], p));
}

vec3 shade_hair(const float lit[SHADE_LIGHTS], vec3 pigment, vec3 tangent, vec3 view) {
    vec3 sum = v3_scale(pigment, 0.05f);
    for (int i = 0; i < SHADE_LIGHTS; i++) {
        const light *l = &LIGHTS[i];
        float along = v3_dot(tangent, l->from), diffuse = sqrtf(scene_max(0, 1 - along * along));
        vec3 reflected = v3_scale(pigment, l->ambient > 0 ? 0.9f : 0.65f * diffuse);
        if (l->ambient <= 0) {
            // Cosine of the tangent, tilted by the cuticle's scales, against the half vector.
            vec3 half = v3_unit(v3_sub(l->from, view));
            float across = v3_dot(tangent, half), first = across + 0.10f, second = across - 0.14f;
            float white = expf(-160 * first * first) * 0.045f, tinted = expf(-28 * second * second) * 0.65f;
            reflected = v3_add(v3_mad(reflected, pigment, tinted), v3(white, white, white));
        }
        sum = v3_add(sum, v3_scale(times(reflected, l->color), lit[i]));
    }
    return sum;
}

vec3 shade_body(const shade_lights *lights, const scene_body *posed, vec3 p, vec3 view) {
    return shade_skin(lights, p, blended_normal(posed, p), view);
}

vec3 shade_skin(const shade_lights *lights, vec3 p, vec3 normal, vec3 view) {
    vec3 sum = v3_scale(SKIN, 0.06f);
    float lit[SHADE_LIGHTS];
    shade_lit(lights, v3_mad(p, normal, 0.001f), lit);
    for (int i = 0; i < SHADE_LIGHTS; i++) {
        const light *l = &LIGHTS[i];
        float facing = v3_dot(normal, l->from), lambert = l->ambient > 0 ? 0.6f + 0.4f * facing : scene_max(0, facing);
        float reaches = l->ambient > 0 ? 0.15f + 0.85f * lit[i] : lit[i];
        sum = v3_add(sum, v3_scale(times(SKIN, l->color), 0.45f * lambert * reaches));
    }
    float edge = 1 - fabsf(v3_dot(normal, view));
    return v3_scale(sum, 1 - 0.35f * edge * edge);
}

// Smooths the seams between capsules: a capsule's normal counts less the farther its surface is.
static vec3 blended_normal(const scene_body *posed, vec3 p) {
    const float reach = 0.006f;
    vec3 sum = v3(0, 0, 0);
    float at[3], outward[3];
    v3_store(at, p);
    for (uint32_t i = 0; i < posed->collider_count; i++) {
        float distance = scene_collider_distance(&posed->colliders[i], at, 5 * reach, outward);
        if (distance < 5 * reach) sum = v3_mad(sum, v3_from(outward), expf(-scene_max(distance, 0) / reach));
    }
    return v3_unit(sum);
}
