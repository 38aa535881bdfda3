# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes: from keywords, from a file or from a text; what they say; runs of them."""
import ctypes
import json
import os
from typing import TYPE_CHECKING

from . import _abi
from ._library import check, lib, name_of, path_of, plain, sets, texts

if TYPE_CHECKING:
    from .run import Result
    from .world import World

_ORDER = ("title", "dimension", "method", "seed", "gravity")


def to_yaml(keys):
    """A scene of keywords as the text of a scene file: a line for each thing, so that messages can show it."""
    lines = ["moraine: 1"]
    for key in [k for k in _ORDER if k in keys] + [k for k in keys if k not in _ORDER]:
        value = keys[key]
        name = {"time_step": "time-step"}.get(key, key)
        if value is None:
            continue
        if isinstance(value, dict) and value:
            lines.append(name + ":")
            lines += ["  %s: %s" % (plain(k) if not k.replace("-", "").replace("_", "").isalnum() else k, plain(v))
                      for k, v in value.items()]
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], dict):
            lines.append(name + ":")
            lines += ["  - " + plain(v) for v in value]
        else:
            lines.append("%s: %s" % (name, plain(value)))
    return "\n".join(lines) + "\n"


class Scene:
    """All that does not change while a stage runs: materials, laws, grains, walls, drives, stages.

    Scene(materials={...}, interactions=[...], bodies=[...], ...) takes the keys of a scene file
    (docs/reference/scene.md; `moraine.keys` has a function for each object, with all its keys). Quantities are SI
    numbers or texts with a unit: 2e-3 or "2 mm". Scene("scene.yaml") reads a file. `changes` are as `--set` has
    them: {"bodies.beads.count": 200, "interactions.0.friction": 0.3}.

    A scene is checked as a whole when it is made; what is wrong is a `moraine.InputError` with what was expected.
    `stages` may be left out for a world that a program steps."""

    def __init__(self, path=None, *, text=None, changes=None, **keys):
        self._s = _abi.mrn_scene()
        self._made = False
        self._message = _abi.mrn_message()
        self._changes = sets(changes)
        self.path = os.fsdecode(path) if path is not None else None
        set_, n = texts(self._changes)
        if path is not None:
            if keys or text is not None:
                raise TypeError("a scene is read from a file, from a text or made of keywords: one of them")
            self.text = None
            status = lib.mrn_scene_read(path_of(self.path), set_, n, self._s, self._message)
            check(status, self._message)
        else:
            if text is None:
                keys.setdefault("stages", [{"name": "run", "until": {"time": 1e9}}])
                text = to_yaml(keys)
            self.text = text
            name_of(text, "a scene")
            status = lib.mrn_scene_read_text(text.encode(), b"scene", set_, n, self._s, self._message)
            where = ""
            if 0 < self._message.line <= text.count("\n") and not self._changes and keys:
                where = text.splitlines()[self._message.line - 1][:200]
            check(status, self._message, where)
        self._made = True

    def __del__(self):
        if getattr(self, "_made", False):
            self._made = False
            lib.mrn_scene_destroy(self._s)

    def changed(self, changes) -> "Scene":
        """The same scene with other values, as `--set` has them: a loop over parameters."""
        more = self._changes + sets(changes)
        return Scene(self.path, changes=more) if self.path is not None else Scene(text=self.text, changes=more)

    @property
    def title(self) -> str:
        return self._s.title.decode()

    @property
    def dimension(self) -> int:
        return self._s.dimension

    @property
    def methods(self) -> list:
        """Names of the methods, of the scene and of its stages in turn."""
        usual = lib.mrn_method_at(0)
        of = [self._s.method] + [self._s.stage[i].method for i in range(self._s.n_stages)]
        return list(dict.fromkeys((m or of[0] or usual).contents.name.decode() for m in of))

    @property
    def materials(self) -> list:
        """Names of the materials."""
        return [self._s.material[i].name.decode() for i in range(self._s.n_materials)]

    @property
    def walls(self) -> list:
        """Names of the walls."""
        return [self._s.wall[i].name.decode() for i in range(self._s.n_walls)]

    @property
    def groups(self) -> list:
        """Names of the groups of grains."""
        return [self._s.group[i].name.decode() for i in range(self._s.n_groups)]

    @property
    def stages(self) -> list:
        """Names of the stages."""
        return [self._s.stage[i].name.decode() for i in range(self._s.n_stages)]

    def values(self) -> dict:
        """All that the scene says in single values, defaults included, by the paths of `--set`; SI, as text."""
        out = {}

        def tell(_context, path, value, _usual):
            out[path.decode()] = value.decode(errors="replace")
        lib.mrn_scene_values(self._s, _abi.FUNCTIONS["mrn_scene_values"][1][1](tell), None)
        return out

    def world(self) -> "World":
        """A `moraine.World` of it at its start: grains placed, time step chosen."""
        from .world import World
        return World(self)

    def run(self, out=None, **options) -> "Result":
        """Runs all stages: see `moraine.run`."""
        from .run import run
        return run(self, out, **options)

    def __repr__(self):
        return "<Scene %r: %d groups, %d walls, %d stages>" % (
            self.title, self._s.n_groups, self._s.n_walls, self._s.n_stages)


def quantity(text, unit) -> float:
    """A quantity with a unit in another unit or in SI: quantity("2 mm", "m") is 0.002."""
    value, message = ctypes.c_double(), _abi.mrn_message()
    check(lib.mrn_quantity(name_of(str(text), "a quantity"), name_of(unit, "a unit"), value, message), message)
    return value.value


def _call_with_file(write):
    libc = ctypes.CDLL(None)
    libc.tmpfile.restype = ctypes.c_void_p
    libc.ftell.argtypes = libc.rewind.argtypes = libc.fclose.argtypes = [ctypes.c_void_p]
    libc.ftell.restype = ctypes.c_long
    libc.fread.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
    f = libc.tmpfile()
    try:
        check(write(f), _abi.mrn_message())
        n = libc.ftell(f)
        libc.rewind(f)
        buffer = ctypes.create_string_buffer(n)
        libc.fread(buffer, 1, n, f)
        return buffer.raw.decode()
    finally:
        libc.fclose(f)


def schema() -> dict:
    """The format of scene files as JSON Schema."""
    return json.loads(_call_with_file(lib.mrn_scene_schema))
