#include "reports/report_families.h"

#include <stdlib.h>
#include <string.h>

#include "reports/json.h"
#include "sim/kernel/memory.h"

/* The name that services of one family share: chat of chat-1, chat-2, ... In the set's arena. */
static const char *family_of(const struct report *report, const struct subject_group *group) {
    char *name = arena_duplicate_string(&report->set->arena, group->subjects[0]);
    char *dash = strrchr(name, '-');
    if (group->count > 1 && dash != NULL) {
        *dash = '\0';
    }
    return name;
}

static bool is_known(const char *const *names, size_t count, const char *name) {
    bool known = false;
    for (size_t i = 0; i < count && !known; i++) {
        known = strcmp(names[i], name) == 0;
    }
    return known;
}

size_t families_list(const struct report *report, const char *names[FAMILIES_MOST]) {
    size_t count = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        size_t groups = 0;
        struct subject_group *group =
            subject_groups(report->set, &report->cases[i], "latency_s.mean", true, &groups);
        for (size_t g = 0; g < groups && count < FAMILIES_MOST; g++) {
            const char *family = family_of(report, &group[g]);
            if (!is_known(names, count, family)) {
                names[count++] = family;
            }
        }
    }
    return count;
}

const struct subject_group *families_find(const struct report *report, const struct result_case *of,
                                          const char *name) {
    size_t count = 0;
    struct subject_group *groups = subject_groups(report->set, of, "latency_s.mean", true, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(family_of(report, &groups[i]), name) == 0) {
            return &groups[i];
        }
    }
    return NULL;
}

double families_slo(const struct report *report, const struct result_case *of,
                    const struct subject_group *group) {
    return result_figure(report->set, of, SCOPE_WORKLOAD, group->subjects[0], "slo_s").mean;
}

const char *families_json(const struct report *report, const struct subject_group *group) {
    json_t *names = json_array();
    for (size_t i = 0; i < group->count; i++) {
        json_array_append_new(names, json_text(group->subjects[i]));
    }
    char *text = json_dumps(names, 0);
    if (text == NULL) {
        memory_exhausted(0);
    }
    const char *list = arena_duplicate_string(&report->set->arena, text);
    free(text);
    json_decref(names);
    return list;
}
