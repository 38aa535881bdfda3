# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of a state: the report of `moraine analyze` as dictionaries."""
import ctypes
import os

import numpy as np

from . import _abi
from ._library import check, lib, path_of


def as_dict(structure):
    """A structure of C as a dictionary: arrays of numbers as NumPy arrays, inner structures as dictionaries."""
    out = {}
    for name, _kind in structure._fields_:
        value = getattr(structure, name)
        if isinstance(value, ctypes.Structure):
            value = as_dict(value)
        elif isinstance(value, ctypes.Array) and not isinstance(value, bytes):
            value = np.ctypeslib.as_array(value).copy() if value._type_ is ctypes.c_double else list(value)
        elif isinstance(value, bytes):
            value = value.decode(errors="replace")
        out[name] = value
    return out


def report_of(scene, state, contacts, message):
    report = _abi.mrn_report()
    check(lib.mrn_measure(scene, state, contacts, report, message), message)
    return as_dict(report)


def _has_points(scene):
    method = scene.method if scene.method else lib.mrn_method_at(0)
    return method.contents.contact_points


def analyze(what) -> dict:
    """What a state is like: of a `World`, or of the checkpoint in the folder of a run."""
    from .world import World
    if isinstance(what, World):
        return what.analyze()
    message, scene, state = _abi.mrn_message(), _abi.mrn_scene(), _abi.mrn_state()
    folder = os.fsdecode(what)
    check(lib.mrn_scene_read(path_of(os.path.join(folder, "scene.yaml")), None, 0, scene, message), message)
    try:
        path = path_of(os.path.join(folder, "checkpoint.h5"))
        check(lib.mrn_checkpoint_read(path, scene, state, message), message)
        for stage in range(min(state.stage + 1, scene.n_stages)):
            check(lib.mrn_scene_enter_stage(scene, stage, message), message)
        check(lib.mrn_pairs_build(scene, state, True, message), message)
        engine = _abi.mrn_engine()
        try:  # forces are not stored but evaluated anew; impulses of contact points are
            if not _has_points(scene):
                check(lib.mrn_engine_create_still(scene, state, engine, message), message)
            if engine.self:
                check(engine.method.contents.refresh(engine.self, message), message)
            return report_of(scene, state, None, message)
        finally:
            lib.mrn_engine_destroy(engine)
    finally:
        lib.mrn_state_destroy(state)
        lib.mrn_scene_destroy(scene)
