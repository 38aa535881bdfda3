/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes contact problems in the FCLIB format: plain lists without filters, W by rows, M and H as
   triplets, so that fclib and Siconos read them. What the format does not know, cohesion, is
   absorbed: with r' = r + c in the normal, u = W r' + (q - W c). Bilateral contacts are the
   constraints V, R, s of the local form. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fclib/fclib.h"

/* One write: the problem, the form, and what is computed on the way. */
typedef struct job {
    mrn_h5 h;
    const mrn_problem *p;
    const mrn_fclib_save *save;
    const mrn_fclib_form *form;
    int b;         /* numbers per contact */
    int64_t m;     /* numbers of all contacts */
    mrn_bsr W;     /* computed here when the problem has none and the form wants it */
    double *shift; /* c in the normals, else 0; NULL without cohesion */
    double *q, *r, *u, *v;
    mrn_fclib_split split; /* contacts and constraints */
    double *part;          /* numbers of one of them   */
} job;

static bool working(const job *j)
{
    return j->h.status == MRN_OK;
}

static void job_release(job *j)
{
    mrn_bsr_release(&j->W);
    mrn_free(j->shift);
    mrn_free(j->q);
    mrn_free(j->r);
    mrn_free(j->u);
    mrn_free(j->v);
    mrn_free(j->part);
    mrn_fclib_split_release(&j->split);
}

/* ---- what can be written ---- */

static mrn_status check_law(const mrn_problem *p, bool global, mrn_message *msg)
{
    int bilateral = 0;
    if (p->kind == MRN_CONTACT_3D_PIVOTING)
        return mrn_fail(msg, MRN_ERR_INPUT, "pivoting friction is not known to the FCLIB format");
    for (int k = 0; p->law != NULL && k < p->n; k++) {
        bilateral += p->law[k] == MRN_BILATERAL;
        if (global && bilateral > 0) {
            mrn_fail(msg, MRN_ERR_INPUT, "contact %d is bilateral: not written in the global form",
                     k);
            return mrn_fail_hint(msg, "write the local form");
        }
    }
    return bilateral < p->n ? MRN_OK
                            : mrn_fail(msg, MRN_ERR_INPUT,
                                       "all contacts are bilateral: there is "
                                       "no contact problem to write");
}

static bool all_finite(int64_t n, const double *x)
{
    for (int64_t k = 0; x != NULL && k < n; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

static bool finite_blocks(const mrn_bsr *a)
{
    return a->rows == 0 || all_finite(a->start[a->rows] * a->br * a->bc, a->value);
}

static mrn_status check_numbers(const mrn_problem *p, const mrn_fclib_save *save, mrn_message *msg)
{
    int64_t n = p->n, m = n * mrn_contact_layout_of(p->kind)->block;
    const char *bad = NULL;
    if (!all_finite(m, p->q))
        bad = "q";
    else if (!all_finite(n, p->mu[MRN_SLIDING]) || !all_finite(n, p->mu[MRN_ROLLING]))
        bad = "mu";
    else if (!all_finite(n, p->cohesion))
        bad = "cohesion";
    else if (!finite_blocks(&p->W) || !finite_blocks(&p->Ht))
        bad = p->W.rows > 0 ? "W" : "H";
    else if (!all_finite((int64_t)p->Ht.cols * p->Ht.bc * p->Ht.bc, p->minv))
        bad = "M";
    else if (!all_finite(m, save->guess) || !all_finite(m, save->answer))
        bad = "r";
    return bad == NULL ? MRN_OK
                       : mrn_fail(msg, MRN_ERR_INPUT, "%s has numbers that are not finite", bad);
}

static mrn_status check(const mrn_problem *p, const mrn_fclib_save *save, mrn_message *msg)
{
    int b = mrn_contact_layout_of(p->kind)->block;
    bool bodies = p->Ht.rows > 0 && p->minv != NULL;
    if (p->n < 1)
        return mrn_fail(msg, MRN_ERR_INPUT, "a problem without contacts cannot be written");
    if (save->global && !bodies)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "the global form needs H and M, the problem has only W");
    if (!bodies && p->W.rows == 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "the problem has neither W nor H and M");
    if ((p->W.rows > 0 &&
         (p->W.rows != p->n || p->W.cols != p->n || p->W.br != b || p->W.bc != b)) ||
        (bodies && (p->Ht.rows != p->n || p->Ht.br != b)))
        return mrn_fail(msg, MRN_ERR_INPUT, "W or H does not fit %d contacts", p->n);
    if (save->global && p->Ht.bc > MRN_CONTACT_BLOCK_MAX)
        return mrn_fail(msg, MRN_ERR_INPUT, "the global form knows bodies of 6 numbers at most");
    mrn_status st = check_law(p, save->global, msg);
    return st == MRN_OK ? check_numbers(p, save, msg) : st;
}

/* ---- numbers computed for the file ---- */

/* v = M⁻¹ H r; v has dof numbers per body */
static void velocity_of_bodies(const mrn_problem *p, const double *r, double *v)
{
    const mrn_bsr *a = &p->Ht;
    int b = a->br, dof = a->bc;
    double g[MRN_CONTACT_BLOCK_MAX];
    memset(v, 0, (size_t)a->cols * (size_t)dof * sizeof *v);
    for (int i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            for (int c = 0; c < dof; c++)
                for (int s = 0; s < b; s++)
                    v[(int64_t)a->col[k] * dof + c] +=
                        a->value[(k * dof + c) * b + s] * r[(int64_t)i * b + s];
    for (int body = 0; body < a->cols; body++) {
        double *x = v + (int64_t)body * dof;
        memcpy(g, x, (size_t)dof * sizeof *g);
        memset(x, 0, (size_t)dof * sizeof *x);
        for (int c = 0; c < dof; c++)
            for (int s = 0; s < dof; s++)
                x[s] += p->minv[((int64_t)body * dof + c) * dof + s] * g[c];
    }
}

/* y = W r, by the blocks that go into the file */
static void times(job *j, const double *r, double *y)
{
    if (j->form->global) {
        velocity_of_bodies(j->p, r, j->v);
        mrn_bsr_times(&j->p->Ht, j->v, false, y);
    } else {
        mrn_bsr_times(j->p->W.rows > 0 ? &j->p->W : &j->W, r, false, y);
    }
}

/* W, when the local form is wanted of a problem that has only bodies. */
static void assemble(job *j)
{
    if (j->form->global || j->p->W.rows > 0 || !working(j))
        return;
    mrn_problem copy = {0};
    j->h.status = mrn_problem_copy(j->p, &copy, j->h.msg);
    if (working(j))
        j->h.status = mrn_problem_assemble(&copy, j->h.msg);
    j->W = copy.W;
    copy.W = (mrn_bsr){0};
    mrn_problem_release(&copy);
}

static void prepare(job *j)
{
    const mrn_problem *p = j->p;
    assemble(j);
    mrn_h5_room(&j->h, &j->q, j->m, sizeof *j->q);
    mrn_h5_room(&j->h, &j->r, j->m, sizeof *j->r);
    mrn_h5_room(&j->h, &j->u, j->m, sizeof *j->u);
    mrn_h5_room(&j->h, &j->v, (int64_t)p->Ht.cols * p->Ht.bc, sizeof *j->v);
    mrn_h5_room(&j->h, &j->part, j->m, sizeof *j->part);
    if (working(j))
        j->h.status = mrn_fclib_split_make(p, &j->split, j->h.msg);
    if (p->cohesion != NULL)
        mrn_h5_room(&j->h, &j->shift, j->m, sizeof *j->shift);
    if (!working(j))
        return;
    memcpy(j->q, p->q, (size_t)j->m * sizeof *j->q);
    if (j->shift == NULL || p->cohesion == NULL)
        return;
    for (int k = 0; k < p->n; k++)
        j->shift[(int64_t)k * j->b] = p->cohesion[k];
    times(j, j->shift, j->u);
    for (int64_t k = 0; k < j->m; k++)
        j->q[k] -= j->u[k];
}

/* ---- datasets ---- */

static void group(job *j, const char *name)
{
    mrn_h5_leave(mrn_h5_make_group(&j->h, j->h.file, name));
}

static void put(job *j, const char *name, hid_t type, hid_t stored, hid_t space, const void *data)
{
    if (!working(j))
        return;
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(dcpl, false); /* the same problem, the same bytes */
    hid_t d = H5Dcreate2(j->h.file, name, stored, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (d < 0 || H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        mrn_h5_fail(&j->h, "cannot write", name);
    if (d >= 0 && H5Dclose(d) < 0)
        mrn_h5_fail(&j->h, "cannot write", name);
    H5Pclose(dcpl);
}

static void put_list(job *j, const char *at, const char *name, bool real, int64_t n,
                     const void *data)
{
    hid_t space = H5Screate_simple(1, (hsize_t[1]){(hsize_t)n}, NULL);
    put(j, mrn_fclib_join(at, name).text, real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32,
        real ? H5T_IEEE_F64LE : H5T_STD_I32LE, space, data);
    H5Sclose(space);
}

/* Of a list over all contacts those of one law, `width` numbers each. */
static void put_part(job *j, const char *at, const char *name, int law, int width,
                     const double *all)
{
    if (!working(j))
        return;
    int64_t n = mrn_fclib_split_numbers(&j->split, law, j->p->n, width, all, j->part);
    put_list(j, at, name, true, n, j->part);
}

static void put_int(job *j, const char *at, const char *name, int32_t value)
{
    put_list(j, at, name, false, 1, &value);
}

static void put_text(job *j, const char *name, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    put(j, mrn_fclib_join(j->form->group, name).text, type, type, space, text);
    H5Sclose(space);
    H5Tclose(type);
}

/* ---- matrices ---- */

static void put_matrix(job *j, const char *name, int64_t m, int64_t n, int64_t nnz, bool triplet,
                       const int32_t *p, const int32_t *i, const double *x)
{
    mrn_fclib_name at = mrn_fclib_join(j->form->group, name);
    group(j, at.text);
    put_int(j, at.text, "nzmax", (int32_t)nnz);
    put_int(j, at.text, "m", (int32_t)m);
    put_int(j, at.text, "n", (int32_t)n);
    put_int(j, at.text, "nz", triplet ? (int32_t)nnz : -2);
    put_list(j, at.text, "p", false, triplet ? nnz : m + 1, p);
    put_list(j, at.text, "i", false, nnz, i);
    put_list(j, at.text, "x", true, nnz, x);
}

static bool countable(job *j, const char *name, int64_t m, int64_t nnz)
{
    if (working(j) && (m >= INT32_MAX || nnz > INT32_MAX))
        j->h.status = mrn_fail(j->h.msg, MRN_ERR_INPUT,
                               "%s is too large for the 32-bit indices of the FCLIB format", name);
    return working(j);
}

/* Whole blocks, row by row; the columns of a row ascend. */
static void put_rows(job *j, const char *name, const mrn_bsr *a)
{
    int64_t area = (int64_t)a->br * a->bc, nnz = a->start[a->rows] * area, at = 0;
    int32_t *p = NULL, *i = NULL;
    double *x = NULL;
    if (!countable(j, name, (int64_t)a->rows * a->br, nnz))
        return;
    mrn_h5_room(&j->h, &p, (int64_t)a->rows * a->br + 1, sizeof *p);
    mrn_h5_room(&j->h, &i, nnz, sizeof *i);
    mrn_h5_room(&j->h, &x, nnz, sizeof *x);
    for (int row = 0; working(j) && row < a->rows; row++)
        for (int s = 0; s < a->br; s++) {
            for (int64_t k = a->start[row]; k < a->start[row + 1]; k++)
                for (int c = 0; c < a->bc; c++, at++) {
                    i[at] = a->col[k] * a->bc + c;
                    x[at] = a->value[k * area + c * a->br + s];
                }
            p[row * a->br + s + 1] = (int32_t)at;
        }
    if (working(j))
        put_matrix(j, name, (int64_t)a->rows * a->br, (int64_t)a->cols * a->bc, nnz, false, p, i,
                   x);
    mrn_free(p);
    mrn_free(i);
    mrn_free(x);
}

/* W of the contacts; of the constraints V and R. */
static void put_local(job *j)
{
    static const struct {
        const char *name;
        int rows, cols;
    } part[] = {{"W", MRN_UNILATERAL, MRN_UNILATERAL},
                {"V", MRN_UNILATERAL, MRN_BILATERAL},
                {"R", MRN_BILATERAL, MRN_BILATERAL}};
    const mrn_bsr *W = j->p->W.rows > 0 ? &j->p->W : &j->W;
    if (working(j) && j->split.n[MRN_BILATERAL] == 0)
        put_rows(j, "W", W);
    for (int k = 0; working(j) && j->split.n[MRN_BILATERAL] > 0 && k < 3; k++) {
        mrn_bsr a = {0};
        j->h.status =
            mrn_fclib_split_blocks(&j->split, W, part[k].rows, part[k].cols, &a, j->h.msg);
        if (working(j))
            put_rows(j, part[k].name, &a);
        mrn_bsr_release(&a);
    }
}

static void put_triplets(job *j, const char *name, const mrn_fclib_matrix *a)
{
    if (countable(j, name, a->m, a->nnz))
        put_matrix(j, name, a->m, a->n, a->nnz, true, a->col, a->row, a->x);
}

static void put_mass(job *j)
{
    const mrn_problem *p = j->p;
    int dof = p->Ht.bc;
    double block[36];
    mrn_fclib_matrix M = {.m = p->Ht.cols * dof, .n = p->Ht.cols * dof};
    if (working(j))
        j->h.status = mrn_fclib_matrix_room(&M, (int64_t)M.n * dof, j->h.msg);
    for (int body = 0; working(j) && body < p->Ht.cols; body++) {
        if (!mrn_fclib_invert(dof, p->minv + (int64_t)body * dof * dof, block)) {
            j->h.status = mrn_fail(j->h.msg, MRN_ERR_INPUT, "body %d has no finite mass", body);
            mrn_fail_hint(j->h.msg, "write the local form");
        }
        for (int c = 0; c < dof; c++)
            for (int s = 0; working(j) && s < dof; s++)
                j->h.status = mrn_fclib_matrix_add(&M, body * dof + s, body * dof + c,
                                                   block[c * dof + s], j->h.msg);
    }
    put_triplets(j, "M", &M);
    mrn_fclib_matrix_release(&M);
}

static void put_h(job *j)
{
    const mrn_bsr *a = &j->p->Ht;
    mrn_fclib_matrix H = {.m = a->cols * a->bc, .n = a->rows * a->br};
    if (working(j))
        j->h.status = mrn_fclib_matrix_room(&H, a->start[a->rows] * a->br * a->bc, j->h.msg);
    for (int row = 0; row < a->rows; row++)
        for (int64_t k = a->start[row]; k < a->start[row + 1]; k++)
            for (int c = 0; c < a->bc; c++)
                for (int s = 0; working(j) && s < a->br; s++)
                    j->h.status =
                        mrn_fclib_matrix_add(&H, a->col[k] * a->bc + c, row * a->br + s,
                                             a->value[(k * a->bc + c) * a->br + s], j->h.msg);
    put_triplets(j, "H", &H);
    mrn_fclib_matrix_release(&H);
}

/* ---- the file ---- */

/* Free velocities stand in w, so that q comes back bit by bit; f is zero. */
static void put_vectors(job *j)
{
    const mrn_problem *p = j->p;
    mrn_fclib_name at = mrn_fclib_join(j->form->group, "vectors");
    group(j, at.text);
    if (j->form->global && working(j)) {
        int64_t n = (int64_t)p->Ht.cols * p->Ht.bc;
        memset(j->v, 0, (size_t)n * sizeof *j->v);
        put_list(j, at.text, "f", true, n, j->v);
    }
    put_part(j, at.text, j->form->global ? "w" : "q", MRN_UNILATERAL, j->b, j->q);
    put_part(j, at.text, "mu", MRN_UNILATERAL, 1, p->mu[MRN_SLIDING]);
    if (j->form->rolling)
        put_part(j, at.text, "mu_r", MRN_UNILATERAL, 1, p->mu[MRN_ROLLING]);
    if (working(j) && j->split.n[MRN_BILATERAL] > 0)
        put_part(j, at.text, "s", MRN_BILATERAL, j->b, j->q);
}

static void put_info(job *j)
{
    char text[sizeof j->p->description + 128];
    snprintf(text, sizeof text, "%s%s%s", j->p->description,
             j->shift != NULL && j->p->description[0] != '\0' ? " " : "",
             j->shift != NULL ? "(cohesion c is absorbed in q: the normal impulse of this problem "
                                "is r_N + c)"
                              : "");
    group(j, mrn_fclib_join(j->form->group, "info").text);
    put_text(j, "info/title", j->p->title);
    put_text(j, "info/description", text);
    put_text(j, "info/math_info", j->save->math_info);
}

/* Impulses with their velocities. */
static void put_impulses(job *j, const char *at, const double *r)
{
    group(j, at);
    if (!working(j))
        return;
    for (int64_t k = 0; k < j->m; k++)
        j->r[k] = r[k] + (j->shift != NULL ? j->shift[k] : 0);
    times(j, j->r, j->u);
    for (int64_t k = 0; k < j->m; k++)
        j->u[k] += j->q[k];
    if (j->form->global)
        put_list(j, at, "v", true, (int64_t)j->p->Ht.cols * j->p->Ht.bc, j->v);
    put_part(j, at, "u", MRN_UNILATERAL, j->b, j->u);
    put_part(j, at, "r", MRN_UNILATERAL, j->b, j->r);
    if (j->split.n[MRN_BILATERAL] > 0)
        put_part(j, at, "l", MRN_BILATERAL, j->b, j->r);
}

static void put_problem(job *j)
{
    group(j, j->form->group);
    put_int(j, j->form->group, "spacedim", j->b);
    if (j->form->global) {
        put_mass(j);
        put_h(j);
    } else {
        put_local(j);
    }
    put_vectors(j);
    put_info(j);
    if (j->save->guess != NULL) {
        group(j, "/guesses");
        put_int(j, "/guesses", "number_of_guesses", 1);
        put_impulses(j, "/guesses/1", j->save->guess);
    }
    if (j->save->answer != NULL)
        put_impulses(j, "/solution", j->save->answer);
}

static mrn_status write_to(const char *part, const mrn_problem *p, const mrn_fclib_save *save,
                           mrn_message *msg)
{
    bool rolling = p->kind == MRN_CONTACT_2D_ROLLING || p->kind == MRN_CONTACT_3D_ROLLING;
    int b = mrn_contact_layout_of(p->kind)->block;
    job j = {.h = {.file = -1},
             .p = p,
             .save = save,
             .b = b,
             .m = (int64_t)p->n * b,
             .form = mrn_fclib_form_of(save->global, rolling)};
    mrn_h5_begin(&j.h, msg);
    prepare(&j);
    mrn_h5_create(&j.h, part, "contact problem", 0);
    put_problem(&j);
    mrn_h5_close(&j.h);
    job_release(&j);
    return mrn_h5_end(&j.h);
}

static mrn_status refuse_existing(const char *path, mrn_message *msg)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return MRN_OK;
    mrn_fail_file(msg, path, "not overwritten", EEXIST);
    mrn_fail_hint(msg, "choose another name, or allow overwriting (--overwrite of the command)");
    return MRN_ERR_IO;
}

mrn_status mrn_fclib_write(const char *path, const mrn_problem *p, const mrn_fclib_save *save,
                           mrn_message *msg)
{
    const mrn_fclib_save plain = {0};
    mrn_atomic_file file;
    save = save != NULL ? save : &plain;
    mrn_status st = check(p, save, msg);
    if (st == MRN_OK && !save->overwrite)
        st = refuse_existing(path, msg);
    if (st != MRN_OK)
        return st;
    st = mrn_atomic_open(path, &file, msg);
    if (st != MRN_OK)
        return st;
    /* the open file holds the name and is synced at the end; HDF5 writes to it by its name */
    if (file.part[0] == '\0')
        st = mrn_fail_file(msg, path, "an HDF5 file cannot be written to a device", ESPIPE);
    if (st == MRN_OK)
        st = write_to(file.part, p, save, msg);
    if (st == MRN_OK)
        return mrn_atomic_commit(&file, msg);
    mrn_atomic_abandon(&file);
    return st;
}
