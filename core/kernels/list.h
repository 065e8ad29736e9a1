// The list of kernels: the only one. Tables, argument structs, shaders and PTX of all backends come from it, and so do the
// named initialisers of stages and the accesses that barriers are made from. Macros only: C, CUDA and GLSL include it.
#ifndef PLAIT_KERNEL_LIST_H
#define PLAIT_KERNEL_LIST_H

// X(name, domain, scope, physics)
// domain: PACKS     an item is a pack; kernels are written for one, a lane is a strand
//         VERTICES  an item is a row of a pack's vertices, a lane is a vertex
//         ITEMS     an item is a word of some array, a lane is an item
//         GROUPS    an item is a group of threads with shared memory and barriers; on the CPU one thread runs it
// scope:  LOCAL     an item keeps to its own pack, vertices or words
//         GLOBAL    it looks anywhere: what ran before must be done, and what comes behind must wait
// physics: the null device leaves it out
#define FOR_EACH_KERNEL(X)                                                                                             \
    X(roots, PACKS, LOCAL, 0)                                                                                          \
    X(mesh_roots, PACKS, LOCAL, 0)                                                                                     \
    X(mesh_input, PACKS, LOCAL, 0)                                                                                     \
    X(mesh_step, PACKS, LOCAL, 0)                                                                                      \
    X(roots_shift, PACKS, LOCAL, 0)                                                                                    \
    X(rest, PACKS, LOCAL, 0)                                                                                           \
    X(carry, PACKS, LOCAL, 0)                                                                                          \
    X(shift, PACKS, LOCAL, 0)                                                                                          \
    X(snapshot, PACKS, LOCAL, 0)                                                                                       \
    X(shape, PACKS, LOCAL, 1)                                                                                          \
    X(spin_rest, PACKS, LOCAL, 0)                                                                                      \
    X(rod_begin, PACKS, LOCAL, 1)                                                                                      \
    X(rod_build, PACKS, LOCAL, 1)                                                                                      \
    X(rod_solve, PACKS, LOCAL, 1)                                                                                      \
    X(rod_end, PACKS, LOCAL, 1)                                                                                        \
    X(band, PACKS, LOCAL, 1)                                                                                           \
    X(volume_begin, VERTICES, LOCAL, 1)                                                                                \
    X(volume_bin, ITEMS, GLOBAL, 1)                                                                                    \
    X(volume_blocks, GROUPS, GLOBAL, 1)                                                                                \
    X(volume_place, ITEMS, GLOBAL, 1)                                                                                  \
    X(volume_to_grid, GROUPS, GLOBAL, 1)                                                                               \
    X(volume_grid, GROUPS, GLOBAL, 1)                                                                                  \
    X(volume_next, VERTICES, LOCAL, 1)                                                                                 \
    X(volume_end, VERTICES, LOCAL, 1)                                                                                  \
    X(volume_lengths, PACKS, LOCAL, 1)                                                                                 \
    X(volume_carry, PACKS, LOCAL, 0)                                                                                   \
    X(watch, PACKS, LOCAL, 1)                                                                                          \
    X(bounds_reset, ITEMS, GLOBAL, 0)                                                                                  \
    X(output_position, PACKS, LOCAL, 0)                                                                                \
    X(output_tangent, PACKS, LOCAL, 0)                                                                                 \
    X(output_previous, PACKS, LOCAL, 0)                                                                                \
    X(render_guides, PACKS, LOCAL, 0)                                                                                  \
    X(render_rows, ITEMS, GLOBAL, 0)                                                                                   \
    X(render_style, ITEMS, GLOBAL, 0)                                                                                  \
    X(render_lengths, ITEMS, GLOBAL, 0)                                                                                \
    X(render_position, ITEMS, GLOBAL, 0)                                                                               \
    X(render_tangent, ITEMS, GLOBAL, 0)                                                                                \
    X(render_previous, ITEMS, GLOBAL, 0)                                                                               \
    X(dispatch_size, ITEMS, GLOBAL, 0)                                                                                 \
    X(fill, ITEMS, LOCAL, 0)                                                                                           \
    X(copy, ITEMS, LOCAL, 0)                                                                                           \
    X(scan_sums, GROUPS, GLOBAL, 0)                                                                                    \
    X(scan_rows, GROUPS, GLOBAL, 0)                                                                                    \
    X(scan_apply, GROUPS, GLOBAL, 0)                                                                                   \
    X(radix_count, GROUPS, GLOBAL, 0)                                                                                  \
    X(radix_scatter, GROUPS, GLOBAL, 0)                                                                                \
    X(run_heads, ITEMS, GLOBAL, 0)                                                                                     \
    X(run_sizes, ITEMS, GLOBAL, 0)                                                                                     \
    X(compact, ITEMS, GLOBAL, 0)                                                                                       \
    X(gather, ITEMS, GLOBAL, 0)                                                                                        \
    X(scatter, ITEMS, GLOBAL, 0)                                                                                       \
    X(tally, ITEMS, GLOBAL, 0)                                                                                         \
    X(extremes, ITEMS, GLOBAL, 0)                                                                                      \
    X(tally_fixed, ITEMS, GLOBAL, 0)                                                                                   \
    X(fixed_to_floats, ITEMS, LOCAL, 0)                                                                                \
    X(cell_keys, VERTICES, LOCAL, 0)

// Bindings of each kernel, NAME_BINDINGS(X) with X(binding, access), and its numbers, NAME_VALUES(X) with X(value).

#define roots_BINDINGS(X)                                                                                              \
    X(bind, READ)                                                                                                      \
    X(bone_indices, READ)                                                                                              \
    X(bones, READ)                                                                                                     \
    X(frames, READ_WRITE)                                                                                              \
    X(before, WRITE)
#define roots_VALUES(X)                                                                                                \
    X(influences) /* bones per root: 1 for rigid grooms */                                                             \
    X(remember)   /* 1: what `frames` held so far goes to `before` */

#define mesh_roots_BINDINGS(X)                                                                                         \
    X(bind, READ)                                                                                                      \
    X(corners, READ)                                                                                                   \
    X(vertices, READ)                                                                                                  \
    X(from, WRITE) /* what `to` held */                                                                                \
    X(to, READ_WRITE)
#define mesh_roots_VALUES(X)

#define mesh_input_BINDINGS(X)                                                                                         \
    X(bind, READ)                                                                                                      \
    X(corners, READ)                                                                                                   \
    X(frame, READ) /* FRAME_ROOTS: metres per unit; FRAME_SHIFT: our origin as seen from the host's, m */              \
    X(from, WRITE)                                                                                                     \
    X(to, READ_WRITE)                                                                                                  \
    X(memory, READ) /* the host's */
#define mesh_input_VALUES(X)                                                                                           \
    X(offset) /* floats */                                                                                             \
    X(stride)

#define mesh_step_BINDINGS(X)                                                                                          \
    X(from, READ)                                                                                                      \
    X(to, READ)                                                                                                        \
    X(frame, READ)                                                                                                     \
    X(frames, READ_WRITE)                                                                                              \
    X(before, WRITE)
#define mesh_step_VALUES(X)                                                                                            \
    X(remember) /* as of roots */                                                                                      \
    X(whole)    /* 1: all of the way, whatever the frame's FRAME_ROOTS says */

#define roots_shift_BINDINGS(X)                                                                                        \
    X(frames, READ_WRITE)                                                                                              \
    X(frame, READ)
#define roots_shift_VALUES(X)

#define rest_BINDINGS(X)                                                                                               \
    X(packs, READ)                                                                                                     \
    X(positions, READ_WRITE)                                                                                           \
    X(velocities, READ_WRITE)                                                                                          \
    X(targets, READ)                                                                                                   \
    X(roots, READ)
#define rest_VALUES(X)

#define carry_BINDINGS(X)                                                                                              \
    X(packs, READ)                                                                                                     \
    X(positions, READ_WRITE)                                                                                           \
    X(velocities, READ_WRITE)                                                                                          \
    X(from, READ_WRITE) /* takes the frames of `to` */                                                                 \
    X(to, READ)
#define carry_VALUES(X)

#define shift_BINDINGS(X)                                                                                              \
    X(packs, READ)                                                                                                     \
    X(positions, READ_WRITE)                                                                                           \
    X(frame, READ)
#define shift_VALUES(X)

#define snapshot_BINDINGS(X)                                                                                           \
    X(packs, READ)                                                                                                     \
    X(positions, READ)                                                                                                 \
    X(copy, WRITE)
#define snapshot_VALUES(X)

#define shape_BINDINGS(X)                                                                                              \
    X(packs, READ)                                                                                                     \
    X(positions, READ_WRITE)                                                                                           \
    X(velocities, READ_WRITE)                                                                                          \
    X(targets, READ)                                                                                                   \
    X(roots, READ)                                                                                                     \
    X(roots_before, READ)                                                                                              \
    X(constants, READ)                                                                                                 \
    X(frame, READ)                                                                                                     \
    X(colliders, READ)                                                                                                 \
    X(candidates, READ_WRITE)                                                                                          \
    X(results, WRITE)                                                                                                  \
    X(status, READ_WRITE)
#define shape_VALUES(X) X(max_colliders)

#define spin_rest_BINDINGS(X)                                                                                          \
    X(packs, READ)                                                                                                     \
    X(spin, READ_WRITE)                                                                                                \
    X(care, WRITE)
#define spin_rest_VALUES(X)

#define rod_begin_BINDINGS(X)                                                                                          \
    X(packs, READ)                                                                                                     \
    X(strands, READ)                                                                                                   \
    X(held, READ)                                                                                                      \
    X(positions, READ_WRITE)                                                                                           \
    X(velocities, READ_WRITE)                                                                                          \
    X(targets, READ)                                                                                                   \
    X(roots, READ)                                                                                                     \
    X(roots_before, READ)                                                                                              \
    X(constants, READ)                                                                                                 \
    X(frame, READ)                                                                                                     \
    X(spin, READ_WRITE)                                                                                                \
    X(rods, READ)                                                                                                      \
    X(care, READ)                                                                                                      \
    X(work, WRITE)                                                                                                     \
    X(clamps, WRITE)                                                                                                   \
    X(colliders, READ)                                                                                                 \
    X(candidates, READ_WRITE)
#define rod_begin_VALUES(X)                                                                                            \
    X(max_colliders)                                                                                                   \
    X(part) /* of the step: strands that have fewer are done */

#define rod_build_BINDINGS(X)                                                                                          \
    X(packs, READ)                                                                                                     \
    X(strands, READ)                                                                                                   \
    X(held, READ)                                                                                                      \
    X(positions, READ)                                                                                                 \
    X(velocities, READ)                                                                                                \
    X(roots, READ)                                                                                                     \
    X(constants, READ)                                                                                                 \
    X(frame, READ)                                                                                                     \
    X(spin, READ)                                                                                                      \
    X(rods, READ)                                                                                                      \
    X(care, READ)                                                                                                      \
    X(clamps, READ)                                                                                                    \
    X(work, READ_WRITE)                                                                                                \
    X(system, WRITE)                                                                                                   \
    X(right, WRITE)
#define rod_build_VALUES(X) X(part)

#define band_BINDINGS(X)                                                                                               \
    X(packs, READ)                                                                                                     \
    X(system, READ_WRITE)   /* A; then D in its diagonal and L below */                                                \
    X(solution, READ_WRITE) /* b; then x */                                                                            \
    X(floors, READ)                                                                                                    \
    X(care, READ)
#define band_VALUES(X) X(part)

#define rod_solve_BINDINGS(X)                                                                                          \
    X(packs, READ)                                                                                                     \
    X(strands, READ)                                                                                                   \
    X(held, READ)                                                                                                      \
    X(positions, READ)                                                                                                 \
    X(velocities, READ)                                                                                                \
    X(roots, READ)                                                                                                     \
    X(constants, READ)                                                                                                 \
    X(frame, READ)                                                                                                     \
    X(spin, READ)                                                                                                      \
    X(rods, READ)                                                                                                      \
    X(care, READ)                                                                                                      \
    X(clamps, READ)                                                                                                    \
    X(floors, READ)                                                                                                    \
    X(work, READ_WRITE)                                                                                                \
    X(swept, READ_WRITE)                                                                                               \
    X(system, READ_WRITE)                                                                                              \
    X(right, READ_WRITE)
#define rod_solve_VALUES(X) X(part)

#define rod_end_BINDINGS(X)                                                                                            \
    X(packs, READ)                                                                                                     \
    X(strands, READ)                                                                                                   \
    X(held, READ)                                                                                                      \
    X(positions, READ_WRITE)                                                                                           \
    X(velocities, READ_WRITE)                                                                                          \
    X(targets, READ)                                                                                                   \
    X(roots, READ)                                                                                                     \
    X(constants, READ)                                                                                                 \
    X(frame, READ)                                                                                                     \
    X(spin, READ_WRITE)                                                                                                \
    X(rods, READ)                                                                                                      \
    X(care, READ_WRITE)                                                                                                \
    X(clamps, READ)                                                                                                    \
    X(work, READ)                                                                                                      \
    X(solution, READ)                                                                                                  \
    X(results, WRITE)                                                                                                  \
    X(status, READ_WRITE)
#define rod_end_VALUES(X) X(part)

// Hair-hair forces, see couplings/volume. Records, readings and keys are of vertices by their numbers.
#define VOLUME_ROW_BINDINGS(X)                                                                                         \
    X(positions, READ_WRITE)                                                                                           \
    X(velocities, READ_WRITE)                                                                                          \
    X(changes, READ_WRITE) /* velocities before the solver's step, then what that changed; see volume_rows.h */        \
    X(strains, READ_WRITE)                                                                                             \
    X(vertices, READ)                                                                                                  \
    X(params, READ)                                                                                                    \
    X(frame, READ)                                                                                                     \
    X(records, WRITE)                                                                                                  \
    X(keys, WRITE)  /* of blocks */                                                                                    \
    X(table, WRITE) /* of blocks: emptied */
#define volume_begin_BINDINGS(X) VOLUME_ROW_BINDINGS(X)
#define volume_begin_VALUES(X)                                                                                         \
    X(part)        /* of the step */                                                                                   \
    X(rows)        /* of vertices */                                                                                   \
    X(table_words) /* a multiple of their width */
#define volume_next_BINDINGS(X)                                                                                        \
    VOLUME_ROW_BINDINGS(X)                                                                                             \
    X(readings, READ)                                                                                                  \
    X(status, READ_WRITE)
#define volume_next_VALUES(X) volume_begin_VALUES(X)

#define volume_bin_BINDINGS(X)                                                                                         \
    X(keys, READ)                                                                                                      \
    X(table, READ_WRITE)                                                                                               \
    X(list, WRITE)   /* slots that are taken */                                                                        \
    X(places, WRITE) /* of vertices: the slot, and the place among those that have the same */
#define volume_bin_VALUES(X)                                                                                           \
    X(shift) /* of hashes, to slots */                                                                                 \
    X(most)  /* slots that may be taken */

#define volume_blocks_BINDINGS(X)                                                                                      \
    X(table, READ_WRITE)                                                                                               \
    X(list, READ)                                                                                                      \
    X(starts, WRITE) /* of blocks among the indices */                                                                 \
    X(runs, WRITE)   /* how many blocks there are */                                                                   \
    X(groups, WRITE) /* and how many words of work they are */
#define volume_blocks_VALUES(X)                                                                                        \
    X(capacity)                                                                                                        \
    X(most)
#define volume_blocks_SHARED(X)                                                                                        \
    X(uint, words, GROUP_THREADS)                                                                                      \
    X(uint, marks, GROUP_THREADS)                                                                                      \
    X(uint, parts, GROUP_THREADS / 8u + 1u)

#define volume_place_BINDINGS(X)                                                                                       \
    X(places, READ)                                                                                                    \
    X(table, READ)                                                                                                     \
    X(starts, READ)                                                                                                    \
    X(indices, WRITE)       /* of vertices, block by block, in no order within */                                      \
    X(readings, READ_WRITE) /* of those that have no block: not valid */
#define volume_place_VALUES(X)

#define volume_to_grid_BINDINGS(X)                                                                                     \
    X(indices, READ_WRITE) /* an override puts them in order */                                                        \
    X(starts, READ)                                                                                                    \
    X(records, READ)                                                                                                   \
    X(runs, READ)                                                                                                      \
    X(blocks, WRITE)                                                                                                   \
    X(sums, WRITE)
#define volume_to_grid_VALUES(X)
#define volume_to_grid_SHARED(X) X(uint, members, VOLUME_LIST)

#define volume_grid_BINDINGS(X)                                                                                        \
    X(indices, READ)                                                                                                   \
    X(starts, READ)                                                                                                    \
    X(records, READ)                                                                                                   \
    X(runs, READ)                                                                                                      \
    X(blocks, READ)                                                                                                    \
    X(table, READ)                                                                                                     \
    X(sums, READ)                                                                                                      \
    X(params, READ)                                                                                                    \
    X(frame, READ)                                                                                                     \
    X(colliders, READ)                                                                                                 \
    X(readings, READ_WRITE)
#define volume_grid_VALUES(X)                                                                                          \
    X(part)                                                                                                            \
    X(shift)
#define volume_grid_SHARED(X)                                                                                          \
    X(real, nodes, VOLUME_SHARED)                                                                                      \
    X(uint, owners, 27u)

#define volume_end_BINDINGS(X)                                                                                         \
    X(positions, READ_WRITE)                                                                                           \
    X(velocities, READ_WRITE)                                                                                          \
    X(changes, READ)                                                                                                   \
    X(strains, READ_WRITE)                                                                                             \
    X(vertices, READ)                                                                                                  \
    X(params, READ)                                                                                                    \
    X(frame, READ)                                                                                                     \
    X(readings, READ)                                                                                                  \
    X(status, READ_WRITE)
#define volume_end_VALUES(X) X(part)

#define volume_lengths_BINDINGS(X)                                                                                     \
    X(packs, READ)                                                                                                     \
    X(positions, READ_WRITE)                                                                                           \
    X(velocities, READ_WRITE)                                                                                          \
    X(vertices, READ)                                                                                                  \
    X(targets, READ)                                                                                                   \
    X(roots, READ)                                                                                                     \
    X(results, WRITE)                                                                                                  \
    X(status, READ_WRITE)
#define volume_lengths_VALUES(X)

#define volume_carry_BINDINGS(X)                                                                                       \
    X(packs, READ)                                                                                                     \
    X(strains, READ_WRITE)                                                                                             \
    X(from, READ)                                                                                                      \
    X(to, READ)
#define volume_carry_VALUES(X)

#define watch_BINDINGS(X)                                                                                              \
    X(packs, READ)                                                                                                     \
    X(strands, READ)                                                                                                   \
    X(positions, READ)                                                                                                 \
    X(snapshot, READ) /* positions a step ago */                                                                       \
    X(frame, READ)                                                                                                     \
    X(watch, READ_WRITE)
#define watch_VALUES(X)

#define bounds_reset_BINDINGS(X) X(status, WRITE)
#define bounds_reset_VALUES(X) X(at) /* where the box is in the status */

// Output to the host's memory: one kernel an attribute.
#define OUTPUT_BINDINGS(X)                                                                                             \
    X(packs, READ)                                                                                                     \
    X(strands, READ)                                                                                                   \
    X(positions, READ)                                                                                                 \
    X(snapshot, READ) /* positions a step ago */                                                                       \
    X(roots_step, READ)                                                                                                \
    X(roots_before, READ)                                                                                              \
    X(roots_frame, READ)                                                                                               \
    X(frame, READ)                                                                                                     \
    X(memory, WRITE) /* the host's */
#define OUTPUT_VALUES(X)                                                                                               \
    X(offset) /* in floats, as is the stride */                                                                        \
    X(stride)                                                                                                          \
    X(components) /* 3 or 4 floats; 2, of render strands: two words of four 16-bit numbers */
#define output_position_BINDINGS(X) OUTPUT_BINDINGS(X) X(radii, READ) X(status, READ_WRITE)
#define output_position_VALUES(X) OUTPUT_VALUES(X)
#define output_tangent_BINDINGS(X) OUTPUT_BINDINGS(X)
#define output_tangent_VALUES(X) OUTPUT_VALUES(X)
#define output_previous_BINDINGS(X) OUTPUT_BINDINGS(X) X(history, READ_WRITE)
#define output_previous_VALUES(X)                                                                                      \
    OUTPUT_VALUES(X)                                                                                                   \
    X(remember) /* 1: a frame ends here and the history moves on; 0: a look in between */

// Render strands: what guides have done since the bind pose, at their vertices; then at those of rows; then what rows make of
// render strands, one kernel an attribute. render_style, when a style is new, makes the bind pose that these start from.
#define render_guides_BINDINGS(X)                                                                                      \
    X(packs, READ)                                                                                                     \
    X(strands, READ)                                                                                                   \
    X(positions, READ)                                                                                                 \
    X(snapshot, READ)                                                                                                  \
    X(roots_step, READ)                                                                                                \
    X(roots_before, READ)                                                                                              \
    X(roots_frame, READ)                                                                                               \
    X(frame, READ)                                                                                                     \
    X(rest, READ)                                                                                                      \
    X(guides, WRITE)
#define render_guides_VALUES(X)
#define render_rows_BINDINGS(X)                                                                                        \
    X(sources, READ)                                                                                                   \
    X(guides, READ)                                                                                                    \
    X(rest, READ)                                                                                                      \
    X(frame, READ)                                                                                                     \
    X(rows, READ_WRITE)                                                                                                \
    X(rows_before, READ_WRITE) /* what `rows` held before, as seen from our origin now */
#define render_rows_VALUES(X)                                                                                          \
    X(count)    /* of the vertices of all rows */                                                                      \
    X(remember) /* 1: rows_before is wanted */
#define render_style_BINDINGS(X)                                                                                       \
    X(owners, READ)                                                                                                    \
    X(strands, READ)                                                                                                   \
    X(clumps, READ) /* of strands: the one in the middle of its clump */                                               \
    X(styles, READ) /* of groups */                                                                                    \
    X(frames, READ)                                                                                                    \
    X(rest, READ)                                                                                                      \
    X(styled, WRITE) /* like rest */
#define render_style_VALUES(X)
#define render_lengths_BINDINGS(X)                                                                                     \
    X(rows, READ)                                                                                                      \
    X(strands, READ)                                                                                                   \
    X(rest, READ)                                                                                                      \
    X(frame, READ)                                                                                                     \
    X(settings, READ)                                                                                                  \
    X(kept, WRITE)
#define render_lengths_VALUES(X) X(guides)
#define RENDER_BINDINGS(X)                                                                                             \
    X(rows, READ)                                                                                                      \
    X(owners, READ) /* of vertices: the strand */                                                                      \
    X(strands, READ)                                                                                                   \
    X(rest, READ)                                                                                                      \
    X(frame, READ)                                                                                                     \
    X(settings, READ)                                                                                                  \
    X(styles, READ)    /* of groups; none where settings say so */                                                     \
    X(colliders, READ) /* in host units: of this frame, then of the one before */                                      \
    X(kept, READ)      /* what render_lengths has written; devices that leave it out do not look at it */              \
    X(memory, WRITE)   /* the host's */
#define RENDER_VALUES(X)                                                                                               \
    OUTPUT_VALUES(X)                                                                                                   \
    X(guides)       /* that a strand follows at most */                                                                \
    X(colliders_at) /* word of the first collider; not 0: they are those of the frame before */
#define render_position_BINDINGS(X) RENDER_BINDINGS(X) X(status, READ_WRITE)
#define render_position_VALUES(X) RENDER_VALUES(X)
#define render_tangent_BINDINGS(X) RENDER_BINDINGS(X)
#define render_tangent_VALUES(X) RENDER_VALUES(X)
#define render_previous_BINDINGS(X) RENDER_BINDINGS(X)
#define render_previous_VALUES(X) RENDER_VALUES(X)

// How many groups a dispatch needs whose items the device has counted: two dimensions, for Vulkan.
#define dispatch_size_BINDINGS(X)                                                                                      \
    X(counter_in, READ)                                                                                                \
    X(sizes, WRITE)
#define dispatch_size_VALUES(X)                                                                                        \
    X(at)       /* word of the counter */                                                                              \
    X(capacity) /* items at most */                                                                                    \
    X(group)    /* items of a group */                                                                                 \
    X(slot)     /* word of `sizes` */

// At most, in the first dimension; every Vulkan device takes 65535 in each.
#define DISPATCH_GROUPS_X 32768u

// Building blocks; blocks.h puts them together. Tables of tiles have one word a tile, or a row of that length for each digit.

#define fill_BINDINGS(X) X(to, WRITE)
#define fill_VALUES(X)                                                                                                 \
    X(value) /* of item 0 */                                                                                           \
    X(step)  /* from one item to the next */

#define copy_BINDINGS(X)                                                                                               \
    X(from, READ)                                                                                                      \
    X(to, WRITE)
#define copy_VALUES(X)

#define scan_sums_BINDINGS(X)                                                                                          \
    X(from, READ)                                                                                                      \
    X(sums, WRITE)
#define scan_sums_VALUES(X)

#define scan_rows_BINDINGS(X)                                                                                          \
    X(sums, READ_WRITE)                                                                                                \
    X(totals, WRITE)                                                                                                   \
    X(counter_in, READ)
#define scan_rows_VALUES(X)                                                                                            \
    X(capacity)  /* items that are cut into tiles; where they are counted, at most */                                  \
    X(counted)   /* 1: `counter_in` says how many */                                                                   \
    X(at)        /* word of it */                                                                                      \
    X(group)     /* items of a tile */                                                                                 \
    X(totals_at) /* word of `totals` for the first row */

#define scan_apply_BINDINGS(X)                                                                                         \
    X(from, READ)                                                                                                      \
    X(sums, READ)                                                                                                      \
    X(to, WRITE)
#define scan_apply_VALUES(X)

#define RADIX_BITS 8u // of a digit
#define RADIX (1u << RADIX_BITS)
#define radix_count_BINDINGS(X)                                                                                        \
    X(keys, READ)                                                                                                      \
    X(counts, WRITE)
#define radix_count_VALUES(X) X(shift) /* of the digit, in bits */

#define radix_scatter_BINDINGS(X)                                                                                      \
    X(keys, READ)                                                                                                      \
    X(indices, READ)                                                                                                   \
    X(counts, READ)                                                                                                    \
    X(totals, READ)                                                                                                    \
    X(keys_to, WRITE)                                                                                                  \
    X(indices_to, WRITE)
#define radix_scatter_VALUES(X)                                                                                        \
    X(shift)                                                                                                           \
    X(totals_at) /* word of `totals` for digit 0 */

#define run_heads_BINDINGS(X)                                                                                          \
    X(keys, READ)                                                                                                      \
    X(heads, WRITE)
#define run_heads_VALUES(X)

#define run_sizes_BINDINGS(X)                                                                                          \
    X(heads, READ)                                                                                                     \
    X(offsets, READ) /* prefix sum of the heads */                                                                     \
    X(starts, READ)                                                                                                    \
    X(sizes, WRITE)
#define run_sizes_VALUES(X)

#define compact_BINDINGS(X)                                                                                            \
    X(flags, READ)                                                                                                     \
    X(offsets, READ) /* prefix sum of the flags */                                                                     \
    X(indices, WRITE)
#define compact_VALUES(X) X(bound) /* 1: the number of items stands behind the last index */

#define gather_BINDINGS(X)                                                                                             \
    X(from, READ)                                                                                                      \
    X(indices, READ)                                                                                                   \
    X(to, WRITE)
#define gather_VALUES(X)

#define scatter_BINDINGS(X)                                                                                            \
    X(from, READ)                                                                                                      \
    X(indices, READ)                                                                                                   \
    X(to, WRITE)
#define scatter_VALUES(X)

#define tally_BINDINGS(X)                                                                                              \
    X(keys, READ)                                                                                                      \
    X(values, READ)                                                                                                    \
    X(sums, READ_WRITE)
#define tally_VALUES(X)                                                                                                \
    X(weighted) /* 0: every value is 1 */                                                                              \
    X(capacity) /* of the sums */

#define extremes_BINDINGS(X)                                                                                           \
    X(keys, READ)                                                                                                      \
    X(values, READ)                                                                                                    \
    X(lows, READ_WRITE)                                                                                                \
    X(highs, READ_WRITE)
#define extremes_VALUES(X) X(capacity) /* of lows and highs */

#define tally_fixed_BINDINGS(X)                                                                                        \
    X(keys, READ)                                                                                                      \
    X(values, READ) /* floats */                                                                                       \
    X(sums, READ_WRITE)
#define tally_fixed_VALUES(X)                                                                                          \
    X(capacity) /* of the sums */                                                                                      \
    X(scale)    /* bits of a float */

#define fixed_to_floats_BINDINGS(X)                                                                                    \
    X(sums, READ)                                                                                                      \
    X(to, WRITE)
#define fixed_to_floats_VALUES(X) X(scale_inverse) /* bits of a float */

#define cell_keys_BINDINGS(X)                                                                                          \
    X(positions, READ)                                                                                                 \
    X(present, READ)                                                                                                   \
    X(keys, WRITE)
#define cell_keys_VALUES(X)                                                                                            \
    X(low_x) /* corner of the box, metres; bits of floats */                                                           \
    X(low_y)                                                                                                           \
    X(low_z)                                                                                                           \
    X(size_inverse) /* of a cell, 1/m; bits of a float */                                                              \
    X(count_x)      /* cells of the box */                                                                             \
    X(count_y)                                                                                                         \
    X(count_z)

// Kernels over GROUPS have GROUP_THREADS threads, which every Vulkan device has, and list what a group shares in
// NAME_SHARED(X), X(type, name, count): at most 16 KiB, which every Vulkan device has, too.
#define GROUP_THREADS 128u

#define SCAN_SHARED(X)                                                                                                 \
    X(uint, words, GROUP_THREADS)                                                                                      \
    X(uint, parts, SCAN_PARTS + 1u)
#define scan_sums_SHARED(X) SCAN_SHARED(X)
#define scan_rows_SHARED(X) SCAN_SHARED(X)
#define scan_apply_SHARED(X)                                                                                           \
    SCAN_SHARED(X)                                                                                                     \
    X(uint, values, GROUP_STEP)
#define radix_count_SHARED(X) X(uint, counters, RADIX)
#define radix_scatter_SHARED(X)                                                                                        \
    SCAN_SHARED(X)                                                                                                     \
    X(uint, starts, RADIX)                                                                                             \
    X(uint, counters, RADIX *RADIX_CHUNKS)                                                                             \
    X(uint, keys, GROUP_STEP)                                                                                          \
    X(uint, places, GROUP_STEP)

// Overrides: of these kernels GPUs have a second form, for hairs with too few strands to fill one with a thread each. It
// gives the bits of the plain form, which stays what it is tested against. X(name, strands, vertices, most): a group of
// OVERRIDE_GROUP threads has so many strands, all of one pack, and so many vertices of each beyond those of the group before
// it (0: all); hairs of up to `most` strands run it.
//
// A card of 80 multiprocessors with 16 warps each in flight wants 40,000 threads: the plain form has those from 40,000
// strands on. Of band, with ten threads a strand, the override has them from 4,000 on; between, it gains less and less, and
// it takes more of the memory's time: 3 of the 8 values that come at once. That of rod_build has them from 1,250 strands on
// and takes one of the 8 values: its 80 accesses keep a multiprocessor busy for 32 cycles each, 1.1 cycles a vertex of the
// hair over 80 of them, where the plain form waits some 3,500 cycles a vertex of the strand for memory, up to 3,000 strands.
// Estimates: nobody has measured them on a card yet.
#define FOR_EACH_OVERRIDE(X)                                                                                           \
    X(band, 3, 0, 16384)                                                                                               \
    X(rod_build, 1, 29, 2048)
#define OVERRIDE_GROUP 32u // threads, and lanes of a pack

#endif
