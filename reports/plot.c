#include "reports/plot.h"

#include <stdlib.h>
#include <string.h>

#include "reports/text.h"
#include "sim/kernel/memory.h"

const char *const plot_format_names[PLOT_FORMAT_COUNT] = {"svg", "png"};

static FILE *open_text(char **text, size_t *size) {
    FILE *stream = open_memstream(text, size);
    if (stream == NULL) {
        memory_exhausted(0);
    }
    return stream;
}

void plot_create(struct plot *plot, const char *kind, int number, int width, int height) {
    *plot = (struct plot){.width = width, .height = height};
    snprintf(plot->name, sizeof(plot->name), "%s-%d", kind, number);
    plot->script = open_text(&plot->script_text, &plot->script_size);
    plot->data = open_text(&plot->data_text, &plot->data_size);
}

void plot_destroy(struct plot *plot) {
    fclose(plot->script);
    fclose(plot->data);
    free(plot->script_text);
    free(plot->data_text);
}

enum { LONGEST_LABEL = 32 };

static void print_quoted(FILE *script, const char *text, bool is_format) {
    char *visible = text_visible(text);
    char *short_text = text_abbreviated(visible, LONGEST_LABEL);
    fputc('\'', script);
    for (const char *c = short_text; *c != '\0'; c++) {
        bool doubled = *c == '\'' || (is_format && *c == '%');
        fputc(*c, script);
        if (doubled) {
            fputc(*c, script);
        }
    }
    fputc('\'', script);
    free(short_text);
    free(visible);
}

void plot_print_quoted(FILE *script, const char *text) {
    print_quoted(script, text, false);
}

void plot_print_tic(FILE *script, const char *text) {
    print_quoted(script, text, true);
}

void plot_print_comment(FILE *data, const char *text) {
    char *visible = text_visible(text);
    fprintf(data, "# %s\n", visible);
    free(visible);
}

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#56B4E9", "#E69F00", "#7F7F7F"};
enum { COLOUR_COUNT = sizeof(colours) / sizeof(colours[0]) };

const char *plot_colour(size_t series) {
    return colours[series % COLOUR_COUNT];
}

int plot_dash(size_t series) {
    return (int)(series / COLOUR_COUNT % 5) + 1;
}
