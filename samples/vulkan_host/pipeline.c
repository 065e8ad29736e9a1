// See pipeline.h. Shaders are compiled while building and lie in the program.
#include "pipeline.h"

#include "backdrop.frag.h"
#include "backdrop.vert.h"
#include "body.frag.h"
#include "body.vert.h"
#include "hair.frag.h"
#include "hair.vert.h"
#include "light.comp.h"
#include "shade.comp.h"
#include "splat_body.comp.h"
#include "splat_hair.comp.h"

typedef struct shader {
    const uint32_t *words;
    size_t size; // bytes; 0: none
} shader;

#define SHADER(name)                                                                                                   \
    { shader_##name, sizeof shader_##name }

typedef struct pipeline_row {
    shader first, fragment; // without a fragment shader the first one is a compute shader, else a vertex shader
    bool lines, depth;
} pipeline_row;

static const pipeline_row ROWS[DRAW_PASS_COUNT] = {
    [DRAW_SPLAT_HAIR] = {SHADER(splat_hair_comp), {0}, false, false},
    [DRAW_SPLAT_BODY] = {SHADER(splat_body_comp), {0}, false, false},
    [DRAW_LIGHT] = {SHADER(light_comp), {0}, false, false},
    [DRAW_SHADE] = {SHADER(shade_comp), {0}, false, false},
    [DRAW_BACKDROP] = {SHADER(backdrop_vert), SHADER(backdrop_frag), false, false},
    [DRAW_BODY] = {SHADER(body_vert), SHADER(body_frag), false, true},
    [DRAW_HAIR] = {SHADER(hair_vert), SHADER(hair_frag), true, true},
};

static bool make(const gpu *g, VkPipelineLayout layout, const pipeline_row *row, const VkShaderModule modules[2],
                 VkPipeline *pipeline);

static bool make_compute(const gpu *g, VkPipelineLayout layout, VkShaderModule module, VkPipeline *pipeline);

bool pipeline_make_all(const gpu *g, VkPipelineLayout layout, VkPipeline pipelines[DRAW_PASS_COUNT]) {
    bool made = true;
    for (uint32_t i = 0; made && i < DRAW_PASS_COUNT; i++) {
        VkShaderModule modules[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
        for (int stage = 0; made && stage < 2; stage++) {
            const shader *s = stage ? &ROWS[i].fragment : &ROWS[i].first;
            VkShaderModuleCreateInfo info = {
                .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = s->size, .pCode = s->words};
            if (s->size)
                made = gpu_ok(vkCreateShaderModule(g->device, &info, NULL, &modules[stage]), "vkCreateShaderModule");
        }
        made = made && (ROWS[i].fragment.size ? make(g, layout, &ROWS[i], modules, &pipelines[i])
                                              : make_compute(g, layout, modules[0], &pipelines[i]));
        vkDestroyShaderModule(g->device, modules[0], NULL);
        vkDestroyShaderModule(g->device, modules[1], NULL);
    }
    return made;
}

static bool make(const gpu *g, VkPipelineLayout layout, const pipeline_row *row, const VkShaderModule modules[2],
                 VkPipeline *pipeline) {
    VkPipelineShaderStageCreateInfo stages[2] = {{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_VERTEX_BIT,
                                                  .module = modules[0],
                                                  .pName = "main"},
                                                 {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
                                                  .module = modules[1],
                                                  .pName = "main"}};
    // No vertex attributes: shaders pull what they need from buffers.
    VkPipelineVertexInputStateCreateInfo vertices = {.sType =
                                                         VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = row->lines ? VK_PRIMITIVE_TOPOLOGY_LINE_STRIP : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
        .primitiveRestartEnable = row->lines};
    VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
    VkPipelineRasterizationStateCreateInfo rasterization = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo multisample = {.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineDepthStencilStateCreateInfo depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                   .depthTestEnable = row->depth,
                                                   .depthWriteEnable = row->depth,
                                                   .depthCompareOp = VK_COMPARE_OP_LESS};
    VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 0xf};
    VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = 1,
                                                 .pAttachments = &attachment};
    VkDynamicState states[3] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_LINE_WIDTH};
    VkPipelineDynamicStateCreateInfo dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                .dynamicStateCount = row->lines ? 3 : 2,
                                                .pDynamicStates = states};
    VkFormat color_format = TARGET_COLOR;
    VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                               .colorAttachmentCount = 1,
                                               .pColorAttachmentFormats = &color_format,
                                               .depthAttachmentFormat = TARGET_DEPTH};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .pNext = &rendering,
                                         .stageCount = 2,
                                         .pStages = stages,
                                         .pVertexInputState = &vertices,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &viewport,
                                         .pRasterizationState = &rasterization,
                                         .pMultisampleState = &multisample,
                                         .pDepthStencilState = &depth,
                                         .pColorBlendState = &blend,
                                         .pDynamicState = &dynamic,
                                         .layout = layout};
    return gpu_ok(vkCreateGraphicsPipelines(g->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline),
                  "vkCreateGraphicsPipelines");
}

static bool make_compute(const gpu *g, VkPipelineLayout layout, VkShaderModule module, VkPipeline *pipeline) {
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main"},
                                        .layout = layout};
    return gpu_ok(vkCreateComputePipelines(g->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline),
                  "vkCreateComputePipelines");
}
