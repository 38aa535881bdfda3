/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server of the viewer: libmicrohttpd on the loopback interface alone. Every address holds a
   token of 128 random bits; who does not know it gets nothing. A page of another site that points
   its own name at this machine is refused by the name it asks for (DNS rebinding), and no other
   page may read, frame or embed an answer. */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "store/files.h"
#include "view/view.h"

mrn_status mrn_view_server(mrn_message *msg)
{
    (void)msg;
    return MRN_OK;
}

const char *mrn_viewer_address(const mrn_viewer *v)
{
    return v->address;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

double mrn_viewer_idle(const mrn_viewer *v)
{
    int64_t at = atomic_load(&v->asked_at);
    return at == 0 ? INFINITY : 1e-9 * (double)(now_ns() - at);
}

static void add_headers(struct MHD_Response *r, const char *type)
{
    static const char *const pair[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Content-Security-Policy", "frame-ancestors 'none'"},
    };
    MHD_add_response_header(r, "Content-Type", type);
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++)
        MHD_add_response_header(r, pair[i][0], pair[i][1]);
}

static enum MHD_Result send_words(struct MHD_Connection *c, unsigned code, const char *words)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(strlen(words), (void *)words, MHD_RESPMEM_PERSISTENT);
    if (r == NULL)
        return MHD_NO;
    add_headers(r, "text/plain; charset=utf-8");
    enum MHD_Result done = MHD_queue_response(c, code, r);
    MHD_destroy_response(r);
    return done;
}

static enum MHD_Result send_page(struct MHD_Connection *c)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(
        mrn_view_page_bytes, (void *)mrn_view_page, MHD_RESPMEM_PERSISTENT);
    if (r == NULL)
        return MHD_NO;
    add_headers(r, "text/html; charset=utf-8");
    MHD_add_response_header(r, "Content-Encoding", "gzip");
    enum MHD_Result done = MHD_queue_response(c, MHD_HTTP_OK, r);
    MHD_destroy_response(r);
    return done;
}

static const char *argument(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result send_answer(mrn_viewer *v, struct MHD_Connection *c, const char *path)
{
    mrn_view_request q = {.path = path,
                          .field = argument(c, "field"),
                          .have = argument(c, "have"),
                          .from = argument(c, "from"),
                          .contacts = argument(c, "contacts")};
    mrn_buffer out = {0};
    const char *type;
    unsigned code = mrn_view_answer(v, &q, &out, &type);
    struct MHD_Response *r = MHD_create_response_from_buffer_with_free_callback(
        (size_t)out.n, out.s != NULL ? out.s : mrn_alloc(1), mrn_free);
    if (r == NULL) {
        mrn_free(out.s);
        return MHD_NO;
    }
    add_headers(r, type);
    enum MHD_Result done = MHD_queue_response(c, code, r);
    MHD_destroy_response(r);
    return done;
}

/* The name under which a browser asks is ours: not that of a page elsewhere. */
static bool own_name(const mrn_viewer *v, const char *host)
{
    char own[2][32];
    snprintf(own[0], sizeof own[0], "127.0.0.1:%d", v->port);
    snprintf(own[1], sizeof own[1], "localhost:%d", v->port);
    return host != NULL && (strcmp(host, own[0]) == 0 || strcmp(host, own[1]) == 0);
}

/* Takes the same time wherever a wrong token differs. */
static bool right_token(const mrn_viewer *v, const char *url)
{
    size_t n = strlen(v->token);
    unsigned differs = 0;
    if (url[0] != '/' || strnlen(url + 1, n + 1) < n + 1)
        return false;
    for (size_t i = 0; i < n; i++)
        differs |= (unsigned char)url[1 + i] ^ (unsigned char)v->token[i];
    return differs == 0 && url[1 + n] == '/';
}

static enum MHD_Result handle(void *user, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **seen)
{
    mrn_viewer *v = user;
    (void)version, (void)data;
    if (*seen == NULL) { /* the first call has no body yet */
        *seen = v;
        return MHD_YES;
    }
    if (*size > 0) { /* nothing is taken in */
        *size = 0;
        return MHD_YES;
    }
    if (!own_name(v, MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host")))
        return send_words(c, MHD_HTTP_FORBIDDEN, "This viewer answers to its own name alone.\n");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return send_words(c, MHD_HTTP_METHOD_NOT_ALLOWED, "This viewer is for looking alone.\n");
    if (!right_token(v, url))
        return send_words(c, MHD_HTTP_FORBIDDEN,
                          "Use the whole address that `moraine view` printed.\n");
    atomic_store(&v->asked_at, now_ns());
    const char *path = url + 2 + strlen(v->token);
    return path[0] == '\0' ? send_page(c) : send_answer(v, c, path);
}

/* Nothing that can be asked for needs escapes: a path with one is none of ours. */
static size_t leave(void *user, struct MHD_Connection *c, char *text)
{
    (void)user, (void)c;
    return strlen(text);
}

static mrn_status make_token(mrn_viewer *v, mrn_message *msg)
{
    unsigned char random[16];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return mrn_fail(msg, MRN_ERR_IO, "no random numbers for the address: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(v->token + 2 * i, 3, "%02x", random[i]);
    return MRN_OK;
}

mrn_status mrn_viewer_serve(mrn_viewer *v, int port, mrn_message *msg)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    mrn_status st = make_token(v, msg);
    if (st != MRN_OK)
        return st;
    v->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL,
                                 handle, v, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at,
                                 MHD_OPTION_CONNECTION_LIMIT, 64U, MHD_OPTION_CONNECTION_TIMEOUT,
                                 60U, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768,
                                 MHD_OPTION_UNESCAPE_CALLBACK, leave, NULL, MHD_OPTION_END);
    if (v->daemon == NULL) {
        mrn_fail(msg, MRN_ERR_IO, "cannot listen on 127.0.0.1, port %d: %s", port, strerror(errno));
        return mrn_fail_hint(msg, "without --port a free one is taken");
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(v->daemon, MHD_DAEMON_INFO_BIND_PORT);
    v->port = info != NULL && info->port != 0 ? info->port : port;
    snprintf(v->address, sizeof v->address, "http://127.0.0.1:%d/%s/", v->port, v->token);
    return MRN_OK;
}

void mrn_viewer_close(mrn_viewer **slot)
{
    mrn_viewer *v = *slot;
    *slot = NULL;
    if (v == NULL)
        return;
    if (v->daemon != NULL)
        MHD_stop_daemon(v->daemon);
    mrn_view_release(v);
}
