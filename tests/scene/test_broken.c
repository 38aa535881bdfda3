/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every file of tests/scenes/broken: refused as bad input, with the place and the words that its
   first line announces (`# expect: LINE:COLUMN words | more words`), and with a cure. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"

#define FOLDER MRN_TEST_SOURCE "/tests/scenes/broken"

static bool says(const mrn_message *msg, const char *words)
{
    return strstr(msg->text, words) != NULL || strstr(msg->expected, words) != NULL ||
           strstr(msg->hint, words) != NULL;
}

static void check_words(const char *name, const mrn_message *msg, char *words)
{
    while (words != NULL) {
        char *bar = strstr(words, " | ");
        if (bar != NULL)
            *bar = '\0';
        words[strcspn(words, "\n")] = '\0';
        if (!says(msg, words))
            fail_msg("%s: no '%s' in: %s / %s / %s", name, words, msg->text, msg->expected,
                     msg->hint);
        words = bar != NULL ? bar + 3 : NULL;
    }
}

static void check_file(const char *name)
{
    char path[1024], head[1024] = "";
    snprintf(path, sizeof path, FOLDER "/%s", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(head, sizeof head, f));
    fclose(f);
    int line, column, used = 0;
    if (sscanf(head, "# expect: %d:%d %n", &line, &column, &used) < 2 || used == 0)
        fail_msg("%s: no '# expect:' line", name);
    mrn_scene scene;
    mrn_message msg = {0};
    mrn_status s = mrn_scene_read(path, NULL, 0, &scene, &msg);
    if (s != MRN_ERR_INPUT || msg.status != s)
        fail_msg("%s: status %d, not bad input (%s)", name, (int)s, msg.text);
    if (strcmp(msg.file, path) != 0 || msg.line != line || msg.column != column)
        fail_msg("%s: at %s:%d:%d, not %d:%d", name, msg.file, msg.line, msg.column, line, column);
    if (msg.expected[0] == '\0' && msg.hint[0] == '\0')
        fail_msg("%s: no cure: %s", name, msg.text);
    check_words(name, &msg, head + used);
    mrn_scene nothing = {0};
    assert_memory_equal(&scene, &nothing, sizeof scene);
}

static int is_scene(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0;
}

static void test_all(void **state)
{
    (void)state;
    struct dirent **list;
    int n = scandir(FOLDER, &list, is_scene, alphasort);
    assert_true(n >= 40);
    for (int i = 0; i < n; i++) {
        check_file(list[i]->d_name);
        free(list[i]);
    }
    free(list);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

/* What cannot be a scene at all. */
static void test_no_file(void **state)
{
    (void)state;
    mrn_scene scene;
    mrn_message msg = {0};
    assert_int_equal(mrn_scene_read(FOLDER "/no-such.yaml", NULL, 0, &scene, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "cannot be opened"));
    assert_int_equal(mrn_scene_read(FOLDER, NULL, 0, &scene, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "is a folder"));
    assert_int_equal(mrn_scene_read("/dev/zero", NULL, 0, &scene, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "a pipe or a device"));
    assert_int_equal(mrn_scene_read(FOLDER, NULL, 0, &scene, NULL), MRN_ERR_IO);
    assert_int_equal(mrn_scene_read_text("moraine: 1", "x", NULL, 0, &scene, NULL), MRN_ERR_INPUT);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

typedef struct csv_case {
    const char *text;
    int line, column;
    const char *words;
} csv_case;

static const csv_case tables[] = {
    {"", 1, 1, "is empty"},
    {"0,0,0,1\n", 1, 1, "no header line"},
    {"x,y,z,radius\n", 1, 1, "no grain"},
    {"x,y,radius\n0,0,1\n", 1, 1, "lacks the column 'z'"},
    {"x,y,z,r\n0,0,0,1\n", 1, 7, "unknown column 'r'"},
    {"x,y,z,x\n0,0,0,1\n", 1, 7, "second column 'x'"},
    {"x,y,z,radius,diameter\n0,0,0,1,2\n", 1, 1, "both radius and diameter"},
    {"x,y,z,radius\n0,0,0,1\n0,0,1\n", 3, 5, "too few"},
    {"x,y,z,radius\n0,0,0,1,2\n", 2, 9, "too many"},
    {"# c\nx,y,z,radius\n0,0, 1 mm,1\n", 3, 6, "not a number: '1 mm'"},
    {"x,y,z,radius\n0,0,,1\n", 2, 5, "not a number: ''"},
    {"x,y,z,radius\n0,0,nan,1\n", 2, 5, "not a number: 'nan'"},
    {"x,y,z,radius\n0,0,0,-1\n", 2, 7, "not a size: '-1'"},
    {"x,y,z,radius\n0,0,\"1,1\n", 2, 5, "a quote that is not closed"},
    {"x,y,z,radius\n0,0,\"0\"1,1\n", 2, 8, "something after a quoted cell"},
    {"x,y,z,qw,qx,qy\n0,0,0,1,0,0\n", 1, 1, "a part of a quaternion"},
    {"x,y,z,qw,qx,qy,qz\n0,0,0,1,1,0,0\n", 2, 1, "have length 1.41421"},
    {"x,y,z,angle\n0,0,0,1\n", 1, 7, "unknown column 'angle'"},
};

static const char scene_with_table[] =
    "moraine: 1\nmaterials: {m: {density: 1, young: 1, poisson: 0}}\n"
    "interactions: [{between: any, law: hertz-mindlin, restitution: 1, friction: 0}]\n"
    "bodies: [{shape: {sphere: {}}, place: {csv: t.csv}}]\nstages: [{at-most: 1}]\n";

static void test_tables(void **state)
{
    (void)state;
    char folder[] = "/tmp/moraine-XXXXXX", csv[64], name[64];
    assert_non_null(mkdtemp(folder));
    snprintf(csv, sizeof csv, "%s/t.csv", folder);
    snprintf(name, sizeof name, "%s/scene.yaml", folder);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const csv_case *c = &tables[i];
        FILE *f = fopen(csv, "w");
        fputs(c->text, f);
        fclose(f);
        mrn_scene scene;
        mrn_message msg;
        mrn_status s = mrn_scene_read_text(scene_with_table, name, NULL, 0, &scene, &msg);
        if (s != MRN_ERR_INPUT || strcmp(msg.file, csv) != 0 || msg.line != c->line ||
            msg.column != c->column || strstr(msg.text, c->words) == NULL)
            fail_msg("table %zu: %s:%d:%d: %s", i, msg.file, msg.line, msg.column, msg.text);
    }
    remove(csv);
    remove(folder);
}

/* Mistakes that have nothing to do with each other are told at once; what follows from one is not.
 */
static void test_several_at_once(void **state)
{
    (void)state;
    const char *text = "moraine: 1\n"
                       "materials: {glass: {densty: 2500 kg/m3}, steel: {density: -1 kg/m3}}\n"
                       "interactions: [{between: any, law: hertz-mindlin, restitution: 9}]\n"
                       "bodies: [{shape: {sphere: {diameter: 2 kg}}, count: 3}]\n"
                       "stages: [{until: {time: 1 s}, gravty: 0}]\n";
    static const char *const told[] = {
        "test.yaml:2:21: error: unknown key 'densty'",
        "did you mean 'density'",
        "also wrong:",
        "2:59: 'density' is out of range",
        "3:64: 'restitution' is out of range",
        "lacks the key 'place'",
        "'2 kg' is not a length",
        "unknown key 'gravty'",
    };
    mrn_scene scene;
    mrn_message msg = {0};
    char all[8192];
    assert_int_equal(mrn_scene_read_text(text, "test.yaml", NULL, 0, &scene, &msg), MRN_ERR_INPUT);
    mrn_message_format(&msg, all, sizeof all);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strstr(all, told[i]) == NULL)
            fail_msg("no '%s' in: %s", told[i], all);
    assert_null(strstr(all, "lacks the key 'density'"));
    /* a first one without a cure of its own: no cure is made of the others */
    const char *plain = "moraine: 1\n"
                        "materials: {glass: {density: 2500 m}}\n"
                        "interactions: [{between: any, law: hertz-mindlin, friction: 2 s}]\n"
                        "bodies: [{shape: {sphere: {radius: 1 m}}, place: {list: [[0, 0, 0]]}}]\n"
                        "stages: [{until: {time: 1 s}}]\n";
    assert_int_equal(mrn_scene_read_text(plain, "test.yaml", NULL, 0, &scene, &msg), MRN_ERR_INPUT);
    mrn_message_format(&msg, all, sizeof all);
    assert_null(strstr(all, "hint: also wrong"));
    assert_non_null(strstr(all, "there is more to mend:\n    3:"));
    /* a page of them at most */
    char many[9000] = "moraine: 1\nmaterials:\n";
    for (int i = 0; i < 100; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "  m%d: {densty: 1}\n", i);
    assert_int_equal(mrn_scene_read_text(many, "test.yaml", NULL, 0, &scene, &msg), MRN_ERR_INPUT);
    mrn_message_format(&msg, all, sizeof all);
    assert_non_null(strstr(all, " more\n"));
    assert_null(strstr(all, "    40:"));
}

/* What would have been right is all there is, and nothing that is not. */
static void whole_list(void **state)
{
    (void)state;
    mrn_scene scene;
    mrn_message msg = {0};
    assert_int_equal(
        mrn_scene_read(FOLDER "/019-unknown-material-in-pair.yaml", NULL, 0, &scene, &msg),
        MRN_ERR_INPUT);
    assert_string_equal(msg.expected, "one of: any, glass, steel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_list),           cmocka_unit_test(test_all),
        cmocka_unit_test(test_several_at_once), cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
