#include "reports/unstable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/number.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"

/* Beyond this, a list is no summary any more. */
enum { MOST_LINES = 12 };

const char unstable_legend[] = "* of a queue that grows without limit: the longer the run, the "
                               "larger the figure";

size_t unstable_runs(struct result_set *set, const struct result_case *of, enum scope scope,
                     const char *subject) {
    double *values = memory_zero(of->run_count, sizeof *values);
    result_values(set, of, scope, subject, "unstable", values);
    size_t unstable = 0;
    for (size_t i = 0; i < of->run_count; i++) {
        unstable += values[i] > 0; /* a figure that is not there is NaN */
    }
    free(values);
    return unstable;
}

static bool follows_from_waits(const char *metric) {
    return strncmp(metric, "wait_s.", 7) == 0 || strncmp(metric, "jct_s.", 6) == 0 ||
           strncmp(metric, "slowdown.", 9) == 0;
}

const char *unstable_mark(struct result_set *set, const struct result_case *of, enum scope scope,
                          const char *subject, const char *metric) {
    return follows_from_waits(metric) && unstable_runs(set, of, scope, subject) > 0 ? "*" : "";
}

/* " (variant fifo, nodes=4)", as far as there are several; free with free(). */
static char *describe_case(const struct page *page, const struct result_case *of) {
    char *variant = text_visible(of->variant);
    char *point = text_visible(of->point);
    bool both = page->variants && page->points;
    bool any = page->variants || page->points;
    char *text = NULL;
    if (asprintf(&text, "%s%s%s%s%s%s", any ? " (" : "", page->variants ? "variant " : "",
                 page->variants ? variant : "", both ? ", " : "", page->points ? point : "",
                 any ? ")" : "") < 0) {
        memory_exhausted(0);
    }
    free(variant);
    free(point);
    return text;
}

/* "the queue of workload train (variant fifo) grows by 12.5 jobs an hour (so in 3 of 4
 * replications)"
 */
static void print_line(const struct page *page, const struct result_case *of, enum scope scope,
                       const char *subject) {
    size_t runs = unstable_runs(page->set, of, scope, subject);
    double growth = result_figure(page->set, of, scope, subject, "backlog_growth_per_h").mean;
    bool of_workload = scope == SCOPE_WORKLOAD;
    char *name = text_visible(subject);
    char *where = describe_case(page, of);
    char replications[64] = "";
    if (of->run_count > 1) {
        snprintf(replications, sizeof replications, " (so in %zu of %zu replications)", runs,
                 of->run_count);
    }
    page_print_line(page, "unstable",
                    "the queue%s%s%s grows by %s jobs an hour%s: its waits, and what "
                    "follows from them (*), have no limit",
                    of_workload ? " of workload " : "", name, where, number_plain(growth).text,
                    replications);
    free(name);
    free(where);
}

/* Prints the line of an unstable queue if there is room for it; counts it in any case. */
static bool consider(const struct page *page, const struct result_case *of, enum scope scope,
                     const char *subject, size_t *found) {
    if (unstable_runs(page->set, of, scope, subject) == 0) {
        return false;
    }
    if (*found == 0 && page->count > 1) {
        fputc('\n', page->out); /* after a table */
    }
    if (*found < MOST_LINES) {
        print_line(page, of, scope, subject);
    }
    ++*found;
    return true;
}

void unstable_print_lines(const struct page *page) {
    size_t found = 0;
    for (size_t c = 0; c < page->count; c++) {
        const struct result_case *of = &page->cases[c];
        size_t count = 0;
        const char **subjects = result_subjects(page->set, of, SCOPE_WORKLOAD, &count);
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            any = consider(page, of, SCOPE_WORKLOAD, subjects[i], &found) || any;
        }
        if (!any) {
            consider(page, of, SCOPE_RUN, "", &found); /* it alone */
        }
    }
    if (found > MOST_LINES) {
        page_print_line(page, "", "and %zu more unstable queues", found - MOST_LINES);
    }
}
