// What the command line asks for.
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdint.h>

#include "scene.h"

#define EXIT_NOWHERE 3 // exit code: no window and no file for pictures

#define SETTINGS_BACKEND_USUAL UINT32_MAX // Vulkan where Plait has it, else the CPU

typedef struct settings {
    uint32_t preset, motion; // of scene.h
    uint32_t solver;         // PLAIT_SOLVER_xxx
    uint32_t backend;        // PLAIT_BACKEND_xxx
    uint32_t hair_hair;      // PLAIT_VOLUME_xxx, or 0: none
    uint32_t strands, render_strands;
    const char *groom; // a file instead of a preset, or null
    float scale;       // metres per unit of the file; 0: what it says
    float wind[3];     // m/s; that of the key where it is zero
    float distance;    // of the camera, m; 0: so that the hair fills the picture
    uint32_t guides;   // shown instead of render strands
    uint32_t samples;  // a pixel; 0: four, or one in a window that the CPU draws
    uint32_t frames;   // 0: until the window is closed
    uint32_t every;    // steps a frame, where frames are given
    uint32_t swap_every;
    uint32_t width, height;
    uint32_t headless, validate, test_window;
    const char *record, *contact_sheet, *library; // or null
} settings;

// OPTIONS_RUN: go on; else the exit code, see options.h.
int settings_read(settings *s, int argc, char **argv);

#endif
