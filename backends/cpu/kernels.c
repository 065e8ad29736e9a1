// All kernels for one instruction set. Compiled once per set with PLAIT_WIDTH and PLAIT_VARIANT given; the tables that
// come out are what cpu.c chooses from.
#include "dialect.h"
#include "layout.h"

#include "physics/angle.h"
#include "physics/capsule.h"
#include "physics/friction.h"
#include "physics/rod.h"
#include "physics/strand_shape.h"

#include "kernels/roots.h"

#include "kernels/rest.h"

#include "kernels/carry.h"

#include "kernels/band.h"
#include "kernels/contacts.h"
#include "kernels/output.h"
#include "kernels/rod.h"
#include "kernels/rod_begin.h"
#include "kernels/rod_build.h"
#include "kernels/shape.h"

#include "kernels/rod_end.h"

#include "kernels/snapshot.h"

#include "cpu.h"

#define X(name, physics)                                                                                               \
    static void run_##name(const struct kernel_args *args, uint32_t begin, uint32_t end) {                             \
        for (uint32_t pack = begin; pack < end; pack++) kernel_##name(args, pack);                                     \
    }
FOR_EACH_KERNEL(X)
#undef X

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
const struct cpu_variant JOIN(cpu_variant_, PLAIT_VARIANT) = {PLAIT_WIDTH,
                                                              {
#define X(name, physics) run_##name,
                                                                  FOR_EACH_KERNEL(X)
#undef X
                                                              }};
