#!/bin/sh
# Install the service, the nightly build and their settings: `make install-schedule` (or `sh deploy/install_schedule.sh`).
#
#   PREFIX=/opt/siaa   folder that the units shall name; by default this checkout
#   DESTDIR=/some/dir  dry run: write everything below this folder, needs neither root nor systemd
#   SIAA_CORPUS_DIR, SIAA_INDEX_DIR, SIAA_DATA_DIR, SIAA_VECTORS_DIR   folders that the units shall name
#
# Only copies files: users, folders and timers are made by the commands that it prints. An existing siaa.env stays.
# Exit codes: 0 installed, 1 nothing installed (no root, no systemd, or a path that units cannot hold).

set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${PREFIX:-$(dirname "$here")}
destdir=${DESTDIR:-}
corpus=${SIAA_CORPUS_DIR:-/srv/siaa/corpus}
index=${SIAA_INDEX_DIR:-/var/lib/siaa/indice}
data=${SIAA_DATA_DIR:-/var/lib/siaa/datos}
vectors=${SIAA_VECTORS_DIR:-$(dirname "$index")/vectores}

main() {
    for path in "$prefix" "$corpus" "$index" "$data" "$vectors"; do
        check_path "$path"
    done
    if [ -z "$destdir" ]; then
        [ "$(id -u)" = 0 ] || refuse "Instalar en /etc necesita ser root: repita con «sudo make install-schedule»."
        [ -d /run/systemd/system ] || refuse "Este equipo no arrancó con systemd."
    fi
    for unit in siaa.service siaa-index.service siaa-index.timer; do
        place "systemd/$unit" "/etc/systemd/system/$unit" 0644
    done
    place systemd/siaa.sysusers.conf /usr/lib/sysusers.d/siaa.conf 0644
    place systemd/siaa.tmpfiles.conf /usr/lib/tmpfiles.d/siaa.conf 0644
    if [ -e "$destdir/etc/siaa/siaa.env" ]; then
        printf 'se conserva  %s\n' "$destdir/etc/siaa/siaa.env"
    else
        place siaa.env /etc/siaa/siaa.env 0640
    fi
    next_steps
}

# The characters that systemd, sh and sed all take as they are.
check_path() {
    case "$1" in
        /*) ;;
        *) fail "La ruta «$1» debe ser absoluta." ;;
    esac
    case "$1" in
        *[!A-Za-z0-9/._+-]*) fail "La ruta «$1» tiene espacios o signos que una unidad de systemd no admite: use otra (si el programa irá a otra carpeta, PREFIX=/opt/siaa)." ;;
    esac
}

place() {
    target=$destdir$2
    mkdir -p "$(dirname "$target")"
    render "$here/$1" > "$target.nuevo"
    chmod "$3" "$target.nuevo"
    mv -f "$target.nuevo" "$target"
    printf 'instalado    %s\n' "$target"
}

# Put our folders in place of those from the factory. Homes are hidden from the units unless one of the folders is there.
render() {
    homes=yes
    case "$prefix:$corpus:$index:$data:$vectors" in
        *:/home/* | *:/root/* | /home/* | /root/*) homes=read-only ;;
    esac
    sed -e "s|/opt/siaa|$prefix|g" -e "s|/srv/siaa/corpus|$corpus|g" -e "s|/var/lib/siaa/indice|$index|g" \
        -e "s|/var/lib/siaa/datos|$data|g" -e "s|/var/lib/siaa/vectores|$vectors|g" -e "s|^ProtectHome=yes|ProtectHome=$homes|" "$1"
}

next_steps() {
    cat <<END

Falta (como root):
  systemd-sysusers siaa.conf && systemd-tmpfiles --create siaa.conf
  chgrp siaa /etc/siaa/siaa.env          # revise sus valores y ponga SIAA_ADMIN_TOKEN
  mkdir -p $corpus                       # y dentro, los documentos
  systemctl daemon-reload
  systemctl start siaa-index             # la primera construcción; su resultado: journalctl -u siaa-index
  systemctl enable --now siaa.service siaa-index.timer
Comprobar:
  systemctl list-timers siaa-index.timer && curl -s localhost:5000/readyz
END
}

refuse() {
    cat >&2 <<END
$1 No se instaló nada.
Para ver qué se instalaría:  make install-schedule DESTDIR=/una/carpeta
Sin systemd o sin ser root, «crontab -e» y esta línea (cada noche a las 2:30):
  30 2 * * * cd $prefix && .venv/bin/python -m indexer >>$prefix/index.log 2>&1 || echo "SIAA: la construcción terminó con el código \$?"
Como root y sin systemd: copie deploy/cron/siaa-index a /etc/cron.d/ con sus rutas.
END
    exit 1
}

fail() {
    printf '%s No se instaló nada.\n' "$1" >&2
    exit 1
}

main "$@"
