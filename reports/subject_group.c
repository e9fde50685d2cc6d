#include "reports/subject_group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

/* The length of "chat" in "chat-12"; 0 if it does not end with this number. */
static size_t family_name_length(const char *subject, size_t number) {
    char ending[32];
    int length = snprintf(ending, sizeof(ending), "-%zu", number);
    size_t all = strlen(subject);
    bool ends = all > (size_t)length && strcmp(subject + all - (size_t)length, ending) == 0;
    return ends ? all - (size_t)length : 0;
}

/* How many of the subjects are one family: NAME-1, NAME-2, ..., or the first alone. */
static size_t family_size(const char *const *subjects, size_t count) {
    size_t name = family_name_length(subjects[0], 1);
    size_t size = 1;
    while (name > 0 && size < count && family_name_length(subjects[size], size + 1) == name &&
           strncmp(subjects[size], subjects[0], name) == 0) {
        size++;
    }
    return size;
}

/* The subjects with such a figure. */
static const char **list_subjects(struct result_set *set, const struct result_case *of,
                                  const char *having, size_t *count) {
    size_t all = 0;
    const char **subjects = result_subjects(set, of, SCOPE_WORKLOAD, &all);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        if (result_has_figure(set, of, SCOPE_WORKLOAD, subjects[i], having)) {
            subjects[(*count)++] = subjects[i];
        }
    }
    return subjects;
}

static const char *name_family(struct result_set *set, const char *first, size_t size) {
    if (size == 1) {
        return first;
    }
    char *text = NULL;
    if (asprintf(&text, "%.*s (%zu)", (int)family_name_length(first, 1), first, size) < 0) {
        memory_exhausted(0);
    }
    const char *name = arena_duplicate_string(&set->arena, text);
    free(text);
    return name;
}

struct subject_group *subject_groups(struct result_set *set, const struct result_case *of,
                                     const char *having, bool folded, size_t *count) {
    size_t subject_count = 0;
    const char **subjects = list_subjects(set, of, having, &subject_count);
    struct subject_group *groups = arena_allocate(&set->arena, subject_count, sizeof(groups[0]));
    *count = 0;
    for (size_t i = 0; i < subject_count;) {
        size_t size = folded ? family_size(&subjects[i], subject_count - i) : 1;
        groups[(*count)++] = (struct subject_group){.scope = SCOPE_WORKLOAD,
                                                    .subjects = &subjects[i],
                                                    .count = size,
                                                    .shown = name_family(set, subjects[i], size)};
        i += size;
    }
    return groups;
}

size_t subject_largest_family(struct result_set *set, const struct result_case *of,
                              const char *having) {
    size_t count = 0;
    const char **subjects = list_subjects(set, of, having, &count);
    size_t largest = 0;
    for (size_t i = 0; i < count;) {
        size_t size = family_size(&subjects[i], count - i);
        largest = size > largest ? size : largest;
        i += size;
    }
    return largest;
}

/* What a figure's means are over: items that have completed, and for waits those that run. */
static void add_weights(struct result_set *set, const struct result_case *of, const char *subject,
                        bool of_waits, double *weights) {
    double *running = memory_zero(of->run_count, sizeof(running[0]));
    result_values(set, of, SCOPE_WORKLOAD, subject, "completed", weights);
    result_values(set, of, SCOPE_WORKLOAD, subject, "running", running);
    for (size_t i = 0; i < of->run_count; i++) {
        weights[i] += of_waits && !isnan(running[i]) ? running[i] : 0;
    }
    free(running);
}

/* Takes one subject's values into the combination so far; fmin and fmax pass over NaN. */
static void combine(enum subject_combination combination, double *total, double *weight,
                    double value, double own_weight) {
    switch (combination) {
    case COMBINE_SUM:
        *total = isnan(*total) ? value : *total + (isnan(value) ? 0 : value);
        break;
    case COMBINE_MEAN:
        if (!isnan(value) && own_weight > 0) {
            *total = (isnan(*total) ? 0 : *total) + value * own_weight;
            *weight += own_weight;
        }
        break;
    case COMBINE_LARGEST:
        *total = fmax(*total, value);
        break;
    case COMBINE_SMALLEST:
        *total = fmin(*total, value);
        break;
    }
}

struct figure subject_group_figure(struct result_set *set, const struct result_case *of,
                                   const struct subject_group *group, const char *metric,
                                   enum subject_combination combination) {
    if (group->count == 1) {
        return result_figure(set, of, group->scope, group->subjects[0], metric);
    }
    bool of_waits = strncmp(metric, "wait_s.", strlen("wait_s.")) == 0;
    double *totals = memory_zero(of->run_count, sizeof(totals[0]));
    double *weights = memory_zero(of->run_count, sizeof(weights[0]));
    double *values = memory_zero(of->run_count, sizeof(values[0]));
    double *own_weights = memory_zero(of->run_count, sizeof(own_weights[0]));
    for (size_t r = 0; r < of->run_count; r++) {
        totals[r] = NAN;
    }
    for (size_t i = 0; i < group->count; i++) {
        result_values(set, of, group->scope, group->subjects[i], metric, values);
        if (combination == COMBINE_MEAN) {
            add_weights(set, of, group->subjects[i], of_waits, own_weights);
        }
        for (size_t r = 0; r < of->run_count; r++) {
            combine(combination, &totals[r], &weights[r], values[r], own_weights[r]);
        }
    }
    for (size_t r = 0; combination == COMBINE_MEAN && r < of->run_count; r++) {
        totals[r] /= weights[r];
    }
    struct figure figure = figure_of(totals, of->run_count);
    free(totals);
    free(weights);
    free(values);
    free(own_weights);
    return figure;
}
