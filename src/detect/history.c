/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What pairs remember from one list to the next, through removals, exchanged places, checkpoints
   and changes of law; and how far apart a contact still lives. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "detect/list.h"

/* ---- range ---- */

double mrn_pair_range(const mrn_scene *scene, int interaction, double r_eff)
{
    if (interaction < 0 || !scene->interaction[interaction].ready.range)
        return 0;
    const mrn_prepared *law = &scene->interaction[interaction].ready;
    const mrn_law *part = law->part[MRN_LAW_COHESION];
    if (part == NULL || part->range == NULL)
        return 0;
    return fmax(0, part->range(law->coef[MRN_LAW_COHESION], r_eff));
}

double mrn_alert_distance(const mrn_scene *scene, const mrn_state *s)
{
    double given = scene->nonsmooth.alert;
    return given > 0 ? given : 0.05 * mrn_list_mean_radius(s);
}

double mrn_slop(const mrn_scene *scene, const mrn_state *s)
{
    double given = scene->nonsmooth.slop;
    return given > 0 ? given : 0.001 * mrn_list_mean_radius(s);
}

/* Ranges grow or fall with the effective radius: the largest is at one end, the smallest grain
   against its like or the largest on a wall. */
double mrn_list_range(const mrn_scene *scene, const mrn_state *s)
{
    if (mrn_contact_points(scene))
        return mrn_alert_distance(scene, s);
    if (!scene->range || s->body.n == s->body.n_walls)
        return 0;
    double least = INFINITY, most = mrn_list_max_radius(s), range = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (!(s->body.flags[i] & MRN_BODY_CLUSTER))
            least = fmin(least, s->body.radius[i]);
    for (int k = 0; k < scene->n_interactions; k++)
        range = fmax(range,
                     fmax(mrn_pair_range(scene, k, 0.5 * least), mrn_pair_range(scene, k, most)));
    return range;
}

/* ---- pairs of two lists ---- */

/* Of two grains the one with the lower number owns the pair; its row is sorted by the other's. */
static int64_t find_grains(const mrn_pairs *p, int32_t c, int32_t a)
{
    int32_t lo = p->row[c], hi = p->row[c + 1], id = p->ids[a];
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (p->ids[p->other[mid]] < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < p->row[c + 1] && p->other[lo] == a ? lo : -1;
}

/* The pair of c, which owns it, and a: its index in the list, or -1. */
static int64_t find_pair(const mrn_pairs *p, int32_t c, int32_t a, int32_t feature, int32_t n_walls)
{
    if (a >= n_walls)
        return find_grains(p, c, a);
    for (int32_t k = p->wall_row[c]; k < p->wall_row[c + 1]; k++)
        if (p->other[k] == a && p->feature[k - p->n_grain] == feature)
            return k;
    return -1;
}

static int interaction_of(const mrn_scene *scene, const mrn_state *s, int32_t c, int32_t a)
{
    return scene->pair_of[s->body.material[c] * scene->n_materials + s->body.material[a]];
}

/* Where the body that stood in a row of the old list is now; -1: gone. */
static int32_t place_now(const mrn_state *s, const mrn_pairs *old, int32_t row)
{
    int32_t id = old->ids[row];
    return id < s->body.n_ids && s->body.generation[id] == old->generation[row]
               ? s->body.index_of[id]
               : -1;
}

/* Three numbers into an array of zeros; where they are zeros too its page need not be there. */
static void put3(double *to, const double *from)
{
    static const double none[3] = {0, 0, 0};
    if (memcmp(from, none, sizeof none) != 0)
        memcpy(to, from, sizeof none);
}

/* What stands in slot k of the state's network goes to the same pair of the list p. */
static void carry_pair(const mrn_state *s, const mrn_pairs *p, mrn_contacts *to, int64_t k,
                       int32_t c, int32_t a)
{
    const mrn_pairs *old = &s->pair;
    const mrn_contacts *from = &s->contact;
    bool wall = k >= old->n_grain;
    int32_t feature = wall ? old->feature[k - old->n_grain] : 0;
    int64_t at = find_pair(p, c, a, feature, s->body.n_walls);
    if (at < 0)
        return;
    size_t width = (size_t)to->history_width;
    if (width > 0)
        memcpy(to->history + at * to->history_width, from->history + k * to->history_width,
               width * sizeof(double));
    to->flags[at] = MRN_CONTACT_ALIVE;
    put3(to->force + 3 * at, from->force + 3 * k);
    put3(to->lever + 3 * at, from->lever + 3 * k);
    if (to->moment != NULL && from->moment != NULL)
        put3(to->moment + 3 * at, from->moment + 3 * k);
    if (wall)
        put3(mrn_contacts_point(to, at), mrn_contacts_point(from, k));
}

static void carry_slots(const mrn_state *s, const mrn_pairs *p, mrn_contacts *to)
{
    const mrn_pairs *old = &s->pair;
#pragma omp parallel for schedule(static) if (s->body.n > 512)
    for (int32_t i = s->body.n_walls; i < old->rows; i++) {
        int32_t c = place_now(s, old, i);
        int32_t part[2][2] = {{old->row[i], old->row[i + 1]},
                              {old->wall_row[i], old->wall_row[i + 1]}};
        for (int w = 0; c >= 0 && w < 2; w++)
            for (int32_t k = part[w][0]; k < part[w][1]; k++) {
                int32_t a =
                    mrn_contact_alive(&s->contact, k) ? place_now(s, old, old->other[k]) : -1;
                if (a >= 0)
                    carry_pair(s, p, to, k, c, a);
            }
    }
}

/* ---- checkpoints ---- */

void mrn_list_place_points(const mrn_scene *scene, mrn_state *s)
{
    const mrn_pairs *p = &s->pair;
    mrn_images im = mrn_images_of(scene, s);
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        for (int32_t k = p->wall_row[i]; k < p->wall_row[i + 1]; k++) {
            if (!mrn_contact_alive(&s->contact, k))
                continue;
            mrn_contact_point c;
            if (mrn_wall_group(scene, s, &im, i, k, k + 1, &c) > 0)
                mrn_store3(mrn_contacts_point(&s->contact, k), c.point);
        }
}

/* Files of other makers may name the bodies of a pair the other way round: vectors of its history
   then change sign. */
static void put_history(const mrn_scene *scene, const mrn_state *s, mrn_contacts *to, int64_t at,
                        int64_t k, bool swapped)
{
    const mrn_contacts *from = &s->contact;
    bool odd[MRN_HISTORY_MAX] = {false};
    int width = to->history_width;
    int ia = interaction_of(scene, s, mrn_place_of_id(s, from->id_c[k]),
                            mrn_place_of_id(s, from->id_a[k]));
    if (swapped && ia >= 0)
        mrn_law_model_odd(&scene->interaction[ia].model, odd);
    for (int h = 0; h < width; h++)
        to->history[at * width + h] = (odd[h] ? -1 : 1) * from->history[k * width + h];
    to->flags[at] = MRN_CONTACT_ALIVE;
}

/* A network by persistent numbers: history alone is known, the rest follows from it. */
static mrn_status restore(const mrn_scene *scene, const mrn_state *s, const mrn_pairs *p,
                          mrn_contacts *to, mrn_message *msg)
{
    const mrn_contacts *from = &s->contact;
    int32_t walls = s->body.n_walls;
    for (int64_t k = 0; k < from->n; k++) {
        int32_t c = mrn_place_of_id(s, from->id_c[k]), a = mrn_place_of_id(s, from->id_a[k]);
        bool swapped = a >= walls && from->id_c[k] > from->id_a[k];
        int64_t at = c >= walls && a >= 0 ? find_pair(p, swapped ? a : c, swapped ? c : a,
                                                      (int32_t)from->feature[k], walls)
                                          : -1;
        if (at < 0)
            return mrn_fail(msg, MRN_ERR_INPUT,
                            "saved contact of bodies %d and %d is not in the neighbour list",
                            (int)from->id_c[k], (int)from->id_a[k]);
        put_history(scene, s, to, at, k, swapped);
    }
    return MRN_OK;
}

mrn_status mrn_list_carry(const mrn_scene *scene, const mrn_state *s, const mrn_pairs *p,
                          mrn_contacts *c, mrn_message *msg)
{
    const mrn_contacts *from = &s->contact;
    bool named = from->columns == mrn_contacts_columns(MRN_CONTACTS_SAVED);
    bool slots = s->pair.row != NULL && s->pair.ids != NULL && from->n == s->pair.n &&
                 (from->columns & MRN_COLUMN(lever)) != 0;
    if (!named && !slots)
        return MRN_OK;
    if (from->n > 0 && from->history_width != c->history_width)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "contacts hold %d numbers of history, the scene's laws %d",
                        from->history_width, c->history_width);
    if (named)
        return restore(scene, s, p, c, msg);
    carry_slots(s, p, c);
    return MRN_OK;
}

/* ---- changes of law ---- */

/* A pair that forgets begins anew: as one that stayed alive it would show the law a live
   history of zeros, which need not mean anything to it. Its force would stand until the pair
   touches next, so that goes too. */
static void forget_contact(mrn_contacts *c, int64_t k)
{
    c->flags[k] = 0;
    memset(c->force + 3 * k, 0, 3 * sizeof(double));
    memset(c->lever + 3 * k, 0, 3 * sizeof(double));
    if (c->moment != NULL)
        memset(c->moment + 3 * k, 0, 3 * sizeof(double));
    for (int h = 0; h < c->history_width; h++)
        c->history[k * c->history_width + h] = 0;
}

void mrn_pairs_forget(const mrn_scene *scene, mrn_state *s, int interaction)
{
    const mrn_pairs *p = &s->pair;
    if (p->row == NULL || p->ids == NULL || s->contact.n != p->n || s->contact.lever == NULL)
        return;
    for (int32_t i = s->body.n_walls; i < p->rows; i++) {
        int32_t c = place_now(s, p, i);
        int32_t part[2][2] = {{p->row[i], p->row[i + 1]}, {p->wall_row[i], p->wall_row[i + 1]}};
        for (int w = 0; c >= 0 && w < 2; w++)
            for (int32_t k = part[w][0]; k < part[w][1]; k++) {
                int32_t a = place_now(s, p, p->other[k]);
                if (a >= 0 && interaction_of(scene, s, c, a) == interaction)
                    forget_contact(&s->contact, k);
            }
    }
}
