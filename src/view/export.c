/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The viewer as one file of HTML: the page with its data inside, each answer of the server as an
   element of its own with deflated bytes in base64. Frames are left out evenly until the file is as
   small as asked for: how many fit follows from what three of them take. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "draw/draw.h"
#include "view/view.h"

#define FIELDS_MAX 32
#define ROWS_MAX   2000
#define SLACK      0.97 /* frames are not all of one size */

typedef struct export
{
    mrn_viewer *v;
    const mrn_viewer_export_options *o;
    const char *fields[FIELDS_MAX];
    int n_fields;
    mrn_buffer data; /* the elements */
    int64_t frames;
}
export;

mrn_viewer_export_options mrn_viewer_export_default(void)
{
    return (mrn_viewer_export_options){.bytes = 20e6};
}

mrn_status mrn_viewer_able(bool server, bool page, mrn_message *msg)
{
    if (page && mrn_view_page_bytes == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "Moraine was built without the page of the viewer");
        return mrn_fail_hint(msg, "install Node.js with npm (tools/install-deps.sh --page), then "
                                  "build again: the page is bundled at build time");
    }
    return server ? mrn_view_server(msg) : MRN_OK;
}

/* ---- bytes ---- */

static mrn_status squeeze(const mrn_buffer *in, mrn_buffer *out, mrn_message *msg)
{
    unsigned char room[16384];
    z_stream z = {.next_in = (Bytef *)in->s, .avail_in = (uInt)in->n};
    if (in->failed || in->n > UINT32_MAX ||
        deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return mrn_fail_memory(msg);
    int code = Z_OK;
    while (code == Z_OK) {
        z.next_out = room;
        z.avail_out = sizeof room;
        code = deflate(&z, Z_FINISH);
        mrn_buffer_bytes(out, room, sizeof room - z.avail_out);
    }
    deflateEnd(&z);
    return out->failed || code != Z_STREAM_END ? mrn_fail_memory(msg) : MRN_OK;
}

static mrn_status unsqueeze(const unsigned char *in, size_t n, mrn_buffer *out, mrn_message *msg)
{
    unsigned char room[16384];
    z_stream z = {.next_in = (Bytef *)in, .avail_in = (uInt)n};
    if (inflateInit2(&z, 31) != Z_OK)
        return mrn_fail_memory(msg);
    int code = Z_OK;
    while (code == Z_OK) {
        z.next_out = room;
        z.avail_out = sizeof room;
        code = inflate(&z, Z_NO_FLUSH);
        mrn_buffer_bytes(out, room, sizeof room - z.avail_out);
    }
    inflateEnd(&z);
    return out->failed || code != Z_STREAM_END ? mrn_fail_memory(msg) : MRN_OK;
}

/* An element that browsers do not run. `answer` is emptied. */
static mrn_status put_element(mrn_buffer *to, const char *name, mrn_buffer *answer,
                              mrn_message *msg)
{
    mrn_buffer small = {0};
    mrn_status st = squeeze(answer, &small, msg);
    if (st == MRN_OK) {
        mrn_buffer_put(to, "<script type=\"text/plain\" id=\"data:%s\">", name);
        mrn_buffer_base64(to, small.s, small.n);
        mrn_buffer_raw(to, "</script>\n");
    }
    mrn_free(small.s);
    mrn_free(answer->s);
    *answer = (mrn_buffer){0};
    return st == MRN_OK && to->failed ? mrn_fail_memory(msg) : st;
}

/* ---- frames ---- */

static mrn_status put_frame(export *e, int64_t k, int64_t as, mrn_buffer *to, mrn_message *msg)
{
    mrn_view_wish wish = {.fields = e->fields,
                          .n_fields = e->n_fields,
                          .contacts = e->o->contacts,
                          .whole = true,
                          .small = true};
    mrn_buffer answer = {0};
    char name[48];
    snprintf(name, sizeof name, "frame/%lld", (long long)as);
    mrn_status st = mrn_view_encode(e->v, k, &wish, &answer, msg);
    if (st == MRN_OK)
        return put_element(to, name, &answer, msg);
    mrn_free(answer.s);
    return st;
}

static int64_t spread(int64_t i, int64_t n, int64_t of)
{
    return n > 1 ? (int64_t)((double)i * (double)(of - 1) / (double)(n - 1) + 0.5) : of - 1;
}

/* What one frame takes, on average of three. */
static mrn_status weigh(export *e, double *bytes, mrn_message *msg)
{
    mrn_buffer trial = {0};
    int64_t of = mrn_view_frames(e->v), n = of < 3 ? of : 3;
    mrn_status st = MRN_OK;
    for (int64_t i = 0; st == MRN_OK && i < n; i++)
        st = put_frame(e, spread(i, n, of), i, &trial, msg);
    *bytes = n > 0 ? (double)trial.n / (double)n : 0;
    mrn_free(trial.s);
    return st;
}

static mrn_status put_frames(export *e, double room, mrn_message *msg)
{
    double each;
    mrn_status st = weigh(e, &each, msg);
    if (st != MRN_OK)
        return st;
    int64_t of = mrn_view_frames(e->v), n = (int64_t)fmin((double)of, SLACK * room / each);
    if (n < 1) {
        mrn_fail(msg, MRN_ERR_INPUT, "one frame alone takes %.2g MB, more than is allowed",
                 1e-6 * each);
        return mrn_fail_hint(msg, "allow more with --size");
    }
    e->frames = n;
    for (int64_t i = 0; st == MRN_OK && i < n; i++)
        st = put_frame(e, spread(i, n, of), i, &e->data, msg);
    return st;
}

/* ---- the rest ---- */

/* As the server has it, but with the times of the frames that are there and the fields they have.
 */
static mrn_status put_info(export *e, mrn_buffer *to, mrn_message *msg)
{
    mrn_buffer info = {0};
    mrn_status st = mrn_view_info(e->v, &info, msg);
    char *times = st == MRN_OK ? strstr(info.s, ",\"times\":[") : NULL;
    if (times != NULL)
        info.n = times - info.s;
    mrn_buffer_raw(&info, ",\"times\":[");
    for (int64_t i = 0; i < e->frames; i++) {
        mrn_buffer_raw(&info, i > 0 ? "," : "");
        mrn_view_number(&info, mrn_view_time(e->v, spread(i, e->frames, mrn_view_frames(e->v))));
    }
    mrn_buffer_raw(&info, "],\"exported\":[");
    for (int i = 0; i < e->n_fields; i++) {
        mrn_buffer_raw(&info, i > 0 ? "," : "");
        mrn_view_quote(&info, e->fields[i]);
    }
    mrn_buffer_put(&info, "],\"withContacts\":%s}", e->o->contacts ? "true" : "false");
    if (st == MRN_OK)
        return put_element(to, "info", &info, msg);
    mrn_free(info.s);
    return st;
}

static mrn_status put_ranges(export *e, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int i = 0; st == MRN_OK && i < e->n_fields; i++) {
        mrn_buffer range = {0};
        char name[80];
        snprintf(name, sizeof name, "range/%s", e->fields[i]);
        st = mrn_view_range(e->v, e->fields[i], &range, msg);
        if (st == MRN_OK)
            st = put_element(&e->data, name, &range, msg);
        else
            mrn_free(range.s);
    }
    return st;
}

/* What may be missing: a trajectory alone has neither. */
static mrn_status put_rest(export *e, mrn_message *msg)
{
    static const char *const names[] = {"summary", "modes"};
    mrn_status st = MRN_OK;
    mrn_buffer answer = {0};
    if (mrn_view_probes(e->v, ROWS_MAX, &answer, NULL) == MRN_OK)
        st = put_element(&e->data, "probes", &answer, msg);
    mrn_free(answer.s);
    for (int i = 0; st == MRN_OK && i < 2; i++) {
        mrn_view_request r = {.path = names[i]};
        const char *type;
        answer = (mrn_buffer){0};
        pthread_mutex_unlock(&e->v->lock);
        mrn_view_code code = mrn_view_answer(e->v, &r, &answer, &type);
        pthread_mutex_lock(&e->v->lock);
        if (code == MRN_VIEW_OK)
            st = put_element(&e->data, names[i], &answer, msg);
        else
            mrn_free(answer.s);
    }
    return st;
}

/* ---- the file ---- */

static mrn_status choose_fields(export *e, mrn_message *msg)
{
    static const char *const usual[] = {"speed", "group"};
    const char *const *wanted = e->o->n_fields > 0 ? e->o->fields : usual;
    int n = e->o->n_fields > 0 ? e->o->n_fields : 2;
    for (int i = 0; i < n && e->n_fields < FIELDS_MAX; i++) {
        if (mrn_paint_field_find(wanted[i]) == NULL) {
            const char *const *names;
            int count = mrn_paint_field_names(&names);
            const char *close = mrn_closest_word(wanted[i], names, count);
            mrn_fail(msg, MRN_ERR_INPUT, "there is no field \"%s\" to colour by", wanted[i]);
            return mrn_fail_hint(msg,
                                 close != NULL ? "did you mean \"%s\"?"
                                               : "`moraine picture --help` lists them%s",
                                 close != NULL ? close : "");
        }
        e->fields[e->n_fields++] = wanted[i];
    }
    return MRN_OK;
}

static mrn_status write_page(const mrn_buffer *page, const mrn_buffer *info, const mrn_buffer *data,
                             const char *path, double *bytes, mrn_message *msg)
{
    static const char mark[] = "<!--DATA-->";
    const char *at = page->s != NULL ? strstr(page->s, mark) : NULL;
    mrn_atomic_file file;
    if (at == NULL)
        return mrn_fail(msg, MRN_ERR_INTERNAL, "the page has no place for data");
    mrn_status st = mrn_atomic_open(path, &file, msg);
    if (st != MRN_OK)
        return st;
    const char *rest = at + strlen(mark);
    fwrite(page->s, 1, (size_t)(at - page->s), file.f);
    fwrite(info->s, 1, (size_t)info->n, file.f);
    fwrite(data->s, 1, (size_t)data->n, file.f);
    fwrite(rest, 1, (size_t)(page->s + page->n - rest), file.f);
    *bytes = (double)(page->n - (int64_t)strlen(mark) + info->n + data->n);
    return mrn_atomic_commit(&file, msg);
}

static mrn_status make(export *e, const char *path, mrn_viewer_export_facts *facts,
                       mrn_message *msg)
{
    mrn_buffer page = {0}, info = {0};
    mrn_status st = unsqueeze(mrn_view_page, mrn_view_page_bytes, &page, msg);
    if (st == MRN_OK)
        st = put_rest(e, msg);
    if (st == MRN_OK)
        st = put_ranges(e, msg);
    if (st == MRN_OK) /* its size, before frames are chosen */
        st = put_info(e, &info, msg);
    double room =
        e->o->bytes - (double)(page.n + info.n + e->data.n) - 10.0 * (double)mrn_view_frames(e->v);
    if (st == MRN_OK)
        st = put_frames(e, room, msg);
    info.n = 0;
    if (st == MRN_OK)
        st = put_info(e, &info, msg);
    if (st == MRN_OK)
        st = write_page(&page, &info, &e->data, path, &facts->bytes, msg);
    facts->frames = e->frames;
    facts->of = mrn_view_frames(e->v);
    mrn_free(page.s);
    mrn_free(info.s);
    return st;
}

mrn_status mrn_viewer_export(mrn_viewer *v, const mrn_viewer_export_options *o, const char *path,
                             mrn_viewer_export_facts *facts, mrn_message *msg)
{
    export e = {.v = v, .o = o};
    *facts = (mrn_viewer_export_facts){0};
    mrn_status st = mrn_viewer_able(false, true, msg);
    if (st == MRN_OK)
        st = choose_fields(&e, msg);
    if (st != MRN_OK)
        return st;
    pthread_mutex_lock(&v->lock);
    st = make(&e, path, facts, msg);
    pthread_mutex_unlock(&v->lock);
    mrn_free(e.data.s);
    return st;
}
