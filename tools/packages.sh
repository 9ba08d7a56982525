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

# take_folder SCRIPT NAME [ARGUMENT]: of what a script is given, which may be --help or a folder,
# sets $folder: else it is NAME in the user's cache. Makes it, and waits for other processes.
take_folder() {
    case ${3-} in
    -h | --help)
        sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$1"
        exit 0
        ;;
    esac
    if [ "$#" -gt 3 ] || [ "${3+${3#-}}" != "${3-}" ]; then
        echo "${1##*/}: takes one FOLDER, and got: $3; see --help" >&2
        exit 2
    fi
    folder=${3:-${XDG_CACHE_HOME:-${HOME:?names no folder}/.cache}/clfold/$2}
    mkdir -p -- "$folder"
    folder=$(cd -- "$folder" && pwd -P)
    exec 9>"$folder.lock"
    flock 9
}

# need_pypi VENV MARK PACKAGE...: a virtual environment of Python with these packages, whose names
# stand in the file MARK once they are there.
need_pypi() {
    need_venv=$1 need_mark=$2
    shift 2
    if [ "$(cat "$need_mark" 2>/dev/null)" = "$*" ] && [ -x "$need_venv/bin/python3" ]; then
        return 0
    fi
    rm -f -- "$need_mark"
    # Debian's Python first: one of the user's own may come before it, without ensurepip.
    need_python=/usr/bin/python3
    "$need_python" -c 'import ensurepip, venv' 2>/dev/null || need_python=python3
    echo "Installing into $need_venv: $*" >&2
    if ! "$need_python" -m venv --clear -- "$need_venv" ||
        ! "$need_venv/bin/pip" install --quiet --disable-pip-version-check -- "$@"; then
        echo "pip could not install it; see above (on Debian it is in python3-venv)" >&2
        return 1
    fi
    printf '%s\n' "$*" >"$need_mark"
}
