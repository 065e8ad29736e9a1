// The loader compiles as C++ too.
#include "plait_loader.c"
