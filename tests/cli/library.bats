#!/usr/bin/env bats
# Every scenario of the library shows what its comments say it shows. Runs are shorter than the shipped
# ones and bounds wider; what follows from the scenario alone is exact.
bats_require_minimum_version 1.5.0
load helpers

# Runs a scenario of the library into runs.db; further arguments are those of `run`.
run_library() { # STATUS NAME [OPTION...]
    local expected=$1 name=$2
    shift 2
    run --separate-stderr headroom run "$SOURCE_DIR/scenarios/library/$name.yaml" -o runs.db "$@"
    [ "$status" -eq "$expected" ] || { echo "status $status: $output $stderr"; return 1; }
}

# A figure of a variant in the last batch: the mean over replications. Of the run, or a pool or workload.
figure() { # VARIANT NAME [SCOPE SUBJECT]
    sqlite3 runs.db "select avg(value) from metric join run using (run_id) where variant = '$1' and
        name = '$2' and scope = '${3:-run}' and subject = '${4:-}' and
        batch = (select max(batch) from run)"
}

# Fails unless the arithmetic of both sides is within the bounds.
between() { # LOW VALUE HIGH
    awk "BEGIN { exit !($1 <= $2 && $2 <= $3) }" || { echo "not $1 <= $2 <= $3"; return 1; }
}

figure_between() { # LOW HIGH VARIANT NAME [SCOPE SUBJECT]
    local low=$1 high=$2
    shift 2
    between "$low" "$(figure "$@")" "$high" || { echo "$*"; return 1; }
}

# P99 of a variant over that of another.
p99_ratio_between() { # LOW HIGH VARIANT OTHER
    between "$1" "$(figure "$3" latency_s.p99) / $(figure "$4" latency_s.p99)" "$2" ||
        { echo "P99 of $3 over $4"; return 1; }
}

@test "every scenario is without problems, says its headline, and is listed and tested" {
    for file in "$SOURCE_DIR"/scenarios/library/*.yaml; do
        headroom check "$file"
        grep -q '^# Headline: ' "$file"
        name=$(basename "$file" .yaml)
        grep -qF "| \`$name\` |" "$SOURCE_DIR/README.md" || { echo "README: no $name"; return 1; }
        [ "$name" = quickstart ] || grep -q "^    run_library [0-9] $name" "$BATS_TEST_FILENAME" ||
            { echo "no test of $name"; return 1; }
    done
}

@test "sharing-modes: utilization, price, latency and isolation of four modes" {
    run_library 3 sharing-modes --set replications=2 --set horizon=150m --set warmup=30m
    # 0.15 of a GPU for each of n models on three of them; who gives up is missing from it.
    figure_between 0.14 0.16 exclusive utilization.goodput
    figure_between 0.43 0.47 mig utilization.goodput
    figure_between 0.63 0.67 mps utilization.goodput
    figure_between 0.83 0.87 timeslice utilization.goodput
    # 4500 / n dollars.
    figure_between 1499.99 1500.01 exclusive usd_per_model_month
    figure_between 499.99 500.01 mig usd_per_model_month
    figure_between 346.15 346.16 mps usd_per_model_month
    figure_between 264.70 264.71 timeslice usd_per_model_month
    # 13 clients on three GPUs, 5 + 4 + 4: (25 + 16 + 16) / 13 go with the one that crashes.
    figure_between 0.99 1.01 exclusive crash_takes
    figure_between 0.99 1.01 mig crash_takes
    figure_between 4.38 4.39 mps crash_takes
    figure_between 0.99 1.01 timeslice crash_takes
    p99_ratio_between 4 10 mig exclusive
    p99_ratio_between 2 5 mps exclusive
    p99_ratio_between 6 18 timeslice exclusive
    figure_between 0 2.5 exclusive latency_s.p99
    figure_between 0 2.5 mps latency_s.p99
    figure_between 2.5 10 mig latency_s.p99
    figure_between 2.5 15 timeslice latency_s.p99
    # What the comparison has to say: -1 + 3 / n of the price, and who misses the objective.
    headroom compare runs.db >compared
    for saving in 66.7 76.9 82.4; do
        grep -q -- "-$saving %" compared || { cat compared; return 1; }
    done
    grep -q "^mps .* 4.38 *1 of 1$" compared
    grep -q "^timeslice .* 1.00 *0 of 1$" compared
}

@test "sharing-modes: bursts make requests time out even where a GPU idles" {
    run_library 0 sharing-modes --variant exclusive
    figure_between 1 600 exclusive timed_out # of 129,600
}

@test "timeslice-published: half and two thirds of the time, and no limit" {
    run_library 4 timeslice-published --set horizon=90m --set warmup=15m
    # All tenants always have work: slice / (slice + switch).
    figure_between 0.4999 0.5001 published-5-5 utilization.goodput
    figure_between 0.6665 0.6668 published-10-5 utilization.goodput
    for variant in slice-1ms published-10-5 published-5-5; do
        figure_between 1 1 $variant unstable
    done
    [[ "$output" == *"17 queues of chat (17) (variant published-5-5) grow by "* ]]
    figure_between 0 0 slice-30ms unstable
    figure_between 0.83 0.87 slice-30ms utilization.goodput
}

@test "train-and-serve-timeslice: what P99 and training lose" {
    run_library 0 train-and-serve-timeslice --set replications=2 --set horizon=4h
    # P99 rises by 50 to 200 % at 2 ms, far more with the published figures.
    p99_ratio_between 1.5 3 slice-2ms exclusive
    p99_ratio_between 1.5 3 slice-30ms exclusive
    p99_ratio_between 4 6 published-10-5 exclusive
    p99_ratio_between 6 12 published-5-5 exclusive
    p99_ratio_between 1.3 1.7 mps exclusive
    p99_ratio_between 1 1.1 mig exclusive
    # A minute of training on 42 of 108 SMs takes 154.29 s: 81 of them in the 12,600 s measured.
    figure_between 80 82 mig completed workload training
    # The more load, the more it rises.
    headroom sweep "$SOURCE_DIR/scenarios/library/train-and-serve-timeslice.yaml" -o sweep.db --quiet \
        --set replications=2 --set horizon=4h --variant exclusive --variant slice-2ms
    rise=$(sqlite3 sweep.db "select avg(value) filter (where variant = 'slice-2ms') /
            avg(value) filter (where variant = 'exclusive') from metric join run using (run_id)
        where scope = 'run' and name = 'latency_s.p99' group by point order by min(position)")
    read -r -d '' third once twice <<<"$rise" || true
    between 1.5 "$third" "$once"
    between "$once" "$once" 3
    between 3.5 "$twice" 6
}

@test "do-not-share: who keeps 10 ms, and seven models on one GPU" {
    run_library 3 do-not-share --set replications=1 --set horizon=7m
    for variant in alone mig embeddings-on-gpus embeddings-on-slices; do
        figure_between 0.003 0.010 $variant latency_s.p99
    done
    figure_between 0.010 0.013 mps latency_s.p99
    figure_between 0.018 0.027 timeslice latency_s.p99
    figure_between 0.030 0.040 timeslice-30ms latency_s.p99
    p99_ratio_between 0.99 1.01 embeddings-on-slices embeddings-on-gpus
    figure_between 1499.9 1500.1 embeddings-on-gpus usd_per_model_month
    figure_between 214.28 214.29 embeddings-on-slices usd_per_model_month
}

@test "mps-gain: 30 to 50 % where a client uses 77 to 67 % of the GPU" {
    run_library 0 mps-gain --set workloads.client.limit=2000
    # The column that tells, of the table of variants.
    [[ "$output" == *"completed"*"per s"* ]]
    # min(2, 1 / saturation) of the 100 a second of one; the start costs a little.
    figure_between 99.9 100.1 one throughput_per_s
    figure_between 149.1 149.3 two-67 throughput_per_s
    figure_between 129.7 129.9 two-77 throughput_per_s
    figure_between 99.9 100.1 two-100 throughput_per_s
    # Twice the items per second of each of two processes: 196.372, 1155.043, 1335.676, 1398.072, over
    # those of one: 195.826, 1599.984, 2396.366, 2551.424.
    figure_between 199.8 200.6 batch-1 throughput_per_s
    figure_between 144.1 144.5 batch-8 throughput_per_s
    figure_between 111.3 111.6 batch-32 throughput_per_s
    figure_between 109.5 109.7 batch-128 throughput_per_s
    # Seven slices of 196.762 / 195.826 and of 358.277 / 1599.984.
    figure_between 702 704 slices-batch-1 throughput_per_s
    figure_between 156.5 157 slices-batch-8 throughput_per_s
}

@test "offline-batch: time-slicing is the cheapest that keeps its deadlines" {
    run_library 0 offline-batch --set replications=1 --set horizon=8d
    for variant in exclusive mig mps-disturbed mps timeslice; do
        figure_between 0.99 1 $variant slo_attainment
    done
    # 4500 dollars for 3, 9, 12 and 18 models.
    figure_between 1499.9 1500.1 exclusive usd_per_model_month
    figure_between 499.9 500.1 mig usd_per_model_month
    figure_between 374.9 375.1 mps-disturbed usd_per_model_month
    figure_between 249.9 250.1 mps usd_per_model_month
    figure_between 249.9 250.1 timeslice usd_per_model_month
    figure_between 0.99 1.01 timeslice crash_takes
    figure_between 5.99 6.01 mps crash_takes
}

@test "mixed-fleet: 52 models on 12 GPUs" {
    run_library 0 mixed-fleet --set horizon=2h --set warmup=30m
    for variant in shared whole-gpus; do
        figure_between 0 0 $variant replicas_waiting
        figure_between 0.99 1 $variant slo_attainment
    done
    # (4 x 1500 + 4 x 1200 + 4 x 0.35 x 730) / 52; (12 x 1500 + 12 x 1200 + 28 x 0.35 x 730) / 52
    figure_between 227.3 227.4 shared usd_per_model_month
    figure_between 760.6 760.7 whole-gpus usd_per_model_month
    # Every instance has a tenant: 98 of 108 SMs are allocated, all of a T4.
    figure_between 0.907 0.908 shared utilization.allocated pool a100-80
    figure_between 0.907 0.908 shared utilization.allocated pool a100-40
    figure_between 0.999 1 shared utilization.allocated pool t4
}

@test "mig-waste: what instances hold and models do not need, and one that fits none" {
    run_library 0 mig-waste --set horizon=30m
    [[ "$output" == *"wasted"*"a100-80 "*" 16.6 "*"rejected"*"of-25gb"* ]]
    # 3 x (19.5 - 15e9 / 2^30), 3 x (9.625 - 8e9 / 2^30), and 40 - 25e9 / 2^30 more.
    figure_between 16.59 16.60 cut memory_wasted_gib pool a100-80
    figure_between 6.5 6.53 cut memory_wasted_gib pool a100-40
    figure_between 23.2 23.3 one-more-gpu memory_wasted_gib pool a100-40
    # Three of 15 GB in 80 GiB, three of 8 GB in 40 GiB.
    figure_between 0.523 0.524 cut utilization.memory pool a100-80
    figure_between 0.558 0.559 cut utilization.memory pool a100-40
    figure_between 0 0 cut completed workload of-25gb
    figure_between 1 1 cut replicas_waiting
    figure_between 0 0 one-more-gpu replicas_waiting
    figure_between 0 0 one-more-gpu timed_out
}
