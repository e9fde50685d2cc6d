#include "scenarios/yaml_syntax.h"

#include <stdbool.h>
#include <string.h>

struct syntax {
    const yaml_parser_t *parser;
    const char *file;
    const char *text;
    size_t length;
    struct error_list *errors;
};

/* A line of the text, without its end. */
struct line {
    const char *start;
    size_t length;
};

#define REPORT(syntax, mark, ...)                                                                  \
    error_list_add((syntax)->errors, (syntax)->file, (int)(mark).line + 1, (int)(mark).column + 1, \
                   __VA_ARGS__)

static struct line find_line(const struct syntax *syntax, size_t number) {
    const char *end = syntax->text + syntax->length;
    const char *start = syntax->text;
    for (size_t i = 0; i < number && start != NULL; i++) {
        start = memchr(start, '\n', (size_t)(end - start));
        start = start != NULL ? start + 1 : NULL;
    }
    if (start == NULL) {
        return (struct line){end, 0};
    }
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    size_t length = (size_t)((newline != NULL ? newline : end) - start);
    if (length > 0 && start[length - 1] == '\r') {
        length--;
    }
    return (struct line){start, length};
}

/* The line before; the first line is above itself. */
static struct line line_above(const struct syntax *syntax, struct line line) {
    if (line.start == syntax->text) {
        return line;
    }
    const char *end = line.start - 1;
    const char *newline = memrchr(syntax->text, '\n', (size_t)(end - syntax->text));
    const char *start = newline != NULL ? newline + 1 : syntax->text;
    size_t length = (size_t)(end - start);
    return (struct line){start, length > 0 && end[-1] == '\r' ? length - 1 : length};
}

/* The bytes of a line that come before the character at `column`. */
static size_t byte_column(struct line line, size_t column) {
    size_t at = 0;
    while (at < line.length && column > 0) {
        at++;
        while (at < line.length && ((unsigned char)line.start[at] & 0xC0) == 0x80) {
            at++;
        }
        column--;
    }
    return at;
}

static size_t indentation(struct line line) {
    size_t blanks = 0;
    while (blanks < line.length && line.start[blanks] == ' ') {
        blanks++;
    }
    return blanks;
}

/* The character at a mark; 0 at the end of its line. */
static char character_at(const struct syntax *syntax, yaml_mark_t mark) {
    struct line line = find_line(syntax, mark.line);
    size_t at = byte_column(line, mark.column);
    return at < line.length ? line.start[at] : '\0';
}

/* Where "nodes:4" lacks its blank: the length of the key; 0 if this is no such thing. */
static size_t key_without_blank(const char *text, size_t length) {
    size_t key = 0;
    while (key < length &&
           (strchr("_.-\"", text[key]) != NULL || (text[key] >= '0' && text[key] <= '9') ||
            ((text[key] | 32) >= 'a' && (text[key] | 32) <= 'z'))) {
        key++;
    }
    bool colon = key > 0 && key + 1 < length && text[key] == ':' && text[key + 1] != ' ';
    return colon ? key : 0;
}

/* Reports it if the line has, from `at` on, a key without a blank after its colon. */
static bool report_missing_blank(const struct syntax *syntax, struct line line, size_t at,
                                 yaml_mark_t mark) {
    const char *text = line.start + at;
    size_t length = line.length - at;
    size_t key = key_without_blank(text, length);
    if (key == 0) {
        return false;
    }
    REPORT(syntax, mark, "a blank is missing after the colon: write \"%.*s: %.*s\"", (int)key, text,
           (int)(length - key - 1), text + key + 1);
    return true;
}

static void explain_tab(const struct syntax *syntax) {
    REPORT(syntax, syntax->parser->problem_mark,
           "a tab cannot be used to indent: use blanks instead");
}

static void explain_character(const struct syntax *syntax) {
    yaml_mark_t mark = syntax->parser->problem_mark;
    char character = character_at(syntax, mark);
    if (character == '\t') {
        explain_tab(syntax);
    } else {
        REPORT(syntax, mark, "a value cannot start with \"%c\": put it in quotes", character);
    }
}

static void explain_no_colon(const struct syntax *syntax) {
    yaml_mark_t mark = syntax->parser->context_mark;
    struct line line = find_line(syntax, mark.line);
    size_t at = byte_column(line, mark.column);
    if (!report_missing_blank(syntax, line, at, mark)) {
        REPORT(syntax, mark,
               "expected \"key: value\" here; the continuation of a text must be indented deeper "
               "than its key");
    }
}

/* A second colon in a line, or a key where the line above has a value already. */
static void explain_colon(const struct syntax *syntax) {
    yaml_mark_t mark = syntax->parser->problem_mark;
    struct line line = find_line(syntax, mark.line);
    size_t colon = byte_column(line, mark.column);
    for (size_t i = 0; i + 1 < colon; i++) {
        if (line.start[i] == ':' && line.start[i + 1] == ' ') {
            REPORT(syntax, mark,
                   "a second \": \" in the same line: put a value that contains \": \" in quotes");
            return;
        }
    }
    yaml_mark_t above = mark;
    struct line previous = line;
    do {
        previous = line_above(syntax, previous);
        above.line -= above.line > 0;
    } while (previous.start > syntax->text && previous.length == indentation(previous));
    above.column = indentation(previous);
    if (report_missing_blank(syntax, previous, above.column, above)) {
        return;
    }
    mark.column = indentation(line);
    REPORT(syntax, mark, "this line is indented too deep: the line above it already has a value");
}

static void explain_flow(const struct syntax *syntax) {
    const yaml_parser_t *parser = syntax->parser;
    bool list = strstr(parser->problem, "']'") != NULL;
    const char *open = list ? "[" : "{";
    const char *close = list ? "]" : "}";
    struct line line = find_line(syntax, parser->problem_mark.line);
    size_t at = byte_column(line, parser->problem_mark.column);
    if (line.start + at == syntax->text + syntax->length) {
        REPORT(syntax, parser->context_mark, "this \"%s\" is never closed", open);
        return;
    }
    REPORT(
        syntax, parser->problem_mark,
        "expected \",\" or \"%s\" here: the %s opened at line %d, column %d lacks a comma or its "
        "\"%s\"",
        close, list ? "list" : "map", (int)parser->context_mark.line + 1,
        (int)parser->context_mark.column + 1, close);
}

static void explain_key(const struct syntax *syntax) {
    const yaml_parser_t *parser = syntax->parser;
    yaml_mark_t mark = parser->problem_mark;
    struct line line = find_line(syntax, mark.line);
    char character = character_at(syntax, mark);
    if (character == ']' || character == '}') {
        REPORT(syntax, mark, "this \"%c\" closes nothing", character);
    } else if (character == ':') {
        REPORT(syntax, mark, "a key is missing before the colon");
    } else if (byte_column(line, mark.column) > indentation(line)) {
        REPORT(syntax, mark,
               "unexpected text after the value: a text with quotes in it must be in quotes as a "
               "whole (within '...' a quote is written '')");
    } else {
        REPORT(syntax, mark,
               "this line is not indented like the other keys of its map, which starts at line %d, "
               "column %d",
               (int)parser->context_mark.line + 1, (int)parser->context_mark.column + 1);
    }
}

static void explain_item(const struct syntax *syntax) {
    const yaml_parser_t *parser = syntax->parser;
    REPORT(syntax, parser->problem_mark,
           "expected \"- \" here: this line is no item of the list that starts at line %d, column "
           "%d",
           (int)parser->context_mark.line + 1, (int)parser->context_mark.column + 1);
}

static void explain_dash(const struct syntax *syntax) {
    REPORT(syntax, syntax->parser->problem_mark,
           "a list item cannot stand here: put it on a line of its own, or write the list as "
           "[a, b]");
}

static void explain_open_quote(const struct syntax *syntax) {
    REPORT(syntax, syntax->parser->context_mark, "this quote is never closed");
}

static void explain_escape(const struct syntax *syntax) {
    REPORT(syntax, syntax->parser->problem_mark,
           "unknown escape: within \"...\" write \\\\ for a backslash, or use '...'");
}

static void explain_mark_name(const struct syntax *syntax) {
    REPORT(syntax, syntax->parser->context_mark,
           "a value cannot start with \"%c\": put it in quotes",
           character_at(syntax, syntax->parser->context_mark));
}

static void explain_content(const struct syntax *syntax) {
    yaml_mark_t mark = syntax->parser->problem_mark;
    char character = character_at(syntax, mark);
    if (character == ':') {
        REPORT(syntax, mark, "a key is missing before the colon");
        return;
    }
    if (character != '\0') {
        REPORT(syntax, mark, "a value is missing before this \"%c\"", character);
        return;
    }
    /* libyaml puts the end of a text without a last newline on a line of its own. */
    if (mark.column == 0 && mark.line > 0) {
        mark.line--;
        mark.column = 0;
        struct line line = find_line(syntax, mark.line);
        for (size_t i = 0; i < line.length; i++) {
            mark.column += ((unsigned char)line.start[i] & 0xC0) != 0x80;
        }
    }
    REPORT(syntax, mark, "the text ends where a value is expected");
}

static void explain_second_document(const struct syntax *syntax) {
    REPORT(syntax, syntax->parser->problem_mark,
           "text after the end of the scenario: one file is one scenario");
}

/* By what libyaml says; the first that its text begins with. */
static const struct {
    const char *problem;
    void (*explain)(const struct syntax *syntax);
} rules[] = {
    {"found character that cannot start any token", explain_character},
    {"found a tab character", explain_tab},
    {"could not find expected ':'", explain_no_colon},
    {"mapping values are not allowed", explain_colon},
    {"did not find expected ',' or", explain_flow},
    {"did not find expected key", explain_key},
    {"did not find expected '-' indicator", explain_item},
    {"block sequence entries are not allowed", explain_dash},
    {"found unexpected end of stream", explain_open_quote},
    {"found unexpected document indicator", explain_open_quote},
    {"found unknown escape character", explain_escape},
    {"did not find expected alphabetic or numeric character", explain_mark_name},
    {"did not find expected comment or line break", explain_mark_name},
    {"did not find expected node content", explain_content},
    {"did not find expected <document start>", explain_second_document},
};

/* Errors of libyaml's reader come with an offset in bytes instead of a mark. */
static void explain_bytes(const struct syntax *syntax) {
    const yaml_parser_t *parser = syntax->parser;
    yaml_mark_t mark = {0};
    for (size_t i = 0; i < parser->problem_offset && i < syntax->length; i++) {
        unsigned char byte = (unsigned char)syntax->text[i];
        if (byte == '\n') {
            mark.line++;
            mark.column = 0;
        } else if ((byte & 0xC0) != 0x80) {
            mark.column++;
        }
    }
    if (strstr(parser->problem, "control characters") != NULL) {
        REPORT(syntax, mark, "a character with the code %d is not allowed in a scenario",
               parser->problem_value);
    } else {
        REPORT(syntax, mark, "the text is not UTF-8 here: save the file as UTF-8");
    }
}

void yaml_syntax_report(const yaml_parser_t *parser, const char *file, const char *text,
                        size_t length, struct error_list *errors) {
    struct syntax syntax = {parser, file, text, length, errors};
    if (parser->error == YAML_READER_ERROR) {
        explain_bytes(&syntax);
        return;
    }
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (strncmp(parser->problem, rules[i].problem, strlen(rules[i].problem)) == 0) {
            rules[i].explain(&syntax);
            return;
        }
    }
    REPORT(&syntax, parser->problem_mark, "%s%s%s", parser->problem,
           parser->context != NULL ? " " : "", parser->context != NULL ? parser->context : "");
}
