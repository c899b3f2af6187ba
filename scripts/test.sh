#!/bin/sh
# test.sh: every test of the module, with the race detector, in shuffled order.
# Arguments are given on to go test; without any it tests ./...
# What each test did is left in .tools/test.json.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
if ! command -v "$go" >/dev/null 2>&1; then
	echo "make test needs Go: see https://go.dev/doc/install" >&2
	exit 1
fi

# The race detector links with C. Say so here, instead of in the linker's words.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cc=$("$go" env CC)
printf '#include <stdlib.h>\nint main(void) { return 0; }\n' >"$scratch/probe.c"
# CC may be a command with arguments.
# shellcheck disable=SC2086
if ! $cc -o "$scratch/probe" "$scratch/probe.c" -lpthread >"$scratch/cc.log" 2>&1; then
	cat >&2 <<END
The tests run with Go's race detector, and that needs a working C compiler.
"$cc" does not work here:
$(sed 's/^/    /' "$scratch/cc.log")
Debian, Ubuntu:  apt-get install gcc libc6-dev
macOS:           xcode-select --install
END
	exit 1
fi
export CGO_ENABLED=1
# A process with the race detector sleeps for a second at its end, to let goroutines
# that are still there run into a race. What it has found by then it has said already,
# and its exit code tells; a second for each test binary and each of the thousand
# processes that the tests start is most of the time that the tests would take.
export GORACE="atexit_sleep_ms=0 ${GORACE:-}"

summary=yes
sh scripts/tool.sh gotestsum || summary=no

[ $# -gt 0 ] || set -- ./...
# go vet is part of make lint, whole; here it would read every dependency again.
# The build's flags are in the environment, so that a test that runs the go command
# (archtest lists the tree with its types) finds everything compiled already.
# What was translated from C to Go (SQLite and its C library) allocates outside Go's
# heap, where the race detector does not look: but for its global variables it would be
# instrumented for nothing, and take twice the time. The driver around it, in
# modernc.org/sqlite, is Go and is looked at.
# Whole-program tests wait for processes more than they compute: four at a time.
# The whole-program tests of cmd/brenner take minutes: on a busy machine more than the
# 10 that go test allows a package.
export GOFLAGS="${GOFLAGS:-} -race -gcflags=modernc.org/libc=-race=false -gcflags=modernc.org/sqlite/lib=-race=false"
set -- -shuffle=on -vet=off -parallel=4 -timeout=30m "$@"
rm -f .tools/test.json
if [ $summary = yes ]; then
	.tools/gotestsum --format standard-quiet --jsonfile .tools/test.json \
		-- "$@" </dev/null
else
	echo "gotestsum could not be installed: running go test without its summary" >&2
	"$go" test "$@" </dev/null
fi
