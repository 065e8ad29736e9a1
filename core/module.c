#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // dladdr
#endif
#include "module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The system's words, without the folder: with a long one there would be no room for the reason.
static void take_reason(const char *folder, size_t length, char reason[PLAIT_REASON_SIZE]) {
    const char *text = dlerror();
    snprintf(reason, PLAIT_REASON_SIZE, "%s", strncmp(text, folder, length) == 0 ? text + length : text);
}

// The module lies in the folder of the library that this function is in. If a file lies there, what is wrong with it is what
// the host must know, not that there is no other.
static void *open_beside(const char *file, char reason[PLAIT_REASON_SIZE]) {
    static const char here; // an address inside
    Dl_info self;
    char path[4096];
    bool exists = false;
    if (dladdr((const void *)&here, &self) && self.dli_fname) {
        const char *slash = strrchr(self.dli_fname, '/');
        int folder = slash ? (int)(slash - self.dli_fname) + 1 : 0;
        if (snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, file) < (int)sizeof path) {
            void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (module) return module;
            take_reason(path, (size_t)folder, reason);
            exists = access(path, F_OK) == 0;
        }
    }
    void *module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (module)
        reason[0] = 0;
    else if (!exists)
        take_reason("", 0, reason);
    return module;
}

const struct backend *module_open(const char *name, void **module, char reason[PLAIT_REASON_SIZE]) {
    char file[64], symbol[64];
    snprintf(file, sizeof file, "libplait_%s.so.%u", name, PLAIT_VERSION_MAJOR);
    snprintf(symbol, sizeof symbol, "plait_module_%s_%d", name, MODULE_VERSION);
    void *opened = open_beside(file, reason);
    if (!opened) return NULL;
    module_entry entry = (module_entry)dlsym(opened, symbol);
    if (!entry) {
        snprintf(reason, PLAIT_REASON_SIZE, "%s is of another version: it has no %s", file, symbol);
        dlclose(opened);
        return NULL;
    }
    *module = opened;
    return entry();
}

void module_close(void *module) {
    if (module) dlclose(module);
}
