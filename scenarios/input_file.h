/* What kinds of file input is read from. */
#ifndef SCENARIOS_INPUT_FILE_H
#define SCENARIOS_INPUT_FILE_H

/* NULL for an open file that ends some time: a regular one or a pipe. Else why it is refused: "it
 * is a device", say, of which /dev/zero would never end. */
const char *input_file_refusal(int descriptor);

#endif
