/* cmocka with the headers it needs, and random numbers for tests. */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014): apart from the streams under test. */
struct test_random {
    uint64_t state;
};

static inline uint64_t test_random_next(struct test_random *random) {
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In [0, count), count > 0. */
static inline int32_t test_random_below(struct test_random *random, int32_t count) {
    return (int32_t)(test_random_next(random) % (uint64_t)count);
}

/* In [from, to]. */
static inline int32_t test_random_between(struct test_random *random, int32_t from, int32_t to) {
    return from + test_random_below(random, to - from + 1);
}

/* True once in `count` times. */
static inline bool test_random_once_in(struct test_random *random, int32_t count) {
    return test_random_below(random, count) == 0;
}

#endif
