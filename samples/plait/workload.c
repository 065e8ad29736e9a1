// See workload.h.
#include "workload.h"

#include <stdio.h>

bool workload_open(workload *w, uint32_t solver, uint32_t level, uint32_t vertices, uint32_t threads,
                   uint32_t instruction_set) {
    host_options where = {PLAIT_BACKEND_CPU, instruction_set, threads};
    scene_groom_options shape = {.vertex_count = vertices,
                                 .length_m = 0.3f,
                                 .radius_m = 4e-5f,
                                 .curl_radius_m = 0.008f,
                                 .curl_pitch_m = 0.04f,
                                 .seed = 1};
    scene_groom groom;
    *w = (workload){0};
    if (!scene_groom_icosphere(level, &shape, &groom)) {
        fprintf(stderr, "plait bench: out of memory\n");
        return false;
    }
    host_hair hair = {.groom = &groom, .solver = solver, .step_rate_hz = 60};
    bool opened = host_open(&where, &w->host) && host_grow(&w->host, &hair);
    w->particles = groom.vertex_count;
    scene_groom_free(&groom);
    for (int i = 0; opened && i < 10; i++) opened = workload_step(w);
    return opened;
}

bool workload_step(void *argument) {
    const workload *w = argument;
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.gravity[1] = -9.81f;
    return host_check(plait_hair_step(w->host.hair, &frame), "plait_hair_step");
}
