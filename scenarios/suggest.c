#include "scenarios/suggest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

/* A third of the characters may be wrong, at least one, at most three. */
static size_t tolerance(size_t length) {
    size_t third = length / 3;
    return third < 1 ? 1 : third > 3 ? 3 : third;
}

struct suggestion suggestion_start(const char *typed) {
    return (struct suggestion){.typed = typed, .distance = tolerance(strlen(typed)) + 1};
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static int character(const char *text, size_t at) {
    return tolower((unsigned char)text[at]);
}

/* Edits from a to b: insertions, deletions, substitutions and exchanges of neighbours (optimal
 * string alignment), upper and lower case alike. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][LONGEST_NAME + 1];
    size_t *before = rows[0];
    size_t *last = rows[1];
    size_t *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        last[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t substitution = last[j - 1] + (character(a, i - 1) != character(b, j - 1));
            row[j] = least(substitution, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && character(a, i - 1) == character(b, j - 2) &&
                character(a, i - 2) == character(b, j - 1)) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b_length];
}

void suggestion_consider(struct suggestion *suggestion, const char *known) {
    size_t typed_length = strlen(suggestion->typed);
    size_t known_length = strlen(known);
    if (typed_length > LONGEST_NAME || known_length > LONGEST_NAME) {
        return;
    }
    size_t distance = edit_distance(suggestion->typed, typed_length, known, known_length);
    /* A name of two letters has nothing in common with another at two edits. */
    if (distance < suggestion->distance && distance < known_length) {
        suggestion->best = known;
        suggestion->distance = distance;
    }
}
