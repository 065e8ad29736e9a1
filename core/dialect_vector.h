// Vectors of three reals for the C targets, built on the prelude that includes this. GLSL has its own.
#ifndef PLAIT_DIALECT_VECTOR_H
#define PLAIT_DIALECT_VECTOR_H

STRUCT(real3)
    real x, y, z;
END(real3)

FN real3 vec3(real x, real y, real z) {
    real3 r;
    r.x = x;
    r.y = y;
    r.z = z;
    return r;
}
FN real3 add3(real3 a, real3 b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
FN real3 sub3(real3 a, real3 b) { return vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
FN real3 mul3(real3 a, real s) { return vec3(a.x * s, a.y * s, a.z * s); }
FN real3 sel3(mask m, real3 a, real3 b) { return vec3(sel(m, a.x, b.x), sel(m, a.y, b.y), sel(m, a.z, b.z)); }
FN real dot3(real3 a, real3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
FN real3 cross3(real3 a, real3 b) { return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
// With products that are not rounded: fewer instructions where the processor has fma, many more where it has not.
FN real3 fma3(real3 a, real s, real3 c) { return vec3(fma_(a.x, s, c.x), fma_(a.y, s, c.y), fma_(a.z, s, c.z)); }
FN real fused_dot3(real3 a, real3 b) { return fma_(a.z, b.z, fma_(a.y, b.y, a.x * b.x)); }
FN real3 fused_cross3(real3 a, real3 b) {
    return vec3(fma_(a.y, b.z, -(a.z * b.y)), fma_(a.z, b.x, -(a.x * b.z)), fma_(a.x, b.y, -(a.y * b.x)));
}

#define LD3(buffer, row) vec3(LD(buffer, row), LD(buffer, (row) + 1u), LD(buffer, (row) + 2u))
#define ST3(buffer, row, value)                                                                                        \
    ST(buffer, row, (value).x);                                                                                        \
    ST(buffer, (row) + 1u, (value).y);                                                                                 \
    ST(buffer, (row) + 2u, (value).z)
#define UNIFORM3(buffer, index)                                                                                        \
    vec3(UNIFORM(buffer, index), UNIFORM(buffer, (index) + 1u), UNIFORM(buffer, (index) + 2u))

#endif
