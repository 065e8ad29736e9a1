#!/bin/sh
# check.sh LIBRARY           compares a library, built with -g, with the ABI that hosts already rely on (plait.abi).
# check.sh --renew LIBRARY   makes that library's ABI the one to rely on. Only for changes that plait.h allows: a struct
#                            with a head grew at its end, a function was added (new functions pass without this).
# Types that no function's arguments lead to, such as chained structs, are covered by the layout tests.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
baseline=$here/plait.abi
library=$1
[ "$1" != --renew ] || library=$2

skip() {
    echo "skipped: $*"
    exit 77
}
command -v abidiff >/dev/null || skip "no abidiff here (package abigail-tools)"
readelf -S "$library" | grep -q '\.debug_info' || skip "$library has no debug information"

if [ "$1" = --renew ]; then
    # Source locations and paths do not matter to hosts and would change all the time.
    abidw --headers-dir "$root/abi" --drop-private-types --exported-interfaces-only --no-comp-dir-path \
        --no-corpus-path --no-elf-needed --no-show-locs --type-id-style hash --out-file "$baseline" "$library"
    sed -i "s| path='$root/| path='|" "$baseline"
    exit
fi

# No --headers-dir2 here, nor a suppression for structs that grow: libabigail 2.2 then hides moved members as well.
abidiff --exported-interfaces-only --no-added-syms --no-architecture "$baseline" "$library" || {
    echo
    echo "The ABI is not what hosts rely on. If plait.h allows the change above, renew the baseline:"
    echo "    sh tests/abidiff/check.sh --renew build/release/lib/libplait.so.1"
    exit 1
}
