/* headroom plan: the cheapest cluster that meets the objectives. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/plan_report.h"
#include "cli/plan_study.h"
#include "cli/terminal.h"
#include "plan/emit.h"
#include "reports/json.h"

struct plan_options {
    struct load_request load; /* first: see load_add_set */
    const struct emit_format *emit;
    long long seed; /* -1: the scenario's */
    long long threads;
    bool json;
    bool no_what_if;
};

static bool set_emit(void *target, const char *value) {
    struct plan_options *options = target;
    options->emit = emit_format_find(value);
    if (options->emit == NULL) {
        complain("--emit takes k8s, mig-parted or slurm, not '%s'", value);
    }
    return options->emit != NULL;
}

static bool set_seed(void *target, const char *value) {
    return option_integer("--seed", value, 0, INT64_MAX, &((struct plan_options *)target)->seed);
}

static bool set_threads(void *target, const char *value) {
    return option_integer("-j", value, 1, 1024, &((struct plan_options *)target)->threads);
}

static bool set_json(void *target, const char *value) {
    (void)value;
    ((struct plan_options *)target)->json = true;
    return true;
}

static bool set_no_what_if(void *target, const char *value) {
    (void)value;
    ((struct plan_options *)target)->no_what_if = true;
    return true;
}

static const struct option_row option_rows[] = {
    {"emit", 0, "k8s|mig-parted|slurm",
     "writes the best's configuration to the output, and the plan to stderr", set_emit},
    {"set", 0, "PATH=VALUE", "replaces a value, e.g. plan.confidence=90%", load_add_set},
    {"variant", 0, "NAME", "plans from this variant; without it from the file as it stands",
     load_add_variant},
    {"seed", 0, "N", "instead of the scenario's", set_seed},
    {"jobs", 'j', "N", "runs at a time; default: one per core", set_threads},
    {"no-what-if", 0, NULL, "does not ask what would change the answer, which takes more runs",
     set_no_what_if},
    {"json", 0, NULL, "prints one JSON object instead of text", set_json},
};

static void print_progress(size_t runs) {
    fprintf(stderr, "\r%zu runs simulated", runs);
}

static int report(const struct plan_study *study, const struct plan_options *options) {
    FILE *out = options->emit != NULL ? stderr : stdout;
    if (options->json) {
        json_t *json = plan_report_json(study);
        json_print(out, json);
        json_decref(json);
    } else {
        plan_report_print(out, study, terminal_wants_colour(out));
    }
    if (study->ranked == 0) {
        return STATUS_UNMET;
    }
    if (options->emit != NULL) {
        struct error error;
        size_t best = study->order[0];
        char *text = plan_emit(options->emit, study->runner.cases[best].scenario,
                               study->names[best], &error);
        if (text == NULL) {
            complain_error(&error);
            return STATUS_BAD_INPUT;
        }
        fputs(text, stdout);
        free(text);
    }
    return STATUS_DONE;
}

static int search(struct plan_study *study, const struct plan_options *options) {
    const atomic_bool *stop = interrupts_catch();
    bool shown = isatty(STDERR_FILENO) != 0;
    study->runner.progress = shown ? print_progress : NULL;
    bool sound = plan_study_search(study, stop) && plan_study_find_when(study, stop) &&
                 (options->no_what_if || plan_study_ask_what_if(study, stop));
    if (shown) {
        fputs("\r\x1b[K", stderr);
    }
    if (sound) {
        return report(study, options);
    }
    if (study->runner.interrupted) {
        complain("interrupted");
        return STATUS_INTERRUPTED;
    }
    complain_error(&study->runner.error);
    return STATUS_FAILED;
}

static int plan(const struct plan_options *options) {
    struct language language;
    struct plan_study study;
    struct error_list errors = {0};
    char buffer[2048];
    language_create(&language);
    int status = STATUS_BAD_INPUT;
    if (plan_study_create(&study, &options->load, &language, options->seed, (int)options->threads,
                          &errors)) {
        status = search(&study, options);
    }
    error_list_sort(&errors);
    for (size_t i = 0; i < errors.count; i++) {
        fprintf(stderr, "%s\n", error_format(&errors.items[i], buffer, sizeof buffer));
    }
    plan_study_clear(&study);
    error_list_clear(&errors);
    language_destroy(&language);
    return status;
}

static int run_plan(const struct command *command, int argc, char **argv) {
    struct plan_options options = {.seed = -1, .threads = sysconf(_SC_NPROCESSORS_ONLN)};
    load_request_create(&options.load, argc);
    int rest = 0;
    int status = STATUS_BAD_INPUT;
    enum parse_outcome outcome = options_parse(command, &options, argc, argv, &rest);
    options.load.paths = (const char *const *)argv + rest;
    options.load.path_count = (size_t)(argc - rest);
    if (outcome == PARSE_HELP_SHOWN) {
        status = STATUS_DONE;
    } else if (outcome == PARSE_OK && options.load.path_count != 1) {
        complain("plan needs one scenario: headroom plan SCENARIO");
    } else if (outcome == PARSE_OK && options.load.variant_count > 1) {
        complain("plan takes one --variant to start from");
    } else if (outcome == PARSE_OK) {
        status = plan(&options);
    }
    load_request_destroy(&options.load);
    return status;
}

static const struct command_example examples[] = {
    {"headroom plan scenarios/library/plan-mode.yaml",
     "How many GPUs, and shared in which way, its models need at least"},
    {"headroom plan scenarios/library/plan-mode.yaml --set plan.confidence=90% --no-what-if",
     "The same if the objectives have to hold in nine of ten replications only"},
    {"headroom plan scenarios/library/plan-mode.yaml --emit k8s > sharing.yaml",
     "The best's configuration for the device plugin of Kubernetes"},
};

const struct command command_plan = {
    .name = "plan",
    .arguments = "SCENARIO [OPTION...]",
    .summary = "Finds the cheapest cluster that meets the objectives, among what `plan` varies.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .main = run_plan,
};
