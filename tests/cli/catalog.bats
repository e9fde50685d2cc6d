#!/usr/bin/env bats
# headroom catalog: what the program knows by itself.
bats_require_minimum_version 1.5.0
load helpers

@test "alone it says what there is" {
    run --separate-stderr headroom catalog
    [ "$status" -eq 0 ]
    [[ "$output" == *"headroom catalog gpus "* ]]
}

@test "the GPUs for people: memory and price, a dash where no price is known" {
    run --separate-stderr headroom catalog gpus
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ "$output" =~ A100-SXM4-80GB\ +80.0\ +\$3.43\ +AWS\ p4de.24xlarge\ +on-demand\ +2026-11-09 ]]
    [[ "$output" =~ P100-16GB\ +16.0\ +-\ +-\ +-\ +- ]]
    # A line each, the header, a blank line and two of explanation.
    [ "$(wc -l <<<"$output")" = "$(($(wc -l <"$SOURCE_DIR/models/catalogue/gpus.csv") + 3))" ]
}

@test "every figure with its source, in all formats but the table" {
    headroom catalog gpus --format markdown | grep -q '^| T4-16GB .*| [^|]*[a-z][^|]* | - |$'
    [ "$(headroom catalog gpus --format csv | head -1)" = \
        "name,memory_gib,price_usd_per_gpu_hour,price_provider,price_kind,price_date,memory_source,price_source" ]
    [ "$(headroom catalog gpus --format json |
        jq -c '.[] | select(.name == "P100-16GB") | [.memory_gib, .price_usd_per_gpu_hour, .price_kind]')" = \
        '[16,null,null]' ]
    [ "$(headroom catalog gpus --format json | jq '[.[] | .memory_source] | all(length > 0)')" = true ]
}

@test "bad calls" {
    refused_with "there is no catalogue 'gpu'" headroom catalog gpu
    refused_with "--format takes" headroom catalog gpus --format xml
}
