/* How a PlaitHair3D becomes a plait_hair, and what a frame does. */
#include "hair.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affine.h"
#include "groom.h"
#include "session.h"

/* Grooms with more strands that name no guides get some. */
enum { MOST_SIMULATED = 4000 };

static const uint32_t backends[] = {PLAIT_BACKEND_BEST, PLAIT_BACKEND_CPU, PLAIT_BACKEND_VULKAN, PLAIT_BACKEND_CUDA};
static const uint32_t solvers[] = {PLAIT_SOLVER_SHAPE, PLAIT_SOLVER_HYBRID};

/* What building needs for a while. */
typedef struct build {
    plait_gf_groom all, guides; /* guides.strand_count is 0: every strand is simulated */
    plait_groom groom, render;
    plait_body body;
    plait_binding binding;
    float *bind;    /* [bone_count][12] in the node's space */
    uint32_t *root; /* [strand_count of all] the bone of each root */
    uint32_t head;  /* the bone of roots that name none */
} build;

void hair_fail(hair *h, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(h->error, sizeof h->error, format, arguments);
    va_end(arguments);
    gd_error("PlaitHair3D: %s", h->error);
}

/* 1 if the call succeeded. */
static int check(hair *h, plait_result result, const char *what) {
    const char *why;
    if (result >= PLAIT_OK) return 1;
    why = session_error();
    snprintf(h->error, sizeof h->error, "%s: %s", what, why[0] ? why : plait_result_text(result));
    return 0;
}

static uint32_t choice(const hair *h, int property, const uint32_t *values, size_t count) {
    int64_t index = hair_whole(h, property);
    return values[index >= 0 && index < (int64_t)count ? index : 0];
}

/* ---- bones ---- */

void *hair_skeleton(const hair *h) {
    char path[256];
    void *node;
    gd_variant found;
    gd_to_text(&h->base.values[SKELETON], path, sizeof path);
    if (!path[0]) return NULL;
    found = GD_CALL(h->base.object, "get_node_or_null", gd_copy(&h->base.values[SKELETON]));
    node = gd_to_object(&found);
    gd_drop(found);
    return node && gd_take_int(GD_CALL(node, "is_class", gd_text("Skeleton3D"))) ? node : NULL;
}

static void global_transform(void *node, float m[12]) {
    float g[12];
    gd_take_floats(GD_CALL0(node, "get_global_transform"), GDX_TRANSFORM3D, g);
    affine_from_godot(g, m);
}

static void add_bone(hair *h, void *node, int32_t index, int used) {
    h->bones = realloc(h->bones, (h->bone_count + 1) * sizeof *h->bones);
    h->bones[h->bone_count++] = (bone){gd_id(node), index, used};
}

/* Bone 0 is the node, and those of the skeleton follow. */
static int find_bones(hair *h) {
    void *skeleton = hair_skeleton(h);
    char path[256];
    gd_to_text(&h->base.values[SKELETON], path, sizeof path);
    if (path[0] && !skeleton) {
        hair_fail(h, "skeleton is \"%s\", where there is no Skeleton3D", path);
        return 0;
    }
    add_bone(h, h->base.object, -1, 0);
    int64_t count = skeleton ? gd_take_int(GD_CALL0(skeleton, "get_bone_count")) : 0;
    for (int64_t i = 0; i < count; i++) add_bone(h, skeleton, (int32_t)i, 0);
    return 1;
}

static int64_t bone_named(void *skeleton, const char *name) {
    return gd_take_int(GD_CALL(skeleton, "find_bone", gd_text(name)));
}

/* Which bone each root follows. */
static int bind_roots(hair *h, build *b) {
    void *skeleton = hair_skeleton(h);
    char name[256];
    uint32_t *named = calloc(b->all.bone_count + 1, sizeof *named);
    gd_to_text(&h->base.values[ROOT_BONE], name, sizeof name);
    b->head = skeleton ? 1 : 0;
    if (skeleton && name[0]) {
        int64_t bone = bone_named(skeleton, name);
        if (bone < 0) {
            hair_fail(h, "root_bone is \"%s\", which the skeleton does not have", name);
            free(named);
            return 0;
        }
        b->head = (uint32_t)bone + 1;
    }
    for (uint32_t i = 0; i < b->all.bone_count; i++) {
        int64_t bone = skeleton ? bone_named(skeleton, b->all.bone_names + i * PLAIT_GF_NAME_SIZE) : -1;
        named[i] = bone >= 0 ? (uint32_t)bone + 1 : b->head;
    }
    b->root = malloc(b->all.strand_count * sizeof *b->root);
    for (uint32_t i = 0; i < b->all.strand_count; i++) {
        b->root[i] = b->all.root_bones ? named[b->all.root_bones[i]] : b->head;
        h->bones[b->root[i]].used = 1;
    }
    free(named);
    return 1;
}

/* Bones of the skeleton's rest in the node's space, in which the groom is drawn. */
static int find_bind_pose(hair *h, build *b) {
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    float node[12], inverse[12], skeleton_world[12], skeleton_local[12], g[12], rest[12];
    void *skeleton = hair_skeleton(h);
    global_transform(h->base.object, node);
    if (!affine_invert(node, inverse)) {
        hair_fail(h, "the node's transform has no inverse: a scale is zero");
        return 0;
    }
    b->bind = malloc(12 * h->bone_count * sizeof *b->bind);
    for (uint32_t i = 0; i < h->bone_count; i++) memcpy(b->bind + 12 * i, identity, sizeof identity);
    if (!skeleton) return 1;
    global_transform(skeleton, skeleton_world);
    affine_multiply(inverse, skeleton_world, skeleton_local);
    for (uint32_t i = 1; i < h->bone_count && h->bones[i].index >= 0; i++) {
        gd_take_floats(GD_CALL(skeleton, "get_bone_global_rest", gd_int(h->bones[i].index)), GDX_TRANSFORM3D, g);
        affine_from_godot(g, rest);
        affine_multiply(skeleton_local, rest, b->bind + 12 * i);
    }
    return 1;
}

void hair_gather(hair *h) {
    float skeleton_world[12] = {0}, g[12], pose[12];
    uint64_t last = 0;
    for (uint32_t i = 0; i < h->bone_count; i++) {
        const bone *b = &h->bones[i];
        void *node = b->used || i == 0 ? gd_find(b->node) : NULL;
        if (!node) continue; /* one that was freed stays where it was */
        if (b->index < 0) {
            if (gd_take_int(GD_CALL0(node, "is_inside_tree"))) global_transform(node, h->matrices + 12 * i);
            continue;
        }
        if (last != b->node) global_transform(node, skeleton_world);
        last = b->node;
        gd_take_floats(GD_CALL(node, "get_bone_global_pose", gd_int(b->index)), GDX_TRANSFORM3D, g);
        affine_from_godot(g, pose);
        affine_multiply(skeleton_world, pose, h->matrices + 12 * i);
    }
}

/* ---- building ---- */

static int choose_guides(hair *h, build *b) {
    int64_t wanted = hair_whole(h, GUIDE_COUNT);
    plait_gf_guide_options options = {0};
    plait_result result = PLAIT_OK;
    options.count = wanted > 0 ? (uint32_t)wanted : 0;
    if (wanted >= b->all.strand_count) return 1;
    if (wanted > 0 || (b->all.guide_count == 0 && b->all.strand_count > MOST_SIMULATED))
        result = plait_gf_choose_guides(&b->all, &options);
    if (result == PLAIT_OK && b->all.guide_count > 0 && b->all.guide_count < b->all.strand_count)
        result = plait_gf_select(&b->all, b->all.guides, b->all.guide_count, &b->guides);
    return check(h, result, "guides");
}

/* A groom of Plait; roots: the bone of each, or null for render strands, which go where their guides go. */
static int make_groom(hair *h, build *b, const plait_gf_groom *from, const uint32_t *roots, plait_groom *groom) {
    plait_groom_desc desc = PLAIT_GROOM_DESC_INIT;
    plait_group_desc group = PLAIT_GROUP_DESC_INIT;
    plait_gf_groom plain = *from;
    plain.root_bones = NULL;
    plain.bone_count = 0;
    plait_gf_describe(&plain, &desc);
    group.radius = from->radius;
    desc.groups = &group;
    desc.group_count = 1;
    if (roots) {
        desc.bone_count = h->bone_count;
        desc.bind_pose = b->bind;
        desc.root_bones = roots;
    }
    return check(h, plait_groom_create(session_context(), &desc, groom), "groom");
}

static int make_grooms(hair *h, build *b) {
    plait_binding_desc desc = PLAIT_BINDING_DESC_INIT;
    uint32_t *roots;
    int made;
    if (b->guides.strand_count == 0) return make_groom(h, b, &b->all, b->root, &b->groom);
    roots = malloc(b->guides.strand_count * sizeof *roots);
    for (uint32_t i = 0; i < b->guides.strand_count; i++) roots[i] = b->root[b->all.guides[i]];
    made = make_groom(h, b, &b->guides, roots, &b->groom) && make_groom(h, b, &b->all, NULL, &b->render);
    free(roots);
    desc.guides = b->groom;
    desc.render = b->render;
    return made && check(h, plait_binding_create(session_context(), &desc, &b->binding), "guides");
}

static int make_body(hair *h, build *b) {
    plait_body_desc desc = PLAIT_BODY_DESC_INIT;
    plait_collider *list = malloc((h->collider_count + 1) * sizeof *list);
    plait_result result = PLAIT_OK;
    for (uint32_t i = 0; i < h->collider_count; i++) {
        list[i] = h->colliders[i].desc;
        h->bones[list[i].bone].used = 1;
    }
    desc.bone_count = h->bone_count;
    desc.collider_count = h->collider_count;
    desc.colliders = list;
    if (h->collider_count > 0) result = plait_body_create(session_context(), &desc, &b->body);
    free(list);
    return check(h, result, "colliders");
}

static const void *shape_params(const hair *h, plait_shape_params *p) {
    plait_shape_params_default(1, p);
    p->compliance_root_s2 = (float)hair_number(h, SHAPE_COMPLIANCE_ROOT);
    p->compliance_tip_s2 = (float)hair_number(h, SHAPE_COMPLIANCE_TIP);
    p->shape_damping = (float)hair_number(h, SHAPE_BEND_DAMPING);
    p->drag_per_s = (float)hair_number(h, SHAPE_DRAG);
    p->damping_per_s = (float)hair_number(h, SHAPE_DAMPING);
    p->velocity_correction = (float)hair_number(h, SHAPE_VELOCITY_CORRECTION);
    p->collision_radius = (float)hair_number(h, COLLIDER_MARGIN);
    return p;
}

static const void *hybrid_params(const hair *h, plait_hybrid_params *p) {
    plait_hybrid_params_default(1, p);
    p->stretch_modulus = (float)hair_number(h, HYBRID_STRETCH_MODULUS);
    p->bend_modulus = (float)hair_number(h, HYBRID_BEND_MODULUS);
    p->twist_modulus = (float)hair_number(h, HYBRID_TWIST_MODULUS);
    p->density = (float)hair_number(h, HYBRID_DENSITY);
    p->flatness = (float)hair_number(h, HYBRID_FLATNESS);
    p->damping_s = (float)hair_number(h, HYBRID_DAMPING);
    p->drag_per_s = (float)hair_number(h, HYBRID_DRAG);
    p->collision_radius = (float)hair_number(h, COLLIDER_MARGIN);
    if (hair_whole(h, HYBRID_SAG_FREE)) gd_to_floats(&h->base.values[GRAVITY], GDX_VECTOR3, p->rest_gravity);
    return p;
}

/* One of the two is filled in and returned. */
static const void *params_of(const hair *h, plait_shape_params *shape, plait_hybrid_params *hybrid) {
    return hair_whole(h, SOLVER) == 1 ? hybrid_params(h, hybrid) : shape_params(h, shape);
}

static int make_hair(hair *h, build *b) {
    plait_hair_desc desc = PLAIT_HAIR_DESC_INIT;
    plait_shape_params shape = PLAIT_SHAPE_PARAMS_INIT;
    plait_hybrid_params hybrid = PLAIT_HYBRID_PARAMS_INIT;
    if (!check(h, session_acquire(choice(h, BACKEND, backends, 4), &h->device), "backend")) return 0;
    desc.groom = b->groom;
    desc.device = h->device;
    desc.body = b->body;
    desc.solver = choice(h, SOLVER, solvers, 2);
    desc.params_count = 1;
    desc.params = params_of(h, &shape, &hybrid);
    desc.bones = h->matrices;
    desc.step_rate_hz = (float)hair_number(h, STEP_RATE);
    desc.substeps = hair_whole(h, SUBSTEPS) > 0 ? (uint32_t)hair_whole(h, SUBSTEPS) : 1;
    desc.teleport_distance = (float)hair_number(h, TELEPORT_DISTANCE);
    if (!check(h, plait_hair_create(session_context(), &desc, &h->hair), "hair")) {
        session_release(h->device);
        h->hair.id = 0;
        return 0;
    }
    h->bound = b->binding.id != 0;
    return !h->bound || check(h, plait_hair_set_binding(h->hair, b->binding), "guides");
}

static int make_all(hair *h, build *b) {
    char why[256];
    float scale = (float)hair_number(h, GROOM_SCALE);
    if (!groom_read(&h->base.values[GROOM], scale, &b->all, why, sizeof why)) {
        hair_fail(h, "%s", why);
        return 0;
    }
    if (!find_bones(h) || !bind_roots(h, b) || !colliders_find(h) || !find_bind_pose(h, b)) return 0;
    if (hair_whole(h, GENERATE_COLLIDERS)) colliders_generate(h, &b->all, b->bind, b->head);
    h->matrices = calloc(12 * h->bone_count, sizeof *h->matrices);
    h->shown = calloc(12 * h->bone_count, sizeof *h->shown);
    memcpy(h->matrices, b->bind, 12 * h->bone_count * sizeof *h->matrices);
    if (!choose_guides(h, b) || !make_grooms(h, b) || !make_body(h, b)) return 0;
    hair_gather(h);
    if (!make_hair(h, b)) return 0;
    if (!draw_create(&h->draw, b->all.strand_count, b->all.vertex_counts, why, sizeof why)) {
        hair_fail(h, "%s", why);
        return 0;
    }
    h->strand_count = b->all.strand_count;
    h->vertex_count = b->all.vertex_count;
    h->simulated_count = h->bound ? b->guides.strand_count : b->all.strand_count;
    GD_DO(h->base.object, "set_base", gd_rid(h->draw.multimesh));
    return 1;
}

void hair_build(hair *h) {
    build b;
    int built;
    memset(&b, 0, sizeof b);
    hair_drop(h);
    h->error[0] = 0;
    h->dirty = 0;
    if (!gd_to_object(&h->base.values[GROOM])) return;
    built = make_all(h, &b);
    /* The hair keeps what it needs alive. */
    if (b.binding.id) plait_binding_destroy(b.binding);
    if (b.groom.id) plait_groom_destroy(b.groom);
    if (b.render.id) plait_groom_destroy(b.render);
    if (b.body.id) plait_body_destroy(b.body);
    plait_gf_groom_free(&b.all);
    plait_gf_groom_free(&b.guides);
    free(b.bind);
    free(b.root);
    if (!built) hair_drop(h);
    if (built) h->dirty = CHANGED_VOLUME | CHANGED_RENDER | CHANGED_LOOK;
}

void hair_drop(hair *h) {
    if (h->draw.multimesh && gd_singleton("RenderingServer")) GD_DO(h->base.object, "set_base", gd_rid(0));
    draw_free(&h->draw);
    if (h->hair.id) {
        plait_hair_destroy(h->hair);
        session_release(h->device);
    }
    h->hair.id = h->device.id = 0;
    free(h->bones);
    free(h->matrices);
    free(h->shown);
    free(h->colliders);
    h->bones = NULL;
    h->matrices = h->shown = h->output = NULL;
    h->colliders = NULL;
    h->bone_count = h->collider_count = h->strand_count = h->vertex_count = h->simulated_count = 0;
}

/* ---- changes ---- */

static void apply_device(hair *h) {
    plait_device device;
    if (!check(h, session_acquire(choice(h, BACKEND, backends, 4), &device), "backend")) return;
    if (device.id == h->device.id || !check(h, plait_hair_set_device(h->hair, device), "backend")) {
        session_release(device);
        return;
    }
    session_release(h->device);
    h->device = device;
}

static void apply_volume(hair *h) {
    plait_volume_params p = PLAIT_VOLUME_PARAMS_INIT;
    int64_t model = hair_whole(h, VOLUME_MODEL);
    plait_volume_params_default(1, &p);
    p.model = model == 2 ? PLAIT_VOLUME_FLUID : PLAIT_VOLUME_SAND;
    p.strength = (float)hair_number(h, VOLUME_STRENGTH);
    p.cell_size = (float)hair_number(h, VOLUME_CELL_SIZE);
    check(h, plait_hair_set_volume(h->hair, model > 0 ? &p : NULL), "volume");
}

static void apply_render(hair *h) {
    plait_render_params p = PLAIT_RENDER_PARAMS_INIT;
    if (!h->bound) return;
    plait_render_params_default(&p);
    p.strand_fraction = (float)hair_number(h, LOD_STRANDS);
    p.vertex_fraction = (float)hair_number(h, LOD_VERTICES);
    p.single_tip = (float)hair_number(h, LOCKS);
    p.flags = hair_whole(h, PUSH_OUT) && h->collider_count > 0 ? PLAIT_RENDER_PUSH_OUT : 0;
    check(h, plait_hair_set_render_params(h->hair, &p), "lod_strands, lod_vertices, locks");
}

/* Strands that are all simulated have their level of detail here: fewer are drawn, as much wider. */
static double fewer(const hair *h) {
    double share = hair_number(h, LOD_STRANDS);
    return h->bound || !(share < 1) ? 1 : share < 0.001 ? 0.001 : share;
}

static void apply_look(hair *h) {
    static const int numbers[] = {COLOR_VARIATION, ROUGHNESS, SPECULAR, LEAST_PIXELS};
    static const int colors[] = {ROOT_COLOR, TIP_COLOR};
    static const int widths[] = {WIDTH_ROOT, WIDTH_TIP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        draw_set(&h->draw, hair_class.properties[numbers[i]].name, gd_float(hair_number(h, numbers[i])));
    for (size_t i = 0; i < 2; i++) {
        draw_set(&h->draw, hair_class.properties[colors[i]].name, gd_copy(&h->base.values[colors[i]]));
        draw_set(&h->draw, hair_class.properties[widths[i]].name, gd_float(hair_number(h, widths[i]) / fewer(h)));
    }
    GD_DO(gd_singleton("RenderingServer"), "instance_geometry_set_cast_shadows_setting",
          GD_CALL0(h->base.object, "get_instance"), gd_int(hair_whole(h, CAST_SHADOW) != 0));
}

void hair_apply(hair *h) {
    unsigned dirty = h->dirty;
    plait_shape_params shape = PLAIT_SHAPE_PARAMS_INIT;
    plait_hybrid_params hybrid = PLAIT_HYBRID_PARAMS_INIT;
    h->dirty = 0;
    h->error[0] = 0;
    if (dirty & CHANGED_DEVICE) apply_device(h);
    if (dirty & CHANGED_PARAMS)
        check(h, plait_hair_set_params(h->hair, 1, params_of(h, &shape, &hybrid)), "parameters of the solver");
    if (dirty & CHANGED_VOLUME) apply_volume(h);
    if (dirty & CHANGED_RENDER) apply_render(h);
    if (dirty & (CHANGED_LOOK | CHANGED_RENDER)) apply_look(h);
}

/* ---- a frame ---- */

/* The draw's memory moves when Godot still holds the last one. */
static void follow_memory(hair *h) {
    plait_output_attribute position = PLAIT_OUTPUT_ATTRIBUTE_INIT;
    plait_output_desc output = PLAIT_OUTPUT_DESC_INIT;
    float *memory = draw_memory(&h->draw);
    if (memory == h->output) return;
    position.attribute = PLAIT_ATTRIBUTE_POSITION;
    position.format = PLAIT_FORMAT_FLOAT32X4;
    position.stride = 4 * sizeof *memory;
    output.attribute_count = 1;
    output.attributes = &position;
    output.memory = memory;
    output.size = h->vertex_count * position.stride;
    if (check(h, h->bound ? plait_hair_set_render_output(h->hair, &output) : plait_hair_set_output(h->hair, &output),
              "output"))
        h->output = memory;
}

/* The box of the strands in the node's space, from that in the world. */
static void find_bounds(hair *h, const float low[3], const float high[3]) {
    float inverse[12], corner[3], p[3], box[2][3];
    if (!affine_invert(h->matrices, inverse)) return;
    for (int k = 0; k < 8; k++) {
        for (int c = 0; c < 3; c++) corner[c] = k >> c & 1 ? high[c] : low[c];
        affine_apply(inverse, corner, p);
        for (int c = 0; c < 3; c++) {
            box[0][c] = k == 0 || p[c] < box[0][c] ? p[c] : box[0][c];
            box[1][c] = k == 0 || p[c] > box[1][c] ? p[c] : box[1][c];
        }
    }
    for (int c = 0; c < 3; c++) {
        h->bounds[c] = box[0][c];
        h->bounds[3 + c] = box[1][c] - box[0][c];
    }
}

void hair_frame(hair *h, double dt) {
    plait_frame_desc frame = PLAIT_FRAME_DESC_INIT;
    plait_hair_info info = PLAIT_HAIR_INFO_INIT;
    uint32_t enabled[PLAIT_MAX_COLLIDERS / 32] = {0}, drawn;
    if (h->follow) plait_hair_teleport(h->hair, h->bone_count, h->matrices);
    h->follow = 0;
    follow_memory(h);
    frame.dt = (float)dt;
    frame.bone_count = h->bone_count;
    frame.bones = h->matrices;
    gd_to_floats(&h->base.values[GRAVITY], GDX_VECTOR3, frame.gravity);
    gd_to_floats(&h->base.values[WIND], GDX_VECTOR3, frame.wind);
    colliders_enabled(h, enabled);
    frame.colliders_enabled = enabled;
    frame.colliders_enabled_words = PLAIT_MAX_COLLIDERS / 32;
    if (!check(h, plait_hair_step(h->hair, &frame), "frame") ||
        !check(h, plait_hair_wait(h->hair, UINT64_MAX), "frame") ||
        !check(h, plait_hair_query(h->hair, &info), "frame"))
        return;
    if (h->bound) {
        drawn = info.render_strand_count;
        find_bounds(h, info.render_bounds_min, info.render_bounds_max);
    } else {
        drawn = (uint32_t)ceil(fewer(h) * h->strand_count);
        find_bounds(h, info.bounds_min, info.bounds_max);
    }
    draw_upload(&h->draw, drawn, h->bounds);
    memcpy(h->shown, h->matrices, 12 * h->bone_count * sizeof *h->shown);
}
