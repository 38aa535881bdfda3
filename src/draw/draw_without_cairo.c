/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures and plots in a library built without cairo: there are none, and it says so. */
#include "draw/draw.h"
#include "moraine/plot.h"

static mrn_status refuse(mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "this library was built without cairo: it draws nothing");
    return mrn_fail_hint(msg,
                         "build it with -DMRN_CAIRO=ON, or export the run and draw it elsewhere");
}

mrn_status mrn_draw_flat(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                         const mrn_frame *frame, const mrn_paint *paint, const mrn_wall_set *walls,
                         const mrn_link_set *links, mrn_picture *out, mrn_message *msg)
{
    (void)look, (void)view, (void)header, (void)frame, (void)paint, (void)walls, (void)links;
    (void)out;
    return refuse(msg);
}

mrn_status mrn_draw_overlay(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                            const mrn_frame *frame, const mrn_paint *paint,
                            const mrn_link_set *links, mrn_picture *out, mrn_message *msg)
{
    (void)look, (void)view, (void)header, (void)frame, (void)paint, (void)links, (void)out;
    return refuse(msg);
}

mrn_status mrn_plot_write(const mrn_plot *p, const char *path, mrn_message *msg)
{
    (void)p, (void)path;
    return refuse(msg);
}
