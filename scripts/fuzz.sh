#!/bin/sh
# fuzz.sh: runs every fuzz target of the module for FUZZTIME each.
# FUZZ is a regular expression that selects "package target" lines.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
time=${FUZZTIME:-60s}

# go test -list prints a package's targets, then its "ok" line.
list=$("$go" test -list '^Fuzz' ./...) || {
	printf '%s\n' "$list"
	echo "the tests do not compile: no targets to run" >&2
	exit 1
}
targets=$(printf '%s\n' "$list" | awk '
	/^Fuzz/ { name[n++] = $1 }
	/^ok/ { for (i = 0; i < n; i++) print $2, name[i]; n = 0 }' | grep -E -- "${FUZZ:-.}" || true)
if [ -z "$targets" ]; then
	echo "no fuzz target found" >&2
	exit 1
fi
count=$(printf '%s\n' "$targets" | wc -l | tr -d ' ')
echo "$count fuzz targets, $time each"

# fuzz_one runs one target. When the time runs out while a worker is busy, go
# test may fail with "context deadline exceeded" although nothing was found
# (golang/go#75804). A real finding always names the input that it wrote, or
# how its process ended, so only that bare message is ignored, and not shown as
# a failure.
fuzz_one() {
	# Minimising inputs that are merely new would take most of the time.
	if "$go" test -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 20x "$1" </dev/null >"$log" 2>&1; then
		cat "$log"
		return 0
	fi
	if grep -q '^ *context deadline exceeded$' "$log" &&
		! grep -Eq 'Failing input|panic:|fuzzing process|fatal error|[a-z_]+_test\.go:[0-9]+:' "$log"; then
		grep '^fuzz:' "$log"
		echo "the time ran out while a worker was busy (golang/go#75804); nothing was found"
		return 0
	fi
	cat "$log"
	return 1
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=
number=0
while read -r package target; do
	number=$((number + 1))
	echo "== $number/$count $package $target"
	fuzz_one "$package" "$target" || failed="$failed
  $package $target"
done <<END
$targets
END

if [ -n "$failed" ]; then
	echo "fuzzing failed (the input is in the package's testdata/fuzz):$failed" >&2
	exit 1
fi
echo "$count fuzz targets ran, none failed"
