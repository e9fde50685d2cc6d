/* Texts in gnuplot scripts: whatever they hold, they stay texts. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/plot.h"
#include "tests/support/unit.h"

static char *printed(void (*print)(FILE *, const char *), const char *text) {
    char *result = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&result, &size);
    print(out, text);
    fclose(out);
    return result;
}

static void expect(void (*print)(FILE *, const char *), const char *text, const char *expected) {
    char *result = printed(print, text);
    assert_string_equal(result, expected);
    free(result);
}

static void test_strings_are_in_single_quotes(void **state) {
    (void)state;
    expect(plot_print_quoted, "mig", "'mig'");
    expect(plot_print_quoted, "", "''");
    expect(plot_print_quoted, "it's", "'it''s'");
    expect(plot_print_quoted, "'; system('id'); '", "'''; system(''id''); '''");
    expect(plot_print_quoted, "`id` \"$x\" @m %d", "'`id` \"$x\" @m %d'");
}

static void test_strings_stay_on_their_line(void **state) {
    (void)state;
    expect(plot_print_quoted, "a\nset output '/x'", "'a\\nset output ''/x'''");
    expect(plot_print_quoted, "a\\", "'a\\'");
    expect(plot_print_comment, "a\n!id", "# a\\n!id\n");
}

static void test_labels_of_axes_double_their_percent_signs(void **state) {
    (void)state;
    expect(plot_print_tic, "50 % '", "'50 %% '''");
}

static void test_long_strings_are_cut_before_they_are_quoted(void **state) {
    (void)state;
    /* 40 quotes: 31 of them and an ellipsis, doubled and in quotes. */
    char quotes[41] = {0};
    memset(quotes, '\'', 40);
    char *result = printed(plot_print_quoted, quotes);
    assert_int_equal(strlen(result), 2 + 2 * 31 + strlen("…"));
    free(result);
}

static void test_series_have_colours_and_then_dashes(void **state) {
    (void)state;
    assert_string_equal(plot_colour(0), plot_colour(7));
    assert_int_equal(plot_dash(0), 1);
    assert_int_equal(plot_dash(6), 1);
    assert_int_equal(plot_dash(7), 2);
}

/* gnuplot itself reads what it is given: a name that tries to run something, and the picture shows
 * it as it is. */
static void test_gnuplot_runs_nothing_of_a_name(void **state) {
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        print_message("SKIPPED: there is no gnuplot\n");
        skip();
    }
    struct error error;
    struct plotter plotter;
    assert_true(plotter_create(&plotter, NULL, PLOT_SVG, &error));
    struct plot plot;
    plot_create(&plot, "test", 1, 300, 200);
    fputs("1 2\n", plot.data);
    fputs("set xtics (", plot.script);
    plot_print_tic(plot.script, "<i>%d'");
    fputs(" 1)\nset key\nplot 'test-1.dat' using 1:2 with points title ", plot.script);
    plot_print_quoted(plot.script, "`touch x`");
    fputs("\n", plot.script);
    char *svg = NULL;
    assert_true(plot_draw(&plotter, &plot, &svg, &error));
    assert_non_null(strstr(svg, "&lt;i>%d'"));
    assert_non_null(strstr(svg, "`touch x`"));
    free(svg);
    plot_destroy(&plot);
    plotter_destroy(&plotter);
    /* A file in its folder would have kept it there. */
    assert_int_equal(access(plotter.folder, F_OK), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings_are_in_single_quotes),
        cmocka_unit_test(test_strings_stay_on_their_line),
        cmocka_unit_test(test_labels_of_axes_double_their_percent_signs),
        cmocka_unit_test(test_long_strings_are_cut_before_they_are_quoted),
        cmocka_unit_test(test_series_have_colours_and_then_dashes),
        cmocka_unit_test(test_gnuplot_runs_nothing_of_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
