#!/bin/sh
# tool.sh NAME: installs a development tool into .tools/, unless the pinned version,
# built with the current Go, is already installed. The versions are defined here.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
case ${1:-} in
gotestsum)
	module=gotest.tools/gotestsum
	package=$module
	version=v1.13.0
	;;
golangci-lint)
	module=github.com/golangci/golangci-lint/v2
	package=$module/cmd/golangci-lint
	version=v2.14.0
	;;
*)
	echo "usage: tool.sh gotestsum|golangci-lint" >&2
	exit 2
	;;
esac

# Read "mod <module> <version>" and the Go version from the binary.
installed() {
	[ -x ".tools/$1" ] || return 1
	about=$("$go" version -m ".tools/$1" 2>/dev/null) || return 1
	printf '%s\n' "$about" | awk -v m="$module" -v v="$version" -v g="$("$go" env GOVERSION)" '
		NR == 1 && $2 == g { go = 1 }
		$1 == "mod" && $2 == m && $3 == v { mod = 1 }
		END { exit !(go && mod) }'
}

if installed "$1"; then
	exit 0
fi
echo "installing $1 $version into .tools/" >&2
mkdir -p .tools
# Build for this machine, even if the caller cross-compiles.
env -u GOOS -u GOARCH GOBIN="$PWD/.tools" CGO_ENABLED=0 "$go" install "$package@$version"
