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

/* Where a job goes: to an idle instance, or to one that is cut. */
struct naive_recut_place {
    int gpu;
    int profile;
    int start;
    bool cut;
};

struct naive_recut_job {
    int64_t submit; /* ns */
    int64_t duration;
    int64_t max_wait; /* -1: for ever */
    enum naive_recut_wish wish;
    int profile; /* RECUT_PROFILE */
    int64_t memory;
    int cpus; /* of its node */

    bool submitted;
    bool placed;
    bool has_place; /* reserved, under conservative backfill */
    struct naive_recut_place reserved;
    int64_t first_promise; /* when it was to be placed at the latest, as first head; -1: none */
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
    bool skip;         /* later jobs may start before the first one, */
    bool easy;         /* unless that keeps it from its place, */
    bool conservative; /* or any of those ahead from theirs */
    int64_t longest_cut;
    int64_t hysteresis;
    int gpu_count;
    int gpus_per_node;
    int cpus_per_node; /* 0: not limited */
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

/* --- Between its files --- */

bool naive_recut_find(struct naive_recut *naive, int job, struct naive_recut_place *place);
void naive_recut_begin(struct naive_recut *naive, int job, const struct naive_recut_place *place);
/* The next larger profile that would do, after `last` (-1: the smallest); -1: there is none. */
int naive_recut_next_profile(const struct naive_recut *naive, const struct naive_recut_job *job,
                             int last);
/* Whether it can have an instance of the profile there now, idle or cut. */
bool naive_recut_can_have(struct naive_recut *naive, int gpu, int profile, int start);
bool naive_recut_is_waiting(const struct naive_recut_job *job);
/* Time goes on to the next instant at which anything happens, but no later than `limit`; who has
 * come to an end has left. */
bool naive_recut_step(struct naive_recut *naive, int64_t limit);
void naive_recut_backfill(struct naive_recut *naive, int head);
void naive_recut_pass_conservative(struct naive_recut *naive);
bool naive_recut_is_there(struct naive_recut *naive, const struct naive_recut_place *place);
uint32_t naive_recut_units(const struct naive_recut *naive, int profile, int start);
/* Whether one more goes beside these: on units of its own and none of `blocked`, within the slices
 * of the GPU and the number of its kind. (Engines run out with variants only, which are not cut
 * here.) */
bool naive_recut_goes_beside(const struct naive_recut *naive, const struct naive_instance *there,
                             int count, uint32_t blocked, int profile, int start);

#endif
