#!/bin/sh
# test-runs.sh [-json] [arguments of go test]: the runs of go test of which test.sh consists.
# Without arguments, pure packages, in which nothing runs concurrently, and archtest are tested
# without the race detector, several times faster, and all others with it. With arguments, the
# race detector is used for all. All runs take place, and any failure is one of the whole.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
json=
if [ "${1:-}" = -json ]; then
	json=-json
	shift
fi
# go vet is part of make lint; here it would read every dependency again.
# Tests that run the program mostly wait for processes: four run in parallel. Those of
# cmd/brenner may take more than the default timeout of 10 minutes on a busy machine.
run() {
	"$go" test $json -shuffle=on -vet=off -parallel=4 -timeout=45m "$@" </dev/null
}

# Not instrumented are libraries that would take most of the time and share nothing that
# changes: SQLite, translated from C to Go, which allocates outside Go's heap, where the race
# detector does not look (its driver, modernc.org/sqlite, is instrumented); the tokenizer and
# its matcher, which every session starts; the parser of regular expressions; and a
# validator of JSON Schemas that only tests use.
raced="${GOFLAGS:-} -race"
for plain in modernc.org/libc modernc.org/sqlite/lib github.com/tiktoken-go/tokenizer/... \
	github.com/dlclark/regexp2/v2/... regexp/syntax github.com/santhosh-tekuri/jsonschema/v6/...; do
	raced="$raced -gcflags=$plain=-race=false"
done

if [ $# -gt 0 ]; then
	export GOFLAGS="$raced"
	run "$@"
	exit
fi
failed=0
all=$("$go" list -f '{{.ImportPath}} .{{slice .ImportPath (len .Module.Path)}}' ./...)
rest=$(printf '%s\n' "$all" |
	awk 'NR == FNR { plain[$1] = 1; next } !($2 in plain) && $2 != "./internal/archtest" { print $1 }' scripts/pure.txt -)
# archtest compares the list of pure packages with its table.
# shellcheck disable=SC2046 # one argument for each line
run $(cat scripts/pure.txt) || failed=1
# archtest runs the go command, with the build flags of the packages below: both use the same
# compiled packages.
run -exec "env 'GOFLAGS=$raced'" ./internal/archtest || failed=1
export GOFLAGS="$raced"
# shellcheck disable=SC2086 # one argument for each line
run $rest || failed=1
# The law of replies, which reads from several goroutines, with a few of its replies.
export BRENNER_TEST_REPLIES=200
run -run '^TestLawRepliesAreAccountedFor$' ./artifact/delta || failed=1
exit $failed
