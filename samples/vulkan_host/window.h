// The window and its swapchain. The picture is drawn elsewhere (target.h) and copied here, so that runs with and
// without a window draw the same.
#ifndef WINDOW_H
#define WINDOW_H

#include "controls.h"
#include "gpu.h"

#define WINDOW_MAX_IMAGES 16

struct GLFWwindow;

typedef struct window {
    struct GLFWwindow *handle;
    const gpu *gpu;
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    VkExtent2D extent;
    uint32_t image_count;
    VkImage images[WINDOW_MAX_IMAGES];
    VkSemaphore presentable[WINDOW_MAX_IMAGES]; // the copy into the image is done
    VkSemaphore acquired[FRAMES_IN_FLIGHT];     // the image may be written
    bool stale;                                 // the swapchain no longer fits the window
    controls_input input;                       // the reader clears it
    bool dragging;                              // the left button is down
    double drag_x, drag_y;                      // where the pointer was last
    bool pretend_minimised;                     // for tests: minimising depends on the window manager
} window;

// Whether the environment names a display.
bool window_possible(void);

// Opens a window; extensions and their count are what the instance needs for it.
bool window_open(window *w, VkExtent2D size, const char *const **extensions, uint32_t *extension_count);

bool window_attach(window *w, const gpu *g);         // makes the surface, when there is an instance
bool window_make_swapchain(window *w, const gpu *g); // when there is a device; again when the window has changed

// Handles events. False: the user wants to leave.
bool window_poll(window *w);

// Of the picture to draw; zero while minimised.
VkExtent2D window_extent(const window *w);

// The next image to copy into. False: none; make a new swapchain.
bool window_acquire(window *w, uint32_t slot, uint32_t *image);

// Copies source (in TRANSFER_SRC layout) into an image that was acquired, ready to be presented.
void window_record_copy(const window *w, VkCommandBuffer commands, VkImage source, VkExtent2D extent, uint32_t image);

void window_present(window *w, uint32_t image);
void window_wait_events(void);
void window_set_title(window *w, const char *title);
void window_resize(window *w, VkExtent2D size);

// What the keyboard does, for tests too. key: a GLFW key; letters are their capital's character.
void window_press(window *w, int key);

// The same for the mouse: dragged with the left button, in widths of the window, and the wheel.
void window_drag(window *w, float x, float y);
void window_scroll(window *w, float clicks);

// Before the device goes, when it is idle.
void window_close(window *w, VkInstance instance);

#endif
