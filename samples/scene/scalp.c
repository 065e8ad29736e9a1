// Roots: a low-discrepancy sequence laid onto the skull by area, cut off at a hairline.
#include "scalp.h"

static vec3 equal_area_direction(const scene_scalp *scalp, float u, float v);
static float above_hairline(vec3 unit);

scene_scalp scalp_or_usual(const scene_scalp *scalp) {
    scene_scalp usual = {0.080f, 0.098f};
    if (!scalp || scalp->radius_m <= 0) return usual;
    usual.radius_m = scalp->radius_m;
    usual.half_length_m = scalp->half_length_m > scalp->radius_m ? scalp->half_length_m : scalp->radius_m;
    return usual;
}

void scalp_roots(const scene_scalp *scalp, uint64_t seed, uint32_t count, scalp_fringe fringe, scalp_root *roots) {
    // Steps of the two-dimensional golden sequence: inverse powers of the root of x^3 = x + 1.
    const double step_u = 0.75487766624669276, step_v = 0.56984029099805327;
    double u = scene_random(seed, 0, 100), v = scene_random(seed, 0, 101);
    float b = scalp->radius_m, a = scalp->half_length_m, center[3];
    scene_head_center(center);
    uint64_t tried = 0;
    for (uint32_t made = 0; made < count; tried++) {
        u += step_u, u -= floor(u);
        v += step_v, v -= floor(v);
        vec3 d = equal_area_direction(scalp, (float)u, (float)v);
        float above = above_hairline(d), below = 0;
        if (above <= 0) {
            // The farther below, the fewer.
            if (fringe.depth <= 0 || made < fringe.first) continue;
            below = -above / fringe.depth;
            if (below > scene_random(seed, tried, 102)) continue;
        }
        roots[made].fringe = below;
        roots[made].position = v3_add(v3_from(center), v3(b * d.x, b * d.y, a * d.z));
        roots[made].normal = v3_unit(v3(d.x / b, d.y / b, d.z / a));
        made++;
    }
}

// A point of the unit sphere that, stretched to the skull, is spread evenly by area. A ring of the spheroid at height
// z = a w has area proportional to sqrt(1 - e^2 w^2) dw, whose integral Newton's method inverts.
static vec3 equal_area_direction(const scene_scalp *scalp, float u, float v) {
    float ratio = scalp->radius_m / scalp->half_length_m, e2 = 1 - ratio * ratio, w = 2 * u - 1;
    if (e2 > 1e-4f) {
        float e = sqrtf(e2), whole = 0.5f * (sqrtf(1 - e2) + asinf(e) / e), wanted = (2 * u - 1) * whole;
        for (int i = 0; i < 4; i++) {
            float slope = sqrtf(1 - e2 * w * w), area = 0.5f * (w * slope + asinf(e * w) / e);
            w = scene_clamp(w - (area - wanted) / slope, -1, 1);
        }
    }
    float ring = sqrtf(scene_max(0, 1 - w * w)), angle = 2 * SCENE_PI * v;
    return v3(ring * cosf(angle), ring * sinf(angle), w);
}

// The hairline runs high over the forehead, drops past the temples to the ears and lies low in the nape. How far above it
// a point of the unit sphere is; negative: below.
static float above_hairline(vec3 d) {
    float around = atan2f(fabsf(d.x), d.z) / SCENE_PI; // 0: front, 1: back
    float line = 0.62f;
    line += (0.12f - 0.62f) * scene_smooth(0.16f, 0.42f, around);
    line += (-0.10f - 0.12f) * scene_smooth(0.42f, 0.56f, around);
    line += (-0.62f + 0.10f) * scene_smooth(0.56f, 0.85f, around);
    return d.y - line;
}
