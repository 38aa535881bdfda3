/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One picture from one frame: the parts in their order. */
#include "draw/draw.h"

static mrn_status check_frame(const mrn_header *header, const mrn_frame *f, mrn_message *msg)
{
    if (header->dimension != 2 && header->dimension != 3)
        return mrn_fail(msg, MRN_ERR_RANGE, "a header of dimension %d", header->dimension);
    if (f->n < 0 || f->n_walls < 0 || f->n_walls > f->n)
        return mrn_fail(msg, MRN_ERR_RANGE, "a frame of %d bodies with %d walls", f->n, f->n_walls);
    if (f->n > 0 && (!f->x || !f->q || !f->radius))
        return mrn_fail(msg, MRN_ERR_RANGE, "a frame without places, orientations or radii");
    return MRN_OK;
}

static mrn_status draw_parts(const mrn_look *look, const mrn_header *header, const mrn_frame *frame,
                             const mrn_view *view, const mrn_paint *paint, mrn_picture *out,
                             mrn_message *msg)
{
    mrn_wall_set walls = {0};
    mrn_link_set links = {0};
    mrn_status s = mrn_walls_make(look, view, header, frame, &walls, msg);
    if (!s)
        s = mrn_links_make(look, frame, &links, msg);
    if (!s)
        s = (header->dimension == 2 ? mrn_draw_flat : mrn_draw_solid)(
            look, view, header, frame, paint, &walls, &links, out, msg);
    if (!s)
        s = mrn_draw_overlay(look, view, header, frame, paint, &links, out, msg);
    mrn_walls_release(&walls);
    mrn_links_release(&links);
    return s;
}

mrn_status mrn_draw(const mrn_look *look, const mrn_header *header, const mrn_frame *frame,
                    mrn_picture *out, mrn_message *msg)
{
    *out = (mrn_picture){0};
    mrn_view view;
    mrn_paint paint = {0};
    mrn_status s = mrn_look_check(look, msg);
    if (!s)
        s = check_frame(header, frame, msg);
    if (!s)
        s = mrn_view_make(look, header, frame, &view, msg);
    if (!s)
        s = mrn_paint_make(look, header, frame, &paint, msg);
    out->width = look->width;
    out->height = look->height;
    if (!s)
        s = mrn_array(&out->rgb, 3 * (int64_t)look->width * look->height, 1, msg);
    if (!s)
        s = draw_parts(look, header, frame, &view, &paint, out, msg);
    mrn_paint_release(&paint);
    if (s)
        mrn_picture_destroy(out);
    return s;
}

void mrn_picture_destroy(mrn_picture *p)
{
    mrn_free(p->rgb);
    *p = (mrn_picture){0};
}
