/* Finding a GPU by what people call it. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "models/catalogue.h"

/* No name is as long; what is gets no candidates. */
enum { LONGEST_NAME = 64 };

/* One dash-separated part of a name, not terminated. */
struct part {
    const char *text;
    size_t length;
};

/* Takes the next part off *rest; other separators that people use count as dashes. */
static bool next_part(const char **rest, struct part *part) {
    static const char separators[] = "-_ /";
    *rest += strspn(*rest, separators);
    *part = (struct part){*rest, strcspn(*rest, separators)};
    *rest += part->length;
    return part->length > 0;
}

static bool part_equal(struct part a, struct part b) {
    return a.length == b.length && strncasecmp(a.text, b.text, a.length) == 0;
}

/* One is the beginning of the other, like SXM of SXM4. */
static bool part_resembles(struct part a, struct part b) {
    size_t shorter = a.length < b.length ? a.length : b.length;
    return shorter >= 2 && strncasecmp(a.text, b.text, shorter) == 0;
}

/* T4 for L4, A101 for A100: as long, and one character differs. */
static bool part_mistyped(struct part a, struct part b) {
    size_t different = 0;
    for (size_t i = 0; a.length == b.length && i < a.length; i++) {
        different += tolower((unsigned char)a.text[i]) != tolower((unsigned char)b.text[i]);
    }
    return a.length == b.length && different == 1;
}

/* Whether `name` is made of the first whole parts of the full name. */
static bool is_short_form(const char *name, const char *full) {
    size_t length = strlen(name);
    return length > 0 && strncasecmp(name, full, length) == 0 && full[length] == '-';
}

/* How well one part fits any part of a full name: 4 equal, 2 the beginning of it, 1 mistyped. */
static int part_score(struct part part, const char *full) {
    int best = 0;
    struct part other;
    while (next_part(&full, &other)) {
        int score = part_equal(part, other)       ? 4
                    : part_resembles(part, other) ? 2
                    : part_mistyped(part, other)  ? 1
                                                  : 0;
        best = score > best ? score : best;
    }
    return best;
}

/* How much a name resembles a full name: by the parts they share, wherever they stand. */
static int resemblance(const char *name, const char *full) {
    int score = 0;
    struct part part;
    while (next_part(&name, &part)) {
        score += part_score(part, full);
    }
    return score;
}

struct candidates {
    int *rows;
    size_t capacity;
    size_t count; /* may exceed the capacity */
};

static void add_candidate(struct candidates *candidates, size_t row) {
    if (candidates->count < candidates->capacity) {
        candidates->rows[candidates->count] = (int)row;
    }
    candidates->count++;
}

static void find_resembling(const struct catalogue *catalogue, const char *name,
                            struct candidates *candidates) {
    int best = 1;
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        int score = resemblance(name, catalogue->gpus[i].name);
        if (score > best) {
            best = score;
            candidates->count = 0;
        }
        if (score == best) {
            add_candidate(candidates, i);
        }
    }
}

int catalogue_find_gpu(const struct catalogue *catalogue, const char *name, int *candidates,
                       size_t capacity, size_t *candidate_count) {
    struct candidates found = {.rows = candidates, .capacity = capacity};
    int row = CATALOGUE_UNKNOWN;
    size_t fitting = 0;
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const char *full = catalogue->gpus[i].name;
        if (strcasecmp(name, full) == 0) {
            *candidate_count = 0;
            return (int)i;
        }
        if (is_short_form(name, full)) {
            row = (int)i;
            fitting++;
            add_candidate(&found, i);
        }
    }
    if (fitting > 1) {
        row = CATALOGUE_AMBIGUOUS;
    } else if (fitting == 0 && strlen(name) <= LONGEST_NAME) {
        find_resembling(catalogue, name, &found);
    } else {
        found.count = 0;
    }
    *candidate_count = found.count < capacity ? found.count : capacity;
    return row;
}
