#include "reports/report_series.h"

#include <math.h>
#include <stdlib.h>

#include "reports/report_axis.h"
#include "sim/kernel/memory.h"

size_t series_most(const struct report *report) {
    return report->case_count < SERIES_MOST ? report->case_count : SERIES_MOST;
}

void series_add(struct series *series, double t_s, double value) {
    series->points = memory_grow(series->points, &series->capacity, series->count + 1,
                                 sizeof(series->points[0]));
    series->points[series->count++] = (struct series_point){t_s, value};
}

/* What the lines span. */
struct extent {
    double last_s;
    double least; /* above zero */
    double most;
};

static struct extent extent_of(const struct series_set *set) {
    struct extent extent = {.least = INFINITY};
    for (size_t i = 0; i < set->count; i++) {
        for (size_t p = 0; p < set->items[i].count; p++) {
            struct series_point point = set->items[i].points[p];
            extent.last_s = fmax(extent.last_s, point.t_s);
            if (point.value > 0) {
                extent.least = fmin(extent.least, point.value);
                extent.most = fmax(extent.most, point.value);
            }
        }
    }
    return extent;
}

/* A line ends at a gap, and a block of the file with an empty line. */
static void print_data(FILE *data, const struct series_set *set) {
    plot_print_comment(data, "columns: seconds since the start, value");
    for (size_t i = 0; i < set->count; i++) {
        const struct series *series = &set->items[i];
        bool open = false;
        plot_print_comment(data, series->name);
        for (size_t p = 0; p < series->count; p++) {
            struct series_point point = series->points[p];
            if (!isnan(point.value)) {
                fprintf(data, "%.9g %.9g\n", point.t_s, point.value);
            } else if (open) {
                fputs("\n", data);
            }
            open = !isnan(point.value);
        }
        fputs(open ? "\n\n" : "\n", data);
    }
}

/* Durations that differ by more than this are on a logarithmic axis. */
static const double MOST_LINEAR = 30;

static void print_axes(FILE *script, const struct series_set *set, struct extent extent) {
    struct axis_time_unit unit = axis_time_unit(extent.last_s);
    double most = fmax(extent.most, isnan(set->limit) ? 0 : set->limit);
    double least = fmin(extent.least, isnan(set->limit) ? INFINITY : set->limit);
    struct axis_range range = {0, most * 1.08};
    if (set->kind == NUMBER_DURATION && most > MOST_LINEAR * least) {
        range = (struct axis_range){least / 1.3, most * 1.5};
        fputs("set logscale y\n", script);
        axis_print_log_tics(script, 'y', range, 6);
    } else {
        axis_print_tics(script, 'y', set->kind, range, 5, NULL);
    }
    fprintf(script, "set yrange [%.9g:%.9g]\nset xrange [0:%.9g]\nset xtics format '%%g'\n",
            range.from, range.to, extent.last_s > 0 ? extent.last_s / unit.seconds : 1);
    fprintf(script, "set xlabel '%s'\nset ylabel ", unit.name);
    plot_print_quoted(script, set->axis);
    fputs("\n", script);
}

static void print_limit(FILE *script, double limit) {
    if (isnan(limit)) {
        return;
    }
    fprintf(
        script,
        "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead lc rgb '#888888' "
        "lw 1.5 dt 2\nset rmargin 5\nset label 'SLO' at graph 1, first %.9g left offset 0.5,0\n",
        limit, limit, limit);
}

static void print_script(FILE *script, const char *name, const struct series_set *set,
                         struct extent extent) {
    struct axis_time_unit unit = axis_time_unit(extent.last_s);
    print_axes(script, set, extent);
    print_limit(script, set->limit);
    for (size_t i = 0; i < set->count; i++) {
        fprintf(script,
                "%s'%s.dat' index %zu using ($1/%g):2 with lines lw 2 dt %d lc rgb '%s' title ",
                i == 0 ? "plot " : ", \\\n     ", name, i, unit.seconds,
                plot_dash(set->items[i].series), plot_colour(set->items[i].series));
        plot_print_quoted(script, set->items[i].name);
    }
    fputs("\n", script);
}

bool series_draw(struct report *report, const struct series_set *set, const char *kind,
                 const char *label, const char *caption) {
    struct extent extent = extent_of(set);
    if (!(extent.most > 0)) {
        return false;
    }
    struct plot plot;
    plot_create(&plot, kind, ++*report->plot_number, 480, 260);
    print_data(plot.data, set);
    print_script(plot.script, plot.name, set, extent);
    const char *names[SERIES_MOST];
    size_t series[SERIES_MOST];
    for (size_t i = 0; i < set->count; i++) {
        names[i] = set->items[i].name;
        series[i] = set->items[i].series;
    }
    struct report_legend legend = {.names = names, .series = series, .count = set->count};
    report_figure(report, &plot, &legend, label, caption);
    plot_destroy(&plot);
    return true;
}

void series_clear(struct series_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        free(set->items[i].points);
    }
    free(set->items);
    *set = (struct series_set){0};
}
