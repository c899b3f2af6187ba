#!/bin/sh
# engine.sh: the tests of engine/temporal. Builds the Temporal server of engine/temporal/testserver and tests with it.
# Without anything in Go's build cache, that takes many minutes: if it is not done after LIMIT seconds (1500), only the
# tests that need no server are run, and the next run continues to build. FULL=1 makes that an error.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
limit=${LIMIT:-1500}
server=$PWD/.tools/temporal-server
module=engine/temporal
mkdir -p .tools

begin=$(date +%s)
if timeout --signal=INT --kill-after=10 "$limit" "$go" build -C "$module/testserver" -o "$server" .; then
	echo "the Temporal server is built, after $(($(date +%s) - begin)) s"
	(cd "$module/testserver" && "$go" mod tidy -diff && "$go" vet .)
	BRENNER_TEST_TEMPORAL=$server "$go" test -C "$module" -count=1 -timeout 60m "$@" ./...
	exit
fi
echo "the Temporal server could not be built within $limit s: testing without it" >&2
[ -z "${FULL:-}" ] || exit 1
"$go" test -C "$module" -count=1 -skip '^TestOnServer' ./...
