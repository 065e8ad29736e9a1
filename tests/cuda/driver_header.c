// backends/cuda/driver.h declares structs and numbers as NVIDIA's header does.
#include "driver.h"

#include <stdio.h>
#include <string.h>

#define SIGNAL_PARAMS CUDA_EXTERNAL_SEMAPHORE_PARAMS
#define WAIT_PARAMS CUDA_EXTERNAL_SEMAPHORE_PARAMS
#define SIGNAL_VALUE fence.value

#include "driver_layout.h"

static const struct layout_entry ours[] = {DRIVER_LAYOUT{NULL, 0}};
extern const struct layout_entry theirs[];

int main(void) {
    int wrong = 0;
    for (size_t i = 0; ours[i].name; i++) {
        if (ours[i].value == theirs[i].value) continue;
        printf("%s is %zu here and %zu there\n", ours[i].name, ours[i].value, theirs[i].value);
        wrong++;
    }
    return wrong != 0;
}
