#!/bin/sh
# engine.sh: the tests of engine/temporal. Builds the Temporal server of engine/temporal/testserver and tests with it.
# Without anything in Go's build cache, that takes many minutes: if it is not done after LIMIT seconds (1500), only the
# tests that need no server are run, and the next run continues to build. FULL=1 builds for an hour, and makes that an error.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
limit=${LIMIT:-${FULL:+3600}}
limit=${limit:-1500}
server=$PWD/.tools/temporal-server
module=engine/temporal
log=$PWD/.tools/engine.log
mkdir -p .tools

# run tests, and fails if one is skipped. Tests that kill a worker wait for its leases: four run in parallel.
run() {
	rm -f "$log.failed"
	{ "$go" test -C "$module" -count=1 -v -parallel 4 -timeout 3h "$@" ./... 2>&1 || : >"$log.failed"; } | tee "$log" |
		grep --line-buffered -vE '^ *\{"level":"debug"|^20[0-9/]+ [0-9:]+ (DEBUG|INFO|ERROR)|^=== |^ +--- PASS' || true
	if grep -E '^ *--- SKIP' "$log"; then
		echo "skipped tests are not allowed here" >&2
		return 1
	fi
	[ ! -e "$log.failed" ]
}

begin=$(date +%s)
if timeout --signal=INT --kill-after=10 "$limit" "$go" build -C "$module/testserver" -o "$server" .; then
	echo "the Temporal server is built, after $(($(date +%s) - begin)) s"
	(cd "$module/testserver" && "$go" mod tidy -diff) # go vet would read a thousand packages
	export BRENNER_TEST_TEMPORAL="$server"
	run "$@"
	echo "note: $(grep -c '^--- PASS: TestOnServer' "$log") tests with a real Temporal server"
	exit
fi
echo "the Temporal server could not be built within $limit s: testing without it" >&2
[ -z "${FULL:-}" ] || exit 1
run -skip '^TestOnServer'
echo "note: WITHOUT a Temporal server: $(grep -rh '^func TestOnServer' "$module" | wc -l) tests were not run"
