/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks: their defaults, what they may say, and the check that they say it right. */
#include "draw/draw.h"

mrn_look mrn_look_default(int dimension)
{
    bool solid = dimension != 2;
    return (mrn_look){
        .width = 1280,
        .height = 800,
        .colour_by = "speed",
        .palette = "viridis",
        .lo = NAN,
        .hi = NAN,
        .azimuth = 30,
        .elevation = 20,
        .zoom = 1,
        .walls = true,
        .legend = true,
        .axes = true,
        .cell = true,
        .caption = true,
        .wall_opacity = 0.45,
        .supersample = solid ? 3 : 2,
        .robust = true,
        .stripes = -1,
    };
}

int mrn_look_fields(const char *const **names)
{
    return mrn_paint_field_names(names);
}

int mrn_look_palettes(const char *const **names)
{
    return mrn_palette_names(names);
}

static mrn_status unknown(mrn_message *msg, const char *what, const char *word,
                          const char *const *names, int n)
{
    mrn_fail(msg, MRN_ERR_INPUT, "there is no %s \"%s\"", what, word ? word : "");
    char list[400];
    int used = 0;
    for (int i = 0; i < n && used < (int)sizeof list - 1; i++) {
        int k = snprintf(list + used, sizeof list - (size_t)used, "%s%s", i ? ", " : "", names[i]);
        used += k;
    }
    mrn_fail_expected(msg, "one of %s", list);
    const char *close = word ? mrn_closest_word(word, names, n) : NULL;
    if (close)
        mrn_fail_hint(msg, "did you mean \"%s\"?", close);
    return MRN_ERR_INPUT;
}

static mrn_status check_numbers(const mrn_look *l, mrn_message *msg)
{
    if (l->width < 16 || l->height < 16 || l->width > 16384 || l->height > 16384) {
        mrn_fail(msg, MRN_ERR_RANGE, "a picture of %d x %d pixels", l->width, l->height);
        mrn_fail_expected(msg, "16 to 16384 pixels each way");
        return MRN_ERR_RANGE;
    }
    if (l->supersample < 1 || l->supersample > 4)
        return mrn_fail(msg, MRN_ERR_RANGE, "supersample %d is not between 1 and 4",
                        l->supersample);
    if (!(l->zoom > 0) || !isfinite(l->zoom))
        return mrn_fail(msg, MRN_ERR_RANGE, "zoom %g is not a positive number", l->zoom);
    if (!isfinite(l->azimuth) || !isfinite(l->elevation) || fabs(l->elevation) > 90)
        return mrn_fail(msg, MRN_ERR_RANGE,
                        "view %g, %g: the elevation goes from -90 to 90 degrees", l->azimuth,
                        l->elevation);
    if (!(l->wall_opacity >= 0 && l->wall_opacity <= 1))
        return mrn_fail(msg, MRN_ERR_RANGE, "wall opacity %g is not between 0 and 1",
                        l->wall_opacity);
    if (!(l->extent >= 0) || !isfinite(l->extent) || !(l->force_scale >= 0))
        return mrn_fail(msg, MRN_ERR_RANGE, "extent and force scale cannot be negative");
    if (isfinite(l->lo) && isfinite(l->hi) && !(l->hi > l->lo)) {
        mrn_fail(msg, MRN_ERR_RANGE, "the colour range %g : %g is empty", l->lo, l->hi);
        mrn_fail_expected(msg, "a low end below the high end");
        return MRN_ERR_RANGE;
    }
    if (l->has_target && !(isfinite(l->target.x) && isfinite(l->target.y) && isfinite(l->target.z)))
        return mrn_fail(msg, MRN_ERR_RANGE, "the centre of the view is not finite");
    return MRN_OK;
}

mrn_status mrn_look_check(const mrn_look *look, mrn_message *msg)
{
    const char *const *names;
    if (!mrn_paint_field_find(look->colour_by)) {
        int n = mrn_paint_field_names(&names);
        return unknown(msg, "field to colour by", look->colour_by, names, n);
    }
    if (!mrn_palette_find(look->palette)) {
        int n = mrn_palette_names(&names);
        return unknown(msg, "palette", look->palette, names, n);
    }
    return check_numbers(look, msg);
}
