// The module's entry, the driver opened at run time, and the devices it shows.
#include "cuda_backend.h"

#include <stdio.h>
#include <string.h>

#if defined(_WIN32)
#define DRIVER_FILE "nvcuda.dll"
#else
#define DRIVER_FILE "libcuda.so.1"
#endif

// The first function that is missing, or null.
static const char *load_functions(struct driver *cu) {
    const char *missing = NULL;
#define X(name, parameters)                                                                                            \
    *(void **)&cu->name = shared_library_symbol(cu->library, #name);                                                   \
    if (!cu->name && !missing) missing = #name;
    FOR_EACH_DRIVER_FUNCTION(X)
#undef X
    return missing;
}

// Turing and newer: what nvcc still compiles for.
static bool usable(const struct driver *cu, CUdevice device) {
    int major = 0, minor = 0;
    return cu->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) == CUDA_SUCCESS &&
           cu->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) == CUDA_SUCCESS &&
           10 * major + minor >= 75;
}

static plait_result unavailable(char reason[PLAIT_REASON_SIZE], const char *text, CUresult result) {
    snprintf(reason, PLAIT_REASON_SIZE, "%s (CUresult %d)", text, result);
    return PLAIT_OK;
}

plait_result cuda_probe(struct context *context, void **state, uint32_t *device_count, char reason[PLAIT_REASON_SIZE]) {
    struct cuda_probe *probe = allocate(context, 1, sizeof *probe);
    if (!probe) return PLAIT_ERROR_OUT_OF_MEMORY;
    *state = probe;
    struct driver *cu = &probe->driver;
    cu->library = shared_library_open(DRIVER_FILE, reason, PLAIT_REASON_SIZE);
    if (!cu->library) {
        snprintf(reason, PLAIT_REASON_SIZE, "there is no NVIDIA driver (%s)", DRIVER_FILE);
        return PLAIT_OK;
    }
    const char *missing = load_functions(cu);
    if (missing) {
        snprintf(reason, PLAIT_REASON_SIZE, "the NVIDIA driver is too old: it has no %s", missing);
        return PLAIT_OK;
    }
    int version = 0;
    CUresult result = cu->cuDriverGetVersion(&version);
    if (result == CUDA_SUCCESS && version < PLAIT_CUDA_DRIVER) {
        snprintf(reason, PLAIT_REASON_SIZE,
                 "the NVIDIA driver is too old: it has CUDA %d.%d, the kernels were compiled for %d.%d", version / 1000,
                 version % 1000 / 10, PLAIT_CUDA_DRIVER / 1000, PLAIT_CUDA_DRIVER % 1000 / 10);
        return PLAIT_OK;
    }
    result = cu->cuInit(0);
    if (result != CUDA_SUCCESS) return unavailable(reason, "the NVIDIA driver could not be started", result);
    int count = 0;
    result = cu->cuDeviceGetCount(&count);
    if (result != CUDA_SUCCESS) return unavailable(reason, "the NVIDIA driver shows no devices", result);
    for (int i = 0; i < count && probe->device_count < MAX_DEVICES; i++) {
        CUdevice device;
        if (cu->cuDeviceGet(&device, i) == CUDA_SUCCESS && usable(cu, device))
            probe->devices[probe->device_count++] = device;
    }
    if (probe->device_count == 0) snprintf(reason, PLAIT_REASON_SIZE, "no device has compute capability 7.5");
    *device_count = probe->device_count;
    return PLAIT_OK;
}

void cuda_forget(struct context *context, void *state) {
    struct cuda_probe *probe = state;
    if (!probe) return;
    if (probe->driver.library) shared_library_close(probe->driver.library);
    release(context, probe);
}

// What the driver will not say stays empty.
void cuda_describe_device(const struct driver *cu, CUdevice device, plait_device_info *info) {
    char name[sizeof info->name] = "CUDA device";
    CUuuid uuid;
    size_t bytes = 0;
    if (cu->cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS) name[sizeof name - 1] = 0;
    snprintf(info->name, sizeof info->name, "%s", name);
    if (cu->cuDeviceGetUuid_v2(&uuid, device) == CUDA_SUCCESS) memcpy(info->uuid, uuid.bytes, sizeof info->uuid);
    if (cu->cuDeviceTotalMem_v2(&bytes, device) == CUDA_SUCCESS) info->memory_bytes = bytes;
    info->interop = PLAIT_INTEROP_HOST_POINTER;
}

void cuda_describe(void *state, uint32_t index, plait_device_info *info) {
    struct cuda_probe *probe = state;
    cuda_describe_device(&probe->driver, probe->devices[index], info);
}

static bool cuda_is_software(void *state, uint32_t index) {
    (void)state;
    (void)index;
    return false;
}

static const struct backend cuda_backend = {.id = PLAIT_BACKEND_CUDA,
                                            .name = "cuda",
                                            .probe = cuda_probe,
                                            .forget = cuda_forget,
                                            .describe = cuda_describe,
                                            .is_software = cuda_is_software,
                                            .open = cuda_open,
                                            .check_device = cuda_check_device};

MODULE_EXPORT const struct backend *MODULE_ENTRY(cuda)(void) { return &cuda_backend; }
