// The groom: an immutable copy of the asset, in host units and host order.
#ifndef PLAIT_GROOM_H
#define PLAIT_GROOM_H

#include "mesh.h"

struct groom {
    struct object object;
    plait_groom_info info;
    uint32_t influences;          // most bones of any root, 1 to 4
    uint32_t *vertex_counts;      // [strand_count]
    uint32_t *first_vertex;       // [strand_count]
    float *positions;             // [vertex_count][3]
    float *radii;                 // [vertex_count]; negative: the default, once the unit is known
    float *normals;               // [strand_count][3] unit
    plait_root_binding *bindings; // [strand_count], heaviest first, weights summing to one
    float *bind_pose;             // [bone_count][12]
    uint16_t *group_indices;      // [strand_count]
    uint32_t *held_counts;        // [strand_count]
    float *group_friction;        // [group_count]
    float *group_radii;           // [group_count]; 0: the default
    struct mesh *mesh;            // that roots are on instead of bones; or null
};

#define DEFAULT_RADIUS_M 4e-5f

// Whether no segment is too short for the solvers in a unit of this length.
plait_result groom_check_unit(const struct call *call, const struct groom *groom, double meters_per_unit);

#endif
