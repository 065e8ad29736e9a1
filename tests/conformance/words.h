// Plans over words, on every device: the CPU with every instruction set, by plain kernels and by overrides, with one thread
// and with several; GPUs as they are.
#ifndef PLAIT_TESTS_WORDS_H
#define PLAIT_TESTS_WORDS_H

#include "device.h"

// How many words a plan is over.
struct size {
    uint32_t items; // that there are
    uint32_t tile;
    bool counted;     // by a word in device memory
    uint32_t counter; // what that says
    uint32_t capacity;
};

enum { RUN_BUFFERS = 16, RUN_STAGES = 64 };

// One plan on one device.
struct run {
    const char *where;
    struct device *device;
    bool gpu;
    struct size size;
    struct domain domain; // of that size
    uint32_t number;      // of the run, for variety
    uint32_t random;
    struct stage stages[RUN_STAGES];
    struct stage_list list;
    struct arena *arena;
    struct buffer buffers[RUN_BUFFERS];
    uint32_t *contents[RUN_BUFFERS]; // as they were before
    uint32_t buffer_count;
};

// Opens all places, or those that PLAIT_TEST_PLACES names.
void words_open(void);
void words_close(void);
// Calls `check` on every device with every size that matters there; threaded: on the CPU also with two to eight threads.
void words_everywhere(void (*check)(struct run *run), bool threaded);

uint32_t run_random(struct run *run);
uint32_t run_tiles(const struct run *run); // of the words that there are

// A buffer with room for so many words and some more. content null: words that nobody has written.
const struct buffer *run_buffer(struct run *run, const uint32_t *content, uint32_t count, uint32_t room);
// The same of the test's own: `count` words, freed when the run ends.
uint32_t *run_array(struct run *run, uint32_t count);

void run_go(struct run *run); // the stages of the list
// What a buffer holds: these words, then what it held before.
void run_expect(const struct run *run, const struct buffer *buffer, const uint32_t *expected, uint32_t count,
                const char *what);

#endif
