/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The format of the lab's files, key by key, as keys_scene.c has that of scenes. */
#include "scene/format.h"
#include "scene/schema_fit.h"

static const mrn_schema measure = {.kind = MRN_SCHEMA_MEASURE};
static const mrn_schema name = {.kind = MRN_SCHEMA_NAME};
static const mrn_schema text = {.kind = MRN_SCHEMA_TEXT};

#define FRACTION                                                                                   \
    SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = 0, .max = 0.1, .min_open = true)

/* ---- values that may be many ---- */

static const mrn_key range_keys[] = {
    {"from", &measure, .required = true, .example = "0 deg", .doc = "The first value."},
    {"to", &measure, .required = true, .example = "60 deg", .doc = "The last value."},
    {"steps", INTEGER(2, 1e6), .required = true, .example = "13",
     .doc = "How many values, evenly, both ends included."},
    {0}};
static const mrn_schema range = {.kind = MRN_SCHEMA_MAP,
                                 .name = "values",
                                 .keys = range_keys,
                                 .doc = "Values from one to another in equal steps."};
static const mrn_schema values = {
    .kind = MRN_SCHEMA_EITHER,
    .scalar = &measure,
    .list = SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &measure, .at_least = 1, .at_most = 1000000),
    .map = &range};

/* ---- collision ---- */

static const mrn_key ball_keys[] = {
    {"material", &name, .example = "steel", .fallback = "the material, when there is only one",
     .doc = "What it is made of."},
    {"radius", LENGTH, .group = 'r', .example = "22.225 mm", .doc = "Radius."},
    {"diameter", LENGTH, .group = 'r', .example = "44.45 mm", .doc = "Diameter."},
    {"spin", VECTOR("rad/s"), .example = "[0, 10 rad/s, 0]", .fallback = "0",
     .doc = "Angular velocity before the impact. z is the normal, x the direction of the "
            "tangential motion: a ball that rolls spins about y."},
    {0}};
static const mrn_schema ball = {.kind = MRN_SCHEMA_MAP,
                                .name = "ball",
                                .keys = ball_keys,
                                .one_of = "r",
                                .doc = "A ball that collides, or is hit."};
static const mrn_key target_keys[] = {{"plane", &name, .group = 't', .example = "steel",
                                       .doc = "A plane of this material, which does not move."},
                                      {"sphere", &ball, .group = 't',
                                       .example = "{material: steel, diameter: 20 mm}",
                                       .doc = "Another ball."},
                                      {"fixed", FLAG, .example = "true", .fallback = "false",
                                       .doc = "The other ball is held: nothing moves it, and it "
                                              "keeps its spin. It needs no density."},
                                      {0}};
static const mrn_schema target = {.kind = MRN_SCHEMA_MAP,
                                  .name = "target",
                                  .keys = target_keys,
                                  .one_of = "t",
                                  .doc = "What the ball hits."};
static const mrn_schema any_law = {.kind = MRN_SCHEMA_EITHER,
                                   .scalar = SCHEMA(.kind = MRN_SCHEMA_LAW),
                                   .map = &mrn_schema_mixture};
static const mrn_key collision_keys[] = {
    {"ball", &ball, .required = true, .example = "{material: steel, diameter: 44.45 mm}",
     .doc = "The ball that comes."},
    {"target", &target, .required = true, .example = "{plane: steel}", .doc = "What it hits."},
    {"speed", &values, .example = "4.2 m/s",
     .fallback = "required, unless it varies or is measured",
     .doc = "Speed of the centre before the impact, relative to the target. Lists make a sweep: "
            "all combinations, the last key of the file fastest."},
    {"normal-speed", &values, .example = "3.9 m/s", .fallback = "what speed and angle make",
     .doc = "In place of `speed`: its part along the normal. The speed then follows the angle, "
            "normal-speed / cos(angle), so that a sweep of angles keeps the normal impact."},
    {"angle", &values, .example = "{from: 0 deg, to: 60 deg, steps: 13}", .fallback = "0",
     .doc = "Between the velocity and the normal; below 90 deg."},
    {"spin", &values, .example = "[-50 rad/s, 50 rad/s]", .fallback = "that of the ball, or 0",
     .doc = "Of the ball about y, before the impact. A vector stands with the ball."},
    {"vary", SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &values, .at_least = 1, .at_most = 16),
     .example = "{friction: [0.1, 0.2], diameter: {from: 1 mm, to: 5 mm, steps: 5}}",
     .fallback = "nothing",
     .doc = "Other numbers that take several values: diameter, target-diameter, target-spin, "
            "young, poisson, "
            "density, the same of the target (target-young, …), and any number among the "
            "parameters of the law."},
    {"together", SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &values, .at_least = 2, .at_most = 16),
     .example = "{angle: [10 deg, 20 deg, 40 deg], speed: [2 m/s, 2.1 m/s, 2.6 m/s]}",
     .fallback = "nothing",
     .doc = "Numbers that vary together and not in all combinations: the first value of each, the "
            "second of each, … All have equally many. Any of speed, normal-speed, angle, spin, and "
            "what `vary` takes."},
    {"normal", WORD("touch", "end"), .example = "end", .fallback = "touch",
     .doc = "About which normal en, et, psi2 and angles after the impact are stated. The normal of "
            "two balls turns while they touch, the more the softer they are and the flatter they "
            "meet. touch: that of the first touch; end: that of the moment when they part."},
    {"law", &any_law, .example = "hertz-mindlin", .fallback = "those of `laws`",
     .doc = "The contact law, when there is only one: its parameters stand beside it."},
    {0}};
static const mrn_schema collision = {
    .kind = MRN_SCHEMA_MAP,
    .name = "collision",
    .keys = collision_keys,
    .more = MRN_MORE_LAW,
    .law_optional = true,
    .doc = "One collision, or many: a ball comes down on a plane or on another ball."};
static const mrn_key candidate_keys[] = {
    {"law", &any_law, .required = true, .example = "zheng",
     .doc = "The contact law, or a mixture of parts; the parameters stand beside it. law rigid: "
            "the hard-sphere jump."},
    {0}};
static const mrn_schema candidate = {.kind = MRN_SCHEMA_MAP,
                                     .name = "candidate",
                                     .keys = candidate_keys,
                                     .more = MRN_MORE_LAW,
                                     .doc = "A law with its parameters, to be compared or fitted."};

/* ---- data ---- */

#define COLUMN                                                                                     \
    {                                                                                              \
        "column", &text, .example = "angle", .fallback = "the same name",                          \
                         .doc = "Name of the column, as the header of the table (or the rows) "    \
                                "has it."                                                          \
    }
#define UNIT                                                                                       \
    {                                                                                              \
        "unit", &text, .example = "deg", .fallback = "none, for pure numbers",                     \
                       .doc = "Unit of the numbers of the column. Inline rows may have units "     \
                              "themselves."                                                        \
    }
static const mrn_key condition_keys[] = {COLUMN, UNIT, {0}};
static const mrn_schema condition = {
    .kind = MRN_SCHEMA_MAP,
    .name = "condition",
    .keys = condition_keys,
    .doc = "A column that says how an impact was made: any of speed, angle, spin, or what `vary` "
           "takes."};
static const mrn_key error_keys[] = {
    {"column", &text, .group = 'v', .example = "en_ci", .doc = "The column with the errors."},
    {"value", &measure, .group = 'v', .example = "0.02",
     .doc = "The same for all; in the unit of the response, of variances in its square."},
    MRN_KEYS_OF_ERROR("interval-95"),
    {0}};
static const mrn_schema error = {
    .kind = MRN_SCHEMA_EITHER,
    .scalar = WORD("unknown"),
    .map = SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "error", .keys = error_keys, .one_of = "v",
                  .doc = "How uncertain a response is. `unknown`: the same for all of them, found "
                         "from the residuals of the fit.")};
static const mrn_key response_keys[] = {
    COLUMN,
    UNIT,
    {"error", &error, .example = "{column: en_ci, kind: interval-95}",
     .fallback = "required, unless there are replicates", .doc = "How uncertain it is."},
    {0}};
static const mrn_schema response = {.kind = MRN_SCHEMA_MAP,
                                    .name = "response",
                                    .keys = response_keys,
                                    .doc = "A column with what was measured."};
static const mrn_key data_keys[] = {
    {"file", FILE_NAME, .group = 'a', .example = "measured.csv",
     .doc = "A table with a header line. Lines that begin with # are skipped."},
    {"rows",
     SCHEMA(.kind = MRN_SCHEMA_LIST, .item = SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &measure),
            .at_least = 1),
     .group = 'a', .example = "[{angle: 10 deg, en: 0.95}, {angle: 20 deg, en: 0.96}]",
     .doc = "The table itself."},
    {"conditions",
     SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &condition, .at_least = 1, .at_most = 16),
     .example = "{angle: {column: angle, unit: deg}}",
     .fallback = "none: all impacts are those of `collision`",
     .doc = "Which columns say how the impact was made."},
    {"responses", SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &response, .at_least = 1),
     .required = true, .example = "{en: {column: en, error: {column: en_ci, kind: interval-95}}}",
     .doc = "Which columns are measurements: en, et, omega, rebound_angle, rebound_angle_contact, "
            "psi1, psi2, contact_time, max_force, max_overlap, energy_lost, normal_turn."},
    {"missing", &text, .example = "\"-\"", .fallback = "every cell must hold a number",
     .doc = "What stands where a response was not measured."},
    {"replicates", FLAG, .example = "true", .fallback = "false",
     .doc = "Rows with the same conditions repeat one measurement: mean, variance and degrees of "
            "freedom come from them."},
    {0}};
static const mrn_schema data = {
    .kind = MRN_SCHEMA_MAP,
    .name = "data",
    .keys = data_keys,
    .one_of = "a",
    .doc = "Measurements. Each row is an impact; `collision` says what does not change."};

/* ---- fit and sensitivity ---- */

#define BOUNDS SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &measure, .at_least = 2, .at_most = 2)
#define SCALE                                                                                      \
    {                                                                                              \
        "scale", WORD("linear", "log"), .example = "log", .fallback = "linear",                    \
                                        .doc = "log: searched, and intervals made, in log10."      \
    }
static const mrn_key parameter_keys[] = {
    {"bounds", BOUNDS, .required = true, .example = "[2.1e3 Pa s, 2.1e6 Pa s]",
     .doc = "Where it is sought, lower bound first."},
    SCALE,
    {"start", &measure, .example = "2e5 Pa s", .fallback = "anywhere",
     .doc = "Where the local search may begin."},
    {0}};
static const mrn_schema parameter = {
    .kind = MRN_SCHEMA_MAP,
    .name = "parameter",
    .keys = parameter_keys,
    .doc = "A number to be found: a parameter of the law, or whatever `vary` takes."};
static const mrn_key fit_keys[] = {
    {"law", &name, .example = "M3", .fallback = "the only one of `laws`",
     .doc = "Which candidate is fitted."},
    {"parameters",
     SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &parameter, .at_least = 1, .at_most = 16),
     .required = true,
     .example = "{eta1: {bounds: [2.1e3 Pa s, 2.1e6 Pa s], scale: log}, "
                "eta2-over-eta1: {bounds: [0, 10]}}",
     .doc = "What is to be found."},
    {"responses", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &name, .at_least = 1),
     .example = "[en, et]", .fallback = "all that are measured",
     .doc = "Which of the responses count."},
    MRN_KEY_CONFIDENCE,
    {"population", INTEGER(2, 1e6), .example = "30", .fallback = "10 (parameters + 1), at least 30",
     .doc = "Points of the global search."},
    {"doublings", INTEGER(0, 20), .example = "4", .fallback = "4",
     .doc = "How often the population is doubled at most, while the optimum still falls."},
    {"max-evaluations", INTEGER(1, 1e12), .example = "1e6", .fallback = "1e6",
     .doc = "Sets of parameters that may be tried."},
    {"tolerance", FRACTION, .example = "1e-8", .fallback = "1e-8",
     .doc = "Of the parameters, relative, at the end."},
    MRN_KEYS_OF_INTERVALS,
    {"seed", INTEGER(0, 1.8446744073709552e19), .example = "1", .fallback = "1",
     .doc = "Of all random numbers."},
    {0}};
static const mrn_schema fit = {.kind = MRN_SCHEMA_MAP,
                               .name = "fit",
                               .keys = fit_keys,
                               .doc = "Parameters of a law from the data."};
static const mrn_key factor_keys[] = {{"range", BOUNDS, .required = true, .example = "[0.05, 0.3]",
                                       .doc = "From where to where it varies."},
                                      SCALE,
                                      {"base", &measure, .example = "0.1",
                                       .fallback = "the value of the law",
                                       .doc = "Its value while another varies."},
                                      {0}};
static const mrn_schema factor = {.kind = MRN_SCHEMA_MAP,
                                  .name = "factor",
                                  .keys = factor_keys,
                                  .doc = "A number whose influence is sought."};
static const mrn_key sensitivity_keys[] = {
    {"law", &name, .example = "M3", .fallback = "that of `fit`, or the only one",
     .doc = "Which candidate is studied."},
    {"parameters", SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &factor, .at_least = 1, .at_most = 64),
     .required = true, .example = "{friction: {range: [0.05, 0.3]}}", .doc = "What varies."},
    {"steps", INTEGER(2, 1e5), .example = "21", .fallback = "21",
     .doc = "Values of each parameter, one at a time."},
    {"sobol", INTEGER(0, 1e8), .example = "1024", .fallback = "1024",
     .doc = "Points for Sobol's indices; 0: none."},
    {"morris", INTEGER(0, 1e6), .example = "20", .fallback = "0",
     .doc = "Trajectories for Morris' elementary effects; 0: none."},
    {0}};
static const mrn_schema sensitivity = {.kind = MRN_SCHEMA_MAP,
                                       .name = "sensitivity",
                                       .keys = sensitivity_keys,
                                       .doc = "Which parameter moves which response."};

/* ---- the whole ---- */

static const mrn_key lab_keys[] = {
    {"moraine", INTEGER(1, 1), .required = true, .example = "1",
     .doc = "Version of the format: 1."},
    {"title", &text, .example = "Steel ball on a steel plate", .doc = "What the experiment is."},
    {"source", SCHEMA(.kind = MRN_SCHEMA_TEXT, .max = 600),
     .example = "\"Kharaz, Gorham & Salman 2001\"", .doc = "Where the data come from."},
    {"materials", &mrn_schema_materials, .required = true,
     .example = "{steel: {density: 7766 kg/m3, young: 210 GPa, poisson: 0.3}}",
     .doc = "Materials by name, as in scenes."},
    {"collision", &collision, .required = true,
     .example = "{ball: {diameter: 44.45 mm}, target: {plane: steel}, speed: 4.2 m/s}",
     .doc = "What collides, and how."},
    {"laws", SCHEMA(.kind = MRN_SCHEMA_TABLE, .item = &candidate, .at_least = 1, .at_most = 64),
     .example = "{M3: {law: zheng, eta1: 3.16e5 Pa s, friction: 0.091}}",
     .fallback = "the law of `collision`", .doc = "Candidates by name."},
    {"data", &data, .example = "{file: measured.csv, responses: {en: {error: unknown}}}",
     .fallback = "none", .doc = "Measurements."},
    {"fit", &fit, .example = "{parameters: {eta1: {bounds: [2e3, 2e6], scale: log}}}",
     .fallback = "none", .doc = "What `moraine fit` finds."},
    {"sensitivity", &sensitivity, .example = "{parameters: {friction: {range: [0.05, 0.3]}}}",
     .fallback = "none", .doc = "What `moraine sensitivity` varies."},
    {"accuracy", SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = 1e-12, .max = 1e-2),
     .example = "1e-8", .fallback = "1e-8; 1e-6 in fits and sensitivity",
     .doc = "Relative accuracy of collisions: steps are refined until it is reached."},
    {0}};
const mrn_schema mrn_schema_lab = {
    .kind = MRN_SCHEMA_MAP,
    .name = "lab file",
    .keys = lab_keys,
    .doc = "A file of the lab: collisions of two bodies, laws for them, measurements, and what is "
           "asked."};
