// Walks along the curl in small steps and places a vertex after each segment length.
#include "strand.h"

static vec3 curl_point(const centreline *line, const strand_curl *curl, float s);

void strand_lay(const centreline *line, const strand_curl *curl, float length_m, uint32_t vertex_count,
                float *positions) {
    float segment = length_m / (float)(vertex_count - 1), stride = segment / 4;
    if (curl->radius_m > 0) stride = scene_min(stride, curl->pitch_m / 48);
    vec3 here = curl_point(line, curl, 0);
    v3_store(positions, here);
    float walked = 0; // since the last vertex
    uint32_t made = 1;
    for (uint32_t i = 1; made < vertex_count; i++) {
        vec3 there = curl_point(line, curl, stride * (float)i);
        float step = v3_length(v3_sub(there, here));
        while (made < vertex_count && walked + step >= segment) {
            float left = segment - walked;
            here = v3_mix(here, there, left / step);
            v3_store(positions + 3 * made++, here);
            step -= left;
            walked = 0;
        }
        walked += step;
        here = there;
    }
}

static vec3 curl_point(const centreline *line, const strand_curl *curl, float s) {
    vec3 point, normal, binormal;
    centreline_at(line, s, &point, &normal, &binormal);
    if (curl->radius_m <= 0) return point;
    float radius = centreline_curl_room(curl->radius_m, curl->ramp_m, s);
    float angle = curl->phase + 2 * SCENE_PI * s / curl->pitch_m;
    switch (curl->kind) {
    case SCENE_CURL_HELIX: return v3_mad(v3_mad(point, normal, radius * cosf(angle)), binormal, radius * sinf(angle));
    case SCENE_CURL_WAVE: {
        vec3 across = v3_mad(v3_scale(normal, cosf(curl->phase)), binormal, sinf(curl->phase));
        return v3_mad(point, across, radius * sinf(angle));
    }
    case SCENE_CURL_ZIGZAG: {
        float bend = asinf(0.97f * sinf(angle)) / 1.326f, plane = curl->phase + 0.21f * angle;
        vec3 across = v3_mad(v3_scale(normal, cosf(plane)), binormal, sinf(plane));
        return v3_mad(point, across, radius * bend);
    }
    }
    return point;
}
