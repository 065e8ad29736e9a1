// The driver as a test calls it itself, and the controls of the fake one.
#ifndef PLAIT_TESTS_CUDA_HOST_H
#define PLAIT_TESTS_CUDA_HOST_H

#include "driver.h"

#include <stdbool.h>

struct host_driver {
    struct driver cu;
    CUresult (*create_context)(CUcontext *context, unsigned flags, CUdevice device);
    CUresult (*destroy_context)(CUcontext context);
    // Of the fake driver, else null:
    void (*fail_at)(uint64_t call, CUresult result);
    void (*fail_from)(uint64_t call, CUresult result);
    void (*lose)(CUresult result);
    uint64_t (*calls)(void);
    const char *(*failed)(void);
    uint64_t (*allocations)(void);
    void (*tolerate)(bool on);
    unsigned (*faults)(void);
    unsigned (*living)(void);
};

// False where there is no driver or no device.
bool host_driver_open(struct host_driver *host);
void host_driver_close(struct host_driver *host);

#endif
