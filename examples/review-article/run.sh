#!/bin/sh
# From a brief and six sources to a snapshot with a promoted section:
#
#   sh examples/review-article/run.sh [DIR] [--via openai --model ID [--base-url URL]]
#
# DIR is created, and holds everything that the run writes; by default it is a temporary
# directory. After a kill, the same command with the same DIR continues. Without --model,
# scripted agents reply. BRENNER names the program; by default it is built from this clone,
# or the one on the PATH if this is not a clone.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
dir='' via='' model='' url=''
usage() {
	echo "run.sh: $1" >&2
	echo "usage: run.sh [DIR] [--via openai --model ID [--base-url URL]]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	--via | --model | --base-url) [ $# -gt 1 ] || usage "$1 requires a value" ;;
	esac
	case $1 in
	--via) via=$2 && shift ;;
	--model) model=$2 && shift ;;
	--base-url) url=$2 && shift ;;
	-*) usage "unknown flag $1" ;;
	*) [ -z "$dir" ] && dir=$1 || usage "unexpected argument $1" ;;
	esac
	shift
done
case $via in
'') [ -z "$model$url" ] || usage "--model and --base-url require --via openai" ;;
openai) [ -n "$model" ] || usage "--via openai requires --model" ;;
*) usage "--via must be openai" ;;
esac
case $model in
*[!A-Za-z0-9._:/@+-]*) usage "--model has a character that is not allowed" ;;
esac

[ -n "$dir" ] || dir=$(mktemp -d)
mkdir -p -- "$dir"
shown=$dir
dir=$(CDPATH='' cd -- "$dir" && pwd)
echo "Project   $shown"

# Files are copied once, each complete or not at all. Only the plan depends on the flags.
(cd "$here/project" && find . -type f | sort) | while read -r file; do
	mkdir -p "$dir/$(dirname "$file")"
	case "$file $model" in
	"./plan.yaml "?*) sed -e 's/^via: program$/via: openai/' -e "s|^models: .*|models: [{model_id: \"$model\"}]|" "$here/project/plan.yaml" ;;
	*) cat "$here/project/$file" ;;
	esac >"$dir/$file.new"
	if [ ! -e "$dir/$file" ]; then
		mv "$dir/$file.new" "$dir/$file"
	elif [ "$file" = ./plan.yaml ] && ! cmp -s "$dir/$file" "$dir/$file.new"; then
		rm "$dir/$file.new"
		echo "run.sh: $shown has another plan; use the flags that it was started with, or another directory" >&2
		exit 2
	else
		rm "$dir/$file.new"
	fi
done

case ${BRENNER:-} in
'')
	BRENNER=brenner
	if [ -f "$here/../../go.mod" ]; then
		BRENNER=$dir/brenner
		go build -C "$here/../.." -o "$BRENNER" ./cmd/brenner
	fi
	;;
/*) ;;
*/*) BRENNER=$(CDPATH='' cd -- "$(dirname -- "$BRENNER")" && pwd)/$(basename -- "$BRENNER") ;;
esac
cd "$dir"
# The list of trusted files is normally in the home directory. Here it stays in DIR.
BRENNER_TRUST_FILE=$dir/trusted.json
export BRENNER_TRUST_FILE
brenner() { command "$BRENNER" "$@"; }
# list TYPE [FLAGS]: sets ids to those of the records of a type.
list() {
	ids=$(brenner store log -n 0 -q --type "$@")
	ids=$(echo "$ids" | sort)
}
# promote TYPE REASON: a person makes the drafts of a type canonical.
promote() {
	list "$1" --status draft
	for id in $ids; do
		brenner store promote "$id" -m "$2"
	done
}

echo
echo "1. A brief and six sources"
brenner trust -q >/dev/null
ids=
[ ! -e .brenner/brenner.db ] || list project_brief
[ -n "$ids" ] || brenner project init --file brief.md -q
list source
for file in sources/*.md; do
	case "
$ids
" in
	*"
$(basename "$file" .md)
"*) ;;
	*) brenner store put "$file" --type source --module night-sky -q ;;
	esac
done
promote project_brief "agreed"
promote source "read, and found fit"

echo
echo "2. Ten tasks"
set -- --run article
[ -z "$url" ] || set -- "$@" --base-url "$url"
case $(brenner loop status review-article -q 2>/dev/null) in
*' failed'* | *' skipped'* | *nothing*) set -- "$@" --retry-failed ;;
esac
brenner loop run plan.yaml "$@" || {
	code=$?
	echo "run.sh: not all tasks are done; the same command runs those again" >&2
	exit $code
}

echo
echo "3. A person decides"
promote paper_note "checked against its source"
promote integrated_memo "checked against the notes"
promote manuscript_section "takes up all points of the review"
list manuscript_section
if [ -z "$ids" ]; then
	echo "run.sh: no section was written; see brenner session list" >&2
	exit 1
fi
brenner project snapshot >snapshot.new
mv snapshot.new snapshot.md
brenner store lineage "${ids%%[!a-z0-9-]*}" --html >lineage.new
mv lineage.new lineage.html

echo
echo "Snapshot  $shown/snapshot.md"
echo "Lineage   $shown/lineage.html"
echo
echo "What was refused:"
brenner store log --refused
