"""What a call costs from C# and Python beyond what it costs from C, for ./run bench: bench.py HOST LIBRARIES FOLDER [NAME...]
[--json FILE]. The programs take turns; the median counts. What is missing is left out with a line."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 7
MEANINGS = {
    "query": "plait_hair_query, a cheap call that fills a struct",
    "step": "plait_hair_step of one strand with two bones and colliders",
}
LANGUAGES = {"csharp": "C# (Mono)", "python": "Python"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("libraries")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    figures = [f"binding.overhead_us.{language}_{call}" for language in LANGUAGES for call in MEANINGS]
    names = arguments.names or ["binding"]
    wanted = [one for one in figures if any((one + ".").startswith(name + ".") for name in names)]
    if not wanted:
        sys.exit(f"bench: no figure '{names[0]}'; there are " + ", ".join(figures))
    os.environ["LD_LIBRARY_PATH"] = arguments.libraries
    commands = {"c": [arguments.host, "bench"], "csharp": csharp(arguments.folder), "python": python(arguments.libraries)}
    commands = {name: command for name, command in commands.items()
                if command and (name == "c" or any(f".{name}_" in one for one in wanted))}
    rounds = [{name: run(command) for name, command in commands.items()} for _ in range(ROUNDS)]
    print(f"{'figure':<32} {'value':>10} {'unit':<4} {'target':<14} {'met':<4} what it measures")
    with open(arguments.json or os.devnull, "w", encoding="utf-8") as json:
        for figure in wanted:
            language, call = figure.rsplit(".", 1)[1].split("_")
            if language not in commands:
                continue
            over = statistics.median(one[language][call] - one["c"][call] for one in rounds)
            of_c = statistics.median(one["c"][call] for one in rounds)
            print(f"{figure:<32} {over:10.3f} us   {'none':<14} -    a call from {LANGUAGES[language]} over one from C "
                  f"({of_c:.2f} us): {MEANINGS[call]}")
            json.write(f'{{"name":"{figure}","value":{over:.6g},"unit":"us","target":null}}\n')


def run(command):
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: float(value) for name, value in (line.split() for line in lines)}


def csharp(folder):
    mcs, mono = shutil.which("mcs"), shutil.which("mono")
    if not mcs or not mono:
        print("Mono is not installed: figures of C# are left out.", file=sys.stderr)
        return None
    from mono_test import PACKAGE, build
    return [mono, build(mcs, folder, "Bench.exe", [HERE + "/mono/*.cs", PACKAGE + "/Runtime/Core/*.cs"]), "bench"]


def python(libraries):
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("NumPy is not installed: figures of Python are left out.", file=sys.stderr)
        return None
    os.environ["PLAIT_LIBRARY"] = os.path.join(libraries, "libplait.so.1")
    os.environ["PYTHONPATH"] = os.path.join(HERE, "..", "..", "host_adapters", "python")
    return [sys.executable, os.path.join(HERE, "bench_calls.py")]


if __name__ == "__main__":
    main()
