// See picture.h.
#include "picture.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 4 };

bool picture_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height) {
    uint8_t *rgb = malloc(3 * (size_t)width * height);
    FILE *file = rgb ? fopen(path, "wb") : NULL;
    if (!file) {
        fprintf(stderr, "vulkan_host: %s: %s\n", path, rgb ? strerror(errno) : "out of memory");
        free(rgb);
        return false;
    }
    for (size_t i = 0; i < (size_t)width * height; i++) memcpy(rgb + 3 * i, rgba + 4 * i, 3);
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = width,
                       .height = height,
                       .format = PNG_FORMAT_RGB,
                       .flags = PNG_IMAGE_FLAG_FAST};
    bool written = png_image_write_to_stdio(&image, file, 0, rgb, 0, NULL) != 0;
    written = fclose(file) == 0 && written;
    if (!written) fprintf(stderr, "vulkan_host: %s: could not be written\n", path);
    free(rgb);
    return written;
}

bool picture_sheet_make(picture_sheet *sheet, uint32_t columns, uint32_t rows, uint32_t width, uint32_t height) {
    *sheet = (picture_sheet){NULL, columns, rows, width / 2, height / 2};
    size_t pixels = (size_t)columns * (sheet->width + MARGIN) * rows * (sheet->height + MARGIN);
    sheet->rgba = malloc(4 * pixels);
    if (sheet->rgba) memset(sheet->rgba, 24, 4 * pixels);
    return sheet->rgba;
}

void picture_sheet_add(picture_sheet *sheet, uint32_t cell, const uint8_t *rgba, uint32_t width, uint32_t height) {
    size_t pitch = (size_t)sheet->columns * (sheet->width + MARGIN);
    size_t left = cell % sheet->columns * (sheet->width + MARGIN),
           top = cell / sheet->columns * (sheet->height + MARGIN);
    if (cell >= sheet->columns * sheet->rows) return;
    for (uint32_t y = 0; y < sheet->height && 2 * y + 1 < height; y++)
        for (uint32_t x = 0; x < sheet->width && 2 * x + 1 < width; x++) {
            const uint8_t *from = rgba + 4 * ((size_t)2 * y * width + 2 * x), *below = from + 4 * (size_t)width;
            uint8_t *to = sheet->rgba + 4 * ((top + y) * pitch + left + x);
            for (int c = 0; c < 4; c++) to[c] = (uint8_t)((from[c] + from[4 + c] + below[c] + below[4 + c] + 2) / 4);
        }
}

bool picture_sheet_write(const picture_sheet *sheet, const char *path) {
    return picture_write(path, sheet->rgba, sheet->columns * (sheet->width + MARGIN),
                         sheet->rows * (sheet->height + MARGIN));
}

void picture_sheet_free(picture_sheet *sheet) {
    free(sheet->rgba);
    memset(sheet, 0, sizeof *sheet);
}
