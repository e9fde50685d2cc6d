#!/usr/bin/env bats
# What a person at a terminal sees: the answer first, bars over time, progress. `script` is the terminal.
bats_require_minimum_version 1.5.0
load helpers

# Runs a command on a terminal; its output, carriage returns as new lines.
on_terminal() { # COMMAND...
    script -qec "$*" /dev/null </dev/null | tr '\r' '\n'
}

# small.yaml with bars of a second and two objectives.
write_timeline_scenario() {
    write_small_scenario
    cat >>small.yaml <<'YAML'
record: {timeline: 1s}
objectives: [run.wait_s.max <= 20s, run.wait_s.max <= 10s]
YAML
}

@test "the answer comes first" {
    write_timeline_scenario
    run --separate-stderr headroom run small.yaml
    [ "$status" -eq 3 ]
    # c waits 18 s. 4 GPUs x 3600 $/h x 730 h.
    [ "${lines[0]}" = '✗ 1 of 2 objectives is not met, at $10,512,000 a month.' ]
    run --separate-stderr headroom run small.yaml --set 'objectives=[run.wait_s.max <= 20s]'
    [ "${lines[0]}" = '✓ The objective is met, at $10,512,000 a month.' ]
    # Without objectives there is nothing to judge.
    run --separate-stderr headroom run small.yaml --set 'objectives=[]'
    [ "${lines[0]}" = "small: base, seed 1" ]
}

@test "of several variants, which is the cheapest that will do" {
    write_timeline_scenario
    cat >>small.yaml <<'YAML'
variants:
  one: {}
  two: {cluster.pools.a100.nodes: 2}
  three: {cluster.pools.a100.nodes: 3}
YAML
    # On two nodes a and b start at once, c when a ends: 8 s. On three nobody waits.
    run --separate-stderr headroom run small.yaml
    [ "${lines[0]}" = '✓ Cheapest that meets all objectives: two, $21,024,000 a month. 2 of 3 meet them.' ]
    run --separate-stderr headroom run small.yaml --set 'objectives=[run.wait_s.max <= -1s]'
    [ "$status" -eq 2 ] # no such wait
    run --separate-stderr headroom run small.yaml --set 'objectives=[run.wait_s.mean >= 1h]'
    [ "${lines[0]}" = '✗ None of 3 meets all objectives.' ]
    run --separate-stderr headroom run small.yaml --set 'objectives=[]'
    [ "${lines[0]}" = 'Lowest cost: one, $10,512,000 a month.' ]
    run --separate-stderr headroom run small.yaml --variant one --variant two --set 'objectives=[]'
    [ "${lines[0]}" = 'Lowest cost: one, $10,512,000 a month. Shortest waits (p95): two, 8 s.' ]
}

@test "how the pool was used over time, in bars" {
    write_timeline_scenario
    headroom run small.yaml --set 'objectives=[]' >out 2>/dev/null
    # 30 s in 24 bars: all GPUs to 10 s, two of four to 20 s, all to the end; the 9th and 17th bar are of
    # a second on each side. c waits from 2 s to 20 s, b from 1 s to 10 s.
    grep -q '^a100  ████████▅▅▅▅▅▅▅▅████████ ' out || { cat out; return 1; }
    headroom run small.yaml --set record.timeline=none >out 2>/dev/null || true
    ! grep -q '▅' out
}

@test "progress is drawn on a terminal, and wiped" {
    write_random_scenario
    on_terminal "'$HEADROOM' run random.yaml --set horizon=400d" >out
    # Two variants, four replications each.
    grep -q '██████████████ 100 %.* 8/8 runs' out || { cat out; return 1; }
    grep -q 'events/s' out
    # What is drawn last is blanks, before the summary.
    sed -n '/8\/8 runs/,/random.*: 2 variants/p' out | grep -q '^ \{40,\}$'
    grep -q 'random.*: 2 variants' out
}

@test "no progress where nobody looks" {
    write_random_scenario
    headroom run random.yaml 2>messages >/dev/null
    [ "$(cat messages)" = "writing headroom.db" ]
    on_terminal "'$HEADROOM' run random.yaml --quiet" >out
    [ ! -s out ]
}

@test "colour on a terminal only, and not with NO_COLOR" {
    write_timeline_scenario
    on_terminal "env -u NO_COLOR '$HEADROOM' run small.yaml" >out || true
    grep -q $'\x1b' out
    on_terminal "NO_COLOR=1 '$HEADROOM' run small.yaml" >out || true
    grep -q ' 100 %' out
    ! grep -q $'\x1b' out
    headroom run small.yaml >out 2>&1 || true
    ! grep -q $'\x1b' out
}
