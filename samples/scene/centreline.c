// Combing: a strand leaves along the scalp's normal, turns away from the parting and falls.
#include "centreline.h"

static const float PARTING_X = 0.018f; // a little to the mannequin's left
static const float BODY_GAP = 0.0008f; // between a curl and the body

// Where a strand and its lock fall to different sides of the head, a line between them stands still, turns back or
// jumps around the head: a step then leads less than this share of its length onward. With 0.6, some
// strands of preset 2c still turned by 130 degrees at a vertex.
static const float LEAST_ADVANCE = 0.7f;

static vec3 comb_direction(vec3 p);
static float least_advance(const centreline *line);
static float keep_clear(const combing *comb, float s, vec3 *p, vec3 *outward);

void centreline_radial(const scalp_root *root, float length_m, centreline *line) {
    line->step_m = length_m / (CENTRELINE_SAMPLES - 1);
    for (int i = 0; i < CENTRELINE_SAMPLES; i++)
        line->points[i] = v3_mad(root->position, root->normal, line->step_m * (float)i);
}

void centreline_combed(const combing *comb, const scalp_root *root, uint32_t strand, centreline *line) {
    // Strands with higher roots lie above those with lower ones.
    float center[3];
    scene_head_center(center);
    float height = scene_clamp(0.5f + (root->position.y - center[1]) / 0.16f, 0, 1);
    float layer = 0.15f + 0.45f * height + 0.4f * scene_random(comb->seed, strand, 1);
    vec3 stray = v3(scene_random_signed(comb->seed, strand, 2), 0.3f * scene_random_signed(comb->seed, strand, 3),
                    scene_random_signed(comb->seed, strand, 4));
    float wander = 1 + 2 * scene_random(comb->seed, strand, 5);
    float wander_start = 6.3f * scene_random(comb->seed, strand, 6);

    float h = comb->length_m / (CENTRELINE_SAMPLES - 1), turn = 1 - expf(-h / comb->bend_length_m);
    const float band = 0.015f;
    vec3 p = root->position, t = root->normal, outward = t;
    float distance = 0; // from p to the body, along outward
    line->step_m = h;
    line->points[0] = p;
    for (int i = 1; i < CENTRELINE_SAMPLES; i++) {
        float s = h * (float)i, share = (float)i / (CENTRELINE_SAMPLES - 1);
        vec3 wish = comb_direction(p);
        wish = v3_mad(wish, stray, comb->frizz_m / comb->length_m * 2 * cosf(wander_start + 3 * wander * share));
        float clear = comb->volume_m * layer * scene_smooth(0, 0.06f, s) +
                      centreline_curl_room(comb->curl_radius_m, comb->curl_ramp_m, s) + BODY_GAP;
        float near = scene_clamp(1 - (distance - clear) / band, 0, 2);
        float inward = -v3_dot(wish, outward);
        if (inward > 0) wish = v3_mad(wish, outward, inward * scene_min(near, 1) + 0.5f * scene_max(near - 1, 0));
        t = v3_unit(v3_mix(t, v3_unit(wish), turn));
        p = v3_mad(p, t, h);
        distance = keep_clear(comb, s, &p, &outward);
        line->points[i] = p;
    }
}

void centreline_join(const combing *comb, const centreline *lock, float share, centreline *line) {
    centreline joined = *line;
    for (int i = 1; i < CENTRELINE_SAMPLES; i++) {
        float along = (float)i / (CENTRELINE_SAMPLES - 1);
        joined.points[i] = v3_mix(line->points[i], lock->points[i], share * scene_smooth(0.02f, 0.8f, along));
        vec3 outward;
        keep_clear(comb, line->step_m * (float)i, &joined.points[i], &outward);
    }
    if (least_advance(&joined) >= LEAST_ADVANCE * line->step_m) *line = joined;
}

void centreline_frame(centreline *line) {
    // Neighbouring strands start from the same side, so that the curls of a lock stay together.
    vec3 t = v3_unit(v3_sub(line->points[1], line->points[0]));
    vec3 side = fabsf(t.x) < 0.9f ? v3(1, 0, 0) : v3(0, 0, 1);
    vec3 n = v3_unit(v3_reject(side, t));
    for (int i = 0; i < CENTRELINE_SAMPLES; i++) {
        int next = i + 1 < CENTRELINE_SAMPLES ? i + 1 : i, last = i > 0 ? i - 1 : i;
        vec3 tangent = v3_unit(v3_sub(line->points[next], line->points[last]));
        n = v3_unit(v3_reject(n, tangent));
        line->normals[i] = n;
    }
}

void centreline_at(const centreline *line, float s, vec3 *point, vec3 *normal, vec3 *binormal) {
    const int last = CENTRELINE_SAMPLES - 1;
    float x = s / line->step_m;
    int i = x < (float)last ? (int)x : last - 1;
    float t = x - (float)i;
    vec3 p1 = line->points[i], p2 = line->points[i + 1];
    vec3 m1 = i > 0 ? v3_scale(v3_sub(p2, line->points[i - 1]), 0.5f) : v3_sub(p2, p1);
    vec3 m2 = i + 2 <= last ? v3_scale(v3_sub(line->points[i + 2], p1), 0.5f) : v3_sub(p2, p1);
    vec3 tangent;
    if (t <= 1) {
        // Cubic Hermite between two samples, from its Bezier form.
        vec3 b1 = v3_mad(p1, m1, 1.0f / 3), b2 = v3_mad(p2, m2, -1.0f / 3);
        vec3 q0 = v3_mix(p1, b1, t), q1 = v3_mix(b1, b2, t), q2 = v3_mix(b2, p2, t);
        vec3 r0 = v3_mix(q0, q1, t), r1 = v3_mix(q1, q2, t);
        *point = v3_mix(r0, r1, t);
        tangent = v3_unit(v3_sub(r1, r0));
    } else {
        *point = v3_mad(p2, m2, t - 1);
        tangent = v3_unit(m2);
    }
    *normal = v3_unit(v3_reject(v3_mix(line->normals[i], line->normals[i + 1], scene_min(t, 1)), tangent));
    *binormal = v3_cross(tangent, *normal);
}

// On top of the head: away from the parting and to the back; lower down: straight down.
static vec3 comb_direction(vec3 p) {
    float center[3];
    scene_head_center(center);
    float top = scene_smooth(-0.02f, 0.09f, p.y - center[1]);
    float side = tanhf((p.x - PARTING_X) / 0.02f);
    float front = scene_smooth(-0.02f, 0.08f, p.z - center[2]) * scene_smooth(-0.16f, 0.02f, p.y - center[1]);
    return v3_unit(v3(side * (1.1f * top + 0.5f * front), -1, -0.55f * top - 1.4f * front));
}

// The shortest way that a step leads in the direction of the one before it.
static float least_advance(const centreline *line) {
    vec3 last = v3_sub(line->points[1], line->points[0]);
    float least = v3_length(last);
    for (int i = 2; i < CENTRELINE_SAMPLES; i++) {
        vec3 step = v3_sub(line->points[i], line->points[i - 1]);
        least = scene_min(least, v3_dot(step, v3_unit(last)));
        last = step;
    }
    return least;
}

// Moves p out of the body if necessary. Returns its distance afterwards.
static float keep_clear(const combing *comb, float s, vec3 *p, vec3 *outward) {
    float at[3], out[3];
    v3_store(at, *p);
    float distance = scene_body_distance(comb->posed, at, out);
    float room = centreline_curl_room(comb->curl_radius_m, comb->curl_ramp_m, s);
    room += BODY_GAP * scene_smooth(0, 0.004f, s);
    *outward = v3_from(out);
    *p = v3_mad(*p, *outward, scene_max(0, room - distance));
    return scene_max(distance, room);
}
