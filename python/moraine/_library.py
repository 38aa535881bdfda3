# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds and opens libmoraine.so; turns statuses of C into exceptions."""
import ctypes
import os

from . import _abi


class Error(Exception):
    """What the library said: `text`, `expected`, `hint`, and where (`path` in a scene; `file`, `line`, `column`).
    `status` is the number of C, `status_text` its name."""

    def __init__(self, status, message=None, where=""):
        self.status = status
        self.status_text = lib.mrn_status_text(status).decode()
        get = (lambda name: getattr(message, name).decode(errors="replace")) if message is not None else (lambda name: "")
        self.text = get("text") or self.status_text
        self.expected, self.hint, self.path, self.file = get("expected"), get("hint"), get("path"), get("file")
        self.line = message.line if message is not None else 0
        self.column = message.column if message is not None else 0
        self.where = where  # the line of a scene that was made here
        words = self.text
        if self.path and self.path not in words:
            words = self.path + ": " + words
        if where:
            words += "\n  in: " + where.strip()
        elif self.line:
            words = "%s:%d:%d: %s" % (self.file, self.line, self.column, words)
        if self.expected:
            words += "\n  expected: " + self.expected
        if self.hint:
            words += "\n  hint: " + self.hint
        super().__init__(words)


class InputError(Error, ValueError):
    """A scene, a file of the lab or a value is wrong."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class StaleError(Error, LookupError):
    """A body that is no longer there."""


class Exploded(Error, ArithmeticError):
    """A state that is not finite or beyond all bounds."""


class TooStiff(Error, ArithmeticError):
    """The time step is above the stability limit."""


class NotConverged(Error, ArithmeticError):
    """An iteration ended before its tolerance."""


CLASSES = {
    _abi.MRN_ERR_INPUT: InputError, _abi.MRN_ERR_RANGE: InputError, _abi.MRN_ERR_IO: FileError,
    _abi.MRN_ERR_STALE: StaleError, _abi.MRN_EXPLODED: Exploded, _abi.MRN_TOO_STIFF: TooStiff,
    _abi.MRN_NOT_CONVERGED: NotConverged,
}


def _candidates():
    here = os.path.dirname(os.path.abspath(__file__))
    name = "libmoraine.so.%d.%d" % (_abi.MRN_VERSION_MAJOR, _abi.MRN_VERSION_MINOR)
    if os.environ.get("MORAINE_LIBRARY"):
        return [os.environ["MORAINE_LIBRARY"]]
    places = [os.path.join(here, name), os.path.join(here, "..", "..", "build", "release", name)]
    return [os.path.normpath(p) for p in places if os.path.exists(p)] + [name]


def _one_blas():
    """Kernels of OpenBLAS as the command chooses them: same bits on every processor that has them.
    Read once, when OpenBLAS is loaded: a NumPy that was imported before and uses it has chosen."""
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((line.split() for line in file if line.startswith("flags")), [])
    except OSError:
        return
    if "avx2" in flags and "fma" in flags:
        os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")


def _open():
    # threads that spin while they wait crawl on a busy machine; read once, when OpenMP is loaded
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "300")
    _one_blas()
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            break
        except OSError as error:
            tried.append("%s: %s" % (path, error))
    else:
        raise ImportError("libmoraine.so is not found; build it (make release) or set MORAINE_LIBRARY\n  " +
                          "\n  ".join(tried))
    library.mrn_version.restype = ctypes.c_char_p
    theirs = library.mrn_version().decode()
    if theirs.split(".")[:2] != _abi.MRN_VERSION.split(".")[:2]:
        raise ImportError("%s is version %s, this package is for %s" % (path, theirs, _abi.MRN_VERSION))
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library, path


lib, library_path = _open()
mrn_free = lib.mrn_free


def error_of(status, message, where=""):
    """The exception for a status; the message is made ready for the next call."""
    if status == _abi.MRN_ERR_MEMORY:
        error = MemoryError(message.text.decode(errors="replace") or "out of memory")
    else:
        error = CLASSES.get(status, Error)(status, message, where)
    message.status = 0
    for field in ("text", "expected", "hint", "path", "file"):
        setattr(message, field, b"")
    return error


def check(status, message, where="", accept=()):
    """Raises unless the status is MRN_OK or one of `accept`."""
    if status != 0 and status not in accept:
        raise error_of(status, message, where)
    return status


def texts(items):
    """An array of C strings; NULL and 0 where there are none."""
    items = [str(i).encode() for i in items or ()]
    return ((ctypes.c_char_p * len(items))(*items) if items else None), len(items)


def sets(changes):
    """Changes of a file: a mapping {"bodies.beads.count": 200} or texts "path=value"."""
    if changes is None:
        return []
    if isinstance(changes, str):
        return [changes]
    if hasattr(changes, "items"):
        return ["%s=%s" % (k, v if isinstance(v, str) else plain(v)) for k, v in changes.items()]
    return list(changes)


def plain(value):
    """A value as one line of YAML (JSON, which is YAML)."""
    import json

    def other(v):
        if hasattr(v, "tolist"):
            return v.tolist()
        if hasattr(v, "__fspath__"):
            return os.fspath(v)
        raise TypeError("a scene cannot hold %r" % (v,))

    return json.dumps(value, default=other, ensure_ascii=False)
