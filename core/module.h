// Backends in shared libraries of their own, beside libplait. The interface between core and a module may change with every
// version: the entry symbol carries the exact number, so a module that does not fit is not found.
#ifndef PLAIT_MODULE_H
#define PLAIT_MODULE_H

#include "device.h"

#define MODULE_VERSION 7 // changes with every struct that core and a module share

// The entry: plait_module_NAME_VERSION. Core's functions are reached through the context.
#define MODULE_ENTRY(name) MODULE_ENTRY_(name, MODULE_VERSION)
#define MODULE_ENTRY_(name, version) MODULE_ENTRY__(name, version)
#define MODULE_ENTRY__(name, version) plait_module_##name##_##version
#if defined(_WIN32)
#define MODULE_EXPORT __declspec(dllexport)
#else
#define MODULE_EXPORT __attribute__((visibility("default")))
#endif
typedef const struct backend *(*module_entry)(void);

// For modules: memory of the context's.
static inline void *allocate(struct context *context, size_t count, size_t size) {
    return context->services->allocate(context, count, size);
}
static inline void release(struct context *context, void *memory) { context->services->release(context, memory); }

// Finds libplait_NAME beside this library (or the program it was linked into), or where the system looks. Null and the reason
// if it is not there.
const struct backend *module_open(const char *name, void **module, char reason[PLAIT_REASON_SIZE]);
void module_close(void *module); // null is fine

#endif
