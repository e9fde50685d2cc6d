/* Errors carry their place and their text, cut where they must be, and sort as a reader meets them.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/error.h"
#include "tests/support/unit.h"

static void assert_formats(const struct error *error, const char *expected) {
    char buffer[2048];
    assert_string_equal(error_format(error, buffer, sizeof(buffer)), expected);
}

static void shows_the_known_parts_of_the_place(void **state) {
    (void)state;
    struct error error;
    error_set(&error, "a.yaml", 3, 7, "no %s", "GPU");
    assert_formats(&error, "a.yaml:3:7: no GPU");
    error_set(&error, "a.yaml", 3, 0, "no GPU");
    assert_formats(&error, "a.yaml:3: no GPU");
    error_set(&error, "a.yaml", 0, 0, "no GPU");
    assert_formats(&error, "a.yaml: no GPU");
    error_set(&error, NULL, 0, 0, "no GPU");
    assert_formats(&error, "no GPU");
}

/* ESC, BEL, newline and DEL; CSI as U+009B and as a bare byte; the bidirectional override U+202E
 * and isolate U+2066. What stands next to them in Unicode (U+00A0, U+2029, U+202F, U+206A) is left.
 */
static void hostile_characters_are_shown_escaped(void **state) {
    (void)state;
    struct error error;
    error_set(&error, "a\x1b[2J\n.yaml", 3, 7, "\a é \x7f \xc2\x9b[m \x9b \u202e\u2066");
    assert_formats(&error, "a\\x1b[2J\\x0a.yaml:3:7: \\x07 é \\x7f \\x9b[m \\x9b "
                           "\\u202e\\u2066");
    error_set(&error, NULL, 0, 0, "\u00a0\u2029\u202f\u206a € 🙂");
    assert_formats(&error, "\u00a0\u2029\u202f\u206a € 🙂");
}

static void format_never_overruns_its_buffer(void **state) {
    (void)state;
    struct error error;
    error_set(&error, "a.yaml", 3, 7, "no GPU");
    char buffer[9] = "xxxxxxxx";
    error_format(&error, buffer, 8);
    assert_string_equal(buffer, "a.yaml:");
}

/* 1023 bytes fit. Of a text that is one byte of ASCII and then two-byte characters, 511 whole
 * characters fit after it; of one without it, 511 too, and a byte is left empty. */
static void long_texts_are_cut_between_characters(void **state) {
    (void)state;
    char text[4096] = "";
    for (int i = 0; i < 1000; i++) {
        strcat(text, "é");
    }
    struct error error;
    error_set(&error, text, 1, 1, "%s", text);
    assert_int_equal(strlen(error.message), 1022);
    assert_int_equal(strlen(error.file), 510);
    assert_memory_equal(error.message + 1020, "é", 2);
    error_set(&error, "f", 1, 1, "a%s", text);
    assert_int_equal(strlen(error.message), 1023);
}

static void a_message_can_be_made_longer_in_place(void **state) {
    (void)state;
    struct error error;
    error_set(&error, "a.yaml", 1, 2, "no GPU");
    error_set(&error, error.file, error.line, error.column, "%s: %s", "pool a100", error.message);
    assert_formats(&error, "a.yaml:1:2: pool a100: no GPU");
}

static void the_list_sorts_by_place_and_keeps_ties_in_order(void **state) {
    (void)state;
    struct error_list list = {0};
    error_list_sort(&list); /* of nothing */
    error_list_add(&list, "b", 1, 1, "fifth");
    error_list_add(&list, "a", 9, 2, "third");
    error_list_add(&list, "a", 9, 2, "fourth");
    error_list_add(&list, "a", 9, 1, "second");
    error_list_add(&list, "a", 2, 5, "first");
    error_list_sort(&list);
    const char *expected[] = {"first", "second", "third", "fourth", "fifth"};
    assert_int_equal(list.count, 5);
    for (size_t i = 0; i < list.count; i++) {
        assert_string_equal(list.items[i].message, expected[i]);
    }
    error_list_clear(&list);
    assert_int_equal(list.count, 0);
}

static void many_ties_stay_in_order_and_the_list_can_grow_on(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    struct error_list list = {0};
    for (int i = 0; i < COUNT; i++) {
        error_list_add(&list, "a", COUNT - i / 100, 1, "%d", i);
    }
    error_list_sort(&list);
    error_list_add(&list, "a", 1, 1, "more");
    error_list_append(&list, &list.items[0]); /* of itself, while it may move */
    int previous = -1;
    for (int i = 0; i < COUNT; i++) {
        int number = atoi(list.items[i].message);
        assert_true(i % 100 == 0 || number == previous + 1);
        assert_int_equal(list.items[i].line, COUNT - number / 100);
        previous = number;
    }
    assert_string_equal(list.items[COUNT + 1].message, list.items[0].message);
    error_list_clear(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_the_known_parts_of_the_place),
        cmocka_unit_test(hostile_characters_are_shown_escaped),
        cmocka_unit_test(format_never_overruns_its_buffer),
        cmocka_unit_test(long_texts_are_cut_between_characters),
        cmocka_unit_test(a_message_can_be_made_longer_in_place),
        cmocka_unit_test(the_list_sorts_by_place_and_keeps_ties_in_order),
        cmocka_unit_test(many_ties_stay_in_order_and_the_list_can_grow_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
