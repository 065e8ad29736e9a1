// Roots on a triangle mesh: they go where its triangles go, and hair moves as on a bone that moves like the mesh.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 9,
    MESH_VERTICES = SIDE * SIDE,
    MESH_TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1),
    STRANDS = 24,
    VERTICES = 12
};

// A bent sheet of 0.4 m by 0.4 m, and strands that grow from it, upwards and to the side.
struct sheet {
    float rest[MESH_VERTICES][3];
    float now[MESH_VERTICES][4]; // as handed in, with garbage behind each vertex
    uint16_t triangles[MESH_TRIANGLES][3];
    uint32_t on[STRANDS];
    float weights[STRANDS][3];
    uint32_t counts[STRANDS];
    float positions[STRANDS * VERTICES][3];
    plait_groom_mesh_desc mesh;
    plait_groom_desc desc;
};

static void point_on(const float (*vertices)[3], const struct sheet *s, uint32_t strand, float point[3]) {
    for (int c = 0; c < 3; c++) {
        double x = 0;
        for (int k = 0; k < 3; k++)
            x += (double)s->weights[strand][k] * (double)vertices[s->triangles[s->on[strand]][k]][c];
        point[c] = (float)x;
    }
}

// above: metres that roots are off the surface, along y; bend: 0 for a flat one.
static struct sheet *sheet_make(float above, float bend) {
    struct sheet *s = calloc(1, sizeof *s);
    assert_non_null(s);
    uint32_t t = 0;
    for (uint32_t i = 0; i < MESH_VERTICES; i++) {
        float x = 0.05f * (float)(i % SIDE) - 0.2f, z = 0.05f * (float)(i / SIDE) - 0.2f;
        s->rest[i][0] = x;
        s->rest[i][1] = 0.1f - bend * (x * x + 0.5f * z * z);
        s->rest[i][2] = z;
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
        uint16_t a = (uint16_t)i, quad[2][3] = {{a, (uint16_t)(a + SIDE), (uint16_t)(a + 1)},
                                                {(uint16_t)(a + 1), (uint16_t)(a + SIDE), (uint16_t)(a + SIDE + 1)}};
        memcpy(s->triangles[t], quad, sizeof quad);
        t += 2;
    }
    for (uint32_t i = 0; i < STRANDS; i++) {
        s->on[i] = (i * 37 + 5) % MESH_TRIANGLES;
        s->weights[i][1] = 0.2f + 0.01f * (float)i;
        s->weights[i][2] = 0.3f;
        s->weights[i][0] = 1 - s->weights[i][1] - s->weights[i][2];
        s->counts[i] = VERTICES;
        float root[3];
        point_on((const float(*)[3])s->rest, s, i, root);
        for (uint32_t v = 0; v < VERTICES; v++) {
            float *p = s->positions[i * VERTICES + v];
            p[0] = root[0] + 0.005f * (float)v;
            p[1] = root[1] + 0.015f * (float)v + above;
            p[2] = root[2] + 0.004f * sinf((float)v);
        }
    }
    s->mesh = (plait_groom_mesh_desc)PLAIT_GROOM_MESH_DESC_INIT;
    s->mesh.vertex_count = MESH_VERTICES;
    s->mesh.triangle_count = MESH_TRIANGLES;
    s->mesh.index_format = PLAIT_INDEX_UINT16;
    s->mesh.position_format = PLAIT_FORMAT_FLOAT32X3;
    s->mesh.indices = s->triangles;
    s->mesh.positions = s->rest;
    s->desc = (plait_groom_desc)PLAIT_GROOM_DESC_INIT;
    s->desc.head.next = &s->mesh;
    s->desc.strand_count = STRANDS;
    s->desc.bone_count = 1;
    s->desc.vertex_counts = s->counts;
    s->desc.positions = s->positions[0];
    return s;
}

static plait_mesh_pose_desc pose_of(const struct sheet *s) {
    plait_mesh_pose_desc pose = PLAIT_MESH_POSE_DESC_INIT;
    pose.vertex_count = MESH_VERTICES;
    pose.format = PLAIT_FORMAT_FLOAT32X3;
    pose.stride = sizeof s->now[0];
    pose.positions = s->now;
    return pose;
}

static void transform(const float m[12], const float *p, float *out) {
    for (int r = 0; r < 3; r++)
        out[r] = (float)((double)m[4 * r] * (double)p[0] + (double)m[4 * r + 1] * (double)p[1] +
                         (double)m[4 * r + 2] * (double)p[2] + (double)m[4 * r + 3]);
}

static void move_mesh(struct sheet *s, const float m[12]) {
    for (uint32_t i = 0; i < MESH_VERTICES; i++) {
        transform(m, s->rest[i], s->now[i]);
        s->now[i][3] = NAN;
    }
}

// Bends, stretches and shears, more with time.
static void deform(struct sheet *s, float time) {
    for (uint32_t i = 0; i < MESH_VERTICES; i++) {
        const float *r = s->rest[i];
        s->now[i][0] = r[0] * (1 + 0.4f * time) + 0.3f * time * r[2];
        s->now[i][1] = r[1] + 0.2f * sinf(8 * r[0] * time) + 0.1f * time;
        s->now[i][2] = r[2] * (1 - 0.3f * time);
        s->now[i][3] = NAN;
    }
}

static plait_result step(struct rig *rig, const struct sheet *s, const float *bones, float dt) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    plait_mesh_pose_desc pose = pose_of(s);
    frame.dt = dt;
    frame.gravity[1] = -9.81f;
    frame.bone_count = 1;
    frame.bones = bones;
    if (!bones) frame.head.next = &pose;
    return plait_hair_step(rig->hair, &frame);
}

static void swing(float m[12], int frame, float rate) {
    float t = (float)frame / rate;
    bone_make(m, (float[3]){0.6f, 0, 0.8f}, 0.8 * sin(4 * (double)t),
              (float[3]){0.3f * t, 0.1f * sinf(6 * t), -0.2f * t});
}

// At one step a frame roots are the same to the rounding of floats: edges of 5 cm whose ends are rounded by 6e-8 m turn strands of
// 20 cm by less than 1 um. Rods make more of such differences with time, as they do of other compilers' roundings.
static void a_rigid_mesh_moves_hair_as_a_bone_does(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0, 1);
    plait_groom_desc on_bone = s->desc;
    on_bone.head.next = NULL;
    struct rig_options options = rig_options(&s->desc), other = rig_options(&on_bone);
    float rate = options.solver == PLAIT_SOLVER_HYBRID ? 120 : 60;
    options.hair.step_rate_hz = other.hair.step_rate_hz = rate;
    struct rig mesh = rig_open(&options), bone = rig_open(&other);
    double worst = 0, way = 0;
    for (int f = 1; f <= 90; f++) {
        float m[12];
        swing(m, f, rate);
        move_mesh(s, m);
        assert_ok(step(&mesh, s, NULL, 1 / rate));
        assert_ok(step(&bone, s, m, 1 / rate));
        float *a = rig_positions(&mesh), *b = rig_positions(&bone);
        worst = fmax(worst, largest_difference(a, b, mesh.vertices));
        for (uint32_t i = 0; i < STRANDS; i++)
            assert_true(distance3(a + 3 * i * VERTICES, b + 3 * i * VERTICES) < 1e-6);
        way = fmax(way, largest_difference(a, s->positions[0], mesh.vertices));
        free(a);
        free(b);
    }
    printf("mesh and bone differ by %.2e m, on a way of %.2f m\n", worst, way);
    assert_true(way > 0.2);
    assert_true(worst < (options.solver == PLAIT_SOLVER_HYBRID ? 1e-4 : 1e-5));
    rig_close(&mesh);
    rig_close(&bone);
    free(s);
}

static void roots_stay_on_triangles_that_bend_and_stretch(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0, 1);
    struct rig_options options = rig_options(&s->desc);
    struct rig rig = rig_open(&options);
    double worst = 0;
    for (int f = 1; f <= 60; f++) {
        deform(s, (float)f / 60);
        assert_ok(step(&rig, s, NULL, f % 7 ? 1.0f / 60 : 0.011f)); // also between steps, where output is blended
        float *p = rig_positions(&rig), vertices[MESH_VERTICES][3], root[3];
        for (uint32_t i = 0; i < MESH_VERTICES; i++) memcpy(vertices[i], s->now[i], sizeof vertices[i]);
        for (uint32_t i = 0; i < STRANDS; i++) {
            point_on((const float(*)[3])vertices, s, i, root);
            worst = fmax(worst, distance3(p + 3 * i * VERTICES, root));
        }
        free(p);
    }
    printf("roots are off their triangles by %.2e m\n", worst);
    assert_true(worst < 1e-6);
    rig_close(&rig);
    free(s);
}

// A stretch along two axes is symmetric and has no rotation, though it turns the edges of triangles; its area stays.
// The groom itself as render strands: they lie on their guides, and stay there. Only bones could tell a box for 16 bits.
static void render_strands_go_with_the_mesh(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0, 1);
    struct rig_options options = rig_options(&s->desc);
    struct rig rig = rig_open(&options);
    plait_groom_desc alone = s->desc;
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    plait_binding binding;
    alone.head.next = NULL;
    assert_ok(plait_groom_create(rig.context, &s->desc, &desc.guides));
    assert_ok(plait_groom_create(rig.context, &alone, &desc.render));
    assert_ok(plait_binding_create(rig.context, &desc, &binding));
    assert_ok(plait_hair_set_binding(rig.hair, binding));
    float drawn[STRANDS * VERTICES][4];
    plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    attribute.format = PLAIT_FORMAT_UNORM16X4;
    attribute.stride = sizeof drawn[0];
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    output.attribute_count = 1;
    output.attributes = &attribute;
    output.memory = drawn;
    output.size = sizeof drawn;
    assert_int_equal(plait_hair_set_render_output(rig.hair, &output), PLAIT_ERROR_UNSUPPORTED);
    attribute.format = PLAIT_FORMAT_FLOAT32X3;
    assert_ok(plait_hair_set_render_output(rig.hair, &output));
    double worst = 0;
    for (int f = 1; f <= 30; f++) {
        deform(s, (float)f / 60);
        assert_ok(step(&rig, s, NULL, 1.0f / 60));
        float *p = rig_positions(&rig);
        for (uint32_t v = 0; v < rig.vertices; v++) worst = fmax(worst, distance3(p + 3 * v, drawn[v]));
        free(p);
    }
    printf("render strands are off their guides by %.2e m\n", worst);
    assert_true(worst < 1e-6);
    assert_ok(plait_binding_destroy(binding));
    assert_ok(plait_groom_destroy(desc.guides));
    assert_ok(plait_groom_destroy(desc.render));
    rig_close(&rig);
    free(s);
}

static void a_stretched_sheet_turns_no_strand(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0.003f, 0);
    struct rig_options options = rig_options(&s->desc);
    struct rig rig = rig_open(&options);
    for (uint32_t i = 0; i < MESH_VERTICES; i++) {
        const float stretch[3] = {1.6f, 1, 1 / 1.6f};
        for (int c = 0; c < 3; c++) s->now[i][c] = s->rest[i][c] * stretch[c];
    }
    plait_place_desc place = PLAIT_PLACE_DESC_INIT;
    plait_mesh_pose_desc pose = pose_of(s);
    place.head.next = &pose;
    place.kind = PLAIT_PLACE_RESET;
    assert_ok(plait_hair_place(rig.hair, &place));
    float *p = rig_positions(&rig);
    for (uint32_t v = 0; v < rig.vertices; v++) {
        uint32_t root = v / VERTICES * VERTICES;
        float at[3];
        const float *drawn = s->positions[root];
        for (int c = 0; c < 3; c++)
            at[c] = s->positions[v][c] - drawn[c] + (c ? c == 1 ? 1 : 1 / 1.6f : 1.6f) * drawn[c];
        assert_true(distance3(p + 3 * v, at) < 2e-6);
    }
    free(p);
    rig_close(&rig);
    free(s);
}

// The library's own search, against all triangles.
static void the_nearest_triangle_is_found(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0.01f, 1);
    struct rig_options options = rig_options(&s->desc);
    struct rig rig = rig_open(&options);
    uint32_t triangles[STRANDS];
    float weights[STRANDS][3], distances[STRANDS];
    assert_ok(plait_groom_read_roots(rig.groom, STRANDS, triangles, weights[0], distances));
    for (uint32_t i = 0; i < STRANDS; i++) {
        double least = INFINITY;
        for (uint32_t t = 0; t < MESH_TRIANGLES; t++)
            for (int a = 0; a <= 40; a++)
                for (int b = 0; a + b <= 40; b++) { // points on it, 1.25 mm apart
                    float w[3] = {1 - (float)(a + b) / 40, (float)a / 40, (float)b / 40}, p[3];
                    for (int c = 0; c < 3; c++)
                        p[c] = w[0] * s->rest[s->triangles[t][0]][c] + w[1] * s->rest[s->triangles[t][1]][c] +
                               w[2] * s->rest[s->triangles[t][2]][c];
                    least = fmin(least, distance3(p, s->positions[i * VERTICES]));
                }
        assert_true((double)distances[i] <= least + 1e-6);
        assert_true((double)distances[i] > least - 2e-3);
        s->on[i] = triangles[i];
        memcpy(s->weights[i], weights[i], sizeof weights[i]);
        float at[3];
        point_on((const float(*)[3])s->rest, s, i, at);
        assert_true(fabs(distance3(at, s->positions[i * VERTICES]) - (double)distances[i]) < 1e-6);
        assert_true(fabsf(weights[i][0] + weights[i][1] + weights[i][2] - 1) < 1e-6f);
    }
    rig_close(&rig);
    free(s);
}

// Where a triangle becomes a line or a point, strands keep the direction they had.
static void triangles_without_an_area_do_no_harm(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0.002f, 1);
    struct rig_options options = rig_options(&s->desc);
    struct rig rig = rig_open(&options);
    float m[12];
    bone_make(m, (float[3]){0, 0, 1}, 0.5, (float[3]){0, 0, 0});
    move_mesh(s, m);
    for (int f = 0; f < 10; f++) assert_ok(step(&rig, s, NULL, 1.0f / 60));
    for (int kind = 0; kind < 2; kind++) {
        for (uint32_t i = 0; i < MESH_VERTICES; i++)
            for (int c = kind; c < 3; c++) s->now[i][c] = 0.3f; // a line along x, then a point
        for (int f = 0; f < 30; f++) assert_ok(step(&rig, s, NULL, 1.0f / 60));
        float *p = rig_positions(&rig);
        for (uint32_t v = 0; v < 3 * rig.vertices; v++) assert_true(isfinite(p[v]) && fabsf(p[v]) < 2);
        free(p);
    }
    // At rest on a mesh that is a point, strands are as drawn and turned by the last direction that there was.
    plait_place_desc place = PLAIT_PLACE_DESC_INIT;
    plait_mesh_pose_desc pose = pose_of(s);
    place.head.next = &pose;
    place.kind = PLAIT_PLACE_RESET;
    assert_ok(plait_hair_place(rig.hair, &place));
    float *p = rig_positions(&rig);
    for (uint32_t i = 0; i < STRANDS; i++) {
        float tip[3], root[3], turned[3];
        const float *drawn = s->positions[i * VERTICES], *end = s->positions[i * VERTICES + VERTICES - 1];
        for (int c = 0; c < 3; c++) tip[c] = end[c] - drawn[c];
        transform(m, tip, turned);
        for (int c = 0; c < 3; c++) root[c] = p[3 * i * VERTICES + c] + turned[c];
        assert_true(distance3(root, p + 3 * (i * VERTICES + VERTICES - 1)) < 1e-5);
    }
    free(p);
    assert_int_equal(rig_stats(&rig).nonfinite_strand_count, 0);
    rig_close(&rig);
    free(s);
}

static void a_far_jump_of_the_mesh_teleports(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0, 1);
    struct rig_options options = rig_options(&s->desc);
    options.hair.teleport_distance = 1;
    options.hair.teleport_angle = 1;
    struct rig rig = rig_open(&options);
    float far[12], turned[12];
    bone_make(far, (float[3]){0, 1, 0}, 0, (float[3]){500, 3, -40});
    bone_make(turned, (float[3]){0, 1, 0}, 1.2, (float[3]){500, 3, -40});
    move_mesh(s, far);
    assert_ok(step(&rig, s, NULL, 1.0f / 60));
    assert_int_equal(rig_stats(&rig).teleport_count, 1);
    float *p = rig_positions(&rig), at[3];
    for (uint32_t v = 0; v < rig.vertices; v++) {
        transform(far, s->positions[v], at);
        assert_true(distance3(p + 3 * v, at) < 5e-3); // one step of gravity
    }
    free(p);
    assert_ok(step(&rig, s, NULL, 1.0f / 60));
    assert_int_equal(rig_stats(&rig).teleport_count, 1);
    move_mesh(s, turned);
    assert_ok(step(&rig, s, NULL, 1.0f / 60));
    assert_int_equal(rig_stats(&rig).teleport_count, 2);
    rig_close(&rig);
    free(s);
}

// Also between two steps, where output is blended with the step before.
static void saved_states_and_other_devices_continue(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0, 1);
    struct rig_options options = rig_options(&s->desc);
    struct rig a = rig_open(&options), b = rig_open(&options);
    for (int f = 1; f < 20; f++) {
        deform(s, 0.02f * (float)f);
        assert_ok(step(&a, s, NULL, 0.011f));
    }
    uint64_t size;
    assert_ok(plait_hair_state_size(a.hair, &size));
    void *blob = malloc(size);
    assert_ok(plait_hair_save(a.hair, blob, size));
    assert_ok(plait_hair_load(b.hair, blob, size));
    free(blob);
    float *p = rig_positions(&a), *q = rig_positions(&b);
    assert_memory_equal(p, q, a.vertices * 3 * sizeof *p);
    free(p);
    free(q);
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device_cpu_desc scalar = PLAIT_DEVICE_CPU_DESC_INIT;
    plait_device other;
    desc.backend = PLAIT_BACKEND_CPU;
    desc.head.next = &scalar;
    scalar.instruction_set = PLAIT_CPU_SCALAR;
    assert_ok(plait_device_open(b.context, &desc, &other));
    assert_ok(plait_hair_set_device(b.hair, other));
    for (int f = 20; f < 40; f++) {
        deform(s, 0.02f * (float)f);
        assert_ok(step(&a, s, NULL, 0.011f));
        assert_ok(step(&b, s, NULL, 0.011f));
        p = rig_positions(&a);
        q = rig_positions(&b);
        assert_memory_equal(p, q, a.vertices * 3 * sizeof *p);
        free(p);
        free(q);
    }
    assert_ok(plait_device_close(other));
    rig_close(&a);
    rig_close(&b);
    free(s);
}

static plait_device open_vulkan(struct rig *rig) {
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device = {0};
    desc.backend = PLAIT_BACKEND_VULKAN;
    if (plait_device_open(rig->context, &desc, &device) != PLAIT_OK) device.id = 0;
    return device;
}

// On Vulkan from the beginning: the paths of stiff rods part by what GPUs round differently.
static void a_gpu_agrees(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0, 1);
    struct rig_options options = rig_options(&s->desc);
    options.quiet = true;
    struct rig a = rig_open(&options), b = rig_open(&options);
    plait_device gpu = open_vulkan(&b);
    if (!gpu.id) {
        rig_close(&a);
        rig_close(&b);
        free(s);
        skip();
    }
    assert_ok(plait_hair_set_device(b.hair, gpu));
    double worst = 0;
    for (int f = 1; f <= 30; f++) {
        deform(s, 0.01f * (float)f);
        assert_ok(step(&a, s, NULL, 0.012f));
        assert_ok(step(&b, s, NULL, 0.012f));
        float *p = rig_positions(&a), *q = rig_positions(&b);
        worst = fmax(worst, largest_difference(p, q, a.vertices));
        free(p);
        free(q);
    }
    printf("CPU and Vulkan differ by %.2e m\n", worst);
    assert_ok(plait_device_close(gpu));
    assert_true(worst < 1e-4);
    rig_close(&a);
    rig_close(&b);
    free(s);
}

// What a frame brings is refused as a whole, and the hair goes on as if it had never come.
static void a_wrong_mesh_is_refused_and_changes_nothing(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0, 1);
    struct rig_options options = rig_options(&s->desc);
    options.quiet = true;
    struct rig a = rig_open(&options), b = rig_open(&options);
    uint16_t used = s->triangles[s->on[0]][1];
    for (int f = 1; f <= 12; f++) {
        deform(s, 0.02f * (float)f);
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        plait_mesh_pose_desc pose = pose_of(s);
        frame.head.next = &pose;
        frame.dt = 1.0f / 60;
        float kept = s->now[used][f % 3];
        if (f % 6 == 0) s->now[used][f % 3] = NAN;
        if (f % 6 == 1) s->now[used][f % 3] = -2e9f;
        if (f % 6 == 2) pose.vertex_count--;
        if (f % 6 == 3) pose.format = 3;
        if (f % 6 == 4) pose.stride = 8;
        if (f % 6 == 5) pose.positions = NULL;
        assert_int_equal(plait_hair_step(a.hair, &frame), PLAIT_ERROR_INVALID_ARGUMENT);
        s->now[used][f % 3] = kept;
        assert_ok(step(&a, s, NULL, 0.013f));
        assert_ok(step(&b, s, NULL, 0.013f));
        float *p = rig_positions(&a), *q = rig_positions(&b);
        assert_memory_equal(p, q, a.vertices * 3 * sizeof *p);
        free(p);
        free(q);
    }
    rig_close(&a);
    rig_close(&b);
    free(s);
}

static void a_wrong_binding_is_refused(void **state) {
    (void)state;
    struct sheet *s = sheet_make(0, 1);
    struct rig_options options = rig_options(&s->desc);
    options.quiet = true;
    struct rig rig = rig_open(&options);
    plait_groom groom = {1};
    s->mesh.root_triangles = s->on;
    s->mesh.root_barycentrics = s->weights[0];
#define REFUSED(change, undo, expected)                                                                                \
    do {                                                                                                               \
        change;                                                                                                        \
        assert_int_equal(plait_groom_create(rig.context, &s->desc, &groom), expected);                                 \
        assert_true(groom.id == 0);                                                                                    \
        undo;                                                                                                          \
    } while (0)
    float kept = s->weights[3][1];
    uint32_t on = s->on[5];
    uint16_t corner = s->triangles[9][2];
    REFUSED(s->on[5] = MESH_TRIANGLES, s->on[5] = on, PLAIT_ERROR_INVALID_GROOM);
    REFUSED(s->triangles[9][2] = MESH_VERTICES, s->triangles[9][2] = corner, PLAIT_ERROR_INVALID_GROOM);
    REFUSED(s->weights[3][1] = NAN, s->weights[3][1] = kept, PLAIT_ERROR_INVALID_GROOM);
    REFUSED(s->weights[3][1] = kept + 0.1f, s->weights[3][1] = kept, PLAIT_ERROR_INVALID_GROOM);
    corner = s->triangles[on][2];
    REFUSED(s->triangles[on][2] = s->triangles[on][1], s->triangles[on][2] = corner, PLAIT_ERROR_INVALID_GROOM);
    kept = s->rest[7][2];
    REFUSED(s->rest[7][2] = INFINITY, s->rest[7][2] = kept, PLAIT_ERROR_INVALID_GROOM);
    REFUSED(s->mesh.index_format = 3, s->mesh.index_format = PLAIT_INDEX_UINT16, PLAIT_ERROR_INVALID_ARGUMENT);
    REFUSED(s->mesh.triangle_count = 0, s->mesh.triangle_count = MESH_TRIANGLES, PLAIT_ERROR_INVALID_ARGUMENT);
    REFUSED(s->mesh.root_triangles = NULL, s->mesh.root_triangles = s->on, PLAIT_ERROR_INVALID_ARGUMENT);
    assert_ok(plait_groom_create(rig.context, &s->desc, &groom));
    assert_int_equal(plait_groom_read_roots(groom, STRANDS + 1, NULL, NULL, NULL), PLAIT_ERROR_INVALID_ARGUMENT);
    assert_ok(plait_groom_destroy(groom));
    rig_close(&rig);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_mesh_moves_hair_as_a_bone_does),
        cmocka_unit_test(roots_stay_on_triangles_that_bend_and_stretch),
        cmocka_unit_test(render_strands_go_with_the_mesh),
        cmocka_unit_test(a_stretched_sheet_turns_no_strand),
        cmocka_unit_test(the_nearest_triangle_is_found),
        cmocka_unit_test(triangles_without_an_area_do_no_harm),
        cmocka_unit_test(a_far_jump_of_the_mesh_teleports),
        cmocka_unit_test(saved_states_and_other_devices_continue),
        cmocka_unit_test(a_gpu_agrees),
        cmocka_unit_test(a_wrong_mesh_is_refused_and_changes_nothing),
        cmocka_unit_test(a_wrong_binding_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
