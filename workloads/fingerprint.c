#include "workloads/fingerprint.h"

#include <string.h>

/* Multiplies to 128 bits and folds the halves, eight bytes at a time, as wyhash does (Wang Yi,
 * 2019); the constants are odd and have no pattern. */
static uint64_t fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t fingerprint(const void *bytes, size_t size) {
    const unsigned char *next = bytes;
    uint64_t hash = fold(size ^ UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db));
    for (; size >= 8; next += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        hash = fold(hash ^ word, UINT64_C(0x8ebc6af09c88c6e3)) + word;
    }
    uint64_t rest = 0;
    memcpy(&rest, next, size);
    return fold(hash ^ rest, UINT64_C(0x589965cc75374cc3));
}
