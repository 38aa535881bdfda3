"""A program in the loop: grains that leave below come in again above, and NumPy counts them as they pass."""
import numpy as np

import moraine as mrn

scene = mrn.Scene(
    dimension=3, gravity=[0, 0, -9.81],
    materials={"plastic": dict(density=1000, young="3 MPa", poisson=0.3)},
    interactions=[dict(between=["plastic", "plastic"], law="hertz-mindlin", restitution=0.5, friction=0.3)],
    walls=[dict(name="funnel", cone={"from": [0, 0, 0], "to": [0, 0, 0.04], "from-radius": 0.008, "to-radius": 0.03})],
    bodies=[dict(name="grains", shape={"sphere": {"radius": "2 mm"}}, count=150,
                 place={"fill": {"cylinder": {"from": [0, 0, 0.04], "to": [0, 0, 0.11], "radius": 0.018}}})])
world = scene.world()
rng = np.random.default_rng(1)
passed = []


def lift(world):
    out = np.flatnonzero(world.x[:, 2] < -0.02)  # views: no copy of the state is made
    for place in out:  # one above the other
        world.x[place] = [*rng.uniform(-0.01, 0.01, 2), max(0.14, world.x[:, 2].max() + 0.005)]
        world.v[place] = 0
    passed.append(len(out))


world.run(until=0.6, every=0.01, callback=lift)
print("%d grains in flight, %d have passed the funnel" % (len(world), sum(passed)))
print("rate in the last 0.3 s: %.0f grains per second" % (sum(passed[-30:]) / 0.3))
