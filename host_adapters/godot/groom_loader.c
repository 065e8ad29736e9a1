/* PlaitGroomLoader: Godot loads .hair, .tfx and .npz files as PlaitGroom resources, in the editor and in exported games, where the
 * files are as they are. Loading runs on any thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gd_interface.h"
#include "groom.h"
#include "zip.h"

enum { PATH_SIZE = 1024 };

static const char *const extensions[] = {"hair", "tfx", "npz"};
enum { EXTENSIONS = sizeof extensions / sizeof *extensions };

static int ends_with(const char *path, const char *extension) {
    size_t length = strlen(path), n = strlen(extension);
    if (length <= n || path[length - n - 1] != '.') return 0;
    for (size_t i = 0; i < n; i++)
        if ((path[length - n + i] | 0x20) != extension[i]) return 0;
    return 1;
}

static int is_groom(const char *path) {
    for (int i = 0; i < EXTENSIONS; i++)
        if (ends_with(path, extensions[i])) return 1;
    return 0;
}

static void argument_text(int32_t type, const void *argument, char *text, size_t size) {
    gd_variant v = gd_from(type, argument);
    gd_to_text(&v, text, size);
    gd_drop(v);
}

static void get_recognized_extensions(void *self, const void *const *arguments, void *result) {
    gd_variant list = gd_packed(GDX_PACKED_STRING_ARRAY, EXTENSIONS);
    (void)self, (void)arguments;
    for (int i = 0; i < EXTENSIONS; i++) gd_set_string_at(&list, i, extensions[i]);
    gd_answer(GDX_PACKED_STRING_ARRAY, result, list);
}

static void handles_type(void *self, const void *const *arguments, void *result) {
    char type[64];
    (void)self;
    argument_text(GDX_STRING_NAME, arguments[0], type, sizeof type);
    *(gdx_bool *)result = strcmp(type, "PlaitGroom") == 0 || strcmp(type, "Resource") == 0;
}

static void get_resource_type(void *self, const void *const *arguments, void *result) {
    char path[PATH_SIZE];
    (void)self;
    argument_text(GDX_STRING, arguments[0], path, sizeof path);
    gd_answer(GDX_STRING, result, gd_text(is_groom(path) ? "PlaitGroom" : ""));
}

/* ---- loading ---- */

static gd_variant file_bytes(const char *path) {
    return GD_CALL(gd_singleton("ClassDB"), "class_call_static", gd_name("FileAccess"), gd_name("get_file_as_bytes"),
                   gd_text(path));
}

/* Godot unzips, in place of libzip, so that exported games need no further library; zip.h hands the members on to the reader. */
static plait_result read_npz(const char *path, plait_gf_groom *groom, plait_gf_report *report) {
    gd_variant reader = gd_object(gd_new("ZIPReader")), files;
    void *object = gd_to_object(&reader);
    plait_result result = PLAIT_ERROR_INVALID_GROOM;
    zip_members members = {0, NULL};
    gd_variant *bytes;
    uint64_t total = 0;
    if (gd_take_int(GD_CALL(object, "open", gd_text(path))) != 0) {
        snprintf(report->message, sizeof report->message, "not a whole zip archive");
        gd_drop(reader);
        return result;
    }
    files = GD_CALL0(object, "get_files");
    members.count = (uint64_t)gd_take_int(gd_call_value(&files, "size", 0, NULL));
    members.list = calloc(members.count + 1, sizeof *members.list);
    bytes = calloc(members.count + 1, sizeof *bytes);
    for (uint64_t i = 0; i < members.count; i++) {
        zip_member *m = &members.list[i];
        int64_t size;
        gd_string_at(&files, (int64_t)i, m->name, sizeof m->name);
        bytes[i] = GD_CALL(object, "read_file", gd_text(m->name));
        m->bytes = gd_elements(&bytes[i], &size);
        m->size = (uint64_t)size;
        total += m->size;
    }
    result = plait_gf_read_memory(&members, total + sizeof members, PLAIT_GF_FORMAT_NPZ, NULL, groom, report);
    for (uint64_t i = 0; i < members.count; i++) gd_drop(bytes[i]);
    free(bytes);
    free(members.list);
    gd_drop(files);
    GD_DO0(object, "close");
    gd_drop(reader);
    return result;
}

static plait_result read_plain(const char *path, plait_gf_groom *groom, plait_gf_report *report) {
    gd_variant bytes = file_bytes(path), bones = gd_nil();
    char bone_path[PATH_SIZE + 8];
    plait_gf_read_options options = {0};
    plait_result result;
    int64_t size, bone_size = 0;
    const void *at = gd_elements(&bytes, &size);
    snprintf(bone_path, sizeof bone_path, "%sbone", path);
    if (ends_with(path, "tfx") &&
        gd_take_int(GD_CALL(gd_singleton("ClassDB"), "class_call_static", gd_name("FileAccess"), gd_name("file_exists"),
                            gd_text(bone_path)))) {
        gd_drop(bones);
        bones = file_bytes(bone_path);
        options.bone_bytes = gd_elements(&bones, &bone_size);
        options.bone_size = (size_t)bone_size;
    }
    if (!at) {
        snprintf(report->message, sizeof report->message, "the file is empty or cannot be read");
        result = PLAIT_ERROR_SYSTEM;
    } else {
        result = plait_gf_read_memory(at, (size_t)size, PLAIT_GF_FORMAT_AUTO, &options, groom, report);
    }
    gd_drop(bytes);
    gd_drop(bones);
    return result;
}

/* Levels of detail draw the first strands: they must stand for all. The same file gives the same order. */
static plait_result shuffle(plait_gf_groom *groom) {
    plait_gf_groom mixed;
    uint32_t *order = malloc(groom->strand_count * sizeof *order);
    uint64_t state = 0x9e3779b97f4a7c15u;
    plait_result result = PLAIT_ERROR_OUT_OF_MEMORY;
    if (!order) return result;
    for (uint32_t i = 0; i < groom->strand_count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's linear congruential generator */
        uint32_t j = (uint32_t)((state >> 32) % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    result = plait_gf_select(groom, order, groom->strand_count, &mixed);
    if (result == PLAIT_OK) {
        plait_gf_groom_free(groom);
        *groom = mixed;
    }
    free(order);
    return result;
}

static int has_shared_roots(const plait_gf_groom *groom) {
    for (uint32_t i = 0; groom->root_bindings && i < groom->strand_count; i++)
        for (int k = 0; k < 4; k++)
            if (groom->root_bindings[i].weights[k] > 0 && groom->root_bindings[i].weights[k] < 1) return 1;
    return 0;
}

/* One warning with what was repaired or left out, and with what a PlaitGroom has no room for. */
static void tell(const char *path, const plait_gf_groom *groom, const plait_gf_report *report) {
    const struct {
        int is_lost;
        const char *what;
    } losses[] = {{has_shared_roots(groom), "all but the heaviest bone of each root"},
                  {(groom->root_bindings || groom->root_bones) && !groom->bone_names, "bones without names"},
                  {groom->group_count > 1, "groups"},
                  {groom->root_normals != NULL, "root normals"},
                  {groom->bind_pose != NULL, "the bind pose"},
                  {groom->mesh_positions != NULL, "the mesh under the roots"},
                  {groom->colors != NULL, "colours"},
                  {groom->transparencies != NULL, "transparencies"},
                  {groom->uvs != NULL || groom->root_uvs != NULL, "texture coordinates"},
                  {groom->closest_guides != NULL, "the binding of strands to guides"}};
    char text[PLAIT_GF_REPORT_SIZE], lost[256] = "";
    plait_gf_report_text(report, text, sizeof text);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].is_lost)
            snprintf(lost + strlen(lost), sizeof lost - strlen(lost), "%s%s",
                     lost[0] ? ", " : "not kept: ", losses[i].what);
    if (text[0] || lost[0]) gd_warn("%s: %s%s%s", path, text, text[0] && lost[0] ? "\n" : "", lost);
}

static plait_result to_meters(plait_gf_groom *groom) {
    float s = groom->meters_per_unit;
    const float matrix[12] = {s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0};
    return s > 0 && s != 1 ? plait_gf_transform(groom, matrix) : PLAIT_OK;
}

static void load(void *self, const void *const *arguments, void *result) {
    char path[PATH_SIZE];
    plait_gf_groom groom;
    plait_gf_report report;
    plait_result done;
    gd_variant resource;
    (void)self;
    argument_text(GDX_STRING, arguments[0], path, sizeof path);
    memset(&report, 0, sizeof report);
    memset(&groom, 0, sizeof groom);
    done = ends_with(path, "npz") ? read_npz(path, &groom, &report) : read_plain(path, &groom, &report);
    if (done == PLAIT_OK) done = shuffle(&groom);
    if (done == PLAIT_OK) done = to_meters(&groom);
    gdx.variant_destroy(result);
    if (done != PLAIT_OK) {
        enum { FILE_CORRUPT = 16 }; /* of Godot's errors */
        gd_error("%s: %s", path, report.message[0] ? report.message : "the groom could not be read");
        plait_gf_groom_free(&groom);
        resource = gd_int(FILE_CORRUPT);
    } else {
        tell(path, &groom, &report);
        resource = gd_object(gd_new("PlaitGroom"));
        groom_write(gd_to_object(&resource), &groom);
        plait_gf_groom_free(&groom);
    }
    gdx.variant_new_copy(result, &resource);
    gd_drop(resource);
}

static const gd_virtual virtuals[] = {
    {"_get_recognized_extensions", get_recognized_extensions},
    {"_handles_type", handles_type},
    {"_get_resource_type", get_resource_type},
    {"_load", load},
};

const gd_class groom_loader_class = {
    .name = "PlaitGroomLoader",
    .parent = "ResourceFormatLoader",
    .instance_size = sizeof(gd_instance),
    .virtuals = virtuals,
    .virtual_count = sizeof virtuals / sizeof *virtuals,
};
