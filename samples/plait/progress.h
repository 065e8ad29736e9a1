// A progress bar on stderr, if that is a terminal.
#ifndef PROGRESS_H
#define PROGRESS_H

#include "plait.h"

// Drawn about a hundred times in all, and gone when all is done.
void progress_show(uint32_t done, uint32_t all);

// The same for host_adapters/groom_files, as a share; user is not used.
plait_result PLAIT_CALL progress_share(void *user, float share);

#endif
