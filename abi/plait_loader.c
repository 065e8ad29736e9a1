/* plait_loader.c - see plait_loader.h. Compiled by hosts with whatever flags they have, so it needs C99 or C++11 only. */
#include "plait_loader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct message {
    char *text; /* null: not wanted */
    size_t size;
} message;

static void say(message error, const char *format, ...);

/* ---- the operating system ---- */

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#define USUAL_NAME "plait.dll"

static void *open_library(const char *name, message error) {
    wchar_t wide[1024];
    HMODULE library;
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, wide, (int)(sizeof wide / sizeof wide[0]))) {
        say(error, "the library's path is too long or not UTF-8");
        return NULL;
    }
    library = LoadLibraryW(wide);
    if (!library) {
        say(error, "%s: LoadLibrary failed with system error %lu", name, (unsigned long)GetLastError());
    }
    return (void *)library;
}

static plait_proc find_symbol(void *library, const char *name) {
    return (plait_proc)GetProcAddress((HMODULE)library, name);
}

static void close_library(void *library) { FreeLibrary((HMODULE)library); }

#else

#include <dlfcn.h>

#if defined(__APPLE__)
#define USUAL_NAME "libplait.1.dylib"
#else
#define USUAL_NAME "libplait.so.1"
#endif

static void *open_library(const char *name, message error) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char *reason = library ? NULL : dlerror();
    if (!library) {
        say(error, "%s", reason ? reason : "dlopen failed");
    }
    return library;
}

/* ISO C has no cast from a data pointer to a function's, POSIX says that they look alike. */
static plait_proc find_symbol(void *library, const char *name) {
    void *symbol = dlsym(library, name);
    plait_proc function = NULL;
    memcpy(&function, &symbol, sizeof symbol);
    return function;
}

static void close_library(void *library) { dlclose(library); }

#endif

/* ---- the library ---- */

static plait_result fill(plait_api *api, const char *name, message error);

plait_result plait_loader_open(const char *library, plait_api *api, char *error, size_t error_size) {
    const char *name = library ? library : USUAL_NAME;
    message why;
    plait_result result;

    why.text = error;
    why.size = error_size;
    say(why, "%s", "");
    if (!api) {
        say(why, "api is null");
        return PLAIT_ERROR_INVALID_ARGUMENT;
    }
    memset(api, 0, sizeof *api);
    api->library = open_library(name, why);
    if (!api->library) {
        return PLAIT_ERROR_UNAVAILABLE;
    }
    result = fill(api, name, why);
    if (result < 0) {
        plait_loader_close(api);
    }
    return result;
}

void plait_loader_close(plait_api *api) {
    if (api && api->library) {
        close_library(api->library);
        memset(api, 0, sizeof *api);
    }
}

/* The version comes first: in another major version everything else may mean something different. */
static plait_result fill(plait_api *api, const char *name, message error) {
    PFN_plait_get_proc_address find = (PFN_plait_get_proc_address)find_symbol(api->library, "plait_get_proc_address");
    PFN_plait_library_query query = find ? (PFN_plait_library_query)find("plait_library_query") : NULL;
    plait_library_info info = PLAIT_LIBRARY_INFO_INIT;
    uint32_t header_minor = PLAIT_VERSION_MINOR;
    const char *missing = NULL;

    if (!query || query(&info) < 0) {
        say(error, "%s: not a Plait library", name);
        return PLAIT_ERROR_UNAVAILABLE;
    }
    if (info.version_major != PLAIT_VERSION_MAJOR) {
        say(error, "%s: version %u.%u.%u, but this host needs %u.x", name, (unsigned)info.version_major,
            (unsigned)info.version_minor, (unsigned)info.version_patch, PLAIT_VERSION_MAJOR);
        return PLAIT_ERROR_UNSUPPORTED;
    }
#define LOAD(function)                                                                                                 \
    api->function = (PFN_##function)find(#function);                                                                   \
    missing = api->function || missing ? missing : #function;
    PLAIT_FOR_EACH_FUNCTION(LOAD)
    PLAIT_FOR_EACH_VULKAN_FUNCTION(LOAD)
#undef LOAD
    if (missing && info.version_minor >= header_minor) {
        say(error, "%s: version %u.%u.%u without %s; the library is damaged", name, (unsigned)info.version_major,
            (unsigned)info.version_minor, (unsigned)info.version_patch, missing);
        return PLAIT_ERROR_UNAVAILABLE;
    }
    return PLAIT_OK;
}

static void say(message error, const char *format, ...) {
    va_list arguments;
    if (!error.text) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(error.text, error.size, format, arguments);
    va_end(arguments);
}
