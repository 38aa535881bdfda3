# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python package on the built library: views that share memory, bits, errors, callbacks, Ctrl-C, the lab."""
import ctypes
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unittest

import numpy as np

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "python"))

import moraine as mrn  # noqa: E402
from moraine import _abi, _fields, keys  # noqa: E402

GLASS = {"glass": dict(density=2500, young=5e6, poisson=0.22)}
LAW = [dict(between=["glass", "glass"], law="hertz-mindlin", restitution=0.6, friction=0.4)]
BOX = [dict(name="box", box={"corners": [[0, 0, 0], [.05, .05, .2]]})]


def beads(count=100, **more):
    more = {"gravity": [0, 0, -9.81], **more}
    return mrn.Scene(materials=GLASS, interactions=LAW, walls=BOX,
                     bodies=[dict(name="beads", shape={"sphere": {"radius": "2 mm"}}, count=count,
                                  place={"fill": {"box": [[0, 0, 0], [.05, .05, .1]]}})], **more)


def shot(**more):
    """One ball in free flight."""
    return mrn.Scene(materials=GLASS, interactions=LAW, gravity=[0, 0, -9.81],
                     bodies=[dict(name="ball", shape={"sphere": {"radius": 2e-3}}, place={"list": [[0, 0, 1.0]]})], **more)


class Abi(unittest.TestCase):
    def test_every_member_of_every_structure_lies_where_c_has_it(self):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "asserts.c")
            with open(path, "w") as f:
                subprocess.run([sys.executable, os.path.join(TOP, "tools", "gen-python.py"), "--asserts"], stdout=f, check=True)
            with open(path) as f:
                text = f.read()
            self.assertGreater(text.count("_Static_assert"), 1500)
            subprocess.run([os.environ.get("CC", "cc"), "-I" + TOP + "/include", "-fsyntax-only", path], check=True)
            wrong = text.replace("offsetof(mrn_state, time) == ", "offsetof(mrn_state, time) == 8 + ", 1)
            self.assertNotEqual(wrong, text)
            with open(path, "w") as f:
                f.write(wrong)
            said = subprocess.run([os.environ.get("CC", "cc"), "-I" + TOP + "/include", "-fsyntax-only", path],
                                  capture_output=True)
            self.assertNotEqual(said.returncode, 0)

    def test_all_public_functions_are_there(self):
        self.assertGreater(len(_abi.FUNCTIONS), 300)
        for name in _abi.FUNCTIONS:
            self.assertTrue(hasattr(mrn.lib, name), name)
        self.assertEqual(mrn.lib.mrn_version().decode(), mrn.__version__)


class Views(unittest.TestCase):
    def test_a_write_is_seen_by_c_and_a_step_by_python(self):
        world = shot().world()
        x, v = world.x, world.v
        self.assertFalse(x.flags.owndata)
        v[0] = [1.0, 0, 0]
        body = world.body(int(world.id[0]))
        np.testing.assert_array_equal(body.velocity, [1.0, 0, 0])
        world.run(until=0.1)
        self.assertEqual(x.ctypes.data, world.x.ctypes.data)
        np.testing.assert_allclose(x[0], [0.1, 0, 1 - 0.5 * 9.81 * 0.01], atol=1e-4)
        np.testing.assert_array_equal(body.position, x[0])
        self.assertEqual(world.bodies.x.__array_interface__["data"], world.grains.x.__array_interface__["data"])

    def test_walls_come_first_in_bodies(self):
        world = beads(20).world()
        self.assertEqual(len(world.bodies), len(world.grains) + 1)
        self.assertEqual(world.bodies.x[1:].ctypes.data, world.x.ctypes.data)
        self.assertTrue(np.all(world.radius == 2e-3))

    def test_revision_tells_when_views_end(self):
        world = beads(50).world()
        before, x = world.revision, world.x
        ball = world.add(3e-3, [0.025, 0.025, 0.15], [0, 0, -1])
        self.assertGreater(world.revision, before)
        self.assertEqual(len(world.x), len(x) + 1)
        self.assertEqual(len(world), 51)
        world.step(10)
        self.assertTrue(ball.alive)
        self.assertLess(ball.velocity[2], -1)
        ball.remove()
        self.assertFalse(ball.alive)
        self.assertTrue(np.all(np.isnan(ball.position)))
        with self.assertRaises(mrn.StaleError):
            ball.remove()

    def test_what_c_finds_its_tables_by_is_not_written(self):
        world = beads(5).world()
        for name in ("id", "material", "shape", "group", "part", "flags"):
            for bodies in (world.grains, world.bodies):
                with self.assertRaisesRegex(ValueError, "read-only"):
                    getattr(bodies, name)[:] = 60000
        world.step(10)

    def test_a_view_keeps_its_world(self):
        x = shot().world().x
        gc.collect()
        self.assertEqual(x[0, 2], 1.0)

    def test_by_id_and_table(self):
        world = beads(60).world()
        world.run(until=0.02)
        self.assertTrue(np.all(np.diff(world.grains.by_id("id")) > 0))
        table = world.grains.table()
        self.assertEqual(len(table["x.z"]), 60)
        self.assertEqual(table.units["v.x"], "m/s")

    def test_a_million_grains_without_a_copy(self):
        side = 100
        scene = mrn.Scene(materials=GLASS, interactions=LAW, bodies=[dict(
            name="cloud", shape={"sphere": {"radius": 1e-3}},
            place={"lattice": {"box": [[0, 0, 0], [side * 2.2e-3] * 3], "kind": "cubic", "spacing": 2.2e-3}})])
        world = scene.world()
        self.assertGreater(len(world), 900000)
        before = mrn.lib.mrn_bytes_in_use()
        x = world.x
        self.assertEqual(mrn.lib.mrn_bytes_in_use(), before)
        self.assertFalse(x.flags.owndata)
        body = world._state.body
        self.assertEqual(x.ctypes.data, ctypes.cast(body.x, ctypes.c_void_p).value + 24 * body.n_walls)
        x[-1, 0] = 7.5
        self.assertEqual(body.x[3 * (body.n - 1)], 7.5)


class Worlds(unittest.TestCase):
    def test_bits_do_not_depend_on_how_it_is_stepped(self):
        a, b, c = beads().world(), beads().world(), beads().world()
        n = 3000
        a.step(n)
        for _ in range(n // 10):
            b.step(10)
        c._chunk = 1  # as many calls of C as can be
        c.step(n)
        self.assertEqual(a.hash, b.hash)
        self.assertEqual(a.hash, c.hash)
        d, e = beads().world(), beads().world()
        d.run(until=0.05)
        mrn.lib.mrn_world_advance(e._w, 0.05, e._message)
        self.assertEqual(d.hash, e.hash)

    def test_the_same_as_the_command(self):
        with tempfile.TemporaryDirectory() as work:
            scene = beads(stages=[dict(name="fall", until={"time": 0.03})])
            path = os.path.join(work, "scene.yaml")
            with open(path, "w") as f:
                f.write(scene.text)
            result = mrn.Scene(path).run()
            self.assertTrue(result.done)
            self.assertEqual(result.hash, scene.run().hash)

    def test_record_and_callback(self):
        world, seen = beads(30).world(), []
        table = world.record(["kinetic-energy", "walls.box.force.z"], until=0.02, every=0.005,
                             callback=lambda w: seen.append(w.time))
        self.assertEqual(len(table["time"]), 5)
        self.assertEqual(len(seen), 4)
        self.assertEqual(table.units["kinetic-energy"], "J")
        self.assertGreater(table["kinetic-energy"][-1], 0)
        world.run(until=1.0, every=0.001, callback=lambda w: True)
        self.assertLess(world.time, 0.03)

    def test_no_moment_is_recorded_twice(self):
        world = shot(time_step=1e-4).world()
        world.run(until=0.01004)  # ends at the step before: intervals from there fall just short of the end
        table = world.record("time", until=0.03004, every=0.005)
        self.assertEqual(len(table["time"]), 5)
        self.assertTrue(np.all(np.diff(table["time"]) > 0), table["time"])

    def test_errors_are_exceptions_with_the_words_of_c(self):
        with self.assertRaises(mrn.InputError) as caught:
            mrn.Scene(materials={"glass": dict(density="2500 kg", young=5e6, poisson=0.22)}, interactions=LAW, bodies=[])
        self.assertIn("density", str(caught.exception))
        self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaises(mrn.InputError) as caught:
            beads(method="smoth")
        self.assertIn("smooth", caught.exception.expected + caught.exception.hint + caught.exception.text)
        world = shot().world()
        with self.assertRaises(mrn.InputError) as caught:
            world.probe("kinetik-energy")
        self.assertIn("kinetic-energy", str(caught.exception))
        world.step(1)  # a message that held an error does not stick
        with self.assertRaises(mrn.InputError):
            world.add(-1.0, [0, 0, 0])
        world.step(1)
        with self.assertRaises(mrn.InputError):
            world.step(-1)
        for wrong in (1.5, "3", None, 1e9):
            with self.assertRaisesRegex(TypeError, "whole number of steps"):
                world.step(wrong)
        before = world.steps
        world.step(np.int64(2))
        self.assertEqual(world.steps, before + 2)
        world.step(1)
        with self.assertRaises(mrn.FileError):
            mrn.Scene("/nowhere/scene.yaml")
        with self.assertRaises(mrn.TooStiff):
            beads(time_step=1.0).world().step(1)

    def test_an_explosion_raises(self):
        world = beads(30).world()
        world.v[:] = 1e30
        with self.assertRaises(mrn.Error):
            world.step(2000)

    def test_ctrl_c_ends_steps_and_the_world_goes_on(self):
        world = beads(400).world()

        def interrupt():  # once steps are made, however slow the machine is
            while world.steps == 0:
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            threading.Thread(target=interrupt).start()
            world.step(10 ** 9)
        steps = world.steps
        self.assertGreater(steps, 0)
        world.step(5)
        self.assertEqual(world.steps, steps + 5)

    def interrupted_once(self, ready, work):
        """Ctrl-C as the terminal sends it, once `ready`: `work` ends by it and not by itself."""
        ended = []

        def interrupt():
            while not ready() and not ended:
                time.sleep(0.001)
            if not ended:
                os.kill(os.getpid(), signal.SIGINT)
        thread = threading.Thread(target=interrupt)
        try:
            with self.assertRaises(KeyboardInterrupt):
                thread.start()
                work()
                ended.append("it went on")
            self.assertFalse(ended)
        finally:
            ended.append(True)
            thread.join()
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_ctrl_c_ends_a_run_whatever_python_does_then(self):
        """The signal is heard on entering a callback, where an exception of its own would be dropped."""
        scene = beads(40, stages=[dict(name="fall", until={"time": 1e6})])
        for callback in (False, True):
            begun = mrn.lib.mrn_alloc_count() + 100
            self.interrupted_once(lambda: mrn.lib.mrn_alloc_count() > begun,
                                  lambda: scene.run(progress=(lambda m: None) if callback else None, max_steps=10 ** 8))
        seen = []

        def wait(moment):  # a callback that waits is interrupted in it
            seen.append(moment.time)
            time.sleep(600)
        self.interrupted_once(lambda: seen, lambda: scene.run(progress=wait, max_steps=10 ** 8))

    def test_ctrl_c_ends_the_placing_of_grains(self):
        cloud = mrn.Scene(materials=GLASS, interactions=LAW, bodies=[dict(
            name="cloud", shape={"sphere": {"radius": 1e-3}}, count=400000, place={"fill": {"box": [[0, 0, 0], [.15] * 3]}})],
            stages=[dict(name="rest", until={"time": 1})])
        for work in (cloud.world, cloud.run):
            begun = mrn.lib.mrn_alloc_count() + 50
            self.interrupted_once(lambda: mrn.lib.mrn_alloc_count() > begun, work)

    def test_ctrl_c_ends_the_lab(self):
        x, calls = np.linspace(0, 1, 20), []

        def model(p):
            calls.append(p)
            return p[0] * np.exp(-p[1] * x)
        self.interrupted_once(lambda: len(calls) > 5, lambda: mrn.fit(
            model, 3 * np.exp(-2 * x) + 0.01 * np.sin(37 * x), {"a": (0.1, 10), "b": (0.1, 10)}, bootstrap=1000000))
        watched = []
        self.interrupted_once(lambda: watched, lambda: mrn.solve(
            mrn.Problem(family="wall"), tolerance=1e-300, max_iterations=10 ** 9, watch=lambda it: watched.append(1)))

    def test_ctrl_c_in_a_finalizer_is_not_lost(self):
        """The collector may run one while a callback works, and Python drops what is raised in it."""
        x, calls = np.linspace(0, 1, 20), []

        class Gone:
            def __del__(self):
                os.kill(os.getpid(), signal.SIGINT)
                calls.append("gone")

        def model(p):
            if not calls:
                Gone()
            calls.append(p)
            return p[0] * np.exp(-p[1] * x)
        with self.assertRaises(KeyboardInterrupt):
            mrn.fit(model, 3 * np.exp(-2 * x), {"a": (0.1, 10), "b": (0.1, 10)}, bootstrap=1000)
        self.assertIn("gone", calls)  # it ended before the interrupt did

    def test_bad_arguments_are_told_by_their_name(self):
        world = shot().world()
        ball = world.body(int(world.id[0]))
        problem, no_numbers = mrn.Problem(family="wall"), mrn.Problem(family="wall")
        no_numbers.q[:] = float("nan")
        nothing = lambda w: None  # noqa: E731
        for call, kind, words in (
                (lambda: world.run("1 s"), TypeError, "until is a number"),
                (lambda: world.run(float("nan")), mrn.InputError, "nan"),
                (lambda: world.run(float("nan"), 0.1, nothing), mrn.InputError, "nan"),
                (lambda: world.run(1.0, every=0, callback=nothing), ValueError, "above 0"),
                (lambda: world.run(1.0, every=-1, callback=nothing), ValueError, "above 0"),
                (lambda: world.run(1.0, callback=nothing), TypeError, "give both"),
                (lambda: world.record("time", until=1.0, every=0), ValueError, "above 0"),
                (lambda: world.probe(3), TypeError, "name of a probe"),
                (lambda: world.enter(3), TypeError, "name of a stage"),
                (lambda: world.body("ball"), TypeError, "number of a grain"),
                (lambda: world.add("2 mm", [0, 0, 0]), TypeError, "a radius is a number"),
                (lambda: world.add(1e-3, [0, 0, 0, 0]), TypeError, "a position has three numbers"),
                (lambda: world.add(1e-3, 5), TypeError, "a position has three numbers"),
                (lambda: world.add(1e-3, [0, 0, 0], group=3), TypeError, "name of a group"),
                (lambda: ball.set_velocity("fast"), TypeError, "a velocity has three numbers"),
                (lambda: world.contacts("near"), TypeError, "alert is a number"),
                (lambda: world.draw("/nowhere/at/all.png"), mrn.FileError, "/nowhere/at/all.png"),
                (lambda: mrn.World("scene.yaml"), TypeError, "moraine.Scene"),
                (lambda: mrn.Trajectory("/nowhere"), mrn.FileError, "/nowhere"),
                (lambda: mrn.threads(-1), ValueError, "whole number"),
                (lambda: mrn.quantity("2 mm", 3), TypeError, "a unit is a text"),
                (lambda: mrn.plot("never.svg", [1, 2, 3], {"a": [1]}), ValueError, "as many numbers"),
                (lambda: mrn.plot("never.svg", [1], [1], style="dots"), ValueError, "points"),
                (lambda: mrn.solve(problem, guess=[1.0]), ValueError, "shape"),
                (lambda: mrn.solve(no_numbers), mrn.InputError, "q of contact 0 is not finite"),
                (lambda: mrn.fit(lambda p: p, [1.0], {"a": 5}), TypeError, "bounds of 'a'"),
                (lambda: mrn.fit(lambda p: p, [1.0], {"a": (0, 1)}, sd=-1), ValueError, "above 0"),
                (lambda: mrn.fit(lambda p: p, [[1.0]], {"a": (0, 1)}), ValueError, "row of numbers"),
                (lambda: mrn.collide(ball=dict(radius=1e-3), speed=[]), ValueError, "no collisions"),
                (lambda: mrn.Problem(), TypeError, "of a file or of a family"),
                (lambda: shot().run(change="interactions"), ValueError, "resumed"),
                (lambda: shot().run(max_steps=-1), ValueError, "max_steps is a whole number from 0"),
                # cut by ctypes these would be 0, and none
                (lambda: shot().run(max_steps=1 << 70), ValueError, "max_steps is a whole number from 0"),
                (lambda: world.step(-(1 << 70)), mrn.InputError, "cannot make"),
                (lambda: mrn.Problem(family="wall", seed=1 << 70), ValueError, "seed is a whole number"),
                (lambda: mrn.solve(problem, max_iterations=1 << 70), ValueError, "max_iterations is a whole number"),
                (lambda: mrn.plot("never.svg", [1], [1], width=1 << 40), ValueError, "width is a whole number"),
                # cut at the zero these would be other files, and other changes
                (lambda: mrn.Scene("scene.yaml\0.txt"), ValueError, "zero character"),
                (lambda: mrn.Trajectory("out\0.txt"), ValueError, "zero character"),
                (lambda: world.draw("never.png\0.txt"), ValueError, "zero character"),
                (lambda: shot().run("never\0.txt"), ValueError, "zero character"),
                (lambda: shot().changed({"title": "a\0b"}), ValueError, "zero character"),
                (lambda: mrn.Trajectory(b"/nowhere"), mrn.FileError, "/nowhere"),
                (lambda: mrn.Scene("nowhere\udcff.yaml"), mrn.FileError, "cannot be opened"),
                (lambda: mrn.fit(lambda p: [1.0, 2.0, 3.0], [1.0, 2.0], {"a": (0, 1)}), ValueError, "3 numbers for 2 data"),
                (lambda: mrn.fit(lambda p: 1.0, [1.0, 2.0], {"a": (0, 1)}), ValueError, "1 numbers for 2 data"),
                (lambda: mrn.collide(ball=None), TypeError, "the ball is a dict"),
                (lambda: mrn.collide(ball=dict(radius=1e-3), target="plane"), TypeError, "the target is a dict"),
                (lambda: mrn.collide(ball=dict(radius=1e-3), speed="1 m/s"), TypeError, "speed is a number"),
                (lambda: mrn.collide(ball=dict(radius=1e-3), speed=[1, 2, 3], angle=[0, 1]), ValueError, "speed has the shape"),
                (lambda: mrn.Scene(text=5), TypeError, "a scene is a text"),
                (lambda: mrn.Scene(text="moraine: 1\0"), ValueError, "zero character"),
                (lambda: beads(gravity=[0, 0, float("nan")]), ValueError, "not finite"),
                (lambda: mrn.Scene("scene.yaml", changes=5), TypeError, "a mapping"),
                (lambda: mrn.threads(10 ** 9), ValueError, "up to 4096"),
                (lambda: shot().run("nowhere", resume=True), mrn.InputError, "start without resume=True"),
                (lambda: mrn.fit(lambda p: p), TypeError, "takes data and parameters")):
            with self.assertRaisesRegex(kind, words):
                call()
        world.step(1)

    def test_what_a_scene_says(self):
        scene = beads(seed=7)
        self.assertEqual(scene.materials, ["glass"])
        self.assertEqual(scene.methods, ["smooth"])
        mixed = beads(stages=[dict(name="a", until={"time": 1}), dict(name="b", method="quasistatic", until={"time": 2})])
        self.assertEqual(mixed.methods, ["smooth", "quasistatic"])
        self.assertEqual(scene.walls, ["box"])
        self.assertEqual(scene.values()["seed"], "7")
        self.assertEqual(len(scene.changed({"bodies.beads.count": 33}).world()), 33)
        self.assertEqual(len(scene.world()), 100)
        self.assertEqual(mrn.quantity("2 mm", "m"), 0.002)
        self.assertIn("bodies", mrn.schema()["properties"])

    def test_editors_know_what_things_are(self):
        for function, what in ((mrn.Scene.world, mrn.World), (mrn.Scene.run, mrn.Result), (mrn.World.record, mrn.Table),
                               (mrn.World.body, mrn.Body), (keys.material, dict)):
            self.assertIs(typing.get_type_hints(function, vars(mrn))["return"], what)
        for kind in (mrn.World, mrn.Bodies, mrn.Frame):
            self.assertIs(typing.get_type_hints(kind)["x"], np.ndarray)
        seen = set(typing.get_type_hints(mrn.Bodies))
        self.assertEqual(seen, set(_fields.BODY))
        self.assertEqual(typing.get_type_hints(keys.material)["young"], typing.Optional[keys.Quantity])

    def test_functions_of_keys_make_scenes(self):
        scene = mrn.Scene(**keys.scene(
            materials={"glass": keys.material(density=2500, young="5 MPa", poisson=0.22)},
            interactions=[dict(LAW[0])], gravity=[0, 0, -9.81],
            bodies=[keys.body_group(name="ball", shape={"sphere": {"radius": "2 mm"}}, place={"list": [[0, 0, 1]]})],
            stages=[keys.stage(name="fall", until={"time": "0.1 s"})], output=keys.output(every="50 ms", probes_every="10 ms")))
        self.assertEqual(scene.stages, ["fall"])
        self.assertIn("young", keys.material.__doc__)
        self.assertIn("density", keys.material.__annotations__)

    def test_contacts_and_analysis(self):
        world = beads(100).world()
        world.run(until=0.2)
        contacts = world.contacts()
        report = world.analyze()
        self.assertGreater(len(contacts["gap"]), 20)
        self.assertTrue(np.all(contacts["gap"] < 0))
        flat = contacts.flat()  # what pandas takes
        self.assertTrue(all(column.ndim == 1 for column in flat.values()))
        np.testing.assert_array_equal(flat["force.z"], contacts["force"][:, 2])
        self.assertEqual(flat.units["force.z"], "N")
        self.assertEqual(report["network"]["contacts"], len(contacts["gap"]))
        self.assertEqual(report["packing"]["grains"], 100)
        energies = world.energies()  # what a step of the scheme leaves unbooked of what was lost
        self.assertLess(abs(energies["residual"]), 2e-3 * energies["dissipated"])


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.out = os.path.join(cls.work.name, "out")
        cls.seen = []
        cls.result = beads(40, stages=[dict(name="fall", until={"time": 0.04})], output={"every": 0.01, "probes": ["usual", "mean-z"]}).run(
            cls.out, sample=lambda m: cls.seen.append((m.time, m.grains.x[:, 2].mean(), m.probe("mean-z"))))

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def test_files_as_arrays(self):
        table = self.result.probes
        self.assertEqual(len(table["time"]), 5)
        self.assertEqual(table.units["kinetic-energy"], "J")
        trajectory = self.result.trajectory
        self.assertEqual(len(trajectory), 5)
        x = trajectory.array("x")
        self.assertEqual(x.shape, (5, 40, 3))
        self.assertEqual(repr(trajectory), "<Trajectory: 5 frames>")
        self.assertIn("40 grains", repr(trajectory[0]))
        np.testing.assert_allclose(trajectory.times, table["time"])
        np.testing.assert_allclose(x[:, :, 2].mean(axis=1), table["mean-z"], rtol=1e-12)
        self.assertEqual(self.result.summary["stages"][0]["name"], "fall")
        report = mrn.analyze(self.out)
        self.assertEqual(report["packing"]["grains"], 40)
        self.assertEqual([f.step for f in trajectory[1:3]], [trajectory[1].step, trajectory[2].step])
        trajectory.close()
        for ask in (lambda: len(trajectory), lambda: trajectory[0], lambda: trajectory.times):
            with self.assertRaisesRegex(ValueError, "closed"):
                ask()

    def test_tables_that_are_none(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            for text in ("", "time [s],step\n0,0\n1\n"):
                file.seek(0)
                file.truncate()
                file.write(text)
                file.flush()
                with self.assertRaisesRegex(ValueError, "no table of probes"):
                    mrn.probes(file.name)

    def test_callbacks_see_the_state(self):
        self.assertGreaterEqual(len(self.seen), 5)
        for _, ours, theirs in self.seen:
            self.assertAlmostEqual(ours, theirs, places=12)

    def test_a_moment_that_is_over_says_so(self):
        kept, heights = [], []

        def keep(moment):
            kept.append((moment, moment.grains.x))
            heights.append(moment.grains.x[:, 2].mean())
        beads(10, stages=[dict(name="fall", until={"time": 0.04})], output={"every": 0.01}).run(sample=keep)
        for moment, _ in kept:
            for ask in (lambda: moment.probe("mean-z"), lambda: moment.analyze(), lambda: moment.grains.x,
                        lambda: len(moment.bodies), lambda: moment.grains.revision):
                with self.assertRaisesRegex(ValueError, "is over"):
                    ask()
        self.assertEqual([x[:, 2].mean() for _, x in kept], heights)
        self.assertGreater(heights[0], heights[-1])

    def test_a_callback_that_asks_for_no_probe_is_told(self):
        with self.assertRaisesRegex(mrn.InputError, "mean-zz"):
            beads(10, stages=[dict(name="fall", until={"time": 0.04})]).run(sample=lambda m: m.probe("mean-zz"))

    def test_an_exception_in_a_callback_ends_the_run(self):
        def fail(moment):
            raise RuntimeError("enough")
        with self.assertRaisesRegex(RuntimeError, "enough"):
            beads(10, stages=[dict(name="fall", until={"time": 0.04})], output={"every": 0.01}).run(sample=fail)

    def test_ctrl_c_saves_and_resume_goes_on_to_the_same_bits(self):
        scene = beads(60, stages=[dict(name="fall", until={"time": 0.06})], output={"every": 0.01})
        whole = scene.run()
        out = os.path.join(self.work.name, "broken")

        def interrupt(moment):
            if moment.time > 0.025:
                raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            scene.run(out, sample=interrupt)
        self.assertTrue(os.path.exists(os.path.join(out, "checkpoint.h5")))
        self.assertEqual(scene.run(out, resume=True).hash, whole.hash)


class Lab(unittest.TestCase):
    def test_collisions_of_hard_spheres(self):
        angle = np.radians([0, 10, 60, 80])
        table = mrn.collide("rigid", ball=dict(radius=1e-3, density=2500, young=7e10, poisson=0.2), speed=2.0, angle=angle,
                            restitution=0.8, friction=0.1, parameters={"tangential-restitution": 0})
        np.testing.assert_allclose(table["en"], 0.8, rtol=1e-12)
        # sliding: the tangential velocity loses mu (1 + e) of the normal one
        expected = 1 - 0.1 * 1.8 / np.tan(angle[2:])
        np.testing.assert_allclose(table["et"][2:], expected, rtol=1e-12)

    def test_collisions_of_springs(self):
        table = mrn.collide("hertz-mindlin", ball=dict(radius=1e-3, density=2500, young=7e10, poisson=0.2),
                            speed=np.array([[0.5], [1.0]]), angle=0.3, restitution=[0.5, 0.7, 0.9], friction=0.3)
        self.assertEqual(table["en"].shape, (2, 3))
        np.testing.assert_allclose(table["en"], np.broadcast_to([0.5, 0.7, 0.9], (2, 3)), rtol=1e-6)

    def test_fit_of_any_function(self):
        x = np.linspace(0, 1, 20)
        data = 3 * np.exp(-2 * x) + 0.01 * np.sin(37 * x)
        found = mrn.fit(lambda p: p[0] * np.exp(-p[1] * x), data, {"a": (0.1, 10), "b": (0.1, 10, "log")}, sd=0.01,
                        bootstrap=0, seed=3)
        self.assertAlmostEqual(found["values"]["a"], 3, delta=0.03)
        self.assertAlmostEqual(found["values"]["b"], 2, delta=0.03)
        self.assertEqual(found.parameters["a"]["verdict"], "identified")

        def fail(p):
            raise ZeroDivisionError("no model")
        with self.assertRaises(ZeroDivisionError):
            mrn.fit(fail, data, {"a": (0.1, 10)}, sd=0.01)

    def test_calibrate_a_scene(self):
        """A ball thrown at a floor: its restitution from how high it jumps, known beforehand; a callback ends it."""
        scene = mrn.Scene(text="""moraine: 1
materials: {nylon: {density: 1150 kg/m3}}
interactions: [{between: any, law: linear, normal-stiffness: 2e4 N/m, restitution: 0.8, friction: 0.1}]
bodies: [{name: ball, shape: {sphere: {radius: 5 cm}}, place: {list: [[0, 0, 0.1 m]]}, velocity: [0, 0, -2 m/s],
          velocity-spread: 20 mm/s}]
walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]
gravity: [0, 0, -9.81 m/s2]
stages: [{name: fly, until: {time: 0.3 s}}]
output: {probes-every: 5 ms, probes: [groups.ball.mean-z]}
""")
        with tempfile.TemporaryDirectory() as work:
            at = os.path.join(work, "truth")
            scene.changed({"bodies.0.velocity-spread": 0}).run(at)
            table = mrn.probes(at)
            height = table["groups.ball.mean-z"][table["time"] > 0.05].max()
            with open(os.path.join(work, "throw.yaml"), "w") as f:
                f.write(scene.text)
            path = os.path.join(work, "calibration.yaml")
            with open(path, "w") as f:
                f.write("""moraine: 1
parameters: {restitution: {sets: interactions.0.restitution, bounds: [0.5, 0.95]}}
tests:
  throw:
    scene: throw.yaml
    targets: {height: {probe: groups.ball.mean-z, take: max, after: 50 ms, value: %.6f m,
                       error: {value: 2 mm, kind: standard-error}}}
calibrate: {runs: 20, points: 6, bootstrap: 20}
""" % height)
            seen = []
            found = mrn.calibrate(path, progress=lambda *state: seen.append(state) and False)
            self.assertTrue(seen)
            # 2 mm of some 0.16 m of height, which goes with the square of the restitution
            self.assertAlmostEqual(found["values"]["restitution"], 0.8, delta=0.02)
            with self.assertRaises(mrn.Error):
                mrn.calibrate(path, changes={"parameters.restitution.bounds": [0.95, 0.5]})
            seen.clear()
            with self.assertRaisesRegex(mrn.Error, "stopped|interrupted"):
                mrn.calibrate(path, progress=lambda *state: seen.append(state) or len(seen) == 2)
            self.assertLess(len(seen), 6)

    def test_solve_a_problem(self):
        problem = mrn.Problem(family="wall")
        watched = []
        r, result = mrn.solve(problem, "nlgs", tolerance=1e-4, watch=lambda it: watched.append(it["natural"]) and False)
        self.assertTrue(result["converged"])
        self.assertLess(result["measures"]["natural"], 1e-4)
        self.assertEqual(r.shape, (problem.contacts, problem.block))
        self.assertTrue(np.all(r[:, 0] >= 0))
        self.assertTrue(watched)
        with self.assertRaisesRegex(ValueError, "nlgs"):
            mrn.solve(problem, "nlsg")

    def test_balls_on_balls(self):
        """A target with a radius is a ball, also one like the first; held, it stays; the normal speed may be what is
        given; the normal may be that of the end."""
        ball = dict(radius=5e-3, density=2500, young=1e6, poisson=0.3)
        plane, free, held = (mrn.collide("hertz", ball=ball, angle=1.0, friction=0, **k)
                             for k in ({}, {"target": dict(ball)}, {"target": dict(ball), "fixed": True}))
        self.assertAlmostEqual(float(plane["en"]), 1, 6)
        self.assertEqual(float(plane["normal_turn"]), 0)
        self.assertLess(float(free["en"]), 0.9)
        self.assertNotAlmostEqual(float(held["contact_time"]), float(free["contact_time"]), 6)
        end = mrn.collide("hertz", ball=ball, target=dict(ball), angle=1.0, friction=0, normal="end")
        self.assertAlmostEqual(float(end["en"]), 1, 6)
        same = mrn.collide("hertz", ball=ball, friction=0.1, angle=[0.1, 0.6, 1.1], normal_speed=2.0)
        self.assertTrue(np.allclose(same["speed"], 2 / np.cos([0.1, 0.6, 1.1])))
        self.assertTrue(np.allclose(same["max_force"], same["max_force"][0], rtol=1e-6))
        rules = [float(mrn.collide("hertz-mindlin", ball=ball, restitution=0.7, friction=0.3, angle=0.4, accuracy=1e-4,
                                   parameters={"slip-rule": rule})["et"]) for rule in ("series", "reset")]
        self.assertGreater(abs(rules[0] - rules[1]), 1e-3)

    def test_plots(self):
        with tempfile.TemporaryDirectory() as work:
            path = mrn.plot(os.path.join(work, "p.svg"), [0, 1, 2], {"a": [1, 2, 3], "b": [3, 2, 1]}, x_label="x")
            with open(path) as f:
                self.assertIn("<svg", f.read())
            bars = mrn.plot(os.path.join(work, "b.svg"), [0, 1], {"a": [1, 2], "b": [3, 2]}, style="bars", names=["en", "et"])
            with open(bars) as f:
                self.assertIn("</svg>", f.read())


class Cost(unittest.TestCase):
    def test_a_step_call_costs_less_than_five_microseconds(self):
        """Beside the step itself: a call of C that makes no step, on CPU time, the best of five."""
        world, n, best = shot().world(), 20000, []
        for _ in range(5):
            begin = time.process_time()
            for _ in range(n):
                world.step(0)
            best.append((time.process_time() - begin) / n)
        print("overhead of world.step: %.2f us" % (1e6 * min(best)))
        self.assertLess(min(best), 5e-6)


if __name__ == "__main__":
    unittest.main()
