// A CUDA driver without a GPU: the functions of backends/cuda/driver.h in a libcuda.so.1. Memory is host memory, one
// thread executes all streams, kernels run on fibers. It is stricter than a real driver: use of an object without its
// context, after its destruction or out of bounds, and any leak at the end, is a fault. A fault ends the process.
//
// FAKE_CUDA_KERNELS=source|ptx   the kernels' source compiled for fibers (default), or nvcc's PTX translated
// FAKE_CUDA_SCHEDULE=N           order of threads, blocks and graph nodes: 0 forward, 1 backward, else a seed
// FAKE_CUDA_UUID=32 hex digits   of the device
// FAKE_CUDA_DEVICES=N            1 by default
// FAKE_CUDA_VERSION=N            of CUDA, such as 12040 for 12.4
// FAKE_CUDA_LACKS=N              an attribute that the devices do not have
// FAKE_CUDA_FILE_OFFSET=N        offset of imported memory in its file: drivers may store data before it
#ifndef PLAIT_TESTS_FAKE_CUDA_H
#define PLAIT_TESTS_FAKE_CUDA_H

#include "driver.h"
#include "kernels.h"

#include <pthread.h>
#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))

enum kind {
    KIND_CONTEXT,
    KIND_MODULE,
    KIND_FUNCTION,
    KIND_STREAM,
    KIND_EVENT,
    KIND_GRAPH,
    KIND_EXEC,
    KIND_DEVICE_MEMORY,
    KIND_PINNED_MEMORY,
    KIND_EXTERNAL_MEMORY,
    KIND_EXTERNAL_SEMAPHORE,
    KIND_PHYSICAL_MEMORY,
    KIND_ADDRESS_RANGE,
    KIND_COUNT
};

// The start of every object behind a handle. Handles are checked against the list of live objects before use.
struct object {
    enum kind kind;
    CUcontext context; // that it was made in; null for contexts and physical memory
    struct object *next;
    bool ended; // by its owner; freed when the work that needs it is done
};

struct memory { // also mapped parts of external memory, and mapped address ranges
    struct object object;
    unsigned char *base;
    uint64_t size;
    void *mapping; // with its guard pages
    uint64_t mapping_size;
    struct external *external; // it is a part of, or null
};

struct external { // memory or semaphore of somebody else
    struct object object;
    unsigned char *mapping; // of the file, in which base may come later
    unsigned char *base;
    uint64_t size;
    uint32_t buffers; // mapped parts
};

struct function {
    struct object object;
    const struct named_kernel *kernel;
    struct function *next; // of the module
};

struct module {
    struct object object;
    struct function *functions;
};

struct event {
    struct object object;
    unsigned flags;
    uint64_t wanted, completed; // records asked for, and done
    uint64_t time_ns;           // of the last
};

enum work_kind { WORK_FILL, WORK_COPY, WORK_EVENT, WORK_KERNEL, WORK_WAIT, WORK_SIGNAL };

#define MAX_NODES 256

struct node_set {
    uint64_t words[MAX_NODES / 64];
};
static inline bool node_in(const struct node_set *set, size_t node) { return set->words[node / 64] >> node % 64 & 1; }
static inline void node_add(struct node_set *set, size_t node) { set->words[node / 64] |= 1ull << node % 64; }
static inline bool nodes_within(const struct node_set *set, const struct node_set *all) {
    for (size_t i = 0; i < MAX_NODES / 64; i++)
        if (set->words[i] & ~all->words[i]) return false;
    return true;
}

// One thing to do: a node of a graph, or an entry of a stream.
struct work {
    enum work_kind kind;
    unsigned char *to;
    const unsigned char *from;
    uint64_t size, value; // value: byte to fill with, event record, or what `to` is waited for or raised to
    struct event *event;
    const struct named_kernel *kernel;
    unsigned char params[512];
    struct fiber_dim grid, block;
    struct node_set after; // nodes of its graph that come before it
};

struct graph { // also the instantiated graph
    struct object object;
    struct work nodes[MAX_NODES];
    uint32_t count;
};

// objects.c. All state is guarded by one lock, taken by begin_call and released by end_call.
extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_changed;

enum call_kind {
    CALL_MAKES, // made to fail, it does nothing
    CALL_ENDS,  // when made to fail, still does its work: the error is an earlier launch's
};
// The error that the call is to fail with, or CUDA_SUCCESS.
CUresult begin_call(const char *name, enum call_kind kind);
CUresult end_call(CUresult result);
#define DRIVER_CALL(call_kind)                                                                                         \
    CUresult chosen_error = begin_call(__func__, call_kind);                                                           \
    if (chosen_error != CUDA_SUCCESS && (call_kind) == CALL_MAKES) return end_call(chosen_error)
#define DRIVER_RETURN(value)                                                                                           \
    CUresult own_result = (value);                                                                                     \
    return end_call(chosen_error != CUDA_SUCCESS ? chosen_error : own_result)

CUresult fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern _Thread_local CUcontext current_context;
CUresult need_context(void);

void *add_object(enum kind kind, size_t size);                               // in the current context
CUresult check_object(const void *handle, enum kind kind, const char *what); // alive, and of the current context
void remove_object(void *handle);
struct object *first_object(void);
const char *kind_name(enum kind kind);
uint64_t schedule(void);
bool use_ptx(void);

// memory.c
CUresult check_device_range(CUdeviceptr pointer, uint64_t size, const char *what);
CUresult check_pinned_range(const void *pointer, uint64_t size, const char *what);
struct memory *add_memory(enum kind kind, unsigned char *base, uint64_t size);
void memory_changed(void);

// stream.c
struct external; // semaphores are waited for and signalled there
CUresult enqueue(CUstream stream, const struct work *work);
CUresult enqueue_graph(CUstream stream, const struct graph *graph);
void wait_idle(void);                         // for all streams; with the lock held
void drop_work(void);                         // of all streams, undone; with the lock held
bool is_awaited(const unsigned char *number); // a stream will wait for it or signal it
void stop_worker(void);

#endif
