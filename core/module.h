// Backends in shared libraries of their own, beside libplait. What stands between core and a module may change at will:
// the entry symbol carries its exact version, so the two always fit or do not meet.
#ifndef PLAIT_MODULE_H
#define PLAIT_MODULE_H

#include "device.h"

#define MODULE_VERSION 1

// The entry: plait_module_NAME_VERSION. Core's functions are reached through the context.
typedef const struct backend *(*module_entry)(void);

// Finds libplait_NAME beside this library, or where the system looks. Null and the reason when it is not there.
const struct backend *module_open(const char *name, void **module, char reason[PLAIT_REASON_SIZE]);
void module_close(void *module); // null is fine

#endif
