/* headroom run and headroom sweep: simulate scenarios, write the database, print the summary. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/batch.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/notes.h"
#include "cli/terminal.h"
#include "cli/verdicts.h"
#include "reports/summary.h"
#include "sim/kernel/memory.h"

static const char default_output[] = "headroom.db";

struct run_options {
    struct load_request load; /* first: see load_add_set */
    const char *output;       /* NULL: default_output */
    long long seed;           /* -1: the scenario's */
    long long replications;   /* 0: the scenario's */
    long long threads;
    bool json;
    bool quiet;
};

static bool set_output(void *target, const char *value) {
    if (strcmp(value, "-") == 0) {
        complain("-o needs a file: a database cannot be written to the standard output");
        return false;
    }
    ((struct run_options *)target)->output = value;
    return true;
}

static bool set_seed(void *target, const char *value) {
    return option_integer("--seed", value, 0, INT64_MAX, &((struct run_options *)target)->seed);
}

static bool set_replications(void *target, const char *value) {
    return option_integer("--replications", value, 1, 100000,
                          &((struct run_options *)target)->replications);
}

static bool set_threads(void *target, const char *value) {
    return option_integer("-j", value, 1, 1024, &((struct run_options *)target)->threads);
}

static bool set_json(void *target, const char *value) {
    (void)value;
    ((struct run_options *)target)->json = true;
    return true;
}

static bool set_quiet(void *target, const char *value) {
    (void)value;
    ((struct run_options *)target)->quiet = true;
    return true;
}

static const struct option_row option_rows[] = {
    {"output", 'o', "FILE.db", "the results database; without -o, headroom.db; appended to",
     set_output},
    {"set", 0, "PATH=VALUE", "replaces a value, e.g. cluster.pools.a100.nodes=4", load_add_set},
    {"variant", 0, "NAME", "only this variant (may be repeated); base: the file as it stands",
     load_add_variant},
    {"seed", 0, "N", "instead of the scenario's", set_seed},
    {"replications", 0, "N", "instead of the scenario's", set_replications},
    {"jobs", 'j', "N", "runs at a time; default: one per core", set_threads},
    {"json", 0, NULL, "prints one JSON object instead of tables", set_json},
    {"quiet", 0, NULL, "prints nothing but errors (and --json)", set_quiet},
};

static void override_from_options(const struct loaded *loaded, const struct run_options *options) {
    for (size_t i = 0; i < loaded->scenario_count; i++) {
        struct scenario *scenario = loaded->scenarios[i].scenario;
        if (options->seed >= 0) {
            scenario->seed = (uint64_t)options->seed;
        }
        if (options->replications > 0) {
            scenario->replications = (int32_t)options->replications;
            scenario->precision = 0;
        }
    }
}

static bool add_scenarios(struct store *store, const struct loaded *loaded, char (*sha256)[65],
                          struct error *error) {
    for (size_t i = 0; i < loaded->scenario_count; i++) {
        const struct loaded_scenario *entry = &loaded->scenarios[i];
        if (!store_add_scenario(store, entry->scenario->name, scenario_file_text(entry->file),
                                sha256[i], error)) {
            return false;
        }
    }
    return true;
}

static bool print_results(struct store *store, const struct batch_request *request,
                          const struct batch *batch, const struct run_options *options,
                          bool *all_met, struct error *error) {
    struct notes notes = {0};
    struct verdicts verdicts;
    notes_of_inputs(&notes, request->loaded);
    notes_of_runs(&notes, request->loaded, batch);
    verdicts_judge(&verdicts, request->loaded, batch);
    *all_met = verdicts.all_met;
    struct summary_options summary = {.verdicts = verdicts.items,
                                      .verdict_count = verdicts.count,
                                      .notes = (const char *const *)notes.lines,
                                      .note_count = notes.count,
                                      .colour = terminal_wants_colour(stdout)};
    bool printed = true;
    if (options->json) {
        json_t *json = summary_json(store, request->batch, &summary, error);
        printed = json != NULL;
        if (printed) {
            json_dumpf(json, stdout, JSON_INDENT(2));
            putchar('\n');
        }
        json_decref(json);
    } else if (!options->quiet) {
        printed = summary_print(stdout, store, request->batch, &summary, error);
    }
    verdicts_clear(&verdicts);
    notes_clear(&notes);
    return printed;
}

/* A database that cannot be written (a full disk, say) is the user's to mend, like a bad path. */
static int status_of_failure(const struct store *store, const struct error *error) {
    complain_error(error);
    return strcmp(error->file, store_path(store)) == 0 ? STATUS_BAD_INPUT : STATUS_FAILED;
}

static int status_of(const struct store *store, const struct batch *batch, bool all_met) {
    if (batch->outcome == RUN_FAILED) {
        return status_of_failure(store, &batch->error);
    }
    if (batch->outcome == RUN_INTERRUPTED) {
        complain("interrupted; %zu of %zu runs are in the database", batch->merged_count,
                 batch->run_count);
        return STATUS_INTERRUPTED;
    }
    for (size_t i = 0; i < batch->run_count; i++) {
        if (batch->notes[i].unstable) {
            return STATUS_UNSTABLE;
        }
    }
    return all_met ? STATUS_DONE : STATUS_UNMET;
}

static int simulate(struct store *store, const struct loaded *loaded,
                    const struct run_options *options, size_t *merged) {
    struct progress progress;
    struct batch_request request = {
        .loaded = loaded,
        .store = store,
        .scenario_sha256 = memory_zero(loaded->scenario_count, sizeof *request.scenario_sha256),
        .threads = (int)options->threads,
        .progress = &progress};
    struct error error;
    struct batch batch = {0};
    bool all_met = true;
    bool ready = store_new_batch(store, &request.batch, &error) &&
                 add_scenarios(store, loaded, request.scenario_sha256, &error);
    int status = STATUS_DONE;
    if (ready) {
        request.stop = interrupts_catch();
        progress_begin(&progress, !options->quiet);
        batch_run(&batch, &request);
        progress_end(&progress);
        *merged = batch.merged_count;
        ready = batch.merged_count == 0 ||
                print_results(store, &request, &batch, options, &all_met, &error);
        status = status_of(store, &batch, all_met);
    }
    if (!ready) {
        status = status_of_failure(store, &error);
    }
    batch_destroy(&batch);
    free(request.scenario_sha256);
    return status;
}

static int run_loaded(const struct loaded *loaded, const struct run_options *options) {
    const char *path = options->output != NULL ? options->output : default_output;
    bool existed = false;
    struct error error;
    struct store *store = store_open(path, &existed, &error);
    if (store == NULL) {
        complain_error(&error);
        return STATUS_BAD_INPUT;
    }
    if (!options->quiet && !options->json) {
        fprintf(stderr, "%s %s\n", existed ? "appending to" : "writing", path);
    }
    size_t merged = 0;
    int status = simulate(store, loaded, options, &merged);
    store_close(store);
    if (merged == 0 && !existed) {
        unlink(path); /* nothing came of it: leave nothing behind */
    }
    return status;
}

static int run(const struct language *language, const struct run_options *options) {
    struct loaded loaded;
    struct error_list errors = {0};
    char buffer[2048];
    loaded_create(&loaded, &options->load, language, &errors);
    for (size_t i = 0; i < errors.count; i++) {
        fprintf(stderr, "%s\n", error_format(&errors.items[i], buffer, sizeof buffer));
    }
    int status = STATUS_BAD_INPUT;
    if (errors.count == 0) {
        override_from_options(&loaded, options);
        status = run_loaded(&loaded, options);
    }
    error_list_clear(&errors);
    loaded_destroy(&loaded);
    return status;
}

static int run_command(const struct command *command, enum load_points points, int argc,
                       char **argv) {
    struct run_options options = {.seed = -1, .threads = sysconf(_SC_NPROCESSORS_ONLN)};
    load_request_create(&options.load, argc);
    options.load.points = points;
    int rest = 0;
    int status = STATUS_DONE;
    enum parse_outcome outcome = options_parse(command, &options, argc, argv, &rest);
    options.load.paths = (const char *const *)argv + rest;
    options.load.path_count = (size_t)(argc - rest);
    if (outcome == PARSE_FAILED) {
        status = STATUS_BAD_INPUT;
    } else if (outcome == PARSE_OK && options.load.path_count == 0) {
        complain("%s needs a scenario: headroom %s SCENARIO...", command->name, command->name);
        status = STATUS_BAD_INPUT;
    } else if (outcome == PARSE_OK) {
        struct language language;
        language_create(&language);
        status = run(&language, &options);
        language_destroy(&language);
    }
    load_request_destroy(&options.load);
    return status;
}

static int run_main(const struct command *command, int argc, char **argv) {
    return run_command(command, LOAD_NO_POINTS, argc, argv);
}

static int sweep_main(const struct command *command, int argc, char **argv) {
    return run_command(command, LOAD_POINTS_ONLY, argc, argv);
}

static const struct command_example run_examples[] = {
    {"headroom run quickstart.yaml",
     "Simulates every variant, appends to headroom.db and prints a summary"},
    {"headroom run quickstart.yaml -o week.db --variant backfill --set cluster.pools.a100.nodes=4",
     "One variant with one value replaced, into a database of its own"},
    {"headroom run quickstart.yaml --replications 10 -j 2 --json",
     "Ten replications with intervals, two at a time, as one JSON object"},
};

const struct command command_run = {
    .name = "run",
    .arguments = "SCENARIO... [OPTION...]",
    .summary = "Simulates scenarios and writes what came out to a database and a table.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
    .examples = run_examples,
    .example_count = sizeof run_examples / sizeof run_examples[0],
    .main = run_main,
};

static const struct command_example sweep_examples[] = {
    {"headroom sweep train-and-serve-timeslice.yaml --variant mps --variant mig",
     "Two variants at every load that the sweep of the scenario lists"},
    {"headroom sweep train-and-serve-timeslice.yaml --set horizon=1h -o sweep.db",
     "All variants, but for an hour only, into a database of their own"},
};

const struct command command_sweep = {
    .name = "sweep",
    .arguments = "SCENARIO... [OPTION...]",
    .summary = "Simulates every point of the sweeps in scenarios, as run does.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
    .examples = sweep_examples,
    .example_count = sizeof sweep_examples / sizeof sweep_examples[0],
    .main = sweep_main,
};
