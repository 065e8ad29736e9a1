// Pictures as PNG files, one by one or several on a contact sheet.
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stdint.h>

// Writes rgba (row by row from the top) without its alpha. Prints failures.
bool picture_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height);

// A grid of pictures of one size, each at half that size. Owns its pixels.
typedef struct picture_sheet {
    uint8_t *rgba;
    uint32_t columns, rows;
    uint32_t width, height; // of a cell
} picture_sheet;

// width, height: of the pictures to be added.
bool picture_sheet_make(picture_sheet *sheet, uint32_t columns, uint32_t rows, uint32_t width, uint32_t height);

// Puts a picture into a cell, counted row by row. A picture of another size is cropped or leaves a margin.
void picture_sheet_add(picture_sheet *sheet, uint32_t cell, const uint8_t *rgba, uint32_t width, uint32_t height);

bool picture_sheet_write(const picture_sheet *sheet, const char *path);
void picture_sheet_free(picture_sheet *sheet);

#endif
