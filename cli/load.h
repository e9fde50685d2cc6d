/* Scenario files as they are run: every file with its variants resolved and its traces read. */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/language.h"
#include "scenarios/reader.h"
#include "workloads/work_source.h"

/* Which points of the sweep to load. */
enum load_points {
    LOAD_NO_POINTS,   /* the variants as they stand */
    LOAD_POINTS_ONLY, /* it is a problem if a scenario has none */
    LOAD_POINTS_TOO,
};

/* What to load. */
struct load_request {
    const char *const *paths; /* borrowed, like all texts */
    size_t path_count;
    const char **sets; /* PATH=VALUE */
    size_t set_count;
    const char **variants; /* only these; none: all */
    size_t variant_count;
    enum load_points points;
};

/* Room for the options of a command line of argc words. */
void load_request_create(struct load_request *request, int argc);
void load_request_destroy(struct load_request *request);
/* For option rows (command.h) whose target begins with a struct load_request: --set and --variant.
 */
bool load_add_set(void *target, const char *value);
bool load_add_variant(void *target, const char *value);

/* One way to run one file. */
struct loaded_scenario {
    struct scenario *scenario;
    const struct scenario_file *file;
    struct trace **traces; /* by workload; NULL: synthetic */
    char inputs_sha256[65];
};

/* A prepared trace and what it was made for. */
struct loaded_trace {
    const struct scenario *scenario;
    const struct workload_spec *workload;
    struct trace *trace;
};

struct loaded {
    struct scenario_file **files;
    size_t file_count;
    struct loaded_scenario *scenarios;
    size_t scenario_count;
    size_t scenario_capacity;
    struct loaded_trace *traces; /* each once, however many use it */
    size_t trace_count;
    size_t trace_capacity;
};

/* Adds another way to read one of the files, which is the loaded's from now on, with its traces. */
void loaded_add(struct loaded *loaded, const struct scenario_file *file, struct scenario *scenario,
                struct error_list *errors);

/* Loads all it can and adds every problem found to errors, each once. Free with loaded_destroy,
 * whether there were any or not. */
void loaded_create(struct loaded *loaded, const struct load_request *request,
                   const struct language *language, struct error_list *errors);
void loaded_destroy(struct loaded *loaded);

#endif
