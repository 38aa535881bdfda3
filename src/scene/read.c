/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scene files: text to tree, tree against the tables, tree to scene, scene prepared. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "moraine/io.h"
#include "scene/build.h"
#include "scene/read.h"

/* ---- files ---- */

static mrn_status fail_file(const char *path, const char *why, mrn_status s, mrn_message *msg)
{
    mrn_fail(msg, s, "'%.400s' %s", path, why);
    mrn_fail_at(msg, path, 0, 0);
    return s;
}

static mrn_status load_stream(FILE *f, const char *path, size_t limit, char **text, size_t *n,
                              mrn_message *msg)
{
    int64_t capacity = 0;
    size_t got = 1;
    for (*n = 0; got > 0; *n += got) {
        if (*n > limit)
            return fail_file(path, "is too large for a text that people write", MRN_ERR_INPUT, msg);
        if (mrn_grow(text, &capacity, (int64_t)*n + 65536, 1) != MRN_OK)
            return mrn_fail_memory(msg);
        got = fread(*text + *n, 1, (size_t)capacity - *n - 1, f);
    }
    (*text)[*n] = '\0';
    if (!ferror(f))
        return MRN_OK;
    return fail_file(path, "cannot be read", MRN_ERR_IO, msg);
}

mrn_status mrn_file_load(const char *path, size_t limit, char **text, size_t *n, mrn_message *msg)
{
    struct stat info;
    *text = NULL;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return fail_file(path, "is a folder, not a file", MRN_ERR_IO, msg);
    FILE *f = mrn_open_input(path);
    if (f == NULL) {
        char why[160];
        snprintf(why, sizeof why, "cannot be opened: %s",
                 errno == ENOTSUP ? "it is a pipe or a device, not a file" : strerror(errno));
        return fail_file(path, why, MRN_ERR_IO, msg);
    }
    mrn_status s = load_stream(f, path, limit, text, n, msg);
    fclose(f);
    if (s != MRN_OK) {
        mrn_free(*text);
        *text = NULL;
    }
    return s;
}

/* ---- the scene ---- */

/* The dimension decides how long vectors are, so it is read before anything is checked. */
static int peek_dimension(const mrn_tree *t)
{
    const mrn_node *n = mrn_node_get(t->root, "dimension");
    return n != NULL && n->kind == MRN_NODE_SCALAR && strcmp(n->text, "2") == 0 ? 2 : 3;
}

/* All that has a row; and gravity, which gravity at the start follows from. */
static mrn_status build_head(mrn_reader *r)
{
    mrn_scene *scene = r->scene;
    mrn_status s = mrn_read_keys(&r->check, &mrn_schema_scene, r->root, scene);
    if (s == MRN_OK)
        s = mrn_build_gravity(r, mrn_node_get(r->root, "gravity"), scene->gravity_of);
    if (s == MRN_OK)
        scene->gravity = mrn_gravity_at(scene->gravity_of, (mrn_instant){0, 0});
    return s;
}

static mrn_status build_parts(mrn_reader *r)
{
    static mrn_status (*const part[])(mrn_reader *) = {
        build_head,         mrn_build_materials, mrn_build_interactions,
        mrn_build_clusters, mrn_build_bodies,    mrn_build_cell,
        mrn_build_walls,    mrn_build_outlets,   mrn_build_joints};
    mrn_scene *scene = r->scene;
    mrn_status s = MRN_OK;
    for (size_t i = 0; i < sizeof part / sizeof *part && s == MRN_OK; i++)
        s = part[i](r);
    if (s == MRN_OK)
        s = mrn_build_forces(r, mrn_node_get(r->root, "forces"), &scene->force, &scene->n_forces);
    if (s == MRN_OK)
        s = mrn_build_own_keys(r, &mrn_schema_scene, r->root, scene);
    return s == MRN_OK ? mrn_build_stages(r) : s;
}

/* Checks of the whole know no line, but the path to what they speak of. */
static mrn_status prepare(mrn_reader *r)
{
    mrn_message *msg = r->check.msg;
    mrn_status s = mrn_scene_prepare(r->scene, msg);
    if (s == MRN_OK || s == MRN_ERR_MEMORY)
        return s;
    if (msg->line > 0)
        return mrn_fail_at(msg, r->check.tree->file, msg->line, msg->column);
    const mrn_node *n = mrn_tree_find(r->check.tree, msg->path);
    msg->file[0] = '\0';
    return mrn_tree_place(r->check.tree, n->key != NULL ? n->key : n, msg);
}

static mrn_status build_scene(const mrn_check *c, const char *path, const char *text,
                              mrn_scene *scene)
{
    mrn_reader r = {.check = *c, .root = c->tree->root, .scene = scene};
    *scene = mrn_scene_default();
    r.check.inputs = &scene->inputs;
    mrn_status s = build_parts(&r);
    mrn_free(r.turn);
    if (s == MRN_OK && path != NULL && (scene->path = mrn_strdup(path)) == NULL)
        s = mrn_fail_memory(c->msg);
    if (s == MRN_OK && c->tree->n_set > 0)
        s = mrn_tree_text(c->tree, &scene->source, c->msg);
    else if (s == MRN_OK && (scene->source = mrn_strdup(text)) == NULL)
        s = mrn_fail_memory(c->msg);
    if (s == MRN_OK)
        s = prepare(&r);
    if (s != MRN_OK) {
        mrn_scene_destroy(scene);
        memset(scene, 0, sizeof *scene);
    }
    return s;
}

mrn_status mrn_scene_read_bytes(const mrn_scene_text *in, mrn_units *units, mrn_scene *scene,
                                mrn_message *msg)
{
    mrn_message own;
    mrn_tree tree = {.file = in->name, .set = in->set, .n_set = in->n_set};
    mrn_check c = {.tree = &tree, .units = units, .dimension = 3, .msg = msg != NULL ? msg : &own};
    memset(scene, 0, sizeof *scene);
    mrn_status s = mrn_tree_parse(&tree, in->text, in->n, c.msg);
    if (s == MRN_OK)
        s = mrn_check_head(&c, MRN_FILE_SCENE);
    if (s == MRN_OK)
        s = mrn_tree_apply_sets(&tree, c.msg);
    if (s == MRN_OK) {
        c.dimension = peek_dimension(&tree);
        s = mrn_check_all(&c, &mrn_schema_scene, tree.root, "a scene");
    }
    if (s == MRN_OK)
        s = build_scene(&c, in->path, in->text, scene);
    mrn_tree_destroy(&tree);
    return s;
}

static mrn_status read_all(const mrn_scene_text *in, mrn_scene *scene, mrn_message *msg)
{
    mrn_units *units;
    mrn_status s = mrn_units_open(&units, msg);
    if (s != MRN_OK)
        return s;
    s = mrn_scene_read_bytes(in, units, scene, msg);
    mrn_units_close(&units);
    return s;
}

mrn_status mrn_scene_read_text(const char *text, const char *name, const char *const *set,
                               int n_set, mrn_scene *scene, mrn_message *msg)
{
    mrn_scene_text in = {.text = text, .n = strlen(text), .name = name, .set = set, .n_set = n_set};
    memset(scene, 0, sizeof *scene);
    return read_all(&in, scene, msg);
}

mrn_status mrn_scene_read(const char *path, const char *const *set, int n_set, mrn_scene *scene,
                          mrn_message *msg)
{
    mrn_scene_text in = {.name = path, .path = path, .set = set, .n_set = n_set};
    char *text;
    memset(scene, 0, sizeof *scene);
    mrn_status s = mrn_file_load(path, MRN_SCENE_BYTES_MAX, &text, &in.n, msg);
    if (s != MRN_OK)
        return s;
    in.text = text;
    s = read_all(&in, scene, msg);
    mrn_free(text);
    return s;
}
