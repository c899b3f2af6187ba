package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/agent"
	"brenner/internal/modelhttp"
	"brenner/internal/text"
)

// How a reply can end. All other reasons mean a complete reply.
const (
	stopped  = "stop"
	length   = "length"
	filtered = "content_filter"
)

var (
	errMalformed = errors.New("malformed response")
	errNoBody    = errors.New("empty response")
)

// longestModel is how much of a model's name in a response is kept.
const longestModel = 200

// answer accumulates a reply.
type answer struct {
	text      strings.Builder
	reasoning strings.Builder // what the endpoint sends apart from the text
	refusal   strings.Builder
	model     string
	finish    string // one of the constants above; empty until the end
	usage     usage
	// Tokens received, by our own count, and how many of them are thoughts.
	tokens, thoughts int
	characters       int  // in text and refusal
	encoded          bool // the current piece has encoded bytes
	calls            []*toolCall
	called           int // bytes of the calls

	limit    int
	count    func(string) int
	progress func(int)
}

// add appends a piece of text.
func (a *answer) add(piece string) error {
	if piece == "" {
		return nil
	}
	piece = a.decodeBytes(piece)
	if a.text.Len()+len(piece) > a.limit {
		return errTooLarge
	}
	a.characters += utf8.RuneCountInString(piece)
	a.text.WriteString(piece)
	a.countTokens(piece)
	return nil
}

// addRefusal appends a piece of the model's refusal.
func (a *answer) addRefusal(piece string) error {
	piece = a.decodeBytes(piece)
	a.characters += utf8.RuneCountInString(piece)
	if a.refusal.Len()+len(piece) > a.limit {
		return errTooLarge
	}
	a.refusal.WriteString(piece)
	a.countTokens(piece)
	return nil
}

// addReasoning appends a piece of reasoning: it costs tokens, and is no reason to refuse a reply as too large.
func (a *answer) addReasoning(piece string) {
	piece = a.decodeBytes(piece)
	a.thoughts += a.countTokens(piece)
	if a.reasoning.Len()+len(piece) <= a.limit {
		a.reasoning.WriteString(piece)
	}
}

func (a *answer) countTokens(piece string) int {
	if piece == "" {
		return 0
	}
	n := a.count(piece)
	a.tokens += n
	a.progress(a.tokens)
	return n
}

// decode parses JSON. It is fast, because a stream has thousands of chunks, and
// tolerates duplicate keys.
func decode(data []byte, v any) error {
	err := jsonv2.Unmarshal(data, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("%w: %s", errMalformed, misfit(err))
	}
	return nil
}

// misfit returns what is wrong with JSON, without the names of our types.
func misfit(err error) string {
	var meaning *jsonv2.SemanticError
	if errors.As(err, &meaning) {
		return fmt.Sprintf("unexpected %s at %q", meaning.JSONKind, string(meaning.JSONPointer))
	}
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}

// parts is text that some endpoints send as an object, or as an array of parts, of which some are reasoning.
type parts struct{ text, reasoning string }

func (p *parts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil { // null is empty
		p.text += one
		return nil
	}
	var all []json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		all = []json.RawMessage{data}
	}
	for _, raw := range all {
		if json.Unmarshal(raw, &one) == nil {
			p.text += one
			continue
		}
		var part struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Thinking parts  `json:"thinking"` // Mistral
			Summary  string `json:"summary"`  // OpenRouter
		}
		if err := json.Unmarshal(raw, &part); err != nil {
			return err
		}
		p.reasoning += part.Thinking.text + part.Thinking.reasoning
		if isReasoning(part.Type) {
			p.reasoning += part.Text + part.Summary
		} else {
			p.text += part.Text
		}
	}
	return nil
}

// isReasoning reports whether a part of a reply, by its type, is what a model thought before it answered.
func isReasoning(kind string) bool {
	return strings.Contains(kind, "reasoning") || strings.Contains(kind, "thinking") || strings.Contains(kind, "thought") || kind == "summary_text"
}

// textOf returns the text of a member of a message, and the reasoning among its parts.
func textOf[T string | parts](member T) (text, reasoning string) {
	if p, ok := any(member).(parts); ok {
		return p.text, p.reasoning
	}
	return any(member).(string), ""
}

// reply returns a finished answer as a reply, or the failure that its end implies.
func (x *exchange) reply() (agent.Reply, *agent.Failure) {
	a := &x.answer
	answer := strings.ToValidUTF8(a.text.String(), "\uFFFD")
	if calls := strings.ToValidUTF8(a.callsText(), "\uFFFD"); strings.TrimSpace(answer) == "" && calls != "" {
		answer = strings.TrimLeft(calls, "\n")
	} else {
		answer += calls
	}
	answer = x.hide.answer(answer)
	reasoning := text.FirstBytes(strings.ToValidUTF8(a.reasoning.String(), "\uFFFD"), max(0, a.limit-len(answer)))
	reply := agent.Reply{Text: answer, Reasoning: x.hide.answer(reasoning), Model: text.Clip(x.hide.Text(a.model), longestModel), Usage: x.spent()}
	isBlank := strings.TrimSpace(answer) == ""
	f := &agent.Failure{Usage: reply.Usage, Partial: text.FirstBytes(answer, longestPartial)}
	switch reported := x.reported(); {
	case reported > 0 && x.cutShort(reported):
		f.Code = agent.Truncated
		f.Detail = fmt.Sprintf("%s read only %d tokens of a question of about %d", x.host, reported, x.input(x.call))
		f.Hint = "raise the server's context window (num_ctx, --ctx-size, max-model-len), or use smaller views"
	case a.finish == length: // without a text if the model was still reasoning
		reply.Cut = true
		return reply, nil
	case a.finish == filtered:
		f.Code, f.Detail = agent.Filtered, x.host+": content filter blocked the reply"
		f.Hint = rephrase
	case isBlank && a.refusal.Len() > 0:
		f.Code, f.Detail = agent.Refused, "the model refused: "+x.hide.Shown(modelhttp.Tidy(a.refusal.String()))
		f.Hint = rephrase
		f.Partial = text.FirstBytes(x.hide.answer(strings.ToValidUTF8(a.refusal.String(), "\uFFFD")), longestPartial)
	case isBlank && strings.TrimSpace(reply.Reasoning) == "":
		f.Code, f.Detail = agent.Empty, "blank reply"
		f.Hint = "raise budget.reply_tokens, or ask another model"
		f.Partial = x.hide.Evidence(x.received())
	default:
		return reply, nil
	}
	return agent.Reply{}, f
}

// cutShort reports whether the endpoint has read less than half of the question, which
// self-hosted servers truncate silently. An estimate of tokens is too coarse to tell.
func (x *exchange) cutShort(reported int) bool {
	bytes := 0
	for _, t := range x.call.Turns {
		bytes += len(t.Text)
	}
	if x.guessing || 2*reported >= bytes { // a token is at least one byte: no need to count
		return false
	}
	return 2*reported < x.input(x.call)
}

// usage is the reported usage; nil is missing or implausible.
type usage struct{ input, output *int }

// addUsage reads the reported usage, which has these field names.
func (a *answer) addUsage(raw json.RawMessage, input, output string) {
	var fields map[string]json.RawMessage
	if !isSet(raw) || decode(raw, &fields) != nil {
		return
	}
	u := usage{tokens(fields[input]), tokens(fields[output])}
	if (u.input == nil || *u.input == 0) && (u.output == nil || *u.output == 0) {
		return // present, but not filled in
	}
	if a.usage = u; u.output != nil {
		a.progress(*u.output)
	}
}

// tokens parses a token count; nil if it is invalid.
func tokens(raw json.RawMessage) *int {
	if n, ok := agent.ParseTokens(raw); ok {
		return &n
	}
	return nil
}

// reported returns the input tokens that the endpoint reports; 0 if unknown.
func (x *exchange) reported() int {
	if n := x.answer.usage.input; n != nil {
		return *n
	}
	return 0
}

// spent returns the usage of the exchange, as reported or by our own count.
func (x *exchange) spent() agent.Usage {
	a := &x.answer
	u := agent.Usage{Guessed: a.usage.input == nil || a.usage.output == nil}
	if a.usage.input != nil {
		u.Input = *a.usage.input
	} else {
		u.Input = x.input(x.call)
	}
	if a.usage.output != nil {
		u.Output = *a.usage.output
	} else {
		u.Output = x.Count(a.text.String()) + x.Count(a.refusal.String()) + x.Count(a.callsText()) + a.thoughts
	}
	return u
}

// schemaName is the schema's name where the API requires one.
const schemaName = "brenner_reply"

// Some servers split text between bytes, not characters, and a JSON decoder would
// replace half a character. So invalid bytes pass through it encoded as
// characters of the last private-use block.
const rawBytes = 0x10FF00

// encodeBytes encodes the invalid bytes of a chunk. Almost no chunk has any.
func (a *answer) encodeBytes(data []byte) []byte {
	if a.encoded = !utf8.Valid(data); !a.encoded {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			r = rawBytes + rune(data[0])
		}
		out = utf8.AppendRune(out, r)
		data = data[n:]
	}
	return out
}

// decodeBytes undoes encodeBytes.
func (a *answer) decodeBytes(text string) string {
	if !a.encoded {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r >= rawBytes+utf8.RuneSelf && r <= rawBytes+0xFF {
			b.WriteByte(byte(r - rawBytes))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

var errEndless = errors.New("the reply exceeds the token limit")

// linger is how long to wait for the usage after the end of a reply.
var linger = 2 * time.Second

// endless reports whether the endpoint ignores the token limit. Few tokens have
// more than six characters, so twice the limit at three characters each exceeds it
// by any count. The slack is for short replies, where a long run of spaces may be
// one token. Reasoning is not counted: some endpoints exclude it.
func (a *answer) endless(limit int) bool {
	const each, slack = 3, 256
	return limit > 0 && a.characters/each-slack > 2*min(limit, agent.MaxTokens)
}
