/* Checked allocation: what comes back is usable as promised, and running out stops the program with
 * a message. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/kernel/arena.h"
#include "sim/kernel/memory.h"
#include "tests/support/unit.h"

static void zeroed_copied_and_resized(void **state) {
    (void)state;
    uint64_t *numbers = memory_zero(100, sizeof(numbers[0]));
    for (int i = 0; i < 100; i++) {
        assert_int_equal(numbers[i], 0);
        numbers[i] = (uint64_t)i;
    }
    numbers = memory_reallocate(numbers, 1000, sizeof(numbers[0]));
    assert_int_equal(numbers[99], 99);
    uint64_t *copy = memory_duplicate(numbers, 100 * sizeof(numbers[0]));
    assert_memory_equal(copy, numbers, 100 * sizeof(numbers[0]));
    free(copy);
    free(numbers);
    char *text = memory_duplicate_string("A100");
    assert_string_equal(text, "A100");
    free(text);
}

static void nothing_has_an_address_too(void **state) {
    (void)state;
    void *blocks[] = {memory_allocate(0), memory_zero(0, 8), memory_reallocate(NULL, 0, 8),
                      memory_duplicate(NULL, 0), memory_allocate_aligned(64, 0, 8)};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        assert_non_null(blocks[i]);
        free(blocks[i]);
    }
}

static void aligned(void **state) {
    (void)state;
    for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
        void *block = memory_allocate_aligned(alignment, 3, 5);
        assert_int_equal((uintptr_t)block % alignment, 0);
        free(block);
    }
}

static void growing_keeps_the_items_and_doubles(void **state) {
    (void)state;
    int *items = NULL;
    size_t capacity = 0;
    int moves = 0;
    for (size_t i = 0; i < 10000; i++) {
        size_t before = capacity;
        items = memory_grow(items, &capacity, i + 1, sizeof(items[0]));
        moves += capacity != before;
        items[i] = (int)i;
    }
    /* 8 x 2^k >= 10000 first at k = 11, and one step from nothing to 8. */
    assert_int_equal(moves, 12);
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(items[i], i);
    }
    free(items);
}

static void a_large_step_is_one_step(void **state) {
    (void)state;
    size_t capacity = 0;
    char *items = memory_grow(NULL, &capacity, 1000, 1);
    assert_int_equal(capacity, 1024);
    assert_ptr_equal(memory_grow(items, &capacity, 1024, 1), items);
    free(items);
}

static void the_arena_aligns_and_zeroes_pieces_of_any_size(void **state) {
    (void)state;
    struct arena arena = {0};
    struct test_random random = {1};
    for (int i = 0; i < 3000; i++) {
        size_t size = (size_t)test_random_below(&random, i % 100 == 0 ? 3000000 : 300);
        unsigned char *piece = arena_allocate(&arena, size, 1);
        assert_int_equal((uintptr_t)piece % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < size; k += 1 + size / 64) {
            assert_int_equal(piece[k], 0);
        }
        memset(piece, 0xFF, size); /* the next piece must not see this */
    }
    arena_clear(&arena);
    assert_int_equal(arena.bytes, 0);
    assert_string_equal(arena_duplicate_string(&arena, "anew"), "anew");
    arena_clear(&arena);
}

/* What is more than the address space, asked for in each way. */
static void ask_for_too_much(int way) {
    struct arena arena = {0};
    size_t capacity = 0;
    switch (way) {
    case 0:
        free(memory_zero(SIZE_MAX / 2, 4));
        break;
    case 1:
        free(memory_reallocate(NULL, SIZE_MAX / 2, 4));
        break;
    case 2:
        free(memory_allocate_aligned(64, SIZE_MAX / 2, 4));
        break;
    case 3:
        free(memory_grow(NULL, &capacity, SIZE_MAX, 1));
        break;
    case 4:
        arena_allocate(&arena, SIZE_MAX / 2, 4);
        break;
    default:
        memory_exhausted(42);
    }
}

static void running_out_says_so_and_aborts(void **state) {
    (void)state;
    for (int way = 0; way <= 5; way++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDERR_FILENO);
            signal(SIGABRT, SIG_DFL);
            ask_for_too_much(way);
            _exit(0);
        }
        close(ends[1]);
        char said[256] = "";
        ssize_t length = read(ends[0], said, sizeof(said) - 1);
        close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        assert_true(length > 0);
        assert_non_null(strstr(said, "headroom: out of memory"));
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeroed_copied_and_resized),
        cmocka_unit_test(nothing_has_an_address_too),
        cmocka_unit_test(aligned),
        cmocka_unit_test(growing_keeps_the_items_and_doubles),
        cmocka_unit_test(a_large_step_is_one_step),
        cmocka_unit_test(the_arena_aligns_and_zeroes_pieces_of_any_size),
        cmocka_unit_test(running_out_says_so_and_aborts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
