#!/usr/bin/env bash
# Runs the command plait and checks its output. plait.sh CASE PLAIT FOLDER
set -eu
plait=$2 folder=$3
small=(--backend cpu --threads 2 --strands 40 --vertices 8 --frames 4 --warmup 0)

# All ways to ask for help work, and none is an error.
case_help() {
    "$plait" help >"$folder/all"
    "$plait" --help | diff "$folder/all" - || fail "plait help and plait --help differ"
    local command
    for command in info sim bench validate; do
        grep -q "^  $command " "$folder/all" || fail "plait help does not list $command"
        "$plait" help $command >"$folder/$command"
        grep -q "^usage: plait $command" "$folder/$command" || fail "plait help $command: no usage"
        "$plait" $command --help | diff "$folder/$command" - || fail "plait help $command and $command --help differ"
    done
    exits 2 "$plait" help nonsense
    exits 2 "$plait" nonsense
    grep -q "plait help" "$folder/error" || fail "an unknown command does not name the help"
}

# A file that cannot be written is refused before any work, with its option; no other file is touched.
case_missing_folder() {
    local nowhere=$folder/nowhere/file
    refuses_path --picture sim "${small[@]}" --picture "$nowhere.png"
    refuses_path --out sim "${small[@]}" --out "$nowhere.obj"
    refuses_path --out sim "${small[@]}" --out "$nowhere.plait"
    refuses_path --png validate stretch --quick --png "$nowhere.png"
    refuses_path --csv validate stretch --quick --csv "$nowhere.csv"
    refuses_path --json validate stretch --quick --csv "$folder/kept.csv" --json "$nowhere.json"
    refuses_path --json bench --json "$nowhere.json"
    refuses_path --picture sim "${small[@]}" --picture "$folder/folder.png"
    [ ! -e "$folder/kept.csv" ] || fail "a refused command has written a file"
    "$plait" sim "${small[@]}" --picture "$folder/there.png" >"$folder/out"
    [ -s "$folder/there.png" ] || fail "there is no picture"
}

# Stage times are sums over threads, the frame's is not: the table says so.
case_stage_times() {
    "$plait" sim "${small[@]}" >"$folder/out"
    grep -q "^frame, mean .* wall time" "$folder/out" || fail "the frame's time is not called wall time"
    grep -q "^stage, summed over threads " "$folder/out" || fail "stage times are not called sums"
}

# Every figure says what it measures, in the list and beside its value.
case_bench_meaning() {
    "$plait" bench --help >"$folder/help"
    sed -n '/figures:$/,/^$/p' "$folder/help" | sed '1d;/^$/d' >"$folder/figures"
    [ "$(wc -l <"$folder/figures")" -ge 15 ] || fail "figures are missing"
    awk 'NF < 4 { print; bad = 1 } END { exit bad }' "$folder/figures" || fail "these do not say what they measure"
    "$plait" bench rod.ns_per_vertex_13 >"$folder/out"
    local what
    what=$(sed -n 's/^  rod.ns_per_vertex_13 *//p' "$folder/help")
    grep "^rod.ns_per_vertex_13 " "$folder/out" | grep -qF "$what" || fail "the result does not say what it measures"
}

# A comparison without a target says so, and its rows cannot be mistaken for failures.
case_stick_slip() {
    "$plait" validate stick_slip --quick --threads 1 >"$folder/out"
    grep -q "no target" "$folder/out" || fail "stick_slip does not say that it has no target"
    ! grep -qw -e error -e "-100.000" "$folder/out" || fail "differences look like errors"
    grep "^ *validate.stick_slip_worst " "$folder/out" | grep -q " none " || fail "the figure seems to have a target"
}

# A line is printed before the first frame, which may take long.
case_first_line() {
    "$plait" sim "${small[@]}" >"$folder/out" 2>&1
    head -n 1 "$folder/out" | grep -q "^simulating 40 strands" || fail "nothing is said before the first frame"
}

# exits CODE COMMAND...
exits() {
    local code=$1 status=0
    shift
    "$@" >"$folder/out" 2>"$folder/error" || status=$?
    [ $status = "$code" ] || fail "$*: exit code $status, expected $code: $(cat "$folder/error")"
}

# refuses_path OPTION ARGUMENT...: an error that names the option, and nothing else was done.
refuses_path() {
    local option=$1
    shift
    exits 2 "$plait" "$@"
    grep -q -e "$option: " "$folder/error" || fail "$*: $(cat "$folder/error")"
    [ ! -s "$folder/out" ] || fail "$*: work was done before the path was checked"
}

fail() {
    echo "$*" >&2
    exit 1
}

rm -rf "$folder"
mkdir -p "$folder/folder.png"
"case_$1"
