/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a scene, continued: all that depends on time. Signals, gravity, motions of walls,
   forces on bodies, inlets and outlets, the control of the periodic cell, damping. */
#include "model/keys_macros.h"

/* ---- signals ---- */

/* Loads that come back; values in the unit of the signal, time is that in the stage. */
static const mrn_schema any_measure = {.kind = MRN_SCHEMA_MEASURE};
static const mrn_key sine_keys[] = {
    {"mean", &any_measure, .example = "16 kN", .fallback = "0",
     .doc = "Value about which it goes."},
    {"amplitude", &any_measure, .required = true, .example = "14 kN",
     .doc = "How far it goes to each side."},
    {"frequency", ABOVE("Hz", 0), .required = true, .example = "5 Hz", .doc = "Cycles per second."},
    {"phase", QUANTITY("rad", -INFINITY, INFINITY), .example = "90 deg", .fallback = "0",
     .doc = "Phase at the begin of the stage."},
    {0}};
static const mrn_key haversine_keys[] = {
    {"min", &any_measure, .example = "2 kN", .fallback = "0",
     .doc = "Value between the pulses; a cycle begins and ends with it."},
    {"max", &any_measure, .required = true, .example = "30 kN", .doc = "Value at the peaks."},
    {"frequency", ABOVE("Hz", 0), .required = true, .example = "20 Hz",
     .doc = "Cycles per second."},
    {"cycles", INTEGER(1, 1e12), .example = "1000", .fallback = "without end",
     .doc = "Afterwards it stays at `min`."},
    {"grow", QUANTITY("1", 0, 1e6), .example = "4", .fallback = "0",
     .doc = "The first cycles, over which the peaks grow evenly to `max`."},
    {0}};
static const mrn_key vibration_keys[] = {
    {"gamma", QUANTITY("1", 0, 1e6), .required = true, .example = "2",
     .doc = "Largest acceleration over that of gravity, 9.81 m/s2. 0: at rest."},
    {"frequency", ABOVE("Hz", 0), .required = true, .example = "30 Hz",
     .doc = "Cycles per second."},
    {0}};
static const mrn_key train_keys[] = {
    {"axle-load", ABOVE("N", 0), .required = true, .example = "225 kN",
     .doc = "Force of each axle on the track (half of it on each rail)."},
    {"axles", SCHEMA(.kind = MRN_SCHEMA_LIST, .item = QUANTITY("m", 0, INFINITY), .at_least = 1),
     .required = true, .example = "[0, 2.5 m, 17 m, 19.5 m]",
     .doc = "Where the axles of a car are, from its first one on, rising."},
    {"cars", INTEGER(1, 1000), .example = "8", .fallback = "1", .doc = "How many cars."},
    {"car-length", ABOVE("m", 0), .example = "26.4 m", .fallback = "needed with several cars",
     .doc = "Distance from car to car."},
    {"speed", ABOVE("m/s", 0), .required = true, .example = "160 km/h",
     .doc = "Speed of the train."},
    {"spacing", ABOVE("m", 0), .example = "0.6 m", .fallback = "0.6 m",
     .doc = "Distance of sleepers: what one bears is the foundation's pressure times this."},
    {"rail", ABOVE("N m2", 0), .example = "6.4e6 N m2", .fallback = "6.4e6 N m2",
     .doc = "Bending stiffness E I of one rail (UIC 60: 6.4e6 N m2)."},
    {"foundation", ABOVE("Pa", 0), .example = "30 MPa", .fallback = "30 MPa",
     .doc = "Track modulus: force per length and deflection beneath one rail."},
    {"at", QUANTITY("m", -1e9, 1e9), .example = "0.6 m", .fallback = "0",
     .doc = "Where along the track the sleeper is: one at 0.6 m bears the same, later."},
    {"passes", INTEGER(1, 1e9), .example = "100", .fallback = "1", .doc = "How many trains pass."},
    {"interval", ABOVE("s", 0), .example = "3 s",
     .fallback = "as soon as the one before has passed", .doc = "Time from train to train."},
    {0}};

static const mrn_key signal_keys[] = {
    {"sine",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "sine", .keys = sine_keys,
            .doc = "mean + amplitude sin(2 pi frequency s + phase), s the time in the stage."),
     .group = 'a', .example = "{mean: 16 kN, amplitude: 14 kN, frequency: 5 Hz}",
     .doc = "A sine of the time in the stage."},
    {"haversine",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "haversine", .keys = haversine_keys,
            .doc = "min + (max - min) (1 - cos(2 pi frequency s))/2: pulses from `min` to `max` "
                   "and back, as laboratories load ballast."),
     .group = 'a', .example = "{min: 2 kN, max: 30 kN, frequency: 20 Hz}",
     .doc = "Pulses of load."},
    {"vibration",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "vibration", .keys = vibration_keys,
            .doc = "As a signal in m: the displacement of a shaken table by its acceleration, "
                   "amplitude gamma g/(2 pi frequency)^2, a sine of the time in the stage. As a "
                   "component of gravity: what is felt on that table, -9.81 m/s2 (1 - gamma sin(2 "
                   "pi frequency s)), with the table at rest: the same motion, and contacts that "
                   "stay closed then lose nothing (a wall that speeds up within a step of "
                   "`nonsmooth` takes m (a h)^2/2 from each grain it carries)."),
     .group = 'a', .example = "{gamma: 2, frequency: 30 Hz}",
     .doc = "A shaken table with a given acceleration; for `path` of a wall, or gravity in its "
            "frame."},
    {"train",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "train", .keys = train_keys,
            .doc = "The force (a signal in N, positive: downwards on the sleeper; `scale: -1` for "
                   "a force along -z, 0.5 for one rail seat) that a sleeper bears while trains "
                   "pass at a steady speed. Rails are beams on an elastic foundation (Winkler, "
                   "Zimmermann): an axle Q at distance x gives Q spacing/(2 L) beam(x/L), L = (4 "
                   "rail/foundation)^(1/4); axles add up, and where the rail would lift the "
                   "sleeper the load is 0. Nothing dynamic is added: no unevenness, no waves. At s "
                   "= 0 the first axle is 5 L before the place x = 0."),
     .group = 'a', .example = "{axle-load: 225 kN, axles: [0, 2.5 m], speed: 160 km/h}",
     .doc = "Load of a sleeper beneath trains."},
    {"expression", SCHEMA(.kind = MRN_SCHEMA_TEXT), .group = 'a', .example = "5*sin(2*pi*50*t)",
     .doc = "Numbers, t (time of the run), s (time in the stage), pi, e, + - * / ^, sin, cos, tan, "
            "asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, sqrt, abs, min, max, floor, "
            "step(x) (0 before 0, then 1), ramp(a, b, x) (0 below a, 1 above b) and beam(x) "
            "(exp(-|x|) (cos |x| + sin |x|): a rail on its foundation under a wheel at 0)."},
    {"table", FILE_NAME, .group = 'a', .example = "path.csv",
     .doc = "A table with a header line: times (s, of the run) in the first column, values in the "
            "second. Linear between rows, constant before the first and after the last."},
    {"column", SCHEMA(.kind = MRN_SCHEMA_TEXT), .example = "z", .fallback = "the second",
     .doc = "The column of the table that holds the values."},
    {"unit", SCHEMA(.kind = MRN_SCHEMA_TEXT), .example = "mm", .fallback = "SI",
     .doc = "Unit of the values."},
    {"scale", QUANTITY("1", -INFINITY, INFINITY), .example = "-1", .fallback = "1",
     .doc = "A factor on all values."},
    {0}};
const mrn_schema mrn_schema_signal = {
    .kind = MRN_SCHEMA_MAP,
    .name = "signal",
    .keys = signal_keys,
    .one_of = "a",
    .doc = "A value that depends on time. Wherever a signal may stand, a quantity (`2 mm`), an "
           "expression of time in SI (`5e-3*sin(2*pi*50*t)`) or this mapping will do."};

/* ---- gravity ---- */

static const mrn_key gravity_keys[] = {
    {"magnitude", SIGNAL("m/s2", 0), .example = "9.81 m/s2", .fallback = "9.81 m/s2",
     .doc = "Its size."},
    {"tilt", SIGNAL("rad", -INFINITY), .example = "25 deg", .fallback = "0",
     .doc = "As if the scene were turned by this angle about the axis, the right-handed way: a "
            "positive tilt about y sends grains towards +x. At 0 gravity points down the last axis "
            "(-z, in 2D -y). An expression tilts slowly: `ramp(0, 60, s)*0.5`."},
    {"about", WORD("x", "y", "z"), .example = "y", .fallback = "y, in 2D z", .doc = "The axis."},
    {0}};
const mrn_schema mrn_schema_gravity = {
    .kind = MRN_SCHEMA_EITHER,
    .list = SIGNALS("m/s2"),
    .map = SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "gravity", .keys = gravity_keys, .at_least = 1,
                  .doc = "Gravity by its size and the tilt of the scene, instead of components.")};

/* ---- motion of walls ---- */

static const mrn_key shake_keys[] = {
    {"amplitude", VECTOR("m"), MRN_AT(mrn_motion, amplitude), .required = true,
     .example = "[0, 0, 1 mm]", .doc = "Largest displacement, with its direction."},
    {"frequency", QUANTITY("Hz", 0, INFINITY), MRN_AT(mrn_motion, frequency), .required = true,
     .example = "50 Hz", .doc = "Oscillations per second."},
    {"phase", QUANTITY("rad", -INFINITY, INFINITY), MRN_AT(mrn_motion, phase), .example = "90 deg",
     .doc = "Phase at the start: the displacement is amplitude sin(2 pi frequency t + phase)."},
    {0}};
static const mrn_key servo_keys[] = {
    {"direction", DIRECTION, MRN_AT(mrn_motion, servo_direction), .required = true,
     .example = "[0, 0, -1]",
     .doc = "Where the wall pushes the grains; it moves along this line only."},
    {"pressure", SIGNAL("Pa", 0), MRN_AT(mrn_motion, servo_target),
     MRN_MARKS(mrn_motion, servo_pressure), .group = 'a', .example = "10 kPa",
     .doc = "The pressure that the grains shall bear."},
    {"force", SIGNAL("N", 0), MRN_AT(mrn_motion, servo_target), .group = 'a', .example = "5 N",
     .doc = "The force that the grains shall bear."},
    {"area", ABOVE("m2", 0), MRN_AT(mrn_motion, servo_area), .example = "4 cm2",
     .fallback = "the section of the periodic cell",
     .doc = "The area that a pressure acts on (2D: width times 1 m)."},
    {"max-speed", ABOVE("m/s", 0), MRN_AT(mrn_motion, servo_max_speed), .example = "10 cm/s",
     .fallback = "from size and stiffness", .doc = "The wall never moves faster."},
    {0}};
static const mrn_key motion_keys[] = {
    {"velocity", VECTOR("m/s"), MRN_AT(mrn_motion, velocity), .example = "[0, 0, -1 mm/s]",
     .fallback = "0", .doc = "Steady velocity."},
    {"spin", SPIN("rad/s"), MRN_AT(mrn_motion, spin), .example = "[0, 30 rpm, 0]", .fallback = "0",
     .doc = "Steady angular velocity; in 2D one quantity."},
    {"about", VECTOR("m"), MRN_AT(mrn_motion, about), MRN_MARKS(mrn_motion, has_about),
     .example = "[0, 0, 0]", .fallback = "the wall's own centre",
     .doc = "A fixed point of the axis of `spin` and `angle`."},
    {"shake",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "shake", .keys = shake_keys,
            .doc = "A sinusoidal motion, added to the steady one."),
     MRN_HERE, .example = "{amplitude: [0, 0, 1 mm], frequency: 50 Hz}",
     .doc = "A sinusoidal motion on top."},
    {"path", SIGNALS("m"), MRN_AT(mrn_motion, path), .example = "[0, 0, \"2e-3*sin(2*pi*20*t)\"]",
     .doc = "Displacement as a function of time, added to the steady motion. The wall moves by its "
            "changes: what it is at the start does not matter."},
    {"angle", SIGNAL("rad", -INFINITY), MRN_AT(mrn_motion, angle), .example = "0.3*sin(2*pi*t)",
     .doc = "Rotation about `axis` as a function of time, added to the steady motion."},
    {"axis", DIRECTION, MRN_AT(mrn_motion, axis), .example = "[0, 1, 0]", .fallback = "z in 2D",
     .doc = "The axis of `angle` (3D)."},
    {"servo",
     SCHEMA(.kind = MRN_SCHEMA_MAP, .name = "servo", .keys = servo_keys, .one_of = "a",
            .doc =
                "A wall that moves until the grains bear what is asked for. Its speed is the error "
                "over the measured stiffness of its contacts."),
     MRN_HERE, .example = "{direction: [0, 0, -1], pressure: 10 kPa}",
     .doc = "Moves the wall until it bears a load; stands alone."},
    {0}};
const mrn_schema mrn_schema_motion_map = {.kind = MRN_SCHEMA_MAP,
                                          .name = "motion",
                                          .keys = motion_keys,
                                          .doc = "The imposed motion of a wall; `none` stops it."};
const mrn_schema mrn_schema_motion = {
    .kind = MRN_SCHEMA_EITHER, .scalar = WORD("none"), .map = &mrn_schema_motion_map};

/* ---- forces on bodies ---- */

static const mrn_key force_keys[] = {
    {"name", NAME, .example = "wind", .fallback = "force-1, force-2, …",
     .doc = "Shown by `moraine check`, and for `--set`."},
    {"group", NAME, .example = "beads", .fallback = "all",
     .doc = "The group of bodies it acts on, or `all`."},
    {"force", SIGNALS("N"), MRN_AT(mrn_body_force, force), .group = 'a',
     .example = "[0, 0, \"1e-3*sin(2*pi*5*t)\"]", .doc = "Force on each body, at its centre."},
    {"acceleration", SIGNALS("m/s2"), MRN_AT(mrn_body_force, force),
     MRN_MARKS(mrn_body_force, per_mass), .group = 'a', .example = "[1 m/s2, 0, 0]",
     .doc = "Force as mass times this acceleration."},
    {"torque", TURNS("N m"), MRN_AT(mrn_body_force, torque), .example = "[0, 0, 1e-6 N m]",
     .doc = "Torque on each body; in 2D one signal."},
    {0}};
const mrn_schema mrn_schema_force = {
    .kind = MRN_SCHEMA_MAP,
    .name = "force",
    .keys = force_keys,
    .some_of = WORDS("force", "acceleration", "torque"),
    .doc = "A force, an acceleration or a torque on every body of a group."};
const mrn_schema mrn_schema_forces = {
    .kind = MRN_SCHEMA_EITHER,
    .scalar = WORD("none"),
    .list = SCHEMA(.kind = MRN_SCHEMA_LIST, .item = &mrn_schema_force, .at_most = 64)};

/* ---- inlets and outlets ---- */

static const mrn_key inlet_keys[] = {
    REGION_KEYS,
    {"rate", SIGNAL("1/s", 0), MRN_AT(mrn_inlet, rate), .group = 'b', .example = "200 1/s",
     .doc = "Grains per second."},
    {"mass-rate", SIGNAL("kg/s", 0), MRN_AT(mrn_inlet, rate), MRN_MARKS(mrn_inlet, by_mass),
     .group = 'b', .example = "0.1 kg/s", .doc = "Mass per second."},
    {"from", QUANTITY("s", 0, INFINITY), MRN_AT(mrn_inlet, begin), .example = "0.5 s",
     .doc = "Time of the run at which grains begin to enter."},
    {"until", ABOVE("s", 0), MRN_AT(mrn_inlet, end), .usual = INFINITY, .example = "2 s",
     .fallback = "the end of the run", .doc = "Time of the run at which they cease to."},
    {0}};
const mrn_schema mrn_schema_inlet = {
    .kind = MRN_SCHEMA_MAP,
    .name = "inlet",
    .keys = inlet_keys,
    .one_of = "ab",
    .doc = "A region in which grains appear while the run goes on, at random free places, with the "
           "velocity of their group. What finds no room waits. `count` is the most that may enter; "
           "stages open and close inlets."};

static const mrn_key level_keys[] = {
    {"axis", WORD("x", "y", "z"), .required = true, .example = "z", .doc = "The direction."},
    {"value", QUANTITY("m", -INFINITY, INFINITY), .required = true, .example = "-1 cm",
     .doc = "The level."},
    {0}};
static const mrn_schema level = {.kind = MRN_SCHEMA_MAP,
                                 .name = "level",
                                 .keys = level_keys,
                                 .doc = "A plane across an axis that bounds an outlet."};
static const mrn_key outlet_keys[] = {
    {"name", NAME, .example = "drain", .fallback = "outlet-1, outlet-2, …",
     .doc = "To refer to the outlet in probes and `--set`."},
    REGION_KEYS,
    {"below", &level, .group = 'a', .example = "{axis: z, value: -1 cm}",
     .doc = "All that lies below a level."},
    {"above", &level, .group = 'a', .example = "{axis: z, value: 50 cm}",
     .doc = "All that lies above a level."},
    {"outside", FLAG, MRN_AT(mrn_outlet, outside), .example = "true",
     .doc = "Grains vanish outside of the region instead."},
    {"group", NAME, .example = "beads", .fallback = "all",
     .doc = "Only grains of this group vanish, or `all`."},
    {0}};
const mrn_schema mrn_schema_outlet = {
    .kind = MRN_SCHEMA_MAP,
    .name = "outlet",
    .keys = outlet_keys,
    .one_of = "a",
    .doc = "A region in which grains vanish, as soon as their centre is in it."};
const mrn_schema mrn_schema_outlets = {
    .kind = MRN_SCHEMA_LIST, .item = &mrn_schema_outlet, .at_most = 16};

/* ---- the periodic cell ---- */

static const mrn_key component_keys[] = {
    {"rate", SIGNAL("1/s", -INFINITY), .group = 'a', .example = "-0.01 1/s",
     .doc = "Rate of strain; a positive normal component grows the cell."},
    {"stress", SIGNAL("Pa", -INFINITY), .group = 'a', .example = "100 kPa",
     .doc = "Stress that the cell is strained to reach, compression positive."},
    {0}};
static const mrn_schema component = {
    .kind = MRN_SCHEMA_MAP,
    .name = "component",
    .keys = component_keys,
    .one_of = "a",
    .doc = "One component of the cell's velocity gradient: imposed, or found from the stress."};
static const mrn_key triaxial_keys[] = {
    {"axis", WORD("x", "y", "z"), .required = true, .example = "z", .doc = "The loaded direction."},
    {"rate", SIGNAL("1/s", -INFINITY), .required = true, .example = "-0.01 1/s",
     .doc = "Its rate of strain; negative compresses."},
    {"confining", SIGNAL("Pa", 0), .required = true, .example = "100 kPa",
     .doc = "Stress across it."},
    {0}};
static const mrn_schema triaxial = {
    .kind = MRN_SCHEMA_MAP,
    .name = "triaxial",
    .keys = triaxial_keys,
    .doc = "One direction strained at a rate, the others held at a stress."};
static const mrn_key shear_keys[] = {
    {"plane", WORD("xy", "xz", "yz"), .required = true, .example = "xy",
     .doc = "xy: the velocity points along x and changes along y."},
    {"rate", SIGNAL("1/s", -INFINITY), .required = true, .example = "1 1/s",
     .doc = "Shear rate, d(v_x)/dy."},
    {"pressure", SIGNAL("Pa", 0), .example = "10 kPa", .fallback = "the volume stays",
     .doc = "Normal stress on the sheared planes; the cell breathes to keep it."},
    {0}};
static const mrn_schema shear = {
    .kind = MRN_SCHEMA_MAP,
    .name = "simple-shear",
    .keys = shear_keys,
    .doc = "Homogeneous shear, at constant volume or at constant normal stress."};

#define COMPONENT(n, text)                                                                         \
    {                                                                                              \
        n, &component, .example = "{rate: -0.01 1/s}", .fallback = "{rate: 0}", .doc = text        \
    }
static const mrn_key control_keys[] = {
    COMPONENT("xx", "Edge along x."),
    COMPONENT("yy", "Edge along y."),
    COMPONENT("zz", "Edge along z (3D)."),
    COMPONENT("xy", "Shear d(v_x)/dy."),
    COMPONENT("xz", "Shear d(v_x)/dz (3D)."),
    COMPONENT("yz", "Shear d(v_y)/dz (3D)."),
    {"isotropic", SIGNAL("Pa", 0), .group = 's', .example = "100 kPa",
     .doc = "The same stress in all periodic directions."},
    {"triaxial", &triaxial, .group = 's',
     .example = "{axis: z, rate: -0.01 1/s, confining: 100 kPa}", .doc = "Triaxial test (3D)."},
    {"biaxial", &triaxial, .group = 's',
     .example = "{axis: y, rate: -0.01 1/s, confining: 100 kPa}", .doc = "Biaxial test (2D)."},
    {"simple-shear", &shear, .group = 's', .example = "{plane: xy, rate: 1 1/s, pressure: 10 kPa}",
     .doc = "Simple shear."},
    {"max-rate", ABOVE("1/s", 0), MRN_AT(mrn_cell_control, max_rate), .example = "1 1/s",
     .fallback = "chosen", .doc = "Largest rate of strain of a component held by stress."},
    {"response", ABOVE("s", 0), MRN_AT(mrn_cell_control, response), .example = "10 ms",
     .fallback = "chosen", .doc = "Time in which an error of the stress is taken out."},
    {0}};
const mrn_schema mrn_schema_control = {
    .kind = MRN_SCHEMA_MAP,
    .name = "control",
    .keys = control_keys,
    .at_least = 1,
    .doc = "How the cell is driven, component by component (what is not mentioned keeps its "
           "shape), or by the name of a test."};

static const mrn_key damping_keys[] = {
    {"global", QUANTITY("1/s", 0, INFINITY), MRN_AT(mrn_damping, global), .example = "5 1/s",
     .doc = "Force -global m v on every body, and likewise on its rotation."},
    {"local", QUANTITY("1", 0, 0.99), MRN_AT(mrn_damping, local), .example = "0.3",
     .doc = "Each component of the resultant force is lowered by this part of it where it drives "
            "the motion and raised where it brakes (Cundall)."},
    {0}};
const mrn_schema mrn_schema_damping = {
    .kind = MRN_SCHEMA_MAP,
    .name = "damping",
    .keys = damping_keys,
    .at_least = 1,
    .doc = "Damping that is not physics, to prepare a state quickly. It has its own account in the "
           "energy ledger; 0 switches it off."};
