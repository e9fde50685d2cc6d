/* SQLite for this room: statements that report their errors for people, with the file and what to
 * do about it. */
#ifndef REPORTS_DATABASE_H
#define REPORTS_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/error.h"

/* A connection and the file it speaks to, for messages. */
struct database {
    sqlite3 *connection; /* NULL: closed */
    char *path;          /* as the user gave it; owned */
};

/* Opens path with flags of sqlite3_open_v2; a name that SQLite would take for something else
 * (":memory:", "file:...") is a file here too. False with an error. */
bool database_open(struct database *database, const char *path, int flags, struct error *error);
/* Open statements must be finalized. Safe to call twice. */
void database_close(struct database *database);

/* Fills in *error from the connection's last failure. */
void database_error(const struct database *database, struct error *error);

/* Runs statements that take no parameters. */
bool database_execute(const struct database *database, const char *sql, struct error *error);
/* A statement, or NULL with an error. persistent: it will be used many times. */
sqlite3_stmt *database_prepare(const struct database *database, const char *sql, bool persistent,
                               struct error *error);
/* Steps a statement that returns no rows and makes it ready for the next use. */
bool database_step(const struct database *database, sqlite3_stmt *statement, struct error *error);
/* Steps to the next row: 1 a row, 0 no more (or the error is filled in: -1). */
int database_next(const struct database *database, sqlite3_stmt *statement, struct error *error);
/* The first column of the first row of a query; 0 if there is no row. */
bool database_integer(const struct database *database, const char *sql, int64_t *value,
                      struct error *error);

/* A column's text, "" for NULL; valid until the next step. */
const char *database_text(sqlite3_stmt *statement, int column);
/* A column's number, NaN for NULL. */
double database_real(sqlite3_stmt *statement, int column);

#endif
