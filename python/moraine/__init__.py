# SPDX-License-Identifier: GPL-3.0-or-later
"""Moraine: granular mechanics. Scenes, worlds that a program steps, runs, and the lab, on the C library.

    import moraine as mrn
    scene = mrn.Scene("scene.yaml")          # or by keywords: mrn.Scene(materials={...}, ...)
    world = scene.world()
    world.run(until=0.5)
    print(world.x.mean(axis=0), world.probe("kinetic-energy"))
"""
from . import keys
from ._abi import MRN_VERSION as __version__
from ._arrays import Bodies, Table
from ._library import (Error, Exploded, FileError, InputError, NotConverged, StaleError, TooStiff, lib,
                       library_path)
from .lab import Fit, Problem, calibrate, collide, fit, plot, solve
from .measures import analyze
from .run import Frame, Moment, Result, Trajectory, probes, run
from .scene import Scene, quantity, schema
from .world import Body, World

__all__ = ["Bodies", "Body", "Error", "Exploded", "FileError", "Fit", "Frame", "InputError", "Moment", "NotConverged",
           "Problem", "Result", "Scene", "StaleError", "Table", "TooStiff", "Trajectory", "World", "analyze", "calibrate",
           "collide", "fit", "keys", "laws", "library_path", "plot", "probes", "quantity", "run", "schema", "solve",
           "threads"]


def threads(n=None) -> int:
    """How many threads the library uses; with a number: sets it (0: as many as cores). Results do not depend on it."""
    if n is None:
        return lib.mrn_threads()
    if not hasattr(n, "__index__") or not 0 <= n <= 4096:
        raise ValueError("threads are a whole number up to 4096, 0 for as many as cores, not %r" % (n,))
    return lib.mrn_threads_set(n)


def laws() -> dict:
    """The contact laws by name, with what they are."""
    out = {}
    for k in range(lib.mrn_law_model_count()):
        model = lib.mrn_law_model_at(k).contents
        out[model.name.decode()] = model.summary.decode()
    return out
