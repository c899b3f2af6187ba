package remark

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

var (
	// chooses matches sentences behind several blocks that keep only some of them.
	chooses = shape(`(?:^|[,;:—–] ?|\b(?:so|and|but|please|thus|therefore|hence) )(?:please )?(?:take|use|apply|count|keep|merge|accept|execute|consider) (?:only|just|solely) (?:["“]|<id>|(?:the |my |that |this )?(?:<nth>|<block>|former|latter|last|one)\b)`,
		`(?:^|[,;:—–] ?|\b(?:so|and|but|please|thus|therefore|hence) )(?:only|just) (?:take|use|apply|count|keep|merge|accept|execute) (?:["“]|<id>|(?:the |my |that |this )?(?:<nth>|<block>|former|latter|last|one)\b)`,
		`\b(?:that|this|it) is (?:what|the one|the one that|the <block>) <me> (?:\w+ )?(?:submit|propose|send|mean|want|stand by|go with|stick with)\b`,
		`\b<me>(?:'d| would|'ll| will)? (?:\w+ )?(?:prefer|choose|pick|go with|opt for|settle on|settle for|went with|chose) (?:the )?(?:<nth>|former|latter|last)\b`,
		`^(?:but |so |and |overall,? |in the end,? )*the (?:<nth>|former|latter|last)(?: one| <block>| option| version| way)? (?:is|seems|looks|was|appears) (?:clearly |much |the )?(?:better|best|preferable|right one|right|winner)\b`)
	// counts matches a sentence that says how many changes its author sends.
	counts = shape(`\b<me> (?:\w+ )?(?:submit|send|propose|make|offer|have) (?:only |just |exactly )?(a single|one|two|three|four|[1-9]) (?:<block>|change|edit)s?(?:$| ?[.:;,(]| (?:only|in all|in total|this round)\b)`)
	// saidBy matches a line above a block with the name of who wrote it: Re: RedSky's KILL, <RedSky> my delta:, RedSky's JSON was.
	saidBy = pattern.New(`^(?:(?i:re|fwd?|quot(?:e|ing|ed)|from|via|cc):? (?:\w+ ){0,3}` + agent + `(?:['’]s\b[^.]{0,60}|[:.]?)$|<@?` + agent + `>|` + agent + `['’]s (?i:(?:json|deltas?|blocks?|text|message)\b(?: (?:was|is|were|reads?|says|said)\b)?|(?:kill|edit|add|proposal|change|version|reply)\b)[:.]?$)`)
	// older matches a line above a block that calls it older than what follows.
	older = pattern.New(`(?i)^(?:first,? )?(?:the |my |some )?(?:old|older|earlier|previous|stale|obsolete|outdated|legacy) (?:material|stuff|blocks?|deltas?|text|version|content|state|proposals?|changes)(?: first| for (?:context|reference|comparison))?[.:]?$`)
)

// Some is the number of blocks that a remark keeps if it does not say how many.
const Some = -1

// keepsSome returns the remark of a sentence behind several blocks that keeps only some of them.
func keepsSome(sentence, lower string) (Remark, bool) {
	if strings.HasPrefix(lower, "if ") || strings.HasSuffix(lower, "?") {
		return Remark{}, false
	}
	said := Remark{Line: sentence, Open: true, Kept: Some, About: About{All: true}}
	if m := counts.FindStringSubmatch(lower); m != nil {
		said.Kept = max(1, 1+slices.Index([]string{"one", "two", "three", "four"}, m[1]))
		if c := m[1][0]; '1' <= c && c <= '9' {
			said.Kept = int(c - '0')
		}
		return said, true
	}
	return said, chooses.MatchString(lower)
}

// ofOthers returns the line at the end of a text that names another author of the block below it, or calls it old.
func (r Rules) ofOthers(text []byte) (Remark, bool) {
	line, _ := unmark(lastLine(text))
	if older.MatchString(line) {
		return Remark{Line: line, Open: true}, true
	}
	m := saidBy.FindStringSubmatch(line)
	if q := openQuote.FindStringSubmatch(line); r.Close && len(q) > 1 && !isSame(q[1], r.Author) {
		return Remark{Line: line, Open: true}, true
	}
	isOther := slices.ContainsFunc(m[min(1, len(m)):], func(name string) bool { return name != "" && !isSame(name, r.Author) })
	return Remark{Line: line, Open: true}, isOther
}
