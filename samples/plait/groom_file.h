// Reads strands from TressFX 4 (.tfx) and Cem Yuksel's .hair files.
#ifndef GROOM_FILE_H
#define GROOM_FILE_H

#include <stdbool.h>

#include "scene.h"

typedef struct groom_file_options {
    float meters_per_unit; // of the file's coordinates
    uint32_t strand_limit; // that many, spread over the file; 0: all
} groom_file_options;

typedef struct groom_file_report {
    uint32_t strands_in_file;
    uint32_t repaired; // vertices that coincide with the one before were left out
    uint32_t dropped;  // not finite, too long, or no length at all
    char problem[160]; // why reading failed
} groom_file_report;

// Fills groom with the strands, rigid to the head bone and moved so that the roots lie around the head's centre. False
// with report->problem when the file cannot be read or is invalid; the groom is then empty.
bool groom_file_read(const char *path, const groom_file_options *options, scene_groom *groom,
                     groom_file_report *report);

#endif
