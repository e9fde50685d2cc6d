#!/usr/bin/env bats
# What is said of how far the figures can be trusted: unstable queues, warm-up, intervals.
bats_require_minimum_version 1.5.0
load helpers

# Two GPUs offered 1.5 times what they can do; four under the variant `wide`, little work under `calm`.
write_overload() {
    cat >overload.yaml <<'YAML'
headroom: 1
name: overload
horizon: 20d
cluster:
  pools:
    a100: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 2, price: {per_gpu_hour: 2}}
workloads:
  train:
    kind: jobs
    arrivals: {poisson: 3/h}
    duration: {exponential: {mean: 1h}}
objectives: [run.utilization.allocated >= 99%]
variants:
  wide: {cluster.pools.a100.nodes: 2}
  calm: {workloads.train.arrivals: {poisson: 0.1/h}}
YAML
}

@test "an unstable queue is named, its waits are marked, and the exit status is 4" {
    write_overload
    run --separate-stderr headroom run overload.yaml -o o.db --variant base
    [ "$status" -eq 4 ]
    [[ "$output" == *"unstable "*"the queue of workload train grows by "*" jobs an hour"* ]]
    [[ "$output" =~ train\ .*[smhd]\*\ .*[smhd]\* ]]
    [ "$(metric o.db unstable)" = 1.0 ]
    [ "$(metric o.db unstable workload)" = 1.0 ]
    [ "$(sqlite3 o.db 'select status from run')" = done ]
    # 3 arrivals an hour less 2 GPUs: 1 an hour, within some 5 standard deviations of
    # sqrt(5 x 480) / 480 = 0.1.
    [ "$(sqlite3 o.db "select value between 0.5 and 1.5 from metric
                       where name = 'backlog_growth_per_h' and scope = 'run'")" = 1 ]
}

@test "a stable queue is not marked, and unmet objectives still end with 3" {
    write_overload
    run --separate-stderr headroom run overload.yaml -o o.db --variant wide
    [ "$status" -eq 3 ] # utilization is 0.75
    [[ "$output" != *"unstable"* ]]
    [[ "$output" != *"*"* ]]
    [ "$(metric o.db unstable)" = 0.0 ]
}

@test "an unstable queue beats an unmet objective; compare marks it and tells machines" {
    write_overload
    run --separate-stderr headroom run overload.yaml -o o.db --variant base --variant wide
    [ "$status" -eq 4 ]
    [[ "$output" == *"workload train (variant base) grows"* ]]
    run --separate-stderr headroom compare o.db
    [ "$status" -eq 0 ]
    [[ "$output" == *"* of a queue that grows without limit"* ]]
    [ "$(headroom compare o.db --format json 2>/dev/null |
        jq -c '[.rows[] | [.variant, .unstable]]')" = '[["base",1],["wide",0]]' ]
    [ "$(headroom run overload.yaml -o j.db --json --variant base |
        jq -c '[.runs[0].metrics.unstable, .summary[0].workloads.train.metrics.unstable.mean]')" = '[1,1]' ]
}

@test "finite work is never unstable" {
    write_overload
    run --separate-stderr headroom run overload.yaml -o o.db --variant base --set horizon=end_of_work \
        --set workloads.train.limit=500
    [ "$status" -ne 4 ]
    [ "$(metric o.db unstable)" = 0.0 ]
    run --separate-stderr headroom run overload.yaml -o p.db --variant base --set workloads.train.limit=500
    [ "$(metric p.db unstable)" = 0.0 ]
}

@test "warmup auto: found per run by a pilot, shown, stored, and the same at any -j" {
    write_overload
    wide=(--variant wide --set warmup=auto --set horizon=200d --replications 3)
    run --separate-stderr headroom run overload.yaml -o a.db -j 1 "${wide[@]}"
    [ "$status" -eq 3 ]
    [[ "$output" == *" of warm-up"* ]]
    headroom run overload.yaml -o b.db -j 3 --quiet "${wide[@]}" || [ "$?" -eq 3 ]
    query="select run_id, value from metric where name = 'warmup_s' and value between 0 and 100 * 86400"
    [ "$(sqlite3 a.db "$query" | wc -l)" = 3 ]
    [ "$(sqlite3 a.db "$query")" = "$(sqlite3 b.db "$query")" ]
    # A warm-up given as the time that was found gives the same run.
    first=$(sqlite3 a.db "select printf('%.9fs', value) from metric where name = 'warmup_s' and run_id = 1")
    headroom run overload.yaml -o c.db --quiet "${wide[@]}" --replications 1 --set "warmup=$first" || [ "$?" -eq 3 ]
    [ "$(metric c.db wait_s.mean)" = "$(metric a.db wait_s.mean)" ]
}

@test "warmup auto measures an unstable queue from the start: there is no steady state to wait for" {
    write_overload
    run --separate-stderr headroom run overload.yaml -o a.db --variant base --set warmup=auto
    [ "$status" -eq 4 ]
    [ "$(metric a.db warmup_s)" = 0.0 ]
}

@test "warmup auto is refused where no end of the start-up is in sight" {
    write_overload
    run --separate-stderr headroom run overload.yaml -o a.db --variant wide --set warmup=auto --set horizon=10h
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"too short to tell"*"lengthen the horizon or set a warmup"* ]]
    [ ! -e a.db ]
}

@test "one long run has an interval of its mean wait by batch means, a short or unstable one none" {
    write_overload
    wide=(--variant wide --set warmup=1d)
    run --separate-stderr headroom run overload.yaml -o long.db "${wide[@]}" --set horizon=2000d
    [[ "$output" == *" ± "* ]]
    # M/M/4 at 3 arrivals an hour of an hour each: a = 3, Erlang C = 0.5094, wait = C / (4 - 3) h.
    [ "$(sqlite3 long.db "select abs(m.value - 0.50943 * 3600) < 2 * w.value and w.value < 180
                          from metric m join metric w using (run_id, scope, subject)
                          where scope = 'workload' and m.name = 'wait_s.mean'
                          and w.name = 'wait_s.mean_half_width'")" = 1 ]
    run --separate-stderr headroom run overload.yaml -o short.db "${wide[@]}" --set horizon=4d
    [[ "$output" != *" ± "* ]]
    [ -z "$(metric short.db wait_s.mean_half_width)" ]
    run --separate-stderr headroom run overload.yaml -o over.db --variant base --set horizon=2000d
    [ "$status" -eq 4 ]
    [ -z "$(metric over.db wait_s.mean_half_width)" ]
}

# 1 if the first so many replications know the utilization to within 5 %.
narrow() { # VARIANT REPLICATIONS
    sqlite3 1.db "with sums as (select count(*) as n, sum(value) as s, sum(value * value) as q
                                from run join metric using (run_id)
                                where scope = 'run' and name = 'utilization.allocated'
                                and variant = '$1' and replication <= $2)
                  select sqrt((q - s * s / n) / (n - 1) / n) * t975 <= 0.05 * s / n
                  from sums join student_t on df = n - 1"
}

@test "replications auto: as many as each variant's objectives need, the same at any -j" {
    write_overload
    auto=(--set warmup=1d --set 'replications={auto: {relative: 5%, max: 50}}'
        --variant wide --variant calm)
    for j in 1 3; do
        headroom run overload.yaml -o "$j.db" --quiet -j "$j" "${auto[@]}" || [ "$?" -eq 3 ]
        sqlite3 "$j.db" "select run_id, variant, replication, scope, subject, name, value
                         from run join metric using (run_id)" >"$j.txt"
    done
    cmp 1.txt 3.txt
    # Utilization is known to within 5 % at the last number of replications, and was not at the one before.
    for variant in wide calm; do
        n=$(sqlite3 1.db "select count(*) from run where variant = '$variant'")
        [[ " 5 7 10 15 22 33 49 50 " == *" $n "* ]]
        [ "$n" -eq 50 ] || [ "$(narrow "$variant" "$n")" = 1 ]
        before=$(echo "50 49 33 22 15 10 7 5" | tr ' ' '\n' | awk -v n="$n" '$1 < n { print $1; exit }')
        [ "$n" -eq 5 ] || [ "$(narrow "$variant" "$before")" = 0 ]
    done
    # 480 h at 3 jobs of an hour each are far better known than at 0.1.
    [ "$(sqlite3 1.db "select sum(variant = 'wide') < sum(variant = 'calm') from run")" = 1 ]
}

@test "replications auto: --replications overrides, max is told of, objectives are needed" {
    write_overload
    auto=(--variant wide --set 'replications={auto: {relative: 0.01%, max: 6}}')
    run --separate-stderr headroom run overload.yaml -o a.db "${auto[@]}"
    [[ "$output" == *"after 6 replications, the most allowed,"*"0.01 %"* ]]
    [ "$(sqlite3 a.db 'select count(*) from run')" = 6 ]
    headroom run overload.yaml -o b.db --quiet "${auto[@]}" --replications 2 || [ "$?" -eq 3 ]
    [ "$(sqlite3 b.db 'select count(*) from run')" = 2 ]
    run --separate-stderr headroom run overload.yaml -o c.db "${auto[@]}" --set 'objectives=[]'
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"add objectives, or give a number"* ]]
    run --separate-stderr headroom run overload.yaml -o c.db --variant wide --set 'replications={auto: {relative: 2%, max: 4}}'
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"must be from 5 to 100000"* ]]
}
