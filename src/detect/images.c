/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Periodic images, also of a sheared cell, and the radix sort used to order bodies in space. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "detect/detect.h"

mrn_images mrn_images_make(const mrn_scene *scene, const double size[3], const double tilt[3])
{
    mrn_images im = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const bool *p = scene->cell.periodic;
    for (int k = 0; k < 3; k++)
        if (p[k]) {
            im.size[k] = size[k];
            im.inv[k] = 1 / size[k];
        }
    im.tilt[0] = p[0] && p[1] ? tilt[0] : 0;
    im.tilt[1] = p[0] && p[2] ? tilt[1] : 0;
    im.tilt[2] = p[1] && p[2] ? tilt[2] : 0;
    return im;
}

mrn_images mrn_images_of(const mrn_scene *scene, const mrn_state *s)
{
    return mrn_images_make(scene, s->cell_size, s->cell_tilt);
}

/* Volume over area of the face; the terms beside 1 are the slopes of the face against its axis. */
double mrn_images_height(const mrn_images *im, int k)
{
    double xy = im->tilt[0] * im->inv[1], yz = im->tilt[2] * im->inv[2];
    double xz = (xy * im->tilt[2] - im->tilt[1]) * im->inv[2];
    double steep = k == 0 ? xy * xy + xz * xz : k == 1 ? yz * yz : 0;
    return im->inv[k] != 0 ? im->size[k] / sqrt(1 + steep) : INFINITY;
}

static void radix_pass(const uint64_t *key, const int32_t *item, uint64_t *key_to, int32_t *item_to,
                       int64_t n, int shift)
{
    int64_t count[257] = {0};
    for (int64_t i = 0; i < n; i++)
        count[((key[i] >> shift) & 255) + 1]++;
    for (int b = 0; b < 256; b++)
        count[b + 1] += count[b];
    for (int64_t i = 0; i < n; i++) {
        int64_t at = count[(key[i] >> shift) & 255]++;
        key_to[at] = key[i];
        item_to[at] = item[i];
    }
}

/* Passes over bits in which all keys agree are left out. */
void mrn_sort_keys_in(uint64_t *key, int32_t *item, int64_t n, uint64_t *key2, int32_t *item2)
{
    uint64_t any = 0, all = UINT64_MAX;
    for (int64_t i = 0; i < n; i++)
        any |= key[i], all &= key[i];
    for (int shift = 0; shift < 64; shift += 8) {
        if ((((any ^ all) >> shift) & 255) == 0)
            continue;
        radix_pass(key, item, key2, item2, n, shift);
        memcpy(key, key2, (size_t)n * sizeof *key);
        memcpy(item, item2, (size_t)n * sizeof *item);
    }
}

mrn_status mrn_sort_keys(uint64_t *key, int32_t *item, int64_t n, mrn_message *msg)
{
    uint64_t *key2 = NULL;
    int32_t *item2 = NULL;
    mrn_status st = mrn_array(&key2, n, sizeof *key2, msg);
    if (st == MRN_OK)
        st = mrn_array(&item2, n, sizeof *item2, msg);
    if (st == MRN_OK)
        mrn_sort_keys_in(key, item, n, key2, item2);
    mrn_free(key2);
    mrn_free(item2);
    return st;
}
