// See plot.h. Drawn twice as large with the lines of raster.h, shrunk, then labelled.
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "label.h"
#include "png_file.h"

enum { SAMPLES = 2, COLUMNS = 2, WIDTH = 640, HEIGHT = 460, LEFT = 84, RIGHT = 24, TOP = 34, BOTTOM = 52 };

static const float POINT_DEPTH = 1, LINE_DEPTH = 2, FRAME_DEPTH = 3; // points lie over curves, curves over the frame

static double place(const plot_axis *axis, double value);
static void ticks(plot *p, bool vertical);
static void mark(plot *p, bool vertical, double value);
static void draw(plot *p, double x0, double y0, double x1, double y1, float depth, float width, vec3 color);
static void label(plot *p, double x, double y, const char *text);
static int picture_width(const plot *p) { return p->picture.width / SAMPLES; }
static int picture_height(const plot *p) { return p->picture.height / SAMPLES; }

bool plot_open(plot *p, unsigned panels) {
    memset(p, 0, sizeof *p);
    int columns = panels < COLUMNS ? (int)panels : COLUMNS, rows = ((int)panels + COLUMNS - 1) / COLUMNS;
    p->labels = calloc(PLOT_MAX_LABELS, sizeof *p->labels);
    if (!p->labels || !raster_make(&p->picture, columns * WIDTH * SAMPLES, rows * HEIGHT * SAMPLES)) {
        plot_close(p);
        return false;
    }
    raster_clear(&p->picture);
    p->panel_limit = panels;
    return true;
}

void plot_close(plot *p) {
    raster_free(&p->picture);
    free(p->labels);
    memset(p, 0, sizeof *p);
}

void plot_panel(plot *p, const char *title, const plot_axis *x, const plot_axis *y) {
    if (p->panel_count >= p->panel_limit) return;
    unsigned index = p->panel_count++;
    p->x = *x;
    p->y = *y;
    p->left = (double)(index % COLUMNS) * WIDTH + LEFT;
    p->bottom = (double)(index / COLUMNS + 1) * HEIGHT - BOTTOM;
    p->note_count = 0;
    double right = p->left + WIDTH - LEFT - RIGHT, top = p->bottom - HEIGHT + TOP + BOTTOM;
    const double corners[5][2] = {{p->left, p->bottom}, {right, p->bottom}, {right, top}, {p->left, top}};
    for (int i = 0; i < 4; i++)
        draw(p, corners[i][0], corners[i][1], corners[(i + 1) % 4][0], corners[(i + 1) % 4][1], FRAME_DEPTH, 1,
             PLOT_THEORY);
    ticks(p, false);
    ticks(p, true);
    label(p, p->left, top - 20, title);
    label(p, right - 6 * (double)strlen(x->name) * 1, p->bottom + 30, x->name);
    label(p, p->left + 8, top + 8, y->name);
}

void plot_note(plot *p, vec3 color, const char *text) {
    if (!p->panel_limit) return;
    double top = p->bottom - HEIGHT + TOP + BOTTOM, y = top + 28 + 16 * p->note_count++;
    draw(p, p->left + 10, y + 4, p->left + 24, y + 4, POINT_DEPTH, 4, color);
    label(p, p->left + 32, y, text);
}

void plot_line(plot *p, double x0, double y0, double x1, double y1, vec3 color) {
    double a = place(&p->x, x0), b = place(&p->y, y0), c = place(&p->x, x1), d = place(&p->y, y1);
    if (!p->panel_limit || !(fmin(fmin(a, b), fmin(c, d)) >= 0 && fmax(fmax(a, b), fmax(c, d)) <= 1)) return;
    double width = WIDTH - LEFT - RIGHT, height = HEIGHT - TOP - BOTTOM;
    draw(p, p->left + a * width, p->bottom - b * height, p->left + c * width, p->bottom - d * height, LINE_DEPTH, 1.5f,
         color);
}

void plot_point(plot *p, double x, double y, vec3 color) {
    double a = place(&p->x, x), b = place(&p->y, y);
    if (!p->panel_limit || !(fmin(a, b) >= 0 && fmax(a, b) <= 1)) return;
    double px = p->left + a * (WIDTH - LEFT - RIGHT), py = p->bottom - b * (HEIGHT - TOP - BOTTOM);
    draw(p, px - 3, py, px + 3, py, POINT_DEPTH, 6, color);
}

const char *plot_write(const plot *p, const char *path) {
    int width = picture_width(p), height = picture_height(p);
    unsigned char *rgb = malloc(3 * (size_t)width * (size_t)height);
    if (!rgb) return "out of memory";
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            vec3 sum = v3(0, 0, 0);
            for (int i = 0; i < SAMPLES * SAMPLES; i++) {
                size_t at = (size_t)(y * SAMPLES + i / SAMPLES) * (size_t)p->picture.width +
                            (size_t)(x * SAMPLES + i % SAMPLES);
                sum = v3_add(sum, p->picture.depth[at] < RASTER_FAR ? p->picture.color[at] : v3(0.97f, 0.97f, 0.97f));
            }
            const float mean[3] = {sum.x, sum.y, sum.z};
            for (int c = 0; c < 3; c++)
                rgb[3 * ((size_t)y * (size_t)width + (size_t)x) + (size_t)c] =
                    (unsigned char)(255 * mean[c] / (SAMPLES * SAMPLES) + 0.5f);
        }
    for (size_t i = 0; i < p->label_count; i++)
        label_draw(rgb, width, height, p->labels[i].x, p->labels[i].y, 1, 40, p->labels[i].text);
    const char *problem = png_file_write(path, rgb, width, height);
    free(rgb);
    return problem;
}

// 0 to 1 along the axis.
static double place(const plot_axis *axis, double value) {
    if (axis->logarithmic) return log(value / axis->low) / log(axis->high / axis->low);
    return (value - axis->low) / (axis->high - axis->low);
}

// Decades, or about five round numbers.
static void ticks(plot *p, bool vertical) {
    const plot_axis *axis = vertical ? &p->y : &p->x;
    if (axis->logarithmic) {
        for (double value = pow(10, ceil(log10(axis->low) - 1e-9)); value <= axis->high * 1.0001; value *= 10)
            mark(p, vertical, value);
        return;
    }
    double rough = (axis->high - axis->low) / 5, step = pow(10, floor(log10(rough)));
    step *= rough / step > 5 ? 10 : rough / step > 2 ? 5 : rough / step > 1 ? 2 : 1;
    for (double value = ceil(axis->low / step - 1e-9) * step; value <= axis->high + 1e-9 * step; value += step)
        mark(p, vertical, fabs(value) < 1e-9 * step ? 0 : value);
}

static void mark(plot *p, bool vertical, double value) {
    char text[24];
    snprintf(text, sizeof text, "%g", value);
    int length = 6 * (int)strlen(text);
    if (vertical) {
        double y = p->bottom - place(&p->y, value) * (HEIGHT - TOP - BOTTOM);
        draw(p, p->left - 5, y, p->left, y, FRAME_DEPTH, 1, PLOT_THEORY);
        label(p, p->left - 10 - length, y - 3, text);
    } else {
        double x = p->left + place(&p->x, value) * (WIDTH - LEFT - RIGHT);
        draw(p, x, p->bottom, x, p->bottom + 5, FRAME_DEPTH, 1, PLOT_THEORY);
        label(p, x - length / 2, p->bottom + 10, text);
    }
}

static void draw(plot *p, double x0, double y0, double x1, double y1, float depth, float width, vec3 color) {
    raster_vertex from = {(float)x0 * SAMPLES, (float)y0 * SAMPLES, depth, color};
    raster_vertex to = {(float)x1 * SAMPLES, (float)y1 * SAMPLES, depth, color};
    raster_line(&p->picture, &from, &to, width * SAMPLES);
}

static void label(plot *p, double x, double y, const char *text) {
    if (p->label_count >= PLOT_MAX_LABELS) return;
    plot_label *l = &p->labels[p->label_count++];
    l->x = (int)x;
    l->y = (int)y;
    snprintf(l->text, sizeof l->text, "%s", text);
}
