#!/usr/bin/env bats
# The README and the docs say what is true: their commands run, their excerpts are real.
bats_require_minimum_version 1.5.0
load helpers

# A copy of what the commands need, laid out like a checkout that bootstrap.sh has built.
setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    cp -r "$SOURCE_DIR/scenarios" "$SOURCE_DIR/docs" .
    mkdir build
    ln -s "$HEADROOM" build/headroom
}

# Runs a line as a shell would. Objectives that are not met and queues without limit are results.
runs() { # LINE
    local status=0
    bash -c "$1" >/dev/null || status=$?
    case "$status" in
    0 | 3 | 4) ;;
    *) echo "failed: $1"; return 1 ;;
    esac
}

# The lines of the shell blocks of a document, continued lines joined.
commands_of() {
    awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$1" | sed 's/ *# .*//' | grep -v '^$'
}

@test "every command of the README runs" {
    build/headroom run scenarios/library/quickstart.yaml --quiet
    count=0
    while read -r line; do
        case "$line" in
        ./bootstrap.sh*) continue ;; # what the continuous check itself runs
        esac
        runs "$line"
        count=$((count + 1))
    done < <(commands_of "$SOURCE_DIR/README.md")
    [ "$count" -ge 7 ]
}

@test "every command of the docs runs" {
    build/headroom run scenarios/library/quickstart.yaml --quiet
    for file in scenario.md results.md models.md; do
        while read -r line; do
            runs "$line"
        done < <(commands_of "$SOURCE_DIR/docs/$file")
    done
}

# The snippets in the first column of the table under a heading of docs/scenario.md.
snippets_of() { # HEADING
    awk -v heading="### $1" '$0 == heading { on = 1; next } /^##/ { on = 0 } on' "$SOURCE_DIR/docs/scenario.md" |
        sed -n 's/^| `\({.*}\)` |.*/\1/p'
}

# A scenario of one workload with these keys has no problems.
check_workload() { # KEYS
    cat >snippet.yaml <<YAML
headroom: 1
horizon: 1d
cluster: {pools: {a100: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 8}}}
workloads: {train: {kind: jobs, $1}}
YAML
    build/headroom check snippet.yaml || { echo "refused: $1"; return 1; }
}

@test "every arrival process and distribution of the docs is valid as it is written" {
    printf 'seconds\n10\n20\n' >durations.csv
    count=0
    while read -r snippet; do
        check_workload "duration: 1h, arrivals: $snippet"
        count=$((count + 1))
    done < <(snippets_of arrivals)
    while read -r snippet; do
        key=duration
        [[ "$snippet" != "{choice:"* ]] || key=gpus
        [ $key = duration ] || snippet="$snippet, duration: 1h"
        check_workload "arrivals: {poisson: 1/h}, $key: $snippet"
        count=$((count + 1))
    done < <(snippets_of Distributions)
    [ "$count" -ge 13 ]
}

@test "the README's excerpt is what the quickstart prints" {
    build/headroom run scenarios/library/quickstart.yaml 2>/dev/null | grep -v '^4 runs, ' >printed
    awk '/^\$ build\/headroom run/ { on = 1; next } /^```$/ { on = 0 } on' "$SOURCE_DIR/README.md" |
        grep -v '^4 runs, ' >shown
    diff shown printed
}

@test "the README's scenario is the shipped one" {
    awk '/^```yaml$/ { n++; on = n == 1; next } /^```$/ { on = 0 } on' "$SOURCE_DIR/README.md" >scenarios/library/shown.yaml
    sed -i '/^name:/a description: Six A100 nodes, a week of training jobs, a long queue. Buy a node or change the queue?' \
        scenarios/library/shown.yaml
    for file in quickstart shown; do
        build/headroom run scenarios/library/$file.yaml -o $file.db --quiet
    done
    [ "$(sqlite3 quickstart.db 'select inputs_sha256 from run')" = "$(sqlite3 shown.db 'select inputs_sha256 from run')" ]
}

@test "./bootstrap.sh explains itself" {
    run "$SOURCE_DIR/bootstrap.sh" --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"bootstrap.sh run"* ]]
    run "$SOURCE_DIR/bootstrap.sh" nonsense
    [ "$status" -eq 2 ]
}
