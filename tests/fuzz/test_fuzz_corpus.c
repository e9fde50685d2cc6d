/* Thousands of damaged scenarios, always the same ones: whatever the bytes, the reader neither
 * crashes nor refuses without saying where. */
#include "tests/fuzz/scenario_input.h"

enum { ROUNDS = 3000, LARGEST = 1 << 14 };

static const char *const seeds[] = {"full.yaml", "small.json", "slips.yaml"};
enum { SEEDS = sizeof(seeds) / sizeof(seeds[0]) };

struct input {
    char bytes[LARGEST];
    size_t length;
};

static void load(const char *name, struct input *input) {
    char path[1024];
    snprintf(path, sizeof(path), "%s/fuzz/seeds/%s", TEST_SOURCE_DIR, name);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    input->length = fread(input->bytes, 1, sizeof(input->bytes), stream);
    fclose(stream);
    assert_true(input->length > 0 && input->length < sizeof(input->bytes));
}

static size_t position(struct test_random *random, const struct input *input) {
    return input->length > 0 ? (size_t)test_random_below(random, (int32_t)input->length) : 0;
}

static void flip_bits(struct test_random *random, struct input *input) {
    for (int i = test_random_between(random, 1, 4); i > 0 && input->length > 0; i--) {
        input->bytes[position(random, input)] ^= (char)(1 << test_random_below(random, 8));
    }
}

static void truncate_it(struct test_random *random, struct input *input) {
    input->length = position(random, input);
}

static void cut_out(struct test_random *random, struct input *input) {
    size_t from = position(random, input);
    size_t rest = input->length - from;
    size_t count = rest > 0 ? (size_t)test_random_below(random, (int32_t)rest) % 40 : 0;
    memmove(input->bytes + from, input->bytes + from + count, rest - count);
    input->length -= count;
}

static void insert(struct input *input, size_t at, const char *bytes, size_t count) {
    if (input->length + count < sizeof(input->bytes)) {
        memmove(input->bytes + at + count, input->bytes + at, input->length - at);
        memcpy(input->bytes + at, bytes, count);
        input->length += count;
    }
}

/* What the language is made of, and what it leaves out. */
static void insert_token(struct test_random *random, struct input *input) {
    static const char *const tokens[] = {
        ":",    ": ",           ",",     "{",   "}",   "[",    "]",    "\"",  "'",   "\n", "\n  ",
        "\t",   "- ",           "#",     "&a ", "*a",  "!x ",  "%",    "@",   "|",   ">",  "~",
        "null", "---\n",        "...",   "-1s", "1e9", "0",    "1e99", "nan", "0x1", "é",  "\xFF",
        "\r\n", "\xEF\xBB\xBF", "30",    "30s", "60%", "12/h", "4GB",  "a.b", "<=",  "? ", "<<: ",
        "\\",   "{a:1}",        "[[[[[["};
    const char *token = tokens[test_random_below(random, sizeof(tokens) / sizeof(tokens[0]))];
    insert(input, position(random, input), token, strlen(token));
}

/* A stretch of the text is repeated elsewhere. */
static void move_text(struct test_random *random, struct input *input) {
    char piece[64];
    size_t from = position(random, input);
    size_t count = input->length - from;
    count = count > sizeof(piece) ? sizeof(piece) : count;
    memcpy(piece, input->bytes + from, count);
    insert(input, position(random, input), piece, count);
}

static size_t find_colon(struct test_random *random, const struct input *input) {
    size_t at = position(random, input);
    while (at < input->length && input->bytes[at] != ':') {
        at++;
    }
    return at;
}

/* A value goes to another key. */
static void swap_values(struct test_random *random, struct input *input) {
    char piece[64];
    size_t target = find_colon(random, input);
    size_t source = find_colon(random, input);
    size_t count = 0;
    while (source + count < input->length && count < sizeof(piece) &&
           memchr(",}]\n", input->bytes[source + count], 4) == NULL) {
        piece[count] = input->bytes[source + count];
        count++;
    }
    insert(input, target, piece, count);
}

/* Another number, which mostly leaves a scenario that can be read. */
static void change_digit(struct test_random *random, struct input *input) {
    size_t at = position(random, input);
    while (at < input->length && (input->bytes[at] < '0' || input->bytes[at] > '9')) {
        at++;
    }
    if (at < input->length) {
        input->bytes[at] = (char)('0' + test_random_below(random, 10));
    }
}

static void damage(struct test_random *random, struct input *input) {
    static void (*const ways[])(struct test_random * random, struct input * input) = {
        flip_bits,   truncate_it,  cut_out,      insert_token, move_text,
        swap_values, change_digit, change_digit, change_digit, insert_token};
    for (int i = test_random_between(random, 1, 3); i > 0; i--) {
        ways[test_random_below(random, sizeof(ways) / sizeof(ways[0]))](random, input);
    }
}

static int setup(void **state) {
    *state = catalogue_create();
    return 0;
}

static int teardown(void **state) {
    catalogue_destroy(*state);
    return 0;
}

static void test_seeds_are_what_they_should_be(void **state) {
    struct reader_context context = fixture_context(*state);
    for (size_t i = 0; i < SEEDS; i++) {
        struct input input;
        bool accepted;
        load(seeds[i], &input);
        assert_null(scenario_input_try(&context, input.bytes, input.length, &accepted));
        assert_int_equal(accepted, strcmp(seeds[i], "slips.yaml") != 0);
    }
}

static void test_damaged_scenarios(void **state) {
    struct reader_context context = fixture_context(*state);
    size_t accepted_count = 0;
    for (size_t i = 0; i < SEEDS; i++) {
        struct input seed;
        load(seeds[i], &seed);
        for (uint64_t round = 0; round < ROUNDS; round++) {
            struct test_random random = {.state = round * SEEDS + i};
            struct input input = seed;
            bool accepted;
            damage(&random, &input);
            const char *complaint =
                scenario_input_try(&context, input.bytes, input.length, &accepted);
            if (complaint != NULL) {
                fail_msg("%s, round %d: %s:\n%.*s", seeds[i], (int)round, complaint,
                         (int)input.length, input.bytes);
            }
            accepted_count += accepted;
        }
    }
    /* Some damage is harmless: the test would be blind if all were refused at once. */
    assert_true(accepted_count > 100);
}

/* Every prefix of the seeds. */
static void test_truncated_scenarios(void **state) {
    struct reader_context context = fixture_context(*state);
    for (size_t i = 0; i < SEEDS; i++) {
        struct input input;
        load(seeds[i], &input);
        for (size_t length = 0; length < input.length; length++) {
            bool accepted;
            assert_null(scenario_input_try(&context, input.bytes, length, &accepted));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds_are_what_they_should_be),
        cmocka_unit_test(test_damaged_scenarios),
        cmocka_unit_test(test_truncated_scenarios),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
