#!/bin/sh
# lint.sh: all static checks.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
sh scripts/tool.sh golangci-lint

failed=0
step() {
	echo "== $*"
	"$@" || failed=1
}

# gofmt over all files, including those for other platforms and in testdata.
# shellcheck disable=SC2317 # called by step
formatted() {
	unformatted=$(find . -name '.?*' -prune -o -name '*.go' -exec gofmt -l {} +) || return 1
	[ -n "$unformatted" ] || return 0
	echo "not formatted, run gofmt -w on these:"
	echo "$unformatted"
	return 1
}

# The scripts in Python have no syntax errors. Without Python, nothing here uses them.
# shellcheck disable=SC2317 # called by step
parsed() {
	command -v python3 >/dev/null || return 0
	find scripts -name '*.py' -exec python3 -c '
import ast, sys
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as f:
        ast.parse(f.read(), name)' {} +
}

step formatted
step parsed
step "$go" vet ./...
step .tools/golangci-lint run ./...
step "$go" vet -C engine/temporal ./...
step env -C engine/temporal ../../.tools/golangci-lint run -c ../../.golangci.yml ./...
step "$go" test -count=1 -run '^TestPlainEnglish' ./internal/archtest
exit "$failed"
