#!/bin/sh
# check.sh PART WORK: one of the checks below, in the folder WORK. Environment: CMAKE, NM, CC, SOURCE, BUILD.
set -eu
part=$1 work=$2
mkdir -p "$work"
case $part in
static_* | fetch_content) prefix=$work/prefix_static ;;
*) prefix=$work/prefix ;;
esac

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

# install_from FOLDER PATTERN...: installs what was built there and moves it.
install_from() {
    folder=$1
    shift
    rm -rf "$prefix" "$prefix.staged"
    "$CMAKE" --install "$folder" --prefix "$prefix.staged" >"$prefix.log"
    mv "$prefix.staged" "$prefix" # whatever knows its old place stops working here
    cd "$prefix"
    # shellcheck disable=SC2048 # patterns
    for file in bin/plait include/plait.h include/plait_loader.h share/plait/plait_loader.c share/doc/plait/LICENSE $* \
        lib*/cmake/plait/plait-config.cmake lib*/pkgconfig/plait.pc; do
        [ -f "$file" ] || die "not installed: $file"
    done
    for place in "$SOURCE" "$folder" "$prefix.staged"; do
        ! grep -rIlF "$place" . || die "files above know $place"
    done
}

tree() {
    install_from "$BUILD" 'lib*/libplait.so.1' 'lib*/libplait.so'
}

build_minimal() {
    host=$work/$part
    rm -rf "$host"
    cp -r "$SOURCE/samples/minimal" "$host"
    "$CMAKE" -S "$host" -B "$host/build" -G Ninja -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix"
    "$CMAKE" --build "$host/build"
    check_linked "$host/build/linked"
}

find_package() {
    build_minimal
    check_loaded "$host/build/loaded" "$(find "$prefix" -name libplait.so.1)"
}

static_find_package() {
    build_minimal
}

pkg_config() {
    use_pkg_config
    # shellcheck disable=SC2046 # the flags are meant to be split
    "$CC" -std=c11 -Wall -Wextra -Werror linked.c $(pkg-config --cflags --libs plait) -lm -o linked
    check_linked env LD_LIBRARY_PATH="$libdir" ./linked
}

static_pkg_config() {
    use_pkg_config
    # shellcheck disable=SC2046
    "$CC" -std=c11 -Wall -Wextra -Werror linked.c $(pkg-config --static --cflags --libs plait) -o linked
    check_linked ./linked
}

# The command finds the library that it was installed with, and that finds its modules.
command_line() {
    "$prefix/bin/plait" info >"$work/info"
    cat "$work/info"
    ldd "$prefix/bin/plait" | grep -F "libplait.so.1 => $prefix/" || die "bin/plait has another library, or none"
    [ -z "$(find "$prefix" -name libplait_vulkan.so.1)" ] || ! grep 'libplait_vulkan.*cannot open' "$work/info" ||
        die "the Vulkan module was not found"
}

# take_in ARGUMENT...: builds parent/, which takes Plait in the way that this part is named after. Debug builds are fast.
take_in() {
    rm -rf "${work:?}/$part"
    "$CMAKE" -S "$SOURCE/tests/install/parent" -B "$work/$part" -G Ninja -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DWAY="$part" -DPLAIT_SOURCE="$SOURCE" -DPLAIT_VULKAN=OFF -DPLAIT_CUDA=OFF "$@"
    ! grep Werror "$work/$part/compile_commands.json" || die "warnings are errors for others too"
    "$CMAKE" --build "$work/$part"
    check_linked "$work/$part/out/linked"
}

subdirectory() {
    take_in -DPLAIT_CPU_SETS=
    check_loaded "$work/$part/out/loaded" "$work/$part/out/libplait.so.1"
    "$CMAKE" --install "$work/$part" --prefix "$work/$part/prefix"
    [ ! -e "$work/$part/prefix" ] || die "something was installed that nobody asked for"
}

fetch_content() {
    take_in -DBUILD_SHARED_LIBS=OFF -DPLAIT_INSTALL=ON -DPLAIT_SAMPLES=ON -DPLAIT_CPU_SETS=avx2
    install_from "$work/$part" 'lib*/libplait.a'
}

# A host may have a function by any name that our files use among themselves.
static_names() {
    archive=$(find "$prefix" -name libplait.a)
    "$CMAKE" -DNM="$NM" -DLIBRARY="$archive" -DHEADER="$SOURCE/abi/plait.h" -P "$SOURCE/tests/abi/exports.cmake"
    use_pkg_config
    find "$work/fetch_content" '(' -path '*/plait_core.dir/*' -o -path '*/plait_cpu*.dir/*' ')' -name '*.o' \
        -exec "$NM" --extern-only --defined-only --format=posix {} + |
        awk 'NF > 1 && $1 !~ /^plait_/ { print $1 }' | sort -u >names
    grep -q solver_find names || die "these are not our names"
    { echo '#include <stdlib.h>' && sed 's/.*/void &(void) { abort(); }/' names; } >same_names.c
    # shellcheck disable=SC2046
    "$CC" -fno-builtin linked.c same_names.c $(pkg-config --static --cflags --libs plait) -o linked
    check_linked ./linked
}

# A program that has the library in it finds modules beside itself, however it was started, and by its rpath.
static_modules() {
    here=$work/$part
    rm -rf "$here"
    mkdir -p "$here"
    cp "$prefix/bin/plait" "$here"
    cd "$here"
    opened='libplait_vulkan.so.1 is of another version'
    echo 'int nothing;' >module.c
    "$CC" -shared -fPIC module.c -o libplait_vulkan.so.1
    (cd / && PATH=$here:$PATH plait info) | tee info
    grep -q "$opened" info || die "the module beside the program was not opened"
    cp libplait_vulkan.so.1 "$(dirname "$(find "$prefix" -name libplait.a)")"
    "$prefix/bin/plait" info | tee info
    grep -q "$opened" info || die "the module that the program's rpath leads to was not opened"
}

# refuses TEXT ARGUMENT...: what cannot be built is said when it is configured.
refuses() {
    text=$1
    shift
    rm -rf "$work/options"
    ! "$CMAKE" -S "$SOURCE" -B "$work/options" -G Ninja -DCMAKE_C_COMPILER="$CC" -DPLAIT_TESTS=OFF -DPLAIT_SAMPLES=OFF \
        "$@" >"$work/options.log" 2>&1 || die "$*: accepted"
    tr -s ' \n' ' ' <"$work/options.log" | grep -F "$text" || die "$*: $(cat "$work/options.log")"
}

options() {
    refuses 'PLAIT_VULKAN is "MAYBE": it must be AUTO, ON or OFF' -DPLAIT_VULKAN=MAYBE
    refuses 'PLAIT_VULKAN is ON, but PLAIT_VOLK_SOURCE was not found: install volk' -DPLAIT_VULKAN=ON -DPLAIT_VOLK_SOURCE= \
        -DPLAIT_GLSLANG=there -DPLAIT_VULKAN_INCLUDE=there -DPLAIT_CUDA=OFF
    refuses 'PLAIT_CUDA is ON, but nvcc was not found' -DPLAIT_CUDA=ON -DPLAIT_NVCC=
    refuses 'PLAIT_CPU_SETS: there is no instruction set avx3' '-DPLAIT_CPU_SETS=sse2;avx3'
    refuses 'the static library needs objcopy' -DBUILD_SHARED_LIBS=OFF -DCMAKE_OBJCOPY=
    refuses 'PLAIT_TESTS needs the shared library' -DBUILD_SHARED_LIBS=OFF -DPLAIT_TESTS=ON
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

# Readers of grooms are source for hosts to compile in, with libzip or without.
groom_files() {
    use_pkg_config
    # shellcheck disable=SC2046
    "$CC" -std=c99 -pedantic -Wall -Wextra -Werror -O1 $(pkg-config --cflags plait) -c "$prefix"/share/plait/groom_files/*.c
    [ -f npz.o ] && [ -f hair.o ] || die "nothing was compiled"
    [ -f "$prefix/share/plait/groom_files/npz.md" ] || die "npz.md is not installed"
    [ -x "$prefix/share/plait/groom_files/tools/curves_to_npz.py" ] || die "the tool is not installed"
}

# The example in README.md is code that is compiled.
readme() {
    sed -n '/^```c$/,/^```$/{/^```/d;/^$/d;p}' "$SOURCE/README.md" | sed 's/^ *//' >"$work/example"
    [ -s "$work/example" ] || die "README.md shows no example"
    sed 's/^ *//' "$SOURCE/samples/minimal/linked.c" >"$work/linked"
    ! grep -vxF -f "$work/linked" "$work/example" || die "README.md: these lines are not in samples/minimal/linked.c"
}

"$part"
