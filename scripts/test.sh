#!/bin/sh
# test.sh: every test of the module in shuffled order, with the race detector where
# anything runs concurrently. Arguments are passed to go test (see test-runs.sh).
# The results are in .tools/test.json.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
if ! command -v "$go" >/dev/null 2>&1; then
	echo "make test needs Go: see https://go.dev/doc/install" >&2
	exit 1
fi

# The race detector needs a C compiler. Check for it here, for a clearer message.
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
# The race detector makes a process sleep for a second at exit, so that remaining
# goroutines can run into a race. With a thousand processes started by the tests, this
# would be most of their time. Races found before are still reported.
export GORACE="atexit_sleep_ms=0 ${GORACE:-}"

summary=yes
sh scripts/tool.sh gotestsum || summary=no

rm -f .tools/test.json
if [ $summary = yes ]; then
	.tools/gotestsum --format standard-quiet --jsonfile .tools/test.json \
		--raw-command -- sh scripts/test-runs.sh -json "$@"
else
	echo "cannot install gotestsum: running go test without its summary" >&2
	sh scripts/test-runs.sh "$@"
fi
