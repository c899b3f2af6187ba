#!/bin/sh
# Draws the pictures of docs/pictures anew that are not drawn by hand (session.svg is):
# the house from the table of packages, and the report of the example night as a browser
# shows it. Needs chromium.
set -eu
cd "$(dirname "$0")/.."
root=$PWD

go test -count=1 ./internal/archtest -run TheHouseIsDrawn -update

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "make pictures: there is no chromium; on Debian: apt-get install chromium" >&2
	exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/brenner" ./cmd/brenner
cp -r examples "$folder/"
cd "$folder"
./brenner loop run examples/night/night.yaml --quiet
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=880,1400 \
	--screenshot="$root/docs/pictures/report.png" "file://$folder/.brenner/loops/night/report.html" 2>/dev/null
