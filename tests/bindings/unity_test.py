"""The Unity components against stand-ins for Unity, under Mono: unity_test.py MCS MONO CC LIBRARIES FOLDER. LIBRARIES holds
Plait, the plugin and the stand-in for Unity's renderer. Unity itself is not run. Exit code 77: there is no Mono."""
import os
import subprocess
import sys

from mono_test import HERE, PACKAGE, build, need_mono

mcs, mono, compiler, libraries, folder = sys.argv[1:]
need_mono(mcs, mono)
os.environ["LD_LIBRARY_PATH"] = libraries
# One assembly for each asmdef of the package, which see no more of each other than in Unity.
standin = build(mcs, folder, "UnityEngine.dll", [HERE + "/unity/[EMSV]*.cs"], "-target:library")
core = build(mcs, folder, "Plait.dll", [PACKAGE + "/Runtime/Core/*.cs"], "-target:library")
hair = build(mcs, folder, "Plait.Unity.dll", [PACKAGE + "/Runtime/Hair/*.cs"], "-target:library", "-r:" + standin, "-r:" + core)
editor = build(mcs, folder, "Plait.Editor.dll", [PACKAGE + "/Editor/*.cs"], "-target:library", "-r:" + standin, "-r:" + hair)
program = build(mcs, folder, "Unity.exe", [HERE + "/unity/Program.cs", PACKAGE + "/Samples~/*/*.cs"],
                *("-r:" + one for one in (standin, core, hair, editor)))

layout = os.path.join(folder, "layout")
includes = [os.path.join(HERE, "..", "..", path) for path in ("abi", "host_adapters/unity/native")]
subprocess.run([compiler, *("-I" + path for path in includes), HERE + "/unity/layout.c", "-o", layout], check=True)
told = [subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for command in ([layout], [mono, program, "layout"])]
if told[0] != told[1]:
    sys.exit(f"C has\n{told[0]}and C# has\n{told[1]}")
subprocess.run([mono, program, os.path.join(libraries, "libplait_unity.so")], check=True)
