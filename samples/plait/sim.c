// Plait sim: simulates one head of hair in motion; writes strands, pictures and statistics.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actor.h"
#include "command.h"
#include "file_groom.h"
#include "fitted_head.h"
#include "head_mesh.h"
#include "host.h"
#include "options.h"
#include "picture.h"
#include "progress.h"
#include "render_strands.h"
#include "strand_file.h"

enum { CAPTURES = 3, MOST_STAGES = 128 };

typedef struct sim_options {
    uint32_t solver, backend, cpu;
    const char *groom, *bones;
    uint32_t strands, vertices;
    const char *render;
    uint32_t render_strands; // FILE_GROOM_ALL: all of a file
    float scale;
    const char *motion, *joint;
    float motion_scale;
    uint32_t frames;
    float fps;
    uint64_t seed;
    uint32_t threads, substeps;
    float step_rate, gravity[3], wind[3], warmup;
    const char *out, *picture, *head;
    uint32_t stats, watch, sag_free, no_body, hair_hair;
} sim_options;

// Everything a run owns.
typedef struct sim {
    sim_options options;
    host host;
    actor actor;
    scene_groom groom;
    scene_groom render; // what follows it; or empty
    file_groom file;    // where they come from, but for the strands themselves; or empty
    scene_body body;
    bool has_body;
    char body_label[96]; // for the summary
    head_mesh head;      // or empty
    plait_shape_params shape;
    plait_hybrid_params hybrid;
    bool has_shape;   // else defaults
    float *positions; // [vertices][3] of what is shown: the output of each step
    float *captured;  // [CAPTURES] of the same, for the picture; or null
    picture_frame captures[CAPTURES];
    FILE *stream; // of a .plait file, or null
    double stepping_s;
    plait_stage_info stages_before[MOST_STAGES]; // after the warm-up
} sim;

static int parse(int argc, char **argv, sim_options *o);
static bool parse_render(const char *text, uint32_t *count);
static int make_groom(sim *s);
static int make_actor(sim *s);
static int follow_bones(sim *s);
static bool prepare(sim *s);
static bool simulate(sim *s);
static bool finish(sim *s);
static bool step(sim *s, double time_s, float dt);
static void capture(sim *s, int index, uint32_t frame);
static const scene_groom *shown(const sim *s);
static bool print_summary(const sim *s);
static bool print_stages(const sim *s);
static void release(sim *s);
static bool ends_with(const char *text, const char *end);

int command_sim(int argc, char **argv) {
    sim *s = calloc(1, sizeof *s);
    if (!s) {
        fprintf(stderr, "plait sim: out of memory\n");
        return EXIT_FAILURE;
    }
    int code = parse(argc, argv, &s->options);
    if (code == OPTIONS_RUN) code = make_groom(s);
    if (code == OPTIONS_RUN) code = make_actor(s);
    if (code == OPTIONS_RUN) code = prepare(s) && simulate(s) && finish(s) ? EXIT_SUCCESS : EXIT_FAILURE;
    release(s);
    free(s);
    return code;
}

static int parse(int argc, char **argv, sim_options *o) {
    static const char *const GROOMS = "1a to 4c, icosphere, or a .tfx, .hair or .npz file; default 2b";
    char motions[160] = "";
    for (uint32_t i = 0, used = 0; i < SCENE_MOTION_COUNT; i++, used = (uint32_t)strlen(motions))
        snprintf(motions + used, sizeof motions - used, "%s%s", i ? ", " : "", scene_motion_name(i));
    snprintf(motions + strlen(motions), sizeof motions - strlen(motions), ", or a .bvh file; default nod");
    *o = (sim_options){.groom = "2b",
                       .motion = "nod",
                       .joint = "head",
                       .frames = 120,
                       .fps = 60,
                       .seed = 1,
                       .substeps = 1,
                       .step_rate = 60,
                       .gravity = {0, -9.81f, 0},
                       .warmup = 1};
    // Choices are in the order of the constants in plait.h.
    const option options[] = {
        {"solver", OPTION_CHOICE, &o->solver, 0, 0, "shape|hybrid", NULL, "what the physics is"},
        {"sag-free", OPTION_FLAG, &o->sag_free, 0, 0, NULL, NULL,
         "solver hybrid: the groom as drawn is at rest under gravity"},
        {"hair-hair", OPTION_CHOICE, &o->hair_hair, 0, 0, HOST_HAIR_HAIR_CHOICES, NULL, "forces between strands"},
        {"backend", OPTION_CHOICE, &o->backend, 0, 0, "best|cpu|vulkan|cuda|null", NULL, "where it runs"},
        {"cpu", OPTION_CHOICE, &o->cpu, 0, 0, "auto|scalar|sse2|avx2|avx512|neon", NULL,
         "instruction set, backend cpu"},
        {"groom", OPTION_TEXT, &o->groom, 0, 0, NULL, "NAME|FILE", GROOMS},
        {"strands", OPTION_COUNT, &o->strands, 0, 10000000, NULL, NULL, "default 0: 4000, or 960, or the whole file"},
        {"vertices", OPTION_COUNT, &o->vertices, 0, PLAIT_MAX_STRAND_VERTICES, NULL, NULL,
         "of each strand; default 0: as many as its curl needs"},
        {"render-strands", OPTION_TEXT, &o->render, 0, 0, NULL, "N|all",
         "that follow the simulated ones and are shown and written instead; default 0: none"},
        {"bones", OPTION_TEXT, &o->bones, 0, 0, NULL, "FILE",
         "the .tfxbone file that belongs to a .tfx file: roots follow bones of these names, or else the head"},
        {"scale", OPTION_NUMBER, &o->scale, 0, 1e6, NULL, NULL,
         "metres per unit of a groom file; default 0: what it says, or 1"},
        {"no-body", OPTION_FLAG, &o->no_body, 0, 0, NULL, NULL,
         "no colliders; else the mannequin, or a head fitted to the roots of a file"},
        {"motion", OPTION_TEXT, &o->motion, 0, 0, NULL, "NAME|FILE", motions},
        {"motion-scale", OPTION_NUMBER, &o->motion_scale, 0, 1e6, NULL, "X",
         "metres per unit of a .bvh file; default 0: as it takes for a person of 1.75 m"},
        {"joint", OPTION_TEXT, &o->joint, 0, 0, NULL, "NAME", "of a .bvh file, that hair grows on; default head"},
        {"frames", OPTION_COUNT, &o->frames, 1, 1000000, NULL, NULL, "to simulate; default 120"},
        {"fps", OPTION_NUMBER, &o->fps, 1, 10000, NULL, NULL, "frames per second; default 60"},
        {"seed", OPTION_SEED, &o->seed, 0, 0, NULL, NULL, "of groom and motion; default 1"},
        {"threads", OPTION_COUNT, &o->threads, 0, 1024, NULL, NULL, "default 0: one per core"},
        {"substeps", OPTION_COUNT, &o->substeps, 1, 64, NULL, NULL, "per step; default 1"},
        {"step-rate", OPTION_NUMBER, &o->step_rate, 1, 10000, NULL, "HZ", "steps per second; default 60"},
        {"gravity", OPTION_VECTOR, o->gravity, -1000, 1000, NULL, NULL, "m/s2; default 0,-9.81,0"},
        {"wind", OPTION_VECTOR, o->wind, -1000, 1000, NULL, NULL, "m/s; default 0,0,0"},
        {"warmup", OPTION_NUMBER, &o->warmup, 0, 1000, NULL, "S", "seconds to settle before frame 0; default 1"},
        {"out", OPTION_FILE, &o->out, 0, 0, NULL, NULL, "strands: .obj, last frame; .plait, all frames"},
        {"head", OPTION_TEXT, &o->head, 0, 0, NULL, "FILE.obj",
         "drawn in pictures, in the coordinates of the groom file"},
        {"picture", OPTION_FILE, &o->picture, 0, 0, NULL, "FILE.png", "first, middle and last frame"},
        {"stats", OPTION_FLAG, &o->stats, 0, 0, NULL, NULL, "print memory and counters too"},
        {"watch", OPTION_FLAG, &o->watch, 0, 0, NULL, NULL, "print speeds, restless and knotted strands too"},
    };
    command_line line = {
        .command = "plait sim",
        .usage = "[OPTION...]",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .purpose =
            "Simulates a groom on a mannequin, or on a skeleton from a .bvh file, in motion, and prints what it cost.\n"
            "Lengths are metres, y is up.\n\n"
            "With --render-strands and a file, the file's strands are shown, and --strands of them are simulated, as\n"
            "guides: those that the file names, or three in a hundred, unless it is given.\n\n"
            "A .plait file is little-endian: the bytes PLTS, then 32-bit words: version (1), strands, vertices of\n"
            "all strands, frames, frames per second (float32); then the vertex count of each strand; then, frame\n"
            "by frame, x, y, z of each vertex as float32, strand by strand from the root.",
    };
    int code = options_parse(&line, argc, argv);
    if (code != OPTIONS_RUN) return code;
    if (o->out && !ends_with(o->out, ".obj") && !ends_with(o->out, ".plait"))
        return options_error(line.command, "out", "'%s' ends neither with .obj nor with .plait", o->out);
    if (o->picture && !ends_with(o->picture, ".png"))
        return options_error(line.command, "picture", "'%s' does not end with .png", o->picture);
    if (o->vertices == 1) return options_error(line.command, "vertices", "a strand has 2 or more");
    if (o->cpu != PLAIT_CPU_AUTO && o->backend == PLAIT_BACKEND_BEST) o->backend = PLAIT_BACKEND_CPU;
    if (o->cpu != PLAIT_CPU_AUTO && o->backend != PLAIT_BACKEND_CPU)
        return options_error(line.command, "cpu", "goes with --backend cpu only");
    bool from_file = strchr(o->groom, '.') || strchr(o->groom, '/');
    if (o->head && !from_file) return options_error(line.command, "head", "goes with a groom from a file only");
    if (o->bones && !from_file) return options_error(line.command, "bones", "goes with a groom from a file only");
    if (o->render && !parse_render(o->render, &o->render_strands))
        return options_error(line.command, "render-strands", "'%s' is neither 0 to 10000000 nor all", o->render);
    if (o->render_strands == FILE_GROOM_ALL && !from_file)
        return options_error(line.command, "render-strands", "all goes with a groom from a file only");
    if (o->sag_free && o->solver + PLAIT_SOLVER_SHAPE != PLAIT_SOLVER_HYBRID)
        return options_error(line.command, "sag-free", "goes with --solver hybrid only");
    return OPTIONS_RUN;
}

static bool parse_render(const char *text, uint32_t *count) {
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    bool all = strcmp(text, "all") == 0;
    *count = all ? FILE_GROOM_ALL : (uint32_t)number;
    return all || (*text >= '0' && *text <= '9' && !*end && errno == 0 && number <= 10000000);
}

// The groom that was asked for, with parameters and body that suit it.
static int make_groom(sim *s) {
    const sim_options *o = &s->options;
    const char *command = "plait sim";
    uint32_t preset_index = scene_preset_find(o->groom);
    bool made = false;
    snprintf(s->body_label, sizeof s->body_label, "none");
    if (preset_index < SCENE_PRESET_COUNT) {
        scene_preset preset;
        scene_preset_get(preset_index, o->strands ? o->strands : 4000, o->vertices, o->seed, &preset);
        made = scene_groom_make(&preset.groom, &s->groom);
        if (made && o->render_strands) {
            scene_preset_get(preset_index, o->render_strands, o->vertices, o->seed + 1, &preset);
            made = scene_groom_make(&preset.groom, &s->render);
        }
        s->shape = preset.shape;
        s->has_shape = s->has_body = true;
        scene_body_make(&preset.groom.scalp, &s->body);
        snprintf(s->body_label, sizeof s->body_label, "mannequin");
    } else if (strcmp(o->groom, "icosphere") == 0) {
        if (o->render_strands)
            return options_error(command, "render-strands", "goes with a groom of 1a to 4c or a file");
        uint32_t level = 0, strands = o->strands ? o->strands : 960;
        while (level <= SCENE_ICOSPHERE_MAX_LEVEL && 60u << (2 * level) != strands) level++;
        if (level > SCENE_ICOSPHERE_MAX_LEVEL)
            return options_error(command, "strands", "an icosphere has 60, 240, 960, 3840, 15360 or 61440");
        scene_groom_options options = {.vertex_count = o->vertices ? o->vertices : 100,
                                       .length_m = 0.3f,
                                       .radius_m = 4e-5f,
                                       .curl_radius_m = 0.008f,
                                       .curl_pitch_m = 0.04f,
                                       .seed = o->seed};
        made = scene_groom_icosphere(level, &options, &s->groom);
    } else {
        if (!strchr(o->groom, '.') && !strchr(o->groom, '/'))
            return options_error(command, "groom", "'%s' is not one of 1a to 4c or icosphere, nor a file", o->groom);
        if (o->vertices) return options_error(command, "vertices", "a groom file has its own");
        file_groom_options options = {o->scale, o->strands, o->render_strands, o->bones, 0};
        char problem[256];
        if (!file_groom_read(o->groom, &options, &s->file, problem, sizeof problem)) {
            fprintf(stderr, "%s: --groom: %s: %s\n", command, o->groom, problem);
            return EXIT_FAILURE;
        }
        s->groom = s->file.strands;
        s->render = s->file.render;
        memset(&s->file.strands, 0, sizeof s->file.strands);
        memset(&s->file.render, 0, sizeof s->file.render);
        if (o->head && !head_mesh_read(&s->head, o->head, options.meters_per_unit, problem, sizeof problem)) {
            fprintf(stderr, "%s: --head: %s: %s\n", command, o->head, problem);
            return EXIT_FAILURE;
        }
        head_mesh_move(&s->head, s->file.moved);
        made = true;
        float radius_m = 0;
        s->has_body = fitted_head_make(shown(s), &s->body, &radius_m);
        if (s->has_body)
            snprintf(s->body_label, sizeof s->body_label, "head, a sphere of %.2f cm inside the roots",
                     100 * (double)radius_m);
        else
            snprintf(s->body_label, sizeof s->body_label, "none: the roots do not lie around a head");
    }
    if (o->no_body) {
        s->has_body = false;
        snprintf(s->body_label, sizeof s->body_label, "none");
    }
    if (!made) {
        fprintf(stderr, "%s: --groom: out of memory, or more vertices than 32 bits can count\n", command);
        return EXIT_FAILURE;
    }
    return OPTIONS_RUN;
}

// Who wears it: groom and body go from the mannequin's head to that of a .bvh file.
static int make_actor(sim *s) {
    const sim_options *o = &s->options;
    const char *command = "plait sim";
    char problem[256];
    uint32_t motion = scene_motion_find(o->motion);
    if (motion < SCENE_MOTION_COUNT) {
        actor_mannequin(&s->actor, (scene_motion)motion, o->seed);
        return follow_bones(s);
    }
    if (!strchr(o->motion, '.') && !strchr(o->motion, '/'))
        return options_error(command, "motion", "'%s' is no motion of the mannequin, nor a file; see %s --help",
                             o->motion, command);
    actor_file_options options = {o->motion_scale, o->joint};
    if (!actor_from_file(&s->actor, o->motion, &options, problem, sizeof problem)) {
        fprintf(stderr, "%s: --motion: %s: %s\n", command, o->motion, problem);
        return EXIT_FAILURE;
    }
    float moved[3];
    if (s->render.strand_count) actor_dress(&s->actor, &s->render, NULL, moved);
    actor_dress(&s->actor, &s->groom, s->has_body ? &s->body : NULL, moved);
    head_mesh_move(&s->head, moved);
    head_mesh_cut(&s->head, s->actor.bind_pose[s->actor.head][7] - 0.05f); // the skeleton has shoulders of its own
    if (s->has_body)
        snprintf(s->body_label + strlen(s->body_label), sizeof s->body_label - strlen(s->body_label),
                 "; on a skeleton, %u colliders in all", s->body.collider_count);
    return follow_bones(s);
}

// Roots that a file binds to bones follow those of the skeleton that have their names, and the head where there is none.
static int follow_bones(sim *s) {
    if (!s->file.bindings) return OPTIONS_RUN;
    uint32_t *bones = malloc(s->file.bone_count * sizeof *bones), found = 0;
    for (uint32_t i = 0; bones && i < s->file.bone_count; i++) {
        uint32_t bone = s->file.bone_names ? actor_find(&s->actor, s->file.bone_names + (size_t)i * PLAIT_GF_NAME_SIZE)
                                           : PLAIT_GF_NO_JOINT;
        found += bone != PLAIT_GF_NO_JOINT;
        bones[i] = bone != PLAIT_GF_NO_JOINT ? bone : s->actor.head;
    }
    bool followed = bones && file_groom_follow(&s->file, bones, &s->groom);
    free(bones);
    if (!followed) {
        fprintf(stderr, "plait sim: --groom: out of memory\n");
        return EXIT_FAILURE;
    }
    fprintf(stderr, "%s: %u of %u bones are in the skeleton, roots on the others follow its head\n", s->options.groom,
            found, s->file.bone_count);
    return OPTIONS_RUN;
}

static bool prepare(sim *s) {
    const sim_options *o = &s->options;
    host_options options = {o->backend, o->cpu, o->threads};
    host_hair hair = {.groom = &s->groom,
                      .body = s->has_body ? &s->body : NULL,
                      .bone_count = s->actor.bone_count,
                      .bind_pose = s->actor.bind_pose[0],
                      .solver = o->solver + PLAIT_SOLVER_SHAPE,
                      .params = s->has_shape ? &s->shape : NULL,
                      .step_rate_hz = o->step_rate,
                      .substeps = o->substeps,
                      .flags = o->watch ? PLAIT_HAIR_WATCH_MOTION : 0,
                      .hair_hair = o->hair_hair};
    if (hair.solver == PLAIT_SOLVER_HYBRID) {
        s->hybrid = (plait_hybrid_params)PLAIT_HYBRID_PARAMS_INIT;
        if (!host_check(plait_hybrid_params_default(1, &s->hybrid), "plait_hybrid_params_default")) return false;
        if (o->sag_free) memcpy(s->hybrid.rest_gravity, o->gravity, sizeof s->hybrid.rest_gravity);
        hair.params = &s->hybrid;
    }
    size_t floats = 3 * (size_t)shown(s)->vertex_count;
    s->positions = malloc(floats * sizeof *s->positions);
    s->captured = o->picture ? malloc(CAPTURES * floats * sizeof *s->captured) : NULL;
    if (!s->positions || (o->picture && !s->captured)) {
        fprintf(stderr, "plait sim: out of memory\n");
        return false;
    }
    if (!host_open(&options, &s->host) || !host_grow(&s->host, &hair)) return false;
    if (s->render.strand_count && !render_strands_bind(&s->host, &hair, &s->render, s->positions)) return false;

    host_output output;
    host_describe_output(shown(s)->vertex_count, 3, s->positions, &output);
    if (!s->render.strand_count &&
        !host_check(plait_hair_set_output(s->host.hair, &output.desc), "plait_hair_set_output"))
        return false;
    strand_file_header header = {shown(s)->strand_count, shown(s)->vertex_count, shown(s)->vertex_counts, o->frames,
                                 o->fps};
    if (o->out && ends_with(o->out, ".plait") && !strand_file_begin(o->out, &header, &s->stream)) {
        fprintf(stderr, "plait sim: --out: %s: %s\n", o->out, strerror(errno));
        return false;
    }
    return true;
}

static bool simulate(sim *s) {
    const sim_options *o = &s->options;
    float dt = 1 / o->fps;
    uint32_t warmup = (uint32_t)ceilf(o->warmup * o->fps);
    // The first frame may take long: drivers compile kernels then.
    fprintf(stderr, "simulating %u strands on %s: %u frames to settle, then %u\n", s->groom.strand_count,
            s->host.device_info.name, warmup, o->frames);
    for (uint32_t i = 0; i < warmup; i++)
        if (!step(s, 0, dt)) return false;
    if (warmup == 0 && !step(s, 0, 0)) // the first picture shows the rest shape
        return false;
    for (int i = 0; i < MOST_STAGES; i++) s->stages_before[i] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    uint32_t stage_count = MOST_STAGES;
    if (!host_check(plait_hair_stages(s->host.hair, &stage_count, s->stages_before), "plait_hair_stages")) return false;
    capture(s, 0, 0);
    s->stepping_s = 0;
    for (uint32_t frame = 1; frame <= o->frames; frame++) {
        if (!step(s, frame / (double)o->fps, dt)) return false;
        if (s->stream && !strand_file_frame(s->stream, shown(s)->vertex_count, s->positions)) {
            fprintf(stderr, "plait sim: --out: %s: %s\n", o->out, strerror(errno));
            return false;
        }
        if (frame == (o->frames + 1) / 2) capture(s, 1, frame);
        if (frame == o->frames) capture(s, 2, frame);
        progress_show(frame, o->frames);
    }
    return true;
}

// One frame up to time_s; waits for its output.
static bool step(sim *s, double time_s, float dt) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    actor_pose(&s->actor, time_s);
    frame.dt = dt;
    frame.bone_count = s->actor.bone_count;
    frame.bones = s->actor.bones[0];
    memcpy(frame.gravity, s->options.gravity, sizeof frame.gravity);
    memcpy(frame.wind, s->options.wind, sizeof frame.wind);
    double before = host_seconds();
    bool stepped = host_check(plait_hair_step(s->host.hair, &frame), "plait_hair_step") &&
                   host_check(plait_hair_wait(s->host.hair, UINT64_MAX), "plait_hair_wait");
    s->stepping_s += host_seconds() - before;
    return stepped;
}

static void capture(sim *s, int index, uint32_t frame) {
    if (!s->captured) return;
    size_t floats = 3 * (size_t)shown(s)->vertex_count;
    double time_s = frame / (double)s->options.fps;
    picture_frame *picture = &s->captures[index];
    picture->positions = memcpy(s->captured + (size_t)index * floats, s->positions, floats * sizeof *s->positions);
    snprintf(picture->label, sizeof picture->label, "frame %u  %.2f s", frame, time_s);
    actor_pose(&s->actor, time_s);
    if (s->has_body) scene_body_pose(&s->body, (const float(*)[12])s->actor.bones, &picture->posed);
    actor_head(&s->actor, picture->head);
    actor_stay(&s->actor, shown(s)->vertex_count, s->captured + (size_t)index * floats, &picture->posed);
}

static bool finish(sim *s) {
    const sim_options *o = &s->options;
    if (s->stream) {
        bool written = strand_file_end(s->stream);
        s->stream = NULL;
        if (!written) {
            fprintf(stderr, "plait sim: --out: %s: %s\n", o->out, strerror(errno));
            return false;
        }
    }
    strand_file_header header = {shown(s)->strand_count, shown(s)->vertex_count, shown(s)->vertex_counts, 1, o->fps};
    if (o->out && ends_with(o->out, ".obj") && !strand_file_obj(o->out, &header, s->positions)) {
        fprintf(stderr, "plait sim: --out: %s: %s\n", o->out, strerror(errno));
        return false;
    }
    if (!print_summary(s)) return false;
    if (!o->picture) return true;
    char title[128];
    const char *slash = strrchr(o->groom, '/');
    snprintf(title, sizeof title, "%.40s  %s  %u strands  %u vertices", slash ? slash + 1 : o->groom, s->actor.name,
             shown(s)->strand_count, shown(s)->vertex_count);
    picture_mesh mesh = head_mesh_describe(&s->head);
    picture_sheet sheet = {.title = title,
                           .strand_count = shown(s)->strand_count,
                           .vertex_counts = shown(s)->vertex_counts,
                           .frame_count = CAPTURES,
                           .frames = s->captures,
                           .mesh = mesh.triangle_count ? &mesh : NULL};
    const char *problem = picture_sheets_write(&sheet, 1, o->picture);
    if (problem) fprintf(stderr, "plait sim: --picture: %s: %s\n", o->picture, problem);
    return !problem;
}

static const scene_groom *shown(const sim *s) { return s->render.strand_count ? &s->render : &s->groom; }

static bool print_summary(const sim *s) {
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    if (!host_check(plait_hair_stats(s->host.hair, &stats), "plait_hair_stats")) return false;
    printf("%-22s %s, %s\n", "device", s->host.device_info.name, s->host.device_info.variant);
    printf("%-22s %u\n%-22s %u\n", "strands", stats.strand_count, "vertices", stats.vertex_count);
    if (s->render.strand_count)
        printf("%-22s %u\n%-22s %u\n", "render strands", s->render.strand_count, "render vertices",
               s->render.vertex_count);
    printf("%-22s %s\n", "body", s->body_label);
    printf("%-22s %.3f ms wall time\n", "frame, mean", 1e3 * s->stepping_s / s->options.frames);
    printf("%-22s %.4f %%\n", "length error, mean", 100 * (double)stats.mean_length_error);
    printf("%-22s %.4f %%\n", "stretch, worst", 100 * (double)stats.worst_stretch);
    if (!print_stages(s)) return false;
    if (s->options.stats) {
        printf("\n%-22s %llu\n", "frames", (unsigned long long)stats.frame_count);
        printf("%-22s %llu\n", "steps", (unsigned long long)stats.step_count);
        printf("%-22s %llu\n", "teleports", (unsigned long long)stats.teleport_count);
        printf("%-22s %llu\n", "frames clamped", (unsigned long long)stats.clamped_frame_count);
        printf("%-22s %llu\n", "strands not finite", (unsigned long long)stats.nonfinite_strand_count);
        printf("%-22s %llu\n", "strands cut short", (unsigned long long)stats.cut_strand_count);
        printf("%-22s %.2f MB\n", "memory, asset", 1e-6 * (double)stats.bytes_asset);
        printf("%-22s %.2f MB\n", "memory, state", 1e-6 * (double)stats.bytes_state);
        printf("%-22s %.2f MB\n", "memory, work", 1e-6 * (double)stats.bytes_work);
    }
    if (s->options.watch) {
        printf("\n%-22s %llu\n", "strands restless", (unsigned long long)stats.restless_strand_count);
        printf("%-22s %llu\n", "strands knotted", (unsigned long long)stats.knotted_strand_count);
        printf("%-22s %.3f mm/s\n", "speed, rms", 1e3 * (double)stats.rms_speed);
        printf("%-22s %.3f mm/s\n", "speed, fastest", 1e3 * (double)stats.fastest_speed);
    }
    return true;
}

static bool print_stages(const sim *s) {
    plait_stage_info stages[MOST_STAGES];
    uint32_t count = MOST_STAGES;
    for (int i = 0; i < MOST_STAGES; i++) stages[i] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
    if (!host_check(plait_hair_stages(s->host.hair, &count, stages), "plait_hair_stages")) return false;
    double all = 0;
    for (uint32_t i = 0; i < count; i++) all += stages[i].total_s - s->stages_before[i].total_s;
    // The sum may exceed the wall time: with N threads up to N times. A kernel that a step has several times is one line.
    printf("\n%-27s %12s %8s %8s\n", "stage, summed over threads", "ms/frame", "share", "runs");
    for (uint32_t i = 0; i < count; i++) {
        double total = 0;
        unsigned long long runs = 0;
        bool told = false;
        for (uint32_t k = 0; k < count; k++) {
            if (strcmp(stages[k].name, stages[i].name) != 0) continue;
            told = told || k < i;
            total += stages[k].total_s - s->stages_before[k].total_s;
            runs += stages[k].run_count - s->stages_before[k].run_count;
        }
        if (told) continue;
        printf("%-27s %12.4f %7.1f%% %8llu\n", stages[i].name, 1e3 * total / s->options.frames,
               all > 0 ? 100 * total / all : 0.0, runs);
    }
    return true;
}

static void release(sim *s) {
    if (s->stream) strand_file_end(s->stream);
    host_close(&s->host);
    scene_groom_free(&s->groom);
    file_groom_free(&s->file);
    actor_free(&s->actor);
    head_mesh_free(&s->head);
    scene_groom_free(&s->render);
    free(s->positions);
    free(s->captured);
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}
