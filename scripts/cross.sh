#!/bin/sh
# cross.sh: compiles all packages and links the program for each platform.
# linux and darwin are supported; windows must compile.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

failed=
for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do
	if GOOS=${platform%/*} GOARCH=${platform#*/} CGO_ENABLED=0 sh -c '
		"$1" build ./... && "$1" build -o "$2/" ./cmd/...' sh "$go" "$scratch"; then
		echo "$platform compiles"
	else
		echo "$platform does not compile" >&2
		failed=1
	fi
done
[ -z "$failed" ]
