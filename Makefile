# Everything happens in .venv; the first call of any target makes it.
PYTHON ?= python3
BIN := .venv/bin
# Containers often forbid Python to keep what it has compiled: then every program that a test starts
# compiles all of Leadline anew, and pytest all tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup browser servers demo test test-oldest wheels licences lint bench docs verify fuzz peers lock audit sbom clean

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Leadline needs Python 3.11 or newer, this is %d.%d" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv || { \
	  rm -rf .venv; apt-get update -q && apt-get install -q -y python3-venv && $(PYTHON) -m venv .venv; }
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[charts,llm,oidc,web]' --group dev
	touch $@

# Pages are tested in a real browser; without one those tests skip and say why.
browser:
	@command -v chromium > /dev/null || { test "$$(id -u)" = 0 && apt-get update -q && \
	  apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core; } || \
	  echo "no chromium: for the tests of pages, install the Debian package chromium (as root: apt-get install chromium)"

# The judging app is tested on a real database server and behind a real proxy; without them those
# tests skip and say why.
servers:
	@{ ls /usr/lib/postgresql/*/bin/initdb && command -v caddy && { command -v nginx || ls /usr/sbin/nginx; }; } > /dev/null 2>&1 || \
	  { test "$$(id -u)" = 0 && apt-get update -q && \
	  apt-get install -q -y --no-install-recommends postgresql nginx-light caddy; } || \
	  echo "for the tests of the judging app's servers, install the Debian packages postgresql, nginx-light and caddy"

demo: setup
	$(BIN)/leadline demo --output demo-out

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The short form of every check, and all ordinary tests. Tests of one file stay together on one
# worker, which so starts the servers that they share once, until a worker has nothing left. Three
# workers keep two cores busy: there is always one that waits for a server or a browser.
test: lint browser servers
	$(BIN)/pytest -n 3 --dist worksteal -q -m "not slow"

# Every slow check in full, and other random examples than last time.
verify: lint browser servers
	LEADLINE_RANDOM_EXAMPLES=1 $(BIN)/pytest -n 2 -q

# The lower bounds of all dependencies, in an environment of their own.
test-oldest:
	test -x .venv-oldest/bin/python || $(PYTHON) -m venv .venv-oldest
	$(PYTHON) scripts/oldest.py > .venv-oldest/oldest.txt
	.venv-oldest/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv-oldest/bin/python -m pip install --quiet -r .venv-oldest/oldest.txt --group dev
	.venv-oldest/bin/python -m pip install --quiet --no-deps --editable .
	# What the newest of others says of the oldest of some is no fault of ours.
	.venv-oldest/bin/pytest -n 2 -q -m "not slow" -W "ignore::DeprecationWarning" tests

# The wheel in empty environments: every Python here, no extras and each of them, every verb.
wheels:
	$(PYTHON) scripts/wheel_matrix.py > docs/results/wheel-matrix.md

licences: setup
	$(BIN)/python scripts/licences.py > docs/licences.md

# Fixed versions with hashes of all that the judging app needs, for its deployment.
lock: setup
	$(BIN)/python -m pip install --quiet --group release
	$(BIN)/uv pip compile pyproject.toml --extra web --extra oidc --generate-hashes --universal --python-version 3.11 \
	  --upgrade --quiet --custom-compile-command "make lock" --output-file deploy/requirements.txt

# Known vulnerabilities of these versions; needs the network.
audit: setup
	$(BIN)/python -m pip install --quiet --group release
	$(BIN)/pip-audit --require-hashes --disable-pip --strict --requirement deploy/requirements.txt

# The components of the wheel and of these versions, as CycloneDX.
sbom: setup
	$(BIN)/python -m pip install --quiet --group release
	$(BIN)/python -m build --wheel --outdir dist
	$(BIN)/cyclonedx-py requirements deploy/requirements.txt --pyproject pyproject.toml --output-reproducible -o dist/leadline.cdx.json

# Attack every reader for an hour: changes of a corpus, then atheris, if it installs.
FUZZ_SECONDS ?= 3600
fuzz: setup
	-$(BIN)/python -m pip install --quiet --group fuzz
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) --seed $$(date +%s)
	LEADLINE_RANDOM_EXAMPLES=1 $(BIN)/pytest -q tests/fuzz/test_peers.py

# What other tools do with bad and odd inputs, written into docs/peers.md.
peers: setup
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python -m scripts.peers

bench: setup
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python -m benchmarks.evaluate
	$(BIN)/python -m benchmarks.verbs
	$(BIN)/python -m benchmarks.diversity
	$(BIN)/python -m benchmarks.inferred
	$(BIN)/python -m benchmarks.estimators src/leadline/demo/collection --depth 5
	$(BIN)/python -m benchmarks.orders src/leadline/demo/collection
	$(BIN)/python -m benchmarks.likely
	$(BIN)/python -m benchmarks.anytime
	$(BIN)/python -m benchmarks.compare
	$(BIN)/python -m benchmarks.adjusters src/leadline/demo/collection --depth 5
	$(BIN)/python -m benchmarks.pages src/leadline/demo/collection
	$(BIN)/python -m benchmarks.judging src/leadline/demo/collection/runs --seconds 20

# The documentation as a site in docs-out; nothing is fetched when it is built or read.
docs: setup
	$(BIN)/python -m pip install --quiet --group docs
	PYTHONPATH=. $(BIN)/zensical build --config-file mkdocs.yml
	@echo "to read it with its search: python3 -m http.server --bind 127.0.0.1 --directory docs-out"

clean:
	rm -rf .venv .venv-oldest demo-out bench-data docs-out fuzz-found dist
