# the settled bed under YADE: Hertz-Mindlin (Ip2_FrictMat_FrictMat_MindlinPhys), restitution 0.5, friction 0.4, periodic
# in x and y by a cell that is high enough; prints million body-steps per second
import math, os, time
from yade import *

data, steps, h = os.environ['PEER_DATA'], int(os.environ['PEER_STEPS']), float(os.environ['PEER_H'])
gx, gz = float(os.environ['PEER_GX']), float(os.environ['PEER_GZ'])
lines = open(data).read().split('\n')
side = [float(v) for v in lines[0][1:].split()]
rows = [[float(v) for v in l.split()] for l in lines[1:] if l]
O.periodic = True
O.cell.setBox(side[0], side[1], 0.2)
O.materials.append(FrictMat(young=5e7, poisson=0.25, density=2500, frictionAngle=math.atan(0.4)))
for x, y, z, r in rows:
    O.bodies.append(sphere((x, y, z), r))
O.bodies.append(wall(0, axis=2, sense=1))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], allowBiggerThanPeriod=True, verletDist=1e-4),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
                    [Ip2_FrictMat_FrictMat_MindlinPhys(en=0.5, es=0.5)], [Law2_ScGeom_MindlinPhys_Mindlin()]),
    NewtonIntegrator(damping=0, gravity=(9.81 * gx, 0, 9.81 * gz)),
]
O.dt = h
t = time.time()
O.run(steps, True)
t = time.time() - t
n = sum(1 for i in O.interactions if i.isReal)
print('PEER %.4f %.3f' % (1e-6 * steps * len(rows) / t, 2.0 * n / len(rows)))
import sys; sys.stdout.flush(); os._exit(0)
