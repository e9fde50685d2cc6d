/* Invariants: on every GPU that MIG can cut, in every state that tenants can bring about, where one
 * more instance may begin, what further ones could use at most and what none of a profile can use
 * are what an enumeration of all placements says (tests/support/mig_reference.h), also while units
 * are blocked; and one state is one object, however it is reached. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cluster/cut_states.h"
#include "sim/kernel/memory.h"
#include "tests/support/mig_case.h"
#include "tests/support/mig_reference.h"
#include "tests/support/unit.h"

/* Every valid set of (profile, start), as bits of the reference's pairs. */
struct placements {
    struct mig_reference reference;
    uint64_t *sets;
    size_t count;
    size_t capacity;
};

static void list_from(struct placements *all, uint64_t set, int next) {
    all->sets = memory_grow(all->sets, &all->capacity, all->count + 1, sizeof *all->sets);
    all->sets[all->count++] = set;
    for (int i = next; i < all->reference.pair_count; i++) {
        uint64_t larger = set | UINT64_C(1) << i;
        if ((all->reference.overlaps[i] & set) == 0 &&
            mig_reference_valid(&all->reference, larger)) {
            list_from(all, larger, i + 1);
        }
    }
}

static int units_of_set(const struct mig_reference *reference, uint64_t set, const int32_t *units) {
    int sum = 0;
    for (; set != 0; set &= set - 1) {
        sum += units[reference->pairs[__builtin_ctzll(set)].profile];
    }
    return sum;
}

/* Whether any instance of the set lies on one of these units. */
static bool lies_on(const struct mig_reference *reference, uint64_t set, uint32_t units) {
    for (; set != 0; set &= set - 1) {
        struct mig_pair pair = reference->pairs[__builtin_ctzll(set)];
        int length = reference->gpu->profiles[pair.profile].memory_units;
        for (int unit = pair.start; unit < pair.start + length; unit++) {
            if ((units >> unit & 1) != 0) {
                return true;
            }
        }
    }
    return false;
}

static struct cut_state *state_of(struct cut_states *states, const struct mig_reference *reference,
                                  uint64_t set, uint32_t blocked) {
    struct cut_state *state = cut_states_empty(states);
    for (; set != 0; set &= set - 1) {
        struct mig_pair pair = reference->pairs[__builtin_ctzll(set)];
        state = cut_states_with(states, state, pair.profile, pair.start);
    }
    return cut_states_blocking(states, state, blocked);
}

/* What the enumeration says of a set that is held. */
struct expectation {
    uint32_t starts[MIG_MOST_PAIRS]; /* by profile */
    int most[MIG_MOST_PAIRS];        /* by profile: more of it, whatever is blocked */
    int usable;
};

/* The profile of a set of equal instances, else -1. */
static int only_profile(const struct mig_reference *reference, uint64_t set) {
    int profile = reference->pairs[__builtin_ctzll(set)].profile;
    for (; set != 0; set &= set - 1) {
        if (reference->pairs[__builtin_ctzll(set)].profile != profile) {
            return -1;
        }
    }
    return profile;
}

static struct expectation expect(const struct placements *all, uint64_t held, uint32_t blocked,
                                 const int32_t *units) {
    const struct mig_reference *reference = &all->reference;
    struct expectation expected = {.usable = 0};
    for (size_t i = 0; i < all->count; i++) {
        uint64_t more = all->sets[i] & ~held;
        if ((all->sets[i] & held) != held || more == 0) {
            continue;
        }
        int profile = only_profile(reference, more);
        int count = __builtin_popcountll(more);
        if (profile >= 0 && count > expected.most[profile]) {
            expected.most[profile] = count;
        }
        if (lies_on(reference, more, blocked)) {
            continue;
        }
        if (count == 1) {
            expected.starts[profile] |= UINT32_C(1)
                                        << reference->pairs[__builtin_ctzll(more)].start;
        }
        int sum = units_of_set(reference, more, units);
        expected.usable = sum > expected.usable ? sum : expected.usable;
    }
    return expected;
}

static void check_state(const struct placements *all, struct cut_states *states, uint64_t held,
                        uint32_t blocked) {
    const struct gpu_model *gpu = states->gpu;
    struct cut_state *state = state_of(states, &all->reference, held, blocked);
    struct expectation expected = expect(all, held, blocked, states->units);
    int slices = gpu->compute_slices;
    for (uint64_t set = held; set != 0; set &= set - 1) {
        slices -= gpu->profiles[all->reference.pairs[__builtin_ctzll(set)].profile].compute_slices;
    }
    assert_int_equal(state->free_slices, slices);
    assert_int_equal(state->usable, expected.usable);
    /* So the ledger adds up. */
    assert_true(state->usable + units_of_set(&all->reference, held, states->units) <=
                states->units_per_gpu);
    for (size_t p = 0; p < gpu->profile_count; p++) {
        assert_int_equal(state->starts[p], expected.starts[p]);
        assert_int_equal(state->unusable[p],
                         slices - expected.most[p] * gpu->profiles[p].compute_slices);
    }
}

/* Taking an instance away leads back to the state before. */
static void check_ways_back(const struct placements *all, struct cut_states *states,
                            uint64_t held) {
    struct cut_state *state = state_of(states, &all->reference, held, 0);
    for (uint64_t set = held; set != 0; set &= set - 1) {
        uint64_t one = set & (~set + 1);
        int start = all->reference.pairs[__builtin_ctzll(set)].start;
        assert_ptr_equal(cut_states_without(states, state, start),
                         state_of(states, &all->reference, held & ~one, 0));
    }
    assert_ptr_equal(cut_states_blocking(states, state, 0), state);
}

/* The units of a set that is held are not to be blocked. */
static uint32_t block_at_random(const struct placements *all, struct test_random *random,
                                uint64_t held) {
    uint32_t blocked = 0;
    for (int unit = 0; unit < all->reference.gpu->memory_units; unit++) {
        if (test_random_once_in(random, 3) &&
            !lies_on(&all->reference, held, UINT32_C(1) << unit)) {
            blocked |= UINT32_C(1) << unit;
        }
    }
    return blocked;
}

/* In the ledger by SMs where all are known, else by compute slices. Of the many states with engine
 * variants every `step`th. */
static void check_gpu(const struct gpu_model *gpu, struct test_random *random) {
    struct placements all = {.reference = mig_reference_create(gpu, MIG_ALL)};
    list_from(&all, 0, 0);
    int32_t units[MIG_MOST_PAIRS];
    bool known = gpu->sms > 0;
    for (size_t p = 0; p < gpu->profile_count; p++) {
        known = known && gpu->profiles[p].sms > 0;
    }
    for (size_t p = 0; p < gpu->profile_count; p++) {
        units[p] = known ? gpu->profiles[p].sms : gpu->profiles[p].compute_slices;
    }
    struct cut_states states;
    cut_states_initialize(&states, gpu, units, known ? gpu->sms : gpu->compute_slices);
    size_t step = 1 + all.count / 300;
    for (size_t i = 0; i < all.count; i += step) {
        check_state(&all, &states, all.sets[i], 0);
        check_state(&all, &states, all.sets[i], block_at_random(&all, random, all.sets[i]));
        check_ways_back(&all, &states, all.sets[i]);
    }
    cut_states_terminate(&states);
    free(all.sets);
    free(all.reference.keys);
}

static void like_an_enumeration(void **state) {
    struct test_random random = {1};
    const struct catalogue *catalogue = *state;
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        bool seen = gpu->compute_slices == 0;
        for (size_t k = 0; k < i && !seen; k++) {
            seen =
                catalogue->gpus[k].profiles == gpu->profiles && catalogue->gpus[k].sms == gpu->sms;
        }
        if (!seen) {
            check_gpu(gpu, &random);
        }
    }
}

/* An A100 of 108 SMs, 14 to a slice. Uncut 7g could use 98. Beside 1g at 0: 4g cannot be (it begins
 * at 0 only), 3g at 4 and 1g at 1, 2 and 3 make 3 x 14 + 42 = 84, and of 3g one of 6 slices' worth
 * is possible, so 3 are useless to it. Beside two 3g no unit is left, and one slice in vain. */
static void by_hand(void **state) {
    const struct gpu_model *gpu = find_mig_gpu(*state, "A100-SXM4-80GB");
    int profiles[3];
    assert_int_equal(parse_mig_layout(gpu, "1g.10gb,3g.40gb,4g.40gb", profiles), 3);
    int32_t units[MIG_MOST_PAIRS];
    for (size_t p = 0; p < gpu->profile_count; p++) {
        units[p] = gpu->profiles[p].sms;
    }
    struct cut_states states;
    cut_states_initialize(&states, gpu, units, 108);
    struct cut_state *empty = cut_states_empty(&states);
    assert_int_equal(empty->usable, 98);
    struct cut_state *one = cut_states_with(&states, empty, profiles[0], 0);
    assert_int_equal(one->usable, 84);
    assert_int_equal(one->unusable[profiles[1]], 3);
    assert_int_equal(one->unusable[profiles[2]], 6);
    assert_int_equal(one->starts[profiles[1]], 1 << 4);
    struct cut_state *three = cut_states_with(&states, empty, profiles[1], 4);
    struct cut_state *two = cut_states_with(&states, three, profiles[1], 0);
    assert_int_equal(two->usable, 0);
    assert_int_equal(two->free_slices, 1);
    assert_int_equal(two->unusable[profiles[0]], 1);
    cut_states_terminate(&states);
}

static int set_up(void **state) {
    *state = catalogue_create();
    return 0;
}

static int tear_down(void **state) {
    catalogue_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(like_an_enumeration),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
