package openai

import (
	"bytes"
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

// How an answer can end. Endpoints have more words; those that mean a whole answer
// are all the same here.
const (
	stopped  = "stop"
	length   = "length"
	filtered = "content_filter"
)

var errMalformed = errors.New("not what was agreed on")

// answer is what has come of an answer so far.
type answer struct {
	text    strings.Builder
	refusal strings.Builder
	model   string
	finish  string // one of the words above; empty while it goes on
	usage   usage
	// How many tokens came, by our own count of the pieces, and how many of them are
	// thoughts.
	tokens, thoughts int
	letters          int  // of text and refusal
	disguises        bool // the piece that is taken in has bytes in disguise

	limit    int
	count    func(string) int
	progress func(int)
}

// add takes in a piece of text.
func (a *answer) add(piece string) error {
	if piece == "" {
		return nil
	}
	piece = a.bare(piece)
	if a.text.Len()+len(piece) > a.limit {
		return errTooLarge
	}
	a.letters += utf8.RuneCountInString(piece)
	a.text.WriteString(piece)
	a.came(piece)
	return nil
}

// refuse takes in a piece of what a model says in place of an answer.
func (a *answer) refuse(piece string) error {
	piece = a.bare(piece)
	a.letters += utf8.RuneCountInString(piece)
	if a.refusal.Len()+len(piece) > a.limit {
		return errTooLarge
	}
	a.refusal.WriteString(piece)
	a.came(piece)
	return nil
}

// think takes in what a model wrote to itself: it costs, but is no part of the
// answer.
func (a *answer) think(piece string) { a.thoughts += a.came(a.bare(piece)) }

func (a *answer) came(piece string) int {
	if piece == "" {
		return 0
	}
	n := a.count(piece)
	a.tokens += n
	a.progress(a.tokens)
	return n
}

// decode reads a piece of JSON, and is as patient with it as it is fast: a stream
// has thousands of pieces, and none is worth losing for a key that stands twice.
func decode(data []byte, v any) error {
	err := jsonv2.Unmarshal(data, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return errors.Join(errMalformed, err)
	}
	return nil
}

// words is a text that some endpoints give in parts.
type words string

func (w *words) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil { // null is no text
		*w = words(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*w += words(p.Text)
	}
	return nil
}

// reply makes a reply of an answer that has an end, unless the end says that it is
// none.
func (x *exchange) reply() (agent.Reply, *agent.Failure) {
	a := &x.answer
	answer := strings.ToValidUTF8(a.text.String(), "\uFFFD")
	if x.form.schema {
		answer = markdown(answer)
	}
	answer = x.hide.answer(answer)
	f := &agent.Failure{Usage: x.spent(), Partial: text.FirstBytes(answer, longestPartial)}
	switch reported := x.reported(); {
	case reported > 0 && x.cutShort(reported):
		f.Code = agent.Truncated
		f.Detail = fmt.Sprintf("%s read %d tokens of a question of about %d", x.host, reported, x.input(x.call))
		f.Hint = "raise the server's context window (num_ctx, --ctx-size, max-model-len), or give the agents smaller views"
	case a.finish == length:
		f.Code, f.Detail = agent.Cut, "the answer was cut off at the most tokens that it may have"
		f.Hint = "raise budget.reply_tokens; thoughts of a model count too"
	case a.finish == filtered:
		f.Code, f.Detail = agent.Filtered, "a content filter of "+x.host+" stopped the answer"
		f.Hint = rephrase
	case strings.TrimSpace(answer) == "" && a.refusal.Len() > 0:
		f.Code, f.Detail = agent.Refused, "the model will not answer: "+x.hide.Shown(modelhttp.Tidy(a.refusal.String()))
		f.Hint = rephrase
	case strings.TrimSpace(answer) == "":
		f.Code, f.Detail = agent.Empty, "the answer is blank"
		f.Hint = "raise budget.reply_tokens, or ask another model"
		f.Partial = ""
	default:
		return agent.Reply{Text: answer, Model: x.hide.Text(a.model), Usage: f.Usage}, nil
	}
	return agent.Reply{}, f
}

// cutShort tells whether the endpoint has read less than half of the question.
// Servers of one's own cut silently what does not fit. Without a counter nobody
// can tell.
func (x *exchange) cutShort(reported int) bool {
	bytes := 0
	for _, t := range x.call.Turns {
		bytes += len(t.Text)
	}
	if x.guessing || 2*reported >= bytes { // a token has a byte at least: no need to count
		return false
	}
	return 2*reported < x.input(x.call)
}

// usage is what an endpoint says that an answer cost; nil is what it does not say,
// or not in a way that can be believed.
type usage struct{ input, output *int }

// cost takes in what an endpoint says of the cost, which has these names there.
func (a *answer) cost(raw json.RawMessage, input, output string) {
	var said map[string]json.RawMessage
	if !isSet(raw) || decode(raw, &said) != nil {
		return
	}
	u := usage{tokens(said[input]), tokens(said[output])}
	if (u.input == nil || *u.input == 0) && (u.output == nil || *u.output == 0) {
		return // said, but not known
	}
	if a.usage = u; u.output != nil {
		a.progress(*u.output)
	}
}

// tokens reads a number of tokens; nil is not known.
func tokens(raw json.RawMessage) *int {
	if n, ok := agent.Tokens(raw); ok {
		return &n
	}
	return nil
}

// reported is how much of the question the endpoint says it has read; 0 where it
// does not say.
func (x *exchange) reported() int {
	if n := x.answer.usage.input; n != nil {
		return *n
	}
	return 0
}

// spent is what the exchange cost: as the endpoint says, and where it does not, by
// our own count.
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
		u.Output = x.Count(a.text.String()) + x.Count(a.refusal.String()) + a.thoughts
	}
	return u
}

// schemaName is what the schema is called where a name is wanted.
const schemaName = "brenner_reply"

// markdown turns an answer that was held to the schema back into the Markdown that
// readers of replies know: each delta in a fence of its own, as it was written,
// and the prose after them. Before them, a code block that the prose forgot to end
// would swallow them all. An answer that is not of that form (some endpoints
// accept a schema and pay no heed to it) stays as it is.
func markdown(text string) string {
	var given struct {
		Prose  *string           `json:"prose"`
		Deltas []json.RawMessage `json:"deltas"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&given) != nil || d.More() || given.Prose == nil && given.Deltas == nil {
		return text
	}
	var b bytes.Buffer
	for _, delta := range given.Deltas {
		b.WriteString("```delta\n")
		b.Write(delta) // a line of JSON never begins with a fence: in a string it has no line breaks
		b.WriteString("\n```\n\n")
	}
	if given.Prose != nil {
		b.WriteString(*given.Prose)
	}
	return b.String()
}

// Some servers cut a text into pieces between bytes, not between characters. A
// reader of JSON would take either half of a character for a mistake; so bytes that
// are no character go through it in disguise: as characters of the last private
// block, which nobody uses.
const disguised = 0x10FF00

// disguise dresses the bytes of a piece that are no characters. Almost no piece has
// any.
func (a *answer) disguise(data []byte) []byte {
	if a.disguises = !utf8.Valid(data); !a.disguises {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			r = disguised + rune(data[0])
		}
		out = utf8.AppendRune(out, r)
		data = data[n:]
	}
	return out
}

// bare gives a text from such a piece with its bytes as they came.
func (a *answer) bare(text string) string {
	if !a.disguises {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r >= disguised+utf8.RuneSelf && r <= disguised+0xFF {
			b.WriteByte(byte(r - disguised))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

var errEndless = errors.New("the answer goes on beyond the most tokens that it may have")

// linger is how long an answer that is finished waits for what it cost.
var linger = 2 * time.Second

// endless tells whether the endpoint pays no heed to the most tokens of an answer.
// Hardly any token has more than six characters, so that twice as many tokens of
// three are beyond it by any count; the rest is for short answers, where one long
// row of spaces can be a single token. Thoughts are not looked at: some endpoints
// do not count them.
func (a *answer) endless(most int) bool {
	const each, rest = 3, 256
	return most > 0 && a.letters/each-rest > 2*min(most, agent.MostTokens)
}
