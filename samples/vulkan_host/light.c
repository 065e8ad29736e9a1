// See light.h.
#include "light.h"

// Of a real head of hair. Strands stand for as many hairs, however few are drawn.
static const float HAIRS = 100000, HAIR_DIAMETER_M = 7e-5f;
// Hair scatters light on rather than swallowing it: this share of what a strand meets is lost.
static const float LOST = 0.45f;
static const float DEPTH_SCALE = 4096;                 // as in grid.glsl
static const uint32_t MOST_SPLAT = 30000;              // strands that cast shadows: more would change nothing
static const vec3 KEY_FROM = {0.483f, 0.652f, 0.584f}; // as in frame.glsl

static void wait_for(VkCommandBuffer commands, VkPipelineStageFlags2 before, VkAccessFlags2 written,
                     VkPipelineStageFlags2 after, VkAccessFlags2 used);
static void run(const draw *d, VkCommandBuffer commands, draw_pass pass, uint32_t count, uint32_t group);

bool light_make(draw *d) {
    const uint64_t cells = (uint64_t)LIGHT_GRID * LIGHT_GRID * LIGHT_GRID;
    VkExtent3D extent = {LIGHT_GRID, LIGHT_GRID, LIGHT_GRID};
    return gpu_buffer_make(d->gpu, cells * sizeof(uint32_t),
                           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, false, &d->depths) &&
           gpu_buffer_make(d->gpu, cells * sizeof(uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false, &d->cells) &&
           gpu_image_make_3d(d->gpu, extent, VK_FORMAT_R8G8B8A8_UNORM,
                             VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, &d->light);
}

float light_place(const draw *d, vec3 center, float grid_from_world[16]) {
    // Hair hangs: what it reaches lies mostly below the head.
    float radius = 0.85f * d->reach_m + 0.05f;
    camera light = camera_parallel(v3_mad(center, v3(0, 1, 0), -0.3f * d->reach_m), KEY_FROM, radius);
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            float x = light.clip_from_world[4 * column + row];
            if (row < 2) x = 0.5f * x + (column == 3 ? 0.5f : 0); // from -1..1
            grid_from_world[4 * column + row] = x;
        }
    return 2 * radius / LIGHT_GRID;
}

uint32_t light_stride(uint32_t strand_count) { return (strand_count + MOST_SPLAT - 1) / MOST_SPLAT; }

void light_depths(float cell_m, uint32_t strand_count, float *hair, float *skin) {
    uint32_t stride = light_stride(strand_count);
    float hairs = HAIRS * (float)stride / (float)(strand_count ? strand_count : 1);
    *hair = DEPTH_SCALE * LOST * HAIR_DIAMETER_M * hairs / (cell_m * cell_m);
    *skin = DEPTH_SCALE * 4;
}

void light_record(const draw *d, VkCommandBuffer commands, uint32_t strand_count) {
    const VkPipelineStageFlags2 compute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    const VkPipelineStageFlags2 readers =
        compute | VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
    const VkAccessFlags2 storage = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
    const VkAccessFlags2 any = storage | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
    // What the last frame has read is written anew.
    VkImageMemoryBarrier2 change = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                    .srcStageMask = readers,
                                    .dstStageMask = compute,
                                    .dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                                    .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                    .image = d->light.handle,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkDependencyInfo barrier = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &change};
    vkCmdPipelineBarrier2(commands, &barrier);
    wait_for(commands, readers, storage, VK_PIPELINE_STAGE_2_TRANSFER_BIT | compute,
             VK_ACCESS_2_TRANSFER_WRITE_BIT | storage);
    vkCmdFillBuffer(commands, d->depths.handle, 0, VK_WHOLE_SIZE, 0);
    wait_for(commands, VK_PIPELINE_STAGE_2_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT, compute, storage);
    uint32_t stride = light_stride(strand_count);
    run(d, commands, DRAW_SPLAT_HAIR, stride ? (strand_count + stride - 1) / stride : 0, 64);
    run(d, commands, DRAW_SPLAT_BODY, d->skin_vertices, 64);
    for (uint32_t pass = 0; pass < 3; pass++) {
        wait_for(commands, compute, storage, compute, storage);
        uint32_t axis = 2 - pass;
        vkCmdPushConstants(commands, d->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof axis, &axis);
        run(d, commands, DRAW_LIGHT, LIGHT_GRID * LIGHT_GRID, 64);
    }
    wait_for(commands, compute, storage, readers, any);
    run(d, commands, DRAW_SHADE, strand_count, 32);
    wait_for(commands, compute, storage, VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT);
}

static void wait_for(VkCommandBuffer commands, VkPipelineStageFlags2 before, VkAccessFlags2 written,
                     VkPipelineStageFlags2 after, VkAccessFlags2 used) {
    VkMemoryBarrier2 memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                               .srcStageMask = before,
                               .srcAccessMask = written,
                               .dstStageMask = after,
                               .dstAccessMask = used};
    VkDependencyInfo barrier = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &memory};
    vkCmdPipelineBarrier2(commands, &barrier);
}

static void run(const draw *d, VkCommandBuffer commands, draw_pass pass, uint32_t count, uint32_t group) {
    if (!count) return;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->pipelines[pass]);
    vkCmdDispatch(commands, (count + group - 1) / group, 1, 1);
}
