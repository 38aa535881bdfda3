/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The viewer in a library built without libmicrohttpd: it exports pages and serves none. */
#include <math.h>

#include "view/view.h"

mrn_status mrn_view_server(mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "this library was built without the server of the viewer");
    return mrn_fail_hint(msg, "install libmicrohttpd-dev (tools/install-deps.sh) and build again; "
                              "`moraine view --export` needs no server");
}

const char *mrn_viewer_address(const mrn_viewer *v)
{
    return v->address;
}

double mrn_viewer_idle(const mrn_viewer *v)
{
    (void)v;
    return INFINITY;
}

mrn_status mrn_viewer_serve(mrn_viewer *v, int port, mrn_message *msg)
{
    (void)v, (void)port;
    return mrn_view_server(msg);
}

void mrn_viewer_close(mrn_viewer **v)
{
    if (*v != NULL)
        mrn_view_release(*v);
    *v = NULL;
}
