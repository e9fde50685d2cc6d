/* Invariants: with CPUs and memory of hosts, spans of gangs, a limit to overtaking, jobs ended at
 * their estimate and conservative backfill, too, every job fares as in a cluster stepped the slow
 * and obvious way (cluster_trial.h). With exact estimates and fifo, no job starts later than what
 * was first reserved for it, under conservative backfill and under EASY. */
#include <malloc.h>

#include "tests/support/cluster_trial.h"

/* Under a sanitizer each run takes some fifteen times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { CASES = 30 };
#else
enum { CASES = 300 };
#endif

/* Under skip, easy and conservative in turn. */
static struct trial_rules rules_of(uint64_t number, int which) {
    static const enum naive_backfill backfills[] = {NAIVE_SKIP, NAIVE_EASY, NAIVE_CONSERVATIVE};
    return (struct trial_rules){(enum naive_order)((number + (uint64_t)which) % 2),
                                backfills[which], (enum naive_placement)(number % 3)};
}

static void check(uint64_t number, const struct trial_wish *wish) {
    struct trial trial;
    struct sim_case sim_case;
    struct speed_spec speeds[2][3];
    trial_make(&trial, number, wish);
    trial_tell(&trial, &sim_case, speeds);
    for (int which = 0; which < 3; which++) {
        struct trial_rules rules = rules_of(number, which);
        trial_run(&trial, &sim_case, &rules, number);
    }
    sim_case_terminate(&sim_case);
}

static void conservative_like_the_naive_cluster(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        check(number, &(struct trial_wish){0});
    }
}

static void limits_like_the_naive_cluster(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        check(number, &(struct trial_wish){.limits = true});
    }
}

static void spans_like_the_naive_cluster(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        check(number, &(struct trial_wish){.spans = true});
    }
}

static void hosts_like_the_naive_cluster(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        check(number, &(struct trial_wish){.hosts = true, .spans = number % 2 == 1});
    }
}

static void no_job_starts_later_than_promised(void **state) {
    (void)state;
    int promises = 0;
    for (uint64_t number = 0; number < CASES; number++) {
        struct trial trial;
        struct sim_case sim_case;
        struct speed_spec speeds[2][3];
        trial_make(&trial, number,
                   &(struct trial_wish){
                       .exact = true, .spans = number % 2 == 1, .hosts = number % 3 == 1});
        trial_tell(&trial, &sim_case, speeds);
        for (int rules = 0; rules < 6; rules++) {
            trial_run(&trial, &sim_case,
                      &(struct trial_rules){NAIVE_FIFO, rules < 3 ? NAIVE_CONSERVATIVE : NAIVE_EASY,
                                            (enum naive_placement)(rules % 3)},
                      number);
            for (int j = 0; j < trial.cluster.job_count; j++) {
                const struct naive_job *job = &trial.cluster.jobs[j];
                bool promised = job->state == NAIVE_COMPLETED && job->first_promise >= 0;
                assert_false(promised && job->start > job->first_promise);
                promises += promised;
            }
        }
        sim_case_terminate(&sim_case);
    }
    assert_true(promises > CASES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservative_like_the_naive_cluster),
        cmocka_unit_test(limits_like_the_naive_cluster),
        cmocka_unit_test(spans_like_the_naive_cluster),
        cmocka_unit_test(hosts_like_the_naive_cluster),
        cmocka_unit_test(no_job_starts_later_than_promised),
    };
    /* Each run frees all it had: keeping that at hand saves most of the time. */
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
