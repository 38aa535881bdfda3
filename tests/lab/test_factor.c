/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of a collision and of a rebound by name; parameters that stand for one another. */
#include "lab/collisions.h"

static double got(const mrn_collision *c, const char *name)
{
    mrn_factor f;
    mrn_message msg = {0};
    ok(mrn_factor_find(c, name, &f, &msg), &msg);
    return mrn_factor_get(c, &f);
}

static bool given(const mrn_collision *c, const char *name)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&c->model, param);
    for (int i = 0; i < n; i++)
        if (strcmp(param[i]->name, name) == 0)
            return c->value[i].given;
    return false;
}

static void by_name(void **state)
{
    (void)state;
    mrn_collision c;
    mrn_message msg = {0};
    ball(&c, "zheng");
    complete(&c);
    mrn_factor list[64];
    int n = mrn_factor_list(&c, list, 64);
    assert_true(n > 14 && n == mrn_factor_list(&c, NULL, 0));
    for (int i = 0; i < n; i++) {
        mrn_factor f;
        ok(mrn_factor_find(&c, list[i].name, &f, &msg), &msg);
        assert_int_equal(f.kind, list[i].kind);
        double value = strstr(f.name, "poisson") != NULL ? 0.25 : 0.5;
        mrn_collision d = c;
        mrn_factor_set(&d, &f, value);
        assert_close(mrn_factor_get(&d, &f), value, 0);
        assert_true(f.unit[0] != 0 && f.lo < f.hi);
    }
    give(&c, "diameter", 0.02);
    give(&c, "spin", 3);
    give(&c, "target-young", 5e9);
    assert_close(c.radius[0], 0.01, 0);
    assert_close(c.spin[0][1], 3, 0);
    assert_close(c.young[1], 5e9, 0);
    assert_close(got(&c, "diameter"), 0.02, 0);
}

static void refused(void **state)
{
    (void)state;
    mrn_collision c;
    mrn_factor f;
    mrn_message msg = {0};
    ball(&c, "hertz-mindlin");
    complete(&c);
    assert_int_equal(mrn_factor_find(&c, "fricton", &f, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.hint, "friction"));
    assert_int_equal(mrn_factor_find(&c, "target-diameter", &f, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "plane"));
    assert_int_equal(mrn_factor_find(&c, "target-spin", &f, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "no spin"));
    c.radius[1] = 0.01;
    give(&c, "target-spin", -2);
    assert_close(c.spin[1][1], -2, 0);
    assert_close(c.spin[0][1], 0, 0);
    assert_int_equal(mrn_factor_find(&c, "end-of-contact", &f, &msg), MRN_ERR_INPUT);
    /* restitution of a viscoelastic law needs its speed and size */
    ball(&c, "viscoelastic");
    complete(&c);
    assert_int_equal(mrn_factor_find(&c, "restitution", &f, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.hint, "cannot be set"));
    /* a contact time does not go with a dashpot constant */
    ball(&c, "linear");
    complete(&c);
    give(&c, "normal-damping", 0.1);
    assert_int_equal(mrn_factor_find(&c, "contact-time", &f, &msg), MRN_ERR_INPUT);
    /* while a law is not complete, anything may be set */
    ball(&c, "linear");
    ok(mrn_factor_find(&c, "contact-time", &f, &msg), &msg);
}

/* Every parameter that says "Give this or …" can be set in a complete law and takes its place. */
static void instead(void **state)
{
    (void)state;
    static const char *const pair[][3] = {{"zheng", "eta1", "eta1-over-young"},
                                          {"zheng", "eta2", "eta2-over-eta1"},
                                          {"linear", "restitution", "normal-damping"},
                                          {"linear", "normal-stiffness", "contact-time"},
                                          {"hertz-mindlin", "restitution", "damping"},
                                          {"walton-braun", "restitution", "unloading-slope"},
                                          {"jkr", "work-of-adhesion", "surface-energy"},
                                          {"liquid-bridge", "liquid-volume", "liquid-share"}};
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        mrn_collision c;
        mrn_message msg = {0};
        ball(&c, pair[k][0]);
        complete(&c);
        for (int i = 1; i < 5; i++) {
            const char *now = pair[k][1 + i % 2], *other = pair[k][2 - i % 2];
            give(&c, now, 1e-3);
            assert_true(given(&c, now) && !given(&c, other));
            ok(mrn_collision_check(&c, &msg), &msg);
        }
    }
}

static void fields(void **state)
{
    (void)state;
    mrn_rebound r = {.en = 1, .et = 2, .omega = 3, .max_overlap = 4, .energy_lost = 5};
    assert_int_equal(mrn_rebound_field_count(), 12);
    assert_close(mrn_rebound_value(&r, mrn_rebound_field_find("en")), 1, 0);
    assert_close(mrn_rebound_value(&r, mrn_rebound_field_find("et")), 2, 0);
    assert_close(mrn_rebound_value(&r, mrn_rebound_field_find("omega")), 3, 0);
    assert_close(mrn_rebound_value(&r, mrn_rebound_field_find("max_overlap")), 4, 0);
    assert_close(mrn_rebound_value(&r, mrn_rebound_field_find("energy_lost")), 5, 0);
    assert_null(mrn_rebound_field_find("e"));
    assert_null(mrn_rebound_field_find(NULL));
    assert_null(mrn_rebound_field_at(12));
    for (int i = 0; i < 12; i++) {
        const mrn_rebound_field *f = mrn_rebound_field_at(i);
        assert_ptr_equal(mrn_rebound_field_find(f->name), f);
        assert_true(f->doc[0] != 0 && f->unit[0] != 0 && f->symbol[0] != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_name), cmocka_unit_test(refused),
                                       cmocka_unit_test(instead), cmocka_unit_test(fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
