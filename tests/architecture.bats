#!/usr/bin/env bats
# The arrows of docs/architecture.md, held by the includes.

# Prints the includes of room $1 that go to a room outside the pattern $2.
forbidden_includes() {
    grep -rnoE '#include "[a-z]+/[^"]*"' "$SOURCE_DIR/$1" --include='*.c' --include='*.h' |
        grep -vE "#include \"($2)/" || true
}

@test "models includes only the kernel" {
    [ -z "$(forbidden_includes models 'models|sim/kernel')" ]
}

@test "the kernel includes no other room" {
    [ -z "$(forbidden_includes sim/kernel 'sim/kernel')" ]
}

@test "scenarios includes only models and the kernel" {
    [ -z "$(forbidden_includes scenarios 'scenarios|models|sim/kernel')" ]
}

@test "workloads includes only scenarios and the kernel" {
    [ -z "$(forbidden_includes workloads 'workloads|scenarios|sim/kernel')" ]
}

@test "the cluster includes no scheduling and no workloads" {
    [ -z "$(forbidden_includes sim/cluster 'sim/cluster|sim/kernel|models|scenarios')" ]
}

@test "sim includes neither reports nor cli" {
    [ -z "$(forbidden_includes sim 'sim|workloads|scenarios|models')" ]
}

@test "plan includes neither reports nor cli" {
    [ -z "$(forbidden_includes plan 'plan|sim|workloads|scenarios|models')" ]
}

@test "reports does not include cli" {
    [ -z "$(forbidden_includes reports 'reports|sim|workloads|scenarios|models')" ]
}

@test "nothing but cli prints to the standard streams or exits" {
    run grep -rnE '\b(printf|puts|exit)\(|\bstdout\b' "$SOURCE_DIR"/sim "$SOURCE_DIR"/models \
        "$SOURCE_DIR"/workloads "$SOURCE_DIR"/scenarios "$SOURCE_DIR"/plan --include='*.c'
    [ "$status" -eq 1 ]
}
