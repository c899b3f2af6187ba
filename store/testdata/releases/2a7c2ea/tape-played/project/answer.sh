# answer.sh NAME: prints the reply of an agent to the kickoff on standard input.
round=$(sed -n 's/^\*\*Round\*\*: \([0-9]*\).*/\1/p' | head -n 1)
cat "$(dirname "$0")/replies/$1.$round.md"
