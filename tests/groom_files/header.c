/* Compiling this file as C99 and as C++11 with every warning is the test: the header is self-contained. */
#include <plait_groom_files.h>

plait_gf_groom groom_files_groom;
plait_gf_read_options groom_files_options;
plait_gf_report groom_files_report;
