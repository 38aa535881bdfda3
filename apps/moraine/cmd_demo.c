/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine demo: the flagship example, run and drawn, with no arguments. */
#include <string.h>

#include "examples.h"
#include "session.h"

#define MOST_ARGS 16

/* How the two pictures are drawn: options of `moraine picture` besides the file. */
static const char *const still_look[] = {"--size", "1280x800", "--view", "40,28"};
static const char *const film_look[] = {"--animate", "--size", "640x400",       "--view", "40,28",
                                        "--fps",     "24",     "--supersample", "2"};

/* `moraine picture DIR --out FILE LOOK…`. */
static int draw(const char *dir, const char *file, const char *const *look, int n_look)
{
    char *args[MOST_ARGS] = {"picture", (char *)dir, "--out", (char *)file};
    int n = 4;
    for (int i = 0; i < n_look && n < MOST_ARGS - 1; i++)
        args[n++] = (char *)look[i];
    fputs("  ", stdout);
    fflush(stdout);
    return mrn_cmd_picture(n, args);
}

static int draw_all(const char *dir, const char *still, const char *film)
{
    printf("\n%sDrawing%s\n", mrn_app_style_code(stdout, MRN_BOLD),
           mrn_app_style_code(stdout, MRN_PLAIN));
    int code = draw(dir, still, still_look, sizeof still_look / sizeof still_look[0]);
    if (code == MRN_EXIT_OK)
        code = draw(dir, film, film_look, sizeof film_look / sizeof film_look[0]);
    return code;
}

static void print_next(const char *scene, const char *dir, const char *still, const char *film)
{
    const char *bold = mrn_app_style_code(stdout, MRN_BOLD);
    const char *plain = mrn_app_style_code(stdout, MRN_PLAIN), *me = mrn_app_own_name();
    printf("\n%sLook at it%s\n", bold, plain);
    printf("  picture   %s\n", still);
    printf("  film      %s (open it in a browser)\n", film);
    printf("  numbers   %s/probes.csv, %s/summary.json\n", dir, dir);
    printf("  ParaView  %s/trajectory.xdmf\n", dir);
    printf("\n%sWhat to try next%s\n", bold, plain);
    printf("  %s check %s\n", me, scene);
    printf("  %s picture %s --colour-by displacement --view front\n", me, dir);
    printf("  %s examples\n", me);
    printf("  %s examples copy demo my-scene    then change my-scene/scene.yaml and run it\n", me);
}

static int no_examples(void)
{
    fputs("moraine demo: error: the examples were not found\n"
          "  hint: name their folder in MORAINE_EXAMPLES\n",
          stderr);
    return MRN_EXIT_FAILED;
}

static int demo(const char *out, bool json, bool all_threads)
{
    char folder[1024], scene[1100], still[1100], film[1100];
    if (!mrn_examples_folder(folder, sizeof folder))
        return no_examples();
    snprintf(scene, sizeof scene, "%s/demo/scene.yaml", folder);
    snprintf(still, sizeof still, "%s/demo.png", out);
    snprintf(film, sizeof film, "%s/demo-film.png", out);
    mrn_session session = {.scene_path = scene,
                           .out = out,
                           .overwrite = true,
                           .json = json,
                           .all_threads = all_threads,
                           .no_hints = true};
    int code = mrn_session_run(&session);
    if (code != MRN_EXIT_OK || json)
        return code;
    code = draw_all(out, still, film);
    if (code == MRN_EXIT_OK)
        print_next(scene, out, still, film);
    return code;
}

int mrn_cmd_demo(int argc, char **argv)
{
    const char *out = "demo";
    int64_t threads = 0;
    bool json = false;
    const mrn_app_page page = {.usage = "demo [options]",
                               .doc =
                                   "Runs the flagship example into the folder ./demo (an earlier "
                                   "demo there is replaced),\n"
                                   "draws a picture and a film of it and says where everything is.",
                               .examples = "moraine demo"};
    const mrn_app_option options[] = {
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &out,
         .arg = "DIR",
         .doc = "Another folder."},
        {.name = "threads",
         .letter = 't',
         .kind = MRN_OPT_INTEGER,
         .target = &threads,
         .arg = "N",
         .min = 1,
         .max = MRN_THREADS_MOST,
         .doc = "Threads; else one per core."},
        {.name = "json",
         .kind = MRN_OPT_FLAG,
         .target = &json,
         .doc = "Run only, and print the summary as JSON."},
    };
    int n, code = mrn_app_parse(&page, options, 3, argc, argv, NULL, 0, &n);
    if (code >= 0)
        return code;
    if (threads > 0)
        mrn_threads_set((int)threads);
    return demo(out, json, threads > 0);
}
