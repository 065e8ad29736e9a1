"""The Unity components against stand-ins for Unity, under Mono: unity_test.py MCS MONO LIBRARIES FOLDER. Unity itself is not run.
Exit code 77: there is no Mono."""
import os
import subprocess
import sys

from mono_test import HERE, PACKAGE, build, need_mono

mcs, mono, libraries, folder = sys.argv[1:]
need_mono(mcs, mono)
os.environ["LD_LIBRARY_PATH"] = libraries
# One assembly for each asmdef of the package, which see no more of each other than in Unity.
standin = build(mcs, folder, "UnityEngine.dll", [HERE + "/unity/Values.cs", HERE + "/unity/Engine.cs", HERE + "/unity/Memory.cs"], "-target:library")
core = build(mcs, folder, "Plait.dll", [PACKAGE + "/Runtime/Core/*.cs"], "-target:library")
hair = build(mcs, folder, "Plait.Unity.dll", [PACKAGE + "/Runtime/Hair/*.cs"], "-target:library", "-r:" + standin, "-r:" + core)
editor = build(mcs, folder, "Plait.Editor.dll", [PACKAGE + "/Editor/*.cs"], "-target:library", "-r:" + standin, "-r:" + hair)
program = build(mcs, folder, "Unity.exe", [HERE + "/unity/Program.cs", PACKAGE + "/Samples~/*/*.cs"],
                *("-r:" + one for one in (standin, core, hair, editor)))
subprocess.run([mono, program], check=True)
