/* Pictures of another program within a page: only what draws is copied. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "reports/html.h"

/* A name as it stands in the text. */
struct word {
    const char *start;
    size_t length;
};

static bool is_one_of(struct word word, const char *const *names, size_t count) {
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = strlen(names[i]) == word.length && strncmp(names[i], word.start, word.length) == 0;
    }
    return found;
}

static bool draws(struct word element) {
    static const char *const names[] = {"g", "path", "polygon", "rect", "text", "tspan"};
    return is_one_of(element, names, sizeof(names) / sizeof(names[0]));
}

static bool is_harmless(struct word attribute) {
    static const char *const names[] = {"d",
                                        "points",
                                        "x",
                                        "y",
                                        "width",
                                        "height",
                                        "transform",
                                        "fill",
                                        "stroke",
                                        "color",
                                        "fill-opacity",
                                        "stroke-width",
                                        "font-size",
                                        "text-anchor",
                                        "font-weight",
                                        "stroke-dasharray",
                                        "stroke-linecap",
                                        "stroke-linejoin"};
    return is_one_of(attribute, names, sizeof(names) / sizeof(names[0]));
}

static struct word read_name(const char **at) {
    struct word name = {.start = *at};
    while (isalnum((unsigned char)**at) || strchr("-:_", **at) != NULL) {
        if (**at == '\0') {
            break;
        }
        ++*at;
    }
    name.length = (size_t)(*at - name.start);
    return name;
}

/* The characters of a value that do not end it. */
static void print_value(FILE *out, struct word value) {
    for (size_t i = 0; i < value.length; i++) {
        char c = value.start[i];
        if (strchr("<>\"'", c) == NULL) {
            fputc(c, out);
        }
    }
}

/* Reads NAME = "VALUE"; false if there is none. */
static bool read_attribute(const char **at, struct word *name, struct word *value) {
    *at += strspn(*at, " \t\r\n");
    *name = read_name(at);
    *at += strspn(*at, " \t\r\n");
    if (name->length == 0 || **at != '=') {
        return false;
    }
    ++*at;
    *at += strspn(*at, " \t\r\n");
    char quote = **at;
    if (quote != '"' && quote != '\'') {
        return false;
    }
    value->start = ++*at;
    const char *end = strchr(*at, quote);
    value->length = end != NULL ? (size_t)(end - *at) : strlen(*at);
    *at += value->length + (end != NULL);
    return true;
}

static void copy_element(FILE *out, struct word element, const char *at) {
    fprintf(out, "<%.*s", (int)element.length, element.start);
    struct word name;
    struct word value;
    while (read_attribute(&at, &name, &value)) {
        if (is_harmless(name)) {
            fprintf(out, " %.*s=\"", (int)name.length, name.start);
            print_value(out, value);
            fputc('"', out);
        }
    }
    fputs(strncmp(at, "/>", 2) == 0 ? "/>" : ">", out);
}

/* Behind the end of the tag that `at` is in, past any > within quotes. */
static const char *end_of_tag(const char *at) {
    char quote = '\0';
    for (; *at != '\0' && (quote != '\0' || *at != '>'); at++) {
        if (quote != '\0') {
            quote = *at == quote ? '\0' : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        }
    }
    return *at == '>' ? at + 1 : at;
}

/* Behind the element that is left out, with all within it; elements of its name do not nest. */
static const char *skip_element(struct word element, const char *at) {
    const char *end = end_of_tag(at);
    if (end - at >= 2 && end[-2] == '/') {
        return end;
    }
    for (at = end; (at = strstr(at, "</")) != NULL; at += 2) {
        if (strncmp(at + 2, element.start, element.length) == 0) {
            return end_of_tag(at);
        }
    }
    return end;
}

static void copy_drawing(FILE *out, const char *at) {
    bool in_text = false; /* other characters than those of texts are spaces between elements */
    while (*at != '\0') {
        if (*at != '<') {
            if (in_text) {
                fputc(*at, out);
            }
            at++;
            continue;
        }
        bool closes = at[1] == '/';
        const char *next = at + 1 + closes;
        struct word element = read_name(&next);
        bool is_svg = element.length == 3 && strncmp(element.start, "svg", 3) == 0;
        if (draws(element)) {
            if (closes) {
                fprintf(out, "</%.*s>", (int)element.length, element.start);
            } else {
                copy_element(out, element, next);
            }
            in_text = !closes && (in_text || element.length >= 4) && element.start[0] == 't';
            at = end_of_tag(next);
        } else if (closes || is_svg || element.length == 0) {
            at = end_of_tag(next);
        } else {
            at = skip_element(element, next);
        }
    }
}

void html_print_svg(FILE *out, const char *svg, const char *label) {
    struct word name;
    struct word value = {.start = "", .length = 0};
    const char *at = strstr(svg, "viewBox");
    if (at == NULL || !read_attribute(&at, &name, &value)) {
        value = (struct word){.start = "0 0 560 300", .length = 11};
    }
    fputs("<svg class=\"plot\" role=\"img\" viewBox=\"", out);
    print_value(out, value);
    html_print(out, "\" aria-label=\"%s\">", label);
    copy_drawing(out, svg);
    fputs("</svg>\n", out);
}
