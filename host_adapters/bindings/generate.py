#!/usr/bin/env python3
"""Writes the C# and Python bindings from abi/plait.h, and the .meta files of the Unity package.

    generate.py              writes what has changed
    generate.py --check      writes nothing; fails and lists files that are stale
    generate.py --layout C   writes the C program that tells layouts, for tests

--header FILE takes another header, --root FOLDER another place for what is written. Python 3.7 or newer, nothing else.
"""
import argparse
import os
import sys

import csharp
import layout
import python
import unity_meta
from header import Header, HeaderError

PROJECT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
UNITY = "host_adapters/unity/com.plait.hair"
CSHARP = UNITY + "/Runtime/Core/Plait.Native.cs"
PYTHON = "host_adapters/python/plait/native.py"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--layout", metavar="C")
    parser.add_argument("--header", default=os.path.join(PROJECT, "abi", "plait.h"))
    parser.add_argument("--root", default=PROJECT)
    arguments = parser.parse_args()
    try:
        with open(arguments.header, encoding="utf-8") as file:
            header = Header(file.read())
    except (OSError, HeaderError) as error:
        sys.exit(f"generate.py: {arguments.header}: {error}")
    if arguments.layout:
        put(arguments.layout, layout.write(header))
        return
    package = os.path.join(arguments.root, UNITY)
    texts = {CSHARP: csharp.write(header), PYTHON: python.write(header)}
    stale = renew(arguments, texts)
    texts = {f"{UNITY}/{path}": text for path, text in unity_meta.write(package, os.path.basename(UNITY))}
    stale += renew(arguments, texts)
    left = [path for path in metas(package) if f"{UNITY}/{path}" not in texts]
    for path in left:
        stale.append(f"{UNITY}/{path}")
        if not arguments.check:
            os.remove(os.path.join(package, path))
    if arguments.check and stale:
        sys.exit("These files are stale; run host_adapters/bindings/generate.py and commit what it writes:\n  "
                 + "\n  ".join(stale))


def renew(arguments, texts):
    """Writes, unless only checking, the files that differ; returns their paths."""
    stale = []
    for path, text in texts.items():
        place = os.path.join(arguments.root, path)
        if get(place) != text:
            stale.append(path)
            if not arguments.check:
                put(place, text)
    return stale


def metas(package):
    for folder, _, files in os.walk(package):
        for one in files:
            if one.endswith(".meta"):
                yield os.path.relpath(os.path.join(folder, one), package)


def get(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def put(path, text):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


if __name__ == "__main__":
    main()
