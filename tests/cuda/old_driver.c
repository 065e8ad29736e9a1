// A driver from before most of what the backend uses.
__attribute__((visibility("default"))) int cuInit(unsigned flags) { return (int)flags; }
