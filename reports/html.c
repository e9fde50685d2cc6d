#include "reports/html.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "reports/text.h"
#include "sim/kernel/memory.h"

static void print_escaped(FILE *out, const char *text) {
    char *visible = text_visible(text);
    for (const char *c = visible; *c != '\0'; c++) {
        switch (*c) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            fputc(*c, out);
        }
    }
    free(visible);
}

void html_print(FILE *out, const char *template, ...) {
    va_list arguments;
    va_start(arguments, template);
    for (const char *c = template; *c != '\0'; c++) {
        if (*c != '%') {
            fputc(*c, out);
            continue;
        }
        c++;
        assert(*c == 's' || *c == 'd' || *c == '%');
        if (*c == 's') {
            print_escaped(out, va_arg(arguments, const char *));
        } else if (*c == 'd') {
            fprintf(out, "%d", va_arg(arguments, int));
        } else {
            fputc('%', out);
        }
    }
    va_end(arguments);
}

void html_print_lines(FILE *out, const char *text) {
    while (*text != '\0') {
        size_t length = strcspn(text, "\r\n");
        char *line = memory_allocate(length + 1);
        memcpy(line, text, length);
        line[length] = '\0';
        print_escaped(out, line);
        free(line);
        text += length;
        text += text[0] == '\r' && text[1] == '\n';
        if (*text != '\0') {
            fputc('\n', out);
            text++;
        }
    }
}
