// Radix sort, last part of a pass: every key goes behind those of smaller digits and those of the same digit that came before
// it. scan_rows has made of `counts` what lies in the tiles before, and of `totals` how many keys have each digit.
//
// Keys are ranked step by step in shared memory, a step in RADIX_CHUNKS parts. The 32 threads of a part walk it together;
// each ranks the keys of its own eight digits, so that equal digits keep their order.

GROUP_KERNEL(radix_scatter) {
    SHARED_HERE(radix_scatter)
    uint end = tile_end(group * TILE, TILE, ITEMS), tiles = tile_count(ITEMS, TILE);
    const uint chunk_keys = GROUP_STEP / RADIX_CHUNKS, chunk_threads = GROUP_THREADS / RADIX_CHUNKS;
    THREADS {
        uint even = UNIFORM_UINT(BUF(totals), VAL(totals_at) + 2u * THREAD);
        starts[2u * THREAD] = 0u;
        starts[2u * THREAD + 1u] = even;
        words[THREAD] = even + UNIFORM_UINT(BUF(totals), VAL(totals_at) + 2u * THREAD + 1u);
    }
    GROUP_SCAN(words, parts)
    THREADS {
        for (uint d = 2u * THREAD; d < 2u * THREAD + 2u; d++)
            starts[d] += words[THREAD] + UNIFORM_UINT(BUF(counts), d * tiles + group);
    }
    for (uint begin = group * TILE; begin < end; begin += GROUP_STEP) {
        uint step = tile_end(begin, GROUP_STEP, end) - begin;
        THREADS {
            for (uint c = THREAD; c < RADIX * RADIX_CHUNKS; c += GROUP_THREADS) counters[c] = 0u;
        }
        THREADS {
            for (uint i = THREAD; i < step; i += GROUP_THREADS) {
                uint key = UNIFORM_UINT(BUF(keys), begin + i);
                keys[i] = key;
                SHARED_ADD(counters, radix_digit(key, VAL(shift)) * RADIX_CHUNKS + i / chunk_keys, 1u);
            }
        }
        THREADS {
            for (uint d = 2u * THREAD; d < 2u * THREAD + 2u; d++) {
                uint place = starts[d];
                for (uint c = d * RADIX_CHUNKS; c < d * RADIX_CHUNKS + RADIX_CHUNKS; c++) {
                    uint count = counters[c];
                    counters[c] = place;
                    place += count;
                }
                starts[d] = place;
            }
        }
        THREADS {
            uint chunk = THREAD / chunk_threads, first = chunk * chunk_keys;
            for (uint i = first; i < first + chunk_keys && i < step; i++) {
                uint digit = radix_digit(keys[i], VAL(shift)), counter = digit * RADIX_CHUNKS + chunk;
                if (digit % chunk_threads == THREAD % chunk_threads) {
                    places[i] = counters[counter];
                    counters[counter] += 1u;
                }
            }
        }
        THREADS {
            for (uint i = THREAD; i < step; i += GROUP_THREADS) {
                ST_UNIFORM_UINT(BUF(keys_to), places[i], keys[i]);
                ST_UNIFORM_UINT(BUF(indices_to), places[i], UNIFORM_UINT(BUF(indices), begin + i));
            }
        }
    }
}
