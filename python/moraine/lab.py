# SPDX-License-Identifier: GPL-3.0-or-later
"""Single collisions, fits, calibration, contact problems, plots."""
import ctypes
import os

import numpy as np

from . import _abi
from ._arrays import Table, copied
from ._library import Listening, check, error_of, lib, name_of, path_of, plain, sets, texts, whole
from .measures import as_dict

SCALARS = (ctypes.c_double, ctypes.c_int, ctypes.c_int64, ctypes.c_bool)


def _factor(collision, name, message):
    factor = _abi.mrn_factor()
    check(lib.mrn_factor_find(collision, name.encode(), factor, message), message)
    return factor


def _conditions(**varied):
    """Numbers, or arrays that go together: else it is said which do not."""
    shapes = {}
    for name, v in varied.items():
        try:
            shapes[name] = np.asarray(v, float).shape
        except (TypeError, ValueError):
            raise TypeError("%s is a number or an array of them, not %r" % (name, v)) from None
    if any(0 in shape for shape in shapes.values()):
        raise ValueError("no collisions: an array of conditions is empty")
    try:
        np.broadcast(*[np.empty(shape) for shape in shapes.values()])
    except ValueError:
        raise ValueError("these do not go together: " + ", ".join(
            "%s has the shape %s" % (name, shape) for name, shape in shapes.items() if shape)) from None


def collide(law="hertz-mindlin", *, ball, target=None, speed=1.0, angle=0.0, accuracy=1e-8, parameters=None,
            fixed=False, normal="touch", **varied) -> Table:
    """Single collisions: a ball on a plane, or on another ball; what comes back, under any law.

    ball, target: dict(radius=…, density=…, young=…, poisson=…); a target without a radius is a plane, no target is a
    plane of the ball's material. `speed` (m/s; or `normal_speed`, with which the speed follows the angle), `angle` (rad, from the normal) and every name of `varied` (`spin`,
    `target_spin`, `diameter`, `young`, parameters of the law: `friction`, `restitution`) are numbers or arrays, which
    are broadcast together. `fixed`: the other ball is held; `normal`: about which normal en, et and angles are, that of
    first "touch" or of the "end" (balls turn about each other). `parameters`: words and flags of the law,
    {"load-coupling": "total", "slip-rule": "reset"}. The table has the
    conditions and en, et, omega, rebound_angle, psi1, psi2, contact_time, max_force, max_overlap, energy_lost, …; SI."""
    for name, one in (("ball", ball), ("target", target)):
        if not isinstance(one, dict) and (name == "ball" or one is not None):
            raise TypeError("the %s is a dict(radius=…, density=…, young=…, poisson=…), not %r" % (name, one))
    _conditions(speed=speed, angle=angle, **varied)
    plane = target is None
    target = dict(ball if plane else target)
    size = {k: target.pop(k) for k in ("radius", "diameter") if k in target}
    names = {name.replace("_", "-"): value for name, value in varied.items()}
    first = {k: float(np.ravel(v)[0]) for k, v in names.items()}
    base = {"normal-speed", "spin", "target-spin", "diameter", "target-diameter", "young", "poisson", "density", "target-young",
            "target-poisson", "target-density"}
    text = {
        "materials": {"ball": {k: v for k, v in ball.items() if k not in ("radius", "diameter")}, "target": target},
        "collision": {"ball": {"material": "ball", **{k: ball[k] for k in ("radius", "diameter") if k in ball}},
                      "target": {"plane": "target"} if plane or not size else
                      {"sphere": {"material": "target", **size}, "fixed": bool(fixed)},
                      "speed": float(np.ravel(speed)[0]), "angle": float(np.ravel(angle)[0]), "normal": normal},
        "laws": {"law": {"law": law, **(parameters or {}), **{k: v for k, v in first.items() if k not in base}}},
    }
    message, experiment = _abi.mrn_message(), _abi.mrn_experiment()
    yaml = "moraine: 1\n" + "".join("%s: %s\n" % (k, plain(v)) for k, v in text.items())
    check(lib.mrn_experiment_read_text(yaml.encode(), b"collide", None, 0, experiment, message), message)
    try:
        one = _abi.mrn_collision.from_buffer_copy(experiment.candidate[0].collision)
    finally:
        lib.mrn_experiment_destroy(experiment)
    columns = dict(zip(["speed", "angle"] + list(names),
                       np.broadcast_arrays(*[np.asarray(v, float) for v in [speed, angle] + list(names.values())])))
    if "normal-speed" in columns:
        columns["speed"] = columns["normal-speed"] / np.cos(columns["angle"])
    shape = columns["speed"].shape
    n = int(np.prod(shape))
    many = (_abi.mrn_collision * n)()
    size = ctypes.sizeof(one)
    for i in range(n):
        ctypes.memmove(ctypes.addressof(many) + i * size, ctypes.byref(one), size)
    for name, column in columns.items():
        factor = _factor(one, name, message)
        for i, value in enumerate(np.ravel(column)):
            lib.mrn_factor_set(many[i], factor, value)
    rebound, status = (_abi.mrn_rebound * n)(), (ctypes.c_int * n)()
    worst = lib.mrn_collide(many, n, accuracy, rebound, status, message)
    if worst < 0:
        raise error_of(worst, message)
    table = Table({k: np.array(v).reshape(shape) for k, v in columns.items()}, {"speed": "m/s", "angle": "rad"})
    for name, kind in _abi.mrn_rebound._fields_:
        if kind in SCALARS:
            table[name] = np.array([getattr(r, name) for r in rebound]).reshape(shape)
    for k in range(lib.mrn_rebound_field_count()):
        field = lib.mrn_rebound_field_at(k).contents
        table.units[field.name.decode()] = field.unit.decode()
    table["converged"] = np.array([s == 0 for s in status]).reshape(shape)
    return table


class Fit(dict):
    """What a fit found: {"parameters": {name: {value, sd, linear, profile, bootstrap, verdict, words}}, …}."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _fit_dict(fit, names):
    out = Fit({k: v for k, v in as_dict(fit).items() if isinstance(v, (float, int, bool, str))})
    out["parameters"] = {}
    for k, name in enumerate(names):
        one = as_dict(fit.at[k])
        one["verdict"] = lib.mrn_identifiable_name(fit.at[k].verdict).decode()
        out["parameters"][name] = one
    out["values"] = {name: one["value"] for name, one in out["parameters"].items()}
    out["chi2"] = np.array(fit.chi2)
    out["model"] = copied(fit.y, (fit.m,))
    out["residual"] = copied(fit.residual, (fit.m,))
    out["covariance"] = copied(fit.covariance, (fit.n, fit.n))
    out["correlation"] = copied(fit.correlation, (fit.n, fit.n))
    out["tests"] = [{"name": t.name.decode(), "statistic": t.statistic, "p": t.p, "passed": t.passed,
                     "words": t.words.decode()} for t in list(fit.test)[:fit.n_tests]]
    return out


def _options(options, base):
    for name, value in options.items():
        if not hasattr(base, name):
            raise TypeError("a fit has no option '%s'" % name)
        setattr(base, name, value)
    return base


def _progress(options, callback, listening):
    kind = dict(_abi.mrn_fit_options._fields_)["progress"]

    def call(_user, phase, done, objective):
        answer = callback is not None and listening.call(callback, phase.decode(), done, objective)
        return bool(answer or listening.raised)
    options.progress = kind(call)


def fit(what, data=None, parameters=None, *, sd=None, law=None, changes=None, progress=None, **options) -> Fit:
    """Parameters from measurements, by maximum likelihood, with intervals and a verdict on each parameter.

    fit("experiment.yaml", law="M3"): a file of the lab, as `moraine fit`.
    fit(model, data, {"k": (1e3, 1e6), "mu": (0, 1)}, sd=0.1): any Python function of a vector that gives as many
    numbers as `data`; `sd` is the error of each (one number or an array; None: the same for all, not known).
    Bounds (lo, hi) or (lo, hi, "log"). `options` are those of mrn_fit_options: bootstrap=200, profile=False, seed=1."""
    message, listening = _abi.mrn_message(), Listening()
    out = _abi.mrn_fit()
    if callable(what):
        if data is None or not parameters:
            raise TypeError("a fit of a function takes data and parameters: fit(model, data, {\"k\": (1e3, 1e6)})")
        opt = _options(options, lib.mrn_fit_default())
        _progress(opt, progress, listening)
        names = list(parameters)
        p = (_abi.mrn_parameter * len(names))()
        for row, name in zip(p, names):
            bounds = parameters[name]
            if not isinstance(bounds, (tuple, list)) or len(bounds) not in (2, 3) or bounds[2:] not in ((), [], ("log",), ["log"]):
                raise TypeError("the bounds of '%s' are (lo, hi) or (lo, hi, \"log\"), not %r" % (name, bounds))
            row.name, row.lo, row.hi, row.start = name.encode(), bounds[0], bounds[1], float("nan")
            row.log = len(bounds) > 2 and bounds[2] == "log"
        data = np.asarray(data, float)
        if data.ndim != 1:
            raise ValueError("data are a row of numbers, not an array of the shape %s" % (data.shape,))
        errors = None if sd is None else np.broadcast_to(np.asarray(sd, float), data.shape)
        if errors is not None and not np.all(errors > 0):
            raise ValueError("sd, the error of a datum, is above 0")
        d = (_abi.mrn_datum * len(data))()
        for i, row in enumerate(d):
            row.y, row.label = data[i], b"%d" % (i + 1)
            row.spread = _abi.MRN_SPREAD_COMMON if errors is None else _abi.MRN_SPREAD_GIVEN
            row.variance = 1.0 if errors is None else errors[i] ** 2

        def evaluate(count, x, y, bad):
            rows = np.ctypeslib.as_array(x, (count, len(names)))
            answers = np.ctypeslib.as_array(y, (count, len(data)))
            for k in range(count):
                answer = np.asarray(what(rows[k].copy()), float)
                if answer.size != data.size:
                    raise ValueError("the model gives %d numbers for %d data" % (answer.size, data.size))
                answers[k] = answer.ravel()
                bad[k] = not np.all(np.isfinite(answers[k]))

        def predict(_user, count, x, y, bad, _message):
            listening.call(evaluate, count, x, y, bad)
            return _abi.MRN_INTERRUPTED if listening.raised else 0
        model = _abi.mrn_predictor(len(names), len(data), dict(_abi.mrn_predictor._fields_)["predict"](predict), None)
        experiment, how = None, (model, p, d, 1)
    else:
        experiment = _abi.mrn_experiment()
        set_, n = texts(sets(changes))
        check(lib.mrn_experiment_read(path_of(what), set_, n, experiment, message), message)
        candidate = experiment.fitted
        for k in range(experiment.n_candidates):
            if law is not None and experiment.candidate[k].name.decode() == law:
                candidate = k
        if candidate < 0 or (law is not None and experiment.candidate[candidate].name.decode() != law):
            known = [experiment.candidate[k].name.decode() for k in range(experiment.n_candidates)]
            lib.mrn_experiment_destroy(experiment)
            raise ValueError("which law is to be fitted? It has %s" % ", ".join(known))
        opt = _options(options, experiment.fit)
        _progress(opt, progress, listening)
        setup, model = ctypes.POINTER(_abi.mrn_fit_setup)(), _abi.mrn_predictor()
        check(lib.mrn_fit_setup_create(experiment, candidate, setup, model, message), message)
        d = lib.mrn_fit_setup_data_of(setup)
        c = experiment.candidate[candidate]
        names = [c.free[k].name.decode() for k in range(c.n_free)]
        how = (model, c.free, d.datum, d.n_responses)
    try:
        with listening:
            status = lib.mrn_fit_model(*how, opt, out, message)
        check(status, message, accept=(_abi.MRN_NOT_CONVERGED,))
        result = _fit_dict(out, names)
        result["converged"] = status == 0
        return result
    finally:
        lib.mrn_fit_release(out)
        if experiment is not None:
            lib.mrn_fit_setup_destroy(setup)
            lib.mrn_experiment_destroy(experiment)


def calibrate(path, *, changes=None, progress=None, runs=None) -> Fit:
    """Parameters of scenes from measured bulk tests, as `moraine calibrate`: a file, its scenes run in this process.
    `progress(phase, done, of, objective)` may end it by returning True; Ctrl-C does too."""
    message, stop = _abi.mrn_message(), ctypes.c_int(0)
    listening = Listening(stop)
    calibration, out, options = _abi.mrn_calibration(), _abi.mrn_calibrated(), _abi.mrn_calibrate_options()
    set_, n = texts(sets(changes))
    check(lib.mrn_calibration_read(path_of(path), set_, n, calibration, message), message)
    if runs is not None:
        calibration.runs = whole(runs, "runs", 1, 2 ** 31 - 1)

    def tell(_user, phase, done, of, objective):
        if progress is not None and listening.call(progress, phase.decode(), done, of, objective):
            stop.value = 1
    options.progress = dict(_abi.mrn_calibrate_options._fields_)["progress"](tell)
    options.stop = ctypes.pointer(stop)
    try:
        with listening:
            status = lib.mrn_calibrate(calibration, options, out, message)
        check(status, message, accept=(_abi.MRN_NOT_CONVERGED,))
        names = [calibration.tuned[k].p.name.decode() for k in range(calibration.n_tuned)]
        result = _fit_dict(out.fit, names)
        result.update(converged=status == 0, words=out.words.decode(), checked=out.checked, settled=out.settled,
                      runs=out.n_runs, noise=copied(out.noise, (out.m,)), check=copied(out.check, (out.m,)),
                      targets=[calibration.target[k].name.decode() for k in range(calibration.n_targets)])
        return result
    finally:
        lib.mrn_calibrated_release(out)
        lib.mrn_calibration_destroy(calibration)


class Problem:
    """A frictional-contact problem u = W r + q: of a file (FCLIB, Siconos) or of a family of our own."""

    def __init__(self, path=None, *, family=None, seed=1, **options):
        self._p, self._message = _abi.mrn_problem(), _abi.mrn_message()
        self._made = False
        if path is not None:
            check(lib.mrn_fclib_read(path_of(path), self._p, None, self._message), self._message)
        elif family is None:
            raise TypeError("a problem is of a file or of a family: Problem(path) or Problem(family=\"wall\")")
        else:
            kind = lib.mrn_problem_family_find(name_of(family, "the name of a family"))
            if not kind:
                known = [lib.mrn_problem_family_at(k).contents.name.decode() for k in range(lib.mrn_problem_family_count())]
                raise ValueError("there is no family of problems '%s': %s" % (family, ", ".join(known)))
            kind = kind.contents
            value = (_abi.mrn_value * _abi.MRN_PARAM_MAX)()
            lib.mrn_params_defaults(kind.params, kind.n_params, value)
            for name, v in options.items():
                check(lib.mrn_params_set(kind.params, kind.n_params, value, kind.name, name.replace("_", "-").encode(),
                                         name_of(str(v), "an option"), self._message), self._message)
            check(kind.make(value, whole(seed, "seed", most=2 ** 64 - 1), self._p, self._message), self._message)
        self._made = True

    def __del__(self):
        if getattr(self, "_made", False):
            self._made = False
            lib.mrn_problem_release(self._p)

    @property
    def contacts(self) -> int:
        return self._p.n

    @property
    def block(self) -> int:
        """Numbers per contact."""
        return lib.mrn_contact_layout_of(self._p.kind).contents.block

    @property
    def q(self) -> np.ndarray:
        """Velocity without contact, (contacts, block): a view."""
        from ._arrays import shared
        return shared(self._p.q, (self._p.n, self.block), owner=self)

    def facts(self) -> dict:
        """What a look finds: size, symmetry, eigenvalues, friction."""
        facts = _abi.mrn_problem_facts()
        check(lib.mrn_problem_check(self._p, facts, self._message), self._message)
        return as_dict(facts)


def solve(problem, solver="nlgs", *, tolerance=1e-4, max_iterations=0, guess=None, watch=None, **options):
    """Impulses of a contact problem (a `Problem`, or the path of a file): (r, result). r is (contacts, block), normal
    first; result tells converged, iterations, seconds and all measures. A problem that is not solved to the tolerance
    gives the best impulses found. `watch(iterate)` is called with a dictionary at every evaluation; True ends it."""
    problem = problem if isinstance(problem, Problem) else Problem(problem)
    message, listening = problem._message, Listening()
    found = lib.mrn_solver_find(name_of(solver, "the name of a solver"))
    if not found:
        known = [lib.mrn_solver_at(k).contents.name.decode() for k in range(lib.mrn_solver_count())]
        raise ValueError("there is no solver '%s': %s" % (solver, ", ".join(known)))
    value = (_abi.mrn_value * _abi.MRN_PARAM_MAX)()
    lib.mrn_solver_defaults(found, value)
    for name, v in options.items():
        check(lib.mrn_solver_set(found, value, name.replace("_", "-").encode(), name_of(str(v), "an option"), message), message)
    control = lib.mrn_solve_control_default()
    control.tolerance, control.max_iterations = tolerance, whole(max_iterations, "max_iterations")

    def look(it, _user):
        answer = watch is not None and listening.call(watch, as_dict(it.contents))
        return bool(answer or listening.raised)
    control.watch = dict(_abi.mrn_solve_control._fields_)["watch"](look)
    shape = (problem.contacts, problem.block)
    r = np.zeros(shape) if guess is None else np.array(guess, float, order="C")
    if r.shape != shape:
        raise ValueError("the guess has the shape %s, the impulses of this problem %s" % (r.shape, shape))
    result = _abi.mrn_solve_result()
    pointer = r.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    with listening:
        status = lib.mrn_solve(problem._p, found, value, control, pointer, None, result, message)
    check(status, message, accept=(_abi.MRN_NOT_CONVERGED, _abi.MRN_INTERRUPTED))
    return r, as_dict(result)


def plot(path, x, y, *, title="", x_label="", y_label="", x_log=False, y_log=False, style="line", width=0, height=0, names=()):
    """A plot as SVG or PNG, by the ending of `path`: y is an array, or {label: array}. style: line, points, both, dashed,
    bars; names stand at x = 0, 1, … in place of numbers."""
    styles = {"line": _abi.MRN_SERIES_LINE, "points": _abi.MRN_SERIES_POINTS, "both": _abi.MRN_SERIES_BOTH,
              "dashed": _abi.MRN_SERIES_DASHED, "bars": _abi.MRN_SERIES_BARS}
    curves = y if isinstance(y, dict) else {"": y}
    if style not in styles:
        raise ValueError("there is no style '%s': %s" % (style, ", ".join(styles)))
    p, message = lib.mrn_plot_default(), _abi.mrn_message()
    series, keep = (_abi.mrn_series * len(curves))(), []
    number = ctypes.POINTER(ctypes.c_double)
    for k, (label, values) in enumerate(curves.items()):
        a, b = np.ascontiguousarray(x, float), np.ascontiguousarray(values, float)
        if a.ndim != 1 or a.shape != b.shape:
            raise ValueError("x has the shape %s, the curve '%s' %s: both are rows of as many numbers" % (a.shape, label, b.shape))
        keep += [a, b]
        series[k] = _abi.mrn_series(label=str(label).encode(), style=styles[style], colour=k, n=len(a),
                                    x=a.ctypes.data_as(number), y=b.ctypes.data_as(number))
    p.title, p.x_label, p.y_label = (name_of(text, "a title or label") for text in (title, x_label, y_label))
    p.n_names, p.x_name = len(names), (ctypes.c_char_p * max(len(names), 1))(*[str(n).encode() for n in names])
    p.x_log, p.y_log, p.n, p.series, p.width, p.height = x_log, y_log, len(curves), series, whole(width, "width", most=32767), whole(height, "height", most=32767)
    check(lib.mrn_plot_write(p, path_of(path), message), message)
    return os.fspath(path)
