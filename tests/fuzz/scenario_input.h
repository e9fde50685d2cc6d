/* One input for the scenario reader, with what must hold of every input. */
#ifndef TESTS_FUZZ_SCENARIO_INPUT_H
#define TESTS_FUZZ_SCENARIO_INPUT_H

#include <stdint.h>

#include "tests/scenarios/language_fixture.h"

/* NULL, or what is wrong with the errors of a refused input: there is none, or one has no place. */
static inline const char *scenario_input_complaint(const struct error_list *errors, bool refused) {
    if (refused && errors->count == 0) {
        return "refused without an error";
    }
    for (size_t i = 0; i < errors->count; i++) {
        const struct error *error = &errors->items[i];
        if (error->file[0] == '\0' || error->message[0] == '\0' || error->line < 0 ||
            error->column < 0 || (error->line == 0 && error->column > 0)) {
            return "an error without a place or a message";
        }
    }
    return refused || errors->count == 0 ? NULL : "accepted with errors";
}

/* Resolves one way to read the file: at a point of the sweep, or (point at the end) at none. */
static inline const char *scenario_input_resolve(const struct scenario_file *file,
                                                 const char *variant, size_t point,
                                                 bool *accepted) {
    struct error_list errors = {0};
    struct scenario *scenario =
        point < scenario_file_point_count(file)
            ? scenario_file_resolve_point(file, NULL, 0, variant, point, NULL, &errors)
            : scenario_file_resolve(file, NULL, 0, variant, &errors);
    const char *complaint = scenario_input_complaint(&errors, scenario == NULL);
    *accepted &= scenario != NULL;
    scenario_destroy(scenario);
    error_list_clear(&errors);
    return complaint;
}

/* Opens a text and resolves the base, variants and points. Returns NULL if all is well, and tells
 * whether the text was accepted. */
static inline const char *scenario_input_try(const struct reader_context *context, const char *text,
                                             size_t length, bool *accepted) {
    struct error_list errors = {0};
    struct scenario_file *file =
        scenario_file_open_text("fuzz.yaml", text, length, context, &errors);
    const char *complaint = scenario_input_complaint(&errors, file == NULL);
    size_t count = file != NULL ? scenario_file_variant_count(file) : 0;
    *accepted = file != NULL;
    for (size_t i = 0; file != NULL && i <= count && i <= 8 && complaint == NULL; i++) {
        const char *variant = i == 0 ? NULL : scenario_file_variant(file, i - 1);
        complaint = scenario_input_resolve(file, variant, SIZE_MAX, accepted);
        size_t points = scenario_file_point_count(file);
        for (size_t point = 0; point < points && point < 4 && complaint == NULL; point++) {
            complaint = scenario_input_resolve(file, variant, point, accepted);
        }
    }
    scenario_file_close(file);
    error_list_clear(&errors);
    return complaint;
}

#endif
