/* Suggestions: near names are offered, far ones are not. */
#include "scenarios/suggest.h"
#include "tests/support/unit.h"

static const char *suggest(const char *typed) {
    static const char *const known[] = {"gpu", "nodes", "gpus_per_node", "price", "sharing", "to"};
    struct suggestion suggestion = suggestion_start(typed);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        suggestion_consider(&suggestion, known[i]);
    }
    return suggestion.best;
}

static void test_each_kind_of_edit(void **state) {
    (void)state;
    assert_string_equal(suggest("nodse"), "nodes");                 /* exchanged */
    assert_string_equal(suggest("node"), "nodes");                  /* left out */
    assert_string_equal(suggest("nodess"), "nodes");                /* too many */
    assert_string_equal(suggest("nudes"), "nodes");                 /* another */
    assert_string_equal(suggest("Nodes"), "nodes");                 /* case is no edit */
    assert_string_equal(suggest("gpus_pr_nodes"), "gpus_per_node"); /* two */
    assert_string_equal(suggest("gpus_per_nodes"), "gpus_per_node");
    assert_string_equal(suggest("gpus"), "gpu");
}

static void test_far_names_are_not_offered(void **state) {
    (void)state;
    assert_null(suggest("frequency"));
    assert_null(suggest("x"));
    assert_null(suggest("ab"));
    assert_null(suggest(""));
    assert_null(suggest("gpus_per_rack_and_row"));
    assert_null(
        suggest("nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_of_edit),
        cmocka_unit_test(test_far_names_are_not_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
