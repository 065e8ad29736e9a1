// See settings.h.
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../plait/options.h"

static const char COMMAND[] = "vulkan_host";

static int read_scene(settings *s, const char *scene, const char *motion);
static int read_size(settings *s, const char *size);
static void list(char *text, size_t size, const char *(*name)(uint32_t), uint32_t count);
static const char *preset_name(uint32_t index);

int settings_read(settings *s, int argc, char **argv) {
    const char *scene = "2a-run", *motion = NULL, *size = "960x640";
    *s = (settings){
        .backend = SETTINGS_BACKEND_USUAL, .solver = 1, .hair_hair = 1, .render_strands = 100000, .every = 1};
    char presets[128], motions[128], purpose[1024];
    list(presets, sizeof presets, preset_name, SCENE_PRESET_COUNT);
    list(motions, sizeof motions, scene_motion_name, SCENE_MOTION_COUNT);
    snprintf(purpose, sizeof purpose,
             "Draws a moving head of hair with Vulkan, straight from the buffer that Plait simulates it in.\n"
             "Few strands, the guides, are simulated; many follow them and are drawn.\n\n"
             "In the window:\n"
             "  left button  turns the camera      wheel  zooms\n"
             "  space        pauses                S      the other solver\n"
             "  W            wind                  B      simulates on Vulkan or the CPU\n"
             "  G            guides or all hair    Esc    leaves\n\n"
             "Scenes are a kind of hair and a motion, such as 2c-run:\n  hair    %s\n  motion  %s",
             presets, motions);
    // Choices are in the order of the constants in plait.h.
    const option options[] = {
        {"scene", OPTION_TEXT, &scene, 0, 0, NULL, "NAME", "hair, or hair-motion; default 2a-run"},
        {"motion", OPTION_TEXT, &motion, 0, 0, NULL, "NAME", "instead of the scene's"},
        {"groom", OPTION_TEXT, &s->groom, 0, 0, NULL, "FILE",
         "hair from a .hair, .tfx or .npz file, instead of the scene's"},
        {"scale", OPTION_NUMBER, &s->scale, 0, 1e6, NULL, NULL,
         "metres per unit of the file; default 0: what it says, or 1"},
        {"solver", OPTION_CHOICE, &s->solver, 0, 0, "shape|hybrid", NULL, "what the physics is; default hybrid"},
        {"hair-hair", OPTION_CHOICE, &s->hair_hair, 0, 0, "off|sand|fluid", NULL,
         "forces between strands; default sand"},
        {"backend", OPTION_CHOICE, &s->backend, 0, 0, "best|cpu|vulkan|cuda", NULL,
         "where Plait runs; default vulkan if available"},
        {"strands", OPTION_COUNT, &s->strands, 1, 100000, NULL, NULL,
         "to simulate; default 3000, or the guides that a file names"},
        {"render-strands", OPTION_COUNT, &s->render_strands, 1, 1000000, NULL, NULL,
         "to draw, from near; fewer from afar; default 100000"},
        {"guides", OPTION_FLAG, &s->guides, 0, 0, NULL, NULL, "draw the simulated strands instead, as G does"},
        {"wind", OPTION_VECTOR, s->wind, -100, 100, NULL, NULL, "m/s; default none, until W is pressed"},
        {"distance", OPTION_NUMBER, &s->distance, 0, 15, NULL, "M",
         "of the camera, metres; default 0: hair fills the picture"},
        {"samples", OPTION_COUNT, &s->samples, 0, 4, NULL, NULL,
         "1 or 4 a pixel; default 0: 4, or 1 in a window without a GPU"},
        {"frames", OPTION_COUNT, &s->frames, 0, 1000000, NULL, NULL,
         "default 0: until the window is closed; headless 60. Given, a frame is 1/30 s"},
        {"every", OPTION_COUNT, &s->every, 1, 1000, NULL, NULL,
         "with --frames: so many steps of 1/30 s a frame; default 1"},
        {"size", OPTION_TEXT, &size, 0, 0, NULL, "WxH", "of the picture in pixels; default 960x640"},
        {"headless", OPTION_FLAG, &s->headless, 0, 0, NULL, NULL,
         "no window; pictures go to --record or --contact-sheet"},
        {"record", OPTION_FOLDER, &s->record, 0, 0, NULL, NULL, "write every frame: DIR/frame0000.png and on"},
        {"contact-sheet", OPTION_FILE, &s->contact_sheet, 0, 0, NULL, NULL, "write eight frames as one PNG"},
        {"swap-every", OPTION_COUNT, &s->swap_every, 0, 1000000, NULL, NULL,
         "move between Vulkan and CPU every N frames, as B does"},
        {"library", OPTION_TEXT, &s->library, 0, 0, NULL, "FILE",
         "Plait's library; default: where the system finds it"},
        {"validate", OPTION_FLAG, &s->validate, 0, 0, NULL, NULL, "with validation layers; any message is a failure"},
        {"test-window", OPTION_FLAG, &s->test_window, 0, 0, NULL, NULL,
         "for tests: resize, minimise, restore, turn, zoom, press all keys"},
    };
    command_line line = {.command = COMMAND,
                         .usage = "[OPTION...]",
                         .purpose = purpose,
                         .options = options,
                         .option_count = sizeof options / sizeof *options};
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_RUN) code = read_scene(s, scene, motion);
    if (code == OPTIONS_RUN) code = read_size(s, size);
    if (code != OPTIONS_RUN) return code;
    s->solver += PLAIT_SOLVER_SHAPE;
    if (s->contact_sheet && !s->frames) s->frames = 60; // a sheet must know the number of frames
    if (s->samples > 1 && s->samples < 4)
        return options_error(COMMAND, "samples", "'%u' is neither 1 nor 4", s->samples);
    if (s->test_window && s->headless) return options_error(COMMAND, "test-window", "needs a window");
    return OPTIONS_RUN;
}

// "2c", "2c-run", or the one with --motion.
static int read_scene(settings *s, const char *scene, const char *motion) {
    const char *dash = strchr(scene, '-');
    char hair[8] = "";
    size_t length = dash ? (size_t)(dash - scene) : strlen(scene);
    if (length < sizeof hair) memcpy(hair, scene, length);
    s->preset = scene_preset_find(hair);
    if (s->preset >= SCENE_PRESET_COUNT)
        return options_error(COMMAND, "scene", "'%s': there is no hair '%.*s'; see --help", scene, (int)length, scene);
    const char *option = motion ? "motion" : "scene";
    if (!motion) motion = dash ? dash + 1 : "run";
    s->motion = scene_motion_find(motion);
    if (s->motion >= SCENE_MOTION_COUNT)
        return options_error(COMMAND, option, "there is no motion '%s'; see --help", motion);
    return OPTIONS_RUN;
}

static int read_size(settings *s, const char *size) {
    char *end = NULL;
    unsigned long width = strtoul(size, &end, 10), height = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;
    if (*size < '0' || *size > '9' || *end || width < 16 || width > 8192 || height < 16 || height > 8192)
        return options_error(COMMAND, "size", "'%s' is not WxH, each from 16 to 8192", size);
    s->width = (uint32_t)width;
    s->height = (uint32_t)height;
    return OPTIONS_RUN;
}

static void list(char *text, size_t size, const char *(*name)(uint32_t), uint32_t count) {
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", name(i));
}

static const char *preset_name(uint32_t index) {
    scene_preset preset;
    return scene_preset_get(index, 1, 0, 0, &preset) ? preset.name : "";
}
