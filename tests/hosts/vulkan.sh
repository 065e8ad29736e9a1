#!/usr/bin/env bash
# Runs samples/vulkan_host and checks its pictures. vulkan.sh CASE HOST PIXELS FOLDER
set -eu
host=$2 pixels=$3 folder=$4
# From a little farther away than usual: all of the hair is in the picture.
small=(--strands 250 --render-strands 6000 --hair-hair off --size 360x240 --distance 1.45)

case_arguments() {
    refuses --scene --scene 9z
    refuses --scene --scene 2c-fly
    refuses --motion --scene 2c --motion fly
    refuses --size --size 10
    refuses --frames --frames many
    refuses --backend --backend abacus
    refuses --samples --samples 3
    refuses --strips --strips 4
    refuses --render-strands --render-strands 0
    refuses --distance --distance -1
    refuses --wind --wind strong
    refuses --every --every 0
    refuses --record --record "$folder/nowhere/frames"
    refuses --contact-sheet --contact-sheet "$folder/nowhere/sheet.png"
    run --help >"$folder/help"
    grep -q "2c-run" "$folder/help" || fail "no scene is named"
    local key
    for key in "left button" wheel space S W B G Esc; do
        grep -q " $key  " "$folder/help" || fail "$key is not explained"
    done
}

# refuses OPTION ARGUMENT...: a wrong value is a usage error that names its option.
refuses() {
    local option=$1 status=0
    shift
    run --headless "$@" >"$folder/out" 2>"$folder/error" || status=$?
    [ $status = 2 ] && [ ! -s "$folder/out" ] && grep -q -e "$option" "$folder/error" || fail "$*: exit code $status, $(cat "$folder/error")"
}

# Without a window a file for pictures is needed: reported at once, with the options for it.
case_nowhere() {
    local status=0
    unset DISPLAY WAYLAND_DISPLAY
    run --headless "${small[@]}" >"$folder/out" 2>"$folder/error" || status=$?
    said_nowhere
    status=0
    run "${small[@]}" >"$folder/out" 2>"$folder/error" || status=$?
    said_nowhere
    status=0
    DISPLAY=:987654 run "${small[@]}" >"$folder/out" 2>"$folder/error" || status=$?
    said_nowhere
}

said_nowhere() {
    [ $status = 3 ] && [ ! -s "$folder/out" ] || fail "exit code $status, expected 3: $(cat "$folder/out" "$folder/error")"
    grep -q -e "--contact-sheet FILE.png" "$folder/error" || fail "it does not say what to do: $(cat "$folder/error")"
}

# A machine without a driver is told so, not a number.
case_no_driver() {
    local status=0
    VK_DRIVER_FILES=$folder/none.json VK_ICD_FILENAMES=$folder/none.json \
        run --headless "${small[@]}" --contact-sheet "$folder/sheet.png" >"$folder/out" 2>"$folder/error" || status=$?
    [ $status = 1 ] && grep -q "no Vulkan driver" "$folder/error" || fail "exit code $status: $(cat "$folder/error")"
}

case_headless() {
    local backend
    for backend in cpu vulkan; do
        run --headless "${small[@]}" --backend $backend --frames 12 --record "$folder/$backend" \
            --contact-sheet "$folder/$backend.png" | tee "$folder/$backend.txt"
        [ "$(ls "$folder/$backend" | wc -l)" = 12 ] || fail "12 frames were asked for"
        "$pixels" hair "$folder/$backend/frame0000.png"
        "$pixels" hair "$folder/$backend/frame0011.png"
        "$pixels" differ "$folder/$backend/frame0000.png" "$folder/$backend/frame0011.png"
        [ -s "$folder/$backend.png" ] || fail "there is no contact sheet"
    done
    ! grep -q "on the GPU" "$folder/cpu.txt" || fail "the drawing device is called a GPU, whatever it is"
    if grep -qi llvmpipe "$folder/cpu.txt"; then
        grep -q "^draw .* on llvmpipe.*, a software device" "$folder/cpu.txt" || fail "a software device is not called so"
    fi
    [ "$(grep -n "the first frame" "$folder/cpu.txt" | cut -d: -f1)" -lt "$(grep -n "^frames " "$folder/cpu.txt" | cut -d: -f1)" ] ||
        fail "nothing is said before the first frame"
    grep -q "summed over threads" "$folder/cpu.txt" || fail "stage times are not called sums"
    grep -q "cpu -> mapped buffer" "$folder/cpu.txt" || fail "the CPU's path is not named"
    grep -q "vulkan -> host's VkBuffer, zero copy" "$folder/vulkan.txt" || fail "Vulkan's path is not named"
    "$pixels" alike "$folder/cpu/frame0011.png" "$folder/vulkan/frame0011.png"
}

# Moving between backends while frames are drawn does not show in the pictures.
case_swap() {
    run --headless "${small[@]}" --backend cpu --frames 22 --record "$folder/still"
    run --headless "${small[@]}" --backend cpu --frames 22 --record "$folder/swapped" --swap-every 5 |
        tee "$folder/swapped.txt"
    [ "$(grep -c '^frame [0-9]*: ' "$folder/swapped.txt")" = 4 ] || fail "four swaps were asked for"
    local frame
    for frame in 0004 0005 0006 0010 0021; do
        "$pixels" alike "$folder/still/frame$frame.png" "$folder/swapped/frame$frame.png"
    done
}

# Guides are not render strands; from afar fewer strands are drawn, but the head stays full.
case_views() {
    run --headless "${small[@]}" --frames 2 --record "$folder/render" | tee "$folder/render.txt"
    run --headless "${small[@]}" --frames 2 --record "$folder/guides" --guides >/dev/null
    "$pixels" hair "$folder/render/frame0001.png"
    "$pixels" differ "$folder/render/frame0001.png" "$folder/guides/frame0001.png"
    run --headless "${small[@]}" --frames 2 --record "$folder/far" --distance 5 | tee "$folder/far.txt"
    # 100,000 strands where a pixel is a millimetre wide, from afar by the square of that, and a tenth that fade. Here, at
    # 5 m, a pixel is 2 tan(0.21) / 240 * 5 m = 8.88 mm wide: 1268 strands and 127.
    local near far
    near=$(drawn "$folder/render.txt") far=$(drawn "$folder/far.txt")
    [ "$near" = 6000 ] && [ "$far" -ge 1380 ] && [ "$far" -le 1410 ] || fail "$near strands from near, $far from afar"
    # The picture of the head has shrunk to (1.45 / 5)^2, a twelfth; hair with it, and no more.
    [ "$(share "$folder/far/frame0001.png")" -ge $(($(share "$folder/render/frame0001.png") / 18)) ] || fail "hair thins out with distance"
    # Wind and steps that are not drawn change what comes after them.
    run --headless "${small[@]}" --frames 2 --every 6 --record "$folder/calm" --motion still >/dev/null
    run --headless "${small[@]}" --frames 2 --every 6 --record "$folder/wind" --motion still --wind=-8,0,-8 >/dev/null
    "$pixels" differ "$folder/calm/frame0001.png" "$folder/wind/frame0001.png"
}

# Strands that were drawn last, from what the host printed.
drawn() { sed -n 's/^strands *\([0-9]*\) .*/\1/p' "$1"; }

# Pixels of hair in the middle, in thousandths of the picture, wherever else hair is.
share() { ("$pixels" hair "$1" 2>/dev/null || true) | sed -n 's/^hair \([0-9]*\)\.\([0-9]\) .*/\1\2/p'; }

# Strands of a file are drawn, from guides among them; a file that cannot be read is reported.
case_groom() {
    local status=0
    run --headless "${small[@]}" --groom "$folder/none.hair" --contact-sheet "$folder/sheet.png" \
        >"$folder/out" 2>"$folder/error" || status=$?
    [ $status = 1 ] && grep -q -e "--groom: $folder/none.hair" "$folder/error" || fail "exit code $status: $(cat "$folder/error")"
    printf 'HAIR but nothing else' >"$folder/broken.hair"
    status=0
    run --headless "${small[@]}" --groom "$folder/broken.hair" --contact-sheet "$folder/sheet.png" \
        >"$folder/out" 2>"$folder/error" || status=$?
    [ $status = 1 ] && grep -q -e "--groom: $folder/broken.hair" "$folder/error" || fail "exit code $status: $(cat "$folder/error")"
    "$pixels" groom "$folder/ball.hair" 3000
    run --headless "${small[@]}" --distance 0 --groom "$folder/ball.hair" --frames 2 --record "$folder/frames" | tee "$folder/ball.txt"
    grep -q "ball.hair-run, 250 guides of 2000 vertices, 3000 render strands of 24000 vertices" "$folder/ball.txt" ||
        fail "these are not the file's strands"
    [ "$(share "$folder/frames/frame0001.png")" -gt 50 ] || fail "the file's hair is not there"
    # Guides that a file names are simulated. NumPy may be missing, and the host may be built without libzip.
    if python3 - "$folder" 2>/dev/null <<'END'
import sys, numpy
points = numpy.fromfile(sys.argv[1] + "/ball.hair", "<f4", offset=128).reshape(3000, 8, 3)
numpy.savez(sys.argv[1] + "/ball.npz", version=1, positions=points, guides=numpy.arange(0, 3000, 100, dtype="u4"))
END
    then
        run --headless --hair-hair off --size 360x240 --render-strands 2000 --groom "$folder/ball.npz" --frames 1 \
            --contact-sheet "$folder/sheet.png" >"$folder/guides.txt" 2>"$folder/error" ||
            grep -q "without libzip" "$folder/error" || fail "$(cat "$folder/error")"
        grep -q "ball.npz-run, 30 guides of 240 vertices, 2000 render strands" "$folder/guides.txt" ||
            grep -q "without libzip" "$folder/error" || fail "these are not the file's guides: $(cat "$folder/guides.txt")"
    fi
}

# A window that is resized, minimised, restored and closed, with every key pressed twice; then the contents of the screen.
case_window() {
    command -v Xvfb >/dev/null || skip "there is no Xvfb"
    Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp -fbdir "$folder" 3>"$folder/display" >/dev/null 2>&1 &
    server=$!
    trap 'kill $server' EXIT
    local tries=0
    until [ -s "$folder/display" ]; do
        sleep 0.1
        tries=$((tries + 1))
        [ $tries -lt 100 ] && kill -0 $server || skip "Xvfb does not start"
    done
    export DISPLAY=:$(cat "$folder/display")
    unset WAYLAND_DISPLAY
    run "${small[@]}" --test-window --record "$folder/frames" | tee "$folder/window.txt"
    # Each key there and back.
    local said
    for said in "solver shape" "solver hybrid" "guides" "render strands" "wind on" "wind off" "paused" "goes on" \
        "vulkan -> host" "cpu -> mapped"; do
        grep -q "^frame [0-9]*: $said" "$folder/window.txt" || fail "a key does not work: $said"
    done
    [ "$(grep -c '^frame [0-9]*: ' "$folder/window.txt")" = 10 ] || fail "ten keys were pressed"
    # While everything stands still, the camera goes around and away.
    local paused
    paused=$(sed -n 's/^frame \([0-9]*\): paused/\1/p' "$folder/window.txt")
    frame() { printf '%s/frames/frame%04u.png' "$folder" "$1"; }
    "$pixels" alike "$(frame $paused)" "$(frame $((paused + 2)))"
    "$pixels" differ "$(frame $paused)" "$(frame $((paused + 6)))"
    "$pixels" differ "$(frame $((paused + 6)))" "$(frame $((paused + 12)))"
    local last
    last=$(ls "$folder"/frames/*.png | tail -n 1)
    "$pixels" hair "$folder/frames/frame0000.png"
    [ "$(share "$last")" -gt 50 ] || fail "the hair is gone at the end"

    run "${small[@]}" --frames 60 >/dev/null &
    local shown=$!
    until "$pixels" screen "$folder/Xvfb_screen0" 2>/dev/null; do
        kill -0 $shown 2>/dev/null || fail "hair was never on the screen"
        sleep 0.05
    done
    wait $shown
}

# The leak sanitizer needs the driver preloaded; see tests/CMakeLists.txt.
run() { LD_PRELOAD=${PLAIT_PRELOAD:-} "$host" "$@"; }

fail() {
    echo "$*" >&2
    exit 1
}

skip() {
    echo "$*"
    exit 77
}

rm -rf "$folder"
mkdir -p "$folder"
"case_$1"
