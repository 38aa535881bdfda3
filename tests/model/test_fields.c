/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables made from fields.def against the structs made from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/state.h"

/* Each table entry must lead to the member of its name: a pointer put into the struct by name comes
   out of it by the table. */
static void tables_lead_to_the_members(void **unused)
{
    (void)unused;
    mrn_bodies b = {0};
    mrn_pairs p = {0};
    mrn_contacts c = {0};
    double mark;
    const mrn_field *f;
    int n_body = 0, n_pair = 0, n_contact = 0;
#define MRN_BODY_FIELD(type, name_, width_, unit_, saved_, doc_)                                   \
    f = mrn_body_field(n_body++);                                                                  \
    assert_string_equal(f->name, #name_);                                                          \
    assert_string_equal(f->unit, unit_);                                                           \
    assert_int_equal(f->width, width_);                                                            \
    assert_int_equal(f->saved, saved_);                                                            \
    assert_int_equal(mrn_field_size(f), (width_) * sizeof *b.name_);                               \
    assert_ptr_equal(mrn_body_field_find(#name_), f);                                              \
    b.name_ = (void *)&mark;                                                                       \
    assert_ptr_equal(mrn_field_data(&b, f), &mark);                                                \
    b.name_ = NULL;
#define MRN_PAIR_FIELD(type, name_, width_, unit_, saved_, doc_)                                   \
    f = mrn_pair_field(n_pair++);                                                                  \
    assert_string_equal(f->name, #name_);                                                          \
    assert_int_equal(f->saved, saved_);                                                            \
    assert_int_equal(mrn_field_size(f), (width_) * sizeof *p.name_);                               \
    p.name_ = (void *)&mark;                                                                       \
    assert_ptr_equal(mrn_field_data(&p, f), &mark);                                                \
    p.name_ = NULL;
#define HISTORY 1
#define IMPULSE 1
#define MRN_CONTACT_FIELD(type, name_, width_, unit_, saved_, stage_, doc_)                        \
    f = mrn_contact_field(n_contact);                                                              \
    assert_string_equal(f->name, #name_);                                                          \
    assert_int_equal(f->saved, saved_);                                                            \
    assert_int_equal(f->stage, MRN_STAGE_##stage_);                                                \
    assert_int_equal(mrn_field_size(f), (width_) * sizeof *c.name_);                               \
    assert_int_equal(MRN_COLUMN(name_), UINT32_C(1) << n_contact);                                 \
    n_contact++;                                                                                   \
    c.name_ = (void *)&mark;                                                                       \
    assert_ptr_equal(mrn_field_data(&c, f), &mark);                                                \
    c.name_ = NULL;
#include "moraine/fields.def"
    assert_int_equal(mrn_contact_field_count(), n_contact);
    assert_int_equal(mrn_body_field_count(), n_body);
    assert_int_equal(mrn_pair_field_count(), n_pair);
}

static void entries_are_complete(void **unused)
{
    (void)unused;
    for (int i = 0; i < mrn_body_field_count(); i++) {
        const mrn_field *f = mrn_body_field(i);
        assert_true(strlen(f->doc) > 0 && strlen(f->unit) > 0 && f->width >= 1 && f->width <= 12);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(f->name, mrn_body_field(j)->name);
            assert_int_not_equal(f->offset, mrn_body_field(j)->offset);
        }
    }
    for (int i = 0; i < mrn_contact_field_count(); i++)
        assert_true(strlen(mrn_contact_field(i)->doc) > 0 &&
                    strlen(mrn_contact_field(i)->unit) > 0);
    for (int i = 0; i < mrn_pair_field_count(); i++)
        assert_true(strlen(mrn_pair_field(i)->doc) > 0 && strlen(mrn_pair_field(i)->unit) > 0);
}

static void what_is_not_there_is_null(void **unused)
{
    (void)unused;
    assert_null(mrn_body_field(-1));
    assert_null(mrn_body_field(mrn_body_field_count()));
    assert_null(mrn_pair_field(-1));
    assert_null(mrn_pair_field(mrn_pair_field_count()));
    assert_null(mrn_contact_field(-1));
    assert_null(mrn_contact_field(mrn_contact_field_count()));
    assert_null(mrn_body_field_find("no-such-field"));
    assert_null(mrn_body_field_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_lead_to_the_members),
        cmocka_unit_test(entries_are_complete),
        cmocka_unit_test(what_is_not_there_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
