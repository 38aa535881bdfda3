/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Export as one table: a row per grain and frame, units in the title_line, numbers that read back
 * exactly. */
#include <string.h>

#include "export/export.h"

static const char title_line[] =
    "time [s],step,id,group,material,radius [m],mass [kg],x [m],y [m],z [m],ix,iy,iz,"
    "vx [m/s],vy [m/s],vz [m/s],qw,qx,qy,qz,wx [rad/s],wy [rad/s],wz [rad/s],"
    "fx [N],fy [N],fz [N],tx [N m],ty [N m],tz [N m],cluster";

/* RFC 4180: a name with a comma, quote or line break is quoted, quotes doubled. */
static void put_name(FILE *out, const char *name)
{
    bool quote = strpbrk(name, ",\"\r\n") != NULL;
    fprintf(out, quote ? ",\"" : ",");
    for (; *name != '\0'; name++)
        fprintf(out, quote && *name == '"' ? "\"%c" : "%c", *name);
    if (quote)
        fprintf(out, "\"");
}

static void put_numbers(FILE *out, const double *v, int n)
{
    char buf[32];
    for (int i = 0; i < n; i++)
        fprintf(out, ",%s", mrn_number_text(v[i], buf));
}

static void put_row(FILE *out, const mrn_header *header, const mrn_frame *f, size_t i,
                    const char *time)
{
    fprintf(out, "%s,%lld,%d", time, (long long)f->step, (int)f->id[i]);
    put_name(out, f->group[i] < header->n_groups ? header->group_name[f->group[i]] : "");
    put_name(out,
             f->material[i] < header->n_materials ? header->material_name[f->material[i]] : "");
    put_numbers(out, f->radius + i, 1);
    put_numbers(out, f->mass + i, 1);
    put_numbers(out, f->x + 3 * i, 3);
    fprintf(out, ",%d,%d,%d", (int)f->image[3 * i], (int)f->image[3 * i + 1],
            (int)f->image[3 * i + 2]);
    put_numbers(out, f->v + 3 * i, 3);
    put_numbers(out, f->q + 4 * i, 4);
    put_numbers(out, f->w + 3 * i, 3);
    put_numbers(out, f->f + 3 * i, 3);
    put_numbers(out, f->t + 3 * i, 3);
    fprintf(out, ",%d", (int)f->parent[i]);
    const mrn_polytope *polytope = mrn_frame_polytope(header, f, (int32_t)i);
    if (header->n_polytopes > 0)
        put_name(out, polytope != NULL ? polytope->name : "");
    fprintf(out, "\n");
}

static void begin(FILE *out, const mrn_header *header)
{
    fprintf(out, "%s%s\n", title_line, header->n_polytopes > 0 ? ",form" : "");
}

static void put_frame(FILE *out, const mrn_header *header, const mrn_frame *f, const int32_t *order)
{
    char time[32];
    mrn_number_text(f->time, time);
    for (int32_t i = 0; i < f->n - f->n_walls; i++)
        put_row(out, header, f, (size_t)order[i], time);
}

static mrn_status write(mrn_trajectory *t, int64_t first, int64_t last, int64_t stride,
                        const char *out_path, mrn_message *msg)
{
    const mrn_export_text how = {begin, put_frame};
    return mrn_export_write_text(&how, t, first, last, stride, out_path, msg);
}

const mrn_export_format mrn_export_csv = {
    .name = "csv",
    .extension = "csv",
    .summary = "one table: a row per grain and frame",
    .doc =
        "One CSV file (RFC 4180) with a header line. A row is one grain at one time; rows are "
        "sorted by "
        "frame, then by id. Units stand in the header; positions are those inside the periodic "
        "cell, "
        "and ix, iy, iz tell how many cells the grain has crossed (unwrapped: x + ix times the "
        "cell's "
        "size; in a cell sheared by xy, xz, yz also x + iy xy + iz xz and y + iz yz). q is the "
        "orientation (w first), w the angular velocity, f and t force and torque. Of a cluster the "
        "spheres are there, and the column cluster holds its number (-1: none). With polygons or "
        "polyhedra in the run a last column, form, names the form of each (empty: sphere or disk); "
        "radius is then that of the sphere (disk) of equal volume, and q turns the form into place "
        "(their corners: export as vtk). "
        "Numbers are written so that they read back exactly. Walls are left out.",
    .write = write,
};
