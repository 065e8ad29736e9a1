// See png_file.h.
#include "png_file.h"
#include "system.h"

#if !defined(HAS_PNG)

const char *png_file_write(const char *path, const unsigned char *rgb, int width, int height) {
    (void)path, (void)rgb, (void)width, (void)height;
    return "this program was built without libpng, so it writes no pictures";
}

#else

#include <errno.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *png_file_write(const char *path, const unsigned char *rgb, int width, int height) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB};
    FILE *file = system_open(path, "wb");
    if (!file) return strerror(errno);
    bool written = png_image_write_to_stdio(&image, file, 0, rgb, 0, NULL) != 0;
    return fclose(file) == 0 && written ? NULL : "the picture could not be written";
}

#endif
