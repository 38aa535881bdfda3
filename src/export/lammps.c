/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Export as a LAMMPS text dump, which OVITO and many analysis tools read. */
#include "export/export.h"

/* The box of a sheared cell: the bounds of the slanted box along each axis, then its tilt. */
static void put_sheared(FILE *out, double xy, double xz, double yz, const char *const kind[3],
                        double lo[3], double hi[3])
{
    char a[32], b[32], c[32];
    double tilt[3] = {xy, xz, yz};
    lo[0] += fmin(0, xy) + fmin(0, xz);
    hi[0] += fmax(0, xy) + fmax(0, xz);
    lo[1] += fmin(0, yz);
    hi[1] += fmax(0, yz);
    fprintf(out, "ITEM: BOX BOUNDS xy xz yz %s %s %s\n", kind[0], kind[1], kind[2]);
    for (int k = 0; k < 3; k++)
        fprintf(out, "%s %s %s\n", mrn_number_text(lo[k], a), mrn_number_text(hi[k], b),
                mrn_number_text(tilt[k], c));
}

/* Cell where the direction is periodic, else bounds of the grains; in 2D the plane counts as
   periodic across, as LAMMPS wants it. */
static void put_box(FILE *out, const mrn_header *header, const mrn_frame *f)
{
    double lo[3], hi[3];
    char a[32], b[32];
    const char *kind[3];
    mrn_export_bounds(header, f, lo, hi);
    for (int k = 0; k < 3; k++) {
        kind[k] = f->periodic[k] || (header->dimension == 2 && k == 2) ? "pp" : "ff";
        if (f->periodic[k]) {
            lo[k] = f->cell_origin[k];
            hi[k] = lo[k] + f->cell_size[k];
        }
    }
    mrn_vec3 e1 = mrn_frame_edge(f, 1), e2 = mrn_frame_edge(f, 2);
    if (e1.x != 0 || e2.x != 0 || e2.y != 0) {
        put_sheared(out, e1.x, e2.x, e2.y, kind, lo, hi);
        return;
    }
    fprintf(out, "ITEM: BOX BOUNDS %s %s %s\n", kind[0], kind[1], kind[2]);
    for (int k = 0; k < 3; k++)
        fprintf(out, "%s %s\n", mrn_number_text(lo[k], a), mrn_number_text(hi[k], b));
}

static void put_numbers(FILE *out, const double *v, int n)
{
    char buf[32];
    for (int i = 0; i < n; i++)
        fprintf(out, " %s", mrn_number_text(v[i], buf));
}

static void put_grain(FILE *out, const mrn_header *header, const mrn_frame *f, size_t i)
{
    fprintf(out, "%lld %d", (long long)f->id[i] + 1, f->group[i] + 1);
    put_numbers(out, f->x + 3 * i, 3);
    fprintf(out, " %d %d %d", (int)f->image[3 * i], (int)f->image[3 * i + 1],
            (int)f->image[3 * i + 2]);
    put_numbers(out, f->v + 3 * i, 3);
    put_numbers(out, f->w + 3 * i, 3);
    put_numbers(out, f->radius + i, 1);
    put_numbers(out, f->mass + i, 1);
    put_numbers(out, f->f + 3 * i, 3);
    fprintf(out, " %lld", (long long)f->parent[i] + 1);
    if (header->n_polytopes > 0) {
        put_numbers(out, f->q + 4 * i, 4);
        fprintf(out, " %d", mrn_frame_polytope(header, f, (int32_t)i) != NULL ? f->part[i] + 1 : 0);
    }
    fprintf(out, "\n");
}

static void put_frame(FILE *out, const mrn_header *header, const mrn_frame *f, const int32_t *order)
{
    fprintf(out, "ITEM: TIMESTEP\n%lld\nITEM: NUMBER OF ATOMS\n%d\n", (long long)f->step,
            (int)(f->n - f->n_walls));
    put_box(out, header, f);
    fprintf(out,
            "ITEM: ATOMS id type x y z ix iy iz vx vy vz omegax omegay omegaz radius mass "
            "fx fy fz mol%s\n",
            header->n_polytopes > 0 ? " quatw quati quatj quatk form" : "");
    for (int32_t i = 0; i < f->n - f->n_walls; i++)
        put_grain(out, header, f, (size_t)order[i]);
}

static mrn_status write(mrn_trajectory *t, int64_t first, int64_t last, int64_t stride,
                        const char *out_path, mrn_message *msg)
{
    const mrn_export_text how = {.put = put_frame};
    return mrn_export_write_text(&how, t, first, last, stride, out_path, msg);
}

const mrn_export_format mrn_export_lammps = {
    .name = "lammps",
    .extension = "dump",
    .summary = "LAMMPS text dump, for OVITO and analysis tools",
    .doc =
        "One text file in the format of LAMMPS' `dump custom`, SI units, grains sorted by id. "
        "Columns: "
        "id type x y z ix iy iz vx vy vz omegax omegay omegaz radius mass fx fy fz mol. LAMMPS "
        "counts from "
        "one: id is moraine's id plus 1, type the number of the group plus 1, mol the number of "
        "the "
        "cluster plus 1 (0: none). With polygons or polyhedra in the run the orientation "
        "follows, quatw quati quatj quatk, and form, the number of the form plus 1 (0: sphere or "
        "disk); radius is then that of the sphere (disk) of equal volume. The box is the "
        "periodic cell (pp; sheared: with xy xz yz) or the bounds of the grains (ff). The "
        "format knows steps and no time; "
        "where seconds matter use csv, vtk or gsd. Walls are left out.",
    .write = write,
};
