// Figures of render strands: what they cost on the CPU, and how far they are from strands that were simulated.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "copier.h"
#include "dense.h"
#include "host.h"
#include "system.h"

static bool ns_per_vertex(double *value);
static bool copy_bandwidth_share(double *value);
static bool growth(double *value);
static bool bind_seconds(double *value);
static bool error_straight(double *value);
static bool error_wavy(double *value);
static bool error_curly(double *value);
static bool error_coily(double *value);

static const bench_figure FIGURES[] = {
    {"interpolate.ns_per_vertex", "ns", 4, BENCH_AT_MOST, ns_per_vertex,
     "a render vertex in a frame; one thread, 64,000 strands of 32, 1,920 guides, three a strand"},
    {"interpolate.copy_bandwidth_share", "%", 50, BENCH_AT_LEAST, copy_bandwidth_share,
     "bytes a frame must move over what memcpy moves in that time; one thread, 64,000 strands of 32"},
    {"interpolate.growth", "x", 0, BENCH_NO_TARGET, growth,
     "cost of a vertex among 500,000 strands of 16 over that among 64,000 of 32; one thread"},
    {"bind.seconds_64000", "s", 0.5, BENCH_AT_MOST, bind_seconds,
     "binding 64,000 strands of 32 to 1,920 guides; two threads"},
#define ERROR_OF "root mean square distance to simulated strands, in their lengths; 3 percent are guides, "
    {"interpolate.error_percent_straight", "%", 0, BENCH_NO_TARGET, error_straight, ERROR_OF "1b"},
    {"interpolate.error_percent_wavy", "%", 0, BENCH_NO_TARGET, error_wavy, ERROR_OF "2b"},
    {"interpolate.error_percent_curly", "%", 0, BENCH_NO_TARGET, error_curly, ERROR_OF "3b"},
    {"interpolate.error_percent_coily", "%", 0, BENCH_NO_TARGET, error_coily, ERROR_OF "4a"},
};
const bench_table BENCH_RENDER = {FIGURES, sizeof FIGURES / sizeof *FIGURES, NULL};

// ---- a crowd: many strands that were not drawn one by one ----

enum { DRAWN = 1920 };

typedef struct crowd {
    host host;
    plait_groom guides, render;
    plait_binding binding;
    float *output;
    double vertices;
} crowd;

static uint32_t scramble(uint32_t *random) {
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

// Strands between drawn ones: each is a drawn one, moved by up to 6 mm across its root and thinned out to `vertices`.
static bool fill_render(const scene_groom *drawn, uint32_t strands, uint32_t vertices, plait_groom_desc *desc) {
    uint32_t *counts = malloc(strands * sizeof *counts), random = 1;
    float *positions = malloc((size_t)strands * vertices * 3 * sizeof *positions);
    if (!counts || !positions) {
        free(counts);
        free(positions);
        fprintf(stderr, "plait bench: out of memory\n");
        return false;
    }
    uint32_t per = drawn->vertex_counts[0];
    for (uint32_t s = 0; s < strands; s++) {
        float shift[3];
        const float *from = drawn->positions + (size_t)(scramble(&random) % drawn->strand_count) * per * 3;
        for (int c = 0; c < 3; c++) shift[c] = 0.006f * ((float)(scramble(&random) % 20001) / 10000 - 1);
        counts[s] = vertices;
        for (uint32_t v = 0; v < vertices; v++) {
            float at = (float)v * (float)(per - 1) / (float)(vertices - 1);
            uint32_t k = (uint32_t)at < per - 2 ? (uint32_t)at : per - 2;
            for (int c = 0; c < 3; c++) {
                float a = from[3 * k + c], b = from[3 * k + 3 + c];
                positions[((size_t)s * vertices + v) * 3 + c] = a + (b - a) * (at - (float)k) + shift[c];
            }
        }
    }
    *desc = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    desc->strand_count = strands;
    desc->bone_count = 1;
    desc->vertex_counts = counts;
    desc->positions = positions;
    return true;
}

static bool crowd_bind(crowd *c) {
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    desc.guides = c->guides;
    desc.render = c->render;
    if (c->binding.id) plait_binding_destroy(c->binding);
    return host_check(plait_binding_create(c->host.context, &desc, &c->binding), "plait_binding_create");
}

static bool crowd_open(crowd *c, uint32_t strands, uint32_t vertices, uint32_t threads) {
    scene_preset preset;
    scene_groom drawn;
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT, render;
    *c = (crowd){.vertices = (double)strands * vertices};
    if (!scene_preset_get(scene_preset_find("2b"), DRAWN, 32, 1, &preset) || !scene_groom_make(&preset.groom, &drawn))
        return false;
    scene_groom_describe(&drawn, &desc);
    bool opened = fill_render(&drawn, strands, vertices, &render);
    if (opened) {
        host_options where = {PLAIT_BACKEND_CPU, PLAIT_CPU_AUTO, threads};
        host_hair hair = {.groom = &drawn};
        opened = host_open(&where, &c->host) && host_grow(&c->host, &hair) &&
                 host_check(plait_groom_create(c->host.context, &desc, &c->guides), "plait_groom_create") &&
                 host_check(plait_groom_create(c->host.context, &render, &c->render), "plait_groom_create");
        free((void *)render.vertex_counts);
        free((void *)render.positions);
    }
    scene_groom_free(&drawn);
    return opened && crowd_bind(c);
}

static bool crowd_output(crowd *c) {
    size_t bytes = (size_t)c->vertices * 16;
    c->output = system_allocate(bytes);
    if (!c->output) return false;
    memset(c->output, 0, bytes);
    host_output output;
    host_describe_output((uint32_t)c->vertices, 4, c->output, &output);
    return host_check(plait_hair_set_binding(c->host.hair, c->binding), "plait_hair_set_binding") &&
           host_check(plait_hair_set_render_output(c->host.hair, &output.desc), "plait_hair_set_render_output");
}

// Nothing but the output: no time passes.
static bool crowd_frame(void *argument) {
    const crowd *c = argument;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    return host_check(plait_hair_step(c->host.hair, &frame), "plait_hair_step");
}

static void crowd_close(crowd *c) {
    if (c->binding.id) plait_binding_destroy(c->binding);
    if (c->guides.id) plait_groom_destroy(c->guides);
    if (c->render.id) plait_groom_destroy(c->render);
    host_close(&c->host);
    system_release(c->output);
}

// ---- cost ----

static bool ns_per_vertex(double *value) {
    crowd c;
    bench_side side = {crowd_frame, &c, 0};
    bool measured = crowd_open(&c, 64000, 32, 1) && crowd_output(&c) && bench_measure(&side, 1);
    if (measured) *value = 1e9 * side.seconds / c.vertices;
    crowd_close(&c);
    return measured;
}

// What a frame must read and write once: vertices as drawn and as written, 16 bytes each, what is known of strands, 64 bytes each, and
// where vertices of guides are, 12 bytes each. What it keeps in between does not count.
static double frame_bytes(const crowd *c, uint32_t strands) {
    return 32 * c->vertices + 64.0 * strands + 12.0 * 32 * DRAWN;
}

// The copy has memory as large as the frame has and aligned as its output is. With 256 MB, as it was before, memcpy took a sixth
// longer for a byte, which looked better. On all threads, as shape.copy_bandwidth_share, it is 14 to 56 percent from run to run on a
// virtual machine that has 21 to 28 with one.
static bool copy_bandwidth_share(double *value) {
    enum { STRANDS = 64000 };
    crowd c = {0};
    copier k;
    bench_side sides[2] = {{crowd_frame, &c, 0}, {copier_copy, &k, 0}};
    bool measured = copier_open(&k, (size_t)STRANDS * 32 * 16, 1) && crowd_open(&c, STRANDS, 32, 1) &&
                    crowd_output(&c) && bench_measure(sides, 2);
    if (measured) *value = 100 * frame_bytes(&c, STRANDS) / (2 * (double)k.bytes) / bench_ratio(sides);
    crowd_close(&c);
    copier_close(&k);
    return measured;
}

static bool growth(double *value) {
    crowd few, many;
    bench_side sides[2] = {{crowd_frame, &many, 0}, {crowd_frame, &few, 0}};
    bool measured = crowd_open(&few, 64000, 32, 1) && crowd_output(&few);
    measured = crowd_open(&many, 500000, 16, 1) && measured && crowd_output(&many) && bench_measure(sides, 2);
    if (measured) *value = bench_ratio(sides) * few.vertices / many.vertices;
    crowd_close(&few);
    crowd_close(&many);
    return measured;
}

static bool bind_again(void *argument) { return crowd_bind(argument); }

static bool bind_seconds(double *value) {
    crowd c;
    bench_side side = {bind_again, &c, 0};
    bool measured = crowd_open(&c, 64000, 32, 2) && bench_measure(&side, 1);
    if (measured) *value = side.seconds;
    crowd_close(&c);
    return measured;
}

// ---- error ----

static bool error_of(const char *preset, double *value) {
    dense_options options = {
        .preset = preset, .strands = 2000, .guides = 60, .frames = 90, .backend = PLAIT_BACKEND_CPU};
    return dense_error(&options, value);
}

static bool error_straight(double *value) { return error_of("1b", value); }
static bool error_wavy(double *value) { return error_of("2b", value); }
static bool error_curly(double *value) { return error_of("3b", value); }
static bool error_coily(double *value) { return error_of("4a", value); }
