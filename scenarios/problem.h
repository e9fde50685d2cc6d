/* Adds what is wrong with a scenario to a list of errors. */
#ifndef SCENARIOS_PROBLEM_H
#define SCENARIOS_PROBLEM_H

#include <stdarg.h>
#include <stdbool.h>

#include "scenarios/scenario.h"
#include "sim/kernel/error.h"

/* Nobody reads more of them; a file of nonsense would fill the memory with them. */
enum { MOST_PROBLEMS = 1000 };

/* From the MOST_PROBLEMS-th on, problems are dropped. */
void problem_add(struct error_list *errors, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void problem_add_v(struct error_list *errors, struct place place, const char *format,
                   va_list arguments);
bool problems_have(const struct error_list *errors, const struct error *error);
/* Appends those of `more` that `errors` does not have yet, word for word. */
void problems_merge(struct error_list *errors, const struct error_list *more);

#endif
