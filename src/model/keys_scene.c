/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a scene, row by row (keys.h): materials, bodies, walls, cell, output, stages, and the
   scene as a whole. What drives it stands in keys_drives.c. */
#include "model/keys_macros.h"

/* Largest numbers of the format; above them a mistake is more likely than a wish. */
#define COUNT_MAX 2e9

static const char *const method_words[] = {
#define MRN_METHOD(x, summary) #x,
#include "moraine/methods.def"
#undef MRN_METHOD
    NULL};
static const mrn_schema method = {.kind = MRN_SCHEMA_WORD, .words = method_words};
static const mrn_schema flag = {.kind = MRN_SCHEMA_FLAG};
static const mrn_schema text = {.kind = MRN_SCHEMA_TEXT};
static const mrn_schema name = {.kind = MRN_SCHEMA_NAME};
static const mrn_schema probe_name = {.kind = MRN_SCHEMA_PROBE};
static const mrn_schema file = {.kind = MRN_SCHEMA_FILE};
static const mrn_schema any_measure = {.kind = MRN_SCHEMA_MEASURE};
static const mrn_schema spin = {
    .kind = MRN_SCHEMA_SPIN, .unit = "rad/s", .min = -INFINITY, .max = INFINITY};
static const mrn_schema box = {
    .kind = MRN_SCHEMA_BOX, .unit = "m", .min = -INFINITY, .max = INFINITY};
static const mrn_schema length = {
    .kind = MRN_SCHEMA_QUANTITY, .unit = "m", .min = 0, .max = INFINITY, .min_open = true};

/* ---- materials and interactions ---- */

static const mrn_key material_keys[] = {
    {"density", ABOVE("kg/m3", 0), MRN_AT(mrn_material, density), .required = true,
     .example = "2500 kg/m3",
     .doc = "Density of the grain itself, not of the packing (in 2D: of a disk 1 m thick)."},
    {"young", ABOVE("Pa", 0), MRN_AT(mrn_material, young), .lacking = true, .example = "70 GPa",
     .fallback = "not given",
     .doc = "Young's modulus. Needed by laws that come from elasticity, such as hertz-mindlin."},
    {"poisson",
     SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = -1, .max = 0.5, .min_open = true),
     MRN_AT(mrn_material, poisson), .usual = 0.25, .lacking = true, .example = "0.22",
     .doc = "Poisson's ratio."},
    {0}};
const mrn_schema mrn_schema_material = {.kind = MRN_SCHEMA_MAP,
                                        .name = "material",
                                        .keys = material_keys,
                                        .doc = "What grains and walls are made of."};

const mrn_schema mrn_schema_materials = {
    .kind = MRN_SCHEMA_TABLE, .item = &mrn_schema_material, .at_least = 1, .at_most = 128};

#define BETWEEN                                                                                    \
    {                                                                                              \
        "between",                                                                                 \
            SCHEMA(.kind = MRN_SCHEMA_EITHER, .scalar = WORD("any"),                               \
                   .list = SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &name, .at_least = 2,           \
                                  .at_most = 2)),                                                  \
            .required = true, .example = "[glass, steel]",                                         \
            .doc = "The two materials, in any order. `any` stands for every material; an entry "   \
                   "that names a "                                                                 \
                   "pair goes before `[glass, any]`, and that before `any`."                       \
    }

#define PART(k) SCHEMA(.kind = MRN_SCHEMA_PART, .part = k)
static const mrn_key mixture_keys[] = {
    {"model", SCHEMA(.kind = MRN_SCHEMA_LAW), .example = "hertz-mindlin", .fallback = "no part",
     .doc = "A law whose parts are taken where no other is named."},
    {"normal", PART(MRN_LAW_NORMAL), .example = "hertz", .fallback = "that of the model",
     .doc = "The normal part."},
    {"tangential", PART(MRN_LAW_TANGENTIAL), .example = "mindlin", .fallback = "that of the model",
     .doc = "The tangential part; `none` removes it."},
    {"rolling", PART(MRN_LAW_ROLLING), .example = "none", .fallback = "that of the model",
     .doc = "The resistance to rolling; `none` removes it."},
    {"twisting", PART(MRN_LAW_TWISTING), .example = "none", .fallback = "that of the model",
     .doc = "The resistance to twisting; `none` removes it."},
    {"cohesion", PART(MRN_LAW_COHESION), .example = "none", .fallback = "that of the model",
     .doc = "What draws grains together; `none` removes it."},
    {0}};
const mrn_schema mrn_schema_mixture = {
    .kind = MRN_SCHEMA_MAP,
    .name = "mixture",
    .keys = mixture_keys,
    .some_of = WORDS("model", "normal"),
    .doc = "A law put together from parts. `moraine laws` lists models and parts."};
static const mrn_schema any_law = {.kind = MRN_SCHEMA_EITHER,
                                   .scalar = SCHEMA(.kind = MRN_SCHEMA_LAW),
                                   .map = &mrn_schema_mixture};

static const mrn_key interaction_keys[] = {
    BETWEEN,
    {"law", &any_law, .required = true, .example = "hertz-mindlin",
     .doc = "The contact law, or a mixture of parts; the parameters stand beside it."},
    {0}};
const mrn_schema mrn_schema_interaction = {
    .kind = MRN_SCHEMA_MAP,
    .name = "interaction",
    .keys = interaction_keys,
    .more = MRN_MORE_LAW,
    .doc = "What happens when two materials touch: a law and its parameters."};
static const mrn_key change_keys[] = {BETWEEN,
                                      {"law", &any_law, .example = "linear",
                                       .fallback = "the law in force",
                                       .doc = "A new contact law, with all its parameters. Without "
                                              "it the law stays and only the parameters "
                                              "given here change."},
                                      {0}};
const mrn_schema mrn_schema_interaction_change = {
    .kind = MRN_SCHEMA_MAP,
    .name = "change of interaction",
    .keys = change_keys,
    .more = MRN_MORE_LAW,
    .law_optional = true,
    .doc = "A change of law or parameters when a stage begins."};

/* ---- bodies ---- */

static const mrn_key normal_keys[] = {
    {"mean", &length, .required = true, .example = "2 mm", .doc = "Mean."},
    {"deviation", QUANTITY("m", 0, INFINITY), .required = true, .example = "0.1 mm",
     .doc = "Standard deviation."},
    {"min", &length, .example = "1.7 mm", .fallback = "mean less 3 deviations",
     .doc = "Smaller sizes are drawn again."},
    {"max", &length, .example = "2.3 mm", .fallback = "mean and 3 deviations",
     .doc = "Larger sizes are drawn again."},
    {0}};
static const mrn_key lognormal_keys[] = {
    {"median", &length, .required = true, .example = "2 mm", .doc = "Median size."},
    {"sigma", QUANTITY("1", 0, 3), .required = true, .example = "0.2",
     .doc = "Standard deviation of the logarithm of the size."},
    {"min", &length, .example = "1 mm", .fallback = "median divided by exp(3 sigma)",
     .doc = "Smaller sizes are drawn again."},
    {"max", &length, .example = "4 mm", .fallback = "median times exp(3 sigma)",
     .doc = "Larger sizes are drawn again."},
    {0}};
/* rows [size, percent passing]: the reader checks the two columns, they differ in unit */
static const mrn_schema sieve_row = {
    .kind = MRN_SCHEMA_LIST, .item = &any_measure, .at_least = 2, .at_most = 2};
static const mrn_key distribution_keys[] = {
    {"uniform", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &length, .at_least = 2, .at_most = 2),
     .group = 'a', .example = "[1.8 mm, 2.2 mm]", .doc = "Evenly between two sizes, by number."},
    {"normal",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "normal", .keys = normal_keys,
            .doc = "A normal distribution of sizes, by number, cut at both ends."),
     .group = 'a', .example = "{mean: 2 mm, deviation: 0.1 mm}", .doc = "Normal, by number."},
    {"log-normal",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "log-normal", .keys = lognormal_keys,
            .doc = "A log-normal distribution of sizes, by number, cut at both ends."),
     .group = 'a', .example = "{median: 2 mm, sigma: 0.2}", .doc = "Log-normal, by number."},
    {"category", WORD("A", "B", "C", "D", "E", "F"), .group = 'a', .example = "E",
     .doc =
         "Railway ballast of a category of EN 13450 (A, B, C: 31.5 to 50 mm, D, E, F: 31.5 to 63 "
         "mm): the middle of its limits (`moraine sieve --category` prints them), from 0 at "
         "22.4 mm. The limits are recalled from the standard: compare them with your copy."},
    {"sieve", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &sieve_row, .at_least = 2), .group = 'a',
     .example = "[[1 mm, 0], [2 mm, 40], [4 mm, 100]]",
     .doc = "A sieve curve: rows of size and percent passing by mass, from 0 to 100, both rising."},
    {0}};
const mrn_schema mrn_schema_size = {
    .kind = MRN_SCHEMA_EITHER,
    .scalar = &length,
    .map = SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "size", .keys = distribution_keys, .one_of = "a",
                  .doc = "A distribution of grain sizes instead of one size.")};

static const mrn_schema shape = {
    .kind = MRN_SCHEMA_MAP,
    .name = "shape",
    .more = MRN_MORE_GRAINS,
    .one_of = "s",
    .doc = "The shape of grains, with radius or diameter: `sphere: {diameter: 2 mm}`."};

static const mrn_key cylinder_keys[] = {
    {"from", VECTOR("m"), .required = true, .example = "[0, 0, 0]", .doc = "One end of the axis."},
    {"to", VECTOR("m"), .required = true, .example = "[0, 0, 10 cm]", .doc = "The other end."},
    {"radius", &length, .group = 'r', .example = "2 cm", .doc = "Radius."},
    {"diameter", &length, .group = 'r', .example = "4 cm", .doc = "Diameter."},
    {0}};
static const mrn_key ball_keys[] = {
    {"centre", VECTOR("m"), .required = true, .example = "[0, 0, 5 cm]", .doc = "Centre."},
    {"radius", &length, .group = 'r', .example = "2 cm", .doc = "Radius."},
    {"diameter", &length, .group = 'r', .example = "4 cm", .doc = "Diameter."},
    {0}};
const mrn_schema mrn_schema_cylinder_region = {.kind = MRN_SCHEMA_MAP,
                                               .name = "cylinder-region",
                                               .keys = cylinder_keys,
                                               .one_of = "r",
                                               .doc = "A cylinder as a region (3D)."};
const mrn_schema mrn_schema_sphere_region = {.kind = MRN_SCHEMA_MAP,
                                             .name = "sphere-region",
                                             .keys = ball_keys,
                                             .one_of = "r",
                                             .doc = "A sphere as a region, a circle in 2D."};
static const mrn_key region_keys[] = {REGION_KEYS, {0}};
static const mrn_key lattice_keys[] = {
    {"kind",
     WORD([MRN_LATTICE_CUBIC] = "cubic", [MRN_LATTICE_HEX] = "hexagonal",
          [MRN_LATTICE_FCC] = "fcc"),
     MRN_AT(mrn_group, lattice), .required = true, .example = "hexagonal",
     .doc = "cubic (2D: square), hexagonal (2D: triangular; 3D: close packed) or fcc (3D)."},
    {"box", &box, .required = true, .example = "[[0, 0, 0], [4 cm, 4 cm, 1 cm]]",
     .doc = "Grains that fit whole into this box are made."},
    {"spacing", &length, MRN_AT(mrn_group, spacing), .example = "2.1 mm",
     .fallback = "the largest diameter: grains touch", .doc = "Distance of neighbours."},
    {0}};
const mrn_schema mrn_schema_lattice = {.kind = MRN_SCHEMA_MAP,
                                       .name = "lattice",
                                       .keys = lattice_keys,
                                       .doc = "A regular arrangement."};
static const mrn_key rotation_keys[] = {
    {"axis", VECTOR("1"), .required = true, .example = "[0, 1, 0]", .doc = "The axis."},
    {"angle", QUANTITY("rad", -INFINITY, INFINITY), .required = true, .example = "45 deg",
     .doc = "The angle, the right-handed way."},
    {0}};
#define ORIENTATION(usual, whose)                                                                  \
    {                                                                                              \
        "orientation",                                                                             \
            SCHEMA(.kind = MRN_SCHEMA_LIST,                                                        \
                   .item = SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = -1, .max = 1),  \
                   .at_least = 4, .at_most = 4),                                                   \
            .group = 'q', .example = "[0.924, 0, 0.383, 0]", .fallback = usual,                    \
            .doc = "Orientation as a quaternion w, x, y, z (3D). " whose                           \
    }
#define ROTATION(usual, whose)                                                                     \
    {                                                                                              \
        "rotation",                                                                                \
            SCHEMA(.kind = MRN_SCHEMA_EITHER, .scalar = QUANTITY("rad", -INFINITY, INFINITY),      \
                   .map = SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "rotation",                       \
                                 .keys = rotation_keys, .doc = "A rotation about an axis (3D).")), \
            .group = 'q', .example = "{axis: [0, 1, 0], angle: 45 deg}", .fallback = usual,        \
            .doc = "Orientation as a rotation about an axis; in 2D one angle. " whose              \
    }
static const mrn_key grain_keys[] = {
    {"position", VECTOR("m"), MRN_AT(mrn_grain, x), .required = true, .example = "[0, 0, 5 mm]",
     .doc = "Centre of mass."},
    {"velocity", VECTOR("m/s"), MRN_AT(mrn_grain, v), .example = "[0, 0, -1 m/s]",
     .fallback = "that of the group", .doc = "Velocity at the start."},
    {"spin", &spin, MRN_AT(mrn_grain, w), .example = "[0, 10 rad/s, 0]",
     .fallback = "that of the group", .doc = "Angular velocity at the start; in 2D one quantity."},
    {"radius", &length, .group = 'r', .example = "1 mm", .fallback = "from the shape",
     .doc = "Radius of this grain."},
    {"diameter", &length, .group = 'r', .example = "2 mm", .fallback = "from the shape",
     .doc = "Diameter of this grain."},
    ORIENTATION(
        "that of the group; else clusters at random, polygons and polyhedra as their form is given",
        "From the frame in which its template, corners or box were given."),
    ROTATION(
        "that of the group; else clusters at random, polygons and polyhedra as their form is given",
        "From the frame in which its template, corners or box were given."),
    {0}};
const mrn_schema mrn_schema_grain = {.kind = MRN_SCHEMA_MAP,
                                     .name = "grain",
                                     .keys = grain_keys,
                                     .doc =
                                         "One grain of an explicit list; a bare position will do."};
static const mrn_schema grain = {
    .kind = MRN_SCHEMA_EITHER, .list = VECTOR("m"), .map = &mrn_schema_grain};
static const mrn_key place_keys[] = {
    {"fill",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "fill", .keys = region_keys, .one_of = "a",
            .doc = "Random places without overlaps in a region. Grains stay inside it as a whole, "
                   "except across the faces of a periodic cell."),
     .group = 'a', .example = "{box: [[0, 0, 0], [4 cm, 4 cm, 10 cm]]}",
     .doc = "At random, without overlaps, as many as `count` or `solid-fraction` say."},
    {"lattice", &mrn_schema_lattice, .group = 'a',
     .example = "{kind: hexagonal, box: [[0, 0, 0], [4 cm, 4 cm, 1 cm]]}",
     .doc = "In a regular lattice."},
    {"list", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &grain, .at_least = 1), .group = 'a',
     .example = "[[0, 0, 5 mm], {position: [0, 0, 9 mm], velocity: [0, 0, -1]}]",
     .doc = "One by one: positions, or mappings with position, velocity, spin and size."},
    {"csv", &file, .group = 'a', .example = "grains.csv",
     .doc = "From a table with a header line: x, y[, z][, radius or diameter][, vx, vy, vz, wx, "
            "wy, wz], "
            "all SI. Orientations of all but spheres: qw, qx, qy, qz (3D) or angle (2D)."},
    {"inlet", &mrn_schema_inlet, .group = 'a',
     .example = "{box: [[0, 0, 9 cm], [4 cm, 4 cm, 10 cm]], rate: 200 1/s}",
     .doc = "Not at the start: they enter while the run goes on."},
    {0}};
static const mrn_key cut_keys[] = {REGION_KEYS, {0}};
#define CUT(text)                                                                                  \
    SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "cut", .keys = cut_keys, .one_of = "a", .doc = text)
static const mrn_key from_keys[] = {
    {"run", &file, .required = true, .example = "out/packing",
     .doc = "The folder of the run (its checkpoint; without one, its last frame), or a "
            "checkpoint.h5 or trajectory.h5, as seen from the folder of this scene."},
    {"frame", INTEGER(-1e9, 1e9), .example = "-1", .fallback = "the checkpoint",
     .doc = "A frame of its trajectory instead: 0 is the first, -1 the last."},
    {"groups",
     SCHEMA(.kind = MRN_SCHEMA_EITHER, .scalar = &name,
            .list = SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &name, .at_least = 1)),
     .example = "[stones]", .fallback = "all", .doc = "Its groups that are taken, by name."},
    ROTATION("not turned", "Of the whole packing about `about`, before it is moved."),
    {"about", VECTOR("m"), .example = "[0, 0, 5 cm]", .fallback = "the origin",
     .doc = "The point about which the packing is turned."},
    {"move", VECTOR("m"), .example = "[0, 0, 2 cm]", .fallback = "not moved",
     .doc = "Displacement of the whole packing."},
    {"inside", CUT("Where grains are kept or left out."),
     .example = "{box: [[0, 0, 0], [4 cm, 4 cm, 10 cm]]}", .fallback = "all",
     .doc = "Grains are kept whose centre lies in this region, after turning and moving."},
    {"outside", CUT("Where grains are kept or left out."),
     .example = "{sphere: {centre: [0, 0, 5 cm], radius: 2 cm}}", .fallback = "none are left out",
     .doc = "Grains whose centre lies in this region, after turning and moving, are left out."},
    {"materials", SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &name), .example = "{glass: steel}",
     .fallback = "materials of the same name",
     .doc = "Materials of that run, each with the one of this scene that takes its place; "
            "`material` of the group is for all grains."},
    {"at-rest", &flag, .example = "true", .fallback = "false",
     .doc = "Velocities and spins are set to 0; else they are those of that run, turned with the "
            "packing."},
    {0}};
const mrn_schema mrn_schema_from = {
    .kind = MRN_SCHEMA_MAP,
    .name = "from",
    .keys = from_keys,
    .doc = "Grains of another run, as it left them: shapes, sizes, places and motion, each group "
           "with its name. Contacts begin anew: they remember nothing of that run."};

static const mrn_key body_keys[] = {
    {"name", &name, .example = "beads", .fallback = "bodies-1, bodies-2, …",
     .doc = "To refer to the group in probes, pictures and `--set`."},
    {"material", &name, .example = "glass", .fallback = "the material, when there is only one",
     .doc = "What the grains are made of."},
    {"from", SCHEMA(.kind = MRN_SCHEMA_EITHER, .scalar = &file, .map = &mrn_schema_from),
     .group = 'p', .example = "out/packing",
     .doc = "The grains of another run in place of shape and place: its folder, or a mapping that "
            "says more. Every group of that run becomes one of this scene, by the same name; "
            "`name` renames a single one."},
    {"shape", &shape, .required = true, .unless = "from", .example = "{sphere: {diameter: 2 mm}}",
     .doc = "Shape and size."},
    {"count", INTEGER(1, COUNT_MAX), .group = 'n', .example = "10000",
     .doc =
         "How many grains: exactly so many in a filled region, at most in a lattice or through an "
         "inlet."},
    {"solid-fraction",
     SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = 0, .max = 0.95, .min_open = true),
     .group = 'n', .example = "0.3",
     .doc = "How many grains to fill in: until their volume is this part of the region."},
    {"place",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "place", .keys = place_keys, .one_of = "a",
            .doc = "Where the grains are at the start."),
     .required = true, .unless = "from", .group = 'p',
     .example = "{fill: {box: [[0, 0, 0], [4 cm, 4 cm, 10 cm]]}}",
     .doc = "Where the grains are at the start."},
    {"velocity", VECTOR("m/s"), MRN_AT(mrn_group, velocity), .example = "[0, 0, -1 m/s]",
     .fallback = "0", .doc = "Velocity at the start, or on entering."},
    {"spin", &spin, MRN_AT(mrn_group, spin), .example = "[0, 0, 30 rpm]", .fallback = "0",
     .doc = "Angular velocity at the start; in 2D one quantity."},
    {"velocity-spread", QUANTITY("m/s", 0, INFINITY), MRN_AT(mrn_group, velocity_spread),
     .example = "0.1 m/s",
     .doc = "Standard deviation of a random part added to each component of the velocity."},
    {"fixed", &flag, MRN_AT(mrn_group, fixed), .example = "true",
     .doc = "The grains do not move: a rough bottom, an obstacle."},
    ORIENTATION("at random", "Of all listed grains that have none of their own."),
    ROTATION("at random", "Of all listed grains that have none of their own."),
    {"hold", &mrn_schema_hold, .example = "[y, rz]", .fallback = "all degrees of freedom are free",
     .doc = "Degrees of freedom that stay at rest: displacements x, y, z and rotations rx, ry, rz "
            "about the axes of space (method nonsmooth)."},
    {"drive", &mrn_schema_drive, .example = "{x: 0.1 m/s, rz: \"2*sin(t)\"}", .fallback = "none",
     .doc = "Degrees of freedom that move as imposed (method nonsmooth)."},
    {0}};
const mrn_schema mrn_schema_body = {.kind = MRN_SCHEMA_MAP,
                                    .name = "body group",
                                    .keys = body_keys,
                                    .doc = "A group of grains of one material and shape."};

/* ---- clusters ---- */

static const mrn_schema cluster_row = {
    .kind = MRN_SCHEMA_LIST,
    .item = SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "m", .min = -INFINITY, .max = INFINITY),
    .at_least = 3,
    .at_most = 4};
static const mrn_key cluster_keys[] = {
    {"spheres",
     SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &cluster_row, .at_least = 2, .at_most = 10000),
     .group = 'a', .example = "[[0, 0, 0, 1], [1.2, 0, 0, 0.8]]",
     .doc = "Rows x, y, z, radius in any frame and scale (3D)."},
    {"disks",
     SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &cluster_row, .at_least = 2, .at_most = 10000),
     .group = 'a', .example = "[[0, 0, 1], [1.2, 0, 0.8]]",
     .doc = "Rows x, y, radius in any frame and scale (2D)."},
    {"file", &file, .group = 'a', .example = "pebble.csv",
     .doc = "The same from a table with a header line: x, y[, z], radius."},
    {"form", WORD("dimer", "trimer", "tetrahedron", "rod", "cross"), .group = 'a', .example = "rod",
     .doc = "A ready-made one; these names may also be used without a template."},
    {"aspect",
     SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = 1, .max = 20, .min_open = true),
     .example = "3", .fallback = "1.5; of rod and cross 3",
     .doc = "Of a form: length over thickness; at most 2 for dimer, trimer and tetrahedron, where "
            "the spheres just touch."},
    {"samples", INTEGER(1000, 1e10), .example = "1e7", .fallback = "4e6",
     .doc =
         "Points of the Monte Carlo integration of mass and inertia, where three or more spheres "
         "share a point; else the integration is exact."},
    {0}};
static const mrn_schema cluster = {
    .kind = MRN_SCHEMA_MAP,
    .name = "cluster template",
    .keys = cluster_keys,
    .one_of = "a",
    .doc =
        "A rigid cluster of overlapping spheres (disks in 2D), as a template. Its size comes from "
        "the shape of the bodies: radius or diameter of the sphere of equal volume."};
const mrn_schema mrn_schema_clusters = {.kind = MRN_SCHEMA_TABLE, .item = &cluster, .at_most = 256};

/* ---- walls ---- */

static const mrn_key wall_keys[] = {
    {"name", &name, .example = "floor", .fallback = "plane-1, box-2, …",
     .doc = "To refer to the wall in stages, probes and `--set`."},
    {"material", &name, .example = "steel", .fallback = "the material, when there is only one",
     .doc = "What the wall is made of."},
    {"motion", &mrn_schema_motion, .example = "{velocity: [0, 0, -1 mm/s]}", .fallback = "none",
     .doc = "How the wall moves."},
    {0}};
static const mrn_schema wall = {.kind = MRN_SCHEMA_MAP,
                                .name = "wall",
                                .keys = wall_keys,
                                .more = MRN_MORE_WALLS,
                                .one_of = "s",
                                .doc = "A wall is a body that moves as imposed: one shape, a "
                                       "material, a motion. Forces and torques on "
                                       "it are probes."};

/* ---- cell, time step, output ---- */

static const mrn_key cell_keys[] = {
    {"periodic", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = WORD("x", "y", "z"), .at_most = 3),
     .required = true, .example = "[x, y]", .doc = "Directions in which the world repeats."},
    {"size", VECTOR("m"), MRN_AT(mrn_cell, size), .example = "[4 cm, 4 cm, 0]",
     .fallback = "that of the run that `bodies` come from",
     .doc = "Edges of the cell; only the periodic directions count."},
    {"origin", VECTOR("m"), MRN_AT(mrn_cell, origin), .example = "[-2 cm, -2 cm, 0]",
     .fallback = "0; where `size` is left out, that of the run that `bodies` come from",
     .doc = "Lowest corner of the cell."},
    {"rate", SIGNALS("1/s"), .group = 'c', .example = "[0, 0, -0.1 1/s]", .fallback = "0",
     .doc = "Rate of strain of each edge, (dL/dt)/L: positive grows."},
    {"control", &mrn_schema_control, .group = 'c', .example = "{isotropic: 100 kPa}",
     .fallback = "the cell keeps its shape",
     .doc = "Strain and stress, component by component or as a test."},
    {0}};
const mrn_schema mrn_schema_cell = {
    .kind = MRN_SCHEMA_MAP,
    .name = "cell",
    .keys = cell_keys,
    .doc = "A periodic cell: a box at the start, which may strain and shear."};
/* in the scene and in a stage alike: what the mapping has stands behind what the number has */
_Static_assert(offsetof(mrn_scene, time_step_fraction) - offsetof(mrn_scene, time_step) ==
                   offsetof(mrn_stage, time_step_fraction) - offsetof(mrn_stage, time_step),
               "time_step and time_step_fraction stand side by side");
static const mrn_key step_keys[] = {
    {"fraction",
     SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = 0, .max = 1, .min_open = true),
     MRN_AFTER(mrn_scene, time_step_fraction, time_step), .required = true, .example = "0.1",
     .doc =
         "Part of the critical step 2 sqrt(m/k) of the stiffest single contact: how finely an "
         "impact is resolved, in place of `accuracy`. The step never exceeds 0.7 of the stability "
         "limit."},
    {0}};
static const mrn_schema time_step = {
    .kind = MRN_SCHEMA_EITHER,
    .scalar = ABOVE("s", 0),
    .map = SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "time-step", .keys = step_keys,
                  .doc = "The time step as a part of the critical one, instead of a time.")};
#define ACCURACY_DOC                                                                               \
    "How finely method smooth resolves impacts where `time-step` does not say: the step is 0.2 "   \
    "(quick), 0.1 (normal) or 0.05 (fine) of 2 sqrt(m/k) of the stiffest single contact. Half "    \
    "the "                                                                                         \
    "step costs twice the time. Measured: restitution 0.5 is off by 0.008, 0.003, 0.001; of the "  \
    "energy lost in a settling bed the ledger lacks 0.25, 0.06, 0.013 %. Other methods do not "    \
    "look at it."
static const mrn_schema accuracy = {
    .kind = MRN_SCHEMA_WORD,
    .words = WORDS([MRN_QUICK] = "quick", [MRN_NORMAL] = "normal", [MRN_FINE] = "fine")};
#define FIELD(field) MRN_AFTER(mrn_output, field, fields)
static const mrn_key field_keys[] = {
    {"width", &length, FIELD(fields_width), .example = "3 mm", .fallback = "the mean diameter",
     .doc = "Width of the smoothing function."},
    {"spacing", &length, FIELD(fields_spacing), .example = "3 mm", .fallback = "the width",
     .doc = "Spacing of the grid."},
    {"every", ABOVE("s", 0), FIELD(fields_every), .example = "10 ms", .fallback = "as every",
     .doc = "Simulated time between files."},
    {0}};
#define AT(field) MRN_AT(mrn_output, field)
static const mrn_key output_keys[] = {
    {"every", QUANTITY("s", 0, INFINITY), AT(every), .example = "10 ms", .fallback = "no pictures",
     .doc = "Simulated time between frames of the trajectory; 0: none."},
    /* each is checked against the scene: a reader of its own */
    {"probes", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &probe_name, .at_most = 256),
     .example = "[usual, walls.floor.force.z, outlets.sink.rate]", .fallback = "[usual]",
     .doc = "Columns of probes.csv besides time, step and stage: probes by name; `PROBE.rate`, the "
            "change of a probe from row to row per second (`outlets.NAME.rate`: kg/s); `stress.*`, "
            "`fabric.*`, `strain.*`, `cell.*`; `usual`: energies, contacts, speeds, height, solid "
            "fraction, in periodic cells stress and strain, and what the method brings; `all`."},
    {"probes-every", ABOVE("s", 0), AT(probes_every), .example = "1 ms", .fallback = "as every",
     .doc = "Simulated time between rows of probes.csv."},
    {"checkpoint-every", ABOVE("s", 0), AT(checkpoint_every), .example = "0.5 s",
     .fallback = "at the end only", .doc = "Simulated time between checkpoints."},
    {"contacts", &flag, AT(contacts), .example = "true",
     .doc = "Store the contact network with each frame: force chains, analysis."},
    {"fields",
     SCHEMA(.kind = MRN_SCHEMA_EITHER, .scalar = &flag,
            .map = SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "fields", .keys = field_keys,
                          .doc = "Coarse-grained fields: density, velocity, stress, granular "
                                 "temperature on a grid.")),
     AT(fields), .example = "{width: 3 mm, every: 10 ms}",
     .doc = "Write coarse-grained fields for ParaView into the folder `fields`."},
    {0}};
#undef AT
const mrn_schema mrn_schema_output = {.kind = MRN_SCHEMA_MAP,
                                      .name = "output",
                                      .keys = output_keys,
                                      .doc = "What a run writes, and how often."};

/* ---- stages ---- */

static const mrn_key crossing_keys[] = {
    {"name", &probe_name, .required = true, .example = "walls.floor.force.z", .doc = "The probe."},
    {"above", &any_measure, .group = 'a', .example = "10 N",
     .doc = "Holds when the probe is at least this, in the probe's unit."},
    {"below", &any_measure, .group = 'a', .example = "1 N",
     .doc = "Holds when the probe is at most this, in the probe's unit."},
    {0}};
static const mrn_key until_keys[] = {
    {"time", ABOVE("s", 0), .example = "1 s", .doc = "Simulated time in the stage reaches this."},
    {"steps", INTEGER(1, 9e15), .example = "10000", .doc = "Steps in the stage reach this."},
    {"kinetic-energy-ratio", ABOVE("1", 0), .example = "1e-6",
     .doc = "Kinetic energy falls to this part of its peak in the stage."},
    {"unbalanced-force-ratio", ABOVE("1", 0), .example = "1e-3",
     .doc = "Mean resultant force on a grain falls to this part of the mean contact force."},
    {"probe",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "crossing", .keys = crossing_keys, .one_of = "a",
            .doc = "A probe that crosses a value."),
     .example = "{name: walls.floor.force.z, below: -10 N}", .doc = "Any probe crosses a value."},
    {0}};
static const mrn_schema condition = {
    .kind = MRN_SCHEMA_MAP,
    .name = "condition",
    .keys = until_keys,
    .at_least = 1,
    .doc = "When a stage ends. Several keys, or a list of such mappings: when all hold at once."};
static const mrn_key wall_change_keys[] = {
    {"motion", &mrn_schema_motion, .example = "{velocity: [0, 0, 5 cm/s]}", .fallback = "unchanged",
     .doc = "A new motion; `none` stops the wall."},
    {"remove", &flag, .example = "true", .fallback = "false", .doc = "Take the wall away."},
    {0}};
static const mrn_key body_change_keys[] = {
    {"hold", SCHEMA(.kind = MRN_SCHEMA_EITHER, .scalar = WORD("none"), .list = &mrn_schema_hold),
     .example = "[x, y, rx, ry, rz]", .fallback = "none",
     .doc = "Degrees of freedom that stay at rest from here on."},
    {"drive", SCHEMA(.kind = MRN_SCHEMA_EITHER, .scalar = WORD("none"), .map = &mrn_schema_drive),
     .example = "{z: -1 mm/s}", .fallback = "none",
     .doc = "Degrees of freedom that move as imposed from here on."},
    {0}};
static const mrn_key stage_cell_keys[] = {
    {"rate", SIGNALS("1/s"), .group = 'c', .example = "[0, 0, -0.1 1/s]",
     .doc = "New rate of strain of each edge; shear ends."},
    {"control", &mrn_schema_control, .group = 'c', .example = "{isotropic: 100 kPa}",
     .doc = "A new control, in place of all that was imposed before."},
    {0}};
/* What a stage takes over from before, with the keys that it names changed. */
#define CHANGE(field, flag) MRN_AT(mrn_stage, field), MRN_MARKS(mrn_stage, flag), MRN_CHANGES(field)
static const mrn_key stage_keys[] = {
    {"name", &name, .example = "settle", .fallback = "stage-1, stage-2, …",
     .doc = "Shown while running, and for `--set`."},
    {"until",
     SCHEMA(.kind = MRN_SCHEMA_EITHER, .map = &condition,
            .list =
                SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &condition, .at_least = 1, .at_most = 8)),
     .example = "{kinetic-energy-ratio: 1e-6}", .doc = "The end condition."},
    {"at-most", ABOVE("s", 0), MRN_AT(mrn_stage, at_most), .usual = INFINITY, .example = "3 s",
     .fallback = "no limit", .doc = "The stage ends after this simulated time in any case."},
    {"gravity", &mrn_schema_gravity, .example = "[0, 0, -9.81]", .fallback = "unchanged",
     .doc = "A new gravity."},
    {"interactions", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &mrn_schema_interaction_change),
     .example = "[{between: [glass, glass], friction: 0.5}]", .fallback = "unchanged",
     .doc = "Laws and parameters that change."},
    {"walls",
     SCHEMA(.kind = MRN_SCHEMA_TABLE,
            .item = SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "change of wall",
                           .keys = wall_change_keys, .doc = "What a stage changes about a wall.")),
     .example = "{lid: {motion: {velocity: [0, 0, -1 mm/s]}}}", .fallback = "unchanged",
     .doc = "Walls that change, by name."},
    {"bodies",
     SCHEMA(.kind = MRN_SCHEMA_TABLE,
            .item = SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "change of bodies",
                           .keys = body_change_keys, .some_of = WORDS("hold", "drive"),
                           .doc = "What a stage imposes on a body group, in place of all that "
                                  "was imposed on it before (method nonsmooth).")),
     .example = "{plate: {drive: {z: -1 mm/s}}}", .fallback = "unchanged",
     .doc = "Body groups, by name, whose imposed degrees of freedom change; `hold: none` frees "
            "them."},
    {"remove",
     SCHEMA(.kind = MRN_SCHEMA_EITHER, .scalar = &name,
            .list = SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &name)),
     .example = "[gate]", .doc = "Names of walls to take away."},
    {"cell",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "change of cell", .keys = stage_cell_keys,
            .one_of = "c", .doc = "What a stage changes about the periodic cell."),
     .example = "{rate: [0, 0, -0.1 1/s]}", .fallback = "unchanged",
     .doc = "A new strain or control."},
    {"forces", &mrn_schema_forces, .example = "none", .fallback = "unchanged",
     .doc = "New forces on bodies, in place of all there were; `none` ends them."},
    {"inlets", SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = WORD("open", "closed")),
     .example = "{feed: closed}", .fallback = "unchanged",
     .doc = "Inlets to open or close, by the name of their body group."},
    {"damping", &mrn_schema_damping, CHANGE(damping, has_damping), .example = "{global: 0}",
     .fallback = "unchanged", .doc = "Keys given here change; the others stay."},
    {"nonsmooth", &mrn_schema_nonsmooth, CHANGE(nonsmooth, has_nonsmooth),
     .example = "{tolerance: 1e-6}", .fallback = "unchanged",
     .doc = "Keys given here change; the others stay."},
    {"method", &method, .example = "quasistatic", .fallback = "unchanged",
     .doc =
         "From here on contacts are resolved so; by a method that remembers the same of contacts "
         "as the scene's: smooth and quasistatic do."},
    {"quasistatic", &mrn_schema_quasistatic, CHANGE(quasistatic, has_quasistatic),
     .example = "{increments: 200}", .fallback = "unchanged",
     .doc = "Keys given here change; the others stay."},
    {"event", &mrn_schema_event, CHANGE(event, has_event), .example = "{collapse-time: 1e-6 s}",
     .fallback = "unchanged", .doc = "Keys given here change; the others stay."},
    {"fixed-contacts", FLAG, CHANGE(fixed_contacts, has_fixed_contacts), .example = "true",
     .fallback = "unchanged; false before",
     .doc = "true: no contact but those that are there when the stage begins. They may open, and "
            "close again; other grains pass through each other. How far a network goes by itself, "
            "with inertia (method smooth) or without (quasistatic)."},
    {"output", &mrn_schema_output, .example = "{every: 1 ms}", .fallback = "unchanged",
     .doc = "Keys given here change; the others stay."},
    {"time-step", &time_step, MRN_AT(mrn_stage, time_step), .example = "1 us",
     .fallback = "unchanged", .doc = "A new time step."},
    {"accuracy", &accuracy, CHANGE(accuracy, has_accuracy), .example = "quick",
     .fallback = "unchanged",
     .doc = "A computed step of this accuracy from here on, in place of a step given before."},
    {0}};
const mrn_schema mrn_schema_stage = {
    .kind = MRN_SCHEMA_MAP,
    .name = "stage",
    .keys = stage_keys,
    .some_of = WORDS("until", "at-most"),
    .doc = "A part of the run. When it begins it may change gravity, forces, inlets, laws, walls, "
           "cell, "
           "damping, output and time step; "
           "changes stay in force afterwards. It needs an end: `until`, `at-most`, or both."};

/* ---- the whole ---- */

#define AT(field) MRN_AT(mrn_scene, field)
static const mrn_key scene_keys[] = {
    {"moraine", INTEGER(1, 1), .free = true, .required = true, .example = "1",
     .doc = "Version of the scene format: 1."},
    {"title", &text, AT(title), .free = true, .example = "Glass beads settle in a box",
     .doc = "What the scene shows."},
    {"dimension", INTEGER(2, 3), AT(dimension), .usual = 3, .example = "3",
     .doc = "3: spheres in space; 2: disks in the plane, vectors have two components."},
    {"method", &method, .example = "nonsmooth", AT(method), .text = "smooth",
     .doc = "How contacts are resolved."
#define MRN_METHOD(x, summary) " " #x ": " summary "."
#include "moraine/methods.def"
#undef MRN_METHOD
    },
    {"nonsmooth", &mrn_schema_nonsmooth, AT(nonsmooth), .choices = true,
     .example = "{tolerance: 1e-6, theta: 0.5}", .fallback = "the defaults",
     .doc = "Choices of method nonsmooth."},
    {"quasistatic", &mrn_schema_quasistatic, AT(quasistatic), .choices = true,
     .example = "{increments: 200}", .fallback = "the defaults",
     .doc = "Choices of method quasistatic."},
    {"event", &mrn_schema_event, AT(event), .choices = true, .example = "{collapse-time: 1e-6 s}",
     .fallback = "the defaults", .doc = "Choices of method event."},
    {"seed", INTEGER(0, 1.8446744073709552e19), AT(seed), .usual = 1, .example = "1",
     .doc = "Seed of all random numbers: same seed, same bits."},
    {"gravity", &mrn_schema_gravity, .example = "[0, 0, -9.81]", .fallback = "none",
     .doc = "Acceleration of gravity."},
    {"damping", &mrn_schema_damping, AT(damping), .example = "{global: 5 1/s}", .fallback = "none",
     .doc = "Artificial damping, to prepare a state."},
    {"integrator", WORD([MRN_VERLET] = "verlet", [MRN_EULER] = "euler", [MRN_GEAR] = "gear"),
     AT(integrator), .usual = MRN_VERLET, .example = "verlet",
     .doc = "verlet: second order, energy kept; euler: explicit, first order, to repeat published "
            "runs; gear: predictor-corrector of higher order, for studies."},
    {"device",
     WORD([MRN_DEVICE_CPU] = "cpu", [MRN_DEVICE_CUDA] = "cuda", [MRN_DEVICE_EMULATED] = "emulated"),
     AT(device), .usual = MRN_DEVICE_CPU, .free = true, .example = "cuda",
     .doc =
         "What makes the steps of method smooth: the processor, a GPU (cuda), or the processor in "
         "place of a GPU (emulated: slow, to test one). Results have the same bits."},
    {"precision", WORD([MRN_PRECISION_DOUBLE] = "double", [MRN_PRECISION_MIXED] = "mixed"),
     AT(precision), .usual = MRN_PRECISION_DOUBLE, .example = "mixed",
     .doc = "What a device keeps: all numbers in double precision, or (mixed) velocities, forces, "
            "orientations and what contacts remember in single, places in double; a step is "
            "computed in double. Mixed takes less memory and time, and has other bits."},
    {"materials", &mrn_schema_materials, .required = true,
     .example = "{glass: {density: 2500 kg/m3, young: 70 GPa, poisson: 0.22}}",
     .doc = "Materials by name."},
    {"interactions",
     SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &mrn_schema_interaction, .at_least = 1),
     .required = true,
     .example = "[{between: any, law: hertz-mindlin, restitution: 0.9, friction: 0.5}]",
     .doc = "A law for every two materials that may meet."},
    {"clusters", &mrn_schema_clusters,
     .example = "{peanut: {spheres: [[0, 0, 0, 1], [1.2, 0, 0, 0.8]]}}", .fallback = "none",
     .doc = "Templates of clusters, by name."},
    {"bodies",
     SCHEMA(.kind = MRN_SCHEMA_EITHER, .map = &mrn_schema_body,
            .list = SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &mrn_schema_body, .at_least = 1)),
     .required = true,
     .example =
         "[{shape: {sphere: {diameter: 2 mm}}, count: 100, place: {fill: {box: [[0, 0, 0], [2 cm, "
         "2 cm, 2 cm]]}}}]",
     .doc = "Groups of grains: a list, or a single one. `{from: out/packing}` takes them from "
            "another run."},
    {"walls", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &wall),
     .example = "[{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]", .fallback = "none",
     .doc = "Walls."},
    {"joints", &mrn_schema_joints,
     .example = "[{name: axle, hinge: {between: [ground, paddle], point: [0, 0, 0], axis: [0, 1, "
                "0]}}]",
     .fallback = "none", .doc = "What holds bodies together (method nonsmooth)."},
    {"forces", &mrn_schema_forces, .example = "[{group: beads, acceleration: [1 m/s2, 0, 0]}]",
     .fallback = "none", .doc = "Forces and torques on bodies."},
    {"outlets", &mrn_schema_outlets, .example = "[{below: {axis: z, value: -1 cm}}]",
     .fallback = "none", .doc = "Regions in which grains vanish."},
    {"cell", &mrn_schema_cell, .example = "{periodic: [x, y], size: [4 cm, 4 cm, 0]}",
     .fallback = "not periodic", .doc = "Periodic directions."},
    {"time-step", &time_step, AT(time_step), .free = true, .example = "{fraction: 0.1}",
     .fallback = "computed, by accuracy",
     .doc = "A time, or a part of the critical time step. Best left out: computed from what is "
            "there."},
    {"accuracy", &accuracy, AT(accuracy), .usual = MRN_NORMAL, .free = true, .example = "fine",
     .doc = ACCURACY_DOC},
    {"stages", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &mrn_schema_stage, .at_least = 1),
     .required = true, .free = true, /* those entered count by what they changed */
     .example = "[{name: settle, until: {kinetic-energy-ratio: 1e-6}, at-most: 3 s}]",
     .doc = "The parts of the run, one after another."},
    {"output", &mrn_schema_output, AT(output), .free = true, .example = "{every: 10 ms}",
     .fallback = "the final state only", .doc = "What is written, and how often."},
    {0}};
const mrn_schema mrn_schema_scene = {.kind = MRN_SCHEMA_MAP,
                                     .name = "scene",
                                     .keys = scene_keys,
                                     .doc = "A scene file: materials, what they do to each other, "
                                            "grains, walls and the stages of a run."};
