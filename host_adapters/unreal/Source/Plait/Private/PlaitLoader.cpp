// The loader of Plait's library, compiled as part of this module. It is C++ too.
#include "plait_loader.c"
