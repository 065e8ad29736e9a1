/* plait_cuda.h - Plait on a CUDA host's own context: strands are written into its device memory, in stream order.
 *
 * The structs here are chained to structs of plait.h through head.next. No CUDA header is needed: cast CUcontext and
 * CUstream (or cudaStream_t) to void *, CUdeviceptr or a device pointer to uint64_t.
 *
 * Hosts that draw with Vulkan need nothing of this: they share memory and timeline semaphores with the CUDA backend by
 * handle, see plait_external_memory and plait_external_semaphore. CUDA imports semaphores but makes none that others could
 * import, so the renderer makes them, and plait_semaphore_export says PLAIT_ERROR_UNSUPPORTED. It has no driver_uuid either:
 * the device's uuid alone must match. Of an imported semaphore CUDA does not tell the value: plait_semaphore_query answers
 * with the last one that was waited for or raised here, and plait_semaphore_wait with a time-out, for a value that no frame
 * under way here waits for or raises it to, says PLAIT_ERROR_UNSUPPORTED: ask the side that made it, or wait without limit.
 *
 * A card whose streams cannot wait for numbers in memory (CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS) has no
 * semaphores of Plait's own (plait_semaphore_create returns PLAIT_ERROR_UNSUPPORTED), and after its loss strands are at rest.
 *
 * CUDA frees memory only while nothing runs in the context. So memory of destroyed hairs is kept for new ones and counted in
 * plait_device_info.memory_used_bytes. It is freed with the last hair, or in a host's context with the device. Memory shared
 * by handle is freed at once: the call that ends such an output waits for the frames of all hairs on the device, and for
 * what they wait for.
 *
 * Calls to Plait leave the calling thread's current context as it was.
 */
#ifndef PLAIT_CUDA_H
#define PLAIT_CUDA_H

#include "plait.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLAIT_TYPE_CUDA_DEVICE_DESC 2001u
#define PLAIT_TYPE_CUDA_OUTPUT_DESC 2002u

/* Chained to plait_device_desc with backend PLAIT_BACKEND_CUDA: opens Plait in the host's context instead of the device's
 * primary one. The host keeps owning everything here; it must outlive the Plait device and its hairs and semaphores. index,
 * uuid and name must be zero. */
typedef struct plait_cuda_device_desc {
    plait_head head;
    void *context; /* CUcontext */
    /* CUstream of that context, for the work of all hairs: what the host enqueues after plait_hair_step sees the frame's
     * output. Null: each hair has a stream of its own, which does not wait for others. */
    void *stream;
} plait_cuda_device_desc;
#define PLAIT_CUDA_DEVICE_DESC_INIT                                                                                    \
    { {PLAIT_TYPE_CUDA_DEVICE_DESC, (uint32_t)sizeof(plait_cuda_device_desc), 0}, 0, 0 }

/* Chained to plait_output_desc, whose memory must be null and whose size counts from `pointer`: output goes into device
 * memory of the host's context. Only for hairs on a device opened with plait_cuda_device_desc on that context; while this
 * output is set, such a hair can move only to another Plait device on the same context. The memory must outlive the output. */
typedef struct plait_cuda_output_desc {
    plait_head head;
    void *context;    /* CUcontext of the memory */
    uint64_t pointer; /* CUdeviceptr, a multiple of 4 */
} plait_cuda_output_desc;
#define PLAIT_CUDA_OUTPUT_DESC_INIT                                                                                    \
    { {PLAIT_TYPE_CUDA_OUTPUT_DESC, (uint32_t)sizeof(plait_cuda_output_desc), 0}, 0, 0 }

#ifdef __cplusplus
}
#endif

#endif
