// Plait info: version of the library, and the backends and devices on this machine.
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "host.h"
#include "options.h"

typedef struct backend_list {
    uint32_t count;
    plait_backend_info infos[16];
} backend_list;

static bool print_backends(plait_context context, backend_list *list);
// How output and semaphores can be shared with a renderer.
static void print_interop(uint32_t interop) {
    static const char *const names[] = {
        "host pointer", "VkBuffer",         "VkSemaphore",  "host memory without a copy",
        "memory by fd", "memory by handle", "semaphore fd", "semaphore handle",
        "CUDA memory"};
    const char *comma = "";
    printf("%-17s shares: ", "");
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(interop >> i & 1)) continue;
        printf("%s%s", comma, names[i]);
        comma = ", ";
    }
    printf("\n");
}

static bool print_devices(plait_context context, const backend_list *list);

int command_info(int argc, char **argv) {
    command_line line = {.command = "plait info",
                         .usage = "",
                         .purpose = "Prints the library's version, the backends it knows and the devices it finds."};
    int code = options_parse(&line, argc, argv);
    if (code != OPTIONS_RUN) return code;
    plait_library_info info = PLAIT_LIBRARY_INFO_INIT;
    if (!host_check(plait_library_query(&info), "plait_library_query")) return EXIT_FAILURE;
    printf("plait %u.%u.%u\n", info.version_major, info.version_minor, info.version_patch);
    plait_context context = {0};
    if (!host_context(1, &context)) return EXIT_FAILURE;
    backend_list list;
    bool printed = print_backends(context, &list) && print_devices(context, &list);
    plait_context_destroy(context);
    return printed ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool print_backends(plait_context context, backend_list *list) {
    list->count = sizeof list->infos / sizeof *list->infos;
    for (uint32_t i = 0; i < list->count; i++) list->infos[i] = (plait_backend_info)PLAIT_BACKEND_INFO_INIT;
    if (!host_check(plait_backend_enumerate(context, &list->count, list->infos), "plait_backend_enumerate"))
        return false;
    printf("\n%-10s %-10s %s\n", "backend", "available", "devices");
    for (uint32_t i = 0; i < list->count; i++) {
        const plait_backend_info *info = &list->infos[i];
        if (info->available)
            printf("%-10s %-10s %u\n", info->name, "yes", info->device_count);
        else
            printf("%-10s %-10s %s\n", info->name, "no", info->reason);
    }
    return true;
}

static bool print_devices(plait_context context, const backend_list *list) {
    plait_device_info infos[16];
    uint32_t count = sizeof infos / sizeof *infos;
    for (uint32_t i = 0; i < count; i++) infos[i] = (plait_device_info)PLAIT_DEVICE_INFO_INIT;
    if (!host_check(plait_device_enumerate(context, &count, infos), "plait_device_enumerate")) return false;
    printf("\n%-10s %-6s %-10s %-12s %s\n", "device of", "index", "code", "memory", "name");
    for (uint32_t i = 0; i < count; i++) {
        plait_device_info *info = &infos[i];
        // Only an open device reports which code it runs.
        plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
        desc.backend = info->backend;
        desc.index = info->index;
        plait_device device = {0};
        if (plait_device_open(context, &desc, &device) >= 0) {
            plait_device_query(device, info);
            plait_device_close(device);
        }
        const char *backend = "?";
        for (uint32_t b = 0; b < list->count; b++)
            if (list->infos[b].backend == info->backend) backend = list->infos[b].name;
        char memory[24] = "-";
        if (info->memory_bytes) snprintf(memory, sizeof memory, "%.1f GiB", (double)info->memory_bytes / (1 << 30));
        printf("%-10s %-6u %-10s %-12s %s\n", backend, info->index, info->variant[0] ? info->variant : "-", memory,
               info->name);
        print_interop(info->interop);
    }
    return true;
}
