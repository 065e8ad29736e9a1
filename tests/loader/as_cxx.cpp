// The loader promises to compile as C++ too.
#include "plait_loader.c"
