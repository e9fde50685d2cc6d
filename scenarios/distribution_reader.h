/* Inside the reading of distributions: values, the styles of parameters, what can be checked. */
#ifndef SCENARIOS_DISTRIBUTION_READER_H
#define SCENARIOS_DISTRIBUTION_READER_H

#include "scenarios/schema_engine.h"
#include "sim/kernel/distribution.h"

/* Doubles in base units: a value of the distribution's own dimension, a whole number, a weight. */
extern const struct field_type distribution_value_type;
extern const struct field_type distribution_whole_type;
extern const struct field_type distribution_weight_type;
bool distribution_value_parse(enum field_dimension dimension, const char *text, double *value);
const char *distribution_value_advice(enum field_dimension dimension);

/* The parameters of a kind as rows over distribution.given, ended by a nameless one. Returns their
 * number. */
size_t distribution_rows(const struct distribution_kind *kind, const struct field *field,
                         struct field rows[DISTRIBUTION_PARAMETERS + 1]);

/* {empirical: {file: F, column: C}}: reads the column into the distribution's values. */
extern const struct field distribution_column_fields[];
bool distribution_column_read(struct reading *reading, const struct field *field, struct node *node,
                              struct distribution *distribution);

/* Whether all values that can be known in advance are in the row's range, and whole if they must
 * be; reports if not. */
bool distribution_check_support(struct reading *reading, const struct field *field,
                                const struct node *node, const struct distribution *distribution);

#endif
