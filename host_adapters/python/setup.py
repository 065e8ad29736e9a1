"""Puts the libraries that PLAIT_WHEEL_LIBRARIES names (separated as in PATH) into the package; the wheel is then one of this
platform. Without it the wheel is for all platforms and expects an installed library."""
import os
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

LIBRARIES = [path for path in os.environ.get("PLAIT_WHEEL_LIBRARIES", "").split(os.pathsep) if path]


class BuildWithLibraries(build_py):
    def run(self):
        super().run()
        for path in LIBRARIES:
            shutil.copyfile(path, os.path.join(self.build_lib, "plait", os.path.basename(path)))


class WithLibraries(Distribution):
    def has_ext_modules(self):
        return bool(LIBRARIES)


class PlatformWheel(bdist_wheel):
    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("py3", "none", platform) if LIBRARIES else (python, abi, platform)


setup(distclass=WithLibraries, cmdclass={"build_py": BuildWithLibraries, "bdist_wheel": PlatformWheel})
