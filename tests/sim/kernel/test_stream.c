/* The generator against its published output, its seeding, and its use by GSL. */
#include <gsl/gsl_randist.h>
#include <string.h>

#include "sim/kernel/stream.h"
#include "tests/sim/kernel/goodness.h"

/* The first outputs of the authors' reference code (prng.di.unimi.it/xoshiro256starstar.c) from
 * state {1, 2, 3, 4}. By hand, the first: rotl(2 x 5, 7) x 9 = 1280 x 9; the second: s[1] has
 * become 0; the third: s[1] is then 2^18 + 1 xor 1, and rotl(2^18 x 5, 7) x 9 = 2^25 x 45. */
static void reference_outputs(void **state) {
    (void)state;
    const uint64_t expected[] = {11520,
                                 0,
                                 1509978240,
                                 UINT64_C(1215971899390074240),
                                 UINT64_C(1216172134540287360),
                                 UINT64_C(607988272756665600),
                                 UINT64_C(16172922978634559625),
                                 UINT64_C(8476171486693032832)};
    struct stream stream = {.state = {1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_true(stream_next(&stream) == expected[i]);
    }
}

/* GSL's seed is the state of splitmix64, whose published first outputs from 1234567 these are. */
static void gsl_seeds_by_splitmix(void **state) {
    (void)state;
    const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                 UINT64_C(9817491932198370423), UINT64_C(4593380528125082431)};
    gsl_rng *generator = gsl_rng_alloc(stream_gsl_type);
    gsl_rng_set(generator, 1234567);
    assert_int_equal(gsl_rng_size(generator), sizeof(expected));
    assert_memory_equal(gsl_rng_state(generator), expected, sizeof(expected));
    gsl_rng_free(generator);
}

/* What GSL draws and what the inline functions draw is one sequence. */
static void gsl_and_inline_draws_share_the_state(void **state) {
    (void)state;
    struct stream stream;
    struct stream twin;
    stream_initialize(&stream, 1, 0, "twin");
    stream_initialize(&twin, 1, 0, "twin");
    for (int i = 0; i < 1000; i++) {
        assert_true(gsl_rng_get(&stream.gsl) == stream_next(&twin));
        assert_true(gsl_rng_uniform(&stream.gsl) == stream_uniform(&twin));
        assert_true(stream_next(&stream) == stream_next(&twin));
    }
    assert_string_equal(gsl_rng_name(&stream.gsl), "xoshiro256**");
}

static void each_of_seed_replication_and_purpose_matters(void **state) {
    (void)state;
    const struct {
        uint64_t seed;
        uint64_t replication;
        const char *purpose;
    } origins[] = {{1, 0, "arrivals"}, {2, 0, "arrivals"},  {1, 1, "arrivals"}, {0, 1, "arrivals"},
                   {0, 0, "arrivals"}, {1, 0, "arrivals "}, {1, 0, ""},         {1, 0, "slavirra"},
                   {1, 2, "arrivals"}, {2, 1, "arrivals"},  {UINT64_MAX, 0, ""}};
    enum { COUNT = sizeof(origins) / sizeof(origins[0]) };
    struct stream streams[COUNT];
    for (int i = 0; i < COUNT; i++) {
        stream_initialize(&streams[i], origins[i].seed, origins[i].replication, origins[i].purpose);
        for (int k = 0; k < i; k++) {
            assert_memory_not_equal(streams[i].state, streams[k].state, sizeof(streams[i].state));
        }
        struct stream again;
        stream_initialize(&again, origins[i].seed, origins[i].replication, origins[i].purpose);
        assert_memory_equal(again.state, streams[i].state, sizeof(again.state));
    }
}

/* Streams of neighbouring seeds, replications and names, and their bits: the sum of the products of
 * two centred uniforms has variance n / 144. */
static void neighbouring_streams_are_uncorrelated(void **state) {
    (void)state;
    enum { N = 100000 };
    struct stream base;
    for (int way = 0; way < 3; way++) {
        struct stream other;
        stream_initialize(&base, 7, 3, "sizes of train-1");
        stream_initialize(&other, 7 + (way == 0), 3 + (way == 1),
                          way == 2 ? "sizes of train-2" : "sizes of train-1");
        double sum = 0;
        uint64_t equal_bits = 0;
        for (int i = 0; i < N; i++) {
            uint64_t a = stream_next(&base);
            uint64_t b = stream_next(&other);
            equal_bits += (uint64_t)__builtin_popcountll(~(a ^ b));
            sum += ((double)(a >> 11) * 0x1p-53 - 0.5) * ((double)(b >> 11) * 0x1p-53 - 0.5);
        }
        assert_estimates(sum, 0, sqrt(N / 144.0));
        assert_estimates((double)equal_bits, 32.0 * N, sqrt(16.0 * N));
    }
}

static void uniforms(void **state) {
    (void)state;
    enum { N = 1000000, CELLS = 1000 };
    struct stream stream;
    stream_initialize(&stream, 1, 0, "uniforms");
    uint64_t counts[CELLS] = {0};
    for (int i = 0; i < N; i++) {
        double u = stream_uniform(&stream);
        assert_true(u >= 0 && u < 1 && u * 0x1p53 == floor(u * 0x1p53));
        counts[(int)(u * CELLS)]++;
    }
    assert_even(counts, CELLS);
}

/* With n = 3 x 2^62, plain scaling would give a third of the values two chances in four: a cell of
 * each third shows it. And small n, by our own and by GSL's method. */
static void uniform_integers(void **state) {
    (void)state;
    struct stream stream;
    stream_initialize(&stream, 1, 0, "integers");
    uint64_t thirds[3] = {0};
    uint64_t residues[3] = {0};
    uint64_t sevenths[7] = {0};
    uint64_t gsl_sevenths[7] = {0};
    for (int i = 0; i < 700000; i++) {
        uint64_t value = stream_uniform_integer(&stream, UINT64_C(3) << 62);
        thirds[value >> 62]++;
        residues[value % 3]++;
        sevenths[stream_uniform_integer(&stream, 7)]++;
        gsl_sevenths[gsl_rng_uniform_int(&stream.gsl, 7)]++;
    }
    assert_even(thirds, 3);
    assert_even(residues, 3);
    assert_even(sevenths, 7);
    assert_even(gsl_sevenths, 7);
    assert_true(stream_uniform_integer(&stream, 1) == 0);
}

/* GSL's range check and scaling hold for all 64 bits. */
static void gsl_copes_with_64_bits(void **state) {
    (void)state;
    struct stream stream;
    stream_initialize(&stream, 1, 0, "wide");
    uint64_t halves[2] = {0};
    for (int i = 0; i < 100000; i++) {
        halves[gsl_rng_uniform_int(&stream.gsl, UINT64_MAX) >> 63]++;
    }
    assert_even(halves, 2);
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        sum += gsl_ran_gaussian_ziggurat(&stream.gsl, 1);
    }
    assert_estimates(sum, 0, sqrt(100000));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_outputs),
        cmocka_unit_test(gsl_seeds_by_splitmix),
        cmocka_unit_test(gsl_and_inline_draws_share_the_state),
        cmocka_unit_test(each_of_seed_replication_and_purpose_matters),
        cmocka_unit_test(neighbouring_streams_are_uncorrelated),
        cmocka_unit_test(uniforms),
        cmocka_unit_test(uniform_integers),
        cmocka_unit_test(gsl_copes_with_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
