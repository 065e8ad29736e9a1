// The workload for measurements: radial strands on the corners of a subdivided icosahedron.
#include <stdlib.h>
#include <string.h>

#include "centreline.h"
#include "scene.h"
#include "strand.h"

static const float SPHERE_RADIUS = 0.1f;

typedef struct triangle {
    vec3 corners[3]; // unit vectors
} triangle;

static void icosahedron(triangle faces[20]);
static void subdivide(const triangle *face, triangle parts[4]);

bool scene_groom_icosphere(uint32_t level, const scene_groom_options *options, scene_groom *groom) {
    memset(groom, 0, sizeof *groom);
    if (level > SCENE_ICOSPHERE_MAX_LEVEL || options->vertex_count < 2 ||
        options->vertex_count > PLAIT_MAX_STRAND_VERTICES || !(options->length_m > 0 && options->length_m <= 10) ||
        (options->curl_radius_m > 0 && !(options->curl_pitch_m >= 1e-4f)))
        return false;
    uint32_t face_count = 20u << (2 * level), strand_count = 3 * face_count;
    triangle *faces = malloc(face_count * sizeof *faces);
    uint32_t *counts = malloc(strand_count * sizeof *counts);
    bool made = false;
    if (!faces || !counts) goto end;
    for (uint32_t i = 0; i < strand_count; i++) counts[i] = options->vertex_count;
    if (!scene_groom_allocate(strand_count, counts, groom)) goto end;
    icosahedron(faces);
    for (uint32_t count = 20; count < face_count; count *= 4)
        for (uint32_t i = count; i-- > 0;) { // from the back, so that parts do not overwrite faces still to be divided
            triangle face = faces[i];
            subdivide(&face, faces + 4 * (size_t)i);
        }

    groom->group.radius = options->radius_m;
    float center[3];
    scene_head_center(center);
    for (uint32_t i = 0; i < strand_count; i++) {
        vec3 normal = faces[i / 3].corners[i % 3];
        scalp_root root = {v3_mad(v3_from(center), normal, SPHERE_RADIUS), normal, 0};
        strand_curl curl = {options->curl, options->curl_radius_m, options->curl_pitch_m,
                            scene_max(options->curl_pitch_m, 0.015f),
                            2 * SCENE_PI * scene_random(options->seed, i, 20)};
        centreline line;
        centreline_radial(&root, options->length_m, &line);
        centreline_frame(&line);
        strand_lay(&line, &curl, options->length_m, options->vertex_count,
                   groom->positions + 3 * (size_t)i * options->vertex_count);
        v3_store(groom->root_normals + 3 * i, normal);
    }
    made = true;
end:
    free(faces);
    free(counts);
    return made;
}

// Three golden rectangles at right angles have the twelve corners.
static void icosahedron(triangle faces[20]) {
    const float golden = 1.6180339887f;
    vec3 corners[12];
    for (int i = 0; i < 4; i++) {
        float one = i & 1 ? -1 : 1, phi = i & 2 ? -golden : golden;
        corners[i] = v3_unit(v3(0, one, phi));
        corners[4 + i] = v3_unit(v3(one, phi, 0));
        corners[8 + i] = v3_unit(v3(phi, 0, one));
    }
    // Corners that are neighbours have the cosine 1 / sqrt 5, others less.
    int made = 0;
    for (int a = 0; a < 12; a++)
        for (int b = a + 1; b < 12; b++)
            for (int c = b + 1; c < 12; c++)
                if (v3_dot(corners[a], corners[b]) > 0.4f && v3_dot(corners[b], corners[c]) > 0.4f &&
                    v3_dot(corners[c], corners[a]) > 0.4f && made < 20)
                    faces[made++] = (triangle){{corners[a], corners[b], corners[c]}};
}

static void subdivide(const triangle *face, triangle parts[4]) {
    vec3 a = face->corners[0], b = face->corners[1], c = face->corners[2];
    vec3 ab = v3_unit(v3_add(a, b)), bc = v3_unit(v3_add(b, c)), ca = v3_unit(v3_add(c, a));
    parts[0] = (triangle){{a, ab, ca}};
    parts[1] = (triangle){{ab, b, bc}};
    parts[2] = (triangle){{ca, bc, c}};
    parts[3] = (triangle){{ab, bc, ca}};
}
