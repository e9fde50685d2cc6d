/* libyaml's own errors, in the words of someone who looks at the file. */
#ifndef SCENARIOS_YAML_SYNTAX_H
#define SCENARIOS_YAML_SYNTAX_H

#include <stddef.h>
#include <yaml.h>

#include "sim/kernel/error.h"

/* Adds what stopped the parser, one line at the place where it is to be mended. */
void yaml_syntax_report(const yaml_parser_t *parser, const char *file, const char *text,
                        size_t length, struct error_list *errors);

#endif
