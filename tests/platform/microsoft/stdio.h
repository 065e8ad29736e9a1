#pragma once
#include <stdarg.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
int __cdecl vsnprintf(char *text, size_t size, const char *format, va_list arguments);
#ifdef __cplusplus
}
#endif
