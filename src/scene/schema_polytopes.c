/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scene format, continued: grains with corners. What stands in the shapes `polygon` and
   `polyhedron` beside their size. */
#include "model/keys_macros.h"
#include "scene/format.h"

#define POINTS(least)                                                                              \
    SCHEMA(.kind = MRN_SCHEMA_LIST, .item = VECTOR("m"), .at_least = least, .at_most = 10000)
#define SHARE(key, usual, text)                                                                    \
    {                                                                                              \
        key,                                                                                       \
            SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = 0, .max = 1,                   \
                   .min_open = true),                                                              \
            .example = "0.7", .fallback = usual, .doc = text                                       \
    }
#define ANGULARITY(text)                                                                           \
    {                                                                                              \
        "angularity", QUANTITY("1", 0, 1), .example = "0.5", .fallback = "0.5", .doc = text        \
    }
#define CORNERS(most)                                                                              \
    {                                                                                              \
        "points", INTEGER(3, most), .example = "8", .fallback = "by the angularity",               \
                                    .doc = "Corners wanted."                                       \
    }
#define VARIANTS                                                                                   \
    {                                                                                              \
        "variants", INTEGER(1, 1000), .example = "20", .fallback = "20",                           \
                                      .doc = "So many different forms are made, by the seed of "   \
                                             "the scene; each grain is one of them."               \
    }

static const mrn_key flat_random_keys[] = {
    CORNERS(1000),
    SHARE("elongation", "0.8", "Width over length of the rectangle that the grain fills."),
    ANGULARITY("0: rounded, many corners; 1: sharp, few."),
    VARIANTS,
    {0}};
static const mrn_key random_keys[] = {
    CORNERS(1000),
    SHARE("elongation", "0.8", "Middle over longest side of the box that the grain fills."),
    SHARE("flatness", "0.8", "Shortest over middle side of the box that the grain fills."),
    ANGULARITY("0: rounded, many faces; 1: sharp, few."),
    VARIANTS,
    {0}};
static const mrn_key crushed_keys[] = {
    SHARE("elongation", "0.7", "Middle over longest side, about which stones vary."),
    SHARE("flatness", "0.7", "Shortest over middle side, about which stones vary."),
    ANGULARITY("How little is cut away: 0 well rounded, 1 fresh from the crusher."),
    VARIANTS,
    {0}};

static const mrn_key part_keys[] = {{"points", POINTS(3), .required = true,
                                     .example = "[[0, 0], [2 cm, 0], [0, 2 cm]]",
                                     .doc = "Its corners, in any order."},
                                    {0}};
static const mrn_schema part = {
    .kind = MRN_SCHEMA_EITHER,
    .list = POINTS(3),
    .map = SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "part of a grain", .keys = part_keys,
                  .doc = "A convex part of a grain that is not convex, by its corners.")};
#define PARTS SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &part, .at_least = 1, .at_most = 1000)
#define SIDES                                                                                      \
    SCHEMA(.kind = MRN_SCHEMA_VECTOR, .unit = "m", .min = 0, .max = INFINITY, .min_open = true)

#define POINTS_DOC                                                                                 \
    "Corners in any order; the grain is their convex hull. In metres they tell the size too; "     \
    "with a size beside them only the form counts."
#define PARTS_DOC                                                                                  \
    "A grain that is not convex: convex parts that touch or overlap, each by its corners. What "   \
    "several share counts once. Sizes as for `points`."
#define BOX_DOC                                                                                    \
    "Lengths of its sides along the axes. In metres they tell the size too; with a size beside "   \
    "them only their ratios count."

const mrn_key mrn_keys_polygon[] = {
    {"sides", INTEGER(3, 1000), .group = 'p', .example = "5",
     .doc = "A regular polygon; unturned it stands on a side."},
    {"box", SIDES, .group = 'p', .example = "[2 cm, 1 cm]", .doc = BOX_DOC},
    {"points", POINTS(3), .group = 'p', .example = "[[0, 0], [3 cm, 0], [0, 2 cm]]",
     .doc = POINTS_DOC},
    {"parts", PARTS, .group = 'p',
     .example = "[[[0, 0], [3, 0], [3, 1], [0, 1]], [[0, 0], [1, 0], [1, 3], [0, 3]]]",
     .doc = PARTS_DOC},
    {"random",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "random polygon", .keys = flat_random_keys,
            .doc = "Random convex polygons."),
     .group = 'p', .example = "{points: 8, elongation: 0.7, variants: 20}",
     .doc = "Random convex polygons of given elongation and angularity."},
    {0}};

const mrn_key mrn_keys_polyhedron[] = {
    {"regular", NAME, .group = 'p', .example = "cube",
     .doc = "tetrahedron, cube, octahedron, dodecahedron, icosahedron, truncated-octahedron, "
            "truncated-icosahedron, or prism-N with N sides."},
    {"box", SIDES, .group = 'p', .example = "[3 cm, 2 cm, 1 cm]", .doc = BOX_DOC},
    {"points", POINTS(4), .group = 'p',
     .example = "[[0, 0, 0], [2 cm, 0, 0], [0, 2 cm, 0], [0, 0, 2 cm]]", .doc = POINTS_DOC},
    {"parts", PARTS, .group = 'p',
     .example = "[{points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}, {points: [[0, 0, 0], "
                "[1, 0, 0], [0, 1, 0], [0, 0, -1]]}]",
     .doc = PARTS_DOC},
    {"file", FILE_NAME, .group = 'p', .example = "stone.obj",
     .doc = "The convex hull of the points of an OBJ or STL file."},
    {"random",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "random polyhedron", .keys = random_keys,
            .doc = "Random convex polyhedra."),
     .group = 'p', .example = "{elongation: 0.8, flatness: 0.6, angularity: 0.5, variants: 20}",
     .doc = "Random convex polyhedra of given elongation, flatness and angularity."},
    {"crushed",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "crushed stone", .keys = crushed_keys,
            .doc = "Stones as a crusher makes them: blocks with their edges and corners cut."),
     .group = 'p', .example = "{elongation: 0.7, flatness: 0.7, variants: 30}",
     .doc = "Stones as a crusher makes them, such as railway ballast."},
    {0}};
