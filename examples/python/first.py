import moraine as mrn

scene = mrn.Scene(
    gravity=[0, 0, -9.81],
    materials={"glass": dict(density=2500, young="5 MPa", poisson=0.22)},
    interactions=[dict(between=["glass", "glass"], law="hertz-mindlin", restitution=0.6, friction=0.4)],
    walls=[dict(name="box", box={"corners": [[0, 0, 0], [0.05, 0.05, 0.2]]})],
    bodies=[dict(name="beads", shape={"sphere": {"radius": "2 mm"}}, count=300,
                 place={"fill": {"box": [[0, 0, 0], [0.05, 0.05, 0.12]]}})])
world = scene.world()
energy = world.record(["kinetic-energy", "gravity-energy"], until=0.3, every=0.005)
print("%d grains, coordination %.2f" % (len(world), world.probe("coordination")))
energy.plot("energy.svg", title="Beads fall into a box")
