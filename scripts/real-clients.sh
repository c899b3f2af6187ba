#!/bin/sh
# real-clients.sh: installs the real codex and the real gemini, pinned, into
# .tools/real-clients (once), and runs the tests that ask them, against a model on
# loopback. Arguments are given on to go test. Needs node 20 or later, and npm.
# `real-clients.sh --install` only installs.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
codex=0.166.0
gemini=0.61.0
place=.tools/real-clients

for tool in node npm; do
	if ! command -v "$tool" >/dev/null 2>&1; then
		echo "make real-clients needs node 20 or later, with npm: $tool is not there" >&2
		exit 1
	fi
done
if [ "$(node -p 'parseInt(process.versions.node)')" -lt 20 ]; then
	echo "make real-clients needs node 20 or later; this is $(node --version)" >&2
	exit 1
fi

# The package itself says what it is.
installed() {
	[ -x "$place/node_modules/.bin/$1" ] &&
		[ "$(node -p 'require(require("path").resolve(process.argv[1])).version' "$place/node_modules/$2/package.json" 2>/dev/null)" = "$3" ]
}

if ! installed codex @openai/codex "$codex" || ! installed gemini @google/gemini-cli "$gemini"; then
	echo "installing codex $codex and gemini $gemini into $place" >&2
	mkdir -p "$place"
	# No script of a package runs; a package.json of its own keeps npm from looking
	# for one above.
	printf '{"private": true}\n' >"$place/package.json"
	npm install --prefix "$place" --no-audit --no-fund --ignore-scripts --loglevel=error \
		"@openai/codex@$codex" "@google/gemini-cli@$gemini" >&2
fi
[ "${1:-}" = --install ] && exit 0

BRENNER_REAL_CLIENTS=$PWD/$place
export BRENNER_REAL_CLIENTS
exec "$go" test -race -count=1 -tags realclients -run '^TestReal' "$@" ./agent/program/... ./cmd/brenner </dev/null
