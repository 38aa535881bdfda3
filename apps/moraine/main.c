/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command: finds the subcommand in a table and calls it. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app.h"
#include "ballast.h"
#include "shell.h"

typedef struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
    const char *part; /* heading of the list under which it stands */
} command;

static const command commands[] = {
    {"demo", "A first run with a picture and a film; needs no arguments.", mrn_cmd_demo, "Start"},
    {"examples", "List the examples, or copy one to change it.", mrn_cmd_examples, "Start"},
    {"run", "Run a scene: stages, files, checkpoint; resumes bit for bit.", mrn_cmd_run, "Work"},
    {"check", "Check a scene without running it: units, time step, memory, time.", mrn_cmd_check,
     "Work"},
    {"diff", "Find the first step and body at which two runs part.", mrn_cmd_diff, "Work"},
    {"crosscheck", "One scene under every method that can do it: where they agree.",
     mrn_cmd_crosscheck, "Work"},
    {"converge", "Vary step, stiffness, tolerance, size or threads: order and limit.",
     mrn_cmd_converge, "Work"},
    {"sweep", "One scene over values of its keys: grid, list, Latin hypercube.", mrn_cmd_sweep,
     "Work"},
    {"bench", "How fast engines are here: rate, memory, parts of a step, threads.", mrn_cmd_bench,
     "Work"},
    {"picture", "Draw pictures and films of a run.", mrn_cmd_picture, "Work"},
    {"view", "Look at a run in the browser, while it goes or later; one page to mail.",
     mrn_cmd_view, "Work"},
    {"plot", "Probes over time or against each other, of one run or several.", mrn_cmd_plot,
     "Work"},
    {"profile", "Profiles and grids of velocity, density, stress, averaged over time.",
     mrn_cmd_profile, "Work"},
    {"report", "A run as one page: pictures, plots, warnings, ledger, cost.", mrn_cmd_report,
     "Work"},
    {"analyze", "What a state is like: packing, contacts, stress, fabric, flow.", mrn_cmd_analyze,
     "Work"},
    {"export", "Write a run for other programs: ParaView, OVITO, tables.", mrn_cmd_export, "Work"},
    {"import", "Packings of other codes: LAMMPS, LIGGGHTS, YADE, tables.", mrn_cmd_import, "Work"},
    {"solve", "Solve frictional-contact problems (FCLIB files); compare solvers.", mrn_cmd_solve,
     "Work"},
    {"sieve", "Sieve curve and shape of the stones of a scene, or of scans.", mrn_cmd_sieve,
     "Work"},
    {"track", "Write a scene of a track portion: bed, shoulders, sleepers, load.", mrn_cmd_track,
     "Work"},
    {"vibrate", "Shake a scene at several accelerations: flight, shocks, density.", mrn_cmd_vibrate,
     "Work"},
    {"settle", "Cycles of a run: settlement, energy lost, laws of settlement fitted.",
     mrn_cmd_settle, "Work"},
    {"collide", "Single collisions under any law: one or a sweep.", mrn_cmd_collide, "Lab"},
    {"compare", "Several laws beside one experiment: curves and deviations.", mrn_cmd_compare,
     "Lab"},
    {"sensitivity", "Which parameter of a law moves which response.", mrn_cmd_sensitivity, "Lab"},
    {"fit", "Parameters of a law from measured collisions, with intervals and a report.",
     mrn_cmd_fit, "Lab"},
    {"calibrate", "Parameters of scenes from measured bulk tests: heaps, silos, cells.",
     mrn_cmd_calibrate, "Lab"},
    {"methods", "The methods that move grains, and what each can do.", mrn_cmd_methods, "Look up"},
    {"laws", "The contact laws, their parameters and formulas.", mrn_cmd_laws, "Look up"},
    {"shapes", "The shapes of grains and walls and their parameters.", mrn_cmd_shapes, "Look up"},
    {"probes", "What can be measured: columns of tables and end conditions.", mrn_cmd_probes,
     "Look up"},
    {"solvers", "The solvers of contact problems: methods, advice, options.", mrn_cmd_solvers,
     "Look up"},
    {"problems", "Contact problems of our own: families, options; writes FCLIB files.",
     mrn_cmd_problems, "Look up"},
    {"reference", "The scene format as Markdown.", mrn_cmd_reference, "Look up"},
    {"schema", "The scene format as JSON Schema, for editors.", mrn_cmd_schema, "Look up"},
    {"completion", "Completion of this command for bash, zsh or fish.", mrn_cmd_completion,
     "Look up"},
    {"man", "Man pages: of one subcommand, or all into a folder.", mrn_cmd_man, "Look up"},
    {"version", "Version, compiler and threads.", mrn_cmd_version, "Look up"},
    {"help", "This list, or the page of one subcommand.", mrn_cmd_help, "Look up"},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const command *find(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

const char *mrn_app_summary(const char *name)
{
    const command *c = find(name);
    return c != NULL ? c->summary : "";
}

static void print_overview(FILE *f)
{
    const char *bold = mrn_app_style_code(f, MRN_BOLD), *plain = mrn_app_style_code(f, MRN_PLAIN);
    fprintf(
        f,
        "%sMoraine %s%s: granular mechanics. A scene file becomes a world; grains fall, collide "
        "and settle.\n\n%susage:%s moraine SUBCOMMAND [options]\n",
        bold, MRN_VERSION, plain, bold, plain);
    const char *part = "";
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(part, commands[i].part) != 0)
            fprintf(f, "\n%s%s%s\n", bold, commands[i].part, plain);
        part = commands[i].part;
        fprintf(f, "  %-11s %s\n", commands[i].name, commands[i].summary);
    }
    fprintf(
        f,
        "\n`moraine SUBCOMMAND --help` tells all about one of them. Exit codes: 0 success, 1 a run "
        "that failed,\n2 bad usage or input.\n");
}

static int unknown(const char *name)
{
    const char *words[N_COMMANDS];
    for (int i = 0; i < N_COMMANDS; i++)
        words[i] = commands[i].name;
    const char *meant = mrn_closest_word(name, words, N_COMMANDS);
    fprintf(stderr, "moraine: error: there is no subcommand \"%s\"", name);
    if (meant != NULL)
        fprintf(stderr, "; did you mean \"%s\"?", meant);
    fputs("\n  hint: `moraine help` lists them\n", stderr);
    return MRN_EXIT_USAGE;
}

static void names_of(const char **name, const char **summary)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        name[i] = commands[i].name;
        summary[i] = commands[i].summary;
    }
}

int mrn_cmd_help(int argc, char **argv)
{
    const char *names[N_COMMANDS], *summary[N_COMMANDS];
    names_of(names, summary);
    const mrn_app_page page = {.usage = "help [SUBCOMMAND]",
                               .doc = "Without an argument: the list of all subcommands.",
                               .examples = "moraine help run",
                               .words = names,
                               .n_words = N_COMMANDS};
    const char *name = NULL;
    int n, code = mrn_app_parse(&page, NULL, 0, argc, argv, &name, 1, &n);
    if (code >= 0)
        return code;
    if (n == 0) {
        print_overview(stdout);
        return MRN_EXIT_OK;
    }
    const command *c = find(name);
    if (c == NULL)
        return unknown(name);
    char first[64], second[] = "--help", *args[] = {first, second, NULL};
    snprintf(first, sizeof first, "%s", name);
    return c->run(2, args);
}

/* ---- completion and man pages ---- */

static void print_part(const command *c, const char *what)
{
    char word[32], *args[] = {(char *)c->name, word, NULL};
    snprintf(word, sizeof word, "--help=%s", what);
    c->run(2, args);
}

int mrn_cmd_completion(int argc, char **argv)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    const mrn_app_page page = {
        .usage = "completion bash|zsh|fish",
        .doc = "Prints what the shell reads to complete subcommands, options and their words.\n"
               "`make install` puts it where the shells look.",
        .examples = "moraine completion bash > ~/.local/share/bash-completion/completions/moraine\n"
                    "moraine completion zsh > ~/.zfunc/_moraine\n"
                    "moraine completion fish > ~/.config/fish/completions/moraine.fish",
        .words = shells,
        .n_words = 3};
    const char *shell = NULL, *name[N_COMMANDS], *summary[N_COMMANDS];
    int n, k = 0, code = mrn_app_parse(&page, NULL, 0, argc, argv, &shell, 1, &n);
    if (code >= 0)
        return code;
    if (n == 0)
        return mrn_app_usage("completion", "for which shell? One of bash, zsh, fish");
    while (k < 3 && strcmp(shells[k], shell) != 0)
        k++;
    if (k == 3)
        return mrn_app_unknown("completion", "completion for", shell, shells, 3);
    names_of(name, summary);
    (k == 0   ? mrn_shell_bash_begin
     : k == 1 ? mrn_shell_zsh_begin
              : mrn_shell_fish_begin)(name, summary, N_COMMANDS);
    for (int i = 0; i < N_COMMANDS; i++)
        print_part(&commands[i], shell);
    if (k == 0)
        mrn_shell_bash_end();
    else if (k == 1)
        mrn_shell_zsh_end();
    return MRN_EXIT_OK;
}

/* All pages as files: stdout goes to each of them in turn. */
static int write_pages(const char *folder)
{
    const char *name[N_COMMANDS], *summary[N_COMMANDS];
    names_of(name, summary);
    for (int i = -1; i < N_COMMANDS; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/moraine%s%s.1", folder, i < 0 ? "" : "-",
                 i < 0 ? "" : name[i]);
        if (freopen(path, "w", stdout) == NULL) {
            fprintf(stderr, "moraine man: error: %s cannot be written\n", path);
            return MRN_EXIT_FAILED;
        }
        if (i < 0)
            mrn_shell_man_overview(name, summary, N_COMMANDS);
        else
            print_part(&commands[i], "man");
    }
    return MRN_EXIT_OK;
}

int mrn_cmd_man(int argc, char **argv)
{
    const char *folder = NULL, *topic = NULL, *name[N_COMMANDS], *summary[N_COMMANDS];
    const mrn_app_option options[] = {{.name = "out",
                                       .letter = 'o',
                                       .kind = MRN_OPT_TEXT,
                                       .target = &folder,
                                       .arg = "DIR",
                                       .doc = "Write all pages into this folder, as moraine.1, "
                                              "moraine-run.1, …"}};
    names_of(name, summary);
    const mrn_app_page page = {
        .usage = "man [SUBCOMMAND] [--out DIR]",
        .doc = "Prints the man page of a subcommand (else the overview) for `man -l -`. `make "
               "install` puts all of\nthem where man looks.",
        .examples = "moraine man run | man -l -\nmoraine man --out man1",
        .words = name,
        .n_words = N_COMMANDS};
    int n, code = mrn_app_parse(&page, options, 1, argc, argv, &topic, 1, &n);
    if (code >= 0)
        return code;
    if (folder != NULL)
        return write_pages(folder);
    if (n == 0)
        mrn_shell_man_overview(name, summary, N_COMMANDS);
    else if (find(topic) == NULL)
        return unknown(topic);
    else
        print_part(find(topic), "man");
    return MRN_EXIT_OK;
}

/* Threads that wait for each other do so by spinning, unless set otherwise before the program
   starts. On a machine that does something else too, the one that spins takes the core from the
   one it waits for: steps become ten to hundreds of times slower. */
static bool wait_politely(void)
{
    if (getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL)
        return false;
    return setenv("OMP_WAIT_POLICY", "passive", 1) == 0 && setenv("GOMP_SPINCOUNT", "300", 1) == 0;
}

/* OpenBLAS chooses its kernels by the processor when it is loaded, and their sums differ in the
   last bits: one choice for all processors that have these instructions, so that factorisations
   have the same bits on each of them. */
static bool one_blas(void)
{
#if defined(__x86_64__)
    if (getenv("OPENBLAS_CORETYPE") == NULL && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma"))
        return setenv("OPENBLAS_CORETYPE", "Haswell", 1) == 0;
#endif
    return false;
}

/* What libraries read when they are loaded is set, unless the user has decided, by starting the
   command once more. */
static void set_up_libraries(char **argv)
{
    char self[4096];
    bool waits = wait_politely(), same = one_blas();
    ssize_t n = waits || same ? readlink("/proc/self/exe", self, sizeof self - 1) : 0;
    if (n <= 0)
        return;
    self[n] = '\0';
    execv(self, argv); /* returns only when it fails; then it goes on as it is */
}

/* Before anything that was built for newer processors than this one. */
static bool fits_processor(void)
{
    mrn_message msg;
    if (mrn_cpu_check(&msg) == MRN_OK)
        return true;
    char text[2048];
    mrn_message_format(&msg, text, sizeof text);
    fputs(text, stderr);
    return false;
}

/* A program may be started without standard streams; the next file it opens would take the place of
   one, and text for the terminal would go there. */
static void open_streams(void)
{
    int fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDWR);
    if (fd >= 0)
        close(fd);
}

#define STACK_NEEDED ((rlim_t)1 << 20)
#define STACK_WANTED ((rlim_t)8 << 20)

/* A stack of a few pages ends in a crash. Threads get what the limit was when the program began:
   it is raised as far as allowed, and the program begun anew. */
static bool has_stack(char **argv)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_NEEDED)
        return true;
    limit.rlim_cur = limit.rlim_max < STACK_WANTED ? limit.rlim_max : STACK_WANTED;
    if (limit.rlim_cur >= STACK_NEEDED && setrlimit(RLIMIT_STACK, &limit) == 0)
        execv("/proc/self/exe", argv);
    fputs("moraine: error: the stack is limited to less than 1 MiB\n"
          "  hint: `ulimit -s 8192` gives it 8 MiB\n",
          stderr);
    return false;
}

/* Names of files are printed as they were given, and a file from elsewhere may have one that a
   terminal obeys: C0 but tab and end of line, delete, C1. */
static bool is_plain(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
        if ((*c < 0x20 && *c != '\t' && *c != '\n') || *c == 0x7f ||
            (c[0] == 0xc2 && (c[1] & 0xe0) == 0x80))
            return false;
    return true;
}

static bool has_plain_arguments(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (!is_plain(argv[k])) {
            fprintf(
                stderr,
                "moraine: error: argument %d has a control character\n"
                "  hint: a file with such a name can be renamed: `mv -i -- *.yaml scene.yaml`\n",
                k);
            return false;
        }
    return true;
}

/* OMP_NUM_THREADS may ask for more threads than there can be: then one per core. */
static void bound_threads(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (mrn_threads() > MRN_THREADS_MOST)
        mrn_threads_set(cores > 0 && cores <= MRN_THREADS_MOST ? (int)cores : 1);
}

int main(int argc, char **argv)
{
    open_streams();
    signal(SIGXFSZ, SIG_IGN); /* `ulimit -f`: a file error like a full disk, not a sudden end */
    if (!has_stack(argv) || !has_plain_arguments(argc, argv))
        return MRN_EXIT_USAGE;
    if (!fits_processor())
        return MRN_EXIT_FAILED;
    set_up_libraries(argv);
    bound_threads();
    mrn_app_remember_name(argc > 0 ? argv[0] : NULL);
    if (argc < 2) {
        print_overview(stdout);
        return MRN_EXIT_OK;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    const command *c = find(name);
    if (c == NULL)
        return unknown(name);
    int code = strcmp(name, argv[1]) == 0 ? c->run(argc - 1, argv + 1)
                                          : c->run(1, (char *[]){(char *)name, NULL});
    /* a full disk or a closed pipe under stdout must not pass for success */
    if (fflush(stdout) != 0 || ferror(stdout))
        return code == MRN_EXIT_OK ? MRN_EXIT_FAILED : code;
    return code;
}
