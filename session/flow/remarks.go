package flow

import (
	"fmt"
	"regexp"
	"slices"
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
// gpt-4o to gpt-4o-2024-08-06 and llama3 to llama3:latest: these are variants. A date or a provider
// that was requested and is not the one that answered is another model.
func MatchModels(asked, answered string) Match {
	switch {
	case strings.TrimSpace(asked) == "" || strings.TrimSpace(answered) == "":
		return MatchUnknown
	case asked == answered:
		return MatchSame
	}
	from, a := splitModel(asked)
	by, b := splitModel(answered)
	const shortest = 3 // of the names of families
	switch {
	case from != "" && by != "" && !strings.HasSuffix("/"+from, "/"+by) && !strings.HasSuffix("/"+by, "/"+from):
		return MatchOther
	case a == b, isDated(a, b), isDated(b, a), len(a) >= shortest && wordIn(a, b) > 0:
		return MatchVariant
	}
	return MatchOther
}

// wasVariant reports whether sessions before protocol 3 took the models for variants: of any
// provider, and of any family.
func wasVariant(asked, answered string) bool {
	_, a := splitModel(asked)
	_, b := splitModel(answered)
	return a == b || isDated(a, b) || isDated(b, a) || wordIn(a, b) >= 0
}

// splitModel returns the provider before an id, and the id without marks that name no other model.
// The path of a file names no provider.
func splitModel(id string) (provider, name string) {
	id = strings.ToLower(strings.TrimSpace(id))
	at := strings.LastIndexAny(id, `/\`) + 1
	provider, name = strings.TrimSuffix(id[:at], "/"), strings.TrimSuffix(id[at:], ".gguf")
	if len(name) < len(id[at:]) || strings.HasPrefix(id, "/") || strings.Contains(provider, `\`) || provider == "models" {
		provider = ""
	}
	return provider, strings.TrimSuffix(strings.TrimSuffix(name, ":latest"), "-latest")
}

// isDated reports whether long is short with a version: a date, or a number of at least three digits.
func isDated(short, long string) bool {
	rest, ok := strings.CutPrefix(long, short)
	return ok && short != "" && regexp.MustCompile(`^[-@:._](\d{3,}|\d{4}[-._]\d{2}[-._]\d{2}|\d{2}-\d{2,4})$`).MatchString(rest)
}

// wordIn returns which word of the answering model's id is the requested family ("opus"), which a
// provider or program resolves; -1 if none is. The first word is the maker's, not a family.
func wordIn(asked, answered string) int {
	if asked == "" || strings.ContainsAny(asked, "0123456789-_.:@") {
		return -1
	}
	return slices.Index(strings.FieldsFunc(answered, func(r rune) bool { return strings.ContainsRune("-_.:@", r) }), asked)
}

// Kinds of remarks.
const (
	RemarkVariant   = "answered_as"      // a variant of the requested model answered
	RemarkOther     = "other_model"      // another model than the requested one answered
	RemarkTruncated = "prompt_truncated" // the model seems to have read only a part of the prompt
	RemarkNoSchema  = "schema_refused"   // the endpoint refused the schema, so the reply was asked for in fences
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
	if c.Answered.NoSchema {
		all = append(all, Remark{RemarkNoSchema, "the endpoint refused the schema, so deltas were asked for in fences"})
	}
	return all
}

// matchModel returns the requested model of a call and how it matches the reply.
func (s *State) matchModel(c *Call) (asked string, match Match) {
	by := s.Reached(c)
	if by == nil || by.Via == ViaMail { // mail asks an agent, not a model
		return "", MatchUnknown
	}
	match = by.match(c.Answered.Model)
	if match == MatchOther && !s.Opened.Follows(ThirdProtocol) && wasVariant(by.ModelID, by.onlyModel(c.Answered.Model)) {
		match = MatchVariant // as its artifacts have it
	}
	return by.ModelID, match
}

func (p *Party) match(answered string) Match { return MatchModels(p.ModelID, p.onlyModel(answered)) }

// onlyModel returns the model that answered, without the program's name and version, which precede it.
func (p *Party) onlyModel(answered string) string {
	if p.Way != nil && p.Way.Version != "" {
		if _, model, ok := strings.Cut(answered, p.Way.Version); ok {
			return model
		}
	}
	return answered
}

// sentTokens returns the tokens of the first message of a call, by our own count; 0 if unknown.
func (s *State) sentTokens(c *Call) int {
	if c.OfArbiter() {
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
