// Every override of list.h, behind the kernels.
#include "kernels/band_override.h"
#include "kernels/rod_build_override.h"
