#!/bin/sh
# python.sh: prints the first Python from 3.11 to 3.13 with venv, which the pinned packages need. python3 may be newer, and a name may be a
# link to nothing.
for python in python3 python3.13 python3.12 python3.11; do
	if "$python" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
		echo "$python"
		exit
	fi
done
echo "Python 3.11 to 3.13 with venv is needed, found $(python3 --version 2>&1 || true) (Debian: apt-get install python3-venv)" >&2
echo "another version may be installed beside it: python3.11 to python3.13 are looked for on PATH" >&2
exit 1
