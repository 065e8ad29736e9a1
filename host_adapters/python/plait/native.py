# Made from abi/plait.h by host_adapters/bindings/generate.py: change the header and run that again.
r"""The C interface of Plait under its own names, for ctypes; the module plait wraps it for everyday use.

A struct with an initialiser in the header begins with those values: plait_hair_desc(solver=1). bind() gives the
functions of a library their types. Callbacks, such as plait_logger_log, must be kept alive as long as Plait may call
them.

plait.h - the public interface of Plait, hair simulation for game engines. Version 1.

How a host uses it, once per character:

  plait_context_create   allocator, logger, job system
  plait_device_open      where the simulation runs
  plait_groom_create     the asset: rest strands, root bindings, groups
  plait_body_create      the colliders of the character (optional)
  plait_hair_create      groom + solver + parameters + device = one running head of hair
  plait_hair_set_output  where the strands are written to
  plait_hair_step        every frame: time, bones, gravity, wind; plait_hairs_step for many characters

and, to have a whole head of hair follow its simulated guides:

  plait_binding_create          once per groom: which guides each render strand follows
  plait_hair_set_binding        the hair carries these render strands
  plait_hair_set_render_output  where they are written to, beside or instead of the guides

Rules that hold everywhere:

Results   Functions return a plait_result: 0 or more is success, less than 0 an error. A call that fails changes
          nothing: objects keep their state, output arguments are not written, but returned handles are set to zero.
          The reason, naming the argument, goes to the log callback, if the call found its context. One exception: if a
          device fails while strands move (step, settle, reset, teleport, load), some may have moved and others not.
Structs   A struct that goes in (_desc, _params) or comes out (_info) and may grow begins with a plait_head. Set
          head.type and head.size (16 to 4096, a multiple of 8); the PLAIT_xxx_INIT macros do so and give the other
          fields neutral values, mostly zero. In a shorter struct, from an older host, the missing fields are zero. A
          longer one is accepted if its unknown tail is zero. An unknown struct in the chain of head.next is an error.
          In an array of such structs all heads have the type and size of the first. Fields named reserved must be
          zero. Input is copied: nothing passed in needs to outlive the call, except output memory (see
          plait_output_desc), callbacks with their user pointers, and what plait_vulkan.h and plait_cuda.h name.
Handles   64-bit values that hold index, generation, kind and owner. A stale, foreign or forged handle is an error,
          in release builds too. The zero handle is never valid. Each is a struct of one integer, so that the compiler
          tells a hair from a groom; every calling convention in use passes it like that integer.
Threads   Each function states one rule. "Any thread": call it from any thread at any time, also concurrently.
          "Serialised": one call at a time per object; if the object is in use, the call returns PLAIT_ERROR_BUSY and
          does nothing. A callback must not use the object whose call runs it.
          A call needs less than 48 KB of stack, so fibers of 64 KB are enough. Callbacks come on top, and on a GPU the
          driver: with Mesa's lavapipe a call takes 40 KB in all, with validation layers 68 KB.
Units     SI, except lengths: everything with a length in it (positions, radii, gravity, wind) is in host units, and
          plait_hair_desc.meters_per_unit is the length of one. Angles are radians. Any axis may be up and either
          handedness works, as long as the host is consistent.
Origin    Hair moves and rests alike at any distance from the origin: inside, it is simulated relative to a point near its
          roots. But what goes in and out is float32, in steps of 0.06 mm at a kilometre and 6 cm at a thousand. In
          large worlds plait_frame_desc.origin, in double precision, is the point that bones and so everything else is
          relative to: a sector's corner, the camera. It may change in any frame, and moves nothing in the world: no
          strand, and no bone when bones is null. Output and bounds are relative to the origin of the frame that wrote
          them, previous positions included. Calls without an origin (reset, teleport, read, settle) go by that of the
          last frame, and before the first frame, as plait_hair_create, by that of the first. A saved state holds its
          origin: the hair that loads it goes by it until its next frame, which may have any other.
Floats    Every float that goes in must be finite. Beyond what a field's comment says, magnitudes are limited to 1e9
          (positions, translations, gravity, wind), 1e6 (radii, friction) and scales to 1e-6 to 1e6. Calls round
          to nearest, without traps, with denormals as zero (on x86-64 and 64-bit ARM), whatever the calling thread's
          setting is, and restore it with its flags. Callbacks that a call makes see Plait's setting. On the CPU backend the
          same input gives the same bits on both processors, with one exception: a result below 2^-126, the least float
          that is no denormal, which rounds up to it, is kept by x86-64 and zero on ARM. Hair has no use for such numbers.
Matrices  3x4 affine, row-major, 12 floats, for column vectors, as VkTransformMatrixKHR: x' = m[0] x + m[1] y + m[2] z +
          m[3], and the translation is m[3], m[7], m[11]. Rotation, scale and shear are welcome; a matrix that mirrors, or
          scales one direction more than 1000 times as much as another, is refused with an error. Only bones that a root
          (with a weight above zero) or a collider of the hair's body uses are checked: others may hold anything, such as
          the scale zero by which engines hide them. Hosts whose 4x4 matrices have the translation in floats 12 to 14
          (row vectors: DirectXMath, Unreal; column-major: OpenGL, glm, Unity) transpose them and pass the first three
          rows, as XMStoreFloat3x4 and FMatrix::To3x4MatrixTranspose do. A matrix that was not transposed is not refused:
          the hair looks right at identity, but turns against the bone and does not follow its translation.
Cost      O(1) and below a microsecond unless the function says otherwise. On a GPU, calls that read, change or destroy
          a hair wait for its frames, and take some ten microseconds per buffer that they touch.
"""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint8,
                    c_uint16, c_uint32, c_uint64, c_void_p)


class _Struct(Structure):
    """Begins with the values of the header's initialiser; arguments go on top."""
    _init_ = ()

    def __init__(self, *values, **fields):
        for path, value in self._init_:
            *owners, last = path
            target = self
            for owner in owners:
                target = getattr(target, owner)
            setattr(target, last, value)
        super().__init__(*values, **fields)


def array_of(struct, count):
    """An array of structs that begin with the values of the header's initialiser."""
    return (struct * count)(*(struct() for _ in range(count)))


PLAIT_VERSION_MAJOR = 1
PLAIT_VERSION_MINOR = 0
PLAIT_VERSION_PATCH = 0

# ---- results

PLAIT_OK = 0
PLAIT_INCOMPLETE = 1  # the array was too short; what fits was written
PLAIT_ERROR_INVALID_ARGUMENT = -1  # a value is out of range, null, or not finite
PLAIT_ERROR_INVALID_STRUCT = -2  # head.type or head.size is wrong, or an unknown tail is not zero
PLAIT_ERROR_UNKNOWN_EXTENSION = -3  # a struct in the head.next chain is unknown, or not for this call
PLAIT_ERROR_INVALID_HANDLE = -4  # zero, stale, forged, or of another kind
PLAIT_ERROR_FOREIGN_HANDLE = -5  # a live handle, but of another context
PLAIT_ERROR_BUSY = -6  # the object is in use by another call
PLAIT_ERROR_OUT_OF_MEMORY = -7  # the allocator, or the device, has no more memory
PLAIT_ERROR_TOO_LARGE = -8  # a count or size exceeds what can be represented
PLAIT_ERROR_UNAVAILABLE = -9  # the backend, device or instruction set is not available on this machine
PLAIT_ERROR_UNSUPPORTED = -10  # valid, but not possible on this device or with this solver
PLAIT_ERROR_INVALID_GROOM = -11  # groom data is wrong; the message names strand and vertex
PLAIT_ERROR_INVALID_STATE = -12  # a saved state or binding is damaged, or of another version, groom, unit or solver
PLAIT_ERROR_BUFFER_TOO_SMALL = -13  # the memory given is too small for what is written to it
PLAIT_ERROR_LIMIT = -14  # too many live objects of this kind
PLAIT_ERROR_TIMEOUT = -15  # the work did not finish in the time given; it goes on
PLAIT_ERROR_SYSTEM = -16  # the operating system refused something, such as a thread
PLAIT_ERROR_DEVICE_LOST = -17  # the device is gone; plait_hair_set_device moves its hairs to another
PLAIT_ERROR_OTHER_DEVICE = -18  # external memory or a semaphore belongs to another graphics card or driver

# ---- handles


class plait_context(Structure):
    """A handle, which goes by value. Zero is never valid."""
    _fields_ = [
        ("id", c_uint64),
    ]


class plait_device(Structure):
    """A handle, which goes by value. Zero is never valid."""
    _fields_ = [
        ("id", c_uint64),
    ]


class plait_groom(Structure):
    """A handle, which goes by value. Zero is never valid."""
    _fields_ = [
        ("id", c_uint64),
    ]


class plait_body(Structure):
    """A handle, which goes by value. Zero is never valid."""
    _fields_ = [
        ("id", c_uint64),
    ]


class plait_hair(Structure):
    """A handle, which goes by value. Zero is never valid."""
    _fields_ = [
        ("id", c_uint64),
    ]


class plait_semaphore(Structure):
    """A handle, which goes by value. Zero is never valid."""
    _fields_ = [
        ("id", c_uint64),
    ]


class plait_binding(Structure):
    """A handle, which goes by value. Zero is never valid."""
    _fields_ = [
        ("id", c_uint64),
    ]

# ---- structs: the common head


class plait_head(Structure):
    """Fields:
        type: PLAIT_TYPE_xxx of the struct that this head begins
        size: sizeof that struct in the host's build
        next: a struct with a head that extends this one, or null; null in structs that come out
    """
    _fields_ = [
        ("type", c_uint32),
        ("size", c_uint32),
        ("next", c_void_p),
    ]

PLAIT_TYPE_LIBRARY_INFO = 1
PLAIT_TYPE_CONTEXT_DESC = 2
PLAIT_TYPE_ALLOCATOR = 3
PLAIT_TYPE_LOGGER = 4
PLAIT_TYPE_JOBS = 5
PLAIT_TYPE_DEVICE_DESC = 6
PLAIT_TYPE_DEVICE_CPU_DESC = 7
PLAIT_TYPE_DEVICE_INFO = 8
PLAIT_TYPE_GROOM_DESC = 9
PLAIT_TYPE_GROOM_INFO = 10
PLAIT_TYPE_BODY_DESC = 11
PLAIT_TYPE_HAIR_DESC = 12
PLAIT_TYPE_HAIR_INFO = 13
PLAIT_TYPE_SHAPE_PARAMS = 14
PLAIT_TYPE_FRAME_DESC = 15
PLAIT_TYPE_OUTPUT_DESC = 16
PLAIT_TYPE_STATS_INFO = 17
PLAIT_TYPE_STAGE_INFO = 18
PLAIT_TYPE_BACKEND_INFO = 19
PLAIT_TYPE_GROUP_DESC = 20
PLAIT_TYPE_COLLIDER = 21
PLAIT_TYPE_OUTPUT_ATTRIBUTE = 22
PLAIT_TYPE_EXTERNAL_MEMORY = 23
PLAIT_TYPE_EXTERNAL_SEMAPHORE = 24
PLAIT_TYPE_OUTPUT_EXPORT_DESC = 25
PLAIT_TYPE_FRAME_SYNC_DESC = 26
PLAIT_TYPE_HYBRID_PARAMS = 27
PLAIT_TYPE_SETTLE_DESC = 28
PLAIT_TYPE_SETTLE_INFO = 29
PLAIT_TYPE_VOLUME_PARAMS = 30
PLAIT_TYPE_VOLUME_INFO = 31
PLAIT_TYPE_BINDING_DESC = 32
PLAIT_TYPE_BINDING_INFO = 33
PLAIT_TYPE_RENDER_PARAMS = 34
PLAIT_TYPE_GROOM_MESH_DESC = 35
PLAIT_TYPE_MESH_POSE_DESC = 36
PLAIT_TYPE_PLACE_DESC = 37
PLAIT_TYPE_RENDER_STYLE = 38

# ---- library


class plait_library_info(_Struct):
    """Fields:
        version_major: another major version is another ABI
        version_minor: a higher minor version has everything of the lower ones
    """
    _fields_ = [
        ("head", plait_head),
        ("version_major", c_uint32),
        ("version_minor", c_uint32),
        ("version_patch", c_uint32),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 1), (('head', 'size'), 32),)

# A function of this header or plait_vulkan.h by name, to be cast to its PFN_ type; null if the name is null or unknown.
# Hosts that open the library at run time need only this symbol. Any thread.
plait_proc = CFUNCTYPE(None)

# ---- context

plait_allocator_allocate = CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_size_t)

plait_allocator_release = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_size_t)


class plait_allocator(_Struct):
    """All memory of a context comes from here. Called from any thread that calls Plait, but never by plait_hair_step
    and plait_hairs_step.

    Fields:
        allocate: Returns at least size bytes, aligned to alignment (a power of two, at most 4096), or null. Memory
            that is not aligned is released at once and counts as null; a message says so.
        release: pointer came from allocate with this size and alignment; never null.
    """
    _fields_ = [
        ("head", plait_head),
        ("user", c_void_p),
        ("allocate", plait_allocator_allocate),
        ("release", plait_allocator_release),
    ]
    _init_ = ((('head', 'type'), 3), (('head', 'size'), 40),)

PLAIT_LOG_DEBUG = 1
PLAIT_LOG_INFO = 2
PLAIT_LOG_WARNING = 3
PLAIT_LOG_ERROR = 4

# Ids of messages that are not errors. The id of an error is its plait_result.
PLAIT_MESSAGE_DEVICE_OPENED = 1  # info: which device, which instruction set
PLAIT_MESSAGE_STRANDS_RESET = 2  # warning: strands were not finite and went back to their rest shape
PLAIT_MESSAGE_TIME_CLAMPED = 3  # debug: a frame was longer than max_frame_s
PLAIT_MESSAGE_TELEPORTED = 4  # debug: a bone moved beyond the limit and the hair was carried along
PLAIT_MESSAGE_OBJECTS_LEFT = 5  # warning: a context was destroyed with objects alive in it
PLAIT_MESSAGE_WEIGHTS_SCALED = 6  # debug: root weights did not sum to one and were normalised
PLAIT_MESSAGE_CACHE_IGNORED = 7  # info: plait_device_desc.cache is damaged, or of another device, driver or library
PLAIT_MESSAGE_STATE_RESCUED = 8  # warning: a hair left a lost device with its last known state
PLAIT_MESSAGE_STRANDS_SAG = 9  # info: strands that will not stay as drawn under rest_gravity
PLAIT_MESSAGE_STRANDS_FOLD = 10  # warning: strands of a new groom turn back by more than 150 degrees at a vertex
PLAIT_MESSAGE_VOLUME_FULL = 11  # warning: vertices found no room in the grid of hair-hair forces

plait_logger_log = CFUNCTYPE(None, c_void_p, c_uint32, c_int32, c_char_p)


class plait_logger(_Struct):
    """Text is UTF-8, one line, valid during the call only. Called from any thread that calls Plait, also from several
    at once.

    Fields:
        log: null: no messages
        min_level: messages below this level are dropped; 0: PLAIT_LOG_WARNING
    """
    _fields_ = [
        ("head", plait_head),
        ("user", c_void_p),
        ("log", plait_logger_log),
        ("min_level", c_uint32),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 4), (('head', 'size'), 40),)

# One piece of work; index runs from 0 to count - 1.
plait_job = CFUNCTYPE(None, c_void_p, c_uint32)

plait_jobs_parallel_for = CFUNCTYPE(None, c_void_p, c_uint32, plait_job, c_void_p)


class plait_jobs(_Struct):
    """The host's job system. parallel_for must call job(argument, i) once for each i below count, on any threads and in
    any order, and return after all of them have returned. Called by plait_hair_step and other functions that say so.
    Jobs call nothing of the host's. Results do not depend on how the work is spread.

    Fields:
        thread_count: 1 or more: how many threads may run jobs at once, the caller included; for cutting
    """
    _fields_ = [
        ("head", plait_head),
        ("user", c_void_p),
        ("parallel_for", plait_jobs_parallel_for),
        ("thread_count", c_uint32),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 5), (('head', 'size'), 40),)


class plait_context_desc(_Struct):
    """Fields:
        allocator: null: the C library's
        logger: null: no messages
        jobs: null: a thread pool of Plait's own
        thread_count: threads of that pool, the calling one included, at most 256; 0: one per core
    """
    _fields_ = [
        ("head", plait_head),
        ("allocator", POINTER(plait_allocator)),
        ("logger", POINTER(plait_logger)),
        ("jobs", POINTER(plait_jobs)),
        ("thread_count", c_uint32),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 2), (('head', 'size'), 48),)

PLAIT_BACKEND_BEST = 0  # the first of CUDA, Vulkan and CPU that has a device; software devices do not count
PLAIT_BACKEND_CPU = 1  # SIMD on the host's cores; always available
PLAIT_BACKEND_VULKAN = 2  # Vulkan compute
PLAIT_BACKEND_CUDA = 3  # CUDA
PLAIT_BACKEND_NULL = 4  # everything but physics: strands stay as they are. For tests of hosts
PLAIT_NAME_SIZE = 64
PLAIT_REASON_SIZE = 192


class plait_backend_info(_Struct):
    """Fields:
        backend: PLAIT_BACKEND_xxx
        available: 1: plait_device_open can succeed
        device_count: devices of this backend that plait_device_enumerate lists
        name: "cpu"
        reason: why it is not available, else empty
    """
    _fields_ = [
        ("head", plait_head),
        ("backend", c_uint32),
        ("available", c_uint32),
        ("device_count", c_uint32),
        ("reserved", c_uint32),
        ("name", c_char * 64),
        ("reason", c_char * 192),
    ]
    _init_ = ((('head', 'type'), 19), (('head', 'size'), 288),)

# ---- device

PLAIT_INTEROP_HOST_POINTER = 1  # output goes into memory the host points to
PLAIT_INTEROP_VULKAN_BUFFER = 2  # output goes into a VkBuffer of the host's device, plait_vulkan.h
PLAIT_INTEROP_VULKAN_TIMELINE = 4  # frames wait for and signal the host's timeline semaphores
PLAIT_INTEROP_HOST_MEMORY = 8  # the device itself writes host memory, see host_memory_alignment
PLAIT_INTEROP_MEMORY_FD = 16  # output memory is shared as an opaque fd, plait_external_memory
PLAIT_INTEROP_MEMORY_WIN32 = 32  # the same as an opaque Win32 handle
# semaphores are shared as opaque fds. Without this or the next, the host relays with plait_semaphore_wait and
# plait_semaphore_signal
PLAIT_INTEROP_SEMAPHORE_FD = 64
PLAIT_INTEROP_SEMAPHORE_WIN32 = 128  # the same as opaque Win32 handles
PLAIT_INTEROP_CUDA_POINTER = 256  # output goes into device memory of the host's context, plait_cuda.h


class plait_device_info(_Struct):
    """Fields:
        backend: PLAIT_BACKEND_xxx
        index: for plait_device_desc.index
        interop: PLAIT_INTEROP_xxx bits
        pack_width: strands side by side in memory; 0 when listed but not opened
        memory_bytes: total memory the device can use; 0: unknown
        memory_used_bytes: taken by Plait on this device; 0 when listed but not opened
        uuid: zero: the device has none
        name: of the processor or graphics card, for people
        variant: which code runs: "avx2"; empty when listed but not opened
        driver_uuid: external memory and semaphores need the same uuid and driver_uuid on both sides; zero: the
            device has none (CUDA), and the uuid alone must match
        host_memory_alignment: the device writes output memory without a copy if address and size are multiples of
            this; 0: never, or not needed
    """
    _fields_ = [
        ("head", plait_head),
        ("backend", c_uint32),
        ("index", c_uint32),
        ("interop", c_uint32),
        ("pack_width", c_uint32),
        ("memory_bytes", c_uint64),
        ("memory_used_bytes", c_uint64),
        ("uuid", c_uint8 * 16),
        ("name", c_char * 64),
        ("variant", c_char * 64),
        ("driver_uuid", c_uint8 * 16),
        ("host_memory_alignment", c_uint64),
    ]
    _init_ = ((('head', 'type'), 8), (('head', 'size'), 216),)


class plait_device_desc(_Struct):
    """Fields:
        head: may be followed by: plait_device_cpu_desc, plait_cuda_device_desc, plait_vulkan_device_desc
        backend: PLAIT_BACKEND_xxx
        index: which device of that backend, see plait_device_info.index; with uuid or name: which of the devices
            that match
        uuid: as in plait_device_info; zero: any
        name: part of plait_device_info.name, case-insensitive (ASCII); null: any
        cache: from plait_device_save_cache, to open faster; ignored if it is of another device, driver or library;
            null: none
        cache_size: bytes of it
    """
    _fields_ = [
        ("head", plait_head),
        ("backend", c_uint32),
        ("index", c_uint32),
        ("uuid", c_uint8 * 16),
        ("name", c_char_p),
        ("cache", c_void_p),
        ("cache_size", c_uint64),
    ]
    _init_ = ((('head', 'type'), 6), (('head', 'size'), 64),)

PLAIT_CPU_AUTO = 0  # the widest this processor has
PLAIT_CPU_SCALAR = 1  # one strand at a time; the reference
PLAIT_CPU_SSE2 = 2
PLAIT_CPU_AVX2 = 3
PLAIT_CPU_AVX512 = 4
PLAIT_CPU_NEON = 5  # 64-bit ARM; the others but scalar are for x86-64


class plait_device_cpu_desc(_Struct):
    """Chained to plait_device_desc with backend CPU: overrides the choice of instruction set. All give the same bits.

    Fields:
        instruction_set: PLAIT_CPU_xxx; PLAIT_ERROR_UNAVAILABLE when this processor lacks it
    """
    _fields_ = [
        ("head", plait_head),
        ("instruction_set", c_uint32),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 7), (('head', 'size'), 24),)

# ---- groom

PLAIT_MAX_BONES = 65536
PLAIT_MAX_STRAND_VERTICES = 1024


class plait_root_binding(Structure):
    """Up to four bones that a strand's root is bound to. Weights are normalised; a negative weight or a sum of zero is
    an error. Entries with weight zero are ignored.
    """
    _fields_ = [
        ("bones", c_uint32 * 4),
        ("weights", c_float * 4),
    ]


class plait_group_desc(_Struct):
    """Material of the strands of one group; part of the asset.

    Fields:
        radius: of a strand, host units, where plait_groom_desc.radii is null; 0: 4e-5 m (a human hair)
        friction: multiplies the friction of each collider that the group touches; 0: frictionless, 1: usual
    """
    _fields_ = [
        ("head", plait_head),
        ("radius", c_float),
        ("friction", c_float),
    ]
    _init_ = ((('head', 'type'), 20), (('head', 'size'), 24), (('friction',), 1),)


class plait_groom_desc(_Struct):
    """Fields:
        head: may be followed by: plait_groom_mesh_desc
        strand_count: 1 to 67108863, with 134217727 vertices in all at most
        bone_count: bones of the skeleton that the bindings index; 1 to PLAIT_MAX_BONES
        vertex_counts: [strand_count], each 2 to PLAIT_MAX_STRAND_VERTICES, the root included
        positions: [vertices][3], strand by strand, root first, in the bind pose. Vertices that follow each other
            must differ by more than a millionth of their distance from the origin, and by 1e-8 m (plait_hair_create,
            which knows the unit, refuses less)
        radii: [vertices]; null: the group's radius
        root_bones: [strand_count] the one bone that each root follows; null: see root_bindings
        root_bindings: [strand_count], instead of root_bones; both null: all roots follow bone 0
        bind_pose: [bone_count][12] bone matrices in the bind pose; null: identities, so that the frame's bones are
            skinning matrices
        root_normals: [strand_count][3] of the scalp, any length; null: the first segment's direction
        group_indices: [strand_count]; null: all in group 0
        groups: [group_count]; null: defaults
        group_count: up to 65536; 0: 1
        held_counts: [strand_count] vertices from the root on that move rigidly with the bones, for bangs that must
            keep their style; 1 to the strand's vertices. Solver hybrid clamps the direction in which the strand
            leaves them; solver shape holds the root only. null: 1
    """
    _fields_ = [
        ("head", plait_head),
        ("strand_count", c_uint32),
        ("bone_count", c_uint32),
        ("vertex_counts", POINTER(c_uint32)),
        ("positions", POINTER(c_float)),
        ("radii", POINTER(c_float)),
        ("root_bones", POINTER(c_uint32)),
        ("root_bindings", POINTER(plait_root_binding)),
        ("bind_pose", POINTER(c_float)),
        ("root_normals", POINTER(c_float)),
        ("group_indices", POINTER(c_uint16)),
        ("groups", POINTER(plait_group_desc)),
        ("group_count", c_uint32),
        ("reserved", c_uint32),
        ("held_counts", POINTER(c_uint32)),
    ]
    _init_ = ((('head', 'type'), 9), (('head', 'size'), 112),)


class plait_groom_info(_Struct):
    """Fields:
        vertex_count: of all strands
        max_vertex_count: of the longest strand
        bounds_min: of the rest positions, host units
        identity: hash of the content: equal grooms have equal numbers
    """
    _fields_ = [
        ("head", plait_head),
        ("strand_count", c_uint32),
        ("vertex_count", c_uint32),
        ("max_vertex_count", c_uint32),
        ("group_count", c_uint32),
        ("bone_count", c_uint32),
        ("reserved", c_uint32),
        ("bounds_min", c_float * 3),
        ("bounds_max", c_float * 3),
        ("identity", c_uint64),
        ("memory_bytes", c_uint64),
    ]
    _init_ = ((('head', 'type'), 10), (('head', 'size'), 80),)

PLAIT_INDEX_UINT16 = 1
PLAIT_INDEX_UINT32 = 2

plait_groom_mesh_desc_progress = CFUNCTYPE(c_int32, c_void_p, c_uint32, c_uint32)


class plait_groom_mesh_desc(_Struct):
    """Chained to plait_groom_desc: roots follow triangles of a mesh, such as the skinned head, instead of bones. Every
    frame hands in where its vertices are, see plait_mesh_pose_desc. Bones then carry colliders only; root_bones and
    root_bindings are checked and not used.

    A root keeps its place on its triangle (barycentric coordinates) and, where it was drawn off the surface, its
    distance from it. The strand turns with the triangle: with its normal, and in its plane by the rotation that is
    nearest to how the triangle was deformed (polar decomposition), so that shear turns nothing; it grows with the
    square root of the triangle's area. A triangle that shrinks to less than a thousandth of its height or of the
    length of its first edge has no direction: strands on it keep the last one.

    Fields:
        vertex_count: of the mesh, 3 to 1e9
        triangle_count: 1 to 1e9
        index_format: PLAIT_INDEX_xxx
        position_format: PLAIT_FORMAT_FLOAT32X3, or X4, whose w is ignored
        indices: [triangle_count][3] vertices, each below vertex_count; aligned to their size
        positions: in the bind pose, host units, aligned to 4 bytes; vertex v is at v * position_stride
        position_stride: bytes, a multiple of 4, at least the format's size; 0: that
        root_triangles: [strand_count] the triangle of each root, which must have an area; null: the nearest one that
            has, of several that are as near the first
        root_barycentrics: [strand_count][3] weights of its corners, -0.001 to 1.001, summing to one (to 0.001);
            null: those of the triangle's point nearest to the root; goes with root_triangles only
        progress: Called now and then from the calling thread while nearest triangles are searched. Any result but
            PLAIT_OK ends plait_groom_create, which returns it. May be null.
    """
    _fields_ = [
        ("head", plait_head),
        ("vertex_count", c_uint32),
        ("triangle_count", c_uint32),
        ("index_format", c_uint32),
        ("position_format", c_uint32),
        ("indices", c_void_p),
        ("positions", c_void_p),
        ("position_stride", c_uint64),
        ("root_triangles", POINTER(c_uint32)),
        ("root_barycentrics", POINTER(c_float)),
        ("progress", plait_groom_mesh_desc_progress),
        ("user", c_void_p),
    ]
    _init_ = ((('head', 'type'), 35), (('head', 'size'), 88),)

# ---- body

PLAIT_MAX_COLLIDERS = 4096
PLAIT_COLLIDER_CAPSULE = 1  # hull of two spheres: at points[0] with radii[0], at points[1] with radii[1]
PLAIT_COLLIDER_SPHERE = 2  # points[0], radii[0]
PLAIT_COLLIDER_HALF_SPACE = 3  # plane through points[0] with the outward normal points[1], any length


class plait_collider(_Struct):
    """Follows one bone; points and radii are in that bone's space.

    Fields:
        kind: PLAIT_COLLIDER_xxx
        bone: below plait_body_desc.bone_count
        friction: Coulomb coefficient, 0 or more
    """
    _fields_ = [
        ("head", plait_head),
        ("kind", c_uint32),
        ("bone", c_uint32),
        ("points", (c_float * 3) * 2),
        ("radii", c_float * 2),
        ("friction", c_float),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 21), (('head', 'size'), 64),)


class plait_body_desc(_Struct):
    """Fields:
        bone_count: as in plait_groom_desc: one skeleton serves both
        collider_count: 0 to PLAIT_MAX_COLLIDERS. Each costs each strand 1 to 4 ns a step on one core, within reach
            or not: some dozens suit a character
        colliders: [collider_count]
    """
    _fields_ = [
        ("head", plait_head),
        ("bone_count", c_uint32),
        ("collider_count", c_uint32),
        ("colliders", POINTER(plait_collider)),
    ]
    _init_ = ((('head', 'type'), 11), (('head', 'size'), 32),)

# ---- hair

PLAIT_SOLVER_SHAPE = 1  # follow-the-leader in one pass, with an angular shape constraint; plait_shape_params


class plait_shape_params(_Struct):
    """Parameters of PLAIT_SOLVER_SHAPE for one group. plait_shape_params_default fills in defaults; values are taken
    literally, zero is zero.

    All zero: rigid and undamped. plait_shape_params_default moves like hair.

    Fields:
        compliance_root_s2: softness of the rest shape at the root: held level under gravity g, a strand of length L
            turns down by about g * compliance / L radians at its tip, nearly independent of its vertex count and of
            the step rate (from 60 Hz on). 0: rigid; 0.001: stiff; 0.1: limp; at most 1e6
        compliance_tip_s2: the same at the tip; linear in between
        shape_damping: damping of bending, in units of sqrt(compliance), 0 to 1000; below 0.1 soft curls may tremble,
            at 1 they creep back
        drag_per_s: rate at which velocity approaches the wind's, 0 to 1e6
        damping_per_s: rate at which velocity approaches the root's, 0 to 1e6: calms swinging, not free flight
        velocity_correction: 0 to 1: how much of its child's pull a vertex feels. 1: least damping
        collision_radius: clearance added to the strand's radius (that of its root), host units
    """
    _fields_ = [
        ("head", plait_head),
        ("compliance_root_s2", c_float),
        ("compliance_tip_s2", c_float),
        ("shape_damping", c_float),
        ("drag_per_s", c_float),
        ("damping_per_s", c_float),
        ("velocity_correction", c_float),
        ("collision_radius", c_float),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 14), (('head', 'size'), 48),)

PLAIT_SOLVER_HYBRID = 2  # discrete elastic rods, implicit; plait_hybrid_params


class plait_hybrid_params(_Struct):
    """Parameters of PLAIT_SOLVER_HYBRID for one group. Strands are elastic rods of the groom's radii whose rest shape
    is the groom's. The moduli act separately. Real hair has about 3e9 Pa for stretching and bending and 1e9 for
    twisting. The defaults differ: they are those of Huang et al. 2023, table 2, which gives no reasons. Their 1.6e7
    for stretching lengthens a strand of 0.3 m by 0.012 percent under its own weight. Bending (1.5e10) is 5 times and
    twisting (7.7e9) 8 times as stiff as real hair. Steps are cut into equal parts of at most 1/120 s. Strands whose
    shape changes too much in one solve it up to four times, or take it in two or four parts, with more damping in
    four. Stiffness that single precision cannot bear is taken as less: edges stretch by up to a thousandth at 120
    steps a second, and real hair, 0.08 mm thick, in segments of less than 0.4 mm (0.3 mm at 240 steps) bends too
    easily. No segment is ever longer than 1.04 times its rest length. Joints bent by more than 120 degrees stiffen,
    ten times at 168, so that none folds; where segments are drawn folded back by more than 150 degrees, the strand
    has a hinge. Surfaces are springs: a strand that rests on one lies within a third of a millimetre of it, one that
    strikes it at 3 m/s goes in by 2.5 mm. plait_hybrid_params_default fills in defaults; values are taken literally,
    zero is zero.

    Fields:
        stretch_modulus: Pa, 0 to 1e12
        bend_modulus: Pa, 0 to 1e12
        twist_modulus: Pa, 0 to 1e12: the shear modulus
        density: kg/m^3, 1 to 1e5
        flatness: of the section, 0 to 0.95. 0: round; else an ellipse of the same area whose short axis is 1 -
            flatness times the long one and lies in the plane in which the strand curls at the root
        damping_s: strain-rate damping: adds modulus times strain rate times this time to the stress, 0 to 1000
        drag_per_s: rate at which velocity approaches the wind's, 0 to 1e6
        clamp_extension: 0 to 1: how much of the first segment bends. 1: the strand is clamped at its root; 0: its
            first segment is held, which clamps it in the middle of that, as the plain discrete model does
        held_blend: 0 to 1: which part of the way to their bones held vertices go in 1/120 s or a shorter step; 1:
            all of it
        max_root_speed: host units per second: what a root moves beyond this, its strand moves along rigidly; 0: no
            limit
        max_root_turn: the same for their rotation, radians per second; 0: no limit
        collision_radius: clearance added to the strand's radius (that of its root), host units
        rest_gravity: sag-free, host units per second squared: the rest shape is chosen so that the groom as drawn,
            in its bind pose, is in equilibrium under this gravity. Zero: the groom is the rest shape and sags below
            it. Joints of the rest shape leave the drawn ones by at most half a radian, and together turn no edge by
            more than one, so that hair does not stand up where its weight fails it in motion. Where that is not
            enough, or the equilibrium is unstable, as for long soft strands drawn standing or lying, bending and
            twist are made stiffer, all of a strand by the same factor of up to 64: hair of the default moduli by 1
            to 35, curls the most. What supports a strand where it was drawn is not counted. Strands for which 64 is
            too little, or more than step_rate_hz allows (more steps a second allow more), or whose rest shape a rod
            cannot have, get the nearest one; plait_stats_info.sagging_strand_count counts them. Costs 2 to 4
            microseconds per vertex in plait_hair_create and plait_hair_set_params
    """
    _fields_ = [
        ("head", plait_head),
        ("stretch_modulus", c_float),
        ("bend_modulus", c_float),
        ("twist_modulus", c_float),
        ("density", c_float),
        ("flatness", c_float),
        ("damping_s", c_float),
        ("drag_per_s", c_float),
        ("clamp_extension", c_float),
        ("held_blend", c_float),
        ("max_root_speed", c_float),
        ("max_root_turn", c_float),
        ("collision_radius", c_float),
        ("rest_gravity", c_float * 3),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 27), (('head', 'size'), 80),)

PLAIT_HAIR_WATCH_MOTION = 1  # statistics of motion: restless and knotted strands, speeds; see plait_stats_info


class plait_mesh_pose_desc(_Struct):
    """Chained to plait_frame_desc, plait_hair_desc or plait_place_desc, for grooms with a plait_groom_mesh_desc: where
    the vertices of the mesh are, at the end of the frame. Without it they are where they were; before the first,
    where the groom was drawn. Between frames roots go straight, and strands turn on the shortest arc. The first
    after plait_hair_load is never a teleport. Only vertices of triangles that have roots are read: others may hold
    anything.

    Fields:
        vertex_count: the mesh's or more; the rest is ignored
        format: PLAIT_FORMAT_FLOAT32X3, or X4, whose w is ignored
        stride: bytes from vertex to vertex, a multiple of 4, at least the format's size; 0: that
        positions: host memory, host units, relative to the frame's origin, aligned to 4 bytes; null: they are in the
            memory of plait_hair_set_mesh_input, and the other fields do not count
    """
    _fields_ = [
        ("head", plait_head),
        ("vertex_count", c_uint32),
        ("format", c_uint32),
        ("stride", c_uint64),
        ("positions", c_void_p),
    ]
    _init_ = ((('head', 'type'), 36), (('head', 'size'), 40),)


class plait_hair_desc(_Struct):
    """Fields:
        head: may be followed by: plait_mesh_pose_desc
        body: zero: no colliders; its bone_count is at most the groom's
        solver: PLAIT_SOLVER_xxx
        params_count: 0: defaults; 1: one struct for all groups; else the groom's group_count
        params: [params_count] of the solver's parameter struct, each with its head set
        bones: [bone_count][12] where the hair starts; null: the bind pose
        meters_per_unit: length of a host unit, 1e-6 to 1e6; 0: 1. Centimetres: 0.01
        step_rate_hz: fixed internal steps per second, 1 to 10000; 0: 60
        substeps: per internal step, up to 64; 0: 1. Solver hybrid takes more where they exceed 1/120 s
        max_frame_s: longer frames are cut to this, 1e-6 to 10; 0: 0.1. step_rate_hz * substeps * max_frame_s is at
            most 10000
        teleport_distance: if a bone, or a vertex of the mesh, that roots are on moves farther in a frame, the hair
            teleports, host units; 0: never
        teleport_angle: the same for the rotation of a bone or triangle, radians, up to pi; 0: never
        flags: PLAIT_HAIR_xxx, or 0
    """
    _fields_ = [
        ("head", plait_head),
        ("groom", plait_groom),
        ("device", plait_device),
        ("body", plait_body),
        ("solver", c_uint32),
        ("params_count", c_uint32),
        ("params", c_void_p),
        ("bones", POINTER(c_float)),
        ("meters_per_unit", c_float),
        ("step_rate_hz", c_float),
        ("substeps", c_uint32),
        ("max_frame_s", c_float),
        ("teleport_distance", c_float),
        ("teleport_angle", c_float),
        ("flags", c_uint32),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 12), (('head', 'size'), 96),)


class plait_hair_info(_Struct):
    """Fields:
        groom: handles as given last; they may be stale
        time_s: simulated so far
        step_count: internal steps so far, substeps not counted
        bounds_min: box around the strands, radii included, host units, for culling. Comes from the last output
        bounds_max: with POSITION that was written (not from plait_hair_read); all zero before the first. On a GPU it
            may be a few frames old, and relative to the origin of then, unless plait_hair_wait came before
        binding: handle as given last; it may be stale; zero: none
        render_strand_count: that the last render output wrote and the host draws: the first so many of the render
            groom; see strand_fraction of plait_render_params; 0 before the first
        render_vertex_count: of all render strands, drawn or not: what a render output holds
        render_bounds_min: box around the render strands, like bounds_min; from the last render output with POSITION;
        render_bounds_max: zero before the first
        render_box_min: what the last render output with PLAIT_FORMAT_UNORM16X4 is relative to: position = min + (max
            -
        render_box_max: min) * value / 65535. It is larger than the bounds: hair in any motion stays in it, but for
            held vertices that are pulled away from their roots, which end at its sides. Comes with the frame's
            bones, at once on all devices; zero before the first
        render_max_radius: the same for radii
    """
    _fields_ = [
        ("head", plait_head),
        ("groom", plait_groom),
        ("device", plait_device),
        ("body", plait_body),
        ("solver", c_uint32),
        ("strand_count", c_uint32),
        ("vertex_count", c_uint32),
        ("reserved", c_uint32),
        ("time_s", c_double),
        ("step_count", c_uint64),
        ("bounds_min", c_float * 3),
        ("bounds_max", c_float * 3),
        ("binding", plait_binding),
        ("render_strand_count", c_uint32),
        ("render_vertex_count", c_uint32),
        ("render_bounds_min", c_float * 3),
        ("render_bounds_max", c_float * 3),
        ("render_box_min", c_float * 3),
        ("render_box_max", c_float * 3),
        ("render_max_radius", c_float),
        ("reserved2", c_uint32),
    ]
    _init_ = ((('head', 'type'), 13), (('head', 'size'), 168),)


class plait_frame_desc(_Struct):
    """Fields:
        head: may be followed by: plait_frame_sync_desc, plait_mesh_pose_desc, plait_vulkan_frame_desc
        dt: seconds since the last frame; 0: paused (bones may move; strands follow rigidly)
        bone_count: the groom's bone_count or more; the rest is ignored
        bones: [bone_count][12] at the end of the frame; null: as before
        gravity: host units per second squared
        wind: velocity of the air, host units per second
        colliders_enabled: bit i of word i/32 set: collider i acts; null: all act
        colliders_enabled_words: words given; colliders beyond them are off
        origin: the point of the world that bones are relative to, host units, each within 1e13; see Origin above. A
            frame with dt 0 and bones null changes nothing else
    """
    _fields_ = [
        ("head", plait_head),
        ("dt", c_float),
        ("bone_count", c_uint32),
        ("bones", POINTER(c_float)),
        ("gravity", c_float * 3),
        ("wind", c_float * 3),
        ("colliders_enabled", POINTER(c_uint32)),
        ("colliders_enabled_words", c_uint32),
        ("reserved", c_uint32),
        ("origin", c_double * 3),
    ]
    _init_ = ((('head', 'type'), 15), (('head', 'size'), 96),)

PLAIT_PLACE_RESET = 1  # as plait_hair_reset
PLAIT_PLACE_TELEPORT = 2  # as plait_hair_teleport


class plait_place_desc(_Struct):
    """Fields:
        head: may be followed by: plait_mesh_pose_desc
        kind: PLAIT_PLACE_xxx
        bone_count: as in plait_frame_desc
        bones: null: as last given
    """
    _fields_ = [
        ("head", plait_head),
        ("kind", c_uint32),
        ("bone_count", c_uint32),
        ("bones", POINTER(c_float)),
    ]
    _init_ = ((('head', 'type'), 37), (('head', 'size'), 32),)

# ---- equilibrium


class plait_settle_info(_Struct):
    """Result of plait_hair_settle. speed and acceleration are root mean squares over all vertices (speed squared times
    the hair's mass is twice its kinetic energy; acceleration times mass is the unbalanced force).

    Fields:
        step_count: steps made
        settled: 1: speed is within its limit, and acceleration too, or not told from what rounding makes
        speed: after the last step, host units per second
        acceleration: of the last step, or its mean over the last 16 to 256, whichever is less: rounding of positions
            makes steps noisy; host units per second squared
    """
    _fields_ = [
        ("head", plait_head),
        ("step_count", c_uint32),
        ("settled", c_uint32),
        ("speed", c_float),
        ("acceleration", c_float),
    ]
    _init_ = ((('head', 'type'), 29), (('head', 'size'), 32),)

plait_settle_desc_progress = CFUNCTYPE(c_int32, c_void_p, POINTER(plait_settle_info))


class plait_settle_desc(_Struct):
    """Fields:
        gravity: host units per second squared
        wind: host units per second
        max_speed: settled when speed and
        max_acceleration: acceleration are at most this; both 1e-30 to 1e9
        max_steps: gives up after this many, 1 to 10000000
        progress_steps: steps between calls of progress; 0: 100
        progress: Any result but PLAIT_OK ends plait_hair_settle, which returns it; the hair stays as it is then. May
            be null.
    """
    _fields_ = [
        ("head", plait_head),
        ("gravity", c_float * 3),
        ("wind", c_float * 3),
        ("max_speed", c_float),
        ("max_acceleration", c_float),
        ("max_steps", c_uint32),
        ("progress_steps", c_uint32),
        ("progress", plait_settle_desc_progress),
        ("user", c_void_p),
    ]
    _init_ = ((('head', 'type'), 28), (('head', 'size'), 72),)

# ---- memory and semaphores shared across devices, APIs or processes

PLAIT_EXTERNAL_OPAQUE_FD = 1  # VK_EXTERNAL_xxx_HANDLE_TYPE_OPAQUE_FD_BIT, CUDA's OPAQUE_FD
PLAIT_EXTERNAL_OPAQUE_WIN32 = 2  # the same for OPAQUE_WIN32


class plait_external_memory(_Struct):
    """Device memory shared across devices, APIs or processes. One side exports this struct, the other imports it
    unchanged. Going in: if the call succeeds Plait owns handle, if it fails the host still does. Coming out: the
    host owns handle, and imports it (which consumes it) or closes it.

    Fields:
        kind: PLAIT_EXTERNAL_xxx
        dedicated: 1: allocated for one buffer (VkMemoryDedicatedAllocateInfo), which begins at 0
        handle: the file descriptor, or the HANDLE
        allocation_size: bytes of the whole allocation (VkMemoryAllocateInfo.allocationSize)
        offset: of the output's memory in the allocation; a multiple of 4
        memory_type: VkMemoryAllocateInfo.memoryTypeIndex; CUDA needs none
        usage: VkBufferUsageFlags of a dedicated allocation's buffer, whose size must be that of the output; else 0
        device_uuid: of the device it was made on; any other: PLAIT_ERROR_OTHER_DEVICE
    """
    _fields_ = [
        ("head", plait_head),
        ("kind", c_uint32),
        ("dedicated", c_uint32),
        ("handle", c_int64),
        ("allocation_size", c_uint64),
        ("offset", c_uint64),
        ("memory_type", c_uint32),
        ("usage", c_uint32),
        ("device_uuid", c_uint8 * 16),
        ("driver_uuid", c_uint8 * 16),
    ]
    _init_ = ((('head', 'type'), 23), (('head', 'size'), 88), (('handle',), -1),)


class plait_external_semaphore(_Struct):
    """A timeline semaphore shared likewise; ownership of handle as in plait_external_memory.

    Fields:
        kind: PLAIT_EXTERNAL_xxx
    """
    _fields_ = [
        ("head", plait_head),
        ("kind", c_uint32),
        ("reserved", c_uint32),
        ("handle", c_int64),
        ("device_uuid", c_uint8 * 16),
        ("driver_uuid", c_uint8 * 16),
    ]
    _init_ = ((('head', 'type'), 24), (('head', 'size'), 64), (('handle',), -1),)


class plait_frame_sync_desc(_Struct):
    """Chained to plait_frame_desc: the frame's work begins when one semaphore reaches a value, and raises one (or the
    same) when the output is written. signal_value must be more than the semaphore's present value, than wait_value
    if it is the same semaphore, and than what earlier frames will raise it to. If both semaphores are of the hair's
    device and the output is in its memory (VkBuffer or external), plait_hair_step does not wait while at most two
    frames are under way (frames of more than 26 steps: 64 steps). Else it waits on the calling thread, before and
    after the work. A frame that waits holds up later work on its device, also that of other hairs, so that work must
    not be what it waits for. A frame that is refused (for example for a wrong dt or bone) or fails waits and signals
    nevertheless. It does not signal if these semaphores or values are refused, if the structs cannot be read, or if
    the device is lost or fails at the signal; the host may then raise the semaphore itself. One call at a time may
    step towards a signal_semaphore, whatever its hair: else PLAIT_ERROR_BUSY.

    Fields:
        wait_semaphore: zero: none
        signal_semaphore: zero: none
        signal_value: PLAIT_ERROR_LIMIT if 64 frames that will raise this semaphore are under way
    """
    _fields_ = [
        ("head", plait_head),
        ("wait_semaphore", plait_semaphore),
        ("wait_value", c_uint64),
        ("signal_semaphore", plait_semaphore),
        ("signal_value", c_uint64),
    ]
    _init_ = ((('head', 'type'), 26), (('head', 'size'), 48),)

# ---- hair-hair forces

PLAIT_VOLUME_SAND = 1  # keeps its volume and rubs (Drucker-Prager): strands stay together
PLAIT_VOLUME_FLUID = 2  # keeps its volume only (weakly compressible): strands flow apart


class plait_volume_params(_Struct):
    """Strands as a continuum, by the material point method on their own vertices (Huang et al. 2023): hair keeps the
    volume of the groom and rubs against itself, and no strand moves alone. The groom as drawn is what nothing
    strains: in its bind pose hair feels none of it. Defaults are those of that paper, tables 1 and 2, but for three:
    loose_closing and loose_opening are 1, for with 0.015 and 0.06 strands do not come back to their shape, and
    flip_ratio is 0.8, for with 0.3 they creep for many seconds before they lie still. No segment gets longer than
    the solver's limit by it, 1.04 of its length.

    Fields:
        model: PLAIT_VOLUME_xxx
        substeps: steps of the grid in one of the solver's, 1 to 3. Default 3: 1/360 s with solver hybrid at 120
            steps a second. Each costs the same
        cell_size: of the grid, host units, more than 0; about the length of a segment. Default: a centimetre
        youngs_modulus: Pa, 0 to 1e12: more keeps more volume. Taken as less where waves would cross more than 0.7 of
            a cell in a step: about 6e3 with the other defaults
        poisson_ratio: 0 to 0.49
        density: of hair, kg/m^3, 1 to 1e5: with the groom's radii it gives the mass
        friction_angle: radians, 0 to 1.5; sand only
        flip_ratio: 0 to 1: how much of its own velocity a vertex keeps in a step of the grid, instead of that of the
            hair around. Default 0.8. Less is like honey: strands that lie wrong come back slowly
        loose_closing: 0 to 1: how much of its own velocity moves it in a step, where hair closes. 1: strands go
            where the solver wants them, and feel the hair around by their velocities only. Less holds vertices
            against each other, also those of one strand
        loose_opening: the same where hair opens. The paper's "trap breaking ratios" are these two over flip_ratio
        simulated_share: of the strands that the head really has, 0 to 1: each simulated one has the mass of all that
            it stands for. It cancels out in the motion and counts in plait_volume_info only. 0, the default: the
            hair's strands over its render strands (plait_hair_set_binding); 0.03 without any
        strength: 0 to 1: how much of what the grid wants is done
        max_blocks: of 4x4x4 cells that the grid has memory for, 8 KB each; 0: four times those that the groom is in,
            and 64. Hair that needs more goes without hair-hair forces in the rest of them, and everywhere if it
            needs more than twice max_blocks and twice the default; PLAIT_MESSAGE_VOLUME_FULL tells
    """
    _fields_ = [
        ("head", plait_head),
        ("model", c_uint32),
        ("substeps", c_uint32),
        ("cell_size", c_float),
        ("youngs_modulus", c_float),
        ("poisson_ratio", c_float),
        ("density", c_float),
        ("friction_angle", c_float),
        ("flip_ratio", c_float),
        ("loose_closing", c_float),
        ("loose_opening", c_float),
        ("simulated_share", c_float),
        ("strength", c_float),
        ("max_blocks", c_uint32),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 30), (('head', 'size'), 72),)


class plait_volume_info(_Struct):
    """The last step of the grid. Momentum is kg times host units per second. What the grid got is what vertices gave
    it, and, but for colliders, vertices get it back, so all three are the same to the rounding of floats; held
    vertices do not take it.

    Fields:
        block_count: that hair is in
        block_capacity: that there is memory for
        homeless_vertex_count: vertices without a place in one of them, in all steps so far together
        mass: kg, of all vertices in the grid
        grid_mass: of all nodes
        momentum: of the vertices, before
        grid_momentum: of the nodes
        momentum_after: of the vertices, after
    """
    _fields_ = [
        ("head", plait_head),
        ("block_count", c_uint64),
        ("block_capacity", c_uint64),
        ("homeless_vertex_count", c_uint64),
        ("mass", c_double),
        ("grid_mass", c_double),
        ("momentum", c_double * 3),
        ("grid_momentum", c_double * 3),
        ("momentum_after", c_double * 3),
    ]
    _init_ = ((('head', 'type'), 31), (('head', 'size'), 128),)

# ---- output

# w of the four-component format: the vertex's radius, host units, scaled with the root's bones
PLAIT_ATTRIBUTE_POSITION = 1
PLAIT_ATTRIBUTE_TANGENT = 2  # unit vector from root to tip; w: 0
# POSITION of the last frame, for motion vectors, relative to the origin of this one; w: 0. After reset and teleport it
# equals POSITION
PLAIT_ATTRIBUTE_PREVIOUS_POSITION = 3
PLAIT_FORMAT_FLOAT32X3 = 1
PLAIT_FORMAT_FLOAT32X4 = 2
# POSITION of render strands: 0 to 65535 for render_box_min to render_box_max of plait_hair_info, w for 0 to
# render_max_radius; 8 bytes. Not of hair on a mesh: only bones tell the box
PLAIT_FORMAT_UNORM16X4 = 3
PLAIT_FORMAT_FLOAT16X4 = 4  # TANGENT of render strands, as half floats; 8 bytes


class plait_output_attribute(_Struct):
    """Vertex v (in the groom's order) is written at offset + v * stride.

    Fields:
        attribute: PLAIT_ATTRIBUTE_xxx
        format: PLAIT_FORMAT_xxx
        offset: bytes, a multiple of 4
        stride: bytes, a multiple of 4, at least the format's size
    """
    _fields_ = [
        ("head", plait_head),
        ("attribute", c_uint32),
        ("format", c_uint32),
        ("offset", c_uint64),
        ("stride", c_uint64),
    ]
    _init_ = ((('head', 'type'), 22), (('head', 'size'), 40),)


class plait_output_desc(_Struct):
    """Fields:
        head: may be followed by one of: plait_external_memory, plait_output_export_desc, plait_cuda_output_desc,
            plait_vulkan_output_desc
        attribute_count: at least 1
        attributes: may interleave with one stride, not overlap; each kind at most once
        memory: host memory, aligned to 4 bytes; null with one of the structs above
        size: bytes of memory, or of the memory that such a struct describes, from its offset on
    """
    _fields_ = [
        ("head", plait_head),
        ("attribute_count", c_uint32),
        ("reserved", c_uint32),
        ("attributes", POINTER(plait_output_attribute)),
        ("memory", c_void_p),
        ("size", c_uint64),
    ]
    _init_ = ((('head', 'type'), 16), (('head', 'size'), 48),)


class plait_output_export_desc(_Struct):
    """Chained to plait_output_desc: Plait allocates the memory on the hair's device, for others to import.

    Fields:
        kind: PLAIT_EXTERNAL_xxx
    """
    _fields_ = [
        ("head", plait_head),
        ("kind", c_uint32),
        ("reserved", c_uint32),
    ]
    _init_ = ((('head', 'type'), 25), (('head', 'size'), 24),)

# ---- render strands

PLAIT_BINDING_BY_GROUP = 1  # strands follow guides of the group that has their own group's number, if it has any

plait_binding_desc_progress = CFUNCTYPE(c_int32, c_void_p, c_uint32, c_uint32)


class plait_binding_desc(_Struct):
    """Which guides each strand of a render groom follows. Both grooms are drawn in the same bind pose and unit.

    Fields:
        guides: the groom of the hairs that shall carry the render strands
        render: strands to be drawn: any number, with any vertex counts. Of its bones, root bindings, normals and
            held counts nothing is used: roots go where those of their guides go
        guide_count: that a strand follows, 1 to 4; fewer where fewer are near; 0: 3
        flags: PLAIT_BINDING_xxx, or 0
        parting_angle: radians, up to 3.15: a strand follows no two guides that leave the scalp in directions farther
            apart, nor, where there are others, one that leaves it in another direction than itself. The direction is
            that of the first third of a strand. 0: 0.8
        shape_weight: 0 to 100: how much a difference in shape counts beside the distance of roots. The shape is that
            of points along the strand, relative to its root. 0: 1
        length_weight: the same for a difference in length. 0: 0.3
        progress: Called now and then from the calling thread. Any result but PLAIT_OK ends plait_binding_create,
            which returns it. May be null.
    """
    _fields_ = [
        ("head", plait_head),
        ("guides", plait_groom),
        ("render", plait_groom),
        ("guide_count", c_uint32),
        ("flags", c_uint32),
        ("parting_angle", c_float),
        ("shape_weight", c_float),
        ("length_weight", c_float),
        ("reserved", c_uint32),
        ("progress", plait_binding_desc_progress),
        ("user", c_void_p),
    ]
    _init_ = ((('head', 'type'), 32), (('head', 'size'), 72),)


class plait_binding_info(_Struct):
    """Fields:
        strand_count: of the render groom
        single_count: strands that follow one guide alone
        row_count: guides as strands see them, cut to as many vertices as these have; a few for each guide
        guides_identity: plait_groom_info.identity of the two grooms
        mean_distance: from the root of a strand to that of its nearest guide, host units
        memory_bytes: on the host; a hair has some 20 bytes a vertex on its device, 32 on a GPU
    """
    _fields_ = [
        ("head", plait_head),
        ("guide_strand_count", c_uint32),
        ("strand_count", c_uint32),
        ("vertex_count", c_uint32),
        ("max_vertex_count", c_uint32),
        ("single_count", c_uint32),
        ("row_count", c_uint32),
        ("guides_identity", c_uint64),
        ("render_identity", c_uint64),
        ("mean_distance", c_float),
        ("max_distance", c_float),
        ("memory_bytes", c_uint64),
    ]
    _init_ = ((('head', 'type'), 33), (('head', 'size'), 72),)

PLAIT_RENDER_PUSH_OUT = 1  # see flags of plait_render_params


class plait_render_params(_Struct):
    """How render strands look. plait_render_params_default fills in defaults; values are taken literally, zero is zero.

    Fields:
        single_root: 0 to 1: how much of a strand's place comes from its nearest guide alone, at the root; the rest
            from
        single_tip: all of its guides; and at the tip, linear in between. Default: 0 and 0. More makes locks
        length: 0.01 to 1: the strand is cut to this share of its segments, which is that of its length where they
            are drawn alike; its vertices move together. Default 1
        width_root: 0 to 1000: multiplies radii at the root; default 1
        width_tip: and at the tip of what is left of the strand; linear in between; default 1
        strand_fraction: Level of detail, may change in any frame. Nothing jumps: what goes away gets thin before, or
            slides along its strand. 0.001 to 1: only the first strands of the render groom are written, this share
            of them and a tenth of it more, which get thin, for the host to draw
            (plait_hair_info.render_strand_count); the others' memory may hold anything. All get wider, so that
            together they cover as much. Grooms should have their strands in random order. Default 1
        vertex_fraction: 0.001 to 1: the first vertices of a strand, 1 + fraction * (vertices - 1) rounded up, spread
            over all of it; those behind lie on its tip. Default 1
        flags: 0, or PLAIT_RENDER_PUSH_OUT: vertices within colliders of the hair's body, those enabled in the frame,
            go to the nearest point of the surface, and their radius (that of full detail) beyond it; in the first
            eighth of a strand less and less, roots not at all. For guides are outside of colliders, and what is
            between them need not be. The cost grows with the colliders. Default 0
    """
    _fields_ = [
        ("head", plait_head),
        ("single_root", c_float),
        ("single_tip", c_float),
        ("length", c_float),
        ("width_root", c_float),
        ("width_tip", c_float),
        ("strand_fraction", c_float),
        ("vertex_fraction", c_float),
        ("flags", c_uint32),
    ]
    _init_ = ((('head', 'type'), 34), (('head', 'size'), 48),)


class plait_render_style(_Struct):
    """How strands of one group are styled, in the bind pose: guides then carry along the strands so made. So styles
    cost a frame nothing, and tangents, previous positions, bounds and levels of detail are those of the styled
    strands. Roots stay where they are, and everything grows in from there without a kink. Strands differ by their
    number and the seed alone: the same on all devices, in every frame, whatever the level of detail. Shares of a
    strand are those of its segments. Lengths are in host units; those that divide are 0 (off) or 1e-6 to 1e6.
    plait_render_style_default fills in a style that changes nothing; values are taken literally.

    Fields:
        length: 0.01 to 1: like that of plait_render_params, and multiplies it. Default 1
        width_root: 0 to 1000: multiplies radii at the root; default 1
        width_tip: and at the tip of what `length` leaves of the strand; linear in between; default 1
        scatter: 0 to 1e6: tips move aside from the direction of the root by up to this, other vertices by their
            share of it. Default 0
        clump: 0 to 1: how much of the way to the strand in the middle of its clump a tip goes; that is one of the
            render groom, and the others of the clump go to the vertex at their share of it. Default 0
        clump_begin: 0 to 0.99: share of the strand up to which it stays where it is. Default 0
        clump_size: least distance of the roots of two such middles. Strands go to the nearest of their group that is
            on their side of a parting and like them: points along both, seen from the roots, are no farther apart
            than twice this, root mean square. 0: no clumps. Default 0
        curl_radius: 0 to 1e6: a helix about the strand's own path, which grows in over the first turn. Strands of a
            clump wind together, about its middle; others begin anywhere. Default 0
        curl_pitch: length of the strand in a turn; several vertices a turn are needed to show it. 0: no curls.
            Default 0
        frizz: 0 to 1e6: waves across the strand, which leave its path by at most this and grow in over the first
            frizz_length. Default 0
        frizz_length: their wavelength, which strand by strand is up to twice this. 0: no frizz. Default 0
        seed: another one: other strands go other ways. Default 0
    """
    _fields_ = [
        ("head", plait_head),
        ("length", c_float),
        ("width_root", c_float),
        ("width_tip", c_float),
        ("scatter", c_float),
        ("clump", c_float),
        ("clump_begin", c_float),
        ("clump_size", c_float),
        ("curl_radius", c_float),
        ("curl_pitch", c_float),
        ("frizz", c_float),
        ("frizz_length", c_float),
        ("seed", c_uint32),
    ]
    _init_ = ((('head', 'type'), 38), (('head', 'size'), 64),)

# ---- state

# ---- statistics


class plait_stats_info(_Struct):
    """Fields:
        frame_count: frames so far
        step_count: internal steps so far, substeps not counted
        teleport_count: automatic ones
        clamped_frame_count: frames longer than max_frame_s
        nonfinite_strand_count: strands that were not finite and were put back, so far
        frame_s: wall time of the last frame
        worst_stretch: largest length of a strand over its rest length after the last step, minus 1; shape: never
            more than 0.04, where colliders leave no room; hybrid: 0.04 (0.2 with rest_gravity), unless held vertices
            are pulled apart. Rounding adds up to 1 um (1.2e-7 of the size of grooms beyond 4 m) over the length of a
            segment
        mean_length_error: mean of |length over rest length - 1| over all strands after the last step
        bytes_asset: device memory for rest shape, bindings and parameters
        bytes_state: positions, velocities
        bytes_work: bones, colliders, scratch, history for previous positions
        dispatches_per_step: commands of a step and the output after it, as last recorded;
        barriers_per_step: 0 before the first step, and on devices without commands, as the CPU
        sagging_strand_count: strands that will not stay as drawn under rest_gravity, see plait_hybrid_params
        restless_strand_count: The next four are of hairs with PLAIT_HAIR_WATCH_MOTION, else zero, and as of the last
            step of the last frame. It is a flag of the hair because how long strands have been wound up can only be
            known by looking while frames pass: once a frame, however many steps it has, for a quarter of the time of
            one step of solver shape and 16 bytes a strand. After plait_hair_reset, _teleport, _load and _set_device
            all is zero until the next step, and both times begin anew. strands with a vertex faster than 1 cm/s,
            though every bone that a root or a collider hangs on has had the same matrix, to the bit, for 5 s (when
            the origin changes: to the rounding of its floats); 0 before that
        knotted_strand_count: strands that turn by 540 degrees more than in the groom (angles between segments in a
            row, all together), and have done so for more than half a second
        rms_speed: root mean square over all vertices, host units per second. Hair that is slow while bones are still
            needs no steps
        fastest_speed: of all vertices. Rounding adds to both up to 1 um (1.2e-7 of the size of grooms beyond 4 m)
            times step_rate_hz times substeps, and in frames with another origin that of the bones' floats
        cut_strand_count: Not only of watched hairs. solver hybrid: strands with a segment that was held at the limit
            of its length, so far; one counts anew in every step, and in every part of one that it takes in parts.
            There should be next to none unless roots jump
    """
    _fields_ = [
        ("head", plait_head),
        ("strand_count", c_uint32),
        ("vertex_count", c_uint32),
        ("frame_count", c_uint64),
        ("step_count", c_uint64),
        ("teleport_count", c_uint64),
        ("clamped_frame_count", c_uint64),
        ("nonfinite_strand_count", c_uint64),
        ("frame_s", c_double),
        ("worst_stretch", c_float),
        ("mean_length_error", c_float),
        ("bytes_asset", c_uint64),
        ("bytes_state", c_uint64),
        ("bytes_work", c_uint64),
        ("dispatches_per_step", c_uint32),
        ("barriers_per_step", c_uint32),
        ("sagging_strand_count", c_uint64),
        ("restless_strand_count", c_uint64),
        ("knotted_strand_count", c_uint64),
        ("rms_speed", c_float),
        ("fastest_speed", c_float),
        ("cut_strand_count", c_uint64),
    ]
    _init_ = ((('head', 'type'), 17), (('head', 'size'), 152),)


class plait_stage_info(_Struct):
    """Fields:
        name: "roots", "shape", "output"
        frame_s: time in this stage during the last frame, summed over threads: can exceed wall time
        total_s: since creation
        run_count: since creation
    """
    _fields_ = [
        ("head", plait_head),
        ("name", c_char * 64),
        ("frame_s", c_double),
        ("total_s", c_double),
        ("run_count", c_uint64),
    ]
    _init_ = ((('head', 'type'), 18), (('head', 'size'), 104),)


# ---- functions

# Name, type of the result, types of the arguments, documentation.
FUNCTIONS = [
    ("plait_library_query", c_int32, [POINTER(plait_library_info)],
     """plait_library_query(info)

     Version of the loaded library, which may differ from that of this header. Any thread.
     """),
    ("plait_result_text", c_char_p, [c_int32],
     """plait_result_text(result)

     Short English text for a result, static, never null; "unknown result" for any other number. Any thread.
     """),
    ("plait_get_proc_address", plait_proc, [c_char_p],
     """plait_get_proc_address(name)

     A function of this header or plait_vulkan.h by name, to be cast to its PFN_ type; null if the name is null or
     unknown. Hosts that open the library at run time need only this symbol. Any thread.
     """),
    ("plait_context_create", c_int32, [POINTER(plait_context_desc), POINTER(plait_context)],
     """plait_context_create(desc, context)

     Creates a context, which owns everything else. desc null: all defaults. At most 255 at once. Starts the threads
     of the pool. Any thread.
     """),
    ("plait_context_destroy", c_int32, [plait_context],
     """plait_context_destroy(context)

     Destroys a context and everything left in it. New calls on the context and its objects get
     PLAIT_ERROR_INVALID_HANDLE. It waits for frames under way and for calls that already run in other threads;
     semaphores that these wait for are raised as plait_semaphore_destroy does. From a callback of a call in the
     context: PLAIT_ERROR_BUSY. Joins the threads of the pool. After fork(), this is the only function that the child
     may call on what it inherits, and only if no call was running and no GPU device was open. Any thread.
     """),
    ("plait_backend_enumerate", c_int32, [plait_context, POINTER(c_uint32), POINTER(plait_backend_info)],
     """plait_backend_enumerate(context, count, infos)

     Lists the backends of this library, available or not. infos null: *count becomes their number. Else *count is
     the length of infos, all with their heads set, and becomes the number written; PLAIT_INCOMPLETE if there are
     more. Cost: under a millisecond; the first time in a context it loads drivers, up to a second. Any thread.
     """),
    ("plait_device_enumerate", c_int32, [plait_context, POINTER(c_uint32), POINTER(plait_device_info)],
     """plait_device_enumerate(context, count, infos)

     Lists the devices of all available backends, best first. Count, infos and cost as in plait_backend_enumerate.
     Any thread.
     """),
    ("plait_device_open", c_int32, [plait_context, POINTER(plait_device_desc), POINTER(plait_device)],
     """plait_device_open(context, desc, device)

     Opens a device. desc null: the best available. Any number may be open, also several of one backend. Cost: under
     a millisecond for the CPU; others load a driver and compile kernels, up to a second. Any thread.
     """),
    ("plait_device_close", c_int32, [plait_device],
     """plait_device_close(device)

     The handle becomes invalid; the device itself lives until its last hair and semaphore are destroyed. Cost: the
     call that ends the device waits for it, some milliseconds. Any thread.
     """),
    ("plait_device_query", c_int32, [plait_device, POINTER(plait_device_info)],
     """plait_device_query(device, info)

     Any thread.
     """),
    ("plait_device_save_cache", c_int32, [plait_device, POINTER(c_uint64), c_void_p],
     """plait_device_save_cache(device, size, memory)

     Kernels as compiled by the driver, for the host to keep on disk and pass as plait_device_desc.cache next time.
     memory null: *size becomes the bytes needed, 0 if there is nothing to keep (CPU). Else *size is the size of
     memory and becomes the bytes written. Any thread.
     """),
    ("plait_groom_create", c_int32, [plait_context, POINTER(plait_groom_desc), POINTER(plait_groom)],
     """plait_groom_create(context, desc, groom)

     Checks and copies a groom. It never changes; any number of hairs on any devices of the context may share it.
     With PLAIT_ERROR_INVALID_GROOM the log names strand and vertex: not finite, segment of length zero, fewer than 2
     or too many vertices, bone or group out of range, weights that sum to zero. Strands that fold back are taken,
     and PLAIT_MESSAGE_STRANDS_FOLD says how many and names the first. Cost: linear in the vertices. Any thread.
     """),
    ("plait_groom_read_roots", c_int32, [plait_groom, c_uint32, POINTER(c_uint32), POINTER(c_float), POINTER(c_float)],
     """plait_groom_read_roots(groom, strand_count, triangles, barycentrics, distances)

     Where the roots of a groom with a plait_groom_mesh_desc are, to be kept with the asset: strand_count (the
     groom's) triangles, three barycentric coordinates each, and distances from the triangle's plane or edge in the
     bind pose, host units. Each array may be null. PLAIT_ERROR_UNSUPPORTED without a mesh. Cost: linear in the
     strands. Any thread.
     """),
    ("plait_groom_destroy", c_int32, [plait_groom],
     """plait_groom_destroy(groom)

     The handle becomes invalid; hairs made from the groom keep it alive. Any thread.
     """),
    ("plait_groom_query", c_int32, [plait_groom, POINTER(plait_groom_info)],
     """plait_groom_query(groom, info)

     Any thread.
     """),
    ("plait_body_create", c_int32, [plait_context, POINTER(plait_body_desc), POINTER(plait_body)],
     """plait_body_create(context, desc, body)

     Checks and copies the colliders. They never change; any number of hairs may share them. Cost: linear. Any
     thread.
     """),
    ("plait_body_destroy", c_int32, [plait_body],
     """plait_body_destroy(body)

     The handle becomes invalid; hairs that use the body keep it alive. Any thread.
     """),
    ("plait_shape_params_default", c_int32, [c_float, POINTER(plait_shape_params)],
     """plait_shape_params_default(meters_per_unit, params)

     Fills params (head set by the caller) with what params_count 0 gives a hair of this
     plait_hair_desc.meters_per_unit (0: 1); suits shoulder-long hair. Any thread.
     """),
    ("plait_hybrid_params_default", c_int32, [c_float, POINTER(plait_hybrid_params)],
     """plait_hybrid_params_default(meters_per_unit, params)

     Fills params (head set by the caller) with what params_count 0 gives a hair of this
     plait_hair_desc.meters_per_unit (0: 1). Any thread.
     """),
    ("plait_hair_create", c_int32, [plait_context, POINTER(plait_hair_desc), POINTER(plait_hair)],
     """plait_hair_create(context, desc, hair)

     Creates a running head of hair at rest. Allocates all that stepping needs. PLAIT_ERROR_TOO_LARGE if the device
     cannot address it: on Vulkan a whole hair, some 60 bytes a vertex (480 with solver hybrid), lies in one storage
     buffer, whose limit is 128 MiB at least and usually 4 GiB. Cost: linear in the vertices; uses the job system.
     Any thread.
     """),
    ("plait_hair_destroy", c_int32, [plait_hair],
     """plait_hair_destroy(hair)

     Waits for its frames. Any thread; PLAIT_ERROR_BUSY while another call uses the hair.
     """),
    ("plait_hair_query", c_int32, [plait_hair, POINTER(plait_hair_info)],
     """plait_hair_query(hair, info)

     Serialised.
     """),
    ("plait_hair_step", c_int32, [plait_hair, POINTER(plait_frame_desc)],
     """plait_hair_step(hair, frame)

     Advances the hair by one frame: as many fixed steps as fit into dt and the time left over from before, with
     bones interpolated in between (rotations on the shortest arc). Then writes the output, if one is set. If every
     frame is a whole number of steps, the output is that of the last step. Otherwise it is blended between the last
     two, relative to the roots, so that motion is smooth at any frame rate: strands move one step late, roots are
     always where the bones are. On a GPU it may return before the work is done, see plait_hair_wait and
     plait_frame_sync_desc. Allocates nothing; uses the job system. Cost: linear in vertices and steps, see
     plait_stats_info. Serialised; different hairs may step at the same time.
     """),
    ("plait_hairs_step", c_int32, [plait_context, c_uint32, POINTER(plait_hair), POINTER(plait_frame_desc)],
     """plait_hairs_step(context, hair_count, hairs, frames)

     Advances many hairs by one frame each, frames[i] for hairs[i]: to the same bits as plait_hair_step one after the
     other, in the order of the array, but as one piece of work. On the CPU threads go from hair to hair without
     waiting for each other, and share what is large. On Vulkan, frames of one device are one submission, unless
     another thread makes such a call on it at the same time or a frame must be waited for in between. Hairs may
     differ in device, solver and all else, and must be of the context, each there once. Either all frames are
     accepted or none is run: the message names the element. Frames then wait and signal like refused ones of
     plait_hair_step: all of them if a frame is wrong (its dt, a bone, a mesh), none if a handle, a struct or a
     semaphore is. If a device fails, its hairs may have moved or not; hairs of other devices are stepped, and the
     result is that of the first hair that failed. Signals of frames that the calling thread raises come when all
     frames before the next that must be waited for are done; 64 frames of a call can raise the same semaphore.
     hair_count 0 does nothing. Allocates nothing; uses the job system. Cost: that of the steps, and some
     microseconds a hair. Serialised, for each of the hairs.
     """),
    ("plait_hair_wait", c_int32, [plait_hair, c_uint64],
     """plait_hair_wait(hair, timeout_ns)

     Waits until the output of the last step is written, at most timeout_ns; then PLAIT_ERROR_TIMEOUT. Devices that
     work synchronously (CPU, null) return at once. Serialised.
     """),
    ("plait_hair_set_params", c_int32, [plait_hair, c_uint32, c_void_p],
     """plait_hair_set_params(hair, params_count, params)

     Replaces the parameters of all groups (count and params as in plait_hair_desc), from the next step on. Cost:
     linear in the strands; in the vertices with solver hybrid. Serialised.
     """),
    ("plait_hair_set_device", c_int32, [plait_hair, plait_device],
     """plait_hair_set_device(hair, device)

     Moves a running hair to another device of the same context, between two frames: strands go on from where they
     are, output goes on into the same memory. If it fails, as for lack of memory, the hair stays as it was.
     PREVIOUS_POSITION equals POSITION once. From a lost device (PLAIT_ERROR_DEVICE_LOST) strands go on from a state
     at most 16 frames before the loss, carried along to where their roots are now. An output that the new device
     cannot write (a VkBuffer, CUDA memory) must be set to none before. Allocates. Cost: like plait_hair_create.
     Serialised.
     """),
    ("plait_hair_set_body", c_int32, [plait_hair, plait_body],
     """plait_hair_set_body(hair, body)

     Attaches another body, or none (zero). A collider on a bone that neither roots nor the body before hang on is
     where the bone was at the end of the last frame: if that lies between two steps, the collider moves by less than
     a step in the first one, and drags strands by that much less. May allocate. Cost: linear in the colliders times
     the strands. Serialised.
     """),
    ("plait_hair_reset", c_int32, [plait_hair, c_uint32, POINTER(c_float)],
     """plait_hair_reset(hair, bone_count, bones)

     Puts every strand into its rest shape at the given bones, without motion. bones null: as last given. The output
     changes with the next step. Cost: linear in the vertices. Serialised.
     """),
    ("plait_hair_teleport", c_int32, [plait_hair, c_uint32, POINTER(c_float)],
     """plait_hair_teleport(hair, bone_count, bones)

     Carries every strand rigidly to the given bones, keeping shape and velocity relative to its root. For cuts and
     portals. bones null: as last given. The output changes with the next step. Cost: linear in the vertices.
     Serialised.
     """),
    ("plait_hair_place", c_int32, [plait_hair, POINTER(plait_place_desc)],
     """plait_hair_place(hair, desc)

     plait_hair_reset or plait_hair_teleport, also for hair on a mesh. Cost: linear in the vertices. Serialised.
     """),
    ("plait_hair_settle", c_int32, [plait_hair, POINTER(plait_settle_desc), POINTER(plait_settle_info)],
     """plait_hair_settle(hair, desc, info)

     Brings the hair to rest at its present bones by dynamic relaxation with kinetic damping: steps of the usual
     length, in which all strands stop whenever their kinetic energy has passed a peak, until speed and acceleration
     are within their limits. All colliders act. Time does not pass, and the strands are at rest afterwards. Returns
     PLAIT_OK also when max_steps were not enough: see info.settled. Writes the output at the end. info may be null.
     Allocates. Cost: linear in vertices and steps. Serialised.
     """),
    ("plait_semaphore_create", c_int32, [plait_device, POINTER(plait_external_semaphore), POINTER(plait_semaphore)],
     """plait_semaphore_create(device, external, semaphore)

     A timeline semaphore: a number on a device that only grows. Frames wait until it reaches a value, and raise it
     to another. external null: a new one, at 0. Else it imports another side's; PLAIT_ERROR_UNSUPPORTED if
     plait_device_info.interop lacks PLAIT_INTEROP_SEMAPHORE_xxx. Any thread.
     """),
    ("plait_semaphore_destroy", c_int32, [plait_semaphore],
     """plait_semaphore_destroy(semaphore)

     Raises it to the highest value still waited for, so that nothing waits forever: frames continue, and calls that
     wait return (PLAIT_ERROR_INVALID_HANDLE if they begin at the same time). May wait for frames that raise it to
     less, up to a second each. Any thread.
     """),
    ("plait_semaphore_export", c_int32, [plait_semaphore, c_uint32, POINTER(plait_external_semaphore)],
     """plait_semaphore_export(semaphore, kind, external)

     A handle by which another side can import it; kind: PLAIT_EXTERNAL_xxx. Each call makes a new one. Any thread.
     """),
    ("plait_semaphore_query", c_int32, [plait_semaphore, POINTER(c_uint64)],
     """plait_semaphore_query(semaphore, value)

     Its present value. Any thread.
     """),
    ("plait_semaphore_wait", c_int32, [plait_semaphore, c_uint64, c_uint64],
     """plait_semaphore_wait(semaphore, value, timeout_ns)

     Waits until it reaches value, at most timeout_ns; then PLAIT_ERROR_TIMEOUT. PLAIT_ERROR_UNSUPPORTED if the value
     cannot be observed in time, see plait_cuda.h. Any thread.
     """),
    ("plait_semaphore_signal", c_int32, [plait_semaphore, c_uint64],
     """plait_semaphore_signal(semaphore, value)

     Raises it to value, which must be more than its present value. While a frame under way will raise it, both could
     happen at the same moment: PLAIT_ERROR_INVALID_ARGUMENT, unless that frame first waits for this semaphore to
     reach value or more. Any thread.
     """),
    ("plait_volume_params_default", c_int32, [c_float, POINTER(plait_volume_params)],
     """plait_volume_params_default(meters_per_unit, params)

     Fills params (head set by the caller) with defaults for a hair of this plait_hair_desc.meters_per_unit (0: 1).
     Any thread.
     """),
    ("plait_hair_set_volume", c_int32, [plait_hair, POINTER(plait_volume_params)],
     """plait_hair_set_volume(hair, params)

     Turns hair-hair forces on, changes them, or turns them off (params null), from the next step on; hairs are made
     without. Works with all solvers, for one hair: hairs do not feel each other. The state that plait_hair_save
     writes grows when they are turned on for the first time. Cost: like plait_hair_create when they go on or off or
     substeps, max_blocks, cell_size or density change, which allocates; else a microsecond. Serialised.
     """),
    ("plait_hair_volume", c_int32, [plait_hair, POINTER(plait_volume_info)],
     """plait_hair_volume(hair, info)

     All zero without hair-hair forces. Cost: linear in the vertices and blocks; on a GPU it waits and copies them.
     Serialised.
     """),
    ("plait_hair_set_output", c_int32, [plait_hair, POINTER(plait_output_desc)],
     """plait_hair_set_output(hair, output)

     Every later step and plait_hair_settle write their result here. The memory stays the host's and must stay valid
     until another output or none (output null) is set, or the hair is destroyed. May allocate. Serialised.
     """),
    ("plait_hair_set_mesh_input", c_int32, [plait_hair, POINTER(plait_output_desc)],
     """plait_hair_set_mesh_input(hair, input)

     For hair on a mesh (plait_groom_mesh_desc) whose host skins it on the GPU: frames with a plait_mesh_pose_desc
     without positions read them from here, on the device, when their work begins, so semaphores of the frame order
     that. The memory is described as for an output, with one attribute, POSITION, for all vertices of the mesh; it
     is external memory or memory of the host's device (plait_vulkan.h, plait_cuda.h). Null: none. What is not finite
     leaves strands where they are. The library does not know where such a mesh is: in large worlds frames should
     give bones, and root_bones of the groom name the one that is near. It sees no jumps either, so that
     plait_hair_place must say where one is, and hair counts as moving. plait_hair_set_device as for an output. May
     allocate. Serialised.
     """),
    ("plait_hair_export_output", c_int32, [plait_hair, POINTER(plait_external_memory)],
     """plait_hair_export_output(hair, memory)

     A handle by which another device or process can import the memory of an output with a plait_output_export_desc.
     Each call makes a new one. The memory lives until the last side lets go of it. Serialised.
     """),
    ("plait_hair_read", c_int32, [plait_hair, POINTER(plait_output_desc)],
     """plait_hair_read(hair, output)

     Writes the present strands once into the memory given (host memory, a VkBuffer or CUDA memory), which need not
     outlive the call, and waits for it. PREVIOUS_POSITION can only be read while the output set has it. Cost: linear
     in the vertices. Serialised.
     """),
    ("plait_binding_create", c_int32, [plait_context, POINTER(plait_binding_desc), POINTER(plait_binding)],
     """plait_binding_create(context, desc, binding)

     Finds the guides of every strand: those that are nearest by the distance of roots, shape and length together, in
     the bind pose. It never changes; any number of hairs on any devices of the context may share it. Keeps both
     grooms alive. Cost: some microseconds a strand, over the threads of the job system; allocates. Any thread.
     """),
    ("plait_binding_save", c_int32, [plait_binding, POINTER(c_uint64), c_void_p],
     """plait_binding_save(binding, size, memory)

     A binding as bytes, for the host to keep with the asset. memory null: *size becomes the bytes needed. Else *size
     is the size of memory and becomes the bytes written. Cost: linear in the strands. Any thread.
     """),
    ("plait_binding_load", c_int32, [plait_context, plait_groom, plait_groom, c_void_p, c_uint64, POINTER(plait_binding)],
     """plait_binding_load(context, guides, render, memory, size, binding)

     A binding from what plait_binding_save has written. PLAIT_ERROR_INVALID_STATE if it is damaged, of another
     version, or if the grooms are not of the content (plait_groom_info.identity) that it was made for. Cost: linear
     in the strands; allocates. Any thread.
     """),
    ("plait_binding_destroy", c_int32, [plait_binding],
     """plait_binding_destroy(binding)

     The handle becomes invalid; hairs that carry the binding keep it alive. Any thread.
     """),
    ("plait_binding_query", c_int32, [plait_binding, POINTER(plait_binding_info)],
     """plait_binding_query(binding, info)

     Any thread.
     """),
    ("plait_hair_set_binding", c_int32, [plait_hair, plait_binding],
     """plait_hair_set_binding(hair, binding)

     The hair carries the render strands of a binding, or none (zero). The binding's guides must be the hair's groom,
     or one of the same content. Another binding than before takes the render output and styles off; parameters stay.
     Saved states are not touched by it. Cost: like plait_hair_create, and linear in the render vertices; allocates.
     Serialised.

     Every vertex of a guide has turned since the bind pose: with the scalp, and then by the shortest way from the
     direction that the guide was drawn in there to its present one (directions are those of chords over a quarter of
     its vertices: of its bends, not of its single curls). These turns and the guide's shifts move the render strand,
     each vertex by those of its place along the guide: by its number, as long as both are drawn alike; else by its
     length from the root, to a fifth; beyond the guide's tip, with that. Its own shape turns with it, and the
     distance of its root from the guide's with the scalp: curls stay curls, and roots stay on the scalp. Where
     guides bend sharply that a strand is unlike in shape, it would be stretched: segments are cut to 1.04 of their
     length, as scaled by bones, and what is behind them moves up. A strand that lies on a guide, root on root,
     follows it exactly, whatever vertices it has (if no dozen of other guides begin there), and up to that length.
     Pushing out comes after that and may stretch strands again. Bones that scale unevenly or shear move roots
     between guides off the scalp by what they differ from a turn and one scale. Previous positions are those of the
     last frame's pose with the present parameters. Of several guides the results are weighted ("multi-strand"), or
     only the nearest counts ("single-strand"), see plait_render_params (Yuksel and Tariq 2010, Huang et al. 2023,
     sec. 5).
     """),
    ("plait_render_params_default", c_int32, [POINTER(plait_render_params)],
     """plait_render_params_default(params)

     Fills params (head set by the caller) with defaults. Any thread.
     """),
    ("plait_hair_set_render_params", c_int32, [plait_hair, POINTER(plait_render_params)],
     """plait_hair_set_render_params(hair, params)

     From the next output on, for this hair's present and later bindings. Allocates nothing. Serialised.
     """),
    ("plait_render_style_default", c_int32, [POINTER(plait_render_style)],
     """plait_render_style_default(style)

     Fills style (head set by the caller) with defaults. Any thread.
     """),
    ("plait_hair_set_render_styles", c_int32, [plait_hair, c_uint32, POINTER(plait_render_style)],
     """plait_hair_set_render_styles(hair, style_count, styles)

     From the next render output on. style_count: 0, no styles, as before the first call; 1, one for all groups of
     the render groom; else its group_count. Needs a binding; another binding takes the styles off. May be called in
     every frame. Cost: a microsecond, and in the next frame a pass over the render vertices; the first call,
     style_count 0 and another clump_size cost like plait_hair_set_binding. Allocates. Styles take 48 bytes a render
     vertex on the device. Serialised.
     """),
    ("plait_hair_set_render_output", c_int32, [plait_hair, POINTER(plait_output_desc)],
     """plait_hair_set_render_output(hair, output)

     The same as plait_hair_set_output for the render strands of the hair's binding, beside it or alone: vertex v is
     that of the render groom. Both outputs may be in one memory if they do not overlap. A frame's signal comes when
     both are written. Host memory on the CPU is written past the caches where POSITION has four floats at a stride
     of 16 bytes and an address that is a multiple of 16. May allocate. Serialised.
     """),
    ("plait_hair_export_render_output", c_int32, [plait_hair, POINTER(plait_external_memory)],
     """plait_hair_export_render_output(hair, memory)

     The same as plait_hair_export_output for the memory of the render output. Serialised.
     """),
    ("plait_hair_state_size", c_int32, [plait_hair, POINTER(c_uint64)],
     """plait_hair_state_size(hair, size)

     Bytes that plait_hair_save writes; never changes for a hair, but see plait_hair_set_volume. Serialised.
     """),
    ("plait_hair_save", c_int32, [plait_hair, c_void_p, c_uint64],
     """plait_hair_save(hair, memory, size)

     Writes everything that future steps depend on, except parameters, body and output. size: bytes at memory. Blobs
     have one format on all devices and instruction sets. When the device fails, memory may be written in part;
     plait_hair_load refuses such a blob. Cost: linear in the vertices. Serialised.
     """),
    ("plait_hair_load", c_int32, [plait_hair, c_void_p, c_uint64],
     """plait_hair_load(hair, memory, size)

     Continues from a saved state: bit for bit, if parameters, body, step rate, substeps and the kind of device are
     those of the hair that saved it, output between two steps included; only PREVIOUS_POSITION equals POSITION once.
     Groom content, unit and solver must be the same; else, or if the blob is damaged, the call fails and the hair
     keeps its state. Cost: linear in the vertices. Serialised.
     """),
    ("plait_hair_stats", c_int32, [plait_hair, POINTER(plait_stats_info)],
     """plait_hair_stats(hair, info)

     Cost: linear in the strands. Serialised.
     """),
    ("plait_hair_stages", c_int32, [plait_hair, POINTER(c_uint32), POINTER(plait_stage_info)],
     """plait_hair_stages(hair, count, infos)

     Times of the stages of a step, of "watch" with PLAIT_HAIR_WATCH_MOTION, and of the output. Solver hybrid has its
     stages four times, for strands that take a step in parts: the later ones cost next to nothing where none does.
     count and infos as in plait_backend_enumerate. Serialised.
     """),
]


def bind(library):
    """Gives the functions of a ctypes library their types; AttributeError if one is missing."""
    for name, result, arguments, doc in FUNCTIONS:
        function = getattr(library, name)
        function.restype, function.argtypes, function.__doc__ = result, arguments, doc
    return library
