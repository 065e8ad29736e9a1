// See target.h.
#include "target.h"

#include <string.h>

static bool is_larger(const target *t);
static void change_layout(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from,
                          VkImageLayout to, VkPipelineStageFlags2 before, VkAccessFlags2 written,
                          VkPipelineStageFlags2 after, VkAccessFlags2 used);

bool target_make(const gpu *g, VkExtent2D extent, uint32_t samples, target *t) {
    memset(t, 0, sizeof *t);
    uint32_t most = g->properties.limits.maxImageDimension2D;
    t->extent = t->drawn = extent;
    if (samples == 4 && extent.width <= most / 2 && extent.height <= most / 2)
        t->drawn = (VkExtent2D){2 * extent.width, 2 * extent.height};
    bool made = gpu_image_make(g, extent, TARGET_COLOR,
                               VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                   VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                               VK_IMAGE_ASPECT_COLOR_BIT, &t->picture) &&
                gpu_image_make(g, t->drawn, TARGET_DEPTH, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                               VK_IMAGE_ASPECT_DEPTH_BIT, &t->depth);
    if (made && is_larger(t))
        made = gpu_image_make(g, t->drawn, TARGET_COLOR,
                              VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                              VK_IMAGE_ASPECT_COLOR_BIT, &t->color);
    for (uint32_t i = 0; made && i < FRAMES_IN_FLIGHT; i++)
        made = gpu_buffer_make_readback(g, 4 * (uint64_t)extent.width * extent.height, &t->readback[i]);
    return made;
}

static bool is_larger(const target *t) { return t->drawn.width > t->extent.width; }

void target_free(const gpu *g, target *t) {
    gpu_image_free(g, &t->color);
    gpu_image_free(g, &t->depth);
    gpu_image_free(g, &t->picture);
    for (uint32_t i = 0; i < FRAMES_IN_FLIGHT; i++) gpu_buffer_free(g, &t->readback[i]);
}

void target_begin(const target *t, VkCommandBuffer commands) {
    const VkPipelineStageFlags2 color_stage = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    const VkPipelineStageFlags2 depth_stage =
        VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
    const VkAccessFlags2 color_access = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
    const VkAccessFlags2 depth_access =
        VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    // All frames share these images; the frame before may still be drawing into them or copying from them.
    const gpu_image *image = is_larger(t) ? &t->color : &t->picture;
    change_layout(commands, image->handle, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_PIPELINE_STAGE_2_TRANSFER_BIT | color_stage, 0,
                  color_stage, color_access | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT);
    change_layout(commands, t->depth.handle, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, depth_stage, depth_access, depth_stage, depth_access);
    VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = image->view,
                                       .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = t->depth.view,
                                       .imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                       .clearValue.depthStencil.depth = 1};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea.extent = t->drawn,
                                 .layerCount = 1,
                                 .colorAttachmentCount = 1,
                                 .pColorAttachments = &color,
                                 .pDepthAttachment = &depth};
    vkCmdBeginRendering(commands, &rendering);
    // The window's y points down, the camera's up (camera.c).
    VkViewport viewport = {0, 0, (float)t->drawn.width, (float)t->drawn.height, 0, 1};
    VkRect2D scissor = {{0, 0}, t->drawn};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &scissor);
}

void target_end(const target *t, VkCommandBuffer commands) {
    const VkPipelineStageFlags2 transfer = VK_PIPELINE_STAGE_2_TRANSFER_BIT;
    vkCmdEndRendering(commands);
    change_layout(commands, is_larger(t) ? t->color.handle : t->picture.handle, VK_IMAGE_ASPECT_COLOR_BIT,
                  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                  VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, transfer,
                  VK_ACCESS_2_TRANSFER_READ_BIT);
    if (!is_larger(t)) return;
    // Half the size with a linear filter: the mean of four pixels, as light.
    change_layout(commands, t->picture.handle, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, transfer, 0, transfer, VK_ACCESS_2_TRANSFER_WRITE_BIT);
    VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    VkImageBlit blit = {
        .srcSubresource = layers,
        .srcOffsets = {{0, 0, 0}, {(int32_t)t->drawn.width, (int32_t)t->drawn.height, 1}},
        .dstSubresource = layers,
        .dstOffsets = {{0, 0, 0}, {(int32_t)t->extent.width, (int32_t)t->extent.height, 1}},
    };
    vkCmdBlitImage(commands, t->color.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, t->picture.handle,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_LINEAR);
    change_layout(commands, t->picture.handle, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, transfer, VK_ACCESS_2_TRANSFER_WRITE_BIT, transfer,
                  VK_ACCESS_2_TRANSFER_READ_BIT);
}

void target_record_readback(const target *t, VkCommandBuffer commands, uint32_t slot) {
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {t->extent.width, t->extent.height, 1}};
    vkCmdCopyImageToBuffer(commands, t->picture.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, t->readback[slot].handle,
                           1, &region);
    VkMemoryBarrier2 memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                               .srcStageMask = VK_PIPELINE_STAGE_2_TRANSFER_BIT,
                               .srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
                               .dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT,
                               .dstAccessMask = VK_ACCESS_2_HOST_READ_BIT};
    VkDependencyInfo barrier = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &memory};
    vkCmdPipelineBarrier2(commands, &barrier);
}

static void change_layout(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from,
                          VkImageLayout to, VkPipelineStageFlags2 before, VkAccessFlags2 written,
                          VkPipelineStageFlags2 after, VkAccessFlags2 used) {
    VkImageMemoryBarrier2 change = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                    .srcStageMask = before,
                                    .srcAccessMask = written,
                                    .dstStageMask = after,
                                    .dstAccessMask = used,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .image = image,
                                    .subresourceRange = {aspect, 0, 1, 0, 1}};
    VkDependencyInfo barrier = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &change};
    vkCmdPipelineBarrier2(commands, &barrier);
}
