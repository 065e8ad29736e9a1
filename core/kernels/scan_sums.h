// Prefix sum, first part: the sum of each tile.

GROUP_KERNEL(scan_sums) {
    SHARED_HERE(scan_sums)
    uint begin = group * TILE, end = tile_end(begin, TILE, ITEMS);
    THREADS {
        uint sum = 0u;
        for (uint i = begin + THREAD; i < end; i += GROUP_THREADS) sum += UNIFORM_UINT(BUF(from), i);
        words[THREAD] = sum;
    }
    GROUP_SCAN(words, parts)
    THREADS {
        if (THREAD == 0u) ST_UNIFORM_UINT(BUF(sums), group, parts[SCAN_PARTS]);
    }
}
