/* .hair files from the fuzzer's bytes: as they are, or as a header whose counts are near what the file has. */
#include "groom_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *file = calloc(1, size + 128);
    size_t length = size + 4;
    memcpy(file, "HAIR", 4);
    if (size < 5 || data[0] % 8 == 0) {
        memcpy(file + 4, data, size);
    } else {
        file[4] = data[1] % 16;
        file[8] = data[2];
        file[12] = data[3] % 32 | 2;
        file[16] = data[4] % 8;
        length = size - 5 + 128;
        memcpy(file + 128, data + 5, size - 5);
    }
    uint8_t *copy = malloc(length);
    memcpy(copy, file, length);
    read_groom(copy, length, PLAIT_GF_FORMAT_AUTO, NULL);
    free(copy);
    free(file);
    return 0;
}
