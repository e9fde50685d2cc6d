/* Texts in HTML: whatever they hold, they stay texts. */
#include <stdlib.h>
#include <string.h>

#include "reports/html.h"
#include "tests/support/unit.h"

/* What is printed by a call on `out`. */
#define PRINTED(TEXT, CALL)                                                                        \
    char *TEXT = NULL;                                                                             \
    size_t TEXT##_size = 0;                                                                        \
    {                                                                                              \
        FILE *out = open_memstream(&TEXT, &TEXT##_size);                                           \
        CALL;                                                                                      \
        fclose(out);                                                                               \
    }

static void test_markup_in_texts_is_escaped(void **state) {
    (void)state;
    PRINTED(text,
            html_print(out, "<td title=\"%s\">%s</td>", "\"a' onload='b", "<script>&</script>"))
    assert_string_equal(text, "<td title=\"&quot;a&#39; onload=&#39;b\">"
                              "&lt;script&gt;&amp;&lt;/script&gt;</td>");
    free(text);
}

static void test_the_template_is_not_escaped_and_percent_signs_of_texts_are_kept(void **state) {
    (void)state;
    PRINTED(text, html_print(out, "<b>%d %%</b>%s", 42, "100 %s %n"))
    assert_string_equal(text, "<b>42 %</b>100 %s %n");
    free(text);
}

static void test_control_characters_and_bad_utf8_are_made_visible(void **state) {
    (void)state;
    PRINTED(text, html_print(out, "%s", "a\nb\x1b[31m\xff"))
    assert_string_equal(text, "a\\nb\\x1b[31m\\xff");
    free(text);
}

static void test_lines_stay_lines(void **state) {
    (void)state;
    PRINTED(text, html_print_lines(out, "a: <b>\r\nc: </pre>\n\nd"))
    assert_string_equal(text, "a: &lt;b&gt;\nc: &lt;/pre&gt;\n\nd");
    free(text);
}

static void test_svg_keeps_what_draws(void **state) {
    (void)state;
    PRINTED(text,
            html_print_svg(out,
                           "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 10 20\">\n"
                           "<title>Gnuplot</title><defs><path id='p' d='M0,0'/></defs>\n"
                           "<g fill=\"none\" id=\"plot_1\"><path stroke='red'  d='M0,0 L1,1'/>"
                           "<text><tspan font-family=\"sans\">a &lt; b</tspan></text></g></svg>",
                           "a \"label\""))
    assert_string_equal(text, "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 10 20\" "
                              "aria-label=\"a &quot;label&quot;\">"
                              "<g fill=\"none\"><path stroke=\"red\" d=\"M0,0 L1,1\"/>"
                              "<text><tspan>a &lt; b</tspan></text></g></svg>\n");
    free(text);
}

static void test_svg_loses_what_acts(void **state) {
    (void)state;
    PRINTED(text, html_print_svg(
                      out,
                      "<svg viewBox=\"0 0 1 1\" onload=\"a()\"><script>b('</g>')</script>"
                      "<g onclick='c()' fill=\"x>y\"><a href=\"javascript:d()\">"
                      "<path d=\"M0,0\" style=\"fill:url(http://e)\"/></a></g>"
                      "<foreignObject><iframe src='f'/></foreignObject><image href='g'/></svg>",
                      ""))
    assert_string_equal(text,
                        "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 1 1\" aria-label=\"\">"
                        "<g fill=\"xy\"></g></svg>\n");
    free(text);
}

static void test_svg_cut_off_anywhere_is_harmless(void **state) {
    (void)state;
    const char *whole = "<svg viewBox=\"0 0 1 1\"><title>t</title><g fill='a'><path d=\"M0\"/>"
                        "<text><tspan>x</tspan></text></g></svg>";
    for (size_t length = 0; length <= strlen(whole); length++) {
        char *part = strndup(whole, length);
        PRINTED(text, html_print_svg(out, part, "label"))
        assert_non_null(strstr(text, "</svg>"));
        free(text);
        free(part);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markup_in_texts_is_escaped),
        cmocka_unit_test(test_the_template_is_not_escaped_and_percent_signs_of_texts_are_kept),
        cmocka_unit_test(test_control_characters_and_bad_utf8_are_made_visible),
        cmocka_unit_test(test_lines_stay_lines),
        cmocka_unit_test(test_svg_keeps_what_draws),
        cmocka_unit_test(test_svg_loses_what_acts),
        cmocka_unit_test(test_svg_cut_off_anywhere_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
