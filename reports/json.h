/* JSON values from what this room holds: numbers that may be missing, texts that may not be UTF-8.
 */
#ifndef REPORTS_JSON_H
#define REPORTS_JSON_H

#include <jansson.h>
#include <stdio.h>

/* Whole numbers as integers; NaN and infinities, which JSON has no word for, as null. */
json_t *json_number_or_null(double value);
/* Bytes that are not UTF-8 become U+FFFD. */
json_t *json_text(const char *text);
/* Likewise, for names of members that come from a scenario. */
void json_set(json_t *object, const char *name, json_t *value);
/* Indented, with a newline at the end. */
void json_print(FILE *out, const json_t *value);

#endif
