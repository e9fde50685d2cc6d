#include "reports/store_create.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/store.h"
#include "sim/kernel/memory.h"
#include "sim/kernel/statistics.h"

/* schema.sql, embedded. */
extern const char reports_schema_sql[];

/* As schema.sql sets it. */
enum { APPLICATION_ID = 0x4844524D };
/* Larger pages than SQLite's default hold a run's jobs in fewer writes: merging is a fifth faster.
 */
#define PAGE_SIZE "16384"
enum { LARGEST_DF = 1000 };

/* Whether a file can be made at path. SQLite would not say why it cannot. */
static bool check_folder(const char *path, struct error *error) {
    char *folder = memory_duplicate_string(path);
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        slash[slash == folder ? 1 : 0] = '\0';
    }
    const char *shown = slash != NULL ? folder : ".";
    bool usable = faccessat(AT_FDCWD, shown, W_OK | X_OK, AT_EACCESS) == 0;
    if (!usable && errno == ENOENT) {
        error_set(error, path, 0, 0,
                  "the folder '%s' does not exist; make it first or choose another file", shown);
    } else if (!usable) {
        error_set(error, path, 0, 0,
                  "cannot be made: its folder cannot be written to (%s); choose a file in another "
                  "folder",
                  strerror(errno));
    }
    free(folder);
    return usable;
}

bool store_check_path(const char *path, bool writing, bool *present, bool *filled,
                      struct error *error) {
    *present = false;
    *filled = false;
    if (path[0] == '\0') {
        error_set(error, NULL, 0, 0, "the name of the results database is empty");
        return false;
    }
    struct stat status;
    if (stat(path, &status) != 0) {
        if (errno == ENOENT) {
            return !writing || check_folder(path, error);
        }
        error_set(error, path, 0, 0, "cannot be opened: %s", strerror(errno));
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        error_set(error, path, 0, 0, "is a directory; name a file, such as %s%sheadroom.db", path,
                  path[strlen(path) - 1] == '/' ? "" : "/");
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        error_set(error, path, 0, 0, "is not a regular file, as a database must be");
        return false;
    }
    *present = true;
    *filled = status.st_size > 0;
    return true;
}

bool store_check(const struct database *database, struct error *error) {
    int64_t application = 0;
    int64_t version = 0;
    if (!database_integer(database, "PRAGMA application_id", &application, error) ||
        !database_integer(database, "PRAGMA user_version", &version, error)) {
        return false;
    }
    if (application != APPLICATION_ID || version < 1) {
        error_set(error, database->path, 0, 0,
                  "is a SQLite database, but none of headroom's; choose another file");
        return false;
    }
    if (version != STORE_VERSION) {
        bool newer = version > STORE_VERSION;
        error_set(
            error, database->path, 0, 0,
            "was written by %s headroom (database version %d, this one knows %d); %s or choose "
            "another file",
            newer ? "a newer" : "an older", (int)version, STORE_VERSION,
            newer ? "update headroom" : "move it away");
        return false;
    }
    return true;
}

static bool fill_student_t(const struct database *database, struct error *error) {
    sqlite3_stmt *statement = database_prepare(
        database, "INSERT INTO student_t (df, t975) VALUES (?1, ?2)", false, error);
    if (statement == NULL) {
        return false;
    }
    bool filled = true;
    for (int df = 1; filled && df <= LARGEST_DF; df++) {
        sqlite3_bind_int(statement, 1, df);
        sqlite3_bind_double(statement, 2, statistics_student(df, 0.95));
        filled = database_step(database, statement, error);
    }
    sqlite3_finalize(statement);
    return filled;
}

/* Nothing in it yet, not even another program's mark. */
static bool is_blank(const struct database *database, bool *blank, struct error *error) {
    int64_t objects = 0;
    int64_t application = 0;
    if (!database_integer(database, "SELECT count(*) FROM sqlite_schema", &objects, error) ||
        !database_integer(database, "PRAGMA application_id", &application, error)) {
        return false;
    }
    *blank = objects == 0 && application == 0;
    return true;
}

bool store_create_or_check(const struct database *database, struct error *error) {
    bool blank = false;
    if (!is_blank(database, &blank, error)) {
        return false;
    }
    if (!blank) {
        return store_check(database, error);
    }
    if (!database_execute(database, "PRAGMA page_size = " PAGE_SIZE "; BEGIN IMMEDIATE", error)) {
        return false;
    }
    /* Another process may have made it since we looked. */
    bool made = is_blank(database, &blank, error);
    if (made && blank) {
        made = database_execute(database, reports_schema_sql, error) &&
               fill_student_t(database, error);
    }
    made = made && database_execute(database, "COMMIT", error);
    if (!made) {
        sqlite3_exec(database->connection, "ROLLBACK", NULL, NULL, NULL);
    }
    return made && store_check(database, error);
}
