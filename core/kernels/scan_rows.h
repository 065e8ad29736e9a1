// Prefix sum, second part: a group turns a row of sums, one a tile, into what lies before each tile, and writes the total. The
// total of no tiles is 0: it is there even if nothing else runs.

GROUP_KERNEL(scan_rows) {
    SHARED_HERE(scan_rows)
    uint items = VAL(capacity);
    if (VAL(counted) != 0u && UNIFORM_UINT(BUF(counter_in), VAL(at)) < items)
        items = UNIFORM_UINT(BUF(counter_in), VAL(at));
    uint tiles = tile_count(items, VAL(group)), row = group * tiles, carried = 0u;
    for (uint begin = 0u; begin < tiles; begin += GROUP_THREADS) {
        THREADS { words[THREAD] = begin + THREAD < tiles ? UNIFORM_UINT(BUF(sums), row + begin + THREAD) : 0u; }
        GROUP_SCAN(words, parts)
        THREADS {
            if (begin + THREAD < tiles) ST_UNIFORM_UINT(BUF(sums), row + begin + THREAD, carried + words[THREAD]);
        }
        carried += parts[SCAN_PARTS];
    }
    THREADS {
        if (THREAD == 0u) ST_UNIFORM_UINT(BUF(totals), VAL(totals_at) + group, carried);
    }
}
