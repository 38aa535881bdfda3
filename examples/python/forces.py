"""A run with files: its frames as arrays, and the forces between grains as a distribution."""
import tempfile

import numpy as np

import moraine as mrn

scene = mrn.Scene(
    gravity=[0, -9.81], dimension=2, output={"every": 0.1, "contacts": True},
    materials={"disks": dict(density=2500, young="20 MPa", poisson=0.3)},
    interactions=[dict(between=["disks", "disks"], law="linear", restitution=0.3, friction=0.3,
                       **{"normal-stiffness": "50 kN/m"})],
    walls=[dict(name="box", box={"corners": [[0, 0], [0.1, 0.4]]})],
    bodies=[dict(name="disks", shape={"disk": {"radius": {"uniform": ["1.5 mm", "2.5 mm"]}}}, count=300,
                 place={"fill": {"box": [[0, 0], [0.1, 0.3]]}})],
    damping={"global": 20}, stages=[dict(name="settle", until={"time": 0.8})])
with tempfile.TemporaryDirectory() as folder:
    result = scene.run(folder + "/run")
    trajectory = result.trajectory
    y = trajectory.array("x")[:, :, 1]
    last = trajectory[-1]
    force = np.linalg.norm(last.contacts["force"], axis=1)
    print("%d frames of %d disks; the mean height fell from %.1f mm to %.1f mm" %
          (len(trajectory), y.shape[1], 1e3 * y[0].mean(), 1e3 * y[-1].mean()))
    print("%d contacts bear %.2f N on average, the strongest %.1f times as much" %
          (len(force), force.mean(), force.max() / force.mean()))
    share = np.mean(force > force.mean())
    print("%.0f %% of them bear more than the mean" % (100 * share))
