// Radix sort, first part of a pass: how many keys of each tile have which digit. A row for each digit.

GROUP_KERNEL(radix_count) {
    SHARED_HERE(radix_count)
    uint begin = group * TILE, end = tile_end(begin, TILE, ITEMS), tiles = tile_count(ITEMS, TILE);
    THREADS {
        for (uint d = THREAD; d < RADIX; d += GROUP_THREADS) counters[d] = 0u;
    }
    THREADS {
        for (uint i = begin + THREAD; i < end; i += GROUP_THREADS)
            SHARED_ADD(counters, radix_digit(UNIFORM_UINT(BUF(keys), i), VAL(shift)), 1u);
    }
    THREADS {
        for (uint d = THREAD; d < RADIX; d += GROUP_THREADS)
            ST_UNIFORM_UINT(BUF(counts), d * tiles + group, counters[d]);
    }
}
