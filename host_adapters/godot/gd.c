/* Values and calls; see gd.h. */
#include "gd.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gd_interface.h"

struct gdx_interface gdx;
void *gdx_library;
static gdx_from_type from[GDX_TYPES];
static gdx_to_type to[GDX_TYPES];
static gdx_internal internal[GDX_TYPES];
static gdx_destructor destructor[GDX_TYPES];

int gd_open(gdx_get_proc_address get, void *library) {
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define ENTRY(name, result, arguments) {#name, offsetof(struct gdx_interface, name)},
        GDX_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    int complete = 1;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        gdx_any_function function = get(functions[i].name);
        memcpy((char *)&gdx + functions[i].offset, &function, sizeof function);
        if (function) continue;
        fprintf(stderr, "Plait: this Godot has no %s: 4.4 or newer is needed\n", functions[i].name);
        complete = 0;
    }
    if (!complete) return 0;
    gdx_library = library;
    for (int32_t type = GDX_NIL + 1; type < GDX_TYPES; type++) {
        from[type] = gdx.get_variant_from_type_constructor(type);
        to[type] = gdx.get_variant_to_type_constructor(type);
        internal[type] = gdx.variant_get_ptr_internal_getter(type);
        destructor[type] = gdx.variant_get_ptr_destructor(type);
    }
    return 1;
}

/* ---- making values ---- */

gd_variant gd_from(int32_t type, const void *value) {
    gd_variant v;
    if (type == GDX_NIL) return gd_nil();
    from[type](&v, (void *)(uintptr_t)value);
    return v;
}

void gd_into(const gd_variant *value, int32_t type, void *place) { to[type](place, (void *)(uintptr_t)value); }

void gd_end(int32_t type, void *place) {
    if (destructor[type]) destructor[type](place);
}

gd_variant gd_nil(void) {
    gd_variant v;
    gdx.variant_new_nil(&v);
    return v;
}

gd_variant gd_bool(int value) {
    gdx_bool b = value != 0;
    return gd_from(GDX_BOOL, &b);
}

gd_variant gd_int(int64_t value) { return gd_from(GDX_INT, &value); }

gd_variant gd_float(double value) { return gd_from(GDX_FLOAT, &value); }

gd_variant gd_text(const char *utf8) {
    void *string;
    gdx.string_new_with_utf8_chars(&string, utf8);
    gd_variant v = gd_from(GDX_STRING, &string);
    gd_end(GDX_STRING, &string);
    return v;
}

gd_variant gd_name(const char *utf8) {
    void *name;
    gdx.string_name_new_with_utf8_chars(&name, utf8);
    gd_variant v = gd_from(GDX_STRING_NAME, &name);
    gd_end(GDX_STRING_NAME, &name);
    return v;
}

gd_variant gd_object(void *object) { return object ? gd_from(GDX_OBJECT, &object) : gd_nil(); }

gd_variant gd_rid(uint64_t rid) { return gd_from(GDX_RID, &rid); }

gd_variant gd_floats(int32_t type, const float *values) { return gd_from(type, values); }

gd_variant gd_empty(int32_t type) {
    gd_variant v;
    gdx_call_error error;
    gdx.variant_construct(type, &v, NULL, 0, &error);
    return v;
}

gd_variant gd_packed(int32_t type, int64_t size) {
    gd_variant v = gd_empty(type), count = gd_int(size);
    gd_drop(gd_call_value(&v, "resize", 1, &count));
    return v;
}

gd_variant gd_callable(void *object, const char *method) {
    gd_variant v, self = gd_object(object), name = gd_name(method);
    gdx_call_error error;
    gdx.variant_construct(GDX_CALLABLE, &v, (const void *const[]){&self, &name}, 2, &error);
    gd_drop(self);
    gd_drop(name);
    return v;
}

gd_variant gd_copy(const gd_variant *value) {
    gd_variant v;
    gdx.variant_new_copy(&v, value);
    return v;
}

void gd_drop(gd_variant value) { gdx.variant_destroy(&value); }

/* ---- reading values ---- */

int32_t gd_type(const gd_variant *value) { return gdx.variant_get_type(value); }

int64_t gd_to_int(const gd_variant *value) {
    int64_t number = 0;
    int32_t type = gd_type(value);
    if (type == GDX_BOOL || type == GDX_INT || type == GDX_FLOAT) gd_into(value, GDX_INT, &number);
    return number;
}

double gd_to_float(const gd_variant *value) {
    double number = 0;
    int32_t type = gd_type(value);
    if (type == GDX_INT || type == GDX_FLOAT) gd_into(value, GDX_FLOAT, &number);
    return number;
}

void *gd_to_object(const gd_variant *value) {
    void *object = NULL;
    if (gd_type(value) == GDX_OBJECT) gd_into(value, GDX_OBJECT, &object);
    return object;
}

uint64_t gd_to_rid(const gd_variant *value) {
    uint64_t rid = 0;
    if (gd_type(value) == GDX_RID) gd_into(value, GDX_RID, &rid);
    return rid;
}

void gd_to_floats(const gd_variant *value, int32_t type, float *values) {
    static const struct {
        int32_t type;
        size_t count;
    } sizes[] = {{GDX_VECTOR3, 3}, {GDX_COLOR, 4}, {GDX_AABB, 6}, {GDX_TRANSFORM3D, 12}};
    if (gd_type(value) == type) {
        gd_into(value, type, values);
        return;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].type == type) memset(values, 0, sizes[i].count * sizeof *values);
}

void gd_to_text(const gd_variant *value, char *text, size_t size) {
    void *string;
    gd_into(value, GDX_STRING, &string);
    gdx_int length = gdx.string_to_utf8_chars(&string, text, (gdx_int)size - 1);
    text[length < (gdx_int)size - 1 ? length : (gdx_int)size - 1] = 0;
    gd_end(GDX_STRING, &string);
}

void *gd_elements(const gd_variant *value, int64_t *count) {
    int32_t type = gd_type(value);
    void *array;
    *count = 0;
    if (type < GDX_PACKED_BYTE_ARRAY || type >= GDX_TYPES) return NULL;
    *count = gd_take_int(gd_call_value(value, "size", 0, NULL));
    if (*count == 0) return NULL;
    array = internal[type]((void *)(uintptr_t)value);
    switch (type) {
    case GDX_PACKED_BYTE_ARRAY: return gdx.packed_byte_array_operator_index(array, 0);
    case GDX_PACKED_INT32_ARRAY: return gdx.packed_int32_array_operator_index(array, 0);
    case GDX_PACKED_FLOAT32_ARRAY: return gdx.packed_float32_array_operator_index(array, 0);
    case GDX_PACKED_VECTOR2_ARRAY: return gdx.packed_vector2_array_operator_index(array, 0);
    case GDX_PACKED_VECTOR3_ARRAY: return gdx.packed_vector3_array_operator_index(array, 0);
    default: *count = 0; return NULL;
    }
}

void gd_string_at(const gd_variant *strings, int64_t index, char *text, size_t size) {
    void *string =
        gdx.packed_string_array_operator_index(internal[GDX_PACKED_STRING_ARRAY]((void *)(uintptr_t)strings), index);
    gdx_int length = gdx.string_to_utf8_chars(string, text, (gdx_int)size - 1);
    text[length < (gdx_int)size - 1 ? length : (gdx_int)size - 1] = 0;
}

void gd_set_string_at(gd_variant *strings, int64_t index, const char *text) {
    gd_drop(gd_call_value(strings, "set", 2, (gd_variant[]){gd_int(index), gd_text(text)}));
}

const gd_variant *gd_array_at(const gd_variant *array, int64_t index) {
    return gdx.array_operator_index_const(internal[GDX_ARRAY]((void *)(uintptr_t)array), index);
}

/* ---- calls ---- */

gd_variant gd_call_value(const gd_variant *self, const char *method, int count, gd_variant *arguments) {
    enum { MOST = 8 };
    const void *pointers[MOST];
    void *name;
    gd_variant result;
    gdx_call_error error = {0, 0, 0};
    for (int i = 0; i < count && i < MOST; i++) pointers[i] = &arguments[i];
    gdx.string_name_new_with_utf8_chars(&name, method);
    gdx.variant_call((void *)(uintptr_t)self, &name, pointers, count, &result, &error);
    gd_end(GDX_STRING_NAME, &name);
    for (int i = 0; i < count; i++) gd_drop(arguments[i]);
    if (error.error != GDX_CALL_OK) gd_error("Godot refuses the call of %s (error %d)", method, (int)error.error);
    return result;
}

gd_variant gd_call(void *object, const char *method, int count, gd_variant *arguments) {
    gd_variant self = gd_object(object), result = gd_call_value(&self, method, count, arguments);
    gd_drop(self);
    return result;
}

int64_t gd_take_int(gd_variant value) {
    int64_t number = gd_to_int(&value);
    gd_drop(value);
    return number;
}

double gd_take_float(gd_variant value) {
    double number = gd_to_float(&value);
    gd_drop(value);
    return number;
}

uint64_t gd_take_rid(gd_variant value) {
    uint64_t rid = gd_to_rid(&value);
    gd_drop(value);
    return rid;
}

void gd_take_floats(gd_variant value, int32_t type, float *values) {
    gd_to_floats(&value, type, values);
    gd_drop(value);
}

uint64_t gd_id(const void *object) { return gdx.object_get_instance_id(object); }

void *gd_find(uint64_t id) { return id ? gdx.object_get_instance_from_id(id) : NULL; }

void *gd_singleton(const char *name) {
    void *string_name, *object;
    gdx.string_name_new_with_utf8_chars(&string_name, name);
    object = gdx.global_get_singleton(&string_name);
    gd_end(GDX_STRING_NAME, &string_name);
    return object;
}

void gd_complete(void *object) {
    static const gdx_int hash =
        4023243586; /* of Object.notification, the one method that is not called by name alone */
    static const int64_t postinitialize = 0;
    static const gdx_bool reversed = 0;
    void *class_name, *name, *bind;
    gdx.string_name_new_with_utf8_chars(&class_name, "Object");
    gdx.string_name_new_with_utf8_chars(&name, "notification");
    bind = gdx.classdb_get_method_bind(&class_name, &name, hash);
    gd_end(GDX_STRING_NAME, &class_name);
    gd_end(GDX_STRING_NAME, &name);
    if (bind) gdx.object_method_bind_ptrcall(bind, object, (const void *const[]){&postinitialize, &reversed}, NULL);
}

void *gd_new(const char *class_name) {
    void *name, *object;
    gdx.string_name_new_with_utf8_chars(&name, class_name);
    object = gdx.classdb_construct_object2(&name);
    gd_end(GDX_STRING_NAME, &name);
    if (object) gd_complete(object);
    return object;
}

void gd_document(const char *xml) { gdx.editor_help_load_xml_from_utf8_chars(xml); }

/* Godot adds a newline. */
#define REPORT(print)                                                                                                  \
    char text[2560];                                                                                                   \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    vsnprintf(text, sizeof text, format, arguments);                                                                   \
    va_end(arguments);                                                                                                 \
    print(text, "Plait", "plait", 0, 0)

void gd_error(const char *format, ...) { REPORT(gdx.print_error); }

void gd_warn(const char *format, ...) { REPORT(gdx.print_warning); }
