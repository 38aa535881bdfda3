/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motions of the grains of a network as a VTK file, or as JSON for the viewer: mechanisms, unstable
   modes, vibrations. */
#include <stdio.h>
#include <string.h>

#include "export/vtk_xml.h"
#include "moraine/io.h"
#include "moraine/quasistatic.h"

static mrn_status put(FILE *out, const char *name, const char *type, int bytes, int width,
                      int64_t n, const void *data, mrn_message *msg)
{
    mrn_vtk_array a = {name, type, bytes, width, n, data};
    return mrn_vtk_put(out, &a, msg);
}

static mrn_status put_points(FILE *out, const mrn_net *net, int32_t *number, uint8_t *type,
                             mrn_message *msg)
{
    for (int32_t i = 0; i <= net->n; i++)
        number[i] = i;
    memset(type, 1, (size_t)net->n); /* VTK_VERTEX */
    fprintf(out, "<Points>\n");
    mrn_status st = put(out, "Points", "Float64", 8, 3, net->n, net->x, msg);
    fprintf(out, "</Points>\n<Cells>\n");
    if (st == MRN_OK)
        st = put(out, "connectivity", "Int32", 4, 1, net->n, number, msg);
    if (st == MRN_OK)
        st = put(out, "offsets", "Int32", 4, 1, net->n, number + 1, msg);
    if (st == MRN_OK)
        st = put(out, "types", "UInt8", 1, 1, net->n, type, msg);
    fprintf(out, "</Cells>\n");
    return st;
}

/* Displacements and, with rotations, angles times the mean radius. */
static void spread(const mrn_net *net, const double *u, double *go, double *turn)
{
    int D = net->dimension;
    for (int32_t i = 0; i < net->n; i++) {
        const double *d = u + (int64_t)i * net->dofs;
        for (int k = 0; k < 3; k++) {
            go[3 * i + k] = k < D ? d[k] : 0;
            turn[3 * i + k] = !net->rotations ? 0 : D == 3 ? d[3 + k] : k == 2 ? d[2] : 0;
        }
    }
}

static mrn_status put_modes(FILE *out, const mrn_net *net, int n, const double *mode,
                            const char *const *name, double *go, double *turn, mrn_message *msg)
{
    mrn_status st = put(out, "radius", "Float64", 8, 1, net->n, net->radius, msg);
    for (int k = 0; st == MRN_OK && k < n; k++) {
        char label[96];
        spread(net, mode + (int64_t)k * net->n_unknowns, go, turn);
        st = put(out, name[k], "Float64", 8, 3, net->n, go, msg);
        snprintf(label, sizeof label, "%.80s.turn", name[k]);
        if (st == MRN_OK && net->rotations)
            st = put(out, label, "Float64", 8, 3, net->n, turn, msg);
    }
    return st;
}

/* ---- JSON ---- */

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text >= 32)
            fputc(*text, out);
    }
    fputc('"', out);
}

/* {"modes": [{"name": …, "id": [persistent numbers], "u": [x, y, z of each]}]} */
static mrn_status write_json(const char *path, const mrn_net *net, int n, const double *mode,
                             const char *const *name, mrn_message *msg)
{
    mrn_atomic_file file = {0};
    mrn_status st = mrn_atomic_open(path, &file, msg);
    if (st != MRN_OK)
        return st;
    fprintf(file.f, "{\"modes\": [");
    for (int k = 0; k < n; k++) {
        const double *u = mode + (int64_t)k * net->n_unknowns;
        fprintf(file.f, k > 0 ? ",\n{\"name\": " : "\n{\"name\": ");
        put_text(file.f, name[k]);
        fprintf(file.f, ", \"id\": [");
        for (int32_t i = 0; i < net->n; i++)
            fprintf(file.f, i > 0 ? ",%d" : "%d", (int)net->id[i]);
        fprintf(file.f, "], \"u\": [");
        for (int32_t i = 0; i < net->n; i++) {
            const double *d = u + (int64_t)i * net->dofs;
            fprintf(file.f, i > 0 ? ",%.6g,%.6g,%.6g" : "%.6g,%.6g,%.6g", d[0], d[1],
                    net->dimension == 3 ? d[2] : 0);
        }
        fprintf(file.f, "]}");
    }
    fprintf(file.f, "]}\n");
    return mrn_atomic_commit(&file, msg);
}

static bool is_json(const char *path)
{
    size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".json") == 0;
}

mrn_status mrn_modes_write(const char *path, const mrn_net *net, int n, const double *mode,
                           const char *const *name, mrn_message *msg)
{
    if (is_json(path))
        return write_json(path, net, n, mode, name, msg);
    mrn_atomic_file file = {0};
    double *go = NULL, *turn = NULL;
    int32_t *number = NULL;
    uint8_t *type = NULL;
    mrn_status st = mrn_array(&go, 3 * (int64_t)net->n, sizeof *go, msg);
    st = st == MRN_OK ? mrn_array(&turn, 3 * (int64_t)net->n, sizeof *turn, msg) : st;
    st = st == MRN_OK ? mrn_array(&number, (int64_t)net->n + 1, sizeof *number, msg) : st;
    st = st == MRN_OK ? mrn_array(&type, net->n, sizeof *type, msg) : st;
    if (st == MRN_OK)
        st = mrn_atomic_open(path, &file, msg);
    if (st == MRN_OK) {
        mrn_vtk_begin(file.f, "UnstructuredGrid", 0);
        fprintf(file.f, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", (int)net->n,
                (int)net->n);
        st = put_points(file.f, net, number, type, msg);
        fprintf(file.f, "<PointData Scalars=\"radius\">\n");
        if (st == MRN_OK)
            st = put_modes(file.f, net, n, mode, name, go, turn, msg);
        fprintf(file.f, "</PointData>\n</Piece>\n");
        mrn_vtk_end(file.f, "UnstructuredGrid");
        if (st == MRN_OK)
            st = mrn_atomic_commit(&file, msg);
        else
            mrn_atomic_abandon(&file);
    }
    mrn_free(go);
    mrn_free(turn);
    mrn_free(number);
    mrn_free(type);
    return st;
}
