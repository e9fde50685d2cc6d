#include "reports/summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "reports/headline.h"
#include "reports/number.h"
#include "reports/service_notes.h"
#include "reports/summary_internal.h"
#include "reports/text.h"
#include "reports/unstable.h"
#include "sim/kernel/memory.h"

struct table *page_table(const struct page *page) {
    struct table *table = table_create();
    if (page->variants) {
        table_add_column(table, "variant", "variant", TABLE_LEFT, TABLE_FOR_ALL);
    }
    if (page->points) {
        sweep_columns_add(&page->sweep, table);
    }
    return table;
}

void page_add_labels(struct table *table, const struct page *page, const struct result_case *of) {
    if (page->variants) {
        table_add_text(table, of->variant);
    }
    if (page->points) {
        sweep_columns_add_cells(&page->sweep, table, of->point);
    }
}

void page_print_table(const struct page *page, struct table *table) {
    fputc('\n', page->out);
    table_print(page->out, table, TABLE_TEXT, 0, page->colour);
    table_destroy(table);
}

void page_print_line(const struct page *page, const char *word, const char *format, ...) {
    enum { MARGIN = 12 };
    char padded[32];
    snprintf(padded, sizeof(padded), "%-*s", MARGIN, word);
    table_print_coloured(page->out, padded, TABLE_BOLD, page->colour);
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_format(format, arguments);
    va_end(arguments);
    text_print_wrapped(page->out, text, MARGIN, TABLE_WIDTH);
    free(text);
}

static void print_visible(FILE *out, const char *text, enum table_colour colour, bool enabled) {
    char *visible = text_visible(text);
    table_print_coloured(out, visible, colour, enabled);
    free(visible);
}

/* The least and the greatest of something over all runs of the page. */
struct range {
    double least;
    double greatest;
};

static void range_add(struct range *range, double value) {
    range->least = fmin(range->least, value); /* fmin and fmax pass over NaN */
    range->greatest = fmax(range->greatest, value);
}

static void print_range(FILE *out, struct range range, enum number_kind kind, const char *what) {
    struct number least = number_format(kind, range.least, 0, NULL);
    struct number greatest = number_format(kind, range.greatest, 0, NULL);
    if (strcmp(least.text, greatest.text) == 0) {
        fprintf(out, "%s%s", least.text, what);
    } else {
        fprintf(out, "%s to %s%s", least.text, greatest.text, what);
    }
}

static size_t count_distinct(const struct page *page,
                             const char *(*of)(const struct result_case *)) {
    size_t distinct = 0;
    for (size_t i = 0; i < page->count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++) {
            seen = strcmp(of(&page->cases[i]), of(&page->cases[j])) == 0;
        }
        distinct += !seen;
    }
    return distinct;
}

static const char *variant_of(const struct result_case *of) {
    return of->variant;
}

static const char *point_of(const struct result_case *of) {
    return of->point;
}

/* "day-night: 3 variants, 10 replications each (means ± 95 % interval)" */
static void print_title(const struct page *page, size_t variants, size_t points) {
    FILE *out = page->out;
    struct range replications = {NAN, NAN};
    for (size_t i = 0; i < page->count; i++) {
        range_add(&replications, (double)page->cases[i].run_count);
    }
    print_visible(out, page->cases[0].scenario, TABLE_BOLD, page->colour);
    fputs(": ", out);
    if (variants > 1) {
        fprintf(out, "%zu variants", variants);
    } else {
        print_visible(out, page->cases[0].variant, TABLE_PLAIN, false);
    }
    if (points > 1) {
        fprintf(out, ", %zu sweep points", points);
    } else if (page->cases[0].point[0] != '\0') {
        fputs(" at ", out);
        char *point = sweep_point_short(page->cases[0].point);
        print_visible(out, point, TABLE_PLAIN, false);
        free(point);
    }
    if (replications.greatest > 1) {
        fputs(", ", out);
        print_range(out, replications, NUMBER_COUNT, " replications");
        fputs(page->count > 1 ? " each" : "", out);
        fputs(" (means ± 95 % intervals)", out);
    } else {
        fprintf(out, ", seed %llu", (unsigned long long)page->cases[0].runs[0].seed);
    }
    fputc('\n', out);
}

static void add_warmups(struct range *range, struct result_set *set, const struct result_case *of) {
    double *values = memory_zero(of->run_count, sizeof *values);
    result_values(set, of, SCOPE_RUN, "", "warmup_s", values);
    for (size_t i = 0; i < of->run_count; i++) {
        range_add(range, values[i]);
    }
    free(values);
}

/* What is submitted in the cases of the page. */
static const char *name_submitted(const struct page *page) {
    bool jobs = false;
    bool requests = false;
    for (size_t i = 0; i < page->count; i++) {
        const struct result_case *of = &page->cases[i];
        jobs = jobs || result_has_figure(page->set, of, SCOPE_RUN, "", "wait_s.mean");
        requests = requests || result_has_figure(page->set, of, SCOPE_RUN, "", "latency_s.mean");
    }
    return !requests ? " jobs submitted"
           : jobs    ? " jobs and requests submitted"
                     : " requests submitted";
}

static void print_setting(const struct page *page) {
    struct range gpus = {NAN, NAN};
    struct range simulated = {NAN, NAN};
    struct range jobs = {NAN, NAN};
    struct range warmup = {NAN, NAN};
    for (size_t i = 0; i < page->count; i++) {
        const struct result_case *of = &page->cases[i];
        range_add(&gpus, result_figure(page->set, of, SCOPE_RUN, "", "gpus").mean);
        range_add(&jobs, result_figure(page->set, of, SCOPE_RUN, "", "submitted").mean);
        add_warmups(&warmup, page->set, of);
        for (size_t r = 0; r < of->run_count; r++) {
            range_add(&simulated, of->runs[r].sim_seconds);
        }
    }
    print_range(page->out, gpus, NUMBER_COUNT, gpus.greatest == 1 ? " GPU, " : " GPUs, ");
    print_range(page->out, simulated, NUMBER_DURATION, " simulated, ");
    print_range(page->out, jobs, NUMBER_COUNT, name_submitted(page));
    if (warmup.greatest > 0) {
        fputs(" after ", page->out);
        print_range(page->out, warmup, NUMBER_DURATION, " of warm-up");
    }
    fputc('\n', page->out);
}

/* Beyond this, a table is no summary any more. */
enum { MOST_CASES = 40 };

static void print_cases(const struct page *page) {
    struct table *table = page_table(page);
    headline_add_columns(table, false);
    size_t shown = page->count < MOST_CASES ? page->count : MOST_CASES;
    struct headline_traits traits = {0};
    for (size_t i = 0; i < shown; i++) {
        table_add_row(table);
        page_add_labels(table, page, &page->cases[i]);
        struct headline_case row = {page->set, &page->cases[i]};
        headline_add_cells(table, row, false, NULL);
        headline_learn(&traits, row);
    }
    headline_trim(table, false, traits);
    page_print_table(page, table);
    if (shown < page->count) {
        fprintf(page->out, "… and %zu more; `headroom compare` shows them all.\n",
                page->count - shown);
    }
}

/* What is said per workload and per pool is for few cases only. */
enum { MOST_DETAILED_CASES = 12 };

static void print_page(struct page *page) {
    size_t variants = count_distinct(page, variant_of);
    size_t points = count_distinct(page, point_of);
    page->variants = variants > 1;
    page->points = points > 1;
    for (size_t i = 0; i < page->count; i++) {
        sweep_columns_include(&page->sweep, page->cases[i].point);
    }
    page_print_verdict(page);
    print_title(page, variants, points);
    print_setting(page);
    if (page->count > 1) {
        print_cases(page);
    }
    if (page->count <= MOST_DETAILED_CASES) {
        page_print_workloads(page);
        page_print_models(page);
        page_print_queues(page);
        page_print_interruptions(page);
        page_print_latency_parts(page);
        page_print_pools(page);
        page_print_gpu_time(page);
    }
    if (page->count == 1) {
        page_print_turnaround(page);
        page_print_cost(page);
    }
    if (page->count <= MOST_DETAILED_CASES) {
        page_print_timeline(page);
    }
    unstable_print_lines(page);
    sweep_columns_clear(&page->sweep);
}

static void add_verdict(struct table *table, const struct objective_verdict *verdict) {
    enum number_kind kind = number_kind_of(verdict->unit);
    table_add_row(table);
    table_add_text(table, verdict->met ? "✓ met" : "✗ not met");
    table_paint(table, verdict->met ? TABLE_GREEN : TABLE_RED);
    table_add_text(table, verdict->text);
    table_add_text(table, verdict->variant);
    char *point = sweep_point_short(verdict->point != NULL ? verdict->point : "");
    table_add_text(table, point);
    free(point);
    table_add_number(
        table, verdict->value,
        number_mean(kind, verdict->value, verdict->half_width, verdict->currency).text);
}

static void print_verdicts(FILE *out, const struct summary_options *options) {
    if (options->verdict_count == 0) {
        return;
    }
    struct table *table = table_create();
    table_add_column(table, "objectives", "met", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "", "objective", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "", "variant", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "", "point", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "value", "value", TABLE_RIGHT, TABLE_FOR_ALL);
    /* Of many, those not met are what the reader is after. */
    bool many = options->verdict_count > MOST_CASES;
    size_t met = 0;
    for (size_t i = 0; i < options->verdict_count; i++) {
        const struct objective_verdict *verdict = &options->verdicts[i];
        met += verdict->met ? 1 : 0;
        if (!many || (!verdict->met && table_row_count(table) < MOST_CASES)) {
            add_verdict(table, verdict);
        }
    }
    fputc('\n', out);
    if (table_row_count(table) > 0) {
        table_print(out, table, TABLE_TEXT, 0, options->colour);
    }
    if (many) {
        fprintf(out, "%zu of %zu objectives are met.\n", met, options->verdict_count);
    }
    table_destroy(table);
}

static void print_note(FILE *out, const char *note) {
    char *visible = text_visible(note);
    fputs("- ", out);
    text_print_wrapped(out, visible, 2, TABLE_WIDTH);
    free(visible);
}

static void print_notes(FILE *out, struct result_set *set, const struct summary_options *options) {
    size_t own_count = 0;
    char **own = service_notes(set, &own_count);
    if (options->note_count + own_count > 0) {
        fputc('\n', out);
        table_print_coloured(out, "notes", TABLE_BOLD, options->colour);
        fputc('\n', out);
    }
    for (size_t i = 0; i < options->note_count; i++) {
        print_note(out, options->notes[i]);
    }
    for (size_t i = 0; i < own_count; i++) {
        print_note(out, own[i]);
    }
    service_notes_free(own, own_count);
}

static void print_origin(FILE *out, const struct result_set *set, int64_t batch, bool colour) {
    size_t runs = 0;
    double events = 0;
    double wall_seconds = 0;
    for (size_t i = 0; i < set->case_count; i++) {
        for (size_t r = 0; r < set->cases[i].run_count; r++) {
            runs++;
            events += (double)set->cases[i].runs[r].events;
            wall_seconds += set->cases[i].runs[r].wall_seconds;
        }
    }
    char *database = text_visible(store_path(set->store));
    char *line = NULL;
    if (asprintf(&line, "%zu %s, %s events in %s; batch %lld in %s", runs,
                 runs == 1 ? "run" : "runs", number_count(events).text,
                 number_duration(wall_seconds).text, (long long)batch, database) < 0) {
        memory_exhausted(0);
    }
    fputc('\n', out);
    table_print_coloured(out, line, TABLE_DIM, colour);
    fputc('\n', out);
    free(line);
    free(database);
}

/* One page per scenario, the way they follow each other in the batch. */
static void print_scenarios(FILE *out, struct result_set *set,
                            const struct summary_options *options) {
    for (size_t first = 0; first < set->case_count;) {
        size_t end = first + 1;
        while (end < set->case_count &&
               strcmp(set->cases[end].scenario, set->cases[first].scenario) == 0) {
            end++;
        }
        struct page page = {.out = out,
                            .colour = options->colour,
                            .set = set,
                            .cases = &set->cases[first],
                            .count = end - first};
        fputs(first > 0 ? "\n" : "", out);
        print_page(&page);
        first = end;
    }
}

bool summary_print(FILE *out, struct store *store, int64_t batch,
                   const struct summary_options *options, struct error *error) {
    struct result_set set;
    bool read = result_set_read(&set, store, batch, error);
    if (read) {
        fputs(set.case_count == 0 ? "No run has been finished.\n" : "", out);
        print_scenarios(out, &set, options);
        print_verdicts(out, options);
        print_notes(out, &set, options);
        print_origin(out, &set, batch, options->colour);
        read = !result_set_failed(&set, error);
    }
    result_set_clear(&set);
    return read;
}
