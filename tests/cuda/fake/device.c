// Devices, contexts and modules.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 8
#define FATBIN_MAGIC 0xba55ed50u

struct CUctx_st {
    struct object object;
    CUdevice device;
};

static bool started;
static CUcontext primary[MAX_DEVICES];
static uint32_t retained[MAX_DEVICES];

static int device_count(void) {
    const char *text = getenv("FAKE_CUDA_DEVICES");
    int count = text ? atoi(text) : 1;
    return count < MAX_DEVICES ? count : MAX_DEVICES;
}

static CUresult check_device(CUdevice device) {
    if (!started) return fault("a call before cuInit");
    return device >= 0 && device < device_count() ? CUDA_SUCCESS : fault("device %d does not exist", device);
}

EXPORT CUresult cuInit(unsigned flags) {
    DRIVER_CALL(CALL_MAKES);
    started = true;
    DRIVER_RETURN(flags ? CUDA_ERROR_INVALID_VALUE : device_count() > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE);
}

EXPORT CUresult cuDriverGetVersion(int *version) {
    DRIVER_CALL(CALL_MAKES);
    const char *text = getenv("FAKE_CUDA_VERSION");
    *version = text ? atoi(text) : 99000;
    DRIVER_RETURN(CUDA_SUCCESS);
}

EXPORT CUresult cuDeviceGetCount(int *count) {
    DRIVER_CALL(CALL_MAKES);
    *count = device_count();
    DRIVER_RETURN(CUDA_SUCCESS);
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    DRIVER_CALL(CALL_MAKES);
    *device = ordinal;
    DRIVER_RETURN(check_device(ordinal));
}

EXPORT CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
    DRIVER_CALL(CALL_MAKES);
    snprintf(name, (size_t)size, "fake CUDA device %d (%s)", device, use_ptx() ? "ptx" : "source");
    DRIVER_RETURN(check_device(device));
}

EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
    DRIVER_CALL(CALL_MAKES);
    const char *text = getenv("FAKE_CUDA_UUID");
    for (int i = 0; i < 16; i++) {
        unsigned byte = (unsigned)(0xfa + i);
        if (text && strlen(text) == 32) sscanf(text + 2 * i, "%2x", &byte);
        uuid->bytes[i] = (char)(byte + (i == 0 ? device : 0));
    }
    DRIVER_RETURN(check_device(device));
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    DRIVER_CALL(CALL_MAKES);
    *bytes = (size_t)8 << 30;
    DRIVER_RETURN(check_device(device));
}

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    DRIVER_CALL(CALL_MAKES);
    *value = 1;
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) *value = 8;
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) *value = 9;
    if (attribute == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED) *value = 0;
    const char *lacks = getenv("FAKE_CUDA_LACKS");
    if (lacks && atoi(lacks) == attribute) *value = 0;
    DRIVER_RETURN(check_device(device));
}

// ---- contexts ----

static CUcontext make_context(CUdevice device) {
    CUcontext context = add_object(KIND_CONTEXT, sizeof *context);
    context->device = device;
    return context;
}

static CUresult end_context(CUcontext context) {
    wait_idle();
    for (struct object *o = first_object(); o; o = o->next)
        if (o->context == context) return fault("a context ends before a %s in it", kind_name(o->kind));
    remove_object(context);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = check_device(device);
    if (result == CUDA_SUCCESS) {
        if (retained[device]++ == 0) primary[device] = make_context(device);
        *context = primary[device];
    }
    DRIVER_RETURN(result);
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    DRIVER_CALL(CALL_ENDS);
    CUresult result = check_device(device);
    if (result == CUDA_SUCCESS && retained[device] == 0) result = fault("a primary context is released too often");
    if (result == CUDA_SUCCESS && --retained[device] == 0) result = end_context(primary[device]);
    DRIVER_RETURN(result);
}

// For tests that are CUDA hosts; Plait itself creates no contexts.
EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = flags ? CUDA_ERROR_INVALID_VALUE : check_device(device);
    if (result == CUDA_SUCCESS) *context = current_context = make_context(device);
    DRIVER_RETURN(result);
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
    DRIVER_CALL(CALL_ENDS);
    if (current_context == context) current_context = NULL;
    DRIVER_RETURN(end_context(context));
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
    DRIVER_CALL(CALL_MAKES);
    *context = current_context;
    DRIVER_RETURN(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = context ? check_object(context, KIND_CONTEXT, "the context") : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS) current_context = context;
    DRIVER_RETURN(result);
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = need_context();
    if (result == CUDA_SUCCESS) *device = current_context->device;
    DRIVER_RETURN(result);
}

// ---- modules ----

EXPORT CUresult cuModuleLoadData(CUmodule *handle, const void *image) {
    DRIVER_CALL(CALL_MAKES);
    CUresult result = need_context();
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic != FATBIN_MAGIC && text_hash(image) != ptx_hash)
        result = fault("the image is neither a fatbin nor the PTX that the kernels here were translated from");
    if (result == CUDA_SUCCESS) *handle = add_object(KIND_MODULE, sizeof(struct module));
    DRIVER_RETURN(result);
}

EXPORT CUresult cuModuleUnload(CUmodule handle) {
    DRIVER_CALL(CALL_ENDS);
    struct module *module = (struct module *)handle;
    CUresult result = check_object(module, KIND_MODULE, "the module");
    if (result == CUDA_SUCCESS) {
        wait_idle();
        for (struct function *f = module->functions, *next; f; f = next) {
            next = f->next;
            remove_object(f);
        }
        remove_object(module);
    }
    DRIVER_RETURN(result);
}

EXPORT CUresult cuModuleGetFunction(CUfunction *handle, CUmodule module_handle, const char *name) {
    DRIVER_CALL(CALL_MAKES);
    struct module *module = (struct module *)module_handle;
    CUresult result = check_object(module, KIND_MODULE, "the module");
    if (result == CUDA_SUCCESS) {
        const struct named_kernel *kernel = use_ptx() ? ptx_kernels : source_kernels;
        while (kernel->name && strcmp(kernel->name, name) != 0) kernel++;
        if (kernel->name) {
            struct function *function = add_object(KIND_FUNCTION, sizeof *function);
            function->kernel = kernel;
            function->next = module->functions;
            module->functions = function;
            *handle = (CUfunction)function;
        } else {
            result = fault("there is no kernel %s", name);
        }
    }
    DRIVER_RETURN(result);
}
