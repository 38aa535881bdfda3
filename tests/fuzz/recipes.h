/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HDF5 files that are whole and say nonsense: a recipe (bytes) becomes edits of a seed made through
   HDF5 itself, after which seals and sums are put right. Changed bytes of a file end in HDF5's own
   checks; these files pass them, and reach what our readers think of sizes, kinds, indices and
   values. Ten bytes are one edit: object (2), what to do (1), where in it (2), value (5). */
#ifndef MRN_TESTS_FUZZ_RECIPES_H
#define MRN_TESTS_FUZZ_RECIPES_H

#include <hdf5.h>

#include "store/trajectory.h"

enum { RECIPE_EDIT = 10, RECIPE_EDITS = 12, RECIPE_OBJECTS = 512, RECIPE_BYTES = 1 << 16 };

/* Paths of all groups and datasets, and of attributes as path + name. */
typedef struct recipe_object {
    char path[120], attribute[60];
    bool group;
} recipe_object;

typedef struct recipe_list {
    recipe_object at[RECIPE_OBJECTS];
    int n;
    const char *path; /* of the object whose attributes are listed */
} recipe_list;

static inline void recipe_add(recipe_list *l, const char *path, const char *attribute, bool group)
{
    if (l->n == RECIPE_OBJECTS)
        return;
    recipe_object *o = &l->at[l->n++];
    snprintf(o->path, sizeof o->path, "%s", path);
    snprintf(o->attribute, sizeof o->attribute, "%s", attribute);
    o->group = group;
}

static herr_t recipe_attribute(hid_t at, const char *name, const H5A_info_t *info, void *data)
{
    (void)at, (void)info;
    recipe_list *l = data;
    recipe_add(l, l->path, name, false);
    return 0;
}

static herr_t recipe_visit(hid_t at, const char *name, const H5O_info_t *info, void *data)
{
    recipe_list *l = data;
    recipe_add(l, name, "", info->type == H5O_TYPE_GROUP);
    l->path = name;
    hid_t o = H5Oopen(at, name, H5P_DEFAULT);
    H5Aiterate2(o, H5_INDEX_NAME, H5_ITER_INC, NULL, recipe_attribute, l);
    H5Oclose(o);
    return 0;
}

/* Numbers that break things, and some that do not. */
static inline void recipe_number(const uint8_t *value, hid_t type, void *out)
{
    static const double special[] = {0,     1,     -1,       2,   3,    1e308, -1e-320, NAN,
                                     1e300, -1e18, INFINITY, 1e9, 2e9,  4e9,   65536,   0.5,
                                     -0.0,  7,     255,      256, -128, 1e-5,  100,     1e19};
    double x = special[value[0] % (sizeof special / sizeof *special)];
    if (value[0] >= 128) /* small ones by themselves */
        x = (double)value[1] - 3 + (double)value[2] / 256;
    bool real = H5Tget_class(type) == H5T_FLOAT;
    double bounded = isnan(x) ? 0 : x < -9e18 ? -9e18 : x > 9e18 ? 9e18 : x;
    int64_t whole = (int64_t)bounded;
    size_t size = H5Tget_size(type);
    if (real && size == sizeof x)
        memcpy(out, &x, sizeof x);
    else if (real && size == sizeof(float))
        memcpy(out, &(float){(float)x}, sizeof(float));
    else if (size <= sizeof whole)
        memcpy(out, &whole, size);
}

/* The kinds an array may turn into. */
static inline hid_t recipe_type(int k)
{
    hid_t kinds[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32, H5T_NATIVE_INT64,  H5T_NATIVE_UINT8,
                     H5T_NATIVE_FLOAT,  H5T_C_S1,         H5T_NATIVE_UINT64, H5T_NATIVE_UINT16};
    return kinds[k % 8];
}

/* One number of what `object` holds becomes another. */
static inline void recipe_poke(hid_t object, bool attribute, int where, const uint8_t *value)
{
    hid_t type = attribute ? H5Aget_type(object) : H5Dget_type(object);
    hid_t space = attribute ? H5Aget_space(object) : H5Dget_space(object);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    size_t size = H5Tget_size(type);
    H5T_class_t class = H5Tget_class(type);
    bool plain = class == H5T_INTEGER || class == H5T_FLOAT ||
                 (class == H5T_STRING && H5Tis_variable_str(type) <= 0);
    if (plain && n > 0 && (size_t)n * size < RECIPE_BYTES) {
        uint8_t *data = calloc((size_t)n, size);
        if ((attribute ? H5Aread(object, type, data)
                       : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data)) >= 0) {
            if (class == H5T_STRING)
                data[(size_t)where % ((size_t)n * size)] = value[1];
            else
                recipe_number(value, type, data + size * (size_t)(where % (int)n));
            if (attribute)
                H5Awrite(object, type, data);
            else
                H5Dwrite(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        }
        free(data);
    }
    H5Sclose(space);
    H5Tclose(type);
}

/* Made anew with other sizes, another kind or another rank; filled with the value. */
static inline void recipe_remake(hid_t file, const recipe_object *o, int where,
                                 const uint8_t *value)
{
    hid_t type = recipe_type(value[3]);
    hsize_t size[3] = {value[1] % 40, 1 + value[2] % 9, 2};
    int rank = 1 + where % 3;
    hid_t space = where % 16 == 0 ? H5Screate(H5S_NULL) : H5Screate_simple(rank, size, NULL);
    static uint8_t data[40 * 9 * 2 * 8 + 8];
    for (size_t k = 0; k + 8 < sizeof data; k += H5Tget_size(type))
        recipe_number(value, type, data + k);
    if (o->attribute[0] != '\0') {
        H5Adelete_by_name(file, o->path, o->attribute, H5P_DEFAULT);
        hid_t a = H5Acreate_by_name(file, o->path, o->attribute, type, space, H5P_DEFAULT,
                                    H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(a, type, data);
        H5Aclose(a);
    } else if (strcmp(o->path, ".") != 0) {
        H5Ldelete(file, o->path, H5P_DEFAULT);
        hid_t d = H5Dcreate2(file, o->path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        H5Dclose(d);
    }
    H5Sclose(space);
}

/* A row less or more of what can grow. */
static inline void recipe_extend(hid_t file, const recipe_object *o, int by)
{
    hid_t d = H5Dopen2(file, o->path, H5P_DEFAULT), space = H5Dget_space(d);
    hsize_t size[4] = {0};
    if (H5Sget_simple_extent_ndims(space) <= 4 &&
        H5Sget_simple_extent_dims(space, size, NULL) > 0) {
        size[0] = size[0] + (hsize_t)by;
        H5Dset_extent(d, size);
    }
    H5Sclose(space);
    H5Dclose(d);
}

static inline void recipe_edit(hid_t file, const recipe_list *l, const uint8_t *edit)
{
    const recipe_object *o = &l->at[(edit[0] | edit[1] << 8) % l->n];
    const recipe_object *other = &l->at[(edit[8] | edit[9] << 8) % l->n];
    int what = edit[2] % 10, where = edit[3] | edit[4] << 8;
    const uint8_t *value = edit + 5;
    bool attribute = o->attribute[0] != '\0', root = strcmp(o->path, ".") == 0;
    if (attribute && what < 6) {
        hid_t a = H5Aopen_by_name(file, o->path, o->attribute, H5P_DEFAULT, H5P_DEFAULT);
        recipe_poke(a, true, where, value);
        H5Aclose(a);
    } else if (attribute && what == 6)
        H5Adelete_by_name(file, o->path, o->attribute, H5P_DEFAULT);
    else if (!attribute && !o->group && what < 5) {
        hid_t d = H5Dopen2(file, o->path, H5P_DEFAULT);
        recipe_poke(d, false, where, value);
        H5Dclose(d);
    } else if (!attribute && !o->group && what == 5)
        recipe_extend(file, o, 1 - where % 3);
    else if (!attribute && !root && what == 6)
        H5Ldelete(file, o->path, H5P_DEFAULT);
    else if (!attribute && !root && what == 7 && strcmp(other->path, ".") != 0) {
        H5Ldelete(file, o->path, H5P_DEFAULT); /* another thing in its place */
        H5Ocopy(file, other->path, file, o->path, H5P_DEFAULT, H5P_DEFAULT);
    } else
        recipe_remake(file, o, where, value);
}

/* Sums of a trajectory as its reader finds them: of its header and of its frames, in the end of the
   rows of its index, so that what they say is believed. The reader has them when it refuses. */
typedef struct recipe_sums {
    int64_t frame[64];
    uint64_t header;
    int64_t n;
} recipe_sums;

static inline void recipe_read_sums(const char *path, recipe_sums *sums)
{
    mrn_trajectory *t = NULL;
    mrn_header head;
    *sums = (recipe_sums){0};
    if (mrn_trajectory_open(path, &t, NULL) != MRN_OK)
        return;
    if (mrn_trajectory_header(t, &head, NULL) == MRN_OK)
        mrn_header_destroy(&head);
    sums->header = t->h5.sum;
    sums->n = mrn_trajectory_frames(t) < 64 ? mrn_trajectory_frames(t) : 64;
    for (int64_t k = 0; k < sums->n; k++) {
        mrn_frame frame;
        if (mrn_trajectory_read(t, k, &frame, NULL) == MRN_OK)
            mrn_frame_destroy(&frame);
        sums->frame[k] = (int64_t)t->h5.sum;
    }
    mrn_trajectory_close(&t, NULL);
}

static inline void recipe_sum_index(hid_t file, const recipe_sums *sums)
{
    enum { ROWS = 64 };
    mrn_frame_note note[ROWS];
    double time[ROWS];
    hid_t index = H5Dopen2(file, "index", H5P_DEFAULT), t = H5Dopen2(file, "time", H5P_DEFAULT);
    hid_t si = H5Dget_space(index), st = H5Dget_space(t);
    hssize_t n = H5Sget_simple_extent_npoints(st), m = H5Sget_simple_extent_npoints(si);
    if (n > 0 && n <= ROWS && m == n * MRN_NOTE_WIDTH &&
        H5Dread(index, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, note) >= 0 &&
        H5Dread(t, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) >= 0) {
        for (hssize_t k = 0; k < n; k++) {
            if (sums != NULL && k < sums->n)
                note[k].frame_sum = sums->frame[k];
            note[k].row_sum = mrn_frame_note_sum(&note[k], time[k]);
        }
        H5Dwrite(index, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, note);
    }
    H5Sclose(si), H5Sclose(st), H5Dclose(index), H5Dclose(t);
    if (sums == NULL)
        return;
    hid_t a = H5Aopen_by_name(file, "header", "sum", H5P_DEFAULT, H5P_DEFAULT);
    hid_t one = H5Aget_space(a);
    if (H5Sget_simple_extent_npoints(one) == 1) /* it may have been edited too */
        H5Awrite(a, H5T_NATIVE_UINT64, &sums->header);
    H5Sclose(one);
    H5Aclose(a);
}

/* Edits the file at `path` in place. */
static inline void recipe_cook_quietly(const char *path, const uint8_t *recipe, size_t n)
{
    static recipe_list list;
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0)
        H5Eprint2(H5E_DEFAULT, stderr), abort(); /* a seed that is none */
    list.n = 0;
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, recipe_visit, &list, H5O_INFO_BASIC);
    for (size_t k = 0; k + RECIPE_EDIT <= n && k < RECIPE_EDIT * RECIPE_EDITS; k += RECIPE_EDIT)
        recipe_edit(file, &list, recipe + k);
    bool is_trajectory = H5Lexists(file, "index", H5P_DEFAULT) > 0;
    if (is_trajectory)
        recipe_sum_index(file, NULL);
    H5Fclose(file);
    if (!is_trajectory)
        return;
    recipe_sums sums;
    recipe_read_sums(path, &sums);
    if ((file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT)) < 0)
        return;
    recipe_sum_index(file, &sums);
    H5Fclose(file);
}

static inline void recipe_cook(const char *path, const uint8_t *recipe, size_t n)
{
    H5E_auto2_t print;
    void *print_data;
    H5Eget_auto2(H5E_DEFAULT, &print, &print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    recipe_cook_quietly(path, recipe, n);
    H5Eset_auto2(H5E_DEFAULT, print, print_data);
}

#endif
