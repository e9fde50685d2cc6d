/* Runs of services with known figures. */
#ifndef TESTS_REPORTS_SERVICES_FIXTURE_H
#define TESTS_REPORTS_SERVICES_FIXTURE_H

#include "tests/reports/fixture.h"

struct figures {
    struct metric rows[512];
    size_t count;
    char names[64][32]; /* of subjects */
    size_t name_count;
};

static inline void figures_add(struct figures *figures, enum scope scope, const char *subject,
                               const char *name, double value, const char *unit) {
    assert_true(figures->count < LENGTH(figures->rows));
    figures->rows[figures->count++] = (struct metric){scope, subject, name, value, unit};
}

/* So many requests in 10 s, all but `timed_out` of which completed, with percentiles that are
 * multiples of the mean, and a share that kept its slo. */
static inline void figures_add_requests(struct figures *figures, enum scope scope,
                                        const char *subject, double submitted, double timed_out,
                                        double mean_s, double kept) {
    figures_add(figures, scope, subject, "submitted", submitted, "count");
    figures_add(figures, scope, subject, "completed", submitted - timed_out, "count");
    figures_add(figures, scope, subject, "throughput_per_s", (submitted - timed_out) / 10, "per_s");
    figures_add(figures, scope, subject, "timed_out", timed_out, "count");
    figures_add(figures, scope, subject, "rejected", 0, "count");
    figures_add(figures, scope, subject, "failed", 0, "count");
    figures_add(figures, scope, subject, "running", 0, "count");
    figures_add(figures, scope, subject, "unfinished", 0, "count");
    figures_add(figures, scope, subject, "latency_s.mean", mean_s, "s");
    figures_add(figures, scope, subject, "latency_s.p50", mean_s / 2, "s");
    figures_add(figures, scope, subject, "latency_s.p95", mean_s * 3, "s");
    figures_add(figures, scope, subject, "latency_s.p99", mean_s * 5, "s");
    figures_add(figures, scope, subject, "latency_s.max", mean_s * 10, "s");
    figures_add(figures, scope, subject, "slo_attainment", kept, "share");
    figures_add(figures, scope, subject, "slo_missed", kept < 0.99, "count");
    figures_add(figures, scope, subject, "replicas", 1, "count");
    figures_add(figures, scope, subject, "replicas_waiting", 0, "count");
}

/* One of a family, NAME-number. */
static inline const char *figures_name(struct figures *figures, const char *name, int number) {
    assert_true(figures->name_count < LENGTH(figures->names));
    char *text = figures->names[figures->name_count++];
    snprintf(text, sizeof(figures->names[0]), "%s-%d", name, number);
    return text;
}

static inline int64_t figures_store(struct bench *bench, const char *variant, uint64_t replication,
                                    struct figures *figures) {
    struct run_identity identity = identify(bench, variant, replication);
    return store_run(bench, &identity, figures->rows, figures->count);
}

#endif
