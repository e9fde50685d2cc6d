/* GPUs that MIG cuts on demand, stepped the slow and obvious way: for each job all GPUs and all
 * starts are tried, and what a GPU could still be used for is found by trying every placement.
 * Nothing in common with the simulation but the catalogue. */
#ifndef TESTS_SUPPORT_NAIVE_RECUT_H
#define TESTS_SUPPORT_NAIVE_RECUT_H

#include <stdbool.h>
#include <stdint.h>

#include "models/catalogue.h"

enum { NAIVE_RECUT_GPUS = 6, NAIVE_RECUT_JOBS = 40, NAIVE_RECUT_INSTANCES = 16 };

enum naive_recut_rule { RECUT_FIRST, RECUT_BEST, RECUT_WORST, RECUT_FRAGMENTATION };
enum naive_recut_wish { RECUT_ANY, RECUT_SMALLEST, RECUT_GPU, RECUT_PROFILE };

struct naive_recut_job {
    int64_t submit; /* ns */
    int64_t duration;
    int64_t max_wait; /* -1: for ever */
    enum naive_recut_wish wish;
    int profile; /* RECUT_PROFILE */
    int64_t memory;

    bool submitted;
    bool placed;
    bool withdrawn;
    int64_t start; /* -1: not yet */
    int64_t end;
};

struct naive_instance {
    int profile;
    int start;
    int job;          /* whose it is; -1: idle */
    int64_t ready;    /* of a re-cut under way: when it ends; -1: it is there */
    uint32_t blocked; /* until then: units of what it destroyed */
    int touched;      /* until then: SMs */
    int64_t kept_to;  /* idle: until then it counts as held */
};

struct naive_recut {
    const struct gpu_model *gpu;
    enum naive_recut_rule rule;
    bool skip; /* later jobs may start before the first one */
    int64_t hysteresis;
    int gpu_count;
    int64_t (*cut_time)(void *context);
    void *context;
    struct {
        struct naive_instance instances[NAIVE_RECUT_INSTANCES];
        int count;
    } gpus[NAIVE_RECUT_GPUS];
    struct naive_recut_job jobs[NAIVE_RECUT_JOBS]; /* in order of submission */
    int job_count;
    int64_t asked[64]; /* by profile */

    int64_t now;
    int64_t useful_sm_ns;
    int64_t reconfiguring_sm_ns;
    int64_t idle_sm_ns;
};

/* From the instances given, all idle, to the end of the last job. */
void naive_recut_run(struct naive_recut *naive);

#endif
