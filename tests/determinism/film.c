// Hair in motion, written down as hashes of its bits, to be compared with what the same program says elsewhere: another
// processor, another operating system. Both solvers, with colliders, wind, a rest shape that bears gravity, hair-hair forces and render strands. Nothing that goes
// in comes from the C library, whose sines differ from one machine to another: sums, products and square roots only.
//     determinism_film [FILE]
// Every instruction set of this machine must give the bits of plain C; FILE gets those.
#include "rig.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 24, EVERY = 4, GUIDES = 60, RENDERED = 120, MOST_VERTICES = 20, BONES = 2, COLLIDERS = 5 };

struct strands {
    uint32_t count, vertices, counts[RENDERED];
    float positions[RENDERED * MOST_VERTICES][3];
};

// What is to be the same: positions of guides and render strands at every EVERY-th frame.
struct film {
    uint64_t guides[FRAMES / EVERY], rendered[FRAMES / EVERY];
};

// splitmix64
static float random_signed(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (float)((z ^ z >> 31) >> 40) / 8388608.0f - 1.0f;
}

// From a sphere of 10 cm outwards and about, 15 to 25 cm long.
static struct strands *make_strands(uint64_t seed, uint32_t count) {
    struct strands *strands = calloc(1, sizeof *strands);
    assert_non_null(strands);
    strands->count = count;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t vertices = (uint32_t)(12.0f + 8.0f * random_signed(&seed));
        float segment = (0.2f + 0.05f * random_signed(&seed)) / (float)vertices, direction[3], place[3] = {0};
        for (uint32_t c = 0; c < 3; c++) direction[c] = random_signed(&seed) + (c == 1 ? 0.5f : 0.0f);
        for (uint32_t v = 0; v < vertices; v++) {
            float size = sqrtf(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
            for (uint32_t c = 0; c < 3; c++) {
                direction[c] /= size + 1e-6f;
                place[c] += direction[c] * (v == 0 ? 0.1f : segment);
                strands->positions[strands->vertices][c] = place[c];
                direction[c] += 0.4f * random_signed(&seed);
            }
            strands->vertices++;
        }
        strands->counts[s] = vertices;
    }
    return strands;
}

static plait_groom_desc describe(const struct strands *strands) {
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    desc.strand_count = strands->count;
    desc.bone_count = BONES;
    desc.vertex_counts = strands->counts;
    desc.positions = strands->positions[0];
    return desc;
}

// A head, and limbs of the second bone that sweep through the hair.
static void make_colliders(plait_collider colliders[COLLIDERS]) {
    uint64_t seed = 5;
    for (uint32_t i = 0; i < COLLIDERS; i++) {
        colliders[i] = (plait_collider)PLAIT_COLLIDER_INIT;
        colliders[i].kind = PLAIT_COLLIDER_CAPSULE + i % 3;
        colliders[i].bone = i == 0 ? 0 : 1;
        colliders[i].friction = 0.2f * (float)i;
        for (uint32_t end = 0; end < 2; end++) {
            colliders[i].radii[end] = i == 0 ? 0.095f : 0.04f + 0.02f * random_signed(&seed);
            for (uint32_t c = 0; c < 3; c++) colliders[i].points[end][c] = i == 0 ? 0 : 0.2f * random_signed(&seed);
        }
    }
}

// -1 to 1 and back, once in a time of 1; smooth but for its second derivative.
static double wave(double time) {
    double part = 2 * (time - floor(time)), up = part < 1 ? part : part - 1;
    return (part < 1 ? 4 : -4) * up * (1 - up);
}

static void pose(int frame, float bones[BONES][12]) {
    for (int b = 0; b < BONES; b++) {
        double time = frame / 60.0 * (1 + b), x = 0.5 * wave(1.1 * time), y = 0.7 * wave(1.7 * time + 0.25), z = 0.2;
        double size = sqrt(1 + x * x + y * y + z * z), w = 1 / size;
        x /= size, y /= size, z /= size;
        const double rows[3][4] = {
            {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0.1 * wave(1.3 * time)},
            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 0.05 * wave(2.1 * time + 0.5)},
            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0}};
        for (int i = 0; i < 12; i++) bones[b][i] = (float)rows[i / 4][i % 4];
    }
}

// FNV-1a
static uint64_t hash(const float *values, size_t count) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        assert_true(isfinite(values[i]));
        memcpy(&bits, &values[i], sizeof bits);
        for (int byte = 0; byte < 4; byte++, bits >>= 8) sum = (sum ^ (bits & 255)) * 0x100000001b3u;
    }
    return sum;
}

static void render(const struct rig *rig, const struct strands *strands, float *output, plait_groom *groom,
                   plait_binding *binding) {
    plait_groom_desc desc = describe(strands);
    plait_binding_desc bind = PLAIT_BINDING_DESC_INIT;
    plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    plait_output_desc where = PLAIT_OUTPUT_DESC_INIT;
    assert_ok(plait_groom_create(rig->context, &desc, groom));
    bind.guides = rig->groom;
    bind.render = *groom;
    assert_ok(plait_binding_create(rig->context, &bind, binding));
    assert_ok(plait_hair_set_binding(rig->hair, *binding));
    attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
    attribute.format = PLAIT_FORMAT_FLOAT32X4;
    attribute.stride = 16;
    where.attribute_count = 1;
    where.attributes = &attribute;
    where.memory = output;
    where.size = (uint64_t)strands->vertices * 16;
    assert_ok(plait_hair_set_render_output(rig->hair, &where));
}

static struct film simulate(uint32_t solver, uint32_t instruction_set, uint32_t threads) {
    struct strands *guides = make_strands(1, GUIDES), *rendered = make_strands(2, RENDERED);
    plait_groom_desc groom = describe(guides);
    plait_collider colliders[COLLIDERS];
    plait_body_desc body = PLAIT_BODY_DESC_INIT;
    make_colliders(colliders);
    body.bone_count = BONES;
    body.collider_count = COLLIDERS;
    body.colliders = colliders;
    struct rig_options options = rig_options(&groom);
    options.body = &body;
    options.solver = solver;
    plait_hybrid_params rods = rig_rods();
    rods.rest_gravity[1] = -9.81f; // the rest shape is solved for, in double precision
    if (solver == PLAIT_SOLVER_HYBRID) options.params = &rods;
    options.instruction_set = instruction_set;
    options.threads = threads;
    struct rig rig = rig_open(&options);
    plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
    assert_ok(plait_volume_params_default(1, &volume));
    assert_ok(plait_hair_set_volume(rig.hair, &volume));
    float *output = malloc((size_t)rendered->vertices * 16);
    assert_non_null(output);
    plait_groom render_groom;
    plait_binding binding;
    render(&rig, rendered, output, &render_groom, &binding);

    struct film film;
    for (int f = 0; f < FRAMES; f++) {
        float bones[BONES][12];
        plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
        pose(f, bones);
        frame.dt = 1.0f / 60;
        frame.bones = bones[0];
        frame.bone_count = BONES;
        frame.gravity[1] = -9.81f;
        frame.wind[0] = (float)(4 * wave(f / 50.0));
        frame.wind[2] = 1.5f;
        assert_ok(plait_hair_step(rig.hair, &frame));
        if ((f + 1) % EVERY) continue;
        float *positions = rig_positions(&rig);
        film.guides[f / EVERY] = hash(positions, (size_t)guides->vertices * 3);
        film.rendered[f / EVERY] = hash(output, (size_t)rendered->vertices * 4);
        free(positions);
    }
    assert_ok(plait_binding_destroy(binding));
    assert_ok(plait_groom_destroy(render_groom));
    rig_close(&rig);
    free(output);
    free(guides);
    free(rendered);
    return film;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        uint32_t solver;
    } solvers[] = {{"shape", PLAIT_SOLVER_SHAPE}, {"hybrid", PLAIT_SOLVER_HYBRID}};
    FILE *file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (argc > 1 && !file) {
        fprintf(stderr, "determinism_film: %s cannot be written\n", argv[1]);
        return 2;
    }
    int differ = 0;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        struct film reference = simulate(solvers[i].solver, PLAIT_CPU_SCALAR, 1);
        for (int f = 0; file && f < FRAMES / EVERY; f++)
            fprintf(file, "%s, frame %d: guides %016" PRIx64 ", render strands %016" PRIx64 "\n", solvers[i].name,
                    (f + 1) * EVERY, reference.guides[f], reference.rendered[f]);
        for (uint32_t set = PLAIT_CPU_SCALAR + 1; set <= PLAIT_CPU_NEON; set++) {
            if (!rig_has_instruction_set(set)) continue;
            struct film film = simulate(solvers[i].solver, set, 2);
            int same = memcmp(&film, &reference, sizeof film) == 0;
            printf("%s: instruction set %u gives %s bits as plain C\n", solvers[i].name, set,
                   same ? "the same" : "other");
            differ |= !same;
        }
    }
    if (file && fclose(file) != 0) return 2;
    return differ;
}
