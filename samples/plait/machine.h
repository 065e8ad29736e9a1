// What the machine does for threads of which one reads what the other wrote.
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>

// How long a word takes from a thread to another, the least of some tries. False when there is no thread to be had.
bool machine_between_cores(double *seconds);

#endif
