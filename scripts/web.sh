#!/bin/sh
# web.sh: tests every page and form of `brenner serve` in a real browser. Needs chromium (Debian:
# apt-get install chromium) and npm, which installs axe-core (once, into the user's cache directory).
# `web.sh --pictures DIR` also takes a picture of every page, at three widths in both themes. Other
# arguments are passed to go test.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
axe=4.14.0
sum=20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878
place=${XDG_CACHE_HOME:-$HOME/.cache}/brenner-web

command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || {
	echo "make web: chromium not found; on Debian: apt-get install chromium" >&2
	exit 1
}
if [ ! -f "$place/axe-$axe.js" ]; then
	command -v npm >/dev/null 2>&1 || {
		echo "make web: npm not found; on Debian: apt-get install npm" >&2
		exit 1
	}
	mkdir -p "$place"
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	(cd "$scratch" && npm pack --silent "axe-core@$axe" >/dev/null && tar xzf "axe-core-$axe.tgz")
	found=$(sha256sum "$scratch/package/axe.min.js" | cut -d ' ' -f 1)
	if [ "$found" != "$sum" ]; then
		echo "make web: axe-core $axe has the hash $found, want $sum" >&2
		exit 1
	fi
	cp "$scratch/package/axe.min.js" "$place/axe-$axe.js"
fi


if [ "${1:-}" = --pictures ]; then
	pictures=$(mkdir -p "$2" && cd "$2" && pwd)
	shift 2
	set -- "$@" -run TestBrowserPages -args -pictures "$pictures"
fi
BRENNER_TEST_AXE=$place/axe-$axe.js "$go" test -count=1 -timeout 15m -tags browser -run TestBrowser ./web "$@"
