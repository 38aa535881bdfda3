/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probes.csv for the page: an array per column, stages as numbers into a list of names. */
#include <string.h>

#include "view/view.h"

static bool is_lead(const char *name)
{
    return strcmp(name, "time") == 0 || strcmp(name, "step") == 0 || strcmp(name, "stage") == 0;
}

static void put_head(const mrn_probe_table *t, int64_t rows, mrn_buffer *head)
{
    int listed = 0;
    mrn_buffer_put(head, "{\"rows\":%lld,\"columns\":[", (long long)rows);
    for (int i = 0; i < t->n_columns; i++) {
        const mrn_probe_column *c = &t->column[i];
        if (is_lead(c->name))
            continue;
        mrn_buffer_raw(head, listed++ > 0 ? ",{\"name\":" : "{\"name\":");
        mrn_view_quote(head, c->name);
        mrn_buffer_raw(head, ",\"unit\":");
        mrn_view_quote(head, c->unit);
        mrn_buffer_raw(head, "}");
    }
    mrn_buffer_raw(head, "],\"stages\":[");
    for (int i = 0; i < t->n_stages; i++) {
        mrn_buffer_raw(head, i > 0 ? "," : "");
        mrn_view_quote(head, t->stage[i]);
    }
    mrn_buffer_raw(head, "],\"arrays\":[");
    for (int i = 0; i < t->n_columns; i++) {
        mrn_buffer_raw(head, i > 0 ? ",[" : "[");
        mrn_view_quote(head, t->column[i].name);
        mrn_buffer_put(head, ",\"f8\",1,%lld]", (long long)rows);
    }
    mrn_buffer_raw(head, "]}");
}

mrn_status mrn_view_probes(mrn_viewer *v, int64_t most, mrn_buffer *out, mrn_message *msg)
{
    mrn_probe_table t;
    mrn_buffer head = {0}, arrays = {0};
    char path[MRN_VIEW_PATH];
    if (!mrn_view_name(v, "probes.csv", path))
        return mrn_fail(msg, MRN_ERR_RANGE, "there is no probes.csv");
    mrn_status st = mrn_probe_table_read(path, &t, msg);
    if (st != MRN_OK)
        return st;
    int64_t stride = t.n > most ? (t.n + most - 1) / most : 1, rows = (t.n + stride - 1) / stride;
    put_head(&t, rows, &head);
    for (int i = 0; i < t.n_columns; i++)
        for (int64_t r = 0; r < rows; r++)
            mrn_buffer_bytes(&arrays, &t.column[i].value[r * stride], sizeof(double));
    mrn_view_pack(out, &head, &arrays);
    mrn_free(head.s);
    mrn_free(arrays.s);
    mrn_probe_table_release(&t);
    return out->failed ? mrn_fail_memory(msg) : MRN_OK;
}
