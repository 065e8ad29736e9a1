/* .npz files: the fuzzer's bytes as they are, or as choices of arrays, of which a valid archive is made with their bytes as its
 * data. */
#include "bytes.h"
#include "groom_file.h"

typedef struct buffer {
    uint8_t bytes[1 << 16];
    size_t size;
} buffer;

static void put(buffer *b, const void *bytes, size_t size) {
    if (size > sizeof b->bytes - b->size) return;
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
}

static void put_number(buffer *b, uint32_t number, size_t bytes) {
    uint8_t little[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16), (uint8_t)(number >> 24)};
    put(b, little, bytes);
}

static uint32_t crc32_of(const uint8_t *bytes, size_t size) {
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/* A local header, or, with the place of one, that of the directory (PKWARE's APPNOTE 4.3.7 and 4.3.12). */
static void put_entry(buffer *b, const char *name, const buffer *data, long place) {
    put_number(b, place < 0 ? 0x04034b50 : 0x02014b50, 4);
    if (place >= 0) put_number(b, 20, 2);
    put_number(b, 20, 4);
    put_number(b, 0, 2);
    put_number(b, 0x210000, 4);
    put_number(b, crc32_of(data->bytes, data->size), 4);
    put_number(b, (uint32_t)data->size, 4);
    put_number(b, (uint32_t)data->size, 4);
    put_number(b, (uint32_t)strlen(name), 2);
    put_number(b, 0, place < 0 ? 2 : 4);
    if (place >= 0) {
        put_number(b, 0, 4);
        put_number(b, 0, 4);
        put_number(b, (uint32_t)place, 4);
    }
    put(b, name, strlen(name));
    if (place < 0) put(b, data->bytes, data->size);
}

/* A few strands of a few vertices; whatever the other arrays should have, they mostly do. */
static void make_array(bytes *in, const char *name, const char *type, uint32_t rows, uint32_t columns, buffer *to) {
    char header[128];
    uint32_t item = (uint32_t)strtoul(type + 2, NULL, 10), count = rows * columns;
    uint8_t spoiled = take_byte(in);
    int length;
    to->size = 0;
    if (spoiled % 16 == 1) rows = take_byte(in), count = rows * columns;
    if (spoiled % 16 == 2) columns = take_byte(in), count = rows * columns;
    if (spoiled % 16 == 3) count = take_byte(in);
    length = snprintf(header, sizeof header,
                      columns == 1 ? "{'descr': '%s', 'fortran_order': %s, 'shape': (%u,), }"
                                   : "{'descr': '%s', 'fortran_order': %s, 'shape': (%u, %u), }",
                      type, spoiled % 8 == 7 ? "True" : "False", rows, columns);
    if (spoiled % 16 == 4) header[take_byte(in) % length] = (char)take_byte(in);
    put(to, "\x93NUMPY\x01\0", 8);
    put_number(to, (uint32_t)length, 2);
    put(to, header, (size_t)length);
    for (uint32_t i = 0; i < count * item && to->size < 4096; i++) {
        uint8_t byte = take_byte(in);
        put(to, &byte, 1);
    }
    (void)name;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct {
        const char *name;
        const char *type;
        char rows; /* strands, vertices, bones, groups, guides, one */
        uint32_t columns;
    } arrays[] = {
        {"vertex_counts", "|u1", 's', 1},
        {"positions", "<f4", 'v', 3},
        {"radii", "<f4", 'v', 1},
        {"transparencies", "<f4", 'v', 1},
        {"colors", "<f8", 'v', 3},
        {"uvs", "<f4", 'v', 2},
        {"root_bones", "|u1", 's', 1},
        {"root_normals", "<f4", 's', 3},
        {"root_uvs", "<f4", 's', 2},
        {"group_indices", "|u1", 's', 1},
        {"held_counts", "|i1", 's', 1},
        {"source_strands", "<i2", 's', 1},
        {"bind_pose", "<f4", 'b', 12},
        {"bone_names", "|S4", 'b', 1},
        {"guides", "|u1", 'k', 1},
        {"closest_guides", "|u1", 's', 2},
        {"guide_weights", "<f4", 's', 2},
        {"hair_header", "|u1", '1', 128},
        {"root_binding_bones", "|u1", 's', 4},
        {"group_radii", "<f4", 'g', 1},
        {"root_binding_weights", "<f4", 's', 4},
        {"group_frictions", "<f4", 'g', 1},
        {"meters_per_unit", "<f4", '1', 1},
        {"version", "|u1", '1', 1},
        {"color", "<f4", '1', 3},
        {"radius", "<f8", '1', 1},
    };
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    static buffer archive, directory, array;
    bytes in = {data, size, 0};
    uint32_t chosen, strands, vertices, count = 0;
    if (size < 8 || data[0] % 16 == 0) {
        read_groom(data, size, PLAIT_GF_FORMAT_NPZ, NULL);
        return 0;
    }
    take_byte(&in);
    chosen = take_u32(&in) | 3;
    strands = 1 + take_byte(&in) % 6;
    vertices = 2 * strands;
    archive.size = directory.size = 0;
    for (uint32_t i = 0; i < ARRAYS; i++) {
        uint32_t rows = 1;
        char name[64];
        if (!(chosen & 1u << i)) continue;
        switch (arrays[i].rows) {
        case 's': rows = strands; break;
        case 'v': rows = vertices; break;
        case 'b': rows = 2; break;
        case 'g': rows = 2; break;
        case 'k': rows = strands > 2 ? 2 : 1; break;
        default: break;
        }
        make_array(&in, arrays[i].name, arrays[i].type, rows, arrays[i].columns, &array);
        if (i == 0 && data[0] % 4) /* counts that are right */
            for (uint32_t s = 0; s < strands && s < array.size; s++) array.bytes[array.size - 1 - s] = 2;
        snprintf(name, sizeof name, "%s.npy", arrays[i].name);
        long place = (long)archive.size;
        put_entry(&archive, name, &array, -1);
        put_entry(&directory, name, &array, place);
        count++;
    }
    size_t at = archive.size;
    put(&archive, directory.bytes, directory.size);
    put_number(&archive, 0x06054b50, 4);
    put_number(&archive, 0, 4);
    put_number(&archive, count, 2);
    put_number(&archive, count, 2);
    put_number(&archive, (uint32_t)directory.size, 4);
    put_number(&archive, (uint32_t)at, 4);
    put_number(&archive, 0, 2);
    uint8_t *copy = malloc(archive.size);
    memcpy(copy, archive.bytes, archive.size);
    read_groom(copy, archive.size, PLAIT_GF_FORMAT_AUTO, NULL);
    free(copy);
    return 0;
}
