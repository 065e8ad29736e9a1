#include "platform.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <malloc.h>
#include <stdio.h>
#include <string.h>

#define MILLISECOND_NS 1000000u
#define SECOND_NS 1000000000u

// ---- threads ----

// Both are a pointer in size, and zero is their initial value.
static SRWLOCK *lock_of(struct mutex *mutex) { return (SRWLOCK *)&mutex->lock; }
static CONDITION_VARIABLE *variable_of(struct condition *condition) {
    return (CONDITION_VARIABLE *)&condition->variable;
}
_Static_assert(sizeof(SRWLOCK) == sizeof(mutex_type), "mutex_type holds an SRWLOCK");
_Static_assert(sizeof(CONDITION_VARIABLE) == sizeof(condition_type), "condition_type holds a CONDITION_VARIABLE");

void mutex_init(struct mutex *mutex) { InitializeSRWLock(lock_of(mutex)); }
void mutex_destroy(struct mutex *mutex) { (void)mutex; }
void mutex_lock(struct mutex *mutex) { AcquireSRWLockExclusive(lock_of(mutex)); }
void mutex_unlock(struct mutex *mutex) { ReleaseSRWLockExclusive(lock_of(mutex)); }

void condition_init(struct condition *condition) { InitializeConditionVariable(variable_of(condition)); }
void condition_destroy(struct condition *condition) { (void)condition; }
void condition_wake_all(struct condition *condition) { WakeAllConditionVariable(variable_of(condition)); }

void condition_wait(struct condition *condition, struct mutex *mutex) {
    SleepConditionVariableSRW(variable_of(condition), lock_of(mutex), INFINITE, 0);
}

// Rounded up: a wait must not end before its time. INFINITE is the highest value, so long waits are cut below it.
static DWORD milliseconds(uint64_t ns) {
    uint64_t ms = ns / MILLISECOND_NS + (ns % MILLISECOND_NS > 0);
    return ms < INFINITE ? (DWORD)ms : INFINITE - 1;
}

bool condition_wait_until(struct condition *condition, struct mutex *mutex, uint64_t end_ns) {
    uint64_t now = now_ns();
    if (now >= end_ns) return false;
    SleepConditionVariableSRW(variable_of(condition), lock_of(mutex), milliseconds(end_ns - now), 0);
    return now_ns() < end_ns;
}

static DWORD WINAPI thread_main(void *argument) {
    const struct thread *thread = argument;
    thread->run(thread->argument);
    return 0;
}

bool thread_start(struct thread *thread, void (*run)(void *argument), void *argument) {
    thread->run = run;
    thread->argument = argument;
    thread->handle = CreateThread(NULL, 0, thread_main, thread, 0, NULL);
    return thread->handle != NULL;
}

void thread_join(struct thread *thread) {
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

uint64_t thread_id(void) { return GetCurrentThreadId(); }
void sleep_ns(uint64_t ns) { Sleep(milliseconds(ns)); }

// ---- the machine ----

uint64_t now_ns(void) {
    LARGE_INTEGER frequency, count;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&count);
    uint64_t hz = (uint64_t)frequency.QuadPart, ticks = (uint64_t)count.QuadPart;
    return ticks / hz * SECOND_NS + ticks % hz * SECOND_NS / hz;
}

uint64_t process_id(void) { return GetCurrentProcessId(); }

uint32_t processor_count(void) {
    DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count < 1 ? 1 : count;
}

uint64_t physical_memory_bytes(void) {
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

void *aligned_allocate(size_t size, size_t alignment) { return _aligned_malloc(size, alignment); }
void aligned_release(void *memory) { _aligned_free(memory); }

// ---- shared libraries; names are UTF-8 ----

#define MAX_NAME 4096

// The version is that of the installed package: Windows keeps it out of file names.
void shared_library_name(char *file, size_t size, const char *name, unsigned version) {
    (void)version;
    snprintf(file, size, "%s.dll", name);
}

void *shared_library_open(const char *file, char *reason, size_t reason_size) {
    wchar_t wide[MAX_NAME];
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, file, -1, wide, MAX_NAME)) {
        snprintf(reason, reason_size, "%s: the name is too long or not UTF-8", file);
        return NULL;
    }
    // A file that is no library is the caller's to report: without this Windows would show it to the user in a window.
    DWORD mode, unused;
    bool quiet = SetThreadErrorMode(SEM_FAILCRITICALERRORS, &mode);
    HMODULE library = LoadLibraryW(wide);
    DWORD error = GetLastError();
    if (quiet) SetThreadErrorMode(mode, &unused);
    if (!library)
        snprintf(reason, reason_size, "%s: LoadLibrary failed with system error %lu", file, (unsigned long)error);
    return (void *)library;
}

void *shared_library_symbol(void *library, const char *name) { return (void *)GetProcAddress((HMODULE)library, name); }
void shared_library_close(void *library) { FreeLibrary((HMODULE)library); }

bool shared_library_folder(char *folder, size_t size) {
    static const char here; // an address inside
    wchar_t wide[MAX_NAME];
    HMODULE self;
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            (const wchar_t *)&here, &self))
        return false;
    DWORD length = GetModuleFileNameW(self, wide, MAX_NAME);
    if (length == 0 || length == MAX_NAME) return false;
    wchar_t *slash = wcsrchr(wide, L'\\');
    if (!slash) return false;
    slash[1] = 0;
    return WideCharToMultiByte(CP_UTF8, 0, wide, -1, folder, (int)size, NULL, NULL) > 0;
}

bool file_exists(const char *path) {
    wchar_t wide[MAX_NAME];
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, MAX_NAME) &&
           GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
}

// ---- handles ----

int64_t external_duplicate(int64_t handle) {
    HANDLE copy = NULL;
    HANDLE self = GetCurrentProcess();
    DuplicateHandle(self, (HANDLE)(intptr_t)handle, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS);
    return (intptr_t)copy;
}

void external_close(int64_t handle) { CloseHandle((HANDLE)(intptr_t)handle); }
bool external_valid(int64_t handle) { return handle != 0 && handle != -1; }
