/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disordered packings of disks in equilibrium, without a simulation: a periodic triangular lattice
   with moved centres, whose contacts have random gaps, is pressed without friction until enough of
   them have closed; the closed ones and their forces then become a network with friction. */
#ifndef TEST_QUASISTATIC_PACKING_H
#define TEST_QUASISTATIC_PACKING_H

#include "by_hand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct packing {
    int32_t n;
    int64_t n_contacts;
    double *x, *radius, cell[3];
    hand_contact *contact;
} packing;

static inline void packing_release(packing *p)
{
    free(p->x);
    free(p->radius);
    free(p->contact);
    memset(p, 0, sizeof *p);
}

static inline void packing_lattice(int nx, int ny, double shake, mrn_rng *rng, packing *p)
{
    double high = sqrt(0.75);
    p->n = nx * ny;
    p->cell[0] = nx, p->cell[1] = ny * high, p->cell[2] = 0;
    p->x = calloc(3 * (size_t)p->n, sizeof *p->x);
    p->radius = calloc((size_t)p->n, sizeof *p->radius);
    p->contact = calloc(3 * (size_t)p->n, sizeof *p->contact);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int at = j * nx + i, up = (j + 1) % ny * nx, shift = j % 2;
            double a = mrn_rng_uniform(rng), b = mrn_rng_uniform(rng);
            p->x[3 * at] = i + 0.5 * shift + shake * (a - 0.5);
            p->x[3 * at + 1] = j * high + shake * (b - 0.5);
            p->radius[at] = 0.5;
            int other[3] = {j * nx + (i + 1) % nx, up + (i + shift) % nx,
                            up + (i + shift + nx - 1) % nx};
            for (int l = 0; l < 3; l++)
                p->contact[p->n_contacts++] = (hand_contact){.c = other[l], .a = at};
        }
}

static inline double *packing_load(const mrn_net *net, double xx, double yy)
{
    double *load = calloc((size_t)net->n_unknowns, sizeof *load);
    for (int g = 0; g < net->n_globals; g++) {
        double stress = net->global[g].component == MRN_XX   ? xx
                        : net->global[g].component == MRN_YY ? yy
                                                             : 0;
        load[net->n_unknowns - net->n_globals + g] = -net->volume * stress / net->global[g].scale;
    }
    return load;
}

/* Closed contacts only, and the grains that have some. */
static inline void packing_keep(const double *f, packing *p)
{
    int32_t *node = malloc((size_t)p->n * sizeof *node), n = 0;
    int64_t kept = 0;
    memset(node, -1, (size_t)p->n * sizeof *node);
    for (int64_t k = 0; k < p->n_contacts; k++)
        if (f[k] > 0) {
            p->contact[kept] = p->contact[k];
            p->contact[kept].force[0] = f[k];
            node[p->contact[kept].c] = node[p->contact[kept].a] = 0;
            kept++;
        }
    for (int32_t i = 0; i < p->n; i++)
        if (node[i] == 0) {
            memmove(p->x + 3 * n, p->x + 3 * i, 3 * sizeof *p->x);
            node[i] = n++;
        }
    for (int64_t k = 0; k < kept; k++) {
        p->contact[k].c = node[p->contact[k].c];
        p->contact[k].a = node[p->contact[k].a];
    }
    p->n = n;
    p->n_contacts = kept;
    free(node);
}

/* Pressure 1 (N/m), contacts of kn = 1 when pressed: `looseness` times the mean overlap is the
   largest gap. Afterwards kn, kt and friction are set. */
static inline mrn_status packing_make(int nx, int ny, double looseness, double friction, double kn,
                                      double kt, uint64_t seed, packing *p, mrn_message *msg)
{
    mrn_rng rng = mrn_rng_seed(seed, 0);
    mrn_net net = {0};
    mrn_path *path = NULL;
    memset(p, 0, sizeof *p);
    packing_lattice(nx, ny, 0.2, &rng, p);
    for (int64_t k = 0; k < p->n_contacts; k++)
        p->contact[k].kn = 1;
    mrn_status s = hand_make(2, p->n, p->x, p->radius, p->n_contacts, p->contact, p->cell, NULL,
                             true, &net, msg);
    for (int64_t k = 0; s >= 0 && k < net.n_contacts; k++)
        net.contact.gap[k] = looseness * 0.5 * mrn_rng_uniform(&rng);
    mrn_path_options opt = mrn_path_default();
    opt.tolerance = 1e-10;
    if (s >= 0)
        s = mrn_path_create(&net, &opt, &path, msg);
    /* all contacts close under a large pressure, and open again one by one as it falls */
    double high = 1 + 4 * looseness;
    double *load = s >= 0 ? packing_load(&net, high, high) : NULL;
    if (s >= 0)
        s = mrn_path_step(path, load, NULL, NULL, msg);
    for (int64_t i = 0; s == MRN_OK && i < net.n_unknowns; i++)
        load[i] *= (1 - high) / high;
    if (s == MRN_OK)
        s = mrn_path_step(path, load, NULL, NULL, msg);
    if (s == MRN_OK)
        packing_keep(mrn_path_facts_of(path).force, p);
    for (int64_t k = 0; k < p->n_contacts; k++) {
        p->contact[k].kn = kn;
        p->contact[k].kt = kt;
        p->contact[k].friction = friction;
    }
    free(load);
    mrn_path_destroy(&path);
    mrn_net_release(&net);
    return s;
}

#endif
