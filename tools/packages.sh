# shellcheck shell=sh
# need_packages PACKAGE...: installs the Debian packages that are missing. For `.`, in sh.

# Whether the Debian package $1 is installed.
has_package() {
    # shellcheck disable=SC2016 # the field's name is dpkg-query's to expand
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Runs a command as root, quietly; its output is shown if it fails.
as_root() {
    if [ "$(id -u)" -ne 0 ]; then
        set -- sudo "$@"
    fi
    if ! as_root_said=$("$@" </dev/null 2>&1); then
        printf '%s\n' "$as_root_said" >&2
        return 1
    fi
}

# Returns 1 with a sentence if they cannot be installed. A system without apt-get is told
# what it needs, and may have it under other names.
need_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        echo "This system has no apt-get; needed is what Debian has as: $*"
        return 0
    fi
    need_missing=
    for need_package; do
        has_package "$need_package" || need_missing="$need_missing $need_package"
    done
    [ -n "$need_missing" ] || return 0
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        echo "Missing packages, and neither root nor sudo to install them:$need_missing" >&2
        return 1
    fi
    echo "Installing with apt-get:$need_missing"
    # A list of packages that is old, or that one source of many refuses, may still do.
    as_root apt-get update -q || echo "apt-get update failed; trying to install" >&2
    # shellcheck disable=SC2086 # one word a package
    if ! as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends $need_missing; then
        echo "apt-get could not install:$need_missing" >&2
        return 1
    fi
}
