#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Python package on a build: its files are up to date, its tests, examples and notebook run and print what the pages
# show, and pip installs it. Debian's python3 unless PYTHON says otherwise; without NumPy nothing is tested (exit 77).
#   tools/test-python.sh BUILD-FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import numpy' 2>/dev/null || { echo "python: $python has no NumPy" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "python: $*" >&2 && exit 1; }
export PYTHONPATH=$top/python MORAINE_LIBRARY=$build/libmoraine.so PYTHONDONTWRITEBYTECODE=1
cd "$work"

"$python" "$top/tools/gen-python.py" --check --moraine "$build/moraine" || fail "run tools/gen-python.py"
"$python" "$top/tests/python/test_moraine.py" >log 2>&1 || { cat log && fail "a test failed"; }
grep overhead log
"$python" "$top/tools/run-notebook.py" "$top/examples/python/tutorial.ipynb" || fail "the notebook prints something else"
[ "$(grep -c . "$top/examples/python/first.py")" -le 15 ] || fail "first.py has more than 15 lines"
diff <(sed -n '/^```python$/,/^```$/p' "$top/docs/python.md" | grep -v '^```') "$top/examples/python/first.py" ||
    fail "docs/python.md shows another first script"
mkdir bin && ln -s "$python" bin/python3
PATH=$work/bin:$PATH "$top/tools/check-docs.sh" "$build/moraine" "$top/examples/python/README.md" 'python3'

# pip, without a network: a virtual environment that sees Debian's packages
unset PYTHONPATH MORAINE_LIBRARY
if "$python" -c 'import venv, pip, setuptools, wheel' 2>/dev/null; then
    mkdir source && cp -r "$top/python" "$top/setup.py" "$top/pyproject.toml" "$top/README.md" source
    "$python" -m venv --system-site-packages --without-pip there
    (cd source && MORAINE_BUILD=$build ../there/bin/python -m pip install --quiet --no-build-isolation --no-deps --no-index .) ||
        fail "pip install . failed"
    there/bin/python -c 'import moraine, os; assert os.path.dirname(moraine.__file__) in moraine.library_path, moraine.library_path' ||
        fail "the installed package does not have its library"
    there/bin/python "$top/examples/python/rebound.py" >/dev/null || fail "the installed package does not work"
fi
echo "python  ok"
