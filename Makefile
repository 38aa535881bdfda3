# SPDX-License-Identifier: GPL-3.0-or-later
# The short way to everything; the build itself is CMake's (CMakePresets.json).
PREFIX ?= /usr/local
DESTDIR ?=
QUICK ?=
ALL ?=
RESUME ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 900
SOAK_SECONDS ?= 3600
RELEASE = build/release
MORAINE = $(RELEASE)/moraine

.PHONY: help deb demo test check bench validate fuzz faults soak analyze coverage install format docs clean deps deps-all release
.SILENT:
MAKEFLAGS += --no-print-directory

help:
	echo "make demo       build Moraine and run a first example: ends with a picture"
	echo "make test       all checks and tests: gcc, sanitizers, clang (QUICK=1: gcc release only;"
	echo "                ALL=1: slow tests under sanitizers and clang too, an hour)"
	echo "make check      source checks only, seconds"
	echo "make bench      run the benchmarks"
	echo "make validate   compare with closed forms and published results (RESUME=1: go on)"
	echo "make fuzz       every reader on bad bytes, two fuzzers, a night (FUZZ_SECONDS=… each)"
	echo "make faults     kill -9, full disks, damaged files, signals: what becomes of runs"
	echo "make soak       one hour of each engine: memory and ledger (SOAK_SECONDS=…)"
	echo "make analyze    static analysis; make coverage: lines that tests run"
	echo "make install    into PREFIX=$(PREFIX) (DESTDIR is honoured)"
	echo "make deb        Debian packages into build/deb: command, library, headers, Python"
	echo "make docs       write docs/reference from the program's own tables"
	echo "make format     lay out the C sources with clang-format"
	echo "make clean      remove build/"

deps:
	tools/install-deps.sh --demo
deps-all:
	tools/install-deps.sh

# The command and the library alone: no test tools needed.
release: deps
	cmake --preset release -DMRN_TESTS=OFF >/dev/null
	cmake --build --preset release -j $(JOBS) --target moraine-command moraine moraine-shared moraine-shell

demo: release
	$(MORAINE) demo

check: deps-all
	tools/check.sh

test: deps-all
	tools/test.sh $(if $(filter-out 0,$(QUICK)),--quick) $(if $(filter-out 0,$(ALL)),--all) --jobs $(JOBS)

bench: release
	cmake --build --preset release -j $(JOBS) --target bench

# Programs and tests that print numbers; RESUME=1 goes on after an interruption.
validate: deps-all
	cmake --preset release -DMRN_TESTS=ON >/dev/null
	cmake --build --preset release -j $(JOBS) --target moraine-command
	BUILD=$(RELEASE) MORAINE=$(MORAINE) tools/validate.sh $(if $(filter-out 0,$(RESUME)),--resume)

fuzz: deps-all
	tools/fuzz.sh --seconds $(FUZZ_SECONDS)
faults: release
	MORAINE=$(MORAINE) tools/faults.sh
soak: release
	MORAINE=$(MORAINE) tools/soak.sh --seconds $(SOAK_SECONDS)
analyze: deps-all
	tools/analyze.sh
coverage: deps-all
	tools/coverage.py

install: release
	DESTDIR="$(DESTDIR)" cmake --install $(RELEASE) --prefix "$(PREFIX)"
	tools/tell-loader.sh "$(PREFIX)" "$(DESTDIR)"

deb: deps
	tools/make-deb.sh

docs: release
	MORAINE=$(MORAINE) tools/gen-docs.sh

format: deps-all
	tools/check-format.sh --fix

clean:
	rm -rf build
