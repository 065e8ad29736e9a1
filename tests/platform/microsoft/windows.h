/* Declarations of Windows that the loader uses, for compiling it as Microsoft's compiler would: with its target, language and
 * warnings, whose own headers are not to be had here. */
#pragma once
typedef struct HINSTANCE__ *HMODULE;
typedef unsigned long DWORD;
typedef int BOOL;
typedef unsigned int UINT;
typedef long long(__stdcall *FARPROC)(void);
#define CP_UTF8 65001
#define MB_ERR_INVALID_CHARS 8
#ifdef __cplusplus
extern "C" {
#else
typedef unsigned short wchar_t;
#endif
__declspec(dllimport) int __stdcall MultiByteToWideChar(UINT page, DWORD flags, const char *text, int size,
                                                        wchar_t *wide, int room);
__declspec(dllimport) HMODULE __stdcall LoadLibraryW(const wchar_t *name);
__declspec(dllimport) FARPROC __stdcall GetProcAddress(HMODULE module, const char *name);
__declspec(dllimport) BOOL __stdcall FreeLibrary(HMODULE module);
__declspec(dllimport) DWORD __stdcall GetLastError(void);
#ifdef __cplusplus
}
#endif
