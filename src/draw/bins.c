/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bins: for every tile of a plane the things that may show in it, in the order they were given.
   Sorted by depth beforehand, a ray meets them front to back and can stop early. */
#include "draw/draw.h"

static mrn_tile_box clip(mrn_tile_box b, int32_t nx, int32_t ny)
{
    b.x0 = b.x0 < 0 ? 0 : b.x0;
    b.y0 = b.y0 < 0 ? 0 : b.y0;
    b.x1 = b.x1 >= nx ? nx - 1 : b.x1;
    b.y1 = b.y1 >= ny ? ny - 1 : b.y1;
    return b;
}

/* One pass over all tiles of all items: counts when `item` is NULL, else fills. */
static void sweep(int32_t nx, int32_t ny, const mrn_tile_box *box, int64_t n, int64_t *place,
                  int32_t *item)
{
    for (int64_t i = 0; i < n; i++) {
        mrn_tile_box b = clip(box[i], nx, ny);
        for (int32_t y = b.y0; y <= b.y1; y++)
            for (int32_t x = b.x0; x <= b.x1; x++) {
                int64_t *p = &place[(int64_t)y * nx + x];
                if (item)
                    item[*p] = (int32_t)i;
                *p += 1;
            }
    }
}

mrn_status mrn_bins_make(int32_t nx, int32_t ny, const mrn_tile_box *box, int64_t n, mrn_bins *out,
                         mrn_message *msg)
{
    *out = (mrn_bins){.nx = nx, .ny = ny};
    int64_t tiles = (int64_t)nx * ny;
    mrn_status s = mrn_array(&out->start, tiles + 1, sizeof *out->start, msg);
    if (s)
        return s;
    sweep(nx, ny, box, n, out->start, NULL);
    int64_t sum = 0;
    for (int64_t k = 0; k <= tiles; k++) {
        int64_t c = k < tiles ? out->start[k] : 0;
        out->start[k] = sum;
        sum += c;
    }
    s = mrn_array(&out->item, sum, sizeof *out->item, msg);
    if (s) {
        mrn_bins_release(out);
        return s;
    }
    sweep(nx, ny, box, n, out->start, out->item);
    for (int64_t k = tiles; k > 0; k--) /* filling moved every start to the next one's place */
        out->start[k] = out->start[k - 1];
    out->start[0] = 0;
    return MRN_OK;
}

void mrn_bins_release(mrn_bins *b)
{
    mrn_free(b->start);
    mrn_free(b->item);
    *b = (mrn_bins){0};
}
