/* gdextension.h - the part of Godot's C interface for extensions (4.4 and newer) that this adapter uses, in declarations of our
 * own, so that it compiles without Godot. tests/godot compares every layout and number with the header that Godot writes
 * (godot --dump-gdextension-interface).
 *
 * Names of interface functions are Godot's, without a prefix; Godot hands them out by name. All pointers to values of the engine
 * (StringName, String, Variant, typed values) are void pointers, as there. */
#ifndef PLAIT_GODOT_GDEXTENSION_H
#define PLAIT_GODOT_GDEXTENSION_H

#include <stdint.h>

typedef uint8_t gdx_bool;
typedef int64_t gdx_int;

/* Types of a Variant. */
enum gdx_type {
    GDX_NIL = 0,
    GDX_BOOL = 1,
    GDX_INT = 2,
    GDX_FLOAT = 3,
    GDX_STRING = 4,
    GDX_VECTOR3 = 9,
    GDX_AABB = 16,
    GDX_TRANSFORM3D = 18,
    GDX_COLOR = 20,
    GDX_STRING_NAME = 21,
    GDX_NODE_PATH = 22,
    GDX_RID = 23,
    GDX_OBJECT = 24,
    GDX_CALLABLE = 25,
    GDX_ARRAY = 28,
    GDX_PACKED_BYTE_ARRAY = 29,
    GDX_PACKED_INT32_ARRAY = 30,
    GDX_PACKED_FLOAT32_ARRAY = 32,
    GDX_PACKED_STRING_ARRAY = 34,
    GDX_PACKED_VECTOR2_ARRAY = 35,
    GDX_PACKED_VECTOR3_ARRAY = 36,
    GDX_TYPES = 39
};

enum gdx_call_result { GDX_CALL_OK = 0, GDX_CALL_INVALID_ARGUMENT = 2, GDX_CALL_TOO_MANY = 3, GDX_CALL_TOO_FEW = 4 };
enum gdx_level { GDX_LEVEL_SCENE = 2, GDX_LEVEL_EDITOR = 3 };
enum gdx_method_flags { GDX_METHOD_NORMAL = 1 };

typedef struct gdx_call_error {
    int32_t error; /* enum gdx_call_result */
    int32_t argument;
    int32_t expected;
} gdx_call_error;

typedef struct gdx_property_info {
    int32_t type; /* enum gdx_type */
    void *name;
    void *class_name;
    uint32_t hint;
    void *hint_string;
    uint32_t usage;
} gdx_property_info;

typedef void (*gdx_method_call)(void *user, void *instance, const void *const *arguments, gdx_int count, void *result,
                                gdx_call_error *error);
typedef void (*gdx_method_ptrcall)(void *user, void *instance, const void *const *arguments, void *result);
typedef void (*gdx_virtual_call)(void *instance, const void *const *arguments, void *result);
typedef void (*gdx_any_function)(void);

typedef struct gdx_method_info {
    void *name;
    void *user;
    gdx_method_call call;
    gdx_method_ptrcall ptrcall;
    uint32_t flags;
    gdx_bool has_return_value;
    gdx_property_info *return_value;
    int32_t return_metadata;
    uint32_t argument_count;
    gdx_property_info *arguments;
    int32_t *argument_metadata;
    uint32_t default_count;
    void **defaults;
} gdx_method_info;

/* The fourth version of what describes a class; the adapter leaves most of it null. */
typedef struct gdx_class_info {
    gdx_bool is_virtual, is_abstract, is_exposed, is_runtime;
    const void *icon_path;
    gdx_any_function set, get, get_property_list, free_property_list, property_can_revert, property_get_revert,
        validate_property;
    void (*notification)(void *instance, int32_t what, gdx_bool reversed);
    gdx_any_function to_string, reference, unreference;
    void *(*create_instance)(void *user, gdx_bool notify);
    void (*free_instance)(void *user, void *instance);
    gdx_any_function recreate_instance;
    gdx_virtual_call (*get_virtual)(void *user, const void *name, uint32_t hash);
    gdx_any_function get_virtual_call_data, call_virtual_with_data;
    void *user;
} gdx_class_info;

typedef struct gdx_initialization {
    int32_t minimum_level; /* enum gdx_level */
    void *user;
    void (*initialize)(void *user, int32_t level);
    void (*deinitialize)(void *user, int32_t level);
} gdx_initialization;

typedef gdx_any_function (*gdx_get_proc_address)(const char *name);

typedef void (*gdx_from_type)(void *variant, void *value);
typedef void (*gdx_to_type)(void *value, void *variant);
typedef void (*gdx_destructor)(void *value);
typedef void *(*gdx_internal)(void *variant);

/* X(name, result, arguments) for every function of the interface that is used. */
#define GDX_FUNCTIONS(X)                                                                                               \
    X(string_name_new_with_utf8_chars, void, (void *name, const char *text))                                           \
    X(string_new_with_utf8_chars, void, (void *string, const char *text))                                              \
    X(string_to_utf8_chars, gdx_int, (const void *string, char *text, gdx_int size))                                   \
    X(variant_new_copy, void, (void *to, const void *from))                                                            \
    X(variant_new_nil, void, (void *to))                                                                               \
    X(variant_destroy, void, (void *variant))                                                                          \
    X(variant_call, void,                                                                                              \
      (void *self, const void *method, const void *const *arguments, gdx_int count, void *result,                      \
       gdx_call_error *error))                                                                                         \
    X(variant_construct, void,                                                                                         \
      (int32_t type, void *result, const void *const *arguments, int32_t count, gdx_call_error *error))                \
    X(variant_get_type, int32_t, (const void *variant))                                                                \
    X(variant_can_convert_strict, gdx_bool, (int32_t from, int32_t to))                                                \
    X(get_variant_from_type_constructor, gdx_from_type, (int32_t type))                                                \
    X(get_variant_to_type_constructor, gdx_to_type, (int32_t type))                                                    \
    X(variant_get_ptr_internal_getter, gdx_internal, (int32_t type))                                                   \
    X(variant_get_ptr_destructor, gdx_destructor, (int32_t type))                                                      \
    X(array_operator_index_const, void *, (const void *array, gdx_int index))                                          \
    X(packed_byte_array_operator_index, uint8_t *, (void *array, gdx_int index))                                       \
    X(packed_int32_array_operator_index, int32_t *, (void *array, gdx_int index))                                      \
    X(packed_float32_array_operator_index, float *, (void *array, gdx_int index))                                      \
    X(packed_vector2_array_operator_index, void *, (void *array, gdx_int index))                                       \
    X(packed_vector3_array_operator_index, void *, (void *array, gdx_int index))                                       \
    X(packed_string_array_operator_index, void *, (void *array, gdx_int index))                                        \
    X(global_get_singleton, void *, (const void *name))                                                                \
    X(classdb_construct_object2, void *, (const void *class_name))                                                     \
    X(classdb_register_extension_class4, void,                                                                         \
      (void *library, const void *name, const void *parent, const gdx_class_info *info))                               \
    X(classdb_register_extension_class_method, void, (void *library, const void *name, const gdx_method_info *info))   \
    X(classdb_register_extension_class_property, void,                                                                 \
      (void *library, const void *name, const gdx_property_info *info, const void *setter, const void *getter))        \
    X(classdb_register_extension_class_integer_constant, void,                                                         \
      (void *library, const void *name, const void *of_enum, const void *constant, gdx_int value, gdx_bool bits))      \
    X(classdb_register_extension_class_property_group, void,                                                           \
      (void *library, const void *name, const void *group, const void *prefix))                                        \
    X(classdb_unregister_extension_class, void, (void *library, const void *name))                                     \
    X(classdb_get_method_bind, void *, (const void *class_name, const void *method, gdx_int hash))                     \
    X(object_method_bind_ptrcall, void, (void *bind, void *object, const void *const *arguments, void *result))        \
    X(object_get_instance_id, uint64_t, (const void *object))                                                          \
    X(object_get_instance_from_id, void *, (uint64_t id))                                                              \
    X(object_set_instance, void, (void *object, const void *class_name, void *instance))                               \
    X(print_error, void, (const char *text, const char *function, const char *file, int32_t line, gdx_bool notify))    \
    X(print_warning, void, (const char *text, const char *function, const char *file, int32_t line, gdx_bool notify))  \
    X(editor_help_load_xml_from_utf8_chars, void, (const char *xml))

#endif
