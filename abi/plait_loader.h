/* plait_loader.h - opens Plait at run time instead of linking to it.
 *
 * Compile plait_loader.c as part of the host (C99 or later, or C++11; on Linux before glibc 2.34 link with -ldl):
 *
 *   plait_api plait;
 *   char why[256];
 *   if (plait_loader_open(NULL, &plait, why, sizeof why) != PLAIT_OK) { ... why says what was wrong ... }
 *   plait.plait_context_create(NULL, &context);
 *   ...
 *   plait_loader_close(&plait);
 *
 * There is no global state: the host owns the table and may copy it; several libraries may be open at once.
 */
#ifndef PLAIT_LOADER_H
#define PLAIT_LOADER_H

#include "plait_vulkan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One pointer per function of plait.h and plait_vulkan.h, under the function's own name. Used by the host only, never passed
 * to the library, so it may change with the header. */
typedef struct plait_api {
    void *library; /* the system's handle; null: not open */
#define PLAIT_API_MEMBER(name) PFN_##name name;
    PLAIT_FOR_EACH_FUNCTION(PLAIT_API_MEMBER)
    PLAIT_FOR_EACH_VULKAN_FUNCTION(PLAIT_API_MEMBER)
#undef PLAIT_API_MEMBER
} plait_api;

/* Opens the library and fills the table. library: a path (UTF-8), a file name for the system's usual search, or null for the
 * usual name (libplait.so.1, libplait.1.dylib, plait.dll).
 *
 * PLAIT_ERROR_UNAVAILABLE: there is no such library, or it is not Plait. PLAIT_ERROR_UNSUPPORTED: it is Plait of another
 * major version than this header. After an error nothing stays open and the table is zeroed; error, unless null, gets the
 * reason, one line of at most error_size bytes with the ending zero. On success error becomes "".
 *
 * A library of an older minor version is accepted; functions that it lacks are null. Cost: that of dlopen; the first time
 * in a process it reads the file, about a millisecond. Any thread. */
plait_result plait_loader_open(const char *library, plait_api *api, char *error, size_t error_size);

/* Closes the library and zeroes the table; a zeroed table is fine. Destroy all contexts first. Afterwards no copy of the
 * table may be used. One thread at a time per table. */
void plait_loader_close(plait_api *api);

#ifdef __cplusplus
}
#endif

#endif
