# the settled bed under YADE: Hertz-Mindlin (Ip2_FrictMat_FrictMat_MindlinPhys), restitution 0.5, friction 0.4, periodic
# in x and y by a cell that is high enough; prints million body-steps per second (compare.sh, accuracy.py)
import math, os, sys, time
from yade import *

data, steps, h = os.environ['PEER_DATA'], int(os.environ['PEER_STEPS']), float(os.environ['PEER_H'])
e, mu, g = (float(os.environ.get('PEER_' + k, v)) for k, v in (('E', 0.5), ('MU', 0.4), ('G', 9.81)))
gx, gz = float(os.environ['PEER_GX']), float(os.environ['PEER_GZ'])
lines = open(data).read().split('\n')
side = [float(v) for v in lines[0][1:].split()]
rows = [[float(v) for v in l.split()] for l in lines[1:] if l]
O.periodic = True
O.cell.setBox(side[0], side[1], 0.2)
O.materials.append(FrictMat(young=5e7, poisson=0.25, density=2500, frictionAngle=math.atan(mu)))
for x, y, z, r, *motion in rows:  # where accuracy.py asks for it, velocity and spin too
    i = O.bodies.append(sphere((x, y, z), r))
    if motion:
        O.bodies[i].state.vel, O.bodies[i].state.angVel = motion[:3], motion[3:]
O.bodies.append(wall(0, axis=2, sense=1))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], allowBiggerThanPeriod=True, verletDist=float(os.environ.get("PEER_SKIN", 1e-4))),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
                    [Ip2_FrictMat_FrictMat_MindlinPhys(en=e, es=e)], [Law2_ScGeom_MindlinPhys_Mindlin()]),
    NewtonIntegrator(damping=0, gravity=(g * gx, 0, g * gz)),
]
O.dt = h
began = time.time()


def finish():
    t = time.time() - began
    n = sum(1 for i in O.interactions if i.isReal)
    print('PEER %.4f %.3f' % (1e-6 * steps * len(rows) / t, 2.0 * n / len(rows)))
    if 'PEER_OUT' in os.environ:  # the state at the end
        with open(os.environ['PEER_OUT'], 'w') as f:
            for b in O.bodies:
                if isinstance(b.shape, Sphere):
                    f.write(' '.join('%.17g' % v for v in (b.id + 1, *b.state.pos, *b.state.vel, *b.state.angVel)) + '\n')
    sys.stdout.flush()
    os._exit(0)


# O.run(steps, True) now and then runs on for ever: an engine of its own ends it
O.engines = O.engines + [PyRunner(command='finish()', iterPeriod=steps, initRun=False)]
O.run()
O.wait()
