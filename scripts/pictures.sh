#!/bin/sh
# Redraws docs/pictures, except session.svg, which is drawn by hand: house.svg from the
# table of packages, report.png from the report of the example night, serve-*.png from the pages; and
# the lineage of the example review-article. The .png need chromium, and serve-*.png also npm.
set -eu
cd "$(dirname "$0")/.."
root=$PWD

go test -count=1 ./internal/archtest -run TestHousePictureMatchesTable -update
BRENNER_TEST_ARTICLE_KILLS=0 go test -count=1 ./cmd/brenner -run 'TestReviewArticle$' -update

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "make pictures: chromium not found; on Debian: apt-get install chromium" >&2
	exit 1
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/brenner" ./cmd/brenner
cp -r examples "$dir/"
cd "$dir"
./brenner loop run examples/night/night.yaml --quiet
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=880,1765 \
	--screenshot="$root/docs/pictures/report.png" "file://$dir/.brenner/loops/night/report.html" 2>/dev/null

cd "$root"
sh scripts/web.sh --pictures "$dir/pages"
for page in session conflicts predictions; do
	cp "$dir/pages/$page-900-light.png" "docs/pictures/serve-$page.png"
done
