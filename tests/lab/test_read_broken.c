/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every file of tests/lab/broken: refused as bad input, with the place and the words that its first
   line announces (`# expect: LINE:COLUMN words | more words`; `# expect: TABLE.csv:LINE:COLUMN …`
   where the mistake is in the table), and with a cure. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"

#define FOLDER MRN_TEST_SOURCE "/tests/lab/broken"

static bool says(const mrn_message *msg, const char *words)
{
    return strstr(msg->text, words) != NULL || strstr(msg->expected, words) != NULL ||
           strstr(msg->hint, words) != NULL;
}

static void check_words(const char *name, const mrn_message *msg, char *words)
{
    while (words != NULL) {
        char *bar = strstr(words, " | ");
        if (bar != NULL)
            *bar = '\0';
        words[strcspn(words, "\n")] = '\0';
        if (!says(msg, words))
            fail_msg("%s: no '%s' in: %s / %s / %s", name, words, msg->text, msg->expected,
                     msg->hint);
        words = bar != NULL ? bar + 3 : NULL;
    }
}

static void check_file(const char *name)
{
    char path[1024], head[1024] = "", wanted[1200], table[128] = "";
    snprintf(path, sizeof path, FOLDER "/%s", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(head, sizeof head, f));
    fclose(f);
    int line, column, used = 0;
    if (sscanf(head, "# expect: %d:%d %n", &line, &column, &used) < 2 &&
        sscanf(head, "# expect: %127[^:]:%d:%d %n", table, &line, &column, &used) < 3)
        fail_msg("%s: no '# expect:' line", name);
    snprintf(wanted, sizeof wanted, FOLDER "/%s", table[0] != '\0' ? table : name);
    mrn_experiment e, nothing;
    mrn_message msg = {0};
    memset(&nothing, 0, sizeof nothing);
    mrn_status s = mrn_experiment_read(path, NULL, 0, &e, &msg);
    if (s != MRN_ERR_INPUT || msg.status != s)
        fail_msg("%s: status %d, not bad input (%s)", name, (int)s, msg.text);
    if (strcmp(msg.file, wanted) != 0 || msg.line != line || msg.column != column)
        fail_msg("%s: at %s:%d:%d, not %d:%d: %s", name, msg.file, msg.line, msg.column, line,
                 column, msg.text);
    if (msg.expected[0] == '\0' && msg.hint[0] == '\0')
        fail_msg("%s: no cure: %s", name, msg.text);
    check_words(name, &msg, head + used);
    assert_memory_equal(&e, &nothing, sizeof e);
}

static int is_yaml(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0;
}

static void test_all(void **state)
{
    (void)state;
    struct dirent **list;
    int n = scandir(FOLDER, &list, is_yaml, alphasort);
    assert_true(n >= 80);
    for (int i = 0; i < n; i++) {
        check_file(list[i]->d_name);
        free(list[i]);
    }
    free(list);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void test_no_file(void **state)
{
    (void)state;
    mrn_experiment e;
    mrn_message msg = {0};
    assert_int_equal(mrn_experiment_read(FOLDER "/no-such.yaml", NULL, 0, &e, &msg), MRN_ERR_IO);
    assert_int_equal(mrn_experiment_read(FOLDER, NULL, 0, &e, NULL), MRN_ERR_IO);
    assert_int_equal(mrn_experiment_read_text("moraine: 1", "x", NULL, 0, &e, NULL), MRN_ERR_INPUT);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
