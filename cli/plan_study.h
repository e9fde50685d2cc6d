/* The study that `headroom plan` makes of a scenario: its candidates as scenarios, the search among
 * them, and what would change the answer. */
#ifndef CLI_PLAN_STUDY_H
#define CLI_PLAN_STUDY_H

#include <stdatomic.h>

#include "cli/load.h"
#include "cli/plan_circumstances.h"
#include "plan/evaluate.h"
#include "plan/floor.h"
#include "plan/problem.h"
#include "plan/worst_moment.h"
#include "scenarios/sweep.h"
#include "sim/metrics.h"

enum { STUDY_RUNNERS_UP = 3 };

/* The answer in other circumstances. */
struct plan_what_if {
    char text[96];      /* "load +20 %" */
    size_t best;        /* candidate; PLAN_NONE: none of those looked at meets the objectives */
    double cost;        /* of it, then */
    bool by_arithmetic; /* prices: among the bests that are known */
};
enum { MOST_WHAT_IFS = 24 };

/* What GPUs of one kind must cost for another candidate to be the cheapest, all else as it is. */
struct plan_price_change {
    const char *pool;
    const char *gpu;
    double now; /* per GPU and hour */
    double then;
    size_t best;    /* candidate */
    bool simulated; /* false: it may be, if it meets the objectives */
};

struct plan_study {
    struct arena arena;
    struct loaded loaded; /* the base first, then the candidates */
    size_t planned_count; /* scenarios in it but for those in other circumstances */
    const struct scenario *base;
    const struct plan_spec *spec;
    const struct load_request *request;
    int threads;
    long long seed; /* -1: the scenario's */
    size_t count;   /* candidates */
    const char **names;
    struct plan_floor *floors;
    struct plan_problem problem;
    struct plan_runner runner;
    const struct metric_row *minimized;
    bool monthly;     /* what is minimized is usd_per_month */
    bool fees_fixed;  /* every GPU is paid for all the time */
    bool costs_known; /* before anything is simulated: nothing but such fees counts */
    double sign;      /* of the first objective: 1: smaller is better */
    size_t axis;      /* the ordered path; PLAN_NONE: none */
    size_t axis_stride;
    size_t *order; /* bests of groups, the best first */
    size_t ranked;
    size_t runs;             /* simulated in all */
    struct plan_worst worst; /* when the objective that binds is so most */
    struct plan_what_if what_ifs[MOST_WHAT_IFS];
    size_t what_if_count;
    struct plan_price_change *price_changes;
    size_t price_change_count;
    size_t price_change_capacity;
};

/* Reads the file and all candidates. False with errors added; free with plan_study_clear either
 * way. */
bool plan_study_create(struct plan_study *study, const struct load_request *request,
                       const struct language *language, long long seed, int threads,
                       struct error_list *errors);
void plan_study_clear(struct plan_study *study);

/* Searches; false if a run failed or the user interrupted (study->runner tells which). */
bool plan_study_search(struct plan_study *study, const atomic_bool *stop);
/* Fills in worst, of the best, or of the nearest where nothing meets the objectives: simulates it
 * again, and listens. */
bool plan_study_find_when(struct plan_study *study, const atomic_bool *stop);
/* Fills in what_ifs, unless nothing meets the objectives. */
bool plan_study_ask_what_if(struct plan_study *study, const atomic_bool *stop);

/* Fills in price_changes, by arithmetic. */
void plan_study_find_price_changes(struct plan_study *study);

/* A candidate as a scenario, in circumstances. NULL, with errors, if it is none. */
struct scenario *plan_study_resolve(const struct plan_study *study, size_t candidate,
                                    struct circumstances circumstances, struct error_list *errors);
/* What the pool's GPUs cost a month. */
double plan_pool_month(const struct scenario *scenario, size_t pool);
/* Chooses the ordered path and makes the groups along it. */
void plan_study_group(struct plan_study *study);
/* The candidate at the place on the ordered path next to another; PLAN_NONE: there is none. */
size_t plan_neighbour(const struct plan_study *study, size_t candidate, int direction);
/* The next cheaper one: on the ordered path, or, where there is none or arithmetic rules it out for
 * another reason than its load, the costliest cheaper one that misses. */
size_t plan_next_cheaper(const struct plan_study *study, size_t candidate);
int64_t plan_gpus(const struct scenario *scenario);

#endif
