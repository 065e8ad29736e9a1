/* Every input struct in one form: a valid one, and a call that takes it. The tests break it in all the ways a host
 * could. */
#ifndef PLAIT_TESTS_INPUTS_H
#define PLAIT_TESTS_INPUTS_H

#include "session.h"

enum { MAX_INPUT_SIZE = 128, MAX_ELEMENTS = 3 };

typedef struct input {
    const char *name;
    uint32_t size;
    uint32_t elements;   /* how many the call takes; more than one: an array */
    uint32_t reserved;   /* offset of the reserved field; 0: there is none */
    uint32_t floats[16]; /* offsets of the floats; 0 ends the list */
    void (*fill)(const session *s, uint32_t element, void *where);
    /* Makes the call with an array of elements and undoes it. On success effect is a hash of the outcome: same effect,
     * same meaning. */
    plait_result (*pass)(session *s, const void *array, uint64_t *effect);
    int before_context; /* 1: there is no context yet that could log */
} input;

extern const input inputs[];
extern const size_t input_count;

/* Elements of the given size, one after the other in memory that ends with them, to be freed. Sizes above that of the
 * struct get a tail of zeros. Below it, the tail is cut off. */
unsigned char *make_input(const input *in, const session *s, uint32_t size);

/* Whether the library reads this float: a sphere has no second point. */
int float_matters(const input *in, uint32_t element, uint32_t offset);

uint64_t hash_bytes(const void *bytes, size_t size);

#endif
