/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are not what they should be: each is refused with its place and what was expected, and
   leaves nothing behind. */
#include <math.h>

#include "moraine/import.h"
#include "store/files_helper.h"

typedef struct broken {
    const char *text; /* of the grains */
    int line, column;
    const char *part;     /* of the message */
    const char *contacts; /* NULL: none; else the place is in them */
} broken;

#define HEAD(n)                                                                                    \
    "ITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n" n                                                 \
    "\nITEM: BOX BOUNDS pp pp ff\n0 10\n0 10\n0 10\nITEM: ATOMS "
#define GRAINS HEAD("3") "id type x y z radius\n1 1 1 1 1 1\n2 1 2.99 1 1 1\n30 1 5 5 5 1\n"
#define CELL   "ITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS "
#define PAIRS(n)                                                                                   \
    "ITEM: TIMESTEP\n5\nITEM: NUMBER OF ENTRIES\n" n                                               \
    "\nITEM: BOX BOUNDS pp pp ff\n0 10\n0 10\n0 10\nITEM: ENTRIES "

static const broken cases[] = {
    /* nothing, or nothing of use */
    {"", 1, 1, "empty", NULL},
    {"\n \n\t\n", 1, 1, "empty", NULL},
    {"hello world\n", 1, 1, "no column 'x'", NULL},
    {"\x89HDF\r\n\x1a\n", 1, 1, "no column", NULL},
    {"# only comments\n# here\n", 2, 1, "no header", NULL},
    {"id,x,y,z,radius\n", 1, 1, "no grain", NULL},
    {HEAD("0") "id type x y z radius\n", 9, 1, "no grain", NULL},
    /* dumps */
    {"ITEM: TIMESTEP\n", 1, 15, "ends here", NULL},
    {"ITEM: TIMESTEP\nfive\n", 2, 1, "'five'", NULL},
    {"ITEM: TIMESTEP\n5\n", 2, 2, "ends here", NULL},
    {"ITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n-3\n", 4, 1, "'-3'", NULL},
    {"ITEM: TIMESTEP\n5\nITEM: ATOMS id x y z radius\n1 1 1 1 1\n", 3, 1, "not given", NULL},
    {"ITEM: TIMESTEP\n5\nITEM: COLOURS\n", 3, 1, "not a part of a dump", NULL},
    {CELL "pp pp ff\n0 10\n10 0\n", 7, 1, "bounds", NULL},
    {CELL "pp pp ff\n0 10\n0 10 3\n", 7, 1, "bounds", NULL},
    {CELL "pp pp ff\n0 10\n0 nan\n", 7, 1, "bounds", NULL},
    {CELL "xy xz yz pp pp pp\n0 10\n", 6, 1, "bounds", NULL},
    {CELL "abc origin pp pp pp\n", 5, 18, "turned", NULL},
    {CELL "xy xz yz ff pp ff\n0 10 1\n0 10 0\n0 10 0\nITEM: ATOMS id x y z radius\n1 5 5 5 1\n", 0,
     0, "slanted along x", NULL},
    {CELL "pp pp pp\n0 0\n0 10\n0 10\nITEM: ATOMS id x y z radius\n1 5 5 5 1\n", 0, 0,
     "periodic in x", NULL},
    {HEAD("2") "id type x y z radius\n1 1 1 1 1 1\n", 10, 12, "end after 1", NULL},
    {HEAD("99999999999999") "id type x y z radius\n1 1 1 1 1 1\n", 10, 12, "end after 1", NULL},
    {HEAD("1") "id type x y z radius\n1 1 1 1 1 1\n2 1 5 5 5 1\n", 11, 1, "not a part", NULL},
    {HEAD("2") "id type x y z radius\n1 1 1 1 1 1\n2 1 5 5 5\n", 11, 9, "too few", NULL},
    {HEAD("1") "id type x y z radius\n1 1 1 1 1 1 1\n", 10, 13, "too many", NULL},
    {HEAD("1") "\n1 1 1 1 1 1\n", 9, 1, "no names", NULL},
    {HEAD("1") "id type x z radius\n1 1 1 1 1\n", 9, 13, "no column 'y'", NULL},
    {HEAD("1") "id type x y z\n1 1 1 1 1\n", 9, 13, "sizes", NULL},
    {HEAD("1") "id x x y z radius\n1 1 1 1 1 1\n", 9, 18, "second column 'x'", NULL},
    {HEAD("1") "id x y z radius diameter\n1 1 1 1 1 2\n", 9, 13, "both", NULL},
    {HEAD("1") "id x y z radius\n1 1 one 1 1\n", 10, 5, "'one'", NULL},
    {HEAD("1") "id x y z radius\n1 nan 1 1 1\n", 10, 3, "'nan'", NULL},
    {HEAD("1") "id x y z radius\n1 1 1e999 1 1\n", 10, 5, "'1e999'", NULL},
    {HEAD("1") "id x y z radius\n1 1 1 1 -1\n", 10, 9, "radius of -1", NULL},
    {HEAD("1") "id x y z radius\n1 1 1 1 0\n", 10, 9, "radius of 0", NULL},
    {HEAD("1") "id x y z radius mass\n1 1 1 1 1 -2\n", 10, 11, "mass of -2", NULL},
    {HEAD("1") "id x y z radius density\n1 1 1 1 1 0\n", 10, 11, "density of 0", NULL},
    {HEAD("1") "id x y z radius ix iy iz\n1 1 1 1 1 0.5 0 0\n", 10, 11, "image", NULL},
    {HEAD("1") "id x y z radius\n1.5 1 1 1 1\n", 10, 1, "not an id", NULL},
    {HEAD("1") "id x y z radius\n-1 1 1 1 1\n", 10, 1, "not an id", NULL},
    {HEAD("1") "id x y z radius\n1 1e30 1 1 1\n", 10, 1, "cells away", NULL},
    {HEAD("3") "id x y z radius\n5 1 1 1 1\n6 4 1 1 1\n5 7 1 1 1\n", 12, 1,
     "grain 5 is there twice", NULL},
    {PAIRS("1") "a b\n1 2\n", 1, 1, "dump of contacts", NULL},
    /* tables */
    {"1,2,3,4\n", 1, 1, "no header", NULL},
    {"id,x [kg],y,z,radius\n1,1,1,1,1\n", 1, 4, "kg", NULL},
    {"id,x [furlongs of],y,radius\n1,1,1,1\n", 1, 4, "furlongs", NULL},
    {"id,x,y,z,radius\n1,1,1,1,1\n2,,5,5,1\n", 3, 3, "not a number", NULL},
    {"id,x,y,z,radius\n1,1,1,1,1\n2,5,5,5\n", 3, 7, "too few", NULL},
    {"xs,ys,zs,radius\n1,1,1,1\n", 1, 1, "scaled", NULL},
    {"id,x,y,z,radius\n1,0x10,1,1,1\n", 2, 3, "0x10", NULL},
    {"id,x,y,z,radius,form\n1,1,1,1,1,\n2,5,5,5,1,cube\n", 3, 11, "corners", NULL},
    /* texts of YADE */
    {"#format x_y_z_r\n0 0 0\n", 2, 5, "too few", NULL},
    {"#format x_y_z_r\n# none\n", 2, 1, "no grain", NULL},
    {"##PERIODIC:: 1 1\n0 0 0 1\n", 1, 1, "sizes of a cell", NULL},
    {"0 0 0 1\n1 1 1 x\n", 2, 7, "'x'", NULL},
    /* contacts */
    {GRAINS, 1, 1, "empty", ""},
    {GRAINS, 1, 1, "no column 'id2'", "id1,fx,fy,fz\n1,0,0,0\n"},
    {GRAINS, 2, 3, "no grain 7", "id1,id2\n1,7\n"},
    {GRAINS, 2, 1, "not an id", "id1,id2\none,2\n"},
    {GRAINS, 2, 1, "touches itself", "id1,id2\n2,2\n"},
    {GRAINS, 2, 1, "apart", "id1,id2\n1,30\n"},
    {GRAINS, 3, 1, "stands in line 2", "id1,id2\n1,2\n2,1\n"},
    {GRAINS, 2, 3, "too few", "id1,id2,fx,fy,fz\n1,2\n"},
    {GRAINS, 2, 5, "'nan'", "id1,id2,fx,fy,fz\n1,2,nan,0,0\n"},
    {GRAINS, 1, 1, "part of a vector", "id1,id2,fx\n1,2,1\n"},
    {GRAINS, 1, 1, "direction", "id1,id2,fn,ft\n1,2,1,1\n"},
    {GRAINS, 1, 1, "without normal", "id1,id2,ftx,fty,ftz\n1,2,1,1,0\n"},
    {GRAINS, 2, 1, "normal of grains", "id1,id2,nx,ny,nz\n1,2,0,1,0\n"},
    {GRAINS, 1, 1, "no header", "1 2 3\n"},
    {GRAINS, 10, 13, "not an id",
     PAIRS("1") "c[1] c[2] c[3] c[4] c[5] c[6] c[7] c[8] c[9] c[10] c[11] c[12]\n1 1 1 3 1 1 1.5 2 "
                "0 1 0 0\n"},
    {GRAINS, 9, 1, "no column 'id1'", PAIRS("1") "c[1] c[2]\n1 2\n"},
    {GRAINS, 10, 4, "end after 1", PAIRS("2") "id1 id2\n1 2\n"},
    {GRAINS, 0, 0, "step 5, which is not",
     "ITEM: TIMESTEP\n6\nITEM: NUMBER OF ENTRIES\n0\nITEM: ENTRIES id1 id2\n"},
    {GRAINS, 9, 1, "dump of grains", GRAINS},
    {"0 0 0 1\n1 1 1 1\n", 0, 0, "no ids", "id1,id2\n0,1\n"},
};

static void is_gone(void)
{
    assert_int_equal(access(in_dir("out"), F_OK), -1);
    DIR *d = opendir(test_dir);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (strstr(e->d_name, ".part") != NULL)
            fail_msg("%s was left behind", e->d_name);
    closedir(d);
}

/* Reads and, should that go well, writes; the message of what went wrong. */
static mrn_status import(const char *path, const mrn_import_options *o, mrn_message *msg)
{
    mrn_packing p;
    mrn_import_facts facts;
    mrn_status st = mrn_import_read(path, o, &p, msg);
    if (st == MRN_OK)
        st = mrn_import_write(&p, o, in_dir("out"), &facts, msg);
    mrn_packing_release(&p);
    return st;
}

static void test_cases(void **state)
{
    (void)state;
    char grains[512], pairs[512];
    snprintf(grains, sizeof grains, "%s", in_dir("grains"));
    snprintf(pairs, sizeof pairs, "%s", in_dir("pairs"));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const broken *c = &cases[k];
        mrn_import_options o = mrn_import_default();
        mrn_message msg = {0};
        spill(grains, c->text, strlen(c->text));
        if (c->contacts != NULL)
            spill(pairs, c->contacts, strlen(c->contacts));
        o.contacts = c->contacts != NULL ? pairs : NULL;
        mrn_status st = import(grains, &o, &msg);
        bool in_pairs = c->contacts != NULL && strstr(c->part, "no ids") == NULL;
        char text[2400];
        mrn_message_format(&msg, text, sizeof text);
        if (st != MRN_ERR_INPUT || msg.line != c->line || msg.column != c->column ||
            strstr(text, c->part) == NULL || strcmp(msg.file, in_pairs ? pairs : grains) != 0)
            fail_msg("case %d, \"%.80s\": wanted %d:%d \"%s\", got %d:%d (status %d): %s", (int)k,
                     c->contacts != NULL ? c->contacts : c->text, c->line, c->column, c->part,
                     msg.line, msg.column, (int)st, text);
        if (msg.expected[0] == '\0' && msg.hint[0] == '\0')
            fail_msg("case %d says neither what was expected nor what to do: %s", (int)k, text);
        is_gone();
    }
}

typedef struct wrong {
    void (*set)(mrn_import_options *o);
    const char *part;
} wrong;

static void format(mrn_import_options *o)
{
    o->format = "pdb";
}
static void frame(mrn_import_options *o)
{
    o->frame = 3;
}
static void axes(mrn_import_options *o)
{
    o->periodic = "x,w";
}
static void box(mrn_import_options *o)
{
    o->box = "0,1,2";
}
static void turned_box(mrn_import_options *o)
{
    o->box = "0,10,10,0,0,10";
}
static void two(mrn_import_options *o)
{
    o->dimension = 2;
}
static void radius(mrn_import_options *o)
{
    o->radius = -1;
}
static void large(mrn_import_options *o)
{
    o->radius = 3;
    o->periodic = "none";
}
static void laws(mrn_import_options *o)
{
    o->kn = 1e5;
    o->young = 1e9;
}
static void half(mrn_import_options *o)
{
    o->kt = 1e5;
}
static void scene(mrn_import_options *o)
{
    o->scene = "/nowhere/scene.yaml";
}
static void unloaded(mrn_import_options *o)
{
    o->forces = MRN_IMPORT_EQUILIBRIUM;
    o->periodic = "none";
}
static void unborne(mrn_import_options *o)
{
    o->forces = MRN_IMPORT_EQUILIBRIUM;
    o->pressure = 1e5;
}
static void squeezed(mrn_import_options *o)
{
    o->box = "0,3,0,10,0,10";
}
static void contacts(mrn_import_options *o)
{
    o->contacts = "/nowhere/pairs";
}

static void test_options(void **state)
{
    (void)state;
    static const wrong list[] = {
        {format, "format 'pdb'"},
        {frame, "no frame 3"},
        {axes, "'w'"},
        {box, "--box 0,1,2"},
        {turned_box, "not a box"},
        {two, "grain 30 lies out"},
        {radius, "above 0"},
        {large, "overlaps"},
        {laws, "not both"},
        {half, "--kt without --kn"},
        {scene, "cannot be opened"},
        {unloaded, "no load"},
        {unborne, "balance the load"},
        {squeezed, "cell is 3 m in x"},
        {contacts, "cannot be opened"},
    };
    char grains[512];
    snprintf(grains, sizeof grains, "%s", in_dir("grains"));
    spill(grains, GRAINS, strlen(GRAINS));
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        mrn_import_options o = mrn_import_default();
        mrn_message msg = {0};
        list[k].set(&o);
        mrn_status st = import(grains, &o, &msg);
        char text[2400];
        mrn_message_format(&msg, text, sizeof text);
        bool input = st == MRN_ERR_INPUT || (list[k].set == scene && st == MRN_ERR_IO);
        if (!input || strstr(text, list[k].part) == NULL || strstr(text, ".part-") != NULL)
            fail_msg("option %d: wanted \"%s\", got status %d: %s", (int)k, list[k].part, (int)st,
                     text);
        is_gone();
    }
}

/* A dump that is still being written: its end is refused, the instant before is there. */
static void test_growing(void **state)
{
    (void)state;
    static const char text[] = GRAINS HEAD("3") "id type x y z radius\n1 1 1 1 1 1\n2 1 2.";
    char grains[512];
    mrn_import_options o = mrn_import_default();
    mrn_message msg = {0};
    mrn_packing p;
    snprintf(grains, sizeof grains, "%s", in_dir("grains"));
    spill(grains, text, strlen(text));
    assert_int_equal(mrn_import_read(grains, &o, &p, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.hint, "--frame -2"));
    o.frame = -2;
    ok(mrn_import_read(grains, &o, &p, &msg), &msg);
    assert_int_equal(p.n, 3);
    mrn_packing_release(&p);
    /* also when it ends in the middle of a head */
    spill(grains, text, strlen(GRAINS) + 20);
    ok(mrn_import_read(grains, &o, &p, &msg), &msg);
    mrn_packing_release(&p);
}

/* Whatever part of a file is there, or whichever byte is another: an answer, never a crash. */
static void test_robust(void **state)
{
    (void)state;
    static const char *const samples[] = {"liggghts.dump", "slanted.dump", "yade.txt", "disks.csv"};
    static const char *const of[] = {"liggghts-pairs.dump", NULL, "yade-contacts.txt",
                                     "disks-contacts.csv"};
    static const char bytes[] = "\n 9-,#x\"";
    for (int k = 0; k < 4; k++) {
        char path[512], pairs[512], broken_path[512];
        size_t n;
        snprintf(path, sizeof path, "%s/tests/import/files/%s", MRN_TEST_SOURCE, samples[k]);
        snprintf(pairs, sizeof pairs, "%s/tests/import/files/%s", MRN_TEST_SOURCE,
                 of[k] != NULL ? of[k] : "");
        snprintf(broken_path, sizeof broken_path, "%s", in_dir("broken"));
        for (int which = 0; which < (of[k] != NULL ? 2 : 1); which++) {
            char *text = slurp(which == 0 ? path : pairs, &n);
            /* units in a head load their data base each time */
            for (size_t i = 0; i < 2 * n; i += k == 3 ? 29 : 3) {
                mrn_import_options o = mrn_import_default();
                mrn_packing p;
                mrn_message msg = {0};
                char keep = text[i % n];
                if (i >= n)
                    text[i % n] = bytes[i % (sizeof bytes - 1)];
                spill(broken_path, text, i < n ? i : n);
                text[i % n] = keep;
                o.contacts = which == 1 ? broken_path : of[k] != NULL ? pairs : NULL;
                mrn_status st = mrn_import_read(which == 0 ? broken_path : path, &o, &p, &msg);
                assert_true(st == MRN_OK || st == MRN_ERR_INPUT);
                mrn_packing_release(&p);
            }
            free(text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_robust),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
