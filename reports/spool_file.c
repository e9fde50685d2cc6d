#include "reports/spool_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/kernel/memory.h"

/* The start of the hidden names in `beside`'s folder, as a path; *name is where its last part
 * begins. Long names are cut, for the suffix must fit into a file name too. */
static char *hidden_prefix(const char *beside, const char **name) {
    const char *slash = strrchr(beside, '/');
    int folder = (int)(slash + 1 - beside);
    char *prefix = NULL;
    if (asprintf(&prefix, "%.*s.%.200s.spool-", folder, beside, slash + 1) < 0) {
        memory_exhausted(0);
    }
    *name = prefix + folder;
    return prefix;
}

/* A sweep may find a file between its creation and its lock, and delete it: then it is not ours. */
static bool lock_new_file(int descriptor) {
    struct stat status;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return false;
    }
    return fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

bool spool_file_create(struct spool_file *file, const char *beside, const char *shown,
                       struct error *error) {
    const char *name = NULL;
    char *prefix = hidden_prefix(beside, &name);
    for (;;) {
        if (asprintf(&file->path, "%sXXXXXX", prefix) < 0) {
            memory_exhausted(0);
        }
        file->lock = mkostemp(file->path, O_CLOEXEC);
        if (file->lock < 0) {
            error_set(error, shown, 0, 0, "cannot write a temporary file beside it: %s",
                      strerror(errno));
            free(file->path);
            file->path = NULL;
            break;
        }
        if (lock_new_file(file->lock)) {
            break;
        }
        close(file->lock);
        free(file->path);
    }
    free(prefix);
    return file->path != NULL;
}

void spool_file_remove(struct spool_file *file) {
    if (file->path != NULL) {
        unlink(file->path);
        close(file->lock);
        free(file->path);
        file->path = NULL;
    }
}

static void remove_if_unused(const char *path) {
    int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) {
        return;
    }
    struct stat status;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &status) == 0 &&
        S_ISREG(status.st_mode)) {
        unlink(path);
    }
    close(descriptor);
}

void spool_file_sweep(const char *beside) {
    const char *name = NULL;
    char *prefix = hidden_prefix(beside, &name);
    size_t length = strlen(name);
    char *folder = memory_duplicate_string(beside);
    strrchr(folder, '/')[1] = '\0';
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, name, length) == 0 &&
            strlen(entry->d_name) == length + strlen("XXXXXX")) {
            char *path = NULL;
            if (asprintf(&path, "%s%s", folder, entry->d_name) < 0) {
                memory_exhausted(0);
            }
            remove_if_unused(path);
            free(path);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    free(folder);
    free(prefix);
}
