# `make demo` and `make test` work on a fresh machine with Python 3.11, make and git.
SHELL := /bin/bash
# The system's own comes first where it will do: distributions build theirs with profile-guided optimisation, version managers
# mostly don't, and the tests took a fifth longer on one of those.
MAKES_ENVIRONMENTS := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell /usr/bin/python3 -c "$(MAKES_ENVIRONMENTS)" 2>/dev/null && echo /usr/bin/python3 || echo python3)
BIN := .venv/bin
PORT ?= 8000
TRACK ?= tac2008-qa

.PHONY: help demo test test-quickly test-browser test-on-postgresql test-all postgresql-tests check check-quickly \
  check-style check-imports check-templates check-site guides types collected serve bench lock openapi browser-set-up clean

help:
	@echo "make demo    set up, load the demonstration campaign, show scores, serve it on port $(PORT); TRACK=… for another than $(TRACK)"
	@echo "make test    set up and run every check and test"
	@echo "make test-all  the same, with every test on PostgreSQL, too"
	@echo "make check   lint, types, import direction, templates"
	@echo "make serve   serve the site (and its worker) on port $(PORT)"
	@echo "make bench   run every benchmark and write docs/performance.md; SIZE=small for a few minutes"
	@echo "make guides  write the guides as a site with search into var/guides"
	@echo "make lock    pin the requirements again"

# The stamp says which locks the environment was made from.
.venv/stamp: requirements.txt
	@command -v $(PYTHON) >/dev/null || \
	  { echo "There is no $(PYTHON) here. Assay needs Python 3.11 or newer: install it, or name it: make PYTHON=…"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info[:2] >= (3, 11) else 1)' || \
	  { echo "Assay needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.11"; exit 1; }
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv .venv || \
	  { echo "Python can't make an environment. On Debian: apt-get install python3-venv"; exit 1; }
	@$(BIN)/python -c 'import uv' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv || \
	  { echo "The packages can't be fetched. Is there a network, and does pip reach its package index?"; exit 1; }
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.txt || \
	  { echo "The packages can't be installed; the lines above say which. Is there a network?"; exit 1; }
	@touch $@

.venv/stamp-dev: .venv/stamp requirements-dev.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.txt
	@touch $@

demo: .venv/stamp
	@$(BIN)/python manage.py demo --port $(PORT) --track $(TRACK)

serve: .venv/stamp
	@$(BIN)/python manage.py serve --port $(PORT)

check: check-quickly types

types: .venv/stamp-dev
	$(BIN)/mypy assay_site tracks nuggets assess scoring bench

check-quickly: check-style check-imports check-templates check-site guides

check-style: .venv/stamp-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

check-imports: .venv/stamp-dev
	$(BIN)/lint-imports

check-templates: .venv/stamp-dev
	$(BIN)/djlint --lint --quiet templates

# A link or an anchor that leads nowhere is an error.
guides: .venv/stamp-dev
	$(BIN)/zensical build --strict --clean

check-site: .venv/stamp-dev
	ASSAY_DEBUG=1 $(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check --fail-level WARNING

# In a fresh clone nothing is compiled: one process does it, beside the types and the quick checks, and not each of those that
# then begin with the tests, all at once.
collected: .venv/stamp-dev
	@found=$$($(BIN)/pytest --collect-only -qq -n 0) || { echo "$$found"; exit 1; }

# What tests need from the machine: Debian's chromium and PostgreSQL.
browser-set-up:
	@tests/set_up_machine.sh

# The types take one processor a quarter of a minute: hence beside the quick checks and the tests. No test begins before the
# quick checks are right.
# Bytecode is kept even where the environment says no: the tests start hundreds of processes.
test test-all postgresql-tests: export PYTHONDONTWRITEBYTECODE =
test: .venv/stamp-dev browser-set-up
	$(MAKE) --output-sync=target -j 4 types test-quickly test-browser test-on-postgresql

# What runs on PostgreSQL, too: tests/on_postgresql.py.
ON_POSTGRESQL := -p no:playwright -m "database and not browser" \
  tests/assess tests/nuggets tests/tracks/test_conformance.py tests/tracks/test_recorded_judgments.py $(wildcard tests/test_*.py)
RECORD := var/statements

# Without the browser's tests nothing of the browser is loaded, and no test begins by asking for it.
NO_BROWSER := -p no:playwright --ignore-glob='tests/browser/test_*' -m "not browser"

test-quickly: collected check-quickly
	tests/in_memory.sh $(BIN)/pytest -n auto --dist loadgroup $(NO_BROWSER)

# A real browser without its windows, for which the tests wait: hence beside the others.
test-browser: collected check-quickly
	tests/in_memory.sh $(BIN)/pytest -n auto --dist loadgroup -m browser tests/browser

# Half as many processes as processors: two of the tests on SQLite keep two processors busy beside it, and each process
# collects its tests, makes its tables and loads programs and models for itself.
# Beside the others from the beginning: its tests wait for servers and for processes that are killed, and alone at the end they
# left a processor idle a quarter of the time.
test-on-postgresql: collected check-quickly
	tests/in_memory.sh tests/with_postgresql.sh $(BIN)/pytest -n $$((($$(nproc) + 1) / 2)) --dist loadgroup --fewest $(ON_POSTGRESQL)

# The same with more examples, with the whole browser, and with all tests on PostgreSQL, where a statement that no chosen
# test sends is told.
test-all: export ASSAY_PROPERTY_EXAMPLES = 5
test-all: export ASSAY_BLIND_OPENED = 2
test-all: export ASSAY_WHOLE_CHROMIUM = yes
test-all: export ASSAY_WHOLE_FOLDERS = yes
test-all: .venv/stamp-dev browser-set-up check
	tests/in_memory.sh $(BIN)/pytest -n auto --dist loadgroup $(NO_BROWSER)
	rm -rf $(RECORD) && mkdir -p $(RECORD)
	tests/in_memory.sh tests/with_postgresql.sh $(BIN)/pytest -n auto --dist loadgroup --record-statements $(RECORD) $(ON_POSTGRESQL)
	$(BIN)/python -m tests.on_postgresql $(RECORD) --check
	$(MAKE) test-browser

postgresql-tests: .venv/stamp-dev browser-set-up
	rm -rf $(RECORD) && mkdir -p $(RECORD)
	tests/in_memory.sh tests/with_postgresql.sh $(BIN)/pytest -n auto --dist loadgroup --record-statements $(RECORD) $(ON_POSTGRESQL)
	$(BIN)/python -m tests.on_postgresql $(RECORD)

lock: .venv/stamp
	$(BIN)/uv pip compile --quiet --generate-hashes --no-header --python-version 3.11 requirements.in -o requirements.txt
	$(BIN)/uv pip compile --quiet --generate-hashes --no-header --python-version 3.11 requirements-dev.in -o requirements-dev.txt
	$(BIN)/uv pip compile --quiet --generate-hashes --no-header --python-version 3.11 -c requirements.txt requirements-scoring.in requirements-text.in -o requirements-scoring.txt

# On a quiet machine: every figure is taken in turn. A run that was stopped goes on where it was.
SIZE ?= full
bench: .venv/stamp-dev
	$(BIN)/python -m bench --size $(SIZE)

openapi: .venv/stamp
	$(BIN)/python manage.py spectacular --file docs/openapi.yaml --validate

clean:
	rm -rf .venv var .mypy_cache .ruff_cache .pytest_cache
