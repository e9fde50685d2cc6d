#include "reports/database.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

bool database_open(struct database *database, const char *path, int flags, struct error *error) {
    *database = (struct database){.path = memory_duplicate_string(path)};
    /* Only a path that names its folder is never a URI or a special name to SQLite. */
    char *plain = NULL;
    if (path[0] != '/') {
        size_t size = strlen(path) + sizeof("./");
        plain = memory_allocate(size);
        memcpy(plain, "./", 2);
        memcpy(plain + 2, path, size - 2);
    }
    int code = sqlite3_open_v2(plain != NULL ? plain : path, &database->connection, flags, NULL);
    free(plain);
    if (database->connection == NULL) {
        memory_exhausted(0);
    }
    if (code != SQLITE_OK) {
        database_error(database, error);
        database_close(database);
        return false;
    }
    sqlite3_extended_result_codes(database->connection, 1);
    return true;
}

void database_close(struct database *database) {
    sqlite3_close(database->connection);
    free(database->path);
    *database = (struct database){0};
}

/* What to say for the failures that users can do something about; NULL for the others. */
static const char *advice_for(int code, int system_error) {
    if ((code & 0xFF) == SQLITE_FULL || system_error == ENOSPC || system_error == EDQUOT) {
        return "no space left on the disk; free some or choose a file on another disk (runs that "
               "were finished before are kept)";
    }
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "is locked by another process; close it there (sqlite3, a notebook, another "
               "headroom) or choose another file";
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "cannot be written: the file or its folder is read-only; change its permissions or "
               "choose another file";
    case SQLITE_NOTADB:
        return "is not a SQLite database; choose another file or move this one away";
    case SQLITE_CORRUPT:
        return "is damaged; move it away, and rescue what can be read with `sqlite3 FILE .recover`";
    default:
        return NULL;
    }
}

void database_error(const struct database *database, struct error *error) {
    sqlite3 *connection = database->connection;
    int code = sqlite3_extended_errcode(connection);
    if ((code & 0xFF) == SQLITE_NOMEM) {
        memory_exhausted(0);
    }
    bool by_system = (code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN;
    int system_error = by_system ? sqlite3_system_errno(connection) : 0;
    const char *advice = advice_for(code, system_error);
    if (advice != NULL) {
        error_set(error, database->path, 0, 0, "%s", advice);
    } else if (system_error != 0) {
        error_set(error, database->path, 0, 0, "%s: %s", sqlite3_errmsg(connection),
                  strerror(system_error));
    } else {
        error_set(error, database->path, 0, 0, "SQLite says: %s", sqlite3_errmsg(connection));
    }
}

bool database_execute(const struct database *database, const char *sql, struct error *error) {
    if (sqlite3_exec(database->connection, sql, NULL, NULL, NULL) != SQLITE_OK) {
        database_error(database, error);
        return false;
    }
    return true;
}

sqlite3_stmt *database_prepare(const struct database *database, const char *sql, bool persistent,
                               struct error *error) {
    sqlite3_stmt *statement = NULL;
    unsigned flags = persistent ? SQLITE_PREPARE_PERSISTENT : 0;
    if (sqlite3_prepare_v3(database->connection, sql, -1, flags, &statement, NULL) != SQLITE_OK) {
        database_error(database, error);
        return NULL;
    }
    return statement;
}

bool database_step(const struct database *database, sqlite3_stmt *statement, struct error *error) {
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    if (!done) {
        database_error(database, error);
    }
    sqlite3_reset(statement);
    return done;
}

int database_next(const struct database *database, sqlite3_stmt *statement, struct error *error) {
    switch (sqlite3_step(statement)) {
    case SQLITE_ROW:
        return 1;
    case SQLITE_DONE:
        return 0;
    default:
        database_error(database, error);
        return -1;
    }
}

bool database_integer(const struct database *database, const char *sql, int64_t *value,
                      struct error *error) {
    *value = 0;
    sqlite3_stmt *statement = database_prepare(database, sql, false, error);
    if (statement == NULL) {
        return false;
    }
    int found = database_next(database, statement, error);
    if (found == 1) {
        *value = sqlite3_column_int64(statement, 0);
        /* To the end, so that a statement that changes something is complete. */
        found = database_next(database, statement, error);
    }
    sqlite3_finalize(statement);
    return found == 0;
}

const char *database_text(sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text != NULL ? text : "";
}

double database_real(sqlite3_stmt *statement, int column) {
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(statement, column);
}
