#include "module.h"

#include <stdio.h>
#include <string.h>

// The module is in the folder of the library that this function is in. If a file is there but cannot be opened, that is the
// reason to report, not that the system has no other. The reason names no folder: a long one would leave no room for it.
static void *open_beside(const char *file, char reason[PLAIT_REASON_SIZE]) {
    char path[4096], text[4096];
    size_t folder = 0;
    bool exists = false;
    reason[0] = 0;
    if (shared_library_folder(path, sizeof path) && strlen(path) + strlen(file) < sizeof path) {
        folder = strlen(path);
        void *module = shared_library_open(strcat(path, file), text, sizeof text);
        if (module) return module;
        bool named = strncmp(text, path, folder) == 0;
        snprintf(reason, PLAIT_REASON_SIZE, "%.*s", (int)PLAIT_REASON_SIZE - 1, named ? text + folder : text);
        exists = file_exists(path);
    }
    void *module = shared_library_open(file, text, sizeof text);
    if (module)
        reason[0] = 0;
    else if (!exists)
        snprintf(reason, PLAIT_REASON_SIZE, "%.*s", (int)PLAIT_REASON_SIZE - 1, text);
    return module;
}

const struct backend *module_open(const char *name, void **module, char reason[PLAIT_REASON_SIZE]) {
    char library[64], file[64], symbol[64];
    snprintf(library, sizeof library, "plait_%s", name);
    shared_library_name(file, sizeof file, library, PLAIT_VERSION_MAJOR);
    snprintf(symbol, sizeof symbol, "plait_module_%s_%d", name, MODULE_VERSION);
    void *opened = open_beside(file, reason);
    if (!opened) return NULL;
    module_entry entry = (module_entry)shared_library_symbol(opened, symbol);
    if (!entry) {
        snprintf(reason, PLAIT_REASON_SIZE, "%s is of another version: it has no %s", file, symbol);
        shared_library_close(opened);
        return NULL;
    }
    *module = opened;
    return entry();
}

void module_close(void *module) {
    if (module) shared_library_close(module);
}
