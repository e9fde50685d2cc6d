/* A scenario read from text by the real reader, run by the real simulation, with all its rows kept.
 */
#ifndef TESTS_SUPPORT_SCENARIO_RUN_H
#define TESTS_SUPPORT_SCENARIO_RUN_H

#include "cli/language.h"
#include "tests/support/sim_case.h"

struct scenario_run {
    struct language language;
    struct scenario_file *file;
    struct scenario *scenario;
    struct trace **traces; /* by workload */
    struct recording recording;
    struct results results;
};

/* Reads the text, as if it stood in a file of the folder, with `variant` (NULL: the base) and runs
 * it to its end; the test fails if any of that does. Free with scenario_run_clear. */
void scenario_run_text(struct scenario_run *run, const char *folder, const char *text,
                       const char *variant, uint64_t replication);
void scenario_run_clear(struct scenario_run *run);

#endif
