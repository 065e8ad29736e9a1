// See window.h.
#include "window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// After volk.h: GLFW declares its Vulkan functions where the types are there.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

static void on_key(GLFWwindow *handle, int key, int scancode, int action, int mods);
static void on_button(GLFWwindow *handle, int button, int action, int mods);
static void on_move(GLFWwindow *handle, double x, double y);
static void on_scroll(GLFWwindow *handle, double x, double y);
static void on_resize(GLFWwindow *handle, int width, int height);
static VkSurfaceFormatKHR choose_format(const window *w);

bool window_possible(void) {
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x11 && *x11) || (wayland && *wayland);
}

bool window_open(window *w, VkExtent2D size, const char *const **extensions, uint32_t *extension_count) {
    memset(w, 0, sizeof *w);
    if (!glfwInit()) return false;
    *extensions = (const char *const *)glfwGetRequiredInstanceExtensions(extension_count);
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    if (*extensions) w->handle = glfwCreateWindow((int)size.width, (int)size.height, "Plait", NULL, NULL);
    if (!w->handle) {
        glfwTerminate();
        return false;
    }
    glfwSetWindowUserPointer(w->handle, w);
    glfwSetKeyCallback(w->handle, on_key);
    glfwSetMouseButtonCallback(w->handle, on_button);
    glfwSetCursorPosCallback(w->handle, on_move);
    glfwSetScrollCallback(w->handle, on_scroll);
    glfwSetFramebufferSizeCallback(w->handle, on_resize);
    return true;
}

bool window_attach(window *w, const gpu *g) {
    return gpu_ok(glfwCreateWindowSurface(g->instance, w->handle, NULL, &w->surface), "glfwCreateWindowSurface");
}

bool window_make_swapchain(window *w, const gpu *g) {
    w->gpu = g;
    vkDeviceWaitIdle(g->device);
    VkSurfaceCapabilitiesKHR can;
    if (!gpu_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(g->physical, w->surface, &can), "surface capabilities"))
        return false;
    if (!(can.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT)) {
        fprintf(stderr, "vulkan_host: the window's images cannot be copied into; use --headless\n");
        return false;
    }
    VkExtent2D extent = can.currentExtent;
    if (extent.width == UINT32_MAX) extent = window_extent(w); // the swapchain decides, as under Wayland
    w->extent = extent;
    w->stale = false;
    if (extent.width == 0 || extent.height == 0) {
        w->stale = true; // minimised: tried again later
        return true;
    }
    VkSurfaceFormatKHR format = choose_format(w);
    uint32_t images = can.minImageCount + 1;
    if (can.maxImageCount && images > can.maxImageCount) images = can.maxImageCount;
    VkSwapchainKHR old = w->swapchain;
    VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                     .surface = w->surface,
                                     .minImageCount = images,
                                     .imageFormat = format.format,
                                     .imageColorSpace = format.colorSpace,
                                     .imageExtent = extent,
                                     .imageArrayLayers = 1,
                                     .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                     .preTransform = can.currentTransform,
                                     .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                     .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                     .clipped = VK_TRUE,
                                     .oldSwapchain = old};
    if (!gpu_ok(vkCreateSwapchainKHR(g->device, &info, NULL, &w->swapchain), "vkCreateSwapchainKHR")) {
        w->swapchain = old;
        return false;
    }
    if (old) vkDestroySwapchainKHR(g->device, old, NULL);
    w->image_count = WINDOW_MAX_IMAGES;
    if (vkGetSwapchainImagesKHR(g->device, w->swapchain, &w->image_count, w->images) != VK_SUCCESS) return false;

    // Semaphores start over with the swapchain: an acquire that was not followed by a submission leaves one signalled.
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    for (uint32_t i = 0; i < WINDOW_MAX_IMAGES + FRAMES_IN_FLIGHT; i++) {
        VkSemaphore *s = i < WINDOW_MAX_IMAGES ? &w->presentable[i] : &w->acquired[i - WINDOW_MAX_IMAGES];
        vkDestroySemaphore(g->device, *s, NULL);
        *s = VK_NULL_HANDLE;
        if ((i < w->image_count || i >= WINDOW_MAX_IMAGES) &&
            !gpu_ok(vkCreateSemaphore(g->device, &semaphore, NULL, s), "vkCreateSemaphore"))
            return false;
    }
    return true;
}

// The picture is sRGB; where the window is too, the copy keeps every value.
static VkSurfaceFormatKHR choose_format(const window *w) {
    VkSurfaceFormatKHR formats[64];
    uint32_t count = 64;
    vkGetPhysicalDeviceSurfaceFormatsKHR(w->gpu->physical, w->surface, &count, formats);
    for (uint32_t i = 0; i < count; i++)
        if (formats[i].format == VK_FORMAT_B8G8R8A8_SRGB || formats[i].format == VK_FORMAT_R8G8B8A8_SRGB)
            return formats[i];
    return formats[0];
}

bool window_poll(window *w) {
    glfwPollEvents();
    return !glfwWindowShouldClose(w->handle);
}

VkExtent2D window_extent(const window *w) {
    int width, height;
    glfwGetFramebufferSize(w->handle, &width, &height);
    if (w->pretend_minimised || glfwGetWindowAttrib(w->handle, GLFW_ICONIFIED)) width = height = 0;
    return (VkExtent2D){(uint32_t)width, (uint32_t)height};
}

bool window_acquire(window *w, uint32_t slot, uint32_t *image) {
    VkResult result =
        vkAcquireNextImageKHR(w->gpu->device, w->swapchain, UINT64_MAX, w->acquired[slot], VK_NULL_HANDLE, image);
    if (result == VK_SUCCESS) return true;
    w->stale = true;
    if (result != VK_ERROR_OUT_OF_DATE_KHR) gpu_ok(result, "vkAcquireNextImageKHR");
    return result == VK_SUBOPTIMAL_KHR; // was acquired all the same
}

void window_record_copy(const window *w, VkCommandBuffer commands, VkImage source, VkExtent2D extent, uint32_t image) {
    VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkImageMemoryBarrier2 before = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                    .srcStageMask = VK_PIPELINE_STAGE_2_TRANSFER_BIT, // where acquired is waited for
                                    .dstStageMask = VK_PIPELINE_STAGE_2_TRANSFER_BIT,
                                    .dstAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                    .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    .image = w->images[image],
                                    .subresourceRange = whole};
    VkImageMemoryBarrier2 after = before;
    after.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    after.dstStageMask = VK_PIPELINE_STAGE_2_NONE;
    after.dstAccessMask = 0;
    after.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    after.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    VkDependencyInfo barrier = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &before};
    vkCmdPipelineBarrier2(commands, &barrier);
    VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    VkImageBlit blit = {
        .srcSubresource = layers,
        .srcOffsets = {{0, 0, 0}, {(int32_t)extent.width, (int32_t)extent.height, 1}},
        .dstSubresource = layers,
        .dstOffsets = {{0, 0, 0}, {(int32_t)w->extent.width, (int32_t)w->extent.height, 1}},
    };
    vkCmdBlitImage(commands, source, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, w->images[image],
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_NEAREST);
    barrier.pImageMemoryBarriers = &after;
    vkCmdPipelineBarrier2(commands, &barrier);
}

void window_present(window *w, uint32_t image) {
    VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                             .waitSemaphoreCount = 1,
                             .pWaitSemaphores = &w->presentable[image],
                             .swapchainCount = 1,
                             .pSwapchains = &w->swapchain,
                             .pImageIndices = &image};
    VkResult result = vkQueuePresentKHR(w->gpu->queue, &info);
    if (result != VK_SUCCESS) w->stale = true;
    if (result != VK_ERROR_OUT_OF_DATE_KHR) gpu_ok(result, "vkQueuePresentKHR");
}

void window_wait_events(void) { glfwWaitEventsTimeout(0.1); }

void window_set_title(window *w, const char *title) { glfwSetWindowTitle(w->handle, title); }

void window_resize(window *w, VkExtent2D size) { glfwSetWindowSize(w->handle, (int)size.width, (int)size.height); }

void window_press(window *w, int key) {
    static const struct {
        int key;
        uint32_t bit;
    } KEYS[] = {{GLFW_KEY_SPACE, CONTROLS_PAUSE},
                {GLFW_KEY_S, CONTROLS_SOLVER},
                {GLFW_KEY_W, CONTROLS_WIND},
                {GLFW_KEY_B, CONTROLS_BACKEND},
                {GLFW_KEY_G, CONTROLS_VIEW}};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++)
        if (key == KEYS[i].key) w->input.keys |= KEYS[i].bit;
    if (key == GLFW_KEY_ESCAPE) glfwSetWindowShouldClose(w->handle, GLFW_TRUE);
}

static void on_key(GLFWwindow *handle, int key, int scancode, int action, int mods) {
    (void)scancode, (void)mods;
    if (action == GLFW_PRESS) window_press(glfwGetWindowUserPointer(handle), key);
}

void window_drag(window *w, float x, float y) {
    w->input.turn_x += x;
    w->input.turn_y += y;
}

void window_scroll(window *w, float clicks) { w->input.zoom += clicks; }

static void on_button(GLFWwindow *handle, int button, int action, int mods) {
    (void)mods;
    window *w = glfwGetWindowUserPointer(handle);
    if (button != GLFW_MOUSE_BUTTON_LEFT) return;
    w->dragging = action == GLFW_PRESS;
    glfwGetCursorPos(handle, &w->drag_x, &w->drag_y);
}

static void on_move(GLFWwindow *handle, double x, double y) {
    window *w = glfwGetWindowUserPointer(handle);
    int width, height;
    glfwGetWindowSize(handle, &width, &height);
    if (!w->dragging || width <= 0) return;
    window_drag(w, (float)((x - w->drag_x) / width), (float)((y - w->drag_y) / width));
    w->drag_x = x;
    w->drag_y = y;
}

static void on_scroll(GLFWwindow *handle, double x, double y) {
    (void)x;
    window_scroll(glfwGetWindowUserPointer(handle), (float)y);
}

static void on_resize(GLFWwindow *handle, int width, int height) {
    (void)width, (void)height;
    ((window *)glfwGetWindowUserPointer(handle))->stale = true;
}

void window_close(window *w, VkInstance instance) {
    if (w->gpu) {
        for (uint32_t i = 0; i < WINDOW_MAX_IMAGES; i++) vkDestroySemaphore(w->gpu->device, w->presentable[i], NULL);
        for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) vkDestroySemaphore(w->gpu->device, w->acquired[i], NULL);
        if (w->swapchain) vkDestroySwapchainKHR(w->gpu->device, w->swapchain, NULL);
    }
    if (w->surface) vkDestroySurfaceKHR(instance, w->surface, NULL);
    if (w->handle) {
        glfwDestroyWindow(w->handle);
        glfwTerminate();
    }
    memset(w, 0, sizeof *w);
}
