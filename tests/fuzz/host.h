/* The simulated host: its objects so far, and the source of its choices. */
#ifndef PLAIT_FUZZ_HOST_H
#define PLAIT_FUZZ_HOST_H

#include "bytes.h"

#include <plait.h>
#include <plait_cuda.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SLOTS = 4,
    MAX_STRANDS = 12,
    MAX_VERTICES = MAX_STRANDS * 20,
    MAX_BONES = 4,
    MAX_COLLIDERS = 6,
    MESH_VERTICES = 8
};

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef enum kind { CONTEXT, DEVICE, GROOM, BODY, HAIR, SEMAPHORE, BINDING, KINDS } kind;

/* How much work a second of a hair is. */
typedef struct hair_rate {
    uint64_t id;
    float steps_per_s;
} hair_rate;

typedef struct host {
    bytes in;
    uint64_t handles[KINDS][SLOTS]; /* the last ones made, alive or not */
    uint32_t group_counts[SLOTS];   /* of the grooms */
    hair_rate rates[SLOTS];
    float output[MAX_VERTICES * 16]; /* of all hairs: must outlive them, content does not matter */
    unsigned char *blob;             /* saved last */
    uint64_t blob_size;
} host;

/* Checks that the result exists, and returns it. */
plait_result known(plait_result result);

/* A copy of an array of structs that ends where its heads say, to be freed; sometimes its heads are corrupted first. */
void *spoil(bytes *in, const void *whole, size_t size, uint32_t count);

/* Mostly the handle that was made last, sometimes one of another slot, kind, or of nothing. */
uint64_t take_handle(host *h, kind wanted, uint32_t *slot);

/* Remembers a new handle in front, so that the last one is the likeliest to be used. */
void keep(host *h, kind of, plait_result result, uint64_t id);

void take_bones(host *h, float (*bones)[12]);
/* Where the vertices of a mesh are: a strip along the roots, or anything. pose points to positions. */
void take_mesh(host *h, float (*positions)[4], plait_mesh_pose_desc *pose);
void take_params(host *h, plait_shape_params params[3]);
void take_rods(host *h, plait_hybrid_params params[3]);

/* Calls, each with arguments of the fuzzer's choice. */
void context_create(host *h);
void device_open(host *h);
void groom_create(host *h);
void body_create(host *h);
void hair_create(host *h);
void destroy(host *h);
void look(host *h);
void hair_step(host *h);
void hairs_step(host *h);
void hair_place(host *h);
void hair_set_params(host *h);
void hair_set_body(host *h);
void hair_set_device(host *h);
void hair_settle(host *h);
void hair_volume(host *h);
void hair_output(host *h);
void hair_render(host *h);
void hair_save(host *h);
void hair_load(host *h);
void semaphore_call(host *h);

#endif
