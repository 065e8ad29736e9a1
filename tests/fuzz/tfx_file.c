/* .tfx files with their bones: the fuzzer's bytes as they are, or as a header whose counts are near what the files have. Two bytes
 * tell how long the .tfx file is; what follows it is its .tfxbone file. */
#include "groom_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    plait_gf_read_options options = {0};
    uint8_t *file, *bones;
    size_t length, left, header = 160;
    if (size < 8) return 0;
    length = (size_t)(data[0] | data[1] << 8) % (size - 7);
    left = size - 8 - length;
    file = calloc(1, header + length);
    bones = malloc(left + 1);
    memcpy(file, "\0\0\x80\x40", 4); /* 4.0 */
    if (data[2] % 8 == 0) {
        header = 4;
    } else {
        file[4] = data[3] % 8;
        file[8] = data[4] % 8;
        for (int i = 0; i < 5; i++) /* arrays may lie on one another */
            if (i == 0 || data[5] & 1 << i) file[12 + 4 * i] = (uint8_t)(160 + data[6] % 32 * (i > 0));
    }
    memcpy(file + header, data + 8, length);
    memcpy(bones, data + 8 + length, left);
    if (left > 0 && data[7] % 4) {
        options.bone_bytes = bones;
        options.bone_size = left;
    }
    options.weld_distance = data[2] % 2 ? 0.1f : 0;
    uint8_t *copy = malloc(header + length);
    memcpy(copy, file, header + length);
    read_groom(copy, header + length, PLAIT_GF_FORMAT_AUTO, &options);
    free(copy);
    free(file);
    free(bones);
    return 0;
}
