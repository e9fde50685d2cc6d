#include "scenarios/expansion.h"

#include <stdio.h>
#include <string.h>

#include "scenarios/quantity.h"

static const struct workload_spec *find_written(const struct scenario *scenario, const char *name,
                                                size_t length) {
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const char *written = scenario->workloads[i].name;
        if (written != NULL && strlen(written) == length && memcmp(written, name, length) == 0) {
            return &scenario->workloads[i];
        }
    }
    return NULL;
}

/* The workload whose count makes name = written-K, enabled or not. */
static const struct workload_spec *find_counted(const struct scenario *scenario, const char *name) {
    const char *dash = strrchr(name, '-');
    int64_t number;
    if (dash == NULL || dash[1] < '1' || dash[1] > '9' || !integer_parse(dash + 1, &number)) {
        return NULL;
    }
    const struct workload_spec *found = find_written(scenario, name, (size_t)(dash - name));
    return found != NULL && found->count > 1 && number <= found->count ? found : NULL;
}

const struct workload_spec *expansion_find_family(const struct scenario *scenario,
                                                  const char *name) {
    const struct workload_spec *found = find_counted(scenario, name);
    return found != NULL && found->enabled ? found : NULL;
}

const struct workload_spec *expansion_find(const struct scenario *scenario, const char *name) {
    const struct workload_spec *written = find_written(scenario, name, strlen(name));
    return written != NULL ? written : find_counted(scenario, name);
}

/* Whether any workload that runs serves or trains the model. */
static bool model_runs(const struct scenario *scenario, const char *model) {
    bool runs = false;
    for (size_t i = 0; i < scenario->workload_count && !runs; i++) {
        const struct workload_spec *workload = &scenario->workloads[i];
        runs = workload->enabled && workload->model != NULL && strcmp(workload->model, model) == 0;
    }
    return runs;
}

static bool objective_applies(const struct scenario *scenario, const struct objective *objective) {
    if (objective->scope == SCOPE_MODEL) {
        return model_runs(scenario, objective->subject);
    }
    const struct workload_spec *subject =
        objective->scope == SCOPE_WORKLOAD ? expansion_find(scenario, objective->subject) : NULL;
    return subject == NULL || subject->enabled;
}

/* Before the workloads are multiplied out: their names are still those of the file. */
static void drop_objectives(struct scenario *scenario) {
    size_t kept = 0;
    for (size_t i = 0; i < scenario->objective_count; i++) {
        if (objective_applies(scenario, &scenario->objectives[i])) {
            scenario->objectives[kept++] = scenario->objectives[i];
        }
    }
    scenario->objective_count = kept;
}

static const char *numbered_name(struct arena *arena, const char *name, int32_t number) {
    int length = snprintf(NULL, 0, "%s-%d", name, (int)number);
    char *text = arena_allocate(arena, (size_t)length + 1, 1);
    snprintf(text, (size_t)length + 1, "%s-%d", name, (int)number);
    return text;
}

static size_t count_running(const struct scenario *scenario) {
    size_t total = 0;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        total += scenario->workloads[i].enabled ? (size_t)scenario->workloads[i].count : 0;
    }
    return total;
}

/* Whether the workload that runs is meant by a name: its own, or that of all of its count. */
static bool is_meant(const struct workload_spec *one, const struct workload_spec *written,
                     const char *name) {
    return strcmp(one->name, name) == 0 || strcmp(written->name, name) == 0;
}

static size_t list_awaited(const struct scenario *scenario, const struct workload_spec *expanded,
                           const char *name, bool ok, struct workload_dependency *list) {
    size_t count = 0;
    size_t at = 0;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct workload_spec *written = &scenario->workloads[i];
        for (int32_t k = 1; written->enabled && k <= written->count; k++, at++) {
            if (!is_meant(&expanded[at], written, name)) {
                continue;
            }
            if (list != NULL) {
                list[count] = (struct workload_dependency){.workload = (int32_t)at, .ok = ok};
            }
            count++;
        }
    }
    return count;
}

/* Those of the names that run; disabled ones are nobody to wait for. list NULL: only counts. */
static size_t list_dependencies(const struct scenario *scenario,
                                const struct workload_spec *expanded,
                                const struct workload_spec *waiting,
                                struct workload_dependency *list) {
    size_t count = 0;
    for (size_t i = 0; i < waiting->after_count; i++) {
        count += list_awaited(scenario, expanded, waiting->after[i], false,
                              list != NULL ? list + count : NULL);
    }
    for (size_t i = 0; i < waiting->afterok_count; i++) {
        count += list_awaited(scenario, expanded, waiting->afterok[i], true,
                              list != NULL ? list + count : NULL);
    }
    return count;
}

/* The copies of one workload share their list. */
static void resolve_dependencies(struct scenario *scenario, struct workload_spec *expanded) {
    size_t at = 0;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct workload_spec *written = &scenario->workloads[i];
        size_t count = written->enabled && written->after_count + written->afterok_count > 0
                           ? list_dependencies(scenario, expanded, written, NULL)
                           : 0;
        struct workload_dependency *list = NULL;
        if (count > 0) {
            list = arena_allocate(&scenario->arena, count, sizeof(list[0]));
            list_dependencies(scenario, expanded, written, list);
        }
        for (int32_t k = 1; written->enabled && k <= written->count; k++, at++) {
            expanded[at].dependencies = list;
            expanded[at].dependency_count = count;
        }
    }
}

void expansion_apply(struct scenario *scenario) {
    drop_objectives(scenario);
    size_t total = count_running(scenario);
    struct workload_spec *expanded = arena_allocate(&scenario->arena, total, sizeof(expanded[0]));
    size_t made = 0;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct workload_spec *written = &scenario->workloads[i];
        for (int32_t k = 1; written->enabled && k <= written->count; k++) {
            struct workload_spec *one = &expanded[made++];
            *one = *written;
            one->count = 1;
            if (written->count > 1) {
                one->name = numbered_name(&scenario->arena, written->name, k);
            }
            if (one->tenant == NULL) {
                one->tenant = one->name;
            }
        }
    }
    resolve_dependencies(scenario, expanded);
    scenario->workloads = expanded;
    scenario->workload_count = made;
}
