#include <stdlib.h>
#include <string.h>

#include "reports/json.h"
#include "reports/result_set.h"
#include "reports/service_notes.h"
#include "reports/store_internal.h"
#include "reports/summary.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"

/* The version of the object, as documented at summary_json. */
enum { JSON_VERSION = 1 };

/* The member of that name, made if it is not there. Borrowed. */
static json_t *member(json_t *object, const char *name) {
    json_t *found = json_object_get(object, name);
    if (found == NULL) {
        found = json_object();
        json_object_set_new(object, name, found);
    }
    return found;
}

/* Where the figures of a subject are: the run itself, or "pools": {"a100": here}. */
static json_t *place_of(json_t *run, const char *scope, const char *subject) {
    if (strcmp(scope, scope_names[SCOPE_RUN]) == 0) {
        return run;
    }
    char plural[64];
    snprintf(plural, sizeof(plural), "%.60ss", scope);
    char *valid = text_valid(subject);
    json_t *place = member(member(run, plural), valid);
    free(valid);
    return place;
}

static json_t *column_json(sqlite3_stmt *row, int column) {
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
        return json_number_or_null(sqlite3_column_double(row, column));
    case SQLITE_TEXT:
        return json_text(database_text(row, column));
    default:
        return json_null();
    }
}

/* Runs a query about one run and hands each row to add, with the run's object. */
static bool for_each_row(const struct database *database, const char *sql, int64_t run_id,
                         json_t *run, void (*add)(json_t *run, sqlite3_stmt *row),
                         struct error *error) {
    sqlite3_stmt *statement = database_prepare(database, sql, false, error);
    if (statement == NULL) {
        return false;
    }
    sqlite3_bind_int64(statement, 1, run_id);
    int found = 0;
    while ((found = database_next(database, statement, error)) == 1) {
        add(run, statement);
    }
    sqlite3_finalize(statement);
    return found == 0;
}

static void add_columns(json_t *run, sqlite3_stmt *row) {
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        json_set(run, sqlite3_column_name(row, i), column_json(row, i));
    }
}

static void add_metric(json_t *run, sqlite3_stmt *row) {
    json_t *place = place_of(run, database_text(row, 0), database_text(row, 1));
    json_set(member(place, "metrics"), database_text(row, 2),
             json_number_or_null(database_real(row, 3)));
}

static void add_cost(json_t *run, sqlite3_stmt *row) {
    json_t *cost = member(place_of(run, database_text(row, 0), database_text(row, 1)), "cost");
    for (int i = 2; i < sqlite3_column_count(row); i++) {
        json_set(cost, sqlite3_column_name(row, i), json_number_or_null(database_real(row, i)));
    }
}

static void add_gpu_hours(json_t *run, sqlite3_stmt *row) {
    json_t *pool = place_of(run, scope_names[SCOPE_POOL], database_text(row, 0));
    json_set(member(pool, "gpu_hours"), database_text(row, 1),
             json_number_or_null(database_real(row, 2)));
}

static bool add_run(const struct database *database, int64_t run_id, json_t *runs,
                    struct error *error) {
    json_t *run = json_object();
    json_array_append_new(runs, run);
    return for_each_row(database,
                        "SELECT run_id, scenario, variant, point, replication, seed, status, "
                        "currency, sim_seconds, events, wall_seconds, started_at, version, "
                        "scenario_sha256, inputs_sha256 FROM run WHERE run_id = ?1",
                        run_id, run, add_columns, error) &&
           for_each_row(database,
                        "SELECT scope, subject, name, value FROM metric WHERE run_id = ?1 "
                        "ORDER BY rowid",
                        run_id, run, add_metric, error) &&
           for_each_row(
               database,
               "SELECT scope, subject, usd, usd_idle_share, usd_energy, usd_per_month FROM cost "
               "WHERE run_id = ?1 ORDER BY rowid",
               run_id, run, add_cost, error) &&
           for_each_row(database,
                        "SELECT pool, category, gpu_hours FROM gpu_time WHERE run_id = ?1 "
                        "ORDER BY rowid",
                        run_id, run, add_gpu_hours, error);
}

/* The values of one figure of a case, gathered row by row. */
struct gathering {
    json_t *object; /* of the case */
    char *scope;
    char *subject;
    char *name;
    char *unit;
    double *values;
    size_t count;
    size_t capacity;
};

static void end_figure(struct gathering *gathering) {
    if (gathering->count > 0) {
        struct figure figure = figure_of(gathering->values, gathering->count);
        json_t *value = json_object();
        json_set(value, "mean", json_number_or_null(figure.mean));
        json_set(value, "half_width", json_number_or_null(figure.half_width));
        json_set(value, "n", json_integer((json_int_t)figure.count));
        json_set(value, "unit", json_text(gathering->unit));
        json_t *place = place_of(gathering->object, gathering->scope, gathering->subject);
        json_set(member(place, "metrics"), gathering->name, value);
    }
    free(gathering->scope);
    free(gathering->subject);
    free(gathering->name);
    free(gathering->unit);
    gathering->count = 0;
}

static void gather_value(struct gathering *gathering, sqlite3_stmt *row) {
    if (gathering->count == 0 || strcmp(gathering->scope, database_text(row, 0)) != 0 ||
        strcmp(gathering->subject, database_text(row, 1)) != 0 ||
        strcmp(gathering->name, database_text(row, 2)) != 0) {
        end_figure(gathering);
        gathering->scope = memory_duplicate_string(database_text(row, 0));
        gathering->subject = memory_duplicate_string(database_text(row, 1));
        gathering->name = memory_duplicate_string(database_text(row, 2));
        gathering->unit = memory_duplicate_string(database_text(row, 3));
    }
    gathering->values = memory_grow(gathering->values, &gathering->capacity, gathering->count + 1,
                                    sizeof(gathering->values[0]));
    gathering->values[gathering->count++] = database_real(row, 4);
}

static bool add_means(const struct database *database, const struct result_case *of, json_t *object,
                      struct error *error) {
    sqlite3_stmt *statement = database_prepare(
        database,
        "SELECT scope, subject, name, unit, value, "
        "       min(metric.rowid) OVER (PARTITION BY scope, subject, name) AS first "
        "FROM run JOIN metric USING (run_id) "
        "WHERE batch = ?1 AND scenario = ?2 AND variant = ?3 AND point = ?4 "
        "ORDER BY first, replication",
        false, error);
    if (statement == NULL) {
        return false;
    }
    sqlite3_bind_int64(statement, 1, of->batch);
    sqlite3_bind_text(statement, 2, of->scenario, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, of->variant, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, of->point, -1, SQLITE_STATIC);
    struct gathering gathering = {.object = object};
    int found = 0;
    while ((found = database_next(database, statement, error)) == 1) {
        gather_value(&gathering, statement);
    }
    end_figure(&gathering);
    free(gathering.values);
    sqlite3_finalize(statement);
    return found == 0;
}

static bool add_case(const struct database *database, const struct result_case *of, json_t *root,
                     struct error *error) {
    json_t *object = json_object();
    json_array_append_new(json_object_get(root, "summary"), object);
    json_set(object, "scenario", json_text(of->scenario));
    json_set(object, "variant", json_text(of->variant));
    json_set(object, "point", json_text(of->point));
    json_set(object, "replications", json_integer((json_int_t)of->run_count));
    bool read = add_means(database, of, object, error);
    for (size_t i = 0; read && i < of->run_count; i++) {
        read = add_run(database, of->runs[i].run_id, json_object_get(root, "runs"), error);
    }
    return read;
}

static json_t *text_or_null(const char *text) {
    return text != NULL ? json_text(text) : json_null();
}

static void add_options(json_t *root, const struct summary_options *options,
                        struct result_set *set) {
    json_t *verdicts = json_array();
    for (size_t i = 0; i < options->verdict_count; i++) {
        const struct objective_verdict *verdict = &options->verdicts[i];
        json_t *object = json_object();
        json_set(object, "objective", json_text(verdict->text));
        json_set(object, "scenario", text_or_null(verdict->scenario));
        json_set(object, "variant", text_or_null(verdict->variant));
        json_set(object, "point", text_or_null(verdict->point));
        json_set(object, "value", json_number_or_null(verdict->value));
        json_set(object, "half_width", json_number_or_null(verdict->half_width));
        json_set(object, "unit", json_text(verdict->unit));
        json_set(object, "met", json_boolean(verdict->met));
        json_array_append_new(verdicts, object);
    }
    json_set(root, "objectives", verdicts);
    json_t *notes = json_array();
    for (size_t i = 0; i < options->note_count; i++) {
        json_array_append_new(notes, json_text(options->notes[i]));
    }
    size_t own_count = 0;
    char **own = service_notes(set, &own_count);
    for (size_t i = 0; i < own_count; i++) {
        json_array_append_new(notes, json_text(own[i]));
    }
    service_notes_free(own, own_count);
    json_set(root, "notes", notes);
}

json_t *summary_json(struct store *store, int64_t batch, const struct summary_options *options,
                     struct error *error) {
    json_t *root = json_object();
    json_set(root, "headroom", json_integer(JSON_VERSION));
    json_set(root, "format", json_text("run"));
    json_set(root, "database", json_text(store_path(store)));
    json_set(root, "batch", json_integer(batch));
    json_set(root, "runs", json_array());
    json_set(root, "summary", json_array());
    struct result_set set;
    bool read = result_set_read(&set, store, batch, error);
    for (size_t i = 0; read && i < set.case_count; i++) {
        read = add_case(&store->database, &set.cases[i], root, error);
    }
    add_options(root, options, &set);
    read = read && !result_set_failed(&set, error);
    result_set_clear(&set);
    if (!read) {
        json_decref(root);
        return NULL;
    }
    return root;
}
