/* Files that the binary carries, by name (see embed_files in embed.cmake). */
#ifndef CMAKE_EMBEDDED_FILE_H
#define CMAKE_EMBEDDED_FILE_H

struct embedded_file {
    const char *name; /* NULL ends a table */
    const char *path; /* in the source tree */
    const char *text; /* zero-terminated */
};

#endif
