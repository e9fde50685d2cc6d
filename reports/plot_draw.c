/* Runs gnuplot on a script in a folder. No shell is involved, and no text but ours is a file name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reports/plot.h"
#include "sim/kernel/memory.h"

bool plotter_create(struct plotter *plotter, const char *keep_in, enum plot_format format,
                    struct error *error) {
    *plotter = (struct plotter){.keep_in = keep_in, .format = format};
    if (keep_in != NULL && mkdir(keep_in, 0777) != 0 && errno != EEXIST) {
        error_set(error, keep_in, 0, 0, "this folder cannot be made: %s", strerror(errno));
        return false;
    }
    const char *temporary = getenv("TMPDIR");
    if (temporary == NULL || temporary[0] == '\0') {
        temporary = "/tmp";
    }
    snprintf(plotter->folder, sizeof(plotter->folder), "%s/headroom-plots-XXXXXX", temporary);
    if (mkdtemp(plotter->folder) == NULL) {
        error_set(error, temporary, 0, 0, "no folder can be made in it: %s", strerror(errno));
        plotter->folder[0] = '\0';
        return false;
    }
    return true;
}

void plotter_destroy(struct plotter *plotter) {
    if (plotter->folder[0] != '\0') {
        rmdir(plotter->folder);
    }
}

/* FOLDER/NAME.ENDING; free it. */
static char *path_of(const char *folder, const char *name, const char *ending) {
    char *text = NULL;
    if (asprintf(&text, "%s/%s.%s", folder, name, ending) < 0) {
        memory_exhausted(0);
    }
    return text;
}

static bool write_file(const char *path, const char *head, const char *text, struct error *error) {
    FILE *file = fopen(path, "w");
    bool written = file != NULL;
    if (written) {
        fputs(head, file);
        fputs(text, file);
        written = ferror(file) == 0;
        written = fclose(file) == 0 && written;
    }
    if (!written) {
        error_set(error, path, 0, 0, "cannot be written: %s", strerror(errno));
    }
    return written;
}

/* NULL with an error. */
static char *read_file(const char *path, struct error *error) {
    FILE *file = fopen(path, "r");
    struct stat about;
    char *text = NULL;
    if (file != NULL && fstat(fileno(file), &about) == 0) {
        text = memory_zero((size_t)about.st_size + 1, 1);
        size_t length = fread(text, 1, (size_t)about.st_size, file);
        text[length] = '\0';
    } else {
        error_set(error, path, 0, 0, "cannot be read: %s", strerror(errno));
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

enum { NO_GNUPLOT = 127 };

/* In the child: never returns. */
static _Noreturn void become_gnuplot(const char *folder, const char *script, int messages) {
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    if (chdir(folder) == 0) {
        /* -d: no start-up files, so that it draws the same for everybody. */
        execlp("gnuplot", "gnuplot", "-d", script, (char *)NULL);
    }
    _exit(NO_GNUPLOT);
}

/* Its exit status, and the beginning of what it had to say. */
static int run_gnuplot(const char *folder, const char *script, char *said, size_t size) {
    int channel[2];
    said[0] = '\0';
    if (pipe(channel) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        become_gnuplot(folder, script, channel[1]);
    }
    close(channel[1]);
    size_t used = 0;
    ssize_t got = 1;
    while (child > 0 && got > 0) {
        char rest[256];
        bool room = used + 1 < size;
        got = room ? read(channel[0], said + used, size - 1 - used)
                   : read(channel[0], rest, sizeof(rest));
        used += room && got > 0 ? (size_t)got : 0;
    }
    said[used] = '\0';
    close(channel[0]);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What precedes the script of the plot: where to, and how large. */
static void print_head(FILE *out, const struct plot *plot, enum plot_format format, bool kept) {
    fprintf(out,
            "# `gnuplot %s.gp` draws %s.%s from %s.dat.\n"
            "set encoding utf8\n",
            plot->name, plot->name, plot_format_names[format], plot->name);
    if (format == PLOT_PNG) {
        fprintf(out,
                "set terminal pngcairo size %d,%d noenhanced font 'sans,11' fontscale 2 "
                "linewidth 2 dashlength 1\n",
                2 * plot->width, 2 * plot->height);
    } else {
        fprintf(out, "set terminal svg size %d,%d dynamic noenhanced font 'sans,14'%s\n",
                plot->width, plot->height, kept ? " background 'white'" : "");
    }
    fprintf(out,
            "set output '%s.%s'\n"
            "set border 0 lc rgb '#888888'\n"
            "set tics nomirror scale 0\n"
            "set grid lc rgb '#888888' lw 0.5 dt 1\n"
            "%s\n",
            plot->name, plot_format_names[format],
            kept ? "set key below noenhanced samplen 2" : "unset key");
}

static bool draw_in(const char *folder, const struct plot *plot, enum plot_format format, bool kept,
                    struct error *error) {
    char *head = NULL;
    size_t head_size = 0;
    FILE *stream = open_memstream(&head, &head_size);
    if (stream == NULL) {
        memory_exhausted(0);
    }
    print_head(stream, plot, format, kept);
    fclose(stream);
    char *script = path_of(folder, plot->name, "gp");
    char *data = path_of(folder, plot->name, "dat");
    bool done = write_file(script, head, plot->script_text, error) &&
                write_file(data, "", plot->data_text, error);
    if (done) {
        char said[512];
        char name[sizeof(plot->name) + 4];
        snprintf(name, sizeof(name), "%s.gp", plot->name);
        int status = run_gnuplot(folder, name, said, sizeof(said));
        done = status == 0;
        if (status == NO_GNUPLOT) {
            error_set(error, NULL, 0, 0,
                      "the report's plots are drawn by gnuplot, which is not there: install it "
                      "(on Debian: apt-get install gnuplot-nox)");
        } else if (!done) {
            error_set(error, NULL, 0, 0, "gnuplot failed to draw %s: %s", plot->name, said);
        }
    }
    free(head);
    free(script);
    free(data);
    return done;
}

bool plot_draw(const struct plotter *plotter, struct plot *plot, char **svg, struct error *error) {
    fflush(plot->script);
    fflush(plot->data);
    *svg = NULL;
    if (draw_in(plotter->folder, plot, PLOT_SVG, false, error)) {
        char *picture = path_of(plotter->folder, plot->name, "svg");
        *svg = read_file(picture, error);
        free(picture);
    }
    static const char *const endings[] = {"gp", "dat", "svg"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        char *path = path_of(plotter->folder, plot->name, endings[i]);
        unlink(path);
        free(path);
    }
    if (*svg != NULL && plotter->keep_in != NULL &&
        !draw_in(plotter->keep_in, plot, plotter->format, true, error)) {
        free(*svg);
        *svg = NULL;
    }
    return *svg != NULL;
}
