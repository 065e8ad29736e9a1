/* Every function that takes a handle, in one form: a call with that handle and otherwise valid arguments. Objects that
 * the call creates are destroyed again. */
#ifndef PLAIT_TESTS_CALLS_H
#define PLAIT_TESTS_CALLS_H

#include "session.h"

typedef enum handle_kind {
    OF_CONTEXT,
    OF_DEVICE,
    OF_GROOM,
    OF_BODY,
    OF_HAIR,
    OF_SEMAPHORE,
    OF_BINDING,
    KINDS
} handle_kind;

typedef struct handle_call {
    const char *name;
    handle_kind kind;
    int ends; /* 1: the object is gone after a success */
    plait_result (*run)(session *s, uint64_t id);
} handle_call;

extern const handle_call handle_calls[];
extern const size_t handle_call_count;

/* The session's own handle of this kind. */
uint64_t session_handle(const session *s, handle_kind kind);

#endif
