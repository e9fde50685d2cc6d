#!/usr/bin/env bats
# docs/results.md names all that a database holds.
bats_require_minimum_version 1.5.0
load helpers

# Whether the text stands in docs/results.md as code.
documented() {
    grep -qF -e "\`$1\`" "$SOURCE_DIR/docs/results.md" || { echo "docs/results.md lacks $1"; return 1; }
}

@test "every table, view and column of a table" {
    write_small_scenario
    headroom run small.yaml --quiet
    while read -r name; do
        documented "$name"
    done < <(sqlite3 headroom.db "select name from sqlite_schema where type in ('table', 'view')
                                  and name not like 'sqlite_%'")
    # Those of job_row and request_row but their key are those of the views job and request.
    while read -r name; do
        documented "$name"
    done < <(sqlite3 headroom.db "select distinct c.name from sqlite_schema t, pragma_table_info(t.name) c
                                  where t.type = 'table' and t.name not like 'sqlite_%' and c.name <> 'id'
                                  union select c.name from pragma_table_info('job') c
                                  union select c.name from pragma_table_info('request') c")
}

@test "every column that a view adds" {
    write_small_scenario
    headroom run small.yaml --quiet
    for view in v_jobs v_requests v_latency v_cost v_gpu_time v_objectives; do
        while read -r name; do
            documented "$name"
        done < <(sqlite3 headroom.db "select name from pragma_table_info('$view')")
    done
}

@test "every figure, with its scopes" {
    write_modes_scenario
    headroom run modes.yaml --variant mps --set horizon=2m --quiet
    count=0
    while IFS='|' read -r name scope; do
        count=$((count + 1))
        # wait_s.p90 is `.p90` in the row of `wait_s.mean`, or covered by `wait_s.*`.
        family=${name%.*}
        rest=.${name##*.}
        grep -E "^\| .*(\`$name\`|\`$family\.\*\`|\`$family\.[a-z]+(\.[a-z]+)?\`.*\`$rest\`)" \
            "$SOURCE_DIR/docs/results.md" | grep -qw "$scope" ||
            { echo "docs/results.md lacks $name of scope $scope"; return 1; }
    done < <(sqlite3 headroom.db 'select distinct name, scope from metric')
    [ "$count" -gt 100 ]
}

@test "every member of the JSON object" {
    write_small_scenario
    headroom run small.yaml --json --set 'objectives=[run.completed >= 1]' >out.json
    while read -r name; do
        documented "$name"
    done < <(jq -r '(keys + (.objectives[0] | keys) + (.summary[0] | keys) + (.runs[0] | keys) +
                     (.summary[0].metrics | first(.[]) | keys) +
                     (.runs[0].pools.a100 | keys))[]' out.json)
}

@test "every column of compare for machines" {
    write_small_scenario
    headroom run small.yaml --quiet
    while read -r name; do
        documented "$name"
    done < <(headroom compare headroom.db --format json | jq -r '.rows[0] | keys[]' |
             grep -E '_ratio$|_change$|^slo_services$|^unstable$|^objectives')
}
