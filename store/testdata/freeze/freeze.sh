#!/bin/sh
# freeze.sh BINARY TARGET [WORKDIR]
#
# Writes the projects of one release into TARGET, which must not exist. For the release
# of commit 0123abc, with a binary of that commit:
#
#   store/testdata/freeze/freeze.sh /path/to/brenner store/testdata/releases/0123abc
#
# Each directory of TARGET is one project: project/ as a user has it, with .brenner under
# the name state/, and frozen/ with what the program printed about it. frozen/commands
# has a line for each file: FILE EXIT-CODE ARGUMENT... TestReleases of cmd/brenner runs the
# same commands with the program of today. frozen/resume has commands that finish what was
# interrupted, one on a line.
#
# WORKDIR is where the projects are made; mailboxes hold its path. It must not exist.
set -eu

bin=$(realpath "$1")
target=$2
work=${3:-/srv/example}
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../../.." && pwd)

mkdir "$target"
target=$(realpath "$target")
mkdir "$work" "$work/bin" "$work/home"
cp "$bin" "$work/bin/brenner"
go build -o "$work/bin/model" "$here/model.go"
export PATH="$work/bin:$PATH" HOME="$work/home" TZ=UTC
export BRENNER_TRUST_FILE="$work/home/trusted.json" OPENAI_API_KEY=sk-canary-0123456789abcdef
servers=
trap 'for s in $servers; do kill "$s" || true; done; rm -rf "$work"' EXIT

# project NAME FILE...: begins a project with copies of files and directories.
project() {
	name=$1
	shift
	mkdir "$work/$name"
	cd "$work/$name"
	cp -R "$@" .
}

# code N COMMAND...: runs a command that must end with that exit code.
code() {
	wanted=$1
	shift
	got=0
	"$@" >"$work/out" 2>&1 || got=$?
	if [ "$got" != "$wanted" ]; then
		echo "$name: $*: exit code $got, not $wanted" >&2
		cat "$work/out" >&2
		exit 1
	fi
}

ok() { code 0 "$@"; }

# keep FILE ARGUMENT...: keeps what a command prints about the project.
keep() {
	file=$1
	shift
	got=0
	brenner "$@" >"$target/$name/frozen/$file" || got=$?
	echo "$file $got $*" >>"$target/$name/frozen/commands"
}

# freeze: keeps the project, and everything that is printed about every project. State is
# copied first: reading a store folds its write-ahead log into it.
freeze() {
	mkdir -p "$target/$name/frozen"
	cp -R . "$target/$name/project"
	cd "$target/$name/project"
	mv .brenner state
	rm -rf state/locks state/spool state/*-shm state/*.lock state/mail-operator.token state/mail-tokens.json
	cd "$work/$name"
	keep verify.json verify --json
	keep sessions.json session list --json
	keep records.json store log -n 0 --json
	keep status.json store status --json
	keep loops.json loop status --json
	if grep -q '"playbook":' "$target/$name/frozen/verify.json"; then
		keep playbook.json playbook list --json
		keep history.json playbook history --json
	fi
	for id in $(brenner session list -q); do
		keep "$id.md" session show "$id"
		keep "$id.json" session show "$id" --format json
		keep "$id.jsonl" session export "$id" --out - -q
		keep "$id.replay.json" session replay "$id" --json
		keep "$id.calls.json" trace list "$id" --json
		keep "$id.lineage.json" store lineage "$id" --versions --json
	done
	for id in $(brenner loop status -q); do
		keep "$id.report.json" loop report "$id" --json
	done
}

# resume ARGUMENT...: notes a command that finishes what was interrupted.
resume() { echo "$*" >>"$target/$name/frozen/resume"; }

# serve COMMAND...: starts a server that prints its URL first; leaves that in $url.
serve() {
	rm -f "$work/url"
	mkfifo "$work/url"
	"$@" >"$work/url" 2>>"$work/servers" &
	servers="$servers $!"
	read -r url <"$work/url"
}

# until_killed WHAT COMMAND...: starts a command, and kills it as soon as WHAT prints something.
until_killed() {
	what=$1
	shift
	"$@" >"$work/out" 2>&1 &
	pid=$!
	until eval "$what" | grep -q .; do
		kill -0 "$pid" || { cat "$work/out" >&2; exit 1; } # it ended too early
		sleep 0.02
	done
	kill -9 "$pid"
	wait "$pid" || true
}

cp -R "$here/sky" "$work/sky"
serve model "$work/sky/replies"
models=$url

project rehearsal "$repository/brenner.yaml"
ok brenner session start --preset default-3-agent --thread-id RS-20260101-tour
freeze

project openai "$work/sky/." # with prices, and evidence
ok brenner session start --via openai --base-url "$models" --rounds 2 --budget-usd 1 --evidence answer.sh --thread-id RS-20260101-openai
freeze

project program "$work/sky/."
ok brenner trust
ok brenner session start --via program --rounds 2 --thread-id RS-20260101-program
freeze

project mail "$work/sky/."
serve brenner mail serve --addr 127.0.0.1:0
mail=$(echo "$servers" | sed 's/.* //')
export AGENT_MAIL_BASE_URL="${url%/mcp/}"
brenner session start --via mail --rounds 2 --thread-id RS-20260101-mail >"$work/out" 2>&1 &
pid=$!
for round in 1 2; do
	for agent in BlueLake RedSky; do
		until [ "$(brenner mail inbox $agent --json 2>/dev/null | grep -o '"subject":"KICKOFF' | wc -l)" = $round ]; do
			kill -0 "$pid" || { cat "$work/out" >&2; exit 1; }
			sleep 0.05
		done
		ok brenner mail send --as $agent --to Operator --thread RS-20260101-mail --subject "DELTA[x]: round $round" "@replies/$agent.$round.md"
	done
done
wait "$pid" || { cat "$work/out"; exit 1; }
ok brenner mail send --as RedSky --to Operator --thread RS-20260101-mail --subject "CRITIQUE: late" '```delta
{"operation": "ADD", "section": "adversarial_critique", "payload": {"name": "Late", "attack": "H1 has no mechanism.", "evidence": "none", "current_status": "open"}, "rationale": "It was published without"}
```'
ok brenner session compile RS-20260101-mail
ok brenner session publish RS-20260101-mail
{
	printf '{"project": "%s", "thread": ' "$PWD"
	brenner mail thread RS-20260101-mail --json
	printf '}\n'
} >"$work/mail.json"
kill "$mail"
wait "$mail" || true
servers=$(echo "$servers" | sed "s/ $mail//")
unset AGENT_MAIL_BASE_URL
freeze
mv "$work/mail.json" "$target/mail/frozen/"

project stalemate "$repository/examples/stuck/."
ok brenner session start --script sky.yaml --rounds 3 --thread-id RS-20260101-judged --arbiter Judge
code 5 brenner session start --script sky.yaml --rounds 3 --thread-id RS-20260101-ruled
id=$(brenner stalemate list RS-20260101-ruled --json | sed 's/.*"id":"\(ST-[0-9a-f]*\)".*/\1/')
ok brenner stalemate request RS-20260101-ruled "$id" -o request.json
ok brenner stalemate rule RS-20260101-ruled "$id" --as Sydney --for RedSky --root-cause "Two meanings of night." --reason "Stars are finite in age." \
	--reject "BlueLake=dust would glow" --reject "D1=there is one sky" --reject "D2=it is known"
ok brenner store put memo.md --id memo-fate --type paper_note --module fate --summary "Where cells go."
code 1 brenner patch apply omega.json --record memo-fate
code 1 brenner patch apply omega.json --record memo-fate
code 5 brenner patch apply omega.json --record memo-fate
id=$(brenner stalemate list memo-fate --json | sed 's/.*"id":"\(ST-[0-9a-f]*\)".*/\1/')
ok brenner trust
ok brenner stalemate request memo-fate "$id" --arbiter Judge=program:judge
freeze
keep stalemates.json stalemate list --all --json
keep calls.json store log --calls --json

project hand-edits "$repository/brenner.yaml"
code 5 brenner session start --preset default-3-agent --rounds 2 --thread-id RS-20260101-hands
ok brenner session resolve RS-20260101-hands A1.status --take GreenValley --why "the speed was a guess"
ok brenner session apply RS-20260101-hands --set "H2.claim=Cells read a gradient." --set T1.score.cost=3 --set H3.third_alternative=true --why simpler
ok brenner session apply RS-20260101-hands --kill C1 --kill P2.H2 --why "answered in §3"
cat >deltas.json <<-'D'
	[{"operation":"ADD","section":"anomaly_register","payload":{"name":"Odd","observation":"One embryo did neither."},"rationale":"seen in the lab"},
	 {"operation":"EDIT","section":"hypothesis_slate","target_id":"H99","payload":{"claim":"nowhere"}}]
D
ok brenner session apply RS-20260101-hands deltas.json
ok brenner session apply RS-20260101-hands deltas.json --again
ok env BRENNER_AUTHORITIES=Sydney brenner session apply RS-20260101-hands --set H2.name=Gradient --as Sydney
ok brenner session note RS-20260101-hands "Look at H2 only."
ok brenner session resume RS-20260101-hands --rounds 3
freeze

project loop "$repository/examples/night/."
echo "question: Why is the sky dark at night?" >brenner.yaml
ok env BRENNER_REPORT_WEBHOOK="$models/reports" brenner loop run night.yaml --run 2026-01-01
freeze

project playbook "$work/sky/."
ok brenner playbook add "Ask what would refute each hypothesis"
ok brenner playbook promote pb-00001 --reason known
ok brenner session start --via openai --base-url "$models" --rounds 2 --thread-id RS-20260101-learns
ok brenner playbook add "Before asking where the light goes, ask where the energy goes" --agent RedSky --session RS-20260101-other
ok brenner playbook add "Increase the learning rate" --tag role:test_designer
ok brenner playbook add "Decrease the learning rate" --domain machines
ok brenner playbook credit pb-00001 --harmful --session RS-20260101-other
ok brenner playbook replace pb-00003 "Name the mechanism of every hypothesis" --reason "said more clearly"
ok brenner playbook quarantine pb-00004 --reason unclear
ok brenner playbook restore pb-00004 --reason "it was another test"
ok brenner playbook rollback --session RS-20260101-other --reason "wrong data"
ok brenner session start --via openai --base-url "$models" --rounds 1 --thread-id RS-20260101-again
ok brenner playbook harvest
freeze

project records "$here/records/."
ok brenner project init --question "How does it go?"
ok brenner store promote project-brief -m "agreed"
ok brenner store put spec.md --id spec --type model_spec --module project --summary "How it goes."
ok brenner store put note.md --id note --type paper_note --module project --tag seen
ok brenner store promote spec -m "it holds"
ok brenner store promote note -m "read by two"
ok brenner session start --script patches.yaml --rounds 4 --thread-id RS-20260101-records --arbiter Judge
ok brenner store put memo.md --id memo --type integrated_memo --module project --link cites=note --link cites=spec
ok brenner store promote memo -m "checked against both"
ok brenner store pin task -m "Write the model." --for hypothesis_generator --input note --input spec
echo "A note that says otherwise." >note.md
ok brenner store put note.md --id note -m "the second edition"
ok brenner store promote note -m "it replaces the first"
ok brenner store put model.md --id model --type model_spec --module project --task task --as BlueLake --role hypothesis_generator
code 4 brenner store promote model -m "looks good"
code 4 brenner store put memo.md --id intro --type manuscript_section --module project --as BlueLake --role test_designer
ok brenner store put memo-a.md --id memo --parent v1 -m "one way" --link cites=note --as Sydney
ok brenner store put memo-b.md --id memo --parent v1 -m "the other" --link cites=spec --as Lewis
ok brenner store merge memo --file memo.md -m "both hold"
ok brenner store promote memo -m "agreed by both"
ok brenner store revert note@v1 -m "the first edition was right"
ok brenner store deprecate model -m "it rests on an old note"
ok brenner project snapshot
freeze
keep memo.json store show memo@v4 --json
keep memo.log.json store log memo --json
keep note.lineage.json store lineage note --down --json
keep refused.json store log --refused --json
keep stalemates.json stalemate list --all --json

project failures "$here/failures/."
export BRENNER_RETRY_ATTEMPTS=1
code 3 brenner session start --script sky.yaml --rounds 1 --thread-id RS-20260101-failed
ok env BRENNER_RETRY_ATTEMPTS=2 brenner session resume RS-20260101-failed
code 3 brenner session start --script sky.yaml --rounds 1 --quorum 1 --thread-id RS-20260101-missing
code 6 brenner session start --script sky.yaml --rounds 1 --budget-tokens 100 --thread-id RS-20260101-poor
ok brenner loop run night.yaml
unset BRENNER_RETRY_ATTEMPTS
freeze

# Killed between the two answers of round 2.
answered='2>/dev/null | grep "^2 *BlueLake .*answered"'
project interrupted "$here/interrupted/."
until_killed "brenner trace list RS-20260101-killed $answered" brenner session start --script sky.yaml --rounds 3 --thread-id RS-20260101-killed
freeze
resume session resume RS-20260101-killed

project interrupted-loop "$here/interrupted/."
until_killed "brenner trace list \$(brenner session list -q) $answered" brenner loop run night.yaml
ok brenner loop pause night
ok brenner loop add night --question "And why by day?"
ok brenner loop pause night --off
freeze
resume loop run night.yaml

project loop-stopped "$here/interrupted/."
brenner loop run night.yaml >"$work/out" 2>&1 &
pid=$!
until brenner loop status night --json 2>/dev/null | grep -q '"running":1'; do sleep 0.02; done
ok brenner loop stop night
wait "$pid"
freeze
for id in $(brenner session list -q); do resume session resume "$id"; done

project tape "$work/sky/." # a session that was recorded
session="--via openai --base-url $models --rounds 2 --thread-id RS-20260101-tape"
ok brenner session start $session --record-tape live.tape
freeze

project tape-played "$work/sky/." "$work/tape/live.tape" # the same from the tape
ok brenner session start $session --tape live.tape
freeze

project tape-interrupted "$work/sky/." "$work/tape/live.tape" # the tape has the reply that it waited for
touch "$work/sky/replies/RedSky.2.wait"
until_killed "brenner trace list RS-20260101-tape $answered" brenner session start $session
freeze
resume session resume RS-20260101-tape --tape live.tape

if grep -raq -e "$OPENAI_API_KEY" -e 'bm_[A-Z0-9]\{20\}' "$target"; then
	echo "a key or a token was stored" >&2
	exit 1
fi
