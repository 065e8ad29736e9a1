// Hair is lit per vertex: it has more vertices than pixels.
#version 460
layout(location = 0) in vec3 color;
layout(location = 0) out vec4 pixel;
void main() { pixel = vec4(color, 1); }
