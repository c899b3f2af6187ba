package stalemate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/internal/text"
)

// Protocol is the protocol id of requests.
const Protocol = "Stalemate_Protocol_v1.1"

// Request is the document that an arbiter receives.
type Request struct {
	At          time.Time
	Summary     string
	Parties     []Hypothesis // positions that are held
	Dissidents  []Hypothesis // at most three explanations that no party holds
	Evidence    []Evidence
	Arbitration string // the question
}

// Hypothesis is a position that a party holds or could hold.
type Hypothesis struct {
	Name          string // the party; "D1" to "D3" for dissidents
	Statement     string
	Justification string
	Source        string // of a dissident: "check NAME" or "model NAME"; "" in requests of people and of earlier versions
}

// Evidence is a document that supports a position.
type Evidence struct {
	Type        string
	Description string
	Path        string // of file contents
	Content     string
	Hash        string // SHA-256 of Content
}

// NewRequest returns the request for a case. Equal cases and bases yield equal bytes.
func NewRequest(thread string, at time.Time, c *Case, b *Basis) Request {
	checks := b.checks(c)
	r := Request{At: at, Summary: summary(thread, c), Dissidents: dissidents(checks)}
	r.Arbitration = question(c.Kind) + r.foundText() + notAsked
	docs := slices.Clone(b.First)
	if c.Item != nil {
		docs = append(docs, Document{Type: TypeItem, Description: "The item as it stands in the session's artifact.", Text: string(artifact.Canonical(c.Item))})
	}
	for _, p := range c.Positions {
		r.Parties = append(r.Parties, Hypothesis{Name: p.Party, Statement: p.Statement, Justification: p.Justification})
		if p.Edit != nil {
			docs = append(docs, Document{Type: TypeDelta, Description: "What " + p.Party + " would write (" + p.Delta + ").", Text: string(artifact.Canonical(p.Edit))})
		}
	}
	for i, line := range c.Log {
		docs = append(docs, Document{Type: TypeLog, Description: fmt.Sprintf("Line %d of the log.", i+1), Text: line})
	}
	if len(checks) > 0 {
		docs = append(docs, Document{Type: TypeChecks, Description: "The checks that ran, each with its observation.", Text: checksText(checks)})
	}
	if b.Text != nil {
		docs = append(docs, b.Text.documents()...)
	}
	if earlier := slices.Concat(c.Earlier, b.refusalsAbout(c)); len(earlier) > 0 {
		docs = append(docs, Document{Type: TypeRefusal, Description: "Earlier refusals about it.", Text: strings.Join(earlier, "\n")})
	}
	r.Enclose(append(docs, b.Documents...), b.Bound)
	return r
}

func (r *Request) add(kind, description, content string) {
	r.Evidence = append(r.Evidence, Evidence{Type: kind, Description: description, Content: content, Hash: HashOf(content)})
}

// HashOf returns the hash of a piece of evidence.
func HashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func summary(thread string, c *Case) string {
	at := fmt.Sprintf("%s, %s", thread, c.Place)
	switch c.Kind {
	case Conflict:
		at = fmt.Sprintf("%s: %d parties wrote different values at one instant with equal right in round %d", at, len(c.Positions), c.Since)
		if c.Since == c.Round {
			return at + ", and a person asks for a ruling."
		}
		return fmt.Sprintf("%s, and round %d did not settle it.", at, c.Round)
	case Swing:
		return fmt.Sprintf("%s: two parties write the field back and forth since round %d.", at, c.Since)
	case Retry:
		return fmt.Sprintf("%s: the same change was refused in round %d and sent again unchanged until round %d.", at, c.Since, c.Round)
	case Error:
		return fmt.Sprintf("%s: the same error came %d times, from round %d to round %d.", at, len(c.Log), c.Since, c.Round)
	}
	return at + ": a person asks for a ruling."
}

// question returns the question to the arbiter. It names no party and no side.
func question(kind string) string {
	task := "decide which of the positions, or which of the other explanations, is right"
	switch kind {
	case Conflict, Swing:
		task = "decide what the field should say: what one of the parties wrote, or what one of the other explanations leads to"
	case Retry, Error:
		task = "decide whether the change should be made or was refused rightly, or which of the other explanations holds"
	}
	return "Act as an independent arbiter. You are no party to this, and all you know of it stands in this request. Look at the " +
		"evidence, " + task + ", and name the root cause of the disagreement. Explain your ruling step by step, and say of every " +
		"position and explanation that you do not follow why it does not hold. The order in which they stand means nothing. "
}

// JSON returns the request as canonical JSON, under the names of the specification.
func (r *Request) JSON() []byte { return artifact.Canonical(r.value()) }

func textOf(key, s string) artifact.Entry { return artifact.Entry{Key: key, Value: artifact.Text(s)} }

// Keys of the hypotheses. The specification has two parties, each with a key; further ones are in a
// list.
const (
	firstParty   = "frankensteen" //nolint:misspell // the specification's name
	secondParty  = "engrove"
	keySuffix    = "_hypothesis"
	furtherKey   = "further_parties"
	dissidentKey = "hallucinated_hypotheses"
)

// value returns a hypothesis as JSON, with the name of its party unless that is implied.
func (h *Hypothesis) value(implied string) artifact.Value {
	entries := []artifact.Entry{textOf("statement", h.Statement), textOf("justification", h.Justification)}
	if h.Name != implied {
		entries = append(entries, textOf("party", h.Name))
	}
	if h.Source != "" {
		entries = append(entries, textOf("source", h.Source))
	}
	return artifact.MapOf(entries...)
}

// keyed returns which parties have the two keys of the specification: those of these names, else the first ones that have
// no key.
func (r *Request) keyed() (first, second int) {
	named := func(name string) int {
		return slices.IndexFunc(r.Parties, func(h Hypothesis) bool { return h.Name == name })
	}
	next := func(taken int) int {
		return slices.IndexFunc(r.Parties, func(h Hypothesis) bool {
			return h.Name != firstParty && h.Name != secondParty && (taken < 0 || h.Name != r.Parties[taken].Name)
		})
	}
	if first, second = named(firstParty), named(secondParty); first < 0 {
		first = next(-1)
	}
	if second < 0 {
		second = next(first)
	}
	return first, second
}

func (r *Request) hypotheses() artifact.Value {
	dissidents, further := artifact.List{}, artifact.List{}
	for i := range r.Dissidents {
		dissidents = append(dissidents, r.Dissidents[i].value(r.Dissidents[i].Name))
	}
	entries := []artifact.Entry{{Key: dissidentKey, Value: dissidents}}
	first, second := r.keyed()
	for i := range r.Parties {
		h := &r.Parties[i]
		switch i {
		case first:
			entries = append(entries, artifact.Entry{Key: firstParty + keySuffix, Value: h.value(firstParty)})
		case second:
			entries = append(entries, artifact.Entry{Key: secondParty + keySuffix, Value: h.value(secondParty)})
		default:
			further = append(further, h.value(""))
		}
	}
	if len(further) > 0 {
		entries = append(entries, artifact.Entry{Key: furtherKey, Value: further})
	}
	return artifact.MapOf(entries...)
}

func (r *Request) value() artifact.Value {
	evidence := artifact.List{}
	for _, e := range r.Evidence {
		entries := []artifact.Entry{textOf("type", e.Type), textOf("sha256", e.Hash)}
		if e.Description != "" {
			entries = append(entries, textOf("description", e.Description))
		}
		if e.Path != "" {
			entries = append(entries, textOf("file_path", e.Path), textOf("file_content", e.Content))
		} else {
			entries = append(entries, textOf("content", e.Content))
		}
		evidence = append(evidence, artifact.MapOf(entries...))
	}
	return artifact.MapOf(
		textOf("protocol_id", Protocol), textOf("session_timestamp", artifact.FormatInstant(r.At)), textOf("stalemate_summary", r.Summary),
		artifact.Entry{Key: "hypotheses", Value: r.hypotheses()},
		artifact.Entry{Key: "objective_evidence", Value: evidence}, textOf("arbitration_request", r.Arbitration),
	)
}

// Names returns the names that a verdict may rule for: the parties, and D1 to D3.
func (r *Request) Names() []string {
	var names []string
	for _, h := range r.Hypotheses() {
		names = append(names, h.Name)
	}
	return names
}

// Hypotheses returns the positions of the parties and the other explanations.
func (r *Request) Hypotheses() []Hypothesis { return slices.Concat(r.Parties, r.Dissidents) }

// Neither is what a verdict rules for if no hypothesis holds. Like the explanations, it needs a value.
const Neither = "neither"

// Find returns a hypothesis by its name.
func (r *Request) Find(name string) (Hypothesis, bool) {
	if name == Neither {
		return Hypothesis{Name: Neither}, true
	}
	for _, h := range slices.Concat(r.Parties, r.Dissidents) {
		if h.Name == name {
			return h, true
		}
	}
	return Hypothesis{}, false
}

// IsParty reports whether name is a party, ignoring case.
func (r *Request) IsParty(name string) bool {
	return slices.ContainsFunc(r.Parties, func(h Hypothesis) bool {
		return strings.EqualFold(strings.TrimSpace(h.Name), strings.TrimSpace(name))
	})
}

// ArbiterRole is the role of a ruling agent. It has no rights: it only reads the request.
const ArbiterRole = "arbiter"

// MaxAnswers bounds an arbiter's answers in one stalemate: a second one is requested if the first
// was not a verdict; after that a person must rule.
const MaxAnswers = 2

// Subject returns the subject of the message to an arbiter.
func Subject(id string) string { return "A ruling is needed: " + id }

// Message returns the message to an arbiter agent: the form of the answer, the request, and documents of a type of
// which the request has none. A request of a person, or of an earlier program, may lack the question or the brief.
func (r *Request) Message(more ...Document) string {
	return r.message() + r.missing(more)
}

// missing returns the documents of a type of which the request has none.
func (r *Request) missing(more []Document) string {
	message := ""
	for _, d := range more {
		if d.Text != "" && !slices.ContainsFunc(r.Evidence, func(e Evidence) bool { return e.Type == d.Type }) {
			message += "\n" + d.Description + "\n\n" + text.Clean(d.Text, text.PromptText) + "\n"
		}
	}
	return message
}

func (r *Request) message() string {
	return text.Clean(r.Arbitration, text.PromptText) + "\n\nAnswer with one JSON object:\n\n" +
		"- \"ruling_for\": the name of a party, or D1, D2, D3 for the other explanations in their order, or \"neither\"\n" +
		"- \"value\": when you do not rule for a party: what the field should say\n" +
		"- \"root_cause\": one sentence\n" +
		"- \"reasoning\": a list of sentences, step by step\n" +
		"- \"rejected\": a list of {\"hypothesis\": name, \"why\": one sentence}, one for every other party and explanation\n" +
		"- \"confidence\": a number from 0 to 1\n\n" +
		"The request:\n\n```json\n" + text.Clean(string(r.JSON()), text.PromptText) + "\n```\n"
}

// FromConflict returns the case of an open conflict that a person declares stuck.
func FromConflict(thread string, moments []Moment, place string) (Case, bool) {
	for _, c := range openConflicts(moments) {
		if c.Place == place {
			c.ID = caseID(thread, c.ID)
			return c, true
		}
	}
	return Case{}, false
}

// FromRequest returns the case of a person's request about a place without a conflict.
func FromRequest(thread string, r *Request, place string, round int) Case {
	c := Case{ID: caseID(thread, Person, place, string(r.JSON())), Kind: Person, Place: place, Since: round, Round: round}
	AddParties(&c, r)
	return c
}
