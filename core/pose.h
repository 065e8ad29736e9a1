// The pose: bones as the host gave them, and interpolated for each step. Metres. Uses only addition, multiplication,
// division and square roots in double precision, so every machine gives the same numbers.
//
// Far from the world's origin floats are coarse: at a kilometre strands at rest trembled by 1 mm/s. So bones, and with them
// all that the device knows, are relative to an origin of the hair's own. It begins at zero and moves when the roots are
// farther from it than `reach`, to the full metre next to them; then floats lose nothing or next to nothing by it.
#ifndef PLAIT_POSE_H
#define PLAIT_POSE_H

#include "body.h"
#include "groom.h"
#include "vector.h"

#define MAX_ORIGIN 1e13 // of a host, in its units

// A bone's matrix and its parts: matrix = rotation * stretch, then translation.
struct bone_key {
    affine matrix;
    double rotation[4]; // unit quaternion x y z w
    double stretch[9];
};

// Of a bone that is not used only the current matrix is kept up: a skeleton may have hundreds.
struct pose_bone {
    bool used;                // by a root, if only with a weight of zero, or by a collider
    bool named;               // by a root: the device reads its matrix
    bool bound;               // a root hangs on it
    struct bone_key current;  // at the end of this frame
    struct bone_key previous; // at the end of the last one
    affine step;              // at the last simulated step
    affine before; // at the step before that, where snapshots were taken: no jump moves it, nor does a move of
                   // the origin, because only where snapshots are relative to it matters
    affine bind_inverse;
};

struct pose {
    uint32_t bone_count;
    double meters_per_unit;
    struct pose_bone *bones; // [bone_count]
    float *skin;             // [bone_count][BONE_FLOATS] for the device

    double origin[3];                             // what the others are relative to, in the world
    double host_origin[3];                        // what the host's bones are relative to, in the world
    double previous_origin[3], current_origin[3]; // the host's when it gave these bones
    bool host_origin_known; // false before the first frame: then the world is what the host's bones are relative to
    uint32_t anchor_bone;   // the bone with the most roots,
    double3 anchor;         // and the centre of these, seen from the bone: what the origin follows
    double reach;
    bool follows_point; // roots are on no bone: the origin follows `point` instead, which is seen from it
    double3 point;
};

bool pose_create(struct context *context, const struct groom *groom, double meters_per_unit, struct pose *pose);
void pose_destroy(struct context *context, struct pose *pose);
// Colliders of a body hang on these bones, too; null: no body. A bone that is new among the used has not moved since the last step,
// even if that was before the last frame's end: to know better, every step would have to keep up all bones of a skeleton.
void pose_set_body(struct pose *pose, const struct body *body);

// A frame names the host's origin, in host units. Nothing moves in the world.
void pose_set_host_origin(struct pose *pose, const double origin[3]);
// Moves the origin to where the current bones are, if they are far from it. Returns whether it did; by how much, in floats,
// goes to moved. What the device holds is the caller's business.
bool pose_follow(struct pose *pose, float moved[3]);

// Sets the current bones; null: as before. Those that nothing hangs on may be anything, and stay as they were if they are
// not sound. Returns whether any bone moved.
bool pose_set_current(struct pose *pose, const float *bones);
// The same for one bone, from a matrix in metres.
void pose_set_matrix(struct pose *pose, uint32_t bone, const affine *matrix);
// Of a used bone: in this frame, by a bit or more; if it has another origin, by more than floats are rounded by.
bool pose_moved(const struct pose *pose, uint32_t bone);
void pose_end_frame(struct pose *pose);             // previous becomes current
void pose_jump(struct pose *pose);                  // previous and step become current, without motion in between
void pose_step(struct pose *pose, double fraction); // moves `step` to that point between previous and current

// Whether some bound bone moved farther (m) or turned more (cosine of half the angle) than allowed; 0 and -1: no limit.
bool pose_beyond(const struct pose *pose, double distance, double half_angle_cosine);

// Fills pose->skin from the bones at the step, at the step before, or from the current ones.
void pose_skin_before(struct pose *pose);
void pose_skin_step(struct pose *pose);
void pose_skin_current(struct pose *pose);
bool pose_step_is_current(const struct pose *pose);

// Writes one collider at the step's bones in the layout of layout.h.
void pose_collider(const struct pose *pose, const plait_collider *collider, float *out);
// The same at the current bones, in host units.
void pose_collider_now(const struct pose *pose, const plait_collider *collider, float *out);

#endif
