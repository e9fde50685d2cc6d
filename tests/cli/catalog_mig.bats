#!/usr/bin/env bats
# headroom catalog mig: how MIG can cut a GPU, and where a layout lies.
bats_require_minimum_version 1.5.0
load helpers

@test "profiles as nvidia-smi mig -lgip and -lgipp list them" {
    run --separate-stderr headroom catalog mig A100-SXM4-80GB profiles
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ "${lines[0]}" == "A100-SXM4-80GB: 7 compute slices, 8 memory units, 108 SMs; switching MIG mode resets the GPU" ]]
    # Name, id, instances, slices, GiB, SMs, copy engines, decoders, JPEG, OFA, placements.
    [[ "$output" =~ 3g.40gb\ +9\ +2\ +3\ +39.2\ +42\ +3\ +2\ +0\ +0\ +\{0,4\}:4 ]]
    [[ "$output" =~ 1g.10gb\+me\ +20\ +1\ +1\ +9.50\ +14\ +1\ +1\ +1\ +1\ +\{0,1,2,3,4,5,6\}:1 ]]
    [[ "$output" != *"layouts"* ]]
}

@test "all layouts, the full ones marked, with what they strand" {
    run --separate-stderr headroom catalog mig A100-SXM4-80GB
    [ "$status" -eq 0 ]
    # Ids, ways, free slices, units and GiB, SMs lost: 3g+3g leaves 24 of 108 SMs.
    [[ "$output" =~ \*\ 2\ x\ 3g.40gb\ +9,9\ +1\ +1\ +0\ +0.00\ +22.2\ % ]]
    [[ "$output" =~ \*\ 3g.40gb\ \+\ 2\ x\ 2g.20gb\ +9,14,14\ +1\ +0\ +0\ +0.25\ +9.3\ % ]]
    [[ "$output" =~ $'\n'\ \ 2\ x\ 2g.20gb\ +14,14\ +3\ +3\ +4\ +39.5\ +48.1\ % ]]
    flat=$(tr '\n' ' ' <<<"$output")
    [[ "$flat" == *"77 layouts in 722 placements. To 28 layouts (*), however placed, and to 78 placements nothing can be added."* ]]
    [[ "$flat" == *"37 layouts in 297 placements, 12 and 19 of them full."* ]]
    [ "$(awk 'length($0) > 100' <<<"$output")" = "" ]
}

@test "engine variants on request" {
    [ "$(headroom catalog mig A30 layouts --format csv | grep -c '+me')" = 0 ]
    headroom catalog mig A30 layouts --engines --format csv | grep -q '^"2g.12gb+me,1g.6gb,1g.6gb",yes,"6,14,14",'
    # One JPEG engine for two +me.
    [ "$(headroom catalog mig A30 layouts --engines --format csv | grep -c '+me.*+me')" = 0 ]
}

@test "for machines: JSON with all of it, CSV of one table, Markdown" {
    [ "$(headroom catalog mig A100-SXM4-80GB --format json |
        jq -c '[.gpu, .compute_slices, .memory_units, (.profiles | length), (.layouts | length),
            .counts.placements, .counts.maximal_placements, .counts.maximal_layouts,
            .counts_without_doubled_memory.layouts, .counts.complete]')" = \
        '["A100-SXM4-80GB",7,8,7,77,722,78,28,37,true]' ]
    [ "$(headroom catalog mig A100-SXM4-80GB --format json |
        jq '[.layouts[] | select(.maximal == "yes")] | length')" = 28 ]
    # 2 x 40192 of 80384 MiB; 108 - 2 x 42 SMs.
    [ "$(headroom catalog mig A100-SXM4-80GB layouts --format csv |
        grep -c '^"3g.40gb,3g.40gb",yes,"9,9",1,1,0,0,24,0.2222222')" = 1 ]
    [ "$(headroom catalog mig A30 profiles --format csv | head -1)" = \
        "profile,id,max_instances,compute_slices,memory_units,memory_mib,sms,copy_engines,decoders,jpeg_engines,optical_flow_engines,placements,geometry_source,geometry_confidence,size_source,size_confidence" ]
    headroom catalog mig A30 --format markdown | grep -qF '| \* 2 x 2g.12gb |'
    refused_with "one table: say 'profiles' or 'layouts'" headroom catalog mig A30 --format csv
}

@test "what is not known is not made up" {
    # SMs and memory of 3g on B200.
    [ "$(headroom catalog mig B200 --format json |
        jq -c '.layouts[] | select(.layout == "3g.90gb") | [.stranded_compute_slices, .stranded_memory_units, .stranded_memory_mib, .lost_sms]')" = \
        '[4,4,null,null]' ]
    headroom catalog mig B200 --layout 3g.90gb | grep -q '? SMs'
}

@test "a layout as a picture: boxes to scale, and what is left" {
    run --separate-stderr headroom catalog mig A100-SXM4-80GB --layout 3g.40gb,2g.20gb
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    # The first placement in the order of starts: 3g at 0, 2g at 4; units 6 and 7 are free. A unit
    # is 12 columns, a slice 96 / 7, rounded down.
    expected='A100-SXM4-80GB: 3g.40gb + 2g.20gb

memory units
0           1           2           3           4           5           6           7
+-----------------------------------------------+-----------------------+-----------------------+
| 3g.40gb                                       | 2g.20gb               | free .................|
| 3 slices                                      | 2 slices              |.......................|
| 42 SMs                                        | 28 SMs                |.......................|
| 39.2 GiB                                      | 19.5 GiB              |.......................|
+-----------------------------------------------+-----------------------+-----------------------+
compute slices
+----------------------------------------+--------------------------+---------------------------+
| 3g.40gb                                | 2g.20gb                  | free .....................|
+----------------------------------------+--------------------------+---------------------------+

stranded: 2 of 7 compute slices, 2 of 8 memory units, 20,224 MiB, 38 of 108 SMs (35.2 %)
room left for: 1g.10gb, 1g.20gb
to cut it so: nvidia-smi mig -cgi 9:0,14:4 -C'
    [ "$output" = "$expected" ] || { diff <(echo "$output") <(echo "$expected"); false; }
}

@test "the search is exhaustive: 2g,2g,3g fits although 3g at 0 leaves one 2g without a place" {
    headroom catalog mig A100-SXM4-80GB --layout 9,14,14 | grep -q 'cgi 9:4,14:0,14:2 -C'
    headroom catalog mig A100-SXM4-80GB --layout ' 3g.40gb , 2G.20GB,14' | grep -q 'cgi 9:4,14:0,14:2 -C'
}

@test "no line is longer than a terminal's, and none is coloured in a pipe" {
    for layout in 65,67,66 14,14,14,14 64,66 0 67; do
        run headroom catalog mig RTX-PRO-6000-96GB --layout $layout
        [ "$status" -eq 0 ]
        [ "$(awk 'length($0) > 100' <<<"$output")" = "" ]
        [[ "$output" != *$'\x1b'* ]]
    done
}

@test "a placed layout for machines" {
    [ "$(headroom catalog mig A100-SXM4-80GB --layout 9,14,14 --format json |
        jq -c '[.instances[] | [.profile, .id, .start, .memory_units]], .stranded_compute_slices, .lost_sms')" = \
        '[["3g.40gb",9,4,4],["2g.20gb",14,0,2],["2g.20gb",14,2,2]]
0
10' ]
    [ "$(headroom catalog mig A100-SXM4-80GB --layout 9,14 --format csv | sed -n 2p)" = \
        "3g.40gb,9,0,4,3,40192,42" ]
}

@test "layouts that fit" {
    for layout in 9,14,19,19 14,14,14,19 4g.40gb,3g.40gb 9,9 0 19,19,19,19,19,19,19 1g.10gb+me,5,14; do
        headroom catalog mig A100-SXM4-80GB --layout $layout >/dev/null
    done
}

@test "layouts that do not, by the rule that fails" {
    refused_with "3+2+2+2 = 9 compute slices needed, 7 there; 4+2+2+2 = 10 memory units needed, 8 there; possible instead: 3g.40gb,2g.20gb,2g.20gb or 2g.20gb,2g.20gb,2g.20gb,1g.10gb" \
        headroom catalog mig A100-SXM4-80GB --layout 14,14,14,9
    refused_with "at most 2 of 3g.20gb, not 3" headroom catalog mig A100-SXM4-40GB --layout 9,9,9,14
    refused_with "4+3+1 = 8 compute slices needed, 7 there" \
        headroom catalog mig A100-SXM4-80GB --layout 4g.40gb,3g.40gb,1g.10gb
    refused_with "4+4+1 = 9 memory units needed, 8 there (the 7 compute slices would do)" \
        headroom catalog mig A100-SXM4-80GB --layout 3g.40gb,3g.40gb,1g.10gb
    refused_with "5 JPEG engines needed, 4 there (none in 1g.24gb-me, 2g.48gb-me)" \
        headroom catalog mig RTX --layout 1g.24gb+me.all,1g.24gb
}

@test "names of another size, and other bad names" {
    refused_with "no MIG profile '3g.20gb' (a name for another memory size); did you mean 3g.40gb?" \
        headroom catalog mig A100-SXM4-80GB --layout 4g.40gb,3g.20gb,1g.10gb
    refused_with "did you mean 1g.10gb+me?" headroom catalog mig A100-SXM4-80GB --layout 1g.10gb.me
    refused_with "no MIG profile with the id 3; its ids are 19 (1g.10gb)" \
        headroom catalog mig A100-SXM4-80GB --layout 3
    refused_with "no MIG profile ''" headroom catalog mig A100-SXM4-80GB --layout 9,
    refused_with '\x1b' headroom catalog mig A100-SXM4-80GB --layout $'\x1b[2J'
}

@test "GPUs without MIG, and bad calls" {
    refused_with "T4-16GB has no MIG; GPUs with MIG are A100-SXM4-40GB, " headroom catalog mig T4
    refused_with "T4-16GB has no MIG" headroom catalog mig T4 --layout 9
    refused_with "'A100' may be several GPUs: A100-SXM4-40GB, " headroom catalog mig A100
    refused_with "did you mean A100-SXM4-80GB?" headroom catalog mig A100-SXM-80GB
    refused_with "catalog mig needs a GPU" headroom catalog mig
    refused_with "'profiles' or 'layouts', not by 'layout'" headroom catalog mig A30 layout
}
