package revisit

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// options matches sentences by which only one of several changes is meant.
var options = pattern.New(`\b(?:mutually exclusive|one of the following|whichever|no preference|equally good)\b|\b(?:these|they|both|the (?:two|three)|two|three|these (?:two|three))(?: \w+)?(?: are)?(?: only)? (?:alternatives|options|variants)\b|\b(?:pick|choose|take|apply|use|keep|merge|only)(?: at most| only| just| exactly)? one\b(?: of (?:these|them|the (?:two|three|blocks|deltas|changes))| please|$)|\b(?:at most|only|exactly) one of (?:these|them|the (?:two|blocks|deltas|changes))\b`)

// readOptions leaves open changes of one kind of which a sentence says that only one is meant.
func (f *own) readOptions(s sentence) {
	lower := strings.TrimRight(s.lower, ".!: ")
	if !options.MatchString(lower) || len(idsIn(lower)) > 0 || denial.MatchString(strings.ReplaceAll(lower, "no preference", "")) {
		return
	}
	for i, c := range f.Standing {
		isSame := func(o Change) bool {
			return o.Operation == c.Operation && o.Section == c.Section && o.Target == c.Target && o.Index != c.Index
		}
		if slices.ContainsFunc(f.Standing, isSame) {
			f.leave([]int{i}, s)
		}
	}
}

var (
	pair     = pattern.New(`(?:^|[^\w.,§-])\(?(?:#|(?i:delta |block ))?(\d)\)?(?: *(?:=|:|is|are|–|—|-))? *(❌|✗|✅|✔|✓|[A-Za-z]+(?:'s)?)`)
	heldWord = pattern.New(`^(?:❌|✗|drafts?|withdrawn|retracted|dropped|hypothetical|provisional|tentative|example|quoted|postponed|deferred|rejected|cancelled|void|skip|skipped|not|no|nope|parked|hold|later)$`)
	agents   = pattern.New(`^([A-Z][a-z]+[A-Z]\w+)'s$`)
	keptWord = pattern.New(`^(?:✅|✔|✓|final|mine|ok|fine|kept|keep|yes|apply|real|valid|submitted|meant|stands?|go)$`)
)

// readPairs reads a line that says of numbers which stand and which do not: 1 = draft, 2 = final.
func (f *own) readPairs(s sentence) {
	const most = 100 // of a paragraph, all of which are read again for each sentence
	if f.isStrict && len(f.pairs) > most {
		return
	}
	f.pairs = append(f.pairs, pair.FindAllStringSubmatch(strings.ReplaceAll(s.text, "’", "'"), -1)...)
	var held []int
	isKept := false
	for _, m := range f.pairs {
		word := strings.ToLower(m[2])
		isKept = isKept || keptWord.MatchString(word)
		if agent := agents.FindStringSubmatch(m[2]); len(agent) > 1 && !strings.EqualFold(agent[1], f.author) || heldWord.MatchString(word) {
			held = append(held, f.numbered(number(m[1]))...)
		}
	}
	if isKept && len(held) > 0 && len(f.pairs) > 1 {
		f.leave(held, s)
	}
}

var (
	// wholeBack matches sentences that take back a whole reply, or say that it changes nothing.
	wholeBack = pattern.New(`\b(?:retract|withdraw|disregard|ignore|unsend|cancel|take back|discard) (?:all of )?(?:this|my|the|that) (?:\w+ )?(?:message|reply|letter|contribution|post|response|submission|turn)$|^(?:sorry,? |oops,? |please )*(?:wrong thread[,.; ]*)?(?:disregard|forget all of this)$|\bno (?:changes?|deltas?|edits?) from (?:me|my side)(?: (?:this round|today|for now))?$|\bi (?:\w+ )?abstain(?:,? (?:this round|today|for now|from voting))?$|\b(?:let us|let's|we should|i would|i'd|better) not (?:to )?change anything\b|\b(?:nothing|none of (?:this|it|these)) (?:here |above |below |in (?:this|my) \w+ )?(?:is|are) (?:yet )?(?:binding|final|official|meant)\b|^(?:this|it|that|all of this) (?:is|was) (?:only |just |merely )?an? (?:rehearsal|trial run|test run|dry run|mock-?up)\b|^i (?:offer|put) (?:both|all|these|them|all of (?:them|these)) (?:for|up for|to) (?:a )?(?:vote|discussion|debate)\b`)
	rest      = pattern.New(`\b(?:further|other|more|else|additional|besides|otherwise|if|last|previous|earlier|first)\b`)
)
