/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contact network as a store: columns by use, room, copies, compaction, hash. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "moraine/moraine.h"

static mrn_contacts make(uint32_t columns, int64_t n, int history, int impulse)
{
    mrn_contacts c = {0};
    mrn_contacts_def def = {
        .columns = columns, .n = n, .history_width = history, .impulse_width = impulse};
    assert_int_equal(mrn_contacts_make(&c, &def, NULL), MRN_OK);
    return c;
}

/* Every number of every column tells the contact it belongs to. */
static void fill(mrn_contacts *c, int64_t n)
{
    c->n = n;
    for (int m = 0; m < mrn_contact_field_count(); m++) {
        const mrn_field *f = mrn_contact_field(m);
        unsigned char *d = mrn_field_data(c, f);
        size_t size = mrn_contacts_size(c, f);
        for (size_t b = 0; d != NULL && b < (size_t)n * size; b++)
            d[b] = (unsigned char)(31 * (b / size) + 7 * (size_t)m + b % size);
    }
}

static void same_entry(const mrn_contacts *a, int64_t i, const mrn_contacts *b, int64_t k)
{
    for (int m = 0; m < mrn_contact_field_count(); m++) {
        const mrn_field *f = mrn_contact_field(m);
        const char *x = mrn_field_data(a, f), *y = mrn_field_data(b, f);
        size_t size = mrn_contacts_size(a, f);
        if (x != NULL && y != NULL)
            assert_memory_equal(x + (size_t)i * size, y + (size_t)k * size, size);
    }
}

static void columns_follow_the_use(void **unused)
{
    (void)unused;
    for (int use = 0; use < MRN_CONTACTS_USES; use++) {
        uint32_t columns = mrn_contacts_columns((mrn_contacts_use)use);
        mrn_contacts c = make(columns, 5, 3, 6);
        assert_true(columns != 0);
        assert_int_equal(c.capacity, 5);
        assert_int_equal(c.n, 0);
        for (int m = 0; m < mrn_contact_field_count(); m++)
            assert_true((mrn_field_data(&c, mrn_contact_field(m)) != NULL) == (columns >> m & 1));
        mrn_contacts_destroy(&c);
    }
}

/* A checkpoint can hold a contact only if it can say whose it is. */
static void saved_networks_have_names(void **unused)
{
    (void)unused;
    uint32_t names = mrn_contacts_columns(MRN_CONTACTS_NAMES);
    assert_true((mrn_contacts_columns(MRN_CONTACTS_POINTS) & names) == names);
}

static void room_grows_and_keeps(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_contacts c = make(~UINT32_C(0) >> (32 - MRN_CONTACT_COLUMNS), 3, 2, 5), copy = {0};
    fill(&c, 3);
    assert_int_equal(mrn_contacts_copy(&c, &copy, NULL), MRN_OK);
    assert_int_equal(mrn_contacts_reserve(&c, 1000, NULL), MRN_OK);
    assert_true(c.capacity >= 1000);
    for (int64_t k = 0; k < 3; k++)
        same_entry(&c, k, &copy, k);
    assert_true(mrn_contacts_bytes(&c) > mrn_contacts_bytes(&copy));
    mrn_contacts_destroy(&c);
    mrn_contacts_destroy(&copy);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* Columns of the tail are there for the contacts after the first ones alone. */
static void a_tail_is_short(void **unused)
{
    (void)unused;
    mrn_contacts c = {0}, copy = {0};
    mrn_contacts_def def = {.columns = MRN_COLUMN(force) | MRN_COLUMN(point),
                            .tail = MRN_COLUMN(point),
                            .n = 10,
                            .first = 7};
    size_t before = mrn_bytes_in_use();
    assert_int_equal(mrn_contacts_make(&c, &def, NULL), MRN_OK);
    assert_int_equal(mrn_bytes_in_use() - before, (30 + 9) * sizeof(double));
    assert_int_equal(mrn_contacts_bytes(&c), (30 + 9) * sizeof(double));
    c.n = 10;
    c.point[8] = 5;
    assert_int_equal(mrn_contacts_copy(&c, &copy, NULL), MRN_OK);
    assert_true(copy.point[8] == 5 && copy.first == 7 && copy.tail == MRN_COLUMN(point));
    mrn_contacts_destroy(&copy);
    mrn_contacts_destroy(&c);
}

static void keeping_and_appending(void **unused)
{
    (void)unused;
    mrn_contacts c = make(mrn_contacts_columns(MRN_CONTACTS_POINTS), 8, 0, 3), all = {0};
    fill(&c, 8);
    assert_int_equal(mrn_contacts_copy(&c, &all, NULL), MRN_OK);
    mrn_contacts_keep(&c, (int64_t[]){0, 3, 4, 7}, 4);
    assert_int_equal(c.n, 4);
    same_entry(&c, 0, &all, 0);
    same_entry(&c, 1, &all, 3);
    same_entry(&c, 2, &all, 4);
    same_entry(&c, 3, &all, 7);
    mrn_contacts_append_one(&c, &all, 5);
    same_entry(&c, 4, &all, 5);
    /* another set of columns: what is missing is 0 */
    mrn_contacts other = make(MRN_COLUMN(gap) | MRN_COLUMN(force), 9, 0, 0);
    fill(&other, 1);
    mrn_contacts_append(&other, &all);
    assert_int_equal(other.n, 9);
    assert_memory_equal(other.gap + 1, all.gap, 8 * sizeof(double));
    for (int k = 3; k < 27; k++)
        assert_true(other.force[k] == 0);
    mrn_contacts_destroy(&other);
    mrn_contacts_destroy(&all);
    mrn_contacts_destroy(&c);
}

/* The hash sees every bit of what is saved, nothing of the rest, and no order. */
static void hash_by_identity(void **unused)
{
    (void)unused;
    mrn_contacts c = make(~UINT32_C(0) >> (32 - MRN_CONTACT_COLUMNS), 4, 2, 3), turned = {0};
    fill(&c, 4);
    uint64_t h = mrn_contacts_hash(1, &c);
    assert_int_equal(mrn_contacts_copy(&c, &turned, NULL), MRN_OK);
    turned.n = 0;
    for (int64_t k = 3; k >= 0; k--)
        mrn_contacts_append_one(&turned, &c, k);
    assert_true(mrn_contacts_hash(1, &turned) == h);
    for (int m = 0; m < mrn_contact_field_count(); m++) {
        const mrn_field *f = mrn_contact_field(m);
        unsigned char *d = mrn_field_data(&c, f);
        d[mrn_contacts_size(&c, f)] ^= 1; /* of contact 1 */
        assert_true((mrn_contacts_hash(1, &c) != h) == (f->saved == 1));
        d[mrn_contacts_size(&c, f)] ^= 1;
    }
    c.n = 3;
    assert_true(mrn_contacts_hash(1, &c) != h);
    mrn_contacts_destroy(&turned);
    mrn_contacts_destroy(&c);
}

static void no_memory_no_harm(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    mrn_contacts_def def = {
        .columns = mrn_contacts_columns(MRN_CONTACTS_POINTS), .n = 4, .impulse_width = 3};
    bool failed = true;
    int64_t k = 1;
    for (; failed; k++) {
        mrn_contacts c = {0};
        mrn_alloc_fail_at(k);
        mrn_status st = mrn_contacts_make(&c, &def, NULL);
        if (st == MRN_OK) {
            fill(&c, 4);
            st = mrn_contacts_reserve(&c, 100, NULL);
            assert_true(c.capacity == (st == MRN_OK ? c.capacity : 4) && c.gap != NULL);
        }
        failed = st != MRN_OK;
        mrn_alloc_fail_at(0);
        mrn_contacts_destroy(&c);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_true(k > 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_follow_the_use), cmocka_unit_test(saved_networks_have_names),
        cmocka_unit_test(room_grows_and_keeps),   cmocka_unit_test(a_tail_is_short),
        cmocka_unit_test(keeping_and_appending),  cmocka_unit_test(hash_by_identity),
        cmocka_unit_test(no_memory_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
