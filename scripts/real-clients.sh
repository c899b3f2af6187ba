#!/bin/sh
# real-clients.sh: installs pinned versions of codex, gemini, the MCP inspector, the MCP
# conformance suite, and the TypeScript and Python SDKs of MCP into .tools/real-clients
# (once), and runs the tests that use them against a model and a mail server on loopback.
# Arguments are passed to go test. Needs npm and node 20 or later; a newer node, which some
# of them need, is installed as well. Needs Python 3.10 or later with venv.
# `real-clients.sh --install` only installs.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
place=.tools/real-clients

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

# package@version
clients="
	@openai/codex@0.166.0
	@google/gemini-cli@0.61.0
	@modelcontextprotocol/inspector@2.12.0
	@modelcontextprotocol/conformance@0.2.0-alpha.12
	@modelcontextprotocol/client@2.4.0
	$(node -p '`node-${process.platform}-${process.arch}@22.23.3`')
"

# Read the version from the installed package.
installed() {
	[ "$(node -p 'require(require("path").resolve(process.argv[1])).version' "$place/node_modules/${1%@*}/package.json" 2>/dev/null)" = "${1##*@}" ]
}

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
	if ! python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
		echo "make real-clients needs Python 3.10 or later with venv (Debian: apt-get install python3-venv)" >&2
		exit 1
	fi
	echo "installing $pinned into $place/python" >&2
	python3 -m venv --clear "$place/python"
	"$place/python/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: -r "$pinned" >&2
	cp "$pinned" "$place/python/"
fi
[ "${1:-}" = --install ] && exit 0

BRENNER_REAL_CLIENTS=$PWD/$place
export BRENNER_REAL_CLIENTS
exec "$go" test -race -count=1 -tags realclients -run '^TestReal' "$@" ./agent/program/... ./cmd/brenner </dev/null
