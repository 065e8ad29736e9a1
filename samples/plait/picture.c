// Lays out sheets: frames the subject, draws each cell three times as large, shrinks and labels it.
#include "picture.h"

#include <float.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "label.h"
#include "png_file.h"
#include "raster.h"
#include "shade.h"

enum { CELL_WIDTH = 480, CELL_HEIGHT = 560, MARGIN = 4, TITLE_HEIGHT = 30, SAMPLES = 3, VIEWS = 3, MAX_COLUMNS = 8 };

static const struct {
    uint32_t view;
    const char *name;
    vec3 from; // unit vector from the subject to the camera; slightly from above
} CAMERAS[VIEWS] = {
    {PICTURE_FRONT, "front", {0.06f, 0.10f, 0.9932f}},
    {PICTURE_SIDE, "side", {0.9932f, 0.10f, 0.06f}},
    {PICTURE_ABOVE, "above", {0, 0.9539f, 0.3f}},
};

// What all cells share.
typedef struct subject {
    vec3 center;
    float half_width_m, half_height_m;
    int cell_width, cell_height; // pixels
    size_t vertex_count;
    float strand_width_m; // as drawn: thicker than real, because few strands represent many
} subject;

// One frame's part of the sheet; columns are drawn at the same time.
typedef struct column {
    const picture_sheet *sheet;
    const subject *subject;
    int index;
    unsigned char *rgb; // from the sheet's first row on
    int width;          // of the picture
    bool drawn;         // out: false when out of memory
    bool threaded;
    pthread_t thread;
} column;

static int sheet_width(const picture_sheet *sheet);
static int sheet_height(const picture_sheet *sheet);
static bool has_view(const picture_sheet *sheet, int view);
static bool draw_sheet(const picture_sheet *sheet, unsigned char *rgb, int width);
static void draw_labels(const picture_sheet *sheet, const subject *s, unsigned char *rgb, int width);
static bool drawable(const picture_sheet *sheet);
static subject subject_of(const picture_sheet *sheet);
static void extend(vec3 *low, vec3 *high, vec3 p);
static raster_camera camera_at(const subject *s, vec3 from);
static void *draw_column(void *argument);
static void draw_mesh(raster *r, const raster_camera *camera, const picture_mesh *mesh, const float head[12]);
static void draw_strands(raster *r, const raster_camera *camera, const picture_sheet *sheet, const picture_frame *frame,
                         const float *lit, float strand_width_m);
static void shade_solids(raster *r, const raster_camera *camera, const scene_body *posed, const shade_lights *lights);
static void shrink_into(const raster *r, unsigned char *rgb, int width, int left, int top);

const char *picture_sheets_write(const picture_sheet *sheets, uint32_t count, const char *path) {
    int width = 0, height = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sheets[i].frame_count < 1 || sheets[i].frame_count > MAX_COLUMNS) return "too many frames for one sheet";
        if (!drawable(&sheets[i])) return "a vertex is not finite or a thousand kilometres away";
        width = sheet_width(&sheets[i]) > width ? sheet_width(&sheets[i]) : width;
        height += sheet_height(&sheets[i]);
    }
    unsigned char *rgb = malloc(3 * (size_t)width * (size_t)height);
    if (!rgb) return "out of memory";
    memset(rgb, 236, 3 * (size_t)width * (size_t)height);
    bool drawn = true;
    for (uint32_t i = 0, top = 0; i < count; top += (uint32_t)sheet_height(&sheets[i++]))
        drawn = drawn && draw_sheet(&sheets[i], rgb + 3 * (size_t)width * top, width);
    const char *problem = drawn ? png_file_write(path, rgb, width, height) : "out of memory";
    free(rgb);
    return problem;
}

static int cell_width(const picture_sheet *sheet) { return sheet->cell_width ? sheet->cell_width : CELL_WIDTH; }

static int cell_height(const picture_sheet *sheet) { return sheet->cell_height ? sheet->cell_height : CELL_HEIGHT; }

static int sheet_width(const picture_sheet *sheet) {
    return (int)sheet->frame_count * (cell_width(sheet) + MARGIN) + MARGIN;
}

static int sheet_height(const picture_sheet *sheet) {
    int rows = 0;
    for (int view = 0; view < VIEWS; view++) rows += has_view(sheet, view);
    return TITLE_HEIGHT + rows * (cell_height(sheet) + MARGIN);
}

static bool has_view(const picture_sheet *sheet, int view) {
    return (CAMERAS[view].view & (sheet->views ? sheet->views : PICTURE_FRONT | PICTURE_SIDE)) != 0;
}

static bool draw_sheet(const picture_sheet *sheet, unsigned char *rgb, int width) {
    subject s = subject_of(sheet);
    column jobs[MAX_COLUMNS];
    int columns = (int)sheet->frame_count;
    bool drawn = true;
    for (int i = 0; i < columns; i++) {
        jobs[i] = (column){sheet, &s, i, rgb, width, false, false, 0};
        jobs[i].threaded = i > 0 && pthread_create(&jobs[i].thread, NULL, draw_column, &jobs[i]) == 0;
    }
    for (int i = 0; i < columns; i++) {
        if (jobs[i].threaded)
            pthread_join(jobs[i].thread, NULL);
        else
            draw_column(&jobs[i]);
        drawn = drawn && jobs[i].drawn;
    }
    draw_labels(sheet, &s, rgb, width);
    return drawn;
}

static void draw_labels(const picture_sheet *sheet, const subject *s, unsigned char *rgb, int width) {
    int height = sheet_height(sheet), top = TITLE_HEIGHT;
    label_draw(rgb, width, height, 10, 8, 2, 50, sheet->title);
    for (int view = 0; view < VIEWS; view++) {
        if (!has_view(sheet, view)) continue;
        for (uint32_t i = 0; i < sheet->frame_count; i++)
            for (int shadow = 1; shadow >= 0; shadow--) { // light below dark, readable on any background
                unsigned char grey = shadow ? 235 : 60;
                int x = MARGIN + (int)i * (s->cell_width + MARGIN) + 8 + shadow, y = top + 8 + shadow;
                label_draw(rgb, width, height, x, y, 2, grey, CAMERAS[view].name);
                label_draw(rgb, width, height, x, y + s->cell_height - 30, 2, grey, sheet->frames[i].label);
            }
        top += s->cell_height + MARGIN;
    }
}

// One frame, all views.
static void *draw_column(void *argument) {
    column *job = argument;
    const picture_sheet *sheet = job->sheet;
    const picture_frame *frame = &sheet->frames[job->index];
    float strand_width = job->subject->strand_width_m;
    size_t vertex_count = job->subject->vertex_count;
    int cell_width = job->subject->cell_width, cell_height = job->subject->cell_height, top = TITLE_HEIGHT;
    shadow_strands strands = {sheet->strand_count, sheet->vertex_counts, frame->positions, strand_width};
    shade_lights lights = {0};
    raster r = {0};
    float *lit = malloc(vertex_count * SHADE_LIGHTS * sizeof *lit);
    if (!lit || !raster_make(&r, cell_width * SAMPLES, cell_height * SAMPLES) || !shade_lights_make(&lights, &strands))
        goto end;
    for (size_t v = 0; v < vertex_count; v++)
        shade_lit(&lights, v3_from(frame->positions + 3 * v), lit + SHADE_LIGHTS * v);
    for (int view = 0; view < VIEWS; view++) {
        if (!has_view(sheet, view)) continue;
        raster_camera camera = camera_at(job->subject, CAMERAS[view].from);
        raster_clear(&r);
        for (uint32_t i = 0; i < frame->posed.collider_count; i++)
            if (!sheet->mesh || frame->posed.colliders[i].bone != SCENE_BONE_HEAD)
                raster_collider(&r, &camera, &frame->posed.colliders[i]);
        if (sheet->mesh) draw_mesh(&r, &camera, sheet->mesh, frame->head);
        draw_strands(&r, &camera, sheet, frame, lit, strand_width);
        shade_solids(&r, &camera, &frame->posed, &lights);
        shrink_into(&r, job->rgb, job->width, MARGIN + job->index * (cell_width + MARGIN), top);
        top += cell_height + MARGIN;
    }
    job->drawn = true;
end:
    free(lit);
    raster_free(&r);
    shade_lights_free(&lights);
    return NULL;
}

static bool drawable(const picture_sheet *sheet) {
    size_t floats = 0;
    for (uint32_t i = 0; i < sheet->strand_count; i++) floats += 3 * (size_t)sheet->vertex_counts[i];
    for (uint32_t f = 0; f < sheet->frame_count; f++)
        for (size_t i = 0; i < floats; i++)
            if (!(fabsf(sheet->frames[f].positions[i]) < 1e6f)) return false;
    return true;
}

// All strands of all frames, and the head with its shoulders; the rest of the body may be cut off.
static subject subject_of(const picture_sheet *sheet) {
    vec3 low = v3(FLT_MAX, FLT_MAX, FLT_MAX), high = v3(-FLT_MAX, -FLT_MAX, -FLT_MAX);
    size_t vertex_count = 0;
    double length = 0;
    const float *position = sheet->frames[0].positions;
    for (uint32_t s = 0; s < sheet->strand_count; s++) {
        vertex_count += sheet->vertex_counts[s];
        for (uint32_t v = 1; v < sheet->vertex_counts[s]; v++)
            length += v3_length(v3_sub(v3_from(position + 3 * v), v3_from(position + 3 * (v - 1))));
        position += 3 * (size_t)sheet->vertex_counts[s];
    }
    for (uint32_t f = 0; f < sheet->frame_count; f++) {
        const picture_frame *frame = &sheet->frames[f];
        for (size_t v = 0; v < vertex_count; v++) extend(&low, &high, v3_from(frame->positions + 3 * v));
        for (uint32_t i = 0; i < frame->posed.collider_count; i++) {
            const plait_collider *c = &frame->posed.colliders[i];
            if (c->bone != SCENE_BONE_HEAD && c->bone != SCENE_BONE_NECK) continue;
            for (int end = 0; end < 2; end++) {
                float radius = c->radii[end];
                vec3 p = v3_from(c->points[end]);
                extend(&low, &high, v3_sub(p, v3(radius, radius, radius)));
                extend(&low, &high, v3_add(p, v3(radius, radius, radius)));
            }
        }
    }
    subject s = {.center = v3_mix(low, high, 0.5f),
                 .vertex_count = vertex_count,
                 .cell_width = cell_width(sheet),
                 .cell_height = cell_height(sheet)};
    s.half_width_m = 0.54f * scene_max(scene_max(high.x - low.x, high.z - low.z), 1e-3f);
    s.half_height_m = 0.56f * scene_max(high.y - low.y, 1e-3f);
    // Wide enough to cover much of the view, but no wider than a lock.
    float area = 4 * s.half_width_m * s.half_height_m;
    s.strand_width_m = scene_clamp(1.3f * area / (float)fmax(length, 1e-6), 0.00012f, 0.0012f);
    return s;
}

static void extend(vec3 *low, vec3 *high, vec3 p) {
    *low = v3(scene_min(low->x, p.x), scene_min(low->y, p.y), scene_min(low->z, p.z));
    *high = v3(scene_max(high->x, p.x), scene_max(high->y, p.y), scene_max(high->z, p.z));
}

static raster_camera camera_at(const subject *s, vec3 from) {
    const float width = (float)(s->cell_width * SAMPLES), height = (float)(s->cell_height * SAMPLES);
    // From above the height of the picture is as much as the subject is deep.
    float half_height_m = scene_max(s->half_height_m, from.y * s->half_width_m);
    float distance = 6 * scene_max(s->half_width_m, s->half_height_m);
    float scale = scene_min(width / (2 * s->half_width_m), height / (2 * half_height_m));
    raster_camera c = {.focal_px = scale * distance * 0.93f, .center_x = width / 2, .center_y = height / 2};
    c.forward = v3_scale(from, -1);
    c.right = v3_unit(v3_cross(c.forward, v3(0, 1, 0)));
    c.up = v3_cross(c.right, c.forward);
    c.eye = v3_mad(s->center, from, distance);
    return c;
}

static void draw_mesh(raster *r, const raster_camera *camera, const picture_mesh *mesh, const float head[12]) {
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        vec3 corners[3], normals[3];
        for (int k = 0; k < 3; k++) {
            size_t v = 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)k];
            corners[k] = m34_point(head, v3_from(mesh->positions + v));
            // Both points are moved, and their difference is only turned.
            vec3 tip = v3_add(v3_from(mesh->positions + v), v3_from(mesh->normals + v));
            normals[k] = v3_sub(m34_point(head, tip), corners[k]);
        }
        raster_triangle(r, camera, corners, normals);
    }
}

static void draw_strands(raster *r, const raster_camera *camera, const picture_sheet *sheet, const picture_frame *frame,
                         const float *lit, float strand_width_m) {
    const float *position = frame->positions;
    for (uint32_t s = 0; s < sheet->strand_count; s++) {
        uint32_t count = sheet->vertex_counts[s];
        raster_vertex last = {0};
        for (uint32_t v = 0; v < count; v++, position += 3, lit += SHADE_LIGHTS) {
            vec3 p = v3_from(position);
            vec3 before = v > 0 ? v3_from(position - 3) : p, after = v + 1 < count ? v3_from(position + 3) : p;
            vec3 tangent = v3_unit(v3_sub(after, before)), view = v3_unit(v3_sub(p, camera->eye));
            float along = (float)v / (float)(count - 1);
            raster_vertex here;
            raster_project(camera, p, &here);
            here.color = shade_hair(lit, shade_hair_pigment(s, along), tangent, view);
            // Strands taper over the last quarter.
            float width = strand_width_m * (1 - 0.6f * scene_smooth(0.75f, 1, along));
            if (v > 0) raster_line(r, &last, &here, width * camera->focal_px / here.depth);
            last = here;
        }
    }
}

// Pixels without hair: the body where it is visible, else a background that darkens towards the floor. The body is
// smooth, so all samples of a pixel share one colour.
static void shade_solids(raster *r, const raster_camera *camera, const scene_body *posed, const shade_lights *lights) {
    for (int y = 0; y < r->height; y += SAMPLES)
        for (int x = 0; x < r->width; x += SAMPLES) {
            vec3 skin = v3(0, 0, 0);
            vec3 background = v3_scale(v3(0.78f, 0.80f, 0.83f), 1.25f - 0.45f * (float)y / (float)r->height);
            bool shaded = false;
            for (int i = 0; i < SAMPLES * SAMPLES; i++) {
                int px = x + i % SAMPLES, py = y + i / SAMPLES;
                size_t at = (size_t)py * (size_t)r->width + (size_t)px;
                if (r->solid[at] && !shaded) {
                    vec3 p = raster_point(camera, (float)px + 0.5f, (float)py + 0.5f, r->depth[at]);
                    vec3 view = v3_unit(v3_sub(p, camera->eye)), normal = v3_unit(r->color[at]);
                    if (v3_dot(normal, view) > 0) normal = v3_scale(normal, -1); // the inside of a mesh
                    skin = r->solid[at] == 2 ? shade_skin(lights, p, normal, view) : shade_body(lights, posed, p, view);
                    shaded = true;
                }
                if (r->solid[at] || r->depth[at] >= RASTER_FAR) r->color[at] = r->solid[at] ? skin : background;
            }
        }
}

static void shrink_into(const raster *r, unsigned char *rgb, int width, int left, int top) {
    for (int y = 0; y < r->height / SAMPLES; y++)
        for (int x = 0; x < r->width / SAMPLES; x++) {
            vec3 sum = v3(0, 0, 0);
            for (int j = 0; j < SAMPLES; j++)
                for (int i = 0; i < SAMPLES; i++) {
                    vec3 c = r->color[(size_t)(y * SAMPLES + j) * (size_t)r->width + (size_t)(x * SAMPLES + i)];
                    // Tone-mapped before averaging, so that a bright sample does not outshine its neighbours.
                    sum = v3_add(sum, v3(1 - expf(-1.5f * c.x), 1 - expf(-1.5f * c.y), 1 - expf(-1.5f * c.z)));
                }
            sum = v3_scale(sum, 1.0f / (SAMPLES * SAMPLES));
            unsigned char *pixel = rgb + 3 * ((size_t)(top + y) * (size_t)width + (size_t)(left + x));
            pixel[0] = (unsigned char)(255 * powf(sum.x, 1 / 2.2f) + 0.5f);
            pixel[1] = (unsigned char)(255 * powf(sum.y, 1 / 2.2f) + 0.5f);
            pixel[2] = (unsigned char)(255 * powf(sum.z, 1 / 2.2f) + 0.5f);
        }
}
