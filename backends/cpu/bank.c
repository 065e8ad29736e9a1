// See bank.h.
#include "bank.h"

#include "platform.h"

#define WAIT_NS 1000

static size_t stride_of(size_t size) {
    return sizeof(struct bank) + (size + BANK_ALIGNMENT - 1) / BANK_ALIGNMENT * BANK_ALIGNMENT;
}

static struct bank *bank_of(const struct banks *banks, uint32_t i) {
    return (struct bank *)(banks->memory + i * stride_of(banks->size));
}

// With the mutex held.
static void put_first(struct bank_pool *pool, struct bank *bank) {
    bank->taken = false;
    bank->before = NULL;
    bank->next = pool->free;
    if (bank->next) bank->next->before = bank;
    pool->free = bank;
}

static void take_out(struct bank_pool *pool, struct bank *bank) {
    bank->taken = true;
    *(bank->before ? &bank->before->next : &pool->free) = bank->next;
    if (bank->next) bank->next->before = bank->before;
}

bool banks_create(struct context *context, struct bank_pool *pool, size_t size, uint32_t count, struct banks *banks) {
    *banks = (struct banks){memory_allocate(context, count, stride_of(size)), size, count};
    if (!banks->memory) *banks = (struct banks){0};
    mutex_lock(&pool->mutex);
    for (uint32_t i = 0; i < banks->count; i++) {
        bank_of(banks, i)->size = size;
        put_first(pool, bank_of(banks, i));
    }
    mutex_unlock(&pool->mutex);
    return banks->memory != NULL;
}

void banks_destroy(struct context *context, struct bank_pool *pool, struct banks *banks) {
    for (uint32_t i = 0; i < banks->count;) {
        mutex_lock(&pool->mutex);
        bool lent = bank_of(banks, i)->taken;
        if (!lent) take_out(pool, bank_of(banks, i++));
        mutex_unlock(&pool->mutex);
        if (lent) sleep_ns(WAIT_NS);
    }
    memory_release(context, banks->memory);
    *banks = (struct banks){0};
}

char *bank_take(struct bank_pool *pool, size_t size) {
    for (;;) {
        mutex_lock(&pool->mutex);
        struct bank *bank = pool->free;
        while (bank && bank->size < size) bank = bank->next;
        if (bank) take_out(pool, bank);
        mutex_unlock(&pool->mutex);
        if (bank) return (char *)(bank + 1);
        sleep_ns(WAIT_NS);
    }
}

void bank_give(struct bank_pool *pool, char *memory) {
    mutex_lock(&pool->mutex);
    put_first(pool, (struct bank *)memory - 1);
    mutex_unlock(&pool->mutex);
}
