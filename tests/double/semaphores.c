// VK_KHR_external_semaphore_fd on top of a driver without it. Semaphores share a payload, which the double keeps. A
// submission that uses one becomes a crossing: for each value that it waits for it gets a semaphore of the driver,
// which the host signals when the payload reaches that value; it signals one more when it is done, and the device's
// watcher then raises the payloads. So semaphores may belong to any devices and be destroyed in any order.
#include "layer.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16 }; // semaphores of one submission

// A driver's semaphore that becomes 1 when a payload reaches a value.
struct gate {
    struct gate *next;
    const struct crossing *crossing; // whose it is
    VkSemaphore semaphore;
    uint64_t value;
};

struct payload {
    struct payload *next;
    uint32_t references; // aliases, descriptors and crossings
    uint64_t value;
    struct gate *gates;
};

// A semaphore of the program that stands for a payload.
struct alias {
    struct alias *next;
    struct device *device;
    VkSemaphore semaphore;
    struct payload *payload;
};

// An exported descriptor: the reading end of a pipe, whose inode its copies share. We keep the writing end, which tells
// when the last copy was closed.
struct descriptor {
    struct descriptor *next;
    int writing_end;
    dev_t device;
    ino_t number;
    struct payload *payload;
};

struct crossing {
    struct crossing *next;
    struct device *device;
    VkSemaphore done;
    VkSemaphore gates[MOST];
    uint32_t gate_count;
    struct {
        struct payload *payload;
        uint64_t value;
    } signals[MOST];
    uint32_t signal_count;
};

static struct payload *payloads;
static struct alias *aliases;
static struct descriptor *descriptors;

// ---- payloads; all with double_mutex held ----

static struct payload *payload_make(uint64_t value) {
    struct payload *p = calloc(1, sizeof *p);
    if (!p) abort();
    p->value = value;
    p->next = payloads;
    payloads = p;
    return p;
}

static struct payload *payload_take(struct payload *p) {
    p->references++;
    return p;
}

static void payload_drop(struct payload *p) {
    if (--p->references > 0) return;
    struct payload **link = &payloads;
    while (*link != p) link = &(*link)->next;
    *link = p->next;
    while (p->gates) {
        struct gate *gate = p->gates;
        p->gates = gate->next;
        free(gate);
    }
    free(p);
}

static void gate_open(struct gate *gate) {
    VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = gate->semaphore, .value = 1};
    gate->crossing->device->driver.vkSignalSemaphore(gate->crossing->device->handle, &info);
    free(gate);
}

static void payload_advance(struct payload *p, uint64_t value) {
    if (value > p->value) p->value = value;
    for (struct gate **link = &p->gates; *link;) {
        struct gate *gate = *link;
        if (gate->value > p->value) {
            link = &gate->next;
            continue;
        }
        *link = gate->next;
        gate_open(gate);
    }
    pthread_cond_broadcast(&double_news);
}

static struct alias **find_alias(struct device *device, VkSemaphore semaphore) {
    struct alias **link = &aliases;
    while (*link && ((*link)->device != device || (*link)->semaphore != semaphore)) link = &(*link)->next;
    return link;
}

static struct payload *payload_of(struct device *device, VkSemaphore semaphore) {
    struct alias *alias = *find_alias(device, semaphore);
    return alias ? alias->payload : NULL;
}

static void alias_set(struct device *device, VkSemaphore semaphore, struct payload *p) {
    struct alias **link = find_alias(device, semaphore);
    payload_take(p);
    if (*link) {
        payload_drop((*link)->payload);
    } else {
        *link = calloc(1, sizeof **link);
        if (!*link) abort();
        (*link)->device = device;
        (*link)->semaphore = semaphore;
    }
    (*link)->payload = p;
}

static void alias_remove(struct alias **link) {
    struct alias *alias = *link;
    *link = alias->next;
    payload_drop(alias->payload);
    free(alias);
}

// Descriptors that nobody holds any more.
static void descriptors_sweep(void) {
    for (struct descriptor **link = &descriptors; *link;) {
        struct descriptor *d = *link;
        struct pollfd ask = {.fd = d->writing_end};
        if (poll(&ask, 1, 0) < 1 || !(ask.revents & POLLERR)) {
            link = &d->next;
            continue;
        }
        *link = d->next;
        close(d->writing_end);
        payload_drop(d->payload);
        free(d);
    }
}

uint32_t double_open_fds(void) {
    uint32_t count = 0;
    pthread_mutex_lock(&double_mutex);
    descriptors_sweep();
    for (struct descriptor *d = descriptors; d; d = d->next) count++;
    pthread_mutex_unlock(&double_mutex);
    return count;
}

uint32_t double_payloads(void) {
    uint32_t count = 0;
    pthread_mutex_lock(&double_mutex);
    descriptors_sweep();
    for (struct payload *p = payloads; p; p = p->next) count++;
    pthread_mutex_unlock(&double_mutex);
    return count;
}

// ---- create, export, import ----

VkResult own_vkCreateSemaphore(VkDevice at, const VkSemaphoreCreateInfo *info, const VkAllocationCallbacks *host,
                               VkSemaphore *out) {
    struct device *d = device_of(at);
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    bool exported = false;
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO) type = *(const VkSemaphoreTypeCreateInfo *)s;
        if (s->sType == VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO)
            exported = ((const VkExportSemaphoreCreateInfo *)s)->handleTypes != 0;
    }
    if (!exported || !d->semaphore_fds) return d->driver.vkCreateSemaphore(at, info, host, out);
    if (type.semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    type.pNext = NULL;
    VkSemaphoreCreateInfo below = {.sType = info->sType, .pNext = &type, .flags = info->flags};
    VkResult result = d->driver.vkCreateSemaphore(at, &below, host, out);
    if (result != VK_SUCCESS) return result;
    pthread_mutex_lock(&double_mutex);
    alias_set(d, *out, payload_make(type.initialValue));
    pthread_mutex_unlock(&double_mutex);
    return VK_SUCCESS;
}

void semaphore_destroyed(struct device *device, VkSemaphore semaphore) {
    pthread_mutex_lock(&double_mutex);
    struct alias **link = find_alias(device, semaphore);
    if (*link) alias_remove(link);
    pthread_mutex_unlock(&double_mutex);
}

VkResult own_vkGetSemaphoreFdKHR(VkDevice at, const VkSemaphoreGetFdInfoKHR *info, int *out) {
    struct device *device = device_of(at);
    int ends[2];
    struct stat status;
    if (!device->semaphore_fds) return device->driver.vkGetSemaphoreFdKHR(at, info, out);
    if (info->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    struct descriptor *d = calloc(1, sizeof *d);
    if (!d || pipe(ends) != 0 || fstat(ends[0], &status) != 0) abort();
    pthread_mutex_lock(&double_mutex);
    struct payload *p = payload_of(device, info->semaphore);
    if (p) {
        *d = (struct descriptor){descriptors, ends[1], status.st_dev, status.st_ino, payload_take(p)};
        descriptors = d;
    }
    pthread_mutex_unlock(&double_mutex);
    if (!p) {
        close(ends[0]);
        close(ends[1]);
        free(d);
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    }
    *out = ends[0];
    return VK_SUCCESS;
}

VkResult own_vkImportSemaphoreFdKHR(VkDevice at, const VkImportSemaphoreFdInfoKHR *info) {
    struct device *device = device_of(at);
    struct stat status;
    if (!device->semaphore_fds) return device->driver.vkImportSemaphoreFdKHR(at, info);
    if (info->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT || info->flags != 0 ||
        fstat(info->fd, &status) != 0)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    pthread_mutex_lock(&double_mutex);
    struct descriptor *d = descriptors;
    while (d && (d->device != status.st_dev || d->number != status.st_ino)) d = d->next;
    if (d) alias_set(device, info->semaphore, d->payload);
    pthread_mutex_unlock(&double_mutex);
    if (!d) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    close(info->fd);
    return VK_SUCCESS;
}

// ---- crossings ----

static VkSemaphore make_timeline(struct device *d) {
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore;
    if (d->driver.vkCreateSemaphore(d->handle, &info, NULL, &semaphore) != VK_SUCCESS) abort();
    return semaphore;
}

static VkResult wait_below(struct device *d, VkSemaphore semaphore, uint64_t value, uint64_t timeout_ns) {
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &semaphore,
                                .pValues = &value};
    return d->driver.vkWaitSemaphores(d->handle, &info, timeout_ns);
}

// Opens the gates of a crossing, or of all of a device (crossing null), whatever the payloads are at. With double_mutex
// held.
static void gates_end(const struct device *device, const struct crossing *crossing) {
    for (struct payload *p = payloads; p; p = p->next) {
        for (struct gate **link = &p->gates; *link;) {
            struct gate *gate = *link;
            if (gate->crossing->device != device || (crossing && gate->crossing != crossing)) {
                link = &gate->next;
                continue;
            }
            *link = gate->next;
            gate_open(gate);
        }
    }
}

void semaphores_let_go(struct device *device) {
    pthread_mutex_lock(&double_mutex);
    gates_end(device, NULL);
    pthread_mutex_unlock(&double_mutex);
}

// With double_mutex held.
static void crossing_free(struct crossing *c) {
    struct device *d = c->device;
    for (uint32_t i = 0; i < c->signal_count; i++) payload_drop(c->signals[i].payload);
    for (uint32_t i = 0; i < c->gate_count; i++) d->driver.vkDestroySemaphore(d->handle, c->gates[i], NULL);
    d->driver.vkDestroySemaphore(d->handle, c->done, NULL);
    free(c);
}

static void *watch(void *argument) {
    struct device *d = argument;
    pthread_mutex_lock(&double_mutex);
    for (;;) {
        while (!d->first && !d->closing) pthread_cond_wait(&double_news, &double_mutex);
        struct crossing *c = d->first;
        if (!c) break;
        pthread_mutex_unlock(&double_mutex);
        wait_below(d, c->done, 1, UINT64_MAX);
        pthread_mutex_lock(&double_mutex);
        for (uint32_t i = 0; i < c->signal_count && !d->lost; i++)
            payload_advance(c->signals[i].payload, c->signals[i].value);
        d->first = c->next;
        if (!d->first) d->last = NULL;
        crossing_free(c);
        pthread_cond_broadcast(&double_news);
    }
    pthread_mutex_unlock(&double_mutex);
    return NULL;
}

static void crossing_watch(struct crossing *c) {
    struct device *d = c->device;
    pthread_mutex_lock(&double_mutex);
    if (!d->watching && pthread_create(&d->watcher, NULL, watch, d) != 0) abort();
    d->watching = true;
    if (d->last)
        d->last->next = c;
    else
        d->first = c;
    d->last = c;
    pthread_cond_broadcast(&double_news);
    pthread_mutex_unlock(&double_mutex);
}

void semaphores_close(struct device *d) {
    pthread_mutex_lock(&double_mutex);
    gates_end(d, NULL);
    d->closing = true;
    pthread_cond_broadcast(&double_news);
    pthread_mutex_unlock(&double_mutex);
    if (d->watching) pthread_join(d->watcher, NULL);
    pthread_mutex_lock(&double_mutex);
    for (struct alias **link = &aliases; *link;)
        if ((*link)->device == d)
            alias_remove(link);
        else
            link = &(*link)->next;
    pthread_mutex_unlock(&double_mutex);
}

static struct crossing *crossing_make(struct device *d) {
    struct crossing *c = calloc(1, sizeof *c);
    if (!c) abort();
    c->device = d;
    c->done = make_timeline(d);
    return c;
}

// What the driver waits for instead: the semaphore itself, a gate, or nothing (false) when the value is reached.
static bool cross_wait(struct crossing *c, VkSemaphore *semaphore, uint64_t *value) {
    pthread_mutex_lock(&double_mutex);
    struct payload *p = payload_of(c->device, *semaphore);
    bool wait = !p || p->value < *value;
    if (p && wait) {
        struct gate *gate = calloc(1, sizeof *gate);
        if (!gate || c->gate_count == MOST) abort();
        *gate = (struct gate){p->gates, c, make_timeline(c->device), *value};
        p->gates = gate;
        c->gates[c->gate_count++] = *semaphore = gate->semaphore;
        *value = 1;
    }
    pthread_mutex_unlock(&double_mutex);
    return wait;
}

// Whether the driver signals this semaphore itself; otherwise the watcher does when the crossing is done.
static bool cross_signal(struct crossing *c, VkSemaphore semaphore, uint64_t value) {
    pthread_mutex_lock(&double_mutex);
    struct payload *p = payload_of(c->device, semaphore);
    if (p) {
        if (c->signal_count == MOST) abort();
        c->signals[c->signal_count].payload = payload_take(p);
        c->signals[c->signal_count++].value = value;
    }
    pthread_mutex_unlock(&double_mutex);
    return !p;
}

static bool has_alias(struct device *d, const VkSemaphore *semaphores, uint32_t count) {
    bool found = false;
    pthread_mutex_lock(&double_mutex);
    for (uint32_t i = 0; i < count && aliases; i++) found |= payload_of(d, semaphores[i]) != NULL;
    pthread_mutex_unlock(&double_mutex);
    return found;
}

// Submits and notifies the watcher; undone if the driver refuses.
static VkResult cross(struct crossing *c, VkResult result) {
    if (result == VK_SUCCESS) {
        crossing_watch(c);
        return VK_SUCCESS;
    }
    pthread_mutex_lock(&double_mutex);
    gates_end(c->device, c);
    crossing_free(c);
    pthread_mutex_unlock(&double_mutex);
    return result;
}

static const VkTimelineSemaphoreSubmitInfo *find_values(const VkSubmitInfo *info) {
    const VkBaseInStructure *s = info->pNext;
    while (s && s->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO) s = s->pNext;
    return (const VkTimelineSemaphoreSubmitInfo *)s;
}

static VkResult submit_crossing(struct device *d, VkQueue queue, const VkSubmitInfo *info, VkFence fence) {
    const VkTimelineSemaphoreSubmitInfo *values = find_values(info);
    VkSemaphore waits[MOST], signals[MOST];
    uint64_t wait_values[MOST], signal_values[MOST];
    VkPipelineStageFlags stages[MOST];
    uint32_t wait_count = 0, signal_count = 0;
    // Other structs in the chain would be lost.
    if (!values || info->pNext != values || values->pNext || info->waitSemaphoreCount > MOST ||
        info->signalSemaphoreCount >= MOST)
        abort();
    struct crossing *c = crossing_make(d);
    for (uint32_t i = 0; i < info->waitSemaphoreCount; i++) {
        VkSemaphore semaphore = info->pWaitSemaphores[i];
        uint64_t value = i < values->waitSemaphoreValueCount ? values->pWaitSemaphoreValues[i] : 0;
        if (!cross_wait(c, &semaphore, &value)) continue;
        waits[wait_count] = semaphore;
        stages[wait_count] = info->pWaitDstStageMask[i];
        wait_values[wait_count++] = value;
    }
    for (uint32_t i = 0; i < info->signalSemaphoreCount; i++) {
        uint64_t value = i < values->signalSemaphoreValueCount ? values->pSignalSemaphoreValues[i] : 0;
        if (!cross_signal(c, info->pSignalSemaphores[i], value)) continue;
        signals[signal_count] = info->pSignalSemaphores[i];
        signal_values[signal_count++] = value;
    }
    signals[signal_count] = c->done;
    signal_values[signal_count++] = 1;
    VkTimelineSemaphoreSubmitInfo timeline = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                              .waitSemaphoreValueCount = wait_count,
                                              .pWaitSemaphoreValues = wait_values,
                                              .signalSemaphoreValueCount = signal_count,
                                              .pSignalSemaphoreValues = signal_values};
    VkSubmitInfo below = *info;
    below.pNext = &timeline;
    below.waitSemaphoreCount = wait_count;
    below.pWaitSemaphores = waits;
    below.pWaitDstStageMask = stages;
    below.signalSemaphoreCount = signal_count;
    below.pSignalSemaphores = signals;
    return cross(c, d->driver.vkQueueSubmit(queue, 1, &below, fence));
}

VkResult own_vkQueueSubmit(VkQueue at, uint32_t count, const VkSubmitInfo *infos, VkFence fence) {
    struct device *d = device_of(at);
    bool crosses = false;
    for (uint32_t i = 0; i < count; i++)
        crosses |= has_alias(d, infos[i].pWaitSemaphores, infos[i].waitSemaphoreCount) ||
                   has_alias(d, infos[i].pSignalSemaphores, infos[i].signalSemaphoreCount);
    if (!crosses) return d->driver.vkQueueSubmit(at, count, infos, fence);
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        VkFence last = i + 1 == count ? fence : VK_NULL_HANDLE;
        if (has_alias(d, infos[i].pWaitSemaphores, infos[i].waitSemaphoreCount) ||
            has_alias(d, infos[i].pSignalSemaphores, infos[i].signalSemaphoreCount))
            result = submit_crossing(d, at, &infos[i], last);
        else
            result = d->driver.vkQueueSubmit(at, 1, &infos[i], last);
    }
    return result;
}

static VkResult submit_crossing2(struct device *d, VkQueue queue, const VkSubmitInfo2 *info, VkFence fence) {
    VkSemaphoreSubmitInfo waits[MOST], signals[MOST];
    VkSubmitInfo2 below = *info;
    if (info->waitSemaphoreInfoCount > MOST || info->signalSemaphoreInfoCount >= MOST) abort();
    struct crossing *c = crossing_make(d);
    below.waitSemaphoreInfoCount = below.signalSemaphoreInfoCount = 0;
    below.pWaitSemaphoreInfos = waits;
    below.pSignalSemaphoreInfos = signals;
    for (uint32_t i = 0; i < info->waitSemaphoreInfoCount; i++) {
        VkSemaphoreSubmitInfo *wait = &waits[below.waitSemaphoreInfoCount];
        *wait = info->pWaitSemaphoreInfos[i];
        if (cross_wait(c, &wait->semaphore, &wait->value)) below.waitSemaphoreInfoCount++;
    }
    for (uint32_t i = 0; i < info->signalSemaphoreInfoCount; i++) {
        signals[below.signalSemaphoreInfoCount] = info->pSignalSemaphoreInfos[i];
        if (cross_signal(c, info->pSignalSemaphoreInfos[i].semaphore, info->pSignalSemaphoreInfos[i].value))
            below.signalSemaphoreInfoCount++;
    }
    signals[below.signalSemaphoreInfoCount++] =
        (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                .semaphore = c->done,
                                .value = 1,
                                .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    return cross(c, d->driver.vkQueueSubmit2(queue, 1, &below, fence));
}

static bool crosses2(struct device *d, const VkSubmitInfo2 *info) {
    bool found = false;
    for (uint32_t i = 0; i < info->waitSemaphoreInfoCount; i++)
        found |= has_alias(d, &info->pWaitSemaphoreInfos[i].semaphore, 1);
    for (uint32_t i = 0; i < info->signalSemaphoreInfoCount; i++)
        found |= has_alias(d, &info->pSignalSemaphoreInfos[i].semaphore, 1);
    return found;
}

VkResult own_vkQueueSubmit2(VkQueue at, uint32_t count, const VkSubmitInfo2 *infos, VkFence fence) {
    struct device *d = device_of(at);
    VkResult result = VK_SUCCESS;
    if (count == 0) return d->driver.vkQueueSubmit2(at, count, infos, fence);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        VkFence last = i + 1 == count ? fence : VK_NULL_HANDLE;
        result = crosses2(d, &infos[i]) ? submit_crossing2(d, at, &infos[i], last)
                                        : d->driver.vkQueueSubmit2(at, 1, &infos[i], last);
    }
    return result;
}

// ---- the host's side ----

VkResult own_vkGetSemaphoreCounterValue(VkDevice at, VkSemaphore semaphore, uint64_t *out) {
    struct device *d = device_of(at);
    pthread_mutex_lock(&double_mutex);
    struct payload *p = payload_of(d, semaphore);
    if (p) *out = p->value;
    pthread_mutex_unlock(&double_mutex);
    return p ? VK_SUCCESS : d->driver.vkGetSemaphoreCounterValue(at, semaphore, out);
}

VkResult own_vkSignalSemaphore(VkDevice at, const VkSemaphoreSignalInfo *info) {
    struct device *d = device_of(at);
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&double_mutex);
    struct payload *p = payload_of(d, info->semaphore);
    if (p && info->value > p->value)
        payload_advance(p, info->value);
    else if (p)
        result = VK_ERROR_UNKNOWN; // values only grow
    pthread_mutex_unlock(&double_mutex);
    return p ? result : d->driver.vkSignalSemaphore(at, info);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Checks again whenever a payload changes, and every millisecond for semaphores of the driver.
VkResult own_vkWaitSemaphores(VkDevice at, const VkSemaphoreWaitInfo *info, uint64_t timeout) {
    struct device *d = device_of(at);
    if (!has_alias(d, info->pSemaphores, info->semaphoreCount)) return d->driver.vkWaitSemaphores(at, info, timeout);
    uint64_t begun = now_ns();
    VkResult result = VK_TIMEOUT;
    pthread_mutex_lock(&double_mutex);
    for (;;) {
        uint32_t reached = 0;
        for (uint32_t i = 0; i < info->semaphoreCount; i++) {
            struct payload *p = payload_of(d, info->pSemaphores[i]);
            uint64_t value = p ? p->value : 0;
            if (!p) d->driver.vkGetSemaphoreCounterValue(at, info->pSemaphores[i], &value);
            reached += value >= info->pValues[i];
        }
        bool any = info->flags & VK_SEMAPHORE_WAIT_ANY_BIT;
        if (reached == info->semaphoreCount || (any && reached > 0)) result = VK_SUCCESS;
        if (result == VK_TIMEOUT && d->lost) result = VK_ERROR_DEVICE_LOST;
        if (result != VK_TIMEOUT || now_ns() - begun >= timeout) break;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 1000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&double_news, &double_mutex, &until);
    }
    pthread_mutex_unlock(&double_mutex);
    return result;
}
