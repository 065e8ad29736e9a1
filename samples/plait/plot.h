// Plots of a few panels side by side in one picture: curves of theory, points of measurements.
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "raster.h"

enum { PLOT_MAX_LABELS = 256 };

typedef struct plot_axis {
    const char *name;
    double low, high;
    bool logarithmic;
} plot_axis;

typedef struct plot_label {
    int x, y;
    char text[40];
} plot_label;

// Owns its picture. Zero: nothing is drawn, and all calls but plot_open do nothing.
typedef struct plot {
    raster picture;
    unsigned panel_limit, panel_count;
    plot_axis x, y;      // of the present panel
    double left, bottom; // of its frame, in pixels of the picture
    plot_label *labels;
    size_t label_count;
    unsigned note_count; // of the present panel
} plot;

static const vec3 PLOT_THEORY = {0.25f, 0.25f, 0.25f}, PLOT_BLUE = {0.05f, 0.25f, 0.75f},
                  PLOT_RED = {0.8f, 0.1f, 0.05f}, PLOT_GREEN = {0.05f, 0.45f, 0.1f};

bool plot_open(plot *p, unsigned panels);
void plot_panel(plot *p, const char *title, const plot_axis *x, const plot_axis *y);
// An entry in the legend of the present panel.
void plot_note(plot *p, vec3 color, const char *text);
void plot_line(plot *p, double x0, double y0, double x1, double y1, vec3 color);
void plot_point(plot *p, double x, double y, vec3 color);
// Null on success, else the reason as static text.
const char *plot_write(const plot *p, const char *path);
void plot_close(plot *p);

#endif
