#include "places.h"

#ifdef HOSTED

#include "vulkan_host.h"

static struct vulkan_host host;
static plait_vulkan_device_desc desc = PLAIT_VULKAN_DEVICE_DESC_INIT;

const void *place_host(void) {
    if (!host.device && !host_open(&host, false)) return NULL;
    desc.physical_device = host.physical;
    desc.device = host.device;
    desc.queue = host.queue;
    desc.features = host.wants.features;
    desc.extensions = host.wants.optional_extensions;
    desc.extension_count = host.wants.optional_extension_count;
    return &desc;
}

void places_close(void) { host_close(&host); }

#else

const void *place_host(void) { return NULL; }
void places_close(void) {}

#endif
