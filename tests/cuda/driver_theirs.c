#include <cuda.h>

#define SIGNAL_PARAMS CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS
#define WAIT_PARAMS CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS
#define SIGNAL_VALUE params.fence.value

#include "driver_layout.h"

extern const struct layout_entry theirs[];
const struct layout_entry theirs[] = {DRIVER_LAYOUT{0, 0}};
