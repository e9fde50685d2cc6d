#include "workloads/stored_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sha256.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "scenarios/input_file.h"
#include "sim/kernel/memory.h"

/* zlib's gzFile would read and unpack as well, but shows only the unpacked bytes: hashing the
 * stored ones would need a second pass, which a pipe does not allow. */
enum { STORED_BUFFER = 1 << 16 };

struct stored_file {
    const char *path;
    const struct place *place;
    int descriptor;
    SHA256_CTX hash;
    bool started; /* the first bytes were seen */
    bool packed;  /* they were gzip's */
    bool inside;  /* in the middle of a gzip member; a file may have several, one after the other */
    z_stream unpacker;
    unsigned char stored[STORED_BUFFER];
    size_t stored_at, stored_end;
};

static bool fail(const struct stored_file *file, struct error *error, const char *why) {
    error_set(error, file->place->file, file->place->line, file->place->column,
              "cannot read the trace '%s': %s", file->path, why);
    return false;
}

struct stored_file *stored_file_open(const char *path, const struct place *place,
                                     struct error *error) {
    struct stored_file *file = memory_zero(1, sizeof(*file));
    file->path = path;
    file->place = place;
    file->descriptor =
        strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const char *refusal = file->descriptor < 0               ? strerror(errno)
                          : file->descriptor == STDIN_FILENO ? NULL
                                                             : input_file_refusal(file->descriptor);
    if (refusal != NULL) {
        fail(file, error, refusal);
        if (file->descriptor >= 0) {
            close(file->descriptor);
        }
        free(file);
        return NULL;
    }
    SHA256Init(&file->hash);
    return file;
}

void stored_file_close(struct stored_file *file) {
    if (file == NULL) {
        return;
    }
    if (file->packed) {
        inflateEnd(&file->unpacker);
    }
    if (file->descriptor != STDIN_FILENO) {
        close(file->descriptor);
    }
    free(file);
}

/* The next stored bytes, as many as come at once; *got is 0 only at the end. */
static bool read_stored(struct stored_file *file, void *buffer, size_t size, size_t *got,
                        struct error *error) {
    ssize_t count;
    do {
        count = read(file->descriptor, buffer, size);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        return fail(file, error, strerror(errno));
    }
    SHA256Update(&file->hash, buffer, (size_t)count);
    *got = (size_t)count;
    return true;
}

static bool refill(struct stored_file *file, struct error *error) {
    file->stored_at = 0;
    return read_stored(file, file->stored, sizeof(file->stored), &file->stored_end, error);
}

static bool start(struct stored_file *file, struct error *error) {
    /* A pipe may bring a single byte at first. */
    while (file->stored_end < 2) {
        size_t got = 0;
        if (!read_stored(file, file->stored + file->stored_end,
                         sizeof(file->stored) - file->stored_end, &got, error)) {
            return false;
        }
        if (got == 0) {
            break;
        }
        file->stored_end += got;
    }
    file->started = true;
    if (file->stored_end < 2 || file->stored[0] != 0x1f || file->stored[1] != 0x8b) {
        return true;
    }
    if (inflateInit2(&file->unpacker, 15 + 16) != Z_OK) { /* 15: largest window; 16: gzip */
        memory_exhausted(0);
    }
    file->packed = true;
    return true;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Some bytes of a plain file: what start() looked at, then straight from the file. */
static bool read_plain(struct stored_file *file, char *buffer, size_t size, size_t *got,
                       struct error *error) {
    size_t left = file->stored_end - file->stored_at;
    if (left == 0) {
        return read_stored(file, buffer, size, got, error);
    }
    *got = smaller(left, size);
    memcpy(buffer, file->stored + file->stored_at, *got);
    file->stored_at += *got;
    return true;
}

/* Some bytes of a gzipped file. */
static bool read_packed(struct stored_file *file, char *buffer, size_t size, size_t *got,
                        struct error *error) {
    z_stream *unpacker = &file->unpacker;
    *got = 0;
    while (*got == 0) {
        if (file->stored_at == file->stored_end && !refill(file, error)) {
            return false;
        }
        if (file->stored_at == file->stored_end) {
            return !file->inside || fail(file, error, "its compressed data end too early");
        }
        file->inside = true;
        size_t room = smaller(size, STORED_BUFFER);
        unpacker->next_in = file->stored + file->stored_at;
        unpacker->avail_in = (uInt)(file->stored_end - file->stored_at);
        unpacker->next_out = (unsigned char *)buffer;
        unpacker->avail_out = (uInt)room;
        int status = inflate(unpacker, Z_NO_FLUSH);
        file->stored_at = file->stored_end - unpacker->avail_in;
        *got = room - unpacker->avail_out;
        if (status == Z_MEM_ERROR) {
            memory_exhausted(0);
        } else if (status == Z_STREAM_END) {
            file->inside = false;
            inflateReset(unpacker);
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            return fail(file, error, "its compressed data are damaged");
        }
    }
    return true;
}

bool stored_file_read(struct stored_file *file, char *buffer, size_t size, size_t *got,
                      struct error *error) {
    *got = 0;
    if (!file->started && !start(file, error)) {
        return false;
    }
    while (*got < size) {
        size_t more = 0;
        bool read = file->packed ? read_packed(file, buffer + *got, size - *got, &more, error)
                                 : read_plain(file, buffer + *got, size - *got, &more, error);
        if (!read) {
            return false;
        }
        if (more == 0) {
            break;
        }
        *got += more;
    }
    return true;
}

void stored_file_digest(struct stored_file *file, char digest[STORED_FILE_DIGEST]) {
    SHA256End(&file->hash, digest);
}
