#!/usr/bin/env bash
# From a fresh Debian 12 to a result in one command:
#   ./bootstrap.sh run [SCENARIO...]   installs what is missing, builds, runs (default: the quickstart)
#   ./bootstrap.sh test                installs what is missing, builds, runs the tests (all but the label `long`)
#   ./bootstrap.sh deps                only installs what is missing
# Safe to repeat: what is there is left alone.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build="$root/build"

run_packages=(gcc cmake make pkg-config libc6-dev libgsl-dev libsqlite3-dev libcsv-dev libyaml-dev
              libjansson-dev zlib1g-dev libmd-dev gnuplot-nox)
test_packages=(libcmocka-dev bats sqlite3 jq chromium zsh groff-base python3-prometheus-client)

say() { printf 'bootstrap: %s\n' "$*" >&2; }

missing_packages() {
    local package
    for package in "$@"; do
        if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            printf '%s\n' "$package"
        fi
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        say "not root and no sudo: as root, run: $*"
        exit 1
    fi
}

install_missing() {
    local missing
    if ! command -v dpkg-query >/dev/null; then
        say "this is no Debian: install the equivalents of: $*"
        return
    fi
    mapfile -t missing < <(missing_packages "$@")
    if [ "${#missing[@]}" -eq 0 ]; then
        say "all packages are there"
        return
    fi
    say "installing: ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" >/dev/null
}

build_in() {
    local folder=$1
    shift
    say "building in ${folder#"$root"/}"
    cmake -S "$root" -B "$folder" -DCMAKE_BUILD_TYPE=Release -DCMAKE_RULE_MESSAGES=OFF \
        -DCMAKE_TARGET_MESSAGES=OFF "$@" >/dev/null
    cmake --build "$folder" --parallel "$(nproc)" -- --no-print-directory --quiet
}

usage() {
    sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

case "${1:-}" in
deps)
    install_missing "${run_packages[@]}" "${test_packages[@]}"
    ;;
run)
    shift
    install_missing "${run_packages[@]}"
    build_in "$build" -DBUILD_TESTING=OFF
    if [ "$#" -eq 0 ]; then
        set -- "$root/scenarios/library/quickstart.yaml"
        say "running the quickstart: headroom run ${1#"$root"/}"
    fi
    exec "$build/headroom" run "$@"
    ;;
test)
    install_missing "${run_packages[@]}" "${test_packages[@]}"
    build_in "$build" -DBUILD_TESTING=ON
    say "running the tests"
    cd "$build"
    exec ctest --output-on-failure --label-exclude long --parallel "$(nproc)"
    ;;
-h | --help)
    usage
    ;;
*)
    usage >&2
    exit 2
    ;;
esac
