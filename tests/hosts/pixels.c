// Checks pictures of samples/vulkan_host.
//
//   pixels hair FILE.png      hair and body in the middle, neither at the edge
//   pixels screen FILE        hair anywhere on an X server's screen (XWD, as Xvfb -fbdir writes)
//   pixels differ A.png B.png something has moved
//   pixels alike A.png B.png  nothing has, except rounding
//   pixels groom FILE.hair N  makes a groom of N strands on a ball, for the host to read
#include <math.h>
#include <png.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct picture {
    uint32_t width, height;
    uint8_t *rgb;
} picture;

static bool read_png(const char *path, picture *p);
static bool read_screen(const char *path, picture *p);
static int check_hair(const picture *p);
static int check_screen(const picture *p);
static int write_groom(const char *path, uint32_t strands);
static int check_change(const picture *a, const picture *b, bool alike);

int main(int argc, char **argv) {
    picture a = {0}, b = {0};
    const char *what = argc > 1 ? argv[1] : "";
    int status = 2;
    if (argc == 3 && strcmp(what, "hair") == 0 && read_png(argv[2], &a)) status = check_hair(&a);
    if (argc == 3 && strcmp(what, "screen") == 0 && read_screen(argv[2], &a)) status = check_screen(&a);
    if (argc == 4 && strcmp(what, "groom") == 0) status = write_groom(argv[2], (uint32_t)atoi(argv[3]));
    bool alike = strcmp(what, "alike") == 0;
    if (argc == 4 && (alike || strcmp(what, "differ") == 0) && read_png(argv[2], &a) && read_png(argv[3], &b))
        status = check_change(&a, &b, alike);
    if (status != 0) fprintf(stderr, "pixels %s %s: failed\n", what, argc > 2 ? argv[2] : "");
    free(a.rgb);
    free(b.rgb);
    return status;
}

// Hair is brown; body and wall are grey with a touch of blue.
static bool is_hair(const uint8_t *c) { return c[0] > c[1] && c[1] > c[2] && c[0] - c[2] > 28; }
static bool is_body(const uint8_t *c) { return abs(c[0] - c[2]) < 25 && c[1] > 145; }

// The head stays in the middle of the picture; hair covers much of that, and nothing comes near the left, right and
// upper edges.
static int check_hair(const picture *p) {
    uint32_t middle = 0, edge = 0, body = 0;
    for (uint32_t y = 0; y < p->height; y++)
        for (uint32_t x = 0; x < p->width; x++) {
            const uint8_t *c = p->rgb + 3 * ((size_t)y * p->width + x);
            bool within = x > p->width / 4 && x < 3 * p->width / 4 && y > p->height / 10 && y < 9 * p->height / 10;
            bool outside = x < p->width / 16 || x > 15 * p->width / 16 || y < p->height / 16;
            middle += within && is_hair(c);
            edge += outside && is_hair(c);
            body += within && is_body(c);
        }
    uint32_t pixels = p->width * p->height;
    printf("hair %.1f %% in the middle, %u pixels at the edge, body %.1f %%\n", 100.0 * middle / pixels, edge,
           100.0 * body / pixels);
    return middle * 100ull > 3ull * pixels && edge == 0 && body * 100ull > 2ull * pixels ? 0 : 1;
}

static int check_screen(const picture *p) {
    uint32_t hair = 0;
    for (size_t i = 0; i < (size_t)p->width * p->height; i++) hair += is_hair(p->rgb + 3 * i);
    return hair > 1000 ? 0 : 1;
}

// Means over all pixels and colours: strands that move change many pixels by much, rounding changes few by little.
static int check_change(const picture *a, const picture *b, bool alike) {
    if (a->width != b->width || a->height != b->height) return 1;
    size_t count = 3 * (size_t)a->width * a->height;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += (uint64_t)abs(a->rgb[i] - b->rgb[i]);
    double mean = (double)sum / (double)count;
    printf("mean difference %.3f of 255\n", mean);
    return (alike ? mean < 0.5 : mean > 3) ? 0 : 1;
}

// Cem Yuksel's format: a header, then points. Strands of eight stand on a ball of 9 cm and bend down.
static int write_groom(const char *path, uint32_t strands) {
    enum { POINTS = 8, HEADER = 128 };
    uint32_t header[HEADER / 4] = {0}, counts[4] = {strands, strands * POINTS, 2, POINTS - 1}; // 2: points only
    memcpy(header, "HAIR", 4);
    memcpy(header + 1, counts, sizeof counts);
    FILE *file = fopen(path, "wb");
    if (!file) return 1;
    bool written = fwrite(header, HEADER, 1, file) == 1;
    for (uint32_t s = 0; s < strands; s++) {
        // A spiral from pole to pole.
        float y = 1 - (2 * (float)s + 1) / (float)strands, ring = sqrtf(1 - y * y), turn = 2.399963f * (float)s;
        for (int v = 0; v < POINTS; v++) {
            float out = 0.09f + 0.012f * (float)v, down = 0.001f * (float)(v * v);
            float point[3] = {out * ring * cosf(turn), out * y - down, out * ring * sinf(turn)};
            written = written && fwrite(point, sizeof point, 1, file) == 1;
        }
    }
    return fclose(file) == 0 && written ? 0 : 1;
}

static bool read_png(const char *path, picture *p) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) return false;
    image.format = PNG_FORMAT_RGB;
    *p = (picture){image.width, image.height, malloc(PNG_IMAGE_SIZE(image))};
    return p->rgb && png_image_finish_read(&image, NULL, p->rgb, 0, NULL);
}

// Header of 25 big-endian words, the window's name, a colour table; then pixels of four bytes, blue first.
static bool read_screen(const char *path, picture *p) {
    uint32_t header[25];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    uint8_t bytes[sizeof header], *row = NULL;
    bool read = fread(bytes, sizeof bytes, 1, file) == 1;
    for (int i = 0; i < 25; i++)
        header[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 | (uint32_t)bytes[4 * i + 2] << 8 |
                    bytes[4 * i + 3];
    uint32_t width = header[4], height = header[5], bits = header[11], pitch = header[12], colors = header[19];
    read = read && bits == 32 && width <= 8192 && height <= 8192 && pitch >= 4 * width && pitch <= 65536 &&
           fseek(file, (long)(header[0] + 12 * colors), SEEK_SET) == 0;
    if (read) {
        *p = (picture){width, height, calloc((size_t)width * height, 3)};
        row = malloc(pitch);
    }
    read = read && p->rgb && row;
    for (uint32_t y = 0; read && y < height; y++) {
        read = fread(row, pitch, 1, file) == 1;
        for (uint32_t x = 0; read && x < width; x++)
            for (int c = 0; c < 3; c++) p->rgb[3 * ((size_t)y * width + x) + (size_t)c] = row[4 * x + 2 - (uint32_t)c];
    }
    free(row);
    fclose(file);
    return read;
}
