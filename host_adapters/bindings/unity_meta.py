"""Writes the .meta files of the Unity package, without which Unity ignores what is in one. A file's number comes from its path,
so that it never changes."""
import hashlib
import os


def write(package, name):
    """Pairs of a path and its text, for everything in the folder that Unity imports; generated files included."""
    found = []
    for folder, folders, files in os.walk(package):
        folders[:] = sorted(one for one in folders if not one.endswith("~") and not one.startswith("."))
        for one in folders + sorted(files):
            if not one.endswith(".meta"):
                found.append(os.path.relpath(os.path.join(folder, one), package))
    for path in sorted(found):
        number = hashlib.md5(f"{name}/{path}".encode()).hexdigest()
        folder = "folderAsset: yes\n" if os.path.isdir(os.path.join(package, path)) else ""
        yield path + ".meta", f"fileFormatVersion: 2\nguid: {number}\n{folder}"
