// The hair: one running instance. hair.c makes it (hair_place.c what it has on a device, hair_plans.c what it runs there,
// hair_asset.c what it copies of the groom), hair_step.c (hair_order.c when, hair_batch.c among many) and hair_settle.c move it,
// hair_output.c, hair_state.c, hair_stats.c and hair_watch.c look at it.
#ifndef PLAIT_HAIR_H
#define PLAIT_HAIR_H

#include "binding.h"
#include "body.h"
#include "clock.h"
#include "coupling.h"
#include "groom.h"
#include "hair_frame.h"
#include "layout.h"
#include "packing.h"
#include "pose.h"
#include "solvers/solver.h"

#define MAX_OUTPUTS 8
#define MAX_ALIGNED_S 2.0

enum hair_data {
    HAIR_PACKS,   // pack table
    HAIR_STRANDS, // strand table
    HAIR_BIND,    // root bindings
    HAIR_BIND_BONES,
    HAIR_TARGETS,   // rest shape
    HAIR_RADII,     // for output, host units
    HAIR_POSITIONS, // state
    HAIR_VELOCITIES,
    HAIR_SNAPSHOT,   // positions before the last step
    HAIR_BONES_STEP, // skinning matrices at the step and at the end of the frame
    HAIR_BONES_FRAME,
    HAIR_ROOTS_STEP, // root frames at the step, at the one before, and at the end of the frame
    HAIR_ROOTS_BEFORE,
    HAIR_ROOTS_FRAME,
    HAIR_FRAME, // values of one step
    HAIR_OUTPUT_FRAME,
    HAIR_COLLIDERS,
    HAIR_CANDIDATES,
    HAIR_PUSHERS, // colliders as render strands meet them: at the end of this frame, and of the last
    HAIR_RESULTS,
    HAIR_STATUS,
    HAIR_HISTORY, // positions of the last two frames, once somebody asks for previous positions
    HAIR_WATCH,   // of a hair that is watched
    HAIR_WATCH_FRAME,
    HAIR_MESH_BIND, // of a hair on a mesh: its roots, the corners of their triangles,
    HAIR_MESH_CORNERS,
    HAIR_MESH_INPUT_CORNERS, // the same as numbers of the host's vertices,
    HAIR_MESH_VERTICES,      // where those are,
    HAIR_ROOTS_FROM,         // and root frames at the end of the last frame and of this one
    HAIR_ROOTS_TO,
    HAIR_DATA_COUNT
};

enum hair_plan {
    PLAN_STEP,
    PLAN_SNAPSHOT,
    PLAN_REST,
    PLAN_CARRY,
    PLAN_SHIFT,
    PLAN_ROOTS,
    PLAN_MESH,  // root frames from the vertices of a mesh; none without one
    PLAN_WATCH, // none, unless the hair is watched
    PLAN_OUTPUT,
    PLAN_RENDER,     // output of render strands
    PLAN_STYLE,      // of these, when styles are new
    PLAN_MESH_INPUT, // as PLAN_MESH, from memory of the host's device
    PLAN_READ,
    PLAN_COUNT
};
#define PLAN_MAX_STAGES 96

struct hair_plan_info {
    struct plan *plan;
    uint32_t stage_count;
    uint8_t kernels[PLAN_MAX_STAGES];
    uint64_t frame_start_ns[PLAN_MAX_STAGES]; // timers when the frame began
};
_Static_assert(KERNEL_COUNT <= UINT8_MAX, "kernels are numbered by bytes here");

// What plans are put together in, one at a time.
struct plan_draft {
    struct stage_list list;
    struct stage stages[PLAN_MAX_STAGES];
    struct phase phases[PLAN_MAX_STAGES];
};

// What a hair has on its device. All of it is recreated when the hair moves to another.
struct placement {
    struct device *device; // reference held
    struct packing packing;
    struct common *common;          // that it has joined, reference held; or null
    struct arena *arena;            // beside the common's
    struct data_set sets[MAX_SETS]; // the hair's own, the solver's, the couplings'
    struct buffer *buffers;         // the hair's own, by enum hair_data
    struct hair_plan_info plans[PLAN_COUNT];
    struct plan_draft *draft;
    void *solver_data; // the solver's own
    void *coupling_data[MAX_COUPLINGS];
};

#define PACKED_WORDS 2 // of the 16-bit formats

// One attribute of the output, checked.
struct attribute {
    uint32_t kernel;
    uint32_t kind;
    uint32_t components;     // words
    uint64_t offset, stride; // words
};

// What the host wants written after each step.
struct output {
    struct attribute attributes[MAX_OUTPUTS];
    uint32_t count;  // 0: nothing
    uint64_t extent; // bytes from the beginning of memory to the last that is written
    struct buffer memory;
    struct shared_memory *shared;   // what memory is in, when it came or goes by handle; or null
    plait_external_memory external; // a handle of that, our own, by which another device can get at it
    bool exported;                  // we made it
};

// The mesh that roots are on, as the host handed it in. Metres, relative to the pose's origin, but for `given`.
struct mesh_pose {
    float *given;         // [used_count][3] in host units, what a call has brought and may still refuse
    double *current;      // where vertices are,
    double *next;         // and will be: exchanged
    float *upload;        // for the device
    double origin[3];     // the host's when it gave `current`
    bool is_given;        // this call brings vertices,
    bool is_input;        // or tells that they are in hair->mesh_input
    bool is_known;        // `current` is where they are; not after a state was loaded
    bool moving;          // in this frame, roots go from HAIR_ROOTS_FROM to HAIR_ROOTS_TO
    bool step_is_current; // the last step is where the frame ends
};

struct hair {
    struct object object;
    struct groom *groom;  // references held
    struct body *body;    // or null
    plait_hair_info info; // handles and counts as the host sees them
    const struct solver *solver;
    void *params;      // [group_count] of the solver's struct
    void *next_params; // the same, to read new ones into
    bool params_stale; // the device may hold others, of a change that failed
    struct coupled couplings[MAX_COUPLINGS];
    uint32_t coupling_count;

    struct frame_clock clock;
    uint32_t substeps;
    uint64_t substep_count;
    double teleport_distance_m, teleport_half_angle_cosine;
    struct pose pose;
    struct mesh_pose mesh;                   // of a groom on a mesh
    struct data_decl decls[HAIR_DATA_COUNT]; // of the hair's own data
    struct placement on;
    struct output output;        // of the strands that are simulated
    struct output render_output; // of render strands
    struct output mesh_input;    // that vertices of a mesh are read from
    struct binding *binding;     // of render strands, reference held; or null
    plait_render_params render_params;
    plait_render_style *styles; // [group_count of the render groom]; or null
    uint32_t *clumps;           // with styles: of the binding's strands, see clumps_find
    bool styles_stale;          // the device has not styled its strands by them yet
    bool rows_valid;            // rows of render strands are those of the frame before
    float *collider_values;     // [body's collider_count][COLLIDER_FLOATS]
    struct pushers {            // colliders of render strands
        float *values;          // [2][collider_count or 1][COLLIDER_FLOATS] as in HAIR_PUSHERS, host units
        bool *off;              // [collider_count or 1] not enabled in the last frame
        uint32_t capacity, count;
    } pushers;
    uint64_t rescue_tag;        // of the last rescue
    float *rescue_skin[2];      // skinning matrices of the step that it saved, by the tag's last bit
    double rescue_origin[2][3]; // the pose's, then
    bool history_valid;
    double history_origin[3]; // the pose's, when the history was written
    bool snapshot_valid;      // and so are the roots of the step before
    bool between_steps;       // frames end between steps: output blends the last two, a step behind
    double aligned_s;         // for how long every frame has ended with a step, at most MAX_ALIGNED_S
    bool watched;             // PLAIT_HAIR_WATCH_MOTION
    bool watch_fresh;         // nothing was seen yet that still counts
    double still_s;           // for how long its bones have not moved; of a watched hair

    uint64_t frame_count, teleport_count, clamped_frame_count;
    uint32_t counters_seen[STATUS_COUNTERS]; // of the device's 32-bit counters
    uint64_t counters[STATUS_COUNTERS];
    uint64_t
        nonfinite_told; // strands that were not finite, and vertices without hair-hair forces, that the host was told
    uint64_t homeless_told; // of
    double frame_s;
    struct hair_frame frame; // of the call that runs
};

// An empty list to add stages to, and the plan that is made of what was added.
struct stage_list *hair_draft_plan(struct hair *hair);
plait_result hair_set_plan(struct call *call, struct hair *hair, enum hair_plan which);
// A frame begins, or a plan is new: its stage times count from here.
void hair_mark_plan(struct hair *hair, enum hair_plan which);
plait_result hair_run(struct call *call, struct hair *hair, enum hair_plan which);
// Waits for all that was run, and says why if that fails.
plait_result hair_wait(struct call *call, struct hair *hair, uint64_t timeout_ns);
// Makes data whose size is not in its list, or replaces it. content: null for zeros.
plait_result hair_make_data(struct call *call, struct hair *hair, uint32_t set, uint32_t index, uint64_t size,
                            const void *content);
void hair_write(struct hair *hair, enum hair_data which, const void *data, uint64_t size);

void hair_free_set(struct hair *hair, uint32_t set);
plait_result hair_make_coupled(struct call *call, struct hair *hair, uint32_t index);
plait_result hair_make_plans(struct call *call, struct hair *hair);
// The stages of a frame before those that write its output.
void hair_frame_stages(struct hair *hair, struct stage_list *list);

// Everything on hair->on.device, beside hair->on.common, which are set and referenced: layout, memory, plans. What was made before a failure is for
// hair_unplace to free.
plait_result hair_place(struct call *call, struct hair *hair);
void hair_unplace(struct hair *hair);
// Anew on a device, with its state, beside a common or null. On failure the hair is as it was.
plait_result hair_move(struct call *call, struct hair *hair, struct device *device, struct common *common);
// What depends on the colliders: buffers for a body, or for none (a buffer is never empty), and the plan of a step.
plait_result hair_make_colliders(struct call *call, struct hair *hair, const struct body *body);
plait_result hair_make_step_plan(struct call *call, struct hair *hair);

// Makes and fills the buffers of the asset, up to HAIR_RADII.
plait_result hair_pack_asset(struct call *call, struct hair *hair);

// A root frame's side vector: any across the normal, the same for the rest shape and for skinning.
double3 hair_root_side(const struct groom *groom, uint32_t strand);

// Hair on a mesh; without one these do nothing. What a call brings (null: nothing) is read and checked first; taken, when nothing
// can refuse it any more; and run, when the origin is where it should be.
struct mesh_change {
    bool moved;  // at all
    bool beyond; // the limits of a teleport
};
bool hair_mesh_create(struct context *context, struct hair *hair);
void hair_mesh_destroy(struct context *context, struct hair *hair);
// argument: what desc is chained to, for messages; empty: what its call is about.
plait_result hair_mesh_read(const struct call *call, const char *argument, struct hair *hair,
                            const plait_mesh_pose_desc *desc);
struct mesh_change hair_mesh_take(struct hair *hair);
plait_result hair_mesh_run(struct call *call, struct hair *hair);
// The pose's origin has moved by so much.
void hair_mesh_shift(struct hair *hair, const double way[3]);
plait_result hair_mesh_pack(struct call *call, struct hair *hair);
void hair_mesh_stages(struct hair *hair, struct stage_list *list);
void hair_mesh_input_stages(struct hair *hair, struct stage_list *list);

// The root stage, from a buffer of bones to a buffer of root frames; on a mesh, from where the frame ends.
struct stage hair_roots_stage(struct hair *hair, enum hair_data bones, enum hair_data roots);

// Root frames of the last step and of the one before, from the pose's bones.
plait_result hair_replay_roots(struct call *call, struct hair *hair);

// Copies the state to where it survives a loss of the device: after a move, load, reset, teleport or settle, and every
// RESCUE_FRAMES frames. That costs 1/16 of the state's 24 bytes a vertex in a frame.
#define RESCUE_FRAMES 16
plait_result hair_rescue(struct call *call, struct hair *hair);

// One step of the hair's clock, with bones at this fraction of the way from the last frame's to this one's.
plait_result hair_substep(struct call *call, struct hair *hair, const plait_frame_desc *frame, double fraction);
// Takes what the device has counted since the last look, and logs what a host should hear of.
void hair_read_counters(struct hair *hair);

// A watched hair: what it has on its device; its plan; a look after the steps of a frame; what was seen. Nothing of it is
// state: it begins anew where strands or device are exchanged.
plait_result hair_make_watch(struct call *call, struct hair *hair);
void hair_watch_stages(struct hair *hair, struct stage_list *list);
plait_result hair_watch(struct call *call, struct hair *hair, double elapsed_s);
void hair_watch_anew(struct hair *hair);
plait_result hair_watch_stats(const struct call *call, const struct hair *hair, plait_stats_info *stats);

// Strands to their rest shape at the current pose.
plait_result hair_to_rest(struct call *call, struct hair *hair);
// Runs the output plans if there are any, which ends the frame for previous positions.
plait_result hair_output(struct call *call, struct hair *hair);

// Makes the output plans from hair->output and hair->render_output, on the present device.
plait_result hair_plan_output(struct call *call, struct hair *hair);

// The memory of an output as the host describes it.
struct output_memory {
    plait_output_desc desc;
    struct platform_struct platform;
    plait_external_memory external;
    plait_output_export_desc wish;
    bool is_external, is_export;
};
plait_result hair_read_memory(struct call *call, const plait_output_desc *in, struct output_memory *memory);
// Fills in everything of output but its attributes. On failure a handle stays the host's.
plait_result hair_take_memory(struct call *call, struct hair *hair, const struct output_memory *memory,
                              struct output *output);
// Gets shared memory onto the present device, by the handle in output->external.
plait_result hair_share_output(struct call *call, struct hair *hair, struct output *output);
void hair_free_output(struct output *output);

// Bytes of a piece of data in host order: strand by strand, vertex by vertex, without padding.
uint64_t data_host_bytes(const struct hair *hair, const struct data_decl *decl);
// Copies data between a device and host order, which needs no alignment. Padding on the device becomes zero. Allocates
// nothing.
plait_result hair_copy_data(const struct hair *hair, struct placement *on, uint32_t set, uint32_t index,
                            unsigned char *host, bool to_device);

// Whether some root or some collider of the body hangs on a bone.
bool hair_uses_bone(const struct hair *hair, uint32_t bone);
// Checks those of all bones that some root or some collider of the body hangs on; null is fine. call null: no message.
plait_result hair_check_bones(const struct call *call, const char *what, const struct hair *hair, const float *bones);

// Enters an exclusive call on a hair.
plait_result hair_enter(struct call *call, plait_hair handle, struct hair **hair);
void hair_leave(struct call *call, struct hair *hair);

#endif
