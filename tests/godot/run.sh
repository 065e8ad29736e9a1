#!/bin/sh
# run.sh BUILD [FOLDER]: tests the Godot adapter that a build has made (BUILD/godot) in Godot 4, which get.sh puts into FOLDER.
# Prints "passed NAME", "failed NAME" or "skipped NAME: reason", one line a test; what Godot says goes to FOLDER/logs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
folder=${2:-$here/../../build/godot}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -f "$build/godot/addons/plait/plait.gdextension" ] || {
    echo "failed godot: $build/godot has no addon: build plait_godot first"
    exit 1
}
reason=$(sh "$here/get.sh" "$folder") || {
    echo "skipped godot: $reason"
    exit 0
}

# Debian's newest programs run on its newest C library, which is here too.
root=$folder/root
libraries=$(echo "$root"/usr/lib/*-linux-gnu)
loader=$(echo "$libraries"/ld-linux-*.so.*)
export HOME="$folder/home" XDG_RUNTIME_DIR="$folder/home" XKB_CONFIG_ROOT="$root/usr/share/X11/xkb"
export VK_DRIVER_FILES="$root/usr/share/vulkan/icd.d/lvp_icd.json" LIBGL_DRIVERS_PATH="$libraries/dri"
export __EGL_VENDOR_LIBRARY_DIRS="$root/usr/share/glvnd/egl_vendor.d"
export GODOT_SILENCE_ROOT_WARNING=1 # root may run the tests
unset WAYLAND_DISPLAY
logs=$folder/logs
work=$folder/project
rm -rf "$logs" "$work"
mkdir -p "$HOME" "$logs"
cp -r "$build/godot" "$work"
rm -rf "$work/.godot"
cp "$here"/project/* "$here"/../../host_adapters/godot/doc_classes/*.xml "$work"
status=0

# godot LOG ARGUMENT...: in the test's project.
godot() {
    log=$logs/$1.log
    shift
    timeout 300 "$loader" --library-path "$libraries:$libraries/pulseaudio" "$root/usr/bin/godot" --audio-driver Dummy --path "$work" "$@" >"$log" 2>&1
}

# report NAME: verdicts that a log has. Errors, warnings and leaks that Godot or Plait speak of are failures, unless a line that says
# "expects" came before them.
report() {
    awk '/expects an error/ { forgiven++ }
         /ERROR|WARNING|leaked|SCRIPT ERROR/ { if (forgiven > 0) forgiven--; else { print "failed '"$1"'_quiet: " $0; exit } }' \
        "$logs/$1.log" >"$logs/$1.verdicts"
    sed -n 's/^\(passed\|failed\) \(.*\)/\1 '"$1"'_\2/p' "$logs/$1.log" >>"$logs/$1.verdicts"
    grep -q '^finished$' "$logs/$1.log" || echo "failed $1: it did not end, see $logs/$1.log" >>"$logs/$1.verdicts"
    cat "$logs/$1.verdicts"
    ! grep -q '^failed' "$logs/$1.verdicts" || status=1
}

verdict() {
    if [ "$1" = 0 ]; then echo "passed $2"; else
        echo "failed $2"
        status=1
    fi
}

# What this adapter declares of Godot's interface is what Godot has.
(cd "$logs" && godot interface --headless --dump-gdextension-interface)
[ -f "$logs/gdextension_interface.h" ] || mv "$work/gdextension_interface.h" "$logs/" 2>/dev/null
"${CC:-cc}" -std=c11 -Wall -Werror -fsyntax-only -I "$logs" -I "$here/../../host_adapters/godot" "$here/interface.c" >"$logs/layout.log" 2>&1
verdict $? godot_interface

# The editor finds the addon, registers its classes, and shows hair at rest.
/usr/bin/python3 "$here/make_grooms.py" "$work" >"$logs/grooms.log" 2>&1 || echo "skipped godot_npz: there is no numpy"
godot import --headless --import
grep -q plait.gdextension "$work/.godot/extension_list.cfg"
verdict $? godot_import
godot godot_editor --headless --editor res://editor_test.tscn
report godot_editor

# The demo runs, and nothing is to be said about it.
godot demo --headless --fixed-fps 60 --quit-after 60
ended=$?
[ $ended = 0 ] && ! grep -E 'ERROR|WARNING|leaked' "$logs/demo.log" >/dev/null
verdict $? godot_demo

# A screen for what is drawn. Each rendering method runs the whole test.
if command -v Xvfb >/dev/null; then server=Xvfb; else server="$loader --library-path $libraries $root/usr/bin/Xvfb"; fi
$server -displayfd 3 -screen 0 640x480x24 -nolisten tcp 3>"$logs/display" >"$logs/xvfb.log" 2>&1 &
screen=$!
trap 'kill $screen 2>/dev/null' EXIT
tries=0
while [ ! -s "$logs/display" ] && [ $tries -lt 100 ]; do
    sleep 0.2
    tries=$((tries + 1))
done
DISPLAY=:$(cat "$logs/display")
export DISPLAY
for method in forward_plus mobile; do
    godot godot_$method --rendering-method $method --resolution 320x240 --fixed-fps 60 res://test.tscn -- "$logs/$method"
    report godot_$method
    [ ! -f "$work/lossy.npz" ] || grep -q 'not kept: all but the heaviest bone of each root, colours' "$logs/godot_$method.log"
    verdict $? godot_${method}_tells_what_is_lost
done

# What an exported game consists of: one pack, and beside the program the libraries that plait.gdextension names. The program is
# the loader here, so it is copied there.
game=$folder/game
rm -rf "$game"
mkdir -p "$game"
godot pack --headless --export-pack Linux "$game/game.pck"
cp "$work"/addons/plait/bin/* "$game"
cp "$loader" "$game/game"
(cd "$game" && timeout 120 ./game --library-path "$libraries:$libraries/pulseaudio" "$root/usr/bin/godot" --headless --main-pack game.pck \
    res://exported.tscn) >"$logs/godot_export.log" 2>&1
report godot_export
exit $status
