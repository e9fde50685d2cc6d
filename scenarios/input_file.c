#include "scenarios/input_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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
