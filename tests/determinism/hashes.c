// Prints what hair looks like after a while as a hash, for each solver and instruction set, to be compared with what the same
// program prints when it is built for another system. Input is made by additions, multiplications, divisions and square roots
// alone, which are exact on all of them; sine and cosine of C libraries are not.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STRANDS = 60, VERTICES = 16, BONES = 2, RENDER = 200, FRAMES = 25 };

static uint64_t state;

static float random_share(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(state >> 40) / 16777216.0f;
}
static float random_signed(void) { return 2 * random_share() - 1; }

// Strands from a sphere of 9 cm outwards, wavering.
static void make_strands(uint32_t count, uint32_t *counts, float *positions) {
    for (uint32_t s = 0; s < count; s++) {
        float place[3], direction[3], size;
        counts[s] = VERTICES;
        do {
            size = 0;
            for (int c = 0; c < 3; c++) direction[c] = random_signed();
            for (int c = 0; c < 3; c++) size += direction[c] * direction[c];
        } while (size > 1 || size < 0.01f);
        for (int c = 0; c < 3; c++) place[c] = 0.09f * direction[c] / sqrtf(size);
        for (uint32_t v = 0; v < VERTICES; v++, positions += 3)
            for (int c = 0; c < 3; c++) {
                positions[c] = place[c];
                place[c] += 0.008f * direction[c] / sqrtf(size) + 0.002f * random_signed();
            }
    }
}

// Turns about y and z by angles whose sines and cosines are ratios, and moves.
static void pose(int frame, float bones[BONES][12]) {
    for (int b = 0; b < BONES; b++) {
        float way = (float)(frame % 20 - 10) / 10, t = 0.4f * way * way * way - 0.1f * (float)b;
        float c = (1 - t * t) / (1 + t * t), s = 2 * t / (1 + t * t);
        const float matrix[12] = {c * c, -s, c * s, 0.05f * way, s * c, c, s * s, 0.02f * t, -s, 0, c, 0};
        for (int i = 0; i < 12; i++) bones[b][i] = matrix[i];
    }
}

static uint64_t hash_of(const void *bytes, size_t size) {
    const unsigned char *b = bytes;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

struct drawing {
    plait_binding binding;
    plait_groom groom;
    float *positions;
};

// Render strands that follow the hair.
static struct drawing draw(struct rig *rig, const uint32_t *counts, const float *positions) {
    struct drawing d = {.positions = calloc((size_t)RENDER * VERTICES, 12)};
    assert_non_null(d.positions);
    plait_groom_desc groom = PLAIT_GROOM_DESC_INIT;
    groom.strand_count = RENDER;
    groom.bone_count = 1;
    groom.vertex_counts = counts;
    groom.positions = positions;
    assert_ok(plait_groom_create(rig->context, &groom, &d.groom));
    plait_binding_desc binding = PLAIT_BINDING_DESC_INIT;
    binding.guides = rig->groom;
    binding.render = d.groom;
    assert_ok(plait_binding_create(rig->context, &binding, &d.binding));
    assert_ok(plait_hair_set_binding(rig->hair, d.binding));
    struct rig_output output;
    rig_describe_output(RENDER * VERTICES, d.positions, &output);
    assert_ok(plait_hair_set_render_output(rig->hair, &output.desc));
    return d;
}

static void print_hash(uint32_t solver, uint32_t set) {
    static const char *const sets[] = {
        [PLAIT_CPU_SCALAR] = "scalar", [PLAIT_CPU_SSE2] = "sse2", [PLAIT_CPU_AVX2] = "avx2"};
    static uint32_t counts[RENDER];
    static float positions[RENDER * VERTICES * 3], render[RENDER * VERTICES * 3];
    state = 5;
    make_strands(STRANDS, counts, positions);
    make_strands(RENDER, counts, render);
    plait_root_binding bindings[STRANDS] = {0};
    for (uint32_t s = 0; s < STRANDS; s++) {
        bindings[s].bones[1] = 1;
        bindings[s].weights[0] = (float)(s % 5) / 4;
        bindings[s].weights[1] = 1 - bindings[s].weights[0];
    }
    plait_groom_desc groom = PLAIT_GROOM_DESC_INIT;
    groom.strand_count = STRANDS;
    groom.bone_count = BONES;
    groom.vertex_counts = counts;
    groom.positions = positions;
    groom.root_bindings = bindings;
    plait_collider colliders[2] = {PLAIT_COLLIDER_INIT, PLAIT_COLLIDER_INIT};
    colliders[0].kind = PLAIT_COLLIDER_SPHERE;
    colliders[0].radii[0] = 0.088f;
    colliders[1].kind = PLAIT_COLLIDER_CAPSULE;
    colliders[1].radii[0] = colliders[1].radii[1] = 0.05f;
    colliders[1].points[0][1] = -0.1f;
    colliders[1].points[1][1] = -0.3f;
    plait_body_desc body = PLAIT_BODY_DESC_INIT;
    body.bone_count = BONES;
    body.collider_count = 2;
    body.colliders = colliders;
    plait_hybrid_params rods = rig_rods();
    rods.rest_gravity[1] = -9.81f; // the rest shape is solved for, in double precision
    struct rig_options options = rig_options(&groom);
    options.body = &body;
    options.solver = solver;
    options.params = solver == PLAIT_SOLVER_HYBRID ? &rods : NULL;
    options.instruction_set = set;
    options.threads = 2;
    struct rig rig = rig_open(&options);
    if (solver == PLAIT_SOLVER_HYBRID) {
        plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
        assert_ok(plait_volume_params_default(1, &volume));
        volume.model = PLAIT_VOLUME_SAND;
        assert_ok(plait_hair_set_volume(rig.hair, &volume));
    }
    struct drawing drawing = draw(&rig, counts, render);
    for (int f = 0; f < FRAMES; f++) {
        float bones[BONES][12];
        pose(f, bones);
        rig_step(&rig, 1.0f / 60, bones[0], true);
    }
    float *now = rig_positions(&rig);
    printf("%s %s guides %016llx render strands %016llx\n", solver == PLAIT_SOLVER_HYBRID ? "hybrid" : "shape",
           sets[set], (unsigned long long)hash_of(now, (size_t)rig.vertices * 12),
           (unsigned long long)hash_of(drawing.positions, (size_t)RENDER * VERTICES * 12));
    free(now);
    assert_ok(plait_hair_set_render_output(rig.hair, NULL));
    assert_ok(plait_hair_set_binding(rig.hair, (plait_binding){0}));
    assert_ok(plait_binding_destroy(drawing.binding));
    assert_ok(plait_groom_destroy(drawing.groom));
    free(drawing.positions);
    rig_close(&rig);
}

static void print_hashes(void **unused) {
    (void)unused;
    for (uint32_t set = PLAIT_CPU_SCALAR; set <= PLAIT_CPU_AVX2; set++)
        for (int rods = 0; rods < 2 && rig_has_instruction_set(set); rods++)
            print_hash(rods ? PLAIT_SOLVER_HYBRID : PLAIT_SOLVER_SHAPE, set);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(print_hashes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
