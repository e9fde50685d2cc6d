#!/usr/bin/env bats
# headroom init: the templates, which are valid scenarios.
bats_require_minimum_version 1.5.0
load helpers

templates() {
    headroom init --list | sed -n 's/^  \([a-z0-9-][a-z0-9-]*\) .*/\1/p'
}

@test "without a template, lists them with what they ask" {
    run --separate-stderr headroom init
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ "$output" == *"  quickstart "*"Buy a node"* ]]
    [ "$(headroom init --list)" = "$output" ]
    [ ! -e quickstart.yaml ]
}

@test "every scenario of the templates and the library is one, once" {
    diff <(templates | sort) <(cd "$SOURCE_DIR/scenarios" && ls templates/*.yaml library/*.yaml |
        sed 's,.*/,,; s/\.yaml$//' | sort)
    for name in $(templates); do
        # A line that fits, as lists and completions show it.
        headroom init --list | grep -qE "^  $name +[A-Z]" || { echo "$name has no description"; return 1; }
    done
}

@test "what it writes is the shipped file, byte by byte, and has no problems" {
    for name in $(templates); do
        headroom init "$name" 2>/dev/null
        headroom check "$name.yaml"
    done
    for file in *; do
        cmp "$file" "$SOURCE_DIR/scenarios/library/$file" 2>/dev/null ||
            cmp "$file" "$SOURCE_DIR/scenarios/templates/$file"
    done
}

@test "the small ones run" {
    for name in jobs service mig trace quickstart; do
        headroom init "$name" 2>/dev/null
        run headroom run "$name.yaml" --quiet
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
    done
    # Every variant of every template, and not all of them miss their objectives.
    [ "$(sqlite3 headroom.db "select count(distinct scenario || variant) from run")" -eq 16 ]
    for name in jobs service mig trace; do
        met=$(sqlite3 headroom.db "select group_concat(distinct met) from v_objectives where scenario = '$name'")
        [ "$met" = 0,1 ] || [ "$met" = 1,0 ] || { echo "$name: $met"; return 1; }
    done
}

@test "the beginning of a name will do where only one begins so" {
    run --separate-stderr headroom init quick
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [[ "$stderr" == *"Wrote quickstart.csv."*"Wrote quickstart.yaml."*"headroom check quickstart.yaml"* ]]
    refused_with "several templates begin with 'm'" headroom init m
    # A whole name counts, though others begin with it.
    headroom init mig
    [ -e mig.yaml ]
    refused_with "no template 'servce': did you mean 'service'?" headroom init servce
    refused_with "there is no template ''" headroom init ''
    refused_with "so not also 'trace'" headroom init jobs trace
}

@test "-o names the scenario, its trace stays beside it" {
    mkdir cases
    headroom init trace -o cases/mine.yaml
    cmp cases/mine.yaml "$SOURCE_DIR/scenarios/templates/trace.yaml"
    [ -e cases/trace.csv ]
    headroom check cases/mine.yaml
    headroom init jobs -o - | cmp - "$SOURCE_DIR/scenarios/templates/jobs.yaml"
    [ ! -e jobs.yaml ]
    refused_with "no/mine.yaml: cannot be written: No such file" headroom init jobs -o no/mine.yaml
}

@test "nothing is overwritten unasked" {
    echo mine >jobs.yaml
    refused_with "jobs.yaml is there already" headroom init jobs
    [ "$(cat jobs.yaml)" = mine ]
    headroom init jobs --force
    cmp jobs.yaml "$SOURCE_DIR/scenarios/templates/jobs.yaml"
}
