// What NVIDIA's compiler reports about the kernels, without a GPU: registers, spills, shared memory and the resulting
// occupancy for several architectures; and the bandwidth bound of a given card. cuda_report [--json FILE]
#include "kernel.h"
#include "layout.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 65536 registers in four partitions: CUDA Toolkit, cuda_occupancy.h.
enum { BLOCK_SIZE = 64, WARP = 32, PARTITIONS = 4, PARTITION_REGISTERS = 16384, MAX_KERNELS = 64 };

// Limits of one multiprocessor: CUDA Programming Guide, appendix Compute Capabilities, "Features and Technical
// Specifications", https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/compute-capabilities.html; the
// same in CCCL, libcudacxx/include/cuda/__device/arch_traits.h. (The Blackwell tuning guide says 32 blocks for 12.0;
// devices say 24.)
static const struct architecture {
    int number, warps, blocks;
    unsigned shared_bytes, reserved_bytes; // reserved: of shared memory, in each block
} architectures[] = {{75, 32, 16, 64 << 10, 0},
                     {86, 48, 16, 100 << 10, 1 << 10},
                     {89, 48, 24, 100 << 10, 1 << 10},
                     {120, 48, 24, 100 << 10, 1 << 10}};
#define ARCHITECTURES (sizeof architectures / sizeof architectures[0])

struct kernel {
    char name[64];
    unsigned registers, spill_bytes, shared_bytes, stack_bytes;
};

static int block_threads(const char *kernel) {
    enum { PACKS = BLOCK_SIZE, VERTICES = BLOCK_SIZE, ITEMS = BLOCK_SIZE, GROUPS = GROUP_THREADS };
#define X(name, domain, scope, physics)                                                                                \
    if (strcmp(kernel, "plait_" #name) == 0) return domain;
    FOR_EACH_KERNEL(X)
#undef X
    return OVERRIDE_GROUP;
}

// Registers are given to warps in the same partition, 256 at a time.
static unsigned occupancy_percent(const struct architecture *a, const struct kernel *k) {
    unsigned per_warp = (k->registers + 7) / 8 * 8 * WARP;
    int block_warps = block_threads(k->name) / WARP;
    int warps = (int)(PARTITION_REGISTERS / per_warp * PARTITIONS), blocks = warps / block_warps;
    if (blocks > a->blocks) blocks = a->blocks;
    unsigned shared = k->shared_bytes + a->reserved_bytes;
    if (shared && blocks > (int)(a->shared_bytes / shared)) blocks = (int)(a->shared_bytes / shared);
    if (blocks > a->warps / block_warps) blocks = a->warps / block_warps;
    return (unsigned)(100 * blocks * block_warps / a->warps);
}

// Reads what ptxas -v prints. -1: it failed.
static int compile(int architecture, struct kernel *kernels) {
    char command[4096], line[1024];
    snprintf(command, sizeof command, "'%s' -v -arch=sm_%d -o /dev/null '%s' 2>&1", PLAIT_PTXAS, architecture,
             PLAIT_CUDA_PTX);
    FILE *output = popen(command, "r");
    if (!output) return -1;
    int count = 0;
    while (fgets(line, sizeof line, output)) {
        struct kernel *k = &kernels[count > 0 ? count - 1 : 0];
        unsigned stores, loads;
        const char *at;
        if ((at = strstr(line, "Compiling entry function '")) && count < MAX_KERNELS) {
            memset(&kernels[count], 0, sizeof kernels[count]);
            sscanf(at, "Compiling entry function '%63[^']'", kernels[count++].name);
        } else if (sscanf(line, " %u bytes stack frame, %u bytes spill stores, %u bytes spill loads", &k->stack_bytes,
                          &stores, &loads) == 3) {
            k->spill_bytes = stores + loads;
        } else if ((at = strstr(line, "Used "))) {
            sscanf(at, "Used %u registers", &k->registers);
            if ((at = strstr(line, " bytes smem"))) {
                while (at > line && strchr("0123456789", at[-1])) at--;
                k->shared_bytes = (unsigned)strtoul(at, NULL, 10);
            }
        }
    }
    return pclose(output) == 0 ? count : -1;
}

// The minimum that a step of solver shape moves with perfect caches: what each vertex and each strand must read and
// write once. Bones, colliders and pack tables are shared by many and not counted.
static double bytes_per_vertex(double vertices_per_strand) {
    double vertex = 4 * (3 + 3)                           // position and velocity read
                    + 4 * TARGET_ROWS                     // rest shape read
                    + 4 * (3 + 3);                        // position and velocity written
    double roots = 4 * (BIND_WEIGHTS + 1 + 1)             // binding of one bone read
                   + 4 * ROOT_ROWS * 3;                   // roots read, kept as those before, and written
    double shape = 4 * SHAPE_ROWS + 4 * ROOT_ROWS + 4 * 6 // constants, roots, the frame before read
                   + 4 * RESULT_ROWS;                     // results written
    return vertex + (roots + shape) / vertices_per_strand;
}

static bool figure(FILE *json, const char *name, double value, const char *unit, const char *target, bool met) {
    printf("%-28s %10.3f %-5s %-14s %s\n", name, value, unit, target ? target : "-", target ? met ? "yes" : "no" : "-");
    return !json || fprintf(json, "{\"name\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",\"target\":%s}\n", name, value, unit,
                            target ? "0" : "null") > 0;
}

int main(int argc, char **argv) {
    FILE *json = NULL;
    if (argc == 3 && strcmp(argv[1], "--json") == 0) json = fopen(argv[2], "w");
    if (argc != 1 && !json) {
        fprintf(stderr, "usage: cuda_report [--json FILE]\n");
        return 2;
    }
    unsigned spills = 0, registers = 0;
    printf("%-24s %6s %10s %8s %8s %8s %11s\n", "kernel", "arch", "registers", "spills", "stack", "shared",
           "occupancy");
    for (size_t a = 0; a < ARCHITECTURES; a++) {
        static struct kernel kernels[MAX_KERNELS];
        int count = compile(architectures[a].number, kernels);
        if (count <= 0) {
            fprintf(stderr, "cuda_report: ptxas failed for sm_%d\n", architectures[a].number);
            return 1;
        }
        for (int k = 0; k < count; k++) {
            printf("%-24s sm_%-3d %10u %6u B %6u B %6u B %10u%%\n", kernels[k].name, architectures[a].number,
                   kernels[k].registers, kernels[k].spill_bytes, kernels[k].stack_bytes, kernels[k].shared_bytes,
                   occupancy_percent(&architectures[a], &kernels[k]));
            spills += kernels[k].spill_bytes;
            if (kernels[k].registers > registers) registers = kernels[k].registers;
        }
    }
    // RTX 3060 12 GB: 192 bits at 15 Gbit/s.
    const double strands = 10000, vertices = 100, bandwidth = 192 / 8 * 15e9;
    double bytes = bytes_per_vertex(vertices), bound = 1e3 * bytes * strands * vertices / bandwidth;
    printf(
        "\nBlocks of %d threads, of overrides 32, of kernels over groups 128. Occupancy is what the limits of a "
        "multiprocessor allow, not a "
        "measurement.\n"
        "cuda.bound_ms is a bound, not a measurement: one step of solver shape on %g strands of %g vertices moves at\n"
        "least %.1f bytes a vertex; a GeForce RTX 3060 (sm_86, 3 MB of cache) moves 360 GB/s.\n\n",
        BLOCK_SIZE, strands, vertices, bytes);
    printf("%-28s %10s %-5s %-14s %s\n", "figure", "value", "unit", "target", "met");
    bool written = figure(json, "cuda.spills", spills, "B", "at most 0", spills == 0) &&
                   figure(json, "cuda.registers_max", registers, "", NULL, true) &&
                   figure(json, "cuda.bytes_per_vertex", bytes, "B", NULL, true) &&
                   figure(json, "cuda.bound_ms", bound, "ms", NULL, true);
    if (json && fclose(json) != 0) written = false;
    return written && spills == 0 ? 0 : 1;
}
