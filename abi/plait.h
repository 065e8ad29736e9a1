/* plait.h - the public interface of Plait, hair simulation for game engines. Version 1.
 *
 * How a host uses it, once per character:
 *
 *   plait_context_create   allocator, logger, job system
 *   plait_device_open      where the simulation runs
 *   plait_groom_create     the asset: rest strands, root bindings, groups
 *   plait_body_create      the colliders of the character (optional)
 *   plait_hair_create      groom + solver + parameters + device = one running head of hair
 *   plait_hair_set_output  where the strands are written to
 *   plait_hair_step        every frame: time, bones, gravity, wind; plait_hairs_step for many characters
 *
 * and, to have a whole head of hair follow its simulated guides:
 *
 *   plait_binding_create          once per groom: which guides each render strand follows
 *   plait_hair_set_binding        the hair carries these render strands
 *   plait_hair_set_render_output  where they are written to, beside or instead of the guides
 *
 * Rules that hold everywhere:
 *
 * Results   Functions return a plait_result: 0 or more is success, less than 0 an error. A call that fails changes
 *           nothing: objects keep their state, output arguments are not written, but returned handles are set to zero.
 *           The reason, naming the argument, goes to the log callback, if the call found its context. One exception: if a
 *           device fails while strands move (step, settle, reset, teleport, load), some may have moved and others not.
 * Structs   A struct that goes in (_desc, _params) or comes out (_info) and may grow begins with a plait_head. Set
 *           head.type and head.size (16 to 4096, a multiple of 8); the PLAIT_xxx_INIT macros do so and give the other
 *           fields neutral values, mostly zero. In a shorter struct, from an older host, the missing fields are zero. A
 *           longer one is accepted if its unknown tail is zero. An unknown struct in the chain of head.next is an error.
 *           In an array of such structs all heads have the type and size of the first. Fields named reserved must be
 *           zero. Input is copied: nothing passed in needs to outlive the call, except output memory (see
 *           plait_output_desc), callbacks with their user pointers, and what plait_vulkan.h and plait_cuda.h name.
 * Handles   64-bit values that hold index, generation, kind and owner. A stale, foreign or forged handle is an error,
 *           in release builds too. The zero handle is never valid. Each is a struct of one integer, so that the compiler
 *           tells a hair from a groom; every calling convention in use passes it like that integer.
 * Threads   Each function states one rule. "Any thread": call it from any thread at any time, also concurrently.
 *           "Serialised": one call at a time per object; if the object is in use, the call returns PLAIT_ERROR_BUSY and
 *           does nothing. A callback must not use the object whose call runs it.
 *           A call needs less than 48 KB of stack, so fibers of 64 KB are enough. Callbacks come on top, and on a GPU the
 *           driver: with Mesa's lavapipe a call takes 40 KB in all, with validation layers 68 KB.
 * Units     SI, except lengths: everything with a length in it (positions, radii, gravity, wind) is in host units, and
 *           plait_hair_desc.meters_per_unit is the length of one. Angles are radians. Any axis may be up and either
 *           handedness works, as long as the host is consistent.
 * Origin    Hair moves and rests alike at any distance from the origin: inside, it is simulated relative to a point near its
 *           roots. But what goes in and out is float32, in steps of 0.06 mm at a kilometre and 6 cm at a thousand. In
 *           large worlds plait_frame_desc.origin, in double precision, is the point that bones and so everything else is
 *           relative to: a sector's corner, the camera. It may change in any frame, and moves nothing in the world: no
 *           strand, and no bone when bones is null. Output and bounds are relative to the origin of the frame that wrote
 *           them, previous positions included. Calls without an origin (reset, teleport, read, settle) go by that of the
 *           last frame, and before the first frame, as plait_hair_create, by that of the first. A saved state holds its
 *           origin: the hair that loads it goes by it until its next frame, which may have any other.
 * Floats    Every float that goes in must be finite. Beyond what a field's comment says, magnitudes are limited to 1e9
 *           (positions, translations, gravity, wind), 1e6 (radii, friction) and scales to 1e-6 to 1e6. Calls round
 *           to nearest, without traps, with denormals as zero (on x86-64 and 64-bit ARM), whatever the calling thread's
 *           setting is, and restore it with its flags. Callbacks that a call makes see Plait's setting. On the CPU backend the
 *           same input gives the same bits on both processors, with one exception: a result below 2^-126, the least float
 *           that is no denormal, which rounds up to it, is kept by x86-64 and zero on ARM. Hair has no use for such numbers.
 * Matrices  3x4 affine, row-major, 12 floats, for column vectors, as VkTransformMatrixKHR: x' = m[0] x + m[1] y + m[2] z +
 *           m[3], and the translation is m[3], m[7], m[11]. Rotation, scale and shear are welcome; a matrix that mirrors, or
 *           scales one direction more than 1000 times as much as another, is refused with an error. Only bones that a root
 *           (with a weight above zero) or a collider of the hair's body uses are checked: others may hold anything, such as
 *           the scale zero by which engines hide them. Hosts whose 4x4 matrices have the translation in floats 12 to 14
 *           (row vectors: DirectXMath, Unreal; column-major: OpenGL, glm, Unity) transpose them and pass the first three
 *           rows, as XMStoreFloat3x4 and FMatrix::To3x4MatrixTranspose do. A matrix that was not transposed is not refused:
 *           the hair looks right at identity, but turns against the bone and does not follow its translation.
 * Cost      O(1) and below a microsecond unless the function says otherwise. On a GPU, calls that read, change or destroy
 *           a hair wait for its frames, and take some ten microseconds per buffer that they touch.
 */
#ifndef PLAIT_H
#define PLAIT_H

#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX < 0xffffffffffffffffu
#error "Plait is for 64-bit targets: its structs have no layout for 32 bits"
#endif

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
#define PLAIT_INCOMPLETE 1 /* the array was too short; what fits was written */

#define PLAIT_ERROR_INVALID_ARGUMENT (-1)  /* a value is out of range, null, or not finite */
#define PLAIT_ERROR_INVALID_STRUCT (-2)    /* head.type or head.size is wrong, or an unknown tail is not zero */
#define PLAIT_ERROR_UNKNOWN_EXTENSION (-3) /* a struct in the head.next chain is unknown, or not for this call */
#define PLAIT_ERROR_INVALID_HANDLE (-4)    /* zero, stale, forged, or of another kind */
#define PLAIT_ERROR_FOREIGN_HANDLE (-5)    /* a live handle, but of another context */
#define PLAIT_ERROR_BUSY (-6)              /* the object is in use by another call */
#define PLAIT_ERROR_OUT_OF_MEMORY (-7)     /* the allocator, or the device, has no more memory */
#define PLAIT_ERROR_TOO_LARGE (-8)         /* a count or size exceeds what can be represented */
#define PLAIT_ERROR_UNAVAILABLE (-9)       /* the backend, device or instruction set is not available on this machine */
#define PLAIT_ERROR_UNSUPPORTED (-10)      /* valid, but not possible on this device or with this solver */
#define PLAIT_ERROR_INVALID_GROOM (-11)    /* groom data is wrong; the message names strand and vertex */
#define PLAIT_ERROR_INVALID_STATE (-12)    /* a saved state or binding is damaged, or of another version, groom, unit or solver */
#define PLAIT_ERROR_BUFFER_TOO_SMALL (-13) /* the memory given is too small for what is written to it */
#define PLAIT_ERROR_LIMIT (-14)            /* too many live objects of this kind */
#define PLAIT_ERROR_TIMEOUT (-15)          /* the work did not finish in the time given; it goes on */
#define PLAIT_ERROR_SYSTEM (-16)           /* the operating system refused something, such as a thread */
#define PLAIT_ERROR_DEVICE_LOST (-17)      /* the device is gone; plait_hair_set_device moves its hairs to another */
#define PLAIT_ERROR_OTHER_DEVICE (-18)     /* external memory or a semaphore belongs to another graphics card or driver */

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
typedef struct plait_binding {
    uint64_t id;
} plait_binding;

/* ---- structs: the common head ----------------------------------------------------------------------------------- */

typedef struct plait_head {
    uint32_t type;    /* PLAIT_TYPE_xxx of the struct that this head begins */
    uint32_t size;    /* sizeof that struct in the host's build */
    const void *next; /* a struct with a head that extends this one, or null; null in structs that come out */
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
#define PLAIT_TYPE_VOLUME_PARAMS 30u
#define PLAIT_TYPE_VOLUME_INFO 31u
#define PLAIT_TYPE_BINDING_DESC 32u
#define PLAIT_TYPE_BINDING_INFO 33u
#define PLAIT_TYPE_RENDER_PARAMS 34u
#define PLAIT_TYPE_GROOM_MESH_DESC 35u
#define PLAIT_TYPE_MESH_POSE_DESC 36u
#define PLAIT_TYPE_PLACE_DESC 37u
#define PLAIT_TYPE_RENDER_STYLE 38u

/* ---- library ---------------------------------------------------------------------------------------------------- */

typedef struct plait_library_info {
    plait_head head;
    uint32_t version_major; /* another major version is another ABI */
    uint32_t version_minor; /* a higher minor version has everything of the lower ones */
    uint32_t version_patch;
    uint32_t reserved;
} plait_library_info;
#define PLAIT_LIBRARY_INFO_INIT {{PLAIT_TYPE_LIBRARY_INFO, (uint32_t)sizeof(plait_library_info), 0}, 0, 0, 0, 0}

/* Version of the loaded library, which may differ from that of this header. Any thread. */
PLAIT_FUNCTION(plait_library_query, (plait_library_info * info));

/* Short English text for a result, static, never null; "unknown result" for any other number. Any thread. */
typedef const char *(PLAIT_CALL *PFN_plait_result_text)(plait_result result);
PLAIT_EXPORT const char *PLAIT_CALL plait_result_text(plait_result result);

/* A function of this header or plait_vulkan.h by name, to be cast to its PFN_ type; null if the name is null or unknown.
 * Hosts that open the library at run time need only this symbol. Any thread. */
typedef void(PLAIT_CALL *plait_proc)(void);
typedef plait_proc(PLAIT_CALL *PFN_plait_get_proc_address)(const char *name);
PLAIT_EXPORT plait_proc PLAIT_CALL plait_get_proc_address(const char *name);

/* ---- context ---------------------------------------------------------------------------------------------------- */

/* All memory of a context comes from here. Called from any thread that calls Plait, but never by plait_hair_step
 * and plait_hairs_step. */
typedef struct plait_allocator {
    plait_head head;
    void *user;
    /* Returns at least size bytes, aligned to alignment (a power of two, at most 4096), or null. Memory that is not aligned
     * is released at once and counts as null; a message says so. */
    void *(PLAIT_CALL *allocate)(void *user, size_t size, size_t alignment);
    /* pointer came from allocate with this size and alignment; never null. */
    void(PLAIT_CALL *release)(void *user, void *pointer, size_t size, size_t alignment);
} plait_allocator;
#define PLAIT_ALLOCATOR_INIT {{PLAIT_TYPE_ALLOCATOR, (uint32_t)sizeof(plait_allocator), 0}, 0, 0, 0}

#define PLAIT_LOG_DEBUG 1u
#define PLAIT_LOG_INFO 2u
#define PLAIT_LOG_WARNING 3u
#define PLAIT_LOG_ERROR 4u

/* Ids of messages that are not errors. The id of an error is its plait_result. */
#define PLAIT_MESSAGE_DEVICE_OPENED 1   /* info: which device, which instruction set */
#define PLAIT_MESSAGE_STRANDS_RESET 2   /* warning: strands were not finite and went back to their rest shape */
#define PLAIT_MESSAGE_TIME_CLAMPED 3    /* debug: a frame was longer than max_frame_s */
#define PLAIT_MESSAGE_TELEPORTED 4      /* debug: a bone moved beyond the limit and the hair was carried along */
#define PLAIT_MESSAGE_OBJECTS_LEFT 5    /* warning: a context was destroyed with objects alive in it */
#define PLAIT_MESSAGE_WEIGHTS_SCALED 6  /* debug: root weights did not sum to one and were normalised */
#define PLAIT_MESSAGE_CACHE_IGNORED 7   /* info: plait_device_desc.cache is damaged, or of another device, driver or library */
#define PLAIT_MESSAGE_STATE_RESCUED 8   /* warning: a hair left a lost device with its last known state */
#define PLAIT_MESSAGE_STRANDS_SAG 9     /* info: strands that will not stay as drawn under rest_gravity */
#define PLAIT_MESSAGE_STRANDS_FOLD 10   /* warning: strands of a new groom turn back by more than 150 degrees at a vertex */
#define PLAIT_MESSAGE_VOLUME_FULL 11    /* warning: vertices found no room in the grid of hair-hair forces */

/* Text is UTF-8, one line, valid during the call only. Called from any thread that calls Plait, also from several at
 * once. */
typedef struct plait_logger {
    plait_head head;
    void *user;
    void(PLAIT_CALL *log)(void *user, uint32_t level, int32_t id, const char *text); /* null: no messages */
    uint32_t min_level; /* messages below this level are dropped; 0: PLAIT_LOG_WARNING */
    uint32_t reserved;
} plait_logger;
#define PLAIT_LOGGER_INIT {{PLAIT_TYPE_LOGGER, (uint32_t)sizeof(plait_logger), 0}, 0, 0, 0, 0}

/* One piece of work; index runs from 0 to count - 1. */
typedef void(PLAIT_CALL *plait_job)(void *argument, uint32_t index);

/* The host's job system. parallel_for must call job(argument, i) once for each i below count, on any threads and in any
 * order, and return after all of them have returned. Called by plait_hair_step and other functions that say so. Jobs call nothing
 * of the host's. Results do not depend on how the work is spread. */
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
    const plait_logger *logger;       /* null: no messages */
    const plait_jobs *jobs;           /* null: a thread pool of Plait's own */
    uint32_t thread_count;            /* threads of that pool, the calling one included, at most 256; 0: one per core */
    uint32_t reserved;
} plait_context_desc;
#define PLAIT_CONTEXT_DESC_INIT {{PLAIT_TYPE_CONTEXT_DESC, (uint32_t)sizeof(plait_context_desc), 0}, 0, 0, 0, 0, 0}

/* Creates a context, which owns everything else. desc null: all defaults. At most 255 at once. Starts the threads of the
 * pool. Any thread. */
PLAIT_FUNCTION(plait_context_create, (const plait_context_desc *desc, plait_context *context));

/* Destroys a context and everything left in it. New calls on the context and its objects get PLAIT_ERROR_INVALID_HANDLE.
 * It waits for frames under way and for calls that already run in other threads; semaphores that these wait for are raised
 * as plait_semaphore_destroy does. From a callback of a call in the context: PLAIT_ERROR_BUSY. Joins the threads of the
 * pool. After fork(), this is the only function that the child may call on what it inherits, and only if no call was
 * running and no GPU device was open. Any thread. */
PLAIT_FUNCTION(plait_context_destroy, (plait_context context));

#define PLAIT_BACKEND_BEST 0u   /* the first of CUDA, Vulkan and CPU that has a device; software devices do not count */
#define PLAIT_BACKEND_CPU 1u    /* SIMD on the host's cores; always available */
#define PLAIT_BACKEND_VULKAN 2u /* Vulkan compute */
#define PLAIT_BACKEND_CUDA 3u   /* CUDA */
#define PLAIT_BACKEND_NULL 4u   /* everything but physics: strands stay as they are. For tests of hosts */

#define PLAIT_NAME_SIZE 64
#define PLAIT_REASON_SIZE 192

typedef struct plait_backend_info {
    plait_head head;
    uint32_t backend;      /* PLAIT_BACKEND_xxx */
    uint32_t available;    /* 1: plait_device_open can succeed */
    uint32_t device_count; /* devices of this backend that plait_device_enumerate lists */
    uint32_t reserved;
    char name[PLAIT_NAME_SIZE];     /* "cpu" */
    char reason[PLAIT_REASON_SIZE]; /* why it is not available, else empty */
} plait_backend_info;
#define PLAIT_BACKEND_INFO_INIT                                                                                        \
    {{PLAIT_TYPE_BACKEND_INFO, (uint32_t)sizeof(plait_backend_info), 0}, 0, 0, 0, 0, {0}, {0}}

/* Lists the backends of this library, available or not. infos null: *count becomes their number. Else *count is the length
 * of infos, all with their heads set, and becomes the number written; PLAIT_INCOMPLETE if there are more. Cost: under a
 * millisecond; the first time in a context it loads drivers, up to a second. Any thread. */
PLAIT_FUNCTION(plait_backend_enumerate, (plait_context context, uint32_t *count, plait_backend_info *infos));

/* ---- device ----------------------------------------------------------------------------------------------------- */

#define PLAIT_INTEROP_HOST_POINTER (1u << 0)    /* output goes into memory the host points to */
#define PLAIT_INTEROP_VULKAN_BUFFER (1u << 1)   /* output goes into a VkBuffer of the host's device, plait_vulkan.h */
#define PLAIT_INTEROP_VULKAN_TIMELINE (1u << 2) /* frames wait for and signal the host's timeline semaphores */
#define PLAIT_INTEROP_HOST_MEMORY (1u << 3)     /* the device itself writes host memory, see host_memory_alignment */
#define PLAIT_INTEROP_MEMORY_FD (1u << 4)       /* output memory is shared as an opaque fd, plait_external_memory */
#define PLAIT_INTEROP_MEMORY_WIN32 (1u << 5)    /* the same as an opaque Win32 handle */
#define PLAIT_INTEROP_SEMAPHORE_FD (1u << 6)    /* semaphores are shared as opaque fds. Without this or the next, the host
                                                   relays with plait_semaphore_wait and plait_semaphore_signal */
#define PLAIT_INTEROP_SEMAPHORE_WIN32 (1u << 7) /* the same as opaque Win32 handles */
#define PLAIT_INTEROP_CUDA_POINTER (1u << 8)    /* output goes into device memory of the host's context, plait_cuda.h */

typedef struct plait_device_info {
    plait_head head;
    uint32_t backend;               /* PLAIT_BACKEND_xxx */
    uint32_t index;                 /* for plait_device_desc.index */
    uint32_t interop;               /* PLAIT_INTEROP_xxx bits */
    uint32_t pack_width;            /* strands side by side in memory; 0 when listed but not opened */
    uint64_t memory_bytes;          /* total memory the device can use; 0: unknown */
    uint64_t memory_used_bytes;     /* taken by Plait on this device; 0 when listed but not opened */
    uint8_t uuid[16];               /* zero: the device has none */
    char name[PLAIT_NAME_SIZE];     /* of the processor or graphics card, for people */
    char variant[PLAIT_NAME_SIZE];  /* which code runs: "avx2"; empty when listed but not opened */
    uint8_t driver_uuid[16];        /* external memory and semaphores need the same uuid and driver_uuid on both sides;
                                       zero: the device has none (CUDA), and the uuid alone must match */
    uint64_t host_memory_alignment; /* the device writes output memory without a copy if address and size are multiples of
                                       this; 0: never, or not needed */
} plait_device_info;
#define PLAIT_DEVICE_INFO_INIT                                                                                         \
    {{PLAIT_TYPE_DEVICE_INFO, (uint32_t)sizeof(plait_device_info), 0}, 0, 0, 0, 0, 0, 0, {0}, {0}, {0}, {0}, 0}

/* Lists the devices of all available backends, best first. Count, infos and cost as in plait_backend_enumerate. Any
 * thread. */
PLAIT_FUNCTION(plait_device_enumerate, (plait_context context, uint32_t *count, plait_device_info *infos));

typedef struct plait_device_desc {
    plait_head head;   /* may be followed by: plait_device_cpu_desc, plait_cuda_device_desc, plait_vulkan_device_desc */
    uint32_t backend;  /* PLAIT_BACKEND_xxx */
    uint32_t index;    /* which device of that backend, see plait_device_info.index; with uuid or name: which of the
                          devices that match */
    uint8_t uuid[16];  /* as in plait_device_info; zero: any */
    const char *name;  /* part of plait_device_info.name, case-insensitive (ASCII); null: any */
    const void *cache; /* from plait_device_save_cache, to open faster; ignored if it is of another device, driver or
                          library; null: none */
    uint64_t cache_size; /* bytes of it */
} plait_device_desc;
#define PLAIT_DEVICE_DESC_INIT                                                                                         \
    {{PLAIT_TYPE_DEVICE_DESC, (uint32_t)sizeof(plait_device_desc), 0}, 0, 0, {0}, 0, 0, 0}

#define PLAIT_CPU_AUTO 0u   /* the widest this processor has */
#define PLAIT_CPU_SCALAR 1u /* one strand at a time; the reference */
#define PLAIT_CPU_SSE2 2u
#define PLAIT_CPU_AVX2 3u
#define PLAIT_CPU_AVX512 4u
#define PLAIT_CPU_NEON 5u   /* 64-bit ARM; the others but scalar are for x86-64 */

/* Chained to plait_device_desc with backend CPU: overrides the choice of instruction set. All give the same bits. */
typedef struct plait_device_cpu_desc {
    plait_head head;
    uint32_t instruction_set; /* PLAIT_CPU_xxx; PLAIT_ERROR_UNAVAILABLE when this processor lacks it */
    uint32_t reserved;
} plait_device_cpu_desc;
#define PLAIT_DEVICE_CPU_DESC_INIT {{PLAIT_TYPE_DEVICE_CPU_DESC, (uint32_t)sizeof(plait_device_cpu_desc), 0}, 0, 0}

/* Opens a device. desc null: the best available. Any number may be open, also several of one backend. Cost: under a
 * millisecond for the CPU; others load a driver and compile kernels, up to a second. Any thread. */
PLAIT_FUNCTION(plait_device_open, (plait_context context, const plait_device_desc *desc, plait_device *device));

/* The handle becomes invalid; the device itself lives until its last hair and semaphore are destroyed. Cost: the call that
 * ends the device waits for it, some milliseconds. Any thread. */
PLAIT_FUNCTION(plait_device_close, (plait_device device));

/* Any thread. */
PLAIT_FUNCTION(plait_device_query, (plait_device device, plait_device_info *info));

/* Kernels as compiled by the driver, for the host to keep on disk and pass as plait_device_desc.cache next time. memory
 * null: *size becomes the bytes needed, 0 if there is nothing to keep (CPU). Else *size is the size of memory and becomes
 * the bytes written. Any thread. */
PLAIT_FUNCTION(plait_device_save_cache, (plait_device device, uint64_t *size, void *memory));

/* ---- groom ------------------------------------------------------------------------------------------------------ */

#define PLAIT_MAX_BONES 65536u
#define PLAIT_MAX_STRAND_VERTICES 1024u

/* Up to four bones that a strand's root is bound to. Weights are normalised; a negative weight or a sum of zero is an
 * error. Entries with weight zero are ignored. */
typedef struct plait_root_binding {
    uint32_t bones[4];
    float weights[4];
} plait_root_binding;

/* Material of the strands of one group; part of the asset. */
typedef struct plait_group_desc {
    plait_head head;
    float radius;   /* of a strand, host units, where plait_groom_desc.radii is null; 0: 4e-5 m (a human hair) */
    float friction; /* multiplies the friction of each collider that the group touches; 0: frictionless, 1: usual */
} plait_group_desc;
#define PLAIT_GROUP_DESC_INIT {{PLAIT_TYPE_GROUP_DESC, (uint32_t)sizeof(plait_group_desc), 0}, 0, 1}

typedef struct plait_groom_desc {
    plait_head head;               /* may be followed by: plait_groom_mesh_desc */
    uint32_t strand_count;         /* 1 to 67108863, with 134217727 vertices in all at most */
    uint32_t bone_count;           /* bones of the skeleton that the bindings index; 1 to PLAIT_MAX_BONES */
    const uint32_t *vertex_counts; /* [strand_count], each 2 to PLAIT_MAX_STRAND_VERTICES, the root included */
    const float *positions;        /* [vertices][3], strand by strand, root first, in the bind pose. Vertices that follow
                                      each other must differ by more than a millionth of their distance from the origin,
                                      and by 1e-8 m (plait_hair_create, which knows the unit, refuses less) */
    const float *radii;            /* [vertices]; null: the group's radius */
    const uint32_t *root_bones;    /* [strand_count] the one bone that each root follows; null: see root_bindings */
    const plait_root_binding *root_bindings; /* [strand_count], instead of root_bones; both null: all roots follow bone 0 */
    const float *bind_pose;  /* [bone_count][12] bone matrices in the bind pose; null: identities, so that the frame's
                                bones are skinning matrices */
    const float *root_normals;     /* [strand_count][3] of the scalp, any length; null: the first segment's direction */
    const uint16_t *group_indices; /* [strand_count]; null: all in group 0 */
    const plait_group_desc *groups; /* [group_count]; null: defaults */
    uint32_t group_count;           /* up to 65536; 0: 1 */
    uint32_t reserved;
    const uint32_t *held_counts; /* [strand_count] vertices from the root on that move rigidly with the bones, for bangs
                                    that must keep their style; 1 to the strand's vertices. Solver hybrid clamps the
                                    direction in which the strand leaves them; solver shape holds the root only. null: 1 */
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
    uint64_t identity;          /* hash of the content: equal grooms have equal numbers */
    uint64_t memory_bytes;
} plait_groom_info;
#define PLAIT_GROOM_INFO_INIT                                                                                          \
    {{PLAIT_TYPE_GROOM_INFO, (uint32_t)sizeof(plait_groom_info), 0}, 0, 0, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0}

/* Checks and copies a groom. It never changes; any number of hairs on any devices of the context may share it. With
 * PLAIT_ERROR_INVALID_GROOM the log names strand and vertex: not finite, segment of length zero, fewer than 2 or too many
 * vertices, bone or group out of range, weights that sum to zero. Strands that fold back are taken, and
 * PLAIT_MESSAGE_STRANDS_FOLD says how many and names the first. Cost: linear in the vertices. Any thread. */
PLAIT_FUNCTION(plait_groom_create, (plait_context context, const plait_groom_desc *desc, plait_groom *groom));

#define PLAIT_INDEX_UINT16 1u
#define PLAIT_INDEX_UINT32 2u

/* Chained to plait_groom_desc: roots follow triangles of a mesh, such as the skinned head, instead of bones. Every frame hands in
 * where its vertices are, see plait_mesh_pose_desc. Bones then carry colliders only; root_bones and root_bindings are checked and
 * not used.
 *
 * A root keeps its place on its triangle (barycentric coordinates) and, where it was drawn off the surface, its distance from it.
 * The strand turns with the triangle: with its normal, and in its plane by the rotation that is nearest to how the triangle was
 * deformed (polar decomposition), so that shear turns nothing; it grows with the square root of the triangle's area. A triangle
 * that shrinks to less than a thousandth of its height or of the length of its first edge has no direction: strands on it keep
 * the last one. */
typedef struct plait_groom_mesh_desc {
    plait_head head;
    uint32_t vertex_count;    /* of the mesh, 3 to 1e9 */
    uint32_t triangle_count;  /* 1 to 1e9 */
    uint32_t index_format;    /* PLAIT_INDEX_xxx */
    uint32_t position_format; /* PLAIT_FORMAT_FLOAT32X3, or X4, whose w is ignored */
    const void *indices;      /* [triangle_count][3] vertices, each below vertex_count; aligned to their size */
    const void *positions;    /* in the bind pose, host units, aligned to 4 bytes; vertex v is at v * position_stride */
    uint64_t position_stride; /* bytes, a multiple of 4, at least the format's size; 0: that */
    const uint32_t *root_triangles; /* [strand_count] the triangle of each root, which must have an area; null: the nearest one that
                                       has, of several that are as near the first */
    const float *root_barycentrics; /* [strand_count][3] weights of its corners, -0.001 to 1.001, summing to one (to 0.001); null:
                                       those of the triangle's point nearest to the root; goes with root_triangles only */
    /* Called now and then from the calling thread while nearest triangles are searched. Any result but PLAIT_OK ends
     * plait_groom_create, which returns it. May be null. */
    plait_result(PLAIT_CALL *progress)(void *user, uint32_t strands_done, uint32_t strand_count);
    void *user;
} plait_groom_mesh_desc;
#define PLAIT_GROOM_MESH_DESC_INIT                                                                                     \
    {{PLAIT_TYPE_GROOM_MESH_DESC, (uint32_t)sizeof(plait_groom_mesh_desc), 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* Where the roots of a groom with a plait_groom_mesh_desc are, to be kept with the asset: strand_count (the groom's) triangles,
 * three barycentric coordinates each, and distances from the triangle's plane or edge in the bind pose, host units. Each array may
 * be null. PLAIT_ERROR_UNSUPPORTED without a mesh. Cost: linear in the strands. Any thread. */
PLAIT_FUNCTION(plait_groom_read_roots, (plait_groom groom, uint32_t strand_count, uint32_t *triangles, float *barycentrics,
                                        float *distances));

/* The handle becomes invalid; hairs made from the groom keep it alive. Any thread. */
PLAIT_FUNCTION(plait_groom_destroy, (plait_groom groom));

/* Any thread. */
PLAIT_FUNCTION(plait_groom_query, (plait_groom groom, plait_groom_info *info));

/* ---- body ------------------------------------------------------------------------------------------------------- */

#define PLAIT_MAX_COLLIDERS 4096u

#define PLAIT_COLLIDER_CAPSULE 1u    /* hull of two spheres: at points[0] with radii[0], at points[1] with radii[1] */
#define PLAIT_COLLIDER_SPHERE 2u     /* points[0], radii[0] */
#define PLAIT_COLLIDER_HALF_SPACE 3u /* plane through points[0] with the outward normal points[1], any length */

/* Follows one bone; points and radii are in that bone's space. */
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
    uint32_t collider_count;         /* 0 to PLAIT_MAX_COLLIDERS. Each costs each strand 1 to 4 ns a step on one core,
                                        within reach or not: some dozens suit a character */
    const plait_collider *colliders; /* [collider_count] */
} plait_body_desc;
#define PLAIT_BODY_DESC_INIT {{PLAIT_TYPE_BODY_DESC, (uint32_t)sizeof(plait_body_desc), 0}, 0, 0, 0}

/* Checks and copies the colliders. They never change; any number of hairs may share them. Cost: linear. Any thread. */
PLAIT_FUNCTION(plait_body_create, (plait_context context, const plait_body_desc *desc, plait_body *body));

/* The handle becomes invalid; hairs that use the body keep it alive. Any thread. */
PLAIT_FUNCTION(plait_body_destroy, (plait_body body));

/* ---- hair ------------------------------------------------------------------------------------------------------- */

#define PLAIT_SOLVER_SHAPE 1u /* follow-the-leader in one pass, with an angular shape constraint; plait_shape_params */

/* Parameters of PLAIT_SOLVER_SHAPE for one group. plait_shape_params_default fills in defaults; values are taken
 * literally, zero is zero. */
typedef struct plait_shape_params {
    plait_head head;
    float compliance_root_s2;  /* softness of the rest shape at the root: held level under gravity g, a strand of length L
                                  turns down by about g * compliance / L radians at its tip, nearly independent of its
                                  vertex count and of the step rate (from 60 Hz on). 0: rigid; 0.001: stiff; 0.1: limp;
                                  at most 1e6 */
    float compliance_tip_s2;   /* the same at the tip; linear in between */
    float shape_damping;       /* damping of bending, in units of sqrt(compliance), 0 to 1000; below 0.1 soft curls may
                                  tremble, at 1 they creep back */
    float drag_per_s;          /* rate at which velocity approaches the wind's, 0 to 1e6 */
    float damping_per_s;       /* rate at which velocity approaches the root's, 0 to 1e6: calms swinging, not free flight */
    float velocity_correction; /* 0 to 1: how much of its child's pull a vertex feels. 1: least damping */
    float collision_radius;    /* clearance added to the strand's radius (that of its root), host units */
    uint32_t reserved;
} plait_shape_params;
/* All zero: rigid and undamped. plait_shape_params_default moves like hair. */
#define PLAIT_SHAPE_PARAMS_INIT                                                                                        \
    {{PLAIT_TYPE_SHAPE_PARAMS, (uint32_t)sizeof(plait_shape_params), 0}, 0, 0, 0, 0, 0, 0, 0, 0}

/* Fills params (head set by the caller) with what params_count 0 gives a hair of this plait_hair_desc.meters_per_unit (0: 1);
 * suits shoulder-long hair. Any thread. */
PLAIT_FUNCTION(plait_shape_params_default, (float meters_per_unit, plait_shape_params *params));

#define PLAIT_SOLVER_HYBRID 2u /* discrete elastic rods, implicit; plait_hybrid_params */

/* Parameters of PLAIT_SOLVER_HYBRID for one group. Strands are elastic rods of the groom's radii whose rest shape is the
 * groom's. The moduli act separately. Real hair has about 3e9 Pa for stretching and bending and 1e9 for twisting. The
 * defaults differ: they are those of Huang et al. 2023, table 2, which gives no reasons. Their 1.6e7 for stretching lengthens
 * a strand of 0.3 m by 0.012 percent under its own weight. Bending (1.5e10) is 5 times and twisting (7.7e9) 8 times as stiff
 * as real hair.
 * Steps are cut into equal parts of at most 1/120 s. Strands whose shape changes too much in one solve it up to four times, or
 * take it in two or four parts, with more damping in four. Stiffness that single precision cannot bear is taken as less:
 * edges stretch by up to a thousandth at 120 steps a second, and real hair, 0.08 mm thick, in segments of less than 0.4 mm
 * (0.3 mm at 240 steps) bends too easily. No segment is ever longer than 1.04 times its rest length. Joints bent by more
 * than 120 degrees stiffen, ten times at 168, so that none folds; where segments are drawn folded back by more than 150
 * degrees, the strand has a hinge. Surfaces are springs: a strand that rests on one lies within a
 * third of a millimetre of it, one that strikes it at 3 m/s goes in by 2.5 mm. plait_hybrid_params_default fills in defaults;
 * values are taken literally, zero is zero. */
typedef struct plait_hybrid_params {
    plait_head head;
    float stretch_modulus;  /* Pa, 0 to 1e12 */
    float bend_modulus;     /* Pa, 0 to 1e12 */
    float twist_modulus;    /* Pa, 0 to 1e12: the shear modulus */
    float density;          /* kg/m^3, 1 to 1e5 */
    float flatness;         /* of the section, 0 to 0.95. 0: round; else an ellipse of the same area whose short axis is
                               1 - flatness times the long one and lies in the plane in which the strand curls at the root */
    float damping_s;        /* strain-rate damping: adds modulus times strain rate times this time to the stress, 0 to 1000 */
    float drag_per_s;       /* rate at which velocity approaches the wind's, 0 to 1e6 */
    float clamp_extension;  /* 0 to 1: how much of the first segment bends. 1: the strand is clamped at its root; 0: its first
                               segment is held, which clamps it in the middle of that, as the plain discrete model does */
    float held_blend;       /* 0 to 1: which part of the way to their bones held vertices go in 1/120 s or a shorter step; 1:
                               all of it */
    float max_root_speed;   /* host units per second: what a root moves beyond this, its strand moves along rigidly; 0: no
                               limit */
    float max_root_turn;    /* the same for their rotation, radians per second; 0: no limit */
    float collision_radius; /* clearance added to the strand's radius (that of its root), host units */
    float rest_gravity[3];  /* sag-free, host units per second squared: the rest shape is chosen so that the groom as drawn,
                               in its bind pose, is in equilibrium under this gravity. Zero: the groom is the rest shape
                               and sags below it. Joints of the rest shape leave the drawn ones by at most half a radian,
                               and together turn no edge by more than one, so that hair does not stand up where its weight
                               fails it in motion. Where that is not enough, or the equilibrium is unstable, as for long soft
                               strands drawn standing or lying, bending and twist are made stiffer, all of a strand by the
                               same factor of up to 64: hair of the default moduli by 1 to 35, curls the most. What supports a
                               strand where it was drawn is not counted. Strands for which 64 is too little, or more than
                               step_rate_hz allows (more steps a second allow more), or whose rest shape a rod cannot have,
                               get the nearest one; plait_stats_info.sagging_strand_count counts them. Costs 2 to 4
                               microseconds per vertex in plait_hair_create and plait_hair_set_params */
    uint32_t reserved;
} plait_hybrid_params;
#define PLAIT_HYBRID_PARAMS_INIT                                                                                       \
    {{PLAIT_TYPE_HYBRID_PARAMS, (uint32_t)sizeof(plait_hybrid_params), 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0}, 0}

/* Fills params (head set by the caller) with what params_count 0 gives a hair of this plait_hair_desc.meters_per_unit (0: 1).
 * Any thread. */
PLAIT_FUNCTION(plait_hybrid_params_default, (float meters_per_unit, plait_hybrid_params *params));

#define PLAIT_HAIR_WATCH_MOTION 1u /* statistics of motion: restless and knotted strands, speeds; see plait_stats_info */

/* Chained to plait_frame_desc, plait_hair_desc or plait_place_desc, for grooms with a plait_groom_mesh_desc: where the vertices of
 * the mesh are, at the end of the frame. Without it they are where they were; before the first, where the groom was drawn. Between
 * frames roots go straight, and strands turn on the shortest arc. The first after plait_hair_load is never a teleport. Only
 * vertices of triangles that have roots are read: others may hold anything. */
typedef struct plait_mesh_pose_desc {
    plait_head head;
    uint32_t vertex_count; /* the mesh's or more; the rest is ignored */
    uint32_t format;       /* PLAIT_FORMAT_FLOAT32X3, or X4, whose w is ignored */
    uint64_t stride;       /* bytes from vertex to vertex, a multiple of 4, at least the format's size; 0: that */
    const void *positions; /* host memory, host units, relative to the frame's origin, aligned to 4 bytes; null: they are in the
                              memory of plait_hair_set_mesh_input, and the other fields do not count */
} plait_mesh_pose_desc;
#define PLAIT_MESH_POSE_DESC_INIT                                                                                      \
    {{PLAIT_TYPE_MESH_POSE_DESC, (uint32_t)sizeof(plait_mesh_pose_desc), 0}, 0, 0, 0, 0}

typedef struct plait_hair_desc {
    plait_head head;          /* may be followed by: plait_mesh_pose_desc */
    plait_groom groom;
    plait_device device;
    plait_body body;          /* zero: no colliders; its bone_count is at most the groom's */
    uint32_t solver;          /* PLAIT_SOLVER_xxx */
    uint32_t params_count;    /* 0: defaults; 1: one struct for all groups; else the groom's group_count */
    const void *params;       /* [params_count] of the solver's parameter struct, each with its head set */
    const float *bones;       /* [bone_count][12] where the hair starts; null: the bind pose */
    float meters_per_unit;    /* length of a host unit, 1e-6 to 1e6; 0: 1. Centimetres: 0.01 */
    float step_rate_hz;       /* fixed internal steps per second, 1 to 10000; 0: 60 */
    uint32_t substeps;        /* per internal step, up to 64; 0: 1. Solver hybrid takes more where they exceed 1/120 s */
    float max_frame_s;        /* longer frames are cut to this, 1e-6 to 10; 0: 0.1. step_rate_hz * substeps * max_frame_s
                                 is at most 10000 */
    float teleport_distance;  /* if a bone, or a vertex of the mesh, that roots are on moves farther in a frame, the hair teleports,
                                 host units; 0: never */
    float teleport_angle;     /* the same for the rotation of a bone or triangle, radians, up to pi; 0: never */
    uint32_t flags;           /* PLAIT_HAIR_xxx, or 0 */
    uint32_t reserved;
} plait_hair_desc;
#define PLAIT_HAIR_DESC_INIT                                                                                           \
    {{PLAIT_TYPE_HAIR_DESC, (uint32_t)sizeof(plait_hair_desc), 0}, {0}, {0}, {0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

typedef struct plait_hair_info {
    plait_head head;
    plait_groom groom;    /* handles as given last; they may be stale */
    plait_device device;
    plait_body body;
    uint32_t solver;
    uint32_t strand_count;
    uint32_t vertex_count;
    uint32_t reserved;
    double time_s;        /* simulated so far */
    uint64_t step_count;  /* internal steps so far, substeps not counted */
    float bounds_min[3];  /* box around the strands, radii included, host units, for culling. Comes from the last output */
    float bounds_max[3];  /* with POSITION that was written (not from plait_hair_read); all zero before the first. On a GPU
                             it may be a few frames old, and relative to the origin of then, unless plait_hair_wait came
                             before */
    plait_binding binding;       /* handle as given last; it may be stale; zero: none */
    uint32_t render_strand_count; /* that the last render output wrote and the host draws: the first so many of the render
                                     groom; see strand_fraction of plait_render_params; 0 before the first */
    uint32_t render_vertex_count; /* of all render strands, drawn or not: what a render output holds */
    float render_bounds_min[3];  /* box around the render strands, like bounds_min; from the last render output with POSITION; */
    float render_bounds_max[3];  /* zero before the first */
    float render_box_min[3];     /* what the last render output with PLAIT_FORMAT_UNORM16X4 is relative to: position = min + (max - */
    float render_box_max[3];     /* min) * value / 65535. It is larger than the bounds: hair in any motion stays in it, but for held
                                    vertices that are pulled away from their roots, which end at its sides. Comes with the
                                    frame's bones, at once on all devices; zero before the first */
    float render_max_radius;     /* the same for radii */
    uint32_t reserved2;
} plait_hair_info;
#define PLAIT_HAIR_INFO_INIT                                                                                           \
    {{PLAIT_TYPE_HAIR_INFO, (uint32_t)sizeof(plait_hair_info), 0},                                                     \
     {0}, {0}, {0}, 0, 0, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, {0}, 0, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0, 0}

/* Creates a running head of hair at rest. Allocates all that stepping needs. PLAIT_ERROR_TOO_LARGE if the device cannot
 * address it: on Vulkan a whole hair, some 60 bytes a vertex (480 with solver hybrid), lies in one storage buffer, whose
 * limit is 128 MiB at least and usually 4 GiB. Cost: linear in the vertices; uses the job system. Any thread. */
PLAIT_FUNCTION(plait_hair_create, (plait_context context, const plait_hair_desc *desc, plait_hair *hair));

/* Waits for its frames. Any thread; PLAIT_ERROR_BUSY while another call uses the hair. */
PLAIT_FUNCTION(plait_hair_destroy, (plait_hair hair));

/* Serialised. */
PLAIT_FUNCTION(plait_hair_query, (plait_hair hair, plait_hair_info *info));

typedef struct plait_frame_desc {
    plait_head head;          /* may be followed by: plait_frame_sync_desc, plait_mesh_pose_desc, plait_vulkan_frame_desc */
    float dt;                 /* seconds since the last frame; 0: paused (bones may move; strands follow rigidly) */
    uint32_t bone_count;      /* the groom's bone_count or more; the rest is ignored */
    const float *bones;       /* [bone_count][12] at the end of the frame; null: as before */
    float gravity[3];         /* host units per second squared */
    float wind[3];            /* velocity of the air, host units per second */
    const uint32_t *colliders_enabled; /* bit i of word i/32 set: collider i acts; null: all act */
    uint32_t colliders_enabled_words;  /* words given; colliders beyond them are off */
    uint32_t reserved;
    double origin[3];         /* the point of the world that bones are relative to, host units, each within 1e13; see
                                 Origin above. A frame with dt 0 and bones null changes nothing else */
} plait_frame_desc;
#define PLAIT_FRAME_DESC_INIT                                                                                          \
    {{PLAIT_TYPE_FRAME_DESC, (uint32_t)sizeof(plait_frame_desc), 0}, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, {0, 0, 0}}

/* Advances the hair by one frame: as many fixed steps as fit into dt and the time left over from before, with bones
 * interpolated in between (rotations on the shortest arc). Then writes the output, if one is set. If every frame is a
 * whole number of steps, the output is that of the last step. Otherwise it is blended between the last two, relative to
 * the roots, so that motion is smooth at any frame rate: strands move one step late, roots are always where the bones are.
 * On a GPU it may return before the work is done, see plait_hair_wait and plait_frame_sync_desc. Allocates nothing; uses the
 * job system. Cost: linear in vertices and steps, see plait_stats_info. Serialised; different hairs may step at the same
 * time. */
PLAIT_FUNCTION(plait_hair_step, (plait_hair hair, const plait_frame_desc *frame));

/* Advances many hairs by one frame each, frames[i] for hairs[i]: to the same bits as plait_hair_step one after the other, in the
 * order of the array, but as one piece of work. On the CPU threads go from hair to hair without waiting for each other, and
 * share what is large. On Vulkan, frames of one device are one submission, unless another thread makes such a call on it at the
 * same time or a frame must be waited for in between. Hairs may differ in device, solver and all else, and must be of the
 * context, each there once.
 * Either all frames are accepted or none is run: the message names the element. Frames then wait and signal like refused ones
 * of plait_hair_step: all of them if a frame is wrong (its dt, a bone, a mesh), none if a handle, a struct or a semaphore is. If
 * a device fails, its hairs may have moved or not; hairs of other devices are stepped, and the result is that of the first hair
 * that failed. Signals of frames that the calling thread raises come when all frames before the next that must be waited for
 * are done; 64 frames of a call can raise the same semaphore. hair_count 0 does nothing. Allocates nothing; uses the job system.
 * Cost: that of the steps, and some microseconds a hair. Serialised, for each of the hairs. */
PLAIT_FUNCTION(plait_hairs_step, (plait_context context, uint32_t hair_count, const plait_hair *hairs,
                                  const plait_frame_desc *frames));

/* Waits until the output of the last step is written, at most timeout_ns; then PLAIT_ERROR_TIMEOUT. Devices that work
 * synchronously (CPU, null) return at once. Serialised. */
PLAIT_FUNCTION(plait_hair_wait, (plait_hair hair, uint64_t timeout_ns));

/* Replaces the parameters of all groups (count and params as in plait_hair_desc), from the next step on. Cost: linear in
 * the strands; in the vertices with solver hybrid. Serialised. */
PLAIT_FUNCTION(plait_hair_set_params, (plait_hair hair, uint32_t params_count, const void *params));

/* Moves a running hair to another device of the same context, between two frames: strands go on from where they are,
 * output goes on into the same memory. If it fails, as for lack of memory, the hair stays as it was. PREVIOUS_POSITION
 * equals POSITION once. From a lost device (PLAIT_ERROR_DEVICE_LOST) strands go on from a state at most 16 frames before
 * the loss, carried along to where their roots are now. An output that the new device cannot write (a VkBuffer, CUDA
 * memory) must be set to none before. Allocates. Cost: like plait_hair_create. Serialised. */
PLAIT_FUNCTION(plait_hair_set_device, (plait_hair hair, plait_device device));

/* Attaches another body, or none (zero). A collider on a bone that neither roots nor the body before hang on is where the bone
 * was at the end of the last frame: if that lies between two steps, the collider moves by less than a step in the first one,
 * and drags strands by that much less. May allocate. Cost: linear in the colliders times the strands. Serialised. */
PLAIT_FUNCTION(plait_hair_set_body, (plait_hair hair, plait_body body));

/* Puts every strand into its rest shape at the given bones, without motion. bones null: as last given. The output changes
 * with the next step. Cost: linear in the vertices. Serialised. */
PLAIT_FUNCTION(plait_hair_reset, (plait_hair hair, uint32_t bone_count, const float *bones));

/* Carries every strand rigidly to the given bones, keeping shape and velocity relative to its root. For cuts and portals.
 * bones null: as last given. The output changes with the next step. Cost: linear in the vertices. Serialised. */
PLAIT_FUNCTION(plait_hair_teleport, (plait_hair hair, uint32_t bone_count, const float *bones));

#define PLAIT_PLACE_RESET 1u    /* as plait_hair_reset */
#define PLAIT_PLACE_TELEPORT 2u /* as plait_hair_teleport */

typedef struct plait_place_desc {
    plait_head head;     /* may be followed by: plait_mesh_pose_desc */
    uint32_t kind;       /* PLAIT_PLACE_xxx */
    uint32_t bone_count; /* as in plait_frame_desc */
    const float *bones;  /* null: as last given */
} plait_place_desc;
#define PLAIT_PLACE_DESC_INIT {{PLAIT_TYPE_PLACE_DESC, (uint32_t)sizeof(plait_place_desc), 0}, 0, 0, 0}

/* plait_hair_reset or plait_hair_teleport, also for hair on a mesh. Cost: linear in the vertices. Serialised. */
PLAIT_FUNCTION(plait_hair_place, (plait_hair hair, const plait_place_desc *desc));

/* ---- equilibrium ------------------------------------------------------------------------------------------------ */

/* Result of plait_hair_settle. speed and acceleration are root mean squares over all vertices (speed squared times the
 * hair's mass is twice its kinetic energy; acceleration times mass is the unbalanced force). */
typedef struct plait_settle_info {
    plait_head head;
    uint32_t step_count;   /* steps made */
    uint32_t settled;      /* 1: speed is within its limit, and acceleration too, or not told from what rounding makes */
    float speed;           /* after the last step, host units per second */
    float acceleration;    /* of the last step, or its mean over the last 16 to 256, whichever is less: rounding of positions
                              makes steps noisy; host units per second squared */
} plait_settle_info;
#define PLAIT_SETTLE_INFO_INIT {{PLAIT_TYPE_SETTLE_INFO, (uint32_t)sizeof(plait_settle_info), 0}, 0, 0, 0, 0}

typedef struct plait_settle_desc {
    plait_head head;
    float gravity[3];       /* host units per second squared */
    float wind[3];          /* host units per second */
    float max_speed;        /* settled when speed and */
    float max_acceleration; /* acceleration are at most this; both 1e-30 to 1e9 */
    uint32_t max_steps;     /* gives up after this many, 1 to 10000000 */
    uint32_t progress_steps; /* steps between calls of progress; 0: 100 */
    /* Any result but PLAIT_OK ends plait_hair_settle, which returns it; the hair stays as it is then. May be null. */
    plait_result(PLAIT_CALL *progress)(void *user, const plait_settle_info *info);
    void *user;
} plait_settle_desc;
#define PLAIT_SETTLE_DESC_INIT                                                                                         \
    {{PLAIT_TYPE_SETTLE_DESC, (uint32_t)sizeof(plait_settle_desc), 0}, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0, 0, 0}

/* Brings the hair to rest at its present bones by dynamic relaxation with kinetic damping: steps of the usual length, in
 * which all strands stop whenever their kinetic energy has passed a peak, until speed and acceleration are within their
 * limits. All colliders act. Time does not pass, and the strands are at rest afterwards. Returns PLAIT_OK also when
 * max_steps were not enough: see info.settled. Writes the output at the end. info may be null. Allocates. Cost: linear in
 * vertices and steps. Serialised. */
PLAIT_FUNCTION(plait_hair_settle, (plait_hair hair, const plait_settle_desc *desc, plait_settle_info *info));

/* ---- memory and semaphores shared across devices, APIs or processes --------------------------------------------- */

#define PLAIT_EXTERNAL_OPAQUE_FD 1u    /* VK_EXTERNAL_xxx_HANDLE_TYPE_OPAQUE_FD_BIT, CUDA's OPAQUE_FD */
#define PLAIT_EXTERNAL_OPAQUE_WIN32 2u /* the same for OPAQUE_WIN32 */

/* Device memory shared across devices, APIs or processes. One side exports this struct, the other imports it unchanged.
 * Going in: if the call succeeds Plait owns handle, if it fails the host still does. Coming out: the host owns handle, and
 * imports it (which consumes it) or closes it. */
typedef struct plait_external_memory {
    plait_head head;
    uint32_t kind;            /* PLAIT_EXTERNAL_xxx */
    uint32_t dedicated;       /* 1: allocated for one buffer (VkMemoryDedicatedAllocateInfo), which begins at 0 */
    int64_t handle;           /* the file descriptor, or the HANDLE */
    uint64_t allocation_size; /* bytes of the whole allocation (VkMemoryAllocateInfo.allocationSize) */
    uint64_t offset;          /* of the output's memory in the allocation; a multiple of 4 */
    uint32_t memory_type;     /* VkMemoryAllocateInfo.memoryTypeIndex; CUDA needs none */
    uint32_t usage;           /* VkBufferUsageFlags of a dedicated allocation's buffer, whose size must be that of the
                                 output; else 0 */
    uint8_t device_uuid[16];  /* of the device it was made on; any other: PLAIT_ERROR_OTHER_DEVICE */
    uint8_t driver_uuid[16];
} plait_external_memory;
#define PLAIT_EXTERNAL_MEMORY_INIT                                                                                     \
    {{PLAIT_TYPE_EXTERNAL_MEMORY, (uint32_t)sizeof(plait_external_memory), 0}, 0, 0, -1, 0, 0, 0, 0, {0}, {0}}

/* A timeline semaphore shared likewise; ownership of handle as in plait_external_memory. */
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

/* A timeline semaphore: a number on a device that only grows. Frames wait until it reaches a value, and raise it to
 * another. external null: a new one, at 0. Else it imports another side's; PLAIT_ERROR_UNSUPPORTED if
 * plait_device_info.interop lacks PLAIT_INTEROP_SEMAPHORE_xxx. Any thread. */
PLAIT_FUNCTION(plait_semaphore_create,
               (plait_device device, const plait_external_semaphore *external, plait_semaphore *semaphore));

/* Raises it to the highest value still waited for, so that nothing waits forever: frames continue, and calls that wait return
 * (PLAIT_ERROR_INVALID_HANDLE if they begin at the same time). May wait for frames that raise it to less, up to a second
 * each. Any thread. */
PLAIT_FUNCTION(plait_semaphore_destroy, (plait_semaphore semaphore));

/* A handle by which another side can import it; kind: PLAIT_EXTERNAL_xxx. Each call makes a new one. Any thread. */
PLAIT_FUNCTION(plait_semaphore_export,
               (plait_semaphore semaphore, uint32_t kind, plait_external_semaphore *external));

/* Its present value. Any thread. */
PLAIT_FUNCTION(plait_semaphore_query, (plait_semaphore semaphore, uint64_t *value));

/* Waits until it reaches value, at most timeout_ns; then PLAIT_ERROR_TIMEOUT. PLAIT_ERROR_UNSUPPORTED if the value cannot be
 * observed in time, see plait_cuda.h. Any thread. */
PLAIT_FUNCTION(plait_semaphore_wait, (plait_semaphore semaphore, uint64_t value, uint64_t timeout_ns));

/* Raises it to value, which must be more than its present value. While a frame under way will raise it, both could happen at
 * the same moment: PLAIT_ERROR_INVALID_ARGUMENT, unless that frame first waits for this semaphore to reach value or more. Any
 * thread. */
PLAIT_FUNCTION(plait_semaphore_signal, (plait_semaphore semaphore, uint64_t value));

/* Chained to plait_frame_desc: the frame's work begins when one semaphore reaches a value, and raises one (or the same)
 * when the output is written. signal_value must be more than the semaphore's present value, than wait_value if it is the
 * same semaphore, and than what earlier frames will raise it to. If both semaphores are of the hair's device and the output
 * is in its memory (VkBuffer or external), plait_hair_step does not wait while at most two frames are under way (frames of
 * more than 26 steps: 64 steps). Else it waits on the calling thread, before and after the work. A frame that waits holds up
 * later work on its device, also that of other hairs, so that work must not be what it waits for. A frame that is refused
 * (for example for a wrong dt or bone) or fails waits and signals nevertheless. It does not signal if these semaphores or
 * values are refused, if the structs cannot be read, or if the device is lost or fails at the signal; the host may then raise
 * the semaphore itself. One call at a time may step towards a signal_semaphore, whatever its hair: else PLAIT_ERROR_BUSY. */
typedef struct plait_frame_sync_desc {
    plait_head head;
    plait_semaphore wait_semaphore; /* zero: none */
    uint64_t wait_value;
    plait_semaphore signal_semaphore; /* zero: none */
    uint64_t signal_value; /* PLAIT_ERROR_LIMIT if 64 frames that will raise this semaphore are under way */
} plait_frame_sync_desc;
#define PLAIT_FRAME_SYNC_DESC_INIT                                                                                     \
    {{PLAIT_TYPE_FRAME_SYNC_DESC, (uint32_t)sizeof(plait_frame_sync_desc), 0}, {0}, 0, {0}, 0}

/* ---- hair-hair forces ------------------------------------------------------------------------------------------- */

#define PLAIT_VOLUME_SAND 1u  /* keeps its volume and rubs (Drucker-Prager): strands stay together */
#define PLAIT_VOLUME_FLUID 2u /* keeps its volume only (weakly compressible): strands flow apart */

/* Strands as a continuum, by the material point method on their own vertices (Huang et al. 2023): hair keeps the volume of
 * the groom and rubs against itself, and no strand moves alone. The groom as drawn is what nothing strains: in its bind pose
 * hair feels none of it. Defaults are those of that paper, tables 1 and 2, but for three: loose_closing and loose_opening are 1, for
 * with 0.015 and 0.06 strands do not come back to their shape, and flip_ratio is 0.8, for with 0.3 they creep for many seconds
 * before they lie still. No segment gets longer than the solver's limit by it, 1.04 of its length. */
typedef struct plait_volume_params {
    plait_head head;
    uint32_t model;        /* PLAIT_VOLUME_xxx */
    uint32_t substeps;     /* steps of the grid in one of the solver's, 1 to 3. Default 3: 1/360 s with solver hybrid at 120
                              steps a second. Each costs the same */
    float cell_size;       /* of the grid, host units, more than 0; about the length of a segment. Default: a centimetre */
    float youngs_modulus;  /* Pa, 0 to 1e12: more keeps more volume. Taken as less where waves would cross more than 0.7 of a
                              cell in a step: about 6e3 with the other defaults */
    float poisson_ratio;   /* 0 to 0.49 */
    float density;         /* of hair, kg/m^3, 1 to 1e5: with the groom's radii it gives the mass */
    float friction_angle;  /* radians, 0 to 1.5; sand only */
    float flip_ratio;      /* 0 to 1: how much of its own velocity a vertex keeps in a step of the grid, instead of that of the hair
                              around. Default 0.8. Less is like honey: strands that lie wrong come back slowly */
    float loose_closing;   /* 0 to 1: how much of its own velocity moves it in a step, where hair closes. 1: strands go where
                              the solver wants them, and feel the hair around by their velocities only. Less holds vertices
                              against each other, also those of one strand */
    float loose_opening;   /* the same where hair opens. The paper's "trap breaking ratios" are these two over flip_ratio */
    float simulated_share; /* of the strands that the head really has, 0 to 1: each simulated one has the mass of all that it
                              stands for. It cancels out in the motion and counts in plait_volume_info only. 0, the default:
                              the hair's strands over its render strands (plait_hair_set_binding); 0.03 without any */
    float strength;        /* 0 to 1: how much of what the grid wants is done */
    uint32_t max_blocks;   /* of 4x4x4 cells that the grid has memory for, 8 KB each; 0: four times those that the groom is in,
                              and 64. Hair that needs more goes without hair-hair forces in the rest of them, and everywhere if
                              it needs more than twice max_blocks and twice the default; PLAIT_MESSAGE_VOLUME_FULL tells */
    uint32_t reserved;
} plait_volume_params;
#define PLAIT_VOLUME_PARAMS_INIT                                                                                       \
    {{PLAIT_TYPE_VOLUME_PARAMS, (uint32_t)sizeof(plait_volume_params), 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* Fills params (head set by the caller) with defaults for a hair of this plait_hair_desc.meters_per_unit (0: 1). Any thread. */
PLAIT_FUNCTION(plait_volume_params_default, (float meters_per_unit, plait_volume_params *params));

/* Turns hair-hair forces on, changes them, or turns them off (params null), from the next step on; hairs are made without.
 * Works with all solvers, for one hair: hairs do not feel each other. The state that plait_hair_save writes grows when they are
 * turned on for the first time. Cost: like plait_hair_create when they go on or off or substeps, max_blocks, cell_size or density
 * change, which allocates; else a microsecond. Serialised. */
PLAIT_FUNCTION(plait_hair_set_volume, (plait_hair hair, const plait_volume_params *params));

/* The last step of the grid. Momentum is kg times host units per second. What the grid got is what vertices gave it, and, but
 * for colliders, vertices get it back, so all three are the same to the rounding of floats; held vertices do not take it. */
typedef struct plait_volume_info {
    plait_head head;
    uint64_t block_count;           /* that hair is in */
    uint64_t block_capacity;        /* that there is memory for */
    uint64_t homeless_vertex_count; /* vertices without a place in one of them, in all steps so far together */
    double mass;                    /* kg, of all vertices in the grid */
    double grid_mass;               /* of all nodes */
    double momentum[3];             /* of the vertices, before */
    double grid_momentum[3];        /* of the nodes */
    double momentum_after[3];       /* of the vertices, after */
} plait_volume_info;
#define PLAIT_VOLUME_INFO_INIT                                                                                         \
    {{PLAIT_TYPE_VOLUME_INFO, (uint32_t)sizeof(plait_volume_info), 0}, 0, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}

/* All zero without hair-hair forces. Cost: linear in the vertices and blocks; on a GPU it waits and copies them. Serialised. */
PLAIT_FUNCTION(plait_hair_volume, (plait_hair hair, plait_volume_info *info));

/* ---- output ----------------------------------------------------------------------------------------------------- */

#define PLAIT_ATTRIBUTE_POSITION 1u          /* w of the four-component format: the vertex's radius, host units, scaled
                                                with the root's bones */
#define PLAIT_ATTRIBUTE_TANGENT 2u           /* unit vector from root to tip; w: 0 */
#define PLAIT_ATTRIBUTE_PREVIOUS_POSITION 3u /* POSITION of the last frame, for motion vectors, relative to the origin of
                                                this one; w: 0. After reset and teleport it equals POSITION */

#define PLAIT_FORMAT_FLOAT32X3 1u
#define PLAIT_FORMAT_FLOAT32X4 2u
#define PLAIT_FORMAT_UNORM16X4 3u /* POSITION of render strands: 0 to 65535 for render_box_min to render_box_max of plait_hair_info,
                                     w for 0 to render_max_radius; 8 bytes. Not of hair on a mesh: only bones tell the box */
#define PLAIT_FORMAT_FLOAT16X4 4u /* TANGENT of render strands, as half floats; 8 bytes */

/* Vertex v (in the groom's order) is written at offset + v * stride. */
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
    void *memory;             /* host memory, aligned to 4 bytes; null with one of the structs above */
    uint64_t size;            /* bytes of memory, or of the memory that such a struct describes, from its offset on */
} plait_output_desc;
#define PLAIT_OUTPUT_DESC_INIT {{PLAIT_TYPE_OUTPUT_DESC, (uint32_t)sizeof(plait_output_desc), 0}, 0, 0, 0, 0, 0}

/* Every later step and plait_hair_settle write their result here. The memory stays the host's and must stay valid until
 * another output or none (output null) is set, or the hair is destroyed. May allocate. Serialised. */
PLAIT_FUNCTION(plait_hair_set_output, (plait_hair hair, const plait_output_desc *output));

/* For hair on a mesh (plait_groom_mesh_desc) whose host skins it on the GPU: frames with a plait_mesh_pose_desc without positions
 * read them from here, on the device, when their work begins, so semaphores of the frame order that. The memory is described as
 * for an output, with one attribute, POSITION, for all vertices of the mesh; it is external memory or memory of the host's device
 * (plait_vulkan.h, plait_cuda.h). Null: none. What is not finite leaves strands where they are. The library does not know where
 * such a mesh is: in large worlds frames should give bones, and root_bones of the groom name the one that is near. It sees no jumps
 * either, so that plait_hair_place must say where one is, and hair counts as moving. plait_hair_set_device as for an output. May
 * allocate. Serialised. */
PLAIT_FUNCTION(plait_hair_set_mesh_input, (plait_hair hair, const plait_output_desc *input));

/* Chained to plait_output_desc: Plait allocates the memory on the hair's device, for others to import. */
typedef struct plait_output_export_desc {
    plait_head head;
    uint32_t kind; /* PLAIT_EXTERNAL_xxx */
    uint32_t reserved;
} plait_output_export_desc;
#define PLAIT_OUTPUT_EXPORT_DESC_INIT                                                                                  \
    {{PLAIT_TYPE_OUTPUT_EXPORT_DESC, (uint32_t)sizeof(plait_output_export_desc), 0}, 0, 0}

/* A handle by which another device or process can import the memory of an output with a plait_output_export_desc. Each
 * call makes a new one. The memory lives until the last side lets go of it. Serialised. */
PLAIT_FUNCTION(plait_hair_export_output, (plait_hair hair, plait_external_memory *memory));

/* Writes the present strands once into the memory given (host memory, a VkBuffer or CUDA memory), which need not outlive
 * the call, and waits for it. PREVIOUS_POSITION can only be read while the output set has it. Cost: linear in the
 * vertices. Serialised. */
PLAIT_FUNCTION(plait_hair_read, (plait_hair hair, const plait_output_desc *output));

/* ---- render strands --------------------------------------------------------------------------------------------- */

#define PLAIT_BINDING_BY_GROUP 1u /* strands follow guides of the group that has their own group's number, if it has any */

/* Which guides each strand of a render groom follows. Both grooms are drawn in the same bind pose and unit. */
typedef struct plait_binding_desc {
    plait_head head;
    plait_groom guides; /* the groom of the hairs that shall carry the render strands */
    plait_groom render; /* strands to be drawn: any number, with any vertex counts. Of its bones, root bindings, normals and
                           held counts nothing is used: roots go where those of their guides go */
    uint32_t guide_count; /* that a strand follows, 1 to 4; fewer where fewer are near; 0: 3 */
    uint32_t flags;       /* PLAIT_BINDING_xxx, or 0 */
    float parting_angle;  /* radians, up to 3.15: a strand follows no two guides that leave the scalp in directions farther
                             apart, nor, where there are others, one that leaves it in another direction than itself. The
                             direction is that of the first third of a strand. 0: 0.8 */
    float shape_weight;   /* 0 to 100: how much a difference in shape counts beside the distance of roots. The shape is that
                             of points along the strand, relative to its root. 0: 1 */
    float length_weight;  /* the same for a difference in length. 0: 0.3 */
    uint32_t reserved;
    /* Called now and then from the calling thread. Any result but PLAIT_OK ends plait_binding_create, which returns it. May
     * be null. */
    plait_result(PLAIT_CALL *progress)(void *user, uint32_t strands_done, uint32_t strand_count);
    void *user;
} plait_binding_desc;
#define PLAIT_BINDING_DESC_INIT                                                                                        \
    {{PLAIT_TYPE_BINDING_DESC, (uint32_t)sizeof(plait_binding_desc), 0}, {0}, {0}, 0, 0, 0, 0, 0, 0, 0, 0}

typedef struct plait_binding_info {
    plait_head head;
    uint32_t guide_strand_count;
    uint32_t strand_count; /* of the render groom */
    uint32_t vertex_count;
    uint32_t max_vertex_count;
    uint32_t single_count;    /* strands that follow one guide alone */
    uint32_t row_count;       /* guides as strands see them, cut to as many vertices as these have; a few for each guide */
    uint64_t guides_identity; /* plait_groom_info.identity of the two grooms */
    uint64_t render_identity;
    float mean_distance;      /* from the root of a strand to that of its nearest guide, host units */
    float max_distance;
    uint64_t memory_bytes;    /* on the host; a hair has some 20 bytes a vertex on its device, 32 on a GPU */
} plait_binding_info;
#define PLAIT_BINDING_INFO_INIT                                                                                        \
    {{PLAIT_TYPE_BINDING_INFO, (uint32_t)sizeof(plait_binding_info), 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* Finds the guides of every strand: those that are nearest by the distance of roots, shape and length together, in the bind
 * pose. It never changes; any number of hairs on any devices of the context may share it. Keeps both grooms alive. Cost: some
 * microseconds a strand, over the threads of the job system; allocates. Any thread. */
PLAIT_FUNCTION(plait_binding_create, (plait_context context, const plait_binding_desc *desc, plait_binding *binding));

/* A binding as bytes, for the host to keep with the asset. memory null: *size becomes the bytes needed. Else *size is the size of
 * memory and becomes the bytes written. Cost: linear in the strands. Any thread. */
PLAIT_FUNCTION(plait_binding_save, (plait_binding binding, uint64_t *size, void *memory));

/* A binding from what plait_binding_save has written. PLAIT_ERROR_INVALID_STATE if it is damaged, of another version, or if the
 * grooms are not of the content (plait_groom_info.identity) that it was made for. Cost: linear in the strands; allocates. Any
 * thread. */
PLAIT_FUNCTION(plait_binding_load, (plait_context context, plait_groom guides, plait_groom render, const void *memory,
                                    uint64_t size, plait_binding *binding));

/* The handle becomes invalid; hairs that carry the binding keep it alive. Any thread. */
PLAIT_FUNCTION(plait_binding_destroy, (plait_binding binding));

/* Any thread. */
PLAIT_FUNCTION(plait_binding_query, (plait_binding binding, plait_binding_info *info));

/* The hair carries the render strands of a binding, or none (zero). The binding's guides must be the hair's groom, or one of
 * the same content. Another binding than before takes the render output and styles off; parameters stay. Saved states are not touched by it. Cost: like
 * plait_hair_create, and linear in the render vertices; allocates. Serialised.
 *
 * Every vertex of a guide has turned since the bind pose: with the scalp, and then by the shortest way from the direction that
 * the guide was drawn in there to its present one (directions are those of chords over a quarter of its vertices: of its bends,
 * not of its single curls). These turns and the guide's shifts move the render strand, each vertex by those of its place along
 * the guide: by its number, as long as both are drawn alike; else by its length from the root, to a fifth; beyond the guide's tip,
 * with that. Its own shape turns with it, and the distance of its root from the guide's with the scalp: curls stay curls, and
 * roots stay on the scalp. Where guides bend sharply that a strand is unlike in shape, it would be stretched: segments are cut to
 * 1.04 of their length, as scaled by bones, and what is behind them moves up. A strand that lies on a guide, root on root, follows it
 * exactly, whatever vertices it has (if no dozen of other guides begin there), and up to that length. Pushing out comes after that and
 * may stretch strands again.
 * Bones that scale unevenly or shear move roots between guides off the scalp by what they differ from a turn and one scale.
 * Previous positions are those of the last frame's pose with the present parameters. Of several guides the results are weighted
 * ("multi-strand"), or only the nearest counts ("single-strand"), see plait_render_params (Yuksel and Tariq 2010, Huang et al.
 * 2023, sec. 5). */
PLAIT_FUNCTION(plait_hair_set_binding, (plait_hair hair, plait_binding binding));

#define PLAIT_RENDER_PUSH_OUT 1u /* see flags of plait_render_params */

/* How render strands look. plait_render_params_default fills in defaults; values are taken literally, zero is zero. */
typedef struct plait_render_params {
    plait_head head;
    float single_root; /* 0 to 1: how much of a strand's place comes from its nearest guide alone, at the root; the rest from */
    float single_tip;  /* all of its guides; and at the tip, linear in between. Default: 0 and 0. More makes locks */
    float length;        /* 0.01 to 1: the strand is cut to this share of its segments, which is that of its length where they
                            are drawn alike; its vertices move together. Default 1 */
    float width_root;    /* 0 to 1000: multiplies radii at the root; default 1 */
    float width_tip;     /* and at the tip of what is left of the strand; linear in between; default 1 */
    /* Level of detail, may change in any frame. Nothing jumps: what goes away gets thin before, or slides along its strand. */
    float strand_fraction; /* 0.001 to 1: only the first strands of the render groom are written, this share of them and a
                              tenth of it more, which get thin, for the host to draw (plait_hair_info.render_strand_count);
                              the others' memory may hold anything. All get wider, so that together they cover as much. Grooms
                              should have their strands in random order. Default 1 */
    float vertex_fraction; /* 0.001 to 1: the first vertices of a strand, 1 + fraction * (vertices - 1) rounded up, spread over
                              all of it; those behind lie on its tip. Default 1 */
    uint32_t flags;        /* 0, or PLAIT_RENDER_PUSH_OUT: vertices within colliders of the hair's body, those enabled in the
                              frame, go to the nearest point of the surface, and their radius (that of full detail) beyond it; in
                              the first eighth of a strand less and less, roots not at all. For guides are outside of colliders,
                              and what is between them need not be. The cost grows with the colliders. Default 0 */
} plait_render_params;
#define PLAIT_RENDER_PARAMS_INIT                                                                                       \
    {{PLAIT_TYPE_RENDER_PARAMS, (uint32_t)sizeof(plait_render_params), 0}, 0, 0, 0, 0, 0, 0, 0, 0}

/* Fills params (head set by the caller) with defaults. Any thread. */
PLAIT_FUNCTION(plait_render_params_default, (plait_render_params * params));

/* From the next output on, for this hair's present and later bindings. Allocates nothing. Serialised. */
PLAIT_FUNCTION(plait_hair_set_render_params, (plait_hair hair, const plait_render_params *params));

/* How strands of one group are styled, in the bind pose: guides then carry along the strands so made. So styles cost a frame
 * nothing, and tangents, previous positions, bounds and levels of detail are those of the styled strands. Roots stay where they
 * are, and everything grows in from there without a kink. Strands differ by their number and the seed alone: the same on all
 * devices, in every frame, whatever the level of detail. Shares of a strand are those of its segments. Lengths are in host units;
 * those that divide are 0 (off) or 1e-6 to 1e6. plait_render_style_default fills in a style that changes nothing; values are
 * taken literally. */
typedef struct plait_render_style {
    plait_head head;
    float length;       /* 0.01 to 1: like that of plait_render_params, and multiplies it. Default 1 */
    float width_root;   /* 0 to 1000: multiplies radii at the root; default 1 */
    float width_tip;    /* and at the tip of what `length` leaves of the strand; linear in between; default 1 */
    float scatter;      /* 0 to 1e6: tips move aside from the direction of the root by up to this, other vertices by their share
                           of it. Default 0 */
    float clump;        /* 0 to 1: how much of the way to the strand in the middle of its clump a tip goes; that is one of the
                           render groom, and the others of the clump go to the vertex at their share of it. Default 0 */
    float clump_begin;  /* 0 to 0.99: share of the strand up to which it stays where it is. Default 0 */
    float clump_size;   /* least distance of the roots of two such middles. Strands go to the nearest of their group that is on
                           their side of a parting and like them: points along both, seen from the roots, are no farther apart
                           than twice this, root mean square. 0: no clumps. Default 0 */
    float curl_radius;  /* 0 to 1e6: a helix about the strand's own path, which grows in over the first turn. Strands of a clump
                           wind together, about its middle; others begin anywhere. Default 0 */
    float curl_pitch;   /* length of the strand in a turn; several vertices a turn are needed to show it. 0: no curls. Default 0 */
    float frizz;        /* 0 to 1e6: waves across the strand, which leave its path by at most this and grow in over the first
                           frizz_length. Default 0 */
    float frizz_length; /* their wavelength, which strand by strand is up to twice this. 0: no frizz. Default 0 */
    uint32_t seed;      /* another one: other strands go other ways. Default 0 */
} plait_render_style;
#define PLAIT_RENDER_STYLE_INIT                                                                                        \
    {{PLAIT_TYPE_RENDER_STYLE, (uint32_t)sizeof(plait_render_style), 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* Fills style (head set by the caller) with defaults. Any thread. */
PLAIT_FUNCTION(plait_render_style_default, (plait_render_style * style));

/* From the next render output on. style_count: 0, no styles, as before the first call; 1, one for all groups of the render groom;
 * else its group_count. Needs a binding; another binding takes the styles off. May be called in every frame. Cost: a microsecond,
 * and in the next frame a pass over the render vertices; the first call, style_count 0 and another clump_size cost like
 * plait_hair_set_binding. Allocates. Styles take 48 bytes a render vertex on the device. Serialised. */
PLAIT_FUNCTION(plait_hair_set_render_styles, (plait_hair hair, uint32_t style_count, const plait_render_style *styles));

/* The same as plait_hair_set_output for the render strands of the hair's binding, beside it or alone: vertex v is that of the
 * render groom. Both outputs may be in one memory if they do not overlap. A frame's signal comes when both are written.
 * Host memory on the CPU is written past the caches where POSITION has four floats at a stride of 16 bytes and an address that
 * is a multiple of 16. May allocate. Serialised. */
PLAIT_FUNCTION(plait_hair_set_render_output, (plait_hair hair, const plait_output_desc *output));

/* The same as plait_hair_export_output for the memory of the render output. Serialised. */
PLAIT_FUNCTION(plait_hair_export_render_output, (plait_hair hair, plait_external_memory *memory));

/* ---- state ------------------------------------------------------------------------------------------------------ */

/* Bytes that plait_hair_save writes; never changes for a hair, but see plait_hair_set_volume. Serialised. */
PLAIT_FUNCTION(plait_hair_state_size, (plait_hair hair, uint64_t *size));

/* Writes everything that future steps depend on, except parameters, body and output. size: bytes at memory. Blobs have one
 * format on all devices and instruction sets. When the device fails, memory may be written in part; plait_hair_load refuses
 * such a blob. Cost: linear in the vertices. Serialised. */
PLAIT_FUNCTION(plait_hair_save, (plait_hair hair, void *memory, uint64_t size));

/* Continues from a saved state: bit for bit, if parameters, body, step rate, substeps and the kind of device are those of
 * the hair that saved it, output between two steps included; only PREVIOUS_POSITION equals POSITION once. Groom content,
 * unit and solver must be the same; else, or if the blob is damaged, the call fails and the hair keeps its state. Cost:
 * linear in the vertices. Serialised. */
PLAIT_FUNCTION(plait_hair_load, (plait_hair hair, const void *memory, uint64_t size));

/* ---- statistics ------------------------------------------------------------------------------------------------- */

typedef struct plait_stats_info {
    plait_head head;
    uint32_t strand_count;
    uint32_t vertex_count;
    uint64_t frame_count;            /* frames so far */
    uint64_t step_count;             /* internal steps so far, substeps not counted */
    uint64_t teleport_count;         /* automatic ones */
    uint64_t clamped_frame_count;    /* frames longer than max_frame_s */
    uint64_t nonfinite_strand_count; /* strands that were not finite and were put back, so far */
    double frame_s;                  /* wall time of the last frame */
    float worst_stretch;             /* largest length of a strand over its rest length after the last step, minus 1;
                                        shape: never more than 0.04, where colliders leave no room; hybrid: 0.04 (0.2 with
                                        rest_gravity), unless held vertices are pulled apart. Rounding adds up to 1 um
                                        (1.2e-7 of the size of grooms beyond 4 m) over the length of a segment */
    float mean_length_error;         /* mean of |length over rest length - 1| over all strands after the last step */
    uint64_t bytes_asset;            /* device memory for rest shape, bindings and parameters */
    uint64_t bytes_state;            /* positions, velocities */
    uint64_t bytes_work;             /* bones, colliders, scratch, history for previous positions */
    uint32_t dispatches_per_step;    /* commands of a step and the output after it, as last recorded; */
    uint32_t barriers_per_step;      /* 0 before the first step, and on devices without commands, as the CPU */
    uint64_t sagging_strand_count;   /* strands that will not stay as drawn under rest_gravity, see plait_hybrid_params */
    /* The next four are of hairs with PLAIT_HAIR_WATCH_MOTION, else zero, and as of the last step of the last frame. It is a
     * flag of the hair because how long strands have been wound up can only be known by looking while frames pass: once a
     * frame, however many steps it has, for a quarter of the time of one step of solver shape and 16 bytes a strand. After
     * plait_hair_reset, _teleport, _load and _set_device all is zero until the next step, and both times begin anew. */
    uint64_t restless_strand_count;  /* strands with a vertex faster than 1 cm/s, though every bone that a root or a collider
                                        hangs on has had the same matrix, to the bit, for 5 s (when the origin changes: to the
                                        rounding of its floats); 0 before that */
    uint64_t knotted_strand_count;   /* strands that turn by 540 degrees more than in the groom (angles between segments in a
                                        row, all together), and have done so for more than half a second */
    float rms_speed;                 /* root mean square over all vertices, host units per second. Hair that is slow while
                                        bones are still needs no steps */
    float fastest_speed;             /* of all vertices. Rounding adds to both up to 1 um (1.2e-7 of the size of grooms beyond
                                        4 m) times step_rate_hz times substeps, and in frames with another origin that of the
                                        bones' floats */
    /* Not only of watched hairs. */
    uint64_t cut_strand_count;       /* solver hybrid: strands with a segment that was held at the limit of its length, so far;
                                        one counts anew in every step, and in every part of one that it takes in parts. There
                                        should be next to none unless roots jump */
} plait_stats_info;
#define PLAIT_STATS_INFO_INIT                                                                                          \
    {{PLAIT_TYPE_STATS_INFO, (uint32_t)sizeof(plait_stats_info), 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/* Cost: linear in the strands. Serialised. */
PLAIT_FUNCTION(plait_hair_stats, (plait_hair hair, plait_stats_info *info));

typedef struct plait_stage_info {
    plait_head head;
    char name[PLAIT_NAME_SIZE]; /* "roots", "shape", "output" */
    double frame_s;             /* time in this stage during the last frame, summed over threads: can exceed wall time */
    double total_s;             /* since creation */
    uint64_t run_count;         /* since creation */
} plait_stage_info;
#define PLAIT_STAGE_INFO_INIT {{PLAIT_TYPE_STAGE_INFO, (uint32_t)sizeof(plait_stage_info), 0}, {0}, 0, 0, 0}

/* Times of the stages of a step, of "watch" with PLAIT_HAIR_WATCH_MOTION, and of the output. Solver hybrid has its stages
 * four times, for strands that take a step in parts: the later ones cost next to nothing where none does. count and infos as
 * in plait_backend_enumerate. Serialised. */
PLAIT_FUNCTION(plait_hair_stages, (plait_hair hair, uint32_t *count, plait_stage_info *infos));

/* Calls X(name) for every function of this header. */
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
    X(plait_hair_settle)                                                                                               \
    X(plait_volume_params_default)                                                                                     \
    X(plait_hair_set_volume)                                                                                           \
    X(plait_hair_volume)                                                                                               \
    X(plait_binding_create)                                                                                            \
    X(plait_binding_destroy)                                                                                           \
    X(plait_binding_query)                                                                                             \
    X(plait_hair_set_binding)                                                                                          \
    X(plait_render_params_default)                                                                                     \
    X(plait_hair_set_render_params)                                                                                    \
    X(plait_hair_set_render_output)                                                                                    \
    X(plait_hair_export_render_output)                                                                                 \
    X(plait_binding_save)                                                                                              \
    X(plait_binding_load)                                                                                              \
    X(plait_groom_read_roots)                                                                                          \
    X(plait_hair_place)                                                                                                \
    X(plait_hair_set_mesh_input)                                                                                       \
    X(plait_render_style_default)                                                                                      \
    X(plait_hair_set_render_styles)                                                                                    \
    X(plait_hairs_step)

#ifdef __cplusplus
}
#endif

#endif
