#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // dladdr
#endif
#include "platform.h"

#if defined(__linux__)
#include <sys/auxv.h>
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000u

// ---- threads ----

void mutex_init(struct mutex *mutex) { pthread_mutex_init(&mutex->lock, NULL); }
void mutex_destroy(struct mutex *mutex) { pthread_mutex_destroy(&mutex->lock); }
void mutex_lock(struct mutex *mutex) { pthread_mutex_lock(&mutex->lock); }
void mutex_unlock(struct mutex *mutex) { pthread_mutex_unlock(&mutex->lock); }

void condition_init(struct condition *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition->variable, &attributes);
    pthread_condattr_destroy(&attributes);
}

void condition_destroy(struct condition *condition) { pthread_cond_destroy(&condition->variable); }
void condition_wake_all(struct condition *condition) { pthread_cond_broadcast(&condition->variable); }

void condition_wait(struct condition *condition, struct mutex *mutex) {
    pthread_cond_wait(&condition->variable, &mutex->lock);
}

bool condition_wait_until(struct condition *condition, struct mutex *mutex, uint64_t end_ns) {
    const struct timespec end = {.tv_sec = (time_t)(end_ns / SECOND_NS), .tv_nsec = (long)(end_ns % SECOND_NS)};
    return pthread_cond_timedwait(&condition->variable, &mutex->lock, &end) != ETIMEDOUT;
}

static void *thread_main(void *argument) {
    const struct thread *thread = argument;
    thread->run(thread->argument);
    return NULL;
}

bool thread_start(struct thread *thread, void (*run)(void *argument), void *argument) {
    thread->run = run;
    thread->argument = argument;
    return pthread_create(&thread->handle, NULL, thread_main, thread) == 0;
}

void thread_join(struct thread *thread) { pthread_join(thread->handle, NULL); }
uint64_t thread_id(void) { return (uint64_t)(uintptr_t)pthread_self(); }

void sleep_ns(uint64_t ns) {
    const struct timespec pause = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
    nanosleep(&pause, NULL);
}

// ---- the machine ----

uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

uint64_t process_id(void) { return (uint64_t)getpid(); }

uint32_t processor_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}

uint64_t physical_memory_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

void *aligned_allocate(size_t size, size_t alignment) {
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void aligned_release(void *memory) { free(memory); }

// ---- shared libraries ----

void shared_library_name(char *file, size_t size, const char *name, unsigned version) {
    snprintf(file, size, "lib%s.so.%u", name, version);
}

void *shared_library_open(const char *file, char *reason, size_t reason_size) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const char *error = library ? NULL : dlerror();
    if (!library) snprintf(reason, reason_size, "%s", error ? error : "dlopen failed");
    return library;
}

void *shared_library_symbol(void *library, const char *name) { return dlsym(library, name); }
void shared_library_close(void *library) { dlclose(library); }

// The file that this code is in: libplait, or what a host has linked the static library into.
bool shared_library_folder(char *folder, size_t size) {
    static const char here; // an address inside
    Dl_info self;
    if (!dladdr((const void *)&here, &self) || !self.dli_fname) return false;
#if defined(__linux__)
    // Of a program dladdr only knows how it was called, which is no path to it where a shell found it.
    Dl_info program;
    bool in_program = dladdr((const void *)getauxval(AT_PHDR), &program) && program.dli_fbase == self.dli_fbase;
    ssize_t exe = in_program ? readlink("/proc/self/exe", folder, size - 1) : 0;
    if (exe < 0) return false;
    if (exe > 0) folder[exe] = 0;
    if (exe == 0 && snprintf(folder, size, "%s", self.dli_fname) >= (int)size) return false;
#else
    if (snprintf(folder, size, "%s", self.dli_fname) >= (int)size) return false;
#endif
    char *slash = strrchr(folder, '/');
    folder[slash ? slash + 1 - folder : 0] = 0;
    return true;
}

bool file_exists(const char *path) { return access(path, F_OK) == 0; }

// ---- handles ----

int64_t external_duplicate(int64_t handle) { return fcntl((int)handle, F_DUPFD_CLOEXEC, 3); }
void external_close(int64_t handle) { close((int)handle); }

bool external_valid(int64_t handle) { return handle >= 0 && handle <= INT_MAX && fcntl((int)handle, F_GETFD) >= 0; }
