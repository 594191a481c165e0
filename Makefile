# make run | test | test-all | lab | book | slides | present: each sets up .venv first, once, and again only when the pins change.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
BOOK   := $(VENV)/.ready-book
TESTED := $(VENV)/.ready-test
WORKERS ?= auto
PDF     ?= --pdf

.PHONY: help run test test-all lab book slides present refresh lint pins clean
help:
	@echo "make run      run every notebook, in parallel (results in build/run)"
	@echo "make test     check the style, the code and every notebook's stored outputs"
	@echo "make test-all the same, with the tests that need to run only once a week"
	@echo "make lab      open JupyterLab on your own copies of the notebooks, in the folder my"
	@echo "make book     build the website of the course (build/book/index.html)"
	@echo "make slides   turn each chapter into a talk, slides and a PDF (build/slides/index.html)"
	@echo "make present  open JupyterLab to give a talk live"
	@echo "make refresh  run the notebooks and store their outputs"
	@echo "make lint     check the style of code and notebooks"
	@echo "make pins     write what pyproject.toml asks for into requirements*.txt (U=--upgrade: all of it new)"
	@echo "make clean    remove build results (not .venv)"

$(READY): install.py requirements.txt pyproject.toml
	$(PYTHON) install.py $(VENV)

$(BOOK): install.py requirements.txt requirements-book.txt pyproject.toml
	$(PYTHON) install.py $(VENV) --book

$(TESTED): install.py requirements.txt requirements-book.txt requirements-grade.txt requirements-test.txt pyproject.toml
	$(PYTHON) install.py $(VENV) --book --grade --test

run: $(READY)
	$(BIN)/course run

test: $(TESTED)
	WORKERS=$(WORKERS) $(BIN)/python -m tests

test-all: $(TESTED)
	WORKERS=$(WORKERS) $(BIN)/python -m tests --all

lab: $(READY)
	$(BIN)/course start

book: $(BOOK)
	$(BIN)/course book

slides: $(BOOK)
	$(BIN)/course slides $(PDF)

present: $(BOOK)
	$(BIN)/course present

refresh: $(READY)
	$(BIN)/course refresh

lint: $(TESTED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check install.py src tests benchmarks

# What PyTorch's build with CUDA needs is pinned by that build, and no other needs it.
TORCH := torch==2.13.0
CUDA := cuda-bindings cuda-toolkit nvidia-cudnn-cu13 nvidia-cusparselt-cu13 nvidia-nccl-cu13 nvidia-nvshmem-cu13 triton
COMPILE = echo $(TORCH) > $(VENV)/.torch; printf '%s\n' $(CUDA) | UV_CUSTOM_COMPILE_COMMAND='make pins' $(BIN)/uv pip compile --quiet \
	--universal --python-version 3.11 --generate-hashes --no-annotate --no-emit-package torch --constraint $(VENV)/.torch --excludes - $(U) pyproject.toml

pins: $(READY)
	$(COMPILE) -o requirements.txt
	$(COMPILE) --extra book --excludes requirements.txt -o requirements-book.txt
	$(COMPILE) --extra grade --excludes requirements.txt -o requirements-grade.txt
	$(COMPILE) --extra test --extra book --extra grade --excludes requirements.txt \
		--excludes requirements-book.txt --excludes requirements-grade.txt -o requirements-test.txt

clean:
	rm -rf build .pytest_cache .ruff_cache .hypothesis
