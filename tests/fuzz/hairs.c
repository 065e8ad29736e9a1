/* Calls on a hair, and the checks after each. */
#include "../../core/hash.h"
#include "host.h"

/* The state of a hair, or null when it cannot be saved. To be freed. */
static unsigned char *snapshot(plait_hair hair, uint64_t *size) {
    if (plait_hair_state_size(hair, size) != PLAIT_OK) {
        return NULL;
    }
    unsigned char *state = malloc(*size);
    CHECK(plait_hair_save(hair, state, *size) == PLAIT_OK);
    return state;
}

/* Checks a hair after a call: unchanged if the call failed, finite if not. */
static void judge(plait_hair hair, plait_result result, unsigned char *before, uint64_t size) {
    known(result);
    if (before && result < 0) {
        uint64_t size_after;
        unsigned char *after = snapshot(hair, &size_after);
        CHECK(after && size_after == size && memcmp(before, after, size) == 0);
        free(after);
    }
    free(before);
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    if (result >= 0 && plait_hair_query(hair, &info) == PLAIT_OK) {
        plait_output_attribute attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
        plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
        attribute.attribute = PLAIT_ATTRIBUTE_POSITION;
        attribute.format = PLAIT_FORMAT_FLOAT32X3;
        attribute.stride = 12;
        desc.attribute_count = 1;
        desc.attributes = &attribute;
        desc.size = 12 * (uint64_t)info.vertex_count;
        float *positions = malloc(desc.size);
        desc.memory = positions;
        CHECK(plait_hair_read(hair, &desc) == PLAIT_OK);
        for (uint32_t i = 0; i < 3 * info.vertex_count; ++i) {
            CHECK(isfinite(positions[i]));
        }
        free(positions);
    }
}

void take_mesh(host *h, float (*positions)[4], plait_mesh_pose_desc *pose) {
    *pose = (plait_mesh_pose_desc)PLAIT_MESH_POSE_DESC_INIT;
    pose->vertex_count = take_fault(&h->in, 32) ? take_byte(&h->in) % MESH_VERTICES : MESH_VERTICES;
    pose->format = take_fault(&h->in, 32) ? take_byte(&h->in) : PLAIT_FORMAT_FLOAT32X4;
    pose->positions = positions;
    for (uint32_t i = 0; i < MESH_VERTICES; ++i) {
        positions[i][0] = 0.02f * (float)i;
        positions[i][1] = take_chance(&h->in, 4) ? take_float(&h->in, 0.1f) : 0;
        positions[i][2] = i % 2 ? 0.05f : -0.05f;
        positions[i][3] = NAN;
    }
}

/* A frame of the fuzzer's choice and what it points to. */
typedef struct chosen_frame {
    plait_frame_desc desc;
    float bones[MAX_BONES][12], vertices[MESH_VERTICES][4];
    uint32_t enabled;
    plait_frame_sync_desc sync;
    plait_mesh_pose_desc pose;
} chosen_frame;

static void take_frame(host *h, plait_hair hair, chosen_frame *f) {
    float limit = 1e-5f;
    plait_frame_desc *frame = &f->desc;
    f->enabled = take_byte(&h->in);
    *frame = (plait_frame_desc)PLAIT_FRAME_DESC_INIT;
    for (uint32_t i = 0; i < SLOTS; ++i) {
        limit = hair.id && h->rates[i].id == hair.id ? 64 / h->rates[i].steps_per_s : limit;
    }
    frame->dt = take_float(&h->in, 1.0f / 60);
    frame->dt = frame->dt > limit ? limit : frame->dt;
    frame->bone_count = take_fault(&h->in, 16) ? take_byte(&h->in) % (MAX_BONES + 1) : MAX_BONES;
    take_bones(h, f->bones);
    frame->bones = take_chance(&h->in, 2) ? f->bones[0] : NULL;
    for (int i = 0; i < 3; ++i) {
        frame->gravity[i] = take_float(&h->in, 10);
        frame->wind[i] = take_float(&h->in, 3);
    }
    frame->colliders_enabled = take_chance(&h->in, 4) ? &f->enabled : NULL;
    frame->colliders_enabled_words = take_chance(&h->in, 2);
    frame->reserved = take_fault(&h->in, 64);
    for (int i = 0; i < 3; ++i) {
        frame->origin[i] = take_chance(&h->in, 4) ? take_float(&h->in, 1e4f) : 0;
    }
    f->sync = (plait_frame_sync_desc)PLAIT_FRAME_SYNC_DESC_INIT;
    uint32_t other;
    if (take_chance(&h->in, 8)) { /* never for a value that nobody will signal */
        f->sync.wait_semaphore.id = take_handle(h, SEMAPHORE, &other);
        f->sync.signal_semaphore.id = take_handle(h, SEMAPHORE, &other);
        plait_semaphore_query(f->sync.wait_semaphore, &f->sync.wait_value);
        plait_semaphore_query(f->sync.signal_semaphore, &f->sync.signal_value);
        f->sync.signal_value += take_below(&h->in, 4);
        frame->head.next = &f->sync;
    }
    take_mesh(h, f->vertices, &f->pose);
    if (take_chance(&h->in, 3)) {
        f->pose.head.next = frame->head.next;
        frame->head.next = &f->pose;
    }
}

void hair_step(host *h) {
    uint32_t slot;
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    chosen_frame frame;
    take_frame(h, hair, &frame);
    void *copy = spoil(&h->in, &frame.desc, sizeof frame.desc, 1);
    uint64_t size = 0;
    unsigned char *before = take_chance(&h->in, 4) ? snapshot(hair, &size) : NULL;
    judge(hair, plait_hair_step(hair, copy), before, size);
    free(copy);
}

void hairs_step(host *h) {
    enum { MOST = 3 };
    uint32_t slot, count = take_below(&h->in, MOST + 1);
    plait_context context = {take_handle(h, CONTEXT, &slot)};
    plait_hair hairs[MOST];
    chosen_frame frames[MOST];
    plait_frame_desc descs[MOST];
    unsigned char *before[MOST];
    uint64_t sizes[MOST] = {0};
    for (uint32_t i = 0; i < MOST; ++i) {
        hairs[i].id = take_handle(h, HAIR, &slot);
        take_frame(h, hairs[i], &frames[i]);
        descs[i] = frames[i].desc;
        before[i] = i < count ? snapshot(hairs[i], &sizes[i]) : NULL;
    }
    void *copy = spoil(&h->in, descs, sizeof descs[0], MOST);
    plait_result result = plait_hairs_step(context, count, hairs, copy);
    for (uint32_t i = 0; i < count; ++i) {
        judge(hairs[i], result, before[i], sizes[i]);
    }
    free(copy);
}

void hair_place(host *h) {
    uint32_t slot;
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    float bones[MAX_BONES][12];
    take_bones(h, bones);
    uint32_t count = take_chance(&h->in, 8) ? take_below(&h->in, MAX_BONES) : MAX_BONES;
    const float *given = take_chance(&h->in, 8) ? NULL : bones[0];
    uint64_t size = 0;
    unsigned char *before = snapshot(hair, &size);
    if (take_chance(&h->in, 3)) {
        plait_place_desc desc = PLAIT_PLACE_DESC_INIT;
        plait_mesh_pose_desc pose;
        float vertices[MESH_VERTICES][4];
        take_mesh(h, vertices, &pose);
        desc.kind = take_fault(&h->in, 16) ? take_byte(&h->in) : PLAIT_PLACE_RESET + take_below(&h->in, 2);
        desc.bone_count = count;
        desc.bones = given;
        desc.head.next = take_chance(&h->in, 2) ? &pose : NULL;
        judge(hair, plait_hair_place(hair, &desc), before, size);
        return;
    }
    judge(hair, take_chance(&h->in, 2) ? plait_hair_reset(hair, count, given) : plait_hair_teleport(hair, count, given),
          before, size);
}

void hair_set_params(host *h) {
    uint32_t slot;
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    plait_shape_params params[3];
    plait_hybrid_params rods[3];
    int of_rods = take_chance(&h->in, 2); /* which the hair may not be of */
    take_params(h, params);
    take_rods(h, rods);
    void *array = of_rods ? spoil(&h->in, rods, sizeof rods[0], 3) : spoil(&h->in, params, sizeof params[0], 3);
    uint64_t size = 0;
    unsigned char *before = snapshot(hair, &size);
    judge(hair, plait_hair_set_params(hair, take_below(&h->in, 4), array), before, size);
    free(array);
}

void hair_set_body(host *h) {
    uint32_t slot;
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    plait_body body = {take_chance(&h->in, 4) ? 0 : take_handle(h, BODY, &slot)};
    uint64_t size = 0;
    unsigned char *before = snapshot(hair, &size);
    judge(hair, plait_hair_set_body(hair, body), before, size);
}

void hair_set_device(host *h) {
    uint32_t slot;
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    plait_device device = {take_handle(h, DEVICE, &slot)};
    uint64_t size = 0;
    unsigned char *before = snapshot(hair, &size);
    judge(hair, plait_hair_set_device(hair, device), before, size);
}

static plait_result PLAIT_CALL go_on(void *user, const plait_settle_info *info) {
    bytes *in = user;
    CHECK(info->step_count > 0 && isfinite(info->speed) && isfinite(info->acceleration));
    return in && take_chance(in, 4) ? PLAIT_INCOMPLETE : PLAIT_OK; /* a desc that is too short has no user */
}

void hair_settle(host *h) {
    uint32_t slot;
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    plait_settle_desc desc = PLAIT_SETTLE_DESC_INIT;
    plait_settle_info info = PLAIT_SETTLE_INFO_INIT;
    for (int i = 0; i < 3; ++i) {
        desc.gravity[i] = take_float(&h->in, 10);
        desc.wind[i] = take_float(&h->in, 3);
    }
    desc.max_speed = take_float(&h->in, 1e-2f);
    desc.max_acceleration = take_float(&h->in, 1);
    desc.max_steps = take_fault(&h->in, 16) ? 0xffffff00u : 1 + take_below(&h->in, 8);
    desc.progress_steps = take_below(&h->in, 4);
    desc.progress = take_chance(&h->in, 2) ? go_on : NULL;
    desc.user = &h->in;
    void *copy = spoil(&h->in, &desc, sizeof desc, 1), *told = spoil(&h->in, &info, sizeof info, 1);
    uint64_t size = 0;
    unsigned char *before = snapshot(hair, &size);
    judge(hair, plait_hair_settle(hair, copy, take_chance(&h->in, 4) ? NULL : told), before, size);
    free(copy);
    free(told);
}

/* Hair-hair forces: on with usual or unusual numbers, off, and what they say of themselves. */
void hair_volume(host *h) {
    uint32_t slot;
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    bytes *in = &h->in;
    plait_volume_params params = PLAIT_VOLUME_PARAMS_INIT;
    known(plait_volume_params_default(take_chance(in, 4) ? take_float(in, 1) : 1, &params));
    params.model = take_fault(in, 16) ? take_byte(in) : 1 + take_below(in, 2);
    params.substeps = take_fault(in, 16) ? take_byte(in) : 1 + take_below(in, 3);
    float *numbers[] = {&params.cell_size,       &params.youngs_modulus, &params.poisson_ratio, &params.density,
                        &params.friction_angle,  &params.flip_ratio,     &params.loose_closing, &params.loose_opening,
                        &params.simulated_share, &params.strength};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        if (take_chance(in, 4)) {
            *numbers[i] = take_float(in, *numbers[i]);
        }
    }
    params.max_blocks = take_chance(in, 2) ? 0 : take_fault(in, 8) ? take_u32(in) : take_below(in, 64);
    params.reserved = take_fault(in, 64);
    void *copy = spoil(in, &params, sizeof params, 1);
    uint64_t size = 0;
    unsigned char *before = snapshot(hair, &size);
    judge(hair, plait_hair_set_volume(hair, take_chance(in, 4) ? NULL : copy), before, size);
    free(copy);
    plait_volume_info info = PLAIT_VOLUME_INFO_INIT;
    void *told = spoil(in, &info, sizeof info, 1);
    known(plait_hair_volume(hair, told));
    free(told);
}

/* Sets an output in memory that stays, or reads into memory that is just as long as it says. */
void hair_output(host *h) {
    uint32_t slot;
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    plait_output_attribute attributes[3];
    plait_output_desc desc = PLAIT_OUTPUT_DESC_INIT;
    bytes *in = &h->in;
    uint32_t stride = 48 + 4 * take_below(in, 4), first = take_below(in, 3);
    int reads = take_chance(in, 2);
    for (uint32_t i = 0; i < 3; ++i) {
        attributes[i] = (plait_output_attribute)PLAIT_OUTPUT_ATTRIBUTE_INIT;
        attributes[i].attribute = take_fault(in, 16) ? take_byte(in) : 1 + (first + i) % 3;
        attributes[i].format = take_fault(in, 16) ? take_byte(in) : 1 + take_below(in, 2);
        attributes[i].offset = 16 * i;
        attributes[i].stride = stride;
        if (take_chance(in, 8)) {
            attributes[i].offset = take_chance(in, 2) ? (uint64_t)take_u32(in) << take_below(in, 40) : take_byte(in);
        }
        if (take_chance(in, 8)) {
            attributes[i].stride = take_chance(in, 2) ? (uint64_t)take_u32(in) << take_below(in, 40) : take_byte(in);
        }
    }
    void *array = spoil(in, attributes, sizeof attributes[0], 3);
    desc.attributes = array;
    desc.attribute_count = take_fault(in, 32) ? 9 + take_byte(in) : take_below(in, 4);
    desc.size = sizeof h->output;
    if (take_chance(in, 4)) {
        desc.size = take_u32(in) % sizeof h->output;
    }
    unsigned char *exact = malloc(desc.size + !desc.size);
    desc.memory = reads ? (void *)exact : (void *)h->output;
    desc.reserved = take_fault(in, 64);
    plait_cuda_output_desc cuda = PLAIT_CUDA_OUTPUT_DESC_INIT; /* no device here belongs to a CUDA host */
    cuda.context = take_chance(in, 2) ? h : NULL;
    cuda.pointer = take_byte(in);
    void *extension = spoil(in, &cuda, sizeof cuda, 1);
    if (take_fault(in, 8)) {
        desc.head.next = extension;
        desc.memory = take_chance(in, 2) ? NULL : desc.memory;
    }
    void *copy = spoil(in, &desc, sizeof desc, 1);
    if (reads) {
        judge(hair, plait_hair_read(hair, copy), NULL, 0);
    } else {
        int render = take_chance(in, 4);
        void *given = take_chance(in, 8) ? NULL : copy;
        judge(hair, render ? plait_hair_set_render_output(hair, given) : plait_hair_set_output(hair, given), NULL, 0);
    }
    free(exact);
    free(array);
    free(copy);
    free(extension);
}

/* A state that was just saved can always be loaded. */
void hair_save(host *h) {
    uint32_t slot;
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    uint64_t size;
    unsigned char *state = snapshot(hair, &size);
    if (state) {
        CHECK(plait_hair_load(hair, state, size) == PLAIT_OK);
        free(h->blob);
        h->blob = state;
        h->blob_size = size;
    }
}

void hair_load(host *h) {
    uint32_t slot;
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    if (!h->blob) {
        return;
    }
    uint64_t given = take_chance(&h->in, 4) ? take_u32(&h->in) % (h->blob_size + 1) : h->blob_size;
    unsigned char *damaged = malloc(given + !given);
    memcpy(damaged, h->blob, given);
    for (uint32_t i = take_chance(&h->in, 2) ? 1 + take_below(&h->in, 8) : 0; i > 0 && given > 0; --i) {
        damaged[take_u32(&h->in) % given] ^= take_byte(&h->in);
    }
    uint64_t size = 0;
    unsigned char *before = snapshot(hair, &size);
    judge(hair, plait_hair_load(hair, damaged, given), before, size);
    free(damaged);
}

/* Render strands: a binding of any two grooms, on or off, with usual or unusual numbers. */
void hair_render(host *h) {
    uint32_t slot;
    bytes *in = &h->in;
    plait_context context = {take_handle(h, CONTEXT, &slot)};
    plait_hair hair = {take_handle(h, HAIR, &slot)};
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    desc.guides.id = take_handle(h, GROOM, &slot);
    desc.render.id = take_chance(in, 2) ? desc.guides.id : take_handle(h, GROOM, &slot);
    desc.guide_count = take_fault(in, 16) ? take_byte(in) : take_below(in, 5);
    desc.flags = take_fault(in, 32) ? take_u32(in) : take_below(in, 2);
    float *numbers[] = {&desc.parting_angle, &desc.shape_weight, &desc.length_weight};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        if (take_chance(in, 4)) {
            *numbers[i] = take_float(in, 1);
        }
    }
    desc.reserved = take_fault(in, 64);
    void *copy = spoil(in, &desc, sizeof desc, 1);
    plait_binding binding = {0};
    keep(h, BINDING, known(plait_binding_create(context, copy, &binding)), binding.id);
    free(copy);
    plait_binding_info info = PLAIT_BINDING_INFO_INIT;
    void *told = spoil(in, &info, sizeof info, 1);
    binding.id = take_handle(h, BINDING, &slot);
    known(plait_binding_query(binding, told));
    free(told);
    uint64_t bytes_needed = 0;
    if (known(plait_binding_save(binding, &bytes_needed, NULL)) == PLAIT_OK) {
        unsigned char *saved = malloc(bytes_needed);
        known(plait_binding_save(binding, &bytes_needed, saved));
        if (take_chance(in, 2)) {
            saved[take_u32(in) % bytes_needed] ^= (unsigned char)(1 + take_byte(in) % 255);
            if (take_chance(in, 2)) { /* the checksum, of what is behind it, is right: other checks have to see it */
                uint64_t checksum = hash_bytes(HASH_START, saved + 16, bytes_needed - 16);
                memcpy(saved + 8, &checksum, sizeof checksum);
            }
        }
        plait_binding loaded = {0};
        keep(h, BINDING, known(plait_binding_load(context, desc.guides, desc.render, saved, bytes_needed, &loaded)),
             loaded.id);
        free(saved);
    }
    plait_render_params params = PLAIT_RENDER_PARAMS_INIT;
    known(plait_render_params_default(&params));
    float *values[] = {&params.single_root, &params.single_tip,      &params.length,         &params.width_root,
                       &params.width_tip,   &params.strand_fraction, &params.vertex_fraction};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        if (take_chance(in, 3)) {
            *values[i] = take_fault(in, 8) ? take_float(in, 1) : (float)(1 + take_below(in, 100)) / 100;
        }
    }
    params.flags = take_chance(in, 3) ? PLAIT_RENDER_PUSH_OUT : 0;
    copy = spoil(in, &params, sizeof params, 1);
    uint64_t size = 0;
    unsigned char *before = snapshot(hair, &size);
    judge(hair, plait_hair_set_render_params(hair, copy), before, size);
    free(copy);
    plait_render_style style = PLAIT_RENDER_STYLE_INIT;
    known(plait_render_style_default(&style));
    float *lengths[] = {&style.scatter,    &style.clump_size, &style.curl_radius,
                        &style.curl_pitch, &style.frizz,      &style.frizz_length};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        if (take_chance(in, 2)) {
            *lengths[i] = take_fault(in, 8) ? take_float(in, 1) : (float)take_below(in, 100) / 1000;
        }
    }
    style.clump = take_fault(in, 8) ? take_float(in, 1) : (float)take_below(in, 100) / 100;
    style.seed = take_u32(in);
    copy = spoil(in, &style, sizeof style, 1);
    before = snapshot(hair, &size);
    judge(hair, plait_hair_set_render_styles(hair, take_below(in, 2), copy), before, size);
    free(copy);
    before = snapshot(hair, &size);
    judge(hair, plait_hair_set_binding(hair, take_chance(in, 6) ? (plait_binding){0} : binding), before, size);
}
