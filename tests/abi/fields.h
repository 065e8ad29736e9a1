/* Every public struct field by field, as offset and size in bytes on targets with 64-bit pointers. Compiled
 * hosts rely on these numbers: a line may be added at the end of a struct, none may change. */
#ifndef PLAIT_TESTS_FIELDS_H
#define PLAIT_TESTS_FIELDS_H

/* X(struct, size) */
#define EACH_STRUCT(X)                                                                                                 \
    X(plait_context, 8)                                                                                                \
    X(plait_device, 8)                                                                                                 \
    X(plait_groom, 8)                                                                                                  \
    X(plait_body, 8)                                                                                                   \
    X(plait_hair, 8)                                                                                                   \
    X(plait_semaphore, 8)                                                                                              \
    X(plait_binding, 8)                                                                                                \
    X(plait_head, 16)                                                                                                  \
    X(plait_library_info, 32)                                                                                          \
    X(plait_allocator, 40)                                                                                             \
    X(plait_logger, 40)                                                                                                \
    X(plait_jobs, 40)                                                                                                  \
    X(plait_context_desc, 48)                                                                                          \
    X(plait_backend_info, 288)                                                                                         \
    X(plait_device_info, 216)                                                                                          \
    X(plait_device_desc, 64)                                                                                           \
    X(plait_device_cpu_desc, 24)                                                                                       \
    X(plait_root_binding, 32)                                                                                          \
    X(plait_group_desc, 24)                                                                                            \
    X(plait_groom_desc, 112)                                                                                           \
    X(plait_groom_info, 80)                                                                                            \
    X(plait_collider, 64)                                                                                              \
    X(plait_body_desc, 32)                                                                                             \
    X(plait_shape_params, 48)                                                                                          \
    X(plait_hybrid_params, 80)                                                                                         \
    X(plait_hair_desc, 96)                                                                                             \
    X(plait_hair_info, 168)                                                                                            \
    X(plait_frame_desc, 96)                                                                                            \
    X(plait_settle_info, 32)                                                                                           \
    X(plait_volume_params, 72)                                                                                         \
    X(plait_volume_info, 128)                                                                                          \
    X(plait_binding_desc, 72)                                                                                          \
    X(plait_binding_info, 72)                                                                                          \
    X(plait_render_params, 48)                                                                                         \
    X(plait_groom_mesh_desc, 88)                                                                                       \
    X(plait_mesh_pose_desc, 40)                                                                                        \
    X(plait_place_desc, 32)                                                                                            \
    X(plait_render_style, 64)                                                                                          \
    X(plait_settle_desc, 72)                                                                                           \
    X(plait_output_attribute, 40)                                                                                      \
    X(plait_output_desc, 48)                                                                                           \
    X(plait_stats_info, 152)                                                                                           \
    X(plait_stage_info, 104)                                                                                           \
    X(plait_vulkan_device_desc, 88)                                                                                    \
    X(plait_vulkan_output_desc, 40)                                                                                    \
    X(plait_vulkan_frame_desc, 48)                                                                                     \
    X(plait_vulkan_wants_info, 128)                                                                                    \
    X(plait_cuda_device_desc, 32)                                                                                      \
    X(plait_cuda_output_desc, 32)                                                                                      \
    X(plait_external_memory, 88)                                                                                       \
    X(plait_external_semaphore, 64)                                                                                    \
    X(plait_output_export_desc, 24)                                                                                    \
    X(plait_frame_sync_desc, 48)

/* X(struct, field, offset, size) */
/* clang-format off */
#define FIELDS_plait_context(X, S) X(S, id, 0, 8)
#define FIELDS_plait_device(X, S) X(S, id, 0, 8)
#define FIELDS_plait_groom(X, S) X(S, id, 0, 8)
#define FIELDS_plait_body(X, S) X(S, id, 0, 8)
#define FIELDS_plait_hair(X, S) X(S, id, 0, 8)
#define FIELDS_plait_semaphore(X, S) X(S, id, 0, 8)
#define FIELDS_plait_binding(X, S) X(S, id, 0, 8)
#define FIELDS_plait_head(X, S) X(S, type, 0, 4) X(S, size, 4, 4) X(S, next, 8, 8)
#define FIELDS_plait_library_info(X, S)                                                                                \
    X(S, head, 0, 16)                                                                                                  \
    X(S, version_major, 16, 4) X(S, version_minor, 20, 4) X(S, version_patch, 24, 4) X(S, reserved, 28, 4)
#define FIELDS_plait_allocator(X, S) X(S, head, 0, 16) X(S, user, 16, 8) X(S, allocate, 24, 8) X(S, release, 32, 8)
#define FIELDS_plait_logger(X, S)                                                                                      \
    X(S, head, 0, 16) X(S, user, 16, 8) X(S, log, 24, 8) X(S, min_level, 32, 4) X(S, reserved, 36, 4)
#define FIELDS_plait_jobs(X, S)                                                                                        \
    X(S, head, 0, 16) X(S, user, 16, 8) X(S, parallel_for, 24, 8) X(S, thread_count, 32, 4) X(S, reserved, 36, 4)
#define FIELDS_plait_context_desc(X, S)                                                                                \
    X(S, head, 0, 16)                                                                                                  \
    X(S, allocator, 16, 8) X(S, logger, 24, 8) X(S, jobs, 32, 8) X(S, thread_count, 40, 4) X(S, reserved, 44, 4)
#define FIELDS_plait_backend_info(X, S)                                                                                \
    X(S, head, 0, 16)                                                                                                  \
    X(S, backend, 16, 4) X(S, available, 20, 4) X(S, device_count, 24, 4) X(S, reserved, 28, 4)                        \
    X(S, name, 32, 64) X(S, reason, 96, 192)
#define FIELDS_plait_device_info(X, S)                                                                                 \
    X(S, head, 0, 16)                                                                                                  \
    X(S, backend, 16, 4) X(S, index, 20, 4) X(S, interop, 24, 4) X(S, pack_width, 28, 4)                               \
    X(S, memory_bytes, 32, 8) X(S, memory_used_bytes, 40, 8)                                                           \
    X(S, uuid, 48, 16) X(S, name, 64, 64) X(S, variant, 128, 64) X(S, driver_uuid, 192, 16) X(S, host_memory_alignment, 208, 8)
#define FIELDS_plait_device_desc(X, S)                                                                                 \
    X(S, head, 0, 16)                                                                                                  \
    X(S, backend, 16, 4) X(S, index, 20, 4) X(S, uuid, 24, 16)                                                         \
    X(S, name, 40, 8) X(S, cache, 48, 8) X(S, cache_size, 56, 8)
#define FIELDS_plait_device_cpu_desc(X, S) X(S, head, 0, 16) X(S, instruction_set, 16, 4) X(S, reserved, 20, 4)
#define FIELDS_plait_root_binding(X, S) X(S, bones, 0, 16) X(S, weights, 16, 16)
#define FIELDS_plait_group_desc(X, S) X(S, head, 0, 16) X(S, radius, 16, 4) X(S, friction, 20, 4)
#define FIELDS_plait_groom_desc(X, S)                                                                                  \
    X(S, head, 0, 16)                                                                                                  \
    X(S, strand_count, 16, 4) X(S, bone_count, 20, 4)                                                                  \
    X(S, vertex_counts, 24, 8) X(S, positions, 32, 8) X(S, radii, 40, 8)                                               \
    X(S, root_bones, 48, 8) X(S, root_bindings, 56, 8) X(S, bind_pose, 64, 8) X(S, root_normals, 72, 8)                \
    X(S, group_indices, 80, 8) X(S, groups, 88, 8) X(S, group_count, 96, 4) X(S, reserved, 100, 4)     \
    X(S, held_counts, 104, 8)
#define FIELDS_plait_groom_info(X, S)                                                                                  \
    X(S, head, 0, 16)                                                                                                  \
    X(S, strand_count, 16, 4) X(S, vertex_count, 20, 4) X(S, max_vertex_count, 24, 4)                                  \
    X(S, group_count, 28, 4) X(S, bone_count, 32, 4) X(S, reserved, 36, 4)                                             \
    X(S, bounds_min, 40, 12) X(S, bounds_max, 52, 12) X(S, identity, 64, 8) X(S, memory_bytes, 72, 8)
#define FIELDS_plait_collider(X, S)                                                                                    \
    X(S, head, 0, 16)                                                                                                  \
    X(S, kind, 16, 4) X(S, bone, 20, 4) X(S, points, 24, 24) X(S, radii, 48, 8)                                        \
    X(S, friction, 56, 4) X(S, reserved, 60, 4)
#define FIELDS_plait_body_desc(X, S)                                                                                   \
    X(S, head, 0, 16) X(S, bone_count, 16, 4) X(S, collider_count, 20, 4) X(S, colliders, 24, 8)
#define FIELDS_plait_shape_params(X, S)                                                                                \
    X(S, head, 0, 16)                                                                                                  \
    X(S, compliance_root_s2, 16, 4) X(S, compliance_tip_s2, 20, 4) X(S, shape_damping, 24, 4)                          \
    X(S, drag_per_s, 28, 4) X(S, damping_per_s, 32, 4) X(S, velocity_correction, 36, 4)                                \
    X(S, collision_radius, 40, 4) X(S, reserved, 44, 4)
#define FIELDS_plait_hybrid_params(X, S)                                                                               \
    X(S, head, 0, 16)                                                                                                  \
    X(S, stretch_modulus, 16, 4) X(S, bend_modulus, 20, 4) X(S, twist_modulus, 24, 4)                                  \
    X(S, density, 28, 4) X(S, flatness, 32, 4) X(S, damping_s, 36, 4) X(S, drag_per_s, 40, 4)                          \
    X(S, clamp_extension, 44, 4) X(S, held_blend, 48, 4) X(S, max_root_speed, 52, 4) X(S, max_root_turn, 56, 4)        \
    X(S, collision_radius, 60, 4) X(S, rest_gravity, 64, 12) X(S, reserved, 76, 4)
#define FIELDS_plait_hair_desc(X, S)                                                                                   \
    X(S, head, 0, 16)                                                                                                  \
    X(S, groom, 16, 8) X(S, device, 24, 8) X(S, body, 32, 8)                                                           \
    X(S, solver, 40, 4) X(S, params_count, 44, 4) X(S, params, 48, 8) X(S, bones, 56, 8)                               \
    X(S, meters_per_unit, 64, 4) X(S, step_rate_hz, 68, 4) X(S, substeps, 72, 4)                                       \
    X(S, max_frame_s, 76, 4) X(S, teleport_distance, 80, 4) X(S, teleport_angle, 84, 4)                                \
    X(S, flags, 88, 4) X(S, reserved, 92, 4)
#define FIELDS_plait_hair_info(X, S)                                                                                   \
    X(S, head, 0, 16)                                                                                                  \
    X(S, groom, 16, 8) X(S, device, 24, 8) X(S, body, 32, 8)                                                           \
    X(S, solver, 40, 4) X(S, strand_count, 44, 4) X(S, vertex_count, 48, 4) X(S, reserved, 52, 4)                      \
    X(S, time_s, 56, 8) X(S, step_count, 64, 8) X(S, bounds_min, 72, 12) X(S, bounds_max, 84, 12)                      \
    X(S, binding, 96, 8) X(S, render_strand_count, 104, 4) X(S, render_vertex_count, 108, 4)                           \
    X(S, render_bounds_min, 112, 12) X(S, render_bounds_max, 124, 12)                                                  \
    X(S, render_box_min, 136, 12) X(S, render_box_max, 148, 12) X(S, render_max_radius, 160, 4) X(S, reserved2, 164, 4)
#define FIELDS_plait_frame_desc(X, S)                                                                                  \
    X(S, head, 0, 16)                                                                                                  \
    X(S, dt, 16, 4) X(S, bone_count, 20, 4) X(S, bones, 24, 8) X(S, gravity, 32, 12) X(S, wind, 44, 12)                \
    X(S, colliders_enabled, 56, 8) X(S, colliders_enabled_words, 64, 4) X(S, reserved, 68, 4) X(S, origin, 72, 24)
#define FIELDS_plait_settle_info(X, S)                                                                                 \
    X(S, head, 0, 16) X(S, step_count, 16, 4) X(S, settled, 20, 4) X(S, speed, 24, 4) X(S, acceleration, 28, 4)
#define FIELDS_plait_settle_desc(X, S)                                                                                 \
    X(S, head, 0, 16)                                                                                                  \
    X(S, gravity, 16, 12) X(S, wind, 28, 12) X(S, max_speed, 40, 4) X(S, max_acceleration, 44, 4)                      \
    X(S, max_steps, 48, 4) X(S, progress_steps, 52, 4) X(S, progress, 56, 8) X(S, user, 64, 8)
#define FIELDS_plait_volume_params(X, S)                                                                               \
    X(S, head, 0, 16)                                                                                                  \
    X(S, model, 16, 4) X(S, substeps, 20, 4) X(S, cell_size, 24, 4) X(S, youngs_modulus, 28, 4)                        \
    X(S, poisson_ratio, 32, 4) X(S, density, 36, 4) X(S, friction_angle, 40, 4) X(S, flip_ratio, 44, 4)                \
    X(S, loose_closing, 48, 4) X(S, loose_opening, 52, 4) X(S, simulated_share, 56, 4) X(S, strength, 60, 4)           \
    X(S, max_blocks, 64, 4) X(S, reserved, 68, 4)
#define FIELDS_plait_volume_info(X, S)                                                                                 \
    X(S, head, 0, 16)                                                                                                  \
    X(S, block_count, 16, 8) X(S, block_capacity, 24, 8) X(S, homeless_vertex_count, 32, 8)                            \
    X(S, mass, 40, 8) X(S, grid_mass, 48, 8) X(S, momentum, 56, 24) X(S, grid_momentum, 80, 24)                        \
    X(S, momentum_after, 104, 24)
#define FIELDS_plait_binding_desc(X, S)                                                                                \
    X(S, head, 0, 16)                                                                                                  \
    X(S, guides, 16, 8) X(S, render, 24, 8) X(S, guide_count, 32, 4) X(S, flags, 36, 4) X(S, parting_angle, 40, 4)     \
    X(S, shape_weight, 44, 4) X(S, length_weight, 48, 4) X(S, reserved, 52, 4) X(S, progress, 56, 8) X(S, user, 64, 8)
#define FIELDS_plait_binding_info(X, S)                                                                                \
    X(S, head, 0, 16)                                                                                                  \
    X(S, guide_strand_count, 16, 4) X(S, strand_count, 20, 4) X(S, vertex_count, 24, 4) X(S, max_vertex_count, 28, 4)  \
    X(S, single_count, 32, 4) X(S, row_count, 36, 4) X(S, guides_identity, 40, 8) X(S, render_identity, 48, 8)         \
    X(S, mean_distance, 56, 4) X(S, max_distance, 60, 4) X(S, memory_bytes, 64, 8)
#define FIELDS_plait_render_params(X, S)                                                                               \
    X(S, head, 0, 16)                                                                                                  \
    X(S, single_root, 16, 4) X(S, single_tip, 20, 4) X(S, length, 24, 4) X(S, width_root, 28, 4) X(S, width_tip, 32, 4)\
    X(S, strand_fraction, 36, 4) X(S, vertex_fraction, 40, 4) X(S, flags, 44, 4)
#define FIELDS_plait_groom_mesh_desc(X, S)                                                                             \
    X(S, head, 0, 16)                                                                                                  \
    X(S, vertex_count, 16, 4) X(S, triangle_count, 20, 4) X(S, index_format, 24, 4) X(S, position_format, 28, 4)       \
    X(S, indices, 32, 8) X(S, positions, 40, 8) X(S, position_stride, 48, 8) X(S, root_triangles, 56, 8)               \
    X(S, root_barycentrics, 64, 8) X(S, progress, 72, 8) X(S, user, 80, 8)
#define FIELDS_plait_mesh_pose_desc(X, S)                                                                              \
    X(S, head, 0, 16)                                                                                                  \
    X(S, vertex_count, 16, 4) X(S, format, 20, 4) X(S, stride, 24, 8) X(S, positions, 32, 8)
#define FIELDS_plait_place_desc(X, S)                                                                                  \
    X(S, head, 0, 16) X(S, kind, 16, 4) X(S, bone_count, 20, 4) X(S, bones, 24, 8)
#define FIELDS_plait_render_style(X, S)                                                                                \
    X(S, head, 0, 16)                                                                                                  \
    X(S, length, 16, 4) X(S, width_root, 20, 4) X(S, width_tip, 24, 4) X(S, scatter, 28, 4) X(S, clump, 32, 4)         \
    X(S, clump_begin, 36, 4) X(S, clump_size, 40, 4) X(S, curl_radius, 44, 4) X(S, curl_pitch, 48, 4)                  \
    X(S, frizz, 52, 4) X(S, frizz_length, 56, 4) X(S, seed, 60, 4)
#define FIELDS_plait_output_attribute(X, S)                                                                            \
    X(S, head, 0, 16) X(S, attribute, 16, 4) X(S, format, 20, 4) X(S, offset, 24, 8) X(S, stride, 32, 8)
#define FIELDS_plait_output_desc(X, S)                                                                                 \
    X(S, head, 0, 16)                                                                                                  \
    X(S, attribute_count, 16, 4) X(S, reserved, 20, 4) X(S, attributes, 24, 8) X(S, memory, 32, 8) X(S, size, 40, 8)
#define FIELDS_plait_stats_info(X, S)                                                                                  \
    X(S, head, 0, 16)                                                                                                  \
    X(S, strand_count, 16, 4) X(S, vertex_count, 20, 4) X(S, frame_count, 24, 8) X(S, step_count, 32, 8)               \
    X(S, teleport_count, 40, 8) X(S, clamped_frame_count, 48, 8) X(S, nonfinite_strand_count, 56, 8)                   \
    X(S, frame_s, 64, 8) X(S, worst_stretch, 72, 4) X(S, mean_length_error, 76, 4)                                     \
    X(S, bytes_asset, 80, 8) X(S, bytes_state, 88, 8) X(S, bytes_work, 96, 8)                                          \
    X(S, dispatches_per_step, 104, 4) X(S, barriers_per_step, 108, 4) X(S, sagging_strand_count, 112, 8)               \
    X(S, restless_strand_count, 120, 8) X(S, knotted_strand_count, 128, 8)                                             \
    X(S, rms_speed, 136, 4) X(S, fastest_speed, 140, 4) X(S, cut_strand_count, 144, 8)
#define FIELDS_plait_vulkan_device_desc(X, S)                                                                          \
    X(S, head, 0, 16)                                                                                                  \
    X(S, physical_device, 16, 8)                                                                                       \
    X(S, device, 24, 8)                                                                                                \
    X(S, queue, 32, 8)                                                                                                 \
    X(S, queue_family, 40, 4)                                                                                          \
    X(S, features, 44, 4)                                                                                              \
    X(S, user, 48, 8)                                                                                                  \
    X(S, lock_queue, 56, 8)                                                                                            \
    X(S, unlock_queue, 64, 8)                                                                                          \
    X(S, extensions, 72, 8)                                                                                            \
    X(S, extension_count, 80, 4)                                                                                       \
    X(S, reserved, 84, 4)
#define FIELDS_plait_vulkan_output_desc(X, S)                                                                          \
    X(S, head, 0, 16) X(S, device, 16, 8) X(S, buffer, 24, 8) X(S, offset, 32, 8)
#define FIELDS_plait_vulkan_frame_desc(X, S)                                                                           \
    X(S, head, 0, 16)                                                                                                  \
    X(S, wait_semaphore, 16, 8)                                                                                        \
    X(S, wait_value, 24, 8)                                                                                            \
    X(S, signal_semaphore, 32, 8)                                                                                      \
    X(S, signal_value, 40, 8)
#define FIELDS_plait_vulkan_wants_info(X, S)                                                                           \
    X(S, head, 0, 16)                                                                                                  \
    X(S, api_version, 16, 4) X(S, features, 20, 4)                                                                     \
    X(S, required_extension_count, 24, 4) X(S, optional_extension_count, 28, 4)                                        \
    X(S, required_extensions, 32, 32) X(S, optional_extensions, 64, 64)
#define FIELDS_plait_cuda_device_desc(X, S) X(S, head, 0, 16) X(S, context, 16, 8) X(S, stream, 24, 8)
#define FIELDS_plait_cuda_output_desc(X, S) X(S, head, 0, 16) X(S, context, 16, 8) X(S, pointer, 24, 8)
#define FIELDS_plait_external_memory(X, S)                                                                             \
    X(S, head, 0, 16)                                                                                                  \
    X(S, kind, 16, 4) X(S, dedicated, 20, 4) X(S, handle, 24, 8) X(S, allocation_size, 32, 8) X(S, offset, 40, 8)      \
    X(S, memory_type, 48, 4) X(S, usage, 52, 4) X(S, device_uuid, 56, 16) X(S, driver_uuid, 72, 16)
#define FIELDS_plait_external_semaphore(X, S)                                                                          \
    X(S, head, 0, 16)                                                                                                  \
    X(S, kind, 16, 4) X(S, reserved, 20, 4) X(S, handle, 24, 8) X(S, device_uuid, 32, 16) X(S, driver_uuid, 48, 16)
#define FIELDS_plait_output_export_desc(X, S) X(S, head, 0, 16) X(S, kind, 16, 4) X(S, reserved, 20, 4)
#define FIELDS_plait_frame_sync_desc(X, S)                                                                             \
    X(S, head, 0, 16)                                                                                                  \
    X(S, wait_semaphore, 16, 8) X(S, wait_value, 24, 8) X(S, signal_semaphore, 32, 8) X(S, signal_value, 40, 8)
#define FIELDS_plait_stage_info(X, S)                                                                                  \
    X(S, head, 0, 16) X(S, name, 16, 64) X(S, frame_s, 80, 8) X(S, total_s, 88, 8) X(S, run_count, 96, 8)

/* clang-format on */

#endif
