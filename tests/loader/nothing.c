// A library that has nothing to do with Plait.
__attribute__((visibility("default"))) int nothing_of_plait(void) { return 0; }
