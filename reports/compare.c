#include "reports/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/compare_internal.h"
#include "reports/store_internal.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"

const char *const compare_by_names[COMPARE_BY_COUNT] = {"variant", "point", "scenario", "file"};

const char *compare_label(const struct compare_row *row, enum compare_by by) {
    switch (by) {
    case COMPARE_BY_POINT:
        return row->of->point;
    case COMPARE_BY_SCENARIO:
        return row->of->scenario;
    case COMPARE_BY_FILE:
        return row->source->path;
    case COMPARE_BY_VARIANT:
    default:
        return row->of->variant;
    }
}

const char *compare_words(const struct compare_row *row, enum compare_by by) {
    return by == COMPARE_BY_POINT ? row->point : compare_label(row, by);
}

static bool same_label(const struct compare_row *a, const struct compare_row *b,
                       enum compare_by by) {
    return strcmp(compare_label(a, by), compare_label(b, by)) == 0;
}

static bool open_source(struct compare_source *source, struct error *error) {
    source->store = store_open_existing(source->path, error);
    if (source->store == NULL ||
        !result_set_read(&source->set, source->store, NEWEST_BATCHES, error)) {
        return false;
    }
    if (source->set.case_count == 0) {
        error_set(error, source->path, 0, 0,
                  "holds no finished runs; run a scenario into it first");
        return false;
    }
    return true;
}

static bool read_sources(struct comparison *comparison, const char *const *paths, size_t count,
                         FILE *messages, struct error *error) {
    comparison->sources = memory_zero(count, sizeof(comparison->sources[0]));
    for (size_t i = 0; i < count; i++) {
        bool again = false;
        for (size_t j = 0; j < comparison->source_count && !again; j++) {
            again = strcmp(paths[i], comparison->sources[j].path) == 0;
        }
        if (again) {
            fprintf(messages, "%s: given twice, read once\n", paths[i]);
            continue;
        }
        struct compare_source *source = &comparison->sources[comparison->source_count++];
        source->path = paths[i];
        if (!open_source(source, error)) {
            return false;
        }
    }
    return true;
}

static bool report_left_out(const struct compare_source *source, FILE *messages,
                            struct error *error) {
    static const char query[] = "SELECT count(*), min(batch), max(batch) FROM run "
                                "WHERE run_id NOT IN (SELECT run_id FROM v_newest)";
    const struct database *database = &source->store->database;
    sqlite3_stmt *statement = database_prepare(database, query, false, error);
    if (statement == NULL) {
        return false;
    }
    int found = database_next(database, statement, error);
    if (found == 1 && sqlite3_column_int64(statement, 0) > 0) {
        long long runs = sqlite3_column_int64(statement, 0);
        long long first = sqlite3_column_int64(statement, 1);
        long long last = sqlite3_column_int64(statement, 2);
        fprintf(messages, "%s: left out %lld older %s (of batch %lld", source->path, runs,
                runs == 1 ? "run" : "runs", first);
        if (last > first) {
            fprintf(messages, " to %lld", last);
        }
        fputs("): newer batches have the same scenario, variant and point\n", messages);
    }
    sqlite3_finalize(statement);
    return found >= 0;
}

static void list_rows(struct comparison *comparison) {
    for (size_t i = 0; i < comparison->source_count; i++) {
        comparison->row_count += comparison->sources[i].set.case_count;
    }
    comparison->rows = memory_zero(comparison->row_count, sizeof(comparison->rows[0]));
    struct compare_row *row = comparison->rows;
    for (size_t i = 0; i < comparison->source_count; i++) {
        struct compare_source *source = &comparison->sources[i];
        for (size_t c = 0; c < source->set.case_count; c++) {
            const struct result_case *of = &source->set.cases[c];
            bool none = of->point[0] == '\0';
            *row++ = (struct compare_row){.source = source,
                                          .of = of,
                                          .point = none ? memory_duplicate_string("as written")
                                                        : sweep_point_short(of->point)};
            sweep_columns_include(&comparison->sweep, of->point);
        }
    }
}

static bool same_case(const struct compare_row *a, const struct compare_row *b) {
    return same_label(a, b, COMPARE_BY_SCENARIO) && same_label(a, b, COMPARE_BY_VARIANT) &&
           same_label(a, b, COMPARE_BY_POINT);
}

static void find_differences(struct comparison *comparison) {
    for (size_t i = 1; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        for (int by = 0; by < COMPARE_BY_FILE; by++) {
            comparison->differs[by] |= !same_label(&comparison->rows[0], row, (enum compare_by)by);
        }
        for (size_t j = 0; j < i && !comparison->differs[COMPARE_BY_FILE]; j++) {
            comparison->differs[COMPARE_BY_FILE] =
                comparison->rows[j].source != row->source && same_case(&comparison->rows[j], row);
        }
    }
}

static bool choose_by(struct comparison *comparison, const char *name, struct error *error) {
    for (int by = 0; by < COMPARE_BY_COUNT; by++) {
        if (name != NULL ? strcmp(name, compare_by_names[by]) == 0 : comparison->differs[by]) {
            comparison->by = (enum compare_by)by;
            return true;
        }
    }
    if (name != NULL) {
        error_set(error, NULL, 0, 0,
                  "'%s' is nothing to compare by: choose variant, point, scenario or file", name);
    }
    return name == NULL;
}

static bool same_block(const struct comparison *comparison, const struct compare_row *a,
                       const struct compare_row *b) {
    bool same = true;
    for (int by = 0; by < COMPARE_BY_COUNT && same; by++) {
        bool matters = by != (int)comparison->by && comparison->differs[by];
        same = !matters || same_label(a, b, (enum compare_by)by);
    }
    return same;
}

static int by_block(const void *a, const void *b) {
    const struct compare_row *left = a;
    const struct compare_row *right = b;
    if (left->block != right->block) {
        return left->block < right->block ? -1 : 1;
    }
    /* qsort need not be stable; rows of one source lie in its own order. */
    if (left->source != right->source) {
        return left->source < right->source ? -1 : 1;
    }
    return (left->of > right->of) - (left->of < right->of);
}

static void form_blocks(struct comparison *comparison) {
    for (size_t i = 0; i < comparison->row_count; i++) {
        size_t first = 0;
        while (!same_block(comparison, &comparison->rows[first], &comparison->rows[i])) {
            first++;
        }
        comparison->rows[i].block = first;
    }
    qsort(comparison->rows, comparison->row_count, sizeof(comparison->rows[0]), by_block);
}

/* The row of the block that has the baseline's name; the first one without a name; NULL: none. */
static const struct compare_row *find_baseline(const struct comparison *comparison,
                                               const struct compare_row *row, const char *name) {
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *candidate = &comparison->rows[i];
        if (candidate->block == row->block &&
            (name == NULL || strcmp(compare_label(candidate, comparison->by), name) == 0 ||
             strcmp(compare_words(candidate, comparison->by), name) == 0)) {
            return candidate;
        }
    }
    return NULL;
}

/* "base, mig, mps" */
static void list_labels(const struct comparison *comparison, char *list, size_t size) {
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < comparison->row_count && used < size; i++) {
        const struct compare_row *row = &comparison->rows[i];
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++) {
            seen = same_label(&comparison->rows[j], row, comparison->by);
        }
        if (!seen) {
            char *label = text_visible(compare_words(row, comparison->by));
            used += (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", label);
            free(label);
        }
    }
}

static bool choose_baselines(struct comparison *comparison, const char *name, FILE *messages,
                             struct error *error) {
    size_t without = 0;
    for (size_t i = 0; i < comparison->row_count; i++) {
        struct compare_row *row = &comparison->rows[i];
        row->baseline = find_baseline(comparison, row, name);
        without += row->baseline == NULL;
    }
    if (without == comparison->row_count) {
        char labels[600];
        list_labels(comparison, labels, sizeof(labels));
        error_set(error, NULL, 0, 0, "there is no %s '%s' to compare to; there is %s",
                  compare_by_names[comparison->by], name, labels);
        return false;
    }
    if (without > 0) {
        fprintf(messages, "%zu of %zu rows have no %s '%s' to be compared to\n", without,
                comparison->row_count, compare_by_names[comparison->by], name);
    }
    return true;
}

static void report_no_pairs(const struct comparison *comparison, FILE *messages) {
    bool paired = false;
    for (size_t i = 0; i < comparison->row_count && !paired; i++) {
        const struct compare_row *row = &comparison->rows[i];
        paired = row->baseline != NULL && row->baseline != row;
    }
    if (!paired && comparison->row_count > 1) {
        fprintf(messages, "no two rows differ by %s alone, so there are no differences to show\n",
                compare_by_names[comparison->by]);
    }
}

static bool any_failed(const struct comparison *comparison, struct error *error) {
    for (size_t i = 0; i < comparison->source_count; i++) {
        if (result_set_failed(&comparison->sources[i].set, error)) {
            return true;
        }
    }
    return false;
}

static bool prepare(struct comparison *comparison, FILE *messages, const char *const *paths,
                    size_t count, const struct compare_options *options, struct error *error) {
    if (!read_sources(comparison, paths, count, messages, error)) {
        return false;
    }
    list_rows(comparison);
    find_differences(comparison);
    if (!choose_by(comparison, options->by, error)) {
        return false;
    }
    form_blocks(comparison);
    for (size_t i = 0; i < comparison->source_count; i++) {
        if (!report_left_out(&comparison->sources[i], messages, error)) {
            return false;
        }
    }
    if (!choose_baselines(comparison, options->baseline, messages, error)) {
        return false;
    }
    report_no_pairs(comparison, messages);
    compare_judge(comparison);
    return true;
}

bool compare_print(FILE *out, FILE *messages, const char *const *paths, size_t count,
                   const struct compare_options *options, struct error *error) {
    struct comparison comparison = {0};
    bool done = prepare(&comparison, messages, paths, count, options, error);
    if (done) {
        compare_warn(messages, &comparison);
        if (options->format == TABLE_CSV || options->format == TABLE_JSON) {
            compare_print_machines(out, &comparison, options);
        } else {
            compare_print_people(out, &comparison, options);
        }
        done = !any_failed(&comparison, error);
    }
    for (size_t i = 0; i < comparison.source_count; i++) {
        result_set_clear(&comparison.sources[i].set);
        store_close(comparison.sources[i].store);
    }
    for (size_t i = 0; i < comparison.row_count; i++) {
        free(comparison.rows[i].point);
    }
    sweep_columns_clear(&comparison.sweep);
    free(comparison.sources);
    free(comparison.rows);
    return done;
}
