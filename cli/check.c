/* headroom check: every problem of scenarios and their traces, and the language itself for editors.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/load.h"
#include "sim/kernel/memory.h"

struct check_options {
    struct load_request load; /* first: see load_add_set */
    bool json_schema;
};

static bool set_json_schema(void *target, const char *value) {
    (void)value;
    ((struct check_options *)target)->json_schema = true;
    return true;
}

static const struct option_row option_rows[] = {
    {"set", 0, "PATH=VALUE", "replaces a value, e.g. cluster.pools.a100.nodes=4", load_add_set},
    {"variant", 0, "NAME", "only this variant (may be repeated)", load_add_variant},
    {"json-schema", 0, NULL, "prints the JSON Schema of scenario files, for editors",
     set_json_schema},
};

static int print_json_schema(const struct language *language) {
    char *schema = scenario_json_schema(&language->context);
    puts(schema);
    free(schema);
    return STATUS_DONE;
}

static int check(const struct load_request *request, const struct language *language) {
    struct loaded loaded;
    struct error_list errors = {0};
    char buffer[2048];
    loaded_create(&loaded, request, language, &errors);
    for (size_t i = 0; i < errors.count; i++) {
        fprintf(stderr, "%s\n", error_format(&errors.items[i], buffer, sizeof buffer));
    }
    int status = errors.count == 0 ? STATUS_DONE : STATUS_BAD_INPUT;
    if (errors.count == 0) {
        for (size_t i = 0; i < request->path_count; i++) {
            printf("%s: no problems\n", request->paths[i]);
        }
    } else {
        complain("%zu problem%s", errors.count, errors.count == 1 ? "" : "s");
    }
    error_list_clear(&errors);
    loaded_destroy(&loaded);
    return status;
}

static int run_check(const struct command *command, int argc, char **argv) {
    struct check_options options = {0};
    load_request_create(&options.load, argc);
    options.load.points = LOAD_POINTS_TOO;
    struct language language;
    language_create(&language);
    int rest = 0;
    int status = STATUS_DONE;
    enum parse_outcome outcome = options_parse(command, &options, argc, argv, &rest);
    options.load.paths = (const char *const *)argv + rest;
    options.load.path_count = (size_t)(argc - rest);
    if (outcome == PARSE_FAILED) {
        status = STATUS_BAD_INPUT;
    } else if (outcome == PARSE_OK && options.json_schema) {
        status = print_json_schema(&language);
    } else if (outcome == PARSE_OK && options.load.path_count == 0) {
        complain("check needs a scenario: headroom check SCENARIO...");
        status = STATUS_BAD_INPUT;
    } else if (outcome == PARSE_OK) {
        status = check(&options.load, &language);
    }
    language_destroy(&language);
    load_request_destroy(&options.load);
    return status;
}

static const struct command_example examples[] = {
    {"headroom check quickstart.yaml",
     "Every problem with file, line and column; exit status 2 if there is any"},
    {"headroom check quickstart.yaml --set cluster.pools.a100.nodes=4",
     "The same with a value replaced"},
    {"headroom check --json-schema > headroom.schema.json",
     "What an editor needs to complete and check scenarios"},
};

const struct command command_check = {
    .name = "check",
    .arguments = "SCENARIO... [OPTION...]",
    .summary = "Reads scenarios and their traces and reports every problem in them.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .main = run_check,
};
