#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much the tests would notice: one line of a source is changed at a time (a sign, a comparison,
a constant, a condition), the tests that cover its file run, quickest first, and a change that none of
them notices is named. Uses the build of tools/coverage.py (build/coverage): a changed file costs one
compilation and one link. Lines are drawn at random from a seed, equally many in each of the rooms.

  tools/mutants.py [--number N] [--seed S] [--seconds S] [ROOM…]
      default 200 in laws, smooth, nonsmooth, event, quasistatic, solve, collide, inference,
      calibrate, store, scene, export; --seconds: of tests per change (default 60)
"""
import argparse, json, os, random, re, shlex, shutil, subprocess, sys, tempfile, time

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(top, 'build/coverage')
rooms_default = ('laws smooth nonsmooth event quasistatic solve collide inference calibrate store scene '
                 'export').split()
# which folders of tests know a room
tests_of = {
    'laws': 'laws smooth physics lab', 'smooth': 'smooth physics run', 'nonsmooth': 'nonsmooth physics run',
    'event': 'event physics', 'quasistatic': 'quasistatic app', 'solve': 'solve nonsmooth',
    'collide': 'lab', 'inference': 'lab', 'calibrate': 'lab', 'readers': 'lab', 'store': 'store run app',
    'scene': 'scene model run', 'export': 'export app', 'import': 'import app', 'fclib': 'fclib',
}
rules = [(r' \+ ', ' - '), (r' - ', ' + '), (r' \* ', ' / '), (r' / ', ' * '), (r' < ', ' <= '),
         (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '), (r' != ', ' == '),
         (r' && ', ' || '), (r' \|\| ', ' && '), (r'\b0\.5\b', '0.25'), (r'\+= ', '-= '), (r'-= ', '+= '),
         (r'!(?=[a-z])', ''), (r'\btrue\b', 'false'), (r'\bfalse\b', 'true'), (r'\bfmin\(', 'fmax('),
         (r'\bfmax\(', 'fmin(')]


def changes(path):
    """(line number, changed line) of all lines that a rule can change."""
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
                out.append((number, line[:m.start()] + to + line[m.end():]))
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--number', type=int, default=200)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--seconds', type=float, default=60)
    p.add_argument('--first', type=int, default=0, help='begin with this one of the series')
    p.add_argument('rooms', nargs='*')
    a = p.parse_args()
    rooms = a.rooms or rooms_default
    if not os.path.exists(build + '/libmoraine.so'):
        sys.exit('tools/coverage.py makes what this needs')
    commands = {os.path.relpath(e['file'], top): e for e in json.load(open(build + '/compile_commands.json'))}
    listed = json.loads(subprocess.run(['ctest', '--test-dir', build, '--show-only=json-v1'], check=True,
                                       capture_output=True, text=True).stdout)['tests']
    try:
        times = json.load(open(build + '/times.json'))
    except OSError:
        times = {}
    runs = {}
    for t in listed:
        properties = {q['name']: q['value'] for q in t['properties']}
        runs[t['name']] = (t.get('command'), properties.get('LABELS', []), properties.get('ENVIRONMENT', []))
    objects = sorted(os.path.join(d, f) for d, _, fs in os.walk(build + '/CMakeFiles/mrn_objects.dir')
                     for f in fs if f.endswith('.o'))
    link = subprocess.run(['ninja', '-C', build, '-t', 'commands', 'moraine-shared'], check=True,
                          capture_output=True, text=True).stdout
    link = [x for x in link.splitlines() if ' -shared ' in x][-1]
    libraries = [x for x in shlex.split(link) if x.startswith('-l') or (x.startswith('/') and '.so' in x) or
                 (x.startswith('/') and x.endswith('.a'))]
    work = tempfile.mkdtemp(prefix='mutants')
    source = {r: sorted(f for f in commands if f.startswith('src/' + r + '/')) for r in rooms}
    count = {'killed': 0, 'survived': 0, 'refused': 0}
    by_room = {r: [0, 0] for r in rooms}
    for i in range(a.first, a.number):
        room = rooms[i % len(rooms)]
        draw = random.Random('%d %d' % (a.seed, i))
        pool = [(f, c) for f in source[room] for c in changes(os.path.join(top, f))]
        file, (line, text) = pool[draw.randrange(len(pool))]
        begin = time.time()
        outcome, by = one(file, line, text, commands[file], objects, libraries, runs, times,
                          tests_of.get(room, room).split(), work, a.seconds)
        count[outcome] += 1
        if outcome != 'refused':
            by_room[room][0] += outcome == 'killed'
            by_room[room][1] += 1
        print('%3d %-8s %s:%d: %s   [%s, %.0f s]' % (i, outcome, file, line, text.strip(), by,
                                                     time.time() - begin), flush=True)
    shutil.rmtree(work)
    for r in rooms:
        if by_room[r][1]:
            print('%-12s %3d of %3d killed' % (r, *by_room[r]))
    n = count['killed'] + count['survived']
    print('%d changes: %d killed (%.0f %%), %d survived; %d more did not compile' % (
        n, count['killed'], 100 * count['killed'] / max(n, 1), count['survived'], count['refused']))


def covers(test, file, line, object_file):
    """Whether a test runs the line, as far as tools/coverage.py kept that."""
    data = '%s/data/%s/%s' % (build, test.replace('/', '-'), os.path.relpath(object_file, build))
    data = re.sub(r'\.o$', '.gcda', data)
    if not os.path.isdir(os.path.join(build, 'data', test.replace('/', '-'))):
        return True
    if not os.path.exists(data):
        return False
    folder = tempfile.mkdtemp()
    try:
        shutil.copy(re.sub(r'\.o$', '.gcno', object_file), folder)
        shutil.copy(data, folder)
        name = os.path.basename(data)
        r = subprocess.run(['gcov', '--json-format', '--stdout', name], cwd=folder, capture_output=True, text=True)
        for f in json.loads(r.stdout)['files']:
            if f['file'].endswith(file):
                # a statement of several lines stands at one of them
                near = [x for x in f['lines'] if line - 4 <= x['line_number'] <= line + 1]
                return any(x['count'] > 0 for x in near)
        return False
    except (OSError, ValueError, KeyError):
        return True
    finally:
        shutil.rmtree(folder)


def one(file, line, text, command, objects, libraries, runs, times, folders, work, seconds):
    changed = os.path.join(work, 'changed.c')
    lines = open(os.path.join(top, file), encoding='utf-8').read().splitlines(True)
    lines[line - 1] = text
    open(changed, 'w', encoding='utf-8').write(''.join(lines))
    args = [x for x in shlex.split(command['command']) if x not in ('ccache', '--coverage', '-Werror')]
    at = args.index('-o')
    object_file = os.path.join(command['directory'], args[at + 1])
    args[at + 1] = os.path.join(work, 'changed.o')
    args[args.index('-c') + 1] = changed
    args = [x for k, x in enumerate(args) if x not in ('-MD',) and not (x in ('-MT', '-MF') or args[k - 1] in ('-MT', '-MF'))]
    args.append('-I' + os.path.dirname(os.path.join(top, file)))
    if subprocess.run(args, cwd=command['directory'], capture_output=True).returncode != 0:
        return 'refused', 'compiler'
    parts = [work + '/changed.o' if os.path.samefile(o, object_file) else o for o in objects]
    library = os.path.join(work, 'lib')
    os.makedirs(library, exist_ok=True)
    with open(work + '/parts', 'w') as f:
        f.write('\n'.join(parts))
    made = subprocess.run(['gcc', '--coverage', '-shared', '-fopenmp', '-fuse-ld=gold', '-Wl,-soname,libmoraine.so.0.1',
                           '-o', library + '/libmoraine.so.0.1', '@' + work + '/parts'] + libraries,
                          capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(made.stderr[-2000:])
    chosen = [t for t in runs if runs[t][0] and set(runs[t][1]) & set(folders) and 'long' not in runs[t][1] and
              times.get(t, 5) < seconds]
    stem = os.path.basename(file)[:-2]
    # tests named after the file, then quick ones
    chosen.sort(key=lambda t: (t.split('/')[-1] not in stem and stem not in t, times.get(t, 5)))
    left, tried = seconds, 0
    for t in chosen:
        if left < times.get(t, 5) or not covers(t, file, line, object_file):
            continue
        env = dict(os.environ, **dict(x.split('=', 1) for x in runs[t][2]), LD_LIBRARY_PATH=library,
                   GCOV_PREFIX=work + '/gcov')
        begin, tried = time.time(), tried + 1
        try:
            r = subprocess.run(runs[t][0], cwd=work, env=env, capture_output=True,
                               timeout=30 + 20 * times.get(t, 5))
            if r.returncode != 0:
                return 'killed', t
        except subprocess.TimeoutExpired:
            return 'killed', t + ' (time)'
        left -= times.get(t, 5)
    return 'survived', '%d tests' % tried


main()
