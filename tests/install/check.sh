#!/bin/sh
# check.sh PART WORK: one of the checks below, in the folder WORK. Environment: CMAKE, CC, SOURCE, BUILD.
set -eu
part=$1 work=$2
prefix=$work/prefix

die() {
    echo "$*" >&2
    exit 1
}

# Two seconds on, the roots are where the bone took them and the tips hang below.
check_linked() {
    text=$("$@" 2>"$work/messages")
    [ ! -s "$work/messages" ] || die "the sample is not silent: $(cat "$work/messages")"
    echo "$text"
    echo "$text" | grep -Eq '^strand 0: root +0\.086 +-?0\.000 +0\.051  tip +[-0-9.]+ +-0\.[0-9]+ ' || die "strand 0 is wrong"
    echo "$text" | grep -Eq '^strand 1: root +-0\.086 +-?0\.000 +-0\.051  tip +[-0-9.]+ +-0\.[0-9]+ ' || die "strand 1 is wrong"
}

check_loaded() {
    text=$("$@")
    echo "$text"
    [ "$(echo "$text" | grep -Ec '^strand [01]: root +-?0\.100 ')" = 2 ] || die "the strands are wrong"
}

use_pkg_config() {
    # Hides pkg-config's system folders too, so that only the tree under test is found.
    PKG_CONFIG_LIBDIR=$(dirname "$(find "$prefix" -name plait.pc)")
    export PKG_CONFIG_LIBDIR
    libdir=$(pkg-config --variable=libdir plait)
    here=$work/$part
    rm -rf "$here"
    mkdir -p "$here"
    cp "$SOURCE"/samples/minimal/*.c "$here"
    cd "$here"
}

tree() {
    rm -rf "$work"
    mkdir -p "$work"
    "$CMAKE" --install "$BUILD" --prefix "$work/staged" >"$work/install.log"
    mv "$work/staged" "$prefix" # anything with an absolute path breaks here
    cd "$prefix"
    for file in include/plait.h include/plait_loader.h share/plait/plait_loader.c share/doc/plait/LICENSE \
        lib*/libplait.so.1 lib*/libplait.so lib*/cmake/plait/plait-config.cmake lib*/pkgconfig/plait.pc; do
        [ -f "$file" ] || die "not installed: $file"
    done
    for place in "$SOURCE" "$BUILD" "$work/staged"; do
        ! grep -rIlF "$place" . || die "the files above contain $place"
    done
}

find_package() {
    rm -rf "$work/host"
    cp -r "$SOURCE/samples/minimal" "$work/host"
    "$CMAKE" -S "$work/host" -B "$work/host/build" -G Ninja -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix"
    "$CMAKE" --build "$work/host/build"
    check_linked "$work/host/build/linked"
    check_loaded "$work/host/build/loaded" "$(find "$prefix" -name libplait.so.1)"
}

pkg_config() {
    use_pkg_config
    # shellcheck disable=SC2046 # the flags are meant to be split
    "$CC" -std=c11 -Wall -Wextra -Werror linked.c $(pkg-config --cflags --libs plait) -lm -o linked
    check_linked env LD_LIBRARY_PATH="$libdir" ./linked
}

loader() {
    use_pkg_config
    # shellcheck disable=SC2046
    "$CC" -std=c99 -pedantic -Wall -Wextra -Werror $(pkg-config --cflags plait) loaded.c \
        "$(pkg-config --variable=loader_source plait)" -ldl -o loaded
    check_loaded ./loaded "$libdir/libplait.so.1"
    check_loaded env LD_LIBRARY_PATH="$libdir" ./loaded
    if ./loaded ./nowhere/libplait.so.1 2>reason; then die "opened a missing library"; fi
    grep -q 'nowhere/libplait.so.1' reason || die "the reason does not name the file"
}

# The example in README.md is code that is compiled.
readme() {
    sed -n '/^```c$/,/^```$/{/^```/d;/^$/d;p}' "$SOURCE/README.md" | sed 's/^ *//' >"$work/example"
    [ -s "$work/example" ] || die "README.md shows no example"
    sed 's/^ *//' "$SOURCE/samples/minimal/linked.c" >"$work/linked"
    ! grep -vxF -f "$work/linked" "$work/example" || die "README.md: these lines are not in samples/minimal/linked.c"
}

"$part"
