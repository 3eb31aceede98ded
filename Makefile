# SIAA: órdenes de uso diario. `make` a solas las enumera. Todas obedecen las variables SIAA_*
# (README.es.md), también escritas detrás de la orden: make serve SIAA_PORT=8080

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# Relative on purpose: make cannot hold a path with spaces, and `make -C` enters the folder first.
PY := .venv/bin/python
# For pytest and the evaluation, e.g. make test ARGS="-k fragmento -x", make eval ARGS=--write
ARGS ?=
# Where the question sets are, and which of them: make eval SETS="sierju xquad_es"
EVAL_DIR ?= ../shared/eval
SETS ?=
EVAL = --carpeta '$(EVAL_DIR)' $(if $(strip $(SETS)),--conjuntos $(SETS)) $(ARGS)

.PHONY: help run test index serve model eval eval-typos eval-ablate bench soak check format clean install-schedule test-deploy entorno entorno-desarrollo

help: ## Muestra esta lista
	@printf 'Uso: make <orden> [PYTHON=python3.12] [SIAA_PORT=8080 ...]\n\n'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1:\2/p' Makefile | \
	 while IFS=: read -r name text; do printf '  %-16s %s\n' $$name "$$text"; done

run: entorno ## Instala lo que falte, pone al día el índice y sirve hasta Ctrl-C
	@$(PY) -m indexer || { code=$$?; [ $$code != 2 ] || exit 2; \
	 printf '\nEl índice no se pudo poner al día (código %s). Si había uno anterior sigue intacto: make serve lo sirve.\n' $$code >&2; \
	 exit $$code; }
	@exec $(PY) -m service

index: entorno ## Construye el índice con los documentos de corpus/ (si algo cambió)
	@exec $(PY) -m indexer

serve: entorno ## Sirve el índice ya construido, sin revisarlo antes
	@exec $(PY) -m service

model: entorno ## Descarga y comprueba el modelo de lenguaje propio (1,1 GB); «make run» lo usa desde entonces
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-embedded.txt
	@exec $(PY) -m service.own_model.model_weights

test: entorno-desarrollo ## Corre las pruebas (ARGS="..." se pasa a pytest)
	@exec $(PY) -m pytest $(ARGS)

eval: entorno ## Mide el servicio con los conjuntos de EVAL_DIR (SETS="a b", ARGS=--write guarda)
	@exec $(PY) -m tests.eval $(EVAL)

eval-typos: entorno ## Mide lo que cuestan los errores de tecleo y las otras escrituras
	@code=0; for what in typos spellings; do $(PY) -m tests.eval.$$what $(EVAL) || code=$$?; done; exit $$code

eval-ablate: entorno ## Mide qué aporta cada señal y escribe la tabla de docs/ranking.md
	@exec $(PY) -m tests.eval.ablate $(EVAL)

bench: entorno ## Mide SIAA junto a otros motores y escribe docs/rendimiento.md (ARGS="--corpus CARPETA")
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.txt
	@exec $(PY) -m tests.bench $(ARGS)

check: entorno-desarrollo ## Revisa estilo, tipos y contratos de importación
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -c 'from importlinter.cli import lint_imports_command as c; c()' --no-logo

format: entorno-desarrollo ## Da formato al código y corrige lo que se corrige solo
	$(PY) -m ruff check --fix-only .
	$(PY) -m ruff format .

install-schedule: ## Instala el servicio y la construcción nocturna (DESTDIR=carpeta: ensayo; PREFIX=/opt/siaa)
	@exec env PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' sh deploy/install_schedule.sh

soak: entorno-desarrollo ## Corre a lo largo las pruebas de aguante (de diez minutos a media hora)
	@SOAK=1 exec $(PY) -m pytest tests/soak -s $(ARGS)

test-deploy: entorno-desarrollo ## Comprueba deploy/ con systemd, cron y nginx de verdad
	@exec $(PY) -m pytest tests/deploy/real_*.py $(ARGS)

clean: ## Borra .venv, cachés y las generaciones de index_data (ni SIAA_INDEX_DIR, ni datos*/, ni auditoria.jsonl)
	if [ -d index_data ]; then find index_data -mindepth 1 -maxdepth 1 ! -name auditoria.jsonl -exec rm -rf {} +; fi
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

entorno:
	@sh scripts/entorno.sh ejecucion

entorno-desarrollo:
	@sh scripts/entorno.sh desarrollo
