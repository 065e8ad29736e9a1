// A frame that a call has brought: checked, put in order among the work of others, and run. hair_order.c, hair_step.c and
// hair_batch.c take it from one to the next. It is kept in the hair, so that a call with many needs no memory for them.
#ifndef PLAIT_HAIR_FRAME_H
#define PLAIT_HAIR_FRAME_H

#include "crew.h"
#include "platform_structs.h"

#define FRAME_NAME_SIZE 24

struct hair;

// What orders a frame among the work of others.
struct frame_order {
    struct platform_struct platform;
    plait_frame_sync_desc sync;
    bool has_sync;
    struct semaphore *wait, *signal; // references held; or null
    bool promised;                   // to raise `signal`
    bool relay;                      // the calling thread waits and signals, because the device cannot
    struct frame_sync native;        // what the device does of it
    bool synchronised;               // the device has been told so
    bool failed;                     // see order_fail
    plait_result signalled;          // by it
};

struct hair_frame {
    char name[FRAME_NAME_SIZE]; // of the argument: frame, frames[3]
    plait_frame_desc desc;
    plait_mesh_pose_desc mesh;
    bool has_mesh;
    struct frame_order order;
    bool teleported, clamped; // and the host was not told yet

    // Of a frame among many:
    struct task task;
    struct call *call;
    struct hair *next; // of those that one call steps, in their order
    uint32_t index;    // among them
    bool gathered;     // its runs are handed over with those of others
    plait_result result;
};

// Reads the structs, checks semaphores and finds the way: by the device where it can, else by the calling thread. If it fails,
// or the frame shall not be, order_cancel must follow: then it neither waits nor signals. Else order_commit, and at last
// order_finish: it waits and signals, whatever becomes of it.
plait_result order_begin(struct call *call, struct hair *hair, const void *frame);
void order_cancel(struct hair *hair);
void order_commit(struct hair *hair);
plait_result order_wait(struct call *call, struct hair *hair);
plait_result order_finish(struct call *call, struct hair *hair, plait_result result);
// Signals now what the device will not, because the frame has failed. Among frames of one device that must come after those before
// it and before those behind it; otherwise order_finish does it.
void order_fail(struct hair *hair);
// Whether what the frame waits for, if anything, has come.
bool order_is_free(const struct hair *hair);

// What else is in the frame, once its structs are read.
plait_result hair_check_frame(const struct call *call, struct hair *hair);
// Runs it. Neither calls the host nor logs, but for failures of devices that fail: the CPU does not. hair_report_frame says
// then what the host should hear of.
plait_result hair_run_frame(struct call *call, struct hair *hair);
void hair_report_frame(struct hair *hair);

#endif
