#!/usr/bin/env bash
# Runs programs for Windows under Wine, in a prefix of the project's own.
# wine.sh PROGRAM ARGUMENT...   runs it
# wine.sh --start               makes the prefix and a display that nobody sees, without which Wine has no Vulkan
# wine.sh --stop                ends both
set -eu -o pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/build/wine
# No messages, no offers to install Mono and Gecko, no debugger that waits for somebody, no menus on this machine.
export WINEPREFIX=$folder/prefix WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml,winedbg.exe,winemenubuilder.exe=" WINEARCH=win64

start() {
    mkdir -p "$folder"
    stop
    if command -v Xvfb >/dev/null; then
        # In a session of its own, or the end of the test that starts it would be its end too.
        setsid Xvfb -displayfd 3 -screen 0 640x480x24 -nolisten tcp 3>"$folder/number" >"$folder/xvfb.log" 2>&1 &
        echo $! >"$folder/xvfb.pid"
        for _ in $(seq 100); do
            [ ! -s "$folder/number" ] || break
            sleep 0.1
        done
        echo ":$(cat "$folder/number")" >"$folder/display"
    else
        echo "Xvfb is not installed: no Vulkan"
    fi
    use_display
    wineboot --init >"$folder/boot.log" 2>&1
    # It lives until --stop: each program starts in a tenth of a second then.
    wineserver --persistent 2>/dev/null || true
}

stop() {
    [ ! -d "$WINEPREFIX" ] || wineserver --kill 2>/dev/null || true
    if [ -s "$folder/xvfb.pid" ] && [ "$(cat "/proc/$(cat "$folder/xvfb.pid")/comm" 2>/dev/null)" = Xvfb ]; then
        kill "$(cat "$folder/xvfb.pid")"
    fi
    rm -f "$folder/xvfb.pid" "$folder/number" "$folder/display"
}

use_display() {
    unset DISPLAY WAYLAND_DISPLAY
    [ ! -s "$folder/display" ] || export DISPLAY=$(cat "$folder/display")
}

case ${1:?wine.sh wants a program} in
--start) start ;;
--stop) stop ;;
*)
    use_display
    exec wine "$@"
    ;;
esac
