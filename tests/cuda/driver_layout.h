/* Sizes, offsets and numbers of backends/cuda/driver.h, according to the header included before. */
#include <stddef.h>

struct layout_entry {
    const char *name;
    size_t value;
};

#define SIZE(type) {"sizeof " #type, sizeof(type)},
#define OFFSET(type, field) {#type "." #field, offsetof(type, field)},
#define NUMBER(name) {#name, (size_t)(name)},

// clang-format off
#define DRIVER_LAYOUT                                                                                                  \
    SIZE(CUresult) SIZE(CUdevice) SIZE(CUdeviceptr) SIZE(CUmemGenericAllocationHandle) SIZE(CUuuid)                    \
    SIZE(CUDA_KERNEL_NODE_PARAMS) OFFSET(CUDA_KERNEL_NODE_PARAMS, gridDimX)                                            \
    OFFSET(CUDA_KERNEL_NODE_PARAMS, blockDimX) OFFSET(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes)                         \
    OFFSET(CUDA_KERNEL_NODE_PARAMS, kernelParams) OFFSET(CUDA_KERNEL_NODE_PARAMS, extra)                               \
    OFFSET(CUDA_KERNEL_NODE_PARAMS, kern) OFFSET(CUDA_KERNEL_NODE_PARAMS, ctx) SIZE(CUDA_MEMCPY3D)                     \
    OFFSET(CUDA_MEMCPY3D, srcMemoryType) OFFSET(CUDA_MEMCPY3D, srcHost) OFFSET(CUDA_MEMCPY3D, srcDevice)               \
    OFFSET(CUDA_MEMCPY3D, srcPitch) OFFSET(CUDA_MEMCPY3D, srcHeight) OFFSET(CUDA_MEMCPY3D, dstMemoryType)              \
    OFFSET(CUDA_MEMCPY3D, dstHost) OFFSET(CUDA_MEMCPY3D, dstDevice) OFFSET(CUDA_MEMCPY3D, dstPitch)                    \
    OFFSET(CUDA_MEMCPY3D, dstHeight) OFFSET(CUDA_MEMCPY3D, WidthInBytes) OFFSET(CUDA_MEMCPY3D, Height)                 \
    OFFSET(CUDA_MEMCPY3D, Depth) SIZE(CUDA_EXTERNAL_MEMORY_HANDLE_DESC)                                                \
    OFFSET(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, handle) OFFSET(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size)                    \
    OFFSET(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags) SIZE(CUDA_EXTERNAL_MEMORY_BUFFER_DESC)                             \
    OFFSET(CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size) SIZE(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC)                           \
    OFFSET(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, handle) OFFSET(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, flags)             \
    SIZE(SIGNAL_PARAMS) SIZE(WAIT_PARAMS) OFFSET(SIGNAL_PARAMS, SIGNAL_VALUE) OFFSET(WAIT_PARAMS, SIGNAL_VALUE)        \
    SIZE(CUmemAllocationProp) OFFSET(CUmemAllocationProp, requestedHandleTypes)                                        \
    OFFSET(CUmemAllocationProp, location) OFFSET(CUmemAllocationProp, win32HandleMetaData) SIZE(CUmemAccessDesc)       \
    OFFSET(CUmemAccessDesc, flags) SIZE(CUmemLocation) NUMBER(CUDA_ERROR_OUT_OF_MEMORY) NUMBER(CUDA_ERROR_NO_DEVICE)   \
    NUMBER(CUDA_ERROR_ECC_UNCORRECTABLE) NUMBER(CUDA_ERROR_OPERATING_SYSTEM) NUMBER(CUDA_ERROR_NOT_READY)              \
    NUMBER(CUDA_ERROR_ILLEGAL_ADDRESS) NUMBER(CUDA_ERROR_LAUNCH_TIMEOUT) NUMBER(CUDA_ERROR_CONTEXT_IS_DESTROYED)       \
    NUMBER(CUDA_ERROR_HARDWARE_STACK_ERROR) NUMBER(CUDA_ERROR_LAUNCH_FAILED) NUMBER(CUDA_ERROR_NOT_SUPPORTED)          \
    NUMBER(CUDA_ERROR_NVLINK_UNCORRECTABLE) NUMBER(CUDA_ERROR_ASSERT) NUMBER(CUDA_ERROR_MPS_CLIENT_TERMINATED)         \
    NUMBER(CUDA_ERROR_EXTERNAL_DEVICE)                                                                                 \
    NUMBER(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) NUMBER(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)          \
    NUMBER(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)                                                    \
    NUMBER(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)                                            \
    NUMBER(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED)                                                     \
    NUMBER(CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED)                                                   \
    NUMBER(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS) NUMBER(CU_STREAM_NON_BLOCKING)                           \
    NUMBER(CU_EVENT_DISABLE_TIMING) NUMBER(CU_MEMORYTYPE_HOST) NUMBER(CU_MEMORYTYPE_DEVICE)                            \
    NUMBER(CU_STREAM_WAIT_VALUE_GEQ) NUMBER(CUDA_EXTERNAL_MEMORY_DEDICATED)                                            \
    NUMBER(CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD) NUMBER(CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32)               \
    NUMBER(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD)                                                    \
    NUMBER(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32)                                                 \
    NUMBER(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) NUMBER(CU_MEM_HANDLE_TYPE_WIN32)                                  \
    NUMBER(CU_MEM_ALLOCATION_TYPE_PINNED) NUMBER(CU_MEM_LOCATION_TYPE_DEVICE)                                          \
    NUMBER(CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
// clang-format on
