/* Reads scenario files: text to tree, tree with overrides to plain data, every problem with its
 * place. */
#ifndef SCENARIOS_READER_H
#define SCENARIOS_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "models/catalogue.h"
#include "scenarios/choice.h"
#include "scenarios/scenario.h"
#include "sim/kernel/error.h"

/* What names in a scenario are checked against. Borrowed; must outlive what is read with it. */
struct reader_context {
    struct registries registries;
    const struct catalogue *catalogue;
};

/* A file as text and tree, before anything is resolved. */
struct scenario_file;

/* "-" reads stdin. NULL, with at least one error added, if it cannot be read as a tree. */
struct scenario_file *scenario_file_open(const char *path, const struct reader_context *context,
                                         struct error_list *errors);
/* The same from a text in memory; `path` is what errors call it and where relative files start. */
struct scenario_file *scenario_file_open_text(const char *path, const char *text, size_t length,
                                              const struct reader_context *context,
                                              struct error_list *errors);
void scenario_file_close(struct scenario_file *file);

const char *scenario_file_text(const struct scenario_file *file); /* as read, zero-terminated */

/* The variants in declaration order; none: only the base runs. */
size_t scenario_file_variant_count(const struct scenario_file *file);
const char *scenario_file_variant(const struct scenario_file *file, size_t index);

/* Applies `PATH=VALUE` texts, then the variant (NULL: the base), and checks the whole against the
 * schema. NULL with errors added if anything is wrong; warnings are not errors and do not exist. */
struct scenario *scenario_file_resolve(const struct scenario_file *file, const char *const *sets,
                                       size_t set_count, const char *variant,
                                       struct error_list *errors);

/* JSON Schema (2020-12) of the language as this context knows it, for editors. Free with free(). */
char *scenario_json_schema(const struct reader_context *context);

#endif
