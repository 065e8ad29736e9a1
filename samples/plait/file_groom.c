// See file_groom.h.
#include "file_groom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

// Shorter segments count as coinciding vertices; metres.
static const float SHORTEST_SEGMENT = 1e-5f;
// Radii that a hair can have, metres. Files made for renderers have thicker ones, and rods of those would be sticks.
static const float THINNEST = 5e-6f, THICKEST = 5e-4f;

static plait_result thin_out(plait_gf_groom *read, uint32_t strands);
static plait_result split_guides(plait_gf_groom *read, const file_groom_options *options, plait_gf_groom *render);
static bool to_scene(plait_gf_groom *read, const char *path, scene_groom *groom);
static bool take_bindings(plait_gf_groom *read, file_groom *groom);
static void find_head(const scene_groom *groom, float moved[3]);
static bool move(scene_groom *groom, const float by[3]);

bool file_groom_read(const char *path, file_groom_options *options, file_groom *groom, char *problem,
                     size_t problem_size) {
    memset(groom, 0, sizeof *groom);
    float scale = options->meters_per_unit;
    plait_gf_groom read, render = {0};
    plait_gf_report report;
    plait_gf_read_options reading = {.bone_path = options->bone_path,
                                     .weld_distance = SHORTEST_SEGMENT / (scale > 0 ? scale : 1)};
    plait_result result = plait_gf_read(path, &reading, &read, &report);
    snprintf(problem, problem_size, "%s", report.message);
    if (result != PLAIT_OK) return false;
    file_groom_tell(stderr, path, &report);
    if (scale == 0) scale = read.meters_per_unit > 0 ? read.meters_per_unit : 1;
    options->meters_per_unit = scale;
    if (read.mesh_positions)
        fprintf(stderr, "%s: roots are on a mesh, which no motion here deforms: they follow the head\n", path);
    uint32_t limit = options->render_limit ? options->render_limit : options->strand_limit;
    bool named = options->render_limit && !options->strand_limit && read.guides; // all of these guides are simulated
    if (limit && limit < read.strand_count && !named) result = thin_out(&read, limit);
    float matrix[12] = {scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0};
    if (result == PLAIT_OK) result = plait_gf_transform(&read, matrix);
    if (result == PLAIT_OK && options->render_limit) result = split_guides(&read, options, &render);
    if (result == PLAIT_OK && named && limit < render.strand_count) result = thin_out(&render, limit);
    bool made = result == PLAIT_OK && to_scene(&read, path, &groom->strands) && take_bindings(&read, groom) &&
                (!options->render_limit || to_scene(&render, path, &groom->render));
    plait_gf_groom_free(&read);
    plait_gf_groom_free(&render);
    snprintf(problem, problem_size, "out of memory");
    if (made) {
        find_head(groom->render.strand_count ? &groom->render : &groom->strands, groom->moved);
        made = move(&groom->strands, groom->moved) && move(&groom->render, groom->moved);
        snprintf(problem, problem_size, "the coordinates are too large");
    }
    if (!made) file_groom_free(groom);
    return made;
}

void file_groom_free(file_groom *groom) {
    scene_groom_free(&groom->strands);
    scene_groom_free(&groom->render);
    free(groom->bone_names);
    free(groom->bindings);
    memset(groom, 0, sizeof *groom);
}

bool file_groom_follow(const file_groom *groom, const uint32_t *bones, scene_groom *strands) {
    plait_root_binding *bindings = malloc(strands->strand_count * sizeof *bindings);
    if (!bindings) return false;
    for (uint32_t i = 0; i < strands->strand_count; i++)
        for (int k = 0; k < 4; k++) {
            bool used = groom->bindings[i].weights[k] > 0;
            bindings[i].weights[k] = groom->bindings[i].weights[k];
            bindings[i].bones[k] = used ? bones[groom->bindings[i].bones[k]] : 0;
        }
    free(strands->root_bones);
    free(strands->bindings);
    strands->root_bones = NULL;
    strands->bindings = bindings;
    return true;
}

void file_groom_tell(FILE *out, const char *name, const plait_gf_report *report) {
    char text[PLAIT_GF_REPORT_SIZE];
    plait_gf_report_text(report, text, sizeof text);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        fprintf(out, "%s: %.*s\n", name, (int)length, line);
        line += length + (line[length] == '\n');
    }
}

// Takes so many strands, evenly spread over the file.
static plait_result thin_out(plait_gf_groom *read, uint32_t strands) {
    uint32_t *chosen = malloc(strands * sizeof *chosen);
    if (!chosen) return PLAIT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < strands; i++) chosen[i] = (uint32_t)((uint64_t)i * read->strand_count / strands);
    plait_gf_groom all = *read;
    plait_result result = plait_gf_select(&all, chosen, strands, read);
    plait_gf_groom_free(&all);
    free(chosen);
    return result;
}

// Guides that are simulated, so many or those that the file names, and all strands, which follow them.
static plait_result split_guides(plait_gf_groom *read, const file_groom_options *options, plait_gf_groom *render) {
    uint32_t count = options->strand_limit ? options->strand_limit : options->usual_guides;
    plait_gf_guide_options choice = {.count = count < read->strand_count ? count : read->strand_count,
                                     .progress = progress_share};
    plait_result result = PLAIT_OK;
    if (options->strand_limit || !read->guides) {
        result = plait_gf_choose_guides(read, &choice);
        progress_share(NULL, 1);
    }
    *render = *read;
    memset(read, 0, sizeof *read);
    return result == PLAIT_OK ? plait_gf_select(render, render->guides, render->guide_count, read) : result;
}

// Takes arrays out of what was read.
static bool to_scene(plait_gf_groom *read, const char *path, scene_groom *groom) {
    if (!scene_groom_allocate(read->strand_count, read->vertex_counts, groom)) return false;
    memcpy(groom->positions, read->positions, 3 * (size_t)read->vertex_count * sizeof *read->positions);
    free(groom->root_normals); // null: first segments serve
    groom->root_normals = read->root_normals;
    groom->held_counts = read->held_counts;
    read->root_normals = NULL;
    read->held_counts = NULL;
    float least = INFINITY, most = 0;
    for (uint32_t v = 0; read->radii && v < read->vertex_count; v++) {
        least = fminf(least, read->radii[v]);
        most = fmaxf(most, read->radii[v]);
    }
    if (!read->radii && read->radius > 0) least = most = read->radius;
    if (least >= THINNEST && most <= THICKEST) {
        groom->radii = read->radii;
        groom->group.radius = read->radii ? 0 : read->radius;
        read->radii = NULL;
    } else if (most > 0) {
        fprintf(stderr, "%s: radii from %g to %g mm are not those of hair: 0.04 mm is used\n", path,
                1e3 * (double)least, 1e3 * (double)most);
    }
    return true;
}

static bool take_bindings(plait_gf_groom *read, file_groom *groom) {
    if (!read->bone_count || (!read->root_bindings && !read->root_bones)) return true;
    groom->bindings = calloc(read->strand_count, sizeof *groom->bindings);
    if (!groom->bindings) return false;
    for (uint32_t i = 0; i < read->strand_count; i++) {
        if (read->root_bindings) {
            groom->bindings[i] = read->root_bindings[i];
        } else {
            groom->bindings[i].bones[0] = read->root_bones[i];
            groom->bindings[i].weights[0] = 1;
        }
    }
    groom->bone_count = read->bone_count;
    groom->bone_names = read->bone_names;
    read->bone_names = NULL;
    return true;
}

// By how much the middle of the roots is moved to that of the head.
static void find_head(const scene_groom *groom, float moved[3]) {
    float center[3];
    double mean[3] = {0};
    scene_head_center(center);
    const float *root = groom->positions;
    for (uint32_t i = 0; i < groom->strand_count; root += 3 * (size_t)groom->vertex_counts[i], i++)
        for (int axis = 0; axis < 3; axis++) mean[axis] += root[axis] / (double)groom->strand_count;
    for (int axis = 0; axis < 3; axis++) moved[axis] = (float)(center[axis] - mean[axis]);
}

// False when the roots are so far apart that segments would be lost to rounding.
static bool move(scene_groom *groom, const float by[3]) {
    for (uint32_t v = 0; v < groom->vertex_count; v++)
        for (int axis = 0; axis < 3; axis++) {
            float *x = &groom->positions[3 * (size_t)v + (size_t)axis];
            *x = (float)((double)*x + (double)by[axis]);
            if (!(fabsf(*x) <= 1e3f)) return false;
        }
    return true;
}
