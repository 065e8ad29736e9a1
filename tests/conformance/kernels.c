// Every kernel over packs alone, on every device, on random strands, against the scalar CPU. One function per kernel: one
// without does not build. Kernels over items and groups are in blocks.c.
//
// CPU builds agree to the bit. A GPU may contract a product and a sum, and divide and take roots less exactly; what it
// may be off by is stated with each field, in its unit. Coordinates are about 2 m, where floats are 1.2e-7 apart
// (ROUNDING_M); a chain of 40 segments adds some 40 roundings up. Velocities are positions over a step of 1/60 s or less.
#include "band.h"
#include "blocks.h"
#include "rods.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDING_M 1e-6     // a few operations on coordinates of 2 m
#define ROUNDING_UNIT 1e-6  // of unit vectors and scales
#define ROUNDING_CHAIN 1e-5 // metres, at the end of a strand that was built up segment by segment

static const float no_target[TARGET_ROWS] = {0, 1, 0, 0}; // straight on, with length zero
static const float nothing[WORK_ROWS];                    // zeros, for whoever needs some

static struct field packs(void) { return (struct field){.layout = FIELD_PACKS}; }
static struct field uniform(uint32_t words, const void *content) {
    return (struct field){.layout = FIELD_UNIFORM, .rows = words, .content = content};
}
static struct field per_strand(uint32_t rows, const void *content) {
    return (struct field){.layout = FIELD_STRANDS, .rows = rows, .content = content};
}
static struct field per_vertex(uint32_t rows, const void *content) {
    return (struct field){.layout = FIELD_VERTICES, .rows = rows, .content = content};
}
// Positions and the like: beyond a strand's end they are where its tip is, after a step, or zero, after a state was loaded.
static struct field per_vertex_state(const struct strands *s, uint32_t rows, const void *content) {
    return (struct field){
        .layout = FIELD_VERTICES, .rows = rows, .content = content, .padding = s->count % 2 ? nothing : NULL};
}
static struct field padded(struct field field, const float *padding) {
    field.padding = padding;
    return field;
}
// What the kernel writes.
static struct field result(const char *name, double tolerance, struct field field) {
    field.name = name;
    field.tolerance = tolerance;
    return field;
}

static void conformance_roots(struct strands *s) {
    for (uint32_t influences = 1; influences <= 4; influences += 3)
        for (uint32_t remember = 0; remember < 2; remember++) {
            struct field before = per_strand(ROOT_ROWS, s->roots_before);
            struct trial trial = {
                .name = influences == 1 ? "roots on one bone" : "roots on four bones",
                .kernel = KERNEL_roots,
                .roots = {.bind = per_strand(BIND_ROWS, s->bind),
                          .bone_indices = per_strand(BIND_BONE_ROWS, s->bones),
                          .bones = uniform(SKELETON_BONES * BONE_FLOATS, s->skeleton),
                          .frames = result("root frames", ROUNDING_M, per_strand(ROOT_ROWS, s->roots)),
                          .before = remember ? result("root frames before", 0, before) : before},
                .values.roots = {.influences = influences, .remember = remember}};
            trial_run(s, &trial);
        }
}

// Triangles near each root, one in eight of them next to none: strands there keep the frame they had.
static void mesh_trials(struct strands *s, bool from_host) {
    float *bind = calloc((size_t)s->count * MESH_ROWS, sizeof *bind);
    float *vertices = calloc((size_t)s->count * 9, sizeof *vertices);
    uint32_t *corners = calloc((size_t)s->count * MESH_CORNER_ROWS, sizeof *corners);
    assert_true(bind && vertices && corners);
    for (uint32_t i = 0; i < s->count; i++) {
        float *b = bind + (size_t)i * MESH_ROWS;
        const float *frame = s->roots_later + (size_t)i * ROOT_ROWS; // two unit vectors across each other serve
        double length = random_between(s, 0.05, 0.2), height = random_between(s, 0.05, 0.2);
        b[MESH_WEIGHT1] = (float)random_between(s, 0, 0.5);
        b[MESH_WEIGHT2] = (float)random_between(s, 0, 0.5);
        for (uint32_t c = 0; c < 3; c++) {
            b[MESH_OFFSET + c] = (float)random_between(s, -0.01, 0.01);
            b[MESH_SIDE + c] = frame[ROOT_SIDE + c];
            b[MESH_NORMAL + c] = frame[ROOT_NORMAL + c];
        }
        b[MESH_PER_LENGTH] = (float)(1 / length);
        b[MESH_PER_HEIGHT] = (float)(1 / height);
        b[MESH_LEAN] = (float)(random_between(s, 0, 1) / height);
        for (uint32_t k = 0; k < 3; k++) {
            corners[i * MESH_CORNER_ROWS + k] = 3 * i + k;
            for (uint32_t c = 0; c < 3; c++) {
                float *v = &vertices[9 * (size_t)i + 3 * k + c];
                *v = s->roots[(size_t)i * ROOT_ROWS + ROOT_POSITION + c];
                if (i % 8 != 7) *v += (k == c ? 0.15f : 0) + (float)random_between(s, -0.03, 0.03);
            }
        }
    }
    struct trial trial = {
        .name = "roots on triangles",
        .kernel = KERNEL_mesh_roots,
        .mesh_roots = {.bind = per_strand(MESH_ROWS, bind),
                       .corners = per_strand(MESH_CORNER_ROWS, corners),
                       .vertices = uniform(s->count * 9, vertices),
                       .from = result("root frames before", 0, per_strand(ROOT_ROWS, s->roots_before)),
                       .to = result("root frames", 10 * ROUNDING_M, per_strand(ROOT_ROWS, s->roots))}};
    // Edges are a tenth of a coordinate: directions are rounded ten times as much.
    // The same from memory in another unit, two floats in and five apart, as seen from another origin.
    float frame[FRAME_FLOATS] = {0}, *memory = calloc((size_t)s->count * 15 + 2, sizeof *memory);
    assert_non_null(memory);
    frame[FRAME_ROOTS] = 0.25f;
    for (uint32_t c = 0; c < 3; c++) frame[FRAME_SHIFT + c] = (float)random_between(s, -2, 2);
    for (uint32_t i = 0; i < 9 * s->count; i++)
        memory[2 + i / 3 * 5 + i % 3] = 4 * (vertices[i] + frame[FRAME_SHIFT + i % 3]);
    struct trial input = {
        .name = "roots on triangles in the host's memory",
        .kernel = KERNEL_mesh_input,
        .mesh_input = {.bind = per_strand(MESH_ROWS, bind),
                       .corners = per_strand(MESH_CORNER_ROWS, corners),
                       .frame = uniform(FRAME_FLOATS, frame),
                       .from = result("root frames before", 0, per_strand(ROOT_ROWS, s->roots_before)),
                       .to = result("root frames", 20 * ROUNDING_M, per_strand(ROOT_ROWS, s->roots)),
                       .memory = uniform(s->count * 15 + 2, memory)},
        .values.mesh_input = {.offset = 2, .stride = 5}};
    trial_run(s, from_host ? &input : &trial);
    free(memory);
    free(bind);
    free(vertices);
    free(corners);
}

static void conformance_mesh_roots(struct strands *s) { mesh_trials(s, false); }
static void conformance_mesh_input(struct strands *s) { mesh_trials(s, true); }

static void conformance_mesh_step(struct strands *s) {
    float frame[FRAME_FLOATS] = {0};
    frame[FRAME_ROOTS] = (float)random_between(s, 0, 1);
    for (uint32_t i = 0; i < 4; i++) {
        struct field before = per_strand(ROOT_ROWS, s->roots_before);
        uint32_t remember = i % 2, whole = i / 2;
        struct trial trial = {
            .name = whole ? "roots where the frame ends" : "roots between two frames",
            .kernel = KERNEL_mesh_step,
            .mesh_step = {.from = per_strand(ROOT_ROWS, s->roots_before),
                          .to = per_strand(ROOT_ROWS, s->roots_later),
                          .frame = uniform(FRAME_FLOATS, frame),
                          .frames = result("root frames", whole ? 0 : 10 * ROUNDING_M, per_strand(ROOT_ROWS, s->roots)),
                          .before = remember ? result("root frames before", 0, before) : before},
            .values.mesh_step = {.remember = remember, .whole = whole}};
        trial_run(s, &trial);
    }
}

static void conformance_roots_shift(struct strands *s) {
    float frame[FRAME_FLOATS] = {0};
    for (int c = 0; c < 3; c++) frame[FRAME_SHIFT + c] = (float)random_between(s, -3, 3);
    struct trial trial = {.name = "shift of roots",
                          .kernel = KERNEL_roots_shift,
                          .roots_shift = {.frames = result("root frames", 0, per_strand(ROOT_ROWS, s->roots)),
                                          .frame = uniform(FRAME_FLOATS, frame)}};
    trial_run(s, &trial);
}

static void conformance_rest(struct strands *s) {
    struct trial trial = {
        .name = "rest",
        .kernel = KERNEL_rest,
        .rest = {.packs = packs(),
                 .positions = result("positions", ROUNDING_CHAIN, per_vertex_state(s, 3, s->positions)),
                 .velocities = result("velocities", 0, per_vertex_state(s, 3, s->velocities)),
                 .targets = padded(per_vertex(TARGET_ROWS, s->targets), no_target),
                 .roots = per_strand(ROOT_ROWS, s->roots)}};
    trial_run(s, &trial);
}

static void conformance_carry(struct strands *s) {
    // Velocities of up to 3.5 m/s are turned, like positions.
    struct trial trial = {
        .name = "carry",
        .kernel = KERNEL_carry,
        .carry = {.packs = packs(),
                  .positions = result("positions", ROUNDING_M, per_vertex_state(s, 3, s->positions)),
                  .velocities = result("velocities", 2 * ROUNDING_M, per_vertex_state(s, 3, s->velocities)),
                  .from = result("root frames", 0, per_strand(ROOT_ROWS, s->roots_before)),
                  .to = per_strand(ROOT_ROWS, s->roots_later)}};
    trial_run(s, &trial);
}

// A difference is rounded once, everywhere.
static void conformance_shift(struct strands *s) {
    float frame[FRAME_FLOATS] = {0};
    for (int c = 0; c < 3; c++) frame[FRAME_SHIFT + c] = (float)random_between(s, -3, 3);
    struct trial trial = {.name = "shift",
                          .kernel = KERNEL_shift,
                          .shift = {.packs = packs(),
                                    .positions = result("positions", 0, per_vertex_state(s, 3, s->positions)),
                                    .frame = uniform(FRAME_FLOATS, frame)}};
    trial_run(s, &trial);
}

static void conformance_snapshot(struct strands *s) {
    struct trial trial = {.name = "snapshot",
                          .kernel = KERNEL_snapshot,
                          .snapshot = {.packs = packs(),
                                       .positions = per_vertex_state(s, 3, s->positions),
                                       .copy = result("positions", 0, per_vertex_state(s, 3, s->snapshot))}};
    trial_run(s, &trial);
}

// ---- shape ----

enum { COLLIDERS = 6 };

static float *shape_constants(struct strands *s, double step) {
    float *constants = calloc((size_t)s->count * SHAPE_ROWS, sizeof *constants);
    assert_non_null(constants);
    for (uint32_t i = 0; i < s->count; i++) {
        double length = 0, longest = 0;
        for (uint32_t v = s->first_vertex[i]; v < s->first_vertex[i] + s->vertex_counts[i]; v++) {
            length += s->targets[v * TARGET_ROWS + TARGET_LENGTH];
            longest = fmax(longest, s->targets[v * TARGET_ROWS + TARGET_LENGTH]);
        }
        double root = random_between(s, 1e-3, 3e-2), tip = random_between(s, 1e-3, 3e-2);
        double softness = 1 / (length * length * step * step), drag = random_between(s, 0, 5);
        float *c = constants + (size_t)i * SHAPE_ROWS;
        c[SHAPE_SOFTNESS] = (float)(root * softness);
        c[SHAPE_SOFTNESS_STEP] = (float)((tip - root) * softness / s->vertex_counts[i]);
        c[SHAPE_KEEP] = (float)(1 / (1 + 2 * step * drag));
        c[SHAPE_WIND_GAIN] = c[SHAPE_ROOT_GAIN] = (float)(step * drag);
        c[SHAPE_CORRECTION] = (float)(random_between(s, 0, 1) / step);
        c[SHAPE_RADIUS] = (float)random_between(s, 0, 2e-3);
        c[SHAPE_FRICTION] = (float)random_between(s, 0, 1);
        c[SHAPE_LENGTH] = (float)length;
        c[SHAPE_LENGTH_INVERSE] = (float)(1 / length);
        c[SHAPE_DAMPING] = (float)(random_between(s, 0, 0.5) * sqrt(root) / step);
        c[SHAPE_RUN_LENGTH] = (float)(CONTACT_RUN * longest);
        c[SHAPE_LAG] = (float)random_between(s, 0, 1);
        c[SHAPE_RATE] = (1 - c[SHAPE_LAG]) / (float)step;
    }
    return constants;
}

// Balls, tapered capsules and a half-space, each through some vertex; they move by millimetres a step.
static void make_colliders(struct strands *s, float colliders[COLLIDERS][COLLIDER_FLOATS]) {
    memset(colliders, 0, COLLIDERS * sizeof colliders[0]);
    for (int i = 0; i < COLLIDERS; i++) {
        float *c = colliders[i];
        double axis[3], across[3], along = 0, radius = random_between(s, 0.01, 0.04);
        const float *at = s->positions + 3 * (size_t)random_between(s, 0, s->vertex_count);
        random_unit(s, axis);
        do {
            random_unit(s, across);
            along = across[0] * axis[0] + across[1] * axis[1] + across[2] * axis[2];
        } while (fabs(along) > 0.9);
        for (int k = 0; k < 3; k++) {
            c[COLLIDER_BASE + k] = (float)(at[k] + random_between(s, -0.01, 0.01));
            c[COLLIDER_AXIS + k] = (float)axis[k];
            c[COLLIDER_SIDE + k] = (float)((across[k] - along * axis[k]) / sqrt(1 - along * along));
        }
        double length = i < 2 ? 0 : random_between(s, 0.05, 0.2), slope = length > 0 ? random_between(s, -0.1, 0.1) : 0;
        c[COLLIDER_LENGTH] = (float)length;
        c[COLLIDER_RADIUS] = (float)radius;
        c[COLLIDER_SLOPE] = (float)slope;
        c[COLLIDER_LEAN] = (float)(slope / sqrt(1 - slope * slope));
        c[COLLIDER_REACH] = (float)fmax(radius, radius - slope * length);
        c[COLLIDER_FRICTION] = (float)random_between(s, 0, 1);
        for (int k = 0; k < 12; k++) c[COLLIDER_SLIP + k] = (float)random_between(s, -1e-3, 1e-3);
    }
    uint32_t is_plane = 1;
    memcpy(&colliders[COLLIDERS - 1][COLLIDER_IS_PLANE], &is_plane, sizeof is_plane);
}

// Without contacts a step is smooth in its input. With them it is not: near the axis of a capsule the way out turns with
// the last bits of a position, and by those of a distance a vertex that grazes a surface keeps or loses velocity. So with
// contacts a few vertices, and what hangs on them, may be off by up to a millimetre.
static void shape_step(struct strands *s, const char *name, uint32_t collider_count, const float *positions,
                       bool breaks) {
    float colliders[COLLIDERS][COLLIDER_FLOATS], frame[FRAME_FLOATS] = {0};
    double step = random_between(s, 1.0 / 240, 1.0 / 60);
    make_colliders(s, colliders);
    float *constants = shape_constants(s, step), *lengths = calloc(s->count, sizeof *lengths);
    uint32_t status[STATUS_UINTS] = {3};
    assert_non_null(lengths);
    frame[FRAME_STEP] = (float)step;
    frame[FRAME_STEP_INVERSE] = (float)(1 / step);
    frame[FRAME_GRAVITY + 1] = -9.81f;
    for (int c = 0; c < 3; c++) frame[FRAME_WIND + c] = (float)random_between(s, -5, 5);
    memcpy(&frame[FRAME_COLLIDERS], &collider_count, sizeof collider_count);
    struct field counts = uniform(STATUS_UINTS, status);
    struct trial trial = {
        .name = name,
        .kernel = KERNEL_shape,
        .shape = {.packs = packs(),
                  .positions = result("positions", ROUNDING_CHAIN, per_vertex_state(s, 3, positions)),
                  .velocities = result("velocities", ROUNDING_CHAIN / step, per_vertex_state(s, 3, s->velocities)),
                  .targets = padded(per_vertex(TARGET_ROWS, s->targets), no_target),
                  .roots = per_strand(ROOT_ROWS, s->roots),
                  .constants = padded(per_strand(SHAPE_ROWS, constants), nothing),
                  .frame = uniform(FRAME_FLOATS, frame),
                  .colliders = uniform(COLLIDERS * COLLIDER_FLOATS, colliders),
                  .candidates = (struct field){.layout = FIELD_LISTS,
                                               .rows = (CONTACT_LIST_WORDS + CONTACT_TABLE_WORDS) * COLLIDERS},
                  .results = result("lengths", ROUNDING_CHAIN, per_strand(RESULT_ROWS, lengths)),
                  .status = breaks ? result("broken strands", 0, counts) : counts,
                  .roots_before = per_strand(ROOT_ROWS, s->roots_before)},
        .values.shape = {.max_colliders = COLLIDERS},
        .strays = collider_count ? 0.01 : 0};
    trial_run(s, &trial);
    free(constants);
    free(lengths);
}

static void conformance_shape(struct strands *s) {
    shape_step(s, "shape in free air", 0, s->positions, false);
    shape_step(s, "shape with contacts", COLLIDERS, s->positions, false);
    float *broken = malloc((size_t)s->vertex_count * 3 * sizeof *broken);
    assert_non_null(broken);
    memcpy(broken, s->positions, (size_t)s->vertex_count * 3 * sizeof *broken);
    for (uint32_t i = 0; i < s->count; i += 5) broken[3 * s->first_vertex[i] + 4] = i % 2 ? NAN : INFINITY;
    shape_step(s, "shape with broken strands", 0, broken, true);
    free(broken);
}

// ---- rods ----

// Rods of edges that are not there, beyond a tip: held, so all that they need is a matrix that can be divided by.
static const float no_rod[ROD_ROWS] = {[ROD_MASS] = 1, [ROD_INERTIA] = 1};

static struct field table(const struct strands *s) { return padded(per_strand(STRAND_UINT_ROWS, s->table), nothing); }

static struct field held(const struct strands *s) { return padded(per_strand(1, s->held), nothing); }
static struct field care(const struct rods *r) { return padded(per_strand(CARE_ROWS, r->care), nothing); }

static void rod_frame(struct strands *s, const struct rods *r, uint32_t collider_count, float frame[FRAME_FLOATS]) {
    memset(frame, 0, FRAME_FLOATS * sizeof *frame);
    frame[FRAME_STEP] = (float)r->step;
    frame[FRAME_STEP_INVERSE] = (float)(1 / r->step);
    frame[FRAME_GRAVITY + 1] = -9.81f;
    for (int c = 0; c < 3; c++) frame[FRAME_WIND + c] = (float)random_between(s, -5, 5);
    memcpy(&frame[FRAME_COLLIDERS], &collider_count, sizeof collider_count);
}

static void conformance_spin_rest(struct strands *s) {
    struct rods r = rods_make(s, false, false);
    struct trial trial = {.name = "spin_rest",
                          .kernel = KERNEL_spin_rest,
                          .spin_rest = {.packs = packs(),
                                        .spin = result("spin", 0, per_vertex_state(s, SPIN_ROWS, r.spin)),
                                        .care = result("care", 0, per_strand(CARE_ROWS, r.care))}};
    trial_run(s, &trial);
    rods_free(&r);
}

// Strands move only where their roots are too fast: `slow`. Directions between points that were moved, or are ahead, are as
// those of output_tangent; an edge that turns almost round in the step takes its director along as badly as that is defined.
static void rod_begin(struct strands *s, const char *name, uint32_t collider_count, bool slow) {
    struct rods r = rods_make(s, slow, false);
    float colliders[COLLIDERS][COLLIDER_FLOATS], frame[FRAME_FLOATS];
    make_colliders(s, colliders);
    rod_frame(s, &r, collider_count, frame);
    // Surfaces resist with up to 1e5 times a vertex' mass.
    for (uint32_t v = 0; v < s->vertex_count; v++) r.rest[v * ROD_ROWS + ROD_MASS] *= 1e-3f;
    double direction = ROUNDING_M / 2e-3, turned = slow ? direction : ROUNDING_CHAIN;
    struct field positions = per_vertex_state(s, 3, s->positions), spin = per_vertex_state(s, SPIN_ROWS, r.spin);
    bool turns = false; // an edge with its bones
    for (uint32_t i = 0; i < s->count; i++) turns = turns || s->held[i] > 1;
    struct trial trial = {
        .name = name,
        .kernel = KERNEL_rod_begin,
        .rod_begin = {.packs = packs(),
                      .strands = table(s),
                      .held = held(s),
                      .positions = slow ? result("positions", ROUNDING_M, positions) : positions,
                      .velocities =
                          result("velocities", ROUNDING_CHAIN / r.step, per_vertex_state(s, 3, s->velocities)),
                      .targets = padded(per_vertex(TARGET_ROWS, s->targets), no_target),
                      .roots = per_strand(ROOT_ROWS, s->roots),
                      .roots_before = per_strand(ROOT_ROWS, s->roots_before),
                      .constants = padded(per_strand(HYBRID_ROWS, r.constants), nothing),
                      .frame = uniform(FRAME_FLOATS, frame),
                      .spin = turns ? result("spin", turned / r.step, spin) : spin,
                      .care = care(&r),
                      .rods = padded(per_vertex(ROD_ROWS, r.rest), no_rod),
                      .work = result("directors and surfaces", direction, per_vertex(WORK_ROWS, NULL)),
                      .clamps = result("clamps", ROUNDING_UNIT / r.step, per_strand(CLAMP_ROWS, NULL)),
                      .colliders = uniform(COLLIDERS * COLLIDER_FLOATS, colliders),
                      .candidates = (struct field){.layout = FIELD_LISTS,
                                                   .rows = (CONTACT_LIST_WORDS + CONTACT_TABLE_WORDS) * COLLIDERS}},
        .values.rod_begin = {.max_colliders = COLLIDERS},
        .strays = collider_count ? 0.01 : 1e-3};
    trial_run(s, &trial);
    rods_free(&r);
}

static void conformance_rod_begin(struct strands *s) {
    rod_begin(s, "rod_begin in free air", 0, false);
    rod_begin(s, "rod_begin with roots that jump", 0, true);
    rod_begin(s, "rod_begin with contacts", COLLIDERS, false);
}

// Joints that are nearly folded have derivatives a thousand times as large as others, and their rounding is as much larger. What
// hangs on such a joint has to do with it: a share of all values.
#define FOLDS 1e-2

static void rod_build(struct strands *s, const char *name, bool touching) {
    struct rods r = rods_make(s, false, touching);
    float frame[FRAME_FLOATS];
    rod_frame(s, &r, 0, frame);
    struct field strains = result("strains", 1e-3, padded(per_vertex(WORK_ROWS, r.work), nothing));
    strains.scratch = true;
    struct trial trial = {.name = name,
                          .kernel = KERNEL_rod_build,
                          .rod_build = {.packs = packs(),
                                        .strands = table(s),
                                        .held = held(s),
                                        .care = care(&r),
                                        .positions = per_vertex_state(s, 3, s->positions),
                                        .velocities = per_vertex_state(s, 3, s->velocities),
                                        .roots = per_strand(ROOT_ROWS, s->roots),
                                        .constants = padded(per_strand(HYBRID_ROWS, r.constants), nothing),
                                        .frame = uniform(FRAME_FLOATS, frame),
                                        .spin = per_vertex_state(s, SPIN_ROWS, r.spin),
                                        .rods = padded(per_vertex(ROD_ROWS, r.rest), no_rod),
                                        .clamps = padded(per_strand(CLAMP_ROWS, r.clamps), nothing),
                                        .work = strains,
                                        .system = result("matrix", 1e-1, per_vertex(4 * BAND_ROWS, NULL)),
                                        .right = result("vector", 1e-2, per_vertex(4, NULL))},
                          .strays = FOLDS};
    trial_run(s, &trial);
    rods_free(&r);
}

// Where the override's groups begin and end: one, two or three to a strand, a column more or less in the last, and so many
// that they take turns because most strands are short.
static void rod_build_of_lengths(uint32_t seed, uint32_t count, const uint32_t *lengths) {
    struct strands s = strands_of(seed, count, lengths);
    rod_build(&s, "rod_build of all lengths", seed % 2);
    strands_free(&s);
}

static void conformance_rod_build(struct strands *s) {
    rod_build(s, "rod_build in free air", false);
    rod_build(s, "rod_build with contacts", true);
    if (s->count != 1) return; // once is enough
    static const uint32_t lengths[] = {2,  3,  29, 30, 31, 32, 33, 34,  35,  57,  58,  59,   60,
                                       61, 62, 63, 64, 89, 90, 91, 100, 119, 120, 513, 1023, 1024};
    enum { COUNT = sizeof lengths / sizeof lengths[0] };
    for (uint32_t i = 0; i < COUNT; i++) rod_build_of_lengths(i, 1, &lengths[i]);
    rod_build_of_lengths(COUNT, COUNT, lengths);
    uint32_t few_long[70];
    for (uint32_t i = 0; i < 70; i++) few_long[i] = i % 33 == 7 ? 1024 - 11 * (i - 7) : 2 + i % 5;
    rod_build_of_lengths(COUNT + 1, 70, few_long);
}

static struct field scratch(struct field f) {
    f.scratch = true;
    return f;
}

static void rod_solve(struct strands *s, const char *name, bool touching) {
    struct rods r = rods_make(s, false, touching);
    struct band b = band_make(s, 1, 100); // for its floors
    float frame[FRAME_FLOATS];
    rod_frame(s, &r, 0, frame);
    struct field swept = {.layout = FIELD_STRANDS, .rows = SWEEP_ROWS};
    struct trial trial = {.name = name,
                          .kernel = KERNEL_rod_solve,
                          .sweeps = true,
                          .rod_solve = {.packs = packs(),
                                        .strands = table(s),
                                        .held = held(s),
                                        .care = care(&r),
                                        .positions = per_vertex_state(s, 3, s->positions),
                                        .velocities = per_vertex_state(s, 3, s->velocities),
                                        .roots = per_strand(ROOT_ROWS, s->roots),
                                        .constants = padded(per_strand(HYBRID_ROWS, r.constants), nothing),
                                        .frame = uniform(FRAME_FLOATS, frame),
                                        .spin = per_vertex_state(s, SPIN_ROWS, r.spin),
                                        .rods = padded(per_vertex(ROD_ROWS, r.rest), no_rod),
                                        .clamps = padded(per_strand(CLAMP_ROWS, r.clamps), nothing),
                                        .floors = band_trial(&b, "floors").band.floors,
                                        .work = scratch(padded(per_vertex(WORK_ROWS, r.work), nothing)),
                                        .swept = scratch(swept),
                                        .system = scratch(per_vertex(4 * BAND_ROWS, NULL)), // factors, in either form
                                        .right = result("solutions", 1e-2, per_vertex(4, NULL))},
                          .strays = FOLDS};
    trial_run(s, &trial);
    band_free(&b);
    rods_free(&r);
}

static void conformance_rod_solve(struct strands *s) {
    rod_solve(s, "rod_solve in free air", false);
    rod_solve(s, "rod_solve with contacts", true);
}

// Torn: springs let go, and edges end at their limit of length. Again: edges turn far, and only velocities are kept. Otherwise
// it is the last turn, in which all solutions are taken.
enum rod_end_case { ENDS_WELL, ENDS_TORN, ENDS_BROKEN, ENDS_AGAIN };

static void rod_end(struct strands *s, const char *name, enum rod_end_case how) {
    struct rods r = rods_make(s, false, false);
    float frame[FRAME_FLOATS], *lengths = calloc(s->count, sizeof *lengths);
    uint32_t status[STATUS_UINTS] = {3};
    assert_non_null(lengths);
    rod_frame(s, &r, 0, frame);
    if (how == ENDS_WELL) // nothing is longer than it may be
        for (uint32_t v = 0; v < s->vertex_count; v++) r.rest[ROD_ROWS * (size_t)v + ROD_LENGTH] *= 100;
    if (how == ENDS_BROKEN)
        for (uint32_t i = 0; i < s->count; i += 5) r.vector[4 * s->first_vertex[i] + 4] = i % 2 ? NAN : INFINITY;
    if (how == ENDS_AGAIN)
        for (uint32_t i = 0; i < s->count; i++) r.care[i * CARE_ROWS + CARE_PARTS] = 1;
    if (how == ENDS_AGAIN)
        for (uint32_t v = 0; v < s->vertex_count; v++) r.vector[4 * v] += 20 * (float)(1 + v % 2);
    if (how == ENDS_TORN)
        for (uint32_t v = 0; v < s->vertex_count; v += 3) r.vector[4 * v] += 20;
    struct field counts = uniform(STATUS_UINTS, status), positions = per_vertex_state(s, 3, s->positions);
    struct field stretch = per_strand(RESULT_ROWS, lengths);
    struct trial trial = {
        .name = name,
        .kernel = KERNEL_rod_end,
        .values.rod_end = {.part = how == ENDS_AGAIN ? 0 : CARE_TURNS - 1},
        .rod_end = {.packs = packs(),
                    .strands = table(s),
                    .held = held(s),
                    .care = result("care", 1e-3, care(&r)),
                    .positions = how == ENDS_AGAIN ? positions : result("positions", ROUNDING_CHAIN, positions),
                    .velocities = result("velocities", ROUNDING_CHAIN / r.step, per_vertex_state(s, 3, s->velocities)),
                    .targets = padded(per_vertex(TARGET_ROWS, s->targets), no_target),
                    .roots = per_strand(ROOT_ROWS, s->roots),
                    .constants = padded(per_strand(HYBRID_ROWS, r.constants), nothing),
                    .frame = uniform(FRAME_FLOATS, frame),
                    .spin = result("spin", 1e-3, per_vertex_state(s, SPIN_ROWS, r.spin)),
                    .rods = padded(per_vertex(ROD_ROWS, r.rest), no_rod),
                    .clamps = padded(per_strand(CLAMP_ROWS, r.clamps), nothing),
                    .work = padded(per_vertex(WORK_ROWS, r.work), nothing),
                    .solution = padded(per_vertex(4, r.vector), nothing),
                    .results = how == ENDS_AGAIN ? stretch : result("lengths", 1e-4, stretch),
                    .status =
                        how == ENDS_WELL || how == ENDS_AGAIN ? counts : result("broken and cut strands", 0, counts)}};
    trial_run(s, &trial);
    rods_free(&r);
    free(lengths);
}

static void conformance_rod_end(struct strands *s) {
    rod_end(s, "rod_end in free air", ENDS_WELL);
    rod_end(s, "rod_end with torn edges", ENDS_TORN);
    rod_end(s, "rod_end with broken strands", ENDS_BROKEN);
    rod_end(s, "rod_end that is not taken", ENDS_AGAIN);
}

// ---- band ----

// Masses of one, springs of up to a hundred times that: the smallest pivots are about one, so that values stay below a
// hundred and what a device rounds differently stays small.
static void conformance_band(struct strands *s) {
    struct band b = band_make(s, 1, 100);
    struct trial trial = band_trial(&b, "band");
    trial.band.system = result("factors", 1e-3, trial.band.system);
    trial.band.solution = result("solutions", 1e-4, trial.band.solution);
    trial_run(s, &trial);
    band_free(&b);
}

// ---- cells ----

// A box that leaves some vertices out. Operations here are those of the kernel: the keys are the same to the last.
static void conformance_cell_keys(struct strands *s) {
    struct cell_grid grid = {.counts = {7, 6, 8}};
    for (int c = 0; c < 3; c++) {
        float low = s->positions[c], high = low;
        for (uint32_t v = 0; v < s->vertex_count; v++) {
            low = fminf(low, s->positions[3 * v + c]);
            high = fmaxf(high, s->positions[3 * v + c]);
        }
        grid.low[c] = low + 0.1f * (high - low);
        grid.size = fmaxf(grid.size, (high - low) / 9);
    }
    uint32_t *present = malloc(s->vertex_count * sizeof *present), *keys = malloc(s->vertex_count * sizeof *keys);
    assert_non_null(present);
    assert_non_null(keys);
    uint32_t cells = cell_grid_cells(&grid), inside = 0;
    const float size_inverse = 1 / grid.size;
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        bool within = v % 7 != 3;
        uint32_t cell[3];
        present[v] = within;
        for (int c = 0; c < 3; c++) {
            float place = (s->positions[3 * v + c] - grid.low[c]) * size_inverse;
            within = within && place >= 0 && place < (float)grid.counts[c];
            cell[c] = within ? (uint32_t)place : 0;
        }
        keys[v] = within ? (cell[2] * grid.counts[1] + cell[1]) * grid.counts[0] + cell[0] : cells;
        inside += within;
    }
    assert_true(inside > 0 && inside < s->vertex_count);
    struct stage stage;
    struct stage_list list = {.stages = &stage, .capacity = 1};
    blocks_cell_keys(&list, NULL, NULL, NULL, &grid);
    struct trial trial = {.name = "cell_keys",
                          .kernel = KERNEL_cell_keys,
                          .cell_keys = {.positions = per_vertex_state(s, 3, s->positions),
                                        .present = padded(per_vertex(1, present), nothing),
                                        .keys = result("keys", 0, per_vertex(1, present))},
                          .values = stage.values};
    trial_run(s, &trial);
    uint32_t *results[KERNEL_MAX_BINDINGS] = {0};
    assert_true(trial_run_at(s, &trial, 0, 0, results));
    assert_memory_equal(results[2], keys, s->vertex_count * sizeof *keys);
    for (uint32_t b = 0; b < 3; b++) free(results[b]);
    free(present);
    free(keys);
}

// ---- watch ----

// What the kernel should make of one strand, in double precision. Returns by how much it turns.
static double watched_strand(const struct strands *s, uint32_t strand, double step_inverse, double *fastest,
                             double *sum) {
    double turning = 0, segment[3] = {0};
    *fastest = *sum = 0;
    for (uint32_t v = 0; v < s->vertex_counts[strand]; v++) {
        const float *p = s->positions + 3 * (size_t)(s->first_vertex[strand] + v);
        const float *before = s->snapshot + 3 * (size_t)(s->first_vertex[strand] + v);
        double speed2 = 0, next[3] = {0}, along = 0;
        for (int c = 0; c < 3; c++) {
            double velocity = ((double)p[c] - before[c]) * step_inverse;
            speed2 += velocity * velocity;
            if (v > 0) next[c] = (double)p[c] - p[c - 3];
            along += segment[c] * next[c];
        }
        double across[3] = {segment[1] * next[2] - segment[2] * next[1], segment[2] * next[0] - segment[0] * next[2],
                            segment[0] * next[1] - segment[1] * next[0]};
        if (v > 1) turning += atan2(sqrt(across[0] * across[0] + across[1] * across[1] + across[2] * across[2]), along);
        memcpy(segment, next, sizeof segment);
        *fastest = fmax(*fastest, sqrt(speed2));
        *sum += speed2;
    }
    return turning;
}

// Some strands turn too much and some do not; of both, some did so before.
static void watch(struct strands *s, const char *name, uint32_t fresh) {
    float *before = malloc((size_t)s->count * WATCH_ROWS * sizeof *before);
    float *after = malloc((size_t)s->count * WATCH_ROWS * sizeof *after), frame[WATCH_FLOATS] = {0};
    assert_non_null(before);
    assert_non_null(after);
    double step_inverse = random_between(s, 60, 240), elapsed = random_between(s, 0.01, 0.1), most = 0;
    frame[WATCH_STEP_INVERSE] = (float)step_inverse;
    frame[WATCH_ELAPSED] = (float)elapsed;
    memcpy(&frame[WATCH_FRESH], &fresh, sizeof fresh);
    for (uint32_t i = 0; i < s->count; i++) {
        double fastest, sum, turning = watched_strand(s, i, step_inverse, &fastest, &sum);
        bool knotted = random_between(s, 0, 1) < 0.5, was = random_between(s, 0, 1) < 0.5;
        double slack = random_between(s, 1e-3, 3), since = random_between(s, 0, 2);
        float *b = before + (size_t)i * WATCH_ROWS, *a = after + (size_t)i * WATCH_ROWS;
        b[WATCH_REST_TURNING] = a[WATCH_REST_TURNING] =
            (float)(turning - (double)WATCH_KNOT + (knotted ? -slack : slack));
        b[WATCH_KNOTTED_S] = was ? (float)since : WATCH_LOOSE;
        a[WATCH_KNOTTED_S] = !knotted ? WATCH_LOOSE : was && !fresh ? b[WATCH_KNOTTED_S] + frame[WATCH_ELAPSED] : 0;
        b[WATCH_FASTEST] = b[WATCH_SPEED2] = 12345;
        a[WATCH_FASTEST] = (float)fastest;
        a[WATCH_SPEED2] = (float)sum;
        most = fmax(most, sum);
    }
    struct trial trial = {.name = name,
                          .kernel = KERNEL_watch,
                          .watch = {.packs = packs(),
                                    .strands = table(s),
                                    .positions = per_vertex_state(s, 3, s->positions),
                                    .snapshot = per_vertex_state(s, 3, s->snapshot),
                                    .frame = uniform(WATCH_FLOATS, frame),
                                    .watch = result("motion", 1e-6 * most, per_strand(WATCH_ROWS, before))}};
    trial_run(s, &trial);
    uint32_t *results[KERNEL_MAX_BINDINGS] = {0};
    assert_true(trial_run_at(s, &trial, 0, 0, results));
    memcpy(before, results[5], (size_t)s->count * WATCH_ROWS * sizeof *before);
    for (uint32_t i = 0; i < s->count * WATCH_ROWS; i++)
        assert_true(fabs((double)before[i] - after[i]) <= 1e-5 * fabs((double)after[i]));
    for (uint32_t b = 0; b < KERNEL_MAX_BINDINGS; b++) free(results[b]);
    free(before);
    free(after);
}

static void conformance_watch(struct strands *s) {
    watch(s, "watch", 0);
    watch(s, "watch for the first time", 1);
}

// ---- hair-hair ----

// In the host's order on devices, too, and with one more for what is no vertex.
static struct field records_of(const struct strands *s, uint32_t words, const void *content) {
    return (struct field){.layout = FIELD_UNIFORM, .rows = s->vertex_count * words, .content = content, .spare = words};
}

// Parameters at which strains, stresses and velocities have sizes about one; cells of which a strand has many.
static void volume_params(float params[VOLUME_FLOATS], uint32_t fluid) {
    const float cell = 0.05f, values[VOLUME_FLOATS] = {[VOLUME_CELL] = cell,          [VOLUME_CELL_INVERSE] = 1 / cell,
                                                       [VOLUME_PART] = 1.0f / 3,      [VOLUME_SHEAR] = 2,
                                                       [VOLUME_COMPRESSION] = 3,      [VOLUME_CONE] = 0.7f,
                                                       [VOLUME_STRESS_GAIN] = 50,     [VOLUME_FLIP] = 0.4f,
                                                       [VOLUME_LOOSE_CLOSING] = 0.1f, [VOLUME_LOOSE_OPENING] = 0.6f,
                                                       [VOLUME_STRENGTH] = 0.8f};
    memcpy(params, values, sizeof values);
    memcpy(&params[VOLUME_FLUID], &fluid, sizeof fluid);
}

static float *random_rows(struct strands *s, uint32_t rows, double size) {
    float *values = malloc((size_t)s->vertex_count * rows * sizeof *values);
    assert_non_null(values);
    for (uint32_t i = 0; i < s->vertex_count * rows; i++) values[i] = (float)random_between(s, -size, size);
    return values;
}

// Mass, held or not, and its number: the last vertex comes first.
static uint32_t *volume_vertices(struct strands *s) {
    uint32_t *words = malloc((size_t)s->vertex_count * VOLUME_ROWS * sizeof *words);
    assert_non_null(words);
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        float mass = (float)random_between(s, 0.5, 2);
        memcpy(&words[v * VOLUME_ROWS + VOLUME_MASS], &mass, sizeof mass);
        words[v * VOLUME_ROWS + VOLUME_HELD] = v % 5 == 0;
        words[v * VOLUME_ROWS + VOLUME_NUMBER] = s->vertex_count - 1 - v;
    }
    return words;
}

// What is no vertex has no mass, and the record behind all others.
static struct field volume_field(const struct strands *s, const uint32_t *vertices) {
    static float padding[VOLUME_ROWS];
    memcpy(&padding[VOLUME_NUMBER], &s->vertex_count, sizeof s->vertex_count);
    return padded(per_vertex(VOLUME_ROWS, vertices), padding);
}

// No vertex is where rounding decides which cell it is in.
static void move_off_borders(struct strands *s, const float *shift, float step, float cell) {
    for (uint32_t i = 0; i < 3 * s->vertex_count; i++) {
        double place = (s->positions[i] - (double)shift[i] * step) / cell - 0.5;
        if (fabs(place - nearbyint(place)) < 1e-3) s->positions[i] += 0.01f * cell;
    }
}

// What volume_end and volume_next begin with. Some vertices have no place in the grid, of some it is not finite.
static float *random_readings(struct strands *s) {
    float *readings = random_rows(s, READING_WORDS, 1);
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        const uint32_t valid = v % 7 != 3;
        memcpy(&readings[v * READING_WORDS + READING_VALID], &valid, sizeof valid);
        if (v % 11 == 5) readings[v * READING_WORDS + READING_GRADIENT] = INFINITY;
    }
    return readings;
}

// motion: 1 as for a solver that corrects velocities; then the first part begins with positions before the step.
static void volume_begin(struct strands *s, const char *name, uint32_t part, uint32_t fluid, uint32_t motion) {
    enum { TABLE = 96 };
    uint32_t table[TABLE];
    memset(table, 0xaa, sizeof table); // is emptied
    float params[VOLUME_FLOATS], frame[FRAME_FLOATS] = {[FRAME_STEP] = 1.0f / 120, [FRAME_STEP_INVERSE] = 120};
    volume_params(params, fluid);
    memcpy(&params[VOLUME_MOTION], &motion, sizeof motion);
    float *changes = random_rows(s, 3, 1), *strains = random_rows(s, STRAIN_ROWS, 0.2);
    uint32_t *vertices = volume_vertices(s), *keys = calloc(s->vertex_count, sizeof *keys);
    assert_non_null(keys);
    for (uint32_t v = 0; v < s->vertex_count; v++)
        strains[v * STRAIN_ROWS + STRAIN_EXCESS] = fmaxf(strains[v * STRAIN_ROWS + STRAIN_EXCESS], 0);
    move_off_borders(s, s->velocities, part == 0 && !motion ? frame[FRAME_STEP] : 0, params[VOLUME_CELL]);
    if (part == 0 && motion) // where it was
        for (uint32_t i = 0; i < 3 * s->vertex_count; i++) {
            const float there = s->positions[i];
            s->positions[i] += 0.01f * changes[i];
            changes[i] = there;
        }
    struct field positions = per_vertex_state(s, 3, s->positions);
    struct field changed = per_vertex_state(s, 3, changes);
    struct field velocities = per_vertex_state(s, 3, s->velocities);
    // Strains are eigenvalues of matrices, rounded over and over; stresses are 3 times that.
    struct trial trial = {
        .name = name,
        .kernel = KERNEL_volume_begin,
        .volume_begin = {.positions = part == 0 ? result("positions", ROUNDING_M, positions) : positions,
                         .velocities = motion ? velocities : result("velocities", 2 * ROUNDING_M, velocities),
                         .changes = part == 0 ? result("changes", (motion ? 240 : 2) * ROUNDING_M, changed) : changed,
                         .strains = result("strains", 2e-5, per_vertex_state(s, STRAIN_ROWS, strains)),
                         .vertices = volume_field(s, vertices),
                         .params = uniform(VOLUME_FLOATS, params),
                         .frame = uniform(FRAME_FLOATS, frame),
                         .records = result("records", motion ? 5e-4 : 4e-5, records_of(s, RECORD_WORDS, strains)),
                         .keys = result("keys", 0, records_of(s, 1, keys)),
                         .table = result("table", 0, uniform(TABLE, table))}};
    trial.values.volume_begin.part = part;
    trial.values.volume_begin.rows = 1;
    trial.values.volume_begin.table_words = TABLE;
    float *records = random_rows(s, RECORD_WORDS, 1);
    trial.volume_begin.records.content = records;
    trial_run(s, &trial);
    free(records);
    free(changes);
    free(strains);
    free(vertices);
    free(keys);
}

// volume_end and volume_begin in one. The grid's strength is none, so that the test knows where vertices go, and keeps them off
// the borders of cells; volume_end has it all.
static void conformance_volume_next(struct strands *s) {
    enum { TABLE = 96, PART = 2 };
    uint32_t table[TABLE], status[STATUS_UINTS] = {5, 6};
    memset(table, 0xaa, sizeof table);
    float params[VOLUME_FLOATS], frame[FRAME_FLOATS] = {[FRAME_STEP] = 1.0f / 120, [FRAME_STEP_INVERSE] = 120};
    volume_params(params, 0);
    params[VOLUME_STRENGTH] = 0;
    float *changes = random_rows(s, 3, 1), *strains = random_rows(s, STRAIN_ROWS, 0.2);
    float *readings = random_readings(s), *records = random_rows(s, RECORD_WORDS, 1), *way = random_rows(s, 3, 1);
    uint32_t *vertices = volume_vertices(s), *keys = calloc(s->vertex_count, sizeof *keys);
    assert_non_null(keys);
    for (uint32_t v = 0; v < s->vertex_count; v++)
        strains[v * STRAIN_ROWS + STRAIN_EXCESS] = fmaxf(strains[v * STRAIN_ROWS + STRAIN_EXCESS], 0);
    for (uint32_t i = 0; i < 3 * s->vertex_count; i++)
        way[i] = -(s->velocities[i] + changes[i] * (1 - PART * params[VOLUME_PART]));
    move_off_borders(s, way, frame[FRAME_STEP] * params[VOLUME_PART], params[VOLUME_CELL]);
    struct field counts = uniform(STATUS_UINTS, status);
    struct trial trial = {
        .name = "volume_next",
        .kernel = KERNEL_volume_next,
        .volume_next = {.positions = result("positions", ROUNDING_M, per_vertex_state(s, 3, s->positions)),
                        .velocities = result("velocities", 2 * ROUNDING_M, per_vertex_state(s, 3, s->velocities)),
                        .changes = per_vertex_state(s, 3, changes),
                        .strains = result("strains", 1e-4, per_vertex_state(s, STRAIN_ROWS, strains)),
                        .vertices = volume_field(s, vertices),
                        .params = uniform(VOLUME_FLOATS, params),
                        .frame = uniform(FRAME_FLOATS, frame),
                        .records = result("records", 2e-4, records_of(s, RECORD_WORDS, records)),
                        .readings = records_of(s, READING_WORDS, readings),
                        .keys = result("keys", 0, records_of(s, 1, keys)),
                        .table = result("table", 0, uniform(TABLE, table)),
                        .status = s->vertex_count > 3 ? result("status", 0, counts) : counts}};
    trial.values.volume_next.part = PART;
    trial.values.volume_next.rows = 1;
    trial.values.volume_next.table_words = TABLE;
    trial_run(s, &trial);
    free(records);
    free(way);
    free(changes);
    free(strains);
    free(vertices);
    free(keys);
    free(readings);
}

static void conformance_volume_begin(struct strands *s) {
    volume_begin(s, "volume_begin, first part", 0, 0, 0);
    volume_begin(s, "volume_begin, later", 2, 0, 0);
    volume_begin(s, "volume_begin, fluid", 1, 1, 0);
    volume_begin(s, "volume_begin, motion, later", 2, 0, 1);
    volume_begin(s, "volume_begin, motion, first part", 0, 0, 1);
}

static void volume_end(struct strands *s, const char *name, uint32_t motion) {
    float params[VOLUME_FLOATS], frame[FRAME_FLOATS] = {[FRAME_STEP] = 1.0f / 120, [FRAME_STEP_INVERSE] = 120};
    volume_params(params, 0);
    memcpy(&params[VOLUME_MOTION], &motion, sizeof motion);
    float *changes = random_rows(s, 3, 1), *strains = random_rows(s, STRAIN_ROWS, 0.2);
    float *readings = random_readings(s);
    uint32_t *vertices = volume_vertices(s), status[STATUS_UINTS] = {5, 6};
    struct field counts = uniform(STATUS_UINTS, status);
    struct trial trial = {
        .name = name,
        .kernel = KERNEL_volume_end,
        .volume_end = {.positions = result("positions", ROUNDING_M, per_vertex_state(s, 3, s->positions)),
                       .velocities = result("velocities", 2 * ROUNDING_M, per_vertex_state(s, 3, s->velocities)),
                       .changes = per_vertex_state(s, 3, changes),
                       .strains = result("strains", ROUNDING_M, per_vertex_state(s, STRAIN_ROWS, strains)),
                       .vertices = volume_field(s, vertices),
                       .params = uniform(VOLUME_FLOATS, params),
                       .frame = uniform(FRAME_FLOATS, frame),
                       .readings = records_of(s, READING_WORDS, readings),
                       .status = s->vertex_count > 3 ? result("status", 0, counts) : counts}};
    trial.values.volume_end.part = 1;
    trial_run(s, &trial);
    free(changes);
    free(strains);
    free(readings);
    free(vertices);
}

static void conformance_volume_end(struct strands *s) {
    volume_end(s, "volume_end", 0);
    volume_end(s, "volume_end, motion", 1);
}

// Segments around every fifth vertex are too long.
static void conformance_volume_lengths(struct strands *s) {
    for (uint32_t v = 1; v < s->vertex_count; v += 5) s->positions[3 * v] += 0.5f;
    float *stretches = calloc(s->count, RESULT_ROWS * sizeof *stretches);
    assert_non_null(stretches);
    uint32_t *vertices = volume_vertices(s), status[STATUS_UINTS] = {5, 6};
    struct trial trial = {
        .name = "volume_lengths",
        .kernel = KERNEL_volume_lengths,
        .volume_lengths = {.packs = packs(),
                           .positions = result("positions", ROUNDING_M, per_vertex_state(s, 3, s->positions)),
                           .velocities = result("velocities", 1e-3, per_vertex_state(s, 3, s->velocities)),
                           .vertices = volume_field(s, vertices),
                           .targets = padded(per_vertex(TARGET_ROWS, s->targets), no_target),
                           .roots = per_strand(ROOT_ROWS, s->roots),
                           .results = result("stretch", 1e-5, per_strand(RESULT_ROWS, stretches)),
                           .status = result("status", 0, uniform(STATUS_UINTS, status))}};
    trial_run(s, &trial);
    free(stretches);
    free(vertices);
}

static void conformance_volume_carry(struct strands *s) {
    float *strains = random_rows(s, STRAIN_ROWS, 0.2);
    struct trial trial = {
        .name = "volume_carry",
        .kernel = KERNEL_volume_carry,
        .volume_carry = {.packs = packs(),
                         .strains = result("strains", ROUNDING_M, per_vertex_state(s, STRAIN_ROWS, strains)),
                         .from = per_strand(ROOT_ROWS, s->roots_before),
                         .to = per_strand(ROOT_ROWS, s->roots_later)}};
    trial_run(s, &trial);
    free(strains);
}

// ---- output ----

// All modes, three and four components, with gaps that are the host's own.
static void output_trials(struct strands *s, const char *name, uint32_t kernel, double tolerance, struct field extra,
                          uint32_t known, uint32_t remember) {
    enum { OFFSET = 3 };
    for (uint32_t mode = OUTPUT_AS_IS; mode <= OUTPUT_BLENDED; mode++)
        for (uint32_t components = 3; components <= 4; components++) {
            uint32_t stride = components + mode, words = OFFSET + stride * s->vertex_count + 7;
            float *memory = malloc(words * sizeof *memory), frame[FRAME_FLOATS] = {0};
            assert_non_null(memory);
            for (uint32_t i = 0; i < words; i++) memory[i] = 12345;
            memcpy(&frame[OUTPUT_MODE], &mode, sizeof mode);
            memcpy(&frame[OUTPUT_KNOWN], &known, sizeof known);
            frame[OUTPUT_UNITS] = 1;
            frame[OUTPUT_BLEND] = (float)random_between(s, 0, 1);
            for (int c = 0; c < 3; c++) {
                frame[OUTPUT_ORIGIN + c] = (float)random_between(s, -2, 2);
                frame[OUTPUT_ORIGIN_REST + c] = (float)random_between(s, -1e-3, 1e-3);
                frame[OUTPUT_MOVED + c] = (float)random_between(s, -2, 2);
            }
            struct trial trial = {
                .name = name,
                .kernel = kernel,
                .output_tangent = {.packs = packs(),
                                   .strands = table(s),
                                   .positions = per_vertex_state(s, 3, s->positions),
                                   .roots_step = per_strand(ROOT_ROWS, s->roots),
                                   .roots_frame = per_strand(ROOT_ROWS, s->roots_later),
                                   .frame = uniform(FRAME_FLOATS, frame),
                                   .memory =
                                       result("output", tolerance,
                                              (struct field){.layout = FIELD_HOST, .rows = words, .content = memory}),
                                   .snapshot = per_vertex_state(s, 3, s->snapshot),
                                   .roots_before = per_strand(ROOT_ROWS, s->roots_before)},
                .values.output_previous = {.offset = OFFSET,
                                           .stride = stride,
                                           .components = components,
                                           .remember = remember},
                .span = {.offset = 4 * OFFSET, .stride = 4 * stride, .size = 4 * components, .count = s->vertex_count}};
            uint32_t status[STATUS_UINTS] = {3};
            for (int c = 0; c < 3; c++) status[STATUS_LOW + c] = 0xffffffffu; // as bounds_reset leaves them
            if (kernel == KERNEL_output_position) {
                trial.output_position.radii = extra;
                trial.output_position.status = result("bounds", ROUNDING_M, uniform(STATUS_UINTS, status));
            }
            if (kernel == KERNEL_output_previous) trial.output_previous.history = extra;
            trial_run(s, &trial);
            free(memory);
        }
}

static void conformance_output_position(struct strands *s) {
    output_trials(s, "output_position", KERNEL_output_position, ROUNDING_M, padded(per_vertex(1, s->radii), nothing), 0,
                  0);
}

// Directions between points that are millimetres apart, each off by a rounding: 1e-6 m / 2 mm.
static void conformance_output_tangent(struct strands *s) {
    output_trials(s, "output_tangent", KERNEL_output_tangent, ROUNDING_M / 2e-3, (struct field){0}, 0, 0);
}

static void conformance_output_previous(struct strands *s) {
    for (uint32_t known = 0; known < 2; known++)
        for (uint32_t remember = 0; remember < 2; remember++) {
            struct field history = per_vertex_state(s, 6, s->history);
            output_trials(s, "output_previous", KERNEL_output_previous, ROUNDING_M,
                          remember ? result("history", ROUNDING_M, history) : history, known, remember);
        }
}

// Turns are chains of reflections along up to 40 edges, and some edges of these wild strands fold back, where the shortest turn
// has its pole.
static void conformance_render_guides(struct strands *s) {
    float *rest = calloc((size_t)s->vertex_count * GUIDE_REST_ROWS, sizeof *rest);
    assert_non_null(rest);
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        double tangent[3], across[3], along;
        do {
            random_unit(s, tangent);
            random_unit(s, across);
            along = tangent[0] * across[0] + tangent[1] * across[1] + tangent[2] * across[2];
        } while (fabs(along) > 0.9);
        for (int c = 0; c < 3; c++) {
            rest[v * GUIDE_REST_ROWS + GUIDE_REST_TANGENT + c] = (float)tangent[c];
            rest[v * GUIDE_REST_ROWS + GUIDE_REST_SIDE + c] =
                (float)((across[c] - along * tangent[c]) / sqrt(1 - along * along));
            rest[v * GUIDE_REST_ROWS + GUIDE_REST_POINT + c] = (float)random_between(s, -1, 1);
        }
    }
    for (uint32_t mode = OUTPUT_AS_IS; mode <= OUTPUT_BLENDED; mode++) {
        float frame[FRAME_FLOATS] = {0};
        memcpy(&frame[OUTPUT_MODE], &mode, sizeof mode);
        frame[OUTPUT_UNITS] = 1;
        frame[OUTPUT_BLEND] = (float)random_between(s, 0, 1);
        struct trial trial = {.name = "render_guides",
                              .kernel = KERNEL_render_guides,
                              .strays = 0.01,
                              .render_guides = {.packs = packs(),
                                                .strands = table(s),
                                                .positions = per_vertex_state(s, 3, s->positions),
                                                .snapshot = per_vertex_state(s, 3, s->snapshot),
                                                .roots_step = per_strand(ROOT_ROWS, s->roots),
                                                .roots_before = per_strand(ROOT_ROWS, s->roots_before),
                                                .roots_frame = per_strand(ROOT_ROWS, s->roots_later),
                                                .frame = uniform(FRAME_FLOATS, frame),
                                                .rest = per_vertex(GUIDE_REST_ROWS, rest),
                                                .guides = result("turns", 1e-4, per_vertex(GUIDE_ROWS, NULL))}};
        trial_run(s, &trial);
    }
    free(rest);
}

// ---- all of them ----

struct kernel_suite {
    void (*run)(struct strands *strands);
};

static void every_device_agrees(void **state) {
    const struct kernel_suite *suite = *state;
    static const uint32_t counts[] = {77, 1, 200, 33, 64, 128}; // packs that are full, nearly empty, and in between
    for (uint32_t seed = 0; seed < sizeof counts / sizeof counts[0]; seed++) {
        struct strands s = strands_make(seed + 1, counts[seed]);
        suite->run(&s);
        strands_free(&s);
    }
    trials_report();
}

static struct override_grid rod_build_grid(enum override_use use, uint32_t strands, uint32_t vertices) {
    return kernel_override(KERNEL_rod_build, use, strands / 32, (uint64_t)strands * vertices);
}

static void overrides_are_for_few_strands(void **state) {
    (void)state;
    assert_int_equal(rod_build_grid(OVERRIDES_BY_COUNT, 2048, 32).groups, 2048);
    assert_int_equal(rod_build_grid(OVERRIDES_BY_COUNT, 2048 + 32, 32).groups, 0);
    assert_int_equal(rod_build_grid(OVERRIDES_ALWAYS, 2048 + 32, 32).groups, 2048 + 32);
    assert_int_equal(rod_build_grid(OVERRIDES_NEVER, 32, 32).groups, 0);
    assert_int_equal(kernel_override(KERNEL_band, OVERRIDES_BY_COUNT, 512, 512 * 32 * 1024).groups, 512 * 11);
    assert_int_equal(kernel_override(KERNEL_band, OVERRIDES_BY_COUNT, 512, 512 * 32 * 1024).parts, 1);
    assert_int_equal(kernel_override(KERNEL_shape, OVERRIDES_ALWAYS, 1, 32 * 10).groups, 0);
    static const uint32_t parts[][2] = {{2, 1}, {32, 1}, {33, 2}, {61, 2}, {62, 3}, {90, 3}, {91, 4}, {1024, 36}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        assert_int_equal(rod_build_grid(OVERRIDES_BY_COUNT, 64, parts[i][0]).parts, parts[i][1]);
}

static int open_all(void **state) {
    (void)state;
    trials_open();
    return 0;
}

static int close_all(void **state) {
    (void)state;
    trials_close();
    return 0;
}

int main(void) {
    static struct kernel_suite suites[] = {
#define SUITE_PACKS(name) [KERNEL_##name] = {conformance_##name},
#define SUITE_VERTICES(name) SUITE_PACKS(name)
#define SUITE_ITEMS(name) // in blocks.c
#define SUITE_GROUPS(name)
#define X(name, domain, scope, physics) SUITE_##domain(name)
        FOR_EACH_KERNEL(X)
#undef X
    };
    const struct CMUnitTest tests[] = {
#define TEST_PACKS(name) {#name, every_device_agrees, NULL, NULL, &suites[KERNEL_##name]},
#define TEST_VERTICES(name) TEST_PACKS(name)
#define TEST_ITEMS(name)
#define TEST_GROUPS(name)
#define X(name, domain, scope, physics) TEST_##domain(name)
        FOR_EACH_KERNEL(X)
#undef X
            cmocka_unit_test(overrides_are_for_few_strands),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
