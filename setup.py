# SPDX-License-Identifier: GPL-3.0-or-later
"""pip install . : builds libmoraine.so by CMake and puts it into the package.

MORAINE_BUILD=FOLDER takes the library of a build that is there instead."""
import glob
import os
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        build = os.environ.get("MORAINE_BUILD")
        if not build:
            build = os.path.join("build", "python")
            subprocess.check_call(["cmake", "-S", ".", "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DMRN_TESTS=OFF"])
            jobs = str(os.cpu_count() or 2)  # without a number make starts all compilers at once
            subprocess.check_call(["cmake", "--build", build, "--parallel", jobs, "--target", "moraine-shared"])
        for library in glob.glob(os.path.join(build, "libmoraine.so.*.*")):
            if not os.path.islink(library):  # under the name that the package looks for
                name = ".".join(os.path.basename(library).split(".")[:4])
                shutil.copy(library, os.path.join(self.build_lib, "moraine", name))
                return
        raise SystemExit("there is no libmoraine.so in " + build)


class AnyPython(bdist_wheel):
    """The library does not depend on the version of Python."""

    def get_tag(self):
        return ("py3", "none") + super().get_tag()[2:]


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": AnyPython}, distclass=WithLibrary)
