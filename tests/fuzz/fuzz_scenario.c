/* libFuzzer's entry: any bytes through the scenario reader. Run with the seeds of seeds/. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/scenario_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* Once: it takes longer than reading a small input. */
    static const struct catalogue *catalogue;
    catalogue = catalogue != NULL ? catalogue : catalogue_create();
    struct reader_context context = fixture_context(catalogue);
    bool accepted;
    const char *complaint = scenario_input_try(&context, (const char *)data, size, &accepted);
    if (complaint != NULL) {
        fprintf(stderr, "%s\n", complaint);
        abort();
    }
    return 0;
}
