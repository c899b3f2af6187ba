#!/bin/sh
# real-mail.sh: installs the mail server mcp-mail from PyPI (once, 550 MB), and runs the tests that use it on loopback.
# Versions are in real-mail/requirements.txt. They are kept outside the repository, in the user's cache directory.
# Arguments are passed to go test. Needs Python 3.11 to 3.13 with venv. `real-mail.sh --install` only installs.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
place=${XDG_CACHE_HOME:-$HOME/.cache}/brenner-real-mail
pinned=scripts/real-mail/requirements.txt
# Of the LICENSE of mcp-mail, plain MIT. Servers of the same origin with another license must not be used.
license=a8826176fa34bf3f6b761ab9c78754c6c4054976b2a05871531d989fa0de5d2f

python=$(sh scripts/python.sh)

# The copy is written last. Another Python cannot use the packages of an older one.
installed() {
	cmp -s "$pinned" "$place/requirements.txt" && "$place/bin/python" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("mcp_agent_mail") is None)' 2>/dev/null
}
if ! installed; then
	echo "installing the mail server into $place" >&2
	"$python" -m venv --clear "$place"
	"$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$pinned" >&2
	"$place/bin/python" - "$license" <<'EOF'
import hashlib, importlib.metadata as m, sys
files = [f for f in m.files("mcp-mail") if f.name == "LICENSE"]
if [hashlib.sha256(f.read_binary()).hexdigest() for f in files] != sys.argv[1:]:
    sys.exit("the license of mcp-mail is not the known one; read it before you use this version")
EOF
	cp "$pinned" "$place/"
fi
[ "${1:-}" = --install ] && exit 0

BRENNER_REAL_MAIL=$place
export BRENNER_REAL_MAIL
exec "$go" test -count=1 -v -timeout 9m -tags realmail -run '^TestRealMailServer' "$@" ./mail/mailtest ./cmd/brenner </dev/null
