# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds and opens libmoraine.so; turns statuses of C into exceptions."""
import ctypes
import operator
import os
import signal
import threading

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
        elif self.file and self.file not in words:
            words = self.file + ": " + words
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
_TELL = dict(_abi.mrn_long_work._fields_)["tell"]


def _finalizes(frame):
    """Whether this is, or was called by, a finalizer: the collector may start one anywhere."""
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


class Listening:
    """While C works and calls back, Ctrl-C is noted and told to C; what it raised is raised at the end of the block.

    Python hears a signal when it enters a callback, before the first line of it, where an exception would be dropped:
    so the handler in force is called here and what it raises is kept in `raised`. Inside of `call`, where it can be
    caught, it is raised as ever, but for finalizers (`__del__`), which drop it too. C asks through `mrn_long_work` while it does what has no steps, and through `stop`."""

    def __init__(self, stop=None):
        self.raised, self.stop = [], stop
        self._inside, self._handler = False, None

    def keep(self, error):
        """C shall end, and the block raises this."""
        self.raised.append(error)
        if self.stop is not None:
            self.stop.value = 1

    def call(self, function, *arguments):
        """What a callback of C does in Python; None when it raised."""
        try:
            self._inside = True
            answer = function(*arguments)
            self._inside = False
            return answer
        except BaseException as error:
            self._inside = False
            self.keep(error)
            return None

    def _hear(self, number, frame):
        if self._inside and not _finalizes(frame):
            return self._handler(number, frame)
        try:
            return self._handler(number, frame)
        except BaseException as error:
            return self.keep(error)

    def __enter__(self):
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(handler):
            self._handler = handler
            signal.signal(signal.SIGINT, self._hear)
        self._tell = _TELL(lambda _user, _what, _done: bool(self.raised))
        self._before = lib.mrn_long_work_set(_abi.mrn_long_work(tell=self._tell))
        return self

    def __exit__(self, *_):
        lib.mrn_long_work_set(self._before)
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if self.raised:
            raise self.raised[0] from None


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


def name_of(value, what):
    """A name as C takes it."""
    if not isinstance(value, str):
        raise TypeError("%s is a text, not %r" % (what, value))
    if "\0" in value:
        raise ValueError("%s ends at its zero character: %r" % (what, value))
    return value.encode()


def path_of(path):
    """The path of a file as C takes it: texts, bytes, names that are no UTF-8."""
    path = os.fsencode(path)
    if b"\0" in path:
        raise ValueError("a path ends at its zero character: %r" % (path,))
    return path


def whole(value, what, least=0, most=2 ** 63 - 1):
    """A whole number that C has room for: ctypes cuts what is larger without a word."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError("%s is a whole number, not %r" % (what, value)) from None
    if not least <= value <= most:
        raise ValueError("%s is a whole number from %d to %d, not %d" % (what, least, most, value))
    return value


def number(value, what):
    """A number as C takes it."""
    try:
        if isinstance(value, str):
            raise TypeError
        return float(value)
    except TypeError:
        raise TypeError("%s is a number, not %r" % (what, value)) from None


def texts(items):
    """An array of C strings; NULL and 0 where there are none."""
    items = [name_of(str(i), "a change") for i in items or ()]
    return ((ctypes.c_char_p * len(items))(*items) if items else None), len(items)


def sets(changes):
    """Changes of a file: a mapping {"bodies.beads.count": 200} or texts "path=value"."""
    if changes is None:
        return []
    if isinstance(changes, str):
        return [changes]
    if hasattr(changes, "items"):
        return ["%s=%s" % (k, v if isinstance(v, str) else plain(v)) for k, v in changes.items()]
    try:
        return list(changes)
    except TypeError:
        raise TypeError("changes are a mapping {path: value} or texts \"path=value\", not %r" % (changes,)) from None


def plain(value):
    """A value as one line of YAML (JSON, which is YAML)."""
    import json

    def other(v):
        if hasattr(v, "tolist"):
            return v.tolist()
        if hasattr(v, "__fspath__"):
            return os.fspath(v)
        raise TypeError("a scene cannot hold %r" % (v,))

    try:
        return json.dumps(value, default=other, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        if "JSON" not in str(error):
            raise
        raise ValueError("a scene cannot hold a number that is not finite: %r" % (value,)) from None
