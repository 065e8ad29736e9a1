// Simulated strands as files: the last frame as OBJ lines, or all frames as a compact binary.
//
// The binary (.plait) is little-endian: the bytes "PLTS", then 32-bit words: version (1), strands, vertices of all
// strands, frames, frames per second (float32); then the vertex count of each strand; then, frame by frame, x, y, z of
// each vertex as float32, strand by strand from the root, in metres.
#ifndef STRAND_FILE_H
#define STRAND_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct strand_file_header {
    uint32_t strand_count;
    uint32_t vertex_count;
    const uint32_t *vertex_counts; // [strand_count]
    uint32_t frame_count;
    float fps;
} strand_file_header;

// False: the file could not be opened or written; errno says why.
bool strand_file_begin(const char *path, const strand_file_header *header, FILE **file);
bool strand_file_frame(FILE *file, uint32_t vertex_count, const float *positions);
bool strand_file_end(FILE *file);

// Strands of one frame as polylines of an OBJ file.
bool strand_file_obj(const char *path, const strand_file_header *header, const float *positions);

#endif
