// Operating system handles for memory and semaphores that are shared across devices, APIs or processes.
#ifndef PLAIT_EXTERNAL_H
#define PLAIT_EXTERNAL_H

#include "plait.h"

#if defined(_WIN32)

#include <windows.h>

#define EXTERNAL_KIND PLAIT_EXTERNAL_OPAQUE_WIN32

// Another handle of the same object; 0: the system gave none.
static inline int64_t external_duplicate(int64_t handle) {
    HANDLE copy = NULL;
    HANDLE self = GetCurrentProcess();
    DuplicateHandle(self, (HANDLE)(intptr_t)handle, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS);
    return (intptr_t)copy;
}
static inline void external_close(int64_t handle) { CloseHandle((HANDLE)(intptr_t)handle); }
static inline int external_valid(int64_t handle) { return handle != 0 && handle != -1; }

#else

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#define EXTERNAL_KIND PLAIT_EXTERNAL_OPAQUE_FD

// Another descriptor of the same object, close-on-exec; -1: the system gave none.
static inline int64_t external_duplicate(int64_t handle) { return fcntl((int)handle, F_DUPFD_CLOEXEC, 3); }
static inline void external_close(int64_t handle) { close((int)handle); }
static inline int external_valid(int64_t handle) {
    return handle >= 0 && handle <= INT_MAX && fcntl((int)handle, F_GETFD) >= 0;
}

#endif

#endif
