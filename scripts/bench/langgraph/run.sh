#!/bin/sh
# run.sh [RUNS]: installs LangGraph from PyPI (once, 100 MB), and compares a loop of sessions with it; see compare.py.
# Versions are in requirements.txt. They are kept outside the repository, in the user's cache directory.
# Needs bin/brenner and Python 3.11 to 3.13 with venv.
set -eu
cd "$(dirname "$0")/../../.."

place=${XDG_CACHE_HOME:-$HOME/.cache}/brenner-bench-langgraph
pinned=scripts/bench/langgraph/requirements.txt
python=$(sh scripts/python.sh)

# The copy is written last. Another Python cannot use the packages of an older one.
if ! { cmp -s "$pinned" "$place/requirements.txt" && "$place/bin/python" -c 'import langgraph.checkpoint.sqlite' 2>/dev/null; }; then
	echo "installing LangGraph into $place" >&2
	"$python" -m venv --clear "$place"
	"$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$pinned" >&2
	cp "$pinned" "$place/"
fi

BRENNER_BENCH_LANGGRAPH=$place
export BRENNER_BENCH_LANGGRAPH
exec "$python" scripts/bench/langgraph/compare.py bin/brenner "${1:-5}"
