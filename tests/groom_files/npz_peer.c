// For numpy.py: `npz_peer FROM TO` reads a groom and writes it again; after a failure it prints why and returns 1. Notes and
// counts of repairs go to stdout.
#include <stdio.h>

#include "plait_groom_files.h"

int main(int argc, char **argv) {
    plait_gf_groom groom;
    plait_gf_report report;
    if (argc != 3) return 2;
    if (plait_gf_read(argv[1], NULL, &groom, &report) != PLAIT_OK) {
        fprintf(stderr, "%s\n", report.message);
        return 1;
    }
    char text[PLAIT_GF_REPORT_SIZE];
    plait_gf_report_text(&report, text, sizeof text);
    printf("%s\n", text);
    plait_result result = plait_gf_write_npz(argv[2], &groom, 1, &report);
    plait_gf_groom_free(&groom);
    if (result != PLAIT_OK) fprintf(stderr, "%s\n", report.message);
    return result != PLAIT_OK;
}
