/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reader on its seeds and on some hundred changed ones of each: the short form of `make
   fuzz`, the same each time. Each reader runs in a process of its own, with an end to its time; it
   must neither crash nor hang nor keep memory. MRN_FUZZ=N changes each seed N times. */
/* ctest-timeout: 300 */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <dirent.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "fuzz/targets.h"

#define MOST (1 << 18)

static size_t load(const char *path, uint8_t *out)
{
    FILE *f = fopen(path, "rb");
    size_t n = f != NULL ? fread(out, 1, MOST, f) : 0;
    if (f != NULL)
        fclose(f);
    return n;
}

/* In a child: the seed, then changed ones. Exit code 0: all well. */
static int try_seed(const fuzz_target *t, const char *path, int many)
{
    static uint8_t seed[MOST], data[MOST];
    size_t n = load(path, seed);
    mrn_rng r = mrn_rng_seed(mrn_hash(MRN_HASH_START, seed, n), 3);
    /* a reader that does not end; time of the processor, for machines are busy */
    setrlimit(RLIMIT_CPU, &(struct rlimit){.rlim_cur = 300, .rlim_max = 300});
    fuzz_shared_units();
    for (int i = 0; i <= many; i++) {
        memcpy(data, seed, n);
        size_t m = i == 0 ? n : fuzz_change(t, data, n, MOST, &r);
        size_t before = mrn_bytes_in_use();
        bool taken = t->run(data, m);
        if (mrn_bytes_in_use() != before)
            return 3;
        if (i == 0 && !taken) /* what is made of it would be refused for the same reason */
            return 4;
    }
    return 0;
}

static void replay(void **state)
{
    (void)state;
    const char *given = getenv("MRN_FUZZ");
    int bad = 0, seeds = 0;
    for (int k = 0; k < FUZZ_TARGETS; k++) {
        const fuzz_target *t = &fuzz_targets[k];
        char dir[1000], path[1300];
        snprintf(dir, sizeof dir, "%s/tests/fuzz/seeds/%s", MRN_TEST_SOURCE, t->name);
        DIR *d = opendir(dir);
        assert_non_null(d);
        for (struct dirent *e; (e = readdir(d)) != NULL;) {
            if (e->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
            seeds++;
            /* HDF5 itself is not proof against changed bytes: the seal keeps them from it in runs,
               and these readers are left to `make fuzz` */
            int many = t->closed              ? 0
                       : given != NULL        ? atoi(given)
                       : t->text || t->recipe ? 100
                                              : 30;
            fflush(NULL);
            pid_t child = fork();
            if (child == 0)
                _exit(try_seed(t, path, many));
            int status = 0;
            waitpid(child, &status, 0);
            if (status != 0) {
                bad++;
                printf("%s %s: status %#x\n", t->name, e->d_name, (unsigned)status);
            }
        }
        closedir(d);
    }
    printf("%d seeds\n", seeds);
    assert_true(seeds >= FUZZ_TARGETS);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(replay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
