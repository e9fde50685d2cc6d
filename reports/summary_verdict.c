/* The first line of a summary: the answer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/number.h"
#include "reports/summary_internal.h"
#include "reports/text.h"
#include "reports/unstable.h"
#include "reports/verdict.h"
#include "sim/kernel/memory.h"

/* More names are a number. */
enum { MOST_NAMES = 3 };

/* How many cases have the lowest value; all of them: it tells nothing. */
static size_t count_having(const struct case_set *cases, const struct lowest *lowest) {
    size_t all = 0;
    for (size_t i = 0; i < cases->count; i++) {
        all += case_has_lowest(cases, &cases->cases[i], lowest);
    }
    return all;
}

/* "mig, mps or timeslice": the cases that have the lowest value; or "5 of 8". */
static void write_names(FILE *out, const struct case_set *cases, const struct lowest *lowest) {
    size_t all = count_having(cases, lowest);
    if (all > MOST_NAMES) {
        fprintf(out, "%zu of %zu", all, cases->count);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < cases->count; i++) {
        if (case_has_lowest(cases, &cases->cases[i], lowest)) {
            count++;
            char *name = text_visible(case_label(cases, &cases->cases[i]));
            fprintf(out, "%s%s", count == 1 ? "" : count == all ? " or " : ", ", name);
            free(name);
        }
    }
}

static void write_cheapest(FILE *out, const struct case_set *cases, const struct lowest *lowest,
                           const char *what) {
    if (!isnan(lowest->value)) {
        fprintf(out, "%s: ", what);
        write_names(out, cases, lowest);
        fprintf(out, ", %s %s. ", number_money(lowest->value, cases->cases[0].currency).text,
                lowest->per);
    }
}

static void write_fastest(FILE *out, const struct case_set *cases, const char *metric,
                          const char *what) {
    struct lowest lowest = cases_lowest(cases, metric, false);
    if (lowest.value > 0 && count_having(cases, &lowest) < cases->count) {
        fprintf(out, "%s: ", what);
        write_names(out, cases, &lowest);
        fprintf(out, ", %s. ", number_duration(lowest.value).text);
    }
}

static void write_one(FILE *out, const struct case_set *cases) {
    struct objective_score score = result_objectives(cases->set, &cases->cases[0]);
    struct lowest price = cases_cheapest(cases, false);
    if (unstable_runs(cases->set, &cases->cases[0], SCOPE_RUN, "") > 0) {
        fputs("A queue grows without limit, so that its waits have none either. ", out);
    }
    if (score.count > 0 && score.met == score.count) {
        fputs(score.count == 1 ? "The objective is met" : "All objectives are met", out);
    } else if (score.count == 1) {
        fputs("The objective is not met", out);
    } else if (score.count > 1) {
        fprintf(out, "%lld of %lld objectives %s not met", (long long)(score.count - score.met),
                (long long)score.count, score.count - score.met == 1 ? "is" : "are");
    }
    if (score.count > 0 && !isnan(price.value)) {
        fprintf(out, ", at %s %s", number_money(price.value, cases->cases[0].currency).text,
                price.per);
    }
    fputs(score.count > 0 ? ". " : "", out);
}

static void write_several(FILE *out, const struct case_set *cases) {
    size_t meeting = cases_count_meeting(cases);
    struct lowest price = cases_cheapest(cases, meeting > 0);
    if (!cases_have_objectives(cases)) {
        if (count_having(cases, &price) < cases->count) {
            write_cheapest(out, cases, &price, "Lowest cost");
        }
        write_fastest(out, cases, "wait_s.p95", "Shortest waits (p95)");
        write_fastest(out, cases, "latency_s.p99", "Lowest latency (p99)");
    } else if (meeting == 0) {
        fprintf(out, "None of %zu meets all objectives. ", cases->count);
    } else {
        write_cheapest(out, cases, &price, "Cheapest that meets all objectives");
        fprintf(out, "%zu of %zu %s them. ", meeting, cases->count,
                meeting == 1 ? "meets" : "meet");
    }
}

/* The sign, in its colour, and the text beside it. */
static void print_verdict(const struct page *page, const struct case_set *cases, char *text) {
    size_t length = strlen(text);
    text[length - 1] = '\0'; /* the blank after the last sentence */
    bool good = cases_count_meeting(cases) > 0;
    bool judged = cases_have_objectives(cases) || page->count == 1;
    if (judged) {
        table_print_coloured(page->out, good ? "✓ " : "✗ ", good ? TABLE_GREEN : TABLE_RED,
                             page->colour);
    }
    text_print_wrapped(page->out, text, judged ? 2 : 0, TABLE_WIDTH);
    fputc('\n', page->out);
}

void page_print_verdict(const struct page *page) {
    struct case_set cases = {page->set, page->cases, page->count};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        memory_exhausted(0);
    }
    if (page->count == 1) {
        write_one(out, &cases);
    } else {
        write_several(out, &cases);
    }
    fclose(out);
    if (size > 0) {
        print_verdict(page, &cases, text);
    }
    free(text);
}
