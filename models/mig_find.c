/* Finding a MIG profile by what people and tools call it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "models/mig_internal.h"

enum { LONGEST_ID = 9, LONGEST_NAME = 64 };

/* What a name says: "MIG 3g.40gb+me" is 3 slices, 40 GB, and the suffix "+me". */
struct name_parts {
    int slices; /* 0: not a name of this form */
    int gigabytes;
    const char *suffix;
    bool exact; /* nothing before or within it that does not belong there */
};

static int take_number(const char **text) {
    int number = 0;
    while (isdigit((unsigned char)**text) && number < 10000) {
        number = number * 10 + (*(*text)++ - '0');
    }
    return number;
}

static bool take_word(const char **text, const char *word) {
    bool there = strncasecmp(*text, word, strlen(word)) == 0;
    *text += there ? strlen(word) : 0;
    return there;
}

/* Forgiving, since it only serves suggestions. */
static struct name_parts parse_name(const char *name) {
    struct name_parts parts = {.exact = true};
    if (take_word(&name, "mig")) {
        parts.exact = false;
        name += strspn(name, " -_");
    }
    int slices = take_number(&name);
    if (!take_word(&name, "g")) {
        return parts;
    }
    parts.slices = slices;
    parts.exact = take_word(&name, ".") && parts.exact;
    name += strspn(name, ".-_ ");
    parts.gigabytes = take_number(&name);
    parts.exact = take_word(&name, "gb") && parts.exact;
    take_word(&name, "g");
    parts.suffix = name;
    return parts;
}

/* Kubernetes allows no plus in names: 1g.10gb.me is 1g.10gb+me there. */
static bool suffix_equal(const char *a, const char *b) {
    if (strchr("._ ", a[0]) != NULL && a[0] != '\0' && b[0] == '+') {
        return strcasecmp(a + 1, b + 1) == 0;
    }
    return strcasecmp(a, b) == 0;
}

/* How much a profile is what the name meant: 0 nothing, 1 the slices, 2 also the suffix, 3 also the
 * memory. */
static int likeness(struct name_parts typed, const struct mig_profile *profile) {
    struct name_parts known = parse_name(profile->name);
    if (typed.slices == 0 || known.slices != typed.slices) {
        return 0;
    }
    if (!suffix_equal(typed.suffix, known.suffix)) {
        return 1;
    }
    return known.gigabytes == typed.gigabytes ? 3 : 2;
}

static void add_profiles_like(struct mig_text *text, const struct gpu_model *gpu,
                              struct name_parts typed, int least) {
    const char *separator = "";
    for (size_t i = 0; i < gpu->profile_count; i++) {
        if (likeness(typed, &gpu->profiles[i]) >= least) {
            mig_text_add(text, "%s%s", separator, gpu->profiles[i].name);
            separator = " or ";
        }
    }
}

static void set_unknown_name(const struct gpu_model *gpu, const char *name, struct error *error) {
    char buffer[sizeof(error->message)];
    struct mig_text text = mig_text_start(buffer, sizeof(buffer));
    struct name_parts typed = parse_name(name);
    int best = 0;
    for (size_t i = 0; i < gpu->profile_count; i++) {
        int like = likeness(typed, &gpu->profiles[i]);
        best = like > best ? like : best;
    }
    mig_text_add(&text, "%s has no MIG profile '%.*s'", gpu->name, LONGEST_NAME, name);
    if (best > 0) {
        bool other_size = best == 2 && typed.exact;
        mig_text_add(&text, "%s; did you mean ",
                     other_size ? " (a name for another memory size)" : "");
        add_profiles_like(&text, gpu, typed, best);
        mig_text_add(&text, "?");
    } else {
        mig_text_add(&text, "; it has");
        for (size_t i = 0; i < gpu->profile_count; i++) {
            mig_text_add(&text, "%s %s", i > 0 ? "," : "", gpu->profiles[i].name);
        }
    }
    error_set(error, NULL, 0, 0, "%s", buffer);
}

static void set_unknown_id(const struct gpu_model *gpu, const char *id, struct error *error) {
    char buffer[sizeof(error->message)];
    struct mig_text text = mig_text_start(buffer, sizeof(buffer));
    mig_text_add(&text, "%s has no MIG profile with the id %.*s; its ids are", gpu->name,
                 LONGEST_NAME, id);
    for (size_t i = 0; i < gpu->profile_count; i++) {
        mig_text_add(&text, "%s %d (%s)", i > 0 ? "," : "", gpu->profiles[i].id,
                     gpu->profiles[i].name);
    }
    error_set(error, NULL, 0, 0, "%s", buffer);
}

int mig_find_profile(const struct gpu_model *gpu, const char *name, struct error *error) {
    size_t length = strlen(name);
    bool is_id = length > 0 && strspn(name, "0123456789") == length;
    long id = is_id && length <= LONGEST_ID ? strtol(name, NULL, 10) : -1;
    for (size_t i = 0; i < gpu->profile_count; i++) {
        if (is_id ? gpu->profiles[i].id == id : strcasecmp(gpu->profiles[i].name, name) == 0) {
            return (int)i;
        }
    }
    if (gpu->profile_count == 0) {
        error_set(error, NULL, 0, 0, "%s has no MIG, so no profile '%.*s' either", gpu->name,
                  LONGEST_NAME, name);
    } else if (is_id) {
        set_unknown_id(gpu, name, error);
    } else {
        set_unknown_name(gpu, name, error);
    }
    return -1;
}
