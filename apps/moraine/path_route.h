/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a list of --path means for a network: which of its globals are driven, free, held. */
#ifndef MORAINE_PATH_ROUTE_H
#define MORAINE_PATH_ROUTE_H

#include "analyze.h"

typedef enum mrn_role {
    MRN_ROLE_LOADED,   /* its stress (or load) changes      */
    MRN_ROLE_STRAINED, /* its strain changes as imposed        */
    MRN_ROLE_FREE,     /* its stress (or load) stays        */
    MRN_ROLE_HELD,     /* its strain stays                  */
} mrn_role;

typedef struct mrn_way {
    char name[MRN_NAME]; /* "yy", "top"                                          */
    bool wall;
    int component; /* of the cell: MRN_XX … MRN_YZ                               */
    mrn_role role;
    double rate;        /* per unit of the parameter                             */
    int at;             /* its number among the globals that stay; -1: held      */
    double scale;       /* of the unknown                                        */
    double load, slope; /* N, and per unit of the parameter                      */
} mrn_way;

typedef struct mrn_route {
    int n;
    mrn_way *way;          /* one per global, in their order        */
    const mrn_way *driven; /* the first of the list that changes */
    bool by_strain;        /* the parameter is a strain             */
    double pressure;       /* Pa, of the state; NAN: no cell        */
    double volume;         /* m3, of the cell                       */
    double *change;        /* as mrn_follow has them; NULL: none    */
    double *move;
} mrn_route;

/* Who does what; `net` loses the globals that are held, and its load becomes that of its forces. */
mrn_status mrn_route_make(const mrn_sample *sample, const mrn_path_choice *o, mrn_net *net,
                          mrn_route *out, mrn_message *msg);
void mrn_route_release(mrn_route *r);

/* Rows of numbers that a path leaves, `width` each. `column` gives name and unit (" [m]", "") of a
   column; `owner` is for it. */
typedef struct mrn_path_rows {
    const void *owner;
    void (*column)(const void *owner, int i, char *name, size_t size, const char **unit);
    int width;
    const double *row;
    int64_t n;
} mrn_path_rows;
/* Into the section that is being written, as "rows"; into a file. */
void mrn_path_rows_put(mrn_sheet *s, const mrn_path_rows *r);
mrn_status mrn_path_rows_write(const char *path, const mrn_path_rows *r, mrn_message *msg);

/* The route for rigid grains without friction (analyze_rigid.c). */
mrn_status mrn_analyze_rigid(mrn_sheet *s, const mrn_path_choice *o, const mrn_route *route,
                             const mrn_net *net, mrn_message *msg);

#endif
