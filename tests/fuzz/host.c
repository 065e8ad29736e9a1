#include "host.h"

plait_result known(plait_result result) {
    CHECK(result >= PLAIT_ERROR_OTHER_DEVICE && result <= PLAIT_INCOMPLETE);
    return result;
}

void *spoil(bytes *in, const void *whole, size_t size, uint32_t count) {
    plait_head head;
    memcpy(&head, whole, sizeof head);
    if (take_fault(in, 24)) {
        static const uint32_t sizes[] = {0, 15, 16, 20, 24, 32, 40, 48, 56, 64, 72, 80, 88, 104, 136, 200, 4096, 4104};
        switch (take_below(in, 4)) {
        case 0: head.type = take_below(in, 32); break;
        case 1: head.size = sizes[take_below(in, sizeof sizes / sizeof sizes[0])]; break;
        case 2: head.size = take_u32(in); break;
        default: {
            static const plait_head unknown = {77, sizeof unknown, NULL};
            head.next = &unknown;
        }
        }
        size_t given = head.size < sizeof head ? sizeof head : head.size > 8192 ? 8192 : head.size;
        unsigned char *array = calloc(count, given);
        for (uint32_t i = 0; i < count; ++i) {
            memcpy(array + i * given, (const unsigned char *)whole + i * size, size < given ? size : given);
            memcpy(array + i * given, &head, sizeof head);
        }
        if (given > size && take_chance(in, 2)) {
            array[size + take_u32(in) % (given - size)] ^= take_byte(in);
        }
        return array;
    }
    void *copy = malloc(size * count);
    memcpy(copy, whole, size * count);
    return copy;
}

uint64_t take_handle(host *h, kind wanted, uint32_t *slot) {
    uint8_t choice = take_byte(&h->in) % (h->in.tame ? 200 : 256);
    *slot = choice % SLOTS;
    if (choice < 200) {
        *slot = 0;
    }
    uint64_t id = h->handles[wanted][*slot];
    if (choice >= 240) {
        id = h->handles[take_below(&h->in, KINDS)][take_below(&h->in, SLOTS)];
    }
    if (choice >= 248) {
        id ^= (uint64_t)1 << take_below(&h->in, 64);
    }
    if (choice >= 253) {
        id = (uint64_t)take_u32(&h->in) << 32 | take_u32(&h->in);
    }
    return id;
}

void keep(host *h, kind of, plait_result result, uint64_t id) {
    CHECK((result < 0) == (id == 0));
    if (result == PLAIT_OK) {
        for (int i = SLOTS - 1; i > 0; --i) {
            CHECK(h->handles[of][i] != id);
            h->handles[of][i] = h->handles[of][i - 1];
        }
        h->handles[of][0] = id;
    }
}

void take_bones(host *h, float (*bones)[12]) {
    for (uint32_t b = 0; b < MAX_BONES; ++b) {
        float turn = take_float(&h->in, 0.5f), c = cosf(turn), s = sinf(turn);
        float matrix[12] = {c, -s, 0, 0, s, c, 0, 0.1f * (float)b, 0, 0, 1, 0};
        matrix[3] = take_float(&h->in, 0.1f);
        if (take_fault(&h->in, 16)) {
            matrix[take_below(&h->in, 12)] = take_float(&h->in, 1);
        }
        memcpy(bones[b], matrix, sizeof matrix);
    }
}

void take_params(host *h, plait_shape_params params[3]) {
    for (int i = 0; i < 3; ++i) {
        params[i] = (plait_shape_params)PLAIT_SHAPE_PARAMS_INIT;
        CHECK(plait_shape_params_default(1, &params[i]) == PLAIT_OK);
        if (!h->in.tame && take_chance(&h->in, 2)) {
            params[i].compliance_root_s2 = take_float(&h->in, 1e-3f);
            params[i].compliance_tip_s2 = take_float(&h->in, 1e-2f);
            params[i].shape_damping = take_float(&h->in, 0.2f);
            params[i].drag_per_s = take_float(&h->in, 1);
            params[i].damping_per_s = take_float(&h->in, 1);
            params[i].velocity_correction = take_float(&h->in, 0.5f);
            params[i].collision_radius = take_float(&h->in, 1e-3f);
            params[i].reserved = take_fault(&h->in, 64);
        }
    }
}

void take_rods(host *h, plait_hybrid_params params[3]) {
    for (int i = 0; i < 3; ++i) {
        plait_hybrid_params *p = &params[i];
        *p = (plait_hybrid_params)PLAIT_HYBRID_PARAMS_INIT;
        CHECK(plait_hybrid_params_default(1, p) == PLAIT_OK);
        if (!h->in.tame && take_chance(&h->in, 2)) {
            p->stretch_modulus = take_float(&h->in, 1e7f);
            p->bend_modulus = take_float(&h->in, 1e10f);
            p->twist_modulus = take_float(&h->in, 1e10f);
            p->density = take_float(&h->in, 1300);
            p->flatness = take_float(&h->in, 0.5f);
            p->damping_s = take_float(&h->in, 1e-3f);
            p->drag_per_s = take_float(&h->in, 1);
            p->clamp_extension = take_float(&h->in, 1);
            p->held_blend = take_float(&h->in, 1);
            p->max_root_speed = take_float(&h->in, 10);
            p->max_root_turn = take_float(&h->in, 30);
            p->collision_radius = take_float(&h->in, 1e-3f);
            p->rest_gravity[take_below(&h->in, 3)] = take_float(&h->in, -9.81f);
            p->reserved = take_fault(&h->in, 64);
        }
    }
}
