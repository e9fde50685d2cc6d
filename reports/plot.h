/* Plots, drawn by gnuplot: a script and its data, which may be left beside the picture so that
 * anybody can restyle it. */
#ifndef REPORTS_PLOT_H
#define REPORTS_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/kernel/error.h"

enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_FORMAT_COUNT };
/* svg, png */
extern const char *const plot_format_names[PLOT_FORMAT_COUNT];

/* One picture. Texts from scenarios reach the script through plot_print_quoted only; data are
 * numbers, which scripts name by column. */
struct plot {
    char name[64]; /* of its files, without ending: letters, digits and dashes */
    int width;
    int height;
    FILE *script; /* gnuplot commands, without terminal and output */
    FILE *data;   /* what the script reads as NAME.dat */
    char *script_text;
    char *data_text;
    size_t script_size;
    size_t data_size;
};

void plot_create(struct plot *plot, const char *kind, int number, int width, int height);
void plot_destroy(struct plot *plot);

/* A text as a gnuplot string: in single quotes, in which nothing is substituted; control characters
 * are made visible, so it stays on its line, and long ones are cut. Wherever it is used,
 * `noenhanced` must be in effect (plot_draw sees to it). */
void plot_print_quoted(FILE *script, const char *text);
/* The same for a label of an axis, which gnuplot takes for a format. */
void plot_print_tic(FILE *script, const char *text);
/* A line of data that says what follows. */
void plot_print_comment(FILE *data, const char *text);

/* Colours that people tell apart whatever colours they see (Okabe and Ito, 2008), as #0072B2. */
const char *plot_colour(size_t series);
/* gnuplot's dash type of a series, 1 for a full line: beyond the colours there are, the next one.
 */
int plot_dash(size_t series);

/* Where pictures are made. */
struct plotter {
    char folder[512];        /* temporary; "" until plotter_create has made it */
    const char *keep_in;     /* pictures, scripts and data are left here too; NULL: nowhere */
    enum plot_format format; /* of those */
};

/* Makes the folders. False with an error. */
bool plotter_create(struct plotter *plotter, const char *keep_in, enum plot_format format,
                    struct error *error);
void plotter_destroy(struct plotter *plotter);

/* Draws: *svg is the picture without a legend, for a page that has its own (free it). The one that
 * is kept has a legend. False with an error, which says what to install if there is no gnuplot. */
bool plot_draw(const struct plotter *plotter, struct plot *plot, char **svg, struct error *error);

#endif
