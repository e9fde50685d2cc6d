#include "cli/selftest_runs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cmake/embedded_file.h"
#include "sim/kernel/memory.h"

extern const struct embedded_file reference_scenarios[];

static const struct embedded_file *find_scenario(const char *name) {
    const struct embedded_file *file = reference_scenarios;
    while (file->name != NULL && strcmp(file->name, name) != 0) {
        file++;
    }
    return file->name != NULL ? file : NULL;
}

static bool read_scenario(struct selftest_entry *entry, const char *const *sets, size_t set_count,
                          const struct language *language, struct error_list *errors) {
    const struct embedded_file *file = find_scenario(entry->what->name);
    if (file == NULL) {
        error_list_add(errors, NULL, 0, 0, "internal error: no scenario for the case %s",
                       entry->what->name);
        return false;
    }
    entry->file = scenario_file_open_text(file->path, file->text, strlen(file->text),
                                          &language->context, errors);
    if (entry->file != NULL) {
        entry->scenario = scenario_file_resolve(entry->file, sets, set_count, NULL, errors);
    }
    if (entry->scenario == NULL) {
        return false;
    }
    for (size_t i = 0; i < entry->what->figure_count; i++) {
        entry->values[i] =
            memory_zero((size_t)entry->scenario->replications, sizeof *entry->values[i]);
    }
    return true;
}

bool selftest_runs_create(struct selftest_runs *runs, const struct selftest_case *const *cases,
                          size_t case_count, const char *const *sets, size_t set_count,
                          const struct language *language, struct error_list *errors) {
    *runs = (struct selftest_runs){.entries = memory_zero(case_count, sizeof *runs->entries),
                                   .count = case_count};
    bool read = true;
    for (size_t i = 0; i < case_count; i++) {
        runs->entries[i].what = cases[i];
        read = read_scenario(&runs->entries[i], sets, set_count, language, errors) && read;
    }
    return read;
}

void selftest_runs_clear(struct selftest_runs *runs) {
    for (size_t i = 0; i < runs->count; i++) {
        struct selftest_entry *entry = &runs->entries[i];
        for (size_t f = 0; f < SELFTEST_FIGURES; f++) {
            free(entry->values[f]);
        }
        if (entry->scenario != NULL) {
            scenario_destroy(entry->scenario);
        }
        if (entry->file != NULL) {
            scenario_file_close(entry->file);
        }
    }
    free(runs->entries);
    *runs = (struct selftest_runs){0};
}

/* --- Running. What the threads share; the place of the next run is under the lock. --- */

struct crew {
    struct selftest_runs *runs;
    size_t entry;
    int32_t replication;
    size_t done;
    size_t all;
    bool failed;
    struct error *error; /* of the first run that failed */
    pthread_mutex_t lock;
};

static bool take_run(struct crew *crew, size_t *entry, int32_t *replication) {
    pthread_mutex_lock(&crew->lock);
    bool taken = crew->entry < crew->runs->count && !crew->failed;
    if (taken) {
        *entry = crew->entry;
        *replication = crew->replication++;
        if (crew->replication == crew->runs->entries[*entry].scenario->replications) {
            crew->entry++;
            crew->replication = 0;
        }
    }
    pthread_mutex_unlock(&crew->lock);
    return taken;
}

static bool drop_job(void *context, const struct job_record *record, struct error *error) {
    (void)context;
    (void)record;
    (void)error;
    return true;
}

static bool perform(struct selftest_entry *entry, int32_t replication, struct error *error) {
    const struct scenario *scenario = entry->scenario;
    struct trace **traces = memory_zero(scenario->workload_count, sizeof(struct trace *));
    struct run_request request = {.scenario = scenario,
                                  .traces = traces,
                                  .seed = scenario->seed,
                                  .replication = (uint64_t)replication};
    struct wave wave = {.since = scenario->warmup, .interval = scenario->record.timeline};
    struct recorder recorder = {.context = &wave, .job = drop_job, .timeline = wave_add};
    struct results results;
    bool done = simulation_run(&request, &recorder, &results, error) == RUN_DONE;
    if (done) {
        struct selftest_outcome outcome = {.results = &results, .wave = &wave};
        for (size_t i = 0; i < entry->what->figure_count; i++) {
            const struct selftest_figure *figure = &entry->what->figures[i];
            entry->values[i][replication] = figure->value(figure, &outcome);
        }
        results_clear(&results);
    }
    free(traces);
    return done;
}

static void *work(void *argument) {
    struct crew *crew = argument;
    size_t entry = 0;
    int32_t replication = 0;
    while (take_run(crew, &entry, &replication)) {
        struct error error;
        bool done = perform(&crew->runs->entries[entry], replication, &error);
        pthread_mutex_lock(&crew->lock);
        crew->done++;
        if (done && crew->runs->progress != NULL) {
            struct progress_state state = {.done = crew->done,
                                           .all = crew->all,
                                           .fraction = (double)crew->done / (double)crew->all,
                                           .simulated_s = -1};
            progress_update(crew->runs->progress, &state);
        }
        if (!done && !crew->failed) {
            *crew->error = error;
        }
        crew->failed = crew->failed || !done;
        pthread_mutex_unlock(&crew->lock);
    }
    return NULL;
}

bool selftest_runs_perform(struct selftest_runs *runs, int threads, struct error *error) {
    struct crew crew = {.runs = runs, .error = error};
    for (size_t i = 0; i < runs->count; i++) {
        crew.all += (size_t)runs->entries[i].scenario->replications;
    }
    pthread_mutex_init(&crew.lock, NULL);
    pthread_t *started = memory_zero((size_t)threads, sizeof *started);
    int running = 0;
    /* This thread works, too: one fewer is started, and it is fine if none can be. */
    while (running + 1 < threads && pthread_create(&started[running], NULL, work, &crew) == 0) {
        running++;
    }
    work(&crew);
    for (int i = 0; i < running; i++) {
        pthread_join(started[i], NULL);
    }
    free(started);
    pthread_mutex_destroy(&crew.lock);
    return !crew.failed;
}
