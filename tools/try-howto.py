#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages "how to add …" followed step by step: their files are made in a copy of the tree, which is built, and every
command shown is run; each line shown must be printed, in this order.
  tools/try-howto.py            all pages: minutes, for a library is built (part `documents` of `make validate`)
  tools/try-howto.py --shown    only that code which a page takes from the tree is what stands there: seconds
Exit: 0 as the pages say, 1 and what is not."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LISTS = {"MRN_PART": "src/laws/parts.def", "MRN_MODEL": "src/laws/models.def", "MRN_SOLVER": "src/solve/solvers.def",
         "MRN_SHAPE": "src/geom/shapes.def"}


def blocks(page, language):
    """Texts between ```language and ```."""
    return re.findall(r"^```%s\n(.*?)^```" % language, page, re.M | re.S)


def files_of(page):
    """Files of the table of steps that are written whole."""
    names = re.findall(r"^\| \d+ +\| `([^`]+)`", page, re.M)
    return [n for n in names if n.endswith((".c", ".h"))]


def write_files(page, top):
    names = files_of(page)
    for text in blocks(page, "c"):
        kind = re.match(r"MRN_[A-Z]+", text)
        if text.startswith("/* SPDX"):
            with open(os.path.join(top, names.pop(0)), "w") as f:
                f.write(text)
        elif kind and kind.group(0) in LISTS:
            with open(os.path.join(top, LISTS[kind.group(0)]), "a") as f:
                f.write(text)
    for name, text in re.findall(r"`([a-z]+\.yaml)`[^`]*\n```yaml\n(moraine: 1\n.*?)^```", page, re.M | re.S):
        with open(os.path.join(top, name), "w") as f:
            f.write(text)
    return names


def commands(page):
    """(command, lines shown below it)."""
    found = []
    for text in blocks(page, "text"):
        for line in text.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found and line.strip() not in ("", "…"):
                found[-1][1].append(line.rstrip())
    return found


def missing(shown, printed):
    """Lines not printed in this order; how many loops and milliseconds there are depends on the machine."""
    at, out = 0, []
    for line in shown:
        if re.search(r"^\d+ loops| ms|solver  +solved", line):
            continue
        k = next((k for k in range(at, len(printed)) if printed[k] == line), None)
        if k is None:
            out.append(line)
        else:
            at = k + 1
    return out


def follow(name, top, env):
    with open(os.path.join(TOP, "docs", name)) as f:
        page = f.read()
    bad = ["%s: no code for %s" % (name, left) for left in write_files(page, top)]
    for text, shown in commands(page):
        # problems of other codes, which the reader has; layout of all loops is a test of its own
        if "OneObject" in text or "one.hdf5" in text or "check-vectorised" in text:
            print("%s: not run (needs files of the reader's, or has a test of its own): %s" % (name, text))
            continue
        if text.startswith("moraine "):  # with what the page has added
            subprocess.run(["ninja", "-C", "build/release", "moraine-command"], cwd=top, env=env, capture_output=True)
        run = subprocess.run(["bash", "-c", text], cwd=top, env=env, capture_output=True, text=True)
        printed = [line.rstrip() for line in (run.stdout + run.stderr).splitlines()]
        lost = missing(shown, printed)
        bad += ["%s: %s\n    not printed: %s" % (name, text, line) for line in lost]
        if lost:
            bad += ["    printed: " + line for line in printed[-12:]]
        print("%s: %s" % (name, text))
    return bad


def shown_code():
    """The page on shapes shows a file of the tree."""
    with open(os.path.join(TOP, "docs/how-to-add-a-shape.md")) as f:
        shown = [b for b in blocks(f.read(), "c") if b.startswith("/* SPDX")]
    with open(os.path.join(TOP, "src/geom/wall_ball.c")) as f:
        real = f.read()
    return [] if shown == [real] else ["docs/how-to-add-a-shape.md: its code is not src/geom/wall_ball.c"]


def main():
    bad = shown_code()
    if "--shown" not in sys.argv:
        work = tempfile.mkdtemp()
        top = os.path.join(work, "moraine")
        shutil.copytree(TOP, top, ignore=shutil.ignore_patterns("build", ".git", "out", "shared"), symlinks=True)
        env = dict(os.environ, PATH=os.path.join(top, "build/release") + ":" + os.environ["PATH"])
        for page in ("how-to-add-a-law.md", "how-to-add-a-solver.md"):
            bad += follow(page, top, env)
        shutil.rmtree(work)
    print("\n".join(bad) if bad else "the pages are what happens")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
