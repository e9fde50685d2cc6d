#include "reports/report_bars.h"

#include <math.h>
#include <stdlib.h>

#include "reports/report_axis.h"
#include "sim/kernel/memory.h"

static double value_of(const struct bars *bars, size_t part, size_t row) {
    return bars->values[part * bars->row_count + row];
}

static bool is_used(const struct bars *bars, size_t part) {
    bool used = false;
    for (size_t row = 0; row < bars->row_count && !used; row++) {
        used = value_of(bars, part, row) > 0;
    }
    return used;
}

/* Up to a part, or of all. */
static double sum_before(const struct bars *bars, size_t part, size_t row) {
    double sum = 0;
    for (size_t before = 0; before < part; before++) {
        sum += value_of(bars, before, row);
    }
    return sum;
}

/* What a sum is on the axis. */
static double on_axis(const struct bars *bars, size_t row, double sum) {
    double total = sum_before(bars, bars->part_count, row);
    if (!bars->as_shares) {
        return sum;
    }
    return total > 0 ? 100 * sum / total : 0;
}

static void print_data(FILE *data, const struct bars *bars) {
    plot_print_comment(data, "columns: row, from and to (on the axis), value");
    for (size_t part = 0; part < bars->part_count; part++) {
        plot_print_comment(data, bars->parts[part].name);
        for (size_t row = 0; row < bars->row_count; row++) {
            double before = sum_before(bars, part, row);
            double value = value_of(bars, part, row);
            fprintf(data, "%zu %.6g %.6g %.9g\n", row, on_axis(bars, row, before),
                    on_axis(bars, row, before + value), value);
        }
        fputs("\n\n", data);
    }
}

static void print_value_axis(FILE *script, const struct bars *bars) {
    if (bars->as_shares) {
        fputs("set xrange [0:100]\nset xtics 25 format '%g %%'\n", script);
        return;
    }
    double most = 0;
    for (size_t row = 0; row < bars->row_count; row++) {
        most = fmax(most, sum_before(bars, bars->part_count, row));
    }
    struct axis_range range = {0, most};
    axis_print_tics(script, 'x', bars->kind, range, 5, bars->currency);
    fprintf(script, "set xrange [0:%.9g]\n", most * 1.02);
}

static void print_script(struct plot *plot, const struct bars *bars) {
    FILE *script = plot->script;
    print_value_axis(script, bars);
    fputs("set xlabel ", script);
    plot_print_quoted(script, bars->axis);
    fprintf(script,
            "\nset yrange [%zu.5:-0.5]\nunset grid\nset grid xtics lc rgb '#888888' lw 0.5 dt 1\n"
            "set style fill solid 1 noborder\nset ytics (",
            bars->row_count - 1);
    for (size_t row = 0; row < bars->row_count; row++) {
        fputs(row > 0 ? ", " : "", script);
        plot_print_tic(script, bars->rows[row]);
        fprintf(script, " %zu", row);
    }
    fputs(")\n", script);
    const char *lead = "plot ";
    for (size_t part = 0; part < bars->part_count; part++) {
        if (is_used(bars, part)) {
            fprintf(script,
                    "%s'%s.dat' index %zu using 2:1:2:3:($1-0.34):($1+0.34) with boxxyerror "
                    "lc rgb '%s' title ",
                    lead, plot->name, part, bars->parts[part].colour);
            plot_print_quoted(script, bars->parts[part].name);
            lead = ", \\\n     ";
        }
    }
    fputs("\n", script);
}

void bars_draw(struct report *report, const struct bars *bars, const char *kind, const char *label,
               const char *caption) {
    const char **names = memory_zero(bars->part_count, sizeof(names[0]));
    const char **colours = memory_zero(bars->part_count, sizeof(colours[0]));
    struct report_legend legend = {.names = names, .colours = colours};
    for (size_t part = 0; part < bars->part_count; part++) {
        if (is_used(bars, part)) {
            names[legend.count] = bars->parts[part].name;
            colours[legend.count++] = bars->parts[part].colour;
        }
    }
    if (legend.count > 0) {
        struct plot plot;
        plot_create(&plot, kind, ++*report->plot_number, 560, 84 + 32 * (int)bars->row_count);
        print_data(plot.data, bars);
        print_script(&plot, bars);
        report_figure(report, &plot, &legend, label, caption);
        plot_destroy(&plot);
    }
    free(names);
    free(colours);
}
