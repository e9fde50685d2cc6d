#include "cli/load.h"

#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/problem.h"
#include "scenarios/suggest.h"
#include "sim/kernel/memory.h"
#include "sim/metrics.h"

void load_request_create(struct load_request *request, int argc) {
    *request = (struct load_request){.sets = memory_zero((size_t)argc, sizeof(char *)),
                                     .variants = memory_zero((size_t)argc, sizeof(char *))};
}

void load_request_destroy(struct load_request *request) {
    free(request->sets);
    free(request->variants);
}

bool load_add_set(void *target, const char *value) {
    struct load_request *request = target;
    request->sets[request->set_count++] = value;
    return true;
}

bool load_add_variant(void *target, const char *value) {
    struct load_request *request = target;
    request->variants[request->variant_count++] = value;
    return true;
}

static bool wanted(const struct load_request *request, const char *variant) {
    for (size_t i = 0; i < request->variant_count; i++) {
        if (strcmp(request->variants[i], variant) == 0) {
            return true;
        }
    }
    return request->variant_count == 0;
}

static bool is_subject(const struct workload_spec *workload, const struct objective *objective) {
    const char *name = objective->scope == SCOPE_MODEL ? workload->model : workload->name;
    return objective->scope == SCOPE_RUN || (name != NULL && strcmp(name, objective->subject) == 0);
}

/* Whether the subject has what the figure is of: jobs, or requests. */
static bool is_of_its_kind(const struct scenario *scenario, const struct objective *objective,
                           const struct metric_row *row) {
    int kind = row->of == OF_JOBS ? WORKLOAD_JOBS : WORKLOAD_SERVICE;
    bool is_there = false; /* it may be disabled */
    bool found = row->of != OF_JOBS && row->of != OF_REQUESTS && row->of != OF_TOKENS;
    for (size_t i = 0; i < scenario->workload_count && !found; i++) {
        const struct workload_spec *workload = &scenario->workloads[i];
        bool meant = is_subject(workload, objective);
        is_there = is_there || meant;
        found = meant && (int)workload->kind.index == kind;
    }
    return found || !is_there;
}

static bool is_of_owners(const struct objective *objective) {
    return objective->scope == SCOPE_QUEUE || objective->scope == SCOPE_USER;
}

/* That each objective speaks of a figure which its scope has. */
static void check_objectives(const struct scenario *scenario, struct error_list *errors) {
    for (size_t i = 0; i < scenario->objective_count; i++) {
        const struct objective *objective = &scenario->objectives[i];
        const struct metric_row *row = metric_find(objective->metric);
        if (row == NULL) {
            continue;
        }
        if ((row->scopes & (1u << objective->scope)) == 0) {
            problem_add(errors, objective->place, "a %s has no figure %s (%s)",
                        scope_names[objective->scope], objective->metric, row->choice.summary);
        } else if (!is_of_owners(objective) && !is_of_its_kind(scenario, objective, row)) {
            problem_add(errors, objective->place, "%s is a figure of %s, of which %s has none",
                        objective->metric, row->of == OF_JOBS ? "jobs" : "requests",
                        objective->scope == SCOPE_RUN ? "the run" : objective->subject);
        }
    }
}

static void add_scenario(struct loaded *loaded, const struct scenario_file *file,
                         struct scenario *scenario) {
    loaded->scenarios = memory_grow(loaded->scenarios, &loaded->scenario_capacity,
                                    loaded->scenario_count + 1, sizeof *loaded->scenarios);
    loaded->scenarios[loaded->scenario_count++] = (struct loaded_scenario){
        .scenario = scenario,
        .file = file,
        .traces = memory_zero(scenario->workload_count, sizeof(struct trace *)),
    };
}

/* A file being resolved in all ways that are wanted. */
struct resolution {
    struct loaded *loaded;
    const struct scenario_file *file;
    const struct load_request *request;
    struct error_list told; /* problems of points */
    struct error_list *errors;
};

/* point NULL: none. Ways share most of their text, and so its problems. */
static void resolve(struct resolution *resolution, const char *variant, const size_t *point) {
    const struct load_request *request = resolution->request;
    struct error_list found = {0};
    struct scenario *scenario =
        point != NULL
            ? scenario_file_resolve_point(resolution->file, request->sets, request->set_count,
                                          variant, *point, &resolution->told, &found)
            : scenario_file_resolve(resolution->file, request->sets, request->set_count, variant,
                                    &found);
    if (scenario != NULL) {
        check_objectives(scenario, &found);
        add_scenario(resolution->loaded, resolution->file, scenario);
    }
    problems_merge(resolution->errors, &found);
    error_list_clear(&found);
}

/* A sweep with mistakes in its form counts as none, and any way to read the file reports them. */
static void resolve_points(struct resolution *resolution, const char *variant) {
    size_t count = scenario_file_point_count(resolution->file);
    enum load_points points = resolution->request->points;
    if (points != LOAD_POINTS_ONLY || count == 0) {
        resolve(resolution, variant, NULL);
    }
    for (size_t point = 0; points != LOAD_NO_POINTS && point < count; point++) {
        resolve(resolution, variant, &point);
    }
}

static void resolve_all(struct loaded *loaded, const struct scenario_file *file,
                        const struct load_request *request, struct error_list *errors) {
    struct resolution resolution = {
        .loaded = loaded, .file = file, .request = request, .errors = errors};
    size_t before = errors->count;
    size_t count = scenario_file_variant_count(file);
    bool base = request->variant_count > 0 ? wanted(request, "base") : count == 0;
    if (base) {
        resolve_points(&resolution, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        const char *variant = scenario_file_variant(file, i);
        if (wanted(request, variant)) {
            resolve_points(&resolution, variant);
        }
    }
    if (request->points == LOAD_POINTS_ONLY && scenario_file_point_count(file) == 0 &&
        errors->count == before) {
        problem_add(errors, (struct place){.file = scenario_file_path(file)},
                    "this scenario has no sweep: add one such as "
                    "sweep: {cluster.pools.a100.nodes: [1, 2, 4]}, or use `headroom run`");
    }
    error_list_clear(&resolution.told);
}

static bool has_variant(const struct scenario_file *file, const char *variant) {
    for (size_t i = 0; i < scenario_file_variant_count(file); i++) {
        if (strcmp(scenario_file_variant(file, i), variant) == 0) {
            return true;
        }
    }
    return strcmp(variant, "base") == 0;
}

static void check_variant_names(const struct loaded *loaded, const struct load_request *request,
                                struct error_list *errors) {
    for (size_t v = 0; v < request->variant_count; v++) {
        bool found = false;
        for (size_t i = 0; i < loaded->file_count; i++) {
            found = found || has_variant(loaded->files[i], request->variants[v]);
        }
        if (!found) {
            error_list_add(errors, NULL, 0, 0,
                           "--variant %s: no scenario has a variant of that name",
                           request->variants[v]);
        }
    }
}

/* Results are told apart by the scenario's name. */
static void check_scenario_names(const struct loaded *loaded, struct error_list *errors) {
    for (size_t i = 1; i < loaded->scenario_count; i++) {
        const struct scenario *scenario = loaded->scenarios[i].scenario;
        for (size_t j = 0; j < i; j++) {
            const struct scenario *other = loaded->scenarios[j].scenario;
            if (loaded->scenarios[i].file != loaded->scenarios[j].file &&
                strcmp(scenario->name, other->name) == 0) {
                problem_add(errors, (struct place){.file = scenario->file},
                            "this scenario is named %s, as is %s: give one of them another `name`",
                            scenario->name, other->file);
                return;
            }
        }
    }
}

/* Whether `origin: start`, which is measured from the scenario's own start, means the same. */
static bool same_start(const struct scenario *a, const struct scenario *b) {
    return a->has_start == b->has_start && (!a->has_start || a->start == b->start);
}

static struct trace *known_trace(const struct loaded *loaded, const struct scenario *scenario,
                                 const struct workload_spec *workload) {
    bool own_start = workload->trace.origin.kind == MOMENT_START;
    for (size_t i = 0; i < loaded->trace_count; i++) {
        const struct loaded_trace *known = &loaded->traces[i];
        if (trace_same(known->workload, workload) &&
            (!own_start || same_start(known->scenario, scenario))) {
            return known->trace;
        }
    }
    return NULL;
}

static void load_traces(struct loaded *loaded, struct loaded_scenario *entry,
                        struct error_list *errors) {
    const struct scenario *scenario = entry->scenario;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct workload_spec *workload = &scenario->workloads[i];
        if (!workload->has_trace) {
            continue;
        }
        struct trace *trace = known_trace(loaded, scenario, workload);
        if (trace == NULL) {
            struct error error;
            trace = trace_prepare(workload, scenario->has_start, scenario->start, &error);
            if (trace == NULL) {
                if (!problems_have(errors, &error)) {
                    error_list_append(errors, &error);
                }
                continue;
            }
            loaded->traces = memory_grow(loaded->traces, &loaded->trace_capacity,
                                         loaded->trace_count + 1, sizeof *loaded->traces);
            loaded->traces[loaded->trace_count++] =
                (struct loaded_trace){scenario, workload, trace};
        }
        entry->traces[i] = trace;
    }
}

/* A queue or a user of an objective, and the names that there are. */
struct owner_search {
    enum scope scope;
    const char *name;
    bool found;
    struct suggestion suggestion;
};

static void consider_owner(struct owner_search *search, const char *queue, const char *user) {
    const char *name = search->scope == SCOPE_QUEUE ? queue : user;
    if (name != NULL) {
        search->found |= strcmp(name, search->name) == 0;
        suggestion_consider(&search->suggestion, name);
    }
}

static bool find_owner(struct owner_search *search, const struct loaded_scenario *entry) {
    const struct scenario *scenario = entry->scenario;
    bool prepared = true;
    for (size_t i = 0; i < scenario->scheduler.queue_count; i++) {
        consider_owner(search, scenario->scheduler.queues[i].name, NULL);
    }
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct workload_spec *workload = &scenario->workloads[i];
        prepared &= !workload->has_trace || entry->traces[i] != NULL;
        consider_owner(search, workload->queue, workload->user);
        for (int32_t k = 0; entry->traces[i] != NULL && k < trace_owner_count(entry->traces[i]);
             k++) {
            const char *queue;
            const char *user;
            trace_owner(entry->traces[i], k, &queue, &user);
            consider_owner(search, queue, user);
        }
    }
    return search->found || !prepared;
}

/* That queues and users of objectives are somebody's; traces tell of them, too. */
static void check_owners(const struct loaded_scenario *entry, struct error_list *errors) {
    for (size_t i = 0; i < entry->scenario->objective_count; i++) {
        const struct objective *objective = &entry->scenario->objectives[i];
        struct owner_search search = {.scope = objective->scope,
                                      .name = objective->subject,
                                      .suggestion = suggestion_start(objective->subject)};
        if (!is_of_owners(objective) || find_owner(&search, entry)) {
            continue;
        }
        const char *best = search.suggestion.best;
        problem_add(errors, objective->place, "no job is of %s \"%s\"%s%s%s",
                    scope_names[objective->scope], objective->subject,
                    best != NULL ? ": did you mean \"" : "", best != NULL ? best : "",
                    best != NULL ? "\"?" : "");
    }
}

/* Of all that decides the numbers: the resolved scenario and the bytes of its traces. */
static void hash_inputs(struct loaded_scenario *entry) {
    SHA2_CTX context;
    SHA256Init(&context);
    const char *canonical = entry->scenario->canonical;
    SHA256Update(&context, (const uint8_t *)canonical, strlen(canonical));
    for (size_t i = 0; i < entry->scenario->workload_count; i++) {
        if (entry->traces[i] != NULL) {
            const char *sha256 = trace_report(entry->traces[i])->sha256;
            SHA256Update(&context, (const uint8_t *)sha256, strlen(sha256));
        }
    }
    SHA256End(&context, entry->inputs_sha256);
}

void loaded_add(struct loaded *loaded, const struct scenario_file *file, struct scenario *scenario,
                struct error_list *errors) {
    check_objectives(scenario, errors);
    add_scenario(loaded, file, scenario);
    load_traces(loaded, &loaded->scenarios[loaded->scenario_count - 1], errors);
}

void loaded_create(struct loaded *loaded, const struct load_request *request,
                   const struct language *language, struct error_list *errors) {
    *loaded = (struct loaded){0};
    loaded->files = memory_zero(request->path_count, sizeof(struct scenario_file *));
    for (size_t i = 0; i < request->path_count; i++) {
        struct scenario_file *file =
            scenario_file_open(request->paths[i], &language->context, errors);
        if (file != NULL) {
            loaded->files[loaded->file_count++] = file;
            resolve_all(loaded, file, request, errors);
        }
    }
    if (loaded->file_count == request->path_count) {
        check_variant_names(loaded, request, errors);
        check_scenario_names(loaded, errors);
    }
    for (size_t i = 0; i < loaded->scenario_count; i++) {
        load_traces(loaded, &loaded->scenarios[i], errors);
        check_owners(&loaded->scenarios[i], errors);
    }
    for (size_t i = 0; i < loaded->scenario_count && errors->count == 0; i++) {
        hash_inputs(&loaded->scenarios[i]);
    }
    error_list_sort(errors);
}

void loaded_destroy(struct loaded *loaded) {
    for (size_t i = 0; i < loaded->trace_count; i++) {
        trace_destroy(loaded->traces[i].trace);
    }
    for (size_t i = 0; i < loaded->scenario_count; i++) {
        free(loaded->scenarios[i].traces);
        scenario_destroy(loaded->scenarios[i].scenario);
    }
    for (size_t i = 0; i < loaded->file_count; i++) {
        scenario_file_close(loaded->files[i]);
    }
    free(loaded->traces);
    free(loaded->scenarios);
    free(loaded->files);
}
