// The shared dialect for GLSL: one invocation is one strand. See dialect.h for what each name means. Integers and
// floats share one heap of 32-bit words. It is declared as uints, because a float load may change the bits of a NaN.
#define FN
#define STRUCT(name) struct name {
#define END(name)                                                                                                      \
    }                                                                                                                  \
    ;
#define real float
#define real3 vec3
#define mask bool
#define lane_uint uint
#define buffer_ref uint
#define R(c) (c)
#define any(m) (m)

layout(std430, binding = 0) buffer Heap { uint heap[]; };
layout(std430, binding = 1) buffer Host { float host[]; };
layout(push_constant) uniform Args {
    uint buffers[16];
    uint values[8];
    uint items;
}
args;

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

#define KERNEL(name) void kernel_##name(uint item)
#define BUF(i) (args.buffers[i])
#define VAL(i) (args.values[i])
#define PACK(item) ((item) / 32u)
#define LANE_IS_THREAD // with registers of its own
#define LANE (gl_GlobalInvocationID.x % 32u)

#define ROW(buffer, row) ((buffer) + (row)*32u)
#define LD(buffer, row) uintBitsToFloat(heap[(buffer) + (row)*32u + LANE])
#define ST(buffer, row, value) heap[(buffer) + (row)*32u + LANE] = floatBitsToUint(value)
#define LD_UINT(buffer, row) heap[(buffer) + (row)*32u + LANE]
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
// Only output scatters, into the host's memory.
void SCATTER(uint buffer_, uint index, float value, bool m) {
    if (m) host[buffer_ + index] = value;
}

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
