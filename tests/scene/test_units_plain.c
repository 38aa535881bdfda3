/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units of a library built without udunits2 beside those of udunits2: the same factors, the same
   refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define mrn_unit_factor plain_unit_factor
#define mrn_unit_forget plain_unit_forget
#include "scene/units_without_udunits.c"
#undef mrn_unit_factor
#undef mrn_unit_forget
#undef MRN_SCENE_UNIT_FACTOR_H
#define mrn_unit_verdict     again_unit_verdict
#define MRN_UNIT_GOOD        AGAIN_GOOD
#define MRN_UNIT_UNKNOWN     AGAIN_UNKNOWN
#define MRN_UNIT_OTHER_KIND  AGAIN_OTHER_KIND
#define MRN_UNIT_NO_DATABASE AGAIN_NO_DATABASE
#include "scene/unit_factor.h"
#undef mrn_unit_verdict

static const char *const from[] = {
    "m",       "mm",          "um",     "µm",   "cm",   "km",      "g",       "kg",     "t",
    "s",       "ms",          "us",     "min",  "h",    "Hz",      "kHz",     "N",      "kN",
    "mN",      "Pa",          "kPa",    "MPa",  "GPa",  "bar",     "J",       "mJ",     "W",
    "deg",     "rad",         "turn",   "rev",  "rpm",  "kg/m3",   "g/cm3",   "kg m-3", "kg/m^3",
    "kg/m**3", "m/s",         "mm/s",   "km/h", "m/s2", "m/s^2",   "N/m",     "kN/mm",  "N s/m",
    "N m",     "J/m2",        "mJ/m2",  "mm2",  "cm3",  "L",       "g/s",     "kg/h",   "t/h",
    "rad/s",   "deg/s",       "turn/s", "1/s",  "1",    "percent", "%",       "inch",   "ft",
    "psi",     "furlong-ish", "q",      "Nm",   "mrad", "N.m",     "kg.m/s2",
};
static const char *const to[] = {"m",    "s",     "kg",  "1",     "rad", "m/s", "rad/s",
                                 "m/s2", "kg/m3", "Pa",  "Hz",    "1/s", "N",   "N m",
                                 "J",    "J/m2",  "N/m", "N s/m", "m2",  "m3",  "kg/s"};

static void test_beside(void **state)
{
    (void)state;
    void *system = NULL, *none = NULL;
    int good = 0;
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
            double a = 0, b = 0;
            int ours = plain_unit_factor(&none, from[i], to[k], &a);
            int theirs = mrn_unit_factor(&system, from[i], to[k], &b);
            if (ours != theirs || (ours == 0 && !(fabs(a - b) <= 1e-14 * b)))
                fail_msg("%s in %s: %d %.17g, udunits2 says %d %.17g", from[i], to[k], ours, a,
                         theirs, b);
            good += ours == 0;
        }
    assert_true(good > 60);
    mrn_unit_forget(system);
    plain_unit_forget(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
