// See character.h.
#include "character.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool character_open(character *c, uint32_t backend) {
    memset(c, 0, sizeof *c);
    host_options options = {backend, PLAIT_CPU_AUTO, 0};
    scene_preset preset;
    scene_groom groom;
    scene_body body;
    scene_preset_get(scene_preset_find("2b"), 3840, 100, 1, &preset);
    scene_body_make(&preset.groom.scalp, &body);
    bool made = scene_groom_make(&preset.groom, &groom);
    c->output = made ? malloc(groom.vertex_count * 4 * sizeof *c->output) : NULL;
    if (!c->output) {
        fprintf(stderr, "plait bench: out of memory\n");
        scene_groom_free(&groom);
        return false;
    }
    host_hair hair = {.groom = &groom, .body = &body, .params = &preset.shape};
    bool opened = host_open(&options, &c->host) && host_grow(&c->host, &hair);
    host_output output;
    host_describe_output(groom.vertex_count, 4, c->output, &output);
    scene_groom_free(&groom);
    return opened && host_check(plait_hair_set_output(c->host.hair, &output.desc), "plait_hair_set_output");
}

void character_close(character *c) {
    host_close(&c->host);
    free(c->output);
    memset(c, 0, sizeof *c);
}

bool character_frame(void *argument) {
    character *c = argument;
    float bones[SCENE_BONE_COUNT][12];
    scene_motion_pose(SCENE_MOTION_RUN, (double)c->frame++ / 60, 1, bones);
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    frame.dt = 1.0f / 60;
    frame.gravity[1] = -9.81f;
    frame.bone_count = SCENE_BONE_COUNT;
    frame.bones = bones[0];
    return host_check(plait_hair_step(c->host.hair, &frame), "plait_hair_step") &&
           host_check(plait_hair_wait(c->host.hair, UINT64_MAX), "plait_hair_wait");
}
