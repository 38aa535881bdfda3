/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cairo surface laid over a picture, for strokes and text. */
#include <cairo/cairo.h>

#include "draw/draw.h"

mrn_status mrn_canvas_open(const mrn_picture *p, mrn_canvas *c, mrn_message *msg)
{
    *c = (mrn_canvas){.stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, p->width)};
    mrn_status s = mrn_array(&c->pixels, (int64_t)c->stride * p->height, 1, msg);
    if (s)
        return s;
    for (int y = 0; y < p->height; y++) {
        uint32_t *row = (uint32_t *)(void *)(c->pixels + (int64_t)y * c->stride);
        const uint8_t *rgb = p->rgb + 3 * (int64_t)y * p->width;
        for (int x = 0; x < p->width; x++, rgb += 3)
            row[x] = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
    }
    c->surface = cairo_image_surface_create_for_data(c->pixels, CAIRO_FORMAT_RGB24, p->width,
                                                     p->height, c->stride);
    c->cr = cairo_create(c->surface);
    return MRN_OK; /* cairo remembers its own failures: asked on closing */
}

mrn_status mrn_canvas_close(mrn_canvas *c, mrn_picture *p, mrn_message *msg)
{
    cairo_status_t status = CAIRO_STATUS_SUCCESS;
    if (c->cr) {
        cairo_surface_flush(c->surface);
        status = cairo_status(c->cr);
    }
    for (int y = 0; c->pixels && !status && y < p->height; y++) {
        const uint32_t *row = (const uint32_t *)(const void *)(c->pixels + (int64_t)y * c->stride);
        uint8_t *rgb = p->rgb + 3 * (int64_t)y * p->width;
        for (int x = 0; x < p->width; x++, rgb += 3)
            rgb[0] = row[x] >> 16 & 255, rgb[1] = row[x] >> 8 & 255, rgb[2] = row[x] & 255;
    }
    if (c->cr) {
        cairo_destroy(c->cr);
        cairo_surface_destroy(c->surface);
    }
    mrn_free(c->pixels);
    *c = (mrn_canvas){0};
    if (status == CAIRO_STATUS_NO_MEMORY)
        return mrn_fail_memory(msg);
    if (status)
        return mrn_fail(msg, MRN_ERR_INTERNAL, "drawing failed: %s",
                        cairo_status_to_string(status));
    return MRN_OK;
}

void mrn_canvas_colour(mrn_canvas *c, mrn_rgb s, double alpha)
{
    cairo_set_source_rgba(c->cr, (double)s.r, (double)s.g, (double)s.b, alpha);
}
