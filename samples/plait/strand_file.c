// See strand_file.h.
#include "strand_file.h"
#include "system.h"

#include <string.h>

static bool put_words(FILE *file, const void *words, size_t count);

bool strand_file_begin(const char *path, const strand_file_header *header, FILE **file) {
    *file = system_open(path, "wb");
    if (!*file) return false;
    uint32_t words[5] = {1, header->strand_count, header->vertex_count, header->frame_count, 0};
    memcpy(&words[4], &header->fps, sizeof header->fps);
    if (fwrite("PLTS", 1, 4, *file) == 4 && put_words(*file, words, 5) &&
        put_words(*file, header->vertex_counts, header->strand_count))
        return true;
    fclose(*file);
    *file = NULL;
    return false;
}

bool strand_file_frame(FILE *file, uint32_t vertex_count, const float *positions) {
    return put_words(file, positions, 3 * (size_t)vertex_count);
}

bool strand_file_end(FILE *file) { return fclose(file) == 0; }

bool strand_file_obj(const char *path, const strand_file_header *header, const float *positions) {
    FILE *file = system_open(path, "w");
    if (!file) return false;
    fprintf(file, "# %u strands, %u vertices, metres\n", header->strand_count, header->vertex_count);
    for (uint32_t v = 0; v < header->vertex_count; v++, positions += 3)
        fprintf(file, "v %.9g %.9g %.9g\n", (double)positions[0], (double)positions[1], (double)positions[2]);
    uint32_t index = 1;
    for (uint32_t s = 0; s < header->strand_count; s++) {
        fputc('l', file);
        for (uint32_t v = 0; v < header->vertex_counts[s]; v++) fprintf(file, " %u", index++);
        fputc('\n', file);
    }
    bool written = !ferror(file);
    return fclose(file) == 0 && written;
}

// Writes 32-bit words as little-endian bytes, whatever this machine's byte order is.
static bool put_words(FILE *file, const void *words, size_t count) {
    unsigned char bytes[4096];
    const unsigned char *from = words;
    while (count > 0) {
        size_t some = count < sizeof bytes / 4 ? count : sizeof bytes / 4;
        for (size_t i = 0; i < some; i++) {
            uint32_t word;
            memcpy(&word, from + 4 * i, 4);
            for (size_t b = 0; b < 4; b++) bytes[4 * i + b] = (unsigned char)(word >> (8 * b));
        }
        if (fwrite(bytes, 4, some, file) != some) return false;
        from += 4 * some;
        count -= some;
    }
    return true;
}
