/* Stored bytes are unpacked on the way and hashed as they lie on the disk; what cannot be read says
 * why at the place that named it. */
#include <fcntl.h>
#include <pthread.h>
#include <sha256.h>
#include <sys/stat.h>
#include <zlib.h>

#include "tests/workloads/trace_fixture.h"
#include "workloads/stored_file.h"

static const struct place place = {.file = "scenario.yaml", .line = 3, .column = 9};

/* All of a file, and its digest; a failure leaves its text in `shown` instead. */
static void slurp(const char *path, char *shown, size_t room, char digest[STORED_FILE_DIGEST]) {
    struct error error = {.message = ""};
    struct stored_file *file = stored_file_open(path, &place, &error);
    size_t got = 0;
    if (file == NULL || !stored_file_read(file, shown, room - 1, &got, &error)) {
        error_format(&error, shown, room);
    } else {
        shown[got] = '\0';
        stored_file_digest(file, digest);
    }
    stored_file_close(file);
}

static void pack(const char *name, const char *mode, const char *text) {
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s/%s", fixture_folder, name);
    gzFile file = gzopen(path, mode);
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)strlen(text)), (int)strlen(text));
    assert_int_equal(gzclose(file), Z_OK);
}

static const char *in_folder(const char *name) {
    static char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s/%s", fixture_folder, name);
    return path;
}

/* The digests of "abc" and "" are the examples of FIPS 180-2. */
static void hashes_plain_files(void **state) {
    (void)state;
    char shown[1000];
    char digest[STORED_FILE_DIGEST];
    slurp(write_file("plain", "abc", 3), shown, sizeof(shown), digest);
    assert_string_equal(shown, "abc");
    assert_string_equal(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    slurp(write_file("empty", "", 0), shown, sizeof(shown), digest);
    assert_string_equal(shown, "");
    assert_string_equal(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void hashes_packed_files_as_stored(void **state) {
    (void)state;
    char shown[1000];
    char digest[STORED_FILE_DIGEST];
    char expected[STORED_FILE_DIGEST];
    pack("packed", "wb", "abc");
    slurp(in_folder("packed"), shown, sizeof(shown), digest);
    assert_string_equal(shown, "abc");
    assert_non_null(SHA256File(in_folder("packed"), expected));
    assert_string_equal(digest, expected);
}

/* As pigz, bgzip and `cat a.gz b.gz` make them. */
static void joins_gzip_members(void **state) {
    (void)state;
    char shown[1000];
    char digest[STORED_FILE_DIGEST];
    pack("members", "wb", "abc");
    pack("members", "ab", "");
    pack("members", "ab", "def");
    slurp(in_folder("members"), shown, sizeof(shown), digest);
    assert_string_equal(shown, "abcdef");
}

/* Larger than every buffer on the way, packed (noise does not shrink much) and plain. */
static void reads_large_files(void **state) {
    (void)state;
    const size_t size = 1000001;
    char *text = memory_allocate(size + 1);
    uint64_t noise = 1;
    for (size_t i = 0; i < size; i++) {
        noise = noise * UINT64_C(6364136223846793005) + 1442695040888963407;
        text[i] = (char)('0' + (noise >> 58));
    }
    text[size] = '\0';
    char *shown = memory_allocate(size + 100);
    char digest[STORED_FILE_DIGEST];
    pack("large.gz", "wb", text);
    slurp(in_folder("large.gz"), shown, size + 100, digest);
    assert_string_equal(shown, text);
    slurp(write_file("large", text, size), shown, size + 100, digest);
    assert_string_equal(shown, text);
    free(text);
    free(shown);
}

static void expect(const char *path, const char *expected) {
    char shown[1000];
    char digest[STORED_FILE_DIGEST];
    char with_path[1000];
    slurp(path, shown, sizeof(shown), digest);
    snprintf(with_path, sizeof(with_path), "scenario.yaml:3:9: cannot read the trace '%s': %s",
             path, expected);
    assert_string_equal(shown, with_path);
}

static void says_why_it_cannot_read(void **state) {
    (void)state;
    expect("/nonexistent/trace.csv", "No such file or directory");
    expect(fixture_folder, "Is a directory");
    char packed[1000];
    pack("whole", "wb", "job_id,submit_s,gpus,duration_s\n1,0,1,10\n2,1,1,20\n");
    FILE *file = fopen(in_folder("whole"), "rb");
    size_t size = fread(packed, 1, sizeof(packed), file);
    fclose(file);
    expect(write_file("cut", packed, size - 9), "its compressed data end too early");
    packed[size - 6] ^= 1; /* in the checksum */
    expect(write_file("damaged", packed, size), "its compressed data are damaged");
    if (geteuid() != 0) {
        const char *secret = write_file("secret", "abc", 3);
        chmod(secret, 0);
        expect(secret, "Permission denied");
    }
}

static void *write_slowly(void *path) {
    int pipe = open(path, O_WRONLY);
    const char *parts[] = {"a", "b", "cde"};
    for (size_t i = 0; i < 3; i++) {
        if (write(pipe, parts[i], strlen(parts[i])) < 0) {
            break;
        }
        usleep(2000);
    }
    close(pipe);
    return NULL;
}

static void reads_pipes(void **state) {
    (void)state;
    char shown[1000];
    char digest[STORED_FILE_DIGEST];
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s/pipe", fixture_folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    pthread_t writer;
    pthread_create(&writer, NULL, write_slowly, path);
    slurp(path, shown, sizeof(shown), digest);
    pthread_join(writer, NULL);
    assert_string_equal(shown, "abcde");
}

static void dash_is_stdin(void **state) {
    (void)state;
    char shown[1000];
    char digest[STORED_FILE_DIGEST];
    int saved = dup(STDIN_FILENO);
    int input = open(write_file("input", "from stdin", 10), O_RDONLY);
    assert_int_equal(dup2(input, STDIN_FILENO), STDIN_FILENO);
    close(input);
    slurp("-", shown, sizeof(shown), digest);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    assert_string_equal(shown, "from stdin");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_plain_files),      cmocka_unit_test(hashes_packed_files_as_stored),
        cmocka_unit_test(joins_gzip_members),      cmocka_unit_test(reads_large_files),
        cmocka_unit_test(says_why_it_cannot_read), cmocka_unit_test(reads_pipes),
        cmocka_unit_test(dash_is_stdin),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
