# Two commands do everything: `make site` ends with the built site, `make test` runs what CI runs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: site test quick lint serve bench lock clean

site: $(STAMP)          ## build the site of this registry into site/
	$(BIN)/kvdocs check
	$(BIN)/kvdocs build --strict
	@echo "open site/index.html"

test: $(STAMP)          ## linters, types, fast tests, then the slow ones
	$(MAKE) lint
	$(BIN)/pytest -m "not slow and not browser" -n 2
	$(BIN)/pytest -m "slow and not browser" -n 2 --dist loadscope
	$(BIN)/pytest -m browser

quick: $(STAMP) lint    ## linters, types and the fast tests
	$(BIN)/pytest -m "not slow and not browser" -n 2

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy

serve: $(STAMP)         ## the site at http://127.0.0.1:8000, rebuilt on each edit
	$(BIN)/kvdocs serve

bench: $(STAMP)         ## registries of 100 to 10,000 records, measured as whole processes
	$(BIN)/python -m benchmarks

$(STAMP): pyproject.toml requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

lock:                   ## pin every dependency with its hashes, from pyproject.toml
	$(PYTHON) -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb')); print(*p['project']['dependencies'], *(d for e in p['project']['optional-dependencies'].values() for d in e), *p['dependency-groups']['test'], p['build-system']['requires'][0], 'editables', sep='\n')" > build/requirements.in
	pip-compile --quiet --allow-unsafe --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --strip-extras --output-file requirements.lock build/requirements.in

clean:
	rm -rf $(VENV) build site .kvdocs
