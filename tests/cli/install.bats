#!/usr/bin/env bats
# cmake --install: a prefix of one's own, DESTDIR, and a program that needs nothing of the source tree.
bats_require_minimum_version 1.5.0
load helpers

@test "installs the program with its papers, and what is installed works by itself" {
    cmake --install "$BUILD_DIR" --prefix "$PWD/usr" >/dev/null
    for file in bin/headroom share/man/man1/headroom.1 share/zsh/site-functions/_headroom \
        share/bash-completion/completions/headroom share/doc/headroom/README.md \
        share/doc/headroom/docs/scenario.md share/doc/headroom/schema.sql \
        share/headroom/library/quickstart.yaml share/headroom/library/quickstart.csv \
        share/headroom/templates/service.yaml; do
        [ -f "usr/$file" ] || { echo "no $file"; return 1; }
    done
    # Nothing but regular files in these folders, none of them empty.
    [ -z "$(find usr -type f -empty)" ]
    mv usr elsewhere
    mkdir empty
    cd empty
    ../elsewhere/bin/headroom init quickstart 2>/dev/null
    ../elsewhere/bin/headroom run quickstart.yaml --quiet
    ../elsewhere/bin/headroom compare headroom.db >/dev/null
    ../elsewhere/bin/headroom run ../elsewhere/share/headroom/library/quickstart.yaml --quiet -o again.db
    [ "$(sqlite3 headroom.db 'select count(*) from run')" = 4 ]
    cmp <(sqlite3 headroom.db 'select value from metric') <(sqlite3 again.db 'select value from metric')
}

@test "DESTDIR is put before the prefix" {
    DESTDIR=$PWD/stage cmake --install "$BUILD_DIR" --prefix /opt/headroom >/dev/null
    [ -x stage/opt/headroom/bin/headroom ]
    [ -f stage/opt/headroom/share/man/man1/headroom.1 ]
    stage/opt/headroom/bin/headroom --version
}
