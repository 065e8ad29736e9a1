// Grooms from files on the mannequin's head, and what reading them came across, for people.
#ifndef FILE_GROOM_H
#define FILE_GROOM_H

#include <stdbool.h>
#include <stdio.h>

#include "plait_groom_files.h"
#include "scene.h"

typedef struct file_groom_options {
    float meters_per_unit; // of the file's coordinates; 0: what the file says, or 1. Set to what was used
    // That many, spread over the file; 0: all. With render strands: guides; 0: all that the file names, or usual_guides.
    uint32_t strand_limit;
    uint32_t render_limit; // render strands, the same; FILE_GROOM_ALL: all of the file's. 0: none
    const char *bone_path; // .tfxbone file of a .tfx file; null: none
    uint32_t usual_guides; // 0: three in a hundred strands
} file_groom_options;
#define FILE_GROOM_ALL UINT32_MAX

// What is made of a file. All zero: empty; file_groom_free releases it.
typedef struct file_groom {
    scene_groom strands;          // that are simulated
    scene_groom render;           // that follow them, drawn by the same hand; or empty
    float moved[3];               // from the file's coordinates, metres
    uint32_t bone_count;          // of the file; 0: none
    char *bone_names;             // [bone_count][PLAIT_GF_NAME_SIZE]; or null
    plait_root_binding *bindings; // [strands.strand_count] to these bones; or null
} file_groom;

// Strands are rigid to the head bone and moved so that the roots lie around the head's centre. What was left out or repaired is
// told on stderr. False with the reason when the file cannot be read or is invalid; the groom is then empty.
bool file_groom_read(const char *path, file_groom_options *options, file_groom *groom, char *problem,
                     size_t problem_size);
void file_groom_free(file_groom *groom);

// Roots follow the bones that the file binds them to, as far as the skeleton that hair is worn on has them: bones[i] is what bone i
// of the file is there. False: out of memory.
bool file_groom_follow(const file_groom *groom, const uint32_t *bones, scene_groom *strands);

// What was left out or repaired, a line for each kind, with name in front; nothing if there is nothing.
void file_groom_tell(FILE *out, const char *name, const plait_gf_report *report);

#endif
