/* Hands the rooms' tables to the scenario reader. */
#ifndef CLI_LANGUAGE_H
#define CLI_LANGUAGE_H

#include "scenarios/reader.h"

/* The names that scenarios may choose from, and the GPU catalogue. Free with language_destroy. */
struct language {
    struct reader_context context;
    struct registry *tables;
    struct catalogue *catalogue;
};

void language_create(struct language *language);
void language_destroy(struct language *language);

#endif
