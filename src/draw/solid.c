/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The 3D picture: rays through tiles of 16 pixels, tile by tile in parallel. Each pixel is computed
   the same way whoever does it, so that the picture does not depend on the number of threads. */
#include "draw/solid.h"

static bool tile_empty(const mrn_solid *s, int64_t t)
{
    return s->balls.start[t] == s->balls.start[t + 1] &&
           s->sheets.start[t] == s->sheets.start[t + 1] &&
           s->lines.start[t] == s->lines.start[t + 1] && s->rods.start[t] == s->rods.start[t + 1];
}

static mrn_rgb pixel(const mrn_solid *s, int64_t tile, int x, int y)
{
    int k = s->look->supersample;
    mrn_rgb sum = {0, 0, 0};
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            sum = mrn_rgb_add(sum, mrn_solid_trace(s, tile, x + (i + 0.5) / k, y + (j + 0.5) / k));
    return mrn_rgb_scale(1.0f / (float)(k * k), sum);
}

/* Ordered dither (Bayer 4 x 4), -0.5…0.5 of a step: the slow fading of walls shows no bands. */
static float ordered(int x, int y)
{
    static const float m[16] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
    return (m[(y & 3) * 4 + (x & 3)] + 0.5f) / 16 - 0.5f;
}

static void draw_tile(const mrn_solid *s, int64_t tile, mrn_picture *out)
{
    int x0 = (int)(tile % s->balls.nx) * MRN_TILE, y0 = (int)(tile / s->balls.nx) * MRN_TILE;
    bool empty = tile_empty(s, tile), soft = s->sheets.start[tile] < s->sheets.start[tile + 1];
    for (int y = y0; y < y0 + MRN_TILE && y < out->height; y++)
        for (int x = x0; x < x0 + MRN_TILE && x < out->width; x++) {
            mrn_rgb c = empty ? s->background : pixel(s, tile, x, y);
            float shift = soft ? ordered(x, y) : 0;
            uint8_t *p = out->rgb + 3 * ((int64_t)y * out->width + x);
            p[0] = mrn_srgb_byte(c.r, shift), p[1] = mrn_srgb_byte(c.g, shift);
            p[2] = mrn_srgb_byte(c.b, shift);
        }
}

/* The cut is upright, facing the camera; seen from above it is level. */
static mrn_vec3 cut_normal(const mrn_view *v)
{
    mrn_vec3 flat = mrn_v3(v->toward.x, v->toward.y, 0);
    return mrn_solid_turn(v, mrn_norm(flat) > 0.3 ? mrn_unit(flat) : v->toward);
}

/* Whether a sphere is drawn so large that marks on it would be taken for something else. */
static bool has_large(const mrn_solid *s)
{
    for (int32_t i = s->frame->n_walls; i < s->frame->n; i++)
        if (mrn_grain_visible(s->frame, i) &&
            s->focal * s->frame->radius[i] / s->view->distance > MRN_LARGE)
            return true;
    return false;
}

mrn_status mrn_draw_solid(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                          const mrn_frame *frame, const mrn_paint *paint, const mrn_wall_set *walls,
                          const mrn_link_set *links, mrn_picture *out, mrn_message *msg)
{
    mrn_theme theme = mrn_theme_of(look);
    double aspect = view->plot_width / view->plot_height;
    mrn_solid s = {.look = look,
                   .view = view,
                   .header = header,
                   .frame = frame,
                   .focal = mrn_view_focal(view),
                   .cx = view->left + 0.5 * view->plot_width,
                   .cy = view->top + 0.5 * view->plot_height,
                   .cut = cut_normal(view),
                   .ghosts = look->force_chains && links->n > 0,
                   .fade = 0.95 * look->zoom * fmax(1, 0.75 * aspect),
                   .background = mrn_rgb_linear(theme.background),
                   .wall = mrn_rgb_linear(theme.wall)};
    s.stripes = look->stripes > 0 ||
                (look->stripes < 0 && frame->n - frame->n_walls <= 5000 && !has_large(&s));
    mrn_status st = mrn_solid_fill(&s, paint, walls, links, msg);
    if (!st) {
        int64_t tiles = (int64_t)s.balls.nx * s.balls.ny;
#pragma omp parallel for schedule(dynamic, 4)
        for (int64_t t = 0; t < tiles; t++)
            draw_tile(&s, t, out);
    }
    mrn_solid_release(&s);
    return st;
}
