// Timeline semaphores as objects of the ABI.
#ifndef PLAIT_SEMAPHORE_H
#define PLAIT_SEMAPHORE_H

#include "device.h"

#define MAX_PROMISES 64

struct semaphore {
    struct object object;
    struct device *device; // reference held
    struct timeline *timeline;
    atomic_ullong waited;  // highest value that frames wait for on the device
    atomic_ullong blocked; // highest value that threads wait for, while there are any
    atomic_uint threads;
    atomic_bool ending; // its handle goes: nobody begins to wait any more
    struct mutex mutex;
    uint64_t promised[MAX_PROMISES]; // values that frames under way will raise it to, rising; guarded by the mutex
    uint32_t promise_count;
};

// Raises it to all that is waited for: nobody is left to do so.
void semaphore_release_waiters(struct object *object);

// Notes that a frame will wait for value on the device.
void semaphore_note_wait(struct semaphore *semaphore, uint64_t value);

// Notes that a frame will raise it to value. PLAIT_ERROR_INVALID_ARGUMENT and *least if that is not more than what it has
// reached and what is promised already; PLAIT_ERROR_LIMIT if too many are under way.
plait_result semaphore_promise(struct semaphore *semaphore, uint64_t value, uint64_t *least);

// As the ABI's functions, on the thread that calls.
plait_result semaphore_wait(struct semaphore *semaphore, uint64_t value, uint64_t timeout_ns);
plait_result semaphore_signal(struct semaphore *semaphore, uint64_t value);
plait_result semaphore_query(struct semaphore *semaphore, uint64_t *value);

#endif
