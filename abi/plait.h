/* plait.h - the public interface of Plait, hair simulation for game engines. Version 1.
 *
 * How a host uses it, once per character:
 *
 *   plait_context_create   allocator, logger, job system
 *   plait_device_open      where the simulation runs
 *   plait_groom_create     the asset: rest strands, root bindings, groups
 *   plait_body_create      the colliders of the character (optional)
 *   plait_hair_create      groom + solver + parameters + device = one running head of hair
 *   plait_hair_set_output  where the strands shall be written
 *   plait_hair_step        every frame: time, bones, gravity, wind
 *
 * Rules that hold everywhere:
 *
 * Results   Every function returns a plait_result: 0 or more is success, less than 0 an error. A call that fails
 *           changes nothing: objects keep the state they had and output arguments are not written (handles are set to
 *           zero). The reason, naming the argument, goes to the context's log callback. Only where a device fails in the
 *           middle of moving strands (step, reset, teleport, load) may some have moved and others not.
 * Structs   Every struct that goes in (_desc, _params) or comes out (_info) and may grow begins with a plait_head. Set
 *           head.type and head.size (16 to 4096, a multiple of 8); the PLAIT_xxx_INIT macros do so and zero the rest. A
 *           shorter struct from an older host reads as if the missing tail were zero; a longer one is accepted when the
 *           unknown tail is zero. An unknown struct in the chain of head.next is an error. Input is copied: nothing the
 *           host passes in needs to outlive the call, except output memory (see plait_output_desc) and callbacks. In an
 *           array of such structs all elements have the head of the first: same type, same size. Fields called reserved
 *           must be zero.
 * Handles   64-bit values with index, generation, kind and owner inside. A stale, foreign or forged handle is an error,
 *           in release builds too. The zero handle is never valid. They are structs of one integer so that the compiler
 *           tells a hair from a groom; every calling convention in use passes them like that integer.
 * Threads   Each function states one rule. "Any thread": may run at any time, also against itself. "Serialised": one
 *           call at a time per object; a call that finds the object in use returns PLAIT_ERROR_BUSY and does nothing. No
 *           function may be called on an object from a callback that this object's own call is running.
 *           A call fits into 64 KB of stack, as fibers have, of which it takes less than 48; callbacks come on top, and on
 *           a GPU the driver (with Mesa's lavapipe a call takes 40 KB in all, with validation layers 68 KB).
 * Units     SI, except lengths: everything with a length in it (positions, radii, gravity, wind) is in host units, and
 *           plait_hair_desc.meters_per_unit says how long one is. Angles are radians. Any axis may be up and either
 *           handedness works, as long as the host is consistent. Positions are float32: keep bones within a kilometre of
 *           the origin (strands at rest tremble by 1 mm/s there, and in proportion farther out).
 * Floats    Every float that goes in must be finite. Beyond what a field's comment says, magnitudes are limited to 1e9
 *           (positions, translations, gravity, wind), 1e6 (radii, friction) and scales to 1e-6 to 1e6. Calls run with
 *           rounding to nearest, no traps, and denormals as zero, whatever the calling thread has, and put that back;
 *           callbacks called from within a call see Plait's setting.
 * Matrices  3x4 affine, row-major, 12 floats: rows are the x, y and z output, the fourth column is the translation.
 *           Rotation and scale are welcome; a matrix that mirrors or flattens is refused with an error.
 * Cost      O(1) and below a microsecond unless the function says otherwise. On a GPU, calls that look at or change a hair
 *           or destroy it wait for its frames, and cost some ten microseconds for each of its buffers that they touch.
 */
#ifndef PLAIT_H
#define PLAIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define PLAIT_CALL __cdecl
#if defined(PLAIT_BUILD)
#define PLAIT_EXPORT __declspec(dllexport)
#else
#define PLAIT_EXPORT
#endif
#else
#define PLAIT_CALL
#define PLAIT_EXPORT __attribute__((visibility("default")))
#endif

/* Declares a function and the type of a pointer to it, PFN_name, which plait_get_proc_address and the loader use. */
#define PLAIT_FUNCTION(name, arguments)                                                                                \
    typedef plait_result(PLAIT_CALL *PFN_##name) arguments;                                                            \
    PLAIT_EXPORT plait_result PLAIT_CALL name arguments

#define PLAIT_VERSION_MAJOR 1u
#define PLAIT_VERSION_MINOR 0u
#define PLAIT_VERSION_PATCH 0u

/* ---- results ---------------------------------------------------------------------------------------------------- */

typedef int32_t plait_result;

#define PLAIT_OK 0
#define PLAIT_INCOMPLETE 1 /* the array given was too short for everything; what fits was written */

#define PLAIT_ERROR_INVALID_ARGUMENT (-1)  /* a value is out of range, null, or not finite */
#define PLAIT_ERROR_INVALID_STRUCT (-2)    /* head.type or head.size is wrong, or an unknown tail is not zero */
#define PLAIT_ERROR_UNKNOWN_EXTENSION (-3) /* a struct in the head.next chain is not known, or not for this call */
#define PLAIT_ERROR_INVALID_HANDLE (-4)    /* null, stale, forged, or of another kind */
#define PLAIT_ERROR_FOREIGN_HANDLE (-5)    /* a live handle, but of another context */
#define PLAIT_ERROR_BUSY (-6)              /* the object is in use by another call */
#define PLAIT_ERROR_OUT_OF_MEMORY (-7)     /* the allocator, or the device, has no more memory */
#define PLAIT_ERROR_TOO_LARGE (-8)         /* a count or size exceeds what can be represented */
#define PLAIT_ERROR_UNAVAILABLE (-9)       /* the backend, device or instruction set is not to be had here */
#define PLAIT_ERROR_UNSUPPORTED (-10)      /* valid, but this device or solver cannot do it */
#define PLAIT_ERROR_INVALID_GROOM (-11)    /* groom data is wrong; the message names strand and vertex */
#define PLAIT_ERROR_INVALID_STATE (-12)    /* a state blob is damaged, of another version, groom or solver */
#define PLAIT_ERROR_BUFFER_TOO_SMALL (-13) /* the memory given is shorter than what must be written to it */
#define PLAIT_ERROR_LIMIT (-14)            /* too many live objects of this kind */
#define PLAIT_ERROR_TIMEOUT (-15)          /* the work was not done in the time given; it goes on */
#define PLAIT_ERROR_SYSTEM (-16)           /* the operating system refused something, such as a thread */
#define PLAIT_ERROR_DEVICE_LOST (-17)      /* the device is gone; plait_hair_set_device moves its hairs to another */
#define PLAIT_ERROR_OTHER_DEVICE (-18)     /* external memory or a semaphore is of another graphics card or driver */

/* ---- handles ---------------------------------------------------------------------------------------------------- */

typedef struct plait_context {
    uint64_t id;
} plait_context;
typedef struct plait_device {
    uint64_t id;
} plait_device;
typedef struct plait_groom {
    uint64_t id;
} plait_groom;
typedef struct plait_body {
    uint64_t id;
} plait_body;
typedef struct plait_hair {
    uint64_t id;
} plait_hair;
typedef struct plait_semaphore {
    uint64_t id;
} plait_semaphore;

/* ---- structs: the common head ----------------------------------------------------------------------------------- */

typedef struct plait_head {
    uint32_t type;    /* PLAIT_TYPE_xxx of the struct that this head begins */
    uint32_t size;    /* sizeof that struct, as the host's compiler sees it */
    const void *next; /* another struct with a head that extends this one, or null */
} plait_head;

#define PLAIT_TYPE_LIBRARY_INFO 1u
#define PLAIT_TYPE_CONTEXT_DESC 2u
#define PLAIT_TYPE_ALLOCATOR 3u
#define PLAIT_TYPE_LOGGER 4u
#define PLAIT_TYPE_JOBS 5u
#define PLAIT_TYPE_DEVICE_DESC 6u
#define PLAIT_TYPE_DEVICE_CPU_DESC 7u
#define PLAIT_TYPE_DEVICE_INFO 8u
#define PLAIT_TYPE_GROOM_DESC 9u
#define PLAIT_TYPE_GROOM_INFO 10u
#define PLAIT_TYPE_BODY_DESC 11u
#define PLAIT_TYPE_HAIR_DESC 12u
#define PLAIT_TYPE_HAIR_INFO 13u
#define PLAIT_TYPE_SHAPE_PARAMS 14u
#define PLAIT_TYPE_FRAME_DESC 15u
#define PLAIT_TYPE_OUTPUT_DESC 16u
#define PLAIT_TYPE_STATS_INFO 17u
#define PLAIT_TYPE_STAGE_INFO 18u
#define PLAIT_TYPE_BACKEND_INFO 19u
#define PLAIT_TYPE_GROUP_DESC 20u
#define PLAIT_TYPE_COLLIDER 21u
#define PLAIT_TYPE_OUTPUT_ATTRIBUTE 22u
#define PLAIT_TYPE_EXTERNAL_MEMORY 23u
#define PLAIT_TYPE_EXTERNAL_SEMAPHORE 24u
#define PLAIT_TYPE_OUTPUT_EXPORT_DESC 25u
#define PLAIT_TYPE_FRAME_SYNC_DESC 26u
#define PLAIT_TYPE_HYBRID_PARAMS 27u
#define PLAIT_TYPE_SETTLE_DESC 28u
#define PLAIT_TYPE_SETTLE_INFO 29u

/* ---- library ---------------------------------------------------------------------------------------------------- */

typedef struct plait_library_info {
    plait_head head;
    uint32_t version_major; /* another major number: another ABI */
    uint32_t version_minor; /* a higher minor number has everything of the lower ones */
    uint32_t version_patch;
    uint32_t reserved;
} plait_library_info;
#define PLAIT_LIBRARY_INFO_INIT {{PLAIT_TYPE_LIBRARY_INFO, (uint32_t)sizeof(plait_library_info), 0}, 0, 0, 0, 0}

/* Version of the library that is loaded, which need not be that of this header. Any thread. */
PLAIT_FUNCTION(plait_library_query, (plait_library_info * info));

/* Short English text for a result, static and never null; "unknown result" for a number that is none. Any thread. */
typedef const char *(PLAIT_CALL *PFN_plait_result_text)(plait_result result);
PLAIT_EXPORT const char *PLAIT_CALL plait_result_text(plait_result result);

/* A function of this header by name, to be cast to its PFN_ type; null for a name that is not known or is null.
 * Hosts that open the library at run time need only this one symbol. Any thread. */
typedef void(PLAIT_CALL *plait_proc)(void);
typedef plait_proc(PLAIT_CALL *PFN_plait_get_proc_address)(const char *name);
PLAIT_EXPORT plait_proc PLAIT_CALL plait_get_proc_address(const char *name);

/* ---- context ---------------------------------------------------------------------------------------------------- */

/* All memory of a context comes from here. Called from any thread that calls Plait, never while stepping. */
typedef struct plait_allocator {
    plait_head head;
    void *user;
    /* At least size bytes at an address that is a multiple of alignment (a power of two, at most 4096), or null. */
    void *(PLAIT_CALL *allocate)(void *user, size_t size, size_t alignment);
    /* pointer came from allocate with this very size and alignment; never null. */
    void(PLAIT_CALL *release)(void *user, void *pointer, size_t size, size_t alignment);
} plait_allocator;
#define PLAIT_ALLOCATOR_INIT {{PLAIT_TYPE_ALLOCATOR, (uint32_t)sizeof(plait_allocator), 0}, 0, 0, 0}

#define PLAIT_LOG_DEBUG 1u
#define PLAIT_LOG_INFO 2u
#define PLAIT_LOG_WARNING 3u
#define PLAIT_LOG_ERROR 4u

/* Ids of messages that are not errors. Errors carry their plait_result as id. */
#define PLAIT_MESSAGE_DEVICE_OPENED 1   /* info: which device, which instruction set */
#define PLAIT_MESSAGE_STRANDS_RESET 2   /* warning: strands were not finite and went back to their rest shape */
#define PLAIT_MESSAGE_TIME_CLAMPED 3    /* debug: a frame was longer than max_frame_s */
#define PLAIT_MESSAGE_TELEPORTED 4      /* debug: a bone moved beyond the limit, the hair was carried along */
#define PLAIT_MESSAGE_OBJECTS_LEFT 5    /* warning: a context was destroyed with objects alive in it */
#define PLAIT_MESSAGE_WEIGHTS_SCALED 6  /* debug: root weights did not sum to one and were normalised */
#define PLAIT_MESSAGE_CACHE_IGNORED 7   /* info: plait_device_desc.cache is damaged or of something else */
#define PLAIT_MESSAGE_STATE_RESCUED 8   /* warning: a hair left a lost device with the last state that was known of it */
#define PLAIT_MESSAGE_STRANDS_SAG 9     /* info: strands that will not stay as drawn under rest_gravity */

/* Text is UTF-8, one line, valid during the call only. Called from any thread that calls Plait, one message at a time
 * per calling thread. */
typedef struct plait_logger {
    plait_head head;
    void *user;
    void(PLAIT_CALL *log)(void *user, uint32_t level, int32_t id, const char *text); /* null: silence */
    uint32_t min_level; /* messages below this level are not made; 0: PLAIT_LOG_WARNING */
    uint32_t reserved;
} plait_logger;
#define PLAIT_LOGGER_INIT {{PLAIT_TYPE_LOGGER, (uint32_t)sizeof(plait_logger), 0}, 0, 0, 0, 0}

/* One piece of work; index runs from 0 to count - 1. */
typedef void(PLAIT_CALL *plait_job)(void *argument, uint32_t index);

/* The host's job system. parallel_for shall call job(argument, i) once for each i below count, on whatever threads and
 * in whatever order, and return when all calls have returned. It is called from within plait_hair_step and other calls
 * that say so. Results do not depend on how the work is spread. */
typedef struct plait_jobs {
    plait_head head;
    void *user;
    void(PLAIT_CALL *parallel_for)(void *user, uint32_t count, plait_job job, void *argument);
    uint32_t thread_count; /* 1 or more: how many threads may run jobs at once, the caller included; for cutting */
    uint32_t reserved;
} plait_jobs;
#define PLAIT_JOBS_INIT {{PLAIT_TYPE_JOBS, (uint32_t)sizeof(plait_jobs), 0}, 0, 0, 0, 0}

typedef struct plait_context_desc {
    plait_head head;
    const plait_allocator *allocator; /* null: the C library's */
    const plait_logger *logger;       /* null: silence */
    const plait_jobs *jobs;           /* null: a thread pool of Plait's own */
    uint32_t thread_count;            /* threads of that pool, the calling one included; 0: one per core */
    uint32_t reserved;
} plait_context_desc;
#define PLAIT_CONTEXT_DESC_INIT {{PLAIT_TYPE_CONTEXT_DESC, (uint32_t)sizeof(plait_context_desc), 0}, 0, 0, 0, 0, 0}

/* Creates a context: the owner of everything else. desc may be null: all defaults. At most 255 live at once. Starts the
 * threads of the pool. Any thread. */
PLAIT_FUNCTION(plait_context_create, (const plait_context_desc *desc, plait_context *context));

/* Destroys a context and whatever is still alive in it. PLAIT_ERROR_BUSY while another call uses the context or an
 * object of it. Joins the threads of the pool. Any thread. */
PLAIT_FUNCTION(plait_context_destroy, (plait_context context));

#define PLAIT_BACKEND_BEST 0u   /* the fastest that is available */
#define PLAIT_BACKEND_CPU 1u    /* SIMD on the host's cores; always available */
#define PLAIT_BACKEND_VULKAN 2u /* Vulkan compute */
#define PLAIT_BACKEND_CUDA 3u   /* CUDA */
#define PLAIT_BACKEND_NULL 4u   /* does everything but physics: strands stay as they are. For tests of hosts */

#define PLAIT_NAME_SIZE 64
#define PLAIT_REASON_SIZE 192

typedef struct plait_backend_info {
    plait_head head;
    uint32_t backend;      /* PLAIT_BACKEND_xxx */
    uint32_t available;    /* 1: plait_device_open can succeed */
    uint32_t device_count; /* devices of this backend that plait_device_enumerate lists */
    uint32_t reserved;
    char name[PLAIT_NAME_SIZE];     /* "cpu" */
    char reason[PLAIT_REASON_SIZE]; /* why it is unavailable, else empty */
} plait_backend_info;
#define PLAIT_BACKEND_INFO_INIT                                                                                        \
    {{PLAIT_TYPE_BACKEND_INFO, (uint32_t)sizeof(plait_backend_info), 0}, 0, 0, 0, 0, {0}, {0}}

/* Lists the backends this library knows, available or not. With infos null, *count becomes their number; else *count
 * says how many infos there is room for (the heads of all must be set) and becomes how many were written. Cost: under a
 * millisecond, the first time in a context that of loading drivers, up to a second. Any thread. */
PLAIT_FUNCTION(plait_backend_enumerate, (plait_context context, uint32_t *count, plait_backend_info *infos));

/* ---- device ----------------------------------------------------------------------------------------------------- */

#define PLAIT_INTEROP_HOST_POINTER (1u << 0)    /* output goes into memory the host points to */
#define PLAIT_INTEROP_VULKAN_BUFFER (1u << 1)   /* output goes into a VkBuffer of the host's device, plait_vulkan.h */
#define PLAIT_INTEROP_VULKAN_TIMELINE (1u << 2) /* frames wait for and signal the host's timeline semaphores */
#define PLAIT_INTEROP_HOST_MEMORY (1u << 3)     /* the device itself writes host memory, see host_memory_alignment */
#define PLAIT_INTEROP_MEMORY_FD (1u << 4)       /* output memory comes and goes as an opaque fd, plait_external_memory */
#define PLAIT_INTEROP_MEMORY_WIN32 (1u << 5)    /* the same as an opaque Win32 handle */
#define PLAIT_INTEROP_SEMAPHORE_FD (1u << 6)    /* plait_semaphores come and go as opaque fds. Without this or the next,
                                                   the host relays: plait_semaphore_wait and plait_semaphore_signal */
#define PLAIT_INTEROP_SEMAPHORE_WIN32 (1u << 7) /* the same as opaque Win32 handles */
#define PLAIT_INTEROP_CUDA_POINTER (1u << 8)    /* output goes into device memory of the host's context, plait_cuda.h */

typedef struct plait_device_info {
    plait_head head;
    uint32_t backend;               /* PLAIT_BACKEND_xxx */
    uint32_t index;                 /* for plait_device_desc.index */
    uint32_t interop;               /* PLAIT_INTEROP_xxx bits */
    uint32_t pack_width;            /* strands that lie side by side in memory; 0 when listed but not opened */
    uint64_t memory_bytes;          /* memory the device can use in all; 0: not known */
    uint64_t memory_used_bytes;     /* taken by Plait on this device; 0 when listed but not opened */
    uint8_t uuid[16];               /* zero when the device has none */
    char name[PLAIT_NAME_SIZE];     /* for people: the processor's or graphics card's name */
    char variant[PLAIT_NAME_SIZE];  /* which code runs: "avx2"; empty when listed but not opened */
    uint8_t driver_uuid[16];        /* external memory and semaphores need the same uuid and driver_uuid on both sides;
                                       zero: the device has none (CUDA), what it imports needs the same uuid only */
    uint64_t host_memory_alignment; /* output memory with address and size a multiple of this is written by the device
                                       without a copy; 0: never, or not needed */
} plait_device_info;
#define PLAIT_DEVICE_INFO_INIT                                                                                         \
    {{PLAIT_TYPE_DEVICE_INFO, (uint32_t)sizeof(plait_device_info), 0}, 0, 0, 0, 0, 0, 0, {0}, {0}, {0}, {0}, 0}

/* Lists the devices of all available backends, best first. Count, infos and cost as in plait_backend_enumerate. Any
 * thread. */
PLAIT_FUNCTION(plait_device_enumerate, (plait_context context, uint32_t *count, plait_device_info *infos));

typedef struct plait_device_desc {
    plait_head head;   /* may be followed by: plait_device_cpu_desc, plait_cuda_device_desc, plait_vulkan_device_desc */
    uint32_t backend;  /* PLAIT_BACKEND_xxx */
    uint32_t index;    /* which device of that backend, see plait_device_info.index; with uuid or name: which of those
                          that match */
    uint8_t uuid[16];  /* as in plait_device_info; zero: any */
    const char *name;  /* part of plait_device_info.name, upper and lower case alike; null: any */
    const void *cache; /* from plait_device_save_cache, to open faster; what is not of this very device, driver and
                          library is ignored; null: none */
    uint64_t cache_size; /* bytes of it */
} plait_device_desc;
#define PLAIT_DEVICE_DESC_INIT                                                                                         \
    {{PLAIT_TYPE_DEVICE_DESC, (uint32_t)sizeof(plait_device_desc), 0}, 0, 0, {0}, 0, 0, 0}

#define PLAIT_CPU_AUTO 0u   /* the widest this processor has */
#define PLAIT_CPU_SCALAR 1u /* one strand at a time; the reference */
#define PLAIT_CPU_SSE2 2u
#define PLAIT_CPU_AVX2 3u
#define PLAIT_CPU_AVX512 4u

/* Chained to plait_device_desc with backend CPU: overrides the choice of instruction set. All give the same bits. */
typedef struct plait_device_cpu_desc {
    plait_head head;
    uint32_t instruction_set; /* PLAIT_CPU_xxx; PLAIT_ERROR_UNAVAILABLE when this processor lacks it */
    uint32_t reserved;
} plait_device_cpu_desc;
#define PLAIT_DEVICE_CPU_DESC_INIT {{PLAIT_TYPE_DEVICE_CPU_DESC, (uint32_t)sizeof(plait_device_cpu_desc), 0}, 0, 0}

/* Opens a device. desc may be null: the best available. Any number may be open, also several of one backend. Cost: under
 * a millisecond for the CPU; others load a driver and compile kernels, up to a second. Any thread. */
PLAIT_FUNCTION(plait_device_open, (plait_context context, const plait_device_desc *desc, plait_device *device));

/* The handle becomes invalid; the device itself lives until the last hair and the last semaphore on it are destroyed. Any
 * thread. Cost: the last one waits for the device and ends it, some milliseconds. */
PLAIT_FUNCTION(plait_device_close, (plait_device device));

/* Any thread. */
PLAIT_FUNCTION(plait_device_query, (plait_device device, plait_device_info *info));

/* Kernels as the driver has compiled them, for the host to keep on disk and give to plait_device_desc.cache next time.
 * With memory null, *size becomes the bytes needed, 0 where there is nothing to keep (CPU); else *size says how many bytes
 * memory has room for and becomes how many were written. Any thread. */
PLAIT_FUNCTION(plait_device_save_cache, (plait_device device, uint64_t *size, void *memory));

/* ---- groom ------------------------------------------------------------------------------------------------------ */

#define PLAIT_MAX_BONES 65536u
#define PLAIT_MAX_STRAND_VERTICES 1024u

/* What the root of a strand hangs on: up to four bones. Weights need not sum to one; zero or less in sum is an error.
 * Entries with weight zero are ignored, negative ones an error. */
typedef struct plait_root_binding {
    uint32_t bones[4];
    float weights[4];
} plait_root_binding;

/* Material of the strands of one group; part of the asset. */
typedef struct plait_group_desc {
    plait_head head;
    float radius;   /* of a strand, host units, where plait_groom_desc.radii is null; 0: 4e-5 m (a human hair) */
    float friction; /* multiplies the friction of each collider that this group touches; 0 is frictionless, 1 usual */
} plait_group_desc;
#define PLAIT_GROUP_DESC_INIT {{PLAIT_TYPE_GROUP_DESC, (uint32_t)sizeof(plait_group_desc), 0}, 0, 1}

typedef struct plait_groom_desc {
    plait_head head;
    uint32_t strand_count;         /* 1 or more */
    uint32_t bone_count;           /* bones of the skeleton that the bindings index; 1 to PLAIT_MAX_BONES */
    const uint32_t *vertex_counts; /* [strand_count], each 2 to PLAIT_MAX_STRAND_VERTICES, the root included */
    const float *positions;        /* [vertices][3], strand by strand, root first, in the bind pose */
    const float *radii;            /* [vertices]; null: the group's radius */
    const uint32_t *root_bones;    /* [strand_count] rigid to this bone; null: see root_bindings */
    const plait_root_binding *root_bindings; /* [strand_count], instead of root_bones; neither: all rigid to bone 0 */
    const float *bind_pose;  /* [bone_count][12] bone matrices in the bind pose; null: identities, that is, the frame's
                                bones are skinning matrices */
    const float *root_normals;     /* [strand_count][3] of the scalp; null: the first segment's direction */
    const uint16_t *group_indices; /* [strand_count]; null: all in group 0 */
    const plait_group_desc *groups; /* [group_count]; null: defaults */
    uint32_t group_count;           /* 0 is taken as 1 */
    uint32_t reserved;
    const uint32_t *held_counts; /* [strand_count] vertices from the root on that go rigidly with the bones, as bangs do
                                    that shall keep their style; at most the strand's vertices. Solvers of rods hold two
                                    at least, which clamps the root's direction; solver shape holds the root only.
                                    null: 1 */
} plait_groom_desc;
#define PLAIT_GROOM_DESC_INIT                                                                                          \
    {{PLAIT_TYPE_GROOM_DESC, (uint32_t)sizeof(plait_groom_desc), 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

typedef struct plait_groom_info {
    plait_head head;
    uint32_t strand_count;
    uint32_t vertex_count;      /* of all strands */
    uint32_t max_vertex_count;  /* of the longest strand */
    uint32_t group_count;
    uint32_t bone_count;
    uint32_t reserved;
    float bounds_min[3];        /* of the rest positions, host units */
    float bounds_max[3];
    uint64_t identity;          /* hash of everything that makes the groom; equal content, equal number */
    uint64_t memory_bytes;
} plait_groom_info;
#define PLAIT_GROOM_INFO_INIT                                                                                          \
    {{PLAIT_TYPE_GROOM_INFO, (uint32_t)sizeof(plait_groom_info), 0}, 0, 0, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0}

/* Checks and copies a groom. Immutable afterwards; any number of hairs on any devices of the context may share it.
 * PLAIT_ERROR_INVALID_GROOM names strand and vertex in the log: not finite, segment of length zero, fewer than 2 or too
 * many vertices, bone or group out of range, weights that sum to nothing. Cost: linear in the vertices. Any thread. */
PLAIT_FUNCTION(plait_groom_create, (plait_context context, const plait_groom_desc *desc, plait_groom *groom));

/* The handle becomes invalid; hairs made from the groom keep what they need of it. Any thread. */
PLAIT_FUNCTION(plait_groom_destroy, (plait_groom groom));

/* Any thread. */
PLAIT_FUNCTION(plait_groom_query, (plait_groom groom, plait_groom_info *info));

/* ---- body ------------------------------------------------------------------------------------------------------- */

#define PLAIT_COLLIDER_CAPSULE 1u    /* hull of two spheres: at points[0] with radii[0], at points[1] with radii[1] */
#define PLAIT_COLLIDER_SPHERE 2u     /* points[0], radii[0] */
#define PLAIT_COLLIDER_HALF_SPACE 3u /* through points[0]; solid on the side away from the direction points[1] */

/* Bound to one bone, in that bone's space. */
typedef struct plait_collider {
    plait_head head;
    uint32_t kind; /* PLAIT_COLLIDER_xxx */
    uint32_t bone; /* below plait_body_desc.bone_count */
    float points[2][3];
    float radii[2];
    float friction; /* Coulomb coefficient, 0 or more */
    uint32_t reserved;
} plait_collider;
#define PLAIT_COLLIDER_INIT                                                                                            \
    {{PLAIT_TYPE_COLLIDER, (uint32_t)sizeof(plait_collider), 0}, 0, 0, {{0, 0, 0}, {0, 0, 0}}, {0, 0}, 0, 0}

typedef struct plait_body_desc {
    plait_head head;
    uint32_t bone_count;             /* as in plait_groom_desc: one skeleton serves both */
    uint32_t collider_count;         /* any number */
    const plait_collider *colliders; /* [collider_count] */
} plait_body_desc;
#define PLAIT_BODY_DESC_INIT {{PLAIT_TYPE_BODY_DESC, (uint32_t)sizeof(plait_body_desc), 0}, 0, 0, 0}

/* Checks and copies the colliders. Immutable afterwards, shared by any number of hairs. Cost: linear. Any thread. */
PLAIT_FUNCTION(plait_body_create, (plait_context context, const plait_body_desc *desc, plait_body *body));

/* The handle becomes invalid; hairs keep what they need. Any thread. */
PLAIT_FUNCTION(plait_body_destroy, (plait_body body));

/* ---- hair ------------------------------------------------------------------------------------------------------- */

#define PLAIT_SOLVER_SHAPE 1u /* one-pass follow-the-leader with an angular shape constraint; plait_shape_params */

/* Parameters of PLAIT_SOLVER_SHAPE for one group. plait_shape_params_default fills in defaults; values are taken
 * literally, zero is zero. */
typedef struct plait_shape_params {
    plait_head head;
    float compliance_root_s2;  /* how softly a strand keeps its rest shape: held level under gravity g, a strand of
                                  length L turns down by about g * compliance / L radians at its tip, more or less
                                  whatever its vertex count and the step rate (from 60 Hz on). 0: rigid; 0.001: stiff;
                                  0.1: limp */
    float compliance_tip_s2;   /* the same towards the tip; linear in between */
    float shape_damping;       /* how much bending is damped, in units of sqrt(compliance); below 0.1 soft curls may
                                  tremble, at 1 they creep back */
    float drag_per_s;          /* rate at which velocity approaches the wind's */
    float damping_per_s;       /* rate at which velocity approaches the root's: calms the swing, not the flight */
    float velocity_correction; /* 0 to 1: how much of its child's pull a vertex feels. 1: least damping */
    float collision_radius;    /* clearance added to the strand's radius (that of its root), host units */
    uint32_t reserved;
} plait_shape_params;
/* All zero: rigid and undamped. For a start that moves like hair, plait_shape_params_default. */
#define PLAIT_SHAPE_PARAMS_INIT                                                                                        \
    {{PLAIT_TYPE_SHAPE_PARAMS, (uint32_t)sizeof(plait_shape_params), 0}, 0, 0, 0, 0, 0, 0, 0, 0}

/* Fills params (head set by the caller) with defaults that suit shoulder-long hair in metres. Any thread. */
PLAIT_FUNCTION(plait_shape_params_default, (plait_shape_params * params));

#define PLAIT_SOLVER_HYBRID 2u /* discrete elastic rods, implicit; plait_hybrid_params */

/* Parameters of PLAIT_SOLVER_HYBRID for one group. Strands are elastic rods of the groom's radii whose rest shape is the
 * groom's. Moduli act separately; hair has 3e9 Pa for stretching and bending and 1e9 for twisting. What single precision
 * cannot bear is taken as less: edges stretch by up to a thousandth at 60 steps a second, and real hair in segments of less
 * than 1.1 mm (0.8 mm at 120 steps, 0.55 mm at 240) bends too easily. A strand that bends by more than 45 degrees at a
 * vertex within one step loses its motion. plait_hybrid_params_default fills in defaults; values are taken literally, zero is
 * zero. */
typedef struct plait_hybrid_params {
    plait_head head;
    float stretch_modulus;  /* Pa, 0 to 1e12 */
    float bend_modulus;     /* Pa, 0 to 1e12 */
    float twist_modulus;    /* Pa, 0 to 1e12: the shear modulus */
    float density;          /* kg/m^3, 1 to 1e5 */
    float flatness;         /* of the section, 0 to 0.95: 0 is round; else the section is an ellipse of the same area whose
                               short axis is 1 - flatness times the long one. The short axis lies in the plane in which the
                               strand curls at the root */
    float damping_s;        /* strain-rate damping: stress grows with the rate of strain times this time, 0 to 1000 */
    float drag_per_s;       /* rate at which velocity approaches the wind's, 0 to 1e6 */
    float clamp_extension;  /* 0 to 1: how much of the clamped first segment bends. 1: the strand is clamped at its root;
                               0: at the middle of its first segment, as the plain discrete model has it */
    float held_blend;       /* 0 to 1: how much of the way to their bones held vertices go in a step; 1: all */
    float max_root_speed;   /* roots that go faster than this take their strands along rigidly for the rest of the way, host
                               units per second; 0: no limit */
    float max_root_turn;    /* the same for their rotation, radians per second; 0: no limit */
    float collision_radius; /* clearance added to the strand's radius (that of its root), host units */
    float rest_gravity[3];  /* sag-free: the rest shape is chosen such that the groom as drawn, in its bind pose, is in
                               equilibrium under this gravity, host units per second squared; zero: the groom is the rest
                               shape and hangs lower than it is drawn. Where that equilibrium would be unstable, as that
                               of long soft strands drawn standing or lying, the strand is made stiffer in bending and
                               twist, as much as it takes to stay, up to 16 times. Strands for which that does not suffice,
                               or takes more stiffness than step_rate_hz allows (more steps a second allow more), or a rest
                               shape beyond what a rod can bear, get the nearest one and are counted, see
                               plait_stats_info.sagging_strand_count. Costs 2 to 4 microseconds a vertex at
                               creation and at plait_hair_set_params */
    uint32_t reserved;
} plait_hybrid_params;
#define PLAIT_HYBRID_PARAMS_INIT                                                                                       \
    {{PLAIT_TYPE_HYBRID_PARAMS, (uint32_t)sizeof(plait_hybrid_params), 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0}, 0}

/* Fills params (head set by the caller) with defaults that suit hair in metres. Any thread. */
PLAIT_FUNCTION(plait_hybrid_params_default, (plait_hybrid_params * params));

typedef struct plait_hair_desc {
    plait_head head;
    plait_groom groom;
    plait_device device;
    plait_body body;          /* zero: no colliders; its bone_count must not exceed the groom's */
    uint32_t solver;          /* PLAIT_SOLVER_xxx */
    uint32_t params_count;    /* 0: defaults for all groups; 1: one for all groups; else the groom's group_count */
    const void *params;       /* [params_count] of the solver's parameter struct, each with its head set */
    const float *bones;       /* [bone_count][12] where the hair starts; null: the bind pose */
    float meters_per_unit;    /* length of a host unit, 1e-6 to 1e6; 0: 1. Centimetres: 0.01 */
    float step_rate_hz;       /* fixed internal steps per second; 0: 60. 1 to 10000 */
    uint32_t substeps;        /* each internal step is cut into this many; 0: 1. At most 64 */
    float max_frame_s;        /* longer frames are simulated as if they had taken this long; 0: 0.1. At most 10, and no
                                 more than 10000 substeps in a frame */
    float teleport_distance;  /* a bound bone that moves farther in a frame teleports the hair, host units; 0: never */
    float teleport_angle;     /* the same for its rotation, radians, up to pi; 0: never */
} plait_hair_desc;
#define PLAIT_HAIR_DESC_INIT                                                                                           \
    {{PLAIT_TYPE_HAIR_DESC, (uint32_t)sizeof(plait_hair_desc), 0}, {0}, {0}, {0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

typedef struct plait_hair_info {
    plait_head head;
    plait_groom groom;    /* handles as given at creation; they may be stale by now */
    plait_device device;
    plait_body body;
    uint32_t solver;
    uint32_t strand_count;
    uint32_t vertex_count;
    uint32_t reserved;
    double time_s;        /* simulated so far */
    uint64_t step_count;  /* internal steps so far, substeps not counted */
} plait_hair_info;
#define PLAIT_HAIR_INFO_INIT                                                                                           \
    {{PLAIT_TYPE_HAIR_INFO, (uint32_t)sizeof(plait_hair_info), 0}, {0}, {0}, {0}, 0, 0, 0, 0, 0, 0}

/* Creates a running head of hair at rest. Everything it will ever need is allocated here. PLAIT_ERROR_TOO_LARGE when the
 * device cannot address it: on Vulkan all of a hair, some 60 bytes a vertex (460 with solver hybrid), lies in one storage
 * buffer, of 128 MiB at least and 4 GiB usually. Cost: linear in the vertices; uses the job system. Any thread. */
PLAIT_FUNCTION(plait_hair_create, (plait_context context, const plait_hair_desc *desc, plait_hair *hair));

/* Any thread; PLAIT_ERROR_BUSY while another call uses the hair. */
PLAIT_FUNCTION(plait_hair_destroy, (plait_hair hair));

/* Serialised. */
PLAIT_FUNCTION(plait_hair_query, (plait_hair hair, plait_hair_info *info));

typedef struct plait_frame_desc {
    plait_head head;          /* may be followed by: plait_frame_sync_desc, plait_vulkan_frame_desc */
    float dt;                 /* seconds since the last frame; 0: paused (bones may move, strands go along rigidly) */
    uint32_t bone_count;      /* the groom's bone_count, or more (the rest is ignored) */
    const float *bones;       /* [bone_count][12] at the end of the frame; null: as before */
    float gravity[3];         /* host units per second squared */
    float wind[3];            /* velocity of the air, host units per second */
    const uint32_t *colliders_enabled; /* bit i of word i/32 set: collider i acts; null: all act */
    uint32_t colliders_enabled_words;  /* words given; colliders beyond them are off */
    uint32_t reserved;
} plait_frame_desc;
#define PLAIT_FRAME_DESC_INIT                                                                                          \
    {{PLAIT_TYPE_FRAME_DESC, (uint32_t)sizeof(plait_frame_desc), 0}, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0, 0}

/* Advances the hair by one frame: as many fixed steps as fit into dt and what was left over, with bones interpolated in
 * between (rotations on the shortest arc), then writes the output if one is set. Where every frame is a whole number of
 * steps, the output is the last step's. Otherwise it is blended between the last two, relative to the roots, so that
 * motion is smooth at any frame rate: strands swing one step late, roots are always exactly where the bones are.
 * Allocates nothing; uses the job system. Cost: linear in vertices and steps, see plait_stats_info. Serialised;
 * different hairs may step at the same time. */
PLAIT_FUNCTION(plait_hair_step, (plait_hair hair, const plait_frame_desc *frame));

/* Waits until the output of the last step is written, at most timeout_ns. Devices that work synchronously (CPU, null)
 * return at once. Serialised. */
PLAIT_FUNCTION(plait_hair_wait, (plait_hair hair, uint64_t timeout_ns));

/* Replaces the parameters of all groups (count and params as in plait_hair_desc); acts from the next step on.
 * Serialised. Cost: linear in the strands, of rods in the vertices. */
PLAIT_FUNCTION(plait_hair_set_params, (plait_hair hair, uint32_t params_count, const void *params));

/* Moves a running hair to another device of the same context, between two frames: strands go on from where they are,
 * output goes on into the same memory. When it fails, as for a lack of memory, the hair stays where and as it was.
 * PREVIOUS_POSITION equals POSITION once. From a lost device (PLAIT_ERROR_DEVICE_LOST) strands go on as they were at most
 * 16 frames before the loss, carried along to where their roots are now; an output that no other device can write is set
 * to none before. Cost: like plait_hair_create. Serialised.
 * Allocates. */
PLAIT_FUNCTION(plait_hair_set_device, (plait_hair hair, plait_device device));

/* Attaches another body, or none (zero). Serialised. May allocate. Cost: linear in the colliders times the strands. */
PLAIT_FUNCTION(plait_hair_set_body, (plait_hair hair, plait_body body));

/* Puts every strand into its rest shape at the given bones, at rest. bones null: as last given. Cost: linear
 * in the vertices. Serialised. */
PLAIT_FUNCTION(plait_hair_reset, (plait_hair hair, uint32_t bone_count, const float *bones));

/* Carries every strand rigidly along to the given bones, keeping shape and velocity relative to its root. For cuts and
 * portals. bones null: as last given, which changes nothing. Cost: linear in the vertices. Serialised. */
PLAIT_FUNCTION(plait_hair_teleport, (plait_hair hair, uint32_t bone_count, const float *bones));

/* ---- equilibrium ------------------------------------------------------------------------------------------------ */

/* What plait_hair_settle comes to. speed and acceleration: root mean squares over all vertices (speed squared times the
 * hair's mass is twice its kinetic energy; acceleration times mass is the force that is not balanced). */
typedef struct plait_settle_info {
    plait_head head;
    uint32_t step_count;   /* steps made */
    uint32_t settled;      /* 1: both limits are kept */
    float speed;           /* after the last step, host units per second */
    float acceleration;    /* of the last step, host units per second squared */
} plait_settle_info;
#define PLAIT_SETTLE_INFO_INIT {{PLAIT_TYPE_SETTLE_INFO, (uint32_t)sizeof(plait_settle_info), 0}, 0, 0, 0, 0}

typedef struct plait_settle_desc {
    plait_head head;
    float gravity[3];       /* host units per second squared */
    float wind[3];          /* host units per second */
    float max_speed;        /* settled when speed and */
    float max_acceleration; /* acceleration are at most this; both more than 0 */
    uint32_t max_steps;     /* gives up after so many, 1 to 10000000 */
    uint32_t progress_steps; /* progress is called after every so many steps; 0: 100 */
    /* Any result but PLAIT_OK ends plait_hair_settle, which returns it; the hair stays as it is by then. May be null. */
    plait_result(PLAIT_CALL *progress)(void *user, const plait_settle_info *info);
    void *user;
} plait_settle_desc;
#define PLAIT_SETTLE_DESC_INIT                                                                                         \
    {{PLAIT_TYPE_SETTLE_DESC, (uint32_t)sizeof(plait_settle_desc), 0}, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0, 0, 0}

/* Lets the hair come to rest at its present bones: steps of the hair's own length in which the strands lose their motion
 * whenever it is at its height (dynamic relaxation with kinetic damping), until both limits are kept. Colliders act, all of
 * them. Time does not pass: the clock stays, and the strands are at rest afterwards. Ends with PLAIT_OK also when max_steps
 * did not suffice: info.settled tells. Writes the output at the end. info may be null. Cost: linear in vertices and steps;
 * allocates. Serialised. */
PLAIT_FUNCTION(plait_hair_settle, (plait_hair hair, const plait_settle_desc *desc, plait_settle_info *info));

/* ---- memory and semaphores shared with other devices, drivers' interfaces and processes ------------------------- */

#define PLAIT_EXTERNAL_OPAQUE_FD 1u    /* VK_EXTERNAL_xxx_HANDLE_TYPE_OPAQUE_FD_BIT, CUDA's OPAQUE_FD */
#define PLAIT_EXTERNAL_OPAQUE_WIN32 2u /* the same of OPAQUE_WIN32 */

/* Device memory that crosses borders. What one side exports the other imports as it stands.
 * Going in: handle becomes Plait's if the call succeeds, and stays the host's if it fails. Coming out: handle is the
 * host's, to import (which consumes it) or to close. */
typedef struct plait_external_memory {
    plait_head head;
    uint32_t kind;            /* PLAIT_EXTERNAL_xxx */
    uint32_t dedicated;       /* 1: allocated for one buffer alone (VkMemoryDedicatedAllocateInfo), which begins at 0 */
    int64_t handle;           /* the file descriptor, or the HANDLE */
    uint64_t allocation_size; /* bytes of the whole allocation (VkMemoryAllocateInfo.allocationSize) */
    uint64_t offset;          /* in it, where the output's memory begins; a multiple of 4 */
    uint32_t memory_type;     /* its index on the device (VkMemoryAllocateInfo.memoryTypeIndex); CUDA needs none */
    uint32_t usage;           /* of the one buffer of a dedicated allocation (VkBufferUsageFlags), whose size the output's
                                 must be; else 0 */
    uint8_t device_uuid[16];  /* of the device it was made on; another one's: PLAIT_ERROR_OTHER_DEVICE */
    uint8_t driver_uuid[16];
} plait_external_memory;
#define PLAIT_EXTERNAL_MEMORY_INIT                                                                                     \
    {{PLAIT_TYPE_EXTERNAL_MEMORY, (uint32_t)sizeof(plait_external_memory), 0}, 0, 0, -1, 0, 0, 0, 0, {0}, {0}}

/* A timeline semaphore that crosses borders; ownership of handle as in plait_external_memory. */
typedef struct plait_external_semaphore {
    plait_head head;
    uint32_t kind; /* PLAIT_EXTERNAL_xxx */
    uint32_t reserved;
    int64_t handle;
    uint8_t device_uuid[16];
    uint8_t driver_uuid[16];
} plait_external_semaphore;
#define PLAIT_EXTERNAL_SEMAPHORE_INIT                                                                                  \
    {{PLAIT_TYPE_EXTERNAL_SEMAPHORE, (uint32_t)sizeof(plait_external_semaphore), 0}, 0, 0, -1, {0}, {0}}

/* A number on a device that only grows; frames wait until it has reached a value and raise it to another. external null: a
 * new one, at 0. Else another side's timeline semaphore: PLAIT_ERROR_UNSUPPORTED where plait_device_info.interop lacks
 * PLAIT_INTEROP_SEMAPHORE_xxx. Any thread. */
PLAIT_FUNCTION(plait_semaphore_create,
               (plait_device device, const plait_external_semaphore *external, plait_semaphore *semaphore));

/* Raises it to what is still waited for, so that nobody waits for ever: calls that wait return, with
 * PLAIT_ERROR_INVALID_HANDLE if they had hardly begun, and frames go on. Any thread. */
PLAIT_FUNCTION(plait_semaphore_destroy, (plait_semaphore semaphore));

/* A handle by which another side can import it; kind: PLAIT_EXTERNAL_xxx. One more at every call. Any thread. */
PLAIT_FUNCTION(plait_semaphore_export,
               (plait_semaphore semaphore, uint32_t kind, plait_external_semaphore *external));

/* What it has reached. Any thread. */
PLAIT_FUNCTION(plait_semaphore_query, (plait_semaphore semaphore, uint64_t *value));

/* Waits until it has reached value, at most timeout_ns; then PLAIT_ERROR_TIMEOUT. PLAIT_ERROR_UNSUPPORTED where nobody can
 * tell in time, see plait_cuda.h. Any thread. */
PLAIT_FUNCTION(plait_semaphore_wait, (plait_semaphore semaphore, uint64_t value, uint64_t timeout_ns));

/* Raises it to value, which must be more than it has reached. While a frame under way will raise it, that could happen at
 * the same moment, so PLAIT_ERROR_INVALID_ARGUMENT, unless the frame waits for this very semaphore to reach value or more
 * first. Any thread. */
PLAIT_FUNCTION(plait_semaphore_signal, (plait_semaphore semaphore, uint64_t value));

/* Chained to plait_frame_desc: the frame's work begins when one semaphore has reached a value, and raises one (or the same)
 * when the output is written. signal_value must be more than what the semaphore has reached, than wait_value if it is the
 * same, and than what earlier frames will raise it to. If both semaphores are of the hair's device and the output is in its
 * memory (VkBuffer or external), plait_hair_step waits for nothing as long as two frames at most are under way (frames of
 * more than 27 steps: 64 steps); else it waits, on the calling thread, before and after. A frame that waits holds up what is
 * run on its device after it, other hairs too: what it waits for must come from elsewhere. A frame that is refused (as for
 * a wrong dt or bone) or fails waits and signals nevertheless. Only where these semaphores and values are refused
 * themselves, the structs cannot be read, or the device is lost or fails at the signal, it does not come; the host may then
 * raise the semaphore itself. One call at a time may step towards a signal_semaphore, whatever the hairs: PLAIT_ERROR_BUSY. */
typedef struct plait_frame_sync_desc {
    plait_head head;
    plait_semaphore wait_semaphore; /* zero: none */
    uint64_t wait_value;
    plait_semaphore signal_semaphore; /* zero: none */
    uint64_t signal_value;
} plait_frame_sync_desc;
#define PLAIT_FRAME_SYNC_DESC_INIT                                                                                     \
    {{PLAIT_TYPE_FRAME_SYNC_DESC, (uint32_t)sizeof(plait_frame_sync_desc), 0}, {0}, 0, {0}, 0}

/* ---- output ----------------------------------------------------------------------------------------------------- */

#define PLAIT_ATTRIBUTE_POSITION 1u          /* w of the four-component format: the vertex's radius, host units, scaled
                                                with the root's bones */
#define PLAIT_ATTRIBUTE_TANGENT 2u           /* unit vector from root to tip; w: 0 */
#define PLAIT_ATTRIBUTE_PREVIOUS_POSITION 3u /* what POSITION was one frame ago, for motion vectors; w: 0. After reset
                                                and teleport it equals POSITION */

#define PLAIT_FORMAT_FLOAT32X3 1u
#define PLAIT_FORMAT_FLOAT32X4 2u

/* Vertex v (strand-major, as in the groom) lies at offset + v * stride. */
typedef struct plait_output_attribute {
    plait_head head;
    uint32_t attribute; /* PLAIT_ATTRIBUTE_xxx */
    uint32_t format;    /* PLAIT_FORMAT_xxx */
    uint64_t offset;    /* bytes, a multiple of 4 */
    uint64_t stride;    /* bytes, a multiple of 4, at least the format's size */
} plait_output_attribute;
#define PLAIT_OUTPUT_ATTRIBUTE_INIT                                                                                    \
    {{PLAIT_TYPE_OUTPUT_ATTRIBUTE, (uint32_t)sizeof(plait_output_attribute), 0}, 0, 0, 0, 0}

typedef struct plait_output_desc {
    plait_head head;          /* may be followed by one of: plait_external_memory, plait_output_export_desc,
                                 plait_cuda_output_desc, plait_vulkan_output_desc */
    uint32_t attribute_count; /* at least 1 */
    uint32_t reserved;
    const plait_output_attribute *attributes; /* may interleave with one stride, not overlap; each kind at most once */
    void *memory;             /* host memory, aligned to 4 bytes; null with any of the structs above */
    uint64_t size;            /* bytes of it, or of the memory that such a struct describes, from its offset on */
} plait_output_desc;
#define PLAIT_OUTPUT_DESC_INIT {{PLAIT_TYPE_OUTPUT_DESC, (uint32_t)sizeof(plait_output_desc), 0}, 0, 0, 0, 0, 0}

/* Every later step writes its result here. The memory must stay valid until another output is set, or none (output
 * null), or the hair is destroyed. Serialised. May allocate. */
PLAIT_FUNCTION(plait_hair_set_output, (plait_hair hair, const plait_output_desc *output));

/* Chained to plait_output_desc: Plait makes the memory on the hair's device, for others to import. */
typedef struct plait_output_export_desc {
    plait_head head;
    uint32_t kind; /* PLAIT_EXTERNAL_xxx */
    uint32_t reserved;
} plait_output_export_desc;
#define PLAIT_OUTPUT_EXPORT_DESC_INIT                                                                                  \
    {{PLAIT_TYPE_OUTPUT_EXPORT_DESC, (uint32_t)sizeof(plait_output_export_desc), 0}, 0, 0}

/* A handle by which another device or process can import the memory of an output that has a plait_output_export_desc. One
 * more at every call. The memory lives as long as anyone has it. Serialised. */
PLAIT_FUNCTION(plait_hair_export_output, (plait_hair hair, plait_external_memory *memory));

/* Waits, then writes the present state once into the memory given (the host's, or a VkBuffer), which need not outlive the
 * call. PREVIOUS_POSITION can only be read if it is among the attributes of the output set. Cost: linear in the vertices. Serialised. */
PLAIT_FUNCTION(plait_hair_read, (plait_hair hair, const plait_output_desc *output));

/* ---- state ------------------------------------------------------------------------------------------------------ */

/* Bytes that plait_hair_save writes; constant for the life of a hair. Serialised. */
PLAIT_FUNCTION(plait_hair_state_size, (plait_hair hair, uint64_t *size));

/* Writes everything that future steps depend on, except parameters, body and output. size: bytes at memory. Blobs are
 * the same on every device and instruction set. Cost: linear in the vertices. Serialised. */
PLAIT_FUNCTION(plait_hair_save, (plait_hair hair, void *memory, uint64_t size));

/* Continues from a saved state: bit for bit, if parameters, body, step rate and substeps are those of the hair that
 * saved it. The groom's content, the unit and the solver must be; anything else, or a damaged blob, is refused and the
 * hair keeps its state. Output between two steps may differ until the next step. Cost: linear in the vertices.
 * Serialised. */
PLAIT_FUNCTION(plait_hair_load, (plait_hair hair, const void *memory, uint64_t size));

/* ---- statistics ------------------------------------------------------------------------------------------------- */

typedef struct plait_stats_info {
    plait_head head;
    uint32_t strand_count;
    uint32_t vertex_count;
    uint64_t frame_count;            /* calls of plait_hair_step so far */
    uint64_t step_count;             /* internal steps so far, substeps not counted */
    uint64_t teleport_count;         /* automatic ones */
    uint64_t clamped_frame_count;    /* frames longer than max_frame_s */
    uint64_t nonfinite_strand_count; /* strands caught not finite and put back, so far */
    double frame_s;                  /* wall time of the last plait_hair_step */
    float worst_stretch;             /* longest strand after the last step, its length over its rest length, minus 1;
                                        shape: never more than 0.1, where colliders leave no room; hybrid: 0.4 (0.54 with
                                        rest_gravity), unless held vertices are pulled apart */
    float mean_length_error;         /* mean of |length over rest length - 1| over all strands after the last step */
    uint64_t bytes_asset;            /* memory by kind: rest shape and bindings, packed for the device */
    uint64_t bytes_state;            /* positions, velocities */
    uint64_t bytes_work;             /* bones, colliders, scratch, history for previous positions */
    uint32_t dispatches_per_step;    /* commands that a step and the output after it are made of, as last recorded; */
    uint32_t barriers_per_step;      /* 0 where the device takes none, as the CPU, and before the first step */
    uint64_t sagging_strand_count;   /* strands that will not stay as drawn under rest_gravity, see plait_hybrid_params */
} plait_stats_info;
#define PLAIT_STATS_INFO_INIT                                                                                          \
    {{PLAIT_TYPE_STATS_INFO, (uint32_t)sizeof(plait_stats_info), 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* Cost: linear in the strands. Serialised. */
PLAIT_FUNCTION(plait_hair_stats, (plait_hair hair, plait_stats_info *info));

typedef struct plait_stage_info {
    plait_head head;
    char name[PLAIT_NAME_SIZE]; /* "roots", "shape", "output" */
    double frame_s;             /* time in this stage during the last frame, summed over threads */
    double total_s;             /* since creation */
    uint64_t run_count;         /* since creation */
} plait_stage_info;
#define PLAIT_STAGE_INFO_INIT {{PLAIT_TYPE_STAGE_INFO, (uint32_t)sizeof(plait_stage_info), 0}, {0}, 0, 0, 0}

/* Times of the stages that a step is made of. Count and infos as in plait_backend_enumerate. Serialised. */
PLAIT_FUNCTION(plait_hair_stages, (plait_hair hair, uint32_t *count, plait_stage_info *infos));

/* Every function of this header, for tables that must not forget one. X(name). */
#define PLAIT_FOR_EACH_FUNCTION(X)                                                                                     \
    X(plait_library_query)                                                                                             \
    X(plait_result_text)                                                                                               \
    X(plait_get_proc_address)                                                                                          \
    X(plait_context_create)                                                                                            \
    X(plait_context_destroy)                                                                                           \
    X(plait_backend_enumerate)                                                                                         \
    X(plait_device_enumerate)                                                                                          \
    X(plait_device_open)                                                                                               \
    X(plait_device_close)                                                                                              \
    X(plait_device_query)                                                                                              \
    X(plait_groom_create)                                                                                              \
    X(plait_groom_destroy)                                                                                             \
    X(plait_groom_query)                                                                                               \
    X(plait_body_create)                                                                                               \
    X(plait_body_destroy)                                                                                              \
    X(plait_shape_params_default)                                                                                      \
    X(plait_hair_create)                                                                                               \
    X(plait_hair_destroy)                                                                                              \
    X(plait_hair_query)                                                                                                \
    X(plait_hair_step)                                                                                                 \
    X(plait_hair_wait)                                                                                                 \
    X(plait_hair_set_params)                                                                                           \
    X(plait_hair_set_body)                                                                                             \
    X(plait_hair_reset)                                                                                                \
    X(plait_hair_teleport)                                                                                             \
    X(plait_hair_set_output)                                                                                           \
    X(plait_hair_read)                                                                                                 \
    X(plait_hair_state_size)                                                                                           \
    X(plait_hair_save)                                                                                                 \
    X(plait_hair_load)                                                                                                 \
    X(plait_hair_stats)                                                                                                \
    X(plait_hair_stages)                                                                                               \
    X(plait_hair_set_device)                                                                                           \
    X(plait_device_save_cache)                                                                                         \
    X(plait_semaphore_create)                                                                                          \
    X(plait_semaphore_destroy)                                                                                         \
    X(plait_semaphore_export)                                                                                          \
    X(plait_semaphore_query)                                                                                           \
    X(plait_semaphore_wait)                                                                                            \
    X(plait_semaphore_signal)                                                                                          \
    X(plait_hair_export_output)                                                                                        \
    X(plait_hybrid_params_default)                                                                                     \
    X(plait_hair_settle)

#ifdef __cplusplus
}
#endif

#endif
