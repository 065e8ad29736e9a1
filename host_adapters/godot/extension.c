/* The entry point of the extension: Godot calls plait_godot_init when it opens the library, then initialize for each level of
 * the engine. */
#include <stdio.h>
#include <string.h>

#include "embedded.h"
#include "gd.h"
#include "groom.h"
#include "hair.h"
#include "session.h"

static plait_context context;
static gd_variant loader; /* an instance of PlaitGroomLoader */

static struct {
    plait_device device;
    uint32_t backend, users;
} devices[4];
enum { DEVICES = sizeof devices / sizeof *devices };

static _Thread_local char last_error[256];

static void PLAIT_CALL log_message(void *user, uint32_t level, int32_t id, const char *text) {
    (void)user, (void)id;
    if (level >= PLAIT_LOG_ERROR) {
        snprintf(last_error, sizeof last_error, "%s", text);
        gd_error("%s", text);
    } else {
        gd_warn("%s", text);
    }
}

plait_context session_context(void) { return context; }

plait_result session_acquire(uint32_t backend, plait_device *device) {
    plait_device_desc desc = PLAIT_DEVICE_DESC_INIT;
    plait_result result;
    int i, empty = -1;
    for (i = DEVICES - 1; i >= 0; i--) {
        if (devices[i].users == 0) empty = i;
        if (devices[i].users > 0 && devices[i].backend == backend) break;
    }
    if (i < 0) {
        i = empty;
        desc.backend = backend;
        result = plait_device_open(context, &desc, &devices[i].device);
        if (result != PLAIT_OK) return result;
        devices[i].backend = backend;
    }
    devices[i].users++;
    *device = devices[i].device;
    return PLAIT_OK;
}

void session_release(plait_device device) {
    for (int i = 0; i < DEVICES; i++)
        if (devices[i].users > 0 && devices[i].device.id == device.id && --devices[i].users == 0)
            plait_device_close(device);
}

const char *session_error(void) {
    static _Thread_local char text[sizeof last_error];
    memcpy(text, last_error, sizeof text);
    last_error[0] = 0;
    return text;
}

static void initialize(void *user, int32_t level) {
    plait_logger logger = PLAIT_LOGGER_INIT;
    plait_context_desc desc = PLAIT_CONTEXT_DESC_INIT;
    (void)user;
    if (level == GDX_LEVEL_EDITOR) {
        gd_document((const char *)embedded_PlaitGroom_xml);
        gd_document((const char *)embedded_PlaitHair3D_xml);
    }
    if (level != GDX_LEVEL_SCENE) return;
    logger.log = log_message;
    desc.logger = &logger;
    if (plait_context_create(&desc, &context) != PLAIT_OK) gd_error("Plait could not be started");
    gd_register(&groom_class);
    gd_register(&groom_loader_class);
    gd_register(&hair_class);
    loader = gd_object(gd_new("PlaitGroomLoader"));
    GD_DO(gd_singleton("ResourceLoader"), "add_resource_format_loader", gd_copy(&loader), gd_bool(1));
}

static void deinitialize(void *user, int32_t level) {
    (void)user;
    if (level != GDX_LEVEL_SCENE) return;
    GD_DO(gd_singleton("ResourceLoader"), "remove_resource_format_loader", gd_copy(&loader));
    gd_drop(loader);
    gd_unregister(&hair_class);
    gd_unregister(&groom_loader_class);
    gd_unregister(&groom_class);
    plait_context_destroy(context);
}

PLAIT_EXPORT gdx_bool plait_godot_init(gdx_get_proc_address get, void *library, gdx_initialization *initialization) {
    if (!gd_open(get, library)) return 0;
    initialization->minimum_level = GDX_LEVEL_SCENE;
    initialization->initialize = initialize;
    initialization->deinitialize = deinitialize;
    return 1;
}
