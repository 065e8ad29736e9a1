// Two passes over the strands: where hair begins, then how much hair lies behind that.
#include "shadow.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// Depth of the end of each layer behind the first strand, metres: fine where light is lost fastest.
static const float LAYER_END[SHADOW_LAYERS] = {0.002f, 0.005f, 0.009f, 0.015f, 0.023f, 0.035f, 0.055f, 0.1f};

typedef void splat_function(shadow_texel *texel, float depth, float weight);

static void fit(shadow_map *map, const shadow_strands *strands);
static void for_each_splat(shadow_map *map, const shadow_strands *strands, splat_function *splat);
static splat_function splat_first, splat_layer;
static void blur(shadow_map *map, int layer, float *scratch);

bool shadow_make(shadow_map *map, const shadow_strands *strands, vec3 forward, int size) {
    memset(map, 0, sizeof *map);
    map->forward = forward;
    map->right = v3_unit(v3_cross(forward, fabsf(forward.y) < 0.9f ? v3(0, 1, 0) : v3(0, 0, 1)));
    map->up = v3_cross(map->right, forward);
    map->size = size;
    size_t texels = (size_t)map->size * (size_t)map->size;
    map->texels = calloc(texels, sizeof *map->texels);
    float *scratch = malloc(texels * sizeof *scratch);
    if (!map->texels || !scratch) {
        free(scratch);
        shadow_free(map);
        return false;
    }
    for (size_t i = 0; i < texels; i++) map->texels[i].first = FLT_MAX;
    fit(map, strands);
    for_each_splat(map, strands, splat_first);
    for_each_splat(map, strands, splat_layer);
    for (int layer = 0; layer < SHADOW_LAYERS; layer++) blur(map, layer, scratch);
    for (size_t i = 0; i < texels; i++)
        for (int layer = 1; layer < SHADOW_LAYERS; layer++)
            map->texels[i].layers[layer] += map->texels[i].layers[layer - 1];
    free(scratch);
    return true;
}

void shadow_free(shadow_map *map) {
    free(map->texels);
    memset(map, 0, sizeof *map);
}

float shadow_depth(const shadow_map *map, vec3 p) {
    // Nearest texel: layers are blurred anyway, and bilinear interpolation took three times as long.
    float x = (v3_dot(p, map->right) - map->origin_right) / map->texel_m;
    float y = (v3_dot(p, map->up) - map->origin_up) / map->texel_m;
    if (!(x >= 0 && y >= 0 && x < (float)map->size && y < (float)map->size)) return 0;
    const shadow_texel *texel = &map->texels[(int)y * map->size + (int)x];
    float behind = v3_dot(p, map->forward) - texel->first, before = 0, begin = 0;
    if (!(behind > 0)) // also where there is no hair at all
        return 0;
    for (int layer = 0; layer < SHADOW_LAYERS; layer++) {
        if (behind < LAYER_END[layer])
            return before + (texel->layers[layer] - before) * (behind - begin) / (LAYER_END[layer] - begin);
        before = texel->layers[layer], begin = LAYER_END[layer];
    }
    return before;
}

static void fit(shadow_map *map, const shadow_strands *strands) {
    float low[2] = {FLT_MAX, FLT_MAX}, high[2] = {-FLT_MAX, -FLT_MAX};
    const float *position = strands->positions;
    for (uint32_t s = 0; s < strands->strand_count; s++)
        for (uint32_t v = 0; v < strands->vertex_counts[s]; v++, position += 3) {
            vec3 p = v3_from(position);
            float at[2] = {v3_dot(p, map->right), v3_dot(p, map->up)};
            for (int i = 0; i < 2; i++) {
                low[i] = scene_min(low[i], at[i]);
                high[i] = scene_max(high[i], at[i]);
            }
        }
    map->texel_m = scene_max(scene_max(high[0] - low[0], high[1] - low[1]), 1e-3f) / (float)(map->size - 4);
    map->origin_right = low[0] - 2 * map->texel_m;
    map->origin_up = low[1] - 2 * map->texel_m;
}

static void for_each_splat(shadow_map *map, const shadow_strands *strands, splat_function *splat) {
    float per_texel = strands->width_m / (map->texel_m * map->texel_m);
    const float *position = strands->positions;
    for (uint32_t s = 0; s < strands->strand_count; s++) {
        vec3 last = v3(0, 0, 0);
        for (uint32_t v = 0; v < strands->vertex_counts[s]; v++, position += 3) {
            vec3 p = v3_from(position);
            vec3 at = v3((v3_dot(p, map->right) - map->origin_right) / map->texel_m,
                         (v3_dot(p, map->up) - map->origin_up) / map->texel_m, v3_dot(p, map->forward));
            float across = v == 0 ? 0 : sqrtf((at.x - last.x) * (at.x - last.x) + (at.y - last.y) * (at.y - last.y));
            int points = 1 + (int)scene_min(across, 1000);
            float weight = per_texel * map->texel_m * scene_max(across, 0.2f) / (float)points;
            for (int i = 0; v > 0 && i < points; i++) {
                vec3 q = v3_mix(last, at, ((float)i + 0.5f) / (float)points);
                int x = (int)q.x, y = (int)q.y;
                if (x >= 0 && y >= 0 && x < map->size && y < map->size)
                    splat(&map->texels[y * map->size + x], q.z, weight);
            }
            last = at;
        }
    }
}

static void splat_first(shadow_texel *texel, float depth, float weight) {
    (void)weight;
    texel->first = scene_min(texel->first, depth);
}

static void splat_layer(shadow_texel *texel, float depth, float weight) {
    float behind = depth - texel->first;
    int layer = 0;
    while (layer < SHADOW_LAYERS - 1 && behind > LAYER_END[layer]) layer++;
    texel->layers[layer] += weight;
}

// A 3x3 blur, so that one strand does not cast a hard shadow.
static void blur(shadow_map *map, int layer, float *scratch) {
    int n = map->size;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const shadow_texel *row = map->texels + y * n;
            scratch[y * n + x] = (row[x > 0 ? x - 1 : 0].layers[layer] + row[x].layers[layer] +
                                  row[x < n - 1 ? x + 1 : x].layers[layer]) /
                                 3;
        }
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int above = y > 0 ? y - 1 : 0, below = y < n - 1 ? y + 1 : y;
            map->texels[y * n + x].layers[layer] =
                (scratch[above * n + x] + scratch[y * n + x] + scratch[below * n + x]) / 3;
        }
}
