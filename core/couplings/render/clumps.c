// Clumps: strands whose roots are near to each other, each clump around one of them. Middles are at least clump_size apart, taken in
// the order of the groom, so that levels of detail draw them first; then every strand goes to the nearest one.
#include "binding_search.h"
#include "couplings/render/data.h"

// Strands that leave the scalp in directions farther apart (0.8 radians) are on two sides of a parting.
#define PARTING_COSINE 0.6967f
// How unlike strands of a clump may be, in clump sizes. What a strand is pulled to turns with its own guides; where that was far
// from them as drawn, single locks stood out from the head by 8 cm.
#define SHAPE_REACH 2.0f
// Middles that may share a cell, so that no groom takes forever. Strands that find no room are by themselves.
#define CELL_MOST 32

struct seat { // a strand as clumps see it
    int64_t cell[3];
    struct strand_look look;
};

struct clump_table {
    struct seat *seats; // of all strands, in the groom's order
    uint32_t *heads;    // of lists of middles, by hash of the cell; strand + 1, 0: none
    uint32_t *next;     // [strand_count]
    uint64_t mask;
};

static uint64_t cell_hash(uint32_t group, int64_t x, int64_t y, int64_t z) {
    uint64_t h = group;
    const int64_t parts[3] = {x, y, z};
    for (int c = 0; c < 3; c++) h = (h ^ (uint64_t)parts[c]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    return h;
}

static float dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static bool go_together(const struct strand_look *a, const struct strand_look *b, float size) {
    float shape2 = 0;
    if (a->group != b->group || dot(a->direction, b->direction) < PARTING_COSINE) return false;
    for (int i = 0; i < SHAPE_POINTS; i++)
        for (int c = 0; c < 3; c++) {
            float off = a->points[i][c] - b->points[i][c];
            shape2 += off * off;
        }
    return shape2 <= SHAPE_POINTS * (SHAPE_REACH * size) * (SHAPE_REACH * size);
}

// The nearest middle within reach that a strand can go to; strand_count: none.
static uint32_t nearest_middle(const struct clump_table *t, uint32_t strand, uint32_t none, float size, float reach) {
    const struct seat *seat = &t->seats[strand];
    uint32_t best = none;
    float least = reach * reach;
    for (int n = 0; n < 27; n++) {
        uint64_t hash = cell_hash(seat->look.group, seat->cell[0] + n % 3 - 1, seat->cell[1] + n / 3 % 3 - 1,
                                  seat->cell[2] + n / 9 - 1);
        for (uint32_t at = t->heads[hash & t->mask]; at; at = t->next[at - 1]) {
            const struct seat *other = &t->seats[at - 1];
            float distance2 = 0;
            for (int c = 0; c < 3; c++) {
                float off = other->look.root[c] - seat->look.root[c];
                distance2 += off * off;
            }
            const bool nearer = distance2 < least || (distance2 == least && best != none && at - 1 < best);
            if (nearer && go_together(&other->look, &seat->look, size)) {
                least = distance2;
                best = at - 1;
            }
        }
    }
    return best;
}

static void take_seat(const struct groom *render, uint32_t strand, float size, struct seat *seat) {
    strand_look(render, strand, &seat->look);
    for (int c = 0; c < 3; c++) seat->cell[c] = (int64_t)floor((double)seat->look.root[c] / size);
}

// places: of strands in the binding's order.
static void find(const struct binding *binding, const plait_render_style *styles, struct clump_table *t,
                 const uint32_t *places, uint32_t *clumps) {
    const struct groom *render = binding->render;
    const uint32_t count = binding->info.strand_count;
    for (uint32_t s = 0; s < count; s++) {
        const float size = styles[render->group_indices[s]].clump_size;
        if (!(size > 0)) continue;
        take_seat(render, s, size, &t->seats[s]);
        if (nearest_middle(t, s, count, size, size) != count) continue;
        const int64_t *cell = t->seats[s].cell;
        uint32_t *head = &t->heads[cell_hash(t->seats[s].look.group, cell[0], cell[1], cell[2]) & t->mask], most = 0;
        for (uint32_t at = *head; at; at = t->next[at - 1]) most++;
        if (most >= CELL_MOST) continue;
        t->next[s] = *head;
        *head = s + 1;
    }
    for (uint32_t s = 0; s < count; s++) {
        const float size = styles[render->group_indices[s]].clump_size;
        uint32_t middle = size > 0 ? nearest_middle(t, s, count, size, 1.001f * size) : count;
        clumps[places[s]] = places[middle < count ? middle : s];
    }
}

plait_result clumps_find(struct call *call, const struct binding *binding, const plait_render_style *styles,
                         uint32_t *clumps) {
    const uint64_t count = binding->info.strand_count;
    uint64_t slots = 1024;
    while (slots < count) slots *= 2;
    struct clump_table t = {.seats = memory_allocate(call->context, count, sizeof *t.seats),
                            .heads = memory_allocate(call->context, slots, sizeof *t.heads),
                            .next = memory_allocate(call->context, count, sizeof *t.next),
                            .mask = slots - 1};
    uint32_t *places = memory_allocate(call->context, count, sizeof *places);
    const bool room = t.seats && t.heads && t.next && places;
    if (room) {
        for (uint32_t i = 0; i < count; i++) places[binding->order[i]] = i;
        find(binding, styles, &t, places, clumps);
    }
    memory_release(call->context, t.seats);
    memory_release(call->context, t.heads);
    memory_release(call->context, t.next);
    memory_release(call->context, places);
    if (!room)
        return fail(call, PLAIT_ERROR_OUT_OF_MEMORY, "no memory to clump %llu strands", (unsigned long long)count);
    return PLAIT_OK;
}
