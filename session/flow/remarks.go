package flow

import (
	"fmt"
	"regexp"
	"strings"
)

// Match is how the model named by a reply relates to the requested one.
type Match string

// Values of Match.
const (
	MatchUnknown Match = ""        // one of them is not known
	MatchSame    Match = "same"    // the same id
	MatchVariant Match = "variant" // another spelling, or a dated version of the requested model
	MatchOther   Match = "other"   // another model
)

// MatchModels compares the requested model's id with the one named by a reply. A provider resolves
// gpt-4o to gpt-4o-2024-08-06 and llama3 to llama3:latest: these are variants. A date that was
// requested and is not the one that answered is another model.
func MatchModels(asked, answered string) Match {
	switch {
	case strings.TrimSpace(asked) == "" || strings.TrimSpace(answered) == "":
		return MatchUnknown
	case asked == answered:
		return MatchSame
	}
	a, b := bareModel(asked), bareModel(answered)
	if a == b || isDated(a, b) || isDated(b, a) || isAlias(a, b) {
		return MatchVariant
	}
	return MatchOther
}

// bareModel returns an id without the provider or path before it and without marks that name no
// other model.
func bareModel(id string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	id = id[strings.LastIndexAny(id, `/\`)+1:]
	id = strings.TrimSuffix(id, ".gguf")
	return strings.TrimSuffix(strings.TrimSuffix(id, ":latest"), "-latest")
}

// isDated reports whether long is short with a version: a date, or a number of at least three digits.
func isDated(short, long string) bool {
	rest, ok := strings.CutPrefix(long, short)
	return ok && short != "" && regexp.MustCompile(`^[-@:._](\d{3,}|\d{4}[-._]\d{2}[-._]\d{2}|\d{2}-\d{2,4})$`).MatchString(rest)
}

// isAlias reports whether asked is a family ("opus"), which a provider or program resolves.
func isAlias(asked, answered string) bool {
	if asked == "" || strings.ContainsAny(asked, "0123456789-_.:@") {
		return false
	}
	for word := range strings.FieldsFuncSeq(answered, func(r rune) bool { return strings.ContainsRune("-_.:@", r) }) {
		if word == asked {
			return true
		}
	}
	return false
}

// Kinds of remarks.
const (
	RemarkVariant   = "answered_as"      // a variant of the requested model answered
	RemarkOther     = "other_model"      // another model than the requested one answered
	RemarkTruncated = "prompt_truncated" // the model seems to have read only a part of the prompt
)

// Remark is something about an answered call that its status does not say.
type Remark struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// Warns reports whether the remark needs attention.
func (r *Remark) Warns() bool { return r.Kind != RemarkVariant }

// Remarks returns what is remarkable about an answered call.
func (s *State) Remarks(c *Call) []Remark {
	if c.Status != Replied {
		return nil
	}
	var all []Remark
	asked, match := s.matchModel(c)
	switch match {
	case MatchVariant:
		all = append(all, Remark{RemarkVariant, fmt.Sprintf("%s answered as %s", asked, c.Answered.Model)})
	case MatchOther:
		all = append(all, Remark{RemarkOther, fmt.Sprintf("asked for %s, but %s answered", asked, c.Answered.Model)})
	}
	if sent, read := s.sentTokens(c), c.Answered.Input; truncated(sent, read) && !c.Answered.Guessed {
		all = append(all, Remark{RemarkTruncated, fmt.Sprintf("the server read only %d of about %d tokens of the prompt", read, sent)})
	}
	return all
}

// matchModel returns the requested model of a call and how it matches the reply.
func (s *State) matchModel(c *Call) (asked string, match Match) {
	by := s.Reached(c)
	if by == nil {
		return "", MatchUnknown
	}
	answered := c.Answered.Model
	if by.Way != nil && by.Way.Version != "" { // a program's name and version precede its model
		if _, model, ok := strings.Cut(answered, by.Way.Version); ok {
			answered = model
		}
	}
	return by.ModelID, MatchModels(by.ModelID, answered)
}

// sentTokens returns the tokens of the first message of a call, by our own count; 0 if unknown.
func (s *State) sentTokens(c *Call) int {
	if c.Turn == TurnRule {
		return max(0, c.Reserved.Tokens-s.Settings.Reply)
	}
	if _, k := s.Planned(c); k != nil {
		return k.Tokens
	}
	return 0
}

// truncated reports whether a model has read less than three quarters of a prompt. Tokenizers differ
// by less; a server that read less than half fails the call. Short prompts are not compared.
func truncated(sent, read int) bool {
	const shortest = 1000
	return sent >= shortest && read > 0 && 4*read < 3*sent
}
