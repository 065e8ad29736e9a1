// Real grooms on real motion: bound to the head of a captured skeleton, 600 frames of each motion with each solver, first alone,
// then with capsules around the limbs. Some strands are simulated and carry the file's, up to 12,000, as render strands. Nothing is
// lost, and neither guides nor render strands stretch more than the header says. Files as in real.c; skipped without them.
#include "made_file.h"

enum { STRANDS = 150, FRAMES = 600, LOOK_EVERY = 20, MOST_STRANDS = 12000 };
// What plait_stats_info.worst_stretch promises, and a hundredth for rounding on segments of 0.1 mm.
static const double LONGEST = 1.05;

static const struct {
    const char *path;
    float scale; // to metres
} GROOMS[] = {{"grooms/fur.hair", 0.1f}, {"grooms/Ratboy_mohawk.tfx", 0.25f}, {"grooms/sintel_hair_16points.tfx", 1}};
static const char *const MOTIONS[] = {"motion/05_06.bvh", "motion/42_01.bvh", "motion/09_01.bvh"};

static bool path_of(const char *name, char path[1024]) {
    const char *folder = getenv("PLAIT_DATA");
    snprintf(path, 1024, "%s/%s", folder && *folder ? folder : PLAIT_DATA_FOLDER, name);
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    if (!file) printf("skipped: %s is not here\n", path);
    return file != NULL;
}

// A groom in metres, the middle of its roots at a point, and guides of it.
static void read_both(const char *path, float scale, const float *around, plait_gf_groom *all, plait_gf_groom *guides) {
    plait_gf_read_options options = {.weld_distance = 1e-5f / scale};
    plait_gf_groom whole;
    assert_int_equal(plait_gf_read(path, &options, &whole, NULL), PLAIT_OK);
    uint32_t *some = malloc(whole.strand_count * sizeof *some), every = 1 + whole.strand_count / MOST_STRANDS,
             count = 0;
    for (uint32_t i = 0; i < whole.strand_count; i += every) some[count++] = i;
    assert_int_equal(plait_gf_select(&whole, some, count, all), PLAIT_OK);
    plait_gf_groom_free(&whole);
    free(some);
    float m[12] = {scale, 0, 0, around[0], 0, scale, 0, around[1], 0, 0, scale, around[2]};
    const float *root = all->positions;
    for (uint32_t i = 0; i < all->strand_count; root += 3 * all->vertex_counts[i++])
        for (int c = 0; c < 3; c++) m[4 * c + 3] -= scale * root[c] / (float)all->strand_count;
    assert_int_equal(plait_gf_transform(all, m), PLAIT_OK);
    free(all->radii); // made for renderers: as rods they would be sticks
    all->radii = NULL;
    plait_gf_guide_options choice = {.count = STRANDS};
    assert_int_equal(plait_gf_choose_guides(all, &choice), PLAIT_OK);
    assert_int_equal(all->guide_count, STRANDS);
    assert_int_equal(plait_gf_select(all, all->guides, all->guide_count, guides), PLAIT_OK);
}

static double longest(const plait_gf_groom *g, const float *positions) {
    const float *p = positions, *q = g->positions;
    double worst = 0;
    for (uint32_t i = 0; i < g->strand_count; i++, p += 3, q += 3) {
        double length = 0, rest = 0;
        for (uint32_t v = 1; v < g->vertex_counts[i]; v++, p += 3, q += 3) {
            length += hypot(hypot((double)p[3] - p[0], (double)p[4] - p[1]), (double)p[5] - p[2]);
            rest += hypot(hypot((double)q[3] - q[0], (double)q[4] - q[1]), (double)q[5] - q[2]);
        }
        assert_true(isfinite(length));
        worst = fmax(worst, length / rest);
    }
    return worst;
}

static void describe_output(plait_output_desc *output, plait_output_attribute *attribute, uint32_t vertices,
                            float *positions) {
    *attribute = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
    attribute->attribute = PLAIT_ATTRIBUTE_POSITION;
    attribute->format = PLAIT_FORMAT_FLOAT32X3;
    attribute->stride = 3 * sizeof *positions;
    *output = (plait_output_desc)PLAIT_OUTPUT_DESC_INIT;
    output->attribute_count = 1;
    output->attributes = attribute;
    output->memory = positions;
    output->size = (uint64_t)vertices * 3 * sizeof *positions;
}

static void carry(plait_context context, plait_hair hair, plait_groom guides, const plait_gf_groom *all,
                  float *positions) {
    plait_groom_desc groom;
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    plait_binding binding;
    plait_output_desc output;
    plait_output_attribute attribute;
    plait_gf_describe(all, &groom);
    desc.guides = guides;
    assert_int_equal(plait_groom_create(context, &groom, &desc.render), PLAIT_OK);
    assert_int_equal(plait_binding_create(context, &desc, &binding), PLAIT_OK);
    assert_int_equal(plait_hair_set_binding(hair, binding), PLAIT_OK);
    describe_output(&output, &attribute, all->vertex_count, positions);
    assert_int_equal(plait_hair_set_render_output(hair, &output), PLAIT_OK);
    plait_binding_destroy(binding);
    plait_groom_destroy(desc.render);
}

struct lengths {
    double guides, render; // the largest of a strand over its own at rest, in all frames
};

static struct lengths wear(plait_context context, plait_device device, const plait_gf_groom *groom,
                           const plait_gf_groom *all, const plait_gf_motion *motion, uint32_t head, uint32_t solver,
                           bool limbs) {
    uint32_t bones = motion->joint_count, roots[STRANDS], count = 64;
    float *bind = malloc(12 * bones * sizeof *bind), *pose = malloc(12 * bones * sizeof *pose);
    float *positions = malloc(3 * groom->vertex_count * sizeof *positions);
    float *drawn = malloc(3 * (size_t)all->vertex_count * sizeof *drawn);
    plait_collider colliders[64];
    for (uint32_t i = 0; i < STRANDS; i++) roots[i] = head;
    plait_gf_motion_bind(motion, bind);
    plait_groom_desc groom_desc;
    plait_gf_describe(groom, &groom_desc);
    groom_desc.bone_count = bones;
    groom_desc.bind_pose = bind;
    groom_desc.root_bones = roots;
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    assert_int_equal(plait_groom_create(context, &groom_desc, &desc.groom), PLAIT_OK);
    if (limbs) {
        plait_body_desc body = PLAIT_BODY_DESC_INIT;
        assert_int_equal(plait_gf_motion_capsules(motion, head, 0.3f, &count, colliders), PLAIT_OK);
        body.bone_count = bones;
        body.collider_count = count;
        body.colliders = colliders;
        assert_int_equal(plait_body_create(context, &body, &desc.body), PLAIT_OK);
    }
    desc.device = device;
    desc.solver = solver;
    plait_hair hair;
    assert_int_equal(plait_hair_create(context, &desc, &hair), PLAIT_OK);
    plait_output_attribute attribute;
    plait_output_desc output;
    describe_output(&output, &attribute, groom->vertex_count, positions);
    assert_int_equal(plait_hair_set_output(hair, &output), PLAIT_OK);
    carry(context, hair, desc.groom, all, drawn);
    struct lengths worst = {0, 0};
    for (uint32_t f = 0; f < FRAMES; f++) {
        // Frame 0 of these files shows the skeleton; then there and back again, for as long as it takes.
        double length = (motion->frame_count - 2) * (double)motion->frame_s, time = fmod(f / 60.0, 2 * length);
        plait_gf_motion_pose(motion, (double)motion->frame_s + (time < length ? time : 2 * length - time), pose);
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        frame.dt = 1.0f / 60;
        frame.bone_count = bones;
        frame.bones = pose;
        frame.gravity[1] = -9.81f;
        assert_int_equal(plait_hair_step(hair, &frame), PLAIT_OK);
        worst.guides = fmax(worst.guides, longest(groom, positions));
        if (f % LOOK_EVERY == 0) worst.render = fmax(worst.render, longest(all, drawn));
    }
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    assert_int_equal(plait_hair_stats(hair, &stats), PLAIT_OK);
    assert_int_equal(stats.nonfinite_strand_count, 0);
    plait_hair_destroy(hair);
    plait_groom_destroy(desc.groom);
    if (limbs) plait_body_destroy(desc.body);
    free(bind);
    free(pose);
    free(positions);
    free(drawn);
    return worst;
}

static void grooms_survive_motions(void **state) {
    (void)state;
    plait_context_desc context_desc = PLAIT_CONTEXT_DESC_INIT;
    plait_context context;
    plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device;
    device_desc.backend = PLAIT_BACKEND_CPU;
    assert_int_equal(plait_context_create(&context_desc, &context), PLAIT_OK);
    assert_int_equal(plait_device_open(context, &device_desc, &device), PLAIT_OK);
    printf("The longest strand over its length, of %d that are simulated and of all render strands\n", STRANDS);
    printf("%-32s %6s %-17s %-7s %15s %15s\n", "groom", "", "motion", "solver", "alone", "with limbs");
    for (size_t m = 0; m < 3; m++)
        for (size_t g = 0; g < 3; g++) {
            char path[1024];
            plait_gf_motion motion;
            plait_gf_groom all, guides;
            if (!path_of(MOTIONS[m], path)) skip();
            assert_int_equal(plait_gf_motion_read(path, 0.05644f, &motion, NULL), PLAIT_OK);
            uint32_t head = plait_gf_motion_find(&motion, "head");
            float *bind = malloc(12 * motion.joint_count * sizeof *bind), center[3];
            plait_gf_motion_bind(&motion, bind);
            for (uint32_t c = 0; c < 3; c++) center[c] = bind[12 * head + 4 * c + 3] + (c == 1 ? 0.1f : 0);
            free(bind);
            if (!path_of(GROOMS[g].path, path)) skip();
            read_both(path, GROOMS[g].scale, center, &all, &guides);
            for (uint32_t solver = PLAIT_SOLVER_SHAPE; solver <= PLAIT_SOLVER_HYBRID; solver++) {
                struct lengths alone = wear(context, device, &guides, &all, &motion, head, solver, false);
                struct lengths limbs = wear(context, device, &guides, &all, &motion, head, solver, true);
                printf("%-32s %6u %-17s %-7s %7.4f %7.4f %7.4f %7.4f\n", GROOMS[g].path, all.strand_count, MOTIONS[m],
                       solver == PLAIT_SOLVER_SHAPE ? "shape" : "hybrid", alone.guides, alone.render, limbs.guides,
                       limbs.render);
                assert_true(alone.guides < (solver == PLAIT_SOLVER_SHAPE ? 1.01 : LONGEST));
                assert_true(limbs.guides < LONGEST);
                assert_true(alone.render < LONGEST);
                assert_true(limbs.render < LONGEST);
            }
            plait_gf_groom_free(&all);
            plait_gf_groom_free(&guides);
            plait_gf_motion_free(&motion);
        }
    plait_device_close(device);
    plait_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(grooms_survive_motions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
