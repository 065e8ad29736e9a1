/* Compiling this file as C99 and as C++11 with every warning is the test: the headers are self-contained, each _INIT
 * macro names every field of its struct, and each function has the type that PFN_ says. */
#include <plait.h>
#include <plait_cuda.h>
#include <plait_loader.h>
#include <plait_vulkan.h>

plait_cuda_device_desc cuda_device_desc = PLAIT_CUDA_DEVICE_DESC_INIT;
plait_cuda_output_desc cuda_output_desc = PLAIT_CUDA_OUTPUT_DESC_INIT;
plait_vulkan_device_desc vulkan_device_desc = PLAIT_VULKAN_DEVICE_DESC_INIT;
plait_vulkan_output_desc vulkan_output_desc = PLAIT_VULKAN_OUTPUT_DESC_INIT;
plait_vulkan_frame_desc vulkan_frame_desc = PLAIT_VULKAN_FRAME_DESC_INIT;
plait_vulkan_wants_info vulkan_wants_info = PLAIT_VULKAN_WANTS_INFO_INIT;
plait_external_memory external_memory = PLAIT_EXTERNAL_MEMORY_INIT;
plait_external_semaphore external_semaphore = PLAIT_EXTERNAL_SEMAPHORE_INIT;
plait_output_export_desc output_export_desc = PLAIT_OUTPUT_EXPORT_DESC_INIT;
plait_frame_sync_desc frame_sync_desc = PLAIT_FRAME_SYNC_DESC_INIT;
plait_library_info library_info = PLAIT_LIBRARY_INFO_INIT;
plait_allocator allocator = PLAIT_ALLOCATOR_INIT;
plait_logger logger = PLAIT_LOGGER_INIT;
plait_jobs jobs = PLAIT_JOBS_INIT;
plait_context_desc context_desc = PLAIT_CONTEXT_DESC_INIT;
plait_backend_info backend_info = PLAIT_BACKEND_INFO_INIT;
plait_device_info device_info = PLAIT_DEVICE_INFO_INIT;
plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
plait_device_cpu_desc device_cpu_desc = PLAIT_DEVICE_CPU_DESC_INIT;
plait_group_desc group_desc = PLAIT_GROUP_DESC_INIT;
plait_groom_desc groom_desc = PLAIT_GROOM_DESC_INIT;
plait_groom_info groom_info = PLAIT_GROOM_INFO_INIT;
plait_collider collider = PLAIT_COLLIDER_INIT;
plait_body_desc body_desc = PLAIT_BODY_DESC_INIT;
plait_shape_params shape_params = PLAIT_SHAPE_PARAMS_INIT;
plait_hybrid_params hybrid_params = PLAIT_HYBRID_PARAMS_INIT;
plait_hair_desc hair_desc = PLAIT_HAIR_DESC_INIT;
plait_hair_info hair_info = PLAIT_HAIR_INFO_INIT;
plait_frame_desc frame_desc = PLAIT_FRAME_DESC_INIT;
plait_volume_params volume_params = PLAIT_VOLUME_PARAMS_INIT;
plait_volume_info volume_info = PLAIT_VOLUME_INFO_INIT;
plait_binding_desc binding_desc = PLAIT_BINDING_DESC_INIT;
plait_binding_info binding_info = PLAIT_BINDING_INFO_INIT;
plait_render_params render_params = PLAIT_RENDER_PARAMS_INIT;
plait_groom_mesh_desc groom_mesh_desc = PLAIT_GROOM_MESH_DESC_INIT;
plait_mesh_pose_desc mesh_pose_desc = PLAIT_MESH_POSE_DESC_INIT;
plait_place_desc place_desc = PLAIT_PLACE_DESC_INIT;
plait_render_style render_style = PLAIT_RENDER_STYLE_INIT;
plait_settle_desc settle_desc = PLAIT_SETTLE_DESC_INIT;
plait_settle_info settle_info = PLAIT_SETTLE_INFO_INIT;
plait_output_attribute output_attribute = PLAIT_OUTPUT_ATTRIBUTE_INIT;
plait_output_desc output_desc = PLAIT_OUTPUT_DESC_INIT;
plait_stats_info stats_info = PLAIT_STATS_INFO_INIT;
plait_stage_info stage_info = PLAIT_STAGE_INFO_INIT;

#define POINTER_TO(name) PFN_##name pointer_to_##name = name;
PLAIT_FOR_EACH_FUNCTION(POINTER_TO)
PLAIT_FOR_EACH_VULKAN_FUNCTION(POINTER_TO)
