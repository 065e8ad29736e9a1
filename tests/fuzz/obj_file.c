/* .obj files: the fuzzer's bytes as they are, or as choices of words. */
#include <math.h>

#include "groom_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const words[] = {"v 1 2 3\n", "v ",   "f 1 2 3\n",  "f ",   "1 ",          "-1 ",   "2/3/4 ",
                                        "-2//5 ",    "\n",   "vn 1 2 3\n", "0.5 ", "# ",          "o a\n", "9 ",
                                        "0 ",        "1e9 ", "-3 ",        "3 ",   "4294967297 ", "\\\n"};
    enum { WORDS = sizeof words / sizeof *words };
    static const plait_gf_mesh empty;
    plait_gf_mesh mesh;
    plait_gf_report report;
    char *text = malloc(size * 16 + 16);
    size_t length = 0;
    if (size > 0 && data[0] % 8)
        for (size_t i = 1; i < size; i++)
            length += (size_t)sprintf(text + length, data[i] < 12 * WORDS ? "%s" : "%.1s", words[data[i] % WORDS]);
    else if (size > 0)
        memcpy(text, data + 1, length = size - 1);
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    free(text);
    if (plait_gf_mesh_read_memory(copy, length, 0.5f, &mesh, &report) == PLAIT_OK) {
        CHECK(mesh.triangle_count > 0);
        for (size_t i = 0; i < 3 * (size_t)mesh.triangle_count; i++) CHECK(mesh.triangles[i] < mesh.vertex_count);
        for (size_t i = 0; i < 3 * (size_t)mesh.vertex_count; i++) CHECK(isfinite(mesh.positions[i]));
    } else {
        CHECK(strlen(report.message) > 8 && memcmp(&mesh, &empty, sizeof empty) == 0);
    }
    plait_gf_mesh_free(&mesh);
    free(copy);
    return 0;
}
