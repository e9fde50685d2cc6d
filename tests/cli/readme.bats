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
        bash -c "$line" >/dev/null || { echo "failed: $line"; return 1; }
        count=$((count + 1))
    done < <(commands_of "$SOURCE_DIR/README.md")
    [ "$count" -ge 7 ]
}

@test "every command of the docs runs" {
    build/headroom run scenarios/library/quickstart.yaml --quiet
    for file in scenario.md results.md models.md; do
        while read -r line; do
            bash -c "$line" >/dev/null || { echo "failed: $line"; return 1; }
        done < <(commands_of "$SOURCE_DIR/docs/$file")
    done
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
