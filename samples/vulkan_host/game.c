// See game.h.
#include "game.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SHEET_COLUMNS = 4, SHEET_ROWS = 2, SHEET_CELLS = SHEET_COLUMNS * SHEET_ROWS };

enum { HAIRS = 100000 };                 // of a full head
static const float HAIR_WIDTH_M = 8e-5f; // of each
static const float FIXED_DT = 1.0f / 30;
static const float BREEZE[3] = {-2.2f, 0.4f, -3.0f}; // m/s, what W switches on
static const float ALL_STRANDS_M = 0.001f;           // width of a pixel that shows all of them

static bool open_gpu(game *g);
static bool open_hair(game *g);
static bool settle(game *g);
static bool run_frame(game *g, bool *leave);
static bool fit_window(game *g);
static bool submit(game *g, uint32_t slot, VkCommandBuffer commands, const hair_ready *ready, uint32_t image);
static bool collect(game *g, uint32_t slot);
static bool collect_all(game *g);
static bool act(game *g, uint32_t keys);
static const char *solver_name(const game *g);
static bool swap_backend(game *g);
static bool step_hair(game *g, float dt, hair_ready *ready, draw_view *view);
static void pose(const game *g, float bones[SCENE_BONE_COUNT][12]);
static hair_detail choose_detail(const game *g);
static void look(game *g, float dt, const float bones[SCENE_BONE_COUNT][12], draw_view *view);
static void act_test(game *g, uint32_t turn);
static void show_title(game *g);
static void show_progress(game *g, uint32_t done);
static void print_report(game *g);
static double seconds(void);

bool game_open(game *g, const settings *s) {
    memset(g, 0, sizeof *g);
    g->settings = *s;
    g->opened_s = seconds();
    if (!open_gpu(g) || !open_hair(g)) return false;
    VkExtent2D size = {s->width, s->height};
    // A software device takes seconds for all of it: too slow for a window, acceptable for files.
    g->hurry = g->has_window && g->gpu.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    g->samples = s->samples ? s->samples : g->hurry ? 1 : 4;
    if (!gpu_timeline_make(&g->gpu, &g->drawn) || !draw_open(&g->draw, &g->gpu, &g->asset)) return false;
    draw_connect(&g->draw, g->hair.strands.handle, g->hair.copy_size);
    if (g->has_window && !window_make_swapchain(&g->window, &g->gpu)) return false;
    if (!target_make(&g->gpu, size, g->samples, &g->target)) return false;
    if (s->record && mkdir(s->record, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "vulkan_host: --record: %s: %s\n", s->record, strerror(errno));
        return false;
    }
    return !s->contact_sheet || picture_sheet_make(&g->sheet, SHEET_COLUMNS, SHEET_ROWS, s->width, s->height);
}

bool game_run(game *g) {
    if (!settle(g)) return false;
    g->began_s = g->last_frame_s = seconds();
    bool leave = false;
    for (uint32_t turn = 0; !leave && (!g->settings.frames || g->submitted < g->settings.frames); turn++) {
        if (g->settings.test_window) act_test(g, turn);
        if (!run_frame(g, &leave)) return false;
    }
    if (!collect_all(g)) return false;
    print_report(g);
    if (g->sheet.rgba && !picture_sheet_write(&g->sheet, g->settings.contact_sheet)) return false;
    if (g->sheet.rgba) printf("%-10s %s\n", "picture", g->settings.contact_sheet);
    if (g->settings.record) printf("%-10s one for each frame in %s\n", "pictures", g->settings.record);
    return true;
}

bool game_close(game *g) {
    if (g->gpu.device) vkDeviceWaitIdle(g->gpu.device);
    hair_close(&g->hair);
    target_free(&g->gpu, &g->target);
    draw_close(&g->draw);
    if (g->drawn) vkDestroySemaphore(g->gpu.device, g->drawn, NULL);
    if (g->has_window) window_close(&g->window, g->gpu.instance);
    gpu_close(&g->gpu);
    asset_free(&g->asset);
    picture_sheet_free(&g->sheet);
    if (g->gpu.message_count) fprintf(stderr, "vulkan_host: %u validation messages\n", g->gpu.message_count);
    return g->gpu.message_count == 0;
}

static bool open_gpu(game *g) {
    const char *const *extensions = NULL;
    uint32_t extension_count = 0;
    VkExtent2D size = {g->settings.width, g->settings.height};
    if (!g->settings.headless && window_possible())
        g->has_window = window_open(&g->window, size, &extensions, &extension_count);
    if (!g->has_window) {
        if (g->settings.test_window) {
            fprintf(stderr, "vulkan_host: --test-window: there is no display\n");
            return false;
        }
        const char *why = g->settings.headless ? "--headless"
                          : window_possible()  ? "no window can be opened on this display"
                                               : "there is no display";
        g->nowhere = !g->settings.record && !g->settings.contact_sheet;
        if (g->nowhere) {
            fprintf(stderr, "vulkan_host: %s: to get pictures add --contact-sheet FILE.png or --record DIR\n", why);
            return false;
        }
        if (!g->settings.headless) printf("%s: pictures only\n", why);
        if (!g->settings.frames) g->settings.frames = 60;
    }
    // Plait is asked before the device is created: it says what to enable.
    if (!gpu_open(&g->gpu, g->settings.validate, extensions, extension_count) ||
        (g->has_window && !window_attach(&g->window, &g->gpu)) || !hair_load(&g->hair, g->settings.library))
        return false;
    VkSurfaceKHR surface = g->has_window ? g->window.surface : VK_NULL_HANDLE;
    gpu_wants wants = {0};
    if (!gpu_choose(&g->gpu, surface)) return false;
    hair_ask(&g->hair, &g->gpu, &wants);
    return gpu_open_device(&g->gpu, surface, &wants);
}

static bool open_hair(game *g) {
    const settings *s = &g->settings;
    asset *a = &g->asset;
    plait_groom_desc guides, render;
    plait_body_desc body;
    if (!asset_make(s, g->gpu.properties.limits.maxStorageBufferRange / sizeof(hair_vertex), a)) return false;
    scene_groom_describe(&a->guides, &guides);
    scene_groom_describe(&a->render, &render);
    scene_body_describe(&a->body, &body);
    hair_asset asset = {&guides, &render, &body, a->has_shape ? &a->shape : NULL, s->hair_hair};
    // A software device is the CPU in disguise, and slower.
    bool software = g->gpu.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    uint32_t backend = s->backend;
    if (backend == SETTINGS_BACKEND_USUAL)
        backend =
            !software && hair_has_backend(&g->hair, PLAIT_BACKEND_VULKAN) ? PLAIT_BACKEND_VULKAN : PLAIT_BACKEND_CPU;
    if (!hair_open(&g->hair, &g->gpu, &asset, s->solver, backend)) return false;
    if (s->guides && !hair_show(&g->hair, HAIR_VIEW_GUIDES)) return false;

    // So that the hair fills the picture, from the front and from the side.
    vec3 low = v3_from(a->low), high = v3_from(a->high), size = v3_sub(high, low);
    float pixel = draw_pixel_angle(s->height), aspect = (float)s->width / (float)s->height;
    float height = scene_max(size.y, scene_max(size.x, size.z) / aspect);
    float fit = 1.02f * height / (pixel * (float)s->height);
    orbit_start(&g->orbit, v3_mad(v3_mix(low, high, 0.5f), v3(0, 1, 0), 0.06f * size.y),
                s->distance > 0 ? s->distance : fit);

    char path[96], device[GPU_NAME_SIZE];
    printf("%-10s %s\n", "drawn on", gpu_name(&g->gpu, device));
    printf("%-10s %s-%s, %u guides of %u vertices, %u render strands of %u vertices\n", "scene", a->name,
           scene_motion_name(s->motion), a->guides.strand_count, a->guides.vertex_count, a->render.strand_count,
           a->render.vertex_count);
    printf("%-10s %s\n", "path", hair_path_text(&g->hair, path, sizeof path));
    fflush(stdout);
    return true;
}

// A second of rest before the first frame: the groom is as combed, gravity has not acted yet.
static bool settle(game *g) {
    printf("settling for a second of simulated time, then drawing; the driver compiles shaders for the first frame\n");
    fflush(stdout);
    hair_ready ready;
    draw_view view;
    for (int i = 0; i < 30; i++) {
        g->time_s = 0;
        if (!step_hair(g, FIXED_DT, &ready, &view)) return false;
    }
    g->time_s = g->step_s = 0;
    return true;
}

static bool run_frame(game *g, bool *leave) {
    uint32_t slot = g->submitted % FRAMES_IN_FLIGHT, image = 0;
    if (g->has_window) {
        *leave = !window_poll(&g->window);
        VkExtent2D extent = window_extent(&g->window);
        if (extent.width == 0 || extent.height == 0) {
            window_wait_events(); // minimised: time stops
            g->last_frame_s = seconds();
            return true;
        }
        if (extent.width != g->window.extent.width || extent.height != g->window.extent.height) g->window.stale = true;
        if (g->window.stale) return fit_window(g);
    }
    if (!collect(g, slot)) return false;
    bool due = g->settings.swap_every && g->submitted && g->submitted % g->settings.swap_every == 0;
    uint32_t keys = g->window.input.keys | (due ? CONTROLS_BACKEND : 0);
    g->window.input.keys = 0;
    if (keys && !act(g, keys)) return false;
    orbit_move(&g->orbit, &g->window.input);
    if (g->has_window && !window_acquire(&g->window, slot, &image)) return true;

    double now = seconds();
    // Where frames take longer, motion slows down instead of taking more steps per frame.
    float dt = g->settings.frames ? FIXED_DT : scene_min((float)(now - g->last_frame_s), FIXED_DT);
    g->last_frame_s = now;
    hair_ready ready;
    draw_view view;
    // Steps that are not drawn may overwrite what is being drawn.
    bool skips = g->settings.frames && g->settings.every > 1 && !g->paused;
    if (skips && !collect_all(g)) return false;
    for (uint32_t i = skips ? g->settings.every : 1; i > 0; i--)
        if (!step_hair(g, g->paused ? 0 : dt, &ready, &view)) return false;
    VkCommandBuffer commands = draw_record(&g->draw, slot, &g->target, &view, ready.offset);
    if (g->settings.record || g->settings.contact_sheet) target_record_readback(&g->target, commands, slot);
    if (g->has_window) window_record_copy(&g->window, commands, g->target.picture.handle, g->target.extent, image);
    if (!draw_finish(&g->draw, slot) || !submit(g, slot, commands, &ready, image)) return false;
    if (g->has_window) {
        window_present(&g->window, image);
        show_title(g);
    }
    return true;
}

// The window changed its size, or its swapchain is out of date.
static bool fit_window(game *g) {
    if (!collect_all(g) || !window_make_swapchain(&g->window, &g->gpu)) return false;
    VkExtent2D extent = g->window.extent;
    if (extent.width == 0 || extent.height == 0) return true;
    if (extent.width == g->target.extent.width && extent.height == g->target.extent.height) return true;
    target_free(&g->gpu, &g->target);
    return target_make(&g->gpu, extent, g->samples, &g->target);
}

static bool step_hair(game *g, float dt, hair_ready *ready, draw_view *view) {
    g->time_s += (double)dt;
    pose(g, view->bones);
    hair_frame frame = {.dt = dt,
                        .bone_count = SCENE_BONE_COUNT,
                        .bones = view->bones[0],
                        .detail = choose_detail(g),
                        .drawn = g->drawn,
                        .drawn_value = g->submitted};
    for (int axis = 0; axis < 3; axis++) {
        // Gusts: never the same from one second to the next.
        float gust = 0.75f + 0.35f * sinf(2.1f * (float)g->time_s) * sinf(0.77f * (float)g->time_s + 1);
        const float *given = g->settings.wind;
        frame.wind[axis] = g->windy ? BREEZE[axis] * gust : given[axis];
    }
    double before = seconds();
    bool stepped = hair_step(&g->hair, &frame, ready);
    g->step_s += seconds() - before;
    look(g, dt, (const float(*)[12])view->bones, view);
    view->show = g->hair.view;
    view->strand_count = g->strand_count = ready->strand_count;
    // Few strands are drawn wider, so that they cover the head as many do.
    float few = (float)HAIRS / (float)(ready->strand_count ? ready->strand_count : 1);
    view->width_m = HAIR_WIDTH_M * scene_max(1, few);
    return stepped;
}

static void pose(const game *g, float bones[SCENE_BONE_COUNT][12]) {
    scene_motion_pose((scene_motion)g->settings.motion, g->began_s > 0 ? g->time_s : 0, 1, bones);
}

// The farther away, the more hair a pixel holds: a full head is drawn while pixels are finer than ALL_STRANDS_M, then as
// many strands as keep their number in a pixel the same.
static hair_detail choose_detail(const game *g) {
    float pixel_m = draw_pixel_angle(g->target.extent.height ? g->target.extent.height : g->settings.height);
    float fine = g->hurry ? 0.35f * ALL_STRANDS_M : ALL_STRANDS_M;
    float detail = scene_min(1, fine / (pixel_m * g->orbit.distance));
    float strands = (float)HAIRS * detail * detail / (float)g->asset.render.strand_count;
    return (hair_detail){scene_clamp(strands, 0.001f, 1), scene_max(detail, 0.2f)};
}

// The camera goes with the head, but not with every step of it.
static void look(game *g, float dt, const float bones[SCENE_BONE_COUNT][12], draw_view *view) {
    float bind[SCENE_BONE_COUNT][12];
    scene_bind_pose(bind);
    vec3 moved = v3(0, 0, 0);
    for (int axis = 0; axis < 3; axis++)
        (&moved.x)[axis] = bones[SCENE_BONE_HEAD][4 * axis + 3] - bind[SCENE_BONE_HEAD][4 * axis + 3];
    g->head_moved = v3_mix(g->head_moved, moved, 1 - expf(-dt / 0.25f));
    view->eye = orbit_eye(&g->orbit, g->time_s, g->head_moved, &view->target);
}

// Waits for the strands before the first shader that reads them, and for the window's image before the copy into it.
static bool submit(game *g, uint32_t slot, VkCommandBuffer commands, const hair_ready *ready, uint32_t image) {
    VkSemaphoreSubmitInfo waits[2], signals[2];
    uint32_t wait_count = 0, signal_count = 0;
    if (ready->value)
        waits[wait_count++] = (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                                      .semaphore = ready->stepped,
                                                      .value = ready->value,
                                                      .stageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT};
    signals[signal_count++] = (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                                      .semaphore = g->drawn,
                                                      .value = g->submitted + 1,
                                                      .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    if (g->has_window) {
        waits[wait_count++] = (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                                      .semaphore = g->window.acquired[slot],
                                                      .stageMask = VK_PIPELINE_STAGE_2_TRANSFER_BIT};
        signals[signal_count++] = (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                                          .semaphore = g->window.presentable[image],
                                                          .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    }
    VkCommandBufferSubmitInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                        .commandBuffer = commands};
    VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                          .waitSemaphoreInfoCount = wait_count,
                          .pWaitSemaphoreInfos = waits,
                          .commandBufferInfoCount = 1,
                          .pCommandBufferInfos = &buffer,
                          .signalSemaphoreInfoCount = signal_count,
                          .pSignalSemaphoreInfos = signals};
    if (!gpu_ok(vkQueueSubmit2(g->gpu.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit2")) return false;
    g->frame_in[slot] = g->submitted++;
    g->pending[slot] = true;
    return true;
}

// Waits for the slot's last frame, then stores its pictures and times.
static bool collect(game *g, uint32_t slot) {
    if (!g->pending[slot]) return true;
    uint32_t frame = g->frame_in[slot];
    if (!gpu_timeline_wait(&g->gpu, g->drawn, frame + 1)) return false;
    g->pending[slot] = false;
    if (frame == 0)
        g->first_frame_s = seconds() - g->opened_s; // includes compiling in the driver: not counted below
    else
        g->draw_s += draw_seconds(&g->draw, slot);
    show_progress(g, frame + 1);
    if (!g->settings.record && !g->settings.contact_sheet) return true;

    const gpu_buffer *readback = &g->target.readback[slot];
    vmaInvalidateAllocation(g->gpu.allocator, readback->allocation, 0, VK_WHOLE_SIZE);
    VkExtent2D extent = g->target.extent;
    for (uint32_t cell = 0; g->sheet.rgba && cell < SHEET_CELLS; cell++)
        if (frame == (uint32_t)((uint64_t)cell * (g->settings.frames - 1) / (SHEET_CELLS - 1)))
            picture_sheet_add(&g->sheet, cell, readback->mapped, extent.width, extent.height);
    if (!g->settings.record) return true;
    char path[4096];
    snprintf(path, sizeof path, "%s/frame%04u.png", g->settings.record, frame);
    return picture_write(path, readback->mapped, extent.width, extent.height);
}

// Oldest first.
static bool collect_all(game *g) {
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++)
        if (!collect(g, (g->submitted + i) % FRAMES_IN_FLIGHT)) return false;
    return true;
}

// Does what keys ask for. What cannot be done leaves the hair as it was; false: nothing can be drawn any more.
static bool act(game *g, uint32_t keys) {
    if (keys & CONTROLS_PAUSE) g->paused = !g->paused;
    if (keys & CONTROLS_WIND) g->windy = !g->windy;
    if (keys & CONTROLS_PAUSE) printf("frame %u: %s\n", g->submitted, g->paused ? "paused" : "goes on");
    if (keys & CONTROLS_WIND) printf("frame %u: wind %s\n", g->submitted, g->windy ? "on" : "off");
    fflush(stdout);
    if (!(keys & (CONTROLS_SOLVER | CONTROLS_VIEW | CONTROLS_BACKEND))) return true;
    if (!collect_all(g)) return false;
    vkDeviceWaitIdle(g->gpu.device);
    float bones[SCENE_BONE_COUNT][12];
    pose(g, bones);
    uint32_t other = g->hair.solver == PLAIT_SOLVER_HYBRID ? PLAIT_SOLVER_SHAPE : PLAIT_SOLVER_HYBRID;
    if (keys & CONTROLS_SOLVER && hair_set_solver(&g->hair, other, bones[0]))
        printf("frame %u: solver %s\n", g->submitted, solver_name(g));
    if (keys & CONTROLS_VIEW) {
        if (!hair_show(&g->hair, g->hair.view == HAIR_VIEW_GUIDES ? HAIR_VIEW_RENDER : HAIR_VIEW_GUIDES)) return false;
        printf("frame %u: %s\n", g->submitted, g->hair.view == HAIR_VIEW_GUIDES ? "guides" : "render strands");
    }
    fflush(stdout);
    return !(keys & CONTROLS_BACKEND) || swap_backend(g);
}

static const char *solver_name(const game *g) { return g->hair.solver == PLAIT_SOLVER_HYBRID ? "hybrid" : "shape"; }

// If the other backend is not available the hair stays where it is. Nothing is being drawn.
static bool swap_backend(game *g) {
    bool on_vulkan = g->hair.device_info.backend == PLAIT_BACKEND_VULKAN;
    bool moved = hair_move(&g->hair, on_vulkan ? PLAIT_BACKEND_CPU : PLAIT_BACKEND_VULKAN);
    if (g->hair.path == HAIR_PATH_NONE) return false;
    draw_connect(&g->draw, g->hair.strands.handle, g->hair.copy_size);
    char path[96];
    if (moved) printf("frame %u: %s\n", g->submitted, hair_path_text(&g->hair, path, sizeof path));
    fflush(stdout);
    return true;
}

// Simulated user input, by turns of the loop.
static void act_test(game *g, uint32_t turn) {
    static const VkExtent2D SIZES[] = {{500, 400}, {320, 200}, {700, 300}};
    if (turn % 4 == 3 && turn < 12) window_resize(&g->window, SIZES[turn / 4]);
    g->window.pretend_minimised = turn >= 16 && turn < 20;
    if (turn == 22 || turn == 26) window_press(&g->window, 'B');
    if (turn == 28) window_resize(&g->window, (VkExtent2D){g->settings.width, g->settings.height});
    if (turn == 36 || turn == 39) window_press(&g->window, 'S');
    if (turn == 42 || turn == 45) window_press(&g->window, 'G');
    if (turn == 48 || turn == 52) window_press(&g->window, 'W');
    if (turn == 56 || turn == 70) window_press(&g->window, ' ');
    if (turn == 60) window_drag(&g->window, 0.5f, 0); // to the other side, while everything stands still
    if (turn == 65) window_scroll(&g->window, -8);
    if (turn == 72) window_drag(&g->window, -0.5f, 0), window_scroll(&g->window, 8);
    if (turn == 76) window_press(&g->window, 256); // Esc
}

static void show_title(game *g) {
    double now = seconds();
    if (now - g->title_s < 0.5) return;
    g->title_s = now;
    char title[256], path[96];
    snprintf(title, sizeof title, "Plait: %s-%s, %s, %s, draw %.1f ms (space, S, W, B, G, mouse; Esc: leave)",
             g->asset.name, scene_motion_name(g->settings.motion), solver_name(g),
             hair_path_text(&g->hair, path, sizeof path), 1e3 * g->draw_s / (g->submitted > 1 ? g->submitted - 1 : 1));
    window_set_title(&g->window, title);
}

// A progress bar on a terminal, else a line every few seconds.
static void show_progress(game *g, uint32_t done) {
    enum { WIDTH = 40 };
    uint32_t all = g->settings.frames;
    double now = seconds();
    bool terminal = isatty(STDERR_FILENO);
    if (!all || (done < all && now - g->progress_s < (terminal ? 0.1 : 5))) return;
    g->progress_s = now;
    if (!terminal) {
        fprintf(stderr, "frame %u of %u\n", done, all);
        return;
    }
    int filled = (int)((uint64_t)done * WIDTH / all);
    fprintf(stderr, "\r[%.*s%*s] %u/%u", filled, "########################################", WIDTH - filled, "", done,
            all);
    if (done == all) fprintf(stderr, "\r%*s\r", WIDTH + 26, "");
    fflush(stderr);
}

static void print_report(game *g) {
    if (!g->submitted) return;
    double frames = g->submitted, drawn = g->submitted > 1 ? frames - 1 : 1;
    char device[GPU_NAME_SIZE];
    printf("%-10s %u, the first after %.2f s\n", "frames", g->submitted, g->first_frame_s);
    printf("%-10s %u drawn last\n", "strands", g->strand_count);
    printf("%-10s %9.3f ms a frame, everything included\n", "frame", 1e3 * (seconds() - g->began_s) / frames);
    printf("%-10s %9.3f ms a frame, on %s\n", "draw", 1e3 * g->draw_s / drawn, gpu_name(&g->gpu, device));
    printf("%-10s %9.3f ms a frame, within Plait's calls\n", "simulate", 1e3 * g->step_s / frames);
    hair_print_stages(&g->hair);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
