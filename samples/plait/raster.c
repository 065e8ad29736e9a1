// Lines are stepped along their longer axis, capsules ray cast through each pixel of their bounding box, triangles tested there.
#include "raster.h"

#include <stdlib.h>
#include <string.h>

// A tapered capsule, ready for rays. slope: change of radius along the axis.
typedef struct cone {
    vec3 from, axis;
    float length, from_radius, to_radius, slope;
} cone;

// For pixels: floorf is a library call on baseline x86-64.
static int round_down(float x) { return (int)(x + 16384) - 16384; }
static float hit_cone(const cone *c, vec3 origin, vec3 direction);
static float hit_sphere(vec3 center, float radius, vec3 origin, vec3 direction);
static bool bounding_box(const raster *r, const raster_camera *camera, const cone *c, int box[4]);

bool raster_make(raster *r, int width, int height) {
    size_t pixels = (size_t)width * (size_t)height;
    *r = (raster){width, height, malloc(pixels * sizeof *r->color), malloc(pixels * sizeof *r->depth), malloc(pixels)};
    if (r->color && r->depth && r->solid) return true;
    raster_free(r);
    return false;
}

void raster_free(raster *r) {
    free(r->color);
    free(r->depth);
    free(r->solid);
    memset(r, 0, sizeof *r);
}

void raster_clear(raster *r) {
    size_t pixels = (size_t)r->width * (size_t)r->height;
    memset(r->color, 0, pixels * sizeof *r->color);
    memset(r->solid, 0, pixels);
    for (size_t i = 0; i < pixels; i++) r->depth[i] = RASTER_FAR;
}

void raster_project(const raster_camera *camera, vec3 p, raster_vertex *v) {
    vec3 q = v3_sub(p, camera->eye);
    v->depth = v3_dot(q, camera->forward);
    float scale = v->depth > 1e-3f ? camera->focal_px / v->depth : 0;
    v->x = camera->center_x + scale * v3_dot(q, camera->right);
    v->y = camera->center_y - scale * v3_dot(q, camera->up);
}

vec3 raster_point(const raster_camera *camera, float x, float y, float depth) {
    float scale = depth / camera->focal_px;
    vec3 p = v3_mad(camera->eye, camera->forward, depth);
    p = v3_mad(p, camera->right, (x - camera->center_x) * scale);
    return v3_mad(p, camera->up, (camera->center_y - y) * scale);
}

void raster_line(raster *r, const raster_vertex *from, const raster_vertex *to, float width) {
    if (!(from->depth > 0 && to->depth > 0)) return;
    float dx = to->x - from->x, dy = to->y - from->y, longer = scene_max(fabsf(dx), fabsf(dy));
    float reach = width, right = (float)r->width, bottom = (float)r->height;
    if (!(scene_max(from->x, to->x) > -reach && scene_min(from->x, to->x) < right + reach &&
          scene_max(from->y, to->y) > -reach && scene_min(from->y, to->y) < bottom + reach && longer < 1e4f))
        return;
    bool flat = fabsf(dx) >= fabsf(dy);
    // The cross-section is measured along a pixel axis: a slanted line needs a longer one for the same width.
    float length = sqrtf(dx * dx + dy * dy), cut = length > 0 ? width * length / longer : width;
    int steps = (int)longer + 1, thick = (int)(cut + 0.5f);
    thick = thick < 1 ? 1 : thick;
    for (int i = 0; i < steps; i++) {
        float t = ((float)i + 0.5f) / (float)steps, x = from->x + t * dx, y = from->y + t * dy;
        float depth = from->depth + t * (to->depth - from->depth);
        float side = (flat ? y : x) - 0.5f * (float)(thick - 1);
        int along = round_down(flat ? x : y), first = round_down(side);
        for (int k = 0; k < thick; k++) {
            int px = flat ? along : first + k, py = flat ? first + k : along;
            if (px < 0 || py < 0 || px >= r->width || py >= r->height) continue;
            size_t at = (size_t)py * (size_t)r->width + (size_t)px;
            if (depth >= r->depth[at]) continue;
            r->depth[at] = depth;
            r->color[at] = v3_mix(from->color, to->color, t);
            r->solid[at] = 0;
        }
    }
}

void raster_collider(raster *r, const raster_camera *camera, const plait_collider *collider) {
    if (collider->kind != PLAIT_COLLIDER_CAPSULE && collider->kind != PLAIT_COLLIDER_SPHERE) return;
    cone c = {.from = v3_from(collider->points[0]), .from_radius = collider->radii[0]};
    if (collider->kind == PLAIT_COLLIDER_CAPSULE) {
        vec3 between = v3_sub(v3_from(collider->points[1]), c.from);
        c.length = v3_length(between);
        c.axis = v3_unit(between);
        c.to_radius = collider->radii[1];
        c.slope = c.length > 0 ? (c.from_radius - c.to_radius) / c.length : 0;
    }
    int box[4];
    if (!bounding_box(r, camera, &c, box)) return;
    for (int y = box[1]; y < box[3]; y++)
        for (int x = box[0]; x < box[2]; x++) {
            vec3 ray = v3_sub(raster_point(camera, (float)x + 0.5f, (float)y + 0.5f, 1), camera->eye);
            float stretch = v3_length(ray), hit = hit_cone(&c, camera->eye, v3_scale(ray, 1 / stretch));
            size_t at = (size_t)y * (size_t)r->width + (size_t)x;
            if (hit < RASTER_FAR && hit / stretch < r->depth[at]) {
                r->depth[at] = hit / stretch;
                r->solid[at] = 1;
            }
        }
}

void raster_triangle(raster *r, const raster_camera *camera, const vec3 corners[3], const vec3 normals[3]) {
    raster_vertex v[3];
    float low[2] = {1e9f, 1e9f}, high[2] = {-1e9f, -1e9f};
    for (int i = 0; i < 3; i++) {
        raster_project(camera, corners[i], &v[i]);
        if (v[i].depth <= 1e-3f) return;
        low[0] = scene_min(low[0], v[i].x), low[1] = scene_min(low[1], v[i].y);
        high[0] = scene_max(high[0], v[i].x), high[1] = scene_max(high[1], v[i].y);
    }
    float area = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[2].x - v[0].x) * (v[1].y - v[0].y);
    if (fabsf(area) < 1e-6f) return;
    int left = (int)scene_clamp(low[0], 0, (float)r->width), right = (int)scene_clamp(high[0] + 1, 0, (float)r->width);
    int top = (int)scene_clamp(low[1], 0, (float)r->height),
        bottom = (int)scene_clamp(high[1] + 1, 0, (float)r->height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            float px = (float)x + 0.5f - v[0].x, py = (float)y + 0.5f - v[0].y;
            float b = (px * (v[2].y - v[0].y) - (v[2].x - v[0].x) * py) / area;
            float c = ((v[1].x - v[0].x) * py - px * (v[1].y - v[0].y)) / area, a = 1 - b - c;
            if (a < 0 || b < 0 || c < 0) continue;
            // Inverse depths are linear on the screen.
            float depth = 1 / (a / v[0].depth + b / v[1].depth + c / v[2].depth);
            size_t at = (size_t)y * (size_t)r->width + (size_t)x;
            if (depth >= r->depth[at]) continue;
            r->depth[at] = depth;
            r->solid[at] = 2;
            r->color[at] = v3_mad(v3_mad(v3_scale(normals[0], a), normals[1], b), normals[2], c);
        }
}

static bool bounding_box(const raster *r, const raster_camera *camera, const cone *c, int box[4]) {
    float low[2] = {1e9f, 1e9f}, high[2] = {-1e9f, -1e9f};
    for (int end = 0; end < 2; end++) {
        float radius = end ? c->to_radius : c->from_radius;
        raster_vertex v;
        raster_project(camera, v3_mad(c->from, c->axis, end ? c->length : 0), &v);
        if (v.depth <= 2 * radius) return false;
        float reach = 1.1f * radius * camera->focal_px / (v.depth - radius) + 1;
        low[0] = scene_min(low[0], v.x - reach), low[1] = scene_min(low[1], v.y - reach);
        high[0] = scene_max(high[0], v.x + reach), high[1] = scene_max(high[1], v.y + reach);
    }
    box[0] = (int)scene_clamp(low[0], 0, (float)r->width);
    box[1] = (int)scene_clamp(low[1], 0, (float)r->height);
    box[2] = (int)scene_clamp(high[0] + 1, 0, (float)r->width);
    box[3] = (int)scene_clamp(high[1] + 1, 0, (float)r->height);
    return true;
}

// Distance along the ray to the hull of two spheres; RASTER_FAR when it misses. Points q of the cone between them obey
// cos^2 (|q|^2 - y^2) = (r - y sin)^2, y along the axis and sin the slope: a quadratic in the ray's parameter.
static float hit_cone(const cone *c, vec3 origin, vec3 direction) {
    float nearest = hit_sphere(c->from, c->from_radius, origin, direction);
    if (c->length <= 0) return nearest;
    nearest = scene_min(nearest, hit_sphere(v3_mad(c->from, c->axis, c->length), c->to_radius, origin, direction));
    float sine = c->slope, cosine2 = 1 - sine * sine;
    if (cosine2 <= 0) return nearest;
    vec3 q = v3_sub(origin, c->from);
    float y = v3_dot(q, c->axis), dy = v3_dot(direction, c->axis), radius = c->from_radius - y * sine;
    float a = cosine2 * (1 - dy * dy) - dy * dy * sine * sine;
    float b = cosine2 * (v3_dot(q, direction) - y * dy) + radius * dy * sine;
    float k = cosine2 * (v3_dot(q, q) - y * y) - radius * radius;
    float root = b * b - a * k;
    if (root < 0 || fabsf(a) < 1e-12f) return nearest;
    root = sqrtf(root);
    for (int sign = -1; sign <= 1; sign += 2) {
        float t = (-b + (float)sign * root) / a, at = y + t * dy;
        if (t > 0 && t < nearest && at >= c->from_radius * sine && at <= c->length + c->to_radius * sine) nearest = t;
    }
    return nearest;
}

static float hit_sphere(vec3 center, float radius, vec3 origin, vec3 direction) {
    vec3 q = v3_sub(origin, center);
    float b = v3_dot(q, direction), root = b * b - v3_dot(q, q) + radius * radius;
    if (root < 0) return RASTER_FAR;
    float t = -b - sqrtf(root);
    return t > 0 ? t : RASTER_FAR;
}
