// The shared dialect for GLSL: one invocation is one strand. See dialect.h for what each name means. Integers and
// floats share one heap of 32-bit words. It is declared as uints, because a float load may change the bits of a NaN.
#define FN
#define FN_APART
#define STRUCT(name) struct name {
#define END(name)                                                                                                      \
    }                                                                                                                  \
    ;
#define real float
#define real3 vec3
#define mask bool
#define lane_uint uint
#define lane_int int
#define buffer_ref uint
#define R(c) (c)
#define any(m) (m)

layout(std430, binding = 0) buffer Heap { uint heap[]; };
layout(std430, binding = 1) buffer Host { uint host[]; };
// As stage_args has them. Where each buffer begins in the heap; the counter's word, or NO_COUNTER.
#define PUSH_OFFSET(binding, access) uint binding;
#define PUSH_NUMBER(value) uint value;
#define PUSH_CONSTANTS(kernel)                                                                                         \
    layout(push_constant) uniform Args {                                                                               \
        kernel##_BINDINGS(PUSH_OFFSET) uint counter;                                                                   \
        uint first;                                                                                                    \
        uint items;                                                                                                    \
        uint tile;                                                                                                     \
        kernel##_VALUES(PUSH_NUMBER)                                                                                   \
    }                                                                                                                  \
    args;
#define NO_COUNTER 0xffffffffu
#define ITEM_COUNT (args.counter == NO_COUNTER ? args.items : min(heap[args.counter], args.items))

float sel(bool m, float a, float b) { return m ? a : b; }
bool lt(float a, float b) { return a < b; }
bool both(bool a, bool b) { return a && b; }
bool either(bool a, bool b) { return a || b; }
bool not_(bool m) { return !m; }
bool below(uint a, uint b) { return a < b; }
uint count_lanes(bool m) { return m ? 1u : 0u; }
float sqrt_(float x) { return sqrt(x); }
float fma_(float a, float b, float c) {
    precise float r = fma(a, b, c);
    return r;
}
float min_(float a, float b) { return a < b ? a : b; }
float max_(float a, float b) { return b < a ? a : b; }
float abs_(float x) { return max_(x, -x); }
float round_(float x) { return roundEven(x); }

vec3 add3(vec3 a, vec3 b) { return a + b; }
vec3 sub3(vec3 a, vec3 b) { return a - b; }
vec3 mul3(vec3 a, float s) { return a * s; }
vec3 sel3(bool m, vec3 a, vec3 b) { return m ? a : b; }
float dot3(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
vec3 cross3(vec3 a, vec3 b) { return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
vec3 fma3(vec3 a, float s, vec3 c) { return vec3(fma_(a.x, s, c.x), fma_(a.y, s, c.y), fma_(a.z, s, c.z)); }
float fused_dot3(vec3 a, vec3 b) { return fma_(a.z, b.z, fma_(a.y, b.y, a.x * b.x)); }
vec3 fused_cross3(vec3 a, vec3 b) {
    return vec3(fma_(a.y, b.z, -(a.z * b.y)), fma_(a.z, b.x, -(a.x * b.z)), fma_(a.x, b.y, -(a.y * b.x)));
}

#define U(c) uint(c)
#define I(c) int(c)
bool eq_uint(uint a, uint b) { return a == b; }
bool lt_uint(uint a, uint b) { return a < b; }
bool lt_int(int a, int b) { return a < b; }
uint sel_uint(bool m, uint a, uint b) { return m ? a : b; }
int sel_int(bool m, int a, int b) { return m ? a : b; }
uint to_uint(float x) { return uint(x); }
int to_int(float x) { return int(x); }
float uint_to_real(uint x) { return float(x); }
float int_to_real(int x) { return float(x); }
uint real_bits(float x) { return floatBitsToUint(x); }
float bits_real(uint x) { return uintBitsToFloat(x); }
uint int_bits(int x) { return uint(x); }
int bits_int(uint x) { return int(x); }
uint min_uint(uint a, uint b) { return min(a, b); }
uint max_uint(uint a, uint b) { return max(a, b); }

#define KERNEL(name) void kernel_##name(uint item)
#define ITEM_KERNEL(name) void kernel_##name(uint item)
#define GROUP_KERNEL(name) void kernel_##name(uint group)
#define BUF(binding) (args.binding)
#define VAL(value) (args.value)
#define INDEX (item)
#define ACTIVE true
#define THREADS                                                                                                        \
    memoryBarrierShared();                                                                                             \
    barrier();
#define SHARE(type, name, count) shared type name[count];
#define SHARED_HERE(kernel)
#define SHARED_ADD(array, index, value) atomicAdd(array[index], value)
#define TILE (args.tile)
#define ITEMS ITEM_COUNT
#define PACK(item) ((item) / 32u)

// A dispatch may have more groups than fit into one dimension.
#define WORKGROUP (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x)
#define MAIN_PACKS(kernel)                                                                                             \
    uint thread = WORKGROUP * 64u + gl_LocalInvocationID.x;                                                            \
    if (thread < args.items) kernel(args.first * 32u + thread);
#define MAIN_VERTICES(kernel) MAIN_PACKS(kernel)
#define MAIN_ITEMS(kernel)                                                                                             \
    uint thread = WORKGROUP * 64u + gl_LocalInvocationID.x;                                                            \
    if (thread < ITEM_COUNT) kernel(args.first + thread);
#define MAIN_GROUPS(kernel)                                                                                            \
    if (WORKGROUP * args.tile < ITEM_COUNT) kernel(WORKGROUP);

#define LANE_IS_THREAD // with registers of its own
#define LANE (gl_GlobalInvocationID.x % 32u)
#define LANE_NUMBER LANE
#define LANE_COUNT 32u
#define EVERY_LANE true

#define ROW(buffer, row) ((buffer) + (row)*32u)
#define LD(buffer, row) uintBitsToFloat(heap[(buffer) + (row)*32u + LANE])
#define ST(buffer, row, value) heap[(buffer) + (row)*32u + LANE] = floatBitsToUint(value)
#define LD_UINT(buffer, row) heap[(buffer) + (row)*32u + LANE]
#define ST_UINT(buffer, row, value) heap[(buffer) + (row)*32u + LANE] = (value)
#define UNIFORM(buffer, index) uintBitsToFloat(heap[(buffer) + (index)])
#define UNIFORM_UINT(buffer, index) heap[(buffer) + (index)]
#define ST_UNIFORM_UINT(buffer, index, value) heap[(buffer) + (index)] = (value)
#define ATOMIC_ADD_UINT(buffer, index, value) atomicAdd(heap[(buffer) + (index)], value)
#define LD3(buffer, row) vec3(LD(buffer, row), LD(buffer, (row) + 1u), LD(buffer, (row) + 2u))
#define ST3(buffer, row, value)                                                                                        \
    ST(buffer, row, (value).x);                                                                                        \
    ST(buffer, (row) + 1u, (value).y);                                                                                 \
    ST(buffer, (row) + 2u, (value).z)
#define UNIFORM3(buffer, index)                                                                                        \
    vec3(UNIFORM(buffer, index), UNIFORM(buffer, (index) + 1u), UNIFORM(buffer, (index) + 2u))
float GATHER(uint buffer_, uint index) { return uintBitsToFloat(heap[buffer_ + index]); }
void SCATTER(uint buffer_, uint index, float value, bool m) {
    if (m) heap[buffer_ + index] = floatBitsToUint(value);
}
uint GATHER_UINT(uint buffer_, uint index) { return heap[buffer_ + index]; }
void SCATTER_UINT(uint buffer_, uint index, uint value, bool m) {
    if (m) heap[buffer_ + index] = value;
}
void ATOMIC_ADD(uint buffer_, uint index, uint value, bool m) {
    if (m) atomicAdd(heap[buffer_ + index], value);
}
void ATOMIC_MIN(uint buffer_, uint index, uint value, bool m) {
    if (m && value < heap[buffer_ + index]) atomicMin(heap[buffer_ + index], value); // few need to
}
void ATOMIC_MAX(uint buffer_, uint index, uint value, bool m) {
    if (m && value > heap[buffer_ + index]) atomicMax(heap[buffer_ + index], value);
}
uint ATOMIC_TAKE(uint buffer_, uint index, uint value, bool m) {
    return m ? atomicAdd(heap[buffer_ + index], value) : 0u;
}
uint ATOMIC_CLAIM(uint buffer_, uint index, uint value, bool m) {
    return m ? atomicCompSwap(heap[buffer_ + index], 0u, value) : 0u;
}
#define ST_RECORD_UINT(buffer_, which, words, word, value) heap[(buffer_) + (which) * (words) + (word)] = (value)
STRUCT(record8)
    real w0, w1, w2, w3, w4, w5, w6, w7;
END(record8)
void ST_RECORD8(uint buffer_, uint which, uint words, uint word, record8 r) {
    uint to = buffer_ + which * words + word;
    heap[to + 0u] = floatBitsToUint(r.w0);
    heap[to + 1u] = floatBitsToUint(r.w1);
    heap[to + 2u] = floatBitsToUint(r.w2);
    heap[to + 3u] = floatBitsToUint(r.w3);
    heap[to + 4u] = floatBitsToUint(r.w4);
    heap[to + 5u] = floatBitsToUint(r.w5);
    heap[to + 6u] = floatBitsToUint(r.w6);
    heap[to + 7u] = floatBitsToUint(r.w7);
}
record8 LD_RECORD8(uint buffer_, uint which, uint words, uint word) {
    uint from = buffer_ + which * words + word;
    record8 r;
    r.w0 = uintBitsToFloat(heap[from + 0u]);
    r.w1 = uintBitsToFloat(heap[from + 1u]);
    r.w2 = uintBitsToFloat(heap[from + 2u]);
    r.w3 = uintBitsToFloat(heap[from + 3u]);
    r.w4 = uintBitsToFloat(heap[from + 4u]);
    r.w5 = uintBitsToFloat(heap[from + 5u]);
    r.w6 = uintBitsToFloat(heap[from + 6u]);
    r.w7 = uintBitsToFloat(heap[from + 7u]);
    return r;
}
#define LOAD_UINT(buffer_, item) heap[(buffer_) + (item)]
#define STORE_UINT(buffer_, item, value, m) SCATTER_UINT(buffer_, item, value, m)
// The host's memory is a buffer of its own.
void SCATTER_HOST(uint buffer_, uint index, float value, bool m) {
    if (m) host[buffer_ + index] = floatBitsToUint(value);
}
void SCATTER_HOST_VECTOR(uint buffer_, uint index, uint components, float x, float y, float z, float w, bool m) {
    SCATTER_HOST(buffer_, index, x, m);
    SCATTER_HOST(buffer_, index + 1u, y, m);
    SCATTER_HOST(buffer_, index + 2u, z, m);
    SCATTER_HOST(buffer_, index + 3u, w, m && components == 4u);
}
void SCATTER_HOST_UINT(uint buffer_, uint index, uint value, bool m) {
    if (m) host[buffer_ + index] = value;
}

float GATHER_HOST(uint buffer_, uint index) { return uintBitsToFloat(host[buffer_ + index]); }

// For overrides; see dialect_cuda.h. A group may be several subgroups.
#define OVERRIDE(name) void override_##name()
#define GROUP (gl_WorkGroupID.x)
#define PART (gl_WorkGroupID.y)
#define PARTS (gl_NumWorkGroups.y)
#define THREAD (gl_LocalInvocationID.x)
#define SHARED(name, count) shared float name[count];
#define BARRIER                                                                                                        \
    memoryBarrierShared();                                                                                             \
    barrier()
#define LD_OF(buffer, row, lane) uintBitsToFloat(heap[(buffer) + (row)*32u + (lane)])
#define ST_OF(buffer, row, lane, value) heap[(buffer) + (row)*32u + (lane)] = floatBitsToUint(value)
#define STRAND(buffer, lane) ((buffer) + (lane)-LANE)
// Subgroups may be as small as 4, so neighbours exchange through shared memory.
#define EXCHANGED(slots) shared float exchanged[(slots)*32u];
#define GIVE(slot, value) exchanged[(slot)*32u + THREAD] = (value)
#define GIVEN BARRIER
#define NEIGHBOUR(slot, value, by) exchanged[(slot)*32u + uint(clamp(int(THREAD) + (by), 0, 31))]
#define GIVE3(slot, value)                                                                                             \
    GIVE(slot, (value).x);                                                                                             \
    GIVE((slot) + 1u, (value).y);                                                                                      \
    GIVE((slot) + 2u, (value).z)
#define NEIGHBOUR3(slot, value, by)                                                                                    \
    vec3(NEIGHBOUR(slot, (value).x, by), NEIGHBOUR((slot) + 1u, (value).y, by), NEIGHBOUR((slot) + 2u, (value).z, by))

#include "dialect_whole.h"
