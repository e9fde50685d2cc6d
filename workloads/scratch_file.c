#include "workloads/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER = 1 << 18 };

static const char *folder(void) {
    const char *named = secure_getenv("TMPDIR");
    return named != NULL && named[0] != '\0' ? named : "/tmp";
}

static bool fail(struct error *error) {
    error_set(error, NULL, 0, 0,
              "cannot keep the trace in a temporary file in %s: %s (TMPDIR names another folder)",
              folder(), strerror(errno));
    return false;
}

static bool open_file(struct scratch_file *scratch) {
    char name[4096];
    int length = snprintf(name, sizeof(name), "%s/headroom-XXXXXX", folder());
    if (length < 0 || length >= (int)sizeof(name)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int descriptor = mkostemp(name, O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    unlink(name);
    scratch->file = fdopen(descriptor, "w+");
    if (scratch->file == NULL) {
        close(descriptor);
        return false;
    }
    setvbuf(scratch->file, NULL, _IOFBF, BUFFER);
    return true;
}

bool scratch_file_write(struct scratch_file *scratch, const void *bytes, size_t size,
                        struct error *error) {
    if (scratch->file == NULL && !open_file(scratch)) {
        return fail(error);
    }
    if (fwrite_unlocked(bytes, 1, size, scratch->file) != size) {
        return fail(error);
    }
    scratch->size += size;
    return true;
}

bool scratch_file_map(struct scratch_file *scratch, struct error *error) {
    if (scratch->size == 0) {
        return true;
    }
    if (fflush(scratch->file) != 0) {
        return fail(error);
    }
    void *map = mmap(NULL, scratch->size, PROT_READ, MAP_SHARED, fileno(scratch->file), 0);
    if (map == MAP_FAILED) {
        return fail(error);
    }
    /* The mapping keeps the file alive. */
    fclose(scratch->file);
    scratch->file = NULL;
    scratch->map = map;
    return true;
}

void scratch_file_clear(struct scratch_file *scratch) {
    if (scratch->map != NULL) {
        munmap(scratch->map, scratch->size);
    }
    if (scratch->file != NULL) {
        fclose(scratch->file);
    }
    *scratch = (struct scratch_file){0};
}
