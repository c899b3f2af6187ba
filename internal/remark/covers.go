package remark

import "brenner/internal/pattern"

// covers matches lines that say who sent what follows, on what condition it holds, or that it is for another round.
var covers = pattern.New(`^[*_#> -]*(?i:if|unless|once|provided|assuming|in case|should)\b|` +
	`^[*_#> -]*(?:On|Am|Le) [^\n]*(?:wrote|schrieb|écrit)|` +
	`(?i:\b(?:for (?:the |a )?(?:next|later|future|another) rounds?|not (?:for|in) this round|next steps|future (?:steps|work|changes|moves)|for later)\b)|` +
	`\b[A-Z][a-z]+[A-Z][A-Za-z]*(?: \w+)? (?:wrote|writes|sent|sends|said|says|posted|proposed|proposes|suggested|suggests)\b`)

// Covers reports whether a line about a block is about all blocks that follow it directly: it says who sent them, or on
// what condition they hold, or that they are for another round.
func (r Remark) Covers() bool { return r.Operation == "" && covers.MatchString(r.Line) }
