// Cutting plans into phases. Core and every module have this file: a module is not linked to core.
#include "plan.h"

#include <stddef.h>
#include <string.h>

#define ONE_BINDING(binding, access) +1
#define ONE_VALUE(value) +1
#define BINDING_ACCESS(binding, access) ACCESS_##access,
const struct kernel_info kernel_infos[KERNEL_COUNT] = {
#define X(name, domain, scope, physics)                                                                                \
    {#name,                                                                                                            \
     DOMAIN_##domain,                                                                                                  \
     SCOPE_##scope,                                                                                                    \
     physics,                                                                                                          \
     0 name##_BINDINGS(ONE_BINDING),                                                                                   \
     0 name##_VALUES(ONE_VALUE),                                                                                       \
     {name##_BINDINGS(BINDING_ACCESS)}},
    FOR_EACH_KERNEL(X)
#undef X
};

// stage_args fills them in by the order of the lists. A Vulkan device takes at least 128 bytes of push constants, a word for
// each.
#define X(name, domain, scope, physics)                                                                                \
    _Static_assert(offsetof(struct name##_args, counter) == sizeof(void *) * (0 name##_BINDINGS(ONE_BINDING)),         \
                   "bindings of " #name " are not pointers in a row");                                                 \
    _Static_assert(offsetof(struct name##_args, tile) + 4 * (1 name##_VALUES(ONE_VALUE)) <=                            \
                       sizeof(struct name##_args),                                                                     \
                   "values of " #name " are not words in a row");                                                      \
    _Static_assert(4 * (4 name##_BINDINGS(ONE_BINDING) name##_VALUES(ONE_VALUE)) <= 128,                               \
                   #name " has too many arguments");
FOR_EACH_KERNEL(X)
#undef X

void stage_repeat(struct stage_list *list, uint32_t first, uint32_t times) {
    if (list->repeat_count == PLAN_MAX_REPEATS)
        list->overflow = true;
    else if (times > 1 && list->count > first)
        list->repeats[list->repeat_count++] = (struct repeat){first, list->count - first, times};
}

// ---- cutting ----

static bool is_whole(const struct stage *stage) {
    const struct kernel_info *info = &kernel_infos[stage->kernel];
    for (uint32_t b = 0; b < info->binding_count; b++)
        if (!stage->bindings[b]) return false;
    bool of_plan = info->domain == DOMAIN_PACKS || info->domain == DOMAIN_VERTICES;
    if (of_plan && stage->domain.counter) return false;
    if (!of_plan && stage->domain.count == 0) return false;
    return info->domain != DOMAIN_GROUPS || stage->domain.tile > 0;
}

static bool same_domain(const struct stage *a, const struct stage *b) {
    const struct domain *x = &a->domain, *y = &b->domain;
    return kernel_infos[a->kernel].domain == kernel_infos[b->kernel].domain && x->first == y->first &&
           x->count == y->count && x->tile == y->tile && x->counter == y->counter && x->counter_at == y->counter_at;
}

static bool is_local(const struct stage *stage) { return kernel_infos[stage->kernel].scope == SCOPE_LOCAL; }

// Whether a repeat begins or ends between stage i - 1 and stage i.
static bool repeat_cuts(const struct stage_list *list, uint32_t i) {
    for (uint32_t r = 0; r < list->repeat_count; r++)
        if (list->repeats[r].first == i || list->repeats[r].first + list->repeats[r].count == i) return true;
    return false;
}

static bool overlap(const struct repeat *a, const struct repeat *b) {
    return a->first < b->first + b->count && b->first < a->first + a->count;
}

bool schedule_make(const struct stage_list *list, struct phase *phases, struct schedule *schedule) {
    *schedule = (struct schedule){.stages = list->stages, .stage_count = list->count, .phases = phases};
    if (list->overflow) return false;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct stage *stage = &list->stages[i];
        if (stage->kernel >= KERNEL_COUNT || !is_whole(stage)) return false;
        bool fused =
            i > 0 && is_local(stage) && is_local(stage - 1) && same_domain(stage, stage - 1) && !repeat_cuts(list, i);
        if (fused)
            phases[schedule->phase_count - 1].count++;
        else
            phases[schedule->phase_count++] = (struct phase){i, 1};
    }
    schedule->run_count = list->count;
    for (uint32_t r = 0; r < list->repeat_count; r++) {
        const struct repeat *repeat = &list->repeats[r];
        if (repeat->first + repeat->count > list->count) return false;
        for (uint32_t k = 0; k < r; k++)
            if (overlap(repeat, &list->repeats[k])) return false;
        struct repeat of_phases = {.times = repeat->times};
        while (phases[of_phases.first].first < repeat->first) of_phases.first++;
        for (uint32_t p = of_phases.first; p < schedule->phase_count && phases[p].first < repeat->first + repeat->count;
             p++)
            of_phases.count++;
        schedule->repeats[schedule->repeat_count++] = of_phases;
        schedule->run_count += repeat->count * (repeat->times - 1);
    }
    return true;
}

bool schedule_next(const struct schedule *schedule, struct cursor *cursor) {
    if (cursor->started)
        for (uint32_t r = 0; r < schedule->repeat_count; r++) {
            const struct repeat *repeat = &schedule->repeats[r];
            if (repeat->first + repeat->count != cursor->next) continue;
            if (++cursor->rounds < repeat->times)
                cursor->next = repeat->first;
            else
                cursor->rounds = 0;
            break; // another may end where this one begins
        }
    cursor->started = true;
    cursor->phase = cursor->next++;
    return cursor->phase < schedule->phase_count;
}

// ---- stages ----

uint32_t stage_items(const struct stage *stage, const struct plan_size *size) {
    const struct domain *domain = &stage->domain;
    switch (kernel_infos[stage->kernel].domain) {
    case DOMAIN_PACKS: return domain->count ? domain->count : size->packs - domain->first;
    case DOMAIN_VERTICES:
        return domain->count ? domain->count : (uint32_t)(size->vertices / size->width) - domain->first;
    case DOMAIN_ITEMS: return domain->count;
    case DOMAIN_GROUPS: return (domain->count + domain->tile - 1) / domain->tile;
    }
    return 0;
}

void stage_args(const struct stage *stage, uint32_t items, void *const *pointers, const uint32_t *counter,
                union kernel_args *args) {
    const struct kernel_info *info = &kernel_infos[stage->kernel];
    char *at = (char *)args;
    memcpy(at, pointers, info->binding_count * sizeof *pointers);
    at += info->binding_count * sizeof *pointers;
    memcpy(at, &counter, sizeof counter);
    at += sizeof counter;
    const uint32_t range[3] = {stage->domain.first, items, stage->domain.tile};
    memcpy(at, range, sizeof range);
    memcpy(at + sizeof range, stage->numbers + 1, info->value_count * sizeof(uint32_t));
}

bool stage_binds(const struct stage *stage, const struct buffer *buffer) {
    for (uint32_t b = 0; b < kernel_infos[stage->kernel].binding_count; b++)
        if (stage->bindings[b] == buffer) return true;
    return false;
}
