/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The viewer: frames as bytes, words about them, the server's refusals, the exported page. */
/* ctest-labels: threads */
#include "store/files_helper.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "view/view.h"

#define FRAMES 4
static const char hostile[] = "<img src=x onerror=alert(1)></script>\"\\";

static int make_run(void **state)
{
    mrn_message msg = {0};
    mrn_trajectory *t = NULL;
    if (make_dir(state) != 0)
        return -1;
    mrn_header c = sample_cast(3);
    strcpy(c.title, hostile);
    ok(mrn_trajectory_create(test_dir, &c, NAN, &t, &msg), &msg);
    for (int k = 0; k < FRAMES; k++) {
        mrn_frame f = sample_frame(k, 6, 5);
        ok(mrn_trajectory_append(t, &f, &msg), &msg);
        mrn_frame_destroy(&f);
    }
    ok(mrn_trajectory_close(&t, &msg), &msg);
    mrn_header_destroy(&c);
    const char *probes =
        "time [s],step,stage,kinetic-energy [J],<b>\n0,0,pour,1.5,\n0.1,1,pour,2,3\n"
        "0.2,2,shear,nan,4\n0.3,3,sh";
    spill(in_dir("probes.csv"), probes, strlen(probes));
    spill(in_dir("summary.json"), "{\"status\": \"ok\"}", 16);
    return 0;
}

static mrn_viewer *opened(void)
{
    mrn_message msg = {0};
    mrn_viewer *v = NULL;
    ok(mrn_viewer_open(test_dir, NULL, &v, &msg), &msg);
    return v;
}

/* ---- binary answers, read as the page reads them ---- */

typedef struct answer {
    mrn_buffer text;
    json_t *head;
    const char *type;
    mrn_view_code code;
} answer;

static answer ask(mrn_viewer *v, mrn_view_request r)
{
    answer a = {0};
    a.code = mrn_view_answer(v, &r, &a.text, &a.type);
    if (a.code == MRN_VIEW_OK && strcmp(a.type, "application/json") == 0)
        a.head = json_loadb(a.text.s, (size_t)a.text.n, 0, NULL);
    else if (a.code == MRN_VIEW_OK) {
        uint32_t size;
        memcpy(&size, a.text.s, 4);
        assert_true(4 + (int64_t)size <= a.text.n && (4 + size) % 8 == 0);
        a.head = json_loadb(a.text.s + 4, size, 0, NULL);
    }
    assert_true(a.code != MRN_VIEW_OK || a.head != NULL);
    return a;
}

static void drop(answer *a)
{
    json_decref(a->head);
    mrn_free(a->text.s);
}

/* Bytes of an array by name; NULL: it is not there. */
static const void *array_of(const answer *a, const char *name, int64_t *n)
{
    uint32_t size;
    memcpy(&size, a->text.s, 4);
    size_t i, at = 4 + size;
    json_t *entry;
    json_array_foreach(json_object_get(a->head, "arrays"), i, entry)
    {
        const char *type = json_string_value(json_array_get(entry, 1));
        *n = json_integer_value(json_array_get(entry, 2)) *
             json_integer_value(json_array_get(entry, 3));
        at = (at + 7) / 8 * 8;
        if (strcmp(json_string_value(json_array_get(entry, 0)), name) == 0)
            return a->text.s + at;
        at += (size_t)*n * (size_t)(type[1] - '0');
        assert_true((int64_t)at <= a->text.n);
    }
    return NULL;
}

static int32_t row_of(const mrn_frame *f, int32_t id)
{
    for (int32_t i = f->n_walls; i < f->n; i++)
        if (f->id[i] == id)
            return i;
    return -1;
}

static void frames_as_bytes(void **unused)
{
    (void)unused;
    mrn_viewer *v = opened();
    for (int k = 0; k < FRAMES; k++) {
        char path[32];
        int64_t n;
        snprintf(path, sizeof path, "frame/%d", k);
        mrn_frame f = sample_frame(k, 6, 5);
        answer a = ask(v, (mrn_view_request){.path = path, .field = "speed", .contacts = "1"});
        assert_int_equal(a.code, MRN_VIEW_OK);
        const int32_t *id = array_of(&a, "id", &n);
        assert_int_equal(n, 6);
        const float *x = array_of(&a, "x", &n), *value = array_of(&a, "value", &n);
        const float *radius = array_of(&a, "radius", &n);
        for (int i = 0; i < 6; i++) {
            int32_t row = row_of(&f, id[i]);
            mrn_vec3 speed = mrn_load3(f.v + 3 * row);
            assert_true(i == 0 || id[i] > id[i - 1]);
            for (int c = 0; c < 3; c++)
                assert_true(x[3 * i + c] == (float)f.x[3 * row + c]);
            assert_true(radius[i] == (float)f.radius[row]);
            assert_true(value[i] == (float)mrn_norm(speed));
        }
        assert_non_null(array_of(&a, "contact.line", &n));
        mrn_frame_destroy(&f);
        drop(&a);
    }
    mrn_viewer_close(&v);
}

/* Who has what rarely changes does not get it again; who has something else does. */
static void what_rarely_changes(void **unused)
{
    (void)unused;
    int64_t n;
    mrn_viewer *v = opened();
    answer a = ask(v, (mrn_view_request){.path = "frame/0"});
    const char *key = json_string_value(json_object_get(a.head, "key"));
    answer b = ask(v, (mrn_view_request){.path = "frame/0", .have = key});
    answer c = ask(v, (mrn_view_request){.path = "frame/0", .have = "12"});
    assert_non_null(array_of(&a, "id", &n));
    assert_null(array_of(&b, "id", &n));
    assert_non_null(array_of(&c, "id", &n));
    assert_null(array_of(&a, "contact.line", &n));
    drop(&a), drop(&b), drop(&c);
    mrn_viewer_close(&v);
}

static void words(void **unused)
{
    (void)unused;
    mrn_viewer *v = opened();
    answer a = ask(v, (mrn_view_request){.path = "info"});
    assert_string_equal(json_string_value(json_object_get(a.head, "title")), hostile);
    assert_null(strchr(a.text.s, '<')); /* a title is never an element, wherever the text lands */
    assert_int_equal(json_array_size(json_object_get(a.head, "times")), FRAMES);
    assert_int_equal(json_array_size(json_object_get(a.head, "walls")), 2);
    const char *const *fields;
    assert_int_equal(json_array_size(json_object_get(a.head, "fields")), mrn_look_fields(&fields));
    drop(&a);
    a = ask(v, (mrn_view_request){.path = "status", .from = "3"});
    assert_int_equal(json_array_size(json_object_get(a.head, "times")), 1);
    drop(&a);
    a = ask(v, (mrn_view_request){.path = "range/radius"});
    assert_true(json_real_value(json_object_get(a.head, "lo")) <
                json_real_value(json_object_get(a.head, "hi")));
    drop(&a);
    a = ask(v, (mrn_view_request){.path = "summary"});
    assert_string_equal(json_string_value(json_object_get(a.head, "status")), "ok");
    drop(&a);
    mrn_viewer_close(&v);
}

static void one_grain(void **unused)
{
    (void)unused;
    mrn_viewer *v = opened();
    mrn_frame f = sample_frame(1, 6, 5);
    int32_t row = row_of(&f, 4);
    size_t want = 0;
    for (int64_t k = 0; k < f.contacts.n; k++)
        want += f.contacts.c[k] == row || f.contacts.a[k] == row;
    answer a = ask(v, (mrn_view_request){.path = "grain/1/4"});
    double mass = json_real_value(json_object_get(json_object_get(a.head, "values"), "mass"));
    assert_true(fabs(mass - f.mass[row]) < 1e-8 * f.mass[row]); /* nine digits are written */
    assert_int_equal(json_array_size(json_object_get(a.head, "contacts")), want);
    assert_true(want > 0);
    drop(&a);
    mrn_frame_destroy(&f);
    mrn_viewer_close(&v);
}

/* A cut line, a cell that is empty, a stage that is a word. */
static void probes(void **unused)
{
    (void)unused;
    int64_t n;
    mrn_viewer *v = opened();
    answer a = ask(v, (mrn_view_request){.path = "probes"});
    const double *e = array_of(&a, "kinetic-energy", &n), *stage = array_of(&a, "stage", &n);
    const double *last = array_of(&a, "<b>", &n);
    assert_int_equal(n, 3);
    assert_true(e[0] == 1.5 && e[1] == 2 && isnan(e[2]));
    assert_true(stage[0] == 0 && stage[1] == 0 && stage[2] == 1);
    assert_true(isnan(last[0]) && last[1] == 3 && last[2] == 4);
    drop(&a);
    mrn_viewer_close(&v);
}

static void what_is_not_there(void **unused)
{
    (void)unused;
    static const char *const path[] = {
        "frame/4",    "frame/-1",      "frame/",      "frame/1x",      "frame/99999999999999999999",
        "grain/0/77", "grain/0",       "grain/9/2",   "range/nothing", "range/",
        "modes",      "../probes.csv", "summary/../", "probes.csv",    "info/",
        "",           "/etc/passwd",   "frame/0/../", "frames",        "grain//2"};
    mrn_viewer *v = opened();
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++) {
        answer a = ask(v, (mrn_view_request){.path = path[i]});
        assert_int_equal(a.code, MRN_VIEW_MISSING);
        drop(&a);
    }
    mrn_viewer_close(&v);
}

/* A folder shows its own content alone. */
static void links(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_viewer *v = opened();
    char secret[] = "/tmp/moraine-secret-XXXXXX";
    int fd = mkstemp(secret);
    assert_true(fd >= 0 && write(fd, "{\"secret\": 1}", 13) == 13);
    close(fd);
    assert_int_equal(unlink(in_dir("summary.json")), 0);
    assert_int_equal(symlink(secret, in_dir("summary.json")), 0);
    assert_int_equal(symlink(secret, in_dir("modes.json")), 0);
    answer a = ask(v, (mrn_view_request){.path = "summary"});
    answer b = ask(v, (mrn_view_request){.path = "modes"});
    assert_int_equal(a.code, MRN_VIEW_MISSING);
    assert_int_equal(b.code, MRN_VIEW_MISSING);
    drop(&a), drop(&b);
    mrn_viewer_close(&v);
    assert_int_equal(rename(in_dir("trajectory.h5"), in_dir("other.h5")), 0);
    assert_int_equal(symlink(in_dir("other.h5"), in_dir("trajectory.h5")), 0);
    assert_int_equal(mrn_viewer_open(test_dir, NULL, &v, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "is a link"));
    assert_null(v);
    ok(mrn_viewer_open(in_dir("other.h5"), NULL, &v, &msg), &msg);
    mrn_viewer_close(&v);
    unlink(secret);
}

/* ---- the server ---- */

#ifdef MRN_TEST_HTTP
/* Sends raw bytes, returns the code of the answer; 0: the connection was closed without one. */
static int request(int port, const char *bytes, size_t n, char *answer_text, size_t room)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval wait = {.tv_sec = 600}; /* a busy machine answers late, and is no failure */
    int fd = socket(AF_INET, SOCK_STREAM, 0), code = 0;
    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    size_t used = 0;
    for (ssize_t got = 1; sent >= 0 && got > 0 && used + 1 < room;
         used += got > 0 ? (size_t)got : 0)
        got = recv(fd, answer_text + used, room - used - 1, 0);
    answer_text[used] = '\0';
    close(fd);
    sscanf(answer_text, "HTTP/1.1 %d", &code);
    return code;
}

static int get(mrn_viewer *v, const char *method, const char *path, const char *host)
{
    char text[2048], reply[8192];
    int n = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\n%s%s%sConnection: close\r\n\r\n", method,
                     path, host != NULL ? "Host: " : "", host != NULL ? host : "",
                     host != NULL ? "\r\n" : "");
    int code = request(v->port, text, (size_t)n, reply, sizeof reply);
    if (code == 200)
        assert_non_null(strstr(reply, "nosniff"));
    assert_null(strstr(reply, "root:")); /* of /etc/passwd */
    return code;
}

/* Whether somebody answers there. */
static bool answers(uint32_t address, int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(address)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    bool yes = connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
    close(fd);
    return yes;
}

static void refusals(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_viewer *v = opened();
    char host[64], path[256];
    ok(mrn_viewer_serve(v, 0, &msg), &msg);
    snprintf(host, sizeof host, "127.0.0.1:%d", v->port);
    snprintf(path, sizeof path, "/%s/info", v->token);
    assert_int_equal(strlen(v->token), 32);
    /* on this one address: not on all that the machine has, of which 127.0.0.2 is another */
    assert_true(answers(INADDR_LOOPBACK, v->port));
    assert_false(answers(INADDR_LOOPBACK + 1, v->port));
    assert_int_equal(get(v, "GET", path, host), 200);
    assert_true(mrn_viewer_idle(v) < 60);
    char local[64];
    snprintf(local, sizeof local, "localhost:%d", v->port);
    assert_int_equal(get(v, "GET", path, local), 200);
    /* names of others: a page elsewhere whose name leads here */
    static const char *const names[] = {
        "evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", "127.0.0.1.evil.example", ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(get(v, "GET", path, names[i]), 403);
    char other[128];
    snprintf(other, sizeof other, "evil.example:%d", v->port);
    assert_int_equal(get(v, "GET", path, other), 403);
    assert_true(get(v, "GET", path, NULL) >= 400);
    static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        assert_int_equal(get(v, methods[i], path, host), 405);
    /* tokens that are wrong in one place, too short, missing */
    snprintf(path, sizeof path, "/%s/info", v->token);
    path[1] = path[1] == 'a' ? 'b' : 'a';
    assert_int_equal(get(v, "GET", path, host), 403);
    snprintf(path, sizeof path, "/%.31s/info", v->token);
    assert_int_equal(get(v, "GET", path, host), 403);
    snprintf(path, sizeof path, "/%s", v->token);
    assert_int_equal(get(v, "GET", path, host), 403);
    assert_int_equal(get(v, "GET", "/", host), 403);
    assert_int_equal(get(v, "GET", "/info", host), 403);
    static const char *const tails[] = {"../../../../etc/passwd",
                                        "%2e%2e/%2e%2e/etc/passwd",
                                        "..%2fprobes.csv",
                                        "/etc/passwd",
                                        "probes.csv",
                                        "frame/0%00/../../etc/passwd",
                                        "file:///etc/passwd"};
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        snprintf(path, sizeof path, "/%s/%s", v->token, tails[i]);
        int code = get(v, "GET", path, host);
        assert_true(code == 404 || code == 400 || code == 403);
    }
    mrn_viewer_close(&v);
}

/* Requests with bytes changed, doubled and cut: the server goes on. */
static void fuzzed(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_viewer *v = opened();
    char good[512], bad[1024], reply[65536], path[128], host[64];
    mrn_rng rng = mrn_rng_seed(22, 0);
    ok(mrn_viewer_serve(v, 0, &msg), &msg);
    static const char *const asked[] = {"frame/1?field=speed&contacts=1&have=12", "grain/0/3",
                                        "range/speed", "status?from=2", "probes"};
    for (int i = 0; i < 600; i++) {
        int n = snprintf(good, sizeof good,
                         "GET /%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n",
                         v->token, asked[i % 5], v->port);
        memcpy(bad, good, (size_t)n);
        for (int k = 0; k < 1 + i % 6; k++)
            bad[mrn_rng_next(&rng) % (uint64_t)n] = (char)(mrn_rng_next(&rng) % 256);
        size_t cut = i % 7 == 0 ? mrn_rng_next(&rng) % (uint64_t)n + 1 : (size_t)n;
        if (i % 11 == 0) {
            memcpy(bad + cut, good, (size_t)n);
            cut += (size_t)n;
        }
        request(v->port, bad, cut, reply, sizeof reply);
    }
    snprintf(host, sizeof host, "127.0.0.1:%d", v->port);
    snprintf(path, sizeof path, "/%s/info", v->token);
    assert_int_equal(get(v, "GET", path, host), 200);
    mrn_viewer_close(&v);
}
#endif

/* ---- the exported page ---- */

static void exported(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_viewer *v = opened();
    mrn_viewer_export_options o = mrn_viewer_export_default();
    mrn_viewer_export_facts facts;
    size_t n;
    if (mrn_view_page_bytes == 0) {
        assert_int_equal(mrn_viewer_export(v, &o, in_dir("p.html"), &facts, &msg), MRN_ERR_INPUT);
        assert_non_null(strstr(msg.hint, "npm"));
    } else {
        ok(mrn_viewer_export(v, &o, in_dir("p.html"), &facts, &msg), &msg);
        char *text = slurp(in_dir("p.html"), &n);
        assert_int_equal(facts.frames, FRAMES);
        assert_true(facts.bytes == (double)n);
        assert_null(strstr(text, hostile));
        assert_non_null(strstr(text, "id=\"data:frame/3\""));
        assert_null(strstr(text, "id=\"data:frame/4\""));
        free(text);
        o.bytes = 1000;
        assert_int_equal(mrn_viewer_export(v, &o, in_dir("q.html"), &facts, &msg), MRN_ERR_INPUT);
        assert_true(access(in_dir("q.html"), F_OK) != 0);
    }
    mrn_viewer_close(&v);
}

/* ---- runs that go on ---- */

static const char pile[] =
    "moraine: 1\n"
    "materials: {stone: {density: 2600 kg/m3}}\n"
    "interactions: [{between: any, law: linear, contact-time: 1 ms, restitution: 0.5, friction: "
    "0.3}]\n"
    "bodies:\n"
    "  - {name: cubes, shape: {polyhedron: {regular: cube, diameter: 1 cm}},\n"
    "     place: {list: [[0, 0, 2 cm], [0, 0, 4 cm]]}}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "gravity: [0, 0, -9.81]\n"
    "stages: [{name: fall, until: {time: 4 ms}}]\n"
    "output: {every: 1 ms}\n";

/* Offered at another instant, when it is time again. */
static void publish_at(mrn_viewer *v, const mrn_scene *scene, mrn_state *s, double time)
{
    s->time = time;
    v->last_clock = -INFINITY;
    v->cost = 0;
    mrn_viewer_publish(v, scene, s);
}

static int64_t frames_told(mrn_viewer *v)
{
    answer a = ask(v, (mrn_view_request){.path = "status", .from = "0"});
    int64_t n = (int64_t)json_array_size(json_object_get(a.head, "times"));
    drop(&a);
    return n;
}

/* Frames of a run in this process: taken when it is time and something is new, thinned out when
   there are many, and those of its file when it is over. */
static void in_progress(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_scene scene;
    mrn_state s = {0};
    mrn_step_limit limit;
    mrn_engine e = {0};
    mrn_viewer *v = NULL;
    ok(mrn_scene_read_text(pile, "pile.yaml", NULL, 0, &scene, &msg), &msg);
    ok(mrn_run_prepare(&scene, &s, &limit, &msg), &msg);
    ok(mrn_engine_create(&scene, &s, NULL, &e, &msg), &msg);
    ok(mrn_viewer_live(&scene, &s, test_dir, &v, &msg), &msg);
    assert_true(mrn_view_running(v));
    for (int k = 1; k < 6; k++)
        publish_at(v, &scene, &s, 0.1 * k);
    publish_at(v, &scene, &s, 0.5); /* nothing new */
    s.time = 0.6;
    v->cost = 1e6;
    mrn_viewer_publish(v, &scene, &s); /* it costs the run too much */
    assert_int_equal(frames_told(v), 6);
    answer a = ask(v, (mrn_view_request){.path = "info"});
    const json_t *form = json_array_get(json_object_get(a.head, "forms"), 0);
    const json_t *faces = json_object_get(json_array_get(form, 0), "faces");
    assert_int_equal(json_array_size(faces), 6);
    assert_int_equal(json_array_size(json_array_get(faces, 0)), 4);
    drop(&a);
    const mrn_frame *f;
    ok(mrn_view_frame(v, 3, &f, &msg), &msg);
    assert_true(f->time == 0.1 * 3 && mrn_view_first(v)->time == 0);

    int64_t epoch = v->epoch;
    v->kept_bytes = 1e30;
    publish_at(v, &scene, &s, 0.7);
    assert_int_equal(v->n_kept, 4); /* 0, 0.2, 0.4 s and the new one */
    assert_true(v->kept[1].time == 0.2 && v->kept[3].time == 0.7 && v->epoch == epoch + 1);
    publish_at(v, &scene, &s, 0.8); /* each second one from now on */
    assert_int_equal(v->n_kept, 4);

    assert_int_equal(mrn_viewer_settle(v, &msg), MRN_ERR_IO); /* it has no file yet */
    assert_true(mrn_view_running(v) && v->n_kept == 4);
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    opt.out = test_dir;
    opt.overwrite = true;
    ok(mrn_run(&scene, &opt, &r, &msg), &msg);
    ok(mrn_viewer_settle(v, &msg), &msg);
    assert_false(mrn_view_running(v));
    assert_int_equal(frames_told(v), r.frames);
    assert_true(v->epoch == epoch + 2 && v->n_kept == 0);
    mrn_viewer_close(&v);
    mrn_engine_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

/* One more frame, behind those that are there or in a file of its own. */
static void write_more(double resume, int k)
{
    mrn_message msg = {0};
    mrn_trajectory *t = NULL;
    mrn_header c = sample_cast(3);
    mrn_frame f = sample_frame(k, 6, 5);
    ok(mrn_trajectory_create(test_dir, &c, resume, &t, &msg), &msg);
    ok(mrn_trajectory_append(t, &f, &msg), &msg);
    ok(mrn_trajectory_close(&t, &msg), &msg);
    mrn_frame_destroy(&f);
    mrn_header_destroy(&c);
}

/* A file that grows is followed; one that is made anew has other frames under the same numbers; one
   that cannot be read just now is looked at later. */
static void files_that_grow(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_viewer *v = opened();
    const mrn_frame *f;
    double last = mrn_view_time(v, FRAMES - 1);
    int64_t epoch = v->epoch;
    write_more(last, FRAMES);
    assert_int_equal(frames_told(v), FRAMES + 1);
    assert_true(v->epoch == epoch && mrn_view_first(v) != NULL);
    size_t size;
    char *whole = slurp(in_dir("trajectory.h5"), &size);
    spill(in_dir("trajectory.h5"), whole, size / 3);
    assert_int_equal(frames_told(v), FRAMES + 1);
    free(whole);
    unlink(in_dir("trajectory.h5"));
    write_more(NAN, 9);
    assert_int_equal(frames_told(v), 1);
    assert_int_equal(v->epoch, epoch + 1);
    ok(mrn_view_frame(v, 0, &f, &msg), &msg);
    mrn_frame want = sample_frame(9, 6, 5);
    assert_true(f->time == want.time && mrn_view_first(v)->time == want.time);
    mrn_frame_destroy(&want);
    mrn_viewer_close(&v);
}

/* Nothing is lost when memory ends at any point. */
static void no_memory(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_viewer *v = opened();
    static const char *const path[] = {"info", "frame/1", "grain/1/4", "probes", "range/load"};
    for (int i = 0; i < 5; i++) {
        mrn_view_request r = {.path = path[i], .field = "coordination", .contacts = "1"};
        for (int k = 1; k < 400; k++) {
            answer a = {0};
            mrn_alloc_fail_at(k);
            a.code = mrn_view_answer(v, &r, &a.text, &a.type);
            mrn_alloc_fail_at(0);
            mrn_free(a.text.s);
            if (a.code == MRN_VIEW_OK)
                break;
        }
    }
    mrn_viewer_close(&v);
    assert_int_equal(mrn_bytes_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frames_as_bytes, make_run, remove_dir),
        cmocka_unit_test_setup_teardown(what_rarely_changes, make_run, remove_dir),
        cmocka_unit_test_setup_teardown(words, make_run, remove_dir),
        cmocka_unit_test_setup_teardown(one_grain, make_run, remove_dir),
        cmocka_unit_test_setup_teardown(probes, make_run, remove_dir),
        cmocka_unit_test_setup_teardown(what_is_not_there, make_run, remove_dir),
        cmocka_unit_test_setup_teardown(links, make_run, remove_dir),
#ifdef MRN_TEST_HTTP
        cmocka_unit_test_setup_teardown(refusals, make_run, remove_dir),
        cmocka_unit_test_setup_teardown(fuzzed, make_run, remove_dir),
#endif
        cmocka_unit_test_setup_teardown(exported, make_run, remove_dir),
        cmocka_unit_test_setup_teardown(in_progress, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(files_that_grow, make_run, remove_dir),
        cmocka_unit_test_setup_teardown(no_memory, make_run, remove_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
