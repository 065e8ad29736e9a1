// Messages to the host's logger.
#ifndef PLAIT_LOG_H
#define PLAIT_LOG_H

#include "plait.h"

struct call;
struct context;

// Logs an error with the function's name in front and returns result.
plait_result fail(const struct call *call, plait_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void message(struct context *context, uint32_t level, int32_t id, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
