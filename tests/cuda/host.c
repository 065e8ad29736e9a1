#include "host.h"

#include <dlfcn.h>
#include <string.h>

bool host_driver_open(struct host_driver *host) {
    memset(host, 0, sizeof *host);
    void *library = host->cu.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    bool whole = true;
#define X(name, parameters)                                                                                            \
    *(void **)&host->cu.name = dlsym(library, #name);                                                                  \
    if (!host->cu.name) whole = false;
    FOR_EACH_DRIVER_FUNCTION(X)
#undef X
    if (!whole) return false;
    *(void **)&host->create_context = dlsym(library, "cuCtxCreate_v2"); // which every driver has
    *(void **)&host->destroy_context = dlsym(library, "cuCtxDestroy_v2");
    *(void **)&host->fail_at = dlsym(library, "fake_cuda_fail");
    *(void **)&host->fail_from = dlsym(library, "fake_cuda_fail_from");
    *(void **)&host->lose = dlsym(library, "fake_cuda_lose");
    *(void **)&host->calls = dlsym(library, "fake_cuda_calls");
    *(void **)&host->failed = dlsym(library, "fake_cuda_failed");
    *(void **)&host->allocations = dlsym(library, "fake_cuda_allocations");
    *(void **)&host->tolerate = dlsym(library, "fake_cuda_tolerate");
    *(void **)&host->faults = dlsym(library, "fake_cuda_faults");
    *(void **)&host->living = dlsym(library, "fake_cuda_living");
    int count = 0;
    return host->cu.cuInit(0) == CUDA_SUCCESS && host->cu.cuDeviceGetCount(&count) == CUDA_SUCCESS && count > 0;
}

void host_driver_close(struct host_driver *host) {
    if (host->cu.library) dlclose(host->cu.library);
}
