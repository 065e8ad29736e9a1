// A depth-buffered picture of lines, tapered capsules and triangles through a pinhole camera.
#ifndef RASTER_H
#define RASTER_H

#include <stdbool.h>
#include <stddef.h>

#include "plait.h"
#include "scene_math.h"

typedef struct raster_camera {
    vec3 eye, right, up, forward;
    float focal_px;           // pixels per unit of tangent
    float center_x, center_y; // pixels
} raster_camera;

// Pixels, row by row from the top. Owns its arrays.
typedef struct raster {
    int width, height;
    vec3 *color;          // linear
    float *depth;         // along the camera's forward; RASTER_FAR where there is nothing
    unsigned char *solid; // 1: a collider is visible here, 2: a triangle, whose normal is in color; shaded later
} raster;

#define RASTER_FAR 1e30f

typedef struct raster_vertex {
    float x, y, depth; // pixels, metres; depth 0 or less: behind the camera
    vec3 color;
} raster_vertex;

bool raster_make(raster *r, int width, int height);
void raster_free(raster *r);
void raster_clear(raster *r);

void raster_project(const raster_camera *camera, vec3 p, raster_vertex *v);

// A line of this width in pixels, colours running from one end to the other.
void raster_line(raster *r, const raster_vertex *from, const raster_vertex *to, float width);

// Depth and solid of one posed sphere or capsule.
void raster_collider(raster *r, const raster_camera *camera, const plait_collider *collider);

// The same of a triangle, with normals at its corners.
void raster_triangle(raster *r, const raster_camera *camera, const vec3 corners[3], const vec3 normals[3]);

// The point seen at a pixel of this depth.
vec3 raster_point(const raster_camera *camera, float x, float y, float depth);

#endif
