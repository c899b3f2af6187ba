#!/bin/sh
# hours.sh: every test at other hours and in other time zones, without the race detector.
# Arguments are the packages; without any it tests ./...
#
#     HOURS=03:00 ZONES=UTC sh scripts/hours.sh ./loop/...
#
# HOURS, ZONES and DAYS (counted from today) are lists. Each package starts at the hour:
# at 23:59 midnight passes while the longer ones run.
#
# A Go program reads the clock without libc, so the shift is compiled in: package time is
# built from a copy. Only the wall clock is shifted, not the monotonic clock, the time in
# testing/synctest, or the times of files. Shift and zone are read from files, since some
# tests start programs with an empty environment.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
# This path is compiled in. It is always the same, so that go build can use its cache.
dir=$PWD/.tools/hours
mkdir -p "$dir/bin"
root=$("$go" env GOROOT)/src/time

sed "s|sec, nsec, mono := runtimeNow()|&; if !runtimeIsBubbled() { sec += shift }|" "$root/time.go" >"$dir/time.go"
cat >>"$dir/time.go" <<END

var shift = func() int64 {
	data, err := readFile("$dir/shift")
	n, err2 := atoi(data)
	if err != nil || err2 != nil {
		panic("$dir/shift is not a number of seconds")
	}
	return int64(n)
}()
END
sed "s|\"localtime\", \[\]string{\"/etc\"}|\"localtime\", []string{\"$dir\"}|" "$root/zoneinfo_unix.go" >"$dir/zoneinfo_unix.go"
cat >"$dir/overlay.json" <<END
{"Replace": {"$root/time.go": "$dir/time.go", "$root/zoneinfo_unix.go": "$dir/zoneinfo_unix.go"}}
END

# The date command for the shifted clock, GNU (-d) or BSD (-r).
cat >"$dir/bin/date" <<END
#!/bin/sh
PATH=/usr/bin:/bin
export TZ="\${TZ-:$dir/localtime}"
now=\$((\$(date +%s) + \$(cat "$dir/shift")))
if [ "\${1-}" = -d ]; then
	when=\$2
	shift 2
	exec date -d "\$(date -d "@\$now" '+%F %T') \$when" "\$@"
fi
date -d "@\$now" "\$@" 2>/dev/null || exec date -r "\$now" "\$@"
END

# at COMMAND...: sets the clock to $HOUR of $DAY and runs the command.
cat >"$dir/at" <<END
#!/bin/sh
TZ=":$dir/localtime" /bin/date +%H:%M:%S | awk -F: '{
	split(ENVIRON["HOUR"], at)
	printf "%d", (at[1] - \$1) * 3600 + (at[2] - \$2) * 60 - \$3 + ENVIRON["DAY"] * 86400
}' >"$dir/shift.new" && mv "$dir/shift.new" "$dir/shift" || exit
exec "\$@"
END
chmod +x "$dir/bin/date" "$dir/at"

export PATH="$dir/bin:$PATH" GOFLAGS="${GOFLAGS:-} '-overlay=$dir/overlay.json'" CGO_ENABLED=0
unset TZ

# A program that prints the time, to see that the shift works.
mkdir -p "$dir/clock"
cat >"$dir/clock/main.go" <<'END'
package main

import (
	"fmt"
	"time"
)

func main() { fmt.Println(time.Now().Format("15:04 on 2006-01-02, -0700")) }
END
printf 0 >"$dir/shift"
"$go" build -o "$dir/clock/" "$dir/clock/main.go"

[ $# -gt 0 ] || set -- ./...
# Compile everything before the clock is set.
"$go" test -vet=off -list '^$' "$@" >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
failed=
for ZONE in ${ZONES:-UTC Pacific/Kiritimati}; do
	cp "/usr/share/zoneinfo/$ZONE" "$dir/localtime"
	for DAY in ${DAYS:-0}; do
		for HOUR in ${HOURS:-03:00 13:00 23:59}; do
			export HOUR DAY
			now=$("$dir/at" "$dir/clock/main")
			echo "== $now, in $ZONE: go test -shuffle=on $*"
			if [ "${now%% *}" != "$HOUR" ] || [ "$now" != "$(date '+%H:%M on %Y-%m-%d, %z')" ]; then
				echo "cannot set the clock to $HOUR: date prints $(date)" >&2
				exit 1
			fi
			# One package at a time: each sets the clock when it starts.
			if "$go" test -p 1 -count=1 -shuffle=on -vet=off -exec "'$dir/at'" "$@" </dev/null >"$dir/log" 2>&1; then
				echo "passed: $(grep -c '^ok' "$dir/log") packages"
			else
				grep -Ev '^ok|no test files' "$dir/log" || true
				failed="$failed
  $HOUR in $ZONE, day $DAY"
			fi
		done
	done
done
if [ -n "$failed" ]; then
	echo "tests failed at:$failed" >&2
	exit 1
fi
