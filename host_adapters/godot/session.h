/* session.h - what all hairs of the process share: the context, and the devices that are in use. Main thread. */
#ifndef PLAIT_GODOT_SESSION_H
#define PLAIT_GODOT_SESSION_H

#include <stddef.h>

#include "plait.h"

plait_context session_context(void);

/* Opens a device, or shares the one that is open. Every success is matched by a session_release. */
plait_result session_acquire(uint32_t backend, plait_device *device);
void session_release(plait_device device);

/* The last error that Plait logged; "" if there was none since the last call. */
const char *session_error(void);

#endif
