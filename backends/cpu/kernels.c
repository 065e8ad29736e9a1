// All kernels for one instruction set. Compiled once per set with PLAIT_WIDTH and PLAIT_VARIANT given; the tables that
// come out are what cpu.c chooses from.
#include "dialect.h"

#include "kernels/all.h"

#include "cpu.h"

#define RUN_PACKS(name)                                                                                                \
    (void)items;                                                                                                       \
    for (uint32_t i = begin; i < end; i++) kernel_##name(args, args->first + i);
#define RUN_VERTICES(name) RUN_PACKS(name)
#define RUN_ITEMS(name)                                                                                                \
    (void)items;                                                                                                       \
    for (uint32_t i = begin; i < end; i += PLAIT_WIDTH) kernel_##name(args, args->first + i, args->first + end);
#define RUN_GROUPS(name)                                                                                               \
    for (uint32_t i = begin; i < end; i++) kernel_##name(args, i, items);

#define X(name, domain, scope, physics)                                                                                \
    static void run_##name(const void *data, uint32_t begin, uint32_t end, uint32_t items) {                           \
        const struct name##_args *args = data;                                                                         \
        RUN_##domain(name)                                                                                             \
    }
FOR_EACH_KERNEL(X)
#undef X

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
const struct cpu_variant JOIN(cpu_variant_, PLAIT_VARIANT) = {PLAIT_WIDTH,
                                                              {
#define X(name, domain, scope, physics) run_##name,
                                                                  FOR_EACH_KERNEL(X)
#undef X
                                                              }};
