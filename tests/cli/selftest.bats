#!/usr/bin/env bats
# headroom selftest: a few of the cases (all of them are the test `selftest`), and that they can fail.
bats_require_minimum_version 1.5.0
load helpers

@test "cases of each kind agree with theory" {
    run --separate-stderr headroom selftest mm2 loss-10 room-10 closed-5 gangs-50 \
        ps-alone-cv0 mig-together turns-jobs turns-service
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ "$output" == *"16 of 16 figures agree with theory"* ]]
    [[ "$output" == *"room-10"*"blocking"*"0.230024"*"pass"* ]]
    [[ "$output" == *"mig-together"*"latency_s.mean"*"1.3471"*"pass"* ]]
}

@test "a server that is 2 % slow is found out" {
    run headroom selftest gangs-50 --set 'workloads.jobs.duration={exponential: {mean: 1.02s}}'
    [ "$status" -eq 1 ]
    [[ "$output" == *"fail"*"outside"* ]]
    [[ "$output" == *"0 of 1 figures agree"* ]]
}

@test "a service that is 2 % slow is found out" {
    # a mean of 0.129629630 s on the whole GPU, which is 1 s on a slice, x 1.02
    run headroom selftest mig-together \
        --set 'workloads.requests.service_time={exponential: {mean: 132222223ns}}'
    [ "$status" -eq 1 ]
    [[ "$output" == *"fail"*"outside"* ]]
}

@test "a figure without chance has to be exact" {
    run headroom selftest turns-jobs --set cluster.pools.servers.sharing.switch=200001ns
    [ "$status" -eq 1 ]
    [[ "$output" == *"goodput"*"fail"*"outside"* ]]
    [[ "$output" == *"0 of 3 figures agree"* ]]
}

@test "an interval that proves nothing does not pass" {
    run headroom selftest loss-10 --set replications=2
    [ "$status" -eq 1 ]
    [[ "$output" == *"too wide"* ]]
}

@test "--json is one object and nothing else" {
    headroom selftest gangs-50 loss-10 --json >out.json 2>errors
    [ ! -s errors ]
    [ "$(jq -c 'keys' out.json)" = '["cases","format","headroom"]' ]
    [ "$(jq -r '"\(.headroom) \(.format) \(.cases | length)"' out.json)" = "1 selftest 2" ]
    [ "$(jq -r '.cases[0].name' out.json)" = gangs-50 ]
    jq -e '.cases[] | .low < .exact and .exact < .high and .low < .simulated
           and .simulated < .high and .verdict == "pass"' out.json
    [ "$(jq -r '.cases[0].exact * 7 | round' out.json)" = 8 ]
}

@test "the same bits each time" {
    headroom selftest gangs-90 --json >first.json
    headroom selftest gangs-90 --json >second.json
    cmp first.json second.json
}

@test "an unknown case is refused" {
    refused_with "there is no reference case 'mm3'" headroom selftest mm2 mm3
}

@test "every reference scenario is a case, and a good scenario" {
    headroom check "$SOURCE_DIR"/tests/reference/*.yaml
    (cd "$SOURCE_DIR/tests/reference" && ls ./*.yaml) | sed 's|./||; s|.yaml||' | sort >files
    headroom selftest --help | sed -n '/^Cases:/,/^$/ s/^  //p' | sort >cases
    diff files cases
}

@test "a reference scenario runs like any other" {
    headroom run "$SOURCE_DIR/tests/reference/closed-5.yaml" --replications 2 -o closed.db
    [ "$(sqlite3 closed.db "select count(*) from run")" -eq 2 ]
    sqlite3 closed.db "select value from metric where scope = 'run' and name = 'throughput_per_s'" |
        awk '$1 < 0.41 || $1 > 0.46 { bad = 1 } END { exit bad }'
}
