/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads contact problems in the FCLIB format: finds out the form, reads the local ones here; the
   global ones are read in fclib_global.c, text in fclib_dat.c. libfclib itself is not used: it ends
   the process at a damaged file. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fclib/fclib.h"

static const mrn_fclib_form forms[MRN_FCLIB_FORMS] = {
    {"/fclib_local", "local", false, false},
    {"/fclib_global", "global", true, false},
    {"/fclib_local_rolling", "local rolling", false, true},
    {"/fclib_global_rolling", "global rolling", true, true},
};

const mrn_fclib_form *mrn_fclib_form_of(bool global, bool rolling)
{
    return &forms[(global ? 1 : 0) + (rolling ? 2 : 0)];
}

void mrn_fclib_remark(mrn_fclib_notes *notes, const char *fmt, ...)
{
    size_t used = strlen(notes->remark), left = sizeof notes->remark - used;
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (strlen(text) + 3 < left) /* whole sentences or none */
        snprintf(notes->remark + used, left, "%s%s", used > 0 ? "; " : "", text);
}

void mrn_fclib_notes_release(mrn_fclib_notes *notes)
{
    if (notes == NULL)
        return;
    mrn_free(notes->guess);
    mrn_free(notes->answer);
    *notes = (mrn_fclib_notes){0};
}

/* ---- what all forms have ---- */

static mrn_contact_kind kind_of(const mrn_fclib_form *form, int spacedim)
{
    if (form->rolling)
        return spacedim == 3   ? MRN_CONTACT_2D_ROLLING
               : spacedim == 5 ? MRN_CONTACT_3D_ROLLING
                               : MRN_CONTACT_KINDS;
    return spacedim == 2 ? MRN_CONTACT_2D : spacedim == 3 ? MRN_CONTACT_3D : MRN_CONTACT_KINDS;
}

void mrn_fclib_begin_problem(mrn_h5 *h, const mrn_fclib_form *form, int64_t m, const char *matrix,
                             mrn_problem *p)
{
    mrn_fclib_name name = mrn_fclib_join(form->group, "spacedim");
    int d = mrn_fclib_int(h, name.text);
    mrn_contact_kind kind = kind_of(form, d);
    if (h->status == MRN_OK && kind == MRN_CONTACT_KINDS)
        mrn_fclib_refuse(h, name.text, form->rolling ? "3 or 5" : "2 or 3", "is %d", d);
    if (h->status == MRN_OK && (m <= 0 || m % d != 0))
        mrn_fclib_refuse(h, mrn_fclib_join(form->group, matrix).text, NULL,
                         m <= 0 ? "has no contacts (%lld numbers)"
                                : "has %lld numbers: not a multiple of spacedim = %d",
                         (long long)m, d);
    if (h->status == MRN_OK &&
        mrn_fclib_expect(h, mrn_fclib_join(form->group, "vectors/mu").text, m / d))
        h->status = mrn_problem_create(kind, (int)(m / d), p, h->msg);
}

static void read_coefficients(mrn_h5 *h, const mrn_fclib_form *form, const char *vector,
                              mrn_problem *p, int group)
{
    mrn_fclib_name name = mrn_fclib_join(form->group, vector);
    if (h->status == MRN_OK)
        mrn_fclib_reals(h, name.text, p->n, p->mu[group]);
    for (int k = 0; h->status == MRN_OK && k < p->n; k++)
        if (p->mu[group][k] < 0)
            mrn_fclib_refuse(h, name.text, ">= 0", "entry %d is %g", k, p->mu[group][k]);
}

void mrn_fclib_read_friction(mrn_h5 *h, const mrn_fclib_form *form, mrn_problem *p)
{
    read_coefficients(h, form, "vectors/mu", p, MRN_SLIDING);
    if (form->rolling)
        read_coefficients(h, form, "vectors/mu_r", p, MRN_ROLLING);
}

static void read_info(mrn_h5 *h, const mrn_fclib_form *form, mrn_problem *p, mrn_fclib_notes *notes)
{
    mrn_fclib_text(h, mrn_fclib_join(form->group, "info/title").text, p->title, sizeof p->title);
    mrn_fclib_text(h, mrn_fclib_join(form->group, "info/description").text, p->description,
                   sizeof p->description);
    mrn_fclib_text(h, mrn_fclib_join(form->group, "info/math_info").text, notes->math_info,
                   sizeof notes->math_info);
}

static bool all_zero(int64_t n, const double *x)
{
    for (int64_t k = 0; k < n; k++)
        if (x[k] != 0)
            return false;
    return true;
}

/* Impulses; none are as good as zeros, which published files hold by mistake. */
static void read_impulses(mrn_h5 *h, const char *name, const mrn_problem *p, double **slot,
                          mrn_fclib_notes *notes)
{
    if (!mrn_fclib_has(h, name))
        return;
    int64_t n = (int64_t)p->n * mrn_contact_layout_of(p->kind)->block;
    mrn_fclib_expect(h, name, n);
    mrn_h5_room(h, slot, n, sizeof **slot);
    if (h->status == MRN_OK)
        mrn_fclib_reals(h, name, n, *slot);
    if (h->status == MRN_OK && all_zero(n, *slot)) {
        mrn_free(*slot);
        *slot = NULL;
        mrn_fclib_remark(notes, "%s is all zero and was left out", name);
    }
}

static void read_answers(mrn_h5 *h, const mrn_problem *p, mrn_fclib_notes *notes)
{
    if (mrn_fclib_has(h, "/guesses/number_of_guesses") &&
        mrn_fclib_int(h, "/guesses/number_of_guesses") > 0)
        read_impulses(h, "/guesses/1/r", p, &notes->guess, notes);
    read_impulses(h, "/solution/r", p, &notes->answer, notes);
}

/* ---- local forms ---- */

static void check_constraints(mrn_h5 *h, const mrn_fclib_form *form, const mrn_fclib_matrix *W,
                              const mrn_fclib_matrix *V, const mrn_fclib_matrix *R)
{
    if (h->status == MRN_OK && R->m != R->n)
        mrn_fclib_refuse(h, mrn_fclib_join(form->group, "R").text, "a square matrix", "is %d x %d",
                         (int)R->m, (int)R->n);
    if (h->status == MRN_OK && (V->m != W->m || V->n != R->m))
        mrn_fclib_refuse(h, mrn_fclib_join(form->group, "V").text,
                         "as many rows as W, as many columns as R", "is %d x %d", (int)V->m,
                         (int)V->n);
}

/* Vᵀ r + R λ + s = 0 and u = W r + V λ + q without λ: W - V R⁻¹ Vᵀ and q - V R⁻¹ s. */
static void eliminate(mrn_h5 *h, const mrn_fclib_form *form, mrn_fclib_matrix *W, double *q,
                      mrn_fclib_notes *notes)
{
    mrn_fclib_name v = mrn_fclib_join(form->group, "V"), r = mrn_fclib_join(form->group, "R"),
                   b = mrn_fclib_join(form->group, "vectors/s");
    mrn_fclib_matrix V = {0}, R = {0};
    double *s = NULL;
    if (!mrn_fclib_has(h, v.text) && !mrn_fclib_has(h, r.text))
        return;
    mrn_fclib_read_matrix(h, v.text, &V);
    mrn_fclib_read_matrix(h, r.text, &R);
    check_constraints(h, form, W, &V, &R);
    if (h->status == MRN_OK && R.m > 0 && mrn_fclib_expect(h, b.text, R.m)) {
        mrn_h5_room(h, &s, R.m, sizeof *s);
        if (h->status == MRN_OK)
            mrn_fclib_reals(h, b.text, R.m, s);
        if (h->status == MRN_OK)
            h->status = mrn_fclib_condense(&R, &V, s, -1, r.text, W, q, h->msg);
        if (h->status == MRN_ERR_INPUT)
            mrn_fail_at(h->msg, h->path, 0, 0);
        notes->condensed = true;
    }
    mrn_free(s);
    mrn_fclib_matrix_release(&V);
    mrn_fclib_matrix_release(&R);
}

static void read_local(mrn_h5 *h, const mrn_fclib_form *form, mrn_problem *p,
                       mrn_fclib_notes *notes)
{
    mrn_fclib_name w = mrn_fclib_join(form->group, "W");
    mrn_fclib_matrix W = {0};
    mrn_fclib_read_matrix(h, w.text, &W);
    if (h->status == MRN_OK && W.m != W.n)
        mrn_fclib_refuse(h, w.text, "a square matrix", "is %d x %d", (int)W.m, (int)W.n);
    mrn_fclib_begin_problem(h, form, W.m, "W/m", p);
    if (h->status == MRN_OK)
        mrn_fclib_reals(h, mrn_fclib_join(form->group, "vectors/q").text, W.m, p->q);
    mrn_fclib_read_friction(h, form, p);
    if (h->status == MRN_OK)
        eliminate(h, form, &W, p->q, notes);
    if (h->status == MRN_OK) {
        int b = mrn_contact_layout_of(p->kind)->block;
        h->status = mrn_fclib_blocks(p->n, b, &W, &p->W, h->msg);
        if (W.triplet)
            mrn_fclib_remark(notes, "W is stored as triplets: i taken as rows, p as columns");
    }
    mrn_fclib_matrix_release(&W);
}

/* ---- the file ---- */

static const mrn_fclib_form *find_form(mrn_h5 *h, mrn_fclib_notes *notes)
{
    const mrn_fclib_form *found = NULL;
    for (int k = 0; k < MRN_FCLIB_FORMS; k++)
        if (mrn_fclib_has(h, forms[k].group)) {
            if (found != NULL)
                mrn_fclib_remark(notes, "%s is there too and was not read", forms[k].group);
            else
                found = &forms[k];
        }
    if (found == NULL)
        mrn_fclib_refuse(h, "/", "a group /fclib_local or /fclib_global (or _rolling)",
                         "not a contact problem");
    return found;
}

static mrn_status read_hdf5(const char *path, mrn_problem *p, mrn_fclib_notes *notes,
                            mrn_message *msg)
{
    mrn_h5 h = {.file = -1};
    mrn_status heaps = mrn_fclib_check_heaps(path, msg);
    if (heaps != MRN_OK)
        return heaps;
    mrn_h5_begin(&h, msg);
    mrn_h5_open(&h, path, "contact problem", false);
    const mrn_fclib_form *form = h.status == MRN_OK ? find_form(&h, notes) : NULL;
    if (form != NULL) {
        notes->form = form->name;
        if (form->global)
            mrn_fclib_read_global(&h, form, p, notes);
        else
            read_local(&h, form, p, notes);
        if (h.status == MRN_OK) {
            read_info(&h, form, p, notes);
            read_answers(&h, p, notes);
        }
    }
    mrn_h5_close(&h);
    return mrn_h5_end(&h);
}

/* A file of Siconos begins with a small number, the dimension. */
static bool looks_like_text(const char *head, size_t n)
{
    size_t k = 0;
    while (k < n && isspace((unsigned char)head[k]))
        k++;
    if (k == n || (head[k] != '2' && head[k] != '3'))
        return false;
    for (; k < n; k++)
        if (!isspace((unsigned char)head[k]) && !isprint((unsigned char)head[k]))
            return false;
    return true;
}

enum { FILE_HDF5, FILE_TEXT };

static mrn_status find_format(const char *path, int *format, mrn_message *msg)
{
    char head[64];
    FILE *f = mrn_open_input(path);
    if (f == NULL)
        return mrn_fail_file(msg, path, "cannot open", errno);
    errno = 0;
    size_t n = fread(head, 1, sizeof head, f);
    int error = ferror(f) ? errno : 0;
    fclose(f);
    if (error != 0)
        return mrn_fail_file(msg, path, "cannot read", error);
    if (looks_like_text(head, n)) {
        *format = FILE_TEXT;
        return MRN_OK;
    }
    mrn_h5 h = {.file = -1};
    mrn_h5_begin(&h, msg);
    bool hdf5 = H5Fis_hdf5(path) > 0;
    mrn_h5_end(&h);
    *format = FILE_HDF5;
    if (hdf5)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_IO, "not an HDF5 file");
    mrn_fail_at(msg, path, 0, 0);
    mrn_fail_expected(msg, "a contact problem in the FCLIB format (HDF5) or as text of Siconos");
    return MRN_ERR_IO;
}

mrn_status mrn_fclib_read(const char *path, mrn_problem *out, mrn_fclib_notes *notes,
                          mrn_message *msg)
{
    mrn_fclib_notes found = {0};
    int format = FILE_HDF5;
    *out = (mrn_problem){0};
    if (notes != NULL)
        *notes = (mrn_fclib_notes){0};
    mrn_status st = find_format(path, &format, msg);
    if (st == MRN_OK)
        st = format == FILE_TEXT ? mrn_fclib_read_dat(path, out, &found, msg)
                                 : read_hdf5(path, out, &found, msg);
    if (st != MRN_OK)
        mrn_problem_release(out);
    if (st == MRN_OK && notes != NULL)
        *notes = found;
    else
        mrn_fclib_notes_release(&found);
    return st;
}
