/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of a run: looked at before anything is computed, touched only when all is ready. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "run/parts.h"
#include "scene/check.h"
#include "store/files.h"

/* What a run leaves behind; the first of them found marks an earlier run. */
static const char *const files[] = {"summary.json",    "checkpoint.h5", "trajectory.h5",
                                    "trajectory.xdmf", "probes.csv",    "scene.yaml"};
enum { N_FILES = sizeof files / sizeof files[0] };

void mrn_folder_path(const char *dir, const char *name, char out[MRN_RUN_PATH])
{
    size_t n = strlen(dir);
    snprintf(out, MRN_RUN_PATH, "%s%s%s", dir, n > 0 && dir[n - 1] == '/' ? "" : "/", name);
}

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* The scene file itself may lie in the folder: it is the user's and is never replaced. */
static bool is_own_scene(const mrn_scene *scene, const char *path)
{
    struct stat a, b;
    return scene->path != NULL && stat(scene->path, &a) == 0 && stat(path, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static const char *earlier_run(const mrn_scene *scene, const char *dir)
{
    char path[MRN_RUN_PATH];
    for (int i = 0; i < N_FILES; i++) {
        mrn_folder_path(dir, files[i], path);
        if (exists(path) && !is_own_scene(scene, path))
            return files[i];
    }
    return NULL;
}

/* The lock lies on the folder itself: nothing is left behind, and the system lets go of it when the
   process ends, however it ends. Where the file system knows no locks the run goes on without. */
mrn_status mrn_folder_lock(const char *dir, int *lock, mrn_message *msg)
{
    if (dir == NULL || *lock >= 0)
        return MRN_OK;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return MRN_OK; /* not there yet, or not a folder: others say so */
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(fd);
        mrn_fail(msg, MRN_ERR_INPUT, "another run is writing in the folder %s", dir);
        return mrn_fail_hint(msg, "wait until it ends or stop it; --out DIR takes another folder");
    }
    *lock = fd;
    return MRN_OK;
}

void mrn_folder_unlock(int *lock)
{
    if (*lock >= 0)
        close(*lock);
    *lock = -1;
}

/* Cuts the last part off a path; false when nothing is left to try. */
static bool to_parent(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL) {
        bool more = strcmp(path, ".") != 0;
        strcpy(path, ".");
        return more;
    }
    if (slash == path) {
        bool more = path[1] != '\0';
        path[1] = '\0';
        return more;
    }
    *slash = '\0';
    return true;
}

/* The folder, or the nearest parent there is, must be a folder one may write in. */
static mrn_status check_writable(const char *dir, mrn_message *msg)
{
    char path[MRN_RUN_PATH];
    struct stat st;
    snprintf(path, sizeof path, "%s", dir);
    while (stat(path, &st) != 0) {
        if ((errno != ENOENT && errno != EACCES) || !to_parent(path)) {
            mrn_fail(msg, MRN_ERR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
            return mrn_fail_hint(msg, "choose another folder with --out");
        }
    }
    if (!S_ISDIR(st.st_mode)) {
        mrn_fail(msg, MRN_ERR_IO, "cannot make the folder %s: %s is a file", dir, path);
        return mrn_fail_hint(msg, "choose another folder with --out");
    }
    if (access(path, W_OK | X_OK) != 0) {
        mrn_fail(msg, MRN_ERR_IO, "cannot write in the folder %s: %s", path, strerror(errno));
        return mrn_fail_hint(msg, "choose another folder with --out");
    }
    return MRN_OK;
}

static mrn_status check_earlier(const mrn_scene *scene, const mrn_run_options *opt,
                                mrn_message *msg)
{
    const char *found = opt->resume || opt->overwrite ? NULL : earlier_run(scene, opt->out);
    if (found == NULL)
        return MRN_OK;
    char path[MRN_RUN_PATH];
    mrn_folder_path(opt->out, "checkpoint.h5", path);
    mrn_fail(msg, MRN_ERR_INPUT, "%s holds an earlier run (%s)", opt->out, found);
    return mrn_fail_hint(msg, "%s--force replaces it, --out DIR takes another folder",
                         exists(path) ? "--resume goes on with it, " : "");
}

/* A pipe in the place of one of the files would be waited for. */
static mrn_status check_files(const char *dir, mrn_message *msg)
{
    char path[MRN_RUN_PATH];
    struct stat st;
    for (int i = 0; i < N_FILES; i++) {
        mrn_folder_path(dir, files[i], path);
        if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
            mrn_fail(msg, MRN_ERR_INPUT, "%s is a pipe or a device, not a file", path);
            return mrn_fail_hint(msg, "remove it, or choose another folder with --out");
        }
    }
    return MRN_OK;
}

mrn_status mrn_folder_check(const mrn_scene *scene, const mrn_run_options *opt, mrn_message *msg)
{
    if (opt->out == NULL)
        return MRN_OK;
    /* room for the longest name a run puts behind it */
    if (opt->out[0] == '\0' || strlen(opt->out) > MRN_RUN_PATH - 64)
        return mrn_fail(msg, MRN_ERR_RANGE, "the name of the output folder is %s",
                        opt->out[0] == '\0' ? "empty" : "too long");
    char path[MRN_RUN_PATH];
    mrn_folder_path(opt->out, "checkpoint.h5", path);
    if (opt->resume && !exists(path)) {
        mrn_fail(msg, MRN_ERR_INPUT, "there is nothing to resume: %s does not exist", path);
        return mrn_fail_hint(msg,
                             "name the folder of the run with --out, or start without --resume");
    }
    mrn_status st = check_earlier(scene, opt, msg);
    if (st == MRN_OK)
        st = check_files(opt->out, msg);
    return st == MRN_OK ? check_writable(opt->out, msg) : st;
}

static mrn_status make_folder(const char *dir, mrn_message *msg)
{
    char path[MRN_RUN_PATH];
    snprintf(path, sizeof path, "%s", dir);
    for (char *p = path + 1;; p++) {
        char c = *p;
        if (c != '/' && c != '\0')
            continue;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            mrn_fail(msg, MRN_ERR_IO, "cannot make the folder %s: %s: %s", dir, path,
                     strerror(errno));
            return mrn_fail_hint(msg, "choose another folder with --out");
        }
        *p = c;
        if (c == '\0')
            return MRN_OK;
    }
}

/* Does the scene lie in this folder? What it names is found from there then. */
static bool is_beside(const mrn_scene *scene, const char *dir)
{
    char path[1100];
    struct stat a, b;
    snprintf(path, sizeof path, "%s", scene->path != NULL ? scene->path : "");
    char *slash = strrchr(path, '/');
    snprintf(slash != NULL ? slash + 1 : path, 2, ".");
    return stat(path, &a) == 0 && stat(dir, &b) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

/* One file, whole or not at all. */
static mrn_status copy_file(const char *from, const char *to, mrn_message *msg)
{
    char block[1 << 14];
    FILE *f = mrn_open_input(from);
    if (f == NULL) /* gone since it was read: the run has what it needs */
        return MRN_OK;
    mrn_atomic_file file;
    mrn_status st = mrn_atomic_open(to, &file, msg);
    for (size_t n = 1; st == MRN_OK && n > 0;) {
        n = fread(block, 1, sizeof block, f);
        if (fwrite(block, 1, n, file.f) != n)
            st = mrn_fail_file(msg, to, "cannot write", errno);
        if (st != MRN_OK)
            mrn_atomic_abandon(&file);
    }
    fclose(f);
    return st == MRN_OK ? mrn_atomic_commit(&file, msg) : st;
}

/* A folder that is to be complete has copies of the files which its scene names. */
static mrn_status save_inputs(const mrn_scene *scene, const char *dir, mrn_message *msg)
{
    char path[MRN_RUN_PATH], name[160], written[1100], from[1100];
    mrn_status st = MRN_OK;
    const char *p = scene->inputs != NULL && !is_beside(scene, dir) ? scene->inputs : "";
    mrn_folder_path(dir, "inputs", path);
    if (*p != '\0' && mkdir(path, 0777) != 0 && errno != EEXIST)
        return mrn_fail_file(msg, path, "cannot make the folder", errno);
    for (int n = 0; st == MRN_OK && sscanf(p, "%1099[^\n]\n%1099[^\n]\n%n", written, from, &n) == 2;
         p += n) {
        mrn_input_copy_name(written, name, sizeof name);
        mrn_folder_path(dir, name, path);
        struct stat a, b;
        bool same = stat(from, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino &&
                    a.st_dev == b.st_dev;
        if (!same)
            st = copy_file(from, path, msg);
        if (n == 0)
            break;
    }
    return st;
}

mrn_status mrn_folder_keep_scene(const mrn_scene *scene, const char *dir, int64_t step,
                                 mrn_message *msg)
{
    char from[MRN_RUN_PATH], to[MRN_RUN_PATH], name[64];
    snprintf(name, sizeof name, "scene-until-%lld.yaml", (long long)step);
    mrn_folder_path(dir, "scene.yaml", from);
    mrn_folder_path(dir, name, to);
    return exists(from) && !is_own_scene(scene, from) ? copy_file(from, to, msg) : MRN_OK;
}

mrn_status mrn_folder_save_scene(const mrn_scene *scene, const char *dir, mrn_message *msg)
{
    char path[MRN_RUN_PATH];
    mrn_folder_path(dir, "scene.yaml", path);
    if (scene->source == NULL || is_own_scene(scene, path))
        return MRN_OK;
    mrn_atomic_file file;
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status != MRN_OK)
        return status;
    if (fputs(scene->source, file.f) < 0) {
        mrn_atomic_abandon(&file);
        return mrn_fail(msg, MRN_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    }
    status = mrn_atomic_commit(&file, msg);
    return status == MRN_OK ? save_inputs(scene, dir, msg) : status;
}

/* Folders inside: only files that a run writes there are removed, then the folder if it is empty.
 */
static bool is_ours(const char *name)
{
    static const char *const known[] = {"report.txt", "report.json", "scene.yaml", "last-good.h5"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i]) == 0)
            return true;
    if (strspn(name, "0123456789abcdef") >= 8 && name[8] == '-') /* copies of inputs */
        return true;
    if (strncmp(name, "step-", 5) == 0) /* of a contact problem; -2, … when a step has several */
        return strspn(name + 5, "0123456789-") + 5 + strlen(".hdf5") == strlen(name) &&
               strcmp(name + strlen(name) - strlen(".hdf5"), ".hdf5") == 0;
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && strcmp(name + digits, ".vti") == 0;
}

static void clear_inner(const char *dir, const char *name)
{
    char inner[MRN_RUN_PATH];
    mrn_folder_path(dir, name, inner);
    DIR *d = opendir(inner);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        if (is_ours(e->d_name))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d != NULL)
        closedir(d);
    rmdir(inner);
}

mrn_status mrn_folder_open(const mrn_scene *scene, const mrn_run_options *opt, int *lock,
                           mrn_message *msg)
{
    bool held = *lock >= 0;
    mrn_status status = make_folder(opt->out, msg);
    if (status == MRN_OK)
        status = mrn_folder_lock(opt->out, lock, msg);
    if (status == MRN_OK && !held) /* another run may have come and gone since it was looked at */
        status = check_earlier(scene, opt, msg);
    for (int i = 0; status == MRN_OK && !opt->resume && i < N_FILES; i++) {
        char path[MRN_RUN_PATH];
        mrn_folder_path(opt->out, files[i], path);
        if (!is_own_scene(scene, path) && unlink(path) != 0 && errno != ENOENT)
            status = mrn_fail(msg, MRN_ERR_IO, "cannot remove %s: %s", path, strerror(errno));
    }
    static const char *const inner[] = {"fields", "unsolved", "problems", "inputs"};
    for (int i = 0; status == MRN_OK && !opt->resume && i < 4; i++)
        if (i < 3 || !is_beside(scene, opt->out))
            clear_inner(opt->out, inner[i]);
    if (status == MRN_OK)
        clear_inner(opt->out, "postmortem"); /* of an explosion that is repeated or mended */
    return status;
}
