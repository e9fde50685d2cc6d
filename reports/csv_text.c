#include "reports/csv_text.h"

#include <csv.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

static bool is_number(const char *text) {
    char *end = NULL;
    strtod(text, &end);
    return text[0] != '\0' && *end == '\0' && strspn(text, "0123456789.eE+-") == strlen(text);
}

/* A spreadsheet would run such a cell as a formula, whoever wrote it. */
static bool is_formula(const char *text) {
    return text[0] != '\0' && strchr("=+-@\t\r\n", text[0]) != NULL && !is_number(text);
}

void csv_print_text(FILE *out, const char *text) {
    bool formula = is_formula(text);
    if (!formula && strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    size_t length = strlen(text);
    char *quoted = memory_allocate(length + 2);
    quoted[0] = '\'';
    memcpy(quoted + formula, text, length + 1);
    csv_fwrite(out, quoted, length + formula);
    free(quoted);
}

void csv_print_number(FILE *out, double value) {
    char digits[32];
    if (isnan(value)) {
        return;
    }
    snprintf(digits, sizeof(digits), "%.15g", value);
    if (strtod(digits, NULL) != value) {
        snprintf(digits, sizeof(digits), "%.17g", value);
    }
    fputs(digits, out);
}
