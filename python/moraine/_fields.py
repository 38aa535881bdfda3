# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of the state, as fields.def has them. Made by tools/gen-python.py: do not edit."""

import numpy as np

# name: (type, numbers per entry, unit, what it is)
BODY = {
    "x": ("double", 3, "m", "position of the centre, inside the periodic cell"),
    "v": ("double", 3, "m/s", "velocity of the centre"),
    "q": ("double", 4, "1", "orientation, unit quaternion w x y z, body frame to world"),
    "w": ("double", 3, "rad/s", "angular velocity, world frame"),
    "f": ("double", 3, "N", "total force at the last step, gravity included"),
    "t": ("double", 3, "N m", "total torque about the centre at the last step"),
    "x_list": ("double", 3, "m", "position when the neighbour list was built"),
    "radius": ("double", 1, "m", "radius of a grain (all but spheres and disks: of the sphere of equal volume); 0 for walls"),
    "bound": ("double", 1, "m", "radius of the ball about the centre that holds the grain"),
    "mass": ("double", 1, "kg", "mass"),
    "inertia": ("double", 1, "kg m2", "moment of inertia about the centre; of a cluster: mean of the principal ones"),
    "derivs": ("double", 12, "SI", "jerk and snap of the centre, then first and second rate of the torque (Gear only)"),
    "parent": ("int32", 1, "1", "persistent number of the cluster this sphere belongs to; -1: none"),
    "part": ("uint16", 1, "1", "which sphere of its cluster; of a polygon or polyhedron: which form of the scene"),
    "image": ("int32", 3, "1", "how many cells the body has crossed, per direction"),
    "id": ("int32", 1, "1", "persistent number: position in memory changes, this does not"),
    "shape": ("uint16", 1, "1", "index into the shapes of the scene"),
    "material": ("uint16", 1, "1", "index into the materials of the scene"),
    "group": ("uint16", 1, "1", "index into the groups of the scene (grains) or walls (walls)"),
    "flags": ("uint16", 1, "1", "MRN_BODY_* bits"),
}

PAIR = {
    "other": ("int32", 1, "1", "the antagonist A: body index; the candidate C owns the row"),
}

CONTACT = {
    "id_c": ("int32", 1, "1", "persistent number of C, the body on which force, moment and impulse act: of two grains the one with the lower number, else the grain"),
    "id_a": ("int32", 1, "1", "persistent number of A: a grain, a sphere of a cluster, or a wall"),
    "c": ("int32", 1, "1", "C: body index"),
    "a": ("int32", 1, "1", "A: body index"),
    "feature": ("int64", 1, "1", "what of C meets what of A: the same number as long as the same vertices, edges and faces meet; 0 between spheres"),
    "flags": ("uint8", 1, "1", "MRN_CONTACT_* bits"),
    "body_c": ("int32", 1, "1", "the body that moves with C: its cluster, or C itself; body index"),
    "body_a": ("int32", 1, "1", "the body that moves with A: its cluster, or A itself; body index"),
    "interaction": ("int32", 1, "1", "index into the interactions of the scene; -1: the two materials do not act on each other"),
    "r_eff": ("double", 1, "m", "effective radius, as laws take it"),
    "point": ("double", 3, "m", "contact point, world frame, near C"),
    "normal": ("double", 3, "1", "unit normal from A to C"),
    "tangent": ("double", 3, "1", "first tangent t of the frame (n, t, n x t)"),
    "gap": ("double", 1, "m", "distance of the surfaces; negative: overlap"),
    "branch": ("double", 3, "m", "from the centre of A to the centre of C, nearest image (on a wall: from the contact point)"),
    "arm_c": ("double", 3, "m", "from the centre of body_c to the contact point"),
    "arm_a": ("double", 3, "m", "from the centre of body_a to the contact point"),
    "force": ("double", 3, "N", "contact force on C, world frame"),
    "moment": ("double", 3, "N m", "moment on C beside that of the force, world frame; its opposite acts on A"),
    "lever": ("double", 3, "N", "n x F, scaled so that the torque on a sphere is -radius times it"),
    "history": ("double", "history", "SI", "what the laws of the contact remember"),
    "impulse": ("double", "impulse", "N s", "impulse of the last step on C in the frame (n, t, n x t); then moments, N m s"),
    "slot": ("int64", 1, "1", "of a snapshot: where the contact stands in the network it was taken from"),
}


class Views:
    """The arrays of bodies as type checkers and editors see them."""

    x: np.ndarray
    v: np.ndarray
    q: np.ndarray
    w: np.ndarray
    f: np.ndarray
    t: np.ndarray
    x_list: np.ndarray
    radius: np.ndarray
    bound: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    derivs: np.ndarray
    parent: np.ndarray
    part: np.ndarray
    image: np.ndarray
    id: np.ndarray
    shape: np.ndarray
    material: np.ndarray
    group: np.ndarray
    flags: np.ndarray
