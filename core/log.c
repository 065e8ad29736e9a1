#include "log.h"
#include "context.h"

#include <stdarg.h>
#include <stdio.h>

static void log_text(struct context *context, uint32_t level, int32_t id, const char *text) {
    if (context->logger.log && level >= context->logger.min_level)
        context->logger.log(context->logger.user, level, id, text);
}

plait_result fail(const struct call *call, plait_result result, const char *format, ...) {
    if (!call->context || !call->context->logger.log) return result;
    char text[512];
    int used = snprintf(text, sizeof text, "%s: ", call->function);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    log_text(call->context, PLAIT_LOG_ERROR, result, text);
    return result;
}

void message(struct context *context, uint32_t level, int32_t id, const char *format, ...) {
    if (!context->logger.log || level < context->logger.min_level) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_text(context, level, id, text);
}
