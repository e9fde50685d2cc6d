#include "scenarios/input_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/kernel/memory.h"

const char *input_file_refusal(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return strerror(errno);
    }
    if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) {
        return NULL;
    }
    if (S_ISDIR(status.st_mode)) {
        return strerror(EISDIR);
    }
    return S_ISSOCK(status.st_mode) ? "it is a socket" : "it is a device";
}

bool input_file_read(FILE *stream, size_t most, char **text, size_t *length) {
    enum { PIECE = 1 << 16 };
    size_t capacity = 0;
    size_t got = 1;
    *text = NULL;
    *length = 0;
    while (got > 0 && *length <= most) {
        *text = memory_grow(*text, &capacity, *length + PIECE + 1, 1);
        got = fread(*text + *length, 1, PIECE, stream);
        *length += got;
    }
    (*text)[*length] = '\0';
    return !ferror(stream);
}
