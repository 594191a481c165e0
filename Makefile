# make run | test | lab | book | slides | present: each sets up .venv first, once, and again only when the pins change.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
WORKERS ?= auto
PDF     ?= --pdf

.PHONY: help run test lab book slides present refresh lint clean
help:
	@echo "make run      execute every notebook, in parallel (results in build/run)"
	@echo "make test     run every test: the code's, and every notebook's stored outputs"
	@echo "make lab      open JupyterLab on notebooks of your own (my), which no update overwrites"
	@echo "make book     build the site of the course (build/book/index.html)"
	@echo "make slides   build a deck for each chapter, and its PDF (build/slides/index.html)"
	@echo "make present  open JupyterLab to present a chapter live: code runs, explorers move"
	@echo "make refresh  execute the notebooks and store their outputs"
	@echo "make lint     check the style of code and notebooks"
	@echo "make clean    remove build results (not .venv)"

$(READY): install.py requirements.txt pyproject.toml
	$(PYTHON) install.py $(VENV)
	touch $@

run: $(READY)
	$(BIN)/course run

test: $(READY) lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --durations 12
	$(BIN)/course check

lab: $(READY)
	$(BIN)/course start

book: $(READY)
	$(BIN)/course book

slides: $(READY)
	$(BIN)/course slides $(PDF)

present: $(READY)
	@echo 'In JupyterLab: open a chapter, Run > Run All Cells, click its first cell, then the button "Toggle Deck".'
	$(BIN)/jupyter lab notebooks

refresh: $(READY)
	$(BIN)/course refresh

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check install.py src tests benchmarks

clean:
	rm -rf build .pytest_cache .ruff_cache .hypothesis
