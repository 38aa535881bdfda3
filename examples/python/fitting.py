"""Friction and restitution from measured rebounds, and how well the data tell them."""
import numpy as np

import moraine as mrn

ball = dict(radius=2.5e-3, density=3980, young=380e9, poisson=0.23)
angle = np.radians([5, 10, 20, 30, 40, 50, 60, 70])


def rebound(parameters):
    hit = mrn.collide("rigid", ball=ball, speed=3.9, angle=angle, restitution=parameters[0], friction=parameters[1],
                      parameters={"tangential-restitution": 0})
    return np.concatenate([hit["en"], hit["et"]])


rng = np.random.default_rng(7)
measured = rebound([0.98, 0.092]) + rng.normal(0, 0.01, 2 * len(angle))
found = mrn.fit(rebound, measured, {"restitution": (0.5, 1), "friction": (0.01, 0.5)}, sd=0.01, bootstrap=0, seed=1)
for name, one in found.parameters.items():
    print("%-11s %.4f  from %.4f to %.4f  %s" % (name, one["value"], *one["profile"], one["verdict"]))
print("the model fits the data:", found.fits)
