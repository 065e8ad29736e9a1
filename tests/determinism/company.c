// Strands do not leak into each other: what a strand does depends on itself, its bones and the colliders, and not on
// which strands share its pack, in which order they come, how wide packs are or how many threads there are. Random
// strands of all lengths among random colliders, many of which only some strands of a pack can reach.
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 16, FRAMES = 40, STRANDS = 40, MOST_VERTICES = 24, MOST_COLLIDERS = 8, BONES = 2 };

struct strand {
    uint32_t vertices, held;
    float positions[MOST_VERTICES][3];
};

struct world {
    uint32_t seed, collider_count;
    struct strand strands[STRANDS];
    plait_collider colliders[MOST_COLLIDERS];
};

// Strands of a world, in the order in which the groom has them.
struct company {
    uint32_t count, members[STRANDS];
};

// splitmix64
static uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t random_below(uint64_t *state, uint32_t end) { return (uint32_t)(random_bits(state) % end); }
static float random_share(uint64_t *state) { return (float)(random_bits(state) >> 40) / 16777216.0f; }
static float random_signed(uint64_t *state) { return 2 * random_share(state) - 1; }

// From a sphere outwards: along an axis, so that many coordinates are exactly zero, or wandering about.
static void make_strand(uint64_t *state, struct strand *strand) {
    strand->vertices = 2 + random_below(state, MOST_VERTICES - 1);
    strand->held = 1 + random_below(state, strand->vertices < 4 ? strand->vertices : 4);
    float segment = (0.03f + 0.3f * random_share(state)) / (float)strand->vertices;
    bool straight = random_below(state, 4) == 0;
    uint32_t axis = random_below(state, 3);
    float wander = straight ? 0 : 0.8f * random_share(state), direction[3], place[3] = {0};
    for (uint32_t c = 0; c < 3; c++) direction[c] = straight ? c == axis : random_signed(state);
    for (uint32_t v = 0; v < strand->vertices; v++) {
        float size = sqrtf(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
        for (int c = 0; c < 3; c++) {
            direction[c] /= size + 1e-6f;
            place[c] += direction[c] * (v == 0 ? 0.1f : segment);
            strand->positions[v][c] = place[c];
            direction[c] += wander * random_signed(state);
        }
    }
}

static plait_collider make_collider(uint64_t *state) {
    plait_collider collider = PLAIT_COLLIDER_INIT;
    collider.kind = PLAIT_COLLIDER_CAPSULE + random_below(state, 3);
    collider.bone = random_below(state, BONES);
    for (int i = 0; i < 2; i++) {
        collider.radii[i] = 0.1f * random_share(state);
        for (int c = 0; c < 3; c++) collider.points[i][c] = 0.2f * random_signed(state);
    }
    collider.friction = random_share(state);
    return collider;
}

static struct world make_world(uint32_t seed) {
    struct world world = {.seed = seed};
    uint64_t state = seed;
    world.collider_count = 2 + random_below(&state, MOST_COLLIDERS - 1);
    for (uint32_t s = 0; s < STRANDS; s++) make_strand(&state, &world.strands[s]);
    for (uint32_t c = 0; c < world.collider_count; c++) world.colliders[c] = make_collider(&state);
    return world;
}

// The first `count` of all strands in random order, or all as they are.
static struct company pick(uint64_t *state, uint32_t count, bool shuffled) {
    struct company company = {.count = count};
    for (uint32_t i = 0; i < STRANDS; i++) company.members[i] = i;
    for (uint32_t i = 0; shuffled && i < STRANDS; i++) {
        uint32_t other = i + random_below(state, STRANDS - i), swap = company.members[i];
        company.members[i] = company.members[other];
        company.members[other] = swap;
    }
    return company;
}

static void pose(const struct world *world, int frame, float bones[BONES][12]) {
    static const float axis[3] = {0.6f, 0, 0.8f};
    for (uint32_t b = 0; b < BONES; b++) {
        double time = frame / 60.0, phase = world->seed + 2.0 * b;
        const float shift[3] = {(float)(0.05 * sin(9 * time + phase)), (float)(0.02 * sin(5 * time)), 0};
        bone_make(bones[b], axis, 0.8 * sin(7 * time + phase), shift);
    }
}

// Where each strand of the company is in each frame; strands that are not in it stay zero.
struct film {
    float positions[FRAMES][STRANDS][MOST_VERTICES][3];
};

static struct film *simulate(const struct world *world, const struct company *company, uint32_t instruction_set,
                             uint32_t threads) {
    uint32_t counts[STRANDS], held[STRANDS], vertices = 0;
    static float positions[STRANDS * MOST_VERTICES][3];
    for (uint32_t i = 0; i < company->count; i++) {
        const struct strand *strand = &world->strands[company->members[i]];
        memcpy(positions[vertices], strand->positions, strand->vertices * sizeof positions[0]);
        counts[i] = strand->vertices;
        held[i] = strand->held;
        vertices += strand->vertices;
    }
    plait_groom_desc groom = PLAIT_GROOM_DESC_INIT;
    groom.strand_count = company->count;
    groom.bone_count = BONES;
    groom.vertex_counts = counts;
    groom.held_counts = held;
    groom.positions = positions[0];
    plait_body_desc body = PLAIT_BODY_DESC_INIT;
    body.bone_count = BONES;
    body.collider_count = world->collider_count;
    body.colliders = world->colliders;
    struct rig_options options = rig_options(&groom);
    options.body = &body;
    options.instruction_set = instruction_set;
    options.threads = threads;
    struct rig rig = rig_open(&options);
    struct film *film = calloc(1, sizeof *film);
    assert_non_null(film);
    for (int f = 0; f < FRAMES; f++) {
        float bones[BONES][12];
        pose(world, f, bones);
        rig_step(&rig, 1.0f / 60, bones[0], true);
        float *now = rig_positions(&rig), *at = now;
        for (uint32_t i = 0; i < company->count; at += 3 * counts[i], i++)
            memcpy(film->positions[f][company->members[i]], at, counts[i] * 12);
        free(now);
    }
    rig_close(&rig);
    return film;
}

static void expect_same(const struct world *world, const struct company *company, uint32_t instruction_set,
                        uint32_t threads, const struct film *reference) {
    struct film *film = simulate(world, company, instruction_set, threads);
    for (int f = 0; f < FRAMES; f++)
        for (uint32_t i = 0; i < company->count; i++) {
            uint32_t s = company->members[i];
            if (memcmp(film->positions[f][s], reference->positions[f][s], world->strands[s].vertices * 12) != 0)
                fail_msg("world %u, instruction set %u, %u threads, %u strands: strand %u is elsewhere in frame %d",
                         world->seed, instruction_set, threads, company->count, s, f);
        }
    free(film);
}

static void a_strand_among_random_colliders_moves_the_same_in_any_company(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= WORLDS; seed++) {
        struct world world = make_world(seed);
        uint64_t random = seed;
        struct company all = pick(&random, STRANDS, false);
        struct film *reference = simulate(&world, &all, PLAIT_CPU_SCALAR, 1);
        for (uint32_t set = PLAIT_CPU_SCALAR; set <= PLAIT_CPU_NEON; set++) {
            if (!rig_has_instruction_set(set)) continue;
            const struct company companies[] = {all, pick(&random, STRANDS, true),
                                                pick(&random, 2 + random_below(&random, 15), true),
                                                pick(&random, 1, true), pick(&random, 1, true)};
            for (size_t i = 0; i < sizeof companies / sizeof companies[0]; i++)
                expect_same(&world, &companies[i], set, 1 + random_below(&random, 4), reference);
        }
        free(reference);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_strand_among_random_colliders_moves_the_same_in_any_company)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
