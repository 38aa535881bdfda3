"""A glass ball on a glass plate over all angles: where it slides, where it grips, and what it brings back."""
import numpy as np

import moraine as mrn

glass = dict(density=2500, young=70e9, poisson=0.22)
angle = np.radians(np.arange(2, 86, 2))
curves = {}
for friction in (0.05, 0.1, 0.2):
    hit = mrn.collide("hertz-mindlin", ball=dict(radius=2.5e-3, **glass), speed=3.0, angle=angle,
                      restitution=0.97, friction=friction, accuracy=1e-6)
    curves["friction %g" % friction] = hit["et"]
    least = np.argmin(hit["et"])
    print("friction %-4g  least e_t %.3f at %2.0f degrees" % (friction, hit["et"][least], np.degrees(angle[least])))
mrn.plot("rebound.svg", np.degrees(angle), curves, x_label="angle of impact [deg]", y_label="e_t")
