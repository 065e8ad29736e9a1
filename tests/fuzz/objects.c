/* Creating, querying and destroying objects. Arrays are always as long as their counts say: the library cannot check
 * that. */
#include "host.h"

static void PLAIT_CALL ignore(void *user, uint32_t level, int32_t id, const char *text) {
    (void)user, (void)level;
    CHECK(text && strlen(text) < 4096 && !strchr(text, '\n'));
    CHECK(id >= PLAIT_ERROR_SYSTEM && id <= PLAIT_MESSAGE_VOLUME_FULL);
}

static void PLAIT_CALL run_all(void *user, uint32_t count, plait_job job, void *argument) {
    (void)user;
    while (count-- > 0) {
        job(argument, count);
    }
}

void context_create(host *h) {
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    plait_logger logger = PLAIT_LOGGER_INIT;
    plait_jobs jobs = PLAIT_JOBS_INIT;
    plait_context context = {1};
    logger.log = ignore;
    logger.min_level = take_below(&h->in, h->in.tame ? 5 : 6);
    jobs.parallel_for = run_all;
    jobs.thread_count = 1 + take_below(&h->in, 4);
    desc.logger = spoil(&h->in, &logger, sizeof logger, 1);
    desc.jobs = spoil(&h->in, &jobs, sizeof jobs, 1);
    desc.reserved = take_fault(&h->in, 32);
    void *in = spoil(&h->in, &desc, sizeof desc, 1);
    plait_result result = known(plait_context_create(in, &context));
    if (result == PLAIT_OK && h->handles[CONTEXT][SLOTS - 1]) {
        plait_context_destroy((plait_context){h->handles[CONTEXT][SLOTS - 1]});
    }
    keep(h, CONTEXT, result, context.id);
    free((void *)(uintptr_t)desc.logger);
    free((void *)(uintptr_t)desc.jobs);
    free(in);
}

void device_open(host *h) {
    uint32_t slot;
    plait_device_cpu_desc cpu = PLAIT_DEVICE_CPU_DESC_INIT;
    plait_cuda_device_desc cuda = PLAIT_CUDA_DEVICE_DESC_INIT;
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device = {1};
    static const uint32_t backends[] = {PLAIT_BACKEND_CPU,    PLAIT_BACKEND_CPU,  PLAIT_BACKEND_CPU,
                                        PLAIT_BACKEND_CPU,    PLAIT_BACKEND_BEST, PLAIT_BACKEND_NULL,
                                        PLAIT_BACKEND_VULKAN, PLAIT_BACKEND_CUDA, 5};
    desc.backend = backends[take_below(&h->in, h->in.tame ? 4 : 9)];
    desc.index = take_fault(&h->in, 16);
    cpu.instruction_set = take_below(&h->in, h->in.tame ? 4 : 6);
    cpu.reserved = take_fault(&h->in, 32);
    if (desc.backend != PLAIT_BACKEND_CUDA) { /* an invalid CUcontext cannot be detected */
        cuda.context = h;
    }
    void *extension = take_fault(&h->in, 8) ? spoil(&h->in, &cuda, sizeof cuda, 1) : spoil(&h->in, &cpu, sizeof cpu, 1);
    desc.head.next = take_chance(&h->in, 2) ? extension : NULL;
    void *in = spoil(&h->in, &desc, sizeof desc, 1);
    plait_context context = {take_handle(h, CONTEXT, &slot)};
    keep(h, DEVICE, known(plait_device_open(context, take_fault(&h->in, 16) ? NULL : in, &device)), device.id);
    free(extension);
    free(in);
}

void groom_create(host *h) {
    uint32_t slot, vertex = 0;
    uint32_t vertex_counts[MAX_STRANDS], root_bones[MAX_STRANDS];
    float positions[MAX_VERTICES][3], radii[MAX_VERTICES], normals[MAX_STRANDS][3], bind_pose[MAX_BONES][12];
    plait_root_binding bindings[MAX_STRANDS];
    uint16_t group_indices[MAX_STRANDS];
    uint32_t held_counts[MAX_STRANDS];
    plait_group_desc groups[3];
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    plait_groom groom = {1};
    bytes *in = &h->in;
    uint32_t shape = take_byte(in), wrong = take_fault(in, 8);

    desc.strand_count = 1 + take_below(in, MAX_STRANDS);
    desc.bone_count = 1 + take_below(in, MAX_BONES);
    desc.group_count = take_below(in, 4);
    for (uint32_t s = 0; s < desc.strand_count; ++s) {
        vertex_counts[s] = 2 + (shape * (s + 3)) % 19;
        root_bones[s] = (s + shape) % desc.bone_count;
        held_counts[s] = 1 + (shape + s) % vertex_counts[s];
        held_counts[s] = take_fault(in, 64) ? take_byte(in) : held_counts[s];
        group_indices[s] = (uint16_t)(desc.group_count ? s % desc.group_count : 0);
        bindings[s] = (plait_root_binding){{s % desc.bone_count, (s + 1) % desc.bone_count, 0, 0}, {0.5f, 0.5f, 0, 0}};
        normals[s][0] = 0, normals[s][1] = 1, normals[s][2] = 0.1f * (float)s;
        for (uint32_t v = 0; v < vertex_counts[s]; ++v, ++vertex) {
            positions[vertex][0] = 0.01f * (float)s;
            positions[vertex][1] = 0.02f * (float)v;
            positions[vertex][2] = 0.003f * (float)(v * v % 5);
            radii[vertex] = 5e-5f;
        }
    }
    for (int i = 0; i < 3; ++i) {
        groups[i] = (plait_group_desc)PLAIT_GROUP_DESC_INIT;
        groups[i].radius = take_float(in, 1e-4f);
        groups[i].friction = take_float(in, 1);
    }
    take_bones(h, bind_pose);
    for (uint32_t i = wrong ? take_below(in, 8) : 0; i > 0; --i) {
        uint32_t s = take_below(in, desc.strand_count);
        switch (take_below(in, 7)) {
        case 0: positions[take_byte(in) % vertex][take_below(in, 3)] = take_float(in, 0.1f); break;
        case 1: radii[take_byte(in) % vertex] = take_float(in, 1e-4f); break;
        case 2: normals[s][take_below(in, 3)] = take_float(in, 1); break;
        case 3: bindings[s].weights[take_below(in, 4)] = take_float(in, 1); break;
        case 4: bindings[s].bones[take_below(in, 4)] = take_u32(in); break;
        case 5: root_bones[s] = take_u32(in); break;
        default: group_indices[s] = (uint16_t)take_u32(in);
        }
    }
    desc.vertex_counts = vertex_counts;
    desc.positions = positions[0];
    desc.radii = take_chance(in, 2) ? radii : NULL;
    desc.root_bones = take_chance(in, 2) ? root_bones : NULL;
    desc.root_bindings = desc.root_bones ? NULL : bindings;
    desc.bind_pose = take_chance(in, 2) ? bind_pose[0] : NULL;
    desc.root_normals = take_chance(in, 2) ? normals[0] : NULL;
    desc.group_indices = take_chance(in, 2) ? group_indices : NULL;
    void *group_array = spoil(in, groups, sizeof groups[0], 3);
    desc.groups = take_chance(in, 2) ? group_array : NULL;
    desc.held_counts = take_chance(in, 2) ? held_counts : NULL;
    desc.reserved = take_fault(in, 64);
    if (take_fault(in, 32)) {
        desc.strand_count = 0xffffffffu - take_byte(in);
    }
    plait_groom_mesh_desc mesh = PLAIT_GROOM_MESH_DESC_INIT;
    float mesh_positions[MESH_VERTICES][4];
    uint16_t indices[MESH_VERTICES - 2][3];
    uint32_t on[MAX_STRANDS];
    plait_mesh_pose_desc pose;
    take_mesh(h, mesh_positions, &pose);
    for (uint32_t i = 0; i + 2 < MESH_VERTICES; ++i)
        for (uint32_t k = 0; k < 3; ++k) indices[i][k] = (uint16_t)(take_fault(in, 64) ? take_byte(in) : i + k);
    for (uint32_t s = 0; s < MAX_STRANDS; ++s) on[s] = take_fault(in, 64) ? take_byte(in) : s % (MESH_VERTICES - 2);
    mesh.vertex_count = MESH_VERTICES;
    mesh.triangle_count = MESH_VERTICES - 2;
    mesh.index_format = take_fault(in, 32) ? take_byte(in) & 1 : PLAIT_INDEX_UINT16;
    mesh.position_format = PLAIT_FORMAT_FLOAT32X4;
    mesh.indices = indices;
    mesh.positions = mesh_positions;
    mesh.root_triangles = take_chance(in, 2) && desc.strand_count <= MAX_STRANDS ? on : NULL;
    void *mesh_copy = spoil(in, &mesh, sizeof mesh, 1);
    desc.head.next = take_chance(in, 3) ? mesh_copy : NULL;
    void *copy = spoil(in, &desc, sizeof desc, 1);
    plait_result result = known(plait_groom_create((plait_context){take_handle(h, CONTEXT, &slot)}, copy, &groom));
    keep(h, GROOM, result, groom.id);
    if (result == PLAIT_OK) {
        plait_groom_info info = PLAIT_GROOM_INFO_INIT;
        CHECK(plait_groom_query(groom, &info) == PLAIT_OK);
        memmove(h->group_counts + 1, h->group_counts, sizeof h->group_counts - sizeof h->group_counts[0]);
        h->group_counts[0] = info.group_count;
    }
    free(group_array);
    free(mesh_copy);
    free(copy);
}

void body_create(host *h) {
    uint32_t slot;
    plait_collider colliders[MAX_COLLIDERS];
    plait_body_desc desc = PLAIT_BODY_DESC_INIT;
    plait_body body = {1};
    bytes *in = &h->in;
    desc.bone_count = 1 + take_below(in, in->tame ? 1 : MAX_BONES);
    desc.collider_count = take_below(in, MAX_COLLIDERS + 1);
    desc.collider_count += in->tame && desc.collider_count == 0;
    for (uint32_t i = 0; i < MAX_COLLIDERS; ++i) {
        plait_collider *c = &colliders[i];
        *c = (plait_collider)PLAIT_COLLIDER_INIT;
        c->kind = take_fault(in, 32) ? take_byte(in) : 1 + take_below(in, 3);
        c->bone = take_fault(in, 32) ? take_u32(in) : take_below(in, desc.bone_count);
        for (int k = 0; k < 6; ++k) {
            c->points[k / 3][k % 3] = take_float(in, 0.1f);
        }
        c->radii[0] = take_float(in, 0.05f);
        c->radii[1] = take_float(in, 0.05f);
        c->friction = take_float(in, 0.4f);
        c->reserved = take_fault(in, 64);
    }
    void *array = spoil(in, colliders, sizeof colliders[0], MAX_COLLIDERS);
    desc.colliders = array;
    void *copy = spoil(in, &desc, sizeof desc, 1);
    plait_result result = known(plait_body_create((plait_context){take_handle(h, CONTEXT, &slot)}, copy, &body));
    keep(h, BODY, result, body.id);
    free(array);
    free(copy);
}

void hair_create(host *h) {
    uint32_t slot, groom_slot;
    plait_shape_params params[3];
    plait_hybrid_params rods[3];
    float bones[MAX_BONES][12];
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    plait_hair hair = {1};
    bytes *in = &h->in;
    desc.groom.id = take_handle(h, GROOM, &groom_slot);
    desc.device.id = take_handle(h, DEVICE, &slot);
    desc.body.id = take_chance(in, 4) ? 0 : take_handle(h, BODY, &slot);
    int of_rods = take_chance(in, 2);
    desc.solver = take_fault(in, 32) ? take_byte(in) : of_rods ? PLAIT_SOLVER_HYBRID : PLAIT_SOLVER_SHAPE;
    take_params(h, params);
    take_rods(h, rods);
    void *array = of_rods ? spoil(in, rods, sizeof rods[0], 3) : spoil(in, params, sizeof params[0], 3);
    desc.params = array;
    desc.params_count = in->tame || take_below(in, 3) ? h->group_counts[groom_slot] : take_below(in, 4);
    desc.params_count = desc.params_count > 3 ? 3 : desc.params_count;
    take_bones(h, bones);
    desc.bones = take_chance(in, 2) ? bones[0] : NULL;
    desc.meters_per_unit = take_chance(in, 4) ? take_float(in, 1) : 0;
    desc.step_rate_hz = take_chance(in, 4) ? take_float(in, 100) : 0;
    desc.substeps = take_chance(in, 4) ? take_below(in, in->tame ? 8 : 66) : 0;
    desc.max_frame_s = take_chance(in, 4) ? take_float(in, 0.1f) : 0;
    desc.teleport_distance = take_chance(in, 4) ? take_float(in, 1) : 0;
    desc.teleport_angle = take_chance(in, 4) ? take_float(in, 1) : 0;
    desc.flags = take_fault(in, 32) ? take_byte(in) : take_chance(in, 2) ? PLAIT_HAIR_WATCH_MOTION : 0;
    void *copy = spoil(in, &desc, sizeof desc, 1);
    plait_result result = known(plait_hair_create((plait_context){take_handle(h, CONTEXT, &slot)}, copy, &hair));
    keep(h, HAIR, result, hair.id);
    if (result == PLAIT_OK) {
        memmove(h->rates + 1, h->rates, sizeof h->rates - sizeof h->rates[0]);
        h->rates[0].id = hair.id;
        h->rates[0].steps_per_s =
            (desc.step_rate_hz > 0 ? desc.step_rate_hz : 60) * (float)(desc.substeps ? desc.substeps : 1);
    }
    free(array);
    free(copy);
}

void semaphore_call(host *h) {
    uint32_t slot;
    plait_semaphore semaphore = {1};
    plait_device device = {take_handle(h, DEVICE, &slot)};
    plait_external_semaphore external = PLAIT_EXTERNAL_SEMAPHORE_INIT;
    external.kind = take_below(&h->in, 4);
    void *copy = spoil(&h->in, &external, sizeof external, 1);
    keep(h, SEMAPHORE, known(plait_semaphore_create(device, take_fault(&h->in, 4) ? copy : NULL, &semaphore)),
         semaphore.id);
    semaphore.id = take_handle(h, SEMAPHORE, &slot);
    uint64_t value = 0, wanted = take_below(&h->in, 8);
    if (plait_semaphore_query(semaphore, &value) == PLAIT_OK) {
        plait_result result = plait_semaphore_signal(semaphore, value + wanted);
        CHECK(result == (wanted > 0 ? PLAIT_OK : PLAIT_ERROR_INVALID_ARGUMENT));
        CHECK(plait_semaphore_wait(semaphore, value + wanted, UINT64_MAX) == PLAIT_OK);
        CHECK(plait_semaphore_wait(semaphore, value + wanted + 1, 0) == PLAIT_ERROR_TIMEOUT);
    }
    known(plait_semaphore_export(semaphore, take_below(&h->in, 4), copy));
    free(copy);
    uint64_t size = 0;
    known(plait_device_save_cache(device, &size, NULL));
}

void look(host *h) {
    uint32_t slot, count = take_below(&h->in, 6);
    plait_device_info device = PLAIT_DEVICE_INFO_INIT;
    plait_groom_info groom = PLAIT_GROOM_INFO_INIT;
    plait_hair_info hair = PLAIT_HAIR_INFO_INIT;
    plait_stats_info stats = PLAIT_STATS_INFO_INIT;
    plait_stage_info stages[5];
    plait_backend_info backends[5];
    plait_device_info devices[5];
    for (int i = 0; i < 5; ++i) {
        devices[i] = device;
        stages[i] = (plait_stage_info)PLAIT_STAGE_INFO_INIT;
        backends[i] = (plait_backend_info)PLAIT_BACKEND_INFO_INIT;
    }
    count = count > 5 ? 5 : count;
    known(plait_backend_enumerate((plait_context){take_handle(h, CONTEXT, &slot)}, &count, backends));
    known(plait_device_enumerate((plait_context){take_handle(h, CONTEXT, &slot)}, &count, devices));
    known(plait_hair_stages((plait_hair){take_handle(h, HAIR, &slot)}, &count, stages));
    known(plait_device_query((plait_device){take_handle(h, DEVICE, &slot)}, &device));
    known(plait_groom_query((plait_groom){take_handle(h, GROOM, &slot)}, &groom));
    known(plait_hair_wait((plait_hair){take_handle(h, HAIR, &slot)}, take_u32(&h->in)));
    if (plait_hair_stats((plait_hair){take_handle(h, HAIR, &slot)}, &stats) == PLAIT_OK) {
        CHECK(isfinite(stats.worst_stretch) && isfinite(stats.mean_length_error));
    }
    void *copy = spoil(&h->in, &hair, sizeof hair, 1);
    known(plait_hair_query((plait_hair){take_handle(h, HAIR, &slot)}, copy));
    free(copy);
}

void destroy(host *h) {
    uint32_t slot;
    kind what = take_below(&h->in, 16) ? DEVICE + take_below(&h->in, KINDS - 1) : CONTEXT;
    uint64_t id = take_handle(h, what, &slot);
    plait_result result = what == CONTEXT   ? plait_context_destroy((plait_context){id})
                          : what == DEVICE  ? plait_device_close((plait_device){id})
                          : what == GROOM   ? plait_groom_destroy((plait_groom){id})
                          : what == BODY    ? plait_body_destroy((plait_body){id})
                          : what == HAIR    ? plait_hair_destroy((plait_hair){id})
                          : what == BINDING ? plait_binding_destroy((plait_binding){id})
                                            : plait_semaphore_destroy((plait_semaphore){id});
    CHECK(result == PLAIT_OK || result == PLAIT_ERROR_INVALID_HANDLE);
    CHECK(what != HAIR || plait_hair_wait((plait_hair){id}, 0) == PLAIT_ERROR_INVALID_HANDLE);
}
