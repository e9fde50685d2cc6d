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
struct sweep;

/* "-" reads stdin. NULL, with at least one error added, if it cannot be read as a tree. */
struct scenario_file *scenario_file_open(const char *path, const struct reader_context *context,
                                         struct error_list *errors);
/* The same from a text in memory; `path` is what errors call it and where relative files start. */
struct scenario_file *scenario_file_open_text(const char *path, const char *text, size_t length,
                                              const struct reader_context *context,
                                              struct error_list *errors);
void scenario_file_close(struct scenario_file *file);

const char *scenario_file_path(const struct scenario_file *file); /* what errors call it */
const char *scenario_file_text(const struct scenario_file *file); /* as read, zero-terminated */

/* The variants in declaration order; none: only the base runs. */
size_t scenario_file_variant_count(const struct scenario_file *file);
const char *scenario_file_variant(const struct scenario_file *file, size_t index);

/* Applies `PATH=VALUE` texts, then the variant (NULL: the base), and checks the whole against the
 * schema. NULL with errors added if anything is wrong; warnings are not errors and do not exist. */
struct scenario *scenario_file_resolve(const struct scenario_file *file, const char *const *sets,
                                       size_t set_count, const char *variant,
                                       struct error_list *errors);

/* The points of the sweep in declaration order, the last path's value changing fastest; 0: the file
 * has none, or a sweep with mistakes, which are found when anything is resolved. */
size_t scenario_file_point_count(const struct scenario_file *file);
/* The same at a point, whose values are put in after the variant's. Points share most of their
 * text, and so its problems: those in `told`, as far as they are the same but for the variant and
 * the point, are not added again; the others are added to it, too. */
struct scenario *scenario_file_resolve_point(const struct scenario_file *file,
                                             const char *const *sets, size_t set_count,
                                             const char *variant, size_t point,
                                             struct error_list *told, struct error_list *errors);

/* The same at a point of something else than the file's sweep, such as what a plan varies. */
struct scenario *scenario_file_resolve_at(const struct scenario_file *file, const char *const *sets,
                                          size_t set_count, const char *variant,
                                          const struct sweep *sweep, size_t point,
                                          struct error_list *told, struct error_list *errors);

/* JSON Schema (2020-12) of the language as this context knows it, for editors. Free with free(). */
char *scenario_json_schema(const struct reader_context *context);

#endif
