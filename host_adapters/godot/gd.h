/* gd.h - Godot from C: values, calls by name, and classes from tables.
 *
 * Objects are called through Variants by the method's name, so nothing depends on the hashes that change with Godot's versions.
 * A call costs about a microsecond; hair makes some dozens a frame.
 *
 * Ownership  A gd_variant returned by a function belongs to the caller, who passes it on or calls gd_drop. Functions take over the
 *            arguments of calls. Borrowed ones are const pointers.
 * Memory     Small allocations of the adapter are not checked: without memory Godot ends too. Plait's own are.
 * Threads    Values may be made on any thread; which objects may be called from where is Godot's rule. */
#ifndef PLAIT_GODOT_GD_H
#define PLAIT_GODOT_GD_H

#include <stddef.h>

#include "gdextension.h"

/* A Variant of a single-precision build. */
typedef struct gd_variant {
    uint64_t words[3];
} gd_variant;

/* ---- values ---- */

gd_variant gd_nil(void);
gd_variant gd_bool(int value);
gd_variant gd_int(int64_t value);
gd_variant gd_float(double value);
gd_variant gd_text(const char *utf8);
gd_variant gd_name(const char *utf8); /* a StringName */
gd_variant gd_object(void *object);   /* null: nil; one with a reference count gets one more */
gd_variant gd_rid(uint64_t rid);
gd_variant gd_floats(int32_t type, const float *values); /* Vector3, AABB, Color, Transform3D */
gd_variant gd_empty(int32_t type);                       /* the type's default: an empty array, a path to nothing */
gd_variant gd_packed(int32_t type, int64_t size);        /* a packed array of so many elements, not initialised */
gd_variant gd_callable(void *object, const char *method);
gd_variant gd_copy(const gd_variant *value);
void gd_drop(gd_variant value);

int32_t gd_type(const gd_variant *value);
int64_t gd_to_int(const gd_variant *value); /* 0 if it is none; also of bool */
double gd_to_float(const gd_variant *value);
void *gd_to_object(const gd_variant *value); /* borrowed; null if it is none */
uint64_t gd_to_rid(const gd_variant *value);
void gd_to_floats(const gd_variant *value, int32_t type, float *values); /* zeroed if it is of another type */
void gd_to_text(const gd_variant *value, char *text, size_t size); /* of a String, StringName or NodePath; cut off */

/* Elements of a packed array, and how many there are; null if there are none. Writing is seen by all Variants that share it. */
void *gd_elements(const gd_variant *value, int64_t *count);
/* An element of a PackedStringArray. */
void gd_string_at(const gd_variant *strings, int64_t index, char *text, size_t size);
void gd_set_string_at(gd_variant *strings, int64_t index, const char *text);
/* An element of an Array; borrowed. */
const gd_variant *gd_array_at(const gd_variant *array, int64_t index);

/* ---- calls ---- */

/* Calls a method by name. A method that does not exist is reported as an error, and the result is nil. */
gd_variant gd_call(void *object, const char *method, int count, gd_variant *arguments);
gd_variant gd_call_value(const gd_variant *self, const char *method, int count, gd_variant *arguments);

#define GD_CALL0(object, method) gd_call(object, method, 0, NULL)
#define GD_CALL(object, method, ...)                                                                                   \
    gd_call(object, method, (int)(sizeof((gd_variant[]){__VA_ARGS__}) / sizeof(gd_variant)),                           \
            (gd_variant[]){__VA_ARGS__})
#define GD_DO0(object, method) gd_drop(GD_CALL0(object, method))
#define GD_DO(object, method, ...) gd_drop(GD_CALL(object, method, __VA_ARGS__))

/* The same, and what comes back as a number. */
int64_t gd_take_int(gd_variant value);
double gd_take_float(gd_variant value);
uint64_t gd_take_rid(gd_variant value);
void gd_take_floats(gd_variant value, int32_t type, float *values);

/* A number that finds an object as long as it lives; null afterwards, and for 0. */
uint64_t gd_id(const void *object);
void *gd_find(uint64_t id);

void *gd_singleton(const char *name);
void *gd_new(const char *class_name); /* with its reference count at 0, if it has one: gd_object takes the first */

void gd_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void gd_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- classes ---- */

/* What every instance begins with. */
typedef struct gd_instance {
    void *object;
    const struct gd_class *class;
    gd_variant *values; /* [property_count] */
} gd_instance;

enum gd_hint { GD_HINT_NONE = 0, GD_HINT_RANGE = 1, GD_HINT_ENUM = 2, GD_HINT_RESOURCE = 17, GD_HINT_NODE_TYPES = 26 };

/* A property with setter set_NAME and getter get_NAME. Its value lies in gd_instance.values as a Variant of its type. */
typedef struct gd_property {
    const char *name;
    int32_t type;
    uint32_t hint; /* enum gd_hint */
    const char *hint_text;
    int change;        /* handed to gd_class.changed */
    const char *group; /* begins a group of the inspector; null: goes on */
    const char *prefix;
} gd_property;

typedef struct gd_method {
    const char *name;
    int32_t result;
    int32_t argument; /* GDX_NIL: none */
    const char *argument_name;
    /* arguments are of the declared types; *result is nil before. */
    void (*call)(void *self, const gd_variant *argument, gd_variant *result);
} gd_method;

typedef struct gd_virtual {
    const char *name;
    gdx_virtual_call call;
} gd_virtual;

/* A constant of an enumeration of the class. */
typedef struct gd_constant {
    const char *of_enum, *name;
    int64_t value;
} gd_constant;

typedef struct gd_class {
    const char *name, *parent;
    size_t instance_size;
    const gd_property *properties;
    int property_count;
    const gd_method *methods;
    int method_count;
    const gd_virtual *virtuals;
    int virtual_count;
    const gd_constant *constants;
    int constant_count;
    void (*init)(void *self);                       /* values are the types' defaults, and the object is complete */
    void (*free)(void *self);                       /* the instance itself is not its business */
    void (*changed)(void *self, int change);        /* a property was set */
    void (*notification)(void *self, int32_t what); /* may be null */
} gd_class;

/* Replaces the value that a virtual method returns; takes the new one. */
void gd_answer(int32_t type, void *result, gd_variant value);

/* 1, or 0 with an error if the engine lacks a function. */
int gd_open(gdx_get_proc_address get, void *library);
void gd_register(const gd_class *class);
void gd_unregister(const gd_class *class);
/* Shows the class in the editor's help. Without an editor it does nothing. */
void gd_document(const char *xml);

#endif
