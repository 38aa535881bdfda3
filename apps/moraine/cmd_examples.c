/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine examples: list those that came with the program, copy one to work on. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"
#include "examples.h"

#define PATH_ROOM     2048
#define MOST_EXAMPLES 256

/* ---- where they are ---- */

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Cuts the last part off a path. */
static void up(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash != NULL)
        *slash = '\0';
}

/* Beside the program: installed as PREFIX/bin/moraine, or built in a folder inside the sources. */
static bool beside_program(char *path, size_t size)
{
    static const char *const places[] = {"share/moraine/examples", "examples", "../examples"};
    char program[PATH_ROOM];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0)
        return false;
    program[n] = '\0';
    up(program);
    up(program);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char place[PATH_ROOM + 64], *clean;
        snprintf(place, sizeof place, "%s/%s", program, places[i]);
        if (!is_folder(place))
            continue;
        clean = realpath(place, NULL); /* without the .., it is shown to people */
        snprintf(path, size, "%s", clean != NULL ? clean : place);
        free(clean);
        return true;
    }
    return false;
}

/* In the sources this program was built from. */
static bool in_sources(char *path, size_t size)
{
    char source[PATH_ROOM];
    snprintf(source, sizeof source, "%s", __FILE__);
    for (int i = 0; i < 3; i++)
        up(source);
    snprintf(path, size, "%s/examples", source);
    return source[0] == '/' && is_folder(path);
}

bool mrn_examples_folder(char *path, size_t size)
{
    const char *given = getenv("MORAINE_EXAMPLES");
    if (given != NULL && given[0] != '\0') {
        snprintf(path, size, "%s", given);
        return is_folder(path);
    }
    return beside_program(path, size) || in_sources(path, size);
}

/* ---- list ---- */

/* The text after "title:" in a scene, without quotes; "" when there is none. */
static void read_title(const char *path, char *title, size_t size)
{
    title[0] = '\0';
    FILE *f = mrn_app_is_file(path) ? fopen(path, "r") : NULL;
    char line[512];
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, "title:", 6) != 0)
            continue;
        char *text = line + 6 + strspn(line + 6, " \"'");
        text[strcspn(text, "\"\n")] = '\0';
        snprintf(title, size, "%s", text);
        break;
    }
    if (f != NULL)
        fclose(f);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The file of an example: a scene, an experiment of the lab, or a calibration; which of them, or
   NULL: it has none. */
static const char *file_of(const char *folder, const char *name, char *path, size_t size)
{
    static const char *const kind[] = {"scene", "experiment", "calibration"};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        int n = snprintf(path, size, "%s/%s/%s.yaml", folder, name, kind[i]);
        if (n < (int)size && is_file(path))
            return kind[i];
    }
    return NULL;
}

/* Names of the folders that hold one, sorted; the caller frees them. */
static int list_names(const char *folder, char *name[MOST_EXAMPLES])
{
    int n = 0;
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir != NULL && n < MOST_EXAMPLES && (entry = readdir(dir)) != NULL) {
        char path[PATH_ROOM];
        if (entry->d_name[0] != '.' && file_of(folder, entry->d_name, path, sizeof path) != NULL)
            name[n++] = strdup(entry->d_name);
    }
    if (dir != NULL)
        closedir(dir);
    qsort(name, (size_t)n, sizeof *name, by_name);
    return n;
}

/* Returns what it is. */
static const char *title_of(const char *folder, const char *name, char path[2 * PATH_ROOM],
                            char title[512])
{
    const char *kind = file_of(folder, name, path, 2 * PATH_ROOM);
    read_title(path, title, 512);
    return kind != NULL ? kind : "scene";
}

static int show_json(const char *folder, char **name, int n)
{
    json_t *all = json_array();
    for (int i = 0; i < n; i++) {
        char path[2 * PATH_ROOM], title[512];
        const char *kind = title_of(folder, name[i], path, title);
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:s}", "name", name[i], "title", title, kind, path));
    }
    return mrn_app_json(all);
}

static int show_list(const char *folder, char **name, int n)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 2, (const char *[]){"example", "what it shows"});
    for (int i = 0; i < n; i++) {
        char path[2 * PATH_ROOM], title[512];
        title_of(folder, name[i], path, title);
        mrn_app_table_row(&t, (const char *[]){name[i], title});
    }
    mrn_app_table_print(&t, stdout);
    printf("\nThey are in %s.\n`moraine examples copy NAME` copies one here; `moraine run "
           "%s/NAME/scene.yaml` "
           "runs it.\nThose that begin with lab- are experiments: `moraine compare "
           "%s/NAME/experiment.yaml`, or collide, fit.\nThose that begin with calibrate- find "
           "parameters of scenes: `moraine calibrate %s/NAME/calibration.yaml`.\n",
           folder, folder, folder, folder);
    return MRN_EXIT_OK;
}

/* ---- copy ---- */

static int copy_error(const char *path)
{
    bool there = errno == EEXIST;
    fprintf(stderr, "moraine examples: error: %s: %s\n", path, strerror(errno));
    if (there)
        fprintf(stderr, "  hint: name another folder: moraine examples copy NAME DIR\n");
    return MRN_EXIT_USAGE;
}

static int copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = in != NULL ? fopen(to, "wbx") : NULL;
    int code = MRN_EXIT_OK;
    char block[16384];
    size_t n;
    if (in == NULL || out == NULL)
        code = copy_error(in == NULL ? from : to);
    while (code == MRN_EXIT_OK && (n = fread(block, 1, sizeof block, in)) > 0) {
        if (fwrite(block, 1, n, out) != n)
            code = copy_error(to);
    }
    if (in != NULL)
        fclose(in);
    if (out != NULL && fclose(out) != 0 && code == MRN_EXIT_OK)
        code = copy_error(to);
    return code;
}

static int copy_folder(const char *from, const char *to)
{
    if (mkdir(to, 0777) != 0)
        return copy_error(to);
    DIR *dir = opendir(from);
    if (dir == NULL)
        return copy_error(from);
    int code = MRN_EXIT_OK;
    struct dirent *entry;
    while (code == MRN_EXIT_OK && (entry = readdir(dir)) != NULL) {
        char source[PATH_ROOM], target[PATH_ROOM];
        if (entry->d_name[0] == '.' ||
            snprintf(source, sizeof source, "%s/%s", from, entry->d_name) >= PATH_ROOM ||
            snprintf(target, sizeof target, "%s/%s", to, entry->d_name) >= PATH_ROOM)
            continue;
        if (is_folder(source))
            code = copy_folder(source, target);
        else if (is_file(source))
            code = copy_file(source, target);
    }
    closedir(dir);
    return code;
}

static int copy_example(const char *folder, char **names, int n, const char *name, const char *to)
{
    bool known = false;
    for (int i = 0; i < n; i++)
        known = known || strcmp(names[i], name) == 0;
    if (!known) {
        const char *meant = mrn_closest_word(name, (const char *const *)names, n);
        if (meant != NULL)
            return mrn_app_usage("examples", "there is no example \"%s\"; did you mean \"%s\"?",
                                 name, meant);
        return mrn_app_usage("examples", "there is no example \"%s\"", name);
    }
    char from[2 * PATH_ROOM];
    snprintf(from, sizeof from, "%s/%s", folder, name);
    int code = copy_folder(from, to);
    char path[2 * PATH_ROOM];
    const char *kind = file_of(folder, name, path, sizeof path);
    if (code == MRN_EXIT_OK && kind != NULL)
        printf("copied to %s; next: moraine %s %s/%s.yaml\n", to,
               strcmp(kind, "scene") == 0        ? "run"
               : strcmp(kind, "experiment") == 0 ? "collide"
                                                 : "calibrate",
               to, kind);
    return code;
}

int mrn_cmd_examples(int argc, char **argv)
{
    bool json = false;
    const mrn_app_page page = {
        .usage = "examples [copy NAME [DIR]] [--json]",
        .doc = "Without arguments: the list. `copy NAME` copies an example into the folder NAME "
               "(or DIR), to change\n"
               "it. The environment variable MORAINE_EXAMPLES names another folder of examples.",
        .examples = "moraine examples\nmoraine examples copy rotating-drum drum\n"
                    "moraine run drum/scene.yaml"};
    const mrn_app_option options[] = {
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &json, .doc = "Print the list as JSON."},
    };
    const char *word[3] = {0};
    int n, code = mrn_app_parse(&page, options, 1, argc, argv, word, 3, &n);
    if (code >= 0)
        return code;
    if (n > 0 && strcmp(word[0], "copy") != 0)
        return mrn_app_usage("examples", "\"%s\"? Only `copy NAME` is known", word[0]);
    if (n == 1)
        return mrn_app_usage("examples", "copy which one? `moraine examples` lists them");
    char folder[PATH_ROOM];
    if (!mrn_examples_folder(folder, sizeof folder)) {
        fputs("moraine examples: error: the examples were not found\n  hint: name their folder in "
              "MORAINE_EXAMPLES\n",
              stderr);
        return MRN_EXIT_FAILED;
    }
    char *names[MOST_EXAMPLES];
    int n_names = list_names(folder, names);
    if (n > 0)
        code = copy_example(folder, names, n_names, word[1], n == 3 ? word[2] : word[1]);
    else
        code = json ? show_json(folder, names, n_names) : show_list(folder, names, n_names);
    for (int i = 0; i < n_names; i++)
        free(names[i]);
    return code;
}
