/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motions that no contact resists and that are known without large matrices: those of the whole as
   a rigid body (walls that can move going along), and spheres that turn between two contacts. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "linalg/jacobi.h"
#include "quasistatic/net.h"

enum {
    WALLS = 16,       /* walls that may go along; more of them stay where they are */
    MOST = 6 + WALLS, /* candidates                                                */
};

/* A motion of unit length has relative displacements of order 1/sqrt(n) at least where something
   resists; where nothing does, rounding leaves 1e-15. */
#define FREE 1e-11

/* Candidates: orthonormal motions of the nodes in u, then unit motions of walls. */
typedef struct candidates {
    const mrn_net *net;
    double *u;
    int n_rigid, n;
    int axis[6]; /* 0, 1, 2: translations; 3, 4, 5: rotations */
    int global[WALLS];
    double r[MOST][MOST]; /* triangular factor of the rows they give   */
} candidates;

static bool can_turn(const mrn_net *net, int axis)
{
    if (net->dimension == 2 && axis != 2)
        return false;
    for (int k = 0; k < net->dimension; k++)
        if (k != axis && net->periodic[k])
            return false;
    return true;
}

static mrn_vec3 unit_axis(int k)
{
    return mrn_v3(k == 0, k == 1, k == 2);
}

static mrn_vec3 centre(const mrn_net *net)
{
    mrn_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < net->n; i++)
        sum = mrn_add(sum, mrn_load3(net->x + 3 * (size_t)i));
    return mrn_scale(1.0 / net->n, sum);
}

static void write_motion(const mrn_net *net, int axis, mrn_vec3 about, double *u)
{
    mrn_vec3 e = unit_axis(axis % 3);
    memset(u, 0, (size_t)net->n_unknowns * sizeof *u);
    for (int32_t i = 0; i < net->n; i++) {
        double *to = u + mrn_net_unknown(net, i, 0);
        mrn_vec3 arm = mrn_sub(mrn_load3(net->x + 3 * (size_t)i), about);
        mrn_vec3 v = axis < 3 ? e : mrn_cross(e, arm);
        const double part[3] = {v.x, v.y, v.z};
        for (int k = 0; k < net->dimension; k++)
            to[k] = part[k];
        if (axis >= 3 && net->rotations && net->dimension == 2)
            to[2] = net->length;
        else if (axis >= 3 && net->rotations)
            mrn_store3(to + 3, mrn_scale(net->length, e));
    }
}

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Takes off what the candidates before have of it; false: nothing is left (a lone disk that does
   not turn has no rotation). */
static bool orthonormal(const candidates *c, double *u)
{
    int64_t n = c->net->n_unknowns;
    double whole = sqrt(dot(n, u, u));
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < c->n_rigid; j++) {
            const double *v = c->u + j * n;
            double part = dot(n, u, v);
            for (int64_t i = 0; i < n; i++)
                u[i] -= part * v[i];
        }
    double left = sqrt(dot(n, u, u));
    if (!(left > 1e-8 * whole))
        return false;
    for (int64_t i = 0; i < n; i++)
        u[i] /= left;
    return true;
}

static void collect(candidates *c)
{
    const mrn_net *net = c->net;
    mrn_vec3 about = centre(net);
    for (int axis = 0; axis < 6; axis++) {
        if (axis < 3 ? axis >= net->dimension : !can_turn(net, axis - 3))
            continue;
        double *u = c->u + c->n_rigid * net->n_unknowns;
        write_motion(net, axis, about, u);
        if (orthonormal(c, u))
            c->axis[c->n_rigid++] = axis;
    }
    c->n = c->n_rigid;
    for (int g = 0; g < net->n_globals && c->n < c->n_rigid + WALLS; g++)
        if (net->global[g].kind == MRN_GLOBAL_WALL)
            c->global[c->n++ - c->n_rigid] = g;
}

/* ---- which combinations nothing resists ---- */

/* A row joins the triangular factor by rotations of Givens: no squares, so that what is free comes
   out free to rounding, and no memory for all rows. */
static void add_row(candidates *c, double *row)
{
    for (int i = 0; i < c->n; i++) {
        double l = hypot(c->r[i][i], row[i]);
        if (row[i] == 0 || l == 0)
            continue;
        double cs = c->r[i][i] / l, sn = row[i] / l;
        for (int j = i; j < c->n; j++) {
            double a = c->r[i][j], b = row[j];
            c->r[i][j] = cs * a + sn * b;
            row[j] = cs * b - sn * a;
        }
    }
}

static void add_contact(candidates *c, int64_t k)
{
    const mrn_net *net = c->net;
    const mrn_net_element *x = &net->element[k];
    mrn_net_block b;
    mrn_net_rows(net, k, &b);
    for (int r = 0; r < b.rows; r++) {
        double row[MOST] = {0};
        for (int j = 0; j < c->n_rigid; j++) {
            const double *u = c->u + j * net->n_unknowns;
            for (int d = 0; x->c >= 0 && d < net->dofs; d++)
                row[j] += b.c[r][d] * u[mrn_net_unknown(net, x->c, d)];
            for (int d = 0; x->a >= 0 && d < net->dofs; d++)
                row[j] += b.a[r][d] * u[mrn_net_unknown(net, x->a, d)];
        }
        for (int j = c->n_rigid; j < c->n; j++)
            for (int g = 0; g < b.n_globals; g++)
                if (b.global[g] == c->global[j - c->n_rigid])
                    row[j] += b.g[r][g];
        add_row(c, row);
    }
}

/* One turn of columns p, q of r (and v with it) that makes them perpendicular; how far they were
   from that. */
static double turn_columns(int n, double r[MOST][MOST], double v[MOST][MOST], int p, int q)
{
    double a = 0, b = 0, ab = 0;
    for (int i = 0; i < n; i++)
        a += r[i][p] * r[i][p], b += r[i][q] * r[i][q], ab += r[i][p] * r[i][q];
    if (a == 0 || b == 0 || fabs(ab) <= 1e-16 * sqrt(a) * sqrt(b))
        return 0;
    double cs, sn;
    mrn_jacobi_angle(a, b, ab, &cs, &sn);
    mrn_jacobi_turn(n, MOST, &r[0][0], p, q, cs, sn);
    mrn_jacobi_turn(n, MOST, &v[0][0], p, q, cs, sn);
    return fabs(ab) / (sqrt(a) * sqrt(b));
}

/* Null space of r by one-sided Jacobi: columns of `null`; returns how many. */
static int null_space(candidates *c, double null[MOST][MOST])
{
    double v[MOST][MOST] = {{0}};
    int n = c->n, found = 0;
    for (int i = 0; i < n; i++)
        v[i][i] = 1;
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                off = fmax(off, turn_columns(n, c->r, v, p, q));
        if (off < 1e-15)
            break;
    }
    for (int j = 0; j < n; j++) {
        double l = 0;
        for (int i = 0; i < n; i++)
            l = hypot(l, c->r[i][j]);
        for (int i = 0; l < FREE && i < n; i++)
            null[found][i] = v[i][j];
        found += l < FREE;
    }
    return found;
}

/* ---- a basis a person can read ---- */

/* Reduced echelon form: vectors along the axes where such are in the space. Rows whose leading
   entry would be a wall's are walls that move alone: left out. Returns how many rows remain. */
static int reduce(const candidates *c, int rows, double null[MOST][MOST])
{
    int done = 0;
    for (int col = 0; col < c->n_rigid && done < rows; col++) {
        int best = done;
        for (int i = done; i < rows; i++)
            if (fabs(null[i][col]) > fabs(null[best][col]))
                best = i;
        if (fabs(null[best][col]) < 1e-8)
            continue;
        for (int j = 0; j < c->n; j++) {
            double swap = null[best][j];
            null[best][j] = null[done][j];
            null[done][j] = swap;
        }
        double lead = null[done][col];
        for (int j = 0; j < c->n; j++)
            null[done][j] /= lead;
        for (int i = 0; i < rows; i++) {
            double part = null[i][col];
            for (int j = 0; i != done && j < c->n; j++)
                null[i][j] -= part * null[done][j];
        }
        done++;
    }
    return done;
}

static void unit_rows(int n, int rows, double null[MOST][MOST])
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < i; j++) {
            double part = dot(n, null[i], null[j]);
            for (int k = 0; k < n; k++)
                null[i][k] -= part * null[j][k];
        }
        double l = sqrt(dot(n, null[i], null[i]));
        for (int k = 0; k < n; k++)
            null[i][k] = l > 0 ? null[i][k] / l : 0;
    }
}

static void name_motion(const candidates *c, const double *coef, char what[64])
{
    double part[6] = {0}, sum = 0, shift = 0;
    for (int j = 0; j < c->n_rigid; j++) {
        part[c->axis[j]] = coef[j];
        sum += coef[j] * coef[j];
        shift += c->axis[j] < 3 ? coef[j] * coef[j] : 0;
    }
    for (int axis = 0; axis < 6; axis++)
        if (part[axis] * part[axis] > (1 - 1e-9) * sum) {
            snprintf(what, 64, "%s %c", axis < 3 ? "translation along" : "rotation about",
                     "xyz"[axis % 3]);
            return;
        }
    if (shift > (1 - 1e-9) * sum)
        snprintf(what, 64, "translation along (%.3g %.3g %.3g)", part[0], part[1], part[2]);
    else if (shift < 1e-9 * sum)
        snprintf(what, 64, "rotation about (%.3g %.3g %.3g)", part[3], part[4], part[5]);
    else
        snprintf(what, 64, "rotation and translation of the whole");
}

/* In place: the combinations overwrite the candidates, unknown by unknown. */
static void combine(const candidates *c, int rows, double null[MOST][MOST])
{
    int64_t n = c->net->n_unknowns;
    for (int64_t i = 0; i < n; i++) {
        double old[6] = {0};
        for (int j = 0; j < c->n_rigid; j++)
            old[j] = c->u[j * n + i];
        for (int m = 0; m < rows; m++) {
            double sum = 0;
            for (int j = 0; j < c->n_rigid; j++)
                sum += null[m][j] * old[j];
            c->u[m * n + i] = sum;
        }
    }
    for (int m = 0; m < rows; m++)
        for (int j = c->n_rigid; j < c->n; j++)
            c->u[m * n + mrn_net_global_unknown(c->net, c->global[j - c->n_rigid])] = null[m][j];
}

int mrn_net_rigid_motions(const mrn_net *net, double *u, char (*what)[64])
{
    candidates c = {.net = net, .u = u};
    double null[MOST][MOST] = {{0}};
    if (net->n == 0)
        return 0;
    collect(&c);
    for (int64_t k = 0; k < net->n_contacts; k++)
        add_contact(&c, k);
    int rows = reduce(&c, null_space(&c, null), null);
    unit_rows(c.n, rows, null);
    for (int m = 0; m < rows; m++)
        name_motion(&c, null[m], what[m]);
    combine(&c, rows, null);
    return rows;
}

/* ---- spheres between two contacts ---- */

bool mrn_net_divalent(const mrn_net *net, int32_t i, const int64_t *contact, int n_contacts,
                      double u[6])
{
    mrn_vec3 point[2];
    if (net->dimension != 3 || !net->rotations || n_contacts != 2 || contact[0] == contact[1])
        return false;
    for (int k = 0; k < 2; k++) {
        const mrn_net_element *c = &net->element[contact[k]];
        if (c->rows > 3) /* moments resist */
            return false;
        point[k] =
            mrn_load3((c->c == i ? net->contact.arm_c : net->contact.arm_a) + 3 * contact[k]);
    }
    mrn_vec3 line = mrn_sub(point[1], point[0]);
    if (!(mrn_norm(line) > 1e-9 * net->length))
        return false;
    mrn_vec3 w = mrn_unit(line), v = mrn_scale(-1, mrn_cross(w, point[0]));
    double l = net->length, size = sqrt(mrn_dot(v, v) + l * l);
    mrn_store3(u, mrn_scale(1 / size, v));
    mrn_store3(u + 3, mrn_scale(l / size, w));
    return true;
}

/* ---- contacts of each node ---- */

static void fill(const mrn_net *net, int64_t *start, int64_t *list)
{
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        start[c->c + 1] += c->c >= 0;
        start[c->a + 1] += c->a >= 0;
    }
    for (int32_t i = 0; i < net->n; i++)
        start[i + 1] += start[i];
    /* start[i] moves to the end of node i while its list is written, and back afterwards */
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        if (c->c >= 0)
            list[start[c->c]++] = k;
        if (c->a >= 0)
            list[start[c->a]++] = k;
    }
    for (int32_t i = net->n; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
}

mrn_status mrn_net_incidence(const mrn_net *net, int64_t **start, int64_t **list, mrn_message *msg)
{
    *start = *list = NULL;
    mrn_status st = mrn_array(start, (int64_t)net->n + 1, sizeof **start, msg);
    if (st == MRN_OK)
        st = mrn_array(list, 2 * net->n_contacts, sizeof **list, msg);
    if (st != MRN_OK) {
        mrn_free(*start);
        *start = NULL;
        return st;
    }
    fill(net, *start, *list);
    return MRN_OK;
}
