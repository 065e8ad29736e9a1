/* Classes from tables: properties and methods go through Variants, whichever way Godot calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gd_interface.h"

enum { NAME_SIZE = 64, LARGEST_VALUE = 64, USAGE_DEFAULT = 6 };

/* What a call of ours is for; lives as long as its class is registered. */
typedef struct member {
    const gd_method *method;     /* or */
    const gd_property *property; /* its setter or getter */
    int index, sets;
} member;

/* A registered class. */
typedef struct registered {
    const gd_class *class;
    void *name, *parent;
    member *members;
    void **virtual_names;
} registered;

static registered classes[4];

static void *string_name(const char *text) {
    void *name;
    gdx.string_name_new_with_utf8_chars(&name, text);
    return name;
}

static void *string(const char *text) {
    void *s;
    gdx.string_new_with_utf8_chars(&s, text);
    return s;
}

/* ---- instances ---- */

static void *create_instance(void *user, gdx_bool notify) {
    registered *r = user;
    gd_instance *self = calloc(1, r->class->instance_size);
    self->class = r->class;
    self->values = calloc((size_t)r->class->property_count + 1, sizeof *self->values);
    for (int i = 0; i < r->class->property_count; i++)
        self->values[i] =
            r->class->properties[i].type == GDX_OBJECT ? gd_nil() : gd_empty(r->class->properties[i].type);
    self->object = gdx.classdb_construct_object2(&r->parent);
    gdx.object_set_instance(self->object, &r->name, self);
    if (notify) gd_complete(self->object);
    if (r->class->init) r->class->init(self);
    return self->object;
}

static void free_instance(void *user, void *instance) {
    registered *r = user;
    gd_instance *self = instance;
    if (r->class->free) r->class->free(self);
    for (int i = 0; i < r->class->property_count; i++) gd_drop(self->values[i]);
    free(self->values);
    free(self);
}

static void notification(void *instance, int32_t what, gdx_bool reversed) {
    gd_instance *self = instance;
    (void)reversed;
    if (self->class->notification) self->class->notification(self, what);
}

static gdx_virtual_call get_virtual(void *user, const void *name, uint32_t hash) {
    registered *r = user;
    (void)hash;
    for (int i = 0; i < r->class->virtual_count; i++)
        if (memcmp(name, &r->virtual_names[i], sizeof(void *)) == 0) return r->class->virtuals[i].call;
    return NULL;
}

void gd_answer(int32_t type, void *result, gd_variant value) {
    gd_end(type, result);
    gd_into(&value, type, result);
    gd_drop(value);
}

/* ---- members ---- */

/* A Variant of exactly this type, for nil objects are no objects. */
static gd_variant converted(const gd_variant *value, int32_t type) {
    union {
        uint64_t align;
        char bytes[LARGEST_VALUE];
    } place;
    gd_variant v;
    if (gd_type(value) == type || type == GDX_OBJECT) return gd_copy(value);
    gd_into(value, type, &place);
    v = gd_from(type, &place);
    gd_end(type, &place);
    return v;
}

/* argument is of the member's type. */
static void run(const member *m, gd_instance *self, const gd_variant *argument, gd_variant *result) {
    if (m->method) {
        m->method->call(self, argument, result);
    } else if (m->sets) {
        gd_variant before = self->values[m->index];
        self->values[m->index] = gd_copy(argument);
        gd_drop(before);
        if (self->class->changed) self->class->changed(self, m->property->change);
    } else {
        *result = gd_copy(&self->values[m->index]);
    }
}

static int32_t argument_type(const member *m) {
    return m->method ? m->method->argument : m->sets ? m->property->type : GDX_NIL;
}

static int32_t result_type(const member *m) {
    return m->method ? m->method->result : m->sets ? GDX_NIL : m->property->type;
}

static void call(void *user, void *instance, const void *const *arguments, gdx_int count, void *result,
                 gdx_call_error *error) {
    const member *m = user;
    int32_t type = argument_type(m), given;
    gdx_int wanted = type != GDX_NIL;
    gd_variant argument = gd_nil(), answer = gd_nil();
    error->error = count < wanted ? GDX_CALL_TOO_FEW : count > wanted ? GDX_CALL_TOO_MANY : GDX_CALL_OK;
    error->expected = (int32_t)wanted;
    if (error->error != GDX_CALL_OK) return;
    if (wanted) {
        given = gd_type(arguments[0]);
        if (given != type && !gdx.variant_can_convert_strict(given, type) &&
            !(type == GDX_OBJECT && given == GDX_NIL)) {
            error->error = GDX_CALL_INVALID_ARGUMENT;
            error->argument = 0;
            error->expected = type;
            return;
        }
        argument = converted(arguments[0], type);
    }
    run(m, instance, &argument, &answer);
    gd_drop(argument);
    gdx.variant_destroy(result);
    gdx.variant_new_copy(result, &answer);
    gd_drop(answer);
}

/* The way of callers that know the types: values instead of Variants, an object as a pointer to the pointer to it. */
static void ptrcall(void *user, void *instance, const void *const *arguments, void *result) {
    const member *m = user;
    int32_t type = argument_type(m), answer_type = result_type(m);
    gd_variant argument = type != GDX_NIL ? gd_from(type, arguments[0]) : gd_nil(), answer = gd_nil();
    run(m, instance, &argument, &answer);
    gd_drop(argument);
    if (answer_type != GDX_NIL) {
        /* result is a value already, for the call to replace */
        if (answer_type != GDX_OBJECT) gd_end(answer_type, result);
        gd_into(&answer, answer_type, result);
    }
    gd_drop(answer);
}

static gdx_property_info info_of(int32_t type, const char *name, uint32_t hint, const char *hint_text) {
    gdx_property_info info = {0};
    const char *class_name = type == GDX_OBJECT && hint_text ? hint_text : "";
    void **strings = malloc(3 * sizeof *strings);
    strings[0] = string_name(name);
    strings[1] = string_name(class_name);
    strings[2] = string(hint_text ? hint_text : "");
    info.type = type;
    info.name = &strings[0];
    info.class_name = &strings[1];
    info.hint = hint;
    info.hint_string = &strings[2];
    info.usage = USAGE_DEFAULT;
    return info;
}

static void info_free(gdx_property_info *info) {
    void **strings = info->name;
    gd_end(GDX_STRING_NAME, &strings[0]);
    gd_end(GDX_STRING_NAME, &strings[1]);
    gd_end(GDX_STRING, &strings[2]);
    free(strings);
}

static void register_member(registered *r, member *m, const char *name, const char *argument_name) {
    void *method_name = string_name(name);
    const char *class_name = m->property && m->property->type == GDX_OBJECT ? m->property->hint_text : NULL;
    gdx_property_info argument = info_of(argument_type(m), argument_name, 0, class_name),
                      result = info_of(result_type(m), "", 0, class_name);
    int32_t metadata = 0;
    gdx_method_info info = {0};
    info.name = &method_name;
    info.user = m;
    info.call = call;
    info.ptrcall = ptrcall;
    info.flags = GDX_METHOD_NORMAL;
    info.has_return_value = result_type(m) != GDX_NIL;
    info.return_value = &result;
    info.argument_count = argument_type(m) != GDX_NIL;
    info.arguments = &argument;
    info.argument_metadata = &metadata;
    gdx.classdb_register_extension_class_method(gdx_library, &r->name, &info);
    info_free(&argument);
    info_free(&result);
    gd_end(GDX_STRING_NAME, &method_name);
}

static void register_property(registered *r, member *members, int index) {
    const gd_property *p = &r->class->properties[index];
    char names[2][NAME_SIZE + 8];
    void *accessors[2];
    gdx_property_info info;
    if (p->group) {
        void *group = string(p->group), *prefix = string(p->prefix ? p->prefix : "");
        gdx.classdb_register_extension_class_property_group(gdx_library, &r->name, &group, &prefix);
        gd_end(GDX_STRING, &group);
        gd_end(GDX_STRING, &prefix);
    }
    for (int sets = 0; sets < 2; sets++) {
        member m = {NULL, p, index, sets};
        members[sets] = m;
        snprintf(names[sets], sizeof names[sets], "%s_%s", sets ? "set" : "get", p->name);
        register_member(r, &members[sets], names[sets], "value");
        accessors[sets] = string_name(names[sets]);
    }
    info = info_of(p->type, p->name, p->hint, p->hint_text);
    gdx.classdb_register_extension_class_property(gdx_library, &r->name, &info, &accessors[1], &accessors[0]);
    info_free(&info);
    gd_end(GDX_STRING_NAME, &accessors[0]);
    gd_end(GDX_STRING_NAME, &accessors[1]);
}

static void register_constant(registered *r, const gd_constant *c) {
    void *of_enum = string_name(c->of_enum), *name = string_name(c->name);
    gdx.classdb_register_extension_class_integer_constant(gdx_library, &r->name, &of_enum, &name, c->value, 0);
    gd_end(GDX_STRING_NAME, &of_enum);
    gd_end(GDX_STRING_NAME, &name);
}

void gd_register(const gd_class *class) {
    registered *r = classes;
    gdx_class_info info;
    while (r->class) r++;
    r->class = class;
    r->name = string_name(class->name);
    r->parent = string_name(class->parent);
    memset(&info, 0, sizeof info);
    info.is_exposed = 1;
    info.notification = notification;
    info.create_instance = create_instance;
    info.free_instance = free_instance;
    info.get_virtual = get_virtual;
    info.user = r;
    r->virtual_names = calloc((size_t) class->virtual_count + 1, sizeof *r->virtual_names);
    for (int i = 0; i < class->virtual_count; i++) r->virtual_names[i] = string_name(class->virtuals[i].name);
    gdx.classdb_register_extension_class4(gdx_library, &r->name, &r->parent, &info);
    r->members = calloc((size_t)(2 * class->property_count + class->method_count) + 1, sizeof *r->members);
    for (int i = 0; i < class->constant_count; i++) register_constant(r, &class->constants[i]);
    for (int i = 0; i < class->property_count; i++) register_property(r, r->members + 2 * i, i);
    for (int i = 0; i < class->method_count; i++) {
        member *m = &r->members[2 * class->property_count + i];
        m->method = &class->methods[i];
        register_member(r, m, m->method->name, m->method->argument_name ? m->method->argument_name : "");
    }
}

void gd_unregister(const gd_class *class) {
    registered *r = classes;
    while (r->class != class) r++;
    gdx.classdb_unregister_extension_class(gdx_library, &r->name);
    gd_end(GDX_STRING_NAME, &r->name);
    gd_end(GDX_STRING_NAME, &r->parent);
    for (int i = 0; i < class->virtual_count; i++) gd_end(GDX_STRING_NAME, &r->virtual_names[i]);
    free(r->virtual_names);
    free(r->members);
    memset(r, 0, sizeof *r);
}
