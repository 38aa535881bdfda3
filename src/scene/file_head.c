/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of a file: whether it is of the kind that is wanted, and of a version that is known. */
#include <string.h>

#include "base/base.h"
#include "scene/check.h"

/* Every kind has a key that the others never have. */
static const struct {
    const char *what, *key, *expected, *hint;
} kinds[] = {
    [MRN_FILE_SCENE] = {"a scene", "bodies", "a file with the key 'bodies'",
                        "`moraine run` runs scenes"},
    [MRN_FILE_LAB] = {"a file of the lab", "collision", "a file with the key 'collision'",
                      "`moraine collide`, compare, sensitivity and fit read it"},
    [MRN_FILE_CALIBRATION] = {"a calibration", "tests",
                              "a file with the keys 'parameters' and 'tests'",
                              "`moraine calibrate` finds parameters of scenes"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static mrn_status check_kind(const mrn_check *c, mrn_file_kind kind)
{
    const mrn_node *root = c->tree->root;
    for (int k = 0; k < KINDS && mrn_node_get(root, kinds[kind].key) == NULL; k++) {
        const mrn_node *n = mrn_node_get(root, kinds[k].key);
        if (n == NULL)
            continue;
        mrn_check_fail(c, n->key, kinds[kind].expected, "this is %s, not %s", kinds[k].what,
                       kinds[kind].what);
        return mrn_fail_hint(c->msg, "%s", kinds[k].hint);
    }
    return MRN_OK;
}

mrn_status mrn_check_head(const mrn_check *c, mrn_file_kind kind)
{
    const mrn_node *root = c->tree->root, *n = mrn_node_get(root, "moraine");
    if (root->kind != MRN_NODE_MAP) {
        mrn_check_fail(c, root, "keys and values, beginning with `moraine: 1`", "%s cannot be %s",
                       kinds[kind].what, mrn_node_kind_text(root));
        return mrn_fail_hint(c->msg, "`moraine examples` shows some to start from");
    }
    if (n == NULL || n->kind != MRN_NODE_SCALAR || strcmp(n->text, "1") == 0)
        return check_kind(c, kind); /* the tables find what else is wrong */
    mrn_check_fail(c, n, "1", "format '%.20s' is not known to this version", n->text);
    return mrn_fail_hint(c->msg, "this is moraine %s; a newer one may read it", MRN_VERSION);
}
