// The library itself: version, results as text, functions by name.
#include "plait_vulkan.h"
#include "structs.h"

#include <string.h>

plait_result PLAIT_CALL plait_library_query(plait_library_info *info) {
    struct call call = {.function = __func__};
    plait_result result = struct_check_info(&call, "info", info, PLAIT_TYPE_LIBRARY_INFO);
    if (result != PLAIT_OK) return result;
    plait_library_info values = PLAIT_LIBRARY_INFO_INIT;
    values.version_major = PLAIT_VERSION_MAJOR;
    values.version_minor = PLAIT_VERSION_MINOR;
    values.version_patch = PLAIT_VERSION_PATCH;
    struct_write(info, &values, sizeof values);
    return PLAIT_OK;
}

const char *PLAIT_CALL plait_result_text(plait_result result) {
    static const struct {
        plait_result result;
        const char *text;
    } texts[] = {
        {PLAIT_OK, "success"},
        {PLAIT_INCOMPLETE, "the array was too short; what fits was written"},
        {PLAIT_ERROR_INVALID_ARGUMENT, "an argument is invalid"},
        {PLAIT_ERROR_INVALID_STRUCT, "a struct has a wrong type or size, or unknown fields"},
        {PLAIT_ERROR_UNKNOWN_EXTENSION, "a chained struct is unknown, or not for this call"},
        {PLAIT_ERROR_INVALID_HANDLE, "a handle is zero, stale, forged or of another kind"},
        {PLAIT_ERROR_FOREIGN_HANDLE, "a handle belongs to another context"},
        {PLAIT_ERROR_BUSY, "the object is in use by another call"},
        {PLAIT_ERROR_OUT_OF_MEMORY, "out of memory"},
        {PLAIT_ERROR_TOO_LARGE, "a count or size is too large"},
        {PLAIT_ERROR_UNAVAILABLE, "the backend, device or instruction set is not available on this machine"},
        {PLAIT_ERROR_UNSUPPORTED, "not possible on this device or with this solver"},
        {PLAIT_ERROR_INVALID_GROOM, "the groom's data is invalid"},
        {PLAIT_ERROR_INVALID_STATE, "the saved state is damaged, or of another version, groom, unit or solver"},
        {PLAIT_ERROR_BUFFER_TOO_SMALL, "the memory given is too small"},
        {PLAIT_ERROR_LIMIT, "too many live objects of this kind"},
        {PLAIT_ERROR_TIMEOUT, "the work did not finish in the time given"},
        {PLAIT_ERROR_SYSTEM, "the operating system refused a request"},
        {PLAIT_ERROR_DEVICE_LOST, "the device is lost"},
        {PLAIT_ERROR_OTHER_DEVICE, "external memory or a semaphore belongs to another device or driver"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        if (texts[i].result == result) return texts[i].text;
    return "unknown result";
}

plait_proc PLAIT_CALL plait_get_proc_address(const char *name) {
    static const struct {
        const char *name;
        plait_proc proc;
    } procs[] = {
#define X(function) {#function, (plait_proc)function},
        PLAIT_FOR_EACH_FUNCTION(X) PLAIT_FOR_EACH_VULKAN_FUNCTION(X)
#undef X
    };
    for (size_t i = 0; name && i < ARRAY_LENGTH(procs); i++)
        if (strcmp(procs[i].name, name) == 0) return procs[i].proc;
    return NULL;
}
