// Short labels in pictures: capitals, digits and a few signs, five pixels by seven.
#ifndef LABEL_H
#define LABEL_H

// Writes text in this grey (0 to 255) into an 8-bit RGB picture, its upper left corner at x, y, each dot scale pixels
// wide. Lower case becomes upper case; characters without a glyph leave a gap; text outside is clipped.
void label_draw(unsigned char *rgb, int width, int height, int x, int y, int scale, unsigned char grey,
                const char *text);

#endif
