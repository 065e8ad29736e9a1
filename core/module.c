#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // dladdr
#endif
#include "module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

// The file that this code is in: libplait, or what a host has linked the static library into. False if it is not known.
static bool find_self(char path[4096]) {
    static const char here; // an address inside
    Dl_info self, program;
    if (!dladdr((const void *)&here, &self)) return false;
    // Of a program dladdr only knows how it was called, which is no path to it where a shell found it.
    if (dladdr((const void *)getauxval(AT_PHDR), &program) && program.dli_fbase == self.dli_fbase) {
        ssize_t length = readlink("/proc/self/exe", path, 4095);
        if (length < 0) return false;
        path[length] = 0;
        return true;
    }
    return self.dli_fname && snprintf(path, 4096, "%s", self.dli_fname) < 4096;
}

// The module lies in the folder of that file.
static void *open_beside(const char *file, char reason[PLAIT_REASON_SIZE]) {
    char path[4096];
    if (find_self(path)) {
        char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        size_t room = sizeof path - (size_t)(name - path);
        if (snprintf(name, room, "%s", file) < (int)room) {
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
