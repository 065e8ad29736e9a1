/* Compared with the header that Godot itself writes: every struct, field by field, and every number that the adapter declares. */
#include <stddef.h>

#include "gdextension.h"
#include "gdextension_interface.h"

#define SAME(ours, theirs) _Static_assert((long long)(ours) == (long long)(theirs), #ours " is not " #theirs)
#define FIELD(ours, a, theirs, b)                                                                                      \
    SAME(offsetof(ours, a), offsetof(theirs, b));                                                                      \
    SAME(sizeof(((ours *)0)->a), sizeof(((theirs *)0)->b))

SAME(sizeof(gdx_bool), sizeof(GDExtensionBool));
SAME(sizeof(gdx_int), sizeof(GDExtensionInt));

#define TYPE(name) SAME(GDX_##name, GDEXTENSION_VARIANT_TYPE_##name)
TYPE(NIL);
TYPE(BOOL);
TYPE(INT);
TYPE(FLOAT);
TYPE(STRING);
TYPE(VECTOR3);
TYPE(AABB);
TYPE(TRANSFORM3D);
TYPE(COLOR);
TYPE(STRING_NAME);
TYPE(NODE_PATH);
TYPE(RID);
TYPE(OBJECT);
TYPE(CALLABLE);
TYPE(ARRAY);
TYPE(PACKED_BYTE_ARRAY);
TYPE(PACKED_INT32_ARRAY);
TYPE(PACKED_FLOAT32_ARRAY);
TYPE(PACKED_STRING_ARRAY);
TYPE(PACKED_VECTOR2_ARRAY);
TYPE(PACKED_VECTOR3_ARRAY);
SAME(GDX_TYPES, GDEXTENSION_VARIANT_TYPE_VARIANT_MAX);

SAME(GDX_CALL_OK, GDEXTENSION_CALL_OK);
SAME(GDX_CALL_INVALID_ARGUMENT, GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT);
SAME(GDX_CALL_TOO_MANY, GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS);
SAME(GDX_CALL_TOO_FEW, GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS);
SAME(GDX_LEVEL_SCENE, GDEXTENSION_INITIALIZATION_SCENE);
SAME(GDX_LEVEL_EDITOR, GDEXTENSION_INITIALIZATION_EDITOR);
SAME(GDX_METHOD_NORMAL, GDEXTENSION_METHOD_FLAG_NORMAL);

SAME(sizeof(gdx_call_error), sizeof(GDExtensionCallError));
FIELD(gdx_call_error, error, GDExtensionCallError, error);
FIELD(gdx_call_error, argument, GDExtensionCallError, argument);
FIELD(gdx_call_error, expected, GDExtensionCallError, expected);

SAME(sizeof(gdx_property_info), sizeof(GDExtensionPropertyInfo));
FIELD(gdx_property_info, type, GDExtensionPropertyInfo, type);
FIELD(gdx_property_info, name, GDExtensionPropertyInfo, name);
FIELD(gdx_property_info, class_name, GDExtensionPropertyInfo, class_name);
FIELD(gdx_property_info, hint, GDExtensionPropertyInfo, hint);
FIELD(gdx_property_info, hint_string, GDExtensionPropertyInfo, hint_string);
FIELD(gdx_property_info, usage, GDExtensionPropertyInfo, usage);

SAME(sizeof(gdx_method_info), sizeof(GDExtensionClassMethodInfo));
FIELD(gdx_method_info, name, GDExtensionClassMethodInfo, name);
FIELD(gdx_method_info, user, GDExtensionClassMethodInfo, method_userdata);
FIELD(gdx_method_info, call, GDExtensionClassMethodInfo, call_func);
FIELD(gdx_method_info, ptrcall, GDExtensionClassMethodInfo, ptrcall_func);
FIELD(gdx_method_info, flags, GDExtensionClassMethodInfo, method_flags);
FIELD(gdx_method_info, has_return_value, GDExtensionClassMethodInfo, has_return_value);
FIELD(gdx_method_info, return_value, GDExtensionClassMethodInfo, return_value_info);
FIELD(gdx_method_info, return_metadata, GDExtensionClassMethodInfo, return_value_metadata);
FIELD(gdx_method_info, argument_count, GDExtensionClassMethodInfo, argument_count);
FIELD(gdx_method_info, arguments, GDExtensionClassMethodInfo, arguments_info);
FIELD(gdx_method_info, argument_metadata, GDExtensionClassMethodInfo, arguments_metadata);
FIELD(gdx_method_info, default_count, GDExtensionClassMethodInfo, default_argument_count);
FIELD(gdx_method_info, defaults, GDExtensionClassMethodInfo, default_arguments);

SAME(sizeof(gdx_class_info), sizeof(GDExtensionClassCreationInfo4));
FIELD(gdx_class_info, is_exposed, GDExtensionClassCreationInfo4, is_exposed);
FIELD(gdx_class_info, is_runtime, GDExtensionClassCreationInfo4, is_runtime);
FIELD(gdx_class_info, icon_path, GDExtensionClassCreationInfo4, icon_path);
FIELD(gdx_class_info, notification, GDExtensionClassCreationInfo4, notification_func);
FIELD(gdx_class_info, create_instance, GDExtensionClassCreationInfo4, create_instance_func);
FIELD(gdx_class_info, free_instance, GDExtensionClassCreationInfo4, free_instance_func);
FIELD(gdx_class_info, get_virtual, GDExtensionClassCreationInfo4, get_virtual_func);
FIELD(gdx_class_info, user, GDExtensionClassCreationInfo4, class_userdata);

SAME(sizeof(gdx_initialization), sizeof(GDExtensionInitialization));
FIELD(gdx_initialization, minimum_level, GDExtensionInitialization, minimum_initialization_level);
FIELD(gdx_initialization, user, GDExtensionInitialization, userdata);
FIELD(gdx_initialization, initialize, GDExtensionInitialization, initialize);
FIELD(gdx_initialization, deinitialize, GDExtensionInitialization, deinitialize);
