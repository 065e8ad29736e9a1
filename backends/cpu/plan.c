// Plans on the CPU: cut into chunks of packs or words, which the job system spreads over threads.
#include "cpu_device.h"
#include "crew.h"
#include "jobs.h"
#include "layout.h"
#include "share.h"

#include <string.h>

// Chunks keep the data of fused stages in a core's cache and are still long beside the cost of handing one out. Work
// smaller than a few chunks is not worth waking a thread for.
#define CHUNK_VERTICES 2048
#define CHUNK_ROWS 512 // vertices, where each row is its own: at the end of a phase a thread waits for half a chunk
#define SERIAL_VERTICES 8192
#define CHUNK_WORDS 16384
#define SERIAL_WORDS 65536
// Words of plain work that an item of a kernel over items is, where it is more than one.
static const uint32_t ITEM_WORK[KERNEL_COUNT] = {[KERNEL_volume_bin] = 4, [KERNEL_volume_place] = 4};
// What passes from stage to stage of a rod's step is some 370 bytes a vertex: of so many it stays in the second cache.
#define BANKED_VERTICES 512

// Chunks of a phase with overrides that need scratch memory, at most: each has its own.
#define SCRATCH_CHUNKS 16

// A binding of a stage to scratch memory: its place in the bank of a chunk.
struct banked {
    uint32_t binding;
    size_t offset;
    uint32_t row_bytes, pack_bytes; // as in struct buffer
};
#define MAX_BANKED 6 // of a stage

struct plan_stage {
    uint32_t id;       // enum kernel_id
    cpu_kernel kernel; // null: left out
    union kernel_args args;
    const uint32_t *counter; // of its domain; null: args say how many
    struct banked banked[MAX_BANKED];
    uint32_t banked_count;
    atomic_ullong total_ns;
    uint64_t run_count;
};

// Stages that run chunk by chunk, one after the other in each, and how they are cut; the same whatever the thread count.
struct plan_phase {
    uint32_t first, count; // stages
    uint32_t origin;       // the domain's first item
    uint32_t items, chunk;
    uint32_t serial_items; // work up to so many items is not handed out
    uint32_t tile;         // of groups: words that each has; else 1
    uint32_t words;        // of items and groups: how many, or the counter's capacity
    size_t scratch_size;   // of each chunk
    bool banked;           // each chunk takes a bank
};

struct plan {
    struct cpu_device *device;
    struct cpu_arena *arena;
    struct plan_size size;
    struct schedule schedule; // its phases and repeats; stages are our own
    struct phase *cuts;
    struct plan_phase *phases;
    void *scratch; // SCRATCH_CHUNKS times the most that a phase needs for one
    size_t scratch_size;
    struct banks banks;
    uint32_t capacity, stage_count;
    struct plan_stage stages[];
};

static void drop_banks(struct plan *plan) {
    struct device *device = &plan->device->device;
    atomic_fetch_sub(&device->used_bytes, plan->banks.size * plan->banks.count);
    banks_destroy(device->object.context, &plan->device->banks, &plan->banks);
}

void cpu_plan_destroy(struct plan *plan) {
    struct context *context = plan->device->device.object.context;
    memory_release(context, plan->cuts);
    memory_release(context, plan->phases);
    memory_release(context, plan->scratch);
    drop_banks(plan);
    memory_release(context, plan);
}

plait_result cpu_plan_create(struct arena *arena, uint32_t capacity, const struct plan_size *size, struct plan **out) {
    struct context *context = arena->device->object.context;
    struct plan *plan = memory_allocate(context, 1, sizeof *plan + capacity * sizeof plan->stages[0]);
    if (!plan) return PLAIT_ERROR_OUT_OF_MEMORY;
    plan->device = (struct cpu_device *)arena->device;
    plan->arena = (struct cpu_arena *)arena;
    plan->size = *size;
    plan->capacity = capacity;
    plan->cuts = memory_allocate(context, capacity, sizeof *plan->cuts);
    plan->phases = memory_allocate(context, capacity, sizeof *plan->phases);
    for (uint32_t i = 0; i < capacity; i++) atomic_init(&plan->stages[i].total_ns, 0);
    if (!plan->cuts || !plan->phases) {
        cpu_plan_destroy(plan);
        return PLAIT_ERROR_OUT_OF_MEMORY;
    }
    *out = plan;
    return PLAIT_OK;
}

static const struct cpu_variant *variant_of(const struct plan *plan) {
    const struct cpu_device *cpu = plan->device;
    return plan->size.width == cpu->narrow->width ? cpu->narrow : cpu->variant;
}

static const struct cpu_override *override_of(const struct plan *plan, const struct stage *stage) {
    const struct cpu_override *override = &variant_of(plan)->overrides[stage->kernel];
    return override->kernel && plan->device->device.overrides != OVERRIDES_NEVER ? override : NULL;
}

static bool has_scratch(const struct stage *stage) {
    for (uint32_t b = 0; b < kernel_infos[stage->kernel].binding_count; b++)
        if (stage->bindings[b]->use == USE_SCRATCH) return true;
    return false;
}

static struct plan_phase cut_phase(const struct plan *plan, const struct schedule *schedule, uint32_t p) {
    const struct phase *phase = &schedule->phases[p];
    const struct stage *stage = &schedule->stages[phase->first];
    struct plan_phase cut = {.first = phase->first,
                             .count = phase->count,
                             .origin = stage->domain.first,
                             .items = stage_items(stage, &plan->size),
                             .tile = 1,
                             .words = stage->domain.count};
    uint64_t vertices = plan->size.vertices, packs = plan->size.packs;
    const uint32_t item_work = ITEM_WORK[stage->kernel] ? ITEM_WORK[stage->kernel] : 1;
    switch (kernel_infos[stage->kernel].domain) {
    case DOMAIN_PACKS: cut.chunk = (uint32_t)(CHUNK_VERTICES / (vertices / packs + 1) + 1); break;
    case DOMAIN_VERTICES: cut.chunk = CHUNK_ROWS / plan->size.width; break;
    case DOMAIN_ITEMS: cut.chunk = CHUNK_WORDS / item_work; break;
    case DOMAIN_GROUPS:
        cut.tile = stage->domain.tile;
        cut.chunk = CHUNK_WORDS / cut.tile + 1;
        break;
    }
    if (kernel_infos[stage->kernel].domain <= DOMAIN_VERTICES)
        cut.serial_items = vertices < SERIAL_VERTICES ? UINT32_MAX : 0;
    else
        cut.serial_items = SERIAL_WORDS / cut.tile / item_work;
    for (uint32_t i = phase->first; i < phase->first + phase->count; i++)
        cut.banked |= has_scratch(&schedule->stages[i]);
    if (cut.banked) cut.chunk = (uint32_t)(BANKED_VERTICES / (vertices / packs + 1) + 1);
    const struct cpu_override *override = override_of(plan, stage);
    if (override) cut.scratch_size = (size_t)cut.tile * override->scratch_size; // groups are alone in their phase
    return cut;
}

// Rows of vertices that the packs begin to end - 1 have.
static uint32_t rows_of(const struct plan *plan, uint32_t begin, uint32_t end) {
    const uint32_t *first = plan->size.table + (size_t)begin * PACK_UINTS;
    const uint32_t *last = plan->size.table + (size_t)(end - 1) * PACK_UINTS;
    return last[PACK_FIRST] + last[PACK_VERTICES] - first[PACK_FIRST];
}

// Where a buffer begins in the bank of a chunk, for chunks of so many rows; of null: where all of the phase's end.
static size_t bank_place(const struct schedule *schedule, const struct plan_phase *phase, uint32_t rows,
                         const struct buffer *wanted) {
    size_t at = 0;
    for (uint32_t i = phase->first; i < phase->first + phase->count; i++) {
        const struct stage *stage = &schedule->stages[i];
        for (uint32_t b = 0; b < kernel_infos[stage->kernel].binding_count; b++) {
            const struct buffer *buffer = stage->bindings[b];
            bool placed = buffer->use != USE_SCRATCH;
            for (uint32_t k = phase->first; k < i; k++) placed = placed || stage_binds(&schedule->stages[k], buffer);
            if (placed) continue;
            if (buffer == wanted) return at;
            size_t size = (size_t)buffer->row_bytes * rows + (size_t)buffer->pack_bytes * phase->chunk;
            at += (size + BANK_ALIGNMENT - 1) / BANK_ALIGNMENT * BANK_ALIGNMENT;
        }
    }
    return at;
}

static uint32_t most_rows(const struct plan *plan, const struct plan_phase *phase) {
    uint32_t most = 0;
    for (uint32_t begin = 0; begin < phase->items; begin += phase->chunk) {
        uint32_t end = phase->items - begin < phase->chunk ? phase->items : begin + phase->chunk;
        uint32_t rows = rows_of(plan, phase->origin + begin, phase->origin + end);
        if (rows > most) most = rows;
    }
    return most;
}

// Whether no stage of another phase looks for what is scratch of one, and each has few enough.
static bool scratch_stays(const struct plan *plan, const struct schedule *schedule) {
    for (uint32_t p = 0; p < schedule->phase_count; p++) {
        const struct phase *phase = &schedule->phases[p];
        for (uint32_t i = phase->first; i < phase->first + phase->count; i++) {
            const struct stage *stage = &schedule->stages[i];
            uint32_t count = 0;
            for (uint32_t b = 0; b < kernel_infos[stage->kernel].binding_count; b++) {
                if (stage->bindings[b]->use != USE_SCRATCH) continue;
                count++;
                for (uint32_t k = 0; k < schedule->stage_count; k++) {
                    bool outside = k < phase->first || k >= phase->first + phase->count;
                    if (outside && stage_binds(&schedule->stages[k], stage->bindings[b])) return false;
                }
            }
            if (count > MAX_BANKED || (count && !plan->size.table)) return false;
        }
    }
    return true;
}

// Banks for the phase that needs most. A failure leaves those that the plan has.
static plait_result set_banks(struct plan *plan, const struct schedule *schedule) {
    struct device *device = &plan->device->device;
    if (!scratch_stays(plan, schedule)) return PLAIT_ERROR_TOO_LARGE; // a mistake of ours
    size_t size = 0;
    uint32_t chunks = 1;
    for (uint32_t p = 0; p < schedule->phase_count; p++) {
        struct plan_phase phase = cut_phase(plan, schedule, p);
        if (!phase.banked) continue;
        uint32_t rows = most_rows(plan, &phase);
        size_t needed = bank_place(schedule, &phase, rows, NULL);
        if (needed > size) size = needed;
        if (phase.items / phase.chunk >= chunks) chunks = phase.items / phase.chunk + 1;
    }
    if (size <= plan->banks.size) return PLAIT_OK;
    uint32_t count = jobs_threads(device->object.context);
    if (count > chunks) count = chunks;
    if (count > MAX_BANKS) count = MAX_BANKS;
    struct banks banks;
    if (!banks_create(device->object.context, &plan->device->banks, size, count, &banks))
        return PLAIT_ERROR_OUT_OF_MEMORY;
    drop_banks(plan);
    plan->banks = banks;
    atomic_fetch_add(&device->used_bytes, banks.size * banks.count);
    return PLAIT_OK;
}

// Kernels look scratch up as if there were some for all packs.
static void bank_stages(struct plan *plan, const struct schedule *schedule, const struct plan_phase *phase) {
    if (!phase->banked) return;
    uint32_t rows = most_rows(plan, phase);
    for (uint32_t i = phase->first; i < phase->first + phase->count; i++) {
        const struct stage *from = &schedule->stages[i];
        struct plan_stage *stage = &plan->stages[i];
        for (uint32_t b = 0; b < kernel_infos[from->kernel].binding_count; b++) {
            const struct buffer *buffer = from->bindings[b];
            if (buffer->use == USE_SCRATCH)
                stage->banked[stage->banked_count++] = (struct banked){b, bank_place(schedule, phase, rows, buffer),
                                                                       buffer->row_bytes, buffer->pack_bytes};
        }
    }
}

static void set_stage(struct plan *plan, uint32_t i, const struct stage *from) {
    const struct cpu_device *cpu = plan->device;
    struct plan_stage *stage = &plan->stages[i];
    const struct kernel_info *info = &kernel_infos[from->kernel];
    void *pointers[KERNEL_MAX_BINDINGS];
    for (uint32_t b = 0; b < info->binding_count; b++) pointers[b] = from->bindings[b]->memory;
    if (i >= plan->stage_count || stage->id != from->kernel) {
        atomic_store(&stage->total_ns, 0);
        stage->run_count = 0;
    }
    stage->id = from->kernel;
    const struct cpu_override *override = override_of(plan, from);
    stage->kernel = override ? override->kernel : variant_of(plan)->kernels[stage->id];
    if (cpu->skip_physics && info->physics) stage->kernel = NULL;
    stage->counter = NULL;
    stage->banked_count = 0;
    if (from->domain.counter) stage->counter = (const uint32_t *)from->domain.counter->memory + from->domain.counter_at;
    stage_args(from, from->domain.count, pointers, stage->counter, &stage->args);
}

plait_result cpu_plan_set(struct plan *plan, const struct schedule *schedule) {
    if (schedule->stage_count > plan->capacity) return PLAIT_ERROR_TOO_LARGE;
    size_t scratch_size = 0;
    for (uint32_t p = 0; p < schedule->phase_count; p++) {
        size_t size = cut_phase(plan, schedule, p).scratch_size;
        if (size > scratch_size) scratch_size = size;
    }
    if (scratch_size > plan->scratch_size) { // a failure leaves the stages and scratch memory that the plan has
        struct context *context = plan->device->device.object.context;
        void *scratch = memory_allocate(context, SCRATCH_CHUNKS, scratch_size);
        if (!scratch) return PLAIT_ERROR_OUT_OF_MEMORY;
        memory_release(context, plan->scratch);
        plan->scratch = scratch;
        plan->scratch_size = scratch_size;
    }
    plait_result result = set_banks(plan, schedule);
    if (result != PLAIT_OK) return result;
    for (uint32_t p = 0; p < schedule->phase_count; p++) plan->phases[p] = cut_phase(plan, schedule, p);
    for (uint32_t i = 0; i < schedule->stage_count; i++) set_stage(plan, i, &schedule->stages[i]);
    for (uint32_t p = 0; p < schedule->phase_count; p++) bank_stages(plan, schedule, &plan->phases[p]);
    memcpy(plan->cuts, schedule->phases, schedule->phase_count * sizeof *plan->cuts);
    plan->schedule = *schedule;
    plan->schedule.stages = NULL;
    plan->schedule.phases = plan->cuts;
    plan->stage_count = schedule->stage_count;
    return PLAIT_OK;
}

struct phase_run {
    struct plan *plan;
    const struct plan_phase *phase;
    uint32_t items, chunk, chunk_count;
    bool serial;
};

// A stage's arguments with its scratch in a bank. Addresses are whole numbers here: what a kernel adds for its first pack
// leads into the bank, what it begins with need not lie in any memory.
static void bank_args(const struct plan *plan, const struct plan_stage *stage, uint32_t pack, char *bank,
                      union kernel_args *args) {
    *args = stage->args;
    for (uint32_t k = 0; k < stage->banked_count; k++) {
        const struct banked *b = &stage->banked[k];
        uint64_t row = plan->size.table[(size_t)pack * PACK_UINTS + PACK_FIRST];
        uintptr_t at = (uintptr_t)bank + b->offset - (uintptr_t)(row * b->row_bytes + (uint64_t)pack * b->pack_bytes);
        memcpy((char *)args + b->binding * sizeof at, &at, sizeof at);
    }
}

static void PLAIT_CALL run_chunk(void *argument, uint32_t index) {
    const struct phase_run *run = argument;
    const struct plan_phase *phase = run->phase;
    uint32_t begin = index * run->chunk;
    uint32_t end = run->items - begin < run->chunk ? run->items : begin + run->chunk;
    void *scratch = run->plan->scratch;
    if (phase->scratch_size && !run->serial) scratch = (char *)scratch + index * phase->scratch_size;
    char *bank = phase->banked ? bank_take(&run->plan->device->banks, run->plan->banks.size) : NULL;
    uint64_t saved = float_state_enter();
    uint64_t started = now_ns();
    for (uint32_t i = phase->first; i < phase->first + phase->count; i++) {
        struct plan_stage *stage = &run->plan->stages[i];
        if (!stage->kernel) continue;
        const union kernel_args *args = &stage->args;
        union kernel_args banked;
        if (stage->banked_count) {
            bank_args(run->plan, stage, phase->origin + begin, bank, &banked);
            args = &banked;
        }
        stage->kernel(args, begin, end, scratch);
        uint64_t ended = now_ns();
        atomic_fetch_add_explicit(&stage->total_ns, ended - started, memory_order_relaxed);
        started = ended;
    }
    float_state_leave(saved);
    if (bank) bank_give(&run->plan->device->banks, bank);
}

static void PLAIT_CALL run_serially(void *argument, uint32_t index) {
    const struct phase_run *run = argument;
    (void)index;
    for (uint32_t i = 0; i < run->chunk_count; i++) run_chunk(argument, i);
}

// A phase as jobs; what is not worth handing out is one.
static struct share_piece phase_piece(struct plan *plan, const struct plan_phase *phase, struct phase_run *run) {
    const struct plan_stage *first = &plan->stages[phase->first];
    *run = (struct phase_run){.plan = plan, .phase = phase, .items = phase->items, .chunk = phase->chunk};
    if (first->counter && *first->counter < phase->words)
        run->items = (*first->counter + phase->tile - 1) / phase->tile;
    if (phase->scratch_size && run->items > SCRATCH_CHUNKS * run->chunk)
        run->chunk = (run->items + SCRATCH_CHUNKS - 1) / SCRATCH_CHUNKS;
    run->serial = run->items <= phase->serial_items || jobs_threads(plan->device->device.object.context) == 1;
    for (uint32_t i = phase->first; i < phase->first + phase->count; i++) plan->stages[i].run_count++;
    run->chunk_count = (run->items + run->chunk - 1) / run->chunk;
    if (run->serial) return (struct share_piece){run_serially, run, 1};
    return (struct share_piece){run_chunk, run, run->chunk_count};
}

struct plan_run {
    struct share_run run;
    struct plan *plan;
    struct cursor cursor;
    struct phase_run phase; // the present one
};

static bool next_phase(struct share_run *run, struct share_piece *piece) {
    struct plan_run *r = (struct plan_run *)run;
    if (!schedule_next(&r->plan->schedule, &r->cursor)) return false;
    *piece = phase_piece(r->plan, &r->plan->phases[r->cursor.phase], &r->phase);
    return true;
}

plait_result cpu_plan_run(struct plan *plan) {
    struct plan_run run = {.run.next = next_phase, .plan = plan};
    struct share_piece piece;
    if (share_is_shared(plan->arena->share))
        share_take_turn(plan->arena->share, &run.run);
    else
        while (next_phase(&run.run, &piece)) {
            if (plan->arena->arena.crew)
                crew_share(plan->arena->arena.crew, piece.count, piece.job, piece.argument);
            else
                jobs_run(plan->device->device.object.context, piece.count, piece.job, piece.argument);
        }
    return PLAIT_OK;
}

void cpu_plan_time(const struct plan *plan, uint32_t stage, struct stage_time *time) {
    time->total_ns = atomic_load(&plan->stages[stage].total_ns);
    time->run_count = plan->stages[stage].run_count;
}
