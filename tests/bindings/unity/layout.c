// What the C compiler says about the structs that PlaitChannel.cs declares, in the form of layout.py.
#include <plait_unity.h>
#include <stdio.h>

#define FIELD(type, name, field) printf("field %s.%s %zu\n", name, #field, offsetof(type, field))

int main(void) {
    printf("struct Desc %zu\n", sizeof(plait_unity_desc));
    FIELD(plait_unity_desc, "Desc", context);
    FIELD(plait_unity_desc, "Desc", hair);
    FIELD(plait_unity_desc, "Desc", fallback);
    FIELD(plait_unity_desc, "Desc", buffer);
    FIELD(plait_unity_desc, "Desc", size);
    FIELD(plait_unity_desc, "Desc", bone_count);
    FIELD(plait_unity_desc, "Desc", render);
    printf("struct Status %zu\n", sizeof(plait_unity_status));
    FIELD(plait_unity_status, "Status", state);
    FIELD(plait_unity_status, "Status", result);
    FIELD(plait_unity_status, "Status", frame_count);
    FIELD(plait_unity_status, "Status", reason);
    FIELD(plait_unity_status, "Status", info);
    return 0;
}
