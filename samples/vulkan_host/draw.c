// See draw.h.
#include "draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline.h"

enum { SHADOW_TEXELS = 512, SHADOW_STEP = 4, BODY_RINGS = 20, BODY_SEGMENTS = 24, UNIFORM_STRIDE = 2048 };

static const float FOV = 0.42f, LIGHT_RADIUS_M = 0.62f;
static const vec3 KEY_FROM = {0.483f, 0.652f, 0.584f}; // as in frame.glsl

// As in frame.glsl, std140.
typedef struct frame_uniforms {
    float clip_from_world[16], light_from_world[16], head[16];
    float eye[4], head_center[4], size[4];
    float capsules[2 * SCENE_MAX_COLLIDERS][4];
} frame_uniforms;

// As in hair.vert.
typedef struct hair_point {
    uint32_t root;
    float along;
} hair_point;

_Static_assert(sizeof(frame_uniforms) <= UNIFORM_STRIDE, "a frame's uniforms have their own part of the buffer");

static bool make_hair_mesh(draw *d, const scene_groom *groom);
static bool make_body_mesh(draw *d);
static bool make_set(draw *d);
static bool make_commands(draw *d);
static void write_uniforms(draw *d, uint32_t slot, const target *t, const draw_view *view);
static void record_shadow(draw *d, VkCommandBuffer commands, uint32_t body_count);
static void record_hair(const draw *d, VkCommandBuffer commands, draw_pass pass, uint32_t strips);
static void record_body(const draw *d, VkCommandBuffer commands, draw_pass pass, uint32_t count);
static void shadow_barrier(const draw *d, VkCommandBuffer commands, bool before);

bool draw_open(draw *d, const gpu *g, const scene_groom *groom, uint32_t strips, VkSampleCountFlagBits samples) {
    memset(d, 0, sizeof *d);
    d->gpu = g;
    d->strips = strips;
    // Guides share the scalp, about 0.06 square metres; strips fill the space between them.
    d->spread_m = 0.7f * sqrtf(0.06f / (float)groom->strand_count);
    VkExtent2D shadow = {SHADOW_TEXELS, SHADOW_TEXELS};
    return gpu_image_make(g, shadow, TARGET_DEPTH, VK_SAMPLE_COUNT_1_BIT,
                          VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                          VK_IMAGE_ASPECT_DEPTH_BIT, &d->shadow) &&
           gpu_buffer_make(g, FRAMES_IN_FLIGHT * UNIFORM_STRIDE, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, true,
                           &d->uniforms) &&
           make_hair_mesh(d, groom) && make_body_mesh(d) && make_set(d) &&
           pipeline_make_all(g, d->layout, samples, d->pipelines) && make_commands(d);
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
    gpu_image_free(d->gpu, &d->shadow);
    gpu_buffer *buffers[] = {&d->uniforms, &d->points, &d->hair_mesh, &d->body_mesh};
    for (int i = 0; i < 4; i++) gpu_buffer_free(d->gpu, buffers[i]);
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

VkCommandBuffer draw_record(draw *d, uint32_t slot, const target *t, const draw_view *view, uint64_t strands_offset) {
    write_uniforms(d, slot, t, view);
    VkCommandBuffer commands = d->commands[slot];
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    vkBeginCommandBuffer(commands, &begin);
    vkCmdResetQueryPool(commands, d->clock, 2 * slot, 2);
    // After the vertex stage, which waits for the strands: waiting is not drawing.
    vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, d->clock, 2 * slot);
    uint32_t offsets[2] = {slot * UNIFORM_STRIDE, (uint32_t)strands_offset}; // in the order of the bindings
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, d->layout, 0, 1, &d->set, 2, offsets);
    record_shadow(d, commands, view->posed->collider_count);
    target_begin(t, commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipelines[DRAW_BACKDROP]);
    vkCmdDraw(commands, 3, 1, 0, 0);
    record_body(d, commands, DRAW_BODY, view->posed->collider_count);
    record_hair(d, commands, DRAW_HAIR, d->strips);
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

// Body and hair as the key light sees them: depth only.
static void record_shadow(draw *d, VkCommandBuffer commands, uint32_t body_count) {
    shadow_barrier(d, commands, true);
    VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = d->shadow.view,
                                       .imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                       .clearValue.depthStencil.depth = 1};
    VkRect2D area = {{0, 0}, {SHADOW_TEXELS, SHADOW_TEXELS}};
    VkRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = area, .layerCount = 1, .pDepthAttachment = &depth};
    vkCmdBeginRendering(commands, &rendering);
    VkViewport viewport = {0, 0, SHADOW_TEXELS, SHADOW_TEXELS, 0, 1};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &area);
    record_body(d, commands, DRAW_BODY_SHADOW, body_count);
    record_hair(d, commands, DRAW_HAIR_SHADOW, 1);
    vkCmdEndRendering(commands);
    shadow_barrier(d, commands, false);
}

static void record_hair(const draw *d, VkCommandBuffer commands, draw_pass pass, uint32_t strips) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipelines[pass]);
    vkCmdBindIndexBuffer(commands, d->hair_mesh.handle, 0, VK_INDEX_TYPE_UINT32);
    bool shadow = pass == DRAW_HAIR_SHADOW;
    vkCmdDrawIndexed(commands, shadow ? d->shadow_indices : d->hair_indices, strips, shadow ? d->hair_indices : 0, 0,
                     0);
}

static void record_body(const draw *d, VkCommandBuffer commands, draw_pass pass, uint32_t count) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipelines[pass]);
    vkCmdBindIndexBuffer(commands, d->body_mesh.handle, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(commands, d->body_indices, count, 0, 0, 0);
}

// After reading by the last frame, before writing by this one; and between writing and reading.
static void shadow_barrier(const draw *d, VkCommandBuffer commands, bool before) {
    VkPipelineStageFlags2 readers = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
    VkPipelineStageFlags2 writers =
        VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
    VkAccessFlags2 write =
        VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
    VkImageLayout drawn = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, read = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    VkImageMemoryBarrier2 change = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                    .srcStageMask = before ? readers : writers,
                                    .srcAccessMask = before ? 0 : write,
                                    .dstStageMask = before ? writers : readers,
                                    .dstAccessMask = before ? write : VK_ACCESS_2_SHADER_SAMPLED_READ_BIT,
                                    .oldLayout = before ? VK_IMAGE_LAYOUT_UNDEFINED : drawn,
                                    .newLayout = before ? drawn : read,
                                    .image = d->shadow.handle,
                                    .subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}};
    VkDependencyInfo barrier = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &change};
    vkCmdPipelineBarrier2(commands, &barrier);
}

static void write_uniforms(draw *d, uint32_t slot, const target *t, const draw_view *view) {
    frame_uniforms u;
    memset(&u, 0, sizeof u);
    float width = (float)t->extent.width, height = (float)t->extent.height;
    camera eye = camera_perspective(view->eye, view->target, FOV, width / height);
    float bind_center[3], bind[SCENE_BONE_COUNT][12];
    scene_head_center(bind_center);
    scene_bind_pose(bind);
    // The centre of the skull in the head's space: the bind pose is upright, so its inverse is a translation.
    const float *h = view->head, *b = bind[SCENE_BONE_HEAD];
    vec3 center = m34_point(h, v3_sub(v3_from(bind_center), v3(b[3], b[7], b[11])));
    vec3 lit = v3_mad(center, v3(0, 1, 0), -0.15f);
    camera light = camera_parallel(lit, KEY_FROM, LIGHT_RADIUS_M);
    memcpy(u.clip_from_world, eye.clip_from_world, sizeof u.clip_from_world);
    memcpy(u.light_from_world, light.clip_from_world, sizeof u.light_from_world);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) u.head[4 * column + row] = h[4 * row + column];
    u.head[15] = 1;
    v3_store(u.eye, view->eye);
    u.eye[3] = 2 * tanf(0.5f * FOV) / height;
    v3_store(u.head_center, center);
    u.head_center[3] = d->spread_m;
    u.size[0] = width, u.size[1] = height, u.size[2] = LIGHT_RADIUS_M, u.size[3] = (float)view->posed->collider_count;
    for (uint32_t i = 0; i < view->posed->collider_count; i++) {
        const plait_collider *c = &view->posed->colliders[i];
        for (int end = 0; end < 2; end++) {
            int from = c->kind == PLAIT_COLLIDER_SPHERE ? 0 : end;
            memcpy(u.capsules[2 * i + (uint32_t)end], c->points[from], 3 * sizeof(float));
            u.capsules[2 * i + (uint32_t)end][3] = c->radii[from];
        }
    }
    memcpy((char *)d->uniforms.mapped + slot * UNIFORM_STRIDE, &u, sizeof u);
    vmaFlushAllocation(d->gpu->allocator, d->uniforms.allocation, slot * UNIFORM_STRIDE, sizeof u);
}

// Each strand is one strip, ended by a restart index. Vertices alternate left and right, which needs one triangle per
// vertex instead of two. The shadow's strips follow, of every SHADOW_STEP-th vertex.
static bool make_hair_mesh(draw *d, const scene_groom *groom) {
    d->hair_indices = groom->vertex_count + groom->strand_count;
    for (uint32_t s = 0; s < groom->strand_count; s++)
        d->shadow_indices += (groom->vertex_counts[s] - 1) / SHADOW_STEP + 2;
    if (!gpu_buffer_make(d->gpu, groom->vertex_count * sizeof(hair_point), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true,
                         &d->points) ||
        !gpu_buffer_make(d->gpu, (d->hair_indices + d->shadow_indices) * sizeof(uint32_t),
                         VK_BUFFER_USAGE_INDEX_BUFFER_BIT, true, &d->hair_mesh))
        return false;
    hair_point *point = d->points.mapped;
    uint32_t *index = d->hair_mesh.mapped, *shadow = index + d->hair_indices, root = 0;
    for (uint32_t s = 0; s < groom->strand_count; root += groom->vertex_counts[s++]) {
        for (uint32_t v = 0; v < groom->vertex_counts[s]; v++) {
            *point++ = (hair_point){root, (float)v / (float)(groom->vertex_counts[s] - 1)};
            *index++ = root + v;
            if (v % SHADOW_STEP == 0) *shadow++ = root + v;
        }
        *index++ = *shadow++ = UINT32_MAX;
    }
    vmaFlushAllocation(d->gpu->allocator, d->points.allocation, 0, VK_WHOLE_SIZE);
    vmaFlushAllocation(d->gpu->allocator, d->hair_mesh.allocation, 0, VK_WHOLE_SIZE);
    return true;
}

// Rings of vertices from pole to pole; body.vert puts them in place.
static bool make_body_mesh(draw *d) {
    d->body_indices = 6 * (BODY_RINGS - 1) * BODY_SEGMENTS;
    if (!gpu_buffer_make(d->gpu, d->body_indices * sizeof(uint32_t), VK_BUFFER_USAGE_INDEX_BUFFER_BIT, true,
                         &d->body_mesh))
        return false;
    uint32_t *index = d->body_mesh.mapped;
    for (uint32_t ring = 0; ring + 1 < BODY_RINGS; ring++)
        for (uint32_t i = 0; i < BODY_SEGMENTS; i++) {
            uint32_t a = ring * (BODY_SEGMENTS + 1) + i, b = a + BODY_SEGMENTS + 1;
            uint32_t quad[6] = {a, b, a + 1, a + 1, b, b + 1};
            memcpy(index, quad, sizeof quad);
            index += 6;
        }
    vmaFlushAllocation(d->gpu->allocator, d->body_mesh.allocation, 0, VK_WHOLE_SIZE);
    return true;
}

static bool make_set(draw *d) {
    VkDevice device = d->gpu->device;
    VkShaderStageFlags vertex = VK_SHADER_STAGE_VERTEX_BIT, both = vertex | VK_SHADER_STAGE_FRAGMENT_BIT;
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                   .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                   .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                   .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE}; // outside everything is lit
    if (!gpu_ok(vkCreateSampler(device, &sampler, NULL, &d->sampler), "vkCreateSampler")) return false;
    VkDescriptorSetLayoutBinding bindings[4] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, both, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, vertex, NULL}, // Plait's output; see draw_connect
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, vertex, NULL},
        {3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, both, NULL},
    };
    VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 4, .pBindings = bindings};
    VkDescriptorPoolSize sizes[4];
    for (int i = 0; i < 4; i++) sizes[i] = (VkDescriptorPoolSize){bindings[i].descriptorType, 1};
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 4, .pPoolSizes = sizes};
    if (!gpu_ok(vkCreateDescriptorSetLayout(device, &set_layout, NULL, &d->set_layout), "set layout") ||
        !gpu_ok(vkCreateDescriptorPool(device, &pool, NULL, &d->pool), "vkCreateDescriptorPool"))
        return false;
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = d->pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &d->set_layout};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &d->set_layout};
    if (!gpu_ok(vkAllocateDescriptorSets(device, &allocate, &d->set), "vkAllocateDescriptorSets") ||
        !gpu_ok(vkCreatePipelineLayout(device, &layout, NULL, &d->layout), "vkCreatePipelineLayout"))
        return false;
    VkDescriptorBufferInfo buffers[2] = {{d->uniforms.handle, 0, sizeof(frame_uniforms)},
                                         {d->points.handle, 0, VK_WHOLE_SIZE}};
    VkDescriptorImageInfo image = {d->sampler, d->shadow.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkWriteDescriptorSet writes[3];
    static const uint32_t WRITTEN[3] = {0, 2, 3};
    for (int i = 0; i < 3; i++)
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = d->set,
                                           .dstBinding = WRITTEN[i],
                                           .descriptorCount = 1,
                                           .descriptorType = bindings[WRITTEN[i]].descriptorType,
                                           .pBufferInfo = &buffers[i % 2],
                                           .pImageInfo = &image};
    vkUpdateDescriptorSets(device, 3, writes, 0, NULL);
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
