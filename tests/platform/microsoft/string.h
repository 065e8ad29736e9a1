#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *__cdecl memset(void *memory, int byte, size_t size);
#ifdef __cplusplus
}
#endif
