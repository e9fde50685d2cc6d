/* What kinds of file input is read from, and reading one whole. */
#ifndef SCENARIOS_INPUT_FILE_H
#define SCENARIOS_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* NULL for an open file that ends some time: a regular one or a pipe. Else why it is refused: "it
 * is a device", say, of which /dev/zero would never end. */
const char *input_file_refusal(int descriptor);

/* Reads a stream to its end into *text, zero-terminated; free it in any case. False with errno set.
 * A longer text is cut one byte beyond `most`. */
bool input_file_read(FILE *stream, size_t most, char **text, size_t *length);

#endif
