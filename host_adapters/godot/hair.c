/* PlaitHair3D: properties, methods and notifications. */
#include "hair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

/* Of Node, Node3D. */
enum { ENTER_TREE = 10, EXIT_TREE = 11, CHILD_ORDER_CHANGED = 24, INTERNAL_PROCESS = 25, VISIBILITY_CHANGED = 43 };

/* After animation, so that bones are those of this frame. */
enum { PROCESS_PRIORITY = 1000 };

#define RANGE .hint = GD_HINT_RANGE, .hint_text
#define REAL(id, change_, ...) [id] = {.type = GDX_FLOAT, .change = change_, RANGE = __VA_ARGS__}
#define CHOICE(id, change_, ...)                                                                                       \
    [id] = {.type = GDX_INT, .change = change_, .hint = GD_HINT_ENUM, .hint_text = __VA_ARGS__}

static const gd_property properties[HAIR_PROPERTIES] = {
    [GROOM] = {.type = GDX_OBJECT,
               .change = CHANGED_BUILD,
               .hint = GD_HINT_RESOURCE,
               .hint_text = "PlaitGroom",
               .name = "groom"},
    REAL(GROOM_SCALE, CHANGED_BUILD, "0.0001,100,0.0001,or_greater,exp", .name = "groom_scale"),
    [GUIDE_COUNT] = {.type = GDX_INT, .change = CHANGED_BUILD, RANGE = "0,10000,1,or_greater", .name = "guide_count"},
    CHOICE(SOLVER, CHANGED_BUILD, "Shape,Hybrid", .name = "solver"),
    CHOICE(BACKEND, CHANGED_DEVICE, "Auto,CPU,Vulkan,CUDA", .name = "backend"),
    [SKELETON] = {.type = GDX_NODE_PATH,
                  .change = CHANGED_BUILD,
                  .hint = GD_HINT_NODE_TYPES,
                  .hint_text = "Skeleton3D",
                  .name = "skeleton",
                  .group = "Skeleton"},
    [ROOT_BONE] = {.type = GDX_STRING, .change = CHANGED_BUILD, .name = "root_bone"},
    [GRAVITY] = {.type = GDX_VECTOR3,
                 .change = CHANGED_PARAMS,
                 RANGE = "-100,100,0.01,or_less,or_greater,suffix:m/s\u00b2",
                 .name = "gravity",
                 .group = "Motion"},
    [WIND] = {.type = GDX_VECTOR3, RANGE = "-50,50,0.01,or_less,or_greater,suffix:m/s", .name = "wind"},
    REAL(STEP_RATE, CHANGED_BUILD, "30,480,1,or_greater,suffix:Hz", .name = "step_rate"),
    [SUBSTEPS] = {.type = GDX_INT, .change = CHANGED_BUILD, RANGE = "1,16,1", .name = "substeps"},
    REAL(TELEPORT_DISTANCE, CHANGED_BUILD, "0,10,0.01,or_greater,suffix:m", .name = "teleport_distance"),
    [COLLIDERS] = {.type = GDX_NODE_PATH,
                   .change = CHANGED_BUILD,
                   .hint = GD_HINT_NODE_TYPES,
                   .hint_text = "Node3D",
                   .name = "colliders",
                   .group = "Colliders"},
    [GENERATE_COLLIDERS] = {.type = GDX_BOOL, .change = CHANGED_BUILD, .name = "generate_colliders"},
    REAL(COLLIDER_FRICTION, CHANGED_BUILD, "0,2,0.01,or_greater", .name = "collider_friction"),
    REAL(COLLIDER_MARGIN, CHANGED_PARAMS, "0,0.05,0.0001,or_greater,suffix:m", .name = "collider_margin"),
    REAL(SHAPE_COMPLIANCE_ROOT, CHANGED_PARAMS, "0,1,0.0001,or_greater,exp,suffix:s\u00b2",
         .name = "shape_compliance_root", .group = "Solver Shape", .prefix = "shape_"),
    REAL(SHAPE_COMPLIANCE_TIP, CHANGED_PARAMS, "0,1,0.0001,or_greater,exp,suffix:s\u00b2",
         .name = "shape_compliance_tip"),
    REAL(SHAPE_BEND_DAMPING, CHANGED_PARAMS, "0,2,0.01,or_greater", .name = "shape_bend_damping"),
    REAL(SHAPE_DRAG, CHANGED_PARAMS, "0,20,0.01,or_greater,suffix:1/s", .name = "shape_drag"),
    REAL(SHAPE_DAMPING, CHANGED_PARAMS, "0,20,0.01,or_greater,suffix:1/s", .name = "shape_damping"),
    REAL(SHAPE_VELOCITY_CORRECTION, CHANGED_PARAMS, "0,1,0.01", .name = "shape_velocity_correction"),
    REAL(HYBRID_STRETCH_MODULUS, CHANGED_PARAMS, "0,100000000000,1,exp,suffix:Pa", .name = "hybrid_stretch_modulus",
         .group = "Solver Hybrid", .prefix = "hybrid_"),
    REAL(HYBRID_BEND_MODULUS, CHANGED_PARAMS, "0,100000000000,1,exp,suffix:Pa", .name = "hybrid_bend_modulus"),
    REAL(HYBRID_TWIST_MODULUS, CHANGED_PARAMS, "0,100000000000,1,exp,suffix:Pa", .name = "hybrid_twist_modulus"),
    REAL(HYBRID_DENSITY, CHANGED_PARAMS, "1,10000,1,suffix:kg/m\u00b3", .name = "hybrid_density"),
    REAL(HYBRID_FLATNESS, CHANGED_PARAMS, "0,0.95,0.01", .name = "hybrid_flatness"),
    REAL(HYBRID_DAMPING, CHANGED_PARAMS, "0,1,0.0001,or_greater,exp,suffix:s", .name = "hybrid_damping"),
    REAL(HYBRID_DRAG, CHANGED_PARAMS, "0,20,0.01,or_greater,suffix:1/s", .name = "hybrid_drag"),
    [HYBRID_SAG_FREE] = {.type = GDX_BOOL, .change = CHANGED_PARAMS, .name = "hybrid_sag_free"},
    CHOICE(VOLUME_MODEL, CHANGED_VOLUME, "Off,Sand,Fluid", .name = "volume_model", .group = "Hair-Hair Forces",
           .prefix = "volume_"),
    REAL(VOLUME_STRENGTH, CHANGED_VOLUME, "0,1,0.01", .name = "volume_strength"),
    REAL(VOLUME_CELL_SIZE, CHANGED_VOLUME, "0.001,0.1,0.001,or_greater,suffix:m", .name = "volume_cell_size"),
    REAL(LOD_STRANDS, CHANGED_RENDER, "0.001,1,0.001", .name = "lod_strands", .group = "Level of Detail",
         .prefix = "lod_"),
    REAL(LOD_VERTICES, CHANGED_RENDER, "0.001,1,0.001", .name = "lod_vertices"),
    REAL(LOCKS, CHANGED_RENDER, "0,1,0.01", .name = "locks", .group = "Render Strands"),
    [PUSH_OUT] = {.type = GDX_BOOL, .change = CHANGED_RENDER, .name = "push_out"},
    [ROOT_COLOR] = {.type = GDX_COLOR, .change = CHANGED_LOOK, .name = "root_color", .group = "Look"},
    [TIP_COLOR] = {.type = GDX_COLOR, .change = CHANGED_LOOK, .name = "tip_color"},
    REAL(COLOR_VARIATION, CHANGED_LOOK, "0,1,0.01", .name = "color_variation"),
    REAL(ROUGHNESS, CHANGED_LOOK, "0.1,1,0.01", .name = "roughness"),
    REAL(SPECULAR, CHANGED_LOOK, "0,1,0.01,or_greater", .name = "specular"),
    REAL(WIDTH_ROOT, CHANGED_LOOK, "0,20,0.01,or_greater", .name = "width_root"),
    REAL(WIDTH_TIP, CHANGED_LOOK, "0,20,0.01,or_greater", .name = "width_tip"),
    REAL(LEAST_PIXELS, CHANGED_LOOK, "0,4,0.01,suffix:px", .name = "least_pixels"),
    CHOICE(CAST_SHADOW, CHANGED_LOOK, "Off,On", .name = "cast_shadow"),
};

/* ---- life ---- */

static void set(hair *h, int property, gd_variant value) {
    gd_drop(h->base.values[property]);
    h->base.values[property] = value;
}

static void init(void *self) {
    hair *h = self;
    plait_shape_params shape = PLAIT_SHAPE_PARAMS_INIT;
    plait_hybrid_params hybrid = PLAIT_HYBRID_PARAMS_INIT;
    plait_volume_params volume = PLAIT_VOLUME_PARAMS_INIT;
    plait_shape_params_default(1, &shape);
    plait_hybrid_params_default(1, &hybrid);
    plait_volume_params_default(1, &volume);
    const struct {
        int property;
        double value;
    } numbers[] = {
        {GROOM_SCALE, 1},
        {STEP_RATE, 120},
        {TELEPORT_DISTANCE, 1},
        {COLLIDER_FRICTION, 0.3},
        {COLLIDER_MARGIN, (double)shape.collision_radius},
        {SHAPE_COMPLIANCE_ROOT, (double)shape.compliance_root_s2},
        {SHAPE_COMPLIANCE_TIP, (double)shape.compliance_tip_s2},
        {SHAPE_BEND_DAMPING, (double)shape.shape_damping},
        {SHAPE_DRAG, (double)shape.drag_per_s},
        {SHAPE_DAMPING, (double)shape.damping_per_s},
        {SHAPE_VELOCITY_CORRECTION, (double)shape.velocity_correction},
        {HYBRID_STRETCH_MODULUS, (double)hybrid.stretch_modulus},
        {HYBRID_BEND_MODULUS, (double)hybrid.bend_modulus},
        {HYBRID_TWIST_MODULUS, (double)hybrid.twist_modulus},
        {HYBRID_DENSITY, (double)hybrid.density},
        {HYBRID_FLATNESS, (double)hybrid.flatness},
        {HYBRID_DAMPING, (double)hybrid.damping_s},
        {HYBRID_DRAG, (double)hybrid.drag_per_s},
        {VOLUME_STRENGTH, (double)volume.strength},
        {VOLUME_CELL_SIZE, (double)volume.cell_size},
        {LOD_STRANDS, 1},
        {LOD_VERTICES, 1},
        {COLOR_VARIATION, 0.3},
        {ROUGHNESS, 0.35},
        {SPECULAR, 0.5},
        {WIDTH_ROOT, 1},
        {WIDTH_TIP, 0.5},
        {LEAST_PIXELS, 1},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        set(h, numbers[i].property, gd_float(numbers[i].value));
    set(h, SUBSTEPS, gd_int(1));
    set(h, CAST_SHADOW, gd_int(1));
    set(h, GENERATE_COLLIDERS, gd_bool(1));
    set(h, PUSH_OUT, gd_bool(1));
    set(h, GRAVITY, gd_floats(GDX_VECTOR3, (const float[]){0, -9.81f, 0}));
    set(h, ROOT_COLOR, gd_floats(GDX_COLOR, (const float[]){0.2f, 0.1f, 0.05f, 1}));
    set(h, TIP_COLOR, gd_floats(GDX_COLOR, (const float[]){0.5f, 0.3f, 0.16f, 1}));
    h->connected = gd_nil();
    GD_DO(h->base.object, "set_process_priority", gd_int(PROCESS_PRIORITY));
}

static void finish(void *self) {
    hair *h = self;
    hair_drop(h);
    gd_drop(h->connected);
}

/* A groom that is edited rebuilds its hairs. */
static void listen(hair *h) {
    void *before = gd_to_object(&h->connected), *now = gd_to_object(&h->base.values[GROOM]);
    if (before == now) return;
    if (before) GD_DO(before, "disconnect", gd_name("changed"), gd_callable(h->base.object, "rebuild"));
    if (now) GD_DO(now, "connect", gd_name("changed"), gd_callable(h->base.object, "rebuild"));
    gd_drop(h->connected);
    h->connected = gd_copy(&h->base.values[GROOM]);
}

static void changed(void *self, int change) {
    hair *h = self;
    h->dirty |= (unsigned)change;
    if (change == CHANGED_BUILD) {
        listen(h);
        if (h->inside) GD_DO0(h->base.object, "update_configuration_warnings");
    }
}

static void process(hair *h) {
    int editor = (int)gd_take_int(GD_CALL0(gd_singleton("Engine"), "is_editor_hint"));
    double dt = editor ? 0 : gd_take_float(GD_CALL0(h->base.object, "get_process_delta_time"));
    if (!gd_take_int(GD_CALL0(h->base.object, "is_visible_in_tree"))) {
        h->follow = 1; /* nothing is simulated unseen */
        return;
    }
    if (h->dirty & CHANGED_BUILD) {
        hair_build(h);
        if (h->error[0]) GD_DO0(h->base.object, "update_configuration_warnings");
    }
    if (!h->hair.id) return;
    unsigned before = h->dirty;
    if (h->dirty) hair_apply(h);
    hair_gather(h);
    /* In the editor hair shows its rest pose, and costs nothing while nothing moves. */
    if (editor && !before && memcmp(h->matrices, h->shown, 12 * h->bone_count * sizeof *h->matrices) == 0) return;
    hair_frame(h, dt);
}

static void notification(void *self, int32_t what) {
    hair *h = self;
    char path[4];
    switch (what) {
    case ENTER_TREE:
        h->inside = 1;
        h->dirty = CHANGED_BUILD;
        GD_DO(h->base.object, "set_process_internal", gd_bool(1));
        break;
    case EXIT_TREE:
        h->inside = 0;
        hair_drop(h);
        break;
    case CHILD_ORDER_CHANGED:
        gd_to_text(&h->base.values[COLLIDERS], path, sizeof path);
        if (h->inside && !path[0]) h->dirty |= CHANGED_BUILD;
        break;
    case VISIBILITY_CHANGED: h->follow = 1; break;
    case INTERNAL_PROCESS: process(h); break;
    default: break;
    }
}

/* ---- methods ---- */

static void rebuild(void *self, const gd_variant *argument, gd_variant *result) {
    (void)argument, (void)result;
    ((hair *)self)->dirty |= CHANGED_BUILD;
}

static void reset(void *self, const gd_variant *argument, gd_variant *result) {
    hair *h = self;
    (void)argument, (void)result;
    if (!h->hair.id) return;
    hair_gather(h);
    plait_hair_reset(h->hair, h->bone_count, h->matrices);
}

static void teleport(void *self, const gd_variant *argument, gd_variant *result) {
    (void)argument, (void)result;
    ((hair *)self)->follow = 1;
}

static void settle(void *self, const gd_variant *argument, gd_variant *result) {
    hair *h = self;
    plait_settle_desc desc = PLAIT_SETTLE_DESC_INIT;
    plait_settle_info info = PLAIT_SETTLE_INFO_INIT;
    int64_t steps = gd_to_int(argument);
    plait_result done;
    if (h->inside && (h->dirty & CHANGED_BUILD)) hair_build(h);
    if (!h->hair.id) return;
    gd_to_floats(&h->base.values[GRAVITY], GDX_VECTOR3, desc.gravity);
    gd_to_floats(&h->base.values[WIND], GDX_VECTOR3, desc.wind);
    desc.max_speed = 0.001f;
    desc.max_acceleration = 0.1f;
    desc.max_steps = steps > 0 && steps < 10000000 ? (uint32_t)steps : 1000;
    /* The output goes to memory of the draw, which may move with every frame. */
    plait_hair_set_output(h->hair, NULL);
    if (h->bound) plait_hair_set_render_output(h->hair, NULL);
    h->output = NULL;
    done = plait_hair_settle(h->hair, &desc, &info);
    *result = gd_bool(done == PLAIT_OK && info.settled);
}

static void get_error(void *self, const gd_variant *argument, gd_variant *result) {
    (void)argument;
    *result = gd_text(((hair *)self)->error);
}

static void get_active_backend(void *self, const gd_variant *argument, gd_variant *result) {
    static const char *const names[] = {"", "cpu", "vulkan", "cuda", "null"};
    hair *h = self;
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    (void)argument;
    *result = gd_text(h->hair.id && plait_device_query(h->device, &info) == PLAIT_OK ? names[info.backend] : "");
}

static void get_active_path(void *self, const gd_variant *argument, gd_variant *result) {
    hair *h = self;
    plait_device_info info = PLAIT_DEVICE_INFO_INIT;
    char text[512];
    (void)argument;
    if (!h->hair.id || plait_device_query(h->device, &info) != PLAIT_OK) {
        *result = gd_text("");
        return;
    }
    snprintf(text, sizeof text, "%s%s%s, then host memory, then a texture of Godot%s", info.name,
             info.variant[0] ? ", " : "", info.variant,
             info.backend == PLAIT_BACKEND_CPU
                 ? ""
                 : ": Godot creates its device without the feature timelineSemaphore, which Plait needs to run on it");
    *result = gd_text(text);
}

static void get_strand_count(void *self, const gd_variant *argument, gd_variant *result) {
    (void)argument;
    *result = gd_int(((hair *)self)->strand_count);
}

static void get_drawn_strand_count(void *self, const gd_variant *argument, gd_variant *result) {
    (void)argument;
    *result = gd_int(((hair *)self)->draw.drawn);
}

static void get_simulated_strand_count(void *self, const gd_variant *argument, gd_variant *result) {
    (void)argument;
    *result = gd_int(((hair *)self)->simulated_count);
}

static void get_collider_count(void *self, const gd_variant *argument, gd_variant *result) {
    (void)argument;
    *result = gd_int(((hair *)self)->collider_count);
}

static void get_positions(void *self, const gd_variant *argument, gd_variant *result) {
    hair *h = self;
    int64_t n;
    (void)argument;
    *result = gd_packed(GDX_PACKED_VECTOR3_ARRAY, h->hair.id ? h->vertex_count : 0);
    float *to = gd_elements(result, &n);
    if (n == 0) return;
    const float *from = gd_elements(&h->draw.bytes, &n);
    for (uint32_t i = 0; i < h->vertex_count; i++) memcpy(to + 3 * (size_t)i, from + 4 * (size_t)i, 3 * sizeof *to);
}

static void get_step_time(void *self, const gd_variant *argument, gd_variant *result) {
    hair *h = self;
    plait_stats_info info = PLAIT_STATS_INFO_INIT;
    (void)argument;
    *result = gd_float(h->hair.id && plait_hair_stats(h->hair, &info) == PLAIT_OK ? info.frame_s : 0);
}

static const gd_method methods[] = {
    {.name = "rebuild", .call = rebuild},
    {.name = "reset", .call = reset},
    {.name = "teleport", .call = teleport},
    {.name = "settle", .result = GDX_BOOL, .argument = GDX_INT, .argument_name = "max_steps", .call = settle},
    {.name = "get_error", .result = GDX_STRING, .call = get_error},
    {.name = "get_active_backend", .result = GDX_STRING, .call = get_active_backend},
    {.name = "get_active_path", .result = GDX_STRING, .call = get_active_path},
    {.name = "get_strand_count", .result = GDX_INT, .call = get_strand_count},
    {.name = "get_drawn_strand_count", .result = GDX_INT, .call = get_drawn_strand_count},
    {.name = "get_simulated_strand_count", .result = GDX_INT, .call = get_simulated_strand_count},
    {.name = "get_collider_count", .result = GDX_INT, .call = get_collider_count},
    {.name = "get_positions", .result = GDX_PACKED_VECTOR3_ARRAY, .call = get_positions},
    {.name = "get_step_time", .result = GDX_FLOAT, .call = get_step_time},
};

/* ---- virtual methods of the engine ---- */

static void get_aabb(void *self, const void *const *arguments, void *result) {
    (void)arguments;
    memcpy(result, ((hair *)self)->bounds, sizeof((hair *)self)->bounds);
}

static void get_configuration_warnings(void *self, const void *const *arguments, void *result) {
    hair *h = self;
    const char *text = h->error;
    (void)arguments;
    if (!gd_to_object(&h->base.values[GROOM])) text = "There is no hair without a groom: set the property groom.";
    gd_variant list = gd_packed(GDX_PACKED_STRING_ARRAY, text[0] != 0);
    if (text[0]) gd_set_string_at(&list, 0, text);
    gd_answer(GDX_PACKED_STRING_ARRAY, result, list);
}

static const gd_virtual virtuals[] = {
    {"_get_aabb", get_aabb},
    {"_get_configuration_warnings", get_configuration_warnings},
};

static const gd_constant constants[] = {
    {"Solver", "SOLVER_SHAPE", 0},    {"Solver", "SOLVER_HYBRID", 1},    {"Backend", "BACKEND_AUTO", 0},
    {"Backend", "BACKEND_CPU", 1},    {"Backend", "BACKEND_VULKAN", 2},  {"Backend", "BACKEND_CUDA", 3},
    {"VolumeModel", "VOLUME_OFF", 0}, {"VolumeModel", "VOLUME_SAND", 1}, {"VolumeModel", "VOLUME_FLUID", 2},
};

const gd_class hair_class = {
    .name = "PlaitHair3D",
    .parent = "VisualInstance3D",
    .instance_size = sizeof(hair),
    .properties = properties,
    .property_count = HAIR_PROPERTIES,
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .virtuals = virtuals,
    .virtual_count = sizeof virtuals / sizeof *virtuals,
    .constants = constants,
    .constant_count = sizeof constants / sizeof *constants,
    .init = init,
    .free = finish,
    .changed = changed,
    .notification = notification,
};
