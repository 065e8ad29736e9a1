// Grooms from files on the mannequin's head, and what reading them came across, for people.
#ifndef FILE_GROOM_H
#define FILE_GROOM_H

#include <stdbool.h>
#include <stdio.h>

#include "plait_groom_files.h"
#include "scene.h"

typedef struct file_groom_options {
    float meters_per_unit; // of the file's coordinates; 0: what the file says, or 1. Set to what was used
    uint32_t strand_limit; // that many, spread over the file; 0: all
} file_groom_options;

// Fills groom with the strands, rigid to the head bone and moved so that the roots lie around the head's centre; moved receives
// by how much, in metres. What was left out or repaired is told on stderr. False with the reason when the file cannot be read or
// is invalid; the groom is then empty.
bool file_groom_read(const char *path, file_groom_options *options, scene_groom *groom, float moved[3], char *problem,
                     size_t problem_size);

// What was left out or repaired, a line for each kind, with name in front; nothing if there is nothing.
void file_groom_tell(FILE *out, const char *name, const plait_gf_report *report);

#endif
