#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much the tests would notice: one line of a source is changed at a time (a sign, a comparison,
a constant, a condition), the tests that run that line are run, quickest first, and a change that none
of them notices is named. Lines are drawn at random from a seed, equally many in each of the rooms, and
the whole sample is drawn before the first test runs (build/mutants/sample.json). A change that does not
compile, or compiles to the very same instructions, is no change: another is drawn in its place.

Builds the tests with a shared library at -O1 (build/mutants; results keep their bits at any level): a
changed file costs one compilation and one link. Which tests run a line is found by a library whose
drawn files count (gcov); that run also tells what each test costs. A test counts as failed when its
exit is not 0, or when it takes ten times the processor time that it took (and 20 s more). What survives is
tried once more with the sanitizers that `make test` has, the changed file and the allocator compiled with them; there
a test counts that fails with the changed file and passes with the unchanged one.

  tools/mutants.py [--number N] [--seed S] [--seconds S] [--jobs N] [--again] [ROOM…]
      default 200 in laws, smooth, nonsmooth, event, quasistatic, solve, collide, inference, calibrate,
      store, scene, export; --seconds: of processor per change (default 60); what was found is kept
      (build/mutants/results.json) and the next call goes on; --again: survivors once more, after
      tests were added; --report: the table alone
"""
import argparse, collections, concurrent.futures, json, os, random, re, resource, shlex, shutil
import subprocess, sys, tempfile, threading

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(top, 'build/mutants')
rooms_default = ('laws smooth nonsmooth event quasistatic solve collide inference calibrate store scene '
                 'export').split()
rules = [(r' \+ ', ' - '), (r' - ', ' + '), (r' \* ', ' / '), (r' / ', ' * '), (r' < ', ' <= '),
         (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '), (r' != ', ' == '),
         (r' && ', ' || '), (r' \|\| ', ' && '), (r'\b0\.5\b', '0.25'), (r'\+= ', '-= '), (r'-= ', '+= '),
         (r'!(?=[a-z])', ''), (r'\btrue\b', 'false'), (r'\bfalse\b', 'true'), (r'\bfmin\(', 'fmax('),
         (r'\bfmax\(', 'fmin(')]
# left out: tests of tools, of whole minutes, and of what lies below or beside the rooms above
left_out = set('long tools browser order base linalg geom generate draw view cuda import fuzz'.split())
# signals, streams and folders of commands that run for long: they take minutes, and test what is around a run
left_out |= {'app/bench', 'app/cli', 'app/faults', 'app/lab_calibrate', 'app/lab_fit', 'app/solve'}
most_cpu = 60 # seconds; tests that take longer are left out
sanitizers = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer']


def changes(path):
    """(line number, line, changed line) of all lines that a rule can change."""
    out, comment = [], False
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        was, comment = comment, (comment or '/*' in line) and '*/' not in line.split('/*')[-1]
        code = line.split('/*')[0]
        if was or not line.startswith(' ') or '"' in code or code.strip().startswith(('*', '#')):
            continue
        if re.search(r'mrn_fail|assert|mrn_warn|\bconst char\b|MRN_CLEAR', code):
            continue
        for pattern, to in rules:
            for m in re.finditer(pattern, code):
                out.append((number, line, line[:m.start()] + to + line[m.end():]))
    return out


# ---- building ----

def make(jobs):
    subprocess.run(['cmake', '--preset', 'debug', '-B', build, '-DCMAKE_C_FLAGS_DEBUG=-O1 -g0', '-DMRN_WERROR=OFF',
                    '-DMRN_TESTS=ON', '-DMRN_TESTS_SHARED=ON'], cwd=top, check=True, stdout=subprocess.DEVNULL)
    tests = ['test-' + t.replace('/', '-') for t in listed()]
    subprocess.run(['ninja', '-C', build, '-j', str(jobs), 'moraine-shared', 'moraine-command'] + tests, check=True)


class Library:
    """The library as it was built, and ways to make it with other objects in some places."""
    def __init__(self):
        self.commands = {os.path.relpath(e['file'], top): e
                         for e in json.load(open(build + '/compile_commands.json')) if e['file'].startswith(top + '/src/')}
        link = subprocess.run(['ninja', '-C', build, '-t', 'commands', 'moraine-shared'], check=True,
                              capture_output=True, text=True).stdout
        words = shlex.split([x for x in link.splitlines() if ' -shared ' in x][-1])
        self.libraries = [x for x in words if x.startswith('-l') or re.match(r'/.*\.(so|a)(\.\d+)*$', x)]
        self.objects = [os.path.join(build, x) for x in words if x.endswith('.o')]
        self.name = [x for x in words if x.startswith('-Wl,-soname,')][0].split(',')[-1]

    def object_of(self, file):
        words = shlex.split(self.commands[file]['command'])
        return os.path.join(build, words[words.index('-o') + 1])

    def compile(self, file, source, out, extra=()):
        words = [x for x in shlex.split(self.commands[file]['command']) if x != 'ccache' and not x.endswith('/ccache')]
        keep = [x for k, x in enumerate(words) if x not in ('-MD', '-MT', '-MF') and words[k - 1] not in ('-MT', '-MF')]
        keep[keep.index('-o') + 1] = out
        keep[keep.index('-c') + 1] = source
        keep += ['-I' + os.path.dirname(os.path.join(top, file))] + list(extra)
        return subprocess.run(keep, cwd=build, capture_output=True).returncode == 0

    def link(self, others, folder, extra=()):
        """libmoraine.so in `folder`; others: {file: object}."""
        swap = {self.object_of(f): o for f, o in others.items()}
        os.makedirs(folder, exist_ok=True)
        with open(folder + '/parts', 'w') as f:
            f.write('\n'.join(swap.get(o, o) for o in self.objects))
        subprocess.run(['gcc', '-shared', '-fopenmp', '-fuse-ld=gold', '-Wl,-soname,' + self.name, *extra, '-o',
                        folder + '/' + self.name, '@' + folder + '/parts'] + self.libraries, check=True)


def instructions(path):
    r = subprocess.run(['objdump', '-drj.text', '-j.rodata', '-s', '--no-show-raw-insn', path], capture_output=True)
    return b'\n'.join(r.stdout.splitlines()[3:])


# ---- the sample ----

def draw(rooms, number, seed, library):
    """The changes, and how many were no changes; kept from the first call on."""
    path = build + '/sample.json'
    if os.path.exists(path):
        return json.load(open(path))
    sample, refused, same = [], 0, 0
    pools = {r: [(f, c) for f in sorted(library.commands) if f.startswith('src/' + r + '/')
                 for c in changes(os.path.join(top, f))] for r in rooms}
    work = tempfile.mkdtemp(prefix='mutants')
    os.makedirs(build + '/changed', exist_ok=True)
    taken = set()
    for i in range(number):
        room, chance = rooms[i % len(rooms)], random.Random('%d %d' % (seed, i))
        while True:
            file, (line, was, now) = pools[room][chance.randrange(len(pools[room]))]
            if (file, line, now) in taken:
                continue
            taken.add((file, line, now))
            out = '%s/changed/%d.o' % (build, i) # kept: it will be linked
            if not library.compile(file, change(file, line, was, now, work), out):
                refused += 1
            elif instructions(out) == instructions(library.object_of(file)):
                same += 1
            else:
                break
        sample.append({'room': room, 'file': file, 'line': line, 'was': was, 'now': now})
    shutil.rmtree(work)
    kept = {'seed': seed, 'refused': refused, 'same': same, 'changes': sample}
    json.dump(kept, open(path, 'w'), indent=1)
    return kept


def change(file, line, was, now, work):
    """The changed source, as a file in `work`; None where the line is not there any more."""
    lines = open(os.path.join(top, file), encoding='utf-8').read().splitlines(True)
    if lines[line - 1] != was:
        near = [k for k, x in enumerate(lines) if x == was]
        if not near:
            return None
        line = min(near, key=lambda k: abs(k - line)) + 1
    lines[line - 1] = now
    # under its own name: __FILE__ and sizes of strings stay the same
    path = os.path.join(work, os.path.basename(file))
    open(path, 'w', encoding='utf-8').write(''.join(lines))
    return path


# ---- tests ----

def listed():
    out = {}
    for t in json.loads(subprocess.run(['ctest', '--test-dir', build, '--show-only=json-v1'], check=True,
                                       capture_output=True, text=True).stdout)['tests']:
        q = {x['name']: x['value'] for x in t['properties']}
        if t.get('command') and not left_out & {t['name'], *q.get('LABELS', [])}:
            out[t['name']] = (t['command'], q.get('ENVIRONMENT', []))
    return out


def run(test, library, cpu, work, more=()):
    """Exit code and processor time of a test, its programs together; at most `cpu` seconds each."""
    command, environment = test
    env = {**os.environ, **dict(x.split('=', 1) for x in environment), 'LD_LIBRARY_PATH': library, 'TMPDIR': work, **dict(more)}
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 1))
    p = subprocess.Popen(command, cwd=work, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         preexec_fn=limit, start_new_session=True)
    alarm = threading.Timer(60 + 3 * cpu, lambda: os.killpg(p.pid, 9))
    alarm.start()
    _, status, used = os.wait4(p.pid, 0)
    alarm.cancel()
    p.returncode = os.waitstatus_to_exitcode(status)
    return p.returncode, used.ru_utime + used.ru_stime


def lines_run(folder, library, files):
    """{file: lines} that a test ran, of its folder of gcov's counts."""
    out = {}
    for f in files:
        note = build + '/counted/' + f.replace('/', '-')[:-2]
        data = folder + note + '.gcda'
        if not os.path.exists(data):
            continue
        shutil.copy(note + '.gcno', os.path.dirname(data))
        r = subprocess.run(['gcov', '--json-format', '--stdout', os.path.basename(data)], cwd=os.path.dirname(data),
                           capture_output=True, text=True)
        for x in json.loads(r.stdout)['files']:
            if x['file'].endswith('/' + f) or x['file'] == f:
                out[f] = [y['line_number'] for y in x['lines'] if y['count'] > 0]
    return out


def count_lines(sample, library, jobs):
    """{test: {cpu, lines}}, of the tests that pass; made once, new or changed tests are added."""
    path = build + '/covered.json'
    known = json.load(open(path)) if os.path.exists(path) else {}
    files, tests = sorted({c['file'] for c in sample}), listed()
    stamp = {t: os.path.getmtime(tests[t][0][0]) for t in tests}
    todo = [t for t in tests if known.get(t, {}).get('stamp') != stamp[t]]
    if not todo:
        return known
    os.makedirs(build + '/counted', exist_ok=True)
    others = {f: build + '/counted/' + f.replace('/', '-')[:-2] + '.o' for f in files}
    old = [f for f in files if not os.path.exists(others[f]) or
           os.path.getmtime(others[f]) < os.path.getmtime(os.path.join(top, f))]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda f: library.compile(f, os.path.join(top, f), others[f], ['--coverage']), old))
    library.link(others, build + '/counted/lib', ['--coverage'])

    def one(t):
        work = tempfile.mkdtemp(prefix='mutants')
        code, cpu = run(tests[t], build + '/counted/lib', most_cpu, work, {'GCOV_PREFIX': work + '/gcov'}.items())
        lines = lines_run(work + '/gcov', library, files) if code == 0 else {}
        shutil.rmtree(work, ignore_errors=True)
        return t, {'cpu': cpu, 'lines': lines, 'code': code, 'stamp': stamp[t]}

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for t, found in pool.map(one, sorted(todo, key=lambda t: t.startswith('app/'))):
            known[t] = found
            print('%-32s %6.1f s %s' % (t, found['cpu'], '' if found['code'] == 0 else 'CODE %d' % found['code']), flush=True)
            json.dump(known, open(path, 'w'))
    return known


# ---- one change ----

def tests_of(c, tests, covered):
    # a statement of several lines stands at one of them; gcov does not count the insides of loops that
    # OpenMP shares out, whose head stands some lines before
    for before in (4, 12):
        chosen = [t for t in tests if t in covered and covered[t]['code'] == 0 and any(
            c['line'] - before <= x <= c['line'] + 1 for x in covered[t]['lines'].get(c['file'], []))]
        if chosen:
            return chosen
    return []


def judge(k, c, library, covered, tests, seconds, tried):
    """Outcome of one change; `tried`: tests that it is known to survive, with their stamps."""
    work = tempfile.mkdtemp(prefix='mutants')
    try:
        out = '%s/changed/%d.o' % (build, k)
        source = change(c['file'], c['line'], c['was'], c['now'], work)
        if source is None:
            return {'outcome': 'gone', 'by': ''}
        if os.path.getmtime(out) < os.path.getmtime(os.path.join(top, c['file'])): # mended meanwhile
            library.compile(c['file'], source, out)
        stem = os.path.basename(c['file'])[:-2]
        chosen = tests_of(c, tests, covered)
        # tests named after the file, then quick ones
        chosen.sort(key=lambda t: (covered[t]['cpu'] + (0 if stem in t or t.split('/')[-1] in stem else 2)))
        library.link({c['file']: out}, work + '/lib')
        found = try_tests(chosen, tests, covered, work + '/lib', work, seconds, tried, 'plain ')
        if found is None and chosen:
            found = try_sanitized(c, source, chosen, library, tests, covered, work, seconds, tried)
        if found is not None:
            return {'outcome': 'killed', 'by': found}
        return {'outcome': 'survived', 'by': '%d of %d tests' % (len([t for t in tried if t.startswith('plain')]), len(chosen)),
                'tried': tried}
    finally:
        shutil.rmtree(work, ignore_errors=True)


def try_tests(chosen, tests, covered, folder, work, seconds, tried, kind, more=()):
    """The test that fails, or None; those of `tried` are left out."""
    left = seconds
    for t in chosen:
        cpu = covered[t]['cpu']
        if left < cpu or tried.get(kind + t) == covered[t]['stamp']:
            continue
        code, _ = run(tests[t], folder, 20 + 10 * cpu, work, more)
        if code != 0:
            return t + (' (time)' if code in (-24, -9) else '')
        tried[kind + t], left = covered[t]['stamp'], left - cpu
    return None


def try_sanitized(c, source, chosen, library, tests, covered, work, seconds, tried):
    preload = subprocess.run(['gcc', '-print-file-name=libasan.so'], capture_output=True, text=True).stdout.strip()
    more = {'LD_PRELOAD': preload, 'ASAN_OPTIONS': 'detect_leaks=0:allocator_may_return_null=1',
            'MALLOC_PERTURB_': '0'}.items()
    # the allocator with them: it closes what alignment leaves behind an array
    memory = 'src/base/memory.c'
    if not library.compile(memory, os.path.join(top, memory), work + '/memory.o', sanitizers):
        return None
    for name, text in (('changed', source), ('same', os.path.join(top, c['file']))):
        if not library.compile(c['file'], text, '%s/%s.o' % (work, name), sanitizers):
            return None
        library.link({memory: work + '/memory.o', c['file']: '%s/%s.o' % (work, name)}, '%s/lib-%s' % (work, name), sanitizers)
    for t in chosen:
        found = try_tests([t], tests, covered, work + '/lib-changed', work, seconds, tried, 'sane ', more)
        seconds -= 2 * covered[t]['cpu']
        if found is not None and run(tests[t], work + '/lib-same', 20 + 20 * covered[t]['cpu'], work, more)[0] == 0:
            return found + ' (sanitizers)'
    return None


def report(kept, results):
    rooms = collections.OrderedDict()
    for k, c in enumerate(kept['changes']):
        if str(k) in results:
            r = rooms.setdefault(c['room'], [0, 0])
            r[0] += results[str(k)]['outcome'] == 'killed'
            r[1] += 1
    for r in rooms:
        print('%-12s %3d of %3d killed' % (r, *rooms[r]))
    killed, n = sum(r[0] for r in rooms.values()), sum(r[1] for r in rooms.values())
    print('seed %d: %d changes: %d killed (%.1f %%), %d not; in their places %d that did not compile and %d that '
          'compile to the same had been drawn' % (kept['seed'], n, killed, 100 * killed / max(n, 1), n - killed,
                                                  kept['refused'], kept['same']))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--number', type=int, default=200)
    p.add_argument('--seed', type=int, default=2)
    p.add_argument('--seconds', type=float, default=60)
    p.add_argument('--jobs', type=int, default=os.cpu_count())
    p.add_argument('--again', action='store_true')
    p.add_argument('--report', action='store_true')
    p.add_argument('--only', type=lambda x: set(map(int, x.split(','))), help='numbers of changes, with commas between')
    p.add_argument('--draw', action='store_true', help='build and draw the sample, no more')
    p.add_argument('rooms', nargs='*')
    a = p.parse_args()
    path, lock = build + '/results.json', threading.Lock()
    results = json.load(open(path)) if os.path.exists(path) else {}
    if a.report:
        return report(json.load(open(build + '/sample.json')), results)
    make(a.jobs)
    library = Library()
    kept = draw(a.rooms or rooms_default, a.number, a.seed, library)
    if a.draw:
        return
    covered, tests = count_lines(kept['changes'], library, a.jobs), listed()

    def one(k):
        c, old = kept['changes'][k], results.get(str(k), {})
        if old.get('outcome') == 'killed' or (old and not a.again) or (a.only and k not in a.only):
            return
        found = judge(k, c, library, covered, tests, a.seconds, dict(old.get('tried', {})))
        with lock:
            results[str(k)] = found
            json.dump(results, open(path, 'w'), indent=1)
            print('%3d %-8s %s:%d: %s   [%s]' % (k, found['outcome'], c['file'], c['line'], c['now'].strip(),
                                                 found['by']), flush=True)

    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        list(pool.map(one, range(len(kept['changes']))))
    report(kept, results)


if __name__ == '__main__':
    main()
