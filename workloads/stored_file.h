/* The bytes of an input file in one pass: unpacked if they are gzipped, hashed as they are stored.
 * Reads pipes, too, since it never goes back. */
#ifndef WORKLOADS_STORED_FILE_H
#define WORKLOADS_STORED_FILE_H

#include <stddef.h>

#include "scenarios/scenario.h"
#include "sim/kernel/error.h"

struct stored_file;

/* "-" is stdin. NULL with an error at `place` (where the name is written) if it cannot be opened;
 * place is borrowed and serves later failures as well. */
struct stored_file *stored_file_open(const char *path, const struct place *place,
                                     struct error *error);
void stored_file_close(struct stored_file *file);

/* Fills the buffer as far as the file goes: *got < size only at its end. False with an error if it
 * cannot be read on. */
bool stored_file_read(struct stored_file *file, char *buffer, size_t size, size_t *got,
                      struct error *error);

/* SHA-256 of all bytes as stored, in hexadecimal; call once, after the end was reached. */
enum { STORED_FILE_DIGEST = 65 };
void stored_file_digest(struct stored_file *file, char digest[STORED_FILE_DIGEST]);

#endif
