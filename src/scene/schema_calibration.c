/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The format of calibrations against bulk tests, key by key, as keys_scene.c has that of scenes.
 */
#include "scene/format.h"
#include "scene/schema_fit.h"

static const mrn_schema measure = {.kind = MRN_SCHEMA_MEASURE};
static const mrn_schema name = {.kind = MRN_SCHEMA_NAME};
static const mrn_schema text = {.kind = MRN_SCHEMA_TEXT};

/* ---- parameters ---- */

static const mrn_schema paths = {
    .kind = MRN_SCHEMA_EITHER,
    .scalar = &text,
    .list = SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &text, .at_least = 1, .at_most = 64)};
static const mrn_schema sets = {
    .kind = MRN_SCHEMA_EITHER,
    .scalar = &text,
    .list = SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &text, .at_least = 1, .at_most = 64),
    .map = SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &paths, .at_least = 1, .at_most = 64)};
static const mrn_key parameter_keys[] = {
    {"sets", &sets, .required = true, .example = "interactions.0.friction",
     .doc = "Where its value goes in the scenes: a path as `--set` has it, a list of paths, or "
            "{TEST: path} where only some scenes have it or where it stands elsewhere in each."},
    {"bounds", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &measure, .at_least = 2, .at_most = 2),
     .required = true, .example = "[0.1, 0.8]",
     .doc = "Where it is sought, lower bound first; both as the scene would have them, in the same "
            "unit."},
    {"scale", WORD("linear", "log"), .example = "log", .fallback = "linear",
     .doc = "log: searched, and intervals made, in log10."},
    {"start", &measure, .example = "0.4", .fallback = "none",
     .doc = "A first guess: the first point that is run."},
    {0}};
static const mrn_schema parameter = {.kind = MRN_SCHEMA_MAP,
                                     .name = "parameter",
                                     .keys = parameter_keys,
                                     .doc = "A number of the scenes that is to be found."};

/* ---- tests ---- */

static const mrn_key error_keys[] = {
    {"value", &measure, .required = true, .example = "1 deg",
     .doc = "In the unit of the target, of a variance in its square."},
    MRN_KEYS_OF_ERROR("standard-error"),
    {0}};
static const mrn_schema error = {.kind = MRN_SCHEMA_MAP,
                                 .name = "error",
                                 .keys = error_keys,
                                 .doc = "How uncertain the measurement is."};
static const mrn_key target_keys[] = {
    {"probe", SCHEMA(.kind = MRN_SCHEMA_PROBE), .required = true, .example = "repose-angle",
     .doc = "What of the scene is compared: any probe (`moraine probes` lists them)."},
    {"take", WORD("end", "mean", "max", "min", "slope", "change"), .example = "slope",
     .fallback = "end",
     .doc = "end: its value when the stage is over. mean, max, min: over the rows that probes.csv "
            "would have in the stage (`output.probes-every`) and the stage's end; rows without a "
            "value do not count. slope: its change per second, by least squares over the same. "
            "change: the "
            "last of them less the first."},
    {"stage", &name, .example = "discharge", .fallback = "the last one",
     .doc = "Of which stage of the scene."},
    {"after", SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "s", .min = 0, .max = INFINITY),
     .example = "0.1 s", .fallback = "0",
     .doc = "Rows from so long after the stage began. Not with take: end."},
    {"last", ABOVE("s", 0), .example = "0.5 s", .fallback = "the whole stage",
     .doc = "Rows of the last so many seconds of the stage. Not with take: end."},
    {"value", &measure, .required = true, .example = "27 deg",
     .doc = "What was measured, in the unit of the probe (slope: per second), or one that converts "
            "to it."},
    {"error", &error, .required = true, .example = "{value: 1 deg, kind: standard-error}",
     .doc = "How uncertain that is."},
    {0}};
static const mrn_schema target = {.kind = MRN_SCHEMA_MAP,
                                  .name = "target",
                                  .keys = target_keys,
                                  .doc = "A number of the test that was measured."};
static const mrn_key test_keys[] = {
    {"scene", FILE_NAME, .required = true, .example = "heap.yaml",
     .doc = "The scene that stands for the experiment."},
    {"set", SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &text, .paths = true, .at_most = 64),
     .example = "{bodies.beads.count: 600}", .fallback = "none",
     .doc = "Changes to the scene that are always made: paths as `--set` has them, and values."},
    {"targets", SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &target, .at_least = 1, .at_most = 64),
     .required = true,
     .example = "{angle: {probe: repose-angle, value: 27 deg, error: {value: 1 deg, kind: sd}}}",
     .doc = "What was measured, by names of your own."},
    {0}};
static const mrn_schema test = {
    .kind = MRN_SCHEMA_MAP,
    .name = "test",
    .keys = test_keys,
    .doc = "An experiment, and the scene that is run in its place. Every run of it gets a seed of "
           "its own."};

/* ---- how ---- */

static const mrn_key calibrate_keys[] = {
    {"runs", INTEGER(1, 1e9), .example = "80", .fallback = "60",
     .doc = "Runs of scenes, at most, all tests and the check at the end together."},
    {"points", INTEGER(0, 1e6), .example = "12", .fallback = "0: 5 per parameter and 5 more",
     .doc = "Sets of parameters of the first design, which fills the box between the bounds."},
    {"seeds", INTEGER(2, 1e4), .example = "2", .fallback = "2",
     .doc = "Runs of each test at a point, which differ in their seed: they tell the noise."},
    {"batch", INTEGER(0, 1e6), .example = "2", .fallback = "0: eight runs, 4 points at most",
     .doc = "Points that are added at a time after the design."},
    {"tolerance", ABOVE("1", 0), .example = "0.1", .fallback = "0.1",
     .doc = "Ends when the sum of squares is expected to fall by less."},
    {"seed", INTEGER(0, 1.8446744073709552e19), .example = "1", .fallback = "1",
     .doc = "Of all random numbers; the scenes' own seeds come from it."},
    MRN_KEY_CONFIDENCE,
    MRN_KEYS_OF_INTERVALS,
    {0}};
static const mrn_schema calibrate = {.kind = MRN_SCHEMA_MAP,
                                     .name = "calibrate",
                                     .keys = calibrate_keys,
                                     .doc = "How long to seek, and what to tell."};

/* ---- the whole ---- */

static const mrn_key calibration_keys[] = {
    {"moraine", INTEGER(1, 1), .required = true, .example = "1",
     .doc = "Version of the format: 1."},
    {"title", &text, .example = "Beads from a heap and a silo", .doc = "What is calibrated."},
    {"source", SCHEMA(.kind = MRN_SCHEMA_TEXT, .max = 600),
     .example = "\"our shear box, spring 2024\"", .doc = "Where the measurements come from."},
    {"parameters",
     SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &parameter, .at_least = 1, .at_most = 16),
     .required = true, .example = "{friction: {sets: interactions.0.friction, bounds: [0.1, 0.8]}}",
     .doc = "What is to be found, by names of your own."},
    {"tests", SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &test, .at_least = 1, .at_most = 64),
     .required = true, .example = "{heap: {scene: heap.yaml, targets: {…}}}",
     .doc = "Experiments that were made, by names of your own."},
    {"calibrate", &calibrate, .example = "{runs: 80, seeds: 2}", .fallback = "defaults",
     .doc = "How long to seek, and what to tell."},
    {0}};
const mrn_schema mrn_schema_calibration = {
    .kind = MRN_SCHEMA_MAP,
    .name = "calibration",
    .keys = calibration_keys,
    .doc = "A calibration: parameters of scenes from bulk tests, for `moraine calibrate`."};
