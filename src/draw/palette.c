/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colour maps as short tables of equally spaced stops, and the conversions between sRGB and linear
   light. viridis, magma, inferno, plasma: S. van der Walt and N. Smith (2015); cividis: Nunez et
   al. (2018), both rounded to a dozen stops; batlow-like follows the course of F. Crameri's batlow
   (2018); classes: Okabe and Ito (2008). glacier and ember are our own ramps of even lightness. */
#include <string.h>

#include "draw/draw.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const uint32_t viridis[] = {0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c,
                                   0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725};
static const uint32_t magma[] = {0x000004, 0x140e36, 0x3b0f70, 0x641a80, 0x8c2981, 0xb73779,
                                 0xde4968, 0xf7705c, 0xfe9f6d, 0xfecf92, 0xfcfdbf};
static const uint32_t inferno[] = {0x000004, 0x160b39, 0x420a68, 0x6a176e, 0x932667, 0xbc3754,
                                   0xdd513a, 0xf37819, 0xfca50a, 0xf6d746, 0xfcffa4};
static const uint32_t plasma[] = {0x0d0887, 0x41049d, 0x6a00a8, 0x8f0da4, 0xb12a90, 0xcc4778,
                                  0xe16462, 0xf2844b, 0xfca636, 0xfcce25, 0xf0f921};
static const uint32_t cividis[] = {0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173,
                                   0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838};
static const uint32_t batlow[] = {0x011959, 0x103f60, 0x1c5a62, 0x3c6d56, 0x687b3e,
                                  0x9d892b, 0xd29343, 0xf8a17b, 0xfdb7bc, 0xfaccfa};
static const uint32_t glacier[] = {0x0b2545, 0x13406b, 0x1a5e8f, 0x2a7fac, 0x4a9fc2,
                                   0x78bbd2, 0xa6d3e0, 0xd0e7ec, 0xf3f9f8};
static const uint32_t ember[] = {0x2b1a3d, 0x56234f, 0x842c52, 0xb03a4c, 0xd25340,
                                 0xe97636, 0xf59d3d, 0xfbc45f, 0xfdeaa0};
static const uint32_t coolwarm[] = {0x2f5aa8, 0x5b83c4, 0x8fafda, 0xc3d4e6, 0xeeeae6,
                                    0xefc9b4, 0xe2987f, 0xc9624f, 0xa6262d};
static const uint32_t grey[] = {0x262626, 0x474747, 0x6a6a6a, 0x8f8f8f, 0xb5b5b5, 0xdddddd};

static const mrn_palette palettes[] = {
    {"viridis", COUNT(viridis), viridis},    {"magma", COUNT(magma), magma},
    {"inferno", COUNT(inferno), inferno},    {"plasma", COUNT(plasma), plasma},
    {"cividis", COUNT(cividis), cividis},    {"batlow-like", COUNT(batlow), batlow},
    {"glacier", COUNT(glacier), glacier},    {"ember", COUNT(ember), ember},
    {"coolwarm", COUNT(coolwarm), coolwarm}, {"grey", COUNT(grey), grey},
};
static const char *const names[] = {"viridis",     "magma",   "inferno", "plasma",   "cividis",
                                    "batlow-like", "glacier", "ember",   "coolwarm", "grey"};
_Static_assert(COUNT(names) == COUNT(palettes), "every palette has its name in the list");

int mrn_palette_names(const char *const **out)
{
    *out = names;
    return COUNT(names);
}

const mrn_palette *mrn_palette_find(const char *name)
{
    for (int i = 0; name && i < COUNT(palettes); i++)
        if (strcmp(palettes[i].name, name) == 0)
            return &palettes[i];
    return NULL;
}

static mrn_rgb from_hex(uint32_t c)
{
    return (mrn_rgb){(float)(c >> 16 & 255) / 255, (float)(c >> 8 & 255) / 255,
                     (float)(c & 255) / 255};
}

mrn_rgb mrn_palette_colour(const mrn_palette *p, double t)
{
    if (!(t > 0)) /* NAN too */
        return from_hex(p->stop[0]);
    if (t >= 1)
        return from_hex(p->stop[p->n - 1]);
    double s = t * (p->n - 1);
    int k = (int)s;
    return mrn_rgb_mix(from_hex(p->stop[k]), from_hex(p->stop[k + 1]), (float)(s - k));
}

mrn_rgb mrn_palette_class(int k)
{
    static const uint32_t classes[] = {0x2f7fbf, 0xe69f00, 0x009e73, 0xcc79a7,
                                       0xd55e00, 0x56b4e9, 0xe8d94a, 0x8c8c8c};
    return from_hex(classes[((k % COUNT(classes)) + COUNT(classes)) % COUNT(classes)]);
}

static float to_linear(float s)
{
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

mrn_rgb mrn_rgb_linear(mrn_rgb c)
{
    return (mrn_rgb){to_linear(c.r), to_linear(c.g), to_linear(c.b)};
}

uint8_t mrn_srgb_byte(float v, float shift)
{
    if (!(v > 0))
        return 0;
    if (v >= 1)
        return 255;
    float s = v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
    return (uint8_t)(255 * s + 0.5f + shift);
}

mrn_theme mrn_theme_of(const mrn_look *look)
{
    if (look->dark)
        return (mrn_theme){from_hex(0x12161c), from_hex(0xe8ecf1), from_hex(0x8792a0),
                           from_hex(0x55657a), from_hex(0x93a4b8), from_hex(0x7f8ea0),
                           from_hex(0xb9c4cf)};
    return (mrn_theme){from_hex(0xffffff), from_hex(0x1f252c), from_hex(0x6b7682),
                       from_hex(0xb4c0cc), from_hex(0x46525f), from_hex(0x6b7682),
                       from_hex(0x9fb2c4)};
}
