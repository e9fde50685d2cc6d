/* What the tests of synthetic work share: arrivals, distributions, and everything a source gives.
 */
#ifndef TESTS_WORKLOADS_SYNTHETIC_FIXTURE_H
#define TESTS_WORKLOADS_SYNTHETIC_FIXTURE_H

#include "tests/support/spec.h"
#include "tests/workloads/trace_fixture.h"
#include "workloads/arrival_process.h"

__attribute__((unused)) static struct chosen chosen_arrivals(const char *name,
                                                             const void *options) {
    for (size_t i = 0; i < arrival_kind_count; i++) {
        if (strcmp(arrival_kinds[i].choice.name, name) == 0) {
            return (struct chosen){.index = (int)i, .options = options};
        }
    }
    fail_msg("no arrivals %s", name);
    return (struct chosen){.index = -1};
}

__attribute__((unused)) static struct distribution make_distribution(const char *name, double first,
                                                                     double second) {
    struct distribution distribution = {.kind = distribution_find(name), .given = {first, second}};
    struct error error;
    assert_true(distribution_prepare(&distribution, &error));
    return distribution;
}

__attribute__((unused)) static struct pass draw(const struct workload_spec *workload, uint64_t seed,
                                                uint64_t replication) {
    struct pass pass = {.jobs = NULL};
    collect(&pass, work_source_synthetic(workload, 0, seed, replication));
    return pass;
}

#endif
