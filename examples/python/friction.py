"""How dense beads settle, against their friction: worlds side by side, each in a thread of its own."""
from concurrent.futures import ThreadPoolExecutor

import moraine as mrn

scene = mrn.Scene(
    gravity=[0, 0, -9.81], cell={"origin": [0, 0, 0], "size": ["1.4 cm", "1.4 cm", "9 cm"], "periodic": ["x", "y"]}, damping={"global": 5},
    materials={"glass": dict(density=2500, young="5 MPa", poisson=0.22)},
    interactions=[dict(between=["glass", "glass"], law="hertz-mindlin", restitution=0.4, friction=0)],
    walls=[dict(name="floor", plane={"point": [0, 0, 0], "normal": [0, 0, 1]})],
    bodies=[dict(name="beads", shape={"sphere": {"radius": "1 mm"}}, count=200,
                 place={"fill": {"box": [[0, 0, 0], ["1.4 cm", "1.4 cm", "2 cm"]]}})])
mrn.threads(1)  # one each


def settle(friction):
    world = scene.changed({"interactions.0.friction": friction}).world()
    world.run(until=0.2)
    report = world.analyze()
    return friction, report["packing"]["solid_fraction"], report["network"]["coordination"]


with ThreadPoolExecutor(2) as pool:
    for friction, solid, coordination in pool.map(settle, [0, 0.1, 0.5]):
        print("friction %.1f  solid fraction %.3f  coordination %.2f" % (friction, solid, coordination))
