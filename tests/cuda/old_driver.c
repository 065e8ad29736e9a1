// A driver older than most functions that the backend uses.
__attribute__((visibility("default"))) int cuInit(unsigned flags) { return (int)flags; }
