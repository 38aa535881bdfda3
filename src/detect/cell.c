/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The periodic cell under the neighbour list: does it have room, positions back into it, a shear
   turned back by whole periods, how far straining brings grains together. */
#include <math.h>

#include "base/base.h"
#include "detect/list.h"

static mrn_status fail_exploded(const mrn_state *s, int32_t i, mrn_message *msg)
{
    const double *x = s->body.x + 3 * (size_t)i;
    mrn_fail(msg, MRN_EXPLODED,
             "body %d has no finite position at step %lld (t = %g s): %g, %g, %g m",
             (int)s->body.id[i], (long long)s->step, s->time, x[0], x[1], x[2]);
    mrn_fail_hint(msg, "use a smaller time step; see the last checkpoint for the state before");
    return MRN_EXPLODED;
}

mrn_status mrn_list_check_finite(const mrn_scene *scene, const mrn_state *s, mrn_message *msg)
{
    const mrn_images im = mrn_images_of(scene, s);
    mrn_vec3 origin = mrn_load3(s->cell_origin);
    for (int32_t i = 0; i < s->body.n; i++) {
        mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i);
        mrn_vec3 f = mrn_images_fraction(&im, mrn_sub(x, origin));
        const int32_t *image = s->body.image + 3 * (size_t)i;
        if (!isfinite(x.x) || !isfinite(x.y) || !isfinite(x.z) ||
            !mrn_images_countable(f.x, image[0], im.inv[0] != 0) ||
            !mrn_images_countable(f.y, image[1], im.inv[1] != 0) ||
            !mrn_images_countable(f.z, image[2], im.inv[2] != 0))
            return fail_exploded(s, i, msg);
    }
    return MRN_OK;
}

/* The nearest image is unique, and found by mrn_nearest_image, only while a cell is at least twice
   as long as two grains can be apart. A shear changes nothing in that: a lattice vector with a
   share of the last edge is at least as long as the cell is high, one without it is of the lattice
   of the other two. */
mrn_status mrn_list_fit_cell(const mrn_scene *scene, const mrn_state *s, double range, double *skin,
                             mrn_message *msg)
{
    return mrn_list_fit_radius(scene, s, mrn_list_max_radius(s), range, skin, msg);
}

mrn_status mrn_list_fit_radius(const mrn_scene *scene, const mrn_state *s, double r, double range,
                               double *skin, mrn_message *msg)
{
    for (int k = 0; k < 3; k++) {
        double room = 0.5 * s->cell_size[k] - 2 * r - range;
        if (!scene->cell.periodic[k] || room > 1.0001 * *skin)
            continue;
        if (room > 0.02 * r) {
            *skin = 0.99 * room;
            continue;
        }
        mrn_fail(msg, MRN_ERR_INPUT,
                 "the periodic cell is %g m long in %c, the largest grain has a diameter of %g m",
                 s->cell_size[k], "xyz"[k], 2 * r);
        if (range > 0)
            mrn_fail_expected(msg,
                              "a cell at least 2.1 diameters long in every periodic direction, and "
                              "%g m more for contacts that act at a distance",
                              2 * range);
        else
            mrn_fail_expected(msg,
                              "a cell at least 2.1 diameters long in every periodic direction");
        return mrn_fail_hint(msg, "enlarge cell.size or use smaller grains");
    }
    return MRN_OK;
}

/* ---- positions ---- */

/* Edges b and c of a cell become b - n a and c - m b - p a. */
static void lean_back(double m, double n, double p, const double *size, double *tilt)
{
    tilt[2] -= m * size[1];
    tilt[1] -= m * tilt[0];
    tilt[0] -= n * size[0];
    tilt[1] -= p * size[0];
}

mrn_leaning mrn_cell_turn_back(const mrn_scene *scene, mrn_state *s)
{
    const mrn_images im = mrn_images_of(scene, s);
    mrn_leaning t = {.m = rint(im.tilt[2] * im.inv[1]), .n = rint(im.tilt[0] * im.inv[0])};
    t.p = im.inv[2] != 0 ? rint((s->cell_tilt[1] - t.m * im.tilt[0]) * im.inv[0]) : 0;
    double *list = s->pair.cell_list;
    lean_back(t.m, t.n, t.p, s->cell_size, s->cell_tilt);
    lean_back(t.m, t.n, t.p, list, list + 3);
    return t;
}

static void turn_back(const mrn_scene *scene, mrn_state *s)
{
    mrn_leaning t = mrn_cell_turn_back(scene, s);
    bool none = t.m == 0 && t.n == 0 && t.p == 0;
    for (int32_t i = s->body.n_walls; !none && i < s->body.n; i++)
        mrn_leaning_count(t, s->body.image + 3 * (size_t)i);
}

static mrn_vec3 turns_of(const mrn_images *im, const mrn_state *s, int32_t i)
{
    const double *x = s->body.x + 3 * (size_t)mrn_body_leader(s, i);
    return mrn_images_turns(im, mrn_sub(mrn_load3(x), mrn_load3(s->cell_origin)),
                            s->body.image + 3 * (size_t)i);
}

/* Where the body stood when the list was made goes along, by as many edges of the cell of then
   (`list`): the distances in the list stay those it was made of, and the list is made of them again
   after a checkpoint. */
static void put_back(const mrn_images *im, const mrn_images *list, mrn_state *s, int32_t i)
{
    mrn_vec3 n = turns_of(im, s, i);
    int32_t *image = s->body.image + 3 * (size_t)i;
    if (n.x == 0 && n.y == 0 && n.z == 0)
        return;
    mrn_images_go_back(im, n, s->body.x + 3 * (size_t)i);
    mrn_images_go_back(list, n, s->body.x_list + 3 * (size_t)i);
    image[0] += (int32_t)n.x;
    image[1] += (int32_t)n.y;
    image[2] += (int32_t)n.z;
}

/* Spheres of a cluster go where it goes, and before it, while its place still tells how far. */
void mrn_bodies_wrap(const mrn_scene *scene, mrn_state *s)
{
    turn_back(scene, s);
    const mrn_images im = mrn_images_of(scene, s);
    const mrn_images list = mrn_images_make(scene, s->pair.cell_list, s->pair.cell_list + 3);
    if (im.inv[0] == 0 && im.inv[1] == 0 && im.inv[2] == 0)
        return;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = s->body.n_walls; i < s->body.n; i++)
            if (((s->body.flags[i] & MRN_BODY_MEMBER) != 0) == (pass == 0))
                put_back(&im, &list, s, i);
}

/* ---- straining ---- */

/* A centre is in the cell, or in a cluster whose centre is, or has left it by little since it was
   last put back. */
#define OUTSIDE 0.1

/* Two grains near each other across its faces are then apart by few whole edges: less than one more
   than their distance is in edges. */
static double most_edges(const mrn_scene *scene, const mrn_images *im, int k)
{
    double xy = fabs(im->tilt[0] * im->inv[0]), xz = fabs(im->tilt[1] * im->inv[0]);
    double yz = fabs(im->tilt[2] * im->inv[1]), c = 0.5, b = 0.5 + c * yz;
    double apart = k == 2 ? c : k == 1 ? b : 0.5 + b * xy + c * xz;
    return floor(1 + 2 * OUTSIDE + apart) + (scene->n_clusters > 0);
}

double mrn_pairs_cell_travel(const mrn_scene *scene, const mrn_state *s)
{
    const mrn_images im = mrn_images_of(scene, s);
    const mrn_images then = mrn_images_make(scene, s->pair.cell_list, s->pair.cell_list + 3);
    double size[3], tilt[3];
    for (int k = 0; k < 3; k++) {
        size[k] = im.size[k] - then.size[k];
        tilt[k] = im.tilt[k] - then.tilt[k];
    }
    return most_edges(scene, &im, 0) * fabs(size[0]) +
           most_edges(scene, &im, 1) * mrn_norm(mrn_v3(tilt[0], size[1], 0)) +
           most_edges(scene, &im, 2) * mrn_norm(mrn_v3(tilt[1], tilt[2], size[2]));
}
