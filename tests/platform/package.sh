#!/bin/sh
# package.sh SOURCE BUILD OBJDUMP WORK: the tree that is installed from a build for Windows has what hosts need and nothing
# else, its files need DLLs of Windows alone, and hosts in C that find it by CMake link to it and run.
set -eu
source=$1 build=$2 objdump=$3 work=$4

die() {
    echo "$*" >&2
    exit 1
}

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
cd "$work/prefix"
for file in bin/plait.dll bin/plait.exe lib/plait.lib lib/libplait_loader.a include/plait.h \
    include/plait_loader.h share/plait/plait_loader.c lib/cmake/plait/plait-config.cmake; do
    [ -f "$file" ] || die "not installed: $file"
done
for module in "$build"/bin/plait_*.dll; do
    [ -f "bin/$(basename "$module")" ] || die "not installed: $module"
done
[ "$(find . -name '*.lib')" = ./lib/plait.lib ] || die "there are more import libraries: $(find . -name '*.lib')"
for file in bin/*.dll bin/*.exe; do
    needs=$("$objdump" -p "$file" | sed -n 's/.*DLL Name: *//p' | grep -viE '^(kernel32|msvcrt|plait)\.dll$' || true)
    [ -z "$needs" ] || die "$file needs $needs"
done
for module in bin/plait_*.dll; do
    names=$("$objdump" -p "$module" | sed -n '/Export Table:/,$p' | grep -cE '0x[0-9a-f]+ ')
    [ "$names" = 1 ] || die "$module exports $names names"
done

cmake -S "$source/samples/minimal" -B "$work/host" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_TOOLCHAIN_FILE="$source/core/windows_toolchain.cmake"
cmake --build "$work/host"
cp bin/plait.dll "$work/host"
for host in linked loaded; do
    "$source/tests/platform/wine.sh" "$work/host/$host.exe" >"$work/$host.txt" || die "$host.exe fails"
    cat "$work/$host.txt"
    [ "$(grep -c '^strand [01]: root ' "$work/$host.txt")" = 2 ] || die "$host.exe prints no strands"
done
# As a program beside its DLLs is started by its path.
"$source/tests/platform/wine.sh" "$work/prefix/bin/plait.exe" info | tee "$work/info.txt"
grep -q '^cpu  *yes' "$work/info.txt" || die "plait.exe has no CPU backend"
# Names with letters of any language reach the readers and writers of files. Two points: from 0 to 1 along x.
cd "$work"
{
    printf 'HAIR\1\0\0\0\2\0\0\0\2\0\0\0\1\0\0\0'
    head -c 120 /dev/zero
    printf '\0\0\200\77\0\0\0\0\0\0\0\0'
} >Zöpfe_髪.hair
LC_ALL=C.UTF-8 "$source/tests/platform/wine.sh" "$work/prefix/bin/plait.exe" groom resample Zöpfe_髪.hair geflochten_髪.hair --vertices 3 ||
    die "plait.exe does not read a file whose name is not ASCII"
[ "$(wc -c <geflochten_髪.hair)" = 164 ] || die "plait.exe did not write a file whose name is not ASCII"
cd - >/dev/null
! grep -q 'plait_vulkan.dll' "$work/info.txt" || die "plait.exe did not find plait_vulkan.dll beside it"
