// A library unrelated to Plait.
__attribute__((visibility("default"))) int nothing_of_plait(void) { return 0; }
