#!/bin/sh
# The scripted agent of this example: reads the message on standard input, and prints the prepared
# reply to its task. calls.log has a line when it is asked, and one when it has answered. It runs in
# an empty directory of its own.
set -eu
here=$(dirname -- "$0")
cat >message.txt

task=$(sed -n 's/^The task `task-review-article-\([a-z-]*\)@v.*/\1/p' message.txt | head -n 1)
reply=$task
if grep -q '^# REPAIR: ' message.txt; then # it is to correct its earlier reply
	reply=$task-repair
fi

echo "$reply: asked" >>"$here/calls.log"
cat "$here/replies/$reply.md"
echo "$reply: answered" >>"$here/calls.log"
