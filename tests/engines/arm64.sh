#!/usr/bin/env bash
# Puts into build/arm64-tools, without root, what the preset arm64 needs beside clang: Debian's libraries for 64-bit ARM in root/,
# a linker and an emulator in host/. 90 MB of packages, with lists of their own: the system's stay as they are. Where they
# cannot be had, the last line says why, and the exit code is 77.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools=$PWD/build/arm64-tools

main() {
    [ ! -e "$tools/complete" ] || return 0
    [ "$(uname -m)" = x86_64 ] || give_up "this machine is no x86-64, with whose bits those of ARM are compared"
    command -v clang >/dev/null || give_up "clang is not installed"
    command -v apt-get >/dev/null || give_up "there is no apt-get to get Debian's packages with"
    rm -rf "$tools"
    mkdir -p "$tools/lists/partial" "$tools/cache/archives/partial" "$tools/root" "$tools/host"
    : >"$tools/status"
    step get_packages || give_up "Debian's packages for 64-bit ARM could not be had, see build/arm64-tools/log"
    step unpack || give_up "Debian's packages for 64-bit ARM lack something, see build/arm64-tools/log"
    rm -rf "$tools/lists" "$tools/cache"
    touch "$tools/complete"
}

# In a shell of its own, so that its first failure ends it.
step() { bash -c "set -eux -o pipefail; tools=$(printf %q "$tools"); $(declare -f "$1"); $1" >>"$tools/log" 2>&1; }

give_up() {
    echo "$*"
    exit 77
}

# From where this system has its packages, with nothing installed as far as apt knows. A source that does not answer or has nothing
# for ARM may not matter.
get_packages() {
    local compiler
    cat >"$tools/apt.conf" <<END
Dir::State::lists "$tools/lists";
Dir::State::status "$tools/status";
Dir::Cache "$tools/cache";
APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "2";
END
    export APT_CONFIG=$tools/apt.conf
    apt-get -q update || true
    compiler=$(apt-cache depends gcc:arm64 | sed -n 's/.*Depends: gcc-\([0-9]*\):arm64/\1/p')
    apt-get -q -y --download-only install "libstdc++-$compiler-dev:arm64" libc6-dev:arm64 libcmocka-dev:arm64 \
        libpng-dev:arm64 libzip-dev:arm64 qemu-user-static
    # Of this one only itself: it runs with the libraries of the clang that is installed.
    cd "$tools/cache"
    apt-get -q download "lld-$(clang -dumpversion | cut -d. -f1)"
}

unpack() {
    local package link
    ln -s usr/lib "$tools/root/lib" # packages of Debian 12 have files in both
    for package in "$tools"/cache/archives/*_arm64.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$tools/root"
    done
    for package in "$tools"/cache/archives/qemu-*.deb "$tools"/cache/lld-*.deb; do dpkg-deb -x "$package" "$tools/host"; done
    # Links to absolute paths would lead out of root.
    find "$tools/root" -type l -lname '/*' | while read -r link; do
        ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$tools/root$(readlink "$link")")" "$link"
    done
    # Emulators of other processors, and documents: 300 MB.
    find "$tools/host/usr/bin" -name 'qemu-*' ! -name 'qemu-aarch64*' -delete
    rm -rf "$tools/root/usr/share/doc" "$tools/host/usr/share"
    cd "$tools/host"
    ln -s usr/lib/llvm-*/bin/lld ld.lld
    ln -s usr/bin/qemu-aarch64-static qemu-aarch64
    ./ld.lld --version
    ./qemu-aarch64 --version
}

main
