/* The runs of `headroom selftest`: each case's scenario, as many times as it says, in threads. */
#ifndef CLI_SELFTEST_RUNS_H
#define CLI_SELFTEST_RUNS_H

#include "cli/language.h"
#include "cli/progress.h"
#include "cli/selftest_cases.h"

/* A case with its scenario and what each replication came to. */
struct selftest_entry {
    const struct selftest_case *what;
    struct scenario_file *file;
    struct scenario *scenario;
    double *values[SELFTEST_FIGURES]; /* by figure: by replication */
};

struct selftest_runs {
    struct selftest_entry *entries;
    size_t count;
    struct progress *progress; /* shown as runs end; NULL: silent */
};

/* Reads the scenarios of these cases with `sets` (PATH=VALUE) applied to each. False with errors
 * added if one cannot be read. Free with selftest_runs_clear in any case. */
bool selftest_runs_create(struct selftest_runs *runs, const struct selftest_case *const *cases,
                          size_t case_count, const char *const *sets, size_t set_count,
                          const struct language *language, struct error_list *errors);
/* Runs everything, in `threads` threads. False with the error of a run that failed. */
bool selftest_runs_perform(struct selftest_runs *runs, int threads, struct error *error);
void selftest_runs_clear(struct selftest_runs *runs);

#endif
