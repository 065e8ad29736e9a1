/* A host in metres, y up, right-handed, in plain C: what the Unreal plugin is compared with. It gets points in Unreal's
 * centimetres, z up, left-handed, and converts them in its own way: no matrix of the plugin's comes here. */
#ifndef PLAIT_TESTS_UNREAL_METRES_H
#define PLAIT_TESTS_UNREAL_METRES_H

#include "plait_loader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a bone's origin and the ends of its unit axes (a centimetre) are. */
typedef struct metres_bone {
    double points[4][3];
} metres_bone;

/* A capsule between two points of a bone's space, centimetres. */
typedef struct metres_capsule {
    uint32_t bone;
    double ends[2][3];
    double radii[2];
} metres_capsule;

typedef struct metres_setup {
    uint32_t solver, strand_count, vertices; /* each strand has as many */
    const float *positions;                  /* [strand_count * vertices][3], centimetres */
    float radius;                            /* centimetres */
    uint32_t bone_count;
    const metres_bone *bind_pose, *start;
    uint32_t capsule_count;
    const metres_capsule *capsules;
    float friction;
} metres_setup;

typedef struct metres_host {
    const plait_api *api;
    plait_context context;
    plait_hair hair;
    uint32_t vertex_count, bone_count;
} metres_host;

/* 0 or less than 0, as Plait's results. */
int metres_open(metres_host *host, const plait_api *api, const metres_setup *setup);
int metres_step(metres_host *host, double dt, const metres_bone *bones, const double wind[3]);
/* In Unreal's axes and centimetres again. */
int metres_read(metres_host *host, double *positions);
void metres_close(metres_host *host);

#ifdef __cplusplus
}
#endif

#endif
