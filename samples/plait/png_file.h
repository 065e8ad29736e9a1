// Pictures as PNG files.
#ifndef PNG_FILE_H
#define PNG_FILE_H

// Writes 8-bit RGB pixels, row by row from the top. Null on success, else the reason as static text.
const char *png_file_write(const char *path, const unsigned char *rgb, int width, int height);

#endif
