// A crew: threads of the job system that go through a list of tasks together. A task runs on one thread; what it shares out, the
// others help with once there is no task left to begin. So no task waits for another, and no thread has nothing to do while
// there is work.
#ifndef PLAIT_CREW_H
#define PLAIT_CREW_H

#include "context.h"

struct crew;

struct task {
    void (*run)(struct task *task, struct crew *crew); // waits for nothing but what it shares out, and calls no host
    struct task *next, *before;                        // crew_run sets the latter
};

// Returns when all tasks of the list are done. Allocates nothing.
void crew_run(struct context *context, struct task *first);
// From within a task: as jobs_run.
void crew_share(struct crew *crew, uint32_t count, plait_job job, void *argument);

#endif
