/* One table, four formats: what people read fits its lines, what machines read is exact and cannot
 * be mistaken for anything but data. */
#include "tests/reports/fixture.h"

#include "reports/table.h"
#include "reports/text.h"

/* What a table looks like in a format. Free it. */
static char *printed(const struct table *table, enum table_format format, int indent, bool colour) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    table_print(memory, table, format, indent, colour);
    fclose(memory);
    return text;
}

static void assert_printed(const struct table *table, enum table_format format, int indent,
                           bool colour, const char *expected) {
    char *text = printed(table, format, indent, colour);
    assert_string_equal(text, expected);
    free(text);
}

static struct table *small_table(void) {
    struct table *table = table_create();
    table_add_column(table, "variant", "variant", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "wait mean", "wait_mean_s", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "", "wait_mean_s_half_width", TABLE_RIGHT, TABLE_FOR_MACHINES);
    table_add_row(table);
    table_add_text(table, "base");
    table_add_number(table, 2803.25, "46m 43s");
    table_add_line(table, "± 2m 10s");
    table_add_number(table, 130, NULL);
    table_add_row(table);
    table_add_text(table, "mig");
    table_add_number(table, NAN, "-");
    table_paint(table, TABLE_RED);
    return table;
}

static void each_format_says_the_same(void **state) {
    (void)state;
    struct table *table = small_table();
    assert_printed(table, TABLE_TEXT, 2, false,
                   "  variant  wait mean\n"
                   "  base       46m 43s\n"
                   "            ± 2m 10s\n"
                   "  mig              -\n");
    assert_printed(table, TABLE_MARKDOWN, 0, false,
                   "| variant | wait mean |\n"
                   "| :--- | ---: |\n"
                   "| base | 46m 43s ± 2m 10s |\n"
                   "| mig | - |\n");
    assert_printed(table, TABLE_CSV, 0, false,
                   "variant,wait_mean_s,wait_mean_s_half_width\n"
                   "base,2803.25,130\n"
                   "mig,,\n");
    json_t *rows = table_json(table);
    json_t *expected = json_loads("[{\"variant\": \"base\", \"wait_mean_s\": 2803.25,"
                                  "  \"wait_mean_s_half_width\": 130},"
                                  " {\"variant\": \"mig\", \"wait_mean_s\": null,"
                                  "  \"wait_mean_s_half_width\": null}]",
                                  0, NULL);
    assert_true(json_equal(rows, expected));
    json_decref(rows);
    json_decref(expected);
    table_destroy(table);
}

static void colour_only_where_asked(void **state) {
    (void)state;
    struct table *table = small_table();
    char *text = printed(table, TABLE_TEXT, 0, true);
    assert_non_null(strstr(text, "\x1b[31m-\x1b[0m"));
    free(text);
    text = printed(table, TABLE_MARKDOWN, 0, true);
    assert_null(strchr(text, '\x1b'));
    free(text);
    table_destroy(table);
}

/* Names are the user's, or a trace's: whatever they hold, a row stays a row. */
static void hostile_names_stay_inside_their_cell(void **state) {
    (void)state;
    struct table *table = table_create();
    table_add_column(table, "name", "name", TABLE_LEFT, TABLE_FOR_ALL);
    static const char *const names[] = {
        "a\nb\t\x1b[31m", "<script>|*x*", "=1+1", "-5", "-x", "@a", "q\"u,ote", "\xFF\xE2\x80\xAE"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        table_add_row(table);
        table_add_text(table, names[i]);
    }
    assert_printed(table, TABLE_TEXT, 0, false,
                   "name\n"
                   "a\\nb\\t\\x1b[31m\n"
                   "<script>|*x*\n"
                   "=1+1\n"
                   "-5\n"
                   "-x\n"
                   "@a\n"
                   "q\"u,ote\n"
                   "\\xff\\u202e\n");
    assert_printed(table, TABLE_MARKDOWN, 0, false,
                   "| name |\n"
                   "| :--- |\n"
                   "| a\\\\nb\\\\t\\\\x1b\\[31m |\n"
                   "| &lt;script>\\|\\*x\\* |\n"
                   "| =1+1 |\n"
                   "| -5 |\n"
                   "| -x |\n"
                   "| @a |\n"
                   "| q\"u,ote |\n"
                   "| \\\\xff\\\\u202e |\n");
    /* Formulas are defused, numbers are not; quotes as in RFC 4180. */
    assert_printed(table, TABLE_CSV, 0, false,
                   "name\n"
                   "\"a\nb\t\x1b[31m\"\n"
                   "<script>|*x*\n"
                   "\"'=1+1\"\n"
                   "-5\n"
                   "\"'-x\"\n"
                   "\"'@a\"\n"
                   "\"q\"\"u,ote\"\n"
                   "\xFF\xE2\x80\xAE\n");
    json_t *rows = table_json(table);
    assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 0), "name")),
                        "a\nb\t\x1b[31m");
    assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 7), "name")),
                        "\xEF\xBF\xBD\xE2\x80\xAE");
    json_decref(rows);
    table_destroy(table);
}

static size_t longest_line(const char *text) {
    size_t longest = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        size_t width = text_width(line);
        longest = width > longest ? width : longest;
        if (length > 0) {
            assert_int_not_equal(line[length - 1], ' ');
        }
        free(line);
        text += length + (text[length] == '\n');
    }
    return longest;
}

static size_t count_of(const char *text, const char *word) {
    size_t count = 0;
    while ((text = strstr(text, word)) != NULL) {
        text += strlen(word);
        count++;
    }
    return count;
}

static struct table *wide_table(const char *name, const char *header, size_t columns) {
    struct table *table = table_create();
    table_add_column(table, "name", "name", TABLE_LEFT, TABLE_FOR_ALL);
    for (size_t i = 0; i < columns; i++) {
        table_add_column(table, header, "x", TABLE_RIGHT, TABLE_FOR_ALL);
    }
    table_add_row(table);
    table_add_text(table, name);
    for (size_t i = 0; i < columns; i++) {
        table_add_number(table, 1, "1234567");
    }
    return table;
}

static void wide_tables_are_fitted(void **state) {
    (void)state;
    /* 4 + 7 x (2 + 18) = 144 columns; with the headers in two lines 4 + 7 x (2 + 9) = 81. */
    struct table *table = wide_table("base", "utilized GPU-hours", 7);
    char *text = printed(table, TABLE_TEXT, 0, false);
    assert_true(longest_line(text) <= TABLE_WIDTH);
    assert_non_null(strstr(text, "utilized"));
    assert_null(strstr(text, "utilized GPU-hours"));
    assert_null(strstr(text, "…"));
    free(text);
    table_destroy(table);

    /* 60 + 8 x 9 = 132: the name is abbreviated. */
    table = wide_table("a-name-that-is-sixty-columns-wide-for-which-there-is-no-room", "n", 8);
    text = printed(table, TABLE_TEXT, 2, false);
    assert_int_equal(longest_line(text), TABLE_WIDTH);
    assert_non_null(strstr(text, "a-name-that-is-sixty-colu…"));
    free(text);
    table_destroy(table);

    /* So is not one that would then look like another: two parts. */
    table = wide_table("a-name-that-is-sixty-columns-wide-for-which-there-is-no-room", "n", 8);
    table_add_row(table);
    table_add_text(table, "a-name-that-is-sixty-columns-wide-of-another-kind-with-no-room");
    text = printed(table, TABLE_TEXT, 0, false);
    assert_true(longest_line(text) <= TABLE_WIDTH);
    assert_int_equal(count_of(text, "-wide-of-an…"), 2);
    assert_int_equal(count_of(text, "-wide-for-w…"), 2);
    free(text);
    table_destroy(table);

    /* 4 + 20 x 9 = 184: two parts, each beginning with the name. */
    table = wide_table("base", "n", 20);
    text = printed(table, TABLE_TEXT, 0, false);
    assert_true(longest_line(text) <= TABLE_WIDTH);
    assert_int_equal(count_of(text, "base"), 2);
    assert_non_null(strstr(text, "\n\nname"));
    free(text);
    table_destroy(table);
}

static void width_is_what_a_terminal_shows(void **state) {
    (void)state;
    assert_int_equal(text_width("abc"), 3);
    assert_int_equal(text_width("±"), 1);
    assert_int_equal(text_width("中文"), 4);
    assert_int_equal(text_width("e\xCC\x81"), 1); /* e and a combining acute accent */
    assert_int_equal(text_width("\xFF"), 1);
    char *shorter = text_abbreviated("中文字", 5);
    assert_string_equal(shorter, "中文…");
    free(shorter);
    shorter = text_abbreviated("中文字", 6);
    assert_string_equal(shorter, "中文字");
    free(shorter);
    struct table *table = table_create();
    table_add_column(table, "n", "n", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "v", "v", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_row(table);
    table_add_text(table, "中文");
    table_add_text(table, "1");
    table_add_row(table);
    table_add_text(table, "abcd");
    table_add_text(table, "2");
    assert_printed(table, TABLE_TEXT, 0, false, "n     v\n中文  1\nabcd  2\n");
    table_destroy(table);
}

static void notes_are_wrapped_under_their_beginning(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    fputs("- ", memory);
    text_print_wrapped(memory, "one two three averyverylongword end", 2, 10);
    fclose(memory);
    assert_string_equal(text, "- one two\n  three\n  averyverylongword\n  end\n");
    free(text);
}

static void formats_have_names(void **state) {
    (void)state;
    enum table_format format = TABLE_JSON;
    assert_true(table_format_find("table", &format));
    assert_int_equal(format, TABLE_TEXT);
    assert_true(table_format_find("markdown", &format));
    assert_int_equal(format, TABLE_MARKDOWN);
    assert_false(table_format_find("xml", &format));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_says_the_same),
        cmocka_unit_test(colour_only_where_asked),
        cmocka_unit_test(hostile_names_stay_inside_their_cell),
        cmocka_unit_test(wide_tables_are_fitted),
        cmocka_unit_test(width_is_what_a_terminal_shows),
        cmocka_unit_test(notes_are_wrapped_under_their_beginning),
        cmocka_unit_test(formats_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
