# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of C as NumPy arrays: views that share memory, and tables of columns."""
import ctypes

import numpy as np

from . import _fields

TYPES = {"double": (np.float64, ctypes.c_double), "int64": (np.int64, ctypes.c_int64),
         "int32": (np.int32, ctypes.c_int32), "uint16": (np.uint16, ctypes.c_uint16),
         "uint8": (np.uint8, ctypes.c_uint8)}


def shared(pointer, shape, kind="double", owner=None):
    """A NumPy array on the memory of C at `pointer`. `owner` stays alive as long as the array does."""
    address = ctypes.cast(pointer, ctypes.c_void_p).value
    dtype, ctype = TYPES[kind]
    count = int(np.prod(shape))
    if not address or count == 0:
        return np.empty(shape, dtype)
    memory = (ctype * count).from_address(address)
    memory.owner = owner
    return np.frombuffer(memory, dtype).reshape(shape)


def copied(pointer, shape, kind="double"):
    """The same as a copy, which holds for good."""
    return shared(pointer, shape, kind).copy()


class Table(dict):
    """Columns by name, each a NumPy array; `units` has their units. pandas.DataFrame(table) takes numbers as they are;
    where columns are vectors (those of contacts), pandas.DataFrame(table.flat())."""

    def __init__(self, columns=(), units=None):
        super().__init__(columns)
        self.units = dict(units or {})

    def __repr__(self):
        n = len(next(iter(self.values()))) if self else 0
        return "Table of %d rows: %s" % (n, ", ".join(self))

    def flat(self) -> "Table":
        """The same with numbers alone: a vector "x" as columns "x.x", "x.y", "x.z"."""
        out = Table()
        for name, column in self.items():
            if column.ndim == 1:
                out[name] = column
                out.units[name] = self.units.get(name, "")
                continue
            parts = {3: "xyz", 4: "wxyz"}.get(column.shape[1], [str(k) for k in range(column.shape[1])])
            for k, part in enumerate(parts):
                out["%s.%s" % (name, part)] = column[:, k].copy()
                out.units["%s.%s" % (name, part)] = self.units.get(name, "")
        return out

    def plot(self, path, x="time", y=None, **labels):
        """Draws columns against one of them, by moraine.plot."""
        from .lab import plot
        y = [y] if isinstance(y, str) else list(y or [k for k in self if k != x and self[k].dtype.kind == "f"])
        unit = lambda name: name + (" [%s]" % self.units[name] if self.units.get(name, "1") not in ("", "1") else "")
        labels.setdefault("x_label", unit(x))
        labels.setdefault("y_label", unit(y[0]) if len(y) == 1 else "")
        return plot(path, self[x], {name: self[name] for name in y}, **labels)


def _field(name, kind, width, unit, doc):
    def get(self):
        return self._view(name, kind, width)
    shape = "n" if width == 1 else "n, %s" % width
    get.__doc__ = "%s%s. A view (%s) of %s: see `moraine.World`." % (
        doc[0].upper() + doc[1:], "" if unit == "1" else " (%s)" % unit, shape, kind)
    get.__annotations__ = {"return": np.ndarray}
    return property(get)


class Bodies(_fields.Views):
    """Arrays of bodies, straight from the memory of C: nothing is copied, and what is written there is what the
    next step starts from. Names and meanings are those of docs/reference/fields.md.

    Views hold as long as `revision` stays the same: adding and removing bodies may move the arrays, and a step may
    sort the grains in space (then row k is another grain; `id` says which). Take `world.x` anew instead of keeping
    it, or copy it: world.x.copy(). Numbers and marks (id, material, shape, …) can be read, not written: C finds its
    tables by them."""

    def __init__(self, state, owner, walls, copies=False):
        self._body = state.body
        self._owner = owner
        self._walls = walls
        self._copies = copies
        self._cache = {}
        self._revision = None

    @property
    def revision(self) -> int:
        """Grows whenever views taken before no longer hold."""
        return self._body.revision

    def __len__(self):
        return self._body.n - (0 if self._walls else self._body.n_walls)

    def _view(self, name, kind, width):
        body = self._body
        revision = (body.revision, body.n)
        if revision != self._revision:
            self._cache.clear()
            self._revision = revision
        view = self._cache.get(name)
        if view is None:
            pointer = getattr(body, name)
            if not pointer:
                raise AttributeError("this state has no '%s'" % name)
            view = shared(pointer, (body.n,) if width == 1 else (body.n, width), kind, self._owner)
            view = view if self._walls else view[body.n_walls:]
            if self._copies:
                view = view.copy()
            elif kind != "double":
                view.flags.writeable = False
            self._cache[name] = view
        return view

    def by_id(self, name) -> np.ndarray:
        """A copy of one array in the order of persistent numbers: rows keep their meaning for good."""
        return getattr(self, name)[np.argsort(self.id, kind="stable")]

    def table(self, names=("id", "x", "v", "w", "radius", "mass")) -> Table:
        """Copies in the order of persistent numbers, vectors as columns "x.x", "x.y", …"""
        return Table(((name, self.by_id(name)) for name in names), {name: _fields.BODY[name][2] for name in names}).flat()


for _name, (_kind, _width, _unit, _doc) in _fields.BODY.items():
    setattr(Bodies, _name, _field(_name, _kind, _width, _unit, _doc))


def contact_table(contacts):
    """Columns of a contact network that are there, as copies."""
    out = Table()
    for name, (kind, width, unit, _doc) in _fields.CONTACT.items():
        pointer = getattr(contacts, name)
        if not pointer:
            continue
        width = {"history": contacts.history_width, "impulse": contacts.impulse_width}.get(width, width)
        if width == 0:
            continue
        out[name] = copied(pointer, (contacts.n,) if width == 1 else (contacts.n, width), kind)
        out.units[name] = unit
    return out
