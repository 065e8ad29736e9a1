// The dialect in double precision, one lane, for physics/ in preparation and in proofs. No kernels, no memory access.
#ifndef PLAIT_DIALECT_DOUBLE_H
#define PLAIT_DIALECT_DOUBLE_H

#include <math.h>
#include <stdint.h>

#define FN static inline __attribute__((always_inline, unused))
#define STRUCT(name) typedef struct name {
#define END(name)                                                                                                      \
    }                                                                                                                  \
    name;

typedef uint32_t uint;
typedef double real;
typedef int mask;
#define R(c) ((double)(c))
FN real sel(mask m, real a, real b) { return m ? a : b; }
FN mask lt(real a, real b) { return -(a < b); }
FN int any(mask m) { return m != 0; }
FN real sqrt_(real x) { return sqrt(x); }
// Rounded twice: a C library's fma is not the same on all systems (MinGW's is wrong in the last bit), and double precision has
// bits to spare.
FN real fma_(real a, real b, real c) { return a * b + c; }
FN real min_(real a, real b) { return sel(lt(a, b), a, b); }
FN real max_(real a, real b) { return sel(lt(b, a), a, b); }
FN real abs_(real x) { return max_(x, -x); }
FN real round_(real x) { return rint(x); }
FN mask both(mask a, mask b) { return a & b; }
FN mask either(mask a, mask b) { return a | b; }
FN mask not_(mask m) { return ~m; }

#include "dialect_vector.h"

#endif
