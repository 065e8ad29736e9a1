/* Wavefront .obj: text, of which "v x y z" and "f a b c ..." count; a is 1 for the first vertex, -1 for the last one so far, and may
 * be followed by /texture/normal. */
#include "groom_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parsing {
    gf_text text;
    plait_gf_mesh *mesh;
    plait_gf_report *report;
    double scale;
    size_t vertex_room, triangle_room;
} parsing;

static plait_result parse_mesh(parsing *p);
static plait_result parse_vertex(parsing *p);
static plait_result parse_face(parsing *p);

plait_result plait_gf_mesh_read(const char *path, float scale, plait_gf_mesh *mesh, plait_gf_report *report) {
    plait_gf_report unread;
    void *bytes = NULL;
    size_t size = 0;
    plait_result result;
    report = report ? report : &unread;
    memset(report, 0, sizeof *report);
    if (!mesh) return gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "mesh is null");
    memset(mesh, 0, sizeof *mesh);
    if (!path) return gf_fail(report, PLAIT_ERROR_INVALID_ARGUMENT, "path is null");
    result = gf_read_file(path, &bytes, &size, report);
    if (result == PLAIT_OK) result = plait_gf_mesh_read_memory(bytes, size, scale, mesh, report);
    free(bytes);
    return result;
}

plait_result plait_gf_mesh_read_memory(const void *bytes, size_t size, float scale, plait_gf_mesh *mesh,
                                       plait_gf_report *report) {
    plait_gf_report unread;
    parsing p;
    plait_result result;
    memset(&p, 0, sizeof p);
    p.report = report ? report : &unread;
    memset(p.report, 0, sizeof *p.report);
    if (!mesh) return gf_fail(p.report, PLAIT_ERROR_INVALID_ARGUMENT, "mesh is null");
    memset(mesh, 0, sizeof *mesh);
    if (!bytes || !(scale > 0 && scale <= 1e6f))
        return gf_fail(p.report, PLAIT_ERROR_INVALID_ARGUMENT,
                       "bytes are null, or scale is not more than 0 and up to 1e6");
    p.text.at = bytes;
    p.text.end = p.text.at + size;
    p.text.line = 1;
    p.mesh = mesh;
    p.scale = (double)scale;
    result = parse_mesh(&p);
    if (result == PLAIT_OK && mesh->triangle_count == 0)
        result = gf_fail(p.report, PLAIT_ERROR_INVALID_GROOM, "there are no faces in it: not an .obj file of a mesh");
    if (result == PLAIT_ERROR_OUT_OF_MEMORY) gf_fail(p.report, result, "out of memory");
    if (result != PLAIT_OK) plait_gf_mesh_free(mesh);
    return result;
}

void plait_gf_mesh_free(plait_gf_mesh *mesh) {
    if (!mesh) return;
    free(mesh->positions);
    free(mesh->triangles);
    memset(mesh, 0, sizeof *mesh);
}

static plait_result parse_mesh(parsing *p) {
    plait_result result = PLAIT_OK;
    while (result == PLAIT_OK && gf_next_token(&p->text)) {
        if (strcmp(p->text.token, "v") == 0)
            result = parse_vertex(p);
        else if (strcmp(p->text.token, "f") == 0)
            result = parse_face(p);
        if (result == PLAIT_OK) /* the rest of the line, and lines of other kinds */
            while (gf_next_in_line(&p->text)) {
            }
    }
    return result;
}

static plait_result parse_vertex(parsing *p) {
    plait_gf_mesh *m = p->mesh;
    float *to;
    int i;
    if (m->vertex_count == p->vertex_room) {
        p->vertex_room = p->vertex_room ? 2 * p->vertex_room : 256;
        if (p->vertex_room > UINT32_MAX / 4) return gf_fail(p->report, PLAIT_ERROR_TOO_LARGE, "too many vertices");
        if (!gf_grow((void **)(void *)&m->positions, p->vertex_room, 3 * sizeof *m->positions))
            return PLAIT_ERROR_OUT_OF_MEMORY;
    }
    to = m->positions + 3 * (size_t)m->vertex_count;
    for (i = 0; i < 3; i++) {
        double value;
        if (!gf_next_in_line(&p->text) || !gf_number(p->text.token, &value) || !(fabs(value * p->scale) <= 1e9))
            return gf_fail(p->report, PLAIT_ERROR_INVALID_GROOM, "line %u: a vertex is three numbers up to 1e9",
                           p->text.line);
        to[i] = (float)(value * p->scale);
    }
    m->vertex_count++;
    return PLAIT_OK;
}

static int parse_corner(const parsing *p, uint32_t *vertex) {
    const char *c = p->text.token;
    int negative = *c == '-';
    uint64_t number = 0;
    for (c += negative; *c >= '0' && *c <= '9' && number <= UINT32_MAX; c++)
        number = 10 * number + (uint64_t)(*c - '0');
    if ((*c && *c != '/') || number == 0 || number > p->mesh->vertex_count) return 0;
    *vertex = negative ? p->mesh->vertex_count - (uint32_t)number : (uint32_t)number - 1;
    return 1;
}

/* Vertices come before the faces that use them, in every writer's files. */
static plait_result parse_face(parsing *p) {
    plait_gf_mesh *m = p->mesh;
    uint32_t corners[3], count = 0;
    while (gf_next_in_line(&p->text)) {
        if (!parse_corner(p, &corners[count < 2 ? count : 2]))
            return gf_fail(p->report, PLAIT_ERROR_INVALID_GROOM,
                           "line %u: \"%.40s\" is none of the %u vertices before it", p->text.line, p->text.token,
                           m->vertex_count);
        if (++count < 3) continue;
        if (m->triangle_count == p->triangle_room) {
            p->triangle_room = p->triangle_room ? 2 * p->triangle_room : 256;
            if (p->triangle_room > UINT32_MAX / 4) return gf_fail(p->report, PLAIT_ERROR_TOO_LARGE, "too many faces");
            if (!gf_grow((void **)(void *)&m->triangles, p->triangle_room, 3 * sizeof *m->triangles))
                return PLAIT_ERROR_OUT_OF_MEMORY;
        }
        memcpy(m->triangles + 3 * (size_t)m->triangle_count++, corners, sizeof corners);
        corners[1] = corners[2];
    }
    if (count < 3)
        return gf_fail(p->report, PLAIT_ERROR_INVALID_GROOM, "line %u: a face has three corners or more", p->text.line);
    return PLAIT_OK;
}
