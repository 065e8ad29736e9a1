// What colour hair is.
#ifndef PIGMENT_GLSL
#define PIGMENT_GLSL

// along: 0 at the root, 1 at the tip. dice: three random numbers, the strand's.
vec3 pigment_at(float along, vec3 dice) {
    vec3 pigment = mix(vec3(0.070, 0.031, 0.015), vec3(0.250, 0.122, 0.054), smoothstep(0.0, 1.0, along));
    pigment *= 0.65 + 0.7 * dice.x;
    return pigment * vec3(0.94 + 0.12 * dice.y, 1, 1);
}

#endif
