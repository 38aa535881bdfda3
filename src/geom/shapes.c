/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of shape types, from shapes.def. */
#include <string.h>

#include "geom/geom.h"

static const mrn_shape_type *const types[] = {
#define MRN_SHAPE(symbol) &symbol,
#include "geom/shapes.def"
};

int mrn_shape_type_count(void)
{
    return MRN_COUNT(types);
}

const mrn_shape_type *mrn_shape_type_at(int i)
{
    return i >= 0 && i < MRN_COUNT(types) ? types[i] : NULL;
}

const mrn_shape_type *mrn_shape_type_find(const char *name)
{
    for (int i = 0; i < MRN_COUNT(types); i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}

void mrn_shape_release(mrn_shape *s)
{
    if (s->type != NULL && s->type->release != NULL)
        s->type->release(s);
    *s = (mrn_shape){0};
}

const char *mrn_wall_lacks(const mrn_shape_type *t, mrn_grain_kind kind)
{
    if (t->features == NULL || t->closest == NULL)
        return "closest points, by which it would touch disks and spheres";
    if (t->bounds == NULL)
        return "bounds, by which its nearest periodic image is found";
    if (kind == MRN_GRAIN_POLYTOPE && t->surface == NULL && t->contact_points == NULL)
        return "contact points with polygons and polyhedra";
    return NULL;
}

mrn_shape mrn_shape_copy(const mrn_shape *from)
{
    mrn_shape copy = *from;
    if (copy.type != NULL && copy.type->share != NULL)
        copy.type->share(&copy);
    return copy;
}
