// See progress.h.
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 40 };

static void draw(double share, const char *text) {
    int filled = (int)(share * WIDTH);
    fprintf(stderr, "\r[%.*s%*s] %s", filled, "########################################", WIDTH - filled, "", text);
    if (share >= 1) fprintf(stderr, "\r%*s\r", WIDTH + 26, "");
    fflush(stderr);
}

void progress_show(uint32_t done, uint32_t all) {
    char text[24];
    if (!isatty(STDERR_FILENO) || (done != all && done % (all / 100 + 1) != 0)) return;
    snprintf(text, sizeof text, "%u/%u", done, all);
    draw((double)done / all, text);
}

plait_result PLAIT_CALL progress_share(void *user, float share) {
    char text[24];
    (void)user;
    if (!isatty(STDERR_FILENO)) return PLAIT_OK;
    snprintf(text, sizeof text, "%.0f %%", 100 * (double)share);
    draw((double)share, text);
    return PLAIT_OK;
}
