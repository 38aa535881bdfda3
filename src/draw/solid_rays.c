/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One ray: the first solid thing it meets, lit by sky and lamp, under the translucent walls and
   lines before it. */
#include "draw/solid.h"

#define FRAGMENTS 24 /* translucent layers of one ray */

typedef struct fragment {
    double z;
    mrn_rgb colour;
    float alpha;
} fragment;

static double smooth_step(double lo, double hi, double x)
{
    double t = (x - lo) / (hi - lo);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

/* Endless walls thin out with the distance along them (`n`: their normal, or none) from the middle
   of the view, sooner upwards, where nothing stands. */
static float fade_at(const mrn_solid *s, mrn_vec3 p, mrn_vec3 n)
{
    mrn_vec3 o = mrn_sub(p, mrn_solid_target(s));
    o = mrn_axpy(-mrn_dot(o, n), n, o);
    double up = 1.4 * mrn_dot(o, s->lamp.up), d = sqrt(mrn_dot(o, o) + up * up);
    return (float)(1 - smooth_step(s->fade, 2.4 * s->fade, d));
}

/* Walls end where the part of the picture ends that is kept for the scene: title, legend, time and
   scale stay free. 1 inside, 0 from one letter outside on. */
static float in_plot(const mrn_solid *s, double px, double py)
{
    const mrn_view *v = s->view;
    double right = v->left + v->plot_width, low = v->top + v->plot_height;
    double out = fmax(fmax(v->left - px, px - right), fmax(v->top - py, py - low));
    return (float)(1 - smooth_step(-0.5 * v->text, 0.5 * v->text, out));
}

/* Depth of the first point of a sphere along d (d.z = 1), behind the cutting depth; INFINITY:
 * missed. */
static double meet_sphere(mrn_vec3 c, double r, mrn_vec3 d, double dd, double cut, bool *flat)
{
    double b = mrn_dot(d, c), q = b * b - dd * (mrn_dot(c, c) - r * r);
    if (q <= 0)
        return INFINITY;
    double root = sqrt(q), z = (b - root) / dd;
    *flat = z < cut;
    if (*flat) /* the plane goes through: its face shows */
        return (b + root) / dd > cut ? cut : INFINITY;
    return z > MRN_NEAR ? z : INFINITY;
}

/* What a ray meets first of the grains; `at` of a sphere tells only whether it is cut there. */
typedef struct grain_hit {
    int32_t ball; /* -1: none */
    mrn_shape_hit at;
} grain_hit;

/* A polyhedron is asked only where its bounding ball is met. */
static double meet_shape(const mrn_solid *s, const mrn_ball *b, mrn_vec3 d, double dd, double cut,
                         mrn_shape_hit *at)
{
    double q = mrn_dot(d, b->c);
    q = q * q - dd * (mrn_dot(b->c, b->c) - b->reach * b->reach);
    return q > 0 ? mrn_body_shape_meet(&s->shape[b->shape], b->c, d, cut, MRN_NEAR, at) : INFINITY;
}

static double meet_balls(const mrn_solid *s, int64_t tile, mrn_vec3 d, double cut, grain_hit *hit)
{
    double best = INFINITY, dd = mrn_dot(d, d);
    const int32_t *item = s->balls.item;
    hit->ball = -1;
    for (int64_t k = s->balls.start[tile]; k < s->balls.start[tile + 1]; k++) {
        const mrn_ball *b = &s->ball[item[k]];
        mrn_shape_hit at = {0, 0, false};
        if (s->front[item[k]] >= best)
            break;
        double z = b->shape >= 0 ? meet_shape(s, b, d, dd, cut, &at)
                                 : meet_sphere(b->c, b->r, d, dd, cut, &at.flat);
        if (z < best)
            best = z, *hit = (grain_hit){item[k], at};
    }
    return best;
}

static double meet_rod(const mrn_solid_rod *r, mrn_vec3 d, mrn_vec3 *normal)
{
    mrn_vec3 axis = mrn_sub(r->b, r->a);
    double aa = mrn_dot(axis, axis), dd = mrn_dot(d, d), best = INFINITY;
    double ad = mrn_dot(axis, d), ap = -mrn_dot(axis, r->a), dp = -mrn_dot(d, r->a);
    double A = dd * aa - ad * ad, B = aa * dp - ad * ap;
    double C = aa * (mrn_dot(r->a, r->a) - r->r * r->r) - ap * ap, q = B * B - A * C;
    if (q > 0 && A > 1e-14 * aa) {
        double z = (-B - sqrt(q)) / A, along = ap + z * ad;
        if (along > 0 && along < aa && z > MRN_NEAR) {
            mrn_vec3 foot = mrn_axpy(along / aa, axis, r->a);
            *normal = mrn_scale(1 / r->r, mrn_sub(mrn_scale(z, d), foot));
            best = z;
        }
    }
    const mrn_vec3 end[2] = {r->a, r->b};
    for (int e = 0; e < 2; e++) {
        bool flat;
        double z = meet_sphere(end[e], r->r, d, dd, -INFINITY, &flat);
        if (z < best) {
            best = z;
            *normal = mrn_scale(1 / r->r, mrn_sub(mrn_scale(z, d), end[e]));
        }
    }
    return best;
}

/* Beach-ball quarters fixed to the grain, so that rolling shows. */
static mrn_rgb striped(const mrn_solid *s, const mrn_ball *b, mrn_vec3 n)
{
    const mrn_view *v = s->view;
    const double *q = s->frame->q + 4 * (int64_t)b->body;
    mrn_vec3 world = mrn_add(mrn_scale(n.x, v->right),
                             mrn_add(mrn_scale(n.y, v->up), mrn_scale(-n.z, v->toward)));
    mrn_vec3 m = mrn_rotate((mrn_quat){q[0], -q[1], -q[2], -q[3]}, world);
    if (!(m.x * m.y > 0))
        return b->albedo;
    mrn_rgb light = {0.9f, 0.9f, 0.9f};
    /* on a large sphere a faint quarter looks like a fault of the picture: asked for, it is clear
     */
    bool large = b->r / b->c.z * s->focal > MRN_LARGE;
    return large ? mrn_rgb_mix(b->albedo, light, 0.6f)
                 : mrn_rgb_mix(mrn_rgb_scale(1.2f, b->albedo), light, 0.025f);
}

/* Bright colours come to rest below white instead of losing their hue there. */
static mrn_rgb softened(mrn_rgb c)
{
    float m = fmaxf(c.r, fmaxf(c.g, c.b)), knee = 0.7f;
    if (m <= knee)
        return c;
    float top = knee + (1 - knee) * tanhf((m - knee) / (1 - knee));
    return mrn_rgb_scale(top / m, c);
}

/* Light of sky and lamp on a surface; `view` points to the camera. */
static mrn_rgb lit(const mrn_solid *s, mrn_rgb albedo, mrn_vec3 p, mrn_vec3 n, mrn_vec3 view,
                   grain_hit self, float gloss)
{
    const mrn_lamp *l = &s->lamp;
    double nl = (mrn_dot(n, l->toward) + 0.15) / 1.15; /* a wide lamp shines a little round the edge
                                                        */
    nl = nl > 0 ? nl * sqrt(nl) : 0;
    double lamp = nl > 0 ? nl * mrn_lamp_visible(l, p, self.ball, self.at.part) : 0;
    double open = mrn_lamp_sky(l, p, n, self.ball), sky = open * (0.72 + 0.28 * mrn_dot(n, l->up));
    double fill = fmax(0, mrn_dot(n, view)) * (0.25 + 0.75 * open); /* a faint lamp at the camera */
    mrn_rgb c = softened(mrn_rgb_scale((float)(0.46 * sky + 0.68 * lamp + 0.22 * fill), albedo));
    mrn_vec3 half = mrn_unit(mrn_add(l->toward, view));
    double shine = pow(fmax(0, mrn_dot(n, half)), 48) * (nl > 0 ? lamp / nl : 0);
    double rim = pow(1 - fmax(0, mrn_dot(n, view)), 4) * sky * 0.06;
    float white = gloss * (float)(0.20 * shine + rim);
    return mrn_rgb_add(c, (mrn_rgb){white, white, white});
}

static void add_fragment(fragment *f, int *n, double z, mrn_rgb c, float alpha)
{
    if (alpha < 0.002f)
        return;
    if (*n == FRAGMENTS && f[FRAGMENTS - 1].z < z)
        return;
    int k = *n < FRAGMENTS ? (*n)++ : FRAGMENTS - 1; /* full: the farthest gives way */
    for (; k > 0 && f[k - 1].z > z; k--)
        f[k] = f[k - 1];
    f[k] = (fragment){z, c, alpha};
}

/* A wall at p: pale where it is behind the grains, with their shadows on it; glass where in front.
 */
static void wall_fragment(const mrn_solid *s, const mrn_solid_sheet *f, mrn_vec3 p, mrn_vec3 n,
                          mrn_vec3 view, float shown, fragment *out, int *n_out)
{
    if (mrn_dot(n, view) < 0)
        n = mrn_scale(-1, n);
    float opacity = shown * (float)s->look->wall_opacity * (f->endless ? fade_at(s, p, n) : 1);
    double graze = pow(1 - fmin(1, fmax(0, mrn_dot(n, view))), 3);
    float back = 1 - f->near;
    float alpha = opacity * (back * (0.80f + 0.2f * (float)graze) +
                             f->near * (0.02f + 0.25f * (float)(graze * graze)));
    if (alpha < 0.002f)
        return;
    double nl = mrn_dot(n, s->lamp.toward);
    double tone = 0.80 + 0.14 * mrn_dot(n, s->lamp.up) + 0.10 * fmax(0, nl);
    mrn_rgb colour = mrn_rgb_scale((float)tone, s->wall);
    if (back > 0.01f && !s->ghosts) {
        double lamp = nl > 0 ? mrn_lamp_visible(&s->lamp, p, -1, -1) : 1;
        double sky = mrn_lamp_sky(&s->lamp, p, n, -1);
        float shade = back * (float)(1 - (0.52 + 0.48 * lamp) * (0.35 + 0.65 * sky));
        shade *= fminf(1, 1.6f * opacity);
        /* a shadow hides more of what is behind than the wall itself does */
        float both = 1 - (1 - alpha) * (1 - shade);
        colour = mrn_rgb_scale(alpha * (1 - shade) / both, colour);
        alpha = both;
    }
    add_fragment(out, n_out, p.z, colour, alpha);
}

static void meet_sheets(const mrn_solid *s, int64_t tile, mrn_vec3 d, double cut, double limit,
                        float shown, fragment *out, int *n_out)
{
    mrn_vec3 view = mrn_scale(-1 / mrn_norm(d), d);
    for (int64_t k = s->sheets.start[tile]; k < s->sheets.start[tile + 1]; k++) {
        const mrn_solid_sheet *f = &s->sheet[s->sheets.item[k]];
        double w[3] = {mrn_dot(f->e[0], d), mrn_dot(f->e[1], d), mrn_dot(f->e[2], d)};
        if ((w[0] < 0 || w[1] < 0 || w[2] < 0) && (w[0] > 0 || w[1] > 0 || w[2] > 0))
            continue;
        double sum = w[0] + w[1] + w[2], z = f->det / sum;
        if (!(z > MRN_NEAR && z > cut && z < limit * (1 + 1e-4)))
            continue;
        mrn_vec3 n =
            mrn_add(mrn_scale(w[0] / sum, f->n[0]),
                    mrn_add(mrn_scale(w[1] / sum, f->n[1]), mrn_scale(w[2] / sum, f->n[2])));
        wall_fragment(s, f, mrn_scale(z, d), mrn_unit(n), view, shown, out, n_out);
    }
}

static void meet_lines(const mrn_solid *s, int64_t tile, double px, double py, double limit,
                       float shown, fragment *out, int *n_out)
{
    for (int64_t k = s->lines.start[tile]; k < s->lines.start[tile + 1]; k++) {
        const mrn_solid_line *l = &s->line[s->lines.item[k]];
        double ux = l->bx - l->ax, uy = l->by - l->ay, u2 = ux * ux + uy * uy;
        double t = u2 > 0 ? ((px - l->ax) * ux + (py - l->ay) * uy) / u2 : 0;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double ox = px - l->ax - t * ux, oy = py - l->ay - t * uy;
        if (ox * ox + oy * oy > l->half * l->half)
            continue;
        double dash = 0.7 * s->view->text;
        if (l->dashed && fmod(t * sqrt(u2), dash) > 0.58 * dash)
            continue;
        double iz = l->iza + t * (l->izb - l->iza), z = 1 / iz;
        float alpha = shown * l->alpha;
        if (l->endless) {
            double along = t * l->izb / iz; /* back to the share of the line in space */
            alpha *= fade_at(s, mrn_axpy(along, mrn_sub(l->b, l->a), l->a), mrn_v3(0, 0, 0));
        }
        if (z < limit)
            add_fragment(out, n_out, z * 0.9995, l->colour, alpha);
    }
}

/* A cut face: plain colour, a darker line where the grain ends. */
static mrn_rgb cut_colour(const mrn_solid *s, const mrn_ball *b, mrn_vec3 p)
{
    double pixel = 1.3 * p.z / s->focal;
    bool rim;
    if (b->shape >= 0) {
        rim = mrn_body_shape_rim(&s->shape[b->shape], b->c, p) < pixel;
    } else {
        double h = mrn_solid_in_front(s, b->c), face = sqrt(fmax(0, b->r * b->r - h * h));
        mrn_vec3 o = mrn_axpy(h, s->cut, mrn_sub(p, b->c));
        double edge = face - pixel;
        rim = mrn_dot(o, o) > edge * fabs(edge);
    }
    return mrn_rgb_scale(rim ? 0.45f : 0.97f, b->albedo);
}

static mrn_rgb ball_colour(const mrn_solid *s, grain_hit hit, mrn_vec3 p, mrn_vec3 view)
{
    const mrn_ball *b = &s->ball[hit.ball];
    if (hit.at.flat)
        return cut_colour(s, b, p);
    if (b->shape >= 0) {
        double edge, pixel = p.z / s->focal;
        mrn_vec3 n = mrn_body_shape_normal(&s->shape[b->shape], b->c, hit.at, p, pixel, &edge);
        return lit(s, b->albedo, p, n, view, hit, 0.3f);
    }
    mrn_vec3 n = mrn_scale(1 / b->r, mrn_sub(p, b->c));
    mrn_rgb albedo = s->stripes ? striped(s, b, n) : b->albedo;
    return lit(s, albedo, p, n, view, hit, 1);
}

/* With force chains the grains are a veil: their outline (edges) and a breath of their colour. */
static void ghost_fragment(const mrn_solid *s, grain_hit hit, mrn_vec3 p, mrn_vec3 view,
                           fragment *out, int *n_out)
{
    const mrn_ball *b = &s->ball[hit.ball];
    mrn_rgb grey = {0.45f, 0.50f, 0.56f};
    mrn_rgb c = mrn_rgb_mix(b->albedo, grey, 0.55f);
    if (b->shape >= 0) {
        double edge, pixel = p.z / s->focal;
        mrn_vec3 n = mrn_body_shape_normal(&s->shape[b->shape], b->c, hit.at, p, pixel, &edge);
        double face = 0.05 + 0.05 * (1 - fmax(0, mrn_dot(n, view)));
        add_fragment(out, n_out, p.z, c, (float)(edge < 1.3 * pixel ? 0.36 : face));
        return;
    }
    mrn_vec3 n = mrn_scale(1 / b->r, mrn_sub(p, b->c));
    double edge = 1 - fmax(0, mrn_dot(n, view));
    add_fragment(out, n_out, p.z, c, (float)(0.05 + 0.26 * edge * edge * edge));
}

static double meet_rods(const mrn_solid *s, int64_t tile, mrn_vec3 d, double limit, mrn_rgb *colour)
{
    const mrn_solid_rod *hit = NULL;
    mrn_vec3 normal = {0, 0, -1}, n = normal;
    for (int64_t k = s->rods.start[tile]; k < s->rods.start[tile + 1]; k++) {
        const mrn_solid_rod *r = &s->rod[s->rods.item[k]];
        double z = meet_rod(r, d, &n);
        if (z < limit)
            limit = z, hit = r, normal = n;
    }
    if (!hit)
        return INFINITY;
    mrn_vec3 view = mrn_scale(-1 / mrn_norm(d), d);
    double nl = fmax(0, mrn_dot(normal, s->lamp.toward)), nv = fmax(0, mrn_dot(normal, view));
    *colour = mrn_rgb_scale((float)(0.42 + 0.5 * nl + 0.16 * nv), hit->albedo);
    /* deep links recede into the background: the only cue of depth among thin rods */
    double depth = (limit - mrn_solid_target(s).z) * 0.30 + 0.15;
    *colour = mrn_rgb_mix(*colour, s->background, (float)fmin(0.5, fmax(0, depth)));
    return limit;
}

mrn_rgb mrn_solid_trace(const mrn_solid *s, int64_t tile, double px, double py)
{
    mrn_vec3 d = {(px - s->cx) / s->focal, (s->cy - py) / s->focal, 1};
    mrn_vec3 view = mrn_scale(-1 / mrn_norm(d), d);
    double cut = -INFINITY;
    if (s->look->slice && mrn_dot(s->cut, d) < -1e-9)
        cut = mrn_dot(s->cut, mrn_solid_target(s)) / mrn_dot(s->cut, d);
    fragment frag[FRAGMENTS];
    int n = 0;
    grain_hit hit;
    double z = meet_balls(s, tile, d, cut, &hit);
    mrn_rgb colour = s->background;
    if (s->ghosts) {
        if (hit.ball >= 0)
            ghost_fragment(s, hit, mrn_scale(z, d), view, frag, &n);
        z = meet_rods(s, tile, d, INFINITY, &colour);
    } else if (hit.ball >= 0) {
        colour = ball_colour(s, hit, mrn_scale(z, d), view);
    }
    float shown = in_plot(s, px, py);
    if (shown > 0) {
        meet_sheets(s, tile, d, cut, z, shown, frag, &n);
        meet_lines(s, tile, px, py, z, shown, frag, &n);
    }
    for (int k = n - 1; k >= 0; k--)
        if (frag[k].z <= z * (1 + 1e-4))
            colour = mrn_rgb_mix(colour, frag[k].colour, frag[k].alpha);
    return colour;
}
