/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine view: a run in the browser, or as one page to be mailed. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "moraine/view.h"
#include "session.h"
#include "viewing.h"

static const mrn_app_page page = {
    .usage = "view DIR|FILE [options]",
    .doc =
        "Opens a page in the browser with the grains of a run in space: play it, colour it by any\n"
        "field, cut it open, pick a grain, see force chains and all probes over time. DIR is the\n"
        "folder of a run (one that still goes on, too), FILE its trajectory.h5. The page comes\n"
        "from this machine alone, to whoever has the address with its token; nothing is fetched\n"
        "from the network. Ctrl-C ends it.\n"
        "--export writes one file of HTML with page and data, to be mailed or kept.",
    .examples = "moraine view out/beads\n"
                "moraine view out/beads --export beads.html --size 10\n"
                "moraine view out/beads --no-browser --port 8080\n"
                "moraine analyze out/packing --rigidity --modes out/packing/modes.json && "
                "moraine view out/packing",
};

typedef struct options {
    const char *path, *modes, *export;
    int64_t port;
    double megabytes;
    mrn_app_list fields;
    bool no_browser, contacts;
} options;

static int parse(int argc, char **argv, options *o)
{
    const mrn_app_option table[] = {
        {.name = "export",
         .letter = 'e',
         .kind = MRN_OPT_TEXT,
         .target = &o->export,
         .arg = "FILE.html",
         .doc = "Write one page that holds everything and works without a server."},
        {.name = "size",
         .kind = MRN_OPT_NUMBER,
         .target = &o->megabytes,
         .arg = "MB",
         .min = 1,
         .max = 2000,
         .doc = "Largest size of the exported page; frames are left out evenly to stay below. "
                "Else 20."},
        {.name = "field",
         .kind = MRN_OPT_LIST,
         .target = &o->fields,
         .arg = "NAME",
         .doc = "A field the exported page can colour by; may be given many times. Else speed and "
                "group."},
        {.name = "contacts",
         .kind = MRN_OPT_FLAG,
         .target = &o->contacts,
         .doc = "Force chains in the exported page, where the run stored contacts."},
        {.name = "modes",
         .kind = MRN_OPT_TEXT,
         .target = &o->modes,
         .arg = "FILE.json",
         .doc = "Mechanisms or unstable modes to animate, of `moraine analyze --modes FILE.json`. "
                "Else modes.json of the folder, where it is there."},
        {.name = "port",
         .letter = 'p',
         .kind = MRN_OPT_INTEGER,
         .target = &o->port,
         .arg = "N",
         .min = 1,
         .max = 65535,
         .doc = "Port on 127.0.0.1; else one that is free."},
        {.name = "no-browser",
         .kind = MRN_OPT_FLAG,
         .target = &o->no_browser,
         .doc = "Print the address alone."},
    };
    int n, code = mrn_app_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &o->path,
                                1, &n);
    if (code < 0 && n == 0)
        return mrn_app_usage("view", "which run? Name its folder");
    return code;
}

void mrn_viewing_browser(const char *address)
{
    if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
        return;
    pid_t child = fork();
    if (child != 0) {
        if (child > 0)
            waitpid(child, NULL, 0);
        return;
    }
    if (fork() == 0) { /* nobody waits for the browser */
        if (freopen("/dev/null", "w", stdout) != NULL && freopen("/dev/null", "w", stderr) != NULL)
            execlp("xdg-open", "xdg-open", address, (char *)NULL);
        _exit(127);
    }
    _exit(0);
}

void mrn_viewing_say(FILE *f, const char *address)
{
    fprintf(f, "Look at  %s%s%s\n", mrn_app_style_code(f, MRN_BOLD), address,
            mrn_app_style_code(f, MRN_PLAIN));
    fflush(f);
}

static int export_page(mrn_viewer *v, const options *o)
{
    mrn_message msg = {0};
    mrn_viewer_export_options e = mrn_viewer_export_default();
    mrn_viewer_export_facts facts;
    if (o->megabytes > 0)
        e.bytes = 1e6 * o->megabytes;
    e.fields = o->fields.item;
    e.n_fields = o->fields.n;
    e.contacts = o->contacts;
    if (mrn_viewer_export(v, &e, o->export, &facts, &msg) != MRN_OK)
        return mrn_app_report(&msg);
    printf("%s: %lld of %lld frames, %.2f MB\n", o->export, (long long)facts.frames,
           (long long)facts.of, 1e-6 * facts.bytes);
    return MRN_EXIT_OK;
}

static int serve(mrn_viewer *v, const options *o)
{
    mrn_message msg = {0};
    if (mrn_viewer_able(true, true, &msg) != MRN_OK ||
        mrn_viewer_serve(v, (int)o->port, &msg) != MRN_OK)
        return mrn_app_report(&msg);
    const volatile sig_atomic_t *stop = mrn_session_watch_signals();
    mrn_viewing_say(stdout, mrn_viewer_address(v));
    printf("Ctrl-C ends.\n");
    fflush(stdout);
    if (!o->no_browser)
        mrn_viewing_browser(mrn_viewer_address(v));
    while (!*stop)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    return MRN_EXIT_OK;
}

int mrn_cmd_view(int argc, char **argv)
{
    options o = {0};
    mrn_message msg = {0};
    mrn_viewer *v = NULL;
    int code = parse(argc, argv, &o);
    if (code >= 0)
        return code;
    if (o.export == NULL && (o.fields.n > 0 || o.contacts || o.megabytes > 0))
        return mrn_app_usage("view", "--size, --field and --contacts need --export");
    if (mrn_viewer_open(o.path, o.modes, &v, &msg) != MRN_OK)
        return mrn_app_report(&msg);
    code = o.export != NULL ? export_page(v, &o) : serve(v, &o);
    mrn_viewer_close(&v);
    return code;
}
