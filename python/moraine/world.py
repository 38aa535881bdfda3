# SPDX-License-Identifier: GPL-3.0-or-later
"""A world that a program steps, and the grains in it."""
import ctypes
import operator
import os
import time as _clock
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._arrays import Bodies, Table, contact_table
from ._library import Listening, check, error_of, lib, name_of, number, path_of
from .measures import report_of
from .scene import Scene

_PAUSE = 0.1  # s, between looks at Ctrl-C while C steps


def _whole(n, name, what="a whole number of steps"):
    try:
        return operator.index(n)
    except TypeError:
        raise TypeError(f"{name} takes {what}, not {n!r}") from None


def _vector(v, name):
    try:
        parts = [number(c, name) for c in v]
    except TypeError:
        parts = []
    if len(parts) not in (2, 3):
        raise TypeError(f"{name} has three numbers (two in a plane), not {v!r}")
    return _abi.mrn_vec3(*(parts + [0.0] * (3 - len(parts))))


def _tuple(v):
    return np.array([v.x, v.y, v.z])


class Body:
    """A grain by its handle: names it until it is removed, wherever it stands in memory."""

    __slots__ = ("_world", "_handle")

    def __init__(self, world, handle):
        self._world, self._handle = world, handle

    @property
    def id(self) -> int:
        """Persistent number: the one in `world.grains.id`."""
        return self._handle.id - 1

    @property
    def alive(self) -> bool:
        """Whether it is still there."""
        return lib.mrn_world_has(self._world._w, self._handle)

    @property
    def position(self) -> np.ndarray:
        """m; NaN when it is gone."""
        return _tuple(lib.mrn_world_position(self._world._w, self._handle))

    @property
    def velocity(self) -> np.ndarray:
        """m/s"""
        return _tuple(lib.mrn_world_velocity(self._world._w, self._handle))

    @property
    def spin(self) -> np.ndarray:
        """rad/s"""
        return _tuple(lib.mrn_world_spin(self._world._w, self._handle))

    def set_velocity(self, velocity, spin=(0, 0, 0)):
        """Another velocity and spin; what that costs is booked as work of drives."""
        self._world._check(lib.mrn_world_set_velocity(self._world._w, self._handle, _vector(velocity, "a velocity"),
                                                      _vector(spin, "a spin"), self._world._message))

    def remove(self):
        """Takes it out of the world."""
        self._world._check(lib.mrn_world_remove(self._world._w, self._handle, self._world._message))


class World:
    """A scene at work: grains that move when `step` or `run` says so.

    Arrays are views on the memory of C: `world.x`, `world.v`, … of the grains, `world.bodies.x` of all bodies, walls
    first. Nothing is copied; a value that is written is what the next step starts from (a new velocity by
    `Body.set_velocity` is booked in the ledger, one written into `v` is not). **How long a view holds:** until
    `world.revision` changes. Adding and removing grains may move the arrays (an old view must not be used then), a
    step may sort the grains in space (an old view is then in another order). So write `world.x` where it is needed:
    a look costs about a microsecond. Worlds may be used in several Python threads, one world in one thread at a
    time."""

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

    def __init__(self, scene: Scene):
        if not isinstance(scene, Scene):
            raise TypeError(f"a world is made of a moraine.Scene, not of {scene!r}")
        self._w = ctypes.POINTER(_abi.mrn_world)()
        self._message = _abi.mrn_message()
        with Listening():
            self._check(lib.mrn_world_create(scene._s, self._w, self._message))
        self._state = lib.mrn_world_state(self._w).contents
        self._scene = lib.mrn_world_scene(self._w)
        self.grains = Bodies(self._state, self, walls=False)
        self.bodies = Bodies(self._state, self, walls=True)
        self._message_at = ctypes.byref(self._message)
        # a step of method quasistatic may take long by itself: each is made where Ctrl-C is heard
        self._chunk = 0 if "quasistatic" in scene.methods else 16
        self._probes = {}

    def __del__(self):
        if getattr(self, "_w", None):
            lib.mrn_world_destroy(self._w)

    def _check(self, status):
        if status != 0:
            raise error_of(status, self._message)

    # ---- time ----

    def step(self, n: int = 1) -> None:
        """Makes n steps. Ctrl-C ends it between two of them: the world may go on afterwards."""
        if type(n) is not int:
            n = _whole(n, "step")
        if n <= self._chunk or n < 1:
            if n < 0:
                n = max(n, -1 << 62)  # ctypes cuts: it might become one that is allowed
            status = lib.mrn_world_step(self._w, n, self._message_at)
            if status != 0:
                raise error_of(status, self._message)
            return
        while n > 0:
            begin = _clock.monotonic()
            now = min(n, self._chunk or 1)
            with Listening():
                self._check(lib.mrn_world_step(self._w, now, self._message_at))
            n -= now
            seconds = _clock.monotonic() - begin
            if self._chunk == 0:
                continue
            if seconds < _PAUSE / 2 and now == self._chunk:
                self._chunk = min(2 * self._chunk, 1 << 30)
            elif seconds > 2 * _PAUSE:
                self._chunk = max(self._chunk // 2, 16)

    def run(self, until: float, every: Optional[float] = None,
            callback: Optional[Callable[["World"], Any]] = None) -> None:
        """Steps until the step nearest to `until` (s since the start). `callback(world)` is called every `every`
        seconds of simulated time; returning True ends the run."""
        until = number(until, "until")
        if (callback is None) != (every is None):
            raise TypeError("a callback is called every `every` seconds: give both, or neither")
        if callback is None or not until > self.time:
            return self._advance(until)
        every = number(every, "every")
        if not every > 0:
            raise ValueError(f"every is a time above 0, not {every:g} s")
        k, start = 1, self.time
        while self.time < until:
            target = start + k * every
            if target > until - max(0.5 * self._state.h, 1e-9 * every):
                target = until  # the same step
            self._advance(target)
            k += 1
            if callback(self) or target >= until:
                return None
        return None

    def _advance(self, until):
        """In parts of about a tenth of a second, so that Ctrl-C is heard; the bits are those of one call."""
        part = 64 * self._state.h if self._state.h > 0 else until
        while True:
            begin, now = _clock.monotonic(), self._state.time
            target = min(until, now + part)
            if until - target < 0.5 * part:
                target = until
            with Listening():
                self._check(lib.mrn_world_advance(self._w, target, self._message_at))
            if target >= until:
                return
            if self._state.time <= now:
                part *= 2
            elif _clock.monotonic() - begin < _PAUSE / 2:
                part *= 2
            elif _clock.monotonic() - begin > 2 * _PAUSE:
                part /= 2

    def record(self, probes: Union[str, Sequence[str]], until: float, every: float,
               callback: Optional[Callable[["World"], Any]] = None) -> Table:
        """Runs and keeps probes: a `Table` with "time" and a column for each, a row every `every` seconds."""
        names = [probes] if isinstance(probes, str) else list(probes)
        rows = [[self.time] + [self.probe(name) for name in names]]

        def keep(world):
            rows.append([world.time] + [world.probe(name) for name in names])
            return callback(world) if callback is not None else False
        self.run(until, every, keep)
        columns = np.array(rows).T
        return Table(zip(["time"] + names, columns), {"time": "s", **{n: self._probes[n] for n in names}})

    def enter(self, stage: str) -> None:
        """Begins a stage of the scene, with what it changes."""
        self._check(lib.mrn_world_enter(self._w, name_of(stage, "the name of a stage"), self._message))

    # ---- grains ----

    def add(self, radius: float, x, v=(0, 0, 0), *, spin=(0, 0, 0), group: Optional[str] = None) -> Body:
        """Adds a grain to a group (else the first one of spheres)."""
        radius = number(radius, "a radius")
        x, v, spin = _vector(x, "a position"), _vector(v, "a velocity"), _vector(spin, "a spin")
        if group is None and not (spin.x or spin.y or spin.z):
            handle = lib.mrn_world_add_sphere(self._w, radius, x, v, self._message)
        else:
            grain = _abi.mrn_grain(x=x, v=v, w=spin, radius=radius)
            group = name_of(group, "the name of a group") if group is not None else None
            handle = lib.mrn_world_add(self._w, group, grain, self._message)
        self._check(self._message.status)
        return Body(self, handle)

    def body(self, id: int) -> Body:
        """The grain of a persistent number."""
        place = np.nonzero(self.bodies.id == _whole(id, "body", "the number of a grain"))[0]
        if len(place) == 0:
            raise LookupError("there is no body %d" % id)
        return Body(self, lib.mrn_body_handle(self._state, int(place[0])))

    # ---- what it is now ----

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._state.time

    @property
    def steps(self) -> int:
        """Steps made."""
        return self._state.step

    @property
    def time_step(self) -> float:
        """s, in use."""
        return self._state.h

    @property
    def revision(self) -> int:
        """Grows whenever views taken before no longer hold."""
        return self._state.body.revision

    @property
    def hash(self) -> int:
        """Of the state: equal bits, equal hash."""
        return lib.mrn_state_hash(self._state)

    def __len__(self):
        return lib.mrn_world_grains(self._w)

    def probe(self, name: str) -> float:
        """A number by its name: "kinetic-energy", "walls.floor.force.z" (docs/reference/probes.md)."""
        if name not in self._probes:
            name_of(name, "the name of a probe")
            unit = ctypes.c_char_p()
            check(lib.mrn_probe_check(self._scene, name.encode(), unit, self._message), self._message)
            self._probes[name] = (unit.value or b"").decode()
        return lib.mrn_world_probe(self._w, name.encode())

    def energies(self) -> dict:
        """kinetic, rotational, elastic, gravity, total, dissipated, input, residual: J."""
        e = lib.mrn_world_energies(self._w)
        return {name: getattr(e, name) for name, _ in e._fields_}

    def contacts(self, alert: float = 0.0) -> Table:
        """The contact network (gap below `alert`), with the forces of the last step: copies."""
        contacts = _abi.mrn_contacts()
        alert = number(alert, "alert")
        check(lib.mrn_contacts_collect(self._scene, self._state, alert, contacts, self._message), self._message)
        try:
            return contact_table(contacts)
        finally:
            lib.mrn_contacts_destroy(contacts)

    def analyze(self) -> dict:
        """Packing, network, forces, stress, fabric, flow: what `moraine analyze` tells."""
        return report_of(self._scene, self._state, None, self._message)

    def draw(self, path) -> None:
        """A picture of it as it is (PNG)."""
        self._check(lib.mrn_world_draw(self._w, path_of(path), self._message))

    def __repr__(self):
        return "<World: %d grains, time %g s, step %d>" % (len(self), self.time, self.steps)


def _of_grains(name):
    there = getattr(Bodies, name)
    return property(lambda self: there.fget(self.grains), doc="Of the grains. " + there.__doc__)


for _name in World.__annotations__:
    setattr(World, _name, _of_grains(_name))
