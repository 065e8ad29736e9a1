// Made from abi/plait.h by host_adapters/bindings/generate.py: change the header and run that again.
//
// plait.h - the public interface of Plait, hair simulation for game engines. Version 1.
//
// How a host uses it, once per character:
//
//   plait_context_create   allocator, logger, job system
//   plait_device_open      where the simulation runs
//   plait_groom_create     the asset: rest strands, root bindings, groups
//   plait_body_create      the colliders of the character (optional)
//   plait_hair_create      groom + solver + parameters + device = one running head of hair
//   plait_hair_set_output  where the strands are written to
//   plait_hair_step        every frame: time, bones, gravity, wind; plait_hairs_step for many characters
//
// and, to have a whole head of hair follow its simulated guides:
//
//   plait_binding_create          once per groom: which guides each render strand follows
//   plait_hair_set_binding        the hair carries these render strands
//   plait_hair_set_render_output  where they are written to, beside or instead of the guides
//
// Rules that hold everywhere:
//
// Results   Functions return a plait_result: 0 or more is success, less than 0 an error. A call that fails changes
//           nothing: objects keep their state, output arguments are not written, but returned handles are set to zero.
//           The reason, naming the argument, goes to the log callback, if the call found its context. One exception: if a
//           device fails while strands move (step, settle, reset, teleport, load), some may have moved and others not.
// Structs   A struct that goes in (_desc, _params) or comes out (_info) and may grow begins with a plait_head. Set
//           head.type and head.size (16 to 4096, a multiple of 8); the PLAIT_xxx_INIT macros do so and give the other
//           fields neutral values, mostly zero. In a shorter struct, from an older host, the missing fields are zero. A
//           longer one is accepted if its unknown tail is zero. An unknown struct in the chain of head.next is an error.
//           In an array of such structs all heads have the type and size of the first. Fields named reserved must be
//           zero. Input is copied: nothing passed in needs to outlive the call, except output memory (see
//           plait_output_desc), callbacks with their user pointers, and what plait_vulkan.h and plait_cuda.h name.
// Handles   64-bit values that hold index, generation, kind and owner. A stale, foreign or forged handle is an error,
//           in release builds too. The zero handle is never valid. Each is a struct of one integer, so that the compiler
//           tells a hair from a groom; every calling convention in use passes it like that integer.
// Threads   Each function states one rule. "Any thread": call it from any thread at any time, also concurrently.
//           "Serialised": one call at a time per object; if the object is in use, the call returns PLAIT_ERROR_BUSY and
//           does nothing. A callback must not use the object whose call runs it.
//           A call needs less than 48 KB of stack, so fibers of 64 KB are enough. Callbacks come on top, and on a GPU the
//           driver: with Mesa's lavapipe a call takes 40 KB in all, with validation layers 68 KB.
// Units     SI, except lengths: everything with a length in it (positions, radii, gravity, wind) is in host units, and
//           plait_hair_desc.meters_per_unit is the length of one. Angles are radians. Any axis may be up and either
//           handedness works, as long as the host is consistent.
// Origin    Hair moves and rests alike at any distance from the origin: inside, it is simulated relative to a point near its
//           roots. But what goes in and out is float32, in steps of 0.06 mm at a kilometre and 6 cm at a thousand. In
//           large worlds plait_frame_desc.origin, in double precision, is the point that bones and so everything else is
//           relative to: a sector's corner, the camera. It may change in any frame, and moves nothing in the world: no
//           strand, and no bone when bones is null. Output and bounds are relative to the origin of the frame that wrote
//           them, previous positions included. Calls without an origin (reset, teleport, read, settle) go by that of the
//           last frame, and before the first frame, as plait_hair_create, by that of the first. A saved state holds its
//           origin: the hair that loads it goes by it until its next frame, which may have any other.
// Floats    Every float that goes in must be finite. Beyond what a field's comment says, magnitudes are limited to 1e9
//           (positions, translations, gravity, wind), 1e6 (radii, friction) and scales to 1e-6 to 1e6. Calls round
//           to nearest, without traps, with denormals as zero (on x86-64 and 64-bit ARM), whatever the calling thread's
//           setting is, and restore it with its flags. Callbacks that a call makes see Plait's setting. On the CPU backend the
//           same input gives the same bits on both processors, with one exception: a result below 2^-126, the least float
//           that is no denormal, which rounds up to it, is kept by x86-64 and zero on ARM. Hair has no use for such numbers.
// Matrices  3x4 affine, row-major, 12 floats, for column vectors, as VkTransformMatrixKHR: x' = m[0] x + m[1] y + m[2] z +
//           m[3], and the translation is m[3], m[7], m[11]. Rotation, scale and shear are welcome; a matrix that mirrors, or
//           scales one direction more than 1000 times as much as another, is refused with an error. Only bones that a root
//           (with a weight above zero) or a collider of the hair's body uses are checked: others may hold anything, such as
//           the scale zero by which engines hide them. Hosts whose 4x4 matrices have the translation in floats 12 to 14
//           (row vectors: DirectXMath, Unreal; column-major: OpenGL, glm, Unity) transpose them and pass the first three
//           rows, as XMStoreFloat3x4 and FMatrix::To3x4MatrixTranspose do. A matrix that was not transposed is not refused:
//           the hair looks right at identity, but turns against the bone and does not follow its translation.
// Cost      O(1) and below a microsecond unless the function says otherwise. On a GPU, calls that read, change or destroy
//           a hair wait for its frames, and take some ten microseconds per buffer that they touch.
//
// Names are those of the header. Handles are structs of one number and go by value. Pointers are pointers: what they
// point to must stay where it is during the call (fixed, stackalloc, NativeArray), and output memory as long as it is
// set. Callbacks are IntPtr in structs, from Marshal.GetFunctionPointerForDelegate: keep the delegate alive as long as
// Plait may call it.
using System;
using System.Runtime.InteropServices;

namespace Plait
{
    /// <summary>The C interface of Plait. The classes beside this one wrap it for everyday use.</summary>
    public static unsafe class Native
    {
        /// <summary>plait.dll, libplait.so or libplait.dylib.</summary>
        public const string Library = "plait";
        public const uint PLAIT_VERSION_MAJOR = 1u;
        public const uint PLAIT_VERSION_MINOR = 0u;
        public const uint PLAIT_VERSION_PATCH = 0u;

        // ---- results
        public const int PLAIT_OK = 0;
        /// <summary>the array was too short; what fits was written</summary>
        public const int PLAIT_INCOMPLETE = 1;
        /// <summary>a value is out of range, null, or not finite</summary>
        public const int PLAIT_ERROR_INVALID_ARGUMENT = -1;
        /// <summary>head.type or head.size is wrong, or an unknown tail is not zero</summary>
        public const int PLAIT_ERROR_INVALID_STRUCT = -2;
        /// <summary>a struct in the head.next chain is unknown, or not for this call</summary>
        public const int PLAIT_ERROR_UNKNOWN_EXTENSION = -3;
        /// <summary>zero, stale, forged, or of another kind</summary>
        public const int PLAIT_ERROR_INVALID_HANDLE = -4;
        /// <summary>a live handle, but of another context</summary>
        public const int PLAIT_ERROR_FOREIGN_HANDLE = -5;
        /// <summary>the object is in use by another call</summary>
        public const int PLAIT_ERROR_BUSY = -6;
        /// <summary>the allocator, or the device, has no more memory</summary>
        public const int PLAIT_ERROR_OUT_OF_MEMORY = -7;
        /// <summary>a count or size exceeds what can be represented</summary>
        public const int PLAIT_ERROR_TOO_LARGE = -8;
        /// <summary>the backend, device or instruction set is not available on this machine</summary>
        public const int PLAIT_ERROR_UNAVAILABLE = -9;
        /// <summary>valid, but not possible on this device or with this solver</summary>
        public const int PLAIT_ERROR_UNSUPPORTED = -10;
        /// <summary>groom data is wrong; the message names strand and vertex</summary>
        public const int PLAIT_ERROR_INVALID_GROOM = -11;
        /// <summary>a saved state or binding is damaged, or of another version, groom, unit or solver</summary>
        public const int PLAIT_ERROR_INVALID_STATE = -12;
        /// <summary>the memory given is too small for what is written to it</summary>
        public const int PLAIT_ERROR_BUFFER_TOO_SMALL = -13;
        /// <summary>too many live objects of this kind</summary>
        public const int PLAIT_ERROR_LIMIT = -14;
        /// <summary>the work did not finish in the time given; it goes on</summary>
        public const int PLAIT_ERROR_TIMEOUT = -15;
        /// <summary>the operating system refused something, such as a thread</summary>
        public const int PLAIT_ERROR_SYSTEM = -16;
        /// <summary>the device is gone; plait_hair_set_device moves its hairs to another</summary>
        public const int PLAIT_ERROR_DEVICE_LOST = -17;
        /// <summary>external memory or a semaphore belongs to another graphics card or driver</summary>
        public const int PLAIT_ERROR_OTHER_DEVICE = -18;

        // ---- handles

        /// <summary>A handle, which goes by value. Zero is never valid.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 8)]
        public struct plait_context
        {
            [FieldOffset(0)] public ulong id;
        }

        /// <summary>A handle, which goes by value. Zero is never valid.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 8)]
        public struct plait_device
        {
            [FieldOffset(0)] public ulong id;
        }

        /// <summary>A handle, which goes by value. Zero is never valid.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 8)]
        public struct plait_groom
        {
            [FieldOffset(0)] public ulong id;
        }

        /// <summary>A handle, which goes by value. Zero is never valid.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 8)]
        public struct plait_body
        {
            [FieldOffset(0)] public ulong id;
        }

        /// <summary>A handle, which goes by value. Zero is never valid.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 8)]
        public struct plait_hair
        {
            [FieldOffset(0)] public ulong id;
        }

        /// <summary>A handle, which goes by value. Zero is never valid.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 8)]
        public struct plait_semaphore
        {
            [FieldOffset(0)] public ulong id;
        }

        /// <summary>A handle, which goes by value. Zero is never valid.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 8)]
        public struct plait_binding
        {
            [FieldOffset(0)] public ulong id;
        }

        // ---- structs: the common head

        [StructLayout(LayoutKind.Explicit, Size = 16)]
        public struct plait_head
        {
            /// <summary>PLAIT_TYPE_xxx of the struct that this head begins</summary>
            [FieldOffset(0)] public uint type;
            /// <summary>sizeof that struct in the host's build</summary>
            [FieldOffset(4)] public uint size;
            /// <summary>a struct with a head that extends this one, or null; null in structs that come out</summary>
            [FieldOffset(8)] public void* next;
        }
        public const uint PLAIT_TYPE_LIBRARY_INFO = 1u;
        public const uint PLAIT_TYPE_CONTEXT_DESC = 2u;
        public const uint PLAIT_TYPE_ALLOCATOR = 3u;
        public const uint PLAIT_TYPE_LOGGER = 4u;
        public const uint PLAIT_TYPE_JOBS = 5u;
        public const uint PLAIT_TYPE_DEVICE_DESC = 6u;
        public const uint PLAIT_TYPE_DEVICE_CPU_DESC = 7u;
        public const uint PLAIT_TYPE_DEVICE_INFO = 8u;
        public const uint PLAIT_TYPE_GROOM_DESC = 9u;
        public const uint PLAIT_TYPE_GROOM_INFO = 10u;
        public const uint PLAIT_TYPE_BODY_DESC = 11u;
        public const uint PLAIT_TYPE_HAIR_DESC = 12u;
        public const uint PLAIT_TYPE_HAIR_INFO = 13u;
        public const uint PLAIT_TYPE_SHAPE_PARAMS = 14u;
        public const uint PLAIT_TYPE_FRAME_DESC = 15u;
        public const uint PLAIT_TYPE_OUTPUT_DESC = 16u;
        public const uint PLAIT_TYPE_STATS_INFO = 17u;
        public const uint PLAIT_TYPE_STAGE_INFO = 18u;
        public const uint PLAIT_TYPE_BACKEND_INFO = 19u;
        public const uint PLAIT_TYPE_GROUP_DESC = 20u;
        public const uint PLAIT_TYPE_COLLIDER = 21u;
        public const uint PLAIT_TYPE_OUTPUT_ATTRIBUTE = 22u;
        public const uint PLAIT_TYPE_EXTERNAL_MEMORY = 23u;
        public const uint PLAIT_TYPE_EXTERNAL_SEMAPHORE = 24u;
        public const uint PLAIT_TYPE_OUTPUT_EXPORT_DESC = 25u;
        public const uint PLAIT_TYPE_FRAME_SYNC_DESC = 26u;
        public const uint PLAIT_TYPE_HYBRID_PARAMS = 27u;
        public const uint PLAIT_TYPE_SETTLE_DESC = 28u;
        public const uint PLAIT_TYPE_SETTLE_INFO = 29u;
        public const uint PLAIT_TYPE_VOLUME_PARAMS = 30u;
        public const uint PLAIT_TYPE_VOLUME_INFO = 31u;
        public const uint PLAIT_TYPE_BINDING_DESC = 32u;
        public const uint PLAIT_TYPE_BINDING_INFO = 33u;
        public const uint PLAIT_TYPE_RENDER_PARAMS = 34u;
        public const uint PLAIT_TYPE_GROOM_MESH_DESC = 35u;
        public const uint PLAIT_TYPE_MESH_POSE_DESC = 36u;
        public const uint PLAIT_TYPE_PLACE_DESC = 37u;
        public const uint PLAIT_TYPE_RENDER_STYLE = 38u;

        // ---- library

        [StructLayout(LayoutKind.Explicit, Size = 32)]
        public struct plait_library_info
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>another major version is another ABI</summary>
            [FieldOffset(16)] public uint version_major;
            /// <summary>a higher minor version has everything of the lower ones</summary>
            [FieldOffset(20)] public uint version_minor;
            [FieldOffset(24)] public uint version_patch;
            [FieldOffset(28)] public uint reserved;

            /// <summary>PLAIT_LIBRARY_INFO_INIT: the head is set, other fields are neutral.</summary>
            public static plait_library_info Init =>
                new plait_library_info { head = new plait_head { type = 1, size = 32 } };
        }

        /// <summary>Version of the loaded library, which may differ from that of this header. Any thread.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_library_query(plait_library_info* info);

        /// <summary>
        /// Short English text for a result, static, never null; "unknown result" for any other number. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern byte* plait_result_text(int result);

        /// <summary>
        /// A function of this header or plait_vulkan.h by name, to be cast to its PFN_ type; null if the name is null
        /// or unknown. Hosts that open the library at run time need only this symbol. Any thread.
        /// </summary>
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void plait_proc();

        /// <summary>
        /// A function of this header or plait_vulkan.h by name, to be cast to its PFN_ type; null if the name is null
        /// or unknown. Hosts that open the library at run time need only this symbol. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern IntPtr plait_get_proc_address(byte* name);

        // ---- context

        /// <summary>
        /// Returns at least size bytes, aligned to alignment (a power of two, at most 4096), or null. Memory that is
        /// not aligned is released at once and counts as null; a message says so.
        /// </summary>
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void* plait_allocator_allocate(void* user, UIntPtr size, UIntPtr alignment);

        /// <summary>pointer came from allocate with this size and alignment; never null.</summary>
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void plait_allocator_release(void* user, void* pointer, UIntPtr size, UIntPtr alignment);

        /// <summary>
        /// All memory of a context comes from here. Called from any thread that calls Plait, but never by
        /// plait_hair_step and plait_hairs_step.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 40)]
        public struct plait_allocator
        {
            [FieldOffset(0)] public plait_head head;
            [FieldOffset(16)] public void* user;
            /// <summary>
            /// A plait_allocator_allocate. Returns at least size bytes, aligned to alignment (a power of two, at most
            /// 4096), or null. Memory that is not aligned is released at once and counts as null; a message says so.
            /// </summary>
            [FieldOffset(24)] public IntPtr allocate;
            /// <summary>
            /// A plait_allocator_release. pointer came from allocate with this size and alignment; never null.
            /// </summary>
            [FieldOffset(32)] public IntPtr release;

            /// <summary>PLAIT_ALLOCATOR_INIT: the head is set, other fields are neutral.</summary>
            public static plait_allocator Init =>
                new plait_allocator { head = new plait_head { type = 3, size = 40 } };
        }
        public const uint PLAIT_LOG_DEBUG = 1u;
        public const uint PLAIT_LOG_INFO = 2u;
        public const uint PLAIT_LOG_WARNING = 3u;
        public const uint PLAIT_LOG_ERROR = 4u;

        // Ids of messages that are not errors. The id of an error is its plait_result.
        /// <summary>info: which device, which instruction set</summary>
        public const int PLAIT_MESSAGE_DEVICE_OPENED = 1;
        /// <summary>warning: strands were not finite and went back to their rest shape</summary>
        public const int PLAIT_MESSAGE_STRANDS_RESET = 2;
        /// <summary>debug: a frame was longer than max_frame_s</summary>
        public const int PLAIT_MESSAGE_TIME_CLAMPED = 3;
        /// <summary>debug: a bone moved beyond the limit and the hair was carried along</summary>
        public const int PLAIT_MESSAGE_TELEPORTED = 4;
        /// <summary>warning: a context was destroyed with objects alive in it</summary>
        public const int PLAIT_MESSAGE_OBJECTS_LEFT = 5;
        /// <summary>debug: root weights did not sum to one and were normalised</summary>
        public const int PLAIT_MESSAGE_WEIGHTS_SCALED = 6;
        /// <summary>info: plait_device_desc.cache is damaged, or of another device, driver or library</summary>
        public const int PLAIT_MESSAGE_CACHE_IGNORED = 7;
        /// <summary>warning: a hair left a lost device with its last known state</summary>
        public const int PLAIT_MESSAGE_STATE_RESCUED = 8;
        /// <summary>info: strands that will not stay as drawn under rest_gravity</summary>
        public const int PLAIT_MESSAGE_STRANDS_SAG = 9;
        /// <summary>warning: strands of a new groom turn back by more than 150 degrees at a vertex</summary>
        public const int PLAIT_MESSAGE_STRANDS_FOLD = 10;
        /// <summary>warning: vertices found no room in the grid of hair-hair forces</summary>
        public const int PLAIT_MESSAGE_VOLUME_FULL = 11;

        /// <summary>null: no messages</summary>
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void plait_logger_log(void* user, uint level, int id, byte* text);

        /// <summary>
        /// Text is UTF-8, one line, valid during the call only. Called from any thread that calls Plait, also from
        /// several at once.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 40)]
        public struct plait_logger
        {
            [FieldOffset(0)] public plait_head head;
            [FieldOffset(16)] public void* user;
            /// <summary>A plait_logger_log. null: no messages</summary>
            [FieldOffset(24)] public IntPtr log;
            /// <summary>messages below this level are dropped; 0: PLAIT_LOG_WARNING</summary>
            [FieldOffset(32)] public uint min_level;
            [FieldOffset(36)] public uint reserved;

            /// <summary>PLAIT_LOGGER_INIT: the head is set, other fields are neutral.</summary>
            public static plait_logger Init =>
                new plait_logger { head = new plait_head { type = 4, size = 40 } };
        }

        /// <summary>One piece of work; index runs from 0 to count - 1.</summary>
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void plait_job(void* argument, uint index);

        /// <summary>
        /// The host's job system. parallel_for must call job(argument, i) once for each i below count, on any threads
        /// and in any order, and return after all of them have returned. Called by plait_hair_step and other functions
        /// that say so. Jobs call nothing of the host's. Results do not depend on how the work is spread.
        /// </summary>
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate void plait_jobs_parallel_for(void* user, uint count, IntPtr job, void* argument);

        /// <summary>
        /// The host's job system. parallel_for must call job(argument, i) once for each i below count, on any threads
        /// and in any order, and return after all of them have returned. Called by plait_hair_step and other functions
        /// that say so. Jobs call nothing of the host's. Results do not depend on how the work is spread.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 40)]
        public struct plait_jobs
        {
            [FieldOffset(0)] public plait_head head;
            [FieldOffset(16)] public void* user;
            /// <summary>A plait_jobs_parallel_for.</summary>
            [FieldOffset(24)] public IntPtr parallel_for;
            /// <summary>1 or more: how many threads may run jobs at once, the caller included; for cutting</summary>
            [FieldOffset(32)] public uint thread_count;
            [FieldOffset(36)] public uint reserved;

            /// <summary>PLAIT_JOBS_INIT: the head is set, other fields are neutral.</summary>
            public static plait_jobs Init =>
                new plait_jobs { head = new plait_head { type = 5, size = 40 } };
        }

        [StructLayout(LayoutKind.Explicit, Size = 48)]
        public struct plait_context_desc
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>null: the C library's</summary>
            [FieldOffset(16)] public plait_allocator* allocator;
            /// <summary>null: no messages</summary>
            [FieldOffset(24)] public plait_logger* logger;
            /// <summary>null: a thread pool of Plait's own</summary>
            [FieldOffset(32)] public plait_jobs* jobs;
            /// <summary>threads of that pool, the calling one included, at most 256; 0: one per core</summary>
            [FieldOffset(40)] public uint thread_count;
            [FieldOffset(44)] public uint reserved;

            /// <summary>PLAIT_CONTEXT_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_context_desc Init =>
                new plait_context_desc { head = new plait_head { type = 2, size = 48 } };
        }

        /// <summary>
        /// Creates a context, which owns everything else. desc null: all defaults. At most 255 at once. Starts the
        /// threads of the pool. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_context_create(plait_context_desc* desc, plait_context* context);

        /// <summary>
        /// Destroys a context and everything left in it. New calls on the context and its objects get
        /// PLAIT_ERROR_INVALID_HANDLE. It waits for frames under way and for calls that already run in other threads;
        /// semaphores that these wait for are raised as plait_semaphore_destroy does. From a callback of a call in the
        /// context: PLAIT_ERROR_BUSY. Joins the threads of the pool. After fork(), this is the only function that the
        /// child may call on what it inherits, and only if no call was running and no GPU device was open. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_context_destroy(plait_context context);
        /// <summary>the first of CUDA, Vulkan and CPU that has a device; software devices do not count</summary>
        public const uint PLAIT_BACKEND_BEST = 0u;
        /// <summary>SIMD on the host's cores; always available</summary>
        public const uint PLAIT_BACKEND_CPU = 1u;
        /// <summary>Vulkan compute</summary>
        public const uint PLAIT_BACKEND_VULKAN = 2u;
        /// <summary>CUDA</summary>
        public const uint PLAIT_BACKEND_CUDA = 3u;
        /// <summary>everything but physics: strands stay as they are. For tests of hosts</summary>
        public const uint PLAIT_BACKEND_NULL = 4u;
        public const int PLAIT_NAME_SIZE = 64;
        public const int PLAIT_REASON_SIZE = 192;

        [StructLayout(LayoutKind.Explicit, Size = 288)]
        public struct plait_backend_info
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_BACKEND_xxx</summary>
            [FieldOffset(16)] public uint backend;
            /// <summary>1: plait_device_open can succeed</summary>
            [FieldOffset(20)] public uint available;
            /// <summary>devices of this backend that plait_device_enumerate lists</summary>
            [FieldOffset(24)] public uint device_count;
            [FieldOffset(28)] public uint reserved;
            /// <summary>"cpu"</summary>
            [FieldOffset(32)] public fixed byte name[64];
            /// <summary>why it is not available, else empty</summary>
            [FieldOffset(96)] public fixed byte reason[192];

            /// <summary>PLAIT_BACKEND_INFO_INIT: the head is set, other fields are neutral.</summary>
            public static plait_backend_info Init =>
                new plait_backend_info { head = new plait_head { type = 19, size = 288 } };
        }

        /// <summary>
        /// Lists the backends of this library, available or not. infos null: *count becomes their number. Else *count
        /// is the length of infos, all with their heads set, and becomes the number written; PLAIT_INCOMPLETE if there
        /// are more. Cost: under a millisecond; the first time in a context it loads drivers, up to a second. Any
        /// thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_backend_enumerate(plait_context context, uint* count, plait_backend_info* infos);

        // ---- device
        /// <summary>output goes into memory the host points to</summary>
        public const uint PLAIT_INTEROP_HOST_POINTER = 1u;
        /// <summary>output goes into a VkBuffer of the host's device, plait_vulkan.h</summary>
        public const uint PLAIT_INTEROP_VULKAN_BUFFER = 2u;
        /// <summary>frames wait for and signal the host's timeline semaphores</summary>
        public const uint PLAIT_INTEROP_VULKAN_TIMELINE = 4u;
        /// <summary>the device itself writes host memory, see host_memory_alignment</summary>
        public const uint PLAIT_INTEROP_HOST_MEMORY = 8u;
        /// <summary>output memory is shared as an opaque fd, plait_external_memory</summary>
        public const uint PLAIT_INTEROP_MEMORY_FD = 16u;
        /// <summary>the same as an opaque Win32 handle</summary>
        public const uint PLAIT_INTEROP_MEMORY_WIN32 = 32u;
        /// <summary>
        /// semaphores are shared as opaque fds. Without this or the next, the host relays with plait_semaphore_wait and
        /// plait_semaphore_signal
        /// </summary>
        public const uint PLAIT_INTEROP_SEMAPHORE_FD = 64u;
        /// <summary>the same as opaque Win32 handles</summary>
        public const uint PLAIT_INTEROP_SEMAPHORE_WIN32 = 128u;
        /// <summary>output goes into device memory of the host's context, plait_cuda.h</summary>
        public const uint PLAIT_INTEROP_CUDA_POINTER = 256u;

        [StructLayout(LayoutKind.Explicit, Size = 216)]
        public struct plait_device_info
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_BACKEND_xxx</summary>
            [FieldOffset(16)] public uint backend;
            /// <summary>for plait_device_desc.index</summary>
            [FieldOffset(20)] public uint index;
            /// <summary>PLAIT_INTEROP_xxx bits</summary>
            [FieldOffset(24)] public uint interop;
            /// <summary>strands side by side in memory; 0 when listed but not opened</summary>
            [FieldOffset(28)] public uint pack_width;
            /// <summary>total memory the device can use; 0: unknown</summary>
            [FieldOffset(32)] public ulong memory_bytes;
            /// <summary>taken by Plait on this device; 0 when listed but not opened</summary>
            [FieldOffset(40)] public ulong memory_used_bytes;
            /// <summary>zero: the device has none</summary>
            [FieldOffset(48)] public fixed byte uuid[16];
            /// <summary>of the processor or graphics card, for people</summary>
            [FieldOffset(64)] public fixed byte name[64];
            /// <summary>which code runs: "avx2"; empty when listed but not opened</summary>
            [FieldOffset(128)] public fixed byte variant[64];
            /// <summary>
            /// external memory and semaphores need the same uuid and driver_uuid on both sides; zero: the device has
            /// none (CUDA), and the uuid alone must match
            /// </summary>
            [FieldOffset(192)] public fixed byte driver_uuid[16];
            /// <summary>
            /// the device writes output memory without a copy if address and size are multiples of this; 0: never, or
            /// not needed
            /// </summary>
            [FieldOffset(208)] public ulong host_memory_alignment;

            /// <summary>PLAIT_DEVICE_INFO_INIT: the head is set, other fields are neutral.</summary>
            public static plait_device_info Init =>
                new plait_device_info { head = new plait_head { type = 8, size = 216 } };
        }

        /// <summary>
        /// Lists the devices of all available backends, best first. Count, infos and cost as in
        /// plait_backend_enumerate. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_device_enumerate(plait_context context, uint* count, plait_device_info* infos);

        [StructLayout(LayoutKind.Explicit, Size = 64)]
        public struct plait_device_desc
        {
            /// <summary>
            /// may be followed by: plait_device_cpu_desc, plait_cuda_device_desc, plait_vulkan_device_desc
            /// </summary>
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_BACKEND_xxx</summary>
            [FieldOffset(16)] public uint backend;
            /// <summary>
            /// which device of that backend, see plait_device_info.index; with uuid or name: which of the devices that
            /// match
            /// </summary>
            [FieldOffset(20)] public uint index;
            /// <summary>as in plait_device_info; zero: any</summary>
            [FieldOffset(24)] public fixed byte uuid[16];
            /// <summary>part of plait_device_info.name, case-insensitive (ASCII); null: any</summary>
            [FieldOffset(40)] public byte* name;
            /// <summary>
            /// from plait_device_save_cache, to open faster; ignored if it is of another device, driver or library;
            /// null: none
            /// </summary>
            [FieldOffset(48)] public void* cache;
            /// <summary>bytes of it</summary>
            [FieldOffset(56)] public ulong cache_size;

            /// <summary>PLAIT_DEVICE_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_device_desc Init =>
                new plait_device_desc { head = new plait_head { type = 6, size = 64 } };
        }
        /// <summary>the widest this processor has</summary>
        public const uint PLAIT_CPU_AUTO = 0u;
        /// <summary>one strand at a time; the reference</summary>
        public const uint PLAIT_CPU_SCALAR = 1u;
        public const uint PLAIT_CPU_SSE2 = 2u;
        public const uint PLAIT_CPU_AVX2 = 3u;
        public const uint PLAIT_CPU_AVX512 = 4u;
        /// <summary>64-bit ARM; the others but scalar are for x86-64</summary>
        public const uint PLAIT_CPU_NEON = 5u;

        /// <summary>
        /// Chained to plait_device_desc with backend CPU: overrides the choice of instruction set. All give the same
        /// bits.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 24)]
        public struct plait_device_cpu_desc
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_CPU_xxx; PLAIT_ERROR_UNAVAILABLE when this processor lacks it</summary>
            [FieldOffset(16)] public uint instruction_set;
            [FieldOffset(20)] public uint reserved;

            /// <summary>PLAIT_DEVICE_CPU_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_device_cpu_desc Init =>
                new plait_device_cpu_desc { head = new plait_head { type = 7, size = 24 } };
        }

        /// <summary>
        /// Opens a device. desc null: the best available. Any number may be open, also several of one backend. Cost:
        /// under a millisecond for the CPU; others load a driver and compile kernels, up to a second. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_device_open(plait_context context, plait_device_desc* desc, plait_device*
            device);

        /// <summary>
        /// The handle becomes invalid; the device itself lives until its last hair and semaphore are destroyed. Cost:
        /// the call that ends the device waits for it, some milliseconds. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_device_close(plait_device device);

        /// <summary>Any thread.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_device_query(plait_device device, plait_device_info* info);

        /// <summary>
        /// Kernels as compiled by the driver, for the host to keep on disk and pass as plait_device_desc.cache next
        /// time. memory null: *size becomes the bytes needed, 0 if there is nothing to keep (CPU). Else *size is the
        /// size of memory and becomes the bytes written. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_device_save_cache(plait_device device, ulong* size, void* memory);

        // ---- groom
        public const uint PLAIT_MAX_BONES = 65536u;
        public const uint PLAIT_MAX_STRAND_VERTICES = 1024u;

        /// <summary>
        /// Up to four bones that a strand's root is bound to. Weights are normalised; a negative weight or a sum of
        /// zero is an error. Entries with weight zero are ignored.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 32)]
        public struct plait_root_binding
        {
            [FieldOffset(0)] public fixed uint bones[4];
            [FieldOffset(16)] public fixed float weights[4];
        }

        /// <summary>Material of the strands of one group; part of the asset.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 24)]
        public struct plait_group_desc
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>
            /// of a strand, host units, where plait_groom_desc.radii is null; 0: 4e-5 m (a human hair)
            /// </summary>
            [FieldOffset(16)] public float radius;
            /// <summary>
            /// multiplies the friction of each collider that the group touches; 0: frictionless, 1: usual
            /// </summary>
            [FieldOffset(20)] public float friction;

            /// <summary>PLAIT_GROUP_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_group_desc Init =>
                new plait_group_desc { head = new plait_head { type = 20, size = 24 }, friction = 1 };
        }

        [StructLayout(LayoutKind.Explicit, Size = 112)]
        public struct plait_groom_desc
        {
            /// <summary>may be followed by: plait_groom_mesh_desc</summary>
            [FieldOffset(0)] public plait_head head;
            /// <summary>1 to 67108863, with 134217727 vertices in all at most</summary>
            [FieldOffset(16)] public uint strand_count;
            /// <summary>bones of the skeleton that the bindings index; 1 to PLAIT_MAX_BONES</summary>
            [FieldOffset(20)] public uint bone_count;
            /// <summary>[strand_count], each 2 to PLAIT_MAX_STRAND_VERTICES, the root included</summary>
            [FieldOffset(24)] public uint* vertex_counts;
            /// <summary>
            /// [vertices][3], strand by strand, root first, in the bind pose. Vertices that follow each other must
            /// differ by more than a millionth of their distance from the origin, and by 1e-8 m (plait_hair_create,
            /// which knows the unit, refuses less)
            /// </summary>
            [FieldOffset(32)] public float* positions;
            /// <summary>[vertices]; null: the group's radius</summary>
            [FieldOffset(40)] public float* radii;
            /// <summary>[strand_count] the one bone that each root follows; null: see root_bindings</summary>
            [FieldOffset(48)] public uint* root_bones;
            /// <summary>[strand_count], instead of root_bones; both null: all roots follow bone 0</summary>
            [FieldOffset(56)] public plait_root_binding* root_bindings;
            /// <summary>
            /// [bone_count][12] bone matrices in the bind pose; null: identities, so that the frame's bones are
            /// skinning matrices
            /// </summary>
            [FieldOffset(64)] public float* bind_pose;
            /// <summary>[strand_count][3] of the scalp, any length; null: the first segment's direction</summary>
            [FieldOffset(72)] public float* root_normals;
            /// <summary>[strand_count]; null: all in group 0</summary>
            [FieldOffset(80)] public ushort* group_indices;
            /// <summary>[group_count]; null: defaults</summary>
            [FieldOffset(88)] public plait_group_desc* groups;
            /// <summary>up to 65536; 0: 1</summary>
            [FieldOffset(96)] public uint group_count;
            [FieldOffset(100)] public uint reserved;
            /// <summary>
            /// [strand_count] vertices from the root on that move rigidly with the bones, for bangs that must keep
            /// their style; 1 to the strand's vertices. Solver hybrid clamps the direction in which the strand leaves
            /// them; solver shape holds the root only. null: 1
            /// </summary>
            [FieldOffset(104)] public uint* held_counts;

            /// <summary>PLAIT_GROOM_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_groom_desc Init =>
                new plait_groom_desc { head = new plait_head { type = 9, size = 112 } };
        }

        [StructLayout(LayoutKind.Explicit, Size = 80)]
        public struct plait_groom_info
        {
            [FieldOffset(0)] public plait_head head;
            [FieldOffset(16)] public uint strand_count;
            /// <summary>of all strands</summary>
            [FieldOffset(20)] public uint vertex_count;
            /// <summary>of the longest strand</summary>
            [FieldOffset(24)] public uint max_vertex_count;
            [FieldOffset(28)] public uint group_count;
            [FieldOffset(32)] public uint bone_count;
            [FieldOffset(36)] public uint reserved;
            /// <summary>of the rest positions, host units</summary>
            [FieldOffset(40)] public fixed float bounds_min[3];
            [FieldOffset(52)] public fixed float bounds_max[3];
            /// <summary>hash of the content: equal grooms have equal numbers</summary>
            [FieldOffset(64)] public ulong identity;
            [FieldOffset(72)] public ulong memory_bytes;

            /// <summary>PLAIT_GROOM_INFO_INIT: the head is set, other fields are neutral.</summary>
            public static plait_groom_info Init =>
                new plait_groom_info { head = new plait_head { type = 10, size = 80 } };
        }

        /// <summary>
        /// Checks and copies a groom. It never changes; any number of hairs on any devices of the context may share it.
        /// With PLAIT_ERROR_INVALID_GROOM the log names strand and vertex: not finite, segment of length zero, fewer
        /// than 2 or too many vertices, bone or group out of range, weights that sum to zero. Strands that fold back
        /// are taken, and PLAIT_MESSAGE_STRANDS_FOLD says how many and names the first. Cost: linear in the vertices.
        /// Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_groom_create(plait_context context, plait_groom_desc* desc, plait_groom* groom);
        public const uint PLAIT_INDEX_UINT16 = 1u;
        public const uint PLAIT_INDEX_UINT32 = 2u;

        /// <summary>
        /// Called now and then from the calling thread while nearest triangles are searched. Any result but PLAIT_OK
        /// ends plait_groom_create, which returns it. May be null.
        /// </summary>
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate int plait_groom_mesh_desc_progress(void* user, uint strands_done, uint strand_count);

        /// <summary>
        /// <para>
        /// Chained to plait_groom_desc: roots follow triangles of a mesh, such as the skinned head, instead of bones.
        /// Every frame hands in where its vertices are, see plait_mesh_pose_desc. Bones then carry colliders only;
        /// root_bones and root_bindings are checked and not used.
        /// </para>
        /// <para>
        /// A root keeps its place on its triangle (barycentric coordinates) and, where it was drawn off the surface,
        /// its distance from it. The strand turns with the triangle: with its normal, and in its plane by the rotation
        /// that is nearest to how the triangle was deformed (polar decomposition), so that shear turns nothing; it
        /// grows with the square root of the triangle's area. A triangle that shrinks to less than a thousandth of its
        /// height or of the length of its first edge has no direction: strands on it keep the last one.
        /// </para>
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 88)]
        public struct plait_groom_mesh_desc
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>of the mesh, 3 to 1e9</summary>
            [FieldOffset(16)] public uint vertex_count;
            /// <summary>1 to 1e9</summary>
            [FieldOffset(20)] public uint triangle_count;
            /// <summary>PLAIT_INDEX_xxx</summary>
            [FieldOffset(24)] public uint index_format;
            /// <summary>PLAIT_FORMAT_FLOAT32X3, or X4, whose w is ignored</summary>
            [FieldOffset(28)] public uint position_format;
            /// <summary>[triangle_count][3] vertices, each below vertex_count; aligned to their size</summary>
            [FieldOffset(32)] public void* indices;
            /// <summary>in the bind pose, host units, aligned to 4 bytes; vertex v is at v * position_stride</summary>
            [FieldOffset(40)] public void* positions;
            /// <summary>bytes, a multiple of 4, at least the format's size; 0: that</summary>
            [FieldOffset(48)] public ulong position_stride;
            /// <summary>
            /// [strand_count] the triangle of each root, which must have an area; null: the nearest one that has, of
            /// several that are as near the first
            /// </summary>
            [FieldOffset(56)] public uint* root_triangles;
            /// <summary>
            /// [strand_count][3] weights of its corners, -0.001 to 1.001, summing to one (to 0.001); null: those of the
            /// triangle's point nearest to the root; goes with root_triangles only
            /// </summary>
            [FieldOffset(64)] public float* root_barycentrics;
            /// <summary>
            /// A plait_groom_mesh_desc_progress. Called now and then from the calling thread while nearest triangles
            /// are searched. Any result but PLAIT_OK ends plait_groom_create, which returns it. May be null.
            /// </summary>
            [FieldOffset(72)] public IntPtr progress;
            [FieldOffset(80)] public void* user;

            /// <summary>PLAIT_GROOM_MESH_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_groom_mesh_desc Init =>
                new plait_groom_mesh_desc { head = new plait_head { type = 35, size = 88 } };
        }

        /// <summary>
        /// Where the roots of a groom with a plait_groom_mesh_desc are, to be kept with the asset: strand_count (the
        /// groom's) triangles, three barycentric coordinates each, and distances from the triangle's plane or edge in
        /// the bind pose, host units. Each array may be null. PLAIT_ERROR_UNSUPPORTED without a mesh. Cost: linear in
        /// the strands. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_groom_read_roots(plait_groom groom, uint strand_count, uint* triangles, float*
            barycentrics, float* distances);

        /// <summary>The handle becomes invalid; hairs made from the groom keep it alive. Any thread.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_groom_destroy(plait_groom groom);

        /// <summary>Any thread.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_groom_query(plait_groom groom, plait_groom_info* info);

        // ---- body
        public const uint PLAIT_MAX_COLLIDERS = 4096u;
        /// <summary>hull of two spheres: at points[0] with radii[0], at points[1] with radii[1]</summary>
        public const uint PLAIT_COLLIDER_CAPSULE = 1u;
        /// <summary>points[0], radii[0]</summary>
        public const uint PLAIT_COLLIDER_SPHERE = 2u;
        /// <summary>plane through points[0] with the outward normal points[1], any length</summary>
        public const uint PLAIT_COLLIDER_HALF_SPACE = 3u;

        /// <summary>Follows one bone; points and radii are in that bone's space.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 64)]
        public struct plait_collider
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_COLLIDER_xxx</summary>
            [FieldOffset(16)] public uint kind;
            /// <summary>below plait_body_desc.bone_count</summary>
            [FieldOffset(20)] public uint bone;
            [FieldOffset(24)] public fixed float points[6];
            [FieldOffset(48)] public fixed float radii[2];
            /// <summary>Coulomb coefficient, 0 or more</summary>
            [FieldOffset(56)] public float friction;
            [FieldOffset(60)] public uint reserved;

            /// <summary>PLAIT_COLLIDER_INIT: the head is set, other fields are neutral.</summary>
            public static plait_collider Init =>
                new plait_collider { head = new plait_head { type = 21, size = 64 } };
        }

        [StructLayout(LayoutKind.Explicit, Size = 32)]
        public struct plait_body_desc
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>as in plait_groom_desc: one skeleton serves both</summary>
            [FieldOffset(16)] public uint bone_count;
            /// <summary>
            /// 0 to PLAIT_MAX_COLLIDERS. Each costs each strand 1 to 4 ns a step on one core, within reach or not: some
            /// dozens suit a character
            /// </summary>
            [FieldOffset(20)] public uint collider_count;
            /// <summary>[collider_count]</summary>
            [FieldOffset(24)] public plait_collider* colliders;

            /// <summary>PLAIT_BODY_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_body_desc Init =>
                new plait_body_desc { head = new plait_head { type = 11, size = 32 } };
        }

        /// <summary>
        /// Checks and copies the colliders. They never change; any number of hairs may share them. Cost: linear. Any
        /// thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_body_create(plait_context context, plait_body_desc* desc, plait_body* body);

        /// <summary>The handle becomes invalid; hairs that use the body keep it alive. Any thread.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_body_destroy(plait_body body);

        // ---- hair
        /// <summary>follow-the-leader in one pass, with an angular shape constraint; plait_shape_params</summary>
        public const uint PLAIT_SOLVER_SHAPE = 1u;

        /// <summary>
        /// <para>
        /// Parameters of PLAIT_SOLVER_SHAPE for one group. plait_shape_params_default fills in defaults; values are
        /// taken literally, zero is zero.
        /// </para>
        /// <para>
        /// All zero: rigid and undamped. plait_shape_params_default moves like hair.
        /// </para>
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 48)]
        public struct plait_shape_params
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>
            /// softness of the rest shape at the root: held level under gravity g, a strand of length L turns down by
            /// about g * compliance / L radians at its tip, nearly independent of its vertex count and of the step rate
            /// (from 60 Hz on). 0: rigid; 0.001: stiff; 0.1: limp; at most 1e6
            /// </summary>
            [FieldOffset(16)] public float compliance_root_s2;
            /// <summary>the same at the tip; linear in between</summary>
            [FieldOffset(20)] public float compliance_tip_s2;
            /// <summary>
            /// damping of bending, in units of sqrt(compliance), 0 to 1000; below 0.1 soft curls may tremble, at 1 they
            /// creep back
            /// </summary>
            [FieldOffset(24)] public float shape_damping;
            /// <summary>rate at which velocity approaches the wind's, 0 to 1e6</summary>
            [FieldOffset(28)] public float drag_per_s;
            /// <summary>
            /// rate at which velocity approaches the root's, 0 to 1e6: calms swinging, not free flight
            /// </summary>
            [FieldOffset(32)] public float damping_per_s;
            /// <summary>0 to 1: how much of its child's pull a vertex feels. 1: least damping</summary>
            [FieldOffset(36)] public float velocity_correction;
            /// <summary>clearance added to the strand's radius (that of its root), host units</summary>
            [FieldOffset(40)] public float collision_radius;
            [FieldOffset(44)] public uint reserved;

            /// <summary>PLAIT_SHAPE_PARAMS_INIT: the head is set, other fields are neutral.</summary>
            public static plait_shape_params Init =>
                new plait_shape_params { head = new plait_head { type = 14, size = 48 } };
        }

        /// <summary>
        /// Fills params (head set by the caller) with what params_count 0 gives a hair of this
        /// plait_hair_desc.meters_per_unit (0: 1); suits shoulder-long hair. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_shape_params_default(float meters_per_unit, plait_shape_params* @params);
        /// <summary>discrete elastic rods, implicit; plait_hybrid_params</summary>
        public const uint PLAIT_SOLVER_HYBRID = 2u;

        /// <summary>
        /// Parameters of PLAIT_SOLVER_HYBRID for one group. Strands are elastic rods of the groom's radii whose rest
        /// shape is the groom's. The moduli act separately. Real hair has about 3e9 Pa for stretching and bending and
        /// 1e9 for twisting. The defaults differ: they are those of Huang et al. 2023, table 2, which gives no reasons.
        /// Their 1.6e7 for stretching lengthens a strand of 0.3 m by 0.012 percent under its own weight. Bending
        /// (1.5e10) is 5 times and twisting (7.7e9) 8 times as stiff as real hair. Steps are cut into equal parts of at
        /// most 1/120 s. Strands whose shape changes too much in one solve it up to four times, or take it in two or
        /// four parts, with more damping in four. Stiffness that single precision cannot bear is taken as less: edges
        /// stretch by up to a thousandth at 120 steps a second, and real hair, 0.08 mm thick, in segments of less than
        /// 0.4 mm (0.3 mm at 240 steps) bends too easily. No segment is ever longer than 1.04 times its rest length.
        /// Joints bent by more than 120 degrees stiffen, ten times at 168, so that none folds; where segments are drawn
        /// folded back by more than 150 degrees, the strand has a hinge. Surfaces are springs: a strand that rests on
        /// one lies within a third of a millimetre of it, one that strikes it at 3 m/s goes in by 2.5 mm.
        /// plait_hybrid_params_default fills in defaults; values are taken literally, zero is zero.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 80)]
        public struct plait_hybrid_params
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>Pa, 0 to 1e12</summary>
            [FieldOffset(16)] public float stretch_modulus;
            /// <summary>Pa, 0 to 1e12</summary>
            [FieldOffset(20)] public float bend_modulus;
            /// <summary>Pa, 0 to 1e12: the shear modulus</summary>
            [FieldOffset(24)] public float twist_modulus;
            /// <summary>kg/m^3, 1 to 1e5</summary>
            [FieldOffset(28)] public float density;
            /// <summary>
            /// of the section, 0 to 0.95. 0: round; else an ellipse of the same area whose short axis is 1 - flatness
            /// times the long one and lies in the plane in which the strand curls at the root
            /// </summary>
            [FieldOffset(32)] public float flatness;
            /// <summary>
            /// strain-rate damping: adds modulus times strain rate times this time to the stress, 0 to 1000
            /// </summary>
            [FieldOffset(36)] public float damping_s;
            /// <summary>rate at which velocity approaches the wind's, 0 to 1e6</summary>
            [FieldOffset(40)] public float drag_per_s;
            /// <summary>
            /// 0 to 1: how much of the first segment bends. 1: the strand is clamped at its root; 0: its first segment
            /// is held, which clamps it in the middle of that, as the plain discrete model does
            /// </summary>
            [FieldOffset(44)] public float clamp_extension;
            /// <summary>
            /// 0 to 1: which part of the way to their bones held vertices go in 1/120 s or a shorter step; 1: all of it
            /// </summary>
            [FieldOffset(48)] public float held_blend;
            /// <summary>
            /// host units per second: what a root moves beyond this, its strand moves along rigidly; 0: no limit
            /// </summary>
            [FieldOffset(52)] public float max_root_speed;
            /// <summary>the same for their rotation, radians per second; 0: no limit</summary>
            [FieldOffset(56)] public float max_root_turn;
            /// <summary>clearance added to the strand's radius (that of its root), host units</summary>
            [FieldOffset(60)] public float collision_radius;
            /// <summary>
            /// sag-free, host units per second squared: the rest shape is chosen so that the groom as drawn, in its
            /// bind pose, is in equilibrium under this gravity. Zero: the groom is the rest shape and sags below it.
            /// Joints of the rest shape leave the drawn ones by at most half a radian, and together turn no edge by
            /// more than one, so that hair does not stand up where its weight fails it in motion. Where that is not
            /// enough, or the equilibrium is unstable, as for long soft strands drawn standing or lying, bending and
            /// twist are made stiffer, all of a strand by the same factor of up to 64: hair of the default moduli by 1
            /// to 35, curls the most. What supports a strand where it was drawn is not counted. Strands for which 64 is
            /// too little, or more than step_rate_hz allows (more steps a second allow more), or whose rest shape a rod
            /// cannot have, get the nearest one; plait_stats_info.sagging_strand_count counts them. Costs 2 to 4
            /// microseconds per vertex in plait_hair_create and plait_hair_set_params
            /// </summary>
            [FieldOffset(64)] public fixed float rest_gravity[3];
            [FieldOffset(76)] public uint reserved;

            /// <summary>PLAIT_HYBRID_PARAMS_INIT: the head is set, other fields are neutral.</summary>
            public static plait_hybrid_params Init =>
                new plait_hybrid_params { head = new plait_head { type = 27, size = 80 } };
        }

        /// <summary>
        /// Fills params (head set by the caller) with what params_count 0 gives a hair of this
        /// plait_hair_desc.meters_per_unit (0: 1). Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hybrid_params_default(float meters_per_unit, plait_hybrid_params* @params);
        /// <summary>statistics of motion: restless and knotted strands, speeds; see plait_stats_info</summary>
        public const uint PLAIT_HAIR_WATCH_MOTION = 1u;

        /// <summary>
        /// Chained to plait_frame_desc, plait_hair_desc or plait_place_desc, for grooms with a plait_groom_mesh_desc:
        /// where the vertices of the mesh are, at the end of the frame. Without it they are where they were; before the
        /// first, where the groom was drawn. Between frames roots go straight, and strands turn on the shortest arc.
        /// The first after plait_hair_load is never a teleport. Only vertices of triangles that have roots are read:
        /// others may hold anything.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 40)]
        public struct plait_mesh_pose_desc
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>the mesh's or more; the rest is ignored</summary>
            [FieldOffset(16)] public uint vertex_count;
            /// <summary>PLAIT_FORMAT_FLOAT32X3, or X4, whose w is ignored</summary>
            [FieldOffset(20)] public uint format;
            /// <summary>bytes from vertex to vertex, a multiple of 4, at least the format's size; 0: that</summary>
            [FieldOffset(24)] public ulong stride;
            /// <summary>
            /// host memory, host units, relative to the frame's origin, aligned to 4 bytes; null: they are in the
            /// memory of plait_hair_set_mesh_input, and the other fields do not count
            /// </summary>
            [FieldOffset(32)] public void* positions;

            /// <summary>PLAIT_MESH_POSE_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_mesh_pose_desc Init =>
                new plait_mesh_pose_desc { head = new plait_head { type = 36, size = 40 } };
        }

        [StructLayout(LayoutKind.Explicit, Size = 96)]
        public struct plait_hair_desc
        {
            /// <summary>may be followed by: plait_mesh_pose_desc</summary>
            [FieldOffset(0)] public plait_head head;
            [FieldOffset(16)] public plait_groom groom;
            [FieldOffset(24)] public plait_device device;
            /// <summary>zero: no colliders; its bone_count is at most the groom's</summary>
            [FieldOffset(32)] public plait_body body;
            /// <summary>PLAIT_SOLVER_xxx</summary>
            [FieldOffset(40)] public uint solver;
            /// <summary>0: defaults; 1: one struct for all groups; else the groom's group_count</summary>
            [FieldOffset(44)] public uint params_count;
            /// <summary>[params_count] of the solver's parameter struct, each with its head set</summary>
            [FieldOffset(48)] public void* @params;
            /// <summary>[bone_count][12] where the hair starts; null: the bind pose</summary>
            [FieldOffset(56)] public float* bones;
            /// <summary>length of a host unit, 1e-6 to 1e6; 0: 1. Centimetres: 0.01</summary>
            [FieldOffset(64)] public float meters_per_unit;
            /// <summary>fixed internal steps per second, 1 to 10000; 0: 60</summary>
            [FieldOffset(68)] public float step_rate_hz;
            /// <summary>per internal step, up to 64; 0: 1. Solver hybrid takes more where they exceed 1/120 s</summary>
            [FieldOffset(72)] public uint substeps;
            /// <summary>
            /// longer frames are cut to this, 1e-6 to 10; 0: 0.1. step_rate_hz * substeps * max_frame_s is at most
            /// 10000
            /// </summary>
            [FieldOffset(76)] public float max_frame_s;
            /// <summary>
            /// if a bone, or a vertex of the mesh, that roots are on moves farther in a frame, the hair teleports, host
            /// units; 0: never
            /// </summary>
            [FieldOffset(80)] public float teleport_distance;
            /// <summary>the same for the rotation of a bone or triangle, radians, up to pi; 0: never</summary>
            [FieldOffset(84)] public float teleport_angle;
            /// <summary>PLAIT_HAIR_xxx, or 0</summary>
            [FieldOffset(88)] public uint flags;
            [FieldOffset(92)] public uint reserved;

            /// <summary>PLAIT_HAIR_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_hair_desc Init =>
                new plait_hair_desc { head = new plait_head { type = 12, size = 96 } };
        }

        [StructLayout(LayoutKind.Explicit, Size = 168)]
        public struct plait_hair_info
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>handles as given last; they may be stale</summary>
            [FieldOffset(16)] public plait_groom groom;
            [FieldOffset(24)] public plait_device device;
            [FieldOffset(32)] public plait_body body;
            [FieldOffset(40)] public uint solver;
            [FieldOffset(44)] public uint strand_count;
            [FieldOffset(48)] public uint vertex_count;
            [FieldOffset(52)] public uint reserved;
            /// <summary>simulated so far</summary>
            [FieldOffset(56)] public double time_s;
            /// <summary>internal steps so far, substeps not counted</summary>
            [FieldOffset(64)] public ulong step_count;
            /// <summary>
            /// box around the strands, radii included, host units, for culling. Comes from the last output
            /// </summary>
            [FieldOffset(72)] public fixed float bounds_min[3];
            /// <summary>
            /// with POSITION that was written (not from plait_hair_read); all zero before the first. On a GPU it may be
            /// a few frames old, and relative to the origin of then, unless plait_hair_wait came before
            /// </summary>
            [FieldOffset(84)] public fixed float bounds_max[3];
            /// <summary>handle as given last; it may be stale; zero: none</summary>
            [FieldOffset(96)] public plait_binding binding;
            /// <summary>
            /// that the last render output wrote and the host draws: the first so many of the render groom; see
            /// strand_fraction of plait_render_params; 0 before the first
            /// </summary>
            [FieldOffset(104)] public uint render_strand_count;
            /// <summary>of all render strands, drawn or not: what a render output holds</summary>
            [FieldOffset(108)] public uint render_vertex_count;
            /// <summary>
            /// box around the render strands, like bounds_min; from the last render output with POSITION;
            /// </summary>
            [FieldOffset(112)] public fixed float render_bounds_min[3];
            /// <summary>zero before the first</summary>
            [FieldOffset(124)] public fixed float render_bounds_max[3];
            /// <summary>
            /// what the last render output with PLAIT_FORMAT_UNORM16X4 is relative to: position = min + (max -
            /// </summary>
            [FieldOffset(136)] public fixed float render_box_min[3];
            /// <summary>
            /// min) * value / 65535. It is larger than the bounds: hair in any motion stays in it, but for held
            /// vertices that are pulled away from their roots, which end at its sides. Comes with the frame's bones, at
            /// once on all devices; zero before the first
            /// </summary>
            [FieldOffset(148)] public fixed float render_box_max[3];
            /// <summary>the same for radii</summary>
            [FieldOffset(160)] public float render_max_radius;
            [FieldOffset(164)] public uint reserved2;

            /// <summary>PLAIT_HAIR_INFO_INIT: the head is set, other fields are neutral.</summary>
            public static plait_hair_info Init =>
                new plait_hair_info { head = new plait_head { type = 13, size = 168 } };
        }

        /// <summary>
        /// Creates a running head of hair at rest. Allocates all that stepping needs. PLAIT_ERROR_TOO_LARGE if the
        /// device cannot address it: on Vulkan a whole hair, some 60 bytes a vertex (480 with solver hybrid), lies in
        /// one storage buffer, whose limit is 128 MiB at least and usually 4 GiB. Cost: linear in the vertices; uses
        /// the job system. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_create(plait_context context, plait_hair_desc* desc, plait_hair* hair);

        /// <summary>Waits for its frames. Any thread; PLAIT_ERROR_BUSY while another call uses the hair.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_destroy(plait_hair hair);

        /// <summary>Serialised.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_query(plait_hair hair, plait_hair_info* info);

        [StructLayout(LayoutKind.Explicit, Size = 96)]
        public struct plait_frame_desc
        {
            /// <summary>
            /// may be followed by: plait_frame_sync_desc, plait_mesh_pose_desc, plait_vulkan_frame_desc
            /// </summary>
            [FieldOffset(0)] public plait_head head;
            /// <summary>seconds since the last frame; 0: paused (bones may move; strands follow rigidly)</summary>
            [FieldOffset(16)] public float dt;
            /// <summary>the groom's bone_count or more; the rest is ignored</summary>
            [FieldOffset(20)] public uint bone_count;
            /// <summary>[bone_count][12] at the end of the frame; null: as before</summary>
            [FieldOffset(24)] public float* bones;
            /// <summary>host units per second squared</summary>
            [FieldOffset(32)] public fixed float gravity[3];
            /// <summary>velocity of the air, host units per second</summary>
            [FieldOffset(44)] public fixed float wind[3];
            /// <summary>bit i of word i/32 set: collider i acts; null: all act</summary>
            [FieldOffset(56)] public uint* colliders_enabled;
            /// <summary>words given; colliders beyond them are off</summary>
            [FieldOffset(64)] public uint colliders_enabled_words;
            [FieldOffset(68)] public uint reserved;
            /// <summary>
            /// the point of the world that bones are relative to, host units, each within 1e13; see Origin above. A
            /// frame with dt 0 and bones null changes nothing else
            /// </summary>
            [FieldOffset(72)] public fixed double origin[3];

            /// <summary>PLAIT_FRAME_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_frame_desc Init =>
                new plait_frame_desc { head = new plait_head { type = 15, size = 96 } };
        }

        /// <summary>
        /// Advances the hair by one frame: as many fixed steps as fit into dt and the time left over from before, with
        /// bones interpolated in between (rotations on the shortest arc). Then writes the output, if one is set. If
        /// every frame is a whole number of steps, the output is that of the last step. Otherwise it is blended between
        /// the last two, relative to the roots, so that motion is smooth at any frame rate: strands move one step late,
        /// roots are always where the bones are. On a GPU it may return before the work is done, see plait_hair_wait
        /// and plait_frame_sync_desc. Allocates nothing; uses the job system. Cost: linear in vertices and steps, see
        /// plait_stats_info. Serialised; different hairs may step at the same time.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_step(plait_hair hair, plait_frame_desc* frame);

        /// <summary>
        /// Advances many hairs by one frame each, frames[i] for hairs[i]: to the same bits as plait_hair_step one after
        /// the other, in the order of the array, but as one piece of work. On the CPU threads go from hair to hair
        /// without waiting for each other, and share what is large. On Vulkan, frames of one device are one submission,
        /// unless another thread makes such a call on it at the same time or a frame must be waited for in between.
        /// Hairs may differ in device, solver and all else, and must be of the context, each there once. Either all
        /// frames are accepted or none is run: the message names the element. Frames then wait and signal like refused
        /// ones of plait_hair_step: all of them if a frame is wrong (its dt, a bone, a mesh), none if a handle, a
        /// struct or a semaphore is. If a device fails, its hairs may have moved or not; hairs of other devices are
        /// stepped, and the result is that of the first hair that failed. Signals of frames that the calling thread
        /// raises come when all frames before the next that must be waited for are done; 64 frames of a call can raise
        /// the same semaphore. hair_count 0 does nothing. Allocates nothing; uses the job system. Cost: that of the
        /// steps, and some microseconds a hair. Serialised, for each of the hairs.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hairs_step(plait_context context, uint hair_count, plait_hair* hairs,
            plait_frame_desc* frames);

        /// <summary>
        /// Waits until the output of the last step is written, at most timeout_ns; then PLAIT_ERROR_TIMEOUT. Devices
        /// that work synchronously (CPU, null) return at once. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_wait(plait_hair hair, ulong timeout_ns);

        /// <summary>
        /// Replaces the parameters of all groups (count and params as in plait_hair_desc), from the next step on. Cost:
        /// linear in the strands; in the vertices with solver hybrid. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_set_params(plait_hair hair, uint params_count, void* @params);

        /// <summary>
        /// Moves a running hair to another device of the same context, between two frames: strands go on from where
        /// they are, output goes on into the same memory. If it fails, as for lack of memory, the hair stays as it was.
        /// PREVIOUS_POSITION equals POSITION once. From a lost device (PLAIT_ERROR_DEVICE_LOST) strands go on from a
        /// state at most 16 frames before the loss, carried along to where their roots are now. An output that the new
        /// device cannot write (a VkBuffer, CUDA memory) must be set to none before. Allocates. Cost: like
        /// plait_hair_create. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_set_device(plait_hair hair, plait_device device);

        /// <summary>
        /// Attaches another body, or none (zero). A collider on a bone that neither roots nor the body before hang on
        /// is where the bone was at the end of the last frame: if that lies between two steps, the collider moves by
        /// less than a step in the first one, and drags strands by that much less. May allocate. Cost: linear in the
        /// colliders times the strands. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_set_body(plait_hair hair, plait_body body);

        /// <summary>
        /// Puts every strand into its rest shape at the given bones, without motion. bones null: as last given. The
        /// output changes with the next step. Cost: linear in the vertices. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_reset(plait_hair hair, uint bone_count, float* bones);

        /// <summary>
        /// Carries every strand rigidly to the given bones, keeping shape and velocity relative to its root. For cuts
        /// and portals. bones null: as last given. The output changes with the next step. Cost: linear in the vertices.
        /// Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_teleport(plait_hair hair, uint bone_count, float* bones);
        /// <summary>as plait_hair_reset</summary>
        public const uint PLAIT_PLACE_RESET = 1u;
        /// <summary>as plait_hair_teleport</summary>
        public const uint PLAIT_PLACE_TELEPORT = 2u;

        [StructLayout(LayoutKind.Explicit, Size = 32)]
        public struct plait_place_desc
        {
            /// <summary>may be followed by: plait_mesh_pose_desc</summary>
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_PLACE_xxx</summary>
            [FieldOffset(16)] public uint kind;
            /// <summary>as in plait_frame_desc</summary>
            [FieldOffset(20)] public uint bone_count;
            /// <summary>null: as last given</summary>
            [FieldOffset(24)] public float* bones;

            /// <summary>PLAIT_PLACE_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_place_desc Init =>
                new plait_place_desc { head = new plait_head { type = 37, size = 32 } };
        }

        /// <summary>
        /// plait_hair_reset or plait_hair_teleport, also for hair on a mesh. Cost: linear in the vertices. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_place(plait_hair hair, plait_place_desc* desc);

        // ---- equilibrium

        /// <summary>
        /// Result of plait_hair_settle. speed and acceleration are root mean squares over all vertices (speed squared
        /// times the hair's mass is twice its kinetic energy; acceleration times mass is the unbalanced force).
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 32)]
        public struct plait_settle_info
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>steps made</summary>
            [FieldOffset(16)] public uint step_count;
            /// <summary>
            /// 1: speed is within its limit, and acceleration too, or not told from what rounding makes
            /// </summary>
            [FieldOffset(20)] public uint settled;
            /// <summary>after the last step, host units per second</summary>
            [FieldOffset(24)] public float speed;
            /// <summary>
            /// of the last step, or its mean over the last 16 to 256, whichever is less: rounding of positions makes
            /// steps noisy; host units per second squared
            /// </summary>
            [FieldOffset(28)] public float acceleration;

            /// <summary>PLAIT_SETTLE_INFO_INIT: the head is set, other fields are neutral.</summary>
            public static plait_settle_info Init =>
                new plait_settle_info { head = new plait_head { type = 29, size = 32 } };
        }

        /// <summary>
        /// Any result but PLAIT_OK ends plait_hair_settle, which returns it; the hair stays as it is then. May be null.
        /// </summary>
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate int plait_settle_desc_progress(void* user, plait_settle_info* info);

        [StructLayout(LayoutKind.Explicit, Size = 72)]
        public struct plait_settle_desc
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>host units per second squared</summary>
            [FieldOffset(16)] public fixed float gravity[3];
            /// <summary>host units per second</summary>
            [FieldOffset(28)] public fixed float wind[3];
            /// <summary>settled when speed and</summary>
            [FieldOffset(40)] public float max_speed;
            /// <summary>acceleration are at most this; both 1e-30 to 1e9</summary>
            [FieldOffset(44)] public float max_acceleration;
            /// <summary>gives up after this many, 1 to 10000000</summary>
            [FieldOffset(48)] public uint max_steps;
            /// <summary>steps between calls of progress; 0: 100</summary>
            [FieldOffset(52)] public uint progress_steps;
            /// <summary>
            /// A plait_settle_desc_progress. Any result but PLAIT_OK ends plait_hair_settle, which returns it; the hair
            /// stays as it is then. May be null.
            /// </summary>
            [FieldOffset(56)] public IntPtr progress;
            [FieldOffset(64)] public void* user;

            /// <summary>PLAIT_SETTLE_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_settle_desc Init =>
                new plait_settle_desc { head = new plait_head { type = 28, size = 72 } };
        }

        /// <summary>
        /// Brings the hair to rest at its present bones by dynamic relaxation with kinetic damping: steps of the usual
        /// length, in which all strands stop whenever their kinetic energy has passed a peak, until speed and
        /// acceleration are within their limits. All colliders act. Time does not pass, and the strands are at rest
        /// afterwards. Returns PLAIT_OK also when max_steps were not enough: see info.settled. Writes the output at the
        /// end. info may be null. Allocates. Cost: linear in vertices and steps. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_settle(plait_hair hair, plait_settle_desc* desc, plait_settle_info* info);

        // ---- memory and semaphores shared across devices, APIs or processes
        /// <summary>VK_EXTERNAL_xxx_HANDLE_TYPE_OPAQUE_FD_BIT, CUDA's OPAQUE_FD</summary>
        public const uint PLAIT_EXTERNAL_OPAQUE_FD = 1u;
        /// <summary>the same for OPAQUE_WIN32</summary>
        public const uint PLAIT_EXTERNAL_OPAQUE_WIN32 = 2u;

        /// <summary>
        /// Device memory shared across devices, APIs or processes. One side exports this struct, the other imports it
        /// unchanged. Going in: if the call succeeds Plait owns handle, if it fails the host still does. Coming out:
        /// the host owns handle, and imports it (which consumes it) or closes it.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 88)]
        public struct plait_external_memory
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_EXTERNAL_xxx</summary>
            [FieldOffset(16)] public uint kind;
            /// <summary>1: allocated for one buffer (VkMemoryDedicatedAllocateInfo), which begins at 0</summary>
            [FieldOffset(20)] public uint dedicated;
            /// <summary>the file descriptor, or the HANDLE</summary>
            [FieldOffset(24)] public long handle;
            /// <summary>bytes of the whole allocation (VkMemoryAllocateInfo.allocationSize)</summary>
            [FieldOffset(32)] public ulong allocation_size;
            /// <summary>of the output's memory in the allocation; a multiple of 4</summary>
            [FieldOffset(40)] public ulong offset;
            /// <summary>VkMemoryAllocateInfo.memoryTypeIndex; CUDA needs none</summary>
            [FieldOffset(48)] public uint memory_type;
            /// <summary>
            /// VkBufferUsageFlags of a dedicated allocation's buffer, whose size must be that of the output; else 0
            /// </summary>
            [FieldOffset(52)] public uint usage;
            /// <summary>of the device it was made on; any other: PLAIT_ERROR_OTHER_DEVICE</summary>
            [FieldOffset(56)] public fixed byte device_uuid[16];
            [FieldOffset(72)] public fixed byte driver_uuid[16];

            /// <summary>PLAIT_EXTERNAL_MEMORY_INIT: the head is set, other fields are neutral.</summary>
            public static plait_external_memory Init =>
                new plait_external_memory { head = new plait_head { type = 23, size = 88 }, handle = -1 };
        }

        /// <summary>A timeline semaphore shared likewise; ownership of handle as in plait_external_memory.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 64)]
        public struct plait_external_semaphore
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_EXTERNAL_xxx</summary>
            [FieldOffset(16)] public uint kind;
            [FieldOffset(20)] public uint reserved;
            [FieldOffset(24)] public long handle;
            [FieldOffset(32)] public fixed byte device_uuid[16];
            [FieldOffset(48)] public fixed byte driver_uuid[16];

            /// <summary>PLAIT_EXTERNAL_SEMAPHORE_INIT: the head is set, other fields are neutral.</summary>
            public static plait_external_semaphore Init =>
                new plait_external_semaphore { head = new plait_head { type = 24, size = 64 }, handle = -1 };
        }

        /// <summary>
        /// A timeline semaphore: a number on a device that only grows. Frames wait until it reaches a value, and raise
        /// it to another. external null: a new one, at 0. Else it imports another side's; PLAIT_ERROR_UNSUPPORTED if
        /// plait_device_info.interop lacks PLAIT_INTEROP_SEMAPHORE_xxx. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_semaphore_create(plait_device device, plait_external_semaphore* external,
            plait_semaphore* semaphore);

        /// <summary>
        /// Raises it to the highest value still waited for, so that nothing waits forever: frames continue, and calls
        /// that wait return (PLAIT_ERROR_INVALID_HANDLE if they begin at the same time). May wait for frames that raise
        /// it to less, up to a second each. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_semaphore_destroy(plait_semaphore semaphore);

        /// <summary>
        /// A handle by which another side can import it; kind: PLAIT_EXTERNAL_xxx. Each call makes a new one. Any
        /// thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_semaphore_export(plait_semaphore semaphore, uint kind, plait_external_semaphore*
            external);

        /// <summary>Its present value. Any thread.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_semaphore_query(plait_semaphore semaphore, ulong* value);

        /// <summary>
        /// Waits until it reaches value, at most timeout_ns; then PLAIT_ERROR_TIMEOUT. PLAIT_ERROR_UNSUPPORTED if the
        /// value cannot be observed in time, see plait_cuda.h. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_semaphore_wait(plait_semaphore semaphore, ulong value, ulong timeout_ns);

        /// <summary>
        /// Raises it to value, which must be more than its present value. While a frame under way will raise it, both
        /// could happen at the same moment: PLAIT_ERROR_INVALID_ARGUMENT, unless that frame first waits for this
        /// semaphore to reach value or more. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_semaphore_signal(plait_semaphore semaphore, ulong value);

        /// <summary>
        /// Chained to plait_frame_desc: the frame's work begins when one semaphore reaches a value, and raises one (or
        /// the same) when the output is written. signal_value must be more than the semaphore's present value, than
        /// wait_value if it is the same semaphore, and than what earlier frames will raise it to. If both semaphores
        /// are of the hair's device and the output is in its memory (VkBuffer or external), plait_hair_step does not
        /// wait while at most two frames are under way (frames of more than 26 steps: 64 steps). Else it waits on the
        /// calling thread, before and after the work. A frame that waits holds up later work on its device, also that
        /// of other hairs, so that work must not be what it waits for. A frame that is refused (for example for a wrong
        /// dt or bone) or fails waits and signals nevertheless. It does not signal if these semaphores or values are
        /// refused, if the structs cannot be read, or if the device is lost or fails at the signal; the host may then
        /// raise the semaphore itself. One call at a time may step towards a signal_semaphore, whatever its hair: else
        /// PLAIT_ERROR_BUSY.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 48)]
        public struct plait_frame_sync_desc
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>zero: none</summary>
            [FieldOffset(16)] public plait_semaphore wait_semaphore;
            [FieldOffset(24)] public ulong wait_value;
            /// <summary>zero: none</summary>
            [FieldOffset(32)] public plait_semaphore signal_semaphore;
            /// <summary>PLAIT_ERROR_LIMIT if 64 frames that will raise this semaphore are under way</summary>
            [FieldOffset(40)] public ulong signal_value;

            /// <summary>PLAIT_FRAME_SYNC_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_frame_sync_desc Init =>
                new plait_frame_sync_desc { head = new plait_head { type = 26, size = 48 } };
        }

        // ---- hair-hair forces
        /// <summary>keeps its volume and rubs (Drucker-Prager): strands stay together</summary>
        public const uint PLAIT_VOLUME_SAND = 1u;
        /// <summary>keeps its volume only (weakly compressible): strands flow apart</summary>
        public const uint PLAIT_VOLUME_FLUID = 2u;

        /// <summary>
        /// Strands as a continuum, by the material point method on their own vertices (Huang et al. 2023): hair keeps
        /// the volume of the groom and rubs against itself, and no strand moves alone. The groom as drawn is what
        /// nothing strains: in its bind pose hair feels none of it. Defaults are those of that paper, tables 1 and 2,
        /// but for three: loose_closing and loose_opening are 1, for with 0.015 and 0.06 strands do not come back to
        /// their shape, and flip_ratio is 0.8, for with 0.3 they creep for many seconds before they lie still. No
        /// segment gets longer than the solver's limit by it, 1.04 of its length.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 72)]
        public struct plait_volume_params
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_VOLUME_xxx</summary>
            [FieldOffset(16)] public uint model;
            /// <summary>
            /// steps of the grid in one of the solver's, 1 to 3. Default 3: 1/360 s with solver hybrid at 120 steps a
            /// second. Each costs the same
            /// </summary>
            [FieldOffset(20)] public uint substeps;
            /// <summary>
            /// of the grid, host units, more than 0; about the length of a segment. Default: a centimetre
            /// </summary>
            [FieldOffset(24)] public float cell_size;
            /// <summary>
            /// Pa, 0 to 1e12: more keeps more volume. Taken as less where waves would cross more than 0.7 of a cell in
            /// a step: about 6e3 with the other defaults
            /// </summary>
            [FieldOffset(28)] public float youngs_modulus;
            /// <summary>0 to 0.49</summary>
            [FieldOffset(32)] public float poisson_ratio;
            /// <summary>of hair, kg/m^3, 1 to 1e5: with the groom's radii it gives the mass</summary>
            [FieldOffset(36)] public float density;
            /// <summary>radians, 0 to 1.5; sand only</summary>
            [FieldOffset(40)] public float friction_angle;
            /// <summary>
            /// 0 to 1: how much of its own velocity a vertex keeps in a step of the grid, instead of that of the hair
            /// around. Default 0.8. Less is like honey: strands that lie wrong come back slowly
            /// </summary>
            [FieldOffset(44)] public float flip_ratio;
            /// <summary>
            /// 0 to 1: how much of its own velocity moves it in a step, where hair closes. 1: strands go where the
            /// solver wants them, and feel the hair around by their velocities only. Less holds vertices against each
            /// other, also those of one strand
            /// </summary>
            [FieldOffset(48)] public float loose_closing;
            /// <summary>
            /// the same where hair opens. The paper's "trap breaking ratios" are these two over flip_ratio
            /// </summary>
            [FieldOffset(52)] public float loose_opening;
            /// <summary>
            /// of the strands that the head really has, 0 to 1: each simulated one has the mass of all that it stands
            /// for. It cancels out in the motion and counts in plait_volume_info only. 0, the default: the hair's
            /// strands over its render strands (plait_hair_set_binding); 0.03 without any
            /// </summary>
            [FieldOffset(56)] public float simulated_share;
            /// <summary>0 to 1: how much of what the grid wants is done</summary>
            [FieldOffset(60)] public float strength;
            /// <summary>
            /// of 4x4x4 cells that the grid has memory for, 8 KB each; 0: four times those that the groom is in, and
            /// 64. Hair that needs more goes without hair-hair forces in the rest of them, and everywhere if it needs
            /// more than twice max_blocks and twice the default; PLAIT_MESSAGE_VOLUME_FULL tells
            /// </summary>
            [FieldOffset(64)] public uint max_blocks;
            [FieldOffset(68)] public uint reserved;

            /// <summary>PLAIT_VOLUME_PARAMS_INIT: the head is set, other fields are neutral.</summary>
            public static plait_volume_params Init =>
                new plait_volume_params { head = new plait_head { type = 30, size = 72 } };
        }

        /// <summary>
        /// Fills params (head set by the caller) with defaults for a hair of this plait_hair_desc.meters_per_unit (0:
        /// 1). Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_volume_params_default(float meters_per_unit, plait_volume_params* @params);

        /// <summary>
        /// Turns hair-hair forces on, changes them, or turns them off (params null), from the next step on; hairs are
        /// made without. Works with all solvers, for one hair: hairs do not feel each other. The state that
        /// plait_hair_save writes grows when they are turned on for the first time. Cost: like plait_hair_create when
        /// they go on or off or substeps, max_blocks, cell_size or density change, which allocates; else a microsecond.
        /// Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_set_volume(plait_hair hair, plait_volume_params* @params);

        /// <summary>
        /// The last step of the grid. Momentum is kg times host units per second. What the grid got is what vertices
        /// gave it, and, but for colliders, vertices get it back, so all three are the same to the rounding of floats;
        /// held vertices do not take it.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 128)]
        public struct plait_volume_info
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>that hair is in</summary>
            [FieldOffset(16)] public ulong block_count;
            /// <summary>that there is memory for</summary>
            [FieldOffset(24)] public ulong block_capacity;
            /// <summary>vertices without a place in one of them, in all steps so far together</summary>
            [FieldOffset(32)] public ulong homeless_vertex_count;
            /// <summary>kg, of all vertices in the grid</summary>
            [FieldOffset(40)] public double mass;
            /// <summary>of all nodes</summary>
            [FieldOffset(48)] public double grid_mass;
            /// <summary>of the vertices, before</summary>
            [FieldOffset(56)] public fixed double momentum[3];
            /// <summary>of the nodes</summary>
            [FieldOffset(80)] public fixed double grid_momentum[3];
            /// <summary>of the vertices, after</summary>
            [FieldOffset(104)] public fixed double momentum_after[3];

            /// <summary>PLAIT_VOLUME_INFO_INIT: the head is set, other fields are neutral.</summary>
            public static plait_volume_info Init =>
                new plait_volume_info { head = new plait_head { type = 31, size = 128 } };
        }

        /// <summary>
        /// All zero without hair-hair forces. Cost: linear in the vertices and blocks; on a GPU it waits and copies
        /// them. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_volume(plait_hair hair, plait_volume_info* info);

        // ---- output
        /// <summary>
        /// w of the four-component format: the vertex's radius, host units, scaled with the root's bones
        /// </summary>
        public const uint PLAIT_ATTRIBUTE_POSITION = 1u;
        /// <summary>unit vector from root to tip; w: 0</summary>
        public const uint PLAIT_ATTRIBUTE_TANGENT = 2u;
        /// <summary>
        /// POSITION of the last frame, for motion vectors, relative to the origin of this one; w: 0. After reset and
        /// teleport it equals POSITION
        /// </summary>
        public const uint PLAIT_ATTRIBUTE_PREVIOUS_POSITION = 3u;
        public const uint PLAIT_FORMAT_FLOAT32X3 = 1u;
        public const uint PLAIT_FORMAT_FLOAT32X4 = 2u;
        /// <summary>
        /// POSITION of render strands: 0 to 65535 for render_box_min to render_box_max of plait_hair_info, w for 0 to
        /// render_max_radius; 8 bytes. Not of hair on a mesh: only bones tell the box
        /// </summary>
        public const uint PLAIT_FORMAT_UNORM16X4 = 3u;
        /// <summary>TANGENT of render strands, as half floats; 8 bytes</summary>
        public const uint PLAIT_FORMAT_FLOAT16X4 = 4u;

        /// <summary>Vertex v (in the groom's order) is written at offset + v * stride.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 40)]
        public struct plait_output_attribute
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_ATTRIBUTE_xxx</summary>
            [FieldOffset(16)] public uint attribute;
            /// <summary>PLAIT_FORMAT_xxx</summary>
            [FieldOffset(20)] public uint format;
            /// <summary>bytes, a multiple of 4</summary>
            [FieldOffset(24)] public ulong offset;
            /// <summary>bytes, a multiple of 4, at least the format's size</summary>
            [FieldOffset(32)] public ulong stride;

            /// <summary>PLAIT_OUTPUT_ATTRIBUTE_INIT: the head is set, other fields are neutral.</summary>
            public static plait_output_attribute Init =>
                new plait_output_attribute { head = new plait_head { type = 22, size = 40 } };
        }

        [StructLayout(LayoutKind.Explicit, Size = 48)]
        public struct plait_output_desc
        {
            /// <summary>
            /// may be followed by one of: plait_external_memory, plait_output_export_desc, plait_cuda_output_desc,
            /// plait_vulkan_output_desc
            /// </summary>
            [FieldOffset(0)] public plait_head head;
            /// <summary>at least 1</summary>
            [FieldOffset(16)] public uint attribute_count;
            [FieldOffset(20)] public uint reserved;
            /// <summary>may interleave with one stride, not overlap; each kind at most once</summary>
            [FieldOffset(24)] public plait_output_attribute* attributes;
            /// <summary>host memory, aligned to 4 bytes; null with one of the structs above</summary>
            [FieldOffset(32)] public void* memory;
            /// <summary>bytes of memory, or of the memory that such a struct describes, from its offset on</summary>
            [FieldOffset(40)] public ulong size;

            /// <summary>PLAIT_OUTPUT_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_output_desc Init =>
                new plait_output_desc { head = new plait_head { type = 16, size = 48 } };
        }

        /// <summary>
        /// Every later step and plait_hair_settle write their result here. The memory stays the host's and must stay
        /// valid until another output or none (output null) is set, or the hair is destroyed. May allocate. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_set_output(plait_hair hair, plait_output_desc* output);

        /// <summary>
        /// For hair on a mesh (plait_groom_mesh_desc) whose host skins it on the GPU: frames with a
        /// plait_mesh_pose_desc without positions read them from here, on the device, when their work begins, so
        /// semaphores of the frame order that. The memory is described as for an output, with one attribute, POSITION,
        /// for all vertices of the mesh; it is external memory or memory of the host's device (plait_vulkan.h,
        /// plait_cuda.h). Null: none. What is not finite leaves strands where they are. The library does not know where
        /// such a mesh is: in large worlds frames should give bones, and root_bones of the groom name the one that is
        /// near. It sees no jumps either, so that plait_hair_place must say where one is, and hair counts as moving.
        /// plait_hair_set_device as for an output. May allocate. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_set_mesh_input(plait_hair hair, plait_output_desc* input);

        /// <summary>
        /// Chained to plait_output_desc: Plait allocates the memory on the hair's device, for others to import.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 24)]
        public struct plait_output_export_desc
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>PLAIT_EXTERNAL_xxx</summary>
            [FieldOffset(16)] public uint kind;
            [FieldOffset(20)] public uint reserved;

            /// <summary>PLAIT_OUTPUT_EXPORT_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_output_export_desc Init =>
                new plait_output_export_desc { head = new plait_head { type = 25, size = 24 } };
        }

        /// <summary>
        /// A handle by which another device or process can import the memory of an output with a
        /// plait_output_export_desc. Each call makes a new one. The memory lives until the last side lets go of it.
        /// Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_export_output(plait_hair hair, plait_external_memory* memory);

        /// <summary>
        /// Writes the present strands once into the memory given (host memory, a VkBuffer or CUDA memory), which need
        /// not outlive the call, and waits for it. PREVIOUS_POSITION can only be read while the output set has it.
        /// Cost: linear in the vertices. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_read(plait_hair hair, plait_output_desc* output);

        // ---- render strands
        /// <summary>strands follow guides of the group that has their own group's number, if it has any</summary>
        public const uint PLAIT_BINDING_BY_GROUP = 1u;

        /// <summary>
        /// Called now and then from the calling thread. Any result but PLAIT_OK ends plait_binding_create, which
        /// returns it. May be null.
        /// </summary>
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate int plait_binding_desc_progress(void* user, uint strands_done, uint strand_count);

        /// <summary>
        /// Which guides each strand of a render groom follows. Both grooms are drawn in the same bind pose and unit.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 72)]
        public struct plait_binding_desc
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>the groom of the hairs that shall carry the render strands</summary>
            [FieldOffset(16)] public plait_groom guides;
            /// <summary>
            /// strands to be drawn: any number, with any vertex counts. Of its bones, root bindings, normals and held
            /// counts nothing is used: roots go where those of their guides go
            /// </summary>
            [FieldOffset(24)] public plait_groom render;
            /// <summary>that a strand follows, 1 to 4; fewer where fewer are near; 0: 3</summary>
            [FieldOffset(32)] public uint guide_count;
            /// <summary>PLAIT_BINDING_xxx, or 0</summary>
            [FieldOffset(36)] public uint flags;
            /// <summary>
            /// radians, up to 3.15: a strand follows no two guides that leave the scalp in directions farther apart,
            /// nor, where there are others, one that leaves it in another direction than itself. The direction is that
            /// of the first third of a strand. 0: 0.8
            /// </summary>
            [FieldOffset(40)] public float parting_angle;
            /// <summary>
            /// 0 to 100: how much a difference in shape counts beside the distance of roots. The shape is that of
            /// points along the strand, relative to its root. 0: 1
            /// </summary>
            [FieldOffset(44)] public float shape_weight;
            /// <summary>the same for a difference in length. 0: 0.3</summary>
            [FieldOffset(48)] public float length_weight;
            [FieldOffset(52)] public uint reserved;
            /// <summary>
            /// A plait_binding_desc_progress. Called now and then from the calling thread. Any result but PLAIT_OK ends
            /// plait_binding_create, which returns it. May be null.
            /// </summary>
            [FieldOffset(56)] public IntPtr progress;
            [FieldOffset(64)] public void* user;

            /// <summary>PLAIT_BINDING_DESC_INIT: the head is set, other fields are neutral.</summary>
            public static plait_binding_desc Init =>
                new plait_binding_desc { head = new plait_head { type = 32, size = 72 } };
        }

        [StructLayout(LayoutKind.Explicit, Size = 72)]
        public struct plait_binding_info
        {
            [FieldOffset(0)] public plait_head head;
            [FieldOffset(16)] public uint guide_strand_count;
            /// <summary>of the render groom</summary>
            [FieldOffset(20)] public uint strand_count;
            [FieldOffset(24)] public uint vertex_count;
            [FieldOffset(28)] public uint max_vertex_count;
            /// <summary>strands that follow one guide alone</summary>
            [FieldOffset(32)] public uint single_count;
            /// <summary>
            /// guides as strands see them, cut to as many vertices as these have; a few for each guide
            /// </summary>
            [FieldOffset(36)] public uint row_count;
            /// <summary>plait_groom_info.identity of the two grooms</summary>
            [FieldOffset(40)] public ulong guides_identity;
            [FieldOffset(48)] public ulong render_identity;
            /// <summary>from the root of a strand to that of its nearest guide, host units</summary>
            [FieldOffset(56)] public float mean_distance;
            [FieldOffset(60)] public float max_distance;
            /// <summary>on the host; a hair has some 20 bytes a vertex on its device, 32 on a GPU</summary>
            [FieldOffset(64)] public ulong memory_bytes;

            /// <summary>PLAIT_BINDING_INFO_INIT: the head is set, other fields are neutral.</summary>
            public static plait_binding_info Init =>
                new plait_binding_info { head = new plait_head { type = 33, size = 72 } };
        }

        /// <summary>
        /// Finds the guides of every strand: those that are nearest by the distance of roots, shape and length
        /// together, in the bind pose. It never changes; any number of hairs on any devices of the context may share
        /// it. Keeps both grooms alive. Cost: some microseconds a strand, over the threads of the job system;
        /// allocates. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_binding_create(plait_context context, plait_binding_desc* desc, plait_binding*
            binding);

        /// <summary>
        /// A binding as bytes, for the host to keep with the asset. memory null: *size becomes the bytes needed. Else
        /// *size is the size of memory and becomes the bytes written. Cost: linear in the strands. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_binding_save(plait_binding binding, ulong* size, void* memory);

        /// <summary>
        /// A binding from what plait_binding_save has written. PLAIT_ERROR_INVALID_STATE if it is damaged, of another
        /// version, or if the grooms are not of the content (plait_groom_info.identity) that it was made for. Cost:
        /// linear in the strands; allocates. Any thread.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_binding_load(plait_context context, plait_groom guides, plait_groom render, void*
            memory, ulong size, plait_binding* binding);

        /// <summary>The handle becomes invalid; hairs that carry the binding keep it alive. Any thread.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_binding_destroy(plait_binding binding);

        /// <summary>Any thread.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_binding_query(plait_binding binding, plait_binding_info* info);

        /// <summary>
        /// <para>
        /// The hair carries the render strands of a binding, or none (zero). The binding's guides must be the hair's
        /// groom, or one of the same content. Another binding than before takes the render output and styles off;
        /// parameters stay. Saved states are not touched by it. Cost: like plait_hair_create, and linear in the render
        /// vertices; allocates. Serialised.
        /// </para>
        /// <para>
        /// Every vertex of a guide has turned since the bind pose: with the scalp, and then by the shortest way from
        /// the direction that the guide was drawn in there to its present one (directions are those of chords over a
        /// quarter of its vertices: of its bends, not of its single curls). These turns and the guide's shifts move the
        /// render strand, each vertex by those of its place along the guide: by its number, as long as both are drawn
        /// alike; else by its length from the root, to a fifth; beyond the guide's tip, with that. Its own shape turns
        /// with it, and the distance of its root from the guide's with the scalp: curls stay curls, and roots stay on
        /// the scalp. Where guides bend sharply that a strand is unlike in shape, it would be stretched: segments are
        /// cut to 1.04 of their length, as scaled by bones, and what is behind them moves up. A strand that lies on a
        /// guide, root on root, follows it exactly, whatever vertices it has (if no dozen of other guides begin there),
        /// and up to that length. Pushing out comes after that and may stretch strands again. Bones that scale unevenly
        /// or shear move roots between guides off the scalp by what they differ from a turn and one scale. Previous
        /// positions are those of the last frame's pose with the present parameters. Of several guides the results are
        /// weighted ("multi-strand"), or only the nearest counts ("single-strand"), see plait_render_params (Yuksel and
        /// Tariq 2010, Huang et al. 2023, sec. 5).
        /// </para>
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_set_binding(plait_hair hair, plait_binding binding);
        /// <summary>see flags of plait_render_params</summary>
        public const uint PLAIT_RENDER_PUSH_OUT = 1u;

        /// <summary>
        /// How render strands look. plait_render_params_default fills in defaults; values are taken literally, zero is
        /// zero.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 48)]
        public struct plait_render_params
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>
            /// 0 to 1: how much of a strand's place comes from its nearest guide alone, at the root; the rest from
            /// </summary>
            [FieldOffset(16)] public float single_root;
            /// <summary>
            /// all of its guides; and at the tip, linear in between. Default: 0 and 0. More makes locks
            /// </summary>
            [FieldOffset(20)] public float single_tip;
            /// <summary>
            /// 0.01 to 1: the strand is cut to this share of its segments, which is that of its length where they are
            /// drawn alike; its vertices move together. Default 1
            /// </summary>
            [FieldOffset(24)] public float length;
            /// <summary>0 to 1000: multiplies radii at the root; default 1</summary>
            [FieldOffset(28)] public float width_root;
            /// <summary>and at the tip of what is left of the strand; linear in between; default 1</summary>
            [FieldOffset(32)] public float width_tip;
            /// <summary>
            /// <para>
            /// Level of detail, may change in any frame. Nothing jumps: what goes away gets thin before, or slides
            /// along its strand.
            /// </para>
            /// <para>
            /// 0.001 to 1: only the first strands of the render groom are written, this share of them and a tenth of it
            /// more, which get thin, for the host to draw (plait_hair_info.render_strand_count); the others' memory may
            /// hold anything. All get wider, so that together they cover as much. Grooms should have their strands in
            /// random order. Default 1
            /// </para>
            /// </summary>
            [FieldOffset(36)] public float strand_fraction;
            /// <summary>
            /// 0.001 to 1: the first vertices of a strand, 1 + fraction * (vertices - 1) rounded up, spread over all of
            /// it; those behind lie on its tip. Default 1
            /// </summary>
            [FieldOffset(40)] public float vertex_fraction;
            /// <summary>
            /// 0, or PLAIT_RENDER_PUSH_OUT: vertices within colliders of the hair's body, those enabled in the frame,
            /// go to the nearest point of the surface, and their radius (that of full detail) beyond it; in the first
            /// eighth of a strand less and less, roots not at all. For guides are outside of colliders, and what is
            /// between them need not be. The cost grows with the colliders. Default 0
            /// </summary>
            [FieldOffset(44)] public uint flags;

            /// <summary>PLAIT_RENDER_PARAMS_INIT: the head is set, other fields are neutral.</summary>
            public static plait_render_params Init =>
                new plait_render_params { head = new plait_head { type = 34, size = 48 } };
        }

        /// <summary>Fills params (head set by the caller) with defaults. Any thread.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_render_params_default(plait_render_params* @params);

        /// <summary>
        /// From the next output on, for this hair's present and later bindings. Allocates nothing. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_set_render_params(plait_hair hair, plait_render_params* @params);

        /// <summary>
        /// How strands of one group are styled, in the bind pose: guides then carry along the strands so made. So
        /// styles cost a frame nothing, and tangents, previous positions, bounds and levels of detail are those of the
        /// styled strands. Roots stay where they are, and everything grows in from there without a kink. Strands differ
        /// by their number and the seed alone: the same on all devices, in every frame, whatever the level of detail.
        /// Shares of a strand are those of its segments. Lengths are in host units; those that divide are 0 (off) or
        /// 1e-6 to 1e6. plait_render_style_default fills in a style that changes nothing; values are taken literally.
        /// </summary>
        [StructLayout(LayoutKind.Explicit, Size = 64)]
        public struct plait_render_style
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>0.01 to 1: like that of plait_render_params, and multiplies it. Default 1</summary>
            [FieldOffset(16)] public float length;
            /// <summary>0 to 1000: multiplies radii at the root; default 1</summary>
            [FieldOffset(20)] public float width_root;
            /// <summary>and at the tip of what `length` leaves of the strand; linear in between; default 1</summary>
            [FieldOffset(24)] public float width_tip;
            /// <summary>
            /// 0 to 1e6: tips move aside from the direction of the root by up to this, other vertices by their share of
            /// it. Default 0
            /// </summary>
            [FieldOffset(28)] public float scatter;
            /// <summary>
            /// 0 to 1: how much of the way to the strand in the middle of its clump a tip goes; that is one of the
            /// render groom, and the others of the clump go to the vertex at their share of it. Default 0
            /// </summary>
            [FieldOffset(32)] public float clump;
            /// <summary>0 to 0.99: share of the strand up to which it stays where it is. Default 0</summary>
            [FieldOffset(36)] public float clump_begin;
            /// <summary>
            /// least distance of the roots of two such middles. Strands go to the nearest of their group that is on
            /// their side of a parting and like them: points along both, seen from the roots, are no farther apart than
            /// twice this, root mean square. 0: no clumps. Default 0
            /// </summary>
            [FieldOffset(40)] public float clump_size;
            /// <summary>
            /// 0 to 1e6: a helix about the strand's own path, which grows in over the first turn. Strands of a clump
            /// wind together, about its middle; others begin anywhere. Default 0
            /// </summary>
            [FieldOffset(44)] public float curl_radius;
            /// <summary>
            /// length of the strand in a turn; several vertices a turn are needed to show it. 0: no curls. Default 0
            /// </summary>
            [FieldOffset(48)] public float curl_pitch;
            /// <summary>
            /// 0 to 1e6: waves across the strand, which leave its path by at most this and grow in over the first
            /// frizz_length. Default 0
            /// </summary>
            [FieldOffset(52)] public float frizz;
            /// <summary>their wavelength, which strand by strand is up to twice this. 0: no frizz. Default 0</summary>
            [FieldOffset(56)] public float frizz_length;
            /// <summary>another one: other strands go other ways. Default 0</summary>
            [FieldOffset(60)] public uint seed;

            /// <summary>PLAIT_RENDER_STYLE_INIT: the head is set, other fields are neutral.</summary>
            public static plait_render_style Init =>
                new plait_render_style { head = new plait_head { type = 38, size = 64 } };
        }

        /// <summary>Fills style (head set by the caller) with defaults. Any thread.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_render_style_default(plait_render_style* style);

        /// <summary>
        /// From the next render output on. style_count: 0, no styles, as before the first call; 1, one for all groups
        /// of the render groom; else its group_count. Needs a binding; another binding takes the styles off. May be
        /// called in every frame. Cost: a microsecond, and in the next frame a pass over the render vertices; the first
        /// call, style_count 0 and another clump_size cost like plait_hair_set_binding. Allocates. Styles take 48 bytes
        /// a render vertex on the device. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_set_render_styles(plait_hair hair, uint style_count, plait_render_style*
            styles);

        /// <summary>
        /// The same as plait_hair_set_output for the render strands of the hair's binding, beside it or alone: vertex v
        /// is that of the render groom. Both outputs may be in one memory if they do not overlap. A frame's signal
        /// comes when both are written. Host memory on the CPU is written past the caches where POSITION has four
        /// floats at a stride of 16 bytes and an address that is a multiple of 16. May allocate. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_set_render_output(plait_hair hair, plait_output_desc* output);

        /// <summary>The same as plait_hair_export_output for the memory of the render output. Serialised.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_export_render_output(plait_hair hair, plait_external_memory* memory);

        // ---- state

        /// <summary>
        /// Bytes that plait_hair_save writes; never changes for a hair, but see plait_hair_set_volume. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_state_size(plait_hair hair, ulong* size);

        /// <summary>
        /// Writes everything that future steps depend on, except parameters, body and output. size: bytes at memory.
        /// Blobs have one format on all devices and instruction sets. When the device fails, memory may be written in
        /// part; plait_hair_load refuses such a blob. Cost: linear in the vertices. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_save(plait_hair hair, void* memory, ulong size);

        /// <summary>
        /// Continues from a saved state: bit for bit, if parameters, body, step rate, substeps and the kind of device
        /// are those of the hair that saved it, output between two steps included; only PREVIOUS_POSITION equals
        /// POSITION once. Groom content, unit and solver must be the same; else, or if the blob is damaged, the call
        /// fails and the hair keeps its state. Cost: linear in the vertices. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_load(plait_hair hair, void* memory, ulong size);

        // ---- statistics

        [StructLayout(LayoutKind.Explicit, Size = 152)]
        public struct plait_stats_info
        {
            [FieldOffset(0)] public plait_head head;
            [FieldOffset(16)] public uint strand_count;
            [FieldOffset(20)] public uint vertex_count;
            /// <summary>frames so far</summary>
            [FieldOffset(24)] public ulong frame_count;
            /// <summary>internal steps so far, substeps not counted</summary>
            [FieldOffset(32)] public ulong step_count;
            /// <summary>automatic ones</summary>
            [FieldOffset(40)] public ulong teleport_count;
            /// <summary>frames longer than max_frame_s</summary>
            [FieldOffset(48)] public ulong clamped_frame_count;
            /// <summary>strands that were not finite and were put back, so far</summary>
            [FieldOffset(56)] public ulong nonfinite_strand_count;
            /// <summary>wall time of the last frame</summary>
            [FieldOffset(64)] public double frame_s;
            /// <summary>
            /// largest length of a strand over its rest length after the last step, minus 1; shape: never more than
            /// 0.04, where colliders leave no room; hybrid: 0.04 (0.2 with rest_gravity), unless held vertices are
            /// pulled apart. Rounding adds up to 1 um (1.2e-7 of the size of grooms beyond 4 m) over the length of a
            /// segment
            /// </summary>
            [FieldOffset(72)] public float worst_stretch;
            /// <summary>mean of |length over rest length - 1| over all strands after the last step</summary>
            [FieldOffset(76)] public float mean_length_error;
            /// <summary>device memory for rest shape, bindings and parameters</summary>
            [FieldOffset(80)] public ulong bytes_asset;
            /// <summary>positions, velocities</summary>
            [FieldOffset(88)] public ulong bytes_state;
            /// <summary>bones, colliders, scratch, history for previous positions</summary>
            [FieldOffset(96)] public ulong bytes_work;
            /// <summary>commands of a step and the output after it, as last recorded;</summary>
            [FieldOffset(104)] public uint dispatches_per_step;
            /// <summary>0 before the first step, and on devices without commands, as the CPU</summary>
            [FieldOffset(108)] public uint barriers_per_step;
            /// <summary>strands that will not stay as drawn under rest_gravity, see plait_hybrid_params</summary>
            [FieldOffset(112)] public ulong sagging_strand_count;
            /// <summary>
            /// <para>
            /// The next four are of hairs with PLAIT_HAIR_WATCH_MOTION, else zero, and as of the last step of the last
            /// frame. It is a flag of the hair because how long strands have been wound up can only be known by looking
            /// while frames pass: once a frame, however many steps it has, for a quarter of the time of one step of
            /// solver shape and 16 bytes a strand. After plait_hair_reset, _teleport, _load and _set_device all is zero
            /// until the next step, and both times begin anew.
            /// </para>
            /// <para>
            /// strands with a vertex faster than 1 cm/s, though every bone that a root or a collider hangs on has had
            /// the same matrix, to the bit, for 5 s (when the origin changes: to the rounding of its floats); 0 before
            /// that
            /// </para>
            /// </summary>
            [FieldOffset(120)] public ulong restless_strand_count;
            /// <summary>
            /// strands that turn by 540 degrees more than in the groom (angles between segments in a row, all
            /// together), and have done so for more than half a second
            /// </summary>
            [FieldOffset(128)] public ulong knotted_strand_count;
            /// <summary>
            /// root mean square over all vertices, host units per second. Hair that is slow while bones are still needs
            /// no steps
            /// </summary>
            [FieldOffset(136)] public float rms_speed;
            /// <summary>
            /// of all vertices. Rounding adds to both up to 1 um (1.2e-7 of the size of grooms beyond 4 m) times
            /// step_rate_hz times substeps, and in frames with another origin that of the bones' floats
            /// </summary>
            [FieldOffset(140)] public float fastest_speed;
            /// <summary>
            /// <para>
            /// Not only of watched hairs.
            /// </para>
            /// <para>
            /// solver hybrid: strands with a segment that was held at the limit of its length, so far; one counts anew
            /// in every step, and in every part of one that it takes in parts. There should be next to none unless
            /// roots jump
            /// </para>
            /// </summary>
            [FieldOffset(144)] public ulong cut_strand_count;

            /// <summary>PLAIT_STATS_INFO_INIT: the head is set, other fields are neutral.</summary>
            public static plait_stats_info Init =>
                new plait_stats_info { head = new plait_head { type = 17, size = 152 } };
        }

        /// <summary>Cost: linear in the strands. Serialised.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_stats(plait_hair hair, plait_stats_info* info);

        [StructLayout(LayoutKind.Explicit, Size = 104)]
        public struct plait_stage_info
        {
            [FieldOffset(0)] public plait_head head;
            /// <summary>"roots", "shape", "output"</summary>
            [FieldOffset(16)] public fixed byte name[64];
            /// <summary>time in this stage during the last frame, summed over threads: can exceed wall time</summary>
            [FieldOffset(80)] public double frame_s;
            /// <summary>since creation</summary>
            [FieldOffset(88)] public double total_s;
            /// <summary>since creation</summary>
            [FieldOffset(96)] public ulong run_count;

            /// <summary>PLAIT_STAGE_INFO_INIT: the head is set, other fields are neutral.</summary>
            public static plait_stage_info Init =>
                new plait_stage_info { head = new plait_head { type = 18, size = 104 } };
        }

        /// <summary>
        /// Times of the stages of a step, of "watch" with PLAIT_HAIR_WATCH_MOTION, and of the output. Solver hybrid has
        /// its stages four times, for strands that take a step in parts: the later ones cost next to nothing where none
        /// does. count and infos as in plait_backend_enumerate. Serialised.
        /// </summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        public static extern int plait_hair_stages(plait_hair hair, uint* count, plait_stage_info* infos);
    }
}
