#!/usr/bin/env bats
# What the program says of itself: --help, the man page and the completions, all from the same tables.
bats_require_minimum_version 1.5.0
load helpers

commands() {
    headroom --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'
}

options() { # COMMAND
    headroom "$1" --help | sed -n '/^Options:/,/^$/s/^  \(-., \|    \)--\([a-z-]*\).*/\2/p'
}

@test "every command explains itself, with examples" {
    [ "$(commands | wc -l)" -ge 8 ]
    for command in $(commands); do
        run --separate-stderr headroom "$command" --help
        [ "$status" -eq 0 ]
        [ -z "$stderr" ]
        [[ "$output" == "Usage: headroom $command "*"Options:"*"--help"*"Examples:"*"  headroom $command"* ]]
        [ "$(headroom "$command" -h)" = "$output" ]
        # Lines that a terminal of 100 columns holds.
        [ -z "$(awk 'length > 100' <<<"$output")" ]
    done
}

@test "every example runs as it stands" {
    ln -s "$SOURCE_DIR/scenarios" scenarios
    headroom init quickstart
    headroom init train-and-serve-timeslice
    headroom run quickstart.yaml --quiet
    headroom run train-and-serve-timeslice.yaml --set horizon=2h --set replications=1 -o small.db --quiet
    count=0
    while read -r line; do
        case "$line" in
        "headroom selftest") continue ;; # takes minutes
        "headroom sweep "*) line="$line --set horizon=2h --set replications=1" ;;
        "headroom init "*) line="$line --force" ;;
        esac
        status=0
        bash -c "${line/#headroom/\"$HEADROOM\"}" >/dev/null 2>messages || status=$?
        case "$status" in
        0 | 3 | 4) ;;
        *) echo "status $status: $line"; cat messages; return 1 ;;
        esac
        count=$((count + 1))
    done < <(for command in $(commands); do
        headroom "$command" --help | sed -n '/^Examples:/,$s/^  \(headroom .*\)/\1/p'
    done)
    [ "$count" -ge 20 ]
}

@test "the man page has every command, option, template and status" {
    page=$BUILD_DIR/documents/headroom.1
    for command in $(commands); do
        grep -q "^\.SS headroom $command " "$page"
        for option in $(options "$command"); do
            grep -qF -- "\\-\\-${option//-/\\-}" "$page" || { echo "no --$option"; return 1; }
        done
    done
    grep -q '^\.B quickstart$' "$page"
    for status in 0 1 2 3 4 130; do
        grep -q "^\.B $status$" "$page"
    done
    command -v groff >/dev/null || skip "there is no groff"
    [ -z "$(groff -man -ww -Tutf8 "$page" 2>&1 >/dev/null)" ]
}

# What bash would offer for the words, of which the last is being typed.
complete_bash() { # WORD...
    bash -c '
        source "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _headroom
        printf "%s\n" "${COMPREPLY[@]}"' bash "$BUILD_DIR/documents/headroom.bash" "$@"
}

@test "bash completes commands, options, files and words" {
    diff <(complete_bash headroom '' | grep -v '^--' | sort) <(commands | sort)
    [ "$(complete_bash headroom sel)" = selftest ]
    for command in $(commands); do
        diff <(complete_bash headroom "$command" -- | sort) <(options "$command" | sed 's/^/--/' | sort)
    done
    touch a.yaml b.db c.txt
    mkdir folder
    [ "$(complete_bash headroom run '' | sort | tr '\n' ' ')" = "a.yaml folder " ]
    [ "$(complete_bash headroom compare '' | sort | tr '\n' ' ')" = "b.db folder " ]
    [ "$(complete_bash headroom run -o '' | sort | tr '\n' ' ')" = "b.db folder " ]
    [ "$(complete_bash headroom report --plots '')" = folder ]
    [ "$(complete_bash headroom compare --format '' | tr '\n' ' ')" = "table markdown csv json " ]
    [ "$(complete_bash headroom catalog m | tr '\n' ' ')" = "mig models " ]
    [ "$(complete_bash headroom init quick)" = quickstart ]
    [ -z "$(complete_bash headroom run --set '')" ]
}

@test "zsh reads its completion" {
    for command in $(commands); do
        for option in $(options "$command"); do
            grep -q "^ *'\*--$option[=[]" "$BUILD_DIR/documents/_headroom" || { echo "no --$option"; return 1; }
        done
    done
    command -v zsh >/dev/null || skip "there is no zsh"
    zsh -n "$BUILD_DIR/documents/_headroom"
}
