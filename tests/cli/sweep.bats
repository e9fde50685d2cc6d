#!/usr/bin/env bats
# headroom sweep: every point of a sweep, crossed with the variants.
bats_require_minimum_version 1.5.0
load helpers

# small.yaml (see helpers) at one and two nodes of 4 and 8 GPUs. Waits of a, b and c, worked out by hand:
#   1 x 4: 0, 9, 18 (mean 9)      2 x 4: a and b start at once, c at 10 beside b: 0, 0, 8
#   1 x 8: a and b start at once, c needs 4 of the 2 left and waits for a: 0, 0, 8       2 x 8: none
write_sweep_scenario() {
    write_small_scenario
    cat >>small.yaml <<'YAML'
sweep:
  cluster.pools.a100.nodes: [1, 2]
  cluster.pools.a100.gpus_per_node: [4, 8]
YAML
}

points() { # DATABASE
    sqlite3 "$1" "select point from run order by run_id"
}

@test "every combination is run, the last path changing fastest" {
    write_sweep_scenario
    run --separate-stderr headroom sweep small.yaml -o s.db
    [ "$status" -eq 0 ]
    [ "$(points s.db)" = "cluster.pools.a100.nodes=1, cluster.pools.a100.gpus_per_node=4
cluster.pools.a100.nodes=1, cluster.pools.a100.gpus_per_node=8
cluster.pools.a100.nodes=2, cluster.pools.a100.gpus_per_node=4
cluster.pools.a100.nodes=2, cluster.pools.a100.gpus_per_node=8" ]
    means=$(sqlite3 s.db "select round(wait_mean_s, 3) from v_summary order by run_id")
    [ "$means" = "9.0
2.667
2.667
0.0" ] || { echo "$means"; return 1; }
    [ "$(sqlite3 s.db 'select count(distinct inputs_sha256) from run')" = 4 ]
    [[ "$output" == *"base, 4 sweep points"* ]]
    [[ "$output" =~ nodes\ +gpus_per_node ]]
    [[ "$output" =~ 2\ +4\ +2\.7\ s ]]
}

@test "no line is wider than 100 columns" {
    write_random_scenario
    cat >>random.yaml <<'YAML'
objectives: [workload.train.wait_s.p95 <= 30m]
sweep: {cluster.pools.a100.nodes: [2, 4], workloads.train.gpus: [1, {choice: {1: 0.7, 4: 0.3}}]}
YAML
    headroom sweep random.yaml -o r.db >page.txt || [ $? -eq 3 ]
    headroom compare r.db --by point >>page.txt
    headroom compare r.db >>page.txt
    [ "$(wc -L <page.txt)" -le 100 ] || { cat page.txt; return 1; }
}

@test "run leaves the sweep alone, and check looks at every point" {
    write_sweep_scenario
    headroom run small.yaml --quiet -o s.db
    [ "$(sqlite3 s.db "select count(*), point from run")" = "1|" ]
    headroom check small.yaml
    sed -i 's/nodes: \[1, 2\]/nodes: [1, 0, many]/' small.yaml
    headroom run small.yaml --quiet -o s.db
    run --separate-stderr headroom check small.yaml
    [ "$status" -eq 2 ]
    [ "${#stderr_lines[@]}" -eq 3 ] || { echo "$stderr"; return 1; }
    [[ "${stderr_lines[0]}" == "small.yaml:10:33: cluster.pools.a100.nodes must be from 1 "* ]]
    [[ "${stderr_lines[1]}" == "small.yaml:10:36: cluster.pools.a100.nodes must be a whole number"* ]]
    run --separate-stderr headroom sweep small.yaml -o bad.db
    [ "$status" -eq 2 ]
    [ "${#stderr_lines[@]}" -eq 2 ]
    [ ! -e bad.db ]
}

@test "bad calls" {
    write_small_scenario
    refused_with "small.yaml: this scenario has no sweep" headroom sweep small.yaml
    refused_with "sweep needs a scenario" headroom sweep
    echo 'sweep: {seed: 3}' >>small.yaml
    refused_with "small.yaml:9:15: seed needs a list of values" headroom sweep small.yaml
    [ ! -e headroom.db ]
}

@test "a point comes after --set and the variant, and crosses with the variants" {
    write_sweep_scenario
    cat >>small.yaml <<'YAML'
variants:
  plain: {}
  large: {cluster.pools.a100.nodes: 9}
YAML
    headroom sweep small.yaml --quiet -o s.db --set cluster.pools.a100.nodes=7
    [ "$(sqlite3 s.db "select count(*), count(distinct variant), count(distinct point) from run")" = "8|2|4" ]
    [ "$(sqlite3 s.db "select group_concat(distinct value) from metric join run using (run_id)
        where scope = 'run' and name = 'gpus' and point like '%nodes=1, %node=4'")" = 4.0 ]
    headroom sweep small.yaml --quiet -o one.db --variant large
    [ "$(sqlite3 one.db "select count(*), group_concat(distinct variant) from run")" = "4|large" ]
}

@test "a point is the same run as its values by --set, and has the same arrivals as others" {
    write_random_scenario
    echo 'sweep: {cluster.pools.a100.nodes: [3, 2]}' >>random.yaml
    headroom sweep random.yaml --quiet -o s.db --variant easy
    headroom run random.yaml --quiet -o r.db --variant easy --set cluster.pools.a100.nodes=3
    query="select inputs_sha256, replication, name, value from metric join run using (run_id)
        where scope = 'run'"
    [ "$(sqlite3 s.db "$query and point = 'cluster.pools.a100.nodes=3'")" = "$(sqlite3 r.db "$query")" ]
    arrivals="select replication, submit_s from v_jobs"
    [ "$(sqlite3 s.db "$arrivals where point like '%=3' order by 1, 2" | sha256sum)" = \
        "$(sqlite3 s.db "$arrivals where point like '%=2' order by 1, 2" | sha256sum)" ]
}

@test "results are the same at any -j" {
    write_random_scenario
    echo 'sweep: {cluster.pools.a100.nodes: [1, 2, 3], scheduler.order: [fifo, sjf]}' >>random.yaml
    for jobs in 1 4; do
        headroom sweep random.yaml --quiet -o $jobs.db -j $jobs || [ $? -eq 4 ]
        sqlite3 $jobs.db "select run_id, position, variant, point, replication, inputs_sha256, scope, subject,
            name, value from run join metric using (run_id)" >$jobs.txt
    done
    [ "$(cut -d'|' -f1 1.txt | sort -u | wc -l)" = 48 ] # 2 variants x 6 points x 4 replications
    cmp 1.txt 4.txt
}

@test "--json and compare tell the points" {
    write_sweep_scenario
    headroom sweep small.yaml --json -o s.db >run.json 2>/dev/null
    [ "$(jq -r '.summary[2].point' run.json)" = "cluster.pools.a100.nodes=2, cluster.pools.a100.gpus_per_node=4" ]
    [ "$(jq '[.runs[].point] | unique | length' run.json)" = 4 ]
    headroom compare s.db --format json >compare.json
    [ "$(jq -r .by compare.json)" = point ]
    [ "$(jq -r '.rows[3].point' compare.json)" = "cluster.pools.a100.nodes=2, cluster.pools.a100.gpus_per_node=8" ]
    jq -e '.rows[3].wait_mean_s_difference == -9' compare.json
    run headroom compare s.db --by point --baseline 'nodes=2, gpus_per_node=8'
    [ "$status" -eq 0 ]
    [[ "$output" == *"Difference to nodes=2, gpus_per_node=8:"*"nodes=1, gpus_per_node=4"* ]]
    headroom compare s.db --baseline 'cluster.pools.a100.nodes=1, cluster.pools.a100.gpus_per_node=8'
    refused_with "there is no point 'nodes=3'" headroom compare s.db --baseline nodes=3
}

@test "points stand beside variants, and either may be the rows" {
    write_random_scenario
    echo 'sweep: {cluster.pools.a100.nodes: [2, 3]}' >>random.yaml
    headroom sweep random.yaml --quiet -o r.db
    run headroom compare r.db
    [[ "$output" =~ variant\ +nodes ]]
    [[ "$output" == *"Difference to fifo (point nodes=2):"*"Difference to fifo (point nodes=3):"* ]]
    run headroom compare r.db --by point
    [[ "$output" == *"Difference to nodes=2 (variant fifo):"*"Difference to nodes=2 (variant easy):"* ]]
    [ "$(headroom compare r.db --format csv | wc -l)" = 5 ]
}

@test "compare takes the newest batch of each point, also beside a run" {
    write_sweep_scenario
    headroom sweep small.yaml --quiet -o s.db
    headroom sweep small.yaml --quiet -o s.db --set cluster.pools.a100.price.per_gpu_hour=1
    headroom run small.yaml --quiet -o s.db
    run --separate-stderr headroom compare s.db --format csv
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 6 ]
    [[ "$stderr" == *"left out 4 older runs"* ]]
    run headroom compare s.db --by point
    [[ "$output" == *"as written"* ]]
}

@test "objectives are judged at each point" {
    write_sweep_scenario
    echo 'objectives: [workload.train.wait_s.mean <= 5s]' >>small.yaml
    run headroom sweep small.yaml -o s.db
    [ "$status" -eq 3 ]
    [[ "$output" =~ not\ met\ .*nodes=1,\ gpus_per_node=4 ]]
    [ "$(grep -c '✓ met' <<<"$output")" = 3 ]
}
