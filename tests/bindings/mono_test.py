"""The C# bindings under Mono: mono_test.py MCS MONO CC HOST LIBRARIES FOLDER. Exit code 77: there is no Mono."""
import filecmp
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "..", "..", "host_adapters", "unity", "com.plait.hair")


def build(mcs, folder, name, sources, *more):
    """Compiles with all warnings as errors; XML documentation must be well-formed, but need not be everywhere."""
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, name)
    files = [path for pattern in sources for path in sorted(glob.glob(pattern))]
    subprocess.run([mcs, "-unsafe", "-langversion:7", "-warn:4", "-warnaserror", "-nowarn:1591", "-doc:" + program + ".xml",
                    "-out:" + program, *more, *files], check=True)
    return program


def need_mono(mcs, mono):
    if not (os.path.exists(mcs) and os.path.exists(mono)):
        print("skipped: Mono (mono-mcs, mono-runtime) is not installed")
        sys.exit(77)


def main():
    mcs, mono, compiler, host, libraries, folder = sys.argv[1:]
    need_mono(mcs, mono)
    os.environ["LD_LIBRARY_PATH"] = libraries
    program = build(mcs, folder, "Program.exe", [HERE + "/mono/*.cs", PACKAGE + "/Runtime/Core/*.cs"])
    subprocess.run([sys.executable, HERE + "/layout.py", compiler, folder, mono, program, "layout"], check=True)
    subprocess.run([mono, program, "checks"], check=True)
    for solver in ("shape", "hybrid"):
        ours, theirs = os.path.join(folder, solver + ".cs"), os.path.join(folder, solver + ".c")
        subprocess.run([mono, program, solver, ours], check=True)
        subprocess.run([host, solver, theirs], check=True)
        if os.path.getsize(theirs) == 0 or not filecmp.cmp(ours, theirs, shallow=False):
            sys.exit(f"{solver}: strands of 600 frames are not those of the host in C")
        print(f"{solver}: strands of 600 frames have the bits of the host in C")


if __name__ == "__main__":
    main()
