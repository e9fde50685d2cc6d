/* Rows come with the physical line on which they start, and a row that cannot be split costs only
 * itself. */
#include "tests/workloads/trace_fixture.h"
#include "workloads/delimited.h"

static const struct place place = {.file = "scenario.yaml", .line = 1, .column = 1};

enum { SHOWN = 1000 };

static void add(char shown[SHOWN], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What does not fit is left out: the longest files are looked at only at their beginning. */
static void add(char shown[SHOWN], const char *format, ...) {
    va_list arguments;
    size_t length = strlen(shown);
    va_start(arguments, format);
    vsnprintf(shown + length, SHOWN - length, format, arguments);
    va_end(arguments);
}

/* Reads everything and writes it as "LINE:cell|cell;" with "LINE!" for a row that is given up. */
static void show(const char *bytes, size_t size, char shown[SHOWN], struct error *last) {
    struct error error = {.message = ""};
    const char *path = write_file("rows.csv", bytes, size);
    struct stored_file *file = stored_file_open(path, &place, &error);
    assert_non_null(file);
    struct delimited *rows = delimited_create(file, "rows.csv");
    struct delimited_row row;
    *shown = '\0';
    for (;;) {
        enum delimited_result result = delimited_next(rows, &row, &error);
        if (result == DELIMITED_END) {
            break;
        }
        if (result == DELIMITED_FAILED) {
            add(shown, "failed");
            break;
        }
        if (result == DELIMITED_UNREADABLE) {
            add(shown, "%d!;", error.line);
            continue;
        }
        add(shown, "%d:", (int)row.line);
        for (size_t i = 0; i < row.cell_count; i++) {
            add(shown, "%s%s", i > 0 ? "|" : "", row.text + row.cells[i]);
        }
        add(shown, ";");
    }
    if (last != NULL) {
        *last = error;
    }
    delimited_destroy(rows);
    stored_file_close(file);
}

static void expect(const char *text, const char *expected) {
    char shown[SHOWN];
    show(text, strlen(text), shown, NULL);
    assert_string_equal(shown, expected);
}

static void counts_lines(void **state) {
    (void)state;
    expect("", "");
    expect("\n\n", "");
    expect("a,b\nc,d\n", "1:a|b;2:c|d;");
    expect("a,b\nc,d", "1:a|b;2:c|d;");
    expect("a,b\r\nc,d\r\n", "1:a|b;2:c|d;");
    expect("a,b\rc,d\r", "1:a|b;2:c|d;");
    expect("\n  \n\t\r\na\n\r\n\nb", "4:a;7:b;");
    expect("a,\n,\n", "1:a|;2:|;");
    expect(" a , b c \n", "1:a|b c;");
}

static void counts_quoted_newlines(void **state) {
    (void)state;
    expect("h\n\"x\ny\",1\nz\n", "1:h;2:x\ny|1;4:z;");
    expect("h\r\n\"x\r\ny\r\n\",1\r\nz\r\n", "1:h;2:x\r\ny\r\n|1;5:z;");
    expect("\"\n\n\n\"\nz", "1:\n\n\n;5:z;");
    expect("\"say \"\"no\"\"\",\"a,b\"\n", "1:say \"no\"|a,b;");
    expect("\"\"\n\"\",\"\"\n", "1:;2:|;");
}

static void goes_on_after_a_stray_quote(void **state) {
    (void)state;
    struct error error;
    char shown[SHOWN];
    expect("a\nb\"c,d\ne\n", "1:a;2!;3:e;");
    expect("a\n\"b\"c,d\r\ne\n", "1:a;2!;3:e;");
    /* The quote is closed on line 3, where the text after it is wrong; the row began on line 2. */
    expect("a\n\"b\n\"c,d\ne\n", "1:a;2!;4:e;");
    show("x\"", 2, shown, &error);
    assert_string_equal(shown, "1!;");
    assert_string_equal(error.message, "a quote in the middle of a cell: quote the whole cell, and "
                                       "double the quotes in it");
}

static void refuses_an_open_quote(void **state) {
    (void)state;
    struct error error;
    char shown[SHOWN];
    const char *text = "a\n\"b,c\nd,e\n";
    show(text, strlen(text), shown, &error);
    assert_string_equal(shown, "1:a;2!;");
    assert_string_equal(error.message, "a quote opened in this row is never closed");
    assert_string_equal(error.file, "rows.csv");
}

/* An open quote in a large file is found after 1 MiB, and reading goes on on the line after. */
static void bounds_a_row(void **state) {
    (void)state;
    struct error error;
    char shown[SHOWN];
    const size_t lines = 30000; /* of 40 bytes: 1.2 MB */
    char *text = memory_allocate(lines * 40 + 20);
    size_t length = 0;
    length += (size_t)sprintf(text, "a\n\"");
    for (size_t i = 0; i < lines; i++) {
        memset(text + length, 'x', 39);
        text[length + 39] = '\n';
        length += 40;
    }
    /* The row is the quote and n lines of 40 bytes: the first n with 40 n + 1 > 2^20 is 26215, so
     * the lines 2 to 26216 are given up, and 26217 is a row of its own. */
    show(text, length, shown, &error);
    assert_int_equal(strncmp(shown, "1:a;2!;26217:xxx", 16), 0);
    assert_string_equal(error.message, "a row of more than 1 MiB: is a quote left open?");
    free(text);
}

static void one_endless_line_is_given_up_once(void **state) {
    (void)state;
    char shown[SHOWN];
    const size_t size = 3 << 20;
    char *text = memory_allocate(size);
    memset(text, 'x', size);
    memcpy(text + size - 2, "\nb", 2);
    show(text, size, shown, NULL);
    assert_string_equal(shown, "1!;2:b;");
    free(text);
}

static void knows_byte_order_marks(void **state) {
    (void)state;
    struct error error;
    char shown[SHOWN];
    expect("\xef\xbb\xbf"
           "a,b\nc",
           "1:a|b;2:c;");
    show("\xff\xfe"
         "a\0,\0",
         6, shown, &error);
    assert_string_equal(shown, "failed");
    assert_string_equal(error.message, "the file is UTF-16; save it as UTF-8");
}

static void refuses_zero_bytes(void **state) {
    (void)state;
    struct error error;
    char shown[SHOWN];
    show("a\nb\0c,d\ne\n", 10, shown, &error);
    assert_string_equal(shown, "1:a;2!;3:e;");
    assert_string_equal(error.message, "a zero byte: this is not text");
}

/* Reading is by chunks of 64 KiB: rows, line ends and quotes may lie across their boundary. */
static void does_not_see_chunks(void **state) {
    (void)state;
    char shown[SHOWN];
    char *text = memory_allocate((1 << 16) + 100);
    for (int shift = 0; shift < 24; shift++) {
        /* Line 1 is a long cell that is cut off again below, so that the rest straddles. */
        size_t first = (size_t)((1 << 16) - shift);
        memset(text, ' ', first);
        memcpy(text, "a", 1);
        text[first - 1] = '\n';
        const char *rest = "bb,\"c\r\n\"\"d\"\r\nee,f\r\r\n\"g\"";
        strcpy(text + first, rest);
        show(text, first + strlen(rest), shown, NULL);
        assert_string_equal(shown, "1:a;2:bb|c\r\n\"d;4:ee|f;6:g;");
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_lines),
        cmocka_unit_test(counts_quoted_newlines),
        cmocka_unit_test(goes_on_after_a_stray_quote),
        cmocka_unit_test(refuses_an_open_quote),
        cmocka_unit_test(bounds_a_row),
        cmocka_unit_test(one_endless_line_is_given_up_once),
        cmocka_unit_test(knows_byte_order_marks),
        cmocka_unit_test(refuses_zero_bytes),
        cmocka_unit_test(does_not_see_chunks),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
