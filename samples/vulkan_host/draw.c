// See draw.h.
#include "draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "light.h"
#include "pipeline.h"

enum { UNIFORM_STRIDE = 2048, BINDINGS = 9 };

static const float FOV = 0.42f;

// As in frame.glsl, std140.
typedef struct frame_uniforms {
    float clip_from_world[16], grid_from_world[16], bones[SCENE_BONE_COUNT][16];
    float eye[4], center[4], size[4], hair[4];
    uint32_t strands[4];
} frame_uniforms;

_Static_assert(sizeof(frame_uniforms) <= UNIFORM_STRIDE, "a frame's uniforms have their own part of the buffer");

static bool make_lines(draw *d, const scene_groom *groom, draw_lines *lines);
static bool make_tables(draw *d);
static bool make_body(draw *d, const body_mesh *skin);
static bool make_layout(draw *d, const VkDescriptorSetLayoutBinding bindings[BINDINGS]);
static bool make_set(draw *d);
static bool make_commands(draw *d);
static void write_uniforms(draw *d, uint32_t slot, const target *t, const draw_view *view);
static void to_columns(const float rows[12], float matrix[16]);
static float line_width(const draw *d, const target *t, const draw_view *view);

bool draw_open(draw *d, const gpu *g, const asset *a) {
    memset(d, 0, sizeof *d);
    d->gpu = g;
    d->reach_m = a->reach_m;
    uint64_t most = a->render.vertex_count > a->guides.vertex_count ? a->render.vertex_count : a->guides.vertex_count;
    return gpu_buffer_make(g, FRAMES_IN_FLIGHT * UNIFORM_STRIDE, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, true,
                           &d->uniforms) &&
           make_lines(d, &a->render, &d->lines[HAIR_VIEW_RENDER]) &&
           make_lines(d, &a->guides, &d->lines[HAIR_VIEW_GUIDES]) && make_tables(d) &&
           gpu_buffer_make(g, most * sizeof(uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false, &d->shaded) &&
           make_body(d, &a->skin) && light_make(d) && make_set(d) && pipeline_make_all(g, d->layout, d->pipelines) &&
           make_commands(d);
}

void draw_close(draw *d) {
    if (!d->gpu) return;
    VkDevice device = d->gpu->device;
    for (uint32_t i = 0; i < DRAW_PASS_COUNT; i++) vkDestroyPipeline(device, d->pipelines[i], NULL);
    vkDestroyPipelineLayout(device, d->layout, NULL);
    vkDestroyDescriptorPool(device, d->pool, NULL);
    vkDestroyDescriptorSetLayout(device, d->set_layout, NULL);
    vkDestroySampler(device, d->sampler, NULL);
    vkDestroyCommandPool(device, d->command_pool, NULL);
    vkDestroyQueryPool(device, d->clock, NULL);
    gpu_image_free(d->gpu, &d->light);
    gpu_buffer *buffers[] = {&d->uniforms, &d->tables, &d->shaded,        &d->depths,       &d->cells,
                             &d->skin,     &d->body,   &d->lines[0].mesh, &d->lines[1].mesh};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) gpu_buffer_free(d->gpu, buffers[i]);
    for (int i = 0; i < 2; i++) free(d->lines[i].first);
    memset(d, 0, sizeof *d);
}

void draw_connect(draw *d, VkBuffer strands, uint64_t copy_size) {
    VkDescriptorBufferInfo buffer = {strands, 0, copy_size};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = d->set,
                                  .dstBinding = 1,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
                                  .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(d->gpu->device, 1, &write, 0, NULL);
}

float draw_pixel_angle(uint32_t height) { return 2 * tanf(0.5f * FOV) / (float)height; }

VkCommandBuffer draw_record(draw *d, uint32_t slot, const target *t, const draw_view *view, uint64_t strands_offset) {
    write_uniforms(d, slot, t, view);
    VkCommandBuffer commands = d->commands[slot];
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    vkBeginCommandBuffer(commands, &begin);
    vkCmdResetQueryPool(commands, d->clock, 2 * slot, 2);
    // After the stage that waits for the strands: waiting is not drawing.
    vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, d->clock, 2 * slot);
    uint32_t offsets[2] = {slot * UNIFORM_STRIDE, (uint32_t)strands_offset}; // in the order of the bindings
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->layout, 0, 1, &d->set, 2, offsets);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, d->layout, 0, 1, &d->set, 2, offsets);
    light_record(d, commands, view->strand_count);
    target_begin(t, commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipelines[DRAW_BACKDROP]);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipelines[DRAW_BODY]);
    vkCmdBindIndexBuffer(commands, d->body.handle, 0, VK_INDEX_TYPE_UINT32);
    if (d->body_indices) vkCmdDrawIndexed(commands, d->body_indices, 1, 0, 0, 0);
    const draw_lines *lines = &d->lines[view->show];
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipelines[DRAW_HAIR]);
    vkCmdBindIndexBuffer(commands, lines->mesh.handle, 0, VK_INDEX_TYPE_UINT32);
    vkCmdSetLineWidth(commands, line_width(d, t, view));
    uint32_t indices = lines->first[view->strand_count] + view->strand_count;
    if (indices) vkCmdDrawIndexed(commands, indices, 1, 0, 0, 0);
    target_end(t, commands);
    vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, d->clock, 2 * slot + 1);
    return commands;
}

bool draw_finish(draw *d, uint32_t slot) { return gpu_ok(vkEndCommandBuffer(d->commands[slot]), "vkEndCommandBuffer"); }

double draw_seconds(const draw *d, uint32_t slot) {
    uint64_t ticks[2] = {0, 0};
    VkResult result = vkGetQueryPoolResults(d->gpu->device, d->clock, 2 * slot, 2, sizeof ticks, ticks, sizeof *ticks,
                                            VK_QUERY_RESULT_64_BIT);
    double seconds = 1e-9 * (double)d->gpu->properties.limits.timestampPeriod * (double)(ticks[1] - ticks[0]);
    return result == VK_SUCCESS && ticks[1] > ticks[0] ? seconds : 0;
}

static void write_uniforms(draw *d, uint32_t slot, const target *t, const draw_view *view) {
    frame_uniforms u;
    memset(&u, 0, sizeof u);
    float width = (float)t->extent.width, height = (float)t->extent.height;
    camera eye = camera_perspective(view->eye, view->target, FOV, width / height);
    memcpy(u.clip_from_world, eye.clip_from_world, sizeof u.clip_from_world);
    float bind[SCENE_BONE_COUNT][12], bind_center[3];
    scene_bind_pose(bind);
    scene_head_center(bind_center);
    vec3 center = v3_from(bind_center);
    for (int bone = 0; bone < SCENE_BONE_COUNT; bone++) {
        mat34 from_bind = m34_rigid_inverse(bind[bone]), moved = m34_multiply(view->bones[bone], from_bind.m);
        to_columns(moved.m, u.bones[bone]);
        if (bone == SCENE_BONE_HEAD) center = m34_point(moved.m, v3_from(bind_center));
    }
    v3_store(u.eye, view->eye);
    v3_store(u.center, center);
    u.center[3] = light_place(d, center, u.grid_from_world);
    u.size[0] = (float)t->drawn.width, u.size[1] = (float)t->drawn.height, u.size[2] = view->show == HAIR_VIEW_GUIDES;
    light_depths(u.center[3], view->strand_count, &u.hair[0], &u.hair[1]);
    u.strands[0] = view->strand_count;
    u.strands[1] = d->lines[view->show].table;
    u.strands[2] = light_stride(view->strand_count);
    memcpy((char *)d->uniforms.mapped + slot * UNIFORM_STRIDE, &u, sizeof u);
    vmaFlushAllocation(d->gpu->allocator, d->uniforms.allocation, slot * UNIFORM_STRIDE, sizeof u);
}

// A pixel, or what a strand takes up at the distance of the target, if the device can draw that.
static float line_width(const draw *d, const target *t, const draw_view *view) {
    const VkPhysicalDeviceLimits *limits = &d->gpu->properties.limits;
    float pixel_m = draw_pixel_angle(t->drawn.height) * v3_length(v3_sub(view->target, view->eye));
    float width = view->show == HAIR_VIEW_GUIDES ? 2 : view->width_m / pixel_m;
    return d->gpu->wide_lines ? scene_clamp(width, 1, limits->lineWidthRange[1]) : 1;
}

static void to_columns(const float rows[12], float matrix[16]) {
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) matrix[4 * column + row] = rows[4 * row + column];
    matrix[3] = matrix[7] = matrix[11] = 0;
    matrix[15] = 1;
}

static bool make_lines(draw *d, const scene_groom *groom, draw_lines *lines) {
    uint64_t indices = (uint64_t)groom->vertex_count + groom->strand_count;
    lines->strand_count = groom->strand_count;
    lines->first = malloc((groom->strand_count + (size_t)1) * sizeof *lines->first);
    if (!lines->first) return false;
    if (!gpu_buffer_make(d->gpu, indices * sizeof(uint32_t), VK_BUFFER_USAGE_INDEX_BUFFER_BIT, true, &lines->mesh))
        return false;
    uint32_t *index = lines->mesh.mapped, vertex = 0;
    for (uint32_t s = 0; s < groom->strand_count; s++) {
        lines->first[s] = vertex;
        for (uint32_t v = 0; v < groom->vertex_counts[s]; v++) *index++ = vertex++;
        *index++ = UINT32_MAX;
    }
    lines->first[groom->strand_count] = vertex;
    vmaFlushAllocation(d->gpu->allocator, lines->mesh.allocation, 0, VK_WHOLE_SIZE);
    return true;
}

static bool make_tables(draw *d) {
    size_t counts[2] = {d->lines[0].strand_count + (size_t)1, d->lines[1].strand_count + (size_t)1};
    if (!gpu_buffer_make(d->gpu, (counts[0] + counts[1]) * sizeof(uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true,
                         &d->tables))
        return false;
    uint32_t *table = d->tables.mapped;
    memcpy(table, d->lines[0].first, counts[0] * sizeof *table);
    memcpy(table + counts[0], d->lines[1].first, counts[1] * sizeof *table);
    d->lines[1].table = (uint32_t)counts[0];
    vmaFlushAllocation(d->gpu->allocator, d->tables.allocation, 0, VK_WHOLE_SIZE);
    return true;
}

static bool make_body(draw *d, const body_mesh *skin) {
    d->skin_vertices = skin->vertex_count;
    d->body_indices = skin->index_count;
    uint64_t vertices = skin->vertex_count * sizeof *skin->vertices, indices = skin->index_count * sizeof(uint32_t);
    // Buffers cannot be empty.
    if (!gpu_buffer_make(d->gpu, vertices ? vertices : sizeof *skin->vertices, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true,
                         &d->skin) ||
        !gpu_buffer_make(d->gpu, indices ? indices : 4, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, true, &d->body))
        return false;
    if (vertices) memcpy(d->skin.mapped, skin->vertices, vertices);
    if (indices) memcpy(d->body.mapped, skin->indices, indices);
    vmaFlushAllocation(d->gpu->allocator, d->skin.allocation, 0, VK_WHOLE_SIZE);
    vmaFlushAllocation(d->gpu->allocator, d->body.allocation, 0, VK_WHOLE_SIZE);
    return true;
}

static bool make_layout(draw *d, const VkDescriptorSetLayoutBinding bindings[BINDINGS]) {
    VkDevice device = d->gpu->device;
    VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BINDINGS, .pBindings = bindings};
    VkDescriptorPoolSize sizes[BINDINGS];
    for (int i = 0; i < BINDINGS; i++) sizes[i] = (VkDescriptorPoolSize){bindings[i].descriptorType, 1};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = BINDINGS,
                                       .pPoolSizes = sizes};
    if (!gpu_ok(vkCreateDescriptorSetLayout(device, &set_layout, NULL, &d->set_layout), "set layout") ||
        !gpu_ok(vkCreateDescriptorPool(device, &pool, NULL, &d->pool), "vkCreateDescriptorPool"))
        return false;
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = d->pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &d->set_layout};
    VkPushConstantRange axis = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)}; // of light.comp
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &d->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &axis};
    return gpu_ok(vkAllocateDescriptorSets(device, &allocate, &d->set), "vkAllocateDescriptorSets") &&
           gpu_ok(vkCreatePipelineLayout(device, &layout, NULL, &d->layout), "vkCreatePipelineLayout");
}

static bool make_set(draw *d) {
    const VkShaderStageFlags compute = VK_SHADER_STAGE_COMPUTE_BIT, vertex = VK_SHADER_STAGE_VERTEX_BIT;
    const VkShaderStageFlags fragment = VK_SHADER_STAGE_FRAGMENT_BIT;
    const VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    // Between cells light is interpolated; outside of the grid it is as at its edge.
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                   .magFilter = VK_FILTER_LINEAR,
                                   .minFilter = VK_FILTER_LINEAR,
                                   .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                   .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                   .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
    if (!gpu_ok(vkCreateSampler(d->gpu->device, &sampler, NULL, &d->sampler), "vkCreateSampler")) return false;
    const VkDescriptorSetLayoutBinding bindings[BINDINGS] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, compute | vertex | fragment, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, compute | vertex, NULL}, // Plait's output; see draw_connect
        {2, storage, 1, compute | vertex, NULL},
        {3, storage, 1, compute | vertex, NULL},
        {4, storage, 1, compute, NULL},
        {5, storage, 1, compute, NULL},
        {6, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, compute | fragment, NULL},
        {7, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, compute, NULL},
        {8, storage, 1, compute | vertex, NULL},
    };
    if (!make_layout(d, bindings)) return false;
    const VkDescriptorBufferInfo buffers[BINDINGS] = {
        [0] = {d->uniforms.handle, 0, sizeof(frame_uniforms)},
        [2] = {d->tables.handle, 0, VK_WHOLE_SIZE},
        [3] = {d->shaded.handle, 0, VK_WHOLE_SIZE},
        [4] = {d->depths.handle, 0, VK_WHOLE_SIZE},
        [5] = {d->cells.handle, 0, VK_WHOLE_SIZE},
        [8] = {d->skin.handle, 0, VK_WHOLE_SIZE},
    };
    VkDescriptorImageInfo image = {d->sampler, d->light.view, VK_IMAGE_LAYOUT_GENERAL};
    VkWriteDescriptorSet writes[BINDINGS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < BINDINGS; i++)
        if (i != 1)
            writes[count++] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                     .dstSet = d->set,
                                                     .dstBinding = i,
                                                     .descriptorCount = 1,
                                                     .descriptorType = bindings[i].descriptorType,
                                                     .pBufferInfo = &buffers[i],
                                                     .pImageInfo = &image};
    vkUpdateDescriptorSets(d->gpu->device, count, writes, 0, NULL);
    return true;
}

static bool make_commands(draw *d) {
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = d->gpu->queue_family};
    VkQueryPoolCreateInfo clock = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                   .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                   .queryCount = 2 * FRAMES_IN_FLIGHT};
    if (!gpu_ok(vkCreateCommandPool(d->gpu->device, &pool, NULL, &d->command_pool), "vkCreateCommandPool") ||
        !gpu_ok(vkCreateQueryPool(d->gpu->device, &clock, NULL, &d->clock), "vkCreateQueryPool"))
        return false;
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = d->command_pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = FRAMES_IN_FLIGHT};
    return gpu_ok(vkAllocateCommandBuffers(d->gpu->device, &allocate, d->commands), "vkAllocateCommandBuffers");
}
