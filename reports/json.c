#include "reports/json.h"

#include <math.h>
#include <stdlib.h>

#include "reports/text.h"

json_t *json_number_or_null(double value) {
    static const double LARGEST_EXACT = 9007199254740992.0; /* 2^53 */
    if (!isfinite(value)) {
        return json_null();
    }
    if (value == floor(value) && fabs(value) <= LARGEST_EXACT) {
        return json_integer((json_int_t)value);
    }
    return json_real(value);
}

json_t *json_text(const char *text) {
    char *valid = text_valid(text);
    json_t *string = json_string(valid);
    free(valid);
    return string;
}

void json_set(json_t *object, const char *name, json_t *value) {
    char *valid = text_valid(name);
    json_object_set_new(object, valid, value);
    free(valid);
}

void json_print(FILE *out, const json_t *value) {
    json_dumpf(value, out, JSON_INDENT(2));
    fputc('\n', out);
}
