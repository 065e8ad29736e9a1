// Blocks get their numbers, and vertices of a block a place behind each other. One group. Where there are more blocks than the
// capacity, those with the least keys are taken; where there are far more, none.

GROUP_KERNEL(volume_blocks) {
    SHARED_HERE(volume_blocks)
    uint claims = UNIFORM_UINT(BUF(table), TABLE_CLAIMS);
    uint listed = claims > VAL(most) ? 0u : claims;
    uint limit = 0xffffffffu; // of keys that are taken
    if (listed > VAL(capacity)) {
        limit = 0u;
        for (uint bit = 0x80000000u; bit > 0u; bit = bit / 2u) { // the largest below which there are not too many
            uint trial = limit + bit;
            THREADS {
                uint count = 0u;
                for (uint i = THREAD; i < listed; i += GROUP_THREADS) {
                    uint slot = UNIFORM_UINT(BUF(list), i);
                    count += UNIFORM_UINT(BUF(table), VOLUME_SLOT_WORD(slot, SLOT_KEY)) < trial ? 1u : 0u;
                }
                words[THREAD] = count;
            }
            GROUP_SCAN(words, parts)
            THREADS {}
            if (parts[SCAN_PARTS] <= VAL(capacity)) limit = trial;
        }
    }
    uint blocks = group; // 0: there is but one group
    uint vertices = 0u;
    for (uint begin = 0u; begin < listed; begin += GROUP_THREADS) {
        THREADS {
            uint slot = begin + THREAD < listed ? UNIFORM_UINT(BUF(list), begin + THREAD) : 0u;
            bool taken = begin + THREAD < listed && UNIFORM_UINT(BUF(table), VOLUME_SLOT_WORD(slot, SLOT_KEY)) < limit;
            words[THREAD] = taken ? UNIFORM_UINT(BUF(table), VOLUME_SLOT_WORD(slot, SLOT_COUNT)) : 0u;
            marks[THREAD] = taken ? 1u : 0u;
        }
        GROUP_SCAN(words, parts)
        THREADS {}
        uint vertices_here = parts[SCAN_PARTS];
        GROUP_SCAN(marks, parts)
        THREADS {
            uint slot = begin + THREAD < listed ? UNIFORM_UINT(BUF(list), begin + THREAD) : 0u;
            if (begin + THREAD < listed && UNIFORM_UINT(BUF(table), VOLUME_SLOT_WORD(slot, SLOT_KEY)) < limit) {
                uint number = blocks + marks[THREAD];
                ST_UNIFORM_UINT(BUF(starts), number, vertices + words[THREAD]);
                ST_UNIFORM_UINT(BUF(table), VOLUME_SLOT_WORD(slot, SLOT_BLOCK), number + 1u);
            }
        }
        blocks += parts[SCAN_PARTS];
        vertices += vertices_here;
    }
    THREADS {
        if (THREAD == 0u) {
            ST_UNIFORM_UINT(BUF(starts), blocks, vertices);
            ST_UNIFORM_UINT(BUF(runs), 0u, blocks);
            ST_UNIFORM_UINT(BUF(groups), 0u, blocks * VOLUME_WORK);
        }
    }
}
