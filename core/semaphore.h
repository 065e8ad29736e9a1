// Timeline semaphores as objects of the ABI.
#ifndef PLAIT_SEMAPHORE_H
#define PLAIT_SEMAPHORE_H

#include "device.h"

#define MAX_PROMISES 64

// A frame under way will raise the semaphore to `value`, not before it has reached `after` itself; 0: at any time.
struct promise {
    uint64_t value, after;
};

// A thread that waits, on its own stack.
struct waiter {
    struct waiter *next;
    uint64_t value;
};

struct semaphore {
    struct object object;
    struct device *device; // reference held
    struct timeline *timeline;
    struct mutex mutex;          // guards what follows, and is held while the host raises it
    bool ending;                 // its handle goes: nobody begins to wait any more
    const struct call *promiser; // a call has promised values and the device does not have all of them yet; or null
    uint32_t promising;          // how many of them
    uint64_t waited;             // highest value that frames wait for on the device
    struct waiter *waiters;
    struct promise promised[MAX_PROMISES]; // rising
    uint32_t promise_count;
};

// Raises it to all that is waited for: nobody is left to do so.
void semaphore_release_waiters(struct object *object);

// Notes that a frame will wait for value on the device. False: its handle is being destroyed, and nobody may wait for it any more.
bool semaphore_note_wait(struct semaphore *semaphore, uint64_t value);

// Notes that a frame will raise it to promise->value; semaphore_hand_over must follow. *before: what it has reached, or what
// frames under way will raise it to. PLAIT_ERROR_INVALID_ARGUMENT if the value is not more than that or than what the frame
// waits for, PLAIT_ERROR_LIMIT if too many are under way, PLAIT_ERROR_BUSY if another call has not handed over yet: devices
// must get the values in their order.
plait_result semaphore_promise(struct semaphore *semaphore, const struct call *call, const struct promise *promise,
                               uint64_t *before);
// The device has it, or it was raised; or nobody will: the promise is taken back.
void semaphore_hand_over(struct semaphore *semaphore, uint64_t value, bool kept);
// The highest value below this one that a frame under way will raise it to, or 0.
uint64_t semaphore_promised_before(struct semaphore *semaphore, uint64_t value);

// As the ABI's functions, on the thread that calls. Signalling is for whoever knows that nothing else raises it meanwhile.
plait_result semaphore_wait(struct semaphore *semaphore, uint64_t value, uint64_t timeout_ns);
plait_result semaphore_signal(struct semaphore *semaphore, uint64_t value);
plait_result semaphore_query(struct semaphore *semaphore, uint64_t *value);

#endif
