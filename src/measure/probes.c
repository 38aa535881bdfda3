/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named scalars of the state: the table of those that every scene has, and the names made of a wall
 * or a group. */
#include <stdio.h>
#include <string.h>

#include "measure/measure.h"

#define VALUE(name) static double name(const mrn_scene *scene, const mrn_state *s)

/* ---- time ---- */

VALUE(time_now)
{
    (void)scene;
    return s->time;
}
VALUE(step_now)
{
    (void)scene;
    return (double)s->step;
}
VALUE(stage_time)
{
    (void)scene;
    return s->time - s->stage_time;
}
VALUE(stage_steps)
{
    (void)scene;
    return (double)(s->step - s->stage_step);
}
VALUE(time_step)
{
    (void)scene;
    return s->h;
}

/* ---- counts and contacts ---- */

VALUE(bodies)
{
    (void)scene;
    return s->body.n - s->body.n_walls;
}
VALUE(contacts)
{
    (void)scene;
    return (double)s->contacts;
}
VALUE(sliding)
{
    (void)scene;
    return s->contacts > 0 ? (double)s->sliding / (double)s->contacts : 0;
}
VALUE(max_overlap)
{
    (void)scene;
    return s->max_overlap;
}

/* ---- energy ---- */

VALUE(kinetic)
{
    return mrn_measure_energies(scene, s).kinetic;
}
VALUE(rotational)
{
    return mrn_measure_energies(scene, s).rotational;
}
VALUE(elastic)
{
    (void)scene;
    return s->elastic;
}
VALUE(gravity)
{
    return mrn_measure_energies(scene, s).gravity;
}
VALUE(total)
{
    return mrn_measure_energies(scene, s).total;
}
VALUE(dissipated)
{
    (void)scene;
    return s->ledger.lost_normal + s->ledger.lost_tangential;
}
VALUE(input)
{
    (void)scene;
    return s->ledger.wall_work + s->ledger.cell_work + s->ledger.drive_work;
}
VALUE(residual)
{
    return mrn_measure_energies(scene, s).residual;
}
VALUE(residual_ratio)
{
    mrn_energies e = mrn_measure_energies(scene, s);
    return e.dissipated > 0 ? e.residual / e.dissipated : 0;
}

static bool anything_pulled(const mrn_state *s)
{
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (mrn_is_free(s, i) && mrn_norm(mrn_load3(s->body.f + 3 * (size_t)i)) > 0)
            return true;
    return false;
}

/* Before anything has moved the ratio is 0/0. It is 1 while grains are about to move (a net force,
   or no step made yet), so that "until it falls below" waits; it is 0 when all rest and nothing
   pulls. */
VALUE(kinetic_ratio)
{
    mrn_energies e = mrn_measure_energies(scene, s);
    double now = e.kinetic + e.rotational, peak = fmax(s->kinetic_peak, now);
    if (peak > 0)
        return now / peak;
    return s->step == s->stage_step || anything_pulled(s) ? 1 : 0;
}

/* ---- motion ---- */

static double speed_of(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    (void)scene;
    return mrn_is_free(s, i) ? mrn_norm(mrn_load3(s->body.v + 3 * (size_t)i)) : 0;
}

VALUE(max_speed)
{
    return fmax(mrn_max_grains(scene, s, speed_of), 0);
}

enum { COUNT, MEAN_X, MEAN_Y, MEAN_Z, MEAN_SPEED, N_MEANS };

static void add_mean(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    mrn_vec3 x = mrn_unwrapped(scene, s, i);
    sum[COUNT] += 1;
    sum[MEAN_X] += x.x;
    sum[MEAN_Y] += x.y;
    sum[MEAN_Z] += x.z;
    sum[MEAN_SPEED] += mrn_norm(mrn_load3(s->body.v + 3 * (size_t)i));
}

static void add_free(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    if (mrn_is_free(s, i))
        add_mean(scene, s, i, sum);
}

static double mean_of(const mrn_scene *scene, const mrn_state *s, int which)
{
    double sum[N_MEANS];
    mrn_sum_grains(scene, s, N_MEANS, add_free, sum);
    return sum[COUNT] > 0 ? sum[which] / sum[COUNT] : NAN;
}
VALUE(mean_speed)
{
    double v = mean_of(scene, s, MEAN_SPEED);
    return isnan(v) ? 0 : v;
}
VALUE(mean_x)
{
    return mean_of(scene, s, MEAN_X);
}
VALUE(mean_y)
{
    return mean_of(scene, s, MEAN_Y);
}
VALUE(mean_z)
{
    return mean_of(scene, s, MEAN_Z);
}

enum { P_X, P_Y, P_Z, L_X, L_Y, L_Z, N_MOMENTA };

static void add_momentum(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    if (!mrn_is_free(s, i))
        return;
    mrn_vec3 p = mrn_scale(s->body.mass[i], mrn_load3(s->body.v + 3 * (size_t)i));
    mrn_vec3 l = mrn_cross(mrn_unwrapped(scene, s, i), p);
    l = mrn_axpy(s->body.inertia[i], mrn_load3(s->body.w + 3 * (size_t)i), l);
    double add[N_MOMENTA] = {p.x, p.y, p.z, l.x, l.y, l.z};
    for (int k = 0; k < N_MOMENTA; k++)
        sum[k] += add[k];
}

static double momentum(const mrn_scene *scene, const mrn_state *s, int which)
{
    double sum[N_MOMENTA];
    mrn_sum_grains(scene, s, N_MOMENTA, add_momentum, sum);
    return sum[which];
}
VALUE(momentum_x)
{
    return momentum(scene, s, P_X);
}
VALUE(momentum_y)
{
    return momentum(scene, s, P_Y);
}
VALUE(momentum_z)
{
    return momentum(scene, s, P_Z);
}
VALUE(angular_x)
{
    return momentum(scene, s, L_X);
}
VALUE(angular_y)
{
    return momentum(scene, s, L_Y);
}
VALUE(angular_z)
{
    return momentum(scene, s, L_Z);
}

/* ---- the table ---- */

static const mrn_probe table[] = {
    {"time", "s", "Simulated time.", time_now},
    {"step", "1", "Steps made since the start of the run.", step_now},
    {"time-in-stage", "s", "Simulated time since the stage began.", stage_time},
    {"steps", "1", "Steps made since the stage began.", stage_steps},
    {"time-step", "s", "Time step in use.", time_step},
    {"bodies", "1", "Grains in the world, fixed ones included; walls do not count.", bodies},
    {"contacts", "1", "Contacts between grains and of grains with walls at the last step.",
     contacts},
    {"sliding-fraction", "1", "Part of the contacts that slide: friction at Coulomb's limit.",
     sliding},
    {"coordination", "1",
     "Mean number of contacts of a free grain: a contact between two free grains counts for both, "
     "one with a wall or "
     "a fixed grain once.",
     mrn_coordination},
    {"mechanical-coordination", "1",
     "Mean number of contacts of the free grains that have two or more (Thornton 2000): rattlers "
     "left out.",
     mrn_coordination_mechanical},
    {"rattler-fraction", "1", "Part of the free grains with fewer than two contacts.",
     mrn_rattlers},
    {"mean-contact-force", "N", "Mean size of the contact forces.", mrn_mean_contact_force},
    {"unbalanced-force-ratio", "1",
     "Mean size of the resultant force on a free grain (contacts and gravity) over the mean size "
     "of a contact force. 0 at "
     "rest; infinite without contacts; 0 when no force acts at all.",
     mrn_unbalanced},
    {"max-overlap", "1", "Largest overlap of a contact over its effective radius.", max_overlap},
    {"kinetic-energy", "J", "Energy of translation of the free grains.", kinetic},
    {"rotational-energy", "J", "Energy of rotation of the free grains.", rotational},
    {"elastic-energy", "J", "Energy stored in contacts.", elastic},
    {"gravity-energy", "J",
     "Potential energy of the free grains, 0 at the origin of the coordinates.", gravity},
    {"total-energy", "J", "Sum of kinetic, rotational, elastic and gravity energy.", total},
    {"dissipated-energy", "J", "Lost in contacts since the start: damping and friction.",
     dissipated},
    {"input-energy", "J", "Work of walls, cell and drives on the grains since the start.", input},
    {"energy-residual", "J",
     "Total plus dissipated minus input minus the total at the start: 0 but for the error of the "
     "integration.",
     residual},
    {"energy-residual-ratio", "1",
     "Residual over dissipated energy; 0 before anything is dissipated.", residual_ratio},
    {"kinetic-energy-ratio", "1",
     "Kinetic and rotational energy over its peak in the stage. Before anything has moved: 1 while "
     "a net force acts, "
     "0 when all rest in balance.",
     kinetic_ratio},
    {"max-speed", "m/s", "Largest speed of a free grain.", max_speed},
    {"mean-speed", "m/s", "Mean speed of the free grains.", mean_speed},
    {"mean-x", "m", "Mean x of the free grains, crossings of the periodic cell counted.", mean_x},
    {"mean-y", "m", "Mean y of the free grains, crossings of the periodic cell counted.", mean_y},
    {"mean-z", "m", "Mean z of the free grains, crossings of the periodic cell counted.", mean_z},
    {"height", "m",
     "Highest point of a grain, as a coordinate against gravity (along z, y in 2D, when there is "
     "none).",
     mrn_height},
    {"solid-fraction", "1",
     "Volume of grains (area in 2D) over that of the bulk they fill: the whole cell in periodic "
     "directions; from 10 % "
     "to 90 % of the bed's height, which is twice that of its centre; the middle two thirds "
     "between the "
     "outermost grains elsewhere, clear of walls.",
     mrn_solid_fraction},
    {"momentum-x", "kg m/s", "Momentum of the free grains along x.", momentum_x},
    {"momentum-y", "kg m/s", "Momentum of the free grains along y.", momentum_y},
    {"momentum-z", "kg m/s", "Momentum of the free grains along z.", momentum_z},
    {"angular-momentum-x", "kg m2/s", "Angular momentum of the free grains about the x axis.",
     angular_x},
    {"angular-momentum-y", "kg m2/s", "Angular momentum of the free grains about the y axis.",
     angular_y},
    {"angular-momentum-z", "kg m2/s", "Angular momentum of the free grains about the z axis.",
     angular_z},
};
enum { N_TABLE = sizeof table / sizeof table[0] };

int mrn_probe_count(void)
{
    return N_TABLE;
}

const mrn_probe *mrn_probe_at(int i)
{
    return i >= 0 && i < N_TABLE ? &table[i] : NULL;
}

static const mrn_probe *find(const char *name)
{
    for (int i = 0; i < N_TABLE; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* ---- names made of a wall or group: OWNERS.NAME.QUANTITY ---- */

typedef struct part {
    const char *name, *unit;
} part;
static const part wall_part[] = {{"force.x", "N"},    {"force.y", "N"},    {"force.z", "N"},
                                 {"torque.x", "N m"}, {"torque.y", "N m"}, {"torque.z", "N m"},
                                 {"position.x", "m"}, {"position.y", "m"}, {"position.z", "m"}};
static const part group_part[] = {
    {"count", "1"}, {"mean-x", "m"}, {"mean-y", "m"}, {"mean-z", "m"}, {"mean-speed", "m/s"}};
enum { N_WALL = 9, N_GROUP = 5 };

/* What a composed name says; owner or quantity -1 where it is unknown. */
typedef struct composed {
    bool wall, group;
    int owner, quantity;
    char name[128]; /* of the owner  */
    char rest[128]; /* the quantity  */
} composed;

/* Splits off the quantity: the last word for groups, the last two for walls. Names of walls may
 * hold dots. */
static void split(const char *text, int words, composed *c)
{
    size_t cut = strlen(text);
    for (int seen = 0; cut > 0; cut--)
        if (text[cut] == '.' && ++seen == words)
            break;
    if (cut == 0) { /* too few words: the first one is the owner */
        const char *dot = strchr(text, '.');
        cut = dot != NULL ? (size_t)(dot - text) : strlen(text);
    }
    snprintf(c->name, sizeof c->name, "%.*s", (int)cut, text);
    snprintf(c->rest, sizeof c->rest, "%s", text[cut] == '.' ? text + cut + 1 : "");
}

static int find_part(const part *parts, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(parts[i].name, name) == 0)
            return i;
    return -1;
}

static composed read_name(const mrn_scene *scene, const char *name)
{
    composed c = {.owner = -1, .quantity = -1};
    if (strlen(name) >= sizeof c.name)
        return c;
    c.wall = strncmp(name, "walls.", 6) == 0;
    c.group = strncmp(name, "groups.", 7) == 0;
    if (c.wall) {
        split(name + 6, 2, &c);
        c.owner = mrn_scene_find_wall(scene, c.name);
        c.quantity = find_part(wall_part, N_WALL, c.rest);
    } else if (c.group) {
        split(name + 7, 1, &c);
        c.owner = mrn_scene_find_group(scene, c.name);
        c.quantity = find_part(group_part, N_GROUP, c.rest);
    }
    return c;
}

/* ---- checking ---- */

/* The owner's name closest to `word`. Takes no memory: winners of batches meet in the next batch.
 */
static const char *closest_owner(const mrn_scene *scene, bool wall, const char *word)
{
    const char *names[65], *best = NULL;
    int n = wall ? scene->n_walls : scene->n_groups, filled = 0;
    for (int i = 0; i < n; i++) {
        names[filled++] = wall ? scene->wall[i].name : scene->group[i].name;
        if (filled < 64 && i < n - 1)
            continue;
        best = mrn_closest_word(word, names, filled);
        filled = 0;
        if (best != NULL)
            names[filled++] = best;
    }
    return best;
}

static void expect_parts(const part *parts, int n, mrn_message *msg)
{
    char text[400] = "";
    size_t used = 0;
    for (int i = 0; i < n && used < sizeof text; i++) {
        int wrote =
            snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? ", " : "", parts[i].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    mrn_fail_expected(msg, "%s", text);
}

static mrn_status unknown_part(const mrn_scene *scene, const char *name, const composed *c,
                               mrn_message *msg)
{
    const char *owners = c->wall ? "walls" : "groups", *what = c->wall ? "wall" : "group";
    const part *parts = c->wall ? wall_part : group_part;
    int n = c->wall ? N_WALL : N_GROUP;
    if (c->owner < 0) {
        const char *best = closest_owner(scene, c->wall, c->name);
        mrn_fail(msg, MRN_ERR_INPUT, "probe '%s': there is no %s called '%s'", name, what, c->name);
        if (best != NULL)
            mrn_fail_hint(msg, "did you mean '%s.%s.%s'?", owners, best,
                          c->quantity >= 0 ? c->rest : parts[0].name);
        return MRN_ERR_INPUT;
    }
    const char *words[N_WALL];
    for (int i = 0; i < n; i++)
        words[i] = parts[i].name;
    const char *best = mrn_closest_word(c->rest, words, n);
    mrn_fail(msg, MRN_ERR_INPUT, "probe '%s': a %s has no '%s'", name, what, c->rest);
    expect_parts(parts, n, msg);
    if (best != NULL)
        mrn_fail_hint(msg, "did you mean '%s.%s.%s'?", owners, c->name, best);
    return MRN_ERR_INPUT;
}

mrn_status mrn_probe_check(const mrn_scene *scene, const char *name, const char **unit,
                           mrn_message *msg)
{
    const mrn_probe *p = find(name);
    if (unit != NULL)
        *unit = p != NULL ? p->unit : "1";
    if (p != NULL)
        return MRN_OK;
    composed c = read_name(scene, name);
    if (c.wall || c.group) {
        if (c.owner < 0 || c.quantity < 0)
            return unknown_part(scene, name, &c, msg);
        if (unit != NULL)
            *unit = c.wall ? wall_part[c.quantity].unit : group_part[c.quantity].unit;
        return MRN_OK;
    }
    const char *words[N_TABLE];
    for (int i = 0; i < N_TABLE; i++)
        words[i] = table[i].name;
    const char *best = mrn_closest_word(name, words, N_TABLE);
    mrn_fail(msg, MRN_ERR_INPUT, "there is no probe '%s'", name);
    mrn_fail_expected(msg,
                      "a probe such as kinetic-energy, walls.NAME.force.z or groups.NAME.mean-z");
    if (best != NULL)
        mrn_fail_hint(msg, "did you mean '%s'?", best);
    return MRN_ERR_INPUT;
}

/* ---- values ---- */

static double wall_value(const mrn_state *s, int wall, int quantity)
{
    const double *field[3] = {s->body.f, s->body.t, s->body.x};
    return wall < s->body.n_walls ? field[quantity / 3][3 * (size_t)wall + quantity % 3] : NAN;
}

static double group_value(const mrn_scene *scene, const mrn_state *s, int group, int quantity)
{
    double sum[N_MEANS] = {0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (s->body.group[i] == group)
            add_mean(scene, s, i, sum);
    if (quantity == COUNT)
        return sum[COUNT];
    return sum[COUNT] > 0 ? sum[quantity] / sum[COUNT] : NAN;
}

double mrn_probe_value(const mrn_scene *scene, const mrn_state *s, const char *name)
{
    const mrn_probe *p = find(name);
    if (p != NULL)
        return p->value(scene, s);
    composed c = read_name(scene, name);
    if (c.owner < 0 || c.quantity < 0)
        return NAN;
    return c.wall ? wall_value(s, c.owner, c.quantity) : group_value(scene, s, c.owner, c.quantity);
}
