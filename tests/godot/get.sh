#!/bin/sh
# get.sh FOLDER: Godot 4 and a software Vulkan driver, unpacked into FOLDER from Debian's newest packages: some 680 MB, without
# root, and the system's packages and lists stay as they are. Nothing is done where it is there already.
set -eu
mkdir -p "$1"
cd "$1"
[ ! -e complete ] || exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
    echo "there is no apt-get"
    exit 1
}
# The site that the system's own packages come from.
site=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' 2>/dev/null | awk '$2 !~ /-/ { print $1; exit }')
[ -n "$site" ] || site=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    awk '/^URIs:/ { print $2; exit } /^deb / { for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) { print $i; exit } }')
[ -n "$site" ] || {
    echo "no source of packages is configured"
    exit 1
}
here=$PWD
mkdir -p apt/etc/apt.conf.d apt/etc/preferences.d apt/state/lists/partial apt/cache/archives/partial root
: >apt/status
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site sid main" >apt/etc/sources.list
cat >apt/apt.conf <<END
Dir::Etc "$here/apt/etc";
Dir::Etc::sourcelist "$here/apt/etc/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "$here/apt/state";
Dir::State::status "$here/apt/status";
Dir::Cache "$here/apt/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
Acquire::Retries "3";
END
export APT_CONFIG="$here/apt/apt.conf"
{
    # Against an empty list of installed packages, so that everything comes along, the C library too.
    apt-get -q update &&
        apt-get -q install -y --download-only godot mesa-vulkan-drivers libegl1 libgl1 libgl1-mesa-dri libvulkan1 xvfb xkb-data &&
        for package in apt/cache/archives/*.deb; do dpkg-deb -x "$package" root; done
} >get.log 2>&1 || {
    echo "Debian's packages could not be had: $(tail -n 1 get.log)"
    exit 1
}
rm -rf apt
: >complete
