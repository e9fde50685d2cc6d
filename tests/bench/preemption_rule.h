/* What benchmarks of preemption share: the rules that they try. */
#ifndef TESTS_BENCH_PREEMPTION_RULE_H
#define TESTS_BENCH_PREEMPTION_RULE_H

#include "cli/language.h"
#include "tests/bench/timed_run.h"

enum { RULE_SETS = 3, MOST_SETS = 5 };

struct preemption_rule {
    const char *order;
    const char *backfill;
    const char *victims;
};

/* The scenario, or its variant (NULL: the base), under a rule and with more values set. */
static struct scenario *resolve_rule(const struct scenario_file *file,
                                     const struct preemption_rule *rule, const char *variant,
                                     char (*more)[96], size_t more_count) {
    char texts[RULE_SETS][96];
    const char *sets[MOST_SETS];
    snprintf(texts[0], sizeof texts[0], "scheduler.order=%s", rule->order);
    snprintf(texts[1], sizeof texts[1], "scheduler.backfill=%s", rule->backfill);
    snprintf(texts[2], sizeof texts[2], "scheduler.preemption.victims=%s", rule->victims);
    for (size_t i = 0; i < RULE_SETS + more_count; i++) {
        sets[i] = i < RULE_SETS ? texts[i] : more[i - RULE_SETS];
    }
    struct error_list errors = {0};
    struct scenario *scenario =
        scenario_file_resolve(file, sets, RULE_SETS + more_count, variant, &errors);
    if (scenario == NULL) {
        fail(errors.items[0].message);
    }
    return scenario;
}

static struct scenario_file *open_scenario(const char *path, struct language *language) {
    struct error_list errors = {0};
    language_create(language);
    struct scenario_file *file = scenario_file_open(path, &language->context, &errors);
    if (file == NULL) {
        fail(errors.items[0].message);
    }
    return file;
}

#endif
