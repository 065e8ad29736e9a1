/* plait_groom_files.h - grooms from files: reads and writes them, and fills in a plait_groom_desc.
 *
 *   .hair   Cem Yuksel's hair files, all combinations of arrays; read and written
 *   .tfx    AMD TressFX 4.x, with a .tfxbone file for what roots are bound to; read
 *   .npz    NumPy's arrays by name, for everything a groom can have: npz.md says how any Python program writes one; read and
 *           written
 *   .bvh    motion capture: a skeleton, its motion, and capsules around its limbs; read
 *   .obj    meshes, such as the head that hair grows on; read
 *
 * Compile the .c files of this folder into the host, or link to the CMake target plait_groom_files. They use types of plait.h
 * and call nothing of Plait. .npz files need libzip: define PLAIT_GF_LIBZIP and link to it; without, they are refused with
 * PLAIT_ERROR_UNSUPPORTED.
 *
 * Ownership  A plait_gf_groom owns its arrays, which come from malloc: plait_gf_groom_free releases them. A host may replace or
 *            add an array if it takes that from malloc too. A call that fails leaves its output arguments empty (all zero) and
 *            its input as it was.
 * Results    plait_result, as in plait.h: PLAIT_OK, or
 *            PLAIT_ERROR_SYSTEM            the file cannot be opened, read or written
 *            PLAIT_ERROR_INVALID_GROOM     the file is damaged, cut off, or not what its header says
 *            PLAIT_ERROR_UNSUPPORTED       a version or kind of file that is not read here
 *            PLAIT_ERROR_INVALID_ARGUMENT, PLAIT_ERROR_TOO_LARGE, PLAIT_ERROR_OUT_OF_MEMORY
 *            or what the host's progress function returned. plait_gf_report.message says why, and where in the file.
 * Trust      Files are not trusted. Counts are checked against the file's size before anything is allocated for them. Of a
 *            compressed .npz file that is what its bytes can unpack to, 1032 times their number: a host that takes files from
 *            strangers should limit their size.
 * Threads    No state outside of the arguments: any thread, also concurrently, but one call at a time per object.
 * Units      Those of the file. Lengths become the host's with plait_gf_transform.
 */
#ifndef PLAIT_GROOM_FILES_H
#define PLAIT_GROOM_FILES_H

#include "plait.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a groom in memory ---- */

#define PLAIT_GF_NAME_SIZE 128u        /* bytes of a bone's name, the zero at its end included */
#define PLAIT_GF_HAIR_HEADER_SIZE 128u /* bytes */

/* Arrays are null where the file has no such thing, except vertex_counts and positions. All zero: empty. */
typedef struct plait_gf_groom {
    uint32_t strand_count;
    uint32_t vertex_count; /* of all strands */
    uint32_t bone_count;   /* that bindings index; 0: the file knows of no bones */
    uint32_t group_count;  /* 0: all strands are in one group */
    uint32_t guide_count;
    uint32_t guides_each;  /* guides that a strand is interpolated from, 0 to 4 */
    float meters_per_unit; /* 0: the file does not say */
    float radius;          /* of all strands, where radii is null; 0: the file does not say */
    float transparency;    /* of all strands, where transparencies is null: 0 to 1 */
    float color[3];        /* of all strands, where colors is null */

    uint32_t *vertex_counts; /* [strand_count], each 2 to PLAIT_MAX_STRAND_VERTICES */
    float *positions;        /* [vertex_count][3], strand by strand, root first */
    float *radii;            /* [vertex_count] */
    float *transparencies;   /* [vertex_count] */
    float *colors;           /* [vertex_count][3] */
    float *uvs;              /* [vertex_count][2] */

    uint32_t *root_bones;              /* [strand_count]; never together with root_bindings */
    plait_root_binding *root_bindings; /* [strand_count] */
    float *root_normals;               /* [strand_count][3] */
    float *root_uvs;                   /* [strand_count][2] */
    uint16_t *group_indices;           /* [strand_count] */
    uint32_t *held_counts;             /* [strand_count] */
    uint32_t *source_strands;          /* [strand_count] numbers in the file or groom they come from; null: the same */

    float *bind_pose;         /* [bone_count][12] */
    char *bone_names;         /* [bone_count][PLAIT_GF_NAME_SIZE], UTF-8, each ends with a zero */
    plait_group_desc *groups; /* [group_count] */

    uint32_t *guides;         /* [guide_count] strands that are simulated for all others, ascending */
    uint32_t *closest_guides; /* [strand_count][guides_each] indices into guides; a choice that another tool has made */
    float *guide_weights;     /* [strand_count][guides_each] */

    /* [PLAIT_GF_HAIR_HEADER_SIZE] of the .hair file it comes from. A writer takes from it what nothing else here says: the
     * text, the usual number of segments. */
    uint8_t *hair_header;

    /* A mesh that roots are on instead of bones: see plait_gf_bind_mesh. */
    uint32_t mesh_vertex_count;
    uint32_t mesh_triangle_count;
    float *mesh_positions;    /* [mesh_vertex_count][3] in the bind pose */
    uint32_t *mesh_triangles; /* [mesh_triangle_count][3] vertices */
    uint32_t *root_triangles; /* [strand_count]; null: the nearest ones, which plait_groom_create finds */
    float *root_barycentrics; /* [strand_count][3]; null: those next to the root */
} plait_gf_groom;

/* Releases all arrays; the groom is empty then. */
void plait_gf_groom_free(plait_gf_groom *groom);

/* Points into groom, which must outlive the description. Bones: without any, bone_count is 1 and all roots follow bone 0. */
void plait_gf_describe(const plait_gf_groom *groom, plait_groom_desc *desc);

/* The same for its mesh, to be chained to that description (desc.head.next). Returns 1, or 0 if the groom is on no mesh. */
int plait_gf_describe_mesh(const plait_gf_groom *groom, plait_groom_mesh_desc *desc);

/* ---- reading ---- */

#define PLAIT_GF_FORMAT_AUTO 0u /* by the first bytes */
#define PLAIT_GF_FORMAT_HAIR 1u
#define PLAIT_GF_FORMAT_TFX 2u
#define PLAIT_GF_FORMAT_NPZ 3u

typedef struct plait_gf_read_options {
    const char *bone_path;  /* .tfxbone file of a .tfx; null: none. For plait_gf_read */
    const void *bone_bytes; /* the same in memory, for plait_gf_read_memory */
    size_t bone_size;
    /* Vertices that are this near to the one before, in the file's unit, count as the same point. 0: only those that
     * plait_groom_create would refuse. */
    float weld_distance;
    /* Called with the share that is done, 0 to 1, about a hundred times. Any result but PLAIT_OK ends the call, which
     * returns it. May be null. */
    plait_result(PLAIT_CALL *progress)(void *user, float share);
    void *user;
} plait_gf_read_options;

/* What reading came across. What plait_groom_create would refuse is repaired or left out, and counted here. Strands of the
 * file that were left out are missing from plait_gf_groom.source_strands. */
typedef struct plait_gf_report {
    uint32_t format;            /* PLAIT_GF_FORMAT_xxx */
    uint32_t file_strand_count; /* in the file */
    uint64_t file_vertex_count;
    uint32_t skipped_short;      /* strands left out: fewer than two different points */
    uint32_t skipped_long;       /* more than PLAIT_MAX_STRAND_VERTICES */
    uint32_t skipped_not_finite; /* a coordinate is not finite, or beyond 1e9 */
    uint32_t skipped_unbound;    /* weights that sum to zero, or a bone that does not exist */
    uint32_t welded_strands;     /* strands kept, without points that coincide with the one before */
    uint64_t welded_points;
    uint32_t scaled_weights;   /* strands whose weights did not sum to one (to 1e-3); they do now */
    uint32_t repaired_radii;   /* vertices whose radius was negative, not finite or beyond 1e6, and is 0 now */
    uint32_t repaired_normals; /* of roots: zero or not finite, the first segment's direction now */
    uint32_t repaired_held;    /* strands that held none or more vertices than they have */
    uint32_t repaired_groups;  /* strands of a group that does not exist: they are in group 0 now */
    uint32_t first_skipped;    /* strand of the file, if there is a skipped one */
    char message[256];         /* after a failure: where and why */
    char notes[512];           /* lines about what the file has and the groom has not; empty: nothing is lost */
    uint32_t
        repaired_shading; /* vertices and roots whose colour, transparency or texture coordinates were not finite: 0 now */
    uint32_t
        repaired_guide_weights; /* strands whose guide_weights were negative, not finite, or did not sum to one (to 1e-3) */
} plait_gf_report;

/* All counts and notes of it for people, a line for each kind, into text of that size; empty if nothing was repaired, left out or
 * lost. PLAIT_GF_REPORT_SIZE bytes have room for everything. */
#define PLAIT_GF_REPORT_SIZE 2048u
void plait_gf_report_text(const plait_gf_report *report, char *text, size_t size);

/* options may be null, report too. Cost: linear; a .hair file of 50,000 strands with 32 vertices takes 40 ms. */
plait_result plait_gf_read(const char *path, const plait_gf_read_options *options, plait_gf_groom *groom,
                           plait_gf_report *report);

/* The same from memory, for hosts with a file system of their own. */
plait_result plait_gf_read_memory(const void *bytes, size_t size, uint32_t format, const plait_gf_read_options *options,
                                  plait_gf_groom *groom, plait_gf_report *report);

/* ---- writing ---- */

/* A file that is there already stays as it is until all of the new one is written beside it, and if that fails. Links are
 * followed; devices and pipes are written to. */

/* Cem Yuksel's .hair. It has no room for bones, groups and guides; report->notes names what was not written. A .hair file that
 * was read without repairs comes out byte by byte the same, if no points follow its strands. report may be null. */
plait_result plait_gf_write_hair(const char *path, const plait_gf_groom *groom, plait_gf_report *report);

/* The container of npz.md, with everything. The same groom gives the same bytes. compress: 0 or 1. report may be null. */
plait_result plait_gf_write_npz(const char *path, const plait_gf_groom *groom, uint32_t compress,
                                plait_gf_report *report);

/* ---- changing ---- */

/* Copies the strands that are listed, in that order, with all that belongs to them. Guides that are not listed, and bindings to
 * guides, are left out. */
plait_result plait_gf_select(const plait_gf_groom *groom, const uint32_t *strands, uint32_t strand_count,
                             plait_gf_groom *selected);

/* Applies x' = m x to positions, normals, bind pose and mesh: 3x4, row-major, as in plait.h; radii grow by the cube root of its
 * determinant. For units (a uniform scale), axes (a permutation) and places. It may not be singular; one that mirrors is welcome
 * if there is no bind pose. */
plait_result plait_gf_transform(plait_gf_groom *groom, const float matrix[12]);

typedef struct plait_gf_resample_options {
    uint32_t vertex_count; /* of every strand, 2 to PLAIT_MAX_STRAND_VERTICES; 0: see edge_length */
    float edge_length;     /* about this long, in the groom's unit, all alike within a strand; 0: see vertex_count */
    plait_result(PLAIT_CALL *progress)(void *user, float share); /* as in plait_gf_read_options */
    void *user;
} plait_gf_resample_options;

/* Strands with vertices at equal distances along the smooth curve through the old ones, so that curls keep their radius; the
 * ends stay where they are. Numbers of vertices are interpolated; what is held, is held for the same length. capped (may be
 * null) receives how many strands would need more vertices than there may be, or than fit into their length: they have fewer. */
plait_result plait_gf_resample(const plait_gf_groom *groom, const plait_gf_resample_options *options,
                               plait_gf_groom *resampled, uint32_t *capped);

typedef struct plait_gf_guide_options {
    uint32_t count; /* of guides; 0: see share */
    float share;    /* of all strands, 0 to 1; 0: 0.03 */
    plait_result(PLAIT_CALL *progress)(void *user, float share);
    void *user;
} plait_gf_guide_options;

/* Sets groom->guides: strands that stand for all others, spread evenly over the scalp and over shapes, lengths and groups. The
 * same groom gives the same guides. A binding to former guides is released. options may be null. plait_gf_select with
 * groom->guides makes a groom of them; a .npz file keeps the choice. Cost: some 10 microseconds a strand. */
plait_result plait_gf_choose_guides(plait_gf_groom *groom, const plait_gf_guide_options *options);

/* ---- motion ---- */

#define PLAIT_GF_NO_JOINT 0xffffffffu

/* A skeleton and its motion, from a .bvh file. Owns its arrays, as a plait_gf_groom does. */
typedef struct plait_gf_motion {
    uint32_t joint_count;
    uint32_t channel_count; /* of all joints */
    uint32_t frame_count;
    float frame_s;      /* seconds from one frame to the next */
    char *names;        /* [joint_count][PLAIT_GF_NAME_SIZE] */
    int32_t *parents;   /* [joint_count], each less than its child; -1: none */
    float *offsets;     /* [joint_count][3] from the parent, in the skeleton's rest pose, in which nothing is turned */
    float *end_offsets; /* [joint_count][3] to the end of a limb, zero where others follow */
    uint32_t *first_channels; /* [joint_count + 1] */
    uint8_t
        *channels; /* [channel_count] 0 to 2: position along x, y, z, instead of the offset; 3 to 5: rotation about */
    float *values; /* [frame_count][channel_count] lengths, degrees */
} plait_gf_motion;

/* scale multiplies all lengths: the host's unit over that of the file. report may be null. Results as for grooms. */
plait_result plait_gf_motion_read(const char *path, float scale, plait_gf_motion *motion, plait_gf_report *report);
plait_result plait_gf_motion_read_memory(const void *bytes, size_t size, float scale, plait_gf_motion *motion,
                                         plait_gf_report *report);
void plait_gf_motion_free(plait_gf_motion *motion);

/* World matrices of all joints, [joint_count][12], for plait_frame_desc.bones: at a time, between frames interpolated, before and
 * after the motion its first and last; and in the rest pose, for plait_groom_desc.bind_pose. */
plait_result plait_gf_motion_pose(const plait_gf_motion *motion, double time_s, float *bones);
plait_result plait_gf_motion_bind(const plait_gf_motion *motion, float *bones);

/* The joint of this name; else one that differs in upper and lower case only, or in what is before a colon or bar; else
 * PLAIT_GF_NO_JOINT. */
uint32_t plait_gf_motion_find(const plait_gf_motion *motion, const char *name);

/* The same for names such as plait_gf_groom.bone_names, [count][PLAIT_GF_NAME_SIZE]; returns how many were found. */
uint32_t plait_gf_motion_map(const plait_gf_motion *motion, const char *names, uint32_t count, uint32_t *joints);

/* Capsules around the limbs of a person, by usual names of joints and the person's size, for plait_body_desc. Without the head
 * joint (or PLAIT_GF_NO_JOINT) and what follows it. count: room in colliders, then how many there are; PLAIT_INCOMPLETE if
 * there would be more. */
plait_result plait_gf_motion_capsules(const plait_gf_motion *motion, uint32_t head, float friction, uint32_t *count,
                                      plait_collider *colliders);

/* ---- meshes ---- */

/* Triangles, from an .obj file. Owns its arrays, as a plait_gf_groom does. */
typedef struct plait_gf_mesh {
    uint32_t vertex_count;
    uint32_t triangle_count;
    float *positions; /* [vertex_count][3] */
    uint32_t
        *triangles; /* [triangle_count][3] vertices, in the order of the file's faces; larger faces are cut into fans */
} plait_gf_mesh;

/* scale multiplies all lengths. Of a Wavefront .obj file, vertices and faces are read, whatever objects and groups they are in.
 * report may be null. Results as for grooms. */
plait_result plait_gf_mesh_read(const char *path, float scale, plait_gf_mesh *mesh, plait_gf_report *report);
plait_result plait_gf_mesh_read_memory(const void *bytes, size_t size, float scale, plait_gf_mesh *mesh,
                                       plait_gf_report *report);
void plait_gf_mesh_free(plait_gf_mesh *mesh);

/* ---- what roots are bound to ---- */

/* Roots are on the mesh, which is drawn in the groom's unit and pose and copied. Where each is on it, plait_groom_create finds, and
 * plait_groom_read_roots tells for root_triangles and root_barycentrics. Bones stay. */
plait_result plait_gf_bind_mesh(plait_gf_groom *groom, const plait_gf_mesh *mesh);

/* Each root follows the bone of the skeleton that is nearest to it in the rest pose; a bone reaches from its joint to the next ones,
 * or to the end of the limb. Sets bone_count, root_bones, bind_pose and bone_names, and releases what the groom had of them, and its
 * mesh. distances: [strand_count] from root to bone, or null. Cost: strands times joints. */
plait_result plait_gf_bind_skeleton(plait_gf_groom *groom, const plait_gf_motion *motion, float *distances);

#ifdef __cplusplus
}
#endif

#endif
