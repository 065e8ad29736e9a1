// Settings from the test: which call fails, what the driver pretends to be.
#include "layer.h"

#include <string.h>

pthread_mutex_t double_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t double_news = PTHREAD_COND_INITIALIZER;

static const struct {
    const char *name;
    VkResult failure;
} functions[FUNCTION_COUNT] = {
#define INSTANCE(name, failure) {#name, failure},
#define DEVICE(name, failure, loses, parameters, arguments) {#name, failure},
    FOR_EACH_INSTANCE_FUNCTION(INSTANCE) FOR_EACH_DEVICE_FUNCTION(DEVICE, DEVICE)
#undef INSTANCE
#undef DEVICE
};

static struct {
    uint32_t calls;
    uint32_t from, to; // numbers of the calls that fail; from 0: none
    VkResult result;
} orders[FUNCTION_COUNT];
static uint32_t failures;
static struct double_pretence pretended;

static int find(const char *name) {
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(functions[i].name, name) == 0) return i;
    return -1;
}

VkResult planned(enum function function, struct device *device, bool loses) {
    pthread_mutex_lock(&double_mutex);
    uint32_t call = ++orders[function].calls;
    VkResult result = VK_SUCCESS;
    if (device && device->lost && loses) result = VK_ERROR_DEVICE_LOST;
    if (orders[function].from && call >= orders[function].from && call <= orders[function].to) {
        result = orders[function].result;
        failures++;
    }
    pthread_mutex_unlock(&double_mutex);
    return result;
}

struct double_pretence pretence(void) {
    pthread_mutex_lock(&double_mutex);
    struct double_pretence copy = pretended;
    pthread_mutex_unlock(&double_mutex);
    return copy;
}

void double_reset(void) {
    pthread_mutex_lock(&double_mutex);
    memset(orders, 0, sizeof orders);
    memset(&pretended, 0, sizeof pretended);
    failures = 0;
    pthread_mutex_unlock(&double_mutex);
}

void double_pretend(const struct double_pretence *next) {
    pthread_mutex_lock(&double_mutex);
    pretended = *next;
    pthread_mutex_unlock(&double_mutex);
}

static bool order(const char *name, uint32_t nth, bool once, VkResult result) {
    int i = find(name);
    if (i < 0 || nth == 0) return false;
    pthread_mutex_lock(&double_mutex);
    orders[i].from = orders[i].calls + nth;
    orders[i].to = once ? orders[i].from : UINT32_MAX;
    orders[i].result = result;
    pthread_mutex_unlock(&double_mutex);
    return true;
}

bool double_fail(const char *name, uint32_t nth, VkResult result) { return order(name, nth, true, result); }
bool double_fail_from(const char *name, uint32_t nth, VkResult result) { return order(name, nth, false, result); }

uint32_t double_calls(const char *name) {
    int i = find(name);
    pthread_mutex_lock(&double_mutex);
    uint32_t calls = i < 0 ? 0 : orders[i].calls;
    pthread_mutex_unlock(&double_mutex);
    return calls;
}

uint32_t double_failures(void) {
    pthread_mutex_lock(&double_mutex);
    uint32_t count = failures;
    pthread_mutex_unlock(&double_mutex);
    return count;
}

const char *double_function(uint32_t index, VkResult *result) {
    if (index >= FUNCTION_COUNT) return NULL;
    if (result) *result = functions[index].failure;
    return functions[index].name;
}
