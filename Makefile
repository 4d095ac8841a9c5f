# Everything a fresh machine needs: Python 3.11 or newer, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test check types imports chromium docs slow soak faults perf bugs pictures clean

run: $(VENV)/installed ## try it: the embedded model in every role, a board and a report
	$(BIN)/interplay run role_play --html report.html

test: check chromium ## all checks and tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow and not soak"

check: $(VENV)/developed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(MAKE) --jobs 2 types imports

types: $(VENV)/developed
	$(BIN)/mypy

imports: $(VENV)/developed
	$(BIN)/lint-imports --no-logo

chromium: # the browser that pages are tested in; CHROMIUM names another
	@test -n "$(CHROMIUM)" || command -v chromium > /dev/null || \
		(apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y chromium)

docs: $(VENV)/developed ## the documentation site, into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

slow: $(VENV)/developed ## the tests that take minutes
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

soak: $(VENV)/developed ## the long fault runs
	$(BIN)/python -m pytest -n 2 --dist worksteal -m soak

faults: $(VENV)/developed chromium ## the fault table: every fault, the long runs too, written to docs/faults.md; takes long
	$(BIN)/python -m tests.faults.table --write

perf: $(VENV)/measured ## measure the program itself, side by side with a bare loop; takes minutes
	$(BIN)/python -m perf --write

bugs: $(VENV)/developed ## seed 60 bugs in copies of the source, one by one: the tests must catch 57; takes minutes
	$(BIN)/python -m tests.seeded_bugs

pictures: $(VENV)/developed chromium ## take the README's pictures anew
	$(BIN)/python -m tests.browser.pictures docs/pictures

clean:
	rm -rf $(VENV)

$(VENV)/made:
	$(PYTHON) -m venv $(VENV) || (apt-get update && apt-get install -y python3-venv && $(PYTHON) -m venv $(VENV))
	$(BIN)/pip install --quiet --upgrade pip
	touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/measured: $(VENV)/developed
	$(BIN)/pip install --quiet --editable ".[dev,perf]"
	touch $@

$(VENV)/developed: $(VENV)/made pyproject.toml
	$(BIN)/pip install --quiet --no-compile --editable ".[dev]"
	$(BIN)/python -c "from interplay.models import embedded, sentences; embedded.fetch(); sentences.fetch()"
	touch $@
