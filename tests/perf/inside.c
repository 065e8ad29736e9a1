// The program behind ./run bench for figures of what hosts cannot reach. It is made of core's objects.
#include "inside.h"
#include "command.h"

const bench_table *const BENCH_TABLES[] = {&BENCH_BLOCKS, &BENCH_EIGEN, &BENCH_LAPACK, NULL};

static plait_context context;
struct device *cpu;

bool open_cpu(void) {
    if (cpu) return true;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    plait_device_desc device_desc = PLAIT_DEVICE_DESC_INIT;
    plait_device device;
    struct object *object;
    desc.thread_count = 1;
    device_desc.backend = PLAIT_BACKEND_CPU;
    if (plait_context_create(&desc, &context) != PLAIT_OK ||
        plait_device_open(context, &device_desc, &device) != PLAIT_OK)
        return false;
    struct call call = {.function = __func__};
    if (call_enter(&call, device.id, OBJECT_DEVICE, false, &object) != PLAIT_OK) return false;
    call_leave_object(&call, object, false);
    cpu = (struct device *)object; // alive while the context is
    return true;
}

int main(int argc, char **argv) {
    int code = command_bench(argc - 1, argv + 1);
    if (cpu) plait_context_destroy(context);
    return code;
}
