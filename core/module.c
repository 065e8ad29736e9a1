#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // dladdr
#endif
#include "module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// The module lies in the folder of the library that this function is in.
static void *open_beside(const char *file, char reason[PLAIT_REASON_SIZE]) {
    static const char here; // an address inside
    Dl_info self;
    char path[4096];
    if (dladdr((const void *)&here, &self) && self.dli_fname) {
        const char *slash = strrchr(self.dli_fname, '/');
        int folder = slash ? (int)(slash - self.dli_fname) + 1 : 0;
        if (snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, file) < (int)sizeof path) {
            void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (module) return module;
        }
    }
    void *module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!module) snprintf(reason, PLAIT_REASON_SIZE, "%s", dlerror());
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
