// What colour hair is.
#ifndef PIGMENT_GLSL
#define PIGMENT_GLSL

// along: 0 at the root, 1 at the tip. dice: three random numbers, the strand's.
vec3 pigment_at(float along, vec3 dice) {
    vec3 pigment = mix(vec3(0.105, 0.050, 0.025), vec3(0.30, 0.160, 0.078), smoothstep(0.0, 1.0, along));
    pigment *= 0.65 + 0.7 * dice.x;
    return pigment * vec3(0.94 + 0.12 * dice.y, 1, 1);
}

#endif
