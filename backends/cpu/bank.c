// See bank.h.
#include "bank.h"

#include "platform.h"

bool banks_create(struct context *context, size_t size, uint32_t count, struct banks *banks) {
    banks->memory = memory_allocate(context, count, size);
    banks->size = banks->memory ? size : 0;
    banks->count = banks->memory ? count : 0;
    atomic_init(&banks->free, banks->count == MAX_BANKS ? ~0ull : (1ull << banks->count) - 1);
    return banks->memory != NULL;
}

void banks_destroy(struct context *context, struct banks *banks) {
    memory_release(context, banks->memory);
    banks->memory = NULL;
    banks->size = 0;
    banks->count = 0;
}

// The lowest that is free: a thread that runs chunk after chunk gets the same one again.
char *bank_take(struct banks *banks) {
    unsigned long long free = atomic_load_explicit(&banks->free, memory_order_relaxed);
    for (;;) {
        if (free == 0) {
            sleep_ns(1000);
            free = atomic_load_explicit(&banks->free, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(&banks->free, &free, free & (free - 1), memory_order_acquire,
                                                         memory_order_relaxed)) {
            return banks->memory + banks->size * (size_t)__builtin_ctzll(free);
        }
    }
}

void bank_give(struct banks *banks, char *bank) {
    size_t index = (size_t)(bank - banks->memory) / banks->size;
    atomic_fetch_or_explicit(&banks->free, 1ull << index, memory_order_release);
}
