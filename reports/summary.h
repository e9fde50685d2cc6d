/* What `headroom run` says when it is done: the batch's figures as a page for people, or as one
 * JSON object. Both read the database only. */
#ifndef REPORTS_SUMMARY_H
#define REPORTS_SUMMARY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reports/store.h"
#include "sim/kernel/error.h"

/* An objective and what became of it under one variant at one sweep point. */
struct objective_verdict {
    const char *text; /* as written: workload.train.wait_s.p95 <= 30m */
    const char *scenario;
    const char *variant;  /* NULL or "" if there is only one */
    const char *point;    /* likewise */
    const char *unit;     /* of the metric: "s", "share", ... */
    const char *currency; /* of money; NULL: USD */
    double value;      /* mean over replications; NaN: there is no such value, which is not met */
    double half_width; /* NaN: no interval */
    bool met;
};

struct summary_options {
    const struct objective_verdict *verdicts;
    size_t verdict_count;
    const char *const *notes; /* what the reader must know: skipped rows, list prices, ... */
    size_t note_count;
    bool colour; /* the caller honours NO_COLOR and knows whether out is a terminal */
};

/* Prints the summary of a batch. False with an error if it cannot be read. */
bool summary_print(FILE *out, struct store *store, int64_t batch,
                   const struct summary_options *options, struct error *error);

/* The same for machines; NULL with an error. Missing values are null; times are in seconds, shares
 * of 1, money in `currency`, as the names say. A later version may add members; it changes
 * `headroom` if it changes or drops one.
 *
 * {"headroom": 1, "format": "run", "database": "headroom.db", "batch": 3,
 *  "runs": [{"run_id": 7, "scenario": "day-night", "variant": "mig", "point": "", "replication": 1,
 *            "seed": 1, "status": "done", "currency": "USD", "sim_seconds": 604800, "events": 123,
 *            "wall_seconds": 0.4, "started_at": "2026-03-02T09:30:00Z", "version": "0.1.0",
 *            "scenario_sha256": "...", "inputs_sha256": "...",
 *            "metrics": {"wait_s.mean": 12.5, ...},
 *            "pools": {"a100": {"metrics": {"gpus": 8, ...}, "gpu_hours": {"useful": 1, ...},
 *                               "cost": {"usd": 1, "usd_idle_share": 1, "usd_per_month": 1}}},
 *            "workloads": {"train": {"metrics": {...}, "cost": {...}}},
 *            "cost": {"usd": 1, "usd_idle_share": 1, "usd_per_month": 1}}],
 *  "summary": [{"scenario": "day-night", "variant": "mig", "point": "", "replications": 10,
 *               "metrics": {"wait_s.mean": {"mean": 12.5, "half_width": 0.4, "n": 10,
 *                                           "unit": "s"}, ...},
 *               "pools": {"a100": {"metrics": {...}}}, "workloads": {"train": {"metrics":
 * {...}}}}], "objectives": [{"objective": "...", "scenario": "...", "variant": "...", "point":
 * "...", "value": 1, "half_width": null, "unit": "s", "met": true}], "notes": ["..."]}
 *
 * Other scopes of the table `metric` appear beside pools and workloads under their plural.
 * half_width is of the 95 % Student interval, null with fewer than two replications. */
json_t *summary_json(struct store *store, int64_t batch, const struct summary_options *options,
                     struct error *error);

#endif
