/* Sequences of calls from the fuzzer's bytes: usually a valid session first, then any calls on it, with valid and invalid
 * arguments. Checked all along: results exist, failures give no handles and change nothing, states can be loaded again,
 * output stays finite. */
#include "host.h"

enum { MAX_CALLS = 96 };

static void make_session(host *h) {
    context_create(h);
    device_open(h);
    groom_create(h);
    body_create(h);
    hair_create(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const calls[])(host *) = {
        hair_step,      hair_step,   hair_step,       hair_step,     hair_step,      hair_step,   hair_step,
        hair_place,     hair_save,   hair_set_params, hair_set_body, hair_output,    hair_load,   look,
        context_create, device_open, hair_set_device, groom_create,  body_create,    hair_create, destroy,
        hair_step,      hair_step,   hair_output,     hair_load,     semaphore_call, hair_settle, hair_volume,
        hair_render,    hair_render, hairs_step,
    };
    host *h = calloc(1, sizeof *h);
    h->in = (bytes){data, size, 0};
    if (size > 0 && data[0] % 8) {
        /* One of 57,344 valid sessions, for the price of two bytes. */
        uint8_t choices[256];
        uint32_t seed = data[0] * 256u + (size > 1 ? data[1] : 0);
        for (size_t i = 0; i < sizeof choices; ++i) {
            seed = seed * 1664525u + 1013904223u;
            choices[i] = (uint8_t)(seed >> 24);
        }
        h->in = (bytes){choices, sizeof choices, 1};
        make_session(h);
        CHECK(h->handles[HAIR][0] != 0);
        h->in = (bytes){data + (size > 1 ? 2 : 1), size > 1 ? size - 2 : 0, 0};
    } else {
        make_session(h);
    }
    for (int i = 0; i < MAX_CALLS && h->in.left > 0; ++i) {
        calls[take_below(&h->in, sizeof calls / sizeof calls[0])](h);
    }
    for (int i = 0; i < SLOTS; ++i) {
        plait_context_destroy((plait_context){h->handles[CONTEXT][i]});
    }
    free(h->blob);
    free(h);
    return 0;
}
