/* Invariant: whatever the rules, the simulation starts and ends every job when a cluster stepped
 * the slow and obvious way does. Hundreds of small cases with many ties, each under every order,
 * backfill and placement (cluster_trial.h). */
#include <malloc.h>

#include "tests/support/cluster_trial.h"

/* Under a sanitizer each run takes some fifteen times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { CASES = 60 };
#else
enum { CASES = 700 };
#endif

static void like_the_naive_cluster(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        struct trial trial;
        struct sim_case sim_case;
        struct speed_spec speeds[2][3];
        trial_make(&trial, number, &(struct trial_wish){0});
        trial_tell(&trial, &sim_case, speeds);
        for (int rules = 0; rules < 2 * 3 * 3; rules++) {
            trial_run(&trial, &sim_case,
                      &(struct trial_rules){(enum naive_order)(rules % 2),
                                            (enum naive_backfill)(rules / 2 % 3),
                                            (enum naive_placement)(rules / 6)},
                      number);
        }
        sim_case_terminate(&sim_case);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_the_naive_cluster),
    };
    /* Each run frees all it had: keeping that at hand saves most of the time. */
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
