"""A wheel with the libraries in it runs alone: wheel_test.py FOLDER LIBRARY... Exit code 77: something to build it with is
missing."""
import os
import shutil
import subprocess
import sys
import zipfile

try:
    import numpy  # noqa: F401
    import setuptools.build_meta
    import wheel  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

folder, *libraries = sys.argv[1:]
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "host_adapters", "python")
work, unpacked = os.path.join(folder, "source"), os.path.join(folder, "unpacked")
shutil.rmtree(folder, ignore_errors=True)
shutil.copytree(source, work, ignore=shutil.ignore_patterns("__pycache__"))

os.chdir(work)
os.environ["PLAIT_WHEEL_LIBRARIES"] = os.pathsep.join(libraries)
name = setuptools.build_meta.build_wheel(folder)
assert name.startswith("plait_hair-1.0.0-py3-none-") and not name.endswith("any.whl"), name
with zipfile.ZipFile(os.path.join(folder, name)) as archive:
    archive.extractall(unpacked)

for variable in ("PLAIT_LIBRARY", "PYTHONPATH", "LD_LIBRARY_PATH"):
    os.environ.pop(variable, None)
program = """
import os, plait
with plait.Context() as context:
    groom = context.create_groom([(0, 0, 0), (0.1, 0, 0), (0.2, 0, 0)], [3])
    hair = context.create_hair(groom, context.open_device("cpu"))
    for _ in range(60):
        hair.step(1 / 60)
    assert hair.positions[2, 1] < -0.01, hair.positions
    assert os.path.dirname(plait.load()._name) == os.path.dirname(plait.__file__), plait.load()._name
"""
subprocess.run([sys.executable, "-c", program], check=True, cwd=unpacked)
print(name)
