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
    for command in info sim groom rest sagfree figures bench validate; do
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
    refuses_path --picture figures --picture "$nowhere.png"
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

# Bench measures a comparison as validate does, and prints nothing but its figure.
case_bench_validate() {
    "$plait" validate coarse --threads 1 >"$folder/out" || [ $? = 1 ] || fail "validate broke off"
    "$plait" bench validate.coarse_worst >"$folder/bench"
    sed -n 's/^ *\(validate.coarse_worst \)/\1/p' "$folder/out" >"$folder/figure"
    [ -s "$folder/figure" ] || fail "validate does not print its figure"
    tail -n +2 "$folder/bench" | diff "$folder/figure" - || fail "bench and validate differ"
}

# Texts of rows have commas; the columns of the file are right all the same.
case_validate_csv() {
    "$plait" validate stretch modes --quick --threads 1 --csv "$folder/rows.csv" >"$folder/out"
    grep -q '"[^"]*,[^"]*"' "$folder/rows.csv" || fail "no text has a comma"
    sed 's/"[^"]*"//' "$folder/rows.csv" | awk -F, 'NF != 6 { print; bad = 1 } END { exit bad || NR < 10 }' ||
        fail "these rows do not have six columns"
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

# Hair at rest is a success. At one step a second it has no time to come to rest: that is a failure, and the row says so.
case_rest() {
    local one=(rest --backend cpu --threads 2 --solver shape --strands 40)
    "$plait" "${one[@]}" --groom 3b --motion nod >"$folder/out" || fail "curls do not rest: $(cat "$folder/out")"
    grep -q "^shape *3b *nod  *0  *0 .* yes$" "$folder/out" || fail "no row: $(cat "$folder/out")"
    [ "$(grep -c ^shape "$folder/out")" = 1 ] || fail "more than was asked for: $(cat "$folder/out")"
    exits 1 "$plait" "${one[@]}" --groom 1c --motion violent --rate 1
    grep -q "^shape *1c *violent .* no$" "$folder/out" || fail "no row: $(cat "$folder/out")"
    grep -q "^0 of 1 at rest" "$folder/out" || fail "no summary: $(cat "$folder/out")"
    # Coils on a still head, at many steps a second: 4 of these whipped.
    exits 0 "$plait" rest --backend cpu --threads 2 --solver hybrid --strands 24 --groom 4b --motion still --rate 240
    exits 2 "$plait" rest --groom nonsense
    grep -q -e "--groom" "$folder/error" || fail "$(cat "$folder/error")"
}

# Hair that rests as it was drawn is a success; without rest_gravity it sags, which is a failure, and the row says so.
case_sagfree() {
    local one=(sagfree --backend cpu --threads 2 --strands 20 --groom 1b --motion nod --seconds 1)
    "$plait" "${one[@]}" >"$folder/out" || fail "hair does not stay as drawn: $(cat "$folder/out")"
    grep -q "^1b *nod  *0\.[0-9]* .* yes$" "$folder/out" || fail "no row: $(cat "$folder/out")"
    [ "$(grep -c ^1b "$folder/out")" = 1 ] || fail "more than was asked for: $(cat "$folder/out")"
    exits 1 "$plait" "${one[@]}" --as-drawn
    grep -q "^1b *nod .* no$" "$folder/out" || fail "no row: $(cat "$folder/out")"
    grep -q "^0 of 1 as drawn" "$folder/out" || fail "no summary: $(cat "$folder/out")"
    exits 2 "$plait" sagfree --groom nonsense
    grep -q -e "--groom" "$folder/error" || fail "$(cat "$folder/error")"
}

# The experiments of the hair-hair paper, small: stiffer is thicker, a fluid spreads farther than sand, and there is a picture.
case_figures() {
    local one=(figures --threads 2 --side 5 --strands 30 --seconds 0.2)
    "$plait" "${one[@]}" --picture "$folder/figures.png" >"$folder/out"
    [ -s "$folder/figures.png" ] || fail "there is no picture"
    [ "$(grep -c ' Pa .* mm from the wall' "$folder/out")" = 5 ] || fail "stiffnesses are missing: $(cat "$folder/out")"
    [ "$(grep -c '^sand, .* cm: ' "$folder/out")" = 4 ] || fail "friction angles are missing: $(cat "$folder/out")"
    [ "$(grep -c '^[23] substeps .* mm from ' "$folder/out")" = 2 ] || fail "substeps are missing: $(cat "$folder/out")"
    awk '/ Pa / { if ($1 == 0) limp = $3; if ($1 == 4000) stiff = $3 } END { exit !(stiff > limp) }' "$folder/out" ||
        fail "the stiff tress is no thicker: $(cat "$folder/out")"
    awk '/^fluid/ { fluid = $2 } /^sand, 40/ { sand = $4 } END { exit !(fluid > sand) }' "$folder/out" ||
        fail "the fluid spreads no farther than sand: $(cat "$folder/out")"
    exits 2 "$plait" figures --side 1
    grep -q -e "--side" "$folder/error" || fail "$(cat "$folder/error")"
}

# A groom file says nothing of a head: one is fitted to its roots, and strands that are pulled through it lie on it.
case_file_body() {
    local star=(sim --backend cpu --threads 2 --groom "$folder/star.hair" --scale 0.125 --motion still --warmup 0
        --frames 60 --gravity -100,-100,0)
    write_star 6 >"$folder/star.hair"
    "$plait" "${star[@]}" --no-body --out "$folder/bare.obj" >"$folder/out"
    grep -q "^body  *none$" "$folder/out" || fail "--no-body leaves a body: $(cat "$folder/out")"
    awk "$nearest"' END { exit !(least < 0.11) }' "$folder/bare.obj" || fail "no strand would reach into the head"
    "$plait" "${star[@]}" --out "$folder/head.obj" >"$folder/out"
    grep -q "^body .*12.50 cm" "$folder/out" || fail "the head does not fit: $(cat "$folder/out")"
    awk "$nearest"' END { exit !(least > 0.124) }' "$folder/head.obj" || fail "strands are in the head"
    write_star 4 >"$folder/star.hair" # roots in a plane
    "$plait" "${star[@]}" >"$folder/out"
    grep -q "^body  *none: " "$folder/out" || fail "a head for roots in a plane: $(cat "$folder/out")"
    "$plait" sim "${small[@]}" >"$folder/out"
    grep -q "^body  *mannequin$" "$folder/out" || fail "a preset has another body: $(cat "$folder/out")"
}

# A groom goes through every form without loss; what is wrong is said with the file and the reason.
case_groom() {
    local star=$folder/star.hair
    write_star 6 >"$star"
    "$plait" groom info "$star" >"$folder/out"
    grep -q "^strands  *6$" "$folder/out" || fail "strands are not counted: $(cat "$folder/out")"
    grep -q "^length  *1, 1, 1$" "$folder/out" || fail "lengths are wrong: $(cat "$folder/out")"
    "$plait" groom guides "$star" "$folder/guides.hair" --only --count 2 >"$folder/out"
    "$plait" groom info "$folder/guides.hair" | grep -q "^strands  *2$" || fail "guides are wrong"
    "$plait" groom guides "$star" "$folder/GUIDES.HAIR" --only --count 7 >"$folder/out" 2>"$folder/error"
    grep -q -e "--count: 6 guides, which is all" "$folder/error" || fail "nobody says that 7 are too many: $(cat "$folder/error")"
    "$plait" groom info "$folder/GUIDES.HAIR" | grep -q "^strands  *6$" || fail "not all are guides"
    : >"$folder/empty.hair"
    exits 1 "$plait" groom info "$folder/empty.hair"
    grep -q "empty.hair: the file is empty" "$folder/error" || fail "$(cat "$folder/error")"
    "$plait" groom resample "$star" "$folder/fine.hair" --vertices 9 --scale 0.5 --axes x,z,-y >"$folder/out"
    "$plait" groom info "$folder/fine.hair" >"$folder/out"
    grep -q "^vertices  *54$" "$folder/out" || fail "vertices are wrong: $(cat "$folder/out")"
    grep -q "^length  *0.5, 0.5, 0.5$" "$folder/out" || fail "the scale is wrong: $(cat "$folder/out")"
    local to
    for to in "$folder/star.obj" "$folder/nowhere/star.hair"; do
        ! "$plait" groom convert "$star" "$to" 2>"$folder/error" || fail "$to: written"
        grep -q "$to" "$folder/error" || fail "$(cat "$folder/error")"
    done
    head -c 200 "$star" >"$folder/short.hair"
    exits 1 "$plait" groom info "$folder/short.hair"
    grep -q "short.hair: .* need 488 bytes, the file has 200" "$folder/error" || fail "$(cat "$folder/error")"
    exits 2 "$plait" groom
    exits 2 "$plait" groom nonsense
    exits 2 "$plait" groom info
    exits 2 "$plait" groom resample "$star" "$folder/x.hair"
    grep -q -e "--vertices" "$folder/error" || fail "$(cat "$folder/error")"
    exits 2 "$plait" groom convert "$star" "$folder/x.hair" --axes x,x,y
    exits 2 "$plait" groom guides "$star" "$folder/x.hair"
    grep -q -e "--only" "$folder/error" || fail "$(cat "$folder/error")"
    exits 0 "$plait" groom --help
    if "$plait" groom convert "$star" "$folder/star.npz" 2>"$folder/error" >"$folder/out"; then
        "$plait" groom guides "$folder/star.npz" "$folder/guides.npz" --percent 50 --compress >"$folder/out"
        "$plait" groom info "$folder/guides.npz" | grep -q "^guides  *3$" || fail "the choice of guides is not kept"
        # A file that tells its unit needs no scale: roots on a sphere of one unit, of eight metres each.
        "$plait" groom convert "$star" "$folder/metres.npz" --scale 8 --unit 1 >"$folder/out"
        "$plait" groom convert "$folder/metres.npz" "$folder/eighths.npz" --scale 0.125 >"$folder/out"
        "$plait" groom info "$folder/eighths.npz" | grep -q "^metres per unit  *8$" || fail "the unit did not scale"
        "$plait" sim --backend cpu --groom "$folder/eighths.npz" --frames 1 --warmup 0 >"$folder/out" 2>&1
        grep -q "^body .*800.00 cm" "$folder/out" || fail "the unit of the file does not count: $(cat "$folder/out")"
        "$plait" groom convert "$folder/star.npz" "$folder/again.hair" >"$folder/out"
        cmp "$star" "$folder/again.hair" || fail "another file came back"
    else
        grep -q "without libzip" "$folder/error" || fail "$(cat "$folder/error")"
    fi
}

# Roots are bound to what is nearest; distances are told, and the binding is kept.
case_bind() {
    local star=$folder/star.hair to=$folder/bound.npz
    write_star 6 >"$star"
    # A square at x = 0.5 around the axis: from roots at 1 and -1 it is half and three halves away.
    printf 'v 0.5 -2 -2\nv 0.5 2 -2\nv 0.5 2 2\nv 0.5 -2 2\nf 1 2 3 4\n' >"$folder/wall.obj"
    if ! "$plait" groom bind "$star" "$to" --mesh "$folder/wall.obj" >"$folder/out" 2>"$folder/error"; then
        grep -q "without libzip" "$folder/error" || fail "$(cat "$folder/error")"
        return
    fi
    grep -q "^mesh  *4 vertices, 2 triangles$" "$folder/out" || fail "the mesh is not told: $(cat "$folder/out")"
    grep -q "^distance  *0.5, 0.5, 1.5$" "$folder/out" || fail "distances are wrong: $(cat "$folder/out")"
    "$plait" groom info "$to" | grep -q "^mesh  *4 vertices, 2 triangles, roots on" || fail "the binding is not kept"
    {
        printf 'HIERARCHY\nROOT Hips\n{\nOFFSET 0 -100 0\nCHANNELS 3 Xposition Yposition Zposition\n'
        printf 'JOINT Head\n{\nOFFSET 0 100 0\nCHANNELS 1 Yrotation\nEnd Site\n{\nOFFSET 0 10 0\n}\n}\n}\n'
        printf 'MOTION\nFrames: 1\nFrame Time: 1\n0 0 0 0\n'
    } >"$folder/person.bvh"
    "$plait" groom bind "$star" "$to" --skeleton "$folder/person.bvh" --other-scale 0.01 >"$folder/out"
    grep -q "^bones  *2, 2 of them with roots$" "$folder/out" || fail "bones are wrong: $(cat "$folder/out")"
    exits 2 "$plait" groom bind "$star" "$to"
    grep -q -e "--mesh" "$folder/error" || fail "$(cat "$folder/error")"
    exits 2 "$plait" groom bind "$star" "$folder/bound.hair" --mesh "$folder/wall.obj"
    exits 2 "$plait" groom bind "$star" "$to" --mesh "$folder/wall.obj" --skeleton "$folder/person.bvh"
    exits 1 "$plait" groom bind "$star" "$to" --mesh "$star"
    grep -q -e "--mesh: .*star.hair" "$folder/error" || fail "$(cat "$folder/error")"
    exits 1 "$plait" groom bind "$star" "$to" --bones "$folder/wall.obj"
    grep -q "tfxbone" "$folder/error" || fail "$(cat "$folder/error")"
}

# All strands of a file are shown, and some of them are simulated.
case_render_file() {
    local shown star=(sim --backend cpu --threads 2 --groom "$folder/star.hair" --scale 0.125 --motion still --warmup 0 --frames 2)
    write_star 6 >"$folder/star.hair"
    "$plait" "${star[@]}" --strands 2 --render-strands all --out "$folder/all.obj" >"$folder/out"
    grep -q "^strands  *2$" "$folder/out" || fail "not two guides: $(cat "$folder/out")"
    grep -q "^render strands  *6$" "$folder/out" || fail "not all are shown: $(cat "$folder/out")"
    [ "$(grep -c '^v ' "$folder/all.obj")" = 30 ] || fail "not all are written"
    "$plait" "${star[@]}" --strands 2 --render-strands 4 >"$folder/out"
    grep -q "^render strands  *4$" "$folder/out" || fail "not four are shown: $(cat "$folder/out")"
    # Guides that a file names are all simulated, however few strands are shown; a mesh under the roots is told.
    printf 'v 0.5 -2 -2\nv 0.5 2 -2\nv 0.5 2 2\nf 1 2 3\n' >"$folder/wall.obj"
    if "$plait" groom guides "$folder/star.hair" "$folder/guides.npz" --count 3 >"$folder/out" 2>"$folder/error"; then
        "$plait" groom bind "$folder/guides.npz" "$folder/guides.npz" --mesh "$folder/wall.obj" >"$folder/out"
        star[6]=$folder/guides.npz
        for shown in 2 4 all; do
            "$plait" "${star[@]}" --render-strands $shown >"$folder/out" 2>"$folder/error"
            grep -q "^strands  *3$" "$folder/out" || fail "not three guides: $(cat "$folder/out")"
            grep -q "^render strands  *${shown/all/6}$" "$folder/out" || fail "not $shown: $(cat "$folder/out")"
            grep -q "guides.npz: roots are on a mesh" "$folder/error" || fail "no word of the mesh: $(cat "$folder/error")"
        done
        "$plait" "${star[@]}" --strands 2 --render-strands 4 >"$folder/out" 2>"$folder/error"
        grep -q "^strands  *2$" "$folder/out" || fail "not two guides: $(cat "$folder/out")"
    else
        grep -q "without libzip" "$folder/error" || fail "$(cat "$folder/error")"
    fi
    exits 2 "$plait" "${star[@]}" --render-strands some
    grep -q -e "--render-strands" "$folder/error" || fail "$(cat "$folder/error")"
    exits 2 "$plait" sim --groom 2b --render-strands all
    exits 2 "$plait" sim --groom 2b --bones "$folder/star.hair"
}

# A skeleton from a file carries hair along, whatever its unit: here by two metres along x in a second.
case_motion_file() {
    local walk=(sim --backend cpu --threads 2 --groom "$folder/star.hair" --scale 0.125 --motion "$folder/walk.bvh" --warmup 0
        --fps 60 --frames 60 --gravity 0,0,0)
    write_star 6 >"$folder/star.hair"
    {
        printf 'HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n'
        printf 'JOINT Head\n{\nOFFSET 0 70 0\nCHANNELS 1 Yrotation\nEnd Site\n{\nOFFSET 0 10 0\n}\n}\n}\n'
        printf 'MOTION\nFrames: 2\nFrame Time: 1\n0 90 0 0\n200 90 0 0\n'
    } >"$folder/walk.bvh"
    "$plait" "${walk[@]}" --motion-scale 0.01 --picture "$folder/walk.png" --out "$folder/walk.obj" >"$folder/out"
    grep -q "^body .* on a skeleton" "$folder/out" || fail "no body: $(cat "$folder/out")"
    # Strands along x, -x, z, -z and up stay level; their mean is that of the head, whose centre is 10.8 cm above its joint.
    awk '/^v / { x += $2; y += $3; n++ } END { x /= n; y /= n; exit !(x > 1.9 && x < 2.05 && y > 1.65 && y < 1.76) }' \
        "$folder/walk.obj" || fail "the hair is elsewhere"
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$folder/head.obj"
    exits 0 "$plait" "${walk[@]}" --head "$folder/head.obj" --picture "$folder/head.png"
    ! cmp -s "$folder/walk.png" "$folder/head.png" || fail "the head is not in the picture"
    exits 1 "$plait" "${walk[@]}" --head "$folder/star.hair"
    grep -q -e "--head: .*star.hair" "$folder/error" || fail "$(cat "$folder/error")"
    exits 2 "$plait" sim --groom 2b --head "$folder/head.obj"
    exits 1 "$plait" "${walk[@]}" --joint tail
    grep -q -e "--joint" "$folder/error" || fail "$(cat "$folder/error")"
    echo nonsense >"$folder/walk.bvh"
    exits 1 "$plait" "${walk[@]}"
    grep -q "walk.bvh: line 1: " "$folder/error" || fail "$(cat "$folder/error")"
    exits 2 "$plait" sim --motion nonsense
    grep -q -e "--motion" "$folder/error" || fail "$(cat "$folder/error")"
}

# awk: the least distance of a vertex from the centre of the mannequin's head, where roots of files lie.
nearest='/^v / { d = sqrt($2 ^ 2 + ($3 - 1.668) ^ 2 + ($4 - 0.008) ^ 2); if (!n++ || d < least) least = d }'

# write_star STRANDS: a .hair file of up to 6 strands of 5 vertices, which leave the unit sphere along x, -x, y, -y, z, -z.
write_star() {
    local zero='\0\0\0\0' axis sign at
    printf "HAIR\\$1\\0\\0\\0\\36\\0\\0\\0\\2\\0\\0\\0\\4\\0\\0\\0"
    head -c 108 /dev/zero
    for axis in 0 1 2; do
        for sign in 0 1; do
            # 1, 1.25, 1.5, 1.75 and 2 as float32, the negative ones with the highest bit set
            for at in '\200' '\240' '\300' '\340' two; do
                local high=$((sign ? 277 : 77)) x
                x="\\0\\0$at\\$high"
                [ $at != two ] || x="\\0\\0\\0\\$((sign ? 300 : 100))"
                case $axis in
                0) printf "$x$zero$zero" ;;
                1) printf "$zero$x$zero" ;;
                2) printf "$zero$zero$x" ;;
                esac
            done
        done
    done
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
