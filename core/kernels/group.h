// What kernels over groups have in common.

#define GROUP_STEP (8u * GROUP_THREADS) // items that a group holds in shared memory at a time; a tile may have more

FN uint tile_count(uint items, uint tile) { return items / tile + (items % tile != 0u ? 1u : 0u); }
FN uint tile_end(uint begin, uint tile, uint items) { return items - begin < tile ? items : begin + tile; }

// The exclusive prefix sum of words[GROUP_THREADS], in place, and the sum of all in parts[SCAN_PARTS]. Two rounds, of threads
// with eight words each and then of all: two barriers where a tree has seven.
#define SCAN_PARTS (GROUP_THREADS / 8u)
#define GROUP_SCAN(words, parts)                                                                                       \
    THREADS {                                                                                                          \
        if (THREAD < SCAN_PARTS) {                                                                                     \
            uint sum = 0u;                                                                                             \
            for (uint i = 8u * THREAD; i < 8u * THREAD + 8u; i++) {                                                    \
                uint word = words[i];                                                                                  \
                words[i] = sum;                                                                                        \
                sum += word;                                                                                           \
            }                                                                                                          \
            parts[THREAD] = sum;                                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    THREADS {                                                                                                          \
        uint sum = 0u;                                                                                                 \
        for (uint p = 0u; p < THREAD / 8u; p++) sum += parts[p];                                                       \
        words[THREAD] += sum;                                                                                          \
        if (THREAD == GROUP_THREADS - 1u) parts[SCAN_PARTS] = sum + parts[SCAN_PARTS - 1u];                            \
    }

// Radix sort, a digit a pass.
#define RADIX_CHUNKS 4u // parts of GROUP_STEP that are ranked side by side
FN uint radix_digit(uint key, uint shift) { return (key >> shift) & (RADIX - 1u); }
