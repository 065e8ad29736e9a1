// The part of the CUDA driver API that Plait uses, written out so that neither cuda.h nor a driver is needed to build.
// tests/cuda/driver_header.c compares it with NVIDIA's own header where that is installed. Names are NVIDIA's.
#ifndef PLAIT_CUDA_DRIVER_H
#define PLAIT_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define CUDAAPI __stdcall
#else
#define CUDAAPI
#endif

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUextMemory_st *CUexternalMemory;
typedef struct CUextSemaphore_st *CUexternalSemaphore;

typedef struct CUuuid {
    char bytes[16];
} CUuuid;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
    CUDA_ERROR_CONTAINED = 226,
    CUDA_ERROR_OPERATING_SYSTEM = 304,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
    CUDA_ERROR_EXTERNAL_DEVICE = 911,
};

enum {
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104,
    CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114,
    CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
};

enum { CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_EVENT_DISABLE_TIMING = 2 };
enum { CU_STREAM_WAIT_VALUE_GEQ = 0, CUDA_EXTERNAL_MEMORY_DEDICATED = 1 };
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };
enum { CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1, CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32 = 2 };
enum {
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9,
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 = 10
};
enum { CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1, CU_MEM_HANDLE_TYPE_WIN32 = 2 };
enum { CU_MEM_ALLOCATION_TYPE_PINNED = 1, CU_MEM_LOCATION_TYPE_DEVICE = 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 };

typedef struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ;
    unsigned blockDimX, blockDimY, blockDimZ;
    unsigned sharedMemBytes;
    void **kernelParams;
    void **extra;
    void *kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

union external_handle {
    int fd;
    struct {
        void *handle;
        const void *name;
    } win32;
};

typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    int type;
    union external_handle handle;
    unsigned long long size;
    unsigned flags;
    unsigned reserved[16];
} CUDA_EXTERNAL_MEMORY_HANDLE_DESC;

typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
    unsigned long long offset, size;
    unsigned flags;
    unsigned reserved[16];
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC;

typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
    int type;
    union external_handle handle;
    unsigned flags;
    unsigned reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;

// One struct where NVIDIA has two, for signalling and for waiting: only the value is used, and both begin with it.
typedef struct CUDA_EXTERNAL_SEMAPHORE_PARAMS {
    struct {
        unsigned long long value;
    } fence;
    unsigned rest[33];
} CUDA_EXTERNAL_SEMAPHORE_PARAMS;

typedef struct CUmemLocation {
    int type;
    int id;
} CUmemLocation;

typedef struct CUmemAllocationProp {
    int type;
    int requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    unsigned char allocFlags[8];
} CUmemAllocationProp;

typedef struct CUmemAccessDesc {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;

// X(symbol, parameters). Symbols carry the version that the parameters belong to.
#define FOR_EACH_DRIVER_FUNCTION(X)                                                                                    \
    X(cuInit, (unsigned flags))                                                                                        \
    X(cuDriverGetVersion, (int *version))                                                                              \
    X(cuDeviceGetCount, (int *count))                                                                                  \
    X(cuDeviceGet, (CUdevice * device, int ordinal))                                                                   \
    X(cuDeviceGetName, (char *name, int size, CUdevice device))                                                        \
    X(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                                            \
    X(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                                          \
    X(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))                                              \
    X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                                \
    X(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                                                 \
    X(cuCtxGetCurrent, (CUcontext * context))                                                                          \
    X(cuCtxSetCurrent, (CUcontext context))                                                                            \
    X(cuCtxGetDevice, (CUdevice * device))                                                                             \
    X(cuModuleLoadData, (CUmodule * module, const void *image))                                                        \
    X(cuModuleUnload, (CUmodule module))                                                                               \
    X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))                                 \
    X(cuMemAlloc_v2, (CUdeviceptr * pointer, size_t size))                                                             \
    X(cuMemFree_v2, (CUdeviceptr pointer))                                                                             \
    X(cuMemHostAlloc, (void **pointer, size_t size, unsigned flags))                                                   \
    X(cuMemFreeHost, (void *pointer))                                                                                  \
    X(cuMemsetD8Async, (CUdeviceptr pointer, unsigned char value, size_t size, CUstream stream))                       \
    X(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t size, CUstream stream))                          \
    X(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t size, CUstream stream))                                \
    X(cuStreamCreate, (CUstream * stream, unsigned flags))                                                             \
    X(cuStreamDestroy_v2, (CUstream stream))                                                                           \
    X(cuStreamSynchronize, (CUstream stream))                                                                          \
    X(cuStreamWaitValue64_v2, (CUstream stream, CUdeviceptr pointer, uint64_t value, unsigned flags))                  \
    X(cuStreamWriteValue64_v2, (CUstream stream, CUdeviceptr pointer, uint64_t value, unsigned flags))                 \
    X(cuEventCreate, (CUevent * event, unsigned flags))                                                                \
    X(cuEventDestroy_v2, (CUevent event))                                                                              \
    X(cuEventRecord, (CUevent event, CUstream stream))                                                                 \
    X(cuEventQuery, (CUevent event))                                                                                   \
    X(cuEventSynchronize, (CUevent event))                                                                             \
    X(cuEventElapsedTime, (float *milliseconds, CUevent from, CUevent to))                                             \
    X(cuGraphCreate, (CUgraph * graph, unsigned flags))                                                                \
    X(cuGraphDestroy, (CUgraph graph))                                                                                 \
    X(cuGraphAddKernelNode_v2, (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t after_count,       \
                                const CUDA_KERNEL_NODE_PARAMS *params))                                                \
    X(cuGraphAddMemcpyNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t after_count,          \
                             const CUDA_MEMCPY3D *params, CUcontext context))                                          \
    X(cuGraphAddEventRecordNode,                                                                                       \
      (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t after_count, CUevent event))                \
    X(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags))                      \
    X(cuGraphLaunch, (CUgraphExec exec, CUstream stream))                                                              \
    X(cuGraphExecDestroy, (CUgraphExec exec))                                                                          \
    X(cuImportExternalMemory, (CUexternalMemory * memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc))               \
    X(cuExternalMemoryGetMappedBuffer,                                                                                 \
      (CUdeviceptr * pointer, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc))                  \
    X(cuDestroyExternalMemory, (CUexternalMemory memory))                                                              \
    X(cuImportExternalSemaphore, (CUexternalSemaphore * semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc))   \
    X(cuSignalExternalSemaphoresAsync,                                                                                 \
      (const CUexternalSemaphore *semaphores, const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params, unsigned count,            \
       CUstream stream))                                                                                               \
    X(cuWaitExternalSemaphoresAsync, (const CUexternalSemaphore *semaphores,                                           \
                                      const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params, unsigned count, CUstream stream))  \
    X(cuDestroyExternalSemaphore, (CUexternalSemaphore semaphore))                                                     \
    X(cuMemGetAllocationGranularity, (size_t * granularity, const CUmemAllocationProp *prop, int option))              \
    X(cuMemCreate,                                                                                                     \
      (CUmemGenericAllocationHandle * handle, size_t size, const CUmemAllocationProp *prop, unsigned long long flags)) \
    X(cuMemExportToShareableHandle,                                                                                    \
      (void *shareable, CUmemGenericAllocationHandle handle, int type, unsigned long long flags))                      \
    X(cuMemAddressReserve,                                                                                             \
      (CUdeviceptr * pointer, size_t size, size_t alignment, CUdeviceptr wanted, unsigned long long flags))            \
    X(cuMemMap, (CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle handle,                 \
                 unsigned long long flags))                                                                            \
    X(cuMemSetAccess, (CUdeviceptr pointer, size_t size, const CUmemAccessDesc *desc, size_t count))                   \
    X(cuMemUnmap, (CUdeviceptr pointer, size_t size))                                                                  \
    X(cuMemAddressFree, (CUdeviceptr pointer, size_t size))                                                            \
    X(cuMemRelease, (CUmemGenericAllocationHandle handle))

// The functions of one opened driver.
struct driver {
    void *library;
#define X(name, parameters) CUresult(CUDAAPI *name) parameters;
    FOR_EACH_DRIVER_FUNCTION(X)
#undef X
};

#endif
