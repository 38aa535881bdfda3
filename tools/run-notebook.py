#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the cells of a notebook, one after another, as Jupyter would, and compares what they print with what it holds.

  tools/run-notebook.py NOTEBOOK.ipynb            exit 1 and the difference
  tools/run-notebook.py NOTEBOOK.ipynb --write    puts what is printed into the notebook
"""
import ast
import contextlib
import io
import json
import sys


def run(cell, names):
    """What a cell prints, and the value of its last line."""
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last is not None else None
    return out.getvalue(), None if value is None else repr(value)


def outputs(text, value, count):
    out = []
    if text:
        out.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(True)})
    if value is not None:
        out.append({"data": {"text/plain": value.splitlines(True)}, "execution_count": count, "metadata": {},
                    "output_type": "execute_result"})
    return out


def shown(cell):
    return [o.get("text") or o["data"]["text/plain"] for o in cell["outputs"]]


def main(path, write):
    notebook, names, count, bad = json.load(open(path, encoding="utf-8")), {"__name__": "__main__"}, 0, 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        before = shown(cell)
        cell["outputs"], cell["execution_count"] = outputs(*run(cell, names), count), count
        if not write and shown(cell) != before:
            bad = 1
            print("%s: cell %d shows\n%s\nand prints\n%s" % (
                path, count, "".join(sum(before, [])), "".join(sum(shown(cell), []))))
    if write:
        with open(path, "w", encoding="utf-8") as f:
            json.dump(notebook, f, indent=1, ensure_ascii=False)
            f.write("\n")
    return bad or 0 * count


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--write" in sys.argv))
