// Plait figures: hair-hair forces as their paper shows them (Huang et al. 2023), as numbers and as one contact sheet. Stiffer hair
// keeps more volume (fig. 10), friction keeps strands together on the ground (fig. 11), fewer steps of rods change little (fig. 13).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "host.h"
#include "options.h"
#include "picture.h"
#include "progress.h"

enum { MOST_CASES = 5, TRESS_VERTICES = 16, TRESS_FRAMES = 180, SHEET_WIDTH = 1260, MARGIN = 4 };
#define TRESS_WIDTH_M 0.044f
#define WALL_Z_M (-0.04f)

typedef struct figures_options {
    const char *picture; // or null
    uint32_t side, strands, threads;
    float seconds;
} figures_options;

// One experiment: a row of the sheet.
typedef struct figure {
    char title[96];
    uint32_t case_count, strand_count, vertex_count;
    uint32_t *vertex_counts;
    float *positions[MOST_CASES]; // [vertex_count][3] at the end of each
    picture_frame frames[MOST_CASES];
} figure;

// A box, as a wall or as the ground: for pictures only.
typedef struct box {
    float positions[24][3], normals[24][3];
    uint32_t triangles[12][3];
} box;

// What one case is run with.
typedef struct run {
    const scene_groom *groom;
    const scene_body *body;
    uint32_t bone_count; // 0: the mannequin's
    const plait_hybrid_params *rods;
    const plait_volume_params *volume;
    float step_rate_hz, gravity[3];
    uint32_t frame_count;
    void (*pose)(uint32_t frame, float *bones);
} run;

static int parse(int argc, char **argv, figures_options *o);
static bool draw_volume(const figures_options *o, figure *f);
static bool draw_ground(const figures_options *o, figure *f);
static bool draw_substeps(const figures_options *o, figure *f);
static bool write_sheet(const figures_options *o, const figure figures[3]);
static bool tress_make(const figures_options *o, scene_groom *groom, plait_hybrid_params *rods);
static scene_body plane_make(float z_m);
static bool figure_begin(figure *f, const scene_groom *groom, uint32_t case_count);
static bool simulate(const figures_options *o, const run *r, float *positions, float *film);
static void hang(uint32_t frame, float *bones);
static void let_down(uint32_t frame, float *bones);
static void dance(uint32_t frame, float *bones);
static box box_make(const float low[3], const float high[3]);

int command_figures(int argc, char **argv) {
    figures_options o;
    figure figures[3] = {0};
    int code = parse(argc, argv, &o);
    if (code != OPTIONS_RUN) return code;
    bool done = draw_volume(&o, &figures[0]) && draw_ground(&o, &figures[1]) && draw_substeps(&o, &figures[2]) &&
                (!o.picture || write_sheet(&o, figures));
    for (int i = 0; i < 3; i++) {
        free(figures[i].vertex_counts);
        for (int k = 0; k < MOST_CASES; k++) free(figures[i].positions[k]);
    }
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int parse(int argc, char **argv, figures_options *o) {
    *o = (figures_options){.side = 12, .strands = 1500, .seconds = 5};
    const option options[] = {
        {"picture", OPTION_FILE, &o->picture, 0, 0, NULL, NULL, "contact sheet of all cases, PNG"},
        {"side", OPTION_COUNT, &o->side, 2, 100, NULL, NULL, "strands along a side of the tress; default 12"},
        {"strands", OPTION_COUNT, &o->strands, 1, 100000, NULL, NULL, "on the head that dances; default 1500"},
        {"seconds", OPTION_NUMBER, &o->seconds, 0.05, 1000, NULL, "S", "that it dances; default 5"},
        {"threads", OPTION_COUNT, &o->threads, 0, 256, NULL, NULL, "default 0: one per core"},
    };
    command_line line = {
        .command = "plait figures",
        .usage = "[OPTION...]",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .purpose =
            "Hair-hair forces as Huang et al. 2023 show them. A tress that gravity pulls against a wall stays the\n"
            "thicker the stiffer it is as a continuum (their fig. 10). Let down onto the ground, a fluid spreads and\n"
            "sand stays together, the more the larger its friction angle (fig. 11). On a head that dances, one, two\n"
            "and three steps of the grid for one of the rods move hair alike (fig. 13).",
    };
    return options_parse(&line, argc, argv);
}

// ---- a tress against a wall, and on the ground

static bool draw_volume(const figures_options *o, figure *f) {
    static const float MODULI[MOST_CASES] = {0, 100, 300, 1200, 4000};
    scene_groom groom;
    plait_hybrid_params rods = PLAIT_HYBRID_PARAMS_INIT;
    plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
    scene_body wall = plane_make(WALL_Z_M);
    bool done = tress_make(o, &groom, &rods) && figure_begin(f, &groom, MOST_CASES) &&
                host_check(plait_volume_params_default(1, &volume), "plait_volume_params_default");
    run r = {&groom, &wall, 2, &rods, &volume, 60, {0, -3, -9.81f}, TRESS_FRAMES, hang};
    snprintf(f->title, sizeof f->title, "Fig. 10: stiffer hair keeps more volume. Pulled against a wall");
    for (uint32_t i = 0; done && i < f->case_count; i++) {
        volume.youngs_modulus = MODULI[i];
        done = simulate(o, &r, f->positions[i], NULL);
        double sum = 0;
        for (uint32_t v = 0; v < f->vertex_count; v++) sum += (double)f->positions[i][3 * v + 2] - (double)WALL_Z_M;
        double mean_mm = 1e3 * sum / f->vertex_count;
        snprintf(f->frames[i].label, sizeof f->frames[i].label, "%.0f Pa: %.1f mm", (double)MODULI[i], mean_mm);
        if (done) printf("%5.0f Pa             %6.2f mm from the wall on average\n", (double)MODULI[i], mean_mm);
    }
    scene_groom_free(&groom);
    return done;
}

static bool draw_ground(const figures_options *o, figure *f) {
    static const float DEGREES[MOST_CASES] = {0, 10, 20, 30, 40}; // the first: a fluid
    scene_groom groom;
    plait_hybrid_params rods = PLAIT_HYBRID_PARAMS_INIT;
    plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
    scene_body ground = plane_make(0);
    bool done = tress_make(o, &groom, &rods) && figure_begin(f, &groom, MOST_CASES) &&
                host_check(plait_volume_params_default(1, &volume), "plait_volume_params_default");
    run r = {&groom, &ground, 2, &rods, &volume, 60, {0, -9.81f, 0}, TRESS_FRAMES, let_down};
    snprintf(f->title, sizeof f->title, "Fig. 11: friction keeps strands together. Let down onto the ground");
    for (uint32_t i = 0; done && i < f->case_count; i++) {
        char what[24] = "fluid";
        if (i > 0) snprintf(what, sizeof what, "sand, %.0f deg", (double)DEGREES[i]);
        volume.model = i > 0 ? PLAIT_VOLUME_SAND : PLAIT_VOLUME_FLUID;
        volume.friction_angle = DEGREES[i] * 3.14159265f / 180;
        done = simulate(o, &r, f->positions[i], NULL);
        double sum = 0;
        for (uint32_t v = 0; v < f->vertex_count; v++)
            sum += pow((double)f->positions[i][3 * v], 2) + pow((double)f->positions[i][3 * v + 2], 2);
        double spread_cm = 100 * sqrt(sum / f->vertex_count);
        snprintf(f->frames[i].label, sizeof f->frames[i].label, "%s: %.1f cm", what, spread_cm);
        if (done) printf("%-20s %6.2f cm: root mean square distance from the middle\n", what, spread_cm);
    }
    scene_groom_free(&groom);
    return done;
}

// Limp strands that hang from a square of roots, a little irregular.
static bool tress_make(const figures_options *o, scene_groom *groom, plait_hybrid_params *rods) {
    uint32_t count = o->side * o->side, *counts = calloc(count, sizeof *counts);
    for (uint32_t s = 0; counts && s < count; s++) counts[s] = TRESS_VERTICES;
    bool made = counts && scene_groom_allocate(count, counts, groom);
    free(counts);
    if (!made) {
        memset(groom, 0, sizeof *groom);
        fprintf(stderr, "plait figures: out of memory\n");
        return false;
    }
    float apart_m = TRESS_WIDTH_M / (float)(o->side - 1);
    for (uint32_t s = 0; s < count; s++) {
        groom->root_bones[s] = 0;
        groom->root_normals[3 * s + 1] = -1;
        for (uint32_t v = 0; v < TRESS_VERTICES; v++) {
            float *x = groom->positions + 3 * (s * TRESS_VERTICES + v), wave = v % 2 ? 3e-4f : 0;
            x[0] = apart_m * (float)(s % o->side) - TRESS_WIDTH_M / 2 + wave * (float)((int)(s * 13 % 7) - 3);
            x[1] = 0.2f - 0.012f * (float)v;
            x[2] = apart_m * (float)(s / o->side) - TRESS_WIDTH_M / 2 + wave * (float)((int)(s * 5 % 7) - 3);
        }
    }
    if (!host_check(plait_hybrid_params_default(1, rods), "plait_hybrid_params_default")) return false;
    rods->bend_modulus = rods->twist_modulus = 1e7f;
    return true;
}

// On bone 1: a wall at z, or the ground if that is 0.
static scene_body plane_make(float z_m) {
    scene_body body = {.collider_count = 1};
    body.colliders[0] = (plait_collider)PLAIT_COLLIDER_INIT;
    body.colliders[0].kind = PLAIT_COLLIDER_HALF_SPACE;
    body.colliders[0].bone = 1;
    body.colliders[0].friction = 0.3f;
    body.colliders[0].points[0][2] = z_m;
    body.colliders[0].points[1][z_m < 0 ? 2 : 1] = 1;
    return body;
}

static void hang(uint32_t frame, float *bones) {
    static const float REST[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    (void)frame;
    memcpy(bones, REST, sizeof REST);
}

// By 17 cm in the first second.
static void let_down(uint32_t frame, float *bones) {
    hang(frame, bones);
    bones[7] = -0.17f * fminf((float)frame / 60, 1);
}

// ---- a head that dances

static bool draw_substeps(const figures_options *o, figure *f) {
    scene_preset preset;
    scene_groom groom = {0};
    scene_body body;
    plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
    bool done = scene_preset_get(scene_preset_find("2a"), o->strands, 16, 5, &preset);
    preset.groom.length_m = 0.14f;
    done = done && scene_groom_make(&preset.groom, &groom) && figure_begin(f, &groom, 3) &&
           host_check(plait_volume_params_default(1, &volume), "plait_volume_params_default");
    scene_body_make(&preset.groom.scalp, &body);
    uint32_t frames = (uint32_t)(60 * o->seconds);
    size_t floats = 3 * (size_t)f->vertex_count * frames;
    float *films[2] = {malloc(floats * sizeof *films[0]), malloc(floats * sizeof *films[0])};
    done = done && films[0] && films[1];
    snprintf(f->title, sizeof f->title, "Fig. 13: one, two and three steps of the grid for one of the rods");
    for (uint32_t i = 0; done && i < f->case_count; i++) {
        float *film = films[i > 0], bones[SCENE_BONE_COUNT][12];
        run r = {&groom, &body, 0, NULL, &volume, 360.0f / (float)(i + 1), {0, -9.81f, 0}, frames, dance};
        volume.substeps = i + 1;
        done = simulate(o, &r, f->positions[i], film);
        double sum = 0;
        for (size_t v = 0; done && i > 0 && v < floats; v += 3)
            sum += hypot(hypot((double)film[v] - (double)films[0][v], (double)film[v + 1] - (double)films[0][v + 1]),
                         (double)film[v + 2] - (double)films[0][v + 2]);
        double mean_mm = 1e3 * sum / ((double)floats / 3);
        snprintf(f->frames[i].label, sizeof f->frames[i].label, i > 0 ? "%u substeps: %.1f mm apart" : "%u substep",
                 i + 1, mean_mm);
        dance(frames - 1, bones[0]);
        scene_body_pose(&body, (const float(*)[12])bones, &f->frames[i].posed);
        if (done && i > 0)
            printf("%u substeps           %6.2f mm from where one has them, on average\n", i + 1, mean_mm);
    }
    if (!done) fprintf(stderr, "plait figures: the head that dances could not be made\n");
    free(films[0]);
    free(films[1]);
    scene_groom_free(&groom);
    return done;
}

static void dance(uint32_t frame, float *bones) {
    float posed[SCENE_BONE_COUNT][12];
    scene_motion_pose(SCENE_MOTION_DANCE, frame / 60.0, 1, posed);
    memcpy(bones, posed, sizeof posed);
}

// ---- all

static bool figure_begin(figure *f, const scene_groom *groom, uint32_t case_count) {
    static const float IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    f->case_count = case_count;
    f->strand_count = groom->strand_count;
    f->vertex_count = groom->vertex_count;
    f->vertex_counts = malloc(groom->strand_count * sizeof *f->vertex_counts);
    bool made = f->vertex_counts != NULL;
    if (made) memcpy(f->vertex_counts, groom->vertex_counts, groom->strand_count * sizeof *f->vertex_counts);
    for (uint32_t i = 0; i < case_count; i++) {
        f->positions[i] = malloc(3 * (size_t)groom->vertex_count * sizeof *f->positions[i]);
        f->frames[i].positions = f->positions[i];
        memcpy(f->frames[i].head, IDENTITY, sizeof IDENTITY);
        made = made && f->positions[i];
    }
    if (!made) fprintf(stderr, "plait figures: out of memory\n");
    return made;
}

// Positions at the end, and those of all frames if film is not null.
static bool simulate(const figures_options *o, const run *r, float *positions, float *film) {
    static const float BIND_POSE[24] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    size_t floats = 3 * (size_t)r->groom->vertex_count;
    host h;
    host_options where = {PLAIT_BACKEND_CPU, PLAIT_CPU_AUTO, o->threads};
    host_hair hair = {.groom = r->groom,
                      .body = r->body,
                      .bone_count = r->bone_count,
                      .bind_pose = BIND_POSE,
                      .solver = PLAIT_SOLVER_HYBRID,
                      .params = r->rods,
                      .step_rate_hz = r->step_rate_hz};
    host_output output;
    host_describe_output(r->groom->vertex_count, 3, positions, &output);
    if (!host_open(&where, &h)) return false;
    bool done = host_grow(&h, &hair) && host_check(plait_hair_set_volume(h.hair, r->volume), "plait_hair_set_volume") &&
                host_check(plait_hair_set_output(h.hair, &output.desc), "plait_hair_set_output");
    for (uint32_t i = 0; done && i < r->frame_count; i++) {
        float bones[SCENE_BONE_COUNT][12];
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        r->pose(i, bones[0]);
        frame.dt = 1.0f / 60;
        frame.bone_count = r->bone_count ? r->bone_count : SCENE_BONE_COUNT;
        frame.bones = bones[0];
        memcpy(frame.gravity, r->gravity, sizeof frame.gravity);
        done = host_check(plait_hair_step(h.hair, &frame), "plait_hair_step") &&
               host_check(plait_hair_wait(h.hair, UINT64_MAX), "plait_hair_wait");
        if (film) memcpy(film + i * floats, positions, floats * sizeof *film);
        progress_show(i + 1, r->frame_count);
    }
    host_close(&h);
    return done;
}

static bool write_sheet(const figures_options *o, const figure figures[3]) {
    static const int HEIGHTS[3] = {400, 252, 400};
    static const uint32_t VIEWS[3] = {PICTURE_SIDE, PICTURE_ABOVE, PICTURE_FRONT};
    box boxes[2] = {box_make((float[3]){-0.06f, -0.3f, WALL_Z_M - 0.01f}, (float[3]){0.06f, 0.5f, WALL_Z_M}),
                    box_make((float[3]){-1, -0.01f, -1}, (float[3]){1, 0, 1})};
    picture_mesh meshes[2];
    picture_sheet sheets[3];
    for (int i = 0; i < 3; i++) {
        const figure *f = &figures[i];
        if (i < 2)
            meshes[i] = (picture_mesh){24, 12, boxes[i].positions[0], boxes[i].normals[0], boxes[i].triangles[0]};
        sheets[i] = (picture_sheet){.title = f->title,
                                    .strand_count = f->strand_count,
                                    .vertex_counts = f->vertex_counts,
                                    .frame_count = f->case_count,
                                    .frames = f->frames,
                                    .mesh = i < 2 ? &meshes[i] : NULL,
                                    .views = VIEWS[i],
                                    .cell_width = SHEET_WIDTH / (int)f->case_count - MARGIN,
                                    .cell_height = HEIGHTS[i]};
    }
    const char *problem = picture_sheets_write(sheets, 3, o->picture);
    if (problem) fprintf(stderr, "plait figures: --picture: %s: %s\n", o->picture, problem);
    return !problem;
}

static box box_make(const float low[3], const float high[3]) {
    box b = {0};
    for (uint32_t face = 0; face < 6; face++) {
        uint32_t axis = face / 2, first = 4 * face;
        for (uint32_t k = 0; k < 4; k++) {
            float *p = b.positions[first + k];
            p[axis] = face % 2 ? high[axis] : low[axis];
            p[(axis + 1) % 3] = k % 2 ? high[(axis + 1) % 3] : low[(axis + 1) % 3];
            p[(axis + 2) % 3] = k / 2 ? high[(axis + 2) % 3] : low[(axis + 2) % 3];
            b.normals[first + k][axis] = face % 2 ? 1 : -1;
        }
        for (uint32_t k = 0; k < 3; k++) {
            b.triangles[2 * face][k] = first + k;
            b.triangles[2 * face + 1][k] = first + k + 1;
        }
    }
    return b;
}
