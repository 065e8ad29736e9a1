// Light on hair and on the mannequin.
#ifndef SHADE_H
#define SHADE_H

#include "scene.h"
#include "scene_math.h"
#include "shadow.h"

#define SHADE_LIGHTS 3

// The lights of one frame and their shadow maps. Owns its maps.
typedef struct shade_lights {
    shadow_map maps[SHADE_LIGHTS];
} shade_lights;

// False: out of memory.
bool shade_lights_make(shade_lights *lights, const shadow_strands *strands);
void shade_lights_free(shade_lights *lights);

// Base colour of a strand's vertex: strands differ, roots are darker than tips. along: 0 at the root, 1 at the tip.
vec3 shade_hair_pigment(uint32_t strand, float along);

// Share of each light that reaches p through the hair. Expensive, but the same for all cameras.
void shade_lit(const shade_lights *lights, vec3 p, float lit[SHADE_LIGHTS]);

// Linear colour of hair with this unit tangent, seen along the unit vector view.
vec3 shade_hair(const float lit[SHADE_LIGHTS], vec3 pigment, vec3 tangent, vec3 view);

// Linear colour of skin at a point p with this unit normal, seen along the unit vector view.
vec3 shade_skin(const shade_lights *lights, vec3 p, vec3 normal, vec3 view);

// The same of the mannequin at a point p of its surface.
vec3 shade_body(const shade_lights *lights, const scene_body *posed, vec3 p, vec3 view);

#endif
