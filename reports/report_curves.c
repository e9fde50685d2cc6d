#include "reports/report_curves.h"

#include <math.h>
#include <stdlib.h>

#include "reports/report_axis.h"
#include "sim/kernel/memory.h"

/* Shares above this are drawn at it: 99.9 %, 3 on the stretched axis. */
static const double STRETCH_MOST = 3;

static double stretched(double share) {
    double height = -log10(1 - share);
    return height < STRETCH_MOST ? height : STRETCH_MOST;
}

void curve_add(struct curve *curve, double seconds, double share, bool force) {
    static const double visible = 0.004; /* of a decade, in either direction */
    if (curve->count > 0 && !force) {
        const struct curve_point *last = &curve->points[curve->count - 1];
        bool moved = log10(seconds) - log10(last->seconds) > visible ||
                     stretched(share) - stretched(last->share) > visible;
        if (!moved) {
            return;
        }
    }
    curve->points =
        memory_grow(curve->points, &curve->capacity, curve->count + 1, sizeof(curve->points[0]));
    curve->points[curve->count++] = (struct curve_point){seconds, share};
}

static void print_data(FILE *data, const struct curves *curves) {
    plot_print_comment(data, "columns: seconds, share of all that took no longer");
    for (size_t i = 0; i < curves->count; i++) {
        const struct curve *curve = &curves->items[i];
        plot_print_comment(data, curve->name);
        for (size_t p = 0; p < curve->count; p++) {
            fprintf(data, "%.9g %.9g\n", curve->points[p].seconds, curve->points[p].share);
        }
        fputs("\n\n", data);
    }
}

static struct axis_range range_of(const struct curves *curves) {
    struct axis_range range = {INFINITY, 0};
    for (size_t i = 0; i < curves->count; i++) {
        const struct curve *curve = &curves->items[i];
        if (curve->count > 0) {
            range.from = fmin(range.from, curve->points[0].seconds);
            range.to = fmax(range.to, curve->points[curve->count - 1].seconds);
        }
    }
    range.from = curves->least_s > 0 ? curves->least_s : range.from;
    range.to = fmax(range.to, isnan(curves->limit_s) ? 0 : curves->limit_s);
    range.to = fmax(range.to * 1.15, range.from * 2);
    return range;
}

static void print_limit(FILE *script, const struct curves *curves) {
    if (isnan(curves->limit_s)) {
        return;
    }
    fprintf(script,
            "set tmargin 2\n"
            "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead lc rgb '#888888' lw 1.5 dt 2\n"
            "set label 'SLO ' . ",
            curves->limit_s, curves->limit_s);
    plot_print_quoted(script, number_duration(curves->limit_s).text);
    fprintf(script, " at %.9g, graph 1 center offset 0,0.7 noenhanced\n", curves->limit_s);
}

static void print_script(FILE *script, const char *name, const struct curves *curves) {
    struct axis_range range = range_of(curves);
    fprintf(script, "set logscale x\nset xrange [%.9g:%.9g]\nset yrange [0:3]\n", range.from,
            range.to);
    fputs("set ytics ('0 %%' 0, '50 %%' 0.30103, '90 %%' 1, '99 %%' 2, '99.9 %%' 3)\n", script);
    axis_print_log_tics(script, 'x', range, 6);
    fputs("set xlabel ", script);
    plot_print_quoted(script, curves->axis);
    fputs("\n", script);
    print_limit(script, curves);
    fputs("# The axis of shares is stretched towards 100 %.\n"
          "stretched(share) = share < 0.999 ? -log10(1 - share) : 3\n",
          script);
    for (size_t i = 0; i < curves->count; i++) {
        fprintf(script,
                "%s'%s.dat' index %zu using 1:(stretched($2)) with steps lw 2.2 dt %d "
                "lc rgb '%s' title ",
                i == 0 ? "plot " : ", \\\n     ", name, i, plot_dash(curves->items[i].series),
                plot_colour(curves->items[i].series));
        plot_print_quoted(script, curves->items[i].name);
    }
    fputs("\n", script);
}

void curves_draw(struct report *report, const struct curves *curves, const char *kind,
                 const char *label, const char *caption) {
    struct plot plot;
    plot_create(&plot, kind, ++*report->plot_number, 480, 300);
    print_data(plot.data, curves);
    print_script(plot.script, plot.name, curves);
    const char **names = memory_zero(curves->count, sizeof(names[0]));
    size_t *series = memory_zero(curves->count, sizeof(series[0]));
    for (size_t i = 0; i < curves->count; i++) {
        names[i] = curves->items[i].name;
        series[i] = curves->items[i].series;
    }
    struct report_legend legend = {.names = names, .series = series, .count = curves->count};
    report_figure(report, &plot, &legend, label, caption);
    free(names);
    free(series);
    plot_destroy(&plot);
}

void curves_clear(struct curves *curves) {
    for (size_t i = 0; i < curves->count; i++) {
        free(curves->items[i].points);
    }
    free(curves->items);
}
