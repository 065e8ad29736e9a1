"""Compares what bindings say about constants, structs, fields and initial values with what a C compiler says, line by line.

layout.py CC FOLDER          the Python bindings, for which PYTHONPATH is set
layout.py CC FOLDER COMMAND  what this command prints
"""
import ctypes
import os
import subprocess
import sys

PROJECT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def main():
    compiler, folder, *command = sys.argv[1:]
    expected = of_compiler(compiler, folder)
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines() if command else of_python()
    missing, wrong = sorted(set(expected) - set(told)), sorted(set(told) - set(expected))
    for line in missing:
        print(f"C has:        {line}")
    for line in wrong:
        print(f"bindings have: {line}")
    kinds = {kind: sum(line.startswith(kind + " ") for line in expected) for kind in ("constant", "struct", "field", "init")}
    print("compared: " + ", ".join(f"{count} of {kind}" for kind, count in kinds.items()))
    sys.exit(bool(missing or wrong or min(kinds.values()) < 30))


def of_compiler(compiler, folder):
    os.makedirs(folder, exist_ok=True)
    source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
    generate = os.path.join(PROJECT, "host_adapters", "bindings", "generate.py")
    subprocess.run([sys.executable, generate, "--layout", source], check=True)
    subprocess.run([compiler, "-std=c11", "-I", os.path.join(PROJECT, "abi"), source, "-o", program], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def of_python():
    from plait import native
    for name, value in vars(native).items():
        if name.startswith("PLAIT_"):
            yield f"constant {name} {value}"
        elif isinstance(value, type) and name.startswith("plait_") and issubclass(value, ctypes.Structure):
            yield f"struct {name} {ctypes.sizeof(value)}"
            for field, _ in value._fields_:
                yield f"field {name}.{field} {getattr(value, field).offset}"
            if issubclass(value, native._Struct):
                yield f"init {name} {bytes(value()).hex()}"


if __name__ == "__main__":
    main()
