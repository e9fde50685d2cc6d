/* The strict subset of YAML: what it means, and where each mistake is. Lines and columns in the
 * expectations are counted by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/yaml_tree.h"
#include "tests/support/unit.h"

struct text {
    char bytes[4096];
    size_t length;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->length, sizeof(text->bytes) - text->length, format,
                           arguments);
    va_end(arguments);
    assert_true(length >= 0 && text->length + (size_t)length < sizeof(text->bytes));
    text->length += (size_t)length;
}

/* Maps in braces, lists in brackets, scalars as they are (in quotes if they were); places after @.
 */
static void show(struct text *text, const struct node *node, bool places) {
    if (node->kind == NODE_SCALAR) {
        add(text, node->quoted ? "\"%s\"" : "%s", node->text);
    } else {
        add(text, node->kind == NODE_MAP ? "{" : "[");
        for (size_t i = 0; i < node->count; i++) {
            const struct entry *entry = &node->entries[i];
            add(text, "%s", i > 0 ? ", " : "");
            if (entry->key != NULL) {
                add(text, "%s", entry->key);
                if (places) {
                    add(text, "@%d:%d", entry->place.line, entry->place.column);
                }
                add(text, ": ");
            }
            show(text, entry->value, places);
        }
        add(text, node->kind == NODE_MAP ? "}" : "]");
    }
    if (places) {
        add(text, "@%d:%d", node->place.line, node->place.column);
    }
}

/* Parses and returns tree and errors as one text: "TREE" or "TREE|L:C: message|...". */
static const char *parse(const char *yaml, size_t length, bool places) {
    static struct text text;
    struct arena arena = {0};
    struct error_list errors = {0};
    text.length = 0;
    text.bytes[0] = '\0';
    const struct node *node = yaml_tree_parse(&arena, "f.yaml", yaml, length, &errors);
    if (node != NULL) {
        show(&text, node, places);
    }
    for (size_t i = 0; i < errors.count; i++) {
        assert_string_equal(errors.items[i].file, "f.yaml");
        add(&text, "|%d:%d: %s", errors.items[i].line, errors.items[i].column,
            errors.items[i].message);
    }
    error_list_clear(&errors);
    arena_clear(&arena);
    return text.bytes;
}

static void expect(const char *yaml, const char *tree) {
    assert_string_equal(parse(yaml, strlen(yaml), false), tree);
}

static void expect_places(const char *yaml, const char *tree) {
    assert_string_equal(parse(yaml, strlen(yaml), true), tree);
}

static void test_scalars_lists_and_maps(void **state) {
    (void)state;
    expect("a: 1\nb: [x, 'y', \"z\"]\nc:\n  - d: e\n    f: g\n  - h\n",
           "{a: 1, b: [x, \"y\", \"z\"], c: [{d: e, f: g}, h]}");
    expect("{\"a\": {\"b\": [1, true, null, 1.5e3]}}", "{a: {b: [1, true, null, 1.5e3]}}");
    expect("a: |\n  two\n  lines\nb: >\n  one\n  line\n",
           "{a: \"two\nlines\n\", b: \"one line\n\"}");
    expect("a: one\n  line\n", "{a: one line}");
    expect("# comment\n---\na: b # c\n...\n", "{a: b}");
    expect("a:\nb: ~\n", "{a: , b: ~}");
    expect("x", "x");
    expect("a.\"b.c\".d: 12/h\n", "{a.\"b.c\".d: 12/h}");
}

static void test_an_empty_text_is_nothing(void **state) {
    (void)state;
    expect("", "");
    expect("\n\n# only a comment\n", "");
    expect("---\n", "");
}

static void test_places_are_lines_and_characters(void **state) {
    (void)state;
    expect_places("a: 1\nbb:\n  - [x, {c: d}]\n",
                  "{a@1:1: 1@1:4, bb@2:1: [[x@3:6, {c@3:10: d@3:13}@3:9]@3:5]@3:3}@1:1");
    /* Characters, not bytes. */
    expect_places("\"\xC3\xA9\xE2\x82\xAC\": \"\xF0\x9F\x98\x80\" # x\nb: {\xC3\xA9: 1}\n",
                  "{\xC3\xA9\xE2\x82\xAC@1:1: \"\xF0\x9F\x98\x80\"@1:7, "
                  "b@2:1: {\xC3\xA9@2:5: 1@2:8}@2:4}@1:1");
}

static void test_byte_order_mark_and_line_ends(void **state) {
    (void)state;
    expect_places("\xEF\xBB\xBF"
                  "a: 1\r\nb: 2\r\n",
                  "{a@1:1: 1@1:4, b@2:1: 2@2:4}@1:1");
    expect("\xFF\xFE"
           "a\0",
           "|1:1: the text is not UTF-8 here: save the file as UTF-8");
}

static void test_what_the_subset_leaves_out(void **state) {
    (void)state;
    expect("a: &x 1\nb: 2\n",
           "{a: 1, b: 2}|1:4: anchors (&x) are not part of the language: write the value out where "
           "it is used, or quote a text that starts with &");
    expect("a: *x\n", "{a: *}|1:4: aliases (*x) are not part of the language: write the value out, "
                      "or quote a text that starts with *");
    expect(
        "a: !!str 1\nb: !x [1]\n",
        "{a: 1, b: [1]}|1:4: tags (!...) are not part of the language: types come from the keys; "
        "quote a text that starts with !|2:4: tags (!...) are not part of the language: types "
        "come from the keys; quote a text that starts with !");
    expect("a: 1\n---\nb: 2\n", "|2:1: a second document starts here (---): one file is one "
                                "scenario");
    expect("a: 1\n...\nb: 2\n",
           "|3:1: text after the end of the scenario: one file is one scenario");
    expect("%TAG ! tag:x,2000:\n---\na: 1\n",
           "{a: 1}|1:1: tags (%TAG) are not part of the language");
    expect("? [a]\n: b\nc: d\n", "{c: d}|1:3: a key must be a text, not a list or a map");
    expect("{: b, c: d}\n", "|1:2: a key is missing before the colon");
    expect("{~: b, c: d}\n", "{c: d}|1:2: a key is missing before the colon");
    expect(": b\nc: d\n", "|1:1: a key is missing before the colon");
    expect("a: \"x\\0y\"\n", "{a: \"x\"}|1:4: a text must not contain the character \\0");
}

static void test_duplicate_keys_tell_both_places(void **state) {
    (void)state;
    expect("a: 1\nb: {c: 1, d: 2, c: 3}\na: 4\n",
           "{a: 1, b: {c: 1, d: 2}}|2:17: the key \"c\" is already given at line 2, column 5|3:1: "
           "the key \"a\" is already given at line 1, column 1");
    /* Quotes make no difference; case does. */
    expect("a: 1\n'a': 2\nA: 3\n",
           "{a: 1, A: 3}|2:1: the key \"a\" is already given at line 1, column 1");
}

static void test_depth_is_limited(void **state) {
    (void)state;
    char yaml[200];
    memset(yaml, '[', 64);
    memset(yaml + 64, ']', 64);
    yaml[128] = '\0';
    assert_null(strchr(parse(yaml, 128, false), '|'));
    memset(yaml, '[', 65);
    memset(yaml + 65, ']', 65);
    yaml[130] = '\0';
    expect(yaml, "|1:65: lists and maps are nested deeper than 64 levels");
}

static void test_tabs_do_not_indent(void **state) {
    (void)state;
    expect("a:\n\tb: 1\n", "|2:1: a tab cannot be used to indent: use blanks instead");
    expect("a:\n  b: 1\n\tc: 2\n", "|3:1: a tab cannot be used to indent: use blanks instead");
    expect("a: |\n\tx\n", "|2:1: a tab cannot be used to indent: use blanks instead");
    /* Within a line, and between brackets, a tab is a blank. */
    expect("a:\t1\nb: {\n\tc: 2}\n", "{a: 1, b: {c: 2}}");
}

static void test_slips_get_a_hint(void **state) {
    (void)state;
    expect("a:\n  b: 1\n  nodes:4\n  c: 2\n",
           "|3:3: a blank is missing after the colon: write \"nodes: 4\"");
    expect("nodes:4\nb: 1\n", "|1:1: a blank is missing after the colon: write \"nodes: 4\"");
    expect("a: b: c\n",
           "|1:5: a second \": \" in the same line: put a value that contains \": \" in quotes");
    expect("a: 1\n  b: 2\n",
           "|2:3: this line is indented too deep: the line above it already has a value");
    expect("a: 1\n\n\n  b: 2\n",
           "|4:3: this line is indented too deep: the line above it already has a value");
    expect("a: %x\n", "|1:4: a value cannot start with \"%\": put it in quotes");
    expect("a: @x\n", "|1:4: a value cannot start with \"@\": put it in quotes");
    expect("a: `x\n", "|1:4: a value cannot start with \"`\": put it in quotes");
    expect("a: >= 3\n", "|1:4: a value cannot start with \">\": put it in quotes");
    expect("a: * x\n", "|1:4: a value cannot start with \"*\": put it in quotes");
    expect("a: & x\n", "|1:4: a value cannot start with \"&\": put it in quotes");
    expect("a: - b\n", "|1:4: a list item cannot stand here: put it on a line of its own, or write "
                       "the list as [a, b]");
    expect("a: 1\nfoo\nb: 2\n", "|2:1: expected \"key: value\" here; the continuation of a text "
                                "must be indented deeper than its key");
}

static void test_what_is_left_open_is_named(void **state) {
    (void)state;
    expect("a: \"b\nc: d\n", "|1:4: this quote is never closed");
    expect("a: {b: 1\n", "|1:4: this \"{\" is never closed");
    expect("a: [b, c", "|1:4: this \"[\" is never closed");
    expect("\xC3\xA9: [b, c", "|1:4: this \"[\" is never closed");
    expect(
        "a: {b: {c: 1}\nd: 2\n",
        "|2:1: expected \",\" or \"}\" here: the map opened at line 1, column 4 lacks a comma or "
        "its \"}\"");
    expect("a: [1, 2}\n", "|1:9: expected \",\" or \"]\" here: the list opened at line 1, column 4 "
                          "lacks a comma or its \"]\"");
    expect("a: [1]]\n", "|1:7: this \"]\" closes nothing");
    expect("a: ]\n", "|1:4: a value is missing before this \"]\"");
    expect("a: [1, ", "|1:8: the text ends where a value is expected");
    expect("a: 'it's'\n",
           "|1:8: unexpected text after the value: a text with quotes in it must be in quotes as a "
           "whole (within '...' a quote is written '')");
    expect("a: \"\\q\"\n",
           "|1:5: unknown escape: within \"...\" write \\\\ for a backslash, or use '...'");
}

static void test_indentation_names_the_map(void **state) {
    (void)state;
    expect(
        "a:\n  b: 1\n c: 2\n",
        "|3:2: this line is not indented like the other keys of its map, which starts at line 1, "
        "column 1");
    expect("a:\n  - b: 1\n    c: 2\n   d: 3\n",
           "|4:4: expected \"- \" here: this line is no item of the list that starts at line 2, "
           "column 3");
}

static void test_bad_bytes(void **state) {
    (void)state;
    expect("a: 1\nb: \xFF\n", "|2:4: the text is not UTF-8 here: save the file as UTF-8");
    expect("a: 1\nb: x\x01\n", "|2:5: a character with the code 1 is not allowed in a scenario");
    assert_string_equal(parse("a: 1\0b", 6, false),
                        "|1:5: a character with the code 0 is not allowed in a scenario");
}

/* Many keys are compared by sorting, not each with each. */
static void test_many_keys(void **state) {
    (void)state;
    enum { KEYS = 200000 };
    char *yaml = malloc(KEYS * 16);
    size_t length = 0;
    for (int i = 0; i < KEYS; i++) {
        length += (size_t)sprintf(yaml + length, "k%d: %d\n", i, i);
    }
    struct arena arena = {0};
    struct error_list errors = {0};
    const struct node *node = yaml_tree_parse(&arena, "f", yaml, length, &errors);
    assert_non_null(node);
    assert_int_equal(node->count, KEYS);
    assert_int_equal(errors.count, 0);
    assert_string_equal(node->entries[KEYS - 1].key, "k199999");
    arena_clear(&arena);
    free(yaml);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars_lists_and_maps),
        cmocka_unit_test(test_an_empty_text_is_nothing),
        cmocka_unit_test(test_places_are_lines_and_characters),
        cmocka_unit_test(test_byte_order_mark_and_line_ends),
        cmocka_unit_test(test_what_the_subset_leaves_out),
        cmocka_unit_test(test_duplicate_keys_tell_both_places),
        cmocka_unit_test(test_depth_is_limited),
        cmocka_unit_test(test_tabs_do_not_indent),
        cmocka_unit_test(test_slips_get_a_hint),
        cmocka_unit_test(test_what_is_left_open_is_named),
        cmocka_unit_test(test_indentation_names_the_map),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_many_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
