// All kernels for one instruction set. Compiled once per set with PLAIT_WIDTH and PLAIT_VARIANT given; the tables that
// come out are what cpu.c chooses from.
#include "dialect.h"

#include "kernels/all.h"

#include "cpu.h"

#define RUN_PACKS(name)                                                                                                \
    for (uint32_t i = begin; i < end; i++) kernel_##name(args, args->first + i);
#define RUN_VERTICES(name) RUN_PACKS(name)
#define RUN_ITEMS(name)                                                                                                \
    for (uint32_t i = begin; i < end; i += PLAIT_WIDTH) kernel_##name(args, args->first + i, args->first + end);
#define RUN_GROUPS(name)                                                                                               \
    for (uint32_t i = begin; i < end; i++) kernel_##name(args, i);

#define X(name, domain, scope, physics)                                                                                \
    static void run_##name(const void *data, uint32_t begin, uint32_t end, void *scratch) {                            \
        const struct name##_args *args = data;                                                                         \
        (void)scratch;                                                                                                 \
        RUN_##domain(name)                                                                                             \
    }
FOR_EACH_KERNEL(X)
#undef X

extern const struct cpu_override CPU_VARIANT(cpu_overrides)[KERNEL_COUNT];
const struct cpu_variant CPU_VARIANT(cpu_variant) = {PLAIT_WIDTH,
                                                     {
#define X(name, domain, scope, physics) run_##name,
                                                         FOR_EACH_KERNEL(X)
#undef X
                                                     },
                                                     CPU_VARIANT(cpu_overrides)};
