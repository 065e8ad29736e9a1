// The mannequin's skin: one mesh, bound to up to four bones a vertex.
#ifndef SKIN_GLSL
#define SKIN_GLSL

struct Skin {
    vec4 position; // in the bind pose; w: how hairy, 0 to 1
    vec4 normal;
    vec4 weights;
    uvec4 bones;
};
layout(set = 0, binding = 8, std430) readonly buffer Skins { Skin skin[]; };

void pose_skin(uint v, out vec3 point, out vec3 normal) {
    mat4 bone = mat4(0);
    for (int i = 0; i < 4; i++) bone += skin[v].weights[i] * frame.bones[skin[v].bones[i]];
    point = (bone * vec4(skin[v].position.xyz, 1)).xyz;
    normal = normalize(mat3(bone) * skin[v].normal.xyz);
}

#endif
