package schemaform

import (
	"bytes"

	"brenner/internal/pattern"
)

var (
	change = pattern.New(`(?i)\b(?:i|we)\b[^.!?\n]{0,80}\b(?:add|adding|kill|killing|edit|editing|remove|removing|retire|retiring|drop|dropping)\s+(?:the\s+|my\s+)?[a-z]{1,2}\d[^.!?\n]*`)
	aside  = pattern.New(`(?i)\b(?:not|no|nothing|never|cannot|would|could|might|may|if|unless|without|already|considered)\b|n['’]t\b`)
	delay  = pattern.New(`(?i)\b(?:next (?:round|time)|later|after(?:wards)?|once|until)\b`)
	atOnce = pattern.New(`(?i)\b(?:now|here|at once|this round)\b`)
)

// Announces returns the line of the text in which the prose beside an empty list of deltas says that its author changes an
// item, or 0.
func (r *Reply) Announces() int {
	prose := r.Text[r.Prose:r.ProseEnd]
	for _, at := range change.FindAllIndex(prose, -1) {
		said := prose[at[0]:at[1]]
		if !aside.Match(said) && (!delay.Match(said) || atOnce.Match(said)) {
			return 1 + bytes.Count(r.Text[:r.Prose+at[0]], []byte("\n"))
		}
	}
	return 0
}
