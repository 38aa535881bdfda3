/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the path of a request to its answer: one table of what can be asked for. Nothing of a path
   becomes a file name. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

#define MOST_ROWS 20000

typedef struct question {
    mrn_viewer *v;
    const mrn_view_request *r;
    const char *rest; /* of the path, behind the name */
    mrn_buffer *out;
    mrn_message *msg;
} question;

/* A whole number that ends at `stop`; -1: it is none. */
static int64_t whole(const char *text, char stop, const char **end)
{
    char *after = NULL;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return -1;
    errno = 0;
    long long v = strtoll(text, &after, 10);
    if (errno != 0 || *after != stop)
        return -1;
    *end = after + (stop != '\0');
    return v;
}

static mrn_status malformed(const question *q)
{
    return mrn_fail(q->msg, MRN_ERR_RANGE, "this cannot be asked for");
}

static mrn_status ask_info(const question *q)
{
    mrn_view_refresh(q->v);
    return mrn_view_info(q->v, q->out, q->msg);
}

static mrn_status ask_status(const question *q)
{
    const char *end;
    mrn_view_refresh(q->v);
    return mrn_view_status(q->v, whole(q->r->from, '\0', &end), q->out);
}

static mrn_status ask_frame(const question *q)
{
    const char *end, *field = q->r->field != NULL ? q->r->field : "none";
    int64_t k = whole(q->rest, '\0', &end);
    if (k < 0)
        return malformed(q);
    mrn_view_wish wish = {
        .fields = &field,
        .n_fields = 1,
        .contacts = q->r->contacts != NULL && strcmp(q->r->contacts, "1") == 0,
        .have = q->r->have != NULL ? strtoull(q->r->have, NULL, 16) : 0,
        .whole = q->r->have == NULL,
    };
    return mrn_view_encode(q->v, k, &wish, q->out, q->msg);
}

static mrn_status ask_range(const question *q)
{
    return mrn_view_range(q->v, q->rest, q->out, q->msg);
}

static mrn_status ask_grain(const question *q)
{
    const char *id_text = NULL, *end;
    int64_t k = whole(q->rest, '/', &id_text);
    int64_t id = k >= 0 ? whole(id_text, '\0', &end) : -1;
    return id < 0 ? malformed(q) : mrn_view_grain(q->v, k, id, q->out, q->msg);
}

static mrn_status ask_probes(const question *q)
{
    return mrn_view_probes(q->v, MOST_ROWS, q->out, q->msg);
}

static int add_json(const char *text, size_t n, void *out)
{
    mrn_buffer_bytes(out, text, n);
    return 0;
}

/* A file of JSON is read and written anew: what is sent is JSON, whatever the file was. */
static mrn_status put_json(const question *q, const char *name, int64_t most)
{
    char *text = mrn_view_file(q->v, name, most);
    if (text == NULL)
        return mrn_fail(q->msg, MRN_ERR_RANGE, "there is no %s", name);
    json_t *root = json_loads(text, 0, NULL);
    mrn_free(text);
    if (root == NULL)
        return mrn_fail(q->msg, MRN_ERR_INPUT, "%s is not JSON", name);
    json_dump_callback(root, add_json, q->out, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(root);
    return q->out->failed ? mrn_fail_memory(q->msg) : MRN_OK;
}

static mrn_status ask_summary(const question *q)
{
    return put_json(q, "summary.json", 16LL << 20);
}

static mrn_status ask_modes(const question *q)
{
    return put_json(q, "modes.json", 256LL << 20);
}

#define JSON  "application/json"
#define BYTES "application/octet-stream"
static const struct {
    const char *name; /* with a '/' at its end: more follows */
    const char *type;
    mrn_status (*ask)(const question *q);
} questions[] = {
    {"info", JSON, ask_info},       {"status", JSON, ask_status}, {"frame/", BYTES, ask_frame},
    {"range/", JSON, ask_range},    {"grain/", JSON, ask_grain},  {"probes", BYTES, ask_probes},
    {"summary", JSON, ask_summary}, {"modes", JSON, ask_modes},
};

static int find(const char *path)
{
    for (int i = 0; i < (int)(sizeof questions / sizeof questions[0]); i++) {
        size_t n = strlen(questions[i].name);
        bool more = questions[i].name[n - 1] == '/';
        if (more ? strncmp(path, questions[i].name, n) == 0 : strcmp(path, questions[i].name) == 0)
            return i;
    }
    return -1;
}

mrn_view_code mrn_view_answer(mrn_viewer *v, const mrn_view_request *r, mrn_buffer *out,
                              const char **type)
{
    mrn_message msg = {0};
    int i = find(r->path);
    *type = "text/plain; charset=utf-8";
    if (i < 0) {
        mrn_buffer_raw(out, "there is nothing of that name");
        return MRN_VIEW_MISSING;
    }
    question q = {v, r, r->path + strlen(questions[i].name), out, &msg};
    pthread_mutex_lock(&v->lock);
    mrn_status st = questions[i].ask(&q);
    pthread_mutex_unlock(&v->lock);
    if (st == MRN_OK) {
        *type = questions[i].type;
        return MRN_VIEW_OK;
    }
    out->n = 0; /* what was begun */
    mrn_buffer_raw(out, msg.text);
    return st == MRN_ERR_RANGE ? MRN_VIEW_MISSING : MRN_VIEW_FAILED;
}
