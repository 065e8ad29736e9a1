/* embedded.h - files that are part of the library; embed.cmake writes the arrays. Each ends with a zero. */
#ifndef PLAIT_GODOT_EMBEDDED_H
#define PLAIT_GODOT_EMBEDDED_H

extern const unsigned char embedded_strands_gdshader[];
extern const unsigned char embedded_PlaitGroom_xml[];
extern const unsigned char embedded_PlaitHair3D_xml[];

#endif
