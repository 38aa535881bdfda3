#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `moraine run --view` costs the run: web/test/live.py MORAINE SCENE [pairs] [option ...]

Runs the scene with one thread, without and with --view in turn, the second time with a reader that
takes every frame as the page does. What counts is the processor time of the thread that steps, which
the server and the reader, on other threads, do not add to. Prints all times, medians, and the
median of the ratios of neighbours with its quartiles.

With `instructions` instead of the number of pairs it runs once in valgrind, with --view, and counts
which part of the instructions of the stepping thread lies in what hands frames over: other programs
on the machine do not change that as they do times.
"""
import glob
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request


def processor_time(pid, seen):
    """Seconds of the first thread of a process, again and again until it ends."""
    while True:
        try:
            with open(f"/proc/{pid}/task/{pid}/schedstat") as f:
                now = int(f.read().split()[0]) * 1e-9
        except (OSError, IndexError):
            return
        seen[0] = max(seen[0], now)
        time.sleep(0.001)


def read_frames(address, frames):
    """All frames that the run offers, as they come."""
    def get(path):
        with urllib.request.urlopen(address + path, timeout=5) as answer:
            return answer.read()
    try:
        info = json.loads(get("info"))
        known, epoch = len(info["times"]), info["epoch"]
        while True:
            status = json.loads(get(f"status?from={known}&epoch={epoch}"))
            if not status["running"]:
                return
            known = known if status["epoch"] == epoch else 0
            epoch = status["epoch"]
            known += len(status["times"])
            frames[0] += len(get(f"frame/{known - 1}?field=speed")) > 0
            time.sleep(0.05)
    except OSError:
        return


def handing_over(folder):
    """Percent of the instructions of the first thread that lie in mrn_viewer_publish."""
    counts = sorted(glob.glob(folder + "/counts*-01"))[0]
    table = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", counts], capture_output=True, text=True, check=True).stdout
    total = int(re.search(r"^([\d,]+).*PROGRAM TOTALS", table, re.M)[1].replace(",", ""))
    part = re.search(r"^\s*([\d,]+).*\bmrn_viewer_publish\b", table, re.M)
    return 100 * int(part[1].replace(",", "")) / total if part else 0.0


def run(moraine, scene, options, view, count=False):
    seen, frames = [0.0], [0]
    with tempfile.TemporaryDirectory() as folder:
        command = [moraine, "run", scene, "--out", folder + "/out", "--quiet", "--threads", "1", *options]
        if count:
            command = ["valgrind", "-q", "--trace-children=yes", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={folder}/counts.%p"] + command
        child = subprocess.Popen(command + (["--view", "--no-browser"] if view else []),
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        watch = threading.Thread(target=processor_time, args=(child.pid, seen))
        watch.start()
        for line in child.stdout if view else []:
            found = re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", line)
            if found:
                threading.Thread(target=read_frames, args=(found[0], frames), daemon=True).start()
        if not view:
            child.stdout.read()
        child.wait()
        watch.join()
        if count:
            seen[0] = handing_over(folder)
    return seen[0], frames[0]


def main():
    moraine, scene = sys.argv[1:3]
    if sys.argv[3:4] == ["instructions"]:
        share, read = run(moraine, scene, sys.argv[4:], True, True)
        print(f"{share:.2f} % of the instructions of the stepping thread, {read} frames read")
        return
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    rows = []
    for k in range(pairs):
        both = {}
        for view in (False, True) if k % 2 == 0 else (True, False):
            both[view], frames = run(moraine, scene, sys.argv[4:], view)
            if view:
                read = frames
        rows.append((both[False], both[True]))
        print(f"{both[False]:.3f} s without, {both[True]:.3f} s with, {read} frames read: "
              f"{100 * (both[True] / both[False] - 1):+.2f} %", flush=True)
    ratio = sorted(100 * (b / a - 1) for a, b in rows)
    quartiles = statistics.quantiles(ratio, n=4) if len(ratio) > 1 else [ratio[0]] * 3
    print(f"medians {statistics.median(a for a, _ in rows):.3f} and {statistics.median(b for _, b in rows):.3f} s; "
          f"ratio {statistics.median(ratio):+.2f} % (quartiles {quartiles[0]:+.2f} and {quartiles[2]:+.2f})")


if __name__ == "__main__":
    main()
