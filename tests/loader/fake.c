// An almost correct library, for the loader to refuse. FAKE_MAJOR, FAKE_MINOR: the version it reports.
// FAKE_LACKS: a function that it does not have.
#define PLAIT_BUILD
#include <plait.h>

#include <string.h>

static plait_result PLAIT_CALL query(plait_library_info *info) {
    info->version_major = FAKE_MAJOR;
    info->version_minor = FAKE_MINOR;
    return PLAIT_OK;
}

static void PLAIT_CALL any_other(void) {}

plait_proc PLAIT_CALL plait_get_proc_address(const char *name) {
    if (strcmp(name, FAKE_LACKS) == 0) return NULL;
    return strcmp(name, "plait_library_query") == 0 ? (plait_proc)query : any_other;
}
