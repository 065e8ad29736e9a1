// A 64-bit hash for identities and checksums, against accidents only, not attacks. FNV-1a over words of eight bytes, with
// the high bits folded down after each, then over the remaining bytes.
#ifndef PLAIT_HASH_H
#define PLAIT_HASH_H

#include <stdint.h>
#include <string.h>

#define HASH_START 0xcbf29ce484222325u

static inline uint64_t hash_bytes(uint64_t hash, const void *data, uint64_t size) {
    const unsigned char *bytes = data;
    uint64_t at = 0;
    for (; at + 8 <= size; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    for (; at < size; at++) hash = (hash ^ bytes[at]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

#endif
