/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes. A shape type is one file in geom/ with a descriptor; grains are disks, spheres,
   clusters of them, polygons and polyhedra; walls are planes, boxes, cylinders, cones, balls and
   triangle meshes. All that a wall does is in its descriptor: who meets a wall asks it, never for
   its name. A wall is a body: its shape is given in the body's own frame, the body's position and
   orientation carry it. */
#ifndef MORAINE_SHAPE_H
#define MORAINE_SHAPE_H

#include "moraine/param.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mrn_mesh mrn_mesh; /* triangles with a search tree, see geom/mesh.h */
typedef struct mrn_shape mrn_shape;

/* Triangles for looking at a wall and for files, in the body's frame. Caller frees with mrn_free.
 */
typedef struct mrn_triangles {
    int n_points, n_triangles;
    double *point;   /* 3 per point        */
    int32_t *corner; /* 3 per triangle     */
} mrn_triangles;

/* How a grain is made of bodies. */
typedef enum mrn_grain_kind {
    MRN_GRAIN_BALL,    /* a disk or sphere                                        */
    MRN_GRAIN_CLUSTER, /* one body without contacts that carries disks or spheres */
    MRN_GRAIN_POLYTOPE /* one body with corners: polygon or polyhedron            */
} mrn_grain_kind;

struct mrn_posed;      /* a convex part of a grain where it stands: geom/narrow.h  */
struct mrn_point_list; /* contact points being collected: geom/narrow_wall.h       */
struct mrn_surface;    /* a flat or solid feature of a wall: geom/narrow_wall.h    */

/* A feature of a wall that has no rim: a whole plane, a whole cylinder or a whole sphere, in the
   body's frame. */
typedef enum mrn_rimless_kind {
    MRN_RIMLESS_PLANE,
    MRN_RIMLESS_CYLINDER,
    MRN_RIMLESS_BALL,
} mrn_rimless_kind;
typedef struct mrn_rimless {
    mrn_rimless_kind kind;
    mrn_vec3 at;        /* a point of the plane or of the axis; the centre       */
    mrn_vec3 direction; /* unit: normal towards the grains; axis                 */
    double radius;      /* cylinder, ball                                        */
    bool hollow;        /* cylinder, ball: the grains are inside                 */
} mrn_rimless;

typedef struct mrn_shape_type {
    const char *name;
    const char *summary;
    const char *doc;
    bool grain;        /* else a wall                                 */
    bool in_2d, in_3d; /* where it may be used                        */
    const mrn_param *params;
    int n_params;

    mrn_grain_kind kind; /* grains */
    int power;           /* grains: mass goes with this power of the size; 0: that of the scene's
                            dimension                                                          */
    /* Grains: volume (area times 1 m in 2D) and moment of inertia over mass, from the radius. */
    void (*measure)(double radius, double *volume, double *inertia_over_mass);
    /* The same in 2D, for grains of both; NULL: measure. Call mrn_shape_measure. */
    void (*measure_2d)(double radius, double *volume, double *inertia_over_mass);

    /* Walls. From parameters to shape and placement of its body; dimension 2 or 3. */
    mrn_status (*build)(const mrn_value *value, int dimension, mrn_shape *out, mrn_vec3 *x,
                        mrn_quat *q, mrn_message *msg);
    void (*release)(mrn_shape *s);  /* may be NULL */
    void (*share)(mrn_shape *copy); /* of a plain copy: both own from now on what they point to, and
                                       both are released; NULL: they point to nothing */
    /* Which faces (features) lie within `reach` of point c (body frame). Writes at most `max`
       numbers in ascending order and returns how many there are (more than max: call again with
       room). */
    int (*features)(const mrn_shape *s, mrn_vec3 c, double reach, int32_t *out, int max);
    /* The point of a feature closest to c, the unit normal there towards c, and the distance of c
       from it along the normal (negative only for solids, when c is inside). */
    double (*closest)(const mrn_shape *s, int32_t feature, mrn_vec3 c, mrn_vec3 *point,
                      mrn_vec3 *normal);
    /* Axis-aligned bounds in the body frame; infinite directions hold ±INFINITY. */
    void (*bounds)(const mrn_shape *s, mrn_vec3 *lo, mrn_vec3 *hi);
    /* Triangles to draw; infinite parts are cut at distance `extent` of the body's centre. In 2D
       the outline is extruded between z = -depth and z = depth (depth 0 gives no area: use > 0). */
    mrn_status (*triangles)(const mrn_shape *s, double extent, double depth, mrn_triangles *out);

    /* Walls that meet polygons and polyhedra have at least one of the next two. Which surface a
       feature is, if it is flat or solid: false, or NULL, says that it is curved. */
    bool (*surface)(const mrn_shape *s, int32_t feature, struct mrn_surface *out);
    /* Contact points of a convex part (wall's frame) with a curved feature. `inside` tells how deep
       a part is in such a wall: true, only its corners can be, by `closest`; false, it is behind
       the tangent plane at the deepest point. */
    void (*contact_points)(const mrn_shape *s, int32_t feature, const struct mrn_posed *c,
                           struct mrn_point_list *out);

    /* NULL where there is nothing to say. The curvature (mean of the two in 3D) where a contact
       with this normal is at `point`; hollow: negative; edges and corners count as flat. */
    double (*curvature)(const mrn_shape *s, mrn_vec3 point, mrn_vec3 normal);
    /* Walls with features that lie flat to each other: whether a closest point with this normal is
       inside its feature, not on its rim. */
    bool (*is_foot)(const mrn_shape *s, int32_t feature, mrn_vec3 normal);
    /* Whether a feature has no rim, and what it is then; NULL: all have. */
    bool (*rimless)(const mrn_shape *s, int32_t feature, mrn_rimless *out);
    bool plane; /* all of it lies in the local xy plane, and its normal is local z */
} mrn_shape_type;

/* A shape in use. p[] is filled by `build`, its meaning is the shape's own. */
struct mrn_shape {
    const mrn_shape_type *type;
    int dimension;
    double p[8];
    bool inside;    /* the grains are inside (container)                   */
    mrn_mesh *mesh; /* mesh only; owned */
};

MRN_API int mrn_shape_type_count(void);
MRN_API const mrn_shape_type *mrn_shape_type_at(int i);
MRN_API const mrn_shape_type *mrn_shape_type_find(const char *name);
MRN_API void mrn_shape_release(mrn_shape *s);
/* What a wall must have for grains of a kind and has not, in words ("closest points"); NULL: it has
   all. */
MRN_API const char *mrn_wall_lacks(const mrn_shape_type *t, mrn_grain_kind kind);
/* Meshes never change and are shared by copies: nothing is allocated. */
MRN_API mrn_shape mrn_shape_copy(const mrn_shape *from);
/* Volume and inertia over mass of a grain: of a cluster, of the sphere (disk) of equal volume. */
static inline void mrn_shape_measure(const mrn_shape_type *t, int dimension, double radius,
                                     double *volume, double *inertia_over_mass)
{
    if (dimension == 2 && t->measure_2d != NULL)
        t->measure_2d(radius, volume, inertia_over_mass);
    else
        t->measure(radius, volume, inertia_over_mass);
}

/* A contact point: what every narrow phase (ball on wall, ball on convex part, convex part on
   convex part, convex part on wall) says of two bodies A and C, a wall being A. It is scratch of
   one thread between the narrow phase and the contact network, in whatever frame was asked for. */
typedef struct mrn_contact_point {
    mrn_vec3 point; /* of a ball on a wall: on the wall; else half-way between the surfaces       */
    mrn_vec3 normal; /* unit, from A to C */
    double gap; /* signed distance of the two surfaces along the normal; < 0: overlap         */
    uint32_t feature; /* what touches what: the same at the next step as long as the same things do
                       */
    bool touch; /* it is a contact; false only in lists with one entry per feature            */
} mrn_contact_point;

/* Contacts of a sphere (centre c, radius r, body frame) with some features of one wall: accepts the
   deepest first and drops every candidate whose closest point lies inside the overlap cap of a
   deeper one (it is the same contact seen through a neighbouring facet, edge or corner), so that
   crossing an edge never kicks twice. Just outside a cap a contact counts with part of its overlap
   (gap is scaled): none appears or vanishes at once. out[k] tells for features[k]; returns the
   number in contact (gap < 0). */
MRN_API int mrn_wall_contacts(const mrn_shape *s, mrn_vec3 c, double r, const int32_t *features,
                              int n, mrn_contact_point *out);

#ifdef __cplusplus
}
#endif

#endif
