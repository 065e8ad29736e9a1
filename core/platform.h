// What differs between operating systems: platform_posix.c and platform_windows.c. No other file of core, of the CPU
// backend or of the modules includes a header of an operating system. The exception is a module that needs the types of
// one to talk to a driver.
#ifndef PLAIT_PLATFORM_H
#define PLAIT_PLATFORM_H

#include "plait.h"

#include <stdbool.h>

#if defined(_WIN32)
typedef void *mutex_type;     // SRWLOCK
typedef void *condition_type; // CONDITION_VARIABLE
typedef void *thread_type;    // HANDLE
#define MUTEX_INIT                                                                                                     \
    { 0 }
#define EXTERNAL_KIND PLAIT_EXTERNAL_OPAQUE_WIN32
#else
#include <pthread.h>
typedef pthread_mutex_t mutex_type;
typedef pthread_cond_t condition_type;
typedef pthread_t thread_type;
#define MUTEX_INIT                                                                                                     \
    { PTHREAD_MUTEX_INITIALIZER }
#define EXTERNAL_KIND PLAIT_EXTERNAL_OPAQUE_FD
#endif

// ---- threads ----

// Not recursive. Takes no memory; without contention it makes no system call.
struct mutex {
    mutex_type lock;
};
void mutex_init(struct mutex *mutex); // or = MUTEX_INIT
void mutex_destroy(struct mutex *mutex);
void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

struct condition {
    condition_type variable;
};
void condition_init(struct condition *condition);
void condition_destroy(struct condition *condition);
void condition_wake_all(struct condition *condition);
// Both may wake without a reason. False: end_ns, in the time of now_ns, has passed.
void condition_wait(struct condition *condition, struct mutex *mutex);
bool condition_wait_until(struct condition *condition, struct mutex *mutex, uint64_t end_ns);

struct thread {
    thread_type handle;
    void (*run)(void *argument);
    void *argument;
};
bool thread_start(struct thread *thread, void (*run)(void *argument), void *argument); // *thread stays where it is
void thread_join(struct thread *thread);
uint64_t thread_id(void);   // of the calling one
void sleep_ns(uint64_t ns); // at least

// ---- the machine ----

uint64_t now_ns(void); // monotonic
uint64_t process_id(void);
uint32_t processor_count(void);
uint64_t physical_memory_bytes(void); // 0: not known

// alignment: a power of two, a multiple of a pointer's size. Null when there is no memory.
void *aligned_allocate(size_t size, size_t alignment);
void aligned_release(void *memory);

// ---- shared libraries ----

// The file name of a shared library as it is installed.
void shared_library_name(char *file, size_t size, const char *name, unsigned version);
void *shared_library_open(const char *file, char *reason, size_t reason_size); // null and the reason
void *shared_library_symbol(void *library, const char *name);                  // null: it has none
void shared_library_close(void *library);
// The folder of the library that this code is in, with the separator at its end; empty: where the system looks.
bool shared_library_folder(char *folder, size_t size);
bool file_exists(const char *path); // UTF-8

// ---- handles by which memory and semaphores are shared across devices, APIs and processes ----

int64_t external_duplicate(int64_t handle); // not inherited by other programs; invalid if the system has none left
void external_close(int64_t handle);
bool external_valid(int64_t handle);

#endif
