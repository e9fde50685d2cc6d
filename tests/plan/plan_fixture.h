/* A scenario read by the real reader, for tests of what a plan makes of it. */
#ifndef TESTS_PLAN_PLAN_FIXTURE_H
#define TESTS_PLAN_PLAN_FIXTURE_H

#include <string.h>

#include "cli/language.h"
#include "scenarios/reader.h"
#include "tests/support/unit.h"

struct plan_fixture {
    struct language language;
    struct scenario_file *file;
    struct scenario *scenario;
};

static inline void plan_fixture_open(struct plan_fixture *fixture, const char *text) {
    struct error_list errors = {0};
    language_create(&fixture->language);
    fixture->scenario = NULL;
    fixture->file = scenario_file_open_text("plan.yaml", text, strlen(text),
                                            &fixture->language.context, &errors);
    if (fixture->file != NULL) {
        fixture->scenario = scenario_file_resolve(fixture->file, NULL, 0, NULL, &errors);
    }
    if (fixture->scenario == NULL) {
        fail_msg("%d:%d: %s", errors.items[0].line, errors.items[0].column,
                 errors.items[0].message);
    }
    error_list_clear(&errors);
}

static inline void plan_fixture_close(struct plan_fixture *fixture) {
    scenario_destroy(fixture->scenario);
    scenario_file_close(fixture->file);
    language_destroy(&fixture->language);
}

#endif
