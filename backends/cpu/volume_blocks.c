// Overrides of the kernels of hair-hair forces that sort vertices into blocks of cells, compiled once per instruction set like the
// kernels.
#include "dialect.h"

#include "kernels/functions.h"

#include "volume.h"

// So many vertices at a time, or those of so many blocks, are sorted into blocks among themselves, before those are looked for in
// the table: there are fewer blocks than vertices, and to take places in the table together is dear.
#define BIN_PIECE 2048u
#define BIN_BLOCKS 384u
#define BIN_SHIFT 23u // of hashes, to slots of the piece
#define BIN_SLOTS (1u << (32u - BIN_SHIFT))
struct bin_slot {
    uint32_t key, count, slot, before; // of vertices so far; in the table; vertices there from other pieces
};

// The slot of a key in the table, taken if nobody has; BLOCK_NONE: there are too many blocks.
static uint32_t slot_of(const struct volume_bin_args *args, uint32_t key) {
    uint32_t *table = (uint32_t *)BUF(table);
    const uint32_t slots = volume_slots(VAL(shift));
    uint32_t slot = VOLUME_SLOT(key, VAL(shift));
    for (uint32_t tries = 0; tries < slots; tries++, slot = (slot + 1) & (slots - 1)) {
        const uint32_t there = atomic_claim_uint(&table[VOLUME_SLOT_WORD(slot, SLOT_KEY)], key);
        if (there == key) return slot;
        if (there == 0) {
            uint32_t number = __atomic_fetch_add(&table[TABLE_CLAIMS], 1, __ATOMIC_RELAXED);
            if (number < VAL(most)) ST_UNIFORM_UINT(BUF(list), number, slot);
            return slot;
        }
        if (tries % 16 == 15 && __atomic_load_n(&table[TABLE_CLAIMS], __ATOMIC_RELAXED) > VAL(most)) break;
    }
    return BLOCK_NONE;
}

// Returns how many vertices it has taken.
static uint32_t bin_piece(const struct volume_bin_args *args, uint32_t first, uint32_t count, struct bin_slot *slots) {
    const uint32_t *keys = words_of(BUF(keys)) + first;
    uint32_t *places = (uint32_t *)BUF(places) + 2 * (size_t)first;
    uint32_t *table = (uint32_t *)BUF(table);
    uint16_t whose[BIN_PIECE], used[BIN_BLOCKS];
    uint32_t used_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = keys[i];
        uint32_t at = VOLUME_SLOT(key, BIN_SHIFT);
        while (slots[at].count && slots[at].key != key) at = (at + 1) % BIN_SLOTS;
        if (slots[at].count == 0) {
            if (used_count == BIN_BLOCKS) {
                count = i;
                break;
            }
            slots[at].key = key;
            used[used_count++] = (uint16_t)at;
        }
        whose[i] = (uint16_t)at;
        places[2 * i + 1] = slots[at].count++;
    }
    for (uint32_t u = 0; u < used_count; u++) {
        struct bin_slot *s = &slots[used[u]];
        s->slot = slot_of(args, s->key);
        if (s->slot != BLOCK_NONE)
            s->before = __atomic_fetch_add(&table[VOLUME_SLOT_WORD(s->slot, SLOT_COUNT)], s->count, __ATOMIC_RELAXED);
        s->count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        places[2 * i] = slots[whose[i]].slot;
        places[2 * i + 1] += slots[whose[i]].before;
    }
    return count;
}
_Static_assert(BIN_SLOTS > BIN_BLOCKS, "a search ends");

void CPU_VARIANT(volume_bin)(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct volume_bin_args *args = data;
    struct bin_slot slots[BIN_SLOTS];
    (void)scratch;
    for (uint32_t i = 0; i < BIN_SLOTS; i++) slots[i].count = slots[i].before = 0;
    while (first < last)
        first += bin_piece(args, args->first + first, last - first < BIN_PIECE ? last - first : BIN_PIECE, slots);
}

// One vertex after the other: gathers of lanes take three times as long.
void CPU_VARIANT(volume_place)(const void *data, uint32_t first, uint32_t last, void *scratch) {
    const struct volume_place_args *args = data;
    const uint32_t *places = words_of(BUF(places)), *table = words_of(BUF(table)), *starts = words_of(BUF(starts));
    uint32_t *indices = (uint32_t *)BUF(indices);
    (void)scratch;
    for (uint32_t i = args->first + first; i < args->first + last; i++) {
        const uint32_t slot = places[2 * (size_t)i];
        const uint32_t number = slot == BLOCK_NONE ? 0 : table[VOLUME_SLOT_WORD(slot, SLOT_BLOCK)];
        if (number)
            indices[starts[number - 1] + places[2 * (size_t)i + 1]] = i;
        else
            ((uint32_t *)BUF(readings))[(size_t)i * READING_WORDS + READING_VALID] = 0;
    }
}
