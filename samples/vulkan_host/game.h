// The engine around the hair: opens everything, runs the frames, closes everything.
#ifndef GAME_H
#define GAME_H

#include "asset.h"
#include "controls.h"
#include "draw.h"
#include "hair.h"
#include "picture.h"
#include "settings.h"
#include "target.h"
#include "window.h"

typedef struct game {
    settings settings;
    gpu gpu;
    bool has_window;
    bool hurry;   // a window that the CPU draws: with less detail
    bool nowhere; // no window and no file for pictures: nothing was opened
    window window;
    hair hair;
    draw draw;
    uint32_t samples; // a pixel
    target target;
    asset asset;
    orbit orbit;
    vec3 head_moved; // from the bind pose, smoothed over time
    bool paused, windy;
    picture_sheet sheet;

    VkSemaphore drawn;              // timeline: value n means that n frames are drawn
    uint32_t submitted;             // frames so far
    uint32_t strand_count;          // of the last one
    bool pending[FRAMES_IN_FLIGHT]; // the slot's last frame is not collected yet
    uint32_t frame_in[FRAMES_IN_FLIGHT];
    double time_s; // of the motion
    double opened_s, began_s, first_frame_s, last_frame_s, title_s, progress_s;
    double step_s, draw_s; // in all frames
} game;

// False after a failure, which was printed.
bool game_open(game *g, const settings *s);
bool game_run(game *g);

// Also after a failure. False: the validation layers reported something.
bool game_close(game *g);

#endif
