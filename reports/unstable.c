#include "reports/unstable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/number.h"
#include "reports/subject_group.h"
#include "reports/sweep_point.h"
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
    static const char *const families[] = {"wait_s.", "jct_s.", "slowdown.", "latency_s.",
                                           "queue_s."};
    bool follows = false;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && !follows; i++) {
        follows = strncmp(metric, families[i], strlen(families[i])) == 0;
    }
    return follows;
}

/* In a run of both kinds, the queue that grows may be one of the other kind. */
static bool concerns(struct result_set *set, const struct result_case *of, const char *metric) {
    if (!result_has_figure(set, of, SCOPE_RUN, "", "wait_s.mean") ||
        !result_has_figure(set, of, SCOPE_RUN, "", "latency_s.mean")) {
        return true;
    }
    size_t count = 0;
    const char **subjects = result_subjects(set, of, SCOPE_WORKLOAD, &count);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = result_has_figure(set, of, SCOPE_WORKLOAD, subjects[i], metric) &&
                unstable_runs(set, of, SCOPE_WORKLOAD, subjects[i]) > 0;
    }
    return found;
}

const char *unstable_mark(struct result_set *set, const struct result_case *of, enum scope scope,
                          const char *subject, const char *metric) {
    bool marked = follows_from_waits(metric) && unstable_runs(set, of, scope, subject) > 0 &&
                  (scope != SCOPE_RUN || concerns(set, of, metric));
    return marked ? "*" : "";
}

/* " (variant fifo, nodes=4)", as far as there are several; free with free(). */
static char *describe_case(const struct page *page, const struct result_case *of) {
    char *variant = text_visible(of->variant);
    char *short_point = sweep_point_short(of->point);
    char *point = text_visible(short_point);
    free(short_point);
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

/* What waits in the queue of a subject. */
static const char *name_items(const struct page *page, const struct result_case *of,
                              enum scope scope, const char *subject) {
    bool requests = result_has_figure(page->set, of, scope, subject, "latency_s.mean");
    bool jobs = result_has_figure(page->set, of, scope, subject, "wait_s.mean");
    return requests && jobs ? "jobs and requests" : requests ? "requests" : "jobs";
}

/* " (so in 3 of 4 replications)"; of several queues, in those of the one that grew most often. */
struct how_often {
    char text[64];
};

static struct how_often describe_replications(const struct result_case *of, size_t runs) {
    struct how_often often = {""};
    if (of->run_count > 1) {
        snprintf(often.text, sizeof often.text, " (so in %zu of %zu replications)", runs,
                 of->run_count);
    }
    return often;
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
    page_print_line(page, "unstable",
                    "the queue%s%s%s grows by %s %s an hour%s: its waits, and what "
                    "follows from them (*), have no limit",
                    of_workload ? " of workload " : "", name, where, number_plain(growth).text,
                    name_items(page, of, scope, subject), describe_replications(of, runs).text);
    free(name);
    free(where);
}

/* "12 queues of chat (17) (variant fifo) grow by 4,700 requests an hour together", of which these
 * are the first and what is known of all. */
struct unstable_family {
    const char *first;
    size_t queues;
    size_t runs; /* of the queue that grew in most of them */
    double growth;
};

static struct unstable_family find_unstable(struct result_set *set, const struct result_case *of,
                                            const struct subject_group *group) {
    struct unstable_family family = {0};
    for (size_t i = 0; i < group->count; i++) {
        const char *subject = group->subjects[i];
        size_t runs = unstable_runs(set, of, SCOPE_WORKLOAD, subject);
        if (runs > 0) {
            family.first = family.queues == 0 ? subject : family.first;
            family.queues++;
            family.runs = runs > family.runs ? runs : family.runs;
            family.growth +=
                result_figure(set, of, SCOPE_WORKLOAD, subject, "backlog_growth_per_h").mean;
        }
    }
    return family;
}

static void print_family(const struct page *page, const struct result_case *of,
                         const struct subject_group *group, const struct unstable_family *family) {
    char *name = text_visible(group->shown);
    char *where = describe_case(page, of);
    page_print_line(page, "unstable",
                    "%zu queues of %s%s grow by %s %s an hour together%s: their waits, and what "
                    "follows from them (*), have no limit",
                    family->queues, name, where, number_plain(family->growth).text,
                    name_items(page, of, SCOPE_WORKLOAD, family->first),
                    describe_replications(of, family->runs).text);
    free(name);
    free(where);
}

/* Makes room for a line: false if there are enough already. Counts it in any case. */
static bool has_room(const struct page *page, size_t *found) {
    if (*found == 0 && page->count > 1) {
        fputc('\n', page->out); /* after a table */
    }
    return (*found)++ < MOST_LINES;
}

/* Prints the line of a group of which a queue is unstable, if there is room; false if none is. */
static bool consider(const struct page *page, const struct result_case *of,
                     const struct subject_group *group, size_t *found) {
    struct unstable_family family = find_unstable(page->set, of, group);
    if (family.queues > 0 && has_room(page, found)) {
        if (family.queues == 1) {
            print_line(page, of, SCOPE_WORKLOAD, family.first);
        } else {
            print_family(page, of, group, &family);
        }
    }
    return family.queues > 0;
}

void unstable_print_lines(const struct page *page) {
    size_t found = 0;
    for (size_t c = 0; c < page->count; c++) {
        const struct result_case *of = &page->cases[c];
        bool folded = subject_largest_family(page->set, of, "unstable") > SUBJECT_MOST_LISTED;
        size_t count = 0;
        const struct subject_group *groups =
            subject_groups(page->set, of, "unstable", folded, &count);
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            any = consider(page, of, &groups[i], &found) || any;
        }
        bool it_alone = !any && unstable_runs(page->set, of, SCOPE_RUN, "") > 0;
        if (it_alone && has_room(page, &found)) {
            print_line(page, of, SCOPE_RUN, "");
        }
    }
    if (found > MOST_LINES) {
        page_print_line(page, "", "and %zu more like these", found - MOST_LINES);
    }
}
