// A real Vulkan driver draws and CUDA simulates: one imports the memory of the other, as on one card with both drivers.
// Here lavapipe's memory, whose descriptor is a file, and the fake CUDA driver on "the same card".
#include "vulkan_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Offset of the renderer's memory in its file, found by writing a pattern.
static bool find_memory(struct vulkan_host *host, int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0 || info.st_size <= 0) return false;
    size_t size = (size_t)info.st_size;
    unsigned char *file = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) return false;
    for (uint32_t i = 0; i < 64; i++) host->mapped[i] = (float)(4711 + i * i);
    size_t at = 0;
    while (at + HOST_BUFFER_BYTES <= size && memcmp(file + at, host->mapped, 256) != 0) at += 4;
    munmap(file, size);
    char text[32];
    snprintf(text, sizeof text, "%zu", at);
    setenv("FAKE_CUDA_FILE_OFFSET", text, 1);
    return at + HOST_BUFFER_BYTES <= size;
}

static void strands_of_cuda_land_in_the_renderers_memory(void **state) {
    (void)state;
    struct vulkan_host host;
    if (!host_open(&host, true)) skip();
    plait_external_memory external = host_export(&host);
    if (!find_memory(&host, (int)external.handle)) {
        printf("the renderer's memory is no file that can be looked into\n");
        close((int)external.handle);
        host_close(&host);
        skip();
    }
    char uuid[33];
    for (int i = 0; i < 16; i++) snprintf(uuid + 2 * i, 3, "%02x", host.device_uuid[i]);
    setenv("FAKE_CUDA_UUID", uuid, 1);

    struct straight strands = straight_make(40, 20, 0.2f, (float[3]){1, 0, 0});
    struct rig_options options = rig_options(&strands.desc);
    options.backend = PLAIT_BACKEND_CUDA;
    struct rig rig = rig_open(&options);
    struct rig_output output;
    rig_describe_output(rig.vertices, NULL, &output);
    output.desc.head.next = &external;
    external.offset = 4 * 64;
    external.device_uuid[5] ^= 1;
    assert_int_equal(plait_hair_set_output(rig.hair, &output.desc), PLAIT_ERROR_OTHER_DEVICE);
    external.device_uuid[5] ^= 1;
    assert_ok(plait_hair_set_output(rig.hair, &output.desc));
    for (int f = 0; f < 10; f++) {
        rig_step(&rig, 1.0f / 60, NULL, true);
        assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
        float *positions = rig_positions(&rig);
        assert_memory_equal(host.mapped + 64, positions, 12ull * rig.vertices); // as Vulkan sees it
        free(positions);
    }
    for (uint32_t i = 0; i < 64; i++) assert_true(host.mapped[i] == (float)(4711 + i * i));
    // The renderer's device can take over the hair, with the output in place, and give it back.
    plait_device vulkan = host_open_plait(rig.context, &host);
    for (int i = 0; i < 2; i++) {
        assert_ok(plait_hair_set_device(rig.hair, i == 0 ? vulkan : rig.device));
        rig_step(&rig, 1.0f / 60, NULL, true);
        assert_ok(plait_hair_wait(rig.hair, UINT64_MAX));
        float *positions = rig_positions(&rig);
        assert_memory_equal(host.mapped + 64, positions, 12ull * rig.vertices);
        free(positions);
    }
    assert_ok(plait_device_close(vulkan));
    assert_ok(plait_hair_set_output(rig.hair, NULL));
    rig_close(&rig);
    straight_free(&strands);
    host_close(&host);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(strands_of_cuda_land_in_the_renderers_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
