# SPDX-License-Identifier: GPL-3.0-or-later
"""Structures, constants and functions of the C library, for ctypes. Made by tools/gen-python.py: do not edit."""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int,
                    c_int32, c_int64, c_long, c_size_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64,
                    c_ulong, c_void_p)

MRN_VERSION = "0.1.0"
MRN_VERSION_MAJOR = 0
MRN_VERSION_MINOR = 1
MRN_VERSION_PATCH = 0
MRN_SURROGATE_POINTS = 2048
MRN_SURROGATE_INPUTS = 64
MRN_LAB_NAME = 64
MRN_BLOCK = 264
MRN_COEF_MAX = 16
MRN_HISTORY_MAX = 64
MRN_LAW_NAME = 96
MRN_BEARING = 1e-4
MRN_FORCE_BINS = 60
MRN_PARAM_MAX = 48
MRN_WARNING_MAX = 24
MRN_UNSOLVED_MAX = 10
MRN_RUN_LINES = 8
MRN_SOFT_CONTACT = 0.3
MRN_DIFFERENCES = 8
MRN_GAPS = 40
MRN_OUTLET_MAX = 16
MRN_INLET_MAX = 16
MRN_CONDITION_MAX = 8
MRN_BSR_PADDING = 8
MRN_CONTACT_BLOCK_MAX = 6
MRN_CYCLE_STEPS = 10000
MRN_SERVO_MAX = 16
MRN_NAME = 64
MRN_PI = 3.14159265358979323846
MRN_ERR_MACHINE = -7
MRN_ERR_INTERNAL = -6
MRN_ERR_STALE = -5
MRN_ERR_RANGE = -4
MRN_ERR_IO = -3
MRN_ERR_INPUT = -2
MRN_ERR_MEMORY = -1
MRN_OK = 0
MRN_AT_MOST = 1
MRN_INTERRUPTED = 2
MRN_EXPLODED = 3
MRN_TOO_STIFF = 4
MRN_NOT_CONVERGED = 5
MRN_P_NUMBER = 0
MRN_P_VECTOR = 1
MRN_P_BOX = 2
MRN_P_FLAG = 3
MRN_P_CHOICE = 4
MRN_P_FILE = 5
MRN_LAW_NORMAL = 0
MRN_LAW_TANGENTIAL = 1
MRN_LAW_ROLLING = 2
MRN_LAW_COHESION = 3
MRN_LAW_TWISTING = 4
MRN_LAW_KINDS = 5
MRN_GRAIN_BALL = 0
MRN_GRAIN_CLUSTER = 1
MRN_GRAIN_POLYTOPE = 2
MRN_RIMLESS_PLANE = 0
MRN_RIMLESS_CYLINDER = 1
MRN_RIMLESS_BALL = 2
MRN_SIGNAL_CONSTANT = 0
MRN_SIGNAL_EXPRESSION = 1
MRN_SIGNAL_TABLE = 2
MRN_CONTACT_2D = 0
MRN_CONTACT_3D = 1
MRN_CONTACT_2D_ROLLING = 2
MRN_CONTACT_3D_ROLLING = 3
MRN_CONTACT_3D_PIVOTING = 4
MRN_CONTACT_KINDS = 5
MRN_SLIDING = 0
MRN_ROLLING = 1
MRN_PIVOTING = 2
MRN_FRICTION_GROUPS = 3
MRN_UNILATERAL = 0
MRN_BILATERAL = 1
MRN_STOP_NATURAL = 0
MRN_STOP_CONTACT = 1
MRN_STOP_MEAN = 2
MRN_STOP_QUADRATIC = 3
MRN_STOP_MAX = 4
MRN_STOP_SIGNED = 5
MRN_CRITERIA = 6
MRN_VIOLATIONS = 4
MRN_MOTION_NONE = 0
MRN_MOTION_STEADY = 1
MRN_MOTION_SHAKE = 2
MRN_MOTION_PATH = 3
MRN_MOTION_SERVO = 4
MRN_SIZE_CONSTANT = 0
MRN_SIZE_UNIFORM = 1
MRN_SIZE_NORMAL = 2
MRN_SIZE_LOGNORMAL = 3
MRN_SIZE_SIEVE = 4
MRN_PLACE_FILL = 0
MRN_PLACE_LATTICE = 1
MRN_PLACE_LIST = 2
MRN_PLACE_CSV = 3
MRN_PLACE_INLET = 4
MRN_REGION_BOX = 0
MRN_REGION_CYLINDER = 1
MRN_REGION_SPHERE = 2
MRN_LATTICE_CUBIC = 0
MRN_LATTICE_HEX = 1
MRN_LATTICE_FCC = 2
MRN_DOF_X = 1
MRN_DOF_Y = 2
MRN_DOF_Z = 4
MRN_DOF_RX = 8
MRN_DOF_RY = 16
MRN_DOF_RZ = 32
MRN_JOINT_FIXED = 0
MRN_JOINT_HINGE = 1
MRN_JOINT_BALL = 2
MRN_JOINT_SLIDER = 3
MRN_JOINT_SPRING = 4
MRN_JOINT_KINDS = 5
MRN_GAP_MIXED = 0
MRN_GAP_VELOCITY = 1
MRN_GAP_CLOSING = 2
MRN_UNSOLVED_GO_ON = 0
MRN_UNSOLVED_HALVE = 1
MRN_UNSOLVED_SWITCH = 2
MRN_UNSOLVED_STOP = 3
MRN_UNSTABLE_STOP = 0
MRN_UNSTABLE_SMOOTH = 1
MRN_XX = 0
MRN_YY = 1
MRN_ZZ = 2
MRN_XY = 3
MRN_XZ = 4
MRN_YZ = 5
MRN_STRAINS = 6
MRN_CONTROL_RATE = 0
MRN_CONTROL_STRESS = 1
MRN_DEVICE_CPU = 0
MRN_DEVICE_CUDA = 1
MRN_DEVICE_EMULATED = 2
MRN_PRECISION_DOUBLE = 0
MRN_PRECISION_MIXED = 1
MRN_VERLET = 0
MRN_EULER = 1
MRN_GEAR = 2
MRN_QUICK = 0
MRN_NORMAL = 1
MRN_FINE = 2
MRN_ACCURACIES = 3
MRN_BODY_WALL = 1
MRN_BODY_FIXED = 2
MRN_BODY_ABSENT = 4
MRN_BODY_MEMBER = 8
MRN_BODY_CLUSTER = 16
MRN_BODY_POLYTOPE = 32
MRN_BODY_ASLEEP = 64
MRN_CONTACT_ALIVE = 1
MRN_COLUMN_NUMBER_id_c = 0
MRN_COLUMN_NUMBER_id_a = 1
MRN_COLUMN_NUMBER_c = 2
MRN_COLUMN_NUMBER_a = 3
MRN_COLUMN_NUMBER_feature = 4
MRN_COLUMN_NUMBER_flags = 5
MRN_COLUMN_NUMBER_body_c = 6
MRN_COLUMN_NUMBER_body_a = 7
MRN_COLUMN_NUMBER_interaction = 8
MRN_COLUMN_NUMBER_r_eff = 9
MRN_COLUMN_NUMBER_point = 10
MRN_COLUMN_NUMBER_normal = 11
MRN_COLUMN_NUMBER_tangent = 12
MRN_COLUMN_NUMBER_gap = 13
MRN_COLUMN_NUMBER_branch = 14
MRN_COLUMN_NUMBER_arm_c = 15
MRN_COLUMN_NUMBER_arm_a = 16
MRN_COLUMN_NUMBER_force = 17
MRN_COLUMN_NUMBER_moment = 18
MRN_COLUMN_NUMBER_lever = 19
MRN_COLUMN_NUMBER_history = 20
MRN_COLUMN_NUMBER_impulse = 21
MRN_COLUMN_NUMBER_slot = 22
MRN_CONTACT_COLUMNS = 23
MRN_FLIGHT_X = 0
MRN_FLIGHT_V = 3
MRN_FLIGHT_W = 6
MRN_FLIGHT_Q = 9
MRN_FLIGHT_TIME = 13
MRN_FLIGHT_HIT = 14
MRN_FLIGHT_WIDTH = 15
MRN_WAY_X = 0
MRN_WAY_Q = 3
MRN_WAY_TIME = 7
MRN_WAY_IMPULSE = 8
MRN_WAY_WIDTH = 14
MRN_F_DOUBLE = 0
MRN_F_INT64 = 1
MRN_F_INT32 = 2
MRN_F_UINT16 = 3
MRN_F_UINT8 = 4
MRN_STAGE_LIST = 0
MRN_STAGE_GEOMETRY = 1
MRN_STAGE_FORCE = 2
MRN_WIDTH_HISTORY = -1
MRN_WIDTH_IMPULSE = -2
MRN_CONTACTS_SLOTS = 0
MRN_CONTACTS_POINTS = 1
MRN_CONTACTS_SNAPSHOT = 2
MRN_CONTACTS_FRAME = 3
MRN_CONTACTS_SAVED = 4
MRN_CONTACTS_NAMES = 5
MRN_CONTACTS_CYCLE = 6
MRN_CONTACTS_USES = 7
MRN_COORDINATES_BOX = 0
MRN_COORDINATES_AXIS = 1
MRN_COORDINATES_LINE = 2
MRN_COORDINATES_DEPTH = 3
MRN_SERIES_LINE = 0
MRN_SERIES_POINTS = 1
MRN_SERIES_BOTH = 2
MRN_SERIES_DASHED = 3
MRN_SERIES_AREA = 4
MRN_SERIES_BARS = 5
MRN_SPREAD_GIVEN = 0
MRN_SPREAD_REPLICATES = 1
MRN_SPREAD_COMMON = 2
MRN_IDENTIFIED = 0
MRN_AT_BOUND = 1
MRN_NOT_SIGNIFICANT = 2
MRN_NOT_IDENTIFIED = 3
MRN_TIED = 4
MRN_AIM_IMPROVE = 0
MRN_AIM_LEARN = 1
MRN_AIM_FILL = 2
MRN_TAKE_END = 0
MRN_TAKE_MEAN = 1
MRN_TAKE_MAX = 2
MRN_TAKE_MIN = 3
MRN_TAKE_SLOPE = 4
MRN_TAKE_CHANGE = 5
MRN_TONE_PLAIN = 0
MRN_TONE_GOOD = 1
MRN_TONE_DOUBT = 2
MRN_TONE_BAD = 3
MRN_PAGE_HALF = 0
MRN_PAGE_FULL = 1
MRN_STEP_FORCES = 0
MRN_STEP_CONTACTS = 1
MRN_STEP_ASSEMBLY = 2
MRN_STEP_SOLVE = 3
MRN_STEP_LIST = 4
MRN_STEP_BODIES = 5
MRN_STEP_WALLS = 6
MRN_STEP_PARTS = 7
MRN_CAN_JOINTS = 0
MRN_CAN_IMPOSE_DOFS = 1
MRN_CAN_CLUSTERS = 2
MRN_CAN_POLYTOPES = 3
MRN_CAN_SOURCES = 4
MRN_CAN_MOVE_WALLS = 5
MRN_CAN_DRIVE_CELL = 6
MRN_CAN_LOCAL_DAMPING = 7
MRN_CAN_INTEGRATORS = 8
MRN_CAN_RIGID_LAWS = 9
MRN_CAN_NORMAL_HISTORY = 10
MRN_CAN_FREE_HISTORY = 11
MRN_CAN_SERVOS = 12
MRN_CAN_FORCES = 13
MRN_CAN_VARY_GRAVITY = 14
MRN_CAN_DAMP = 15
MRN_CAN_SPEED_RESTITUTION = 16
MRN_CAN_CONTACT_PROBLEMS = 17
MRN_CAN_FIX_CONTACTS = 18
MRN_ABILITIES = 19
MRN_REPORT_NUMBER = 0
MRN_REPORT_COUNT = 1
MRN_REPORT_FLAG = 2
MRN_REPORT_WORD = 3
MRN_REPORT_LINE = 4
MRN_IMPACT_SMALLEST = 0
MRN_IMPACT_LARGEST = 1
MRN_IMPACT_MIXED = 2
MRN_IMPACT_SMALL_WALL = 3
MRN_IMPACT_LARGE_WALL = 4
MRN_FIGURE_PROBE = 0
MRN_FIGURE_MEAN = 1
MRN_FIGURE_RATIO = 2
MRN_FIGURE_PEAK = 3
MRN_FIGURE_WHOLE = 4
MRN_FIGURE_TAIL = 5
MRN_FIGURE_PROBES = 4
MRN_CHANGE_TEXT = 1024
MRN_AGREE = 0
MRN_DIFFER = 1
MRN_CANNOT_TELL = 2
MRN_CROSSCHECK_METHODS = 16
MRN_VARY_STEP = 0
MRN_VARY_STIFFNESS = 1
MRN_VARY_TOLERANCE = 2
MRN_VARY_SIZE = 3
MRN_VARY_THREADS = 4
MRN_VARIES = 5
MRN_LEVELS = 12
MRN_ORDER_FOUND = 0
MRN_ORDER_CONSTANT = 1
MRN_ORDER_NOISE = 2
MRN_ORDER_NONE = 3
MRN_IMPORT_AUTO = 0
MRN_IMPORT_LAW = 1
MRN_IMPORT_EQUILIBRIUM = 2
MRN_GLOBAL_WALL = 0
MRN_GLOBAL_CELL = 1
MRN_NET_STICKS = 0
MRN_NET_SLIDES = 1
MRN_NET_OPEN = 2
MRN_NET_ROUND = 0
MRN_NET_FACE_A = 1
MRN_NET_FACE_C = 2
MRN_NET_EDGES = 3
MRN_FLOW_COULOMB = 0
MRN_FLOW_ASSOCIATED = 1
MRN_PATH_OK = 0
MRN_PATH_UNSTABLE = 1
MRN_PATH_UNSUPPORTED = 2
MRN_PATH_UNDECIDED = 3
MRN_RIGID_UP_TO = 0
MRN_RIGID_FLOWS = 1
MRN_RIGID_EVENTS = 2

class mrn_message(Structure):
    __slots__ = ()

class mrn_long_work(Structure):
    __slots__ = ()

class mrn_readable(Structure):
    __slots__ = ()

class mrn_rng(Structure):
    __slots__ = ()

class mrn_vec3(Structure):
    __slots__ = ()

class mrn_quat(Structure):
    __slots__ = ()

class mrn_body(Structure):
    __slots__ = ()

class mrn_param(Structure):
    __slots__ = ()

class mrn_value(Structure):
    __slots__ = ()

class mrn_history(Structure):
    __slots__ = ()

class mrn_material_pair(Structure):
    __slots__ = ()

class mrn_law_block(Structure):
    __slots__ = ()

class mrn_rigid(Structure):
    __slots__ = ()

class mrn_law_lanes(Structure):
    __slots__ = ()  # opaque

class mrn_law(Structure):
    __slots__ = ()

class mrn_law_model(Structure):
    __slots__ = ()

class mrn_prepared(Structure):
    __slots__ = ()

class mrn_convex(Structure):
    __slots__ = ()

class mrn_polytope(Structure):
    __slots__ = ()

class mrn_corners(Structure):
    __slots__ = ()

class mrn_random_polytope(Structure):
    __slots__ = ()

class mrn_mesh(Structure):
    __slots__ = ()  # opaque

class mrn_shape(Structure):
    __slots__ = ()

class mrn_triangles(Structure):
    __slots__ = ()

class mrn_posed(Structure):
    __slots__ = ()  # opaque

class mrn_point_list(Structure):
    __slots__ = ()  # opaque

class mrn_surface(Structure):
    __slots__ = ()  # opaque

class mrn_rimless(Structure):
    __slots__ = ()

class mrn_shape_type(Structure):
    __slots__ = ()

class mrn_contact_point(Structure):
    __slots__ = ()

class mrn_signal_op(Structure):
    __slots__ = ()  # opaque

class mrn_signal(Structure):
    __slots__ = ()

class mrn_instant(Structure):
    __slots__ = ()

class mrn_bsr(Structure):
    __slots__ = ()

class mrn_contact_layout(Structure):
    __slots__ = ()

class mrn_problem(Structure):
    __slots__ = ()

class mrn_problem_facts(Structure):
    __slots__ = ()

class mrn_measures(Structure):
    __slots__ = ()

class mrn_iterate(Structure):
    __slots__ = ()

class mrn_solve_control(Structure):
    __slots__ = ()

class mrn_slab(Structure):
    __slots__ = ()  # opaque

class mrn_workspace(Structure):
    __slots__ = ()

class mrn_solve_result(Structure):
    __slots__ = ()

class mrn_solver(Structure):
    __slots__ = ()

class mrn_system(Structure):
    __slots__ = ()  # opaque

class mrn_progress_log(Structure):
    __slots__ = ()  # opaque

class mrn_problem_family(Structure):
    __slots__ = ()

class mrn_method(Structure):
    __slots__ = ()

class mrn_material(Structure):
    __slots__ = ()

class mrn_interaction(Structure):
    __slots__ = ()

class mrn_motion(Structure):
    __slots__ = ()

class mrn_wall(Structure):
    __slots__ = ()

class mrn_size(Structure):
    __slots__ = ()

class mrn_region(Structure):
    __slots__ = ()

class mrn_grain(Structure):
    __slots__ = ()

class mrn_cluster(Structure):
    __slots__ = ()

class mrn_inlet(Structure):
    __slots__ = ()

class mrn_group(Structure):
    __slots__ = ()

class mrn_joint_end(Structure):
    __slots__ = ()

class mrn_joint(Structure):
    __slots__ = ()

class mrn_nonsmooth_options(Structure):
    __slots__ = ()

class mrn_quasistatic_options(Structure):
    __slots__ = ()

class mrn_event_options(Structure):
    __slots__ = ()

class mrn_cell_control(Structure):
    __slots__ = ()

class mrn_cell(Structure):
    __slots__ = ()

class mrn_damping(Structure):
    __slots__ = ()

class mrn_accuracy_level(Structure):
    __slots__ = ()

class mrn_body_force(Structure):
    __slots__ = ()

class mrn_outlet(Structure):
    __slots__ = ()

class mrn_condition(Structure):
    __slots__ = ()

class mrn_output(Structure):
    __slots__ = ()

class mrn_imposed(Structure):
    __slots__ = ()

class mrn_stage(Structure):
    __slots__ = ()

class mrn_scene(Structure):
    __slots__ = ()

class mrn_bodies(Structure):
    __slots__ = ()

class mrn_pairs(Structure):
    __slots__ = ()

class mrn_contacts(Structure):
    __slots__ = ()

class mrn_nonsmooth_memory(Structure):
    __slots__ = ()

class mrn_nonsmooth_report(Structure):
    __slots__ = ()

class mrn_quasistatic_report(Structure):
    __slots__ = ()

class mrn_event_report(Structure):
    __slots__ = ()

class mrn_event_memory(Structure):
    __slots__ = ()

class mrn_ledger(Structure):
    __slots__ = ()

class mrn_drive_memory(Structure):
    __slots__ = ()

class mrn_servo_memory(Structure):
    __slots__ = ()

class mrn_state(Structure):
    __slots__ = ()

class mrn_body_def(Structure):
    __slots__ = ()

class mrn_field(Structure):
    __slots__ = ()

class mrn_contacts_def(Structure):
    __slots__ = ()

class mrn_frame(Structure):
    __slots__ = ()

class mrn_header(Structure):
    __slots__ = ()

class mrn_trajectory(Structure):
    __slots__ = ()  # opaque

class mrn_probe_column(Structure):
    __slots__ = ()

class mrn_probe_table(Structure):
    __slots__ = ()

class mrn_export_format(Structure):
    __slots__ = ()

class mrn_net(Structure):
    __slots__ = ()

class mrn_atomic_file(Structure):
    __slots__ = ()

class mrn_average_def(Structure):
    __slots__ = ()

class mrn_average(Structure):
    __slots__ = ()

class mrn_series(Structure):
    __slots__ = ()

class mrn_map(Structure):
    __slots__ = ()

class mrn_plot(Structure):
    __slots__ = ()

class mrn_collision(Structure):
    __slots__ = ()

class mrn_rebound(Structure):
    __slots__ = ()

class mrn_collision_row(Structure):
    __slots__ = ()

class mrn_factor(Structure):
    __slots__ = ()

class mrn_rebound_field(Structure):
    __slots__ = ()

class mrn_predictor(Structure):
    __slots__ = ()

class mrn_parameter(Structure):
    __slots__ = ()

class mrn_datum(Structure):
    __slots__ = ()

class mrn_fit_options(Structure):
    __slots__ = ()

class mrn_estimate(Structure):
    __slots__ = ()

class mrn_test(Structure):
    __slots__ = ()

class mrn_nested(Structure):
    __slots__ = ()

class mrn_fit_region(Structure):
    __slots__ = ()

class mrn_fit(Structure):
    __slots__ = ()

class mrn_sweeps(Structure):
    __slots__ = ()

class mrn_sobol(Structure):
    __slots__ = ()

class mrn_morris(Structure):
    __slots__ = ()

class mrn_surrogate(Structure):
    __slots__ = ()  # opaque

class mrn_next(Structure):
    __slots__ = ()

class mrn_candidate(Structure):
    __slots__ = ()

class mrn_conditions(Structure):
    __slots__ = ()

class mrn_measurements(Structure):
    __slots__ = ()

class mrn_experiment(Structure):
    __slots__ = ()

class mrn_fit_setup(Structure):
    __slots__ = ()  # opaque

class mrn_fit_setup_data(Structure):
    __slots__ = ()

class mrn_tuned(Structure):
    __slots__ = ()

class mrn_virtual_test(Structure):
    __slots__ = ()

class mrn_target(Structure):
    __slots__ = ()

class mrn_calibration(Structure):
    __slots__ = ()

class mrn_virtual_run(Structure):
    __slots__ = ()

class mrn_virtual_watch(Structure):
    __slots__ = ()

class mrn_calibrated(Structure):
    __slots__ = ()

class mrn_calibrate_options(Structure):
    __slots__ = ()

class mrn_page(Structure):
    __slots__ = ()  # opaque

class mrn_picture(Structure):
    __slots__ = ()

class mrn_step_times(Structure):
    __slots__ = ()

class mrn_step_limit(Structure):
    __slots__ = ()

class mrn_probe(Structure):
    __slots__ = ()

class mrn_method_probe(Structure):
    __slots__ = ()

class mrn_report_item(Structure):
    __slots__ = ()

class mrn_report_sink(Structure):
    __slots__ = ()

class mrn_solving(Structure):
    __slots__ = ()

class mrn_method_column(Structure):
    __slots__ = ()

class mrn_smooth(Structure):
    __slots__ = ()  # opaque

class mrn_nonsmooth(Structure):
    __slots__ = ()  # opaque

class mrn_quasistatic(Structure):
    __slots__ = ()  # opaque

class mrn_engine(Structure):
    __slots__ = ()

class mrn_energies(Structure):
    __slots__ = ()

class mrn_progress(Structure):
    __slots__ = ()

class mrn_run_options(Structure):
    __slots__ = ()

class mrn_warning(Structure):
    __slots__ = ()

class mrn_run_line(Structure):
    __slots__ = ()

class mrn_run_result(Structure):
    __slots__ = ()

class mrn_problem_file(Structure):
    __slots__ = ()

class mrn_impact(Structure):
    __slots__ = ()

class mrn_impact_row(Structure):
    __slots__ = ()

class mrn_difference(Structure):
    __slots__ = ()

class mrn_gap(Structure):
    __slots__ = ()

class mrn_parting(Structure):
    __slots__ = ()

class mrn_diff_options(Structure):
    __slots__ = ()

class mrn_figure(Structure):
    __slots__ = ()

class mrn_variant(Structure):
    __slots__ = ()

class mrn_trial(Structure):
    __slots__ = ()

class mrn_trials(Structure):
    __slots__ = ()

class mrn_trials_watch(Structure):
    __slots__ = ()

class mrn_scatter(Structure):
    __slots__ = ()

class mrn_welch(Structure):
    __slots__ = ()

class mrn_crosscheck_options(Structure):
    __slots__ = ()

class mrn_left_out(Structure):
    __slots__ = ()

class mrn_crosscheck_plan(Structure):
    __slots__ = ()

class mrn_ladder_options(Structure):
    __slots__ = ()

class mrn_order(Structure):
    __slots__ = ()

class mrn_look(Structure):
    __slots__ = ()

class mrn_apng(Structure):
    __slots__ = ()  # opaque

class mrn_fclib_notes(Structure):
    __slots__ = ()

class mrn_fclib_save(Structure):
    __slots__ = ()

class mrn_import_format(Structure):
    __slots__ = ()

class mrn_import_options(Structure):
    __slots__ = ()

class mrn_import_grain(Structure):
    __slots__ = ()

class mrn_packing(Structure):
    __slots__ = ()

class mrn_import_facts(Structure):
    __slots__ = ()

class nameless_1(Structure):
    __slots__ = ()

class nameless_2(Structure):
    __slots__ = ()

class nameless_3(Structure):
    __slots__ = ()

class nameless_4(Structure):
    __slots__ = ()

class nameless_5(Structure):
    __slots__ = ()

class nameless_6(Structure):
    __slots__ = ()

class mrn_report(Structure):
    __slots__ = ()

class mrn_bulk(Structure):
    __slots__ = ()

class mrn_profile(Structure):
    __slots__ = ()

class mrn_force_table(Structure):
    __slots__ = ()

class mrn_mixing(Structure):
    __slots__ = ()

class mrn_repose(Structure):
    __slots__ = ()

class mrn_fields(Structure):
    __slots__ = ()

class mrn_global(Structure):
    __slots__ = ()

class mrn_net_element(Structure):
    __slots__ = ()

class mrn_net_options(Structure):
    __slots__ = ()

class mrn_ellipse(Structure):
    __slots__ = ()

class mrn_ellipse_touch(Structure):
    __slots__ = ()

class mrn_equilibrium(Structure):
    __slots__ = ()

class mrn_mechanism(Structure):
    __slots__ = ()

class mrn_rigidity(Structure):
    __slots__ = ()

class mrn_rigidity_options(Structure):
    __slots__ = ()

class mrn_limit(Structure):
    __slots__ = ()

class mrn_limit_options(Structure):
    __slots__ = ()

class mrn_stiffness_options(Structure):
    __slots__ = ()

class mrn_elastic(Structure):
    __slots__ = ()  # opaque

class mrn_elastic_options(Structure):
    __slots__ = ()

class mrn_elastic_facts(Structure):
    __slots__ = ()

class mrn_moduli(Structure):
    __slots__ = ()

class mrn_stability(Structure):
    __slots__ = ()

class mrn_stability_options(Structure):
    __slots__ = ()

class mrn_spectrum(Structure):
    __slots__ = ()

class mrn_path_options(Structure):
    __slots__ = ()

class mrn_path(Structure):
    __slots__ = ()  # opaque

class mrn_path_facts(Structure):
    __slots__ = ()

class mrn_follow(Structure):
    __slots__ = ()

class mrn_rigid_facts(Structure):
    __slots__ = ()

class mrn_rigid_options(Structure):
    __slots__ = ()

class mrn_wall_def(Structure):
    __slots__ = ()

class mrn_world(Structure):
    __slots__ = ()  # opaque


mrn_message._fields_ = [
    ("status", c_int),
    ("line", c_int),
    ("column", c_int),
    ("file", (c_char * 512)),
    ("path", (c_char * 256)),
    ("text", (c_char * 1024)),
    ("expected", (c_char * 512)),
    ("hint", (c_char * 512)),
]
mrn_long_work._fields_ = [
    ("tell", CFUNCTYPE(c_bool, c_void_p, c_char_p, c_double)),
    ("user", c_void_p),
    ("max_steps", c_int64),
]
mrn_readable._fields_ = [
    ("s", (c_char * 64)),
]
mrn_rng._fields_ = [
    ("s", (c_uint64 * 4)),
]
mrn_vec3._fields_ = [
    ("x", c_double),
    ("y", c_double),
    ("z", c_double),
]
mrn_quat._fields_ = [
    ("w", c_double),
    ("x", c_double),
    ("y", c_double),
    ("z", c_double),
]
mrn_body._fields_ = [
    ("id", c_uint32),
    ("generation", c_uint32),
]
mrn_param._fields_ = [
    ("name", c_char_p),
    ("symbol", c_char_p),
    ("kind", c_int),
    ("unit", c_char_p),
    ("min", c_double),
    ("max", c_double),
    ("min_open", c_bool),
    ("required", c_bool),
    ("fallback", c_double),
    ("choices", POINTER(c_char_p)),
    ("doc", c_char_p),
]
mrn_value._fields_ = [
    ("given", c_bool),
    ("number", c_double),
    ("flag", c_bool),
    ("a", mrn_vec3),
    ("b", mrn_vec3),
    ("text", (c_char * 256)),
    ("line", c_int),
    ("column", c_int),
]
mrn_history._fields_ = [
    ("name", c_char_p),
    ("unit", c_char_p),
    ("vector", c_bool),
    ("odd", c_bool),
    ("doc", c_char_p),
]
mrn_material_pair._fields_ = [
    ("young", (c_double * 2)),
    ("poisson", (c_double * 2)),
    ("density", (c_double * 2)),
    ("e_star", c_double),
    ("g_star", c_double),
    ("kappa", c_double),
]
mrn_law_block._fields_ = [
    ("n", c_int),
    ("old", c_bool),
    ("h", c_double),
    ("delta", (c_double * 264)),
    ("rate", (c_double * 264)),
    ("gap", (c_double * 264)),
    ("closing", (c_double * 264)),
    ("nx", (c_double * 264)),
    ("ny", (c_double * 264)),
    ("nz", (c_double * 264)),
    ("ux", (c_double * 264)),
    ("uy", (c_double * 264)),
    ("uz", (c_double * 264)),
    ("mean", c_bool),
    ("whole", c_bool),
    ("px", (c_double * 264)),
    ("py", (c_double * 264)),
    ("pz", (c_double * 264)),
    ("vx", (c_double * 264)),
    ("vy", (c_double * 264)),
    ("vz", (c_double * 264)),
    ("ax", (c_double * 264)),
    ("ay", (c_double * 264)),
    ("az", (c_double * 264)),
    ("pivot", (c_double * 264)),
    ("wx", (c_double * 264)),
    ("wy", (c_double * 264)),
    ("wz", (c_double * 264)),
    ("r_eff", (c_double * 264)),
    ("m_eff", (c_double * 264)),
    ("geared", c_bool),
    ("m_own", (c_double * 264)),
    ("fresh", (c_double * 264)),
    ("history", ((c_double * 264) * 64)),
    ("spin", (c_double * 264)),
    ("fn", (c_double * 264)),
    ("energy_n", (c_double * 264)),
    ("loss_n", (c_double * 264)),
    ("k_n", (c_double * 264)),
    ("gamma_n", (c_double * 264)),
    ("press", (c_double * 264)),
    ("wide", POINTER(c_double)),
    ("width", (c_double * 264)),
    ("jump", (c_double * 264)),
    ("tx", (c_double * 264)),
    ("ty", (c_double * 264)),
    ("tz", (c_double * 264)),
    ("energy_t", (c_double * 264)),
    ("power_t", (c_double * 264)),
    ("work_t", (c_double * 264)),
    ("slip", (c_double * 264)),
    ("mx", (c_double * 264)),
    ("my", (c_double * 264)),
    ("mz", (c_double * 264)),
]
mrn_law._fields_ = [
    ("name", c_char_p),
    ("kind", c_int),
    ("summary", c_char_p),
    ("doc", c_char_p),
    ("params", POINTER(mrn_param)),
    ("n_params", c_int),
    ("history", POINTER(mrn_history)),
    ("n_history", c_int),
    ("prepare", CFUNCTYPE(c_int, POINTER(mrn_material_pair), POINTER(mrn_value), POINTER(c_double), POINTER(mrn_message))),
    ("evaluate", CFUNCTYPE(None, POINTER(c_double), POINTER(mrn_law_block), POINTER((c_double * 264)))),
    ("stiffness", CFUNCTYPE(c_double, POINTER(c_double), c_double, c_double, c_double, c_double)),
    ("damping", CFUNCTYPE(c_double, POINTER(c_double), c_double, c_double, c_double, c_double)),
    ("undamped", CFUNCTYPE(c_bool, POINTER(c_double), c_double)),
    ("contact_time", CFUNCTYPE(c_double, POINTER(c_double), c_double, c_double, c_double)),
    ("impact_number", CFUNCTYPE(c_double, POINTER(c_double), c_double, c_double, c_double)),
    ("impact_restitution", CFUNCTYPE(c_double, POINTER(c_double), c_double)),
    ("range", CFUNCTYPE(c_double, POINTER(c_double), c_double)),
    ("wide", CFUNCTYPE(c_double, POINTER(c_double), c_double, c_double)),
    ("jumps", c_bool),
    ("spheres", c_bool),
    ("rigid_only", c_bool),
    ("rigid", CFUNCTYPE(c_int, POINTER(mrn_material_pair), POINTER(mrn_value), POINTER(mrn_rigid), POINTER(mrn_message))),
    ("hold", CFUNCTYPE(None, POINTER(c_double), c_double, c_double, c_double, mrn_vec3, POINTER(c_double))),
    ("with_normal", POINTER(c_char_p)),
    ("lanes", POINTER(mrn_law_lanes)),
]
mrn_law_model._fields_ = [
    ("name", (c_char * 96)),
    ("summary", c_char_p),
    ("doc", c_char_p),
    ("part", (POINTER(mrn_law) * 5)),
]
mrn_prepared._fields_ = [
    ("part", (POINTER(mrn_law) * 5)),
    ("history", c_int),
    ("moments", c_bool),
    ("range", c_bool),
    ("jumps", c_bool),
    ("undamped", c_bool),
    ("whole", (c_bool * 5)),
    ("offset", (c_int * 5)),
    ("coef", ((c_double * 16) * 5)),
]
mrn_rigid._fields_ = [
    ("restitution", c_double),
    ("restitution_t", c_double),
    ("friction", c_double),
    ("rolling", c_double),
    ("pivoting", c_double),
    ("pull_force", c_double),
    ("pull_per_radius", c_double),
    ("compliance", c_double),
    ("viscosity", c_double),
    ("viscosity_t", c_double),
    ("compliance_t", c_double),
    ("varies", c_bool),
]
mrn_convex._fields_ = [
    ("dimension", c_int),
    ("n_points", c_int),
    ("n_faces", c_int),
    ("n_edges", c_int),
    ("point", POINTER(c_double)),
    ("plane", POINTER(c_double)),
    ("face_start", POINTER(c_int32)),
    ("corner", POINTER(c_int32)),
    ("edge", POINTER(c_int32)),
    ("ring_start", POINTER(c_int32)),
    ("ring", POINTER(c_int32)),
    ("centre", mrn_vec3),
    ("bound", c_double),
    ("inner", c_double),
]
mrn_polytope._fields_ = [
    ("name", (c_char * 64)),
    ("dimension", c_int),
    ("n_parts", c_int),
    ("part", POINTER(mrn_convex)),
    ("inertia", (c_double * 3)),
    ("bound", c_double),
    ("length", (c_double * 3)),
    ("elongation", c_double),
    ("flatness", c_double),
    ("sphericity", c_double),
    ("angularity", c_double),
]
mrn_corners._fields_ = [
    ("n", c_int),
    ("point", POINTER(c_double)),
]
mrn_random_polytope._fields_ = [
    ("elongation", c_double),
    ("flatness", c_double),
    ("angularity", c_double),
    ("points", c_int),
    ("seed", c_uint64),
]
mrn_triangles._fields_ = [
    ("n_points", c_int),
    ("n_triangles", c_int),
    ("point", POINTER(c_double)),
    ("corner", POINTER(c_int32)),
]
mrn_rimless._fields_ = [
    ("kind", c_int),
    ("at", mrn_vec3),
    ("direction", mrn_vec3),
    ("radius", c_double),
    ("hollow", c_bool),
]
mrn_shape_type._fields_ = [
    ("name", c_char_p),
    ("summary", c_char_p),
    ("doc", c_char_p),
    ("grain", c_bool),
    ("in_2d", c_bool),
    ("in_3d", c_bool),
    ("params", POINTER(mrn_param)),
    ("n_params", c_int),
    ("kind", c_int),
    ("power", c_int),
    ("measure", CFUNCTYPE(None, c_double, POINTER(c_double), POINTER(c_double))),
    ("measure_2d", CFUNCTYPE(None, c_double, POINTER(c_double), POINTER(c_double))),
    ("build", CFUNCTYPE(c_int, POINTER(mrn_value), c_int, POINTER(mrn_shape), POINTER(mrn_vec3), POINTER(mrn_quat), POINTER(mrn_message))),
    ("release", CFUNCTYPE(None, POINTER(mrn_shape))),
    ("share", CFUNCTYPE(None, POINTER(mrn_shape))),
    ("features", CFUNCTYPE(c_int, POINTER(mrn_shape), mrn_vec3, c_double, POINTER(c_int32), c_int)),
    ("closest", CFUNCTYPE(c_double, POINTER(mrn_shape), c_int32, mrn_vec3, POINTER(mrn_vec3), POINTER(mrn_vec3))),
    ("bounds", CFUNCTYPE(None, POINTER(mrn_shape), POINTER(mrn_vec3), POINTER(mrn_vec3))),
    ("triangles", CFUNCTYPE(c_int, POINTER(mrn_shape), c_double, c_double, POINTER(mrn_triangles))),
    ("surface", CFUNCTYPE(c_bool, POINTER(mrn_shape), c_int32, POINTER(mrn_surface))),
    ("contact_points", CFUNCTYPE(None, POINTER(mrn_shape), c_int32, POINTER(mrn_posed), POINTER(mrn_point_list))),
    ("curvature", CFUNCTYPE(c_double, POINTER(mrn_shape), mrn_vec3, mrn_vec3)),
    ("is_foot", CFUNCTYPE(c_bool, POINTER(mrn_shape), c_int32, mrn_vec3)),
    ("rimless", CFUNCTYPE(c_bool, POINTER(mrn_shape), c_int32, POINTER(mrn_rimless))),
    ("plane", c_bool),
]
mrn_shape._fields_ = [
    ("type", POINTER(mrn_shape_type)),
    ("dimension", c_int),
    ("p", (c_double * 8)),
    ("inside", c_bool),
    ("mesh", POINTER(mrn_mesh)),
]
mrn_contact_point._fields_ = [
    ("point", mrn_vec3),
    ("normal", mrn_vec3),
    ("gap", c_double),
    ("feature", c_uint32),
    ("touch", c_bool),
]
mrn_signal._fields_ = [
    ("kind", c_int),
    ("constant", c_double),
    ("text", c_char_p),
    ("n_ops", c_int),
    ("op", POINTER(mrn_signal_op)),
    ("n_rows", c_int),
    ("time", POINTER(c_double)),
    ("value", POINTER(c_double)),
]
mrn_instant._fields_ = [
    ("t", c_double),
    ("s", c_double),
]
mrn_bsr._fields_ = [
    ("rows", c_int),
    ("cols", c_int),
    ("br", c_int),
    ("bc", c_int),
    ("start", POINTER(c_int64)),
    ("col", POINTER(c_int32)),
    ("value", POINTER(c_double)),
]
mrn_contact_layout._fields_ = [
    ("name", c_char_p),
    ("dimension", c_int),
    ("block", c_int),
    ("groups", c_int),
    ("first", (c_int * 3)),
    ("width", (c_int * 3)),
]
mrn_problem._fields_ = [
    ("kind", c_int),
    ("n", c_int),
    ("W", mrn_bsr),
    ("Ht", mrn_bsr),
    ("minv", POINTER(c_double)),
    ("q", POINTER(c_double)),
    ("mu", (POINTER(c_double) * 3)),
    ("cohesion", POINTER(c_double)),
    ("law", POINTER(c_uint8)),
    ("title", (c_char * 128)),
    ("description", (c_char * 512)),
]
mrn_problem_facts._fields_ = [
    ("contacts", c_int),
    ("bodies", c_int),
    ("blocks", c_int64),
    ("asymmetry", c_double),
    ("eigen_min", c_double),
    ("eigen_max", c_double),
    ("diagonal_mean", c_double),
    ("friction_min", c_double),
    ("friction_max", c_double),
    ("frictionless", c_int),
    ("bilateral", c_int),
    ("redundant", c_int64),
    ("hyperstatic", c_bool),
]
mrn_measures._fields_ = [
    ("natural", c_double),
    ("siconos", c_double),
    ("paper", c_double),
    ("fclib", c_double),
    ("complementarity", c_double),
    ("cone", c_double),
    ("dual_cone", c_double),
    ("penetration", c_double),
    ("energy", c_double),
    ("violation_mean", c_double),
    ("violation_quadratic", c_double),
    ("violation_max", c_double),
    ("violation_signed", c_double),
    ("open", c_int),
    ("sticking", c_int),
    ("sliding", c_int),
]
mrn_iterate._fields_ = [
    ("phase", c_char_p),
    ("iteration", c_int64),
    ("seconds", c_double),
    ("natural", c_double),
    ("violation_mean", c_double),
    ("violation_max", c_double),
    ("energy", c_double),
]
mrn_solve_control._fields_ = [
    ("tolerance", c_double),
    ("max_iterations", c_int64),
    ("min_iterations", c_int64),
    ("max_seconds", c_double),
    ("criterion", c_int),
    ("check_every", c_int),
    ("violations", c_bool),
    ("few_measures", c_bool),
    ("other_guess", POINTER(c_double)),
    ("watch", CFUNCTYPE(c_bool, POINTER(mrn_iterate), c_void_p)),
    ("user", c_void_p),
]
mrn_workspace._fields_ = [
    ("slab", POINTER(mrn_slab)),
    ("used", c_size_t),
    ("total", c_size_t),
    ("now", c_size_t),
    ("peak", c_size_t),
]
mrn_solve_result._fields_ = [
    ("converged", c_bool),
    ("iterations", c_int64),
    ("updates", c_int64),
    ("factorisations", c_int),
    ("seconds", c_double),
    ("memory", c_size_t),
    ("asymmetry", c_double),
    ("measures", mrn_measures),
    ("words", (c_char * 256)),
]
mrn_solver._fields_ = [
    ("name", c_char_p),
    ("summary", c_char_p),
    ("doc", c_char_p),
    ("advice", c_char_p),
    ("params", POINTER(mrn_param)),
    ("n_params", c_int),
    ("kinds", c_uint),
    ("wants_W", c_bool),
    ("bodies_do", c_bool),
    ("wants_bodies", c_bool),
    ("bilateral", c_bool),
    ("sweeps", c_bool),
    ("max_iterations", c_int64),
    ("solve", CFUNCTYPE(c_int, POINTER(mrn_system), POINTER(mrn_value), POINTER(c_double), POINTER(mrn_progress_log), POINTER(mrn_message))),
]
mrn_problem_family._fields_ = [
    ("name", c_char_p),
    ("summary", c_char_p),
    ("doc", c_char_p),
    ("params", POINTER(mrn_param)),
    ("n_params", c_int),
    ("make", CFUNCTYPE(c_int, POINTER(mrn_value), c_uint64, POINTER(mrn_problem), POINTER(mrn_message))),
    ("answer", CFUNCTYPE(c_int, POINTER(mrn_value), c_uint64, POINTER(mrn_problem), POINTER(c_double), POINTER(mrn_message))),
]
mrn_material._fields_ = [
    ("name", (c_char * 64)),
    ("density", c_double),
    ("young", c_double),
    ("poisson", c_double),
]
mrn_interaction._fields_ = [
    ("a", c_int),
    ("b", c_int),
    ("model", mrn_law_model),
    ("value", (mrn_value * 48)),
    ("ready", mrn_prepared),
    ("rigid", mrn_rigid),
]
mrn_motion._fields_ = [
    ("kind", c_int),
    ("velocity", mrn_vec3),
    ("spin", mrn_vec3),
    ("about", mrn_vec3),
    ("has_about", c_bool),
    ("amplitude", mrn_vec3),
    ("frequency", c_double),
    ("phase", c_double),
    ("path", (mrn_signal * 3)),
    ("angle", mrn_signal),
    ("axis", mrn_vec3),
    ("servo_direction", mrn_vec3),
    ("servo_pressure", c_bool),
    ("servo_target", mrn_signal),
    ("servo_area", c_double),
    ("servo_max_speed", c_double),
]
mrn_wall._fields_ = [
    ("name", (c_char * 64)),
    ("shape", c_int),
    ("material", c_int),
    ("x", mrn_vec3),
    ("q", mrn_quat),
    ("motion", mrn_motion),
]
mrn_size._fields_ = [
    ("kind", c_int),
    ("mean", c_double),
    ("deviation", c_double),
    ("lo", c_double),
    ("hi", c_double),
    ("n", c_int),
    ("sieve_radius", POINTER(c_double)),
    ("sieve_passing", POINTER(c_double)),
]
mrn_region._fields_ = [
    ("kind", c_int),
    ("lo", mrn_vec3),
    ("hi", mrn_vec3),
    ("radius", c_double),
]
mrn_grain._fields_ = [
    ("x", mrn_vec3),
    ("v", mrn_vec3),
    ("w", mrn_vec3),
    ("radius", c_double),
    ("q", mrn_quat),
    ("polytope", c_int),
]
mrn_cluster._fields_ = [
    ("name", (c_char * 64)),
    ("n", c_int),
    ("centre", POINTER(c_double)),
    ("radius", POINTER(c_double)),
    ("inertia", (c_double * 3)),
    ("bound", c_double),
    ("exact", c_bool),
    ("error", c_double),
]
mrn_inlet._fields_ = [
    ("rate", mrn_signal),
    ("by_mass", c_bool),
    ("begin", c_double),
    ("end", c_double),
    ("limit", c_int64),
]
mrn_group._fields_ = [
    ("name", (c_char * 64)),
    ("material", c_int),
    ("shape", c_int),
    ("cluster", c_int),
    ("polytope", c_int),
    ("n_polytopes", c_int),
    ("size", mrn_size),
    ("place", c_int),
    ("region", mrn_region),
    ("count", c_int64),
    ("solid_fraction", c_double),
    ("lattice", c_int),
    ("spacing", c_double),
    ("n_grains", c_int64),
    ("grain", POINTER(mrn_grain)),
    ("velocity", mrn_vec3),
    ("spin", mrn_vec3),
    ("velocity_spread", c_double),
    ("fixed", c_bool),
    ("inlet", mrn_inlet),
    ("held", c_uint),
    ("drive", (mrn_signal * 6)),
]
mrn_joint_end._fields_ = [
    ("group", c_int),
    ("grain", c_int),
    ("wall", c_int),
]
mrn_joint._fields_ = [
    ("name", (c_char * 64)),
    ("kind", c_int),
    ("end", (mrn_joint_end * 2)),
    ("point", mrn_vec3),
    ("axis", mrn_vec3),
    ("motor", c_bool),
    ("speed", mrn_signal),
    ("limit", c_double),
    ("point2", mrn_vec3),
    ("stiffness", c_double),
    ("damping", c_double),
    ("rest", c_double),
]
mrn_nonsmooth_options._fields_ = [
    ("theta", c_double),
    ("gap_rule", c_int),
    ("solver", (c_char * 64)),
    ("option", (mrn_value * 48)),
    ("fallback", (c_char * 64)),
    ("tolerance", c_double),
    ("criterion", c_int),
    ("max_iterations", c_int64),
    ("check_every", c_int),
    ("unsolved", c_int),
    ("alert", c_double),
    ("threshold", c_double),
    ("project", c_bool),
    ("slop", c_double),
    ("sleep", c_bool),
    ("sleep_speed", c_double),
    ("stored", c_bool),
    ("cycle", c_double),
]
mrn_quasistatic_options._fields_ = [
    ("increments", c_int64),
    ("tolerance", c_double),
    ("max_iterations", c_int64),
    ("new_contacts", c_bool),
    ("unstable", c_int),
    ("balanced", c_double),
    ("max_steps", c_int64),
]
mrn_event_options._fields_ = [
    ("collapse_time", c_double),
]
mrn_cell_control._fields_ = [
    ("kind", (c_int * 6)),
    ("target", (mrn_signal * 6)),
    ("max_rate", c_double),
    ("response", c_double),
]
mrn_cell._fields_ = [
    ("periodic", (c_bool * 3)),
    ("origin", (c_double * 3)),
    ("size", (c_double * 3)),
    ("control", mrn_cell_control),
]
mrn_damping._fields_ = [
    ("global", c_double),
    ("local", c_double),
]
mrn_accuracy_level._fields_ = [
    ("name", c_char_p),
    ("fraction", c_double),
    ("restitution", c_double),
    ("unexplained", c_double),
]
mrn_body_force._fields_ = [
    ("name", (c_char * 64)),
    ("group", c_int),
    ("per_mass", c_bool),
    ("force", (mrn_signal * 3)),
    ("torque", (mrn_signal * 3)),
]
mrn_outlet._fields_ = [
    ("name", (c_char * 64)),
    ("group", c_int),
    ("region", mrn_region),
    ("outside", c_bool),
]
mrn_condition._fields_ = [
    ("probe", (c_char * 128)),
    ("above", c_bool),
    ("value", c_double),
]
mrn_output._fields_ = [
    ("every", c_double),
    ("probes_every", c_double),
    ("checkpoint_every", c_double),
    ("n_probes", c_int),
    ("probe", POINTER((c_char * 128))),
    ("contacts", c_bool),
    ("fields", c_bool),
    ("fields_width", c_double),
    ("fields_spacing", c_double),
    ("fields_every", c_double),
]
mrn_imposed._fields_ = [
    ("held", c_uint),
    ("drive", (mrn_signal * 6)),
]
mrn_stage._fields_ = [
    ("name", (c_char * 64)),
    ("n_until", c_int),
    ("until", (mrn_condition * 8)),
    ("at_most", c_double),
    ("has_gravity", c_bool),
    ("gravity", (mrn_signal * 3)),
    ("has_control", c_bool),
    ("control", mrn_cell_control),
    ("has_damping", c_bool),
    ("damping", mrn_damping),
    ("has_nonsmooth", c_bool),
    ("nonsmooth", mrn_nonsmooth_options),
    ("has_quasistatic", c_bool),
    ("quasistatic", mrn_quasistatic_options),
    ("has_event", c_bool),
    ("event", mrn_event_options),
    ("has_fixed_contacts", c_bool),
    ("fixed_contacts", c_bool),
    ("has_accuracy", c_bool),
    ("accuracy", c_int),
    ("method", POINTER(mrn_method)),
    ("has_forces", c_bool),
    ("n_forces", c_int),
    ("force", POINTER(mrn_body_force)),
    ("n_inlets", c_int),
    ("inlet_group", POINTER(c_int)),
    ("inlet_open", POINTER(c_bool)),
    ("n_interactions", c_int),
    ("interaction", POINTER(mrn_interaction)),
    ("n_motions", c_int),
    ("motion_wall", POINTER(c_int)),
    ("motion", POINTER(mrn_motion)),
    ("n_imposed", c_int),
    ("imposed_group", POINTER(c_int)),
    ("imposed", POINTER(mrn_imposed)),
    ("n_remove", c_int),
    ("remove_wall", POINTER(c_int)),
    ("has_output", c_bool),
    ("output", mrn_output),
    ("time_step", c_double),
    ("time_step_fraction", c_double),
]
mrn_scene._fields_ = [
    ("path", c_char_p),
    ("source", c_char_p),
    ("inputs", c_char_p),
    ("title", (c_char * 256)),
    ("dimension", c_int),
    ("method", POINTER(mrn_method)),
    ("nonsmooth", mrn_nonsmooth_options),
    ("quasistatic", mrn_quasistatic_options),
    ("event", mrn_event_options),
    ("fixed_contacts", c_bool),
    ("seed", c_uint64),
    ("gravity", mrn_vec3),
    ("gravity_of", (mrn_signal * 3)),
    ("integrator", c_int),
    ("accuracy", c_int),
    ("device", c_int),
    ("precision", c_int),
    ("damping", mrn_damping),
    ("cell", mrn_cell),
    ("n_materials", c_int),
    ("n_interactions", c_int),
    ("n_shapes", c_int),
    ("n_walls", c_int),
    ("n_groups", c_int),
    ("n_stages", c_int),
    ("material", POINTER(mrn_material)),
    ("interaction", POINTER(mrn_interaction)),
    ("shape", POINTER(mrn_shape)),
    ("wall", POINTER(mrn_wall)),
    ("group", POINTER(mrn_group)),
    ("stage", POINTER(mrn_stage)),
    ("n_clusters", c_int),
    ("n_forces", c_int),
    ("n_outlets", c_int),
    ("cluster", POINTER(mrn_cluster)),
    ("force", POINTER(mrn_body_force)),
    ("outlet", POINTER(mrn_outlet)),
    ("n_polytopes", c_int),
    ("n_joints", c_int),
    ("polytope", POINTER(mrn_polytope)),
    ("joint", POINTER(mrn_joint)),
    ("output", mrn_output),
    ("time_step", c_double),
    ("time_step_fraction", c_double),
    ("pair_of", POINTER(c_int)),
    ("group_mark", POINTER(c_uint64)),
    ("history", c_int),
    ("moments", c_bool),
    ("range", c_bool),
    ("polytopes", c_bool),
    ("contact_kind", c_int),
]
mrn_bodies._fields_ = [
    ("n", c_int32),
    ("capacity", c_int32),
    ("n_walls", c_int32),
    ("x", POINTER(c_double)),
    ("v", POINTER(c_double)),
    ("q", POINTER(c_double)),
    ("w", POINTER(c_double)),
    ("f", POINTER(c_double)),
    ("t", POINTER(c_double)),
    ("x_list", POINTER(c_double)),
    ("radius", POINTER(c_double)),
    ("bound", POINTER(c_double)),
    ("mass", POINTER(c_double)),
    ("inertia", POINTER(c_double)),
    ("derivs", POINTER(c_double)),
    ("parent", POINTER(c_int32)),
    ("part", POINTER(c_uint16)),
    ("image", POINTER(c_int32)),
    ("id", POINTER(c_int32)),
    ("shape", POINTER(c_uint16)),
    ("material", POINTER(c_uint16)),
    ("group", POINTER(c_uint16)),
    ("flags", POINTER(c_uint16)),
    ("n_ids", c_int32),
    ("ids_capacity", c_int32),
    ("index_of", POINTER(c_int32)),
    ("generation", POINTER(c_uint32)),
    ("with_derivs", c_bool),
    ("first_free", c_int32),
    ("changes", c_int64),
    ("revision", c_int64),
]
mrn_pairs._fields_ = [
    ("n", c_int64),
    ("n_grain", c_int64),
    ("capacity", c_int64),
    ("rows", c_int32),
    ("changes", c_int64),
    ("row", POINTER(c_int32)),
    ("wall_row", POINTER(c_int32)),
    ("back_row", POINTER(c_int32)),
    ("back", POINTER(c_int32)),
    ("other", POINTER(c_int32)),
    ("ids", POINTER(c_int32)),
    ("generation", POINTER(c_uint32)),
    ("feature", POINTER(c_int32)),
    ("skin", c_double),
    ("builds", c_int64),
    ("built_at", c_int64),
    ("wall_travel", c_double),
    ("cell_list", (c_double * 6)),
]
mrn_contacts._fields_ = [
    ("n", c_int64),
    ("capacity", c_int64),
    ("columns", c_uint32),
    ("tail", c_uint32),
    ("first", c_int64),
    ("history_width", c_int),
    ("impulse_width", c_int),
    ("id_c", POINTER(c_int32)),
    ("id_a", POINTER(c_int32)),
    ("c", POINTER(c_int32)),
    ("a", POINTER(c_int32)),
    ("feature", POINTER(c_int64)),
    ("flags", POINTER(c_uint8)),
    ("body_c", POINTER(c_int32)),
    ("body_a", POINTER(c_int32)),
    ("interaction", POINTER(c_int32)),
    ("r_eff", POINTER(c_double)),
    ("point", POINTER(c_double)),
    ("normal", POINTER(c_double)),
    ("tangent", POINTER(c_double)),
    ("gap", POINTER(c_double)),
    ("branch", POINTER(c_double)),
    ("arm_c", POINTER(c_double)),
    ("arm_a", POINTER(c_double)),
    ("force", POINTER(c_double)),
    ("moment", POINTER(c_double)),
    ("lever", POINTER(c_double)),
    ("history", POINTER(c_double)),
    ("impulse", POINTER(c_double)),
    ("slot", POINTER(c_int64)),
]
mrn_nonsmooth_memory._fields_ = [
    ("joint", POINTER(c_double)),
    ("n_joint", c_int64),
    ("rest_steps", POINTER(c_uint16)),
    ("n_rest_steps", c_int32),
    ("n_cycle", c_int32),
    ("cycle", POINTER(mrn_contacts)),
]
mrn_nonsmooth_report._fields_ = [
    ("solves", c_double),
    ("unsolved", c_double),
    ("halved", c_double),
    ("switched", c_double),
    ("sweeps", c_double),
    ("last_sweeps", c_double),
    ("last_residual", c_double),
    ("last_mean", c_double),
    ("last_max", c_double),
    ("worst_residual", c_double),
    ("overlap_max", c_double),
    ("overlap_mean", c_double),
    ("overlap_ever", c_double),
    ("last_h", c_double),
    ("projected", c_double),
    ("asleep", c_double),
]
mrn_quasistatic_report._fields_ = [
    ("active", c_double),
    ("increments", c_double),
    ("iterations", c_double),
    ("last_iterations", c_double),
    ("residual", c_double),
    ("sliding", c_double),
    ("open", c_double),
    ("instabilities", c_double),
    ("last_time", c_double),
    ("supportable", c_double),
    ("smooth_steps", c_double),
]
mrn_event_report._fields_ = [
    ("collisions", c_double),
    ("at_walls", c_double),
    ("elastic", c_double),
    ("sliding", c_double),
    ("collapse_time", c_double),
    ("since", c_double),
    ("stage_collisions", c_double),
    ("stage_at_walls", c_double),
    ("virial", (c_double * 6)),
    ("crossings", c_double),
]
mrn_event_memory._fields_ = [
    ("flight", POINTER(c_double)),
    ("way", POINTER(c_double)),
    ("n_flights", c_int64),
    ("n_ways", c_int64),
]
mrn_ledger._fields_ = [
    ("lost_normal", c_double),
    ("lost_tangential", c_double),
    ("lost_damping", c_double),
    ("wall_work", c_double),
    ("cell_work", c_double),
    ("drive_work", c_double),
    ("start", c_double),
    ("last_loss", c_double),
    ("last_power_t", c_double),
    ("last_energy_t", c_double),
    ("last_damping", c_double),
    ("last_drive_power", c_double),
    ("last_lift", c_double),
    ("lost_scheme", c_double),
]
mrn_drive_memory._fields_ = [
    ("inlet_open", (c_double * 16)),
    ("inlet_made", (c_double * 16)),
    ("inlet_mass", (c_double * 16)),
    ("inlet_debt", (c_double * 16)),
    ("inlet_draws", (c_double * 16)),
    ("outlet_count", (c_double * 16)),
    ("outlet_mass", (c_double * 16)),
    ("stress", (c_double * 6)),
    ("stiffness", (c_double * 6)),
    ("viscosity", (c_double * 6)),
    ("follow", (c_double * 6)),
    ("wall_follow", (c_double * 8)),
    ("grains_mass", c_double),
    ("grain_mass", c_double),
    ("grain_radius", c_double),
    ("sheared", (c_double * 3)),
]
mrn_servo_memory._fields_ = [
    ("looks", c_double),
    ("last", c_double),
    ("off", (c_double * 16)),
    ("scatter2", (c_double * 16)),
]
mrn_state._fields_ = [
    ("body", mrn_bodies),
    ("pair", mrn_pairs),
    ("contact", mrn_contacts),
    ("began", mrn_contacts),
    ("memory", mrn_nonsmooth_memory),
    ("nonsmooth", mrn_nonsmooth_report),
    ("quasistatic", mrn_quasistatic_report),
    ("flights", mrn_event_memory),
    ("event", mrn_event_report),
    ("ledger", mrn_ledger),
    ("time", c_double),
    ("step", c_int64),
    ("h", c_double),
    ("stage", c_int),
    ("stage_time", c_double),
    ("stage_step", c_int64),
    ("stage_h", c_double),
    ("base_time", c_double),
    ("base_step", c_int64),
    ("kinetic_peak", c_double),
    ("servos", mrn_servo_memory),
    ("cell_origin", (c_double * 3)),
    ("cell_size", (c_double * 3)),
    ("cell_tilt", (c_double * 3)),
    ("cell_rate", (c_double * 6)),
    ("gravity", (c_double * 3)),
    ("drive", mrn_drive_memory),
    ("elastic", c_double),
    ("contacts", c_int64),
    ("sliding", c_int64),
    ("max_overlap", c_double),
    ("lost_shocks", c_double),
]
mrn_body_def._fields_ = [
    ("x", mrn_vec3),
    ("v", mrn_vec3),
    ("w", mrn_vec3),
    ("q", mrn_quat),
    ("radius", c_double),
    ("mass", c_double),
    ("inertia", c_double),
    ("shape", c_int),
    ("material", c_int),
    ("group", c_int),
    ("flags", c_uint),
    ("parent", c_int32),
    ("part", c_int),
    ("bound", c_double),
]
mrn_field._fields_ = [
    ("name", c_char_p),
    ("unit", c_char_p),
    ("doc", c_char_p),
    ("type", c_int),
    ("width", c_int),
    ("saved", c_int),
    ("offset", c_size_t),
    ("stage", c_int),
]
mrn_contacts_def._fields_ = [
    ("columns", c_uint32),
    ("tail", c_uint32),
    ("n", c_int64),
    ("first", c_int64),
    ("history_width", c_int),
    ("impulse_width", c_int),
]
mrn_frame._fields_ = [
    ("time", c_double),
    ("step", c_int64),
    ("n", c_int32),
    ("n_walls", c_int32),
    ("x", POINTER(c_double)),
    ("v", POINTER(c_double)),
    ("w", POINTER(c_double)),
    ("q", POINTER(c_double)),
    ("f", POINTER(c_double)),
    ("t", POINTER(c_double)),
    ("radius", POINTER(c_double)),
    ("mass", POINTER(c_double)),
    ("id", POINTER(c_int32)),
    ("image", POINTER(c_int32)),
    ("material", POINTER(c_uint16)),
    ("group", POINTER(c_uint16)),
    ("flags", POINTER(c_uint16)),
    ("parent", POINTER(c_int32)),
    ("part", POINTER(c_uint16)),
    ("periodic", (c_bool * 3)),
    ("cell_origin", (c_double * 3)),
    ("cell_size", (c_double * 3)),
    ("cell_tilt", (c_double * 3)),
    ("contacts", mrn_contacts),
]
mrn_header._fields_ = [
    ("dimension", c_int),
    ("title", (c_char * 256)),
    ("n_walls", c_int),
    ("n_groups", c_int),
    ("n_materials", c_int),
    ("wall_name", POINTER((c_char * 64))),
    ("group_name", POINTER((c_char * 64))),
    ("material_name", POINTER((c_char * 64))),
    ("wall", POINTER(mrn_triangles)),
    ("wall_endless", POINTER(c_bool)),
    ("n_polytopes", c_int),
    ("polytope", POINTER(mrn_polytope)),
]
mrn_probe_column._fields_ = [
    ("name", (c_char * 160)),
    ("unit", (c_char * 64)),
    ("value", POINTER(c_double)),
]
mrn_probe_table._fields_ = [
    ("n", c_int64),
    ("n_columns", c_int),
    ("n_stages", c_int),
    ("column", POINTER(mrn_probe_column)),
    ("stage_room", c_int64),
    ("stage", POINTER((c_char * 64))),
]
mrn_export_format._fields_ = [
    ("name", c_char_p),
    ("extension", c_char_p),
    ("summary", c_char_p),
    ("doc", c_char_p),
    ("write", CFUNCTYPE(c_int, POINTER(mrn_trajectory), c_int64, c_int64, c_int64, c_char_p, POINTER(mrn_message))),
]
mrn_atomic_file._fields_ = [
    ("f", c_void_p),
    ("path", (c_char * 1024)),
    ("part", (c_char * 1040)),
]
mrn_average_def._fields_ = [
    ("coordinates", c_int),
    ("point", mrn_vec3),
    ("direction", mrn_vec3),
    ("vertical", c_int),
    ("down", c_bool),
    ("lo", (c_double * 3)),
    ("hi", (c_double * 3)),
    ("n", (c_int * 3)),
    ("cell", (c_bool * 3)),
]
mrn_average._fields_ = [
    ("def", mrn_average_def),
    ("dimension", c_int),
    ("frames", c_int64),
    ("n", c_int64),
    ("time", (c_double * 2)),
    ("has_contacts", c_bool),
    ("cell_sum", ((c_double * 3) * 2)),
    ("volume", POINTER(c_double)),
    ("count", POINTER(c_double)),
    ("solid_fraction", POINTER(c_double)),
    ("density", POINTER(c_double)),
    ("velocity", POINTER(c_double)),
    ("temperature", POINTER(c_double)),
    ("contact_stress", POINTER(c_double)),
    ("kinetic_stress", POINTER(c_double)),
]
mrn_series._fields_ = [
    ("label", c_char_p),
    ("style", c_int),
    ("colour", c_int),
    ("n", c_int),
    ("x", POINTER(c_double)),
    ("y", POINTER(c_double)),
    ("error", POINTER(c_double)),
]
mrn_map._fields_ = [
    ("nx", c_int),
    ("ny", c_int),
    ("x", (c_double * 2)),
    ("y", (c_double * 2)),
    ("value", POINTER(c_double)),
    ("label", c_char_p),
    ("palette", c_char_p),
]
mrn_plot._fields_ = [
    ("title", c_char_p),
    ("x_label", c_char_p),
    ("y_label", c_char_p),
    ("x_log", c_bool),
    ("y_log", c_bool),
    ("x_lo", c_double),
    ("x_hi", c_double),
    ("y_lo", c_double),
    ("y_hi", c_double),
    ("n", c_int),
    ("series", POINTER(mrn_series)),
    ("width", c_int),
    ("height", c_int),
    ("map", POINTER(mrn_map)),
    ("n_names", c_int),
    ("x_name", POINTER(c_char_p)),
]
mrn_collision._fields_ = [
    ("radius", (c_double * 2)),
    ("young", (c_double * 2)),
    ("poisson", (c_double * 2)),
    ("density", (c_double * 2)),
    ("model", mrn_law_model),
    ("value", (mrn_value * 48)),
    ("speed", c_double),
    ("angle", c_double),
    ("spin", ((c_double * 3) * 2)),
    ("normal_speed", c_double),
    ("fixed", c_bool),
    ("about_end", c_bool),
]
mrn_rebound._fields_ = [
    ("en", c_double),
    ("et", c_double),
    ("omega", c_double),
    ("spin", ((c_double * 3) * 2)),
    ("velocity", ((c_double * 3) * 2)),
    ("rebound_angle", c_double),
    ("rebound_angle_contact", c_double),
    ("psi1", c_double),
    ("psi2", c_double),
    ("contact_time", c_double),
    ("max_force", c_double),
    ("max_overlap", c_double),
    ("energy_lost", c_double),
    ("normal_turn", c_double),
    ("stuck", c_bool),
    ("error", c_double),
    ("steps", c_int64),
]
mrn_collision_row._fields_ = [
    ("time", c_double),
    ("overlap", c_double),
    ("rate", c_double),
    ("fn", c_double),
    ("ft", (c_double * 2)),
    ("velocity", (c_double * 3)),
    ("spin", (c_double * 3)),
    ("slip", (c_double * 2)),
    ("stored", c_double),
    ("lost", c_double),
]
mrn_factor._fields_ = [
    ("kind", c_int),
    ("index", c_int),
    ("name", (c_char * 64)),
    ("unit", (c_char * 24)),
    ("lo", c_double),
    ("hi", c_double),
    ("instead", c_uint64),
]
mrn_rebound_field._fields_ = [
    ("name", c_char_p),
    ("unit", c_char_p),
    ("doc", c_char_p),
    ("symbol", c_char_p),
    ("offset", c_size_t),
]
mrn_predictor._fields_ = [
    ("n", c_int),
    ("m", c_int),
    ("predict", CFUNCTYPE(c_int, c_void_p, c_int64, POINTER(c_double), POINTER(c_double), POINTER(c_bool), POINTER(mrn_message))),
    ("user", c_void_p),
]
mrn_parameter._fields_ = [
    ("name", (c_char * 64)),
    ("unit", (c_char * 24)),
    ("lo", c_double),
    ("hi", c_double),
    ("start", c_double),
    ("log", c_bool),
]
mrn_datum._fields_ = [
    ("y", c_double),
    ("variance", c_double),
    ("freedom", c_int),
    ("response", c_int),
    ("spread", c_int),
    ("label", (c_char * 48)),
]
mrn_fit_options._fields_ = [
    ("confidence", c_double),
    ("population", c_int),
    ("doublings", c_int),
    ("max_evaluations", c_int64),
    ("tolerance", c_double),
    ("profile", c_bool),
    ("bootstrap", c_int),
    ("regions", c_bool),
    ("nested", c_bool),
    ("few", c_bool),
    ("seed", c_uint64),
    ("response", POINTER(c_char_p)),
    ("progress", CFUNCTYPE(c_bool, c_void_p, c_char_p, c_double, c_double)),
    ("user", c_void_p),
]
mrn_estimate._fields_ = [
    ("value", c_double),
    ("sd", c_double),
    ("linear", (c_double * 2)),
    ("profile", (c_double * 2)),
    ("bootstrap", (c_double * 2)),
    ("disagree", c_bool),
    ("verdict", c_int),
    ("tied_to", c_int),
    ("words", (c_char * 400)),
]
mrn_test._fields_ = [
    ("name", c_char_p),
    ("statistic", c_double),
    ("p", c_double),
    ("passed", c_bool),
    ("words", (c_char * 200)),
]
mrn_nested._fields_ = [
    ("without", c_int),
    ("at", c_double),
    ("objective", c_double),
    ("ratio", c_double),
    ("p", c_double),
    ("aic", c_double),
    ("bic", c_double),
    ("enough", c_bool),
]
mrn_fit_region._fields_ = [
    ("a", c_int),
    ("b", c_int),
    ("n", c_int),
    ("x", POINTER(c_double)),
    ("y", POINTER(c_double)),
    ("linear_x", POINTER(c_double)),
    ("linear_y", POINTER(c_double)),
]
mrn_fit._fields_ = [
    ("n", c_int),
    ("m", c_int),
    ("n_responses", c_int),
    ("objective", c_double),
    ("deviance", c_double),
    ("chi2", (c_double * 2)),
    ("fits", c_bool),
    ("at", POINTER(mrn_estimate)),
    ("x", POINTER(c_double)),
    ("y", POINTER(c_double)),
    ("residual", POINTER(c_double)),
    ("variance", POINTER(c_double)),
    ("sensitivity", POINTER(c_double)),
    ("covariance", POINTER(c_double)),
    ("correlation", POINTER(c_double)),
    ("deviation", POINTER(c_double)),
    ("deviation_max", POINTER(c_double)),
    ("test", (mrn_test * 8)),
    ("n_tests", c_int),
    ("nested", POINTER(mrn_nested)),
    ("n_nested", c_int),
    ("region", POINTER(mrn_fit_region)),
    ("n_regions", c_int),
    ("bootstrap", POINTER(c_double)),
    ("n_bootstrap", c_int),
    ("aic", c_double),
    ("bic", c_double),
    ("gain", c_double),
    ("best", c_int),
    ("advice", (c_char * 400)),
    ("evaluations", c_int64),
    ("global_evaluations", c_int64),
    ("seconds", c_double),
    ("found", c_int),
    ("assumed", (c_char * 600)),
]
mrn_sweeps._fields_ = [
    ("n", c_int),
    ("m", c_int),
    ("steps", c_int),
    ("x", POINTER(c_double)),
    ("y", POINTER(c_double)),
    ("bad", POINTER(c_bool)),
    ("range", POINTER(c_double)),
]
mrn_sobol._fields_ = [
    ("n", c_int),
    ("m", c_int),
    ("evaluations", c_int64),
    ("bad", c_int64),
    ("points", c_int64),
    ("first", POINTER(c_double)),
    ("total", POINTER(c_double)),
    ("first_error", POINTER(c_double)),
    ("total_error", POINTER(c_double)),
    ("mean", POINTER(c_double)),
    ("variance", POINTER(c_double)),
]
mrn_morris._fields_ = [
    ("n", c_int),
    ("m", c_int),
    ("evaluations", c_int64),
    ("bad", c_int64),
    ("effect", POINTER(c_double)),
    ("spread", POINTER(c_double)),
]
mrn_next._fields_ = [
    ("aim", c_int),
    ("gain", c_double),
    ("expected", c_double),
]
mrn_candidate._fields_ = [
    ("name", (c_char * 64)),
    ("collision", mrn_collision),
    ("n_free", c_int),
    ("free", POINTER(mrn_parameter)),
    ("factor", POINTER(mrn_factor)),
]
mrn_conditions._fields_ = [
    ("n", c_int),
    ("n_conditions", c_int),
    ("factor", POINTER(mrn_factor)),
    ("unit", POINTER((c_char * 24))),
    ("value", POINTER(c_double)),
]
mrn_measurements._fields_ = [
    ("n_responses", c_int),
    ("response", POINTER(POINTER(mrn_rebound_field))),
    ("unit", POINTER((c_char * 24))),
    ("n", c_int),
    ("row", POINTER(c_int)),
    ("datum", POINTER(mrn_datum)),
    ("fitted", POINTER(c_bool)),
    ("source", (c_char * 600)),
]
mrn_experiment._fields_ = [
    ("path", c_char_p),
    ("source", c_char_p),
    ("data_path", c_char_p),
    ("data_text", c_char_p),
    ("title", (c_char * 256)),
    ("at", mrn_conditions),
    ("measured", mrn_measurements),
    ("n_candidates", c_int),
    ("candidate", POINTER(mrn_candidate)),
    ("accuracy", c_double),
    ("fit_accuracy", c_double),
    ("fitted", c_int),
    ("studied", c_int),
    ("fit", mrn_fit_options),
    ("sweep_steps", c_int),
    ("sobol_points", c_int64),
    ("morris", c_int),
    ("n_factors", c_int),
    ("factor", POINTER(mrn_parameter)),
    ("of", POINTER(mrn_factor)),
]
mrn_fit_setup_data._fields_ = [
    ("n", c_int),
    ("n_responses", c_int),
    ("datum", POINTER(mrn_datum)),
    ("of", POINTER(c_int)),
    ("response", POINTER(c_int)),
]
mrn_tuned._fields_ = [
    ("p", mrn_parameter),
    ("n_paths", c_int),
    ("path", POINTER((c_char * 160))),
    ("test", POINTER(c_int)),
]
mrn_virtual_test._fields_ = [
    ("name", (c_char * 64)),
    ("path", c_char_p),
    ("text", c_char_p),
    ("n_set", c_int),
    ("set", POINTER((c_char * 256))),
]
mrn_target._fields_ = [
    ("name", (c_char * 64)),
    ("test", c_int),
    ("probe", (c_char * 128)),
    ("take", c_int),
    ("stage", c_int),
    ("stage_name", (c_char * 64)),
    ("after", c_double),
    ("last", c_double),
    ("unit", (c_char * 24)),
    ("datum", mrn_datum),
]
mrn_calibration._fields_ = [
    ("path", c_char_p),
    ("source", c_char_p),
    ("title", (c_char * 256)),
    ("from", (c_char * 600)),
    ("n_tuned", c_int),
    ("n_tests", c_int),
    ("n_targets", c_int),
    ("tuned", POINTER(mrn_tuned)),
    ("test", POINTER(mrn_virtual_test)),
    ("target", POINTER(mrn_target)),
    ("target_name", POINTER(c_char_p)),
    ("runs", c_int64),
    ("points", c_int),
    ("seeds", c_int),
    ("batch", c_int),
    ("tolerance", c_double),
    ("seed", c_uint64),
    ("fit", mrn_fit_options),
]
mrn_virtual_run._fields_ = [
    ("test", c_int),
    ("seed", c_uint64),
    ("x", POINTER(c_double)),
    ("y", POINTER(c_double)),
    ("status", c_int),
    ("steps", c_int64),
    ("seconds", c_double),
    ("words", (c_char * 400)),
]
mrn_virtual_watch._fields_ = [
    ("stop", POINTER(c_int)),
    ("done", CFUNCTYPE(None, c_void_p, POINTER(mrn_virtual_run))),
    ("progress", CFUNCTYPE(None, c_void_p, c_double)),
    ("user", c_void_p),
]
mrn_calibrated._fields_ = [
    ("n", c_int),
    ("m", c_int),
    ("n_runs", c_int64),
    ("run", POINTER(mrn_virtual_run)),
    ("n_points", c_int64),
    ("n_design", c_int64),
    ("x", POINTER(c_double)),
    ("y", POINTER(c_double)),
    ("variance", POINTER(c_double)),
    ("noise", POINTER(c_double)),
    ("freedom", POINTER(c_int)),
    ("surrogate", POINTER(mrn_surrogate)),
    ("quality", POINTER(c_double)),
    ("fit", mrn_fit),
    ("datum", POINTER(mrn_datum)),
    ("model_variance", POINTER(c_double)),
    ("check", POINTER(c_double)),
    ("check_sd", POINTER(c_double)),
    ("check_x", POINTER(c_double)),
    ("predicted", POINTER(c_double)),
    ("predicted_sd", POINTER(c_double)),
    ("checked", c_bool),
    ("n_known", c_int),
    ("direction", POINTER(c_double)),
    ("strength", POINTER(c_double)),
    ("next", mrn_next),
    ("settled", c_bool),
    ("words", (c_char * 1600)),
]
mrn_calibrate_options._fields_ = [
    ("known", POINTER(mrn_virtual_run)),
    ("n_known", c_int64),
    ("stop", POINTER(c_int)),
    ("ran", CFUNCTYPE(None, c_void_p, POINTER(mrn_virtual_run))),
    ("progress", CFUNCTYPE(None, c_void_p, c_char_p, c_double, c_double, c_double)),
    ("user", c_void_p),
    ("run", CFUNCTYPE(c_int, c_void_p, POINTER(mrn_calibration), POINTER(mrn_virtual_run), c_int64, POINTER(mrn_virtual_watch), POINTER(mrn_message))),
]
mrn_step_times._fields_ = [
    ("list", c_double),
    ("forces", c_double),
    ("bodies", c_double),
    ("walls", c_double),
    ("contacts", c_double),
    ("assembly", c_double),
    ("solve", c_double),
    ("steps", c_int64),
    ("body_steps", c_int64),
    ("sweeps", c_int64),
    ("contact_sweeps", c_int64),
]
mrn_step_limit._fields_ = [
    ("critical", c_double),
    ("rayleigh", c_double),
    ("contact_time", c_double),
    ("speed", c_double),
    ("advised", c_double),
    ("reason", (c_char * 256)),
]
mrn_probe._fields_ = [
    ("name", c_char_p),
    ("unit", c_char_p),
    ("doc", c_char_p),
]
mrn_method_probe._fields_ = [
    ("probe", mrn_probe),
    ("value", CFUNCTYPE(c_double, POINTER(mrn_scene), POINTER(mrn_state), c_int)),
    ("k", c_int),
]
mrn_report_item._fields_ = [
    ("kind", c_int),
    ("key", c_char_p),
    ("number", c_double),
    ("text", c_char_p),
]
mrn_report_sink._fields_ = [
    ("put", CFUNCTYPE(None, c_void_p, POINTER(mrn_report_item))),
    ("user", c_void_p),
]
mrn_solving._fields_ = [
    ("tolerance", c_double),
    ("solves", c_double),
    ("unsolved", c_double),
    ("residual", c_double),
    ("worst", c_double),
    ("overlap", c_double),
    ("deepest", c_double),
    ("takes_out", c_bool),
    ("taken_out", c_double),
    ("cure", c_char_p),
    ("cure_overlap", c_char_p),
]
mrn_method_column._fields_ = [
    ("head", c_char_p),
    ("probe", c_char_p),
    ("unit", c_char_p),
    ("width", c_int),
    ("shown", CFUNCTYPE(c_bool, POINTER(mrn_scene))),
]
mrn_method._fields_ = [
    ("name", c_char_p),
    ("doc", c_char_p),
    ("family", POINTER(mrn_method)),
    ("options", c_char_p),
    ("can", c_uint64),
    ("rigid_contacts", c_bool),
    ("contact_points", c_bool),
    ("carries_servos", c_bool),
    ("prompt", c_bool),
    ("physical_time", c_bool),
    ("continuous", c_bool),
    ("check_every", c_int),
    ("recheck_every", c_int),
    ("grains_per_thread", c_int),
    ("probe", POINTER(mrn_method_probe)),
    ("n_probes", c_int),
    ("column", POINTER(mrn_method_column)),
    ("n_columns", c_int),
    ("parts", c_uint),
    ("check", CFUNCTYPE(c_int, POINTER(mrn_scene), POINTER(mrn_message))),
    ("create", CFUNCTYPE(c_int, POINTER(mrn_scene), POINTER(mrn_state), POINTER(c_int), c_void_p, POINTER(mrn_message))),
    ("destroy", CFUNCTYPE(None, c_void_p)),
    ("refresh", CFUNCTYPE(c_int, c_void_p, POINTER(mrn_message))),
    ("advance", CFUNCTYPE(c_int, c_void_p, c_double, c_int64, POINTER(mrn_message))),
    ("sync", CFUNCTYPE(c_int, c_void_p, c_bool, c_bool, POINTER(mrn_message))),
    ("energies", CFUNCTYPE(c_int, c_void_p, POINTER(c_double), POINTER(c_bool), POINTER(mrn_message))),
    ("step_limit", CFUNCTYPE(mrn_step_limit, POINTER(mrn_scene), POINTER(mrn_state))),
    ("times", CFUNCTYPE(mrn_step_times, c_void_p)),
    ("headline", CFUNCTYPE(None, POINTER(mrn_scene), c_char_p, c_size_t)),
    ("choices_title", c_char_p),
    ("choices", CFUNCTYPE(None, POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_report_sink))),
    ("report", CFUNCTYPE(None, POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_report_sink))),
    ("bytes", CFUNCTYPE(c_size_t, c_void_p)),
    ("problem", CFUNCTYPE(POINTER(mrn_problem), c_void_p, POINTER(POINTER(c_double)))),
    ("keep_unsolved", CFUNCTYPE(None, c_void_p, CFUNCTYPE(c_int, POINTER(mrn_problem), POINTER(c_double), POINTER(mrn_state), c_void_p, POINTER(mrn_message)), c_void_p, c_int)),
    ("solving", CFUNCTYPE(mrn_solving, POINTER(mrn_scene), POINTER(mrn_state))),
    ("disturbed", CFUNCTYPE(None, POINTER(mrn_state))),
]
mrn_engine._fields_ = [
    ("method", POINTER(mrn_method)),
    ("scene", POINTER(mrn_scene)),
    ("state", POINTER(mrn_state)),
    ("self", c_void_p),
    ("before", mrn_step_times),
    ("stop", POINTER(c_int)),
    ("lazy", c_bool),
]
mrn_energies._fields_ = [
    ("kinetic", c_double),
    ("rotational", c_double),
    ("elastic", c_double),
    ("gravity", c_double),
    ("total", c_double),
    ("dissipated", c_double),
    ("input", c_double),
    ("residual", c_double),
]
mrn_progress._fields_ = [
    ("scene", POINTER(mrn_scene)),
    ("state", POINTER(mrn_state)),
    ("stage", c_int),
    ("fraction", c_double),
    ("wall_seconds", c_double),
    ("remaining", c_double),
    ("row", c_bool),
    ("ended", c_bool),
]
mrn_run_options._fields_ = [
    ("out", c_char_p),
    ("resume", c_bool),
    ("overwrite", c_bool),
    ("change", POINTER(c_char_p)),
    ("n_change", c_int),
    ("stop", POINTER(c_int)),
    ("progress", CFUNCTYPE(None, POINTER(mrn_progress), c_void_p)),
    ("user", c_void_p),
    ("max_steps", c_int64),
    ("adapt_threads", c_bool),
    ("problem_at", POINTER(c_int64)),
    ("n_problems", c_int),
    ("problem_path", c_char_p),
    ("sample", CFUNCTYPE(None, POINTER(mrn_progress), c_void_p)),
    ("spent", POINTER(mrn_scene)),
]
mrn_warning._fields_ = [
    ("kind", (c_char * 24)),
    ("key", c_int),
    ("text", (c_char * 256)),
    ("step", c_int64),
    ("time", c_double),
    ("count", c_int64),
]
mrn_run_line._fields_ = [
    ("label", (c_char * 16)),
    ("text", (c_char * 240)),
]
mrn_run_result._fields_ = [
    ("status", c_int),
    ("steps", c_int64),
    ("body_steps", c_int64),
    ("frames", c_int64),
    ("time", c_double),
    ("wall_seconds", c_double),
    ("body_steps_per_second", c_double),
    ("times", mrn_step_times),
    ("output_seconds", c_double),
    ("bytes_peak", c_size_t),
    ("hash", c_uint64),
    ("energies", mrn_energies),
    ("n_warnings", c_int),
    ("warning", (mrn_warning * 24)),
    ("postmortem", (c_char * 1024)),
    ("n_unsolved_files", c_int),
    ("unsolved_file", ((c_char * 48) * 10)),
    ("n_lines", c_int),
    ("line", (mrn_run_line * 8)),
]
mrn_problem_file._fields_ = [
    ("contacts", c_int),
    ("bodies", c_int),
    ("step", c_int64),
    ("residual", c_double),
]
mrn_impact._fields_ = [
    ("tried", c_bool),
    ("stuck", c_bool),
    ("asked", c_double),
    ("restitution", c_double),
    ("contact_time", c_double),
    ("overlap", c_double),
    ("speed", c_double),
]
mrn_impact_row._fields_ = [
    ("interaction", c_int),
    ("kind", c_int),
    ("radius", (c_double * 2)),
    ("impact", mrn_impact),
]
mrn_difference._fields_ = [
    ("id", c_int32),
    ("group", c_int),
    ("field", (c_char * 24)),
    ("component", c_int),
    ("a", c_double),
    ("b", c_double),
]
mrn_gap._fields_ = [
    ("step", c_int64),
    ("time", c_double),
    ("position", c_double),
    ("velocity", c_double),
    ("bodies", c_int64),
]
mrn_parting._fields_ = [
    ("apart", c_bool),
    ("counts", c_bool),
    ("step", c_int64),
    ("time", c_double),
    ("last_same", c_int64),
    ("compared", c_int64),
    ("bodies", c_int64),
    ("n", c_int),
    ("difference", (mrn_difference * 8)),
    ("n_gaps", c_int),
    ("gap", (mrn_gap * 40)),
    ("step_size", (c_double * 2)),
    ("why", (c_char * 256)),
]
mrn_diff_options._fields_ = [
    ("max_steps", c_int64),
    ("after", c_int64),
    ("threads", (c_int * 2)),
    ("stop", POINTER(c_int)),
]
mrn_figure._fields_ = [
    ("name", (c_char * 128)),
    ("unit", (c_char * 24)),
    ("kind", c_int),
    ("n", c_int),
    ("probe", ((c_char * 128) * 4)),
    ("motion", c_bool),
    ("contacts", c_bool),
    ("energy", c_bool),
]
mrn_variant._fields_ = [
    ("name", (c_char * 64)),
    ("method", POINTER(mrn_method)),
    ("x", c_double),
    ("label", (c_char * 64)),
    ("threads", c_int),
    ("n_set", c_int),
    ("set", POINTER((c_char * 1024))),
    ("n_words", c_int),
    ("words", POINTER((c_char * 400))),
]
mrn_trial._fields_ = [
    ("variant", c_int),
    ("seed", c_uint64),
    ("status", c_int),
    ("words", (c_char * 400)),
    ("y", POINTER(c_double)),
    ("n_rows", c_int64),
    ("row", POINTER(c_double)),
    ("n_forces", c_int),
    ("force", POINTER(c_double)),
    ("steps", c_int64),
    ("grains", c_int64),
    ("time", c_double),
    ("seconds", c_double),
    ("hash", c_uint64),
    ("step", c_double),
    ("overlap", c_double),
    ("largest_overlap", c_double),
    ("kinetic", c_double),
    ("self_stress", c_int64),
    ("contacts", c_int64),
]
mrn_trials._fields_ = [
    ("path", c_char_p),
    ("text", c_char_p),
    ("n_set", c_int),
    ("set", POINTER(c_char_p)),
    ("n_variants", c_int),
    ("n_seeds", c_int),
    ("n_figures", c_int),
    ("variant", POINTER(mrn_variant)),
    ("figure", POINTER(mrn_figure)),
    ("seed", c_uint64),
    ("last", c_double),
    ("network", c_bool),
    ("trial", POINTER(mrn_trial)),
]
mrn_trials_watch._fields_ = [
    ("stop", POINTER(c_int)),
    ("done", CFUNCTYPE(None, c_void_p, POINTER(mrn_trials), POINTER(mrn_trial))),
    ("progress", CFUNCTYPE(None, c_void_p, c_double)),
    ("user", c_void_p),
]
mrn_scatter._fields_ = [
    ("n", c_int),
    ("mean", c_double),
    ("sd", c_double),
]
mrn_welch._fields_ = [
    ("difference", c_double),
    ("error", c_double),
    ("t", c_double),
    ("freedom", c_double),
    ("p", c_double),
    ("half", c_double),
    ("margin", c_double),
    ("verdict", c_int),
    ("seeds_needed", c_int),
]
mrn_crosscheck_options._fields_ = [
    ("stage", c_char_p),
    ("methods", c_char_p),
    ("only", POINTER(c_char_p)),
    ("n_only", c_int),
]
mrn_left_out._fields_ = [
    ("method", POINTER(mrn_method)),
    ("words", (c_char * 700)),
]
mrn_crosscheck_plan._fields_ = [
    ("n_left_out", c_int),
    ("left_out", (mrn_left_out * 16)),
]
mrn_ladder_options._fields_ = [
    ("vary", c_int),
    ("levels", c_int),
    ("ratio", c_double),
    ("from", c_double),
]
mrn_order._fields_ = [
    ("kind", c_int),
    ("levels", c_int),
    ("seeds", c_int),
    ("mean", (c_double * 12)),
    ("error", (c_double * 12)),
    ("three", c_double),
    ("three_limit", c_double),
    ("gci", c_double),
    ("fit", c_double),
    ("fit_limit", c_double),
    ("order_half", c_double),
    ("limit_half", c_double),
    ("spread", c_double),
    ("limit", c_double),
    ("uncertainty", c_double),
    ("words", (c_char * 400)),
]
mrn_picture._fields_ = [
    ("width", c_int),
    ("height", c_int),
    ("rgb", POINTER(c_uint8)),
]
mrn_look._fields_ = [
    ("width", c_int),
    ("height", c_int),
    ("colour_by", c_char_p),
    ("palette", c_char_p),
    ("lo", c_double),
    ("hi", c_double),
    ("azimuth", c_double),
    ("elevation", c_double),
    ("zoom", c_double),
    ("has_target", c_bool),
    ("target", mrn_vec3),
    ("extent", c_double),
    ("walls", c_bool),
    ("legend", c_bool),
    ("axes", c_bool),
    ("force_chains", c_bool),
    ("cell", c_bool),
    ("caption", c_bool),
    ("wall_opacity", c_double),
    ("slice", c_bool),
    ("dark", c_bool),
    ("supersample", c_int),
    ("robust", c_bool),
    ("stripes", c_int),
    ("force_scale", c_double),
    ("reference", POINTER(mrn_frame)),
]
mrn_fclib_notes._fields_ = [
    ("form", c_char_p),
    ("guess", POINTER(c_double)),
    ("answer", POINTER(c_double)),
    ("math_info", (c_char * 256)),
    ("condensed", c_bool),
    ("dense_mass", c_bool),
    ("remark", (c_char * 512)),
]
mrn_fclib_save._fields_ = [
    ("guess", POINTER(c_double)),
    ("answer", POINTER(c_double)),
    ("math_info", c_char_p),
    ("global", c_bool),
    ("overwrite", c_bool),
]
mrn_import_format._fields_ = [
    ("name", c_char_p),
    ("summary", c_char_p),
    ("doc", c_char_p),
]
mrn_import_options._fields_ = [
    ("format", c_char_p),
    ("frame", c_int64),
    ("length_unit", c_double),
    ("radius", c_double),
    ("dimension", c_int),
    ("periodic", c_char_p),
    ("box", c_char_p),
    ("contacts", c_char_p),
    ("columns", c_char_p),
    ("force_on", c_int),
    ("skip_unknown", c_bool),
    ("forces", c_int),
    ("gap", c_double),
    ("pressure", c_double),
    ("scene", c_char_p),
    ("density", c_double),
    ("young", c_double),
    ("poisson", c_double),
    ("friction", c_double),
    ("kn", c_double),
    ("kt", c_double),
    ("overwrite", c_bool),
]
mrn_import_grain._fields_ = [
    ("id", c_int64),
    ("type", c_int),
    ("line", c_int),
    ("x", mrn_vec3),
    ("v", mrn_vec3),
    ("w", mrn_vec3),
    ("radius", c_double),
    ("mass", c_double),
    ("image", (c_int32 * 3)),
]
mrn_packing._fields_ = [
    ("file", (c_char * 512)),
    ("format", (c_char * 16)),
    ("dimension", c_int),
    ("step", c_int64),
    ("time", c_double),
    ("frame", c_int64),
    ("frames", c_int64),
    ("n", c_int32),
    ("grain", POINTER(mrn_import_grain)),
    ("n_types", c_int),
    ("type", POINTER((c_char * 64))),
    ("has_ids", c_bool),
    ("has_masses", c_bool),
    ("moves", c_bool),
    ("periodic", (c_bool * 3)),
    ("origin", (c_double * 3)),
    ("size", (c_double * 3)),
    ("tilt", (c_double * 3)),
    ("contact", mrn_contacts),
    ("has_contacts", c_bool),
    ("has_forces", c_bool),
    ("skipped", c_int64),
    ("force_on", c_int),
]
mrn_import_facts._fields_ = [
    ("contacts", c_int64),
    ("forces", c_bool),
    ("checkpoint", c_bool),
    ("max_overlap", c_double),
    ("unbalanced", c_double),
    ("n_notes", c_int),
    ("note", ((c_char * 256) * 8)),
]
nameless_1._fields_ = [
    ("grains", c_int64),
    ("free", c_int64),
    ("clusters", c_int64),
    ("mass", c_double),
    ("volume", c_double),
    ("diameter", c_double),
    ("smallest", c_double),
    ("largest", c_double),
    ("solid_fraction", c_double),
    ("void_ratio", c_double),
    ("height", c_double),
    ("repose", c_double),
    ("strain", (c_double * 6)),
]
nameless_2._fields_ = [
    ("contacts", c_int64),
    ("with_walls", c_int64),
    ("points", c_int64),
    ("simple", c_double),
    ("twofold", c_double),
    ("threefold", c_double),
    ("coordination", c_double),
    ("neighbours", c_double),
    ("mechanical", c_double),
    ("rattlers", c_int64),
    ("divalent", c_int64),
    ("backbone", c_double),
    ("backbone_without_divalent", c_double),
    ("max_overlap", c_double),
]
nameless_3._fields_ = [
    ("mean_normal", c_double),
    ("mean_tangential", c_double),
    ("mean", c_double),
    ("largest", c_double),
    ("second_moment", c_double),
    ("mobilised", c_double),
    ("sliding", c_double),
    ("frictional", c_int64),
    ("strong", c_double),
]
nameless_4._fields_ = [
    ("volume", c_double),
    ("contact", (c_double * 6)),
    ("kinetic", (c_double * 6)),
    ("total", (c_double * 6)),
    ("principal", (c_double * 3)),
    ("pressure", c_double),
    ("deviator", c_double),
    ("ratio", c_double),
]
nameless_5._fields_ = [
    ("all", (c_double * 6)),
    ("bearing", (c_double * 6)),
    ("strong", (c_double * 6)),
    ("deviator", c_double),
    ("bearing_deviator", c_double),
    ("strong_deviator", c_double),
]
nameless_6._fields_ = [
    ("velocity", (c_double * 3)),
    ("gradient", (c_double * 9)),
    ("rate", c_double),
    ("inertial_number", c_double),
    ("temperature", c_double),
    ("max_speed", c_double),
]
mrn_report._fields_ = [
    ("time", c_double),
    ("dimension", c_int),
    ("has_contacts", c_bool),
    ("packing", nameless_1),
    ("network", nameless_2),
    ("forces", nameless_3),
    ("stress", nameless_4),
    ("fabric", nameless_5),
    ("flow", nameless_6),
    ("energy", mrn_energies),
    ("ledger", mrn_ledger),
]
mrn_bulk._fields_ = [
    ("dimension", c_int),
    ("lo", (c_double * 3)),
    ("hi", (c_double * 3)),
    ("volume", c_double),
]
mrn_profile._fields_ = [
    ("axis", c_int),
    ("n", c_int),
    ("lo", c_double),
    ("hi", c_double),
    ("area", c_double),
    ("solid_fraction", POINTER(c_double)),
    ("mass", POINTER(c_double)),
    ("velocity", POINTER(c_double)),
    ("temperature", POINTER(c_double)),
]
mrn_force_table._fields_ = [
    ("n", c_int64),
    ("mean", c_double),
    ("mean_t", c_double),
    ("width", c_double),
    ("normal", (c_double * 60)),
    ("tangential", (c_double * 60)),
]
mrn_mixing._fields_ = [
    ("lacey", c_double),
    ("intensity", c_double),
    ("separation", c_double),
    ("count", (c_int64 * 2)),
]
mrn_repose._fields_ = [
    ("angle", c_double),
    ("apex", (c_double * 3)),
    ("height", c_double),
    ("points", c_int),
    ("ridge", c_bool),
]
mrn_fields._fields_ = [
    ("dimension", c_int),
    ("n", (c_int * 3)),
    ("origin", (c_double * 3)),
    ("spacing", (c_double * 3)),
    ("width", c_double),
    ("time", c_double),
    ("has_contacts", c_bool),
    ("density", POINTER(c_double)),
    ("solid_fraction", POINTER(c_double)),
    ("velocity", POINTER(c_double)),
    ("temperature", POINTER(c_double)),
    ("contact_stress", POINTER(c_double)),
    ("kinetic_stress", POINTER(c_double)),
]
mrn_global._fields_ = [
    ("kind", c_int),
    ("name", (c_char * 64)),
    ("wall", c_int),
    ("direction", mrn_vec3),
    ("component", c_int),
    ("scale", c_double),
    ("load", c_double),
]
mrn_net_element._fields_ = [
    ("c", c_int32),
    ("a", c_int32),
    ("global", c_int32),
    ("rows", c_int),
    ("row", c_int64),
    ("force", (c_double * 3)),
    ("moment", (c_double * 3)),
    ("friction", c_double),
    ("pull", c_double),
    ("roll_limit", (c_double * 2)),
    ("kn", c_double),
    ("kt", c_double),
    ("kr", (c_double * 2)),
    ("shape", c_int),
    ("curve_c", c_double),
    ("curve_a", c_double),
    ("edge_c", mrn_vec3),
    ("edge_a", mrn_vec3),
    ("status", c_int),
]
mrn_net._fields_ = [
    ("dimension", c_int),
    ("n", c_int32),
    ("body", POINTER(c_int32)),
    ("id", POINTER(c_int32)),
    ("node", POINTER(c_int32)),
    ("n_bodies", c_int32),
    ("x", POINTER(c_double)),
    ("radius", POINTER(c_double)),
    ("mass", POINTER(c_double)),
    ("inertia", POINTER(c_double)),
    ("ball", POINTER(c_bool)),
    ("rotations", c_bool),
    ("dofs", c_int),
    ("length", c_double),
    ("n_globals", c_int),
    ("global", POINTER(mrn_global)),
    ("n_unknowns", c_int64),
    ("n_contacts", c_int64),
    ("n_rows", c_int64),
    ("contact", mrn_contacts),
    ("element", POINTER(mrn_net_element)),
    ("load", POINTER(c_double)),
    ("total_mass", c_double),
    ("volume", c_double),
    ("cell", (c_double * 3)),
    ("periodic", (c_bool * 3)),
    ("rattlers", c_int64),
    ("dropped", c_int64),
    ("mean_force", c_double),
    ("forces_known", c_bool),
]
mrn_net_options._fields_ = [
    ("cell", c_bool),
    ("walls", c_bool),
    ("frictionless", c_bool),
    ("keep_rattlers", c_bool),
    ("bearing", c_double),
    ("kn", c_double),
    ("kt_ratio", c_double),
    ("bare", c_bool),
]
mrn_ellipse._fields_ = [
    ("x", c_double),
    ("y", c_double),
    ("angle", c_double),
    ("a", c_double),
    ("b", c_double),
]
mrn_ellipse_touch._fields_ = [
    ("n", mrn_vec3),
    ("arm_c", mrn_vec3),
    ("arm_a", mrn_vec3),
    ("gap", c_double),
    ("curve_c", c_double),
    ("curve_a", c_double),
]
mrn_equilibrium._fields_ = [
    ("force", c_double),
    ("moment", c_double),
    ("mean_force", c_double),
    ("mean_moment", c_double),
    ("global", c_double),
    ("worst", c_int32),
    ("beyond", c_int64),
    ("worst_coulomb", c_double),
    ("sliding", c_int64),
    ("pulling", c_int64),
    ("good", c_bool),
]
mrn_mechanism._fields_ = [
    ("what", (c_char * 64)),
    ("trivial", c_bool),
    ("share", c_double),
    ("second", c_double),
    ("u", POINTER(c_double)),
]
mrn_rigidity._fields_ = [
    ("unknowns", c_int64),
    ("rows", c_int64),
    ("rank", c_int64),
    ("hypostatic", c_int64),
    ("hyperstatic", c_int64),
    ("trivial", c_int64),
    ("divalent", c_int64),
    ("by_eigenvalues", c_bool),
    ("tolerance", c_double),
    ("smallest_in", c_double),
    ("largest_out", c_double),
    ("n_modes", c_int),
    ("modes", POINTER(c_double)),
    ("mechanism", POINTER(mrn_mechanism)),
    ("n_self", c_int),
    ("self", POINTER(c_double)),
    ("admissible", c_double),
    ("residual", c_double),
    ("self_part", c_double),
    ("unsupported", c_double),
]
mrn_rigidity_options._fields_ = [
    ("most_modes", c_int64),
    ("most_self", c_int64),
    ("decompose", c_bool),
    ("tolerance", c_double),
    ("qr_limit", c_int64),
]
mrn_limit._fields_ = [
    ("supportable", c_bool),
    ("factor", c_double),
    ("gap", c_double),
    ("iterations", c_int),
    ("converged", c_bool),
    ("force", POINTER(c_double)),
    ("mechanism", POINTER(c_double)),
]
mrn_limit_options._fields_ = [
    ("change", POINTER(c_double)),
    ("fixed", c_bool),
    ("tolerance", c_double),
    ("max_iterations", c_int),
]
mrn_stiffness_options._fields_ = [
    ("geometric", c_bool),
    ("sliding", c_bool),
]
mrn_elastic_options._fields_ = [
    ("geometric", c_bool),
    ("cg", c_bool),
    ("tolerance", c_double),
]
mrn_elastic_facts._fields_ = [
    ("unknowns", c_int64),
    ("fill", c_int64),
    ("bytes", c_double),
    ("flops", c_double),
    ("seconds_assembly", c_double),
    ("seconds_factor", c_double),
    ("seconds_solve", c_double),
    ("held", c_int64),
    ("iterations", c_int),
    ("residual", c_double),
]
mrn_moduli._fields_ = [
    ("n", c_int),
    ("known", (c_bool * 6)),
    ("c", ((c_double * 6) * 6)),
    ("voigt", ((c_double * 6) * 6)),
    ("reuss_bulk", c_double),
    ("bulk", c_double),
    ("shear", c_double),
    ("voigt_bulk", c_double),
    ("voigt_shear", c_double),
    ("young", c_double),
    ("poisson", c_double),
    ("anisotropy", c_double),
    ("principal_shear", (c_double * 3)),
    ("density", c_double),
    ("wave_p", c_double),
    ("wave_s", c_double),
    ("wave", ((c_double * 3) * 3)),
    ("symmetry", c_double),
    ("facts", mrn_elastic_facts),
]
mrn_stability._fields_ = [
    ("geometric", c_bool),
    ("n", c_int),
    ("value", POINTER(c_double)),
    ("mode", POINTER(c_double)),
    ("critical", c_int64),
    ("worst", c_bool),
    ("bound", c_double),
    ("negative", c_int64),
    ("zero", c_int64),
    ("tolerance", c_double),
    ("stable", c_bool),
    ("verdict", (c_char * 256)),
]
mrn_stability_options._fields_ = [
    ("geometric", c_bool),
    ("want", c_int),
    ("tolerance", c_double),
]
mrn_spectrum._fields_ = [
    ("full", c_bool),
    ("n", c_int),
    ("omega", POINTER(c_double)),
    ("mode", POINTER(c_double)),
    ("n_modes", c_int),
    ("scale", c_double),
    ("participation", POINTER(c_double)),
]
mrn_path_options._fields_ = [
    ("rule", c_int),
    ("tolerance", c_double),
    ("max_iterations", c_int),
    ("min_increment", c_double),
    ("accelerate", c_bool),
]
mrn_path_facts._fields_ = [
    ("end", c_int),
    ("increments", c_int64),
    ("iterations", c_int64),
    ("sliding", c_int64),
    ("open", c_int64),
    ("reopened", c_int64),
    ("residual", c_double),
    ("u", POINTER(c_double)),
    ("force", POINTER(c_double)),
    ("status", POINTER(c_int)),
    ("mode", POINTER(c_double)),
]
mrn_follow._fields_ = [
    ("change", POINTER(c_double)),
    ("move", POINTER(c_double)),
    ("increment", c_double),
    ("up_to", c_double),
    ("each", CFUNCTYPE(c_bool, c_void_p, c_double, POINTER(mrn_path_facts))),
    ("user", c_void_p),
]
mrn_rigid_facts._fields_ = [
    ("end", c_int),
    ("q", c_double),
    ("events", c_int64),
    ("networks", c_int64),
    ("steps", c_int64),
    ("contacts", c_int64),
    ("cell", (c_double * 3)),
    ("x", POINTER(c_double)),
    ("moved", POINTER(c_double)),
    ("force", POINTER(c_double)),
]
mrn_rigid_options._fields_ = [
    ("change", POINTER(c_double)),
    ("up_to", c_double),
    ("step", c_double),
    ("most", c_double),
    ("max_events", c_int64),
    ("each", CFUNCTYPE(c_bool, c_void_p, POINTER(mrn_rigid_facts))),
    ("user", c_void_p),
]
mrn_wall_def._fields_ = [
    ("type", (c_char * 64)),
    ("name", (c_char * 64)),
    ("material", (c_char * 64)),
    ("value", (mrn_value * 48)),
]

STRUCTURES = (
    mrn_message,
    mrn_long_work,
    mrn_readable,
    mrn_rng,
    mrn_vec3,
    mrn_quat,
    mrn_body,
    mrn_param,
    mrn_value,
    mrn_history,
    mrn_material_pair,
    mrn_law_block,
    mrn_law,
    mrn_law_model,
    mrn_prepared,
    mrn_rigid,
    mrn_convex,
    mrn_polytope,
    mrn_corners,
    mrn_random_polytope,
    mrn_triangles,
    mrn_rimless,
    mrn_shape_type,
    mrn_shape,
    mrn_contact_point,
    mrn_signal,
    mrn_instant,
    mrn_bsr,
    mrn_contact_layout,
    mrn_problem,
    mrn_problem_facts,
    mrn_measures,
    mrn_iterate,
    mrn_solve_control,
    mrn_workspace,
    mrn_solve_result,
    mrn_solver,
    mrn_problem_family,
    mrn_material,
    mrn_interaction,
    mrn_motion,
    mrn_wall,
    mrn_size,
    mrn_region,
    mrn_grain,
    mrn_cluster,
    mrn_inlet,
    mrn_group,
    mrn_joint_end,
    mrn_joint,
    mrn_nonsmooth_options,
    mrn_quasistatic_options,
    mrn_event_options,
    mrn_cell_control,
    mrn_cell,
    mrn_damping,
    mrn_accuracy_level,
    mrn_body_force,
    mrn_outlet,
    mrn_condition,
    mrn_output,
    mrn_imposed,
    mrn_stage,
    mrn_scene,
    mrn_bodies,
    mrn_pairs,
    mrn_contacts,
    mrn_nonsmooth_memory,
    mrn_nonsmooth_report,
    mrn_quasistatic_report,
    mrn_event_report,
    mrn_event_memory,
    mrn_ledger,
    mrn_drive_memory,
    mrn_servo_memory,
    mrn_state,
    mrn_body_def,
    mrn_field,
    mrn_contacts_def,
    mrn_frame,
    mrn_header,
    mrn_probe_column,
    mrn_probe_table,
    mrn_export_format,
    mrn_atomic_file,
    mrn_average_def,
    mrn_average,
    mrn_series,
    mrn_map,
    mrn_plot,
    mrn_collision,
    mrn_rebound,
    mrn_collision_row,
    mrn_factor,
    mrn_rebound_field,
    mrn_predictor,
    mrn_parameter,
    mrn_datum,
    mrn_fit_options,
    mrn_estimate,
    mrn_test,
    mrn_nested,
    mrn_fit_region,
    mrn_fit,
    mrn_sweeps,
    mrn_sobol,
    mrn_morris,
    mrn_next,
    mrn_candidate,
    mrn_conditions,
    mrn_measurements,
    mrn_experiment,
    mrn_fit_setup_data,
    mrn_tuned,
    mrn_virtual_test,
    mrn_target,
    mrn_calibration,
    mrn_virtual_run,
    mrn_virtual_watch,
    mrn_calibrated,
    mrn_calibrate_options,
    mrn_step_times,
    mrn_step_limit,
    mrn_probe,
    mrn_method_probe,
    mrn_report_item,
    mrn_report_sink,
    mrn_solving,
    mrn_method_column,
    mrn_method,
    mrn_engine,
    mrn_energies,
    mrn_progress,
    mrn_run_options,
    mrn_warning,
    mrn_run_line,
    mrn_run_result,
    mrn_problem_file,
    mrn_impact,
    mrn_impact_row,
    mrn_difference,
    mrn_gap,
    mrn_parting,
    mrn_diff_options,
    mrn_figure,
    mrn_variant,
    mrn_trial,
    mrn_trials,
    mrn_trials_watch,
    mrn_scatter,
    mrn_welch,
    mrn_crosscheck_options,
    mrn_left_out,
    mrn_crosscheck_plan,
    mrn_ladder_options,
    mrn_order,
    mrn_picture,
    mrn_look,
    mrn_fclib_notes,
    mrn_fclib_save,
    mrn_import_format,
    mrn_import_options,
    mrn_import_grain,
    mrn_packing,
    mrn_import_facts,
    mrn_report,
    mrn_bulk,
    mrn_profile,
    mrn_force_table,
    mrn_mixing,
    mrn_repose,
    mrn_fields,
    mrn_global,
    mrn_net_element,
    mrn_net,
    mrn_net_options,
    mrn_ellipse,
    mrn_ellipse_touch,
    mrn_equilibrium,
    mrn_mechanism,
    mrn_rigidity,
    mrn_rigidity_options,
    mrn_limit,
    mrn_limit_options,
    mrn_stiffness_options,
    mrn_elastic_options,
    mrn_elastic_facts,
    mrn_moduli,
    mrn_stability,
    mrn_stability_options,
    mrn_spectrum,
    mrn_path_options,
    mrn_path_facts,
    mrn_follow,
    mrn_rigid_facts,
    mrn_rigid_options,
    mrn_wall_def,
)

# name: (result, arguments)
FUNCTIONS = {
    "mrn_version": (c_char_p, []),
    "mrn_cpu_check": (c_int, [POINTER(mrn_message)]),
    "mrn_status_text": (c_char_p, [c_int]),
    "mrn_fail": (c_int, [POINTER(mrn_message), c_int, c_char_p]),
    "mrn_fail_at": (c_int, [POINTER(mrn_message), c_char_p, c_int, c_int]),
    "mrn_fail_path": (c_int, [POINTER(mrn_message), c_char_p]),
    "mrn_fail_expected": (c_int, [POINTER(mrn_message), c_char_p]),
    "mrn_fail_hint": (c_int, [POINTER(mrn_message), c_char_p]),
    "mrn_message_format": (c_int, [POINTER(mrn_message), c_char_p, c_size_t]),
    "mrn_closest_word": (c_char_p, [c_char_p, POINTER(c_char_p), c_int]),
    "mrn_alloc": (c_void_p, [c_size_t]),
    "mrn_realloc": (c_void_p, [c_void_p, c_size_t]),
    "mrn_free": (None, [c_void_p]),
    "mrn_strdup": (c_void_p, [c_char_p]),
    "mrn_bytes_in_use": (c_size_t, []),
    "mrn_bytes_peak": (c_size_t, []),
    "mrn_bytes_peak_reset": (None, []),
    "mrn_alloc_count": (c_int64, []),
    "mrn_alloc_fail_at": (None, [c_int64]),
    "mrn_grow": (c_int, [c_void_p, POINTER(c_int64), c_int64, c_size_t]),
    "mrn_threads_set": (c_int, [c_int]),
    "mrn_threads": (c_int, []),
    "mrn_long_work_set": (mrn_long_work, [mrn_long_work]),
    "mrn_long_work_get": (mrn_long_work, []),
    "mrn_clock": (c_double, []),
    "mrn_hash": (c_uint64, [c_uint64, c_void_p, c_size_t]),
    "mrn_readable_si": (mrn_readable, [c_double, c_char_p]),
    "mrn_readable_count": (mrn_readable, [c_int64]),
    "mrn_rng_seed": (mrn_rng, [c_uint64, c_uint64]),
    "mrn_rng_next": (c_uint64, [POINTER(mrn_rng)]),
    "mrn_rng_uniform": (c_double, [POINTER(mrn_rng)]),
    "mrn_rng_normal": (c_double, [POINTER(mrn_rng)]),
    "mrn_law_model_params": (c_int, [POINTER(mrn_law_model), POINTER(POINTER(mrn_param))]),
    "mrn_law_model_history": (c_int, [POINTER(mrn_law_model), POINTER(c_int)]),
    "mrn_law_model_odd": (c_int, [POINTER(mrn_law_model), POINTER(c_bool)]),
    "mrn_law_count": (c_int, []),
    "mrn_law_at": (POINTER(mrn_law), [c_int]),
    "mrn_law_find": (POINTER(mrn_law), [c_int, c_char_p]),
    "mrn_law_kind_name": (c_char_p, [c_int]),
    "mrn_law_mix": (c_int, [POINTER(POINTER(mrn_law)), POINTER(mrn_law_model), POINTER(mrn_message)]),
    "mrn_law_model_count": (c_int, []),
    "mrn_law_model_at": (POINTER(mrn_law_model), [c_int]),
    "mrn_law_model_find": (POINTER(mrn_law_model), [c_char_p]),
    "mrn_law_rigid": (c_int, [POINTER(mrn_law_model), POINTER(mrn_material_pair), POINTER(mrn_value), POINTER(mrn_rigid), POINTER(mrn_message)]),
    "mrn_law_rigid_varying": (c_int, [POINTER(mrn_law_model), POINTER(mrn_material_pair), POINTER(mrn_value), POINTER(mrn_rigid), POINTER(mrn_message)]),
    "mrn_material_pair_mix": (mrn_material_pair, [c_double, c_double, c_double, c_double, c_double, c_double]),
    "mrn_law_prepare": (c_int, [POINTER(mrn_law_model), POINTER(mrn_material_pair), POINTER(mrn_value), POINTER(mrn_prepared), POINTER(mrn_message)]),
    "mrn_law_wide": (c_double, [POINTER(mrn_prepared), c_double, c_double]),
    "mrn_law_evaluate": (None, [POINTER(mrn_prepared), POINTER(mrn_law_block)]),
    "mrn_polytope_make": (c_int, [c_char_p, c_int, c_int, POINTER(mrn_corners), POINTER(mrn_polytope), POINTER(mrn_quat), POINTER(mrn_vec3), POINTER(c_double), POINTER(mrn_message)]),
    "mrn_polytope_release": (None, [POINTER(mrn_polytope)]),
    "mrn_polytope_copy": (c_int, [POINTER(mrn_polytope), POINTER(mrn_polytope), POINTER(mrn_message)]),
    "mrn_polytope_polygon": (c_int, [c_int, POINTER(mrn_polytope), POINTER(mrn_message)]),
    "mrn_polytope_regular": (c_int, [c_char_p, POINTER(mrn_polytope), POINTER(mrn_message)]),
    "mrn_polytope_box": (c_int, [c_int, c_double, c_double, c_double, POINTER(mrn_polytope), POINTER(mrn_message)]),
    "mrn_polytope_random": (c_int, [c_int, POINTER(mrn_random_polytope), POINTER(mrn_polytope), POINTER(mrn_message)]),
    "mrn_polytope_crushed": (c_int, [POINTER(mrn_random_polytope), POINTER(mrn_polytope), POINTER(mrn_message)]),
    "mrn_polytope_read": (c_int, [c_char_p, POINTER(mrn_polytope), POINTER(mrn_message)]),
    "mrn_polytope_sieve": (c_double, [POINTER(mrn_polytope)]),
    "mrn_shape_type_count": (c_int, []),
    "mrn_shape_type_at": (POINTER(mrn_shape_type), [c_int]),
    "mrn_shape_type_find": (POINTER(mrn_shape_type), [c_char_p]),
    "mrn_shape_release": (None, [POINTER(mrn_shape)]),
    "mrn_wall_lacks": (c_char_p, [POINTER(mrn_shape_type), c_int]),
    "mrn_shape_copy": (mrn_shape, [POINTER(mrn_shape)]),
    "mrn_wall_contacts": (c_int, [POINTER(mrn_shape), mrn_vec3, c_double, POINTER(c_int32), c_int, POINTER(mrn_contact_point)]),
    "mrn_signal_constant": (mrn_signal, [c_double]),
    "mrn_signal_expression": (c_int, [c_char_p, POINTER(mrn_signal), POINTER(mrn_message)]),
    "mrn_signal_table": (c_int, [POINTER(c_double), POINTER(c_double), c_int, POINTER(mrn_signal), POINTER(mrn_message)]),
    "mrn_signal_release": (None, [POINTER(mrn_signal)]),
    "mrn_signal_copy": (c_int, [POINTER(mrn_signal), POINTER(mrn_signal), POINTER(mrn_message)]),
    "mrn_signal_value": (c_double, [POINTER(mrn_signal), mrn_instant, POINTER(c_double)]),
    "mrn_bsr_from_entries": (c_int, [c_int, c_int, c_int, c_int, c_int64, POINTER(c_int32), POINTER(c_int32), POINTER(c_double), POINTER(mrn_bsr), POINTER(mrn_message)]),
    "mrn_bsr_copy": (c_int, [POINTER(mrn_bsr), POINTER(mrn_bsr), POINTER(mrn_message)]),
    "mrn_bsr_release": (None, [POINTER(mrn_bsr)]),
    "mrn_bsr_times": (None, [POINTER(mrn_bsr), POINTER(c_double), c_bool, POINTER(c_double)]),
    "mrn_bsr_find": (c_int64, [POINTER(mrn_bsr), c_int, c_int]),
    "mrn_contact_layout_of": (POINTER(mrn_contact_layout), [c_int]),
    "mrn_problem_create": (c_int, [c_int, c_int, POINTER(mrn_problem), POINTER(mrn_message)]),
    "mrn_problem_copy": (c_int, [POINTER(mrn_problem), POINTER(mrn_problem), POINTER(mrn_message)]),
    "mrn_problem_release": (None, [POINTER(mrn_problem)]),
    "mrn_problem_assemble": (c_int, [POINTER(mrn_problem), POINTER(mrn_message)]),
    "mrn_problem_check": (c_int, [POINTER(mrn_problem), POINTER(mrn_problem_facts), POINTER(mrn_message)]),
    "mrn_measure_answer": (c_int, [POINTER(mrn_problem), POINTER(c_double), POINTER(c_double), POINTER(mrn_measures), POINTER(mrn_message)]),
    "mrn_criterion_name": (c_char_p, [c_int]),
    "mrn_solve_control_default": (mrn_solve_control, []),
    "mrn_workspace_release": (None, [POINTER(mrn_workspace)]),
    "mrn_solver_count": (c_int, []),
    "mrn_solver_at": (POINTER(mrn_solver), [c_int]),
    "mrn_solver_find": (POINTER(mrn_solver), [c_char_p]),
    "mrn_solver_defaults": (None, [POINTER(mrn_solver), POINTER(mrn_value)]),
    "mrn_solver_set": (c_int, [POINTER(mrn_solver), POINTER(mrn_value), c_char_p, c_char_p, POINTER(mrn_message)]),
    "mrn_solve": (c_int, [POINTER(mrn_problem), POINTER(mrn_solver), POINTER(mrn_value), POINTER(mrn_solve_control), POINTER(c_double), POINTER(mrn_workspace), POINTER(mrn_solve_result), POINTER(mrn_message)]),
    "mrn_problem_family_count": (c_int, []),
    "mrn_problem_family_at": (POINTER(mrn_problem_family), [c_int]),
    "mrn_problem_family_find": (POINTER(mrn_problem_family), [c_char_p]),
    "mrn_params_defaults": (None, [POINTER(mrn_param), c_int, POINTER(mrn_value)]),
    "mrn_params_set": (c_int, [POINTER(mrn_param), c_int, POINTER(mrn_value), c_char_p, c_char_p, c_char_p, POINTER(mrn_message)]),
    "mrn_motion_release": (None, [POINTER(mrn_motion)]),
    "mrn_motion_copy": (c_int, [POINTER(mrn_motion), POINTER(mrn_motion), POINTER(mrn_message)]),
    "mrn_cluster_make": (c_int, [c_char_p, c_int, c_int, POINTER(c_double), POINTER(c_double), c_int64, POINTER(mrn_cluster), POINTER(mrn_quat), POINTER(mrn_message)]),
    "mrn_cluster_release": (None, [POINTER(mrn_cluster)]),
    "mrn_cluster_copy": (c_int, [POINTER(mrn_cluster), POINTER(mrn_cluster), POINTER(mrn_message)]),
    "mrn_nonsmooth_default": (mrn_nonsmooth_options, []),
    "mrn_quasistatic_default": (mrn_quasistatic_options, []),
    "mrn_event_default": (mrn_event_options, []),
    "mrn_cell_control_release": (None, [POINTER(mrn_cell_control)]),
    "mrn_cell_control_copy": (c_int, [POINTER(mrn_cell_control), POINTER(mrn_cell_control), POINTER(mrn_message)]),
    "mrn_accuracy_of": (POINTER(mrn_accuracy_level), [c_int]),
    "mrn_imposed_release": (None, [POINTER(mrn_imposed)]),
    "mrn_imposed_copy": (c_int, [POINTER(mrn_imposed), POINTER(mrn_imposed), POINTER(mrn_message)]),
    "mrn_scene_default": (mrn_scene, []),
    "mrn_stage_default": (mrn_stage, []),
    "mrn_scene_destroy": (None, [POINTER(mrn_scene)]),
    "mrn_scene_copy": (c_int, [POINTER(mrn_scene), POINTER(mrn_scene), POINTER(mrn_message)]),
    "mrn_group_release": (None, [POINTER(mrn_group)]),
    "mrn_group_copy": (c_int, [POINTER(mrn_group), POINTER(mrn_group), POINTER(mrn_message)]),
    "mrn_stage_release": (None, [POINTER(mrn_stage)]),
    "mrn_stage_copy": (c_int, [POINTER(mrn_stage), POINTER(mrn_stage), POINTER(mrn_message)]),
    "mrn_scene_prepare": (c_int, [POINTER(mrn_scene), POINTER(mrn_message)]),
    "mrn_scene_enter_stage": (c_int, [POINTER(mrn_scene), c_int, POINTER(mrn_message)]),
    "mrn_scene_find_material": (c_int, [POINTER(mrn_scene), c_char_p]),
    "mrn_scene_find_wall": (c_int, [POINTER(mrn_scene), c_char_p]),
    "mrn_scene_find_group": (c_int, [POINTER(mrn_scene), c_char_p]),
    "mrn_scene_values": (None, [POINTER(mrn_scene), CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_bool), c_void_p]),
    "mrn_output_release": (None, [POINTER(mrn_output)]),
    "mrn_output_copy": (c_int, [POINTER(mrn_output), POINTER(mrn_output)]),
    "mrn_state_destroy": (None, [POINTER(mrn_state)]),
    "mrn_body_default": (mrn_body_def, []),
    "mrn_body_add": (c_int, [POINTER(mrn_state), POINTER(mrn_body_def), POINTER(mrn_body), POINTER(mrn_message)]),
    "mrn_body_remove": (c_int, [POINTER(mrn_state), mrn_body, POINTER(mrn_message)]),
    "mrn_body_index": (c_int32, [POINTER(mrn_state), mrn_body]),
    "mrn_body_handle": (mrn_body, [POINTER(mrn_state), c_int32]),
    "mrn_bodies_reserve": (c_int, [POINTER(mrn_state), c_int64, POINTER(mrn_message)]),
    "mrn_bodies_want_derivs": (c_int, [POINTER(mrn_state), POINTER(mrn_message)]),
    "mrn_bodies_permute": (c_int, [POINTER(mrn_state), POINTER(c_int32), POINTER(mrn_message)]),
    "mrn_bodies_set_bounds": (None, [POINTER(mrn_scene), POINTER(mrn_bodies)]),
    "mrn_state_copy": (c_int, [POINTER(mrn_state), POINTER(mrn_state), POINTER(mrn_message)]),
    "mrn_state_hash": (c_uint64, [POINTER(mrn_state)]),
    "mrn_state_bytes": (c_size_t, [POINTER(mrn_state)]),
    "mrn_body_field_count": (c_int, []),
    "mrn_body_field": (POINTER(mrn_field), [c_int]),
    "mrn_body_field_find": (POINTER(mrn_field), [c_char_p]),
    "mrn_pair_field_count": (c_int, []),
    "mrn_pair_field": (POINTER(mrn_field), [c_int]),
    "mrn_contact_field_count": (c_int, []),
    "mrn_contact_field": (POINTER(mrn_field), [c_int]),
    "mrn_field_size": (c_size_t, [POINTER(mrn_field)]),
    "mrn_contacts_columns": (c_uint32, [c_int]),
    "mrn_contacts_make": (c_int, [POINTER(mrn_contacts), POINTER(mrn_contacts_def), POINTER(mrn_message)]),
    "mrn_contacts_destroy": (None, [POINTER(mrn_contacts)]),
    "mrn_contacts_reserve": (c_int, [POINTER(mrn_contacts), c_int64, POINTER(mrn_message)]),
    "mrn_contacts_copy": (c_int, [POINTER(mrn_contacts), POINTER(mrn_contacts), POINTER(mrn_message)]),
    "mrn_contacts_append": (None, [POINTER(mrn_contacts), POINTER(mrn_contacts)]),
    "mrn_contacts_append_one": (None, [POINTER(mrn_contacts), POINTER(mrn_contacts), c_int64]),
    "mrn_contacts_keep": (None, [POINTER(mrn_contacts), POINTER(c_int64), c_int64]),
    "mrn_contacts_name": (c_int, [POINTER(mrn_state), POINTER(mrn_contacts), POINTER(mrn_message)]),
    "mrn_contacts_hash": (c_uint64, [c_uint64, POINTER(mrn_contacts)]),
    "mrn_state_contacts_hash": (c_uint64, [c_uint64, POINTER(mrn_state)]),
    "mrn_contacts_bytes": (c_size_t, [POINTER(mrn_contacts)]),
    "mrn_cycle_forget": (None, [POINTER(mrn_nonsmooth_memory)]),
    "mrn_contacts_width": (c_int, [POINTER(mrn_contacts), POINTER(mrn_field)]),
    "mrn_contacts_size": (c_size_t, [POINTER(mrn_contacts), POINTER(mrn_field)]),
    "mrn_scene_read": (c_int, [c_char_p, POINTER(c_char_p), c_int, POINTER(mrn_scene), POINTER(mrn_message)]),
    "mrn_scene_read_text": (c_int, [c_char_p, c_char_p, POINTER(c_char_p), c_int, POINTER(mrn_scene), POINTER(mrn_message)]),
    "mrn_scene_schema": (c_int, [c_void_p]),
    "mrn_scene_reference": (c_int, [c_void_p]),
    "mrn_lab_schema": (c_int, [c_void_p]),
    "mrn_lab_reference": (c_int, [c_void_p]),
    "mrn_calibration_schema": (c_int, [c_void_p]),
    "mrn_calibration_reference": (c_int, [c_void_p]),
    "mrn_quantity": (c_int, [c_char_p, c_char_p, POINTER(c_double), POINTER(mrn_message)]),
    "mrn_frame_destroy": (None, [POINTER(mrn_frame)]),
    "mrn_frame_from_state": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_contacts), POINTER(mrn_frame), POINTER(mrn_message)]),
    "mrn_header_from_scene": (c_int, [POINTER(mrn_scene), c_double, POINTER(mrn_header), POINTER(mrn_message)]),
    "mrn_header_destroy": (None, [POINTER(mrn_header)]),
    "mrn_trajectory_create": (c_int, [c_char_p, POINTER(mrn_header), c_double, POINTER(POINTER(mrn_trajectory)), POINTER(mrn_message)]),
    "mrn_trajectory_append": (c_int, [POINTER(mrn_trajectory), POINTER(mrn_frame), POINTER(mrn_message)]),
    "mrn_trajectory_open": (c_int, [c_char_p, POINTER(POINTER(mrn_trajectory)), POINTER(mrn_message)]),
    "mrn_trajectory_frames": (c_int64, [POINTER(mrn_trajectory)]),
    "mrn_trajectory_time": (c_double, [POINTER(mrn_trajectory), c_int64]),
    "mrn_trajectory_read": (c_int, [POINTER(mrn_trajectory), c_int64, POINTER(mrn_frame), POINTER(mrn_message)]),
    "mrn_trajectory_header": (c_int, [POINTER(mrn_trajectory), POINTER(mrn_header), POINTER(mrn_message)]),
    "mrn_trajectory_close": (c_int, [POINTER(POINTER(mrn_trajectory)), POINTER(mrn_message)]),
    "mrn_probe_table_read": (c_int, [c_char_p, POINTER(mrn_probe_table), POINTER(mrn_message)]),
    "mrn_probe_table_find": (POINTER(mrn_probe_column), [POINTER(mrn_probe_table), c_char_p]),
    "mrn_probe_table_release": (None, [POINTER(mrn_probe_table)]),
    "mrn_checkpoint_write": (c_int, [c_char_p, POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_message)]),
    "mrn_checkpoint_read": (c_int, [c_char_p, POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_message)]),
    "mrn_checkpoint_read_changed": (c_int, [c_char_p, POINTER(mrn_scene), POINTER(c_char_p), c_int, POINTER(mrn_state), POINTER(mrn_message)]),
    "mrn_checkpoint_change_at": (c_char_p, [c_int]),
    "mrn_export_format_count": (c_int, []),
    "mrn_export_format_at": (POINTER(mrn_export_format), [c_int]),
    "mrn_export_format_find": (POINTER(mrn_export_format), [c_char_p]),
    "mrn_modes_write": (c_int, [c_char_p, POINTER(mrn_net), c_int, POINTER(c_double), POINTER(c_char_p), POINTER(mrn_message)]),
    "mrn_atomic_open": (c_int, [c_char_p, POINTER(mrn_atomic_file), POINTER(mrn_message)]),
    "mrn_atomic_commit": (c_int, [POINTER(mrn_atomic_file), POINTER(mrn_message)]),
    "mrn_atomic_abandon": (None, [POINTER(mrn_atomic_file)]),
    "mrn_average_reach": (None, [POINTER(mrn_average_def), c_int, POINTER(mrn_frame), POINTER(c_double), POINTER(c_double)]),
    "mrn_average_begin": (c_int, [POINTER(mrn_average_def), c_int, POINTER(mrn_average), POINTER(mrn_message)]),
    "mrn_average_add": (c_int, [POINTER(mrn_average), POINTER(mrn_frame), POINTER(mrn_message)]),
    "mrn_average_end": (None, [POINTER(mrn_average)]),
    "mrn_average_destroy": (None, [POINTER(mrn_average)]),
    "mrn_average_middle": (c_double, [POINTER(mrn_average), c_int64, c_int]),
    "mrn_average_name": (c_char_p, [POINTER(mrn_average_def), c_int]),
    "mrn_plot_default": (mrn_plot, []),
    "mrn_plot_write": (c_int, [POINTER(mrn_plot), c_char_p, POINTER(mrn_message)]),
    "mrn_collision_check": (c_int, [POINTER(mrn_collision), POINTER(mrn_message)]),
    "mrn_collide": (c_int, [POINTER(mrn_collision), c_int64, c_double, POINTER(mrn_rebound), POINTER(c_int), POINTER(mrn_message)]),
    "mrn_collide_history": (c_int, [POINTER(mrn_collision), c_double, c_int, POINTER(mrn_rebound), POINTER(POINTER(mrn_collision_row)), POINTER(c_int), POINTER(mrn_message)]),
    "mrn_factor_find": (c_int, [POINTER(mrn_collision), c_char_p, POINTER(mrn_factor), POINTER(mrn_message)]),
    "mrn_factor_list": (c_int, [POINTER(mrn_collision), POINTER(mrn_factor), c_int]),
    "mrn_factor_get": (c_double, [POINTER(mrn_collision), POINTER(mrn_factor)]),
    "mrn_factor_set": (None, [POINTER(mrn_collision), POINTER(mrn_factor), c_double]),
    "mrn_rebound_field_count": (c_int, []),
    "mrn_rebound_field_at": (POINTER(mrn_rebound_field), [c_int]),
    "mrn_rebound_field_find": (POINTER(mrn_rebound_field), [c_char_p]),
    "mrn_rebound_value": (c_double, [POINTER(mrn_rebound), POINTER(mrn_rebound_field)]),
    "mrn_fit_default": (mrn_fit_options, []),
    "mrn_fit_model": (c_int, [POINTER(mrn_predictor), POINTER(mrn_parameter), POINTER(mrn_datum), c_int, POINTER(mrn_fit_options), POINTER(mrn_fit), POINTER(mrn_message)]),
    "mrn_fit_release": (None, [POINTER(mrn_fit)]),
    "mrn_identifiable_name": (c_char_p, [c_int]),
    "mrn_replicates": (c_int, [POINTER(c_double), c_int, POINTER(c_double), POINTER(c_double), POINTER(c_int), POINTER(mrn_message)]),
    "mrn_datum_half_width": (c_double, [POINTER(mrn_datum), c_double]),
    "mrn_sensitivity_sweep": (c_int, [POINTER(mrn_predictor), POINTER(mrn_parameter), POINTER(c_double), c_int, POINTER(mrn_sweeps), POINTER(mrn_message)]),
    "mrn_sweeps_release": (None, [POINTER(mrn_sweeps)]),
    "mrn_sensitivity_sobol": (c_int, [POINTER(mrn_predictor), POINTER(mrn_parameter), c_int64, c_uint64, POINTER(mrn_sobol), POINTER(mrn_message)]),
    "mrn_sobol_release": (None, [POINTER(mrn_sobol)]),
    "mrn_sensitivity_morris": (c_int, [POINTER(mrn_predictor), POINTER(mrn_parameter), c_int, c_uint64, POINTER(mrn_morris), POINTER(mrn_message)]),
    "mrn_morris_release": (None, [POINTER(mrn_morris)]),
    "mrn_surrogate_create": (c_int, [POINTER(mrn_parameter), c_int, c_int, c_int64, POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(POINTER(mrn_surrogate)), POINTER(mrn_message)]),
    "mrn_surrogate_destroy": (None, [POINTER(POINTER(mrn_surrogate))]),
    "mrn_surrogate_at": (None, [POINTER(mrn_surrogate), POINTER(c_double), POINTER(c_double), POINTER(c_double)]),
    "mrn_surrogate_quality": (None, [POINTER(mrn_surrogate), POINTER(c_double)]),
    "mrn_surrogate_scales": (None, [POINTER(mrn_surrogate), c_int, POINTER(c_double), POINTER(c_double)]),
    "mrn_surrogate_words": (c_char_p, [POINTER(mrn_surrogate), c_int]),
    "mrn_surrogate_model": (mrn_predictor, [POINTER(mrn_surrogate)]),
    "mrn_surrogate_next": (c_int, [POINTER(mrn_surrogate), POINTER(mrn_datum), c_int, c_int, c_uint64, POINTER(c_double), POINTER(mrn_next), POINTER(mrn_message)]),
    "mrn_design": (c_int, [POINTER(mrn_parameter), c_int, c_int64, c_uint64, POINTER(c_double), POINTER(mrn_message)]),
    "mrn_experiment_read": (c_int, [c_char_p, POINTER(c_char_p), c_int, POINTER(mrn_experiment), POINTER(mrn_message)]),
    "mrn_experiment_read_text": (c_int, [c_char_p, c_char_p, POINTER(c_char_p), c_int, POINTER(mrn_experiment), POINTER(mrn_message)]),
    "mrn_experiment_destroy": (None, [POINTER(mrn_experiment)]),
    "mrn_experiment_collide": (c_int, [POINTER(mrn_experiment), c_int, POINTER(mrn_rebound), POINTER(mrn_message)]),
    "mrn_fit_setup_create": (c_int, [POINTER(mrn_experiment), c_int, POINTER(POINTER(mrn_fit_setup)), POINTER(mrn_predictor), POINTER(mrn_message)]),
    "mrn_fit_setup_create_rows": (c_int, [POINTER(mrn_experiment), c_int, POINTER(mrn_factor), c_int, POINTER(POINTER(mrn_rebound_field)), c_int, POINTER(POINTER(mrn_fit_setup)), POINTER(mrn_predictor), POINTER(mrn_message)]),
    "mrn_fit_setup_data_of": (mrn_fit_setup_data, [POINTER(mrn_fit_setup)]),
    "mrn_fit_setup_destroy": (None, [POINTER(POINTER(mrn_fit_setup))]),
    "mrn_experiment_deviation": (c_int, [POINTER(mrn_experiment), POINTER(mrn_rebound), POINTER(c_double), POINTER(c_double), POINTER(mrn_message)]),
    "mrn_calibration_read": (c_int, [c_char_p, POINTER(c_char_p), c_int, POINTER(mrn_calibration), POINTER(mrn_message)]),
    "mrn_calibration_destroy": (None, [POINTER(mrn_calibration)]),
    "mrn_calibration_hash": (c_uint64, [POINTER(mrn_calibration)]),
    "mrn_virtual_runs": (c_int, [POINTER(mrn_calibration), POINTER(mrn_virtual_run), c_int64, POINTER(mrn_virtual_watch), POINTER(mrn_message)]),
    "mrn_calibrate": (c_int, [POINTER(mrn_calibration), POINTER(mrn_calibrate_options), POINTER(mrn_calibrated), POINTER(mrn_message)]),
    "mrn_calibrated_release": (None, [POINTER(mrn_calibrated)]),
    "mrn_virtual_runs_write": (c_int, [c_char_p, POINTER(mrn_calibration), POINTER(mrn_virtual_run), c_int64, POINTER(mrn_message)]),
    "mrn_virtual_runs_read": (c_int, [c_char_p, POINTER(mrn_calibration), POINTER(POINTER(mrn_virtual_run)), POINTER(c_int64), POINTER(mrn_message)]),
    "mrn_virtual_runs_free": (None, [POINTER(mrn_virtual_run), c_int64]),
    "mrn_page_create": (c_int, [c_char_p, c_char_p, POINTER(POINTER(mrn_page)), POINTER(mrn_message)]),
    "mrn_page_section": (None, [POINTER(mrn_page), c_char_p]),
    "mrn_page_heading": (None, [POINTER(mrn_page), c_char_p]),
    "mrn_page_text": (None, [POINTER(mrn_page), c_char_p]),
    "mrn_page_note": (None, [POINTER(mrn_page), c_int, c_char_p]),
    "mrn_page_table": (None, [POINTER(mrn_page), c_char_p, c_int, c_int, POINTER(c_char_p), POINTER(c_bool)]),
    "mrn_page_facts": (None, [POINTER(mrn_page), c_int, POINTER(c_char_p)]),
    "mrn_page_plot": (None, [POINTER(mrn_page), c_int, POINTER(mrn_plot), c_char_p]),
    "mrn_page_picture": (None, [POINTER(mrn_page), c_int, POINTER(mrn_picture), c_char_p]),
    "mrn_page_image": (None, [POINTER(mrn_page), c_int, c_char_p, c_int, c_int, c_char_p]),
    "mrn_page_bars": (None, [POINTER(mrn_page), c_char_p, c_int, POINTER(c_char_p), POINTER(c_double), POINTER(c_double), c_double]),
    "mrn_page_code": (None, [POINTER(mrn_page), c_char_p, c_char_p, c_bool]),
    "mrn_page_close": (c_int, [POINTER(POINTER(mrn_page)), c_char_p, POINTER(mrn_message)]),
    "mrn_step_part_key": (c_char_p, [c_int]),
    "mrn_step_part_name": (c_char_p, [c_int]),
    "mrn_step_part_seconds": (c_double, [POINTER(mrn_step_times), c_int]),
    "mrn_ability_name": (c_char_p, [c_int]),
    "mrn_method_count": (c_int, []),
    "mrn_method_at": (POINTER(mrn_method), [c_int]),
    "mrn_method_find": (POINTER(mrn_method), [c_char_p]),
    "mrn_method_summary": (c_char_p, [POINTER(mrn_method)]),
    "mrn_method_of": (POINTER(mrn_method), [POINTER(mrn_scene)]),
    "mrn_report_line": (None, [POINTER(mrn_report_sink), c_char_p, c_char_p]),
    "mrn_world_build": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_message)]),
    "mrn_pairs_stale": (c_bool, [POINTER(mrn_scene), POINTER(mrn_state)]),
    "mrn_pairs_build": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), c_bool, POINTER(mrn_message)]),
    "mrn_pairs_forget": (None, [POINTER(mrn_scene), POINTER(mrn_state), c_int]),
    "mrn_pairs_default_skin": (c_double, [POINTER(mrn_state)]),
    "mrn_contacts_collect": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), c_double, POINTER(mrn_contacts), POINTER(mrn_message)]),
    "mrn_smooth_step_limit": (mrn_step_limit, [POINTER(mrn_scene), POINTER(mrn_state)]),
    "mrn_smooth_create": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(POINTER(mrn_smooth)), POINTER(mrn_message)]),
    "mrn_smooth_destroy": (None, [POINTER(POINTER(mrn_smooth))]),
    "mrn_smooth_refresh": (c_int, [POINTER(mrn_smooth), POINTER(mrn_message)]),
    "mrn_smooth_evaluate": (c_int, [POINTER(mrn_smooth), POINTER(mrn_message)]),
    "mrn_smooth_step": (c_int, [POINTER(mrn_smooth), c_int64, POINTER(mrn_message)]),
    "mrn_smooth_times": (mrn_step_times, [POINTER(mrn_smooth)]),
    "mrn_nonsmooth_create": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(POINTER(mrn_nonsmooth)), POINTER(mrn_message)]),
    "mrn_nonsmooth_destroy": (None, [POINTER(POINTER(mrn_nonsmooth))]),
    "mrn_nonsmooth_refresh": (c_int, [POINTER(mrn_nonsmooth), POINTER(mrn_message)]),
    "mrn_nonsmooth_step": (c_int, [POINTER(mrn_nonsmooth), c_int64, POINTER(mrn_message)]),
    "mrn_nonsmooth_times": (mrn_step_times, [POINTER(mrn_nonsmooth)]),
    "mrn_nonsmooth_problem": (POINTER(mrn_problem), [POINTER(mrn_nonsmooth), POINTER(POINTER(c_double))]),
    "mrn_nonsmooth_keep_unsolved": (None, [POINTER(mrn_nonsmooth), CFUNCTYPE(c_int, POINTER(mrn_problem), POINTER(c_double), POINTER(mrn_state), c_void_p, POINTER(mrn_message)), c_void_p, c_int]),
    "mrn_nonsmooth_bytes": (c_size_t, [POINTER(mrn_nonsmooth)]),
    "mrn_nonsmooth_step_limit": (mrn_step_limit, [POINTER(mrn_scene), POINTER(mrn_state)]),
    "mrn_quasistatic_create": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(c_int), POINTER(POINTER(mrn_quasistatic)), POINTER(mrn_message)]),
    "mrn_quasistatic_destroy": (None, [POINTER(POINTER(mrn_quasistatic))]),
    "mrn_quasistatic_refresh": (c_int, [POINTER(mrn_quasistatic), POINTER(mrn_message)]),
    "mrn_quasistatic_step": (c_int, [POINTER(mrn_quasistatic), c_int64, POINTER(mrn_message)]),
    "mrn_quasistatic_times": (mrn_step_times, [POINTER(mrn_quasistatic)]),
    "mrn_quasistatic_step_limit": (mrn_step_limit, [POINTER(mrn_scene), POINTER(mrn_state)]),
    "mrn_engine_create": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(c_int), POINTER(mrn_engine), POINTER(mrn_message)]),
    "mrn_engine_create_still": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_engine), POINTER(mrn_message)]),
    "mrn_engine_destroy": (None, [POINTER(mrn_engine)]),
    "mrn_engine_refresh": (c_int, [POINTER(mrn_engine), POINTER(mrn_message)]),
    "mrn_engine_advance": (c_int, [POINTER(mrn_engine), c_double, c_int64, POINTER(mrn_message)]),
    "mrn_engine_sync": (c_int, [POINTER(mrn_engine), POINTER(mrn_message)]),
    "mrn_engine_look": (c_int, [POINTER(mrn_engine), POINTER(mrn_message)]),
    "mrn_engine_step": (c_int, [POINTER(mrn_engine), c_int64, POINTER(mrn_message)]),
    "mrn_engine_times": (mrn_step_times, [POINTER(mrn_engine)]),
    "mrn_engine_step_limit": (mrn_step_limit, [POINTER(mrn_scene), POINTER(mrn_state)]),
    "mrn_engine_bytes": (c_size_t, [POINTER(mrn_engine)]),
    "mrn_engine_problem": (POINTER(mrn_problem), [POINTER(mrn_engine), POINTER(POINTER(c_double))]),
    "mrn_engine_keep_unsolved": (None, [POINTER(mrn_engine), CFUNCTYPE(c_int, POINTER(mrn_problem), POINTER(c_double), POINTER(mrn_state), c_void_p, POINTER(mrn_message)), c_void_p, c_int]),
    "mrn_gap_rule_name": (c_char_p, [c_int]),
    "mrn_unsolved_name": (c_char_p, [c_int]),
    "mrn_measure_energies": (mrn_energies, [POINTER(mrn_scene), POINTER(mrn_state)]),
    "mrn_engine_energies": (c_int, [POINTER(mrn_engine), POINTER(mrn_energies), POINTER(mrn_message)]),
    "mrn_ledger_open": (None, [POINTER(mrn_scene), POINTER(mrn_state)]),
    "mrn_probe_count": (c_int, []),
    "mrn_probe_at": (POINTER(mrn_probe), [c_int]),
    "mrn_probe_method": (POINTER(mrn_method), [c_int]),
    "mrn_probe_check": (c_int, [POINTER(mrn_scene), c_char_p, POINTER(c_char_p), POINTER(mrn_message)]),
    "mrn_probe_value": (c_double, [POINTER(mrn_scene), POINTER(mrn_state), c_char_p]),
    "mrn_probe_values": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), c_int, POINTER((c_char * 128)), POINTER(c_double), POINTER(mrn_message)]),
    "mrn_column_check": (c_int, [POINTER(mrn_scene), c_char_p, POINTER(c_char_p), POINTER(mrn_message)]),
    "mrn_column_is_word": (c_bool, [c_char_p]),
    "mrn_column_rate": (c_bool, [POINTER(mrn_scene), c_char_p, c_char_p]),
    "mrn_column_each": (None, [POINTER(mrn_scene), c_char_p, CFUNCTYPE(None, c_char_p, c_void_p), c_void_p]),
    "mrn_run_report": (c_void_p, [POINTER(mrn_scene), POINTER(mrn_state)]),
    "mrn_run_prepare": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_step_limit), POINTER(mrn_message)]),
    "mrn_run_step_limit": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_step_limit), POINTER(mrn_message)]),
    "mrn_run_threads": (c_int, [POINTER(mrn_scene), POINTER(mrn_state)]),
    "mrn_run_write_problem": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), c_char_p, c_bool, POINTER(mrn_problem_file), POINTER(mrn_message)]),
    "mrn_run_impact": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), c_int, c_double, POINTER(mrn_impact), POINTER(mrn_message)]),
    "mrn_impact_kind_name": (c_char_p, [c_int]),
    "mrn_run_impacts": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), c_double, POINTER(POINTER(mrn_impact_row)), POINTER(c_int), POINTER(mrn_message)]),
    "mrn_run_default": (mrn_run_options, []),
    "mrn_run": (c_int, [POINTER(mrn_scene), POINTER(mrn_run_options), POINTER(mrn_run_result), POINTER(mrn_message)]),
    "mrn_diff_default": (mrn_diff_options, []),
    "mrn_run_diff": (c_int, [POINTER(mrn_scene), POINTER(mrn_scene), POINTER(mrn_diff_options), POINTER(mrn_parting), POINTER(mrn_message)]),
    "mrn_trajectory_diff": (c_int, [c_char_p, c_char_p, POINTER(mrn_parting), POINTER(mrn_message)]),
    "mrn_figure_probe": (c_int, [POINTER(mrn_scene), c_char_p, POINTER(mrn_figure), POINTER(mrn_message)]),
    "mrn_figure_usual": (c_int, [POINTER(mrn_scene), POINTER(mrn_figure), c_int]),
    "mrn_variant_release": (None, [POINTER(mrn_variant)]),
    "mrn_variant_set": (c_int, [POINTER(mrn_variant), POINTER(mrn_message), c_char_p]),
    "mrn_variant_say": (c_int, [POINTER(mrn_variant), POINTER(mrn_message), c_char_p]),
    "mrn_trials_open": (c_int, [c_char_p, POINTER(mrn_trials), POINTER(mrn_message)]),
    "mrn_trials_release": (None, [POINTER(mrn_trials)]),
    "mrn_trials_scene": (c_int, [POINTER(mrn_trials), POINTER(mrn_variant), c_uint64, POINTER(mrn_scene), POINTER(mrn_message)]),
    "mrn_trials_plan": (c_int, [POINTER(mrn_trials), POINTER(mrn_message)]),
    "mrn_trials_run": (c_int, [POINTER(mrn_trials), POINTER(mrn_trials_watch), POINTER(mrn_message)]),
    "mrn_trial_keep": (c_int, [POINTER(mrn_trials), POINTER(mrn_trial), c_char_p, POINTER(mrn_message)]),
    "mrn_trials_recall": (c_int, [POINTER(mrn_trials), c_char_p]),
    "mrn_trials_values": (c_int, [POINTER(mrn_trials), c_int, c_int, POINTER(c_double)]),
    "mrn_scatter_of": (mrn_scatter, [POINTER(c_double), c_int]),
    "mrn_verdict_name": (c_char_p, [c_int]),
    "mrn_welch_of": (mrn_welch, [POINTER(mrn_scatter), POINTER(mrn_scatter), c_double, c_double]),
    "mrn_ks_distance": (c_double, [POINTER(c_double), c_int, POINTER(c_double), c_int]),
    "mrn_ks_compare": (c_int, [POINTER(mrn_trials), c_int, c_int, c_double, c_double, POINTER(mrn_scatter), POINTER(mrn_welch), POINTER(mrn_message)]),
    "mrn_crosscheck_variants": (c_int, [POINTER(mrn_trials), POINTER(mrn_crosscheck_options), POINTER(mrn_crosscheck_plan), POINTER(mrn_message)]),
    "mrn_vary_name": (c_char_p, [c_int]),
    "mrn_vary_axis": (c_char_p, [c_int, POINTER(c_char_p)]),
    "mrn_ladder_variants": (c_int, [POINTER(mrn_trials), POINTER(mrn_ladder_options), POINTER(mrn_message)]),
    "mrn_order_kind_name": (c_char_p, [c_int]),
    "mrn_order_of": (c_int, [c_int, POINTER(c_double), c_int, POINTER(c_double), c_bool, c_double, POINTER(mrn_order), POINTER(mrn_message)]),
    "mrn_look_default": (mrn_look, [c_int]),
    "mrn_look_fields": (c_int, [POINTER(POINTER(c_char_p))]),
    "mrn_look_palettes": (c_int, [POINTER(POINTER(c_char_p))]),
    "mrn_look_fit": (c_int, [POINTER(mrn_look), POINTER(mrn_header), POINTER(mrn_trajectory), POINTER(mrn_message)]),
    "mrn_draw": (c_int, [POINTER(mrn_look), POINTER(mrn_header), POINTER(mrn_frame), POINTER(mrn_picture), POINTER(mrn_message)]),
    "mrn_picture_destroy": (None, [POINTER(mrn_picture)]),
    "mrn_png_write": (c_int, [c_char_p, POINTER(mrn_picture), POINTER(mrn_message)]),
    "mrn_apng_create": (c_int, [c_char_p, c_int, c_int, c_int, c_double, POINTER(POINTER(mrn_apng)), POINTER(mrn_message)]),
    "mrn_apng_add": (c_int, [POINTER(mrn_apng), POINTER(mrn_picture), POINTER(mrn_message)]),
    "mrn_apng_close": (c_int, [POINTER(POINTER(mrn_apng)), POINTER(mrn_message)]),
    "mrn_fclib_notes_release": (None, [POINTER(mrn_fclib_notes)]),
    "mrn_fclib_read": (c_int, [c_char_p, POINTER(mrn_problem), POINTER(mrn_fclib_notes), POINTER(mrn_message)]),
    "mrn_fclib_write": (c_int, [c_char_p, POINTER(mrn_problem), POINTER(mrn_fclib_save), POINTER(mrn_message)]),
    "mrn_import_format_count": (c_int, []),
    "mrn_import_format_at": (POINTER(mrn_import_format), [c_int]),
    "mrn_import_default": (mrn_import_options, []),
    "mrn_import_read": (c_int, [c_char_p, POINTER(mrn_import_options), POINTER(mrn_packing), POINTER(mrn_message)]),
    "mrn_packing_release": (None, [POINTER(mrn_packing)]),
    "mrn_import_write": (c_int, [POINTER(mrn_packing), POINTER(mrn_import_options), c_char_p, POINTER(mrn_import_facts), POINTER(mrn_message)]),
    "mrn_tensor_mean": (c_double, [POINTER(c_double), c_int]),
    "mrn_tensor_deviator": (c_double, [POINTER(c_double), c_int]),
    "mrn_tensor_principal": (None, [POINTER(c_double), c_int, POINTER(c_double)]),
    "mrn_measure": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_contacts), POINTER(mrn_report), POINTER(mrn_message)]),
    "mrn_measure_bulk": (mrn_bulk, [POINTER(mrn_scene), POINTER(mrn_state)]),
    "mrn_profile_make": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), c_int, c_int, c_double, POINTER(mrn_profile), POINTER(mrn_message)]),
    "mrn_profile_destroy": (None, [POINTER(mrn_profile)]),
    "mrn_force_table_make": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_contacts), POINTER(mrn_force_table), POINTER(mrn_message)]),
    "mrn_mixing_of": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), c_int, c_int, POINTER(mrn_mixing), POINTER(mrn_message)]),
    "mrn_repose_of": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_repose), POINTER(mrn_message)]),
    "mrn_surface_angle": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(c_double), POINTER(mrn_message)]),
    "mrn_deposit_of": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(c_double), POINTER(mrn_message)]),
    "mrn_fields_check": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), c_double, c_double, POINTER(mrn_message)]),
    "mrn_fields_compute": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_contacts), c_double, c_double, POINTER(mrn_fields), POINTER(mrn_message)]),
    "mrn_fields_destroy": (None, [POINTER(mrn_fields)]),
    "mrn_fields_write": (c_int, [c_char_p, POINTER(mrn_fields), POINTER(mrn_message)]),
    "mrn_net_default": (mrn_net_options, []),
    "mrn_net_of": (c_int, [POINTER(mrn_scene), POINTER(mrn_state), POINTER(mrn_contacts), POINTER(mrn_net_options), POINTER(mrn_net), POINTER(mrn_message)]),
    "mrn_net_make": (c_int, [c_int, c_int32, POINTER(c_double), POINTER(c_double), POINTER(mrn_contacts), POINTER(mrn_net_element), POINTER(c_double), POINTER(c_double), c_bool, POINTER(mrn_net), POINTER(mrn_message)]),
    "mrn_ellipse_touch_of": (mrn_ellipse_touch, [POINTER(mrn_ellipse), POINTER(mrn_ellipse)]),
    "mrn_net_make_ellipses": (c_int, [c_int32, POINTER(mrn_ellipse), POINTER(mrn_contacts), POINTER(mrn_net_element), POINTER(c_double), POINTER(c_double), c_bool, POINTER(mrn_net), POINTER(mrn_message)]),
    "mrn_net_release": (None, [POINTER(mrn_net)]),
    "mrn_net_forces": (None, [POINTER(mrn_net), POINTER(c_double)]),
    "mrn_net_residual": (None, [POINTER(mrn_net), POINTER(c_double), POINTER(c_double)]),
    "mrn_net_relative": (None, [POINTER(mrn_net), POINTER(c_double), POINTER(c_double)]),
    "mrn_net_resultant": (None, [POINTER(mrn_net), POINTER(c_double), POINTER(c_double)]),
    "mrn_net_stress": (None, [POINTER(mrn_net), POINTER(c_double), POINTER(c_double)]),
    "mrn_net_equilibrium": (None, [POINTER(mrn_net), POINTER(mrn_equilibrium)]),
    "mrn_rigidity_default": (mrn_rigidity_options, []),
    "mrn_rigidity_of": (c_int, [POINTER(mrn_net), POINTER(mrn_rigidity_options), POINTER(mrn_rigidity), POINTER(mrn_message)]),
    "mrn_rigidity_release": (None, [POINTER(mrn_rigidity)]),
    "mrn_limit_of": (c_int, [POINTER(mrn_net), POINTER(mrn_limit_options), POINTER(mrn_limit), POINTER(mrn_message)]),
    "mrn_limit_release": (None, [POINTER(mrn_limit)]),
    "mrn_net_stiffness": (None, [POINTER(mrn_net), POINTER(mrn_stiffness_options), POINTER(c_double), POINTER(c_double)]),
    "mrn_elastic_make": (c_int, [POINTER(mrn_net), POINTER(mrn_elastic_options), POINTER(POINTER(mrn_elastic)), POINTER(mrn_message)]),
    "mrn_elastic_release": (None, [POINTER(POINTER(mrn_elastic))]),
    "mrn_elastic_solve": (c_int, [POINTER(mrn_elastic), POINTER(c_double), POINTER(c_bool), POINTER(c_double), POINTER(c_double), POINTER(mrn_message)]),
    "mrn_elastic_facts_of": (mrn_elastic_facts, [POINTER(mrn_elastic)]),
    "mrn_moduli_of": (c_int, [POINTER(mrn_net), POINTER(mrn_elastic_options), POINTER(mrn_moduli), POINTER(mrn_message)]),
    "mrn_stability_of": (c_int, [POINTER(mrn_net), POINTER(mrn_stability_options), POINTER(mrn_stability), POINTER(mrn_message)]),
    "mrn_stability_release": (None, [POINTER(mrn_stability)]),
    "mrn_spectrum_of": (c_int, [POINTER(mrn_net), c_bool, c_int, c_int, POINTER(mrn_spectrum), POINTER(mrn_message)]),
    "mrn_spectrum_release": (None, [POINTER(mrn_spectrum)]),
    "mrn_spectrum_density": (None, [POINTER(mrn_spectrum), c_int, POINTER(c_double), POINTER(c_double)]),
    "mrn_path_default": (mrn_path_options, []),
    "mrn_path_create": (c_int, [POINTER(mrn_net), POINTER(mrn_path_options), POINTER(POINTER(mrn_path)), POINTER(mrn_message)]),
    "mrn_path_destroy": (None, [POINTER(POINTER(mrn_path))]),
    "mrn_path_step": (c_int, [POINTER(mrn_path), POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(mrn_message)]),
    "mrn_path_facts_of": (mrn_path_facts, [POINTER(mrn_path)]),
    "mrn_path_follow": (c_int, [POINTER(mrn_path), POINTER(mrn_follow), POINTER(c_double), POINTER(mrn_message)]),
    "mrn_path_elastic": (c_int, [POINTER(mrn_path), POINTER(mrn_follow), POINTER(c_double), POINTER(c_double), POINTER(mrn_message)]),
    "mrn_net_hold": (c_int, [POINTER(mrn_net), POINTER(c_bool), POINTER(mrn_message)]),
    "mrn_net_settle": (c_int, [POINTER(mrn_net), POINTER(mrn_message)]),
    "mrn_rigid_default": (mrn_rigid_options, []),
    "mrn_rigid_follow": (c_int, [POINTER(mrn_net), POINTER(mrn_rigid_options), POINTER(mrn_rigid_facts), POINTER(mrn_message)]),
    "mrn_scene_set_method": (c_int, [POINTER(mrn_scene), c_char_p, POINTER(mrn_message)]),
    "mrn_scene_add_material": (c_int, [POINTER(mrn_scene), c_char_p, c_double, c_double, c_double, POINTER(mrn_message)]),
    "mrn_scene_add_law": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, c_char_p, POINTER(mrn_message)]),
    "mrn_scene_add_law_model": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, POINTER(mrn_law_model), POINTER(mrn_message)]),
    "mrn_scene_set_law": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, c_char_p, c_double, POINTER(mrn_message)]),
    "mrn_scene_set_law_word": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, c_char_p, c_char_p, POINTER(mrn_message)]),
    "mrn_wall_default": (mrn_wall_def, [c_char_p]),
    "mrn_wall_set": (c_int, [POINTER(mrn_wall_def), c_char_p, c_double, POINTER(mrn_message)]),
    "mrn_wall_set_vector": (c_int, [POINTER(mrn_wall_def), c_char_p, mrn_vec3, POINTER(mrn_message)]),
    "mrn_wall_set_box": (c_int, [POINTER(mrn_wall_def), c_char_p, mrn_vec3, mrn_vec3, POINTER(mrn_message)]),
    "mrn_wall_set_word": (c_int, [POINTER(mrn_wall_def), c_char_p, c_char_p, POINTER(mrn_message)]),
    "mrn_scene_add_wall": (c_int, [POINTER(mrn_scene), POINTER(mrn_wall_def), POINTER(mrn_message)]),
    "mrn_motion_steady": (mrn_motion, [mrn_vec3, mrn_vec3]),
    "mrn_motion_shake": (mrn_motion, [mrn_vec3, c_double, c_double]),
    "mrn_motion_path": (c_int, [c_char_p, c_char_p, c_char_p, POINTER(mrn_motion), POINTER(mrn_message)]),
    "mrn_motion_press": (mrn_motion, [mrn_vec3, POINTER(mrn_signal), c_double]),
    "mrn_motion_push": (mrn_motion, [mrn_vec3, POINTER(mrn_signal)]),
    "mrn_scene_set_motion": (c_int, [POINTER(mrn_scene), c_char_p, POINTER(mrn_motion), POINTER(mrn_message)]),
    "mrn_size_constant": (mrn_size, [c_double]),
    "mrn_size_uniform": (mrn_size, [c_double, c_double]),
    "mrn_region_box": (mrn_region, [mrn_vec3, mrn_vec3]),
    "mrn_region_cylinder": (mrn_region, [mrn_vec3, mrn_vec3, c_double]),
    "mrn_region_sphere": (mrn_region, [mrn_vec3, c_double]),
    "mrn_group_fill": (mrn_group, [mrn_region, c_int64, mrn_size]),
    "mrn_group_lattice": (mrn_group, [mrn_region, c_int, c_double, mrn_size]),
    "mrn_group_list": (mrn_group, [c_int64, POINTER(mrn_grain)]),
    "mrn_group_empty": (mrn_group, []),
    "mrn_scene_add_grains": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, c_char_p, POINTER(mrn_group), POINTER(mrn_message)]),
    "mrn_scene_add_cluster": (c_int, [POINTER(mrn_scene), POINTER(mrn_cluster), POINTER(mrn_message)]),
    "mrn_scene_add_polytope": (c_int, [POINTER(mrn_scene), POINTER(mrn_polytope), POINTER(mrn_message)]),
    "mrn_scene_set_gravity": (c_int, [POINTER(mrn_scene), mrn_vec3, POINTER(mrn_message)]),
    "mrn_scene_set_gravity_signal": (c_int, [POINTER(mrn_scene), c_int, POINTER(mrn_signal), POINTER(mrn_message)]),
    "mrn_scene_add_force": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, POINTER(mrn_body_force), POINTER(mrn_message)]),
    "mrn_scene_add_outlet": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, mrn_region, c_bool, POINTER(mrn_message)]),
    "mrn_scene_set_period": (c_int, [POINTER(mrn_scene), c_int, c_double, c_double, POINTER(mrn_message)]),
    "mrn_scene_control_cell": (c_int, [POINTER(mrn_scene), c_char_p, c_int, POINTER(mrn_signal), POINTER(mrn_message)]),
    "mrn_scene_add_stage": (c_int, [POINTER(mrn_scene), c_char_p, c_double, POINTER(mrn_message)]),
    "mrn_stage_until": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, c_bool, c_double, POINTER(mrn_message)]),
    "mrn_stage_set_gravity": (c_int, [POINTER(mrn_scene), c_char_p, mrn_vec3, POINTER(mrn_message)]),
    "mrn_stage_set_motion": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, POINTER(mrn_motion), POINTER(mrn_message)]),
    "mrn_stage_set_imposed": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, POINTER(mrn_imposed), POINTER(mrn_message)]),
    "mrn_stage_remove_wall": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, POINTER(mrn_message)]),
    "mrn_stage_set_law": (c_int, [POINTER(mrn_scene), c_char_p, c_char_p, c_char_p, c_char_p, c_double, POINTER(mrn_message)]),
    "mrn_scene_add_probe": (c_int, [POINTER(mrn_scene), c_char_p, POINTER(mrn_message)]),
    "mrn_world_create": (c_int, [POINTER(mrn_scene), POINTER(POINTER(mrn_world)), POINTER(mrn_message)]),
    "mrn_world_destroy": (None, [POINTER(POINTER(mrn_world))]),
    "mrn_world_step": (c_int, [POINTER(mrn_world), c_int64, POINTER(mrn_message)]),
    "mrn_world_advance": (c_int, [POINTER(mrn_world), c_double, POINTER(mrn_message)]),
    "mrn_world_enter": (c_int, [POINTER(mrn_world), c_char_p, POINTER(mrn_message)]),
    "mrn_world_add": (mrn_body, [POINTER(mrn_world), c_char_p, POINTER(mrn_grain), POINTER(mrn_message)]),
    "mrn_world_add_sphere": (mrn_body, [POINTER(mrn_world), c_double, mrn_vec3, mrn_vec3, POINTER(mrn_message)]),
    "mrn_world_remove": (c_int, [POINTER(mrn_world), mrn_body, POINTER(mrn_message)]),
    "mrn_world_has": (c_bool, [POINTER(mrn_world), mrn_body]),
    "mrn_world_position": (mrn_vec3, [POINTER(mrn_world), mrn_body]),
    "mrn_world_velocity": (mrn_vec3, [POINTER(mrn_world), mrn_body]),
    "mrn_world_spin": (mrn_vec3, [POINTER(mrn_world), mrn_body]),
    "mrn_world_orientation": (mrn_quat, [POINTER(mrn_world), mrn_body]),
    "mrn_world_set_velocity": (c_int, [POINTER(mrn_world), mrn_body, mrn_vec3, mrn_vec3, POINTER(mrn_message)]),
    "mrn_world_time": (c_double, [POINTER(mrn_world)]),
    "mrn_world_grains": (c_int64, [POINTER(mrn_world)]),
    "mrn_world_energies": (mrn_energies, [POINTER(mrn_world)]),
    "mrn_world_probe": (c_double, [POINTER(mrn_world), c_char_p]),
    "mrn_world_scene": (POINTER(mrn_scene), [POINTER(mrn_world)]),
    "mrn_world_state": (POINTER(mrn_state), [POINTER(mrn_world)]),
    "mrn_world_revision": (c_int64, [POINTER(mrn_world)]),
    "mrn_world_draw": (c_int, [POINTER(mrn_world), c_char_p, POINTER(mrn_message)]),
}
