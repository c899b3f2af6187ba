#!/bin/sh
# real-clients.sh: installs pinned versions of nine agent programs, the MCP inspector, the MCP
# conformance suite, and the TypeScript and Python SDKs of MCP (once, 2.5 GB), and runs the tests
# that use them against a model and a mail server on loopback. They are kept outside the
# repository, in the user's cache directory. Arguments are passed to go test; -update writes the
# table in docs/programs.md.
# Needs npm with node 20 or later, and Python 3.11 to 3.13 with
# venv; a newer node, which some of them need, is installed as well.
# `real-clients.sh --install` only installs.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
place=${XDG_CACHE_HOME:-$HOME/.cache}/brenner-real-clients

for tool in node npm; do
	if ! command -v "$tool" >/dev/null 2>&1; then
		echo "make real-clients needs npm and node 20 or later: $tool not found" >&2
		exit 1
	fi
done
if [ "$(node -p 'parseInt(process.versions.node)')" -lt 20 ]; then
	echo "make real-clients needs node 20 or later, found $(node --version)" >&2
	exit 1
fi
python=$(sh scripts/python.sh)

# package@version; of opencode the program itself, which its package's script would copy.
clients="
	@openai/codex@0.166.0
	@google/gemini-cli@0.61.0
	$(node -p '`opencode-${process.platform}-${process.arch}@1.18.33`')
	@qwen-code/qwen-code@0.24.4
	@continuedev/cli@1.5.47
	cline@3.0.65
	@mariozechner/pi-coding-agent@0.73.1
	@modelcontextprotocol/inspector@2.12.0
	@modelcontextprotocol/conformance@0.2.0-alpha.12
	@modelcontextprotocol/client@2.4.0
	$(node -p '`node-${process.platform}-${process.arch}@22.23.3`')
"

# Read the version from the installed package.
installed() {
	[ "$(node -p 'require(require("path").resolve(process.argv[1])).version' "$place/node_modules/${1%@*}/package.json" 2>/dev/null)" = "${1##*@}" ]
}

# Each program in Python has its own environment, from a list of all its packages, made beside the
# installation of the others. aider declares that it needs Python 3.12 or earlier, for its packages, which
# the list replaces.
program() {
	name=$1 pinned=scripts/real-clients/$1.txt
	cmp -s "$pinned" "$place/programs/$name/requirements.txt" && "$place/programs/$name/bin/python" -c '' 2>/dev/null && return
	echo "installing $pinned into $place/programs/$name" >&2
	"$python" -m venv --clear "$place/programs/$name"
	"$place/programs/$name/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --ignore-requires-python --only-binary :all: -r "$pinned" >&2
	mkdir -p "$place/bin"
	ln -sf "../programs/$name/bin/$name" "$place/bin/$name"
	cp "$pinned" "$place/programs/$name/requirements.txt" # last
}
{ program llm; program aider; } &
pip=$!

for client in $clients; do
	if ! installed "$client"; then
		echo "installing" $clients "into $place" >&2
		mkdir -p "$place"
		# No package scripts run. A package.json of its own keeps npm from searching the
		# parent directories.
		printf '{"private": true}\n' >"$place/package.json"
		# shellcheck disable=SC2086 # several words
		npm install --prefix "$place" --no-audit --no-fund --ignore-scripts --loglevel=error $clients >&2
		break
	fi
done

# The Python SDK and FastMCP. The copy of the list is written last.
pinned=scripts/real-clients/requirements.txt
if ! cmp -s "$pinned" "$place/python/requirements.txt" || ! "$place/python/bin/python" -c 'import mcp, fastmcp' 2>/dev/null; then
	echo "installing $pinned into $place/python" >&2
	"$python" -m venv --clear "$place/python"
	"$place/python/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: -r "$pinned" >&2
	cp "$pinned" "$place/python/"
fi

mkdir -p "$place/bin"
ln -sf "../node_modules/$(node -p '`opencode-${process.platform}-${process.arch}`')/bin/opencode" "$place/bin/opencode"
wait "$pip"
[ "${1:-}" = --install ] && exit 0

packages="./agent/program/... ./cmd/brenner"
for argument; do
	[ "$argument" = -update ] && packages=./cmd/brenner # only its tests have the flag
done
BRENNER_REAL_CLIENTS=$place
export BRENNER_REAL_CLIENTS
# shellcheck disable=SC2086 # several words
exec "$go" test -race -count=1 -timeout 15m -tags realclients -run '^TestReal' $packages "$@" </dev/null
