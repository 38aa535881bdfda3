/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fields.def as data: one table each for the arrays of bodies, pairs and contacts. */
#include <string.h>

#include "moraine/state.h"

#define TYPE_double MRN_F_DOUBLE
#define TYPE_int64  MRN_F_INT64
#define TYPE_int32  MRN_F_INT32
#define TYPE_uint16 MRN_F_UINT16
#define TYPE_uint8  MRN_F_UINT8

static const mrn_field body_field[] = {
#define MRN_BODY_FIELD(type, name, width, unit, saved, doc)                                        \
    {#name, unit, doc, TYPE_##type, width, saved, offsetof(mrn_bodies, name), MRN_STAGE_LIST},
#include "moraine/fields.def"
};

static const mrn_field pair_field[] = {
#define MRN_PAIR_FIELD(type, name, width, unit, saved, doc)                                        \
    {#name, unit, doc, TYPE_##type, width, saved, offsetof(mrn_pairs, name), MRN_STAGE_LIST},
#include "moraine/fields.def"
};

#define HISTORY MRN_WIDTH_HISTORY
#define IMPULSE MRN_WIDTH_IMPULSE

static const mrn_field contact_field[] = {
#define MRN_CONTACT_FIELD(type, name, width, unit, saved, stage, doc)                              \
    {#name, unit, doc, TYPE_##type, width, saved, offsetof(mrn_contacts, name), MRN_STAGE_##stage},
#include "moraine/fields.def"
};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

int mrn_body_field_count(void)
{
    return COUNT(body_field);
}

const mrn_field *mrn_body_field(int i)
{
    return i >= 0 && i < COUNT(body_field) ? &body_field[i] : NULL;
}

const mrn_field *mrn_body_field_find(const char *name)
{
    for (int i = 0; i < COUNT(body_field); i++)
        if (strcmp(body_field[i].name, name) == 0)
            return &body_field[i];
    return NULL;
}

int mrn_pair_field_count(void)
{
    return COUNT(pair_field);
}

const mrn_field *mrn_pair_field(int i)
{
    return i >= 0 && i < COUNT(pair_field) ? &pair_field[i] : NULL;
}

int mrn_contact_field_count(void)
{
    return COUNT(contact_field);
}

const mrn_field *mrn_contact_field(int i)
{
    return i >= 0 && i < COUNT(contact_field) ? &contact_field[i] : NULL;
}

size_t mrn_field_size(const mrn_field *f)
{
    static const size_t bytes[] = {[MRN_F_DOUBLE] = sizeof(double),
                                   [MRN_F_INT64] = sizeof(int64_t),
                                   [MRN_F_INT32] = sizeof(int32_t),
                                   [MRN_F_UINT16] = sizeof(uint16_t),
                                   [MRN_F_UINT8] = sizeof(uint8_t)};
    return bytes[f->type] * (size_t)(f->width > 0 ? f->width : 1);
}
