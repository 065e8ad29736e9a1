// A hair for tests of motion: everything through the ABI, any groom, any device, any settings.
#ifndef PLAIT_TESTS_RIG_H
#define PLAIT_TESTS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plait.h"
#include "scene.h"

struct rig {
    plait_context context;
    plait_device device;
    plait_groom groom;
    plait_body body;
    plait_hair hair;
    uint32_t strands, vertices, bones;
};

struct rig_options {
    plait_groom_desc groom;
    const plait_body_desc *body; // null: none
    uint32_t solver;             // PLAIT_SOLVER_xxx; test_solver unless set
    const void *params;          // of that solver, one for all groups; null: defaults
    const void *device_next;     // chained to plait_device_desc; null: nothing, or the instruction set
    uint32_t instruction_set, threads, backend;
    bool quiet;           // failures are expected: not printed
    plait_hair_desc hair; // of which groom, device, body, params and solver are filled in
};

// Shape, or the solver in PLAIT_TEST_SOLVER.
uint32_t test_solver(void);
// Whether this processor has it, PLAIT_CPU_xxx.
bool rig_has_instruction_set(uint32_t instruction_set);
struct rig_options rig_options(const plait_groom_desc *groom);
struct rig rig_open(const struct rig_options *options);
void rig_close(struct rig *rig);
// Parameters of solver hybrid: its defaults, to be changed.
plait_hybrid_params rig_rods(void);

// One frame; bones null: as before. Earth's gravity along -y if `gravity`.
void rig_step(struct rig *rig, float dt, const float *bones, bool gravity);
// Output of positions alone, three floats each, one after the other. Must not move: desc points into it.
struct rig_output {
    plait_output_attribute attribute;
    plait_output_desc desc;
};
void rig_describe_output(uint32_t vertices, void *memory, struct rig_output *output);
// Positions now, [vertices][3], to be freed by the caller.
float *rig_positions(struct rig *rig);
plait_stats_info rig_stats(struct rig *rig);

double distance3(const float *a, const float *b);
double largest_difference(const float *a, const float *b, uint32_t vertices);
// Straight strands hanging or standing: count strands of `vertices` vertices along `direction`, 1 cm apart along x.
struct straight {
    uint32_t *counts;
    float *positions;
    plait_groom_desc desc;
};
struct straight straight_make(uint32_t count, uint32_t vertices, float length, const float direction[3]);
void straight_free(struct straight *s);

// Cuts each strand off somewhere: 2 vertices to all it had, in a fixed pattern.
void rig_cut_lengths(scene_groom *groom);

void bone_identity(float m[12]);
// Rotation by angle about a unit axis, then translation.
void bone_make(float m[12], const float axis[3], double angle, const float shift[3]);

#define assert_ok(call) assert_int_equal((call), PLAIT_OK)

#endif
