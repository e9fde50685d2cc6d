#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/compare_internal.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"

static const struct result_run *find_replication(const struct result_case *of,
                                                 int64_t replication) {
    for (size_t i = 0; i < of->run_count; i++) {
        if (of->runs[i].replication == replication) {
            return &of->runs[i];
        }
    }
    return NULL;
}

static double *read_values(const struct compare_row *row, struct compared_figure compared) {
    double *values = memory_zero(row->of->run_count, sizeof(values[0]));
    result_values(&row->source->set, row->of, compared.scope, compared.subject,
                  compared.headline->metric, values);
    return values;
}

/* What is left of rounding is no difference. */
static double difference_of(double own, double other) {
    return fabs(own - other) <= 1e-9 * fmax(fabs(own), fabs(other)) ? 0 : own - other;
}

struct difference compare_difference(const struct compare_row *row,
                                     struct compared_figure compared) {
    const struct result_case *base = row->baseline->of;
    double *own = read_values(row, compared);
    double *other = read_values(row->baseline, compared);
    double *pairs = memory_zero(row->of->run_count, sizeof(pairs[0]));
    double *paired = memory_zero(row->of->run_count, sizeof(paired[0]));
    size_t count = 0;
    for (size_t i = 0; i < row->of->run_count; i++) {
        const struct result_run *run = find_replication(base, row->of->runs[i].replication);
        if (run != NULL) {
            paired[count] = other[run - base->runs];
            pairs[count] = difference_of(own[i], paired[count]);
            count += isnan(pairs[count]) ? 0 : 1;
        }
    }
    struct difference difference = {.figure = figure_of(pairs, count),
                                    .baseline = figure_of(paired, count).mean};
    if (count == 0) {
        difference.baseline = figure_of(other, base->run_count).mean;
        difference.figure.mean =
            difference_of(figure_of(own, row->of->run_count).mean, difference.baseline);
    }
    difference.equal = difference.figure.mean == 0 && !(difference.figure.half_width > 0);
    /* False where there is no interval: no comparison with NaN holds. */
    difference.significant = fabs(difference.figure.mean) > difference.figure.half_width;
    free(own);
    free(other);
    free(pairs);
    free(paired);
    return difference;
}

/* Below this share of the baseline, a difference reads as 0.0 %. */
static const double NEGLIGIBLE = 0.0005;

/* " (-35.4 %)", or from eleven times the baseline on " (x12.0)"; "" for what reads as 0.0 %. */
static void describe_relative(double mean, double baseline, char *text, size_t size) {
    double relative = mean / fabs(baseline);
    text[0] = '\0';
    if (isfinite(relative) && relative >= 10) {
        snprintf(text, size, " (x%s)", number_plain(1 + relative).text);
    } else if (isfinite(relative) && fabs(relative) >= NEGLIGIBLE) {
        snprintf(text, size, " (%s)", number_difference(NUMBER_SHARE, relative, 0, NULL).text);
    }
}

/* "-16m 31s ± 1m 2s (-35.4 %)" */
static void describe_difference(const struct difference *difference,
                                const struct headline *headline, const char *currency, char *text,
                                size_t size) {
    double mean = difference->figure.mean;
    double half_width = difference->figure.half_width;
    bool share = headline->kind == NUMBER_SHARE;
    enum number_kind kind = share ? NUMBER_POINTS : headline->kind;
    struct number value = number_difference(kind, mean, number_step(half_width), currency);
    struct number interval = number_half_width(kind, half_width, currency);
    char relative[100] = "";
    if (!share) {
        describe_relative(mean, difference->baseline, relative, sizeof(relative));
    }
    bool negligible = fabs(mean) < NEGLIGIBLE * fabs(difference->baseline);
    bool fractional = kind == NUMBER_MONEY || kind == NUMBER_PLAIN;
    if (fractional && negligible && interval.text[0] == '\0') {
        snprintf(text, size, "0.0 %%"); /* nobody wants parts of a cent of a bill */
    } else {
        snprintf(text, size, "%s%s%s%s", value.text, interval.text[0] != '\0' ? " " : "",
                 interval.text, relative);
    }
}

void compare_add_difference(struct table *table, const struct compare_row *row,
                            struct compared_figure compared) {
    const struct headline *headline = compared.headline;
    struct difference difference = compare_difference(row, compared);
    if (isnan(difference.figure.mean)) {
        table_add_text(table, "-");
        return;
    }
    if (difference.equal) {
        table_add_text(table, "equal");
        table_paint(table, TABLE_DIM);
        return;
    }
    if (!isnan(difference.figure.half_width) && !difference.significant) {
        table_add_text(table, "no significant difference");
        table_paint(table, TABLE_DIM);
        return;
    }
    char text[300];
    describe_difference(&difference, headline, row->of->currency, text, sizeof(text));
    table_add_text(table, text);
    if (difference.significant) {
        bool better = (difference.figure.mean < 0) == (headline->better == LESS_IS_BETTER);
        table_paint(table, better ? TABLE_GREEN : TABLE_RED);
    }
}
