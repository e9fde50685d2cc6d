/* headroom init: a scenario to start from. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/templates.h"
#include "scenarios/suggest.h"
#include "sim/kernel/memory.h"

struct init_options {
    const char *output; /* NULL: named like the template, in the current folder */
    bool list;
    bool force;
};

static bool set_output(void *target, const char *value) {
    ((struct init_options *)target)->output = value;
    return true;
}

static bool set_list(void *target, const char *value) {
    (void)value;
    ((struct init_options *)target)->list = true;
    return true;
}

static bool set_force(void *target, const char *value) {
    (void)value;
    ((struct init_options *)target)->force = true;
    return true;
}

static const struct option_row option_rows[] = {
    {"output", 'o', "FILE.yaml", "where to write it; default: TEMPLATE.yaml, - for standard output",
     set_output},
    {"force", 'f', NULL, "replaces files that are there", set_force},
    {"list", 'l', NULL, "lists the templates, as without one", set_list},
};

static void print_words(FILE *out) {
    for (size_t i = 0; i < template_count(); i++) {
        char *description = template_description(template_at(i));
        fprintf(out, "%s\t%s\n", template_at(i)->name, description);
        free(description);
    }
}

static int print_list(const struct command *command) {
    puts("`headroom init TEMPLATE` writes one of these, with the trace it may need:\n");
    help_print_words(stdout, command);
    puts("\nThe beginning of a name will do where only one begins so.");
    return STATUS_DONE;
}

/* The template of that name, or the only one whose name begins so; NULL after saying why not. */
static const struct embedded_file *find(const char *name) {
    const struct embedded_file *found = NULL;
    struct suggestion suggestion = suggestion_start(name);
    size_t matches = 0;
    for (size_t i = 0; i < template_count(); i++) {
        const struct embedded_file *candidate = template_at(i);
        if (strcmp(candidate->name, name) == 0) {
            return candidate;
        }
        suggestion_consider(&suggestion, candidate->name);
        if (name[0] != '\0' && strncmp(candidate->name, name, strlen(name)) == 0) {
            found = candidate;
            matches++;
        }
    }
    if (matches == 1) {
        return found;
    }
    if (matches > 1) {
        complain("several templates begin with '%s'; 'headroom init' lists them", name);
    } else {
        complain("there is no template '%s'%s%s%s; 'headroom init' lists them", name,
                 suggestion.best != NULL ? ": did you mean '" : "",
                 suggestion.best != NULL ? suggestion.best : "",
                 suggestion.best != NULL ? "'?" : "");
    }
    return NULL;
}

static bool write_file(const char *path, const char *text, bool force) {
    FILE *file = fopen(path, force ? "w" : "wx");
    if (file == NULL && errno == EEXIST) {
        complain("%s is there already; --force replaces it, -o FILE.yaml names another", path);
        return false;
    }
    bool written = file != NULL;
    if (written) {
        written = fputs(text, file) >= 0;
        written = fclose(file) == 0 && written;
    }
    if (!written) {
        complain("%s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    fprintf(stderr, "Wrote %s.\n", path);
    return true;
}

/* A name in the folder of a path. Free it. */
static char *beside(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    char *joined = NULL;
    if (asprintf(&joined, "%.*s%s", slash != NULL ? (int)(slash - path + 1) : 0, path, name) < 0) {
        memory_exhausted(0);
    }
    return joined;
}

/* The scenario refers to its traces by their own names, so those stay, beside it. */
static int write_template(const struct embedded_file *template, const char *path, bool force) {
    size_t at = 0;
    const struct embedded_file *data = NULL;
    while ((data = template_next_data(template, &at)) != NULL) {
        char *data_path = beside(path, template_file_name(data));
        bool written = write_file(data_path, data->text, force);
        free(data_path);
        if (!written) {
            return STATUS_BAD_INPUT;
        }
    }
    if (!write_file(path, template->text, force)) {
        return STATUS_BAD_INPUT;
    }
    fprintf(stderr, "Edit it, then: headroom check %s && headroom run %s\n", path, path);
    return STATUS_DONE;
}

static int write_named(const char *name, const struct init_options *options) {
    const struct embedded_file *template = find(name);
    if (template == NULL) {
        return STATUS_BAD_INPUT;
    }
    if (options->output != NULL && strcmp(options->output, "-") == 0) {
        fputs(template->text, stdout);
        return STATUS_DONE;
    }
    char *path = options->output != NULL ? memory_duplicate_string(options->output)
                                         : beside("", template_file_name(template));
    int status = write_template(template, path, options->force);
    free(path);
    return status;
}

static int run_init(const struct command *command, int argc, char **argv) {
    struct init_options options = {0};
    int rest = 0;
    enum parse_outcome outcome = options_parse(command, &options, argc, argv, &rest);
    if (outcome != PARSE_OK) {
        return outcome == PARSE_FAILED ? STATUS_BAD_INPUT : STATUS_DONE;
    }
    if (rest < argc - 1) {
        complain("init takes one template, so not also '%s'", argv[rest + 1]);
        return STATUS_BAD_INPUT;
    }
    if (rest == argc || options.list) {
        return print_list(command);
    }
    return write_named(argv[rest], &options);
}

static const struct command_example examples[] = {
    {"headroom init", "Lists the templates"},
    {"headroom init quickstart", "Writes quickstart.yaml and the trace it replays, quickstart.csv"},
    {"headroom init service -o chat.yaml", "The template of a service, under another name"},
};

const struct command command_init = {
    .name = "init",
    .arguments = "[TEMPLATE] [OPTION...]",
    .summary = "Writes a scenario to start from.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .words_title = "Templates",
    .print_words = print_words,
    .main = run_init,
};
