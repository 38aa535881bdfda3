#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of the library that tests run: a build with gcov (build/coverage), every test with data of its
own (build/coverage/data, for tools/mutants.py), and a table by room. What is not run is listed by file
in build/coverage/uncovered.txt.

  tools/coverage.py [--jobs N] [--leave-out LABELS] [--no-build] [TEST…]
      TEST: names as ctest has them; default all but those labelled long. Exit 1 below 90 %.
"""
import argparse, concurrent.futures, json, os, re, shutil, subprocess, sys, time

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(top, 'build/coverage')


def make(jobs):
    flags = ['--preset', 'debug', '-B', build, '-DCMAKE_C_FLAGS_DEBUG=-O1 -g0', '-DCMAKE_C_FLAGS=--coverage',
             '-DMRN_WERROR=OFF', '-DMRN_TESTS=ON', '-DMRN_TESTS_SHARED=ON']
    subprocess.run(['cmake'] + flags, cwd=top, check=True, stdout=subprocess.DEVNULL)
    targets = subprocess.run(['ninja', '-C', build, '-t', 'targets', 'all'], check=True, capture_output=True,
                             text=True).stdout
    tests = re.findall(r'^(test-[^:]*): phony', targets, re.M)
    subprocess.run(['ninja', '-C', build, '-j', str(jobs), 'moraine-shared', 'moraine-command'] + tests, check=True)


def run(test):
    name, command, environment, limit = test
    folder = os.path.join(build, 'data', name.replace('/', '-'))
    shutil.rmtree(folder, ignore_errors=True)
    env = dict(os.environ, **dict(x.split('=', 1) for x in environment), GCOV_PREFIX=folder,
               GCOV_PREFIX_STRIP=str(len(build.strip('/').split('/'))))
    begin = time.time()
    try:
        code = subprocess.run(command, cwd=build + '/tests', env=env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=10 * limit).returncode
    except subprocess.TimeoutExpired:
        code = -1
    return name, code, time.time() - begin


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--jobs', type=int, default=os.cpu_count())
    p.add_argument('--leave-out', default='long')
    p.add_argument('--no-build', action='store_true')
    p.add_argument('--no-run', action='store_true')
    p.add_argument('tests', nargs='*')
    a = p.parse_args()
    if not a.no_build:
        make(a.jobs)
    listed = json.loads(subprocess.run(['ctest', '--test-dir', build, '--show-only=json-v1'], check=True,
                                       capture_output=True, text=True).stdout)['tests']
    tests = []
    for t in listed:
        q = {x['name']: x['value'] for x in t['properties']}
        out = set(q.get('LABELS', [])) & set(a.leave_out.split('|') + ['tools', 'browser'])
        if t.get('command') and (t['name'] in a.tests or (not a.tests and not out)):
            tests.append((t['name'], t['command'], q.get('ENVIRONMENT', []), q.get('TIMEOUT', 120)))
    try:
        times = json.load(open(build + '/times.json'))
    except OSError:
        times = {}
    tests.sort(key=lambda t: (times.get(t[0], 0), t[0].startswith('app/'))) # those start commands: slow
    if not a.no_run:
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            for name, code, seconds in pool.map(run, tests):
                times[name] = seconds
                print('%-32s %7.1f s%s' % (name, seconds, '' if code == 0 else '   CODE %d' % code), flush=True)
                json.dump(times, open(build + '/times.json', 'w'))
    report()


def merged():
    """Lines run by any test: {file: {line: count}}."""
    lines, stamp = {}, {}
    data = os.path.join(build, 'data')
    objects = os.path.join('CMakeFiles/mrn_objects.dir')
    everything = os.path.join(build, 'all')
    shutil.rmtree(everything, ignore_errors=True)
    first = True
    for test in sorted(os.listdir(data)):
        here = os.path.join(data, test, objects)
        if not os.path.isdir(here):
            continue
        if first:
            shutil.copytree(here, everything)
        else:
            out = everything + '.new'
            shutil.rmtree(out, ignore_errors=True)
            # commands that a test ends by a signal, or bounds, may leave damaged data
            if subprocess.run(['gcov-tool', 'merge', everything, here, '-o', out], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode != 0:
                print('%s: data that cannot be read, left out' % test, flush=True)
                continue
            shutil.rmtree(everything)
            os.rename(out, everything)
        first = False
    for folder, _, files in os.walk(everything):
        wanted = [f for f in files if f.endswith('.gcda')]
        for f in wanted:
            note = os.path.join(build, objects, os.path.relpath(folder, everything), f[:-5] + '.gcno')
            shutil.copy(note, folder)
        if not wanted:
            continue
        r = subprocess.run(['gcov', '--json-format', '--stdout'] + wanted, cwd=folder, capture_output=True, text=True)
        for text in r.stdout.splitlines():
            for f in json.loads(text)['files']:
                m = re.search(r'/(src/[a-z]+/[^/]*\.[ch])$', f['file'] if f['file'].startswith('/') else
                              os.path.normpath(os.path.join(build, f['file'])))
                if m:
                    seen = lines.setdefault(m.group(1), {})
                    for x in f['lines']:
                        seen[x['line_number']] = seen.get(x['line_number'], 0) + x['count']
    return lines


def report():
    lines, rooms = merged(), {}
    with open(build + '/uncovered.txt', 'w') as out:
        for f in sorted(lines):
            room, bad = f.split('/')[1], sorted(k for k, c in lines[f].items() if c == 0)
            r = rooms.setdefault(room, [0, 0])
            r[0] += len(lines[f]) - len(bad)
            r[1] += len(lines[f])
            if bad:
                out.write('%s %d of %d: %s\n' % (f, len(bad), len(lines[f]), ' '.join(map(str, bad))))
    for r in sorted(rooms):
        print('%-12s %7d lines %6.1f %%' % (r, rooms[r][1], 100 * rooms[r][0] / rooms[r][1]))
    hit, every = sum(r[0] for r in rooms.values()), sum(r[1] for r in rooms.values())
    share = 100 * hit / max(every, 1)
    print('%-12s %7d lines %6.1f %%' % ('all', every, share))
    sys.exit(share < 90)


main()
