// Prefix sum, third part: the sum of all before each item, in its tile and in the tiles before. May be in place.

GROUP_KERNEL(scan_apply) {
    SHARED_HERE(scan_apply)
    uint end = tile_end(group * TILE, TILE, ITEMS), carried = UNIFORM_UINT(BUF(sums), group);
    for (uint begin = group * TILE; begin < end; begin += GROUP_STEP) {
        THREADS {
            for (uint i = THREAD; i < GROUP_STEP; i += GROUP_THREADS)
                values[i] = i < end - begin ? UNIFORM_UINT(BUF(from), begin + i) : 0u;
        }
        THREADS {
            uint sum = 0u;
            for (uint i = 8u * THREAD; i < 8u * THREAD + 8u; i++) {
                uint value = values[i];
                values[i] = sum;
                sum += value;
            }
            words[THREAD] = sum;
        }
        GROUP_SCAN(words, parts)
        THREADS {
            for (uint i = THREAD; i < GROUP_STEP && i < end - begin; i += GROUP_THREADS)
                ST_UNIFORM_UINT(BUF(to), begin + i, carried + words[i / 8u] + values[i]);
        }
        carried += parts[SCAN_PARTS];
    }
}
