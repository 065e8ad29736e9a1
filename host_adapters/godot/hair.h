/* hair.h - PlaitHair3D: the node's properties, and how it is built and stepped. Main thread. */
#ifndef PLAIT_GODOT_HAIR_H
#define PLAIT_GODOT_HAIR_H

#include "draw.h"
#include "gd.h"
#include "plait.h"
#include "plait_groom_files.h"

extern const gd_class hair_class;

/* In the order of the inspector. */
enum {
    GROOM,
    GROOM_SCALE,
    GUIDE_COUNT,
    SOLVER,
    BACKEND,
    SKELETON,
    ROOT_BONE,
    GRAVITY,
    WIND,
    STEP_RATE,
    SUBSTEPS,
    TELEPORT_DISTANCE,
    COLLIDERS,
    GENERATE_COLLIDERS,
    COLLIDER_FRICTION,
    COLLIDER_MARGIN,
    SHAPE_COMPLIANCE_ROOT,
    SHAPE_COMPLIANCE_TIP,
    SHAPE_BEND_DAMPING,
    SHAPE_DRAG,
    SHAPE_DAMPING,
    SHAPE_VELOCITY_CORRECTION,
    HYBRID_STRETCH_MODULUS,
    HYBRID_BEND_MODULUS,
    HYBRID_TWIST_MODULUS,
    HYBRID_DENSITY,
    HYBRID_FLATNESS,
    HYBRID_DAMPING,
    HYBRID_DRAG,
    HYBRID_SAG_FREE,
    VOLUME_MODEL,
    VOLUME_STRENGTH,
    VOLUME_CELL_SIZE,
    LOD_STRANDS,
    LOD_VERTICES,
    LOCKS,
    PUSH_OUT,
    ROOT_COLOR,
    TIP_COLOR,
    COLOR_VARIATION,
    ROUGHNESS,
    SPECULAR,
    WIDTH_ROOT,
    WIDTH_TIP,
    LEAST_PIXELS,
    CAST_SHADOW,
    HAIR_PROPERTIES
};

/* What a changed property asks for. */
enum {
    CHANGED_BUILD = 1,
    CHANGED_DEVICE = 2,
    CHANGED_PARAMS = 4,
    CHANGED_VOLUME = 8,
    CHANGED_RENDER = 16,
    CHANGED_LOOK = 32
};

/* Where the matrix of a bone comes from. */
typedef struct bone {
    uint64_t node; /* gd_id of a Skeleton3D, of a CollisionShape3D, or of the hair itself */
    int32_t index; /* of the skeleton's bone; -1: the node's own transform */
    int used;      /* whether a root or a collider follows it */
} bone;

typedef struct collider {
    plait_collider desc;
    uint64_t node; /* gd_id of its CollisionShape3D; 0: it was generated, and always acts */
} collider;

typedef struct hair {
    gd_instance base;
    unsigned dirty;       /* CHANGED_xxx */
    int inside;           /* the tree */
    int follow;           /* strands are carried to where the bones are before the next frame */
    gd_variant connected; /* the groom whose changes are listened to */
    plait_hair hair;      /* zero: not built */
    plait_device device;
    int bound; /* render strands follow guides; else every strand is simulated */
    uint32_t strand_count, vertex_count, simulated_count;
    bone *bones;
    uint32_t bone_count;
    float *matrices; /* [bone_count][12] in the world */
    float *shown;    /* the same, as of the last frame that was drawn */
    collider *colliders;
    uint32_t collider_count;
    float *output; /* where the strands go, as last told to Plait */
    draw draw;
    float bounds[6]; /* in the node's space: position, size */
    char error[320]; /* why there is no hair; "" if there is */
} hair;

static inline double hair_number(const hair *h, int property) { return gd_to_float(&h->base.values[property]); }
static inline int64_t hair_whole(const hair *h, int property) { return gd_to_int(&h->base.values[property]); }

/* ---- hair_build.c ---- */

void hair_build(hair *h);  /* from the properties; h->error says what is wrong */
void hair_drop(hair *h);   /* everything of Plait and of the renderer */
void hair_apply(hair *h);  /* what changed without a new build */
void hair_gather(hair *h); /* matrices of all bones that are used */
void hair_frame(hair *h, double dt);
void hair_fail(hair *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *hair_skeleton(const hair *h);

/* ---- colliders.c ---- */

/* Makes h->colliders from the scene and, if wanted, from the groom's roots and the skeleton. Shapes of the scene get bones of their
 * own, which are added to h->bones. bind: [bone_count][12] bones in the node's space, in the bind pose. head: the bone of the roots. */
int colliders_find(hair *h);
void colliders_generate(hair *h, const plait_gf_groom *groom, const float *bind, uint32_t head);
/* Bits of those that act. */
void colliders_enabled(const hair *h, uint32_t *words);

#endif
