# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole runs, and what they leave: trajectories, probes, summary."""
import csv
import ctypes
import json
import operator
import os
import re

import numpy as np

from . import _abi
from ._arrays import Bodies, Table, contact_table, copied
from ._library import Listening, check, error_of, lib, name_of, path_of, whole
from .measures import as_dict, report_of
from .scene import Scene

_PROGRESS = dict(_abi.mrn_run_options._fields_)["progress"]
_SAMPLE = dict(_abi.mrn_run_options._fields_)["sample"]


def _as_arguments(hint):
    """Options of the command, in a hint of C, as arguments of `run`."""
    for option, argument in ((r"--change (\w+)", r'change="\1"'), (r"--out( DIR)?", "out=…"),
                             (r"--(resume|force)", r"\1=True")):
        hint = re.sub(option, argument, hint)
    return hint


class _Over:
    """What stands in the place of C's memory when a callback has returned."""

    def __getattr__(self, name):
        raise ValueError("this moment is over: it could be asked until its callback returned")


class Moment:
    """A run at one instant, as a callback sees it: it can be asked until the callback returns; arrays are copies that
    hold for good."""

    def __init__(self, progress):
        self._p = progress
        self._message = _abi.mrn_message()
        state = progress.state.contents
        self.time, self.step = state.time, state.step
        self.stage = progress.scene.contents.stage[progress.stage].name.decode()
        self.fraction, self.remaining = progress.fraction, progress.remaining
        self.grains = Bodies(state, None, walls=False, copies=True)
        self.bodies = Bodies(state, None, walls=True, copies=True)

    def _end(self):
        self._p = self.grains._body = self.bodies._body = _Over()

    def probe(self, name: str) -> float:
        """A number by its name."""
        name = name_of(name, "the name of a probe")
        check(lib.mrn_probe_check(self._p.scene, name, ctypes.c_char_p(), self._message), self._message)
        return lib.mrn_probe_value(self._p.scene, self._p.state, name)

    def analyze(self) -> dict:
        """As `World.analyze`."""
        return report_of(self._p.scene, self._p.state, None, self._message)


def _told(function, progress):
    moment = Moment(progress)
    try:
        return function(moment)
    finally:
        moment._end()


class Result:
    """How a run ended, and its files."""

    def __init__(self, r, status, out):
        self.status_text = lib.mrn_status_text(status).decode()
        self.done = status == _abi.MRN_OK
        self.out = out
        self.steps, self.time, self.frames, self.hash = r.steps, r.time, r.frames, r.hash
        self.wall_seconds, self.body_steps_per_second = r.wall_seconds, r.body_steps_per_second
        self.energies = as_dict(r.energies)
        self.warnings = [r.warning[i].text.decode(errors="replace") for i in range(r.n_warnings)]
        self.lines = {r.line[i].label.decode(): r.line[i].text.decode() for i in range(r.n_lines)}

    @property
    def probes(self) -> Table:
        """probes.csv as a table."""
        return probes(self.out)

    @property
    def trajectory(self) -> "Trajectory":
        """Its frames."""
        return Trajectory(self.out)

    @property
    def summary(self) -> dict:
        """summary.json."""
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as f:
            return json.load(f)

    def __repr__(self):
        return "<Result: %s, %g s in %d steps>" % (self.status_text, self.time, self.steps)


def run(scene, out=None, *, resume=False, change=(), force=False, progress=None, sample=None, max_steps=0) -> Result:
    """Runs all stages of a scene (a `Scene`, or the path of a file) and writes the folder `out` (None: nothing).

    `progress(moment)` is called between steps, now and then, `sample(moment)` with every row of probes.csv and at
    the end of each stage; both get a `Moment`, may read the bodies, and end the run by returning True. Ctrl-C ends it
    cleanly: a checkpoint is written, and the same call with resume=True goes on to the same bits; what `change` names
    ("interactions", "gravity", "forces", "damping", "motions") may then differ from the run so far. A run that
    explodes, meets a step that is too long or a problem that is not solved raises; one that meets the time limit of a
    stage, or was stopped by a callback, does not (`Result.status_text` tells)."""
    scene = scene if isinstance(scene, Scene) else Scene(scene)
    if change and not resume:
        raise ValueError("change names what may differ in a run that is resumed: resume=True")
    max_steps = whole(max_steps, "max_steps")  # 0: no limit
    options, result, message = lib.mrn_run_default(), _abi.mrn_run_result(), _abi.mrn_message()
    stop = ctypes.c_int(0)
    listening = Listening(stop)  # what a callback raises, and Ctrl-C: C cleans up, then it goes on

    def guarded(function):
        def call(p, _user):
            if function is not None and not stop.value and listening.call(_told, function, p.contents):
                stop.value = 1
        return call
    out = os.fspath(out) if out is not None else None
    options.out = path_of(out) if out is not None else None
    options.resume, options.overwrite, options.max_steps = resume, force, max_steps
    names = [name_of(name, "a change") for name in ([change] if isinstance(change, str) else change)]
    options.change, options.n_change = (ctypes.c_char_p * max(1, len(names)))(*names), len(names)
    options.stop = ctypes.pointer(stop)
    options.progress = _PROGRESS(guarded(progress))  # also without one: there Ctrl-C is heard
    if sample is not None:
        options.sample = _SAMPLE(guarded(sample))
    with listening:
        status = lib.mrn_run(scene._s, options, result, message)
    if status < 0 or status in (_abi.MRN_EXPLODED, _abi.MRN_TOO_STIFF, _abi.MRN_NOT_CONVERGED):
        message.hint = _as_arguments(message.hint.decode(errors="replace")).encode()
        raise error_of(status, message)
    return Result(result, status, out)


def probes(out) -> Table:
    """probes.csv of a run's folder (or a file) as a `Table`: pandas.DataFrame(moraine.probes("out"))."""
    path = os.fspath(out)
    path = os.path.join(path, "probes.csv") if os.path.isdir(path) else path
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("%s: no table of probes: rows of different lengths, or none" % path)
    table = Table()
    for k, head in enumerate(rows[0]):
        name, _, unit = head.partition(" [")
        column = [row[k] for row in rows[1:]]
        try:
            table[name] = np.array([float(v) if v else np.nan for v in column])
        except ValueError:
            table[name] = np.array(column)
        table.units[name] = unit.rstrip("]")
    return table


class Frame:
    """One stored instant: arrays of bodies (walls first), copies that hold for good."""

    x: np.ndarray
    v: np.ndarray
    w: np.ndarray
    q: np.ndarray
    f: np.ndarray
    t: np.ndarray
    radius: np.ndarray
    mass: np.ndarray
    id: np.ndarray
    image: np.ndarray
    material: np.ndarray
    group: np.ndarray
    flags: np.ndarray
    parent: np.ndarray

    def __init__(self, frame):
        n = frame.n
        self.time, self.step, self.n_walls = frame.time, frame.step, frame.n_walls
        for name, width, kind in (("x", 3, "double"), ("v", 3, "double"), ("w", 3, "double"), ("q", 4, "double"),
                                  ("f", 3, "double"), ("t", 3, "double"), ("radius", 1, "double"), ("mass", 1, "double"),
                                  ("id", 1, "int32"), ("image", 3, "int32"), ("material", 1, "uint16"),
                                  ("group", 1, "uint16"), ("flags", 1, "uint16"), ("parent", 1, "int32")):
            pointer = getattr(frame, name)
            setattr(self, name, copied(pointer, (n,) if width == 1 else (n, width), kind) if pointer else None)
        self.cell_origin, self.cell_size = np.array(frame.cell_origin), np.array(frame.cell_size)
        self.periodic = list(frame.periodic)
        self.contacts = contact_table(frame.contacts) if frame.contacts.n > 0 else Table()

    def __repr__(self):
        return "<Frame: %d grains, time %g s, step %d>" % (len(self.id) - self.n_walls, self.time, self.step)


class Trajectory:
    """The frames of a run: len(), trajectory[k], `times`, and whole arrays over time by `array`."""

    def __init__(self, path):
        self._t = ctypes.POINTER(_abi.mrn_trajectory)()
        self._message = _abi.mrn_message()
        check(lib.mrn_trajectory_open(path_of(path), self._t, self._message), self._message)

    def close(self):
        """Closes the file."""
        if getattr(self, "_t", None):
            lib.mrn_trajectory_close(self._t, self._message)
            self._t = None

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _open(self):
        if not self._t:
            raise ValueError("this trajectory is closed")
        return self._t

    def __len__(self):
        return lib.mrn_trajectory_frames(self._open())

    def __repr__(self):
        return "<Trajectory: %d frames>" % len(self) if self._t else "<Trajectory: closed>"

    @property
    def times(self) -> np.ndarray:
        """s, of all frames."""
        return np.array([lib.mrn_trajectory_time(self._t, k) for k in range(len(self))])

    def __getitem__(self, k) -> Frame:
        n = len(self)
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(n))]
        k = operator.index(k)
        if not -n <= k < n:
            raise IndexError("frame %d of %d" % (k, n))
        frame = _abi.mrn_frame()
        check(lib.mrn_trajectory_read(self._t, k % n, frame, self._message), self._message)
        try:
            return Frame(frame)
        finally:
            lib.mrn_frame_destroy(frame)

    def array(self, name: str, frames=None) -> np.ndarray:
        """One quantity of all grains over time: (frames, grains, …), grains in the order of their persistent numbers;
        NaN (0 for whole numbers) while a grain is not there."""
        frames = [self[k] for k in (range(len(self)) if frames is None else frames)]
        if not frames:
            raise ValueError("no frames, so no array of them")
        ids = np.unique(np.concatenate([f.id[f.n_walls:] for f in frames]))
        first = getattr(frames[0], name)
        out = np.full((len(frames), len(ids)) + first.shape[1:], np.nan if first.dtype.kind == "f" else 0, first.dtype)
        for row, f in zip(out, frames):
            row[np.searchsorted(ids, f.id[f.n_walls:])] = getattr(f, name)[f.n_walls:]
        return out
