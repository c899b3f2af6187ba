package flow

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Sealed is the content of a seal: everything that a version came from, and nothing that
// depends on the order of arrival, crashes or the clock. A killed and resumed session has the
// same seals as an uninterrupted one.
type Sealed struct {
	Schema   string      `json:"schema"`
	Before   string      `json:"before"` // seal of the previous commit
	Thread   string      `json:"thread"`
	Opened   string      `json:"opened"` // see openingOf
	Source   string      `json:"source"`
	Round    int         `json:"round"`
	Leg      int         `json:"leg"`
	At       string      `json:"at"`
	Rules    sealedRules `json:"rules"`
	Author   string      `json:"author"`
	Deltas   string      `json:"deltas"`
	Messages []SealedOne `json:"messages"`
	// Mailboxes is the mapping of agents to mailboxes as journaled, if agents were asked by mail.
	Mailboxes jsontext.Value `json:"mailboxes,omitempty"`
}

// SealedOne is a question and its answers, by hash.
type SealedOne struct {
	Agent   string `json:"agent"`
	Kickoff string `json:"kickoff"`
	Reply   string `json:"reply"`
	Repair  string `json:"repair"`
	// For a letter: its id, and the version that its author is assumed to have seen.
	Letter string `json:"letter,omitempty"`
	Shown  int    `json:"shown,omitzero"`
	// Way is how the agent was reached, if not as in the opening.
	Way *NewWay `json:"way,omitempty"`
	// For a letter since reader/2: its recipients, and the examples that its author was shown.
	To       []string `json:"to,omitempty"`
	Examples string   `json:"examples,omitempty"`
	More     []string `json:"more_examples,omitempty"`
	Round    int      `json:"round,omitzero"`
	// For a letter in the commit of a round: the reply that it follows.
	Follows string `json:"follows,omitempty"`
}

// SealFor returns the seal of the commit of a leg, or of a person's change.
func (s *State) SealFor(c *Committed) string {
	sealed := Sealed{
		Schema: "brenner.seal/v1", Before: s.Seal(), Thread: s.Opened.Thread, Opened: s.opening,
		Source: c.Source, Round: c.Round, Leg: c.Leg, At: c.At, Rules: s.rules, Author: c.Author, Deltas: c.Deltas,
	}
	if leg := s.OpenLeg(); leg != nil && c.Source == ByRound {
		sealed.Mailboxes = leg.mailboxes
		for i := range leg.Exchanges {
			x := &leg.Exchanges[i]
			sealed.Messages = append(sealed.Messages, SealedOne{
				Agent: x.Agent, Kickoff: x.Body, Reply: x.Ask.Answered.Reply, Repair: x.Repair.Answered.Reply, Way: s.newWay(x),
			})
		}
	}
	for _, l := range c.Letters {
		sealed.Messages = append(sealed.Messages, SealedOne{Agent: l.Agent, Reply: l.Body, Letter: l.ID, Shown: l.Shown, To: l.To, Examples: l.Examples, More: l.More, Round: l.Round, Follows: l.Follows})
	}
	return digest(sealed)
}

// openingOf returns the hash of everything that determines a session's results: parties, brief,
// rules, rehearsal. Settings are not part of it, since they may change. It reads the journaled
// bytes, not what the program would write today.
func openingOf(body []byte) (hash string, rules sealedRules) {
	var o sealedOpening
	_ = json.Unmarshal(body, &o) // cannot fail: Opened has the same shape
	o.Settings = jsontext.Value(noSettings)
	return digest(o), o.Rules
}

func storedMailboxes(body []byte) jsontext.Value {
	var p struct {
		Mailboxes jsontext.Value `json:"mailboxes"`
	}
	_ = json.Unmarshal(body, &p) // cannot fail: read as Planned before
	return p.Mailboxes
}

func digest(v any) string {
	// Strings, numbers and lists of them always marshal.
	data, _ := json.Marshal(v, json.Deterministic(true))
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// A journal has the keys of an opening in canonical order; a seal of brenner.seal/v1 hashes
// them in the order below. These types copy stored members into that order. They are frozen and
// independent of Opened: keys added to Opened later go to Later, in canonical order.

type sealedOpening struct {
	Thread      jsontext.Value   `json:"thread,omitzero"`
	Operator    jsontext.Value   `json:"operator,omitzero"`
	Program     jsontext.Value   `json:"program,omitzero"`
	Question    jsontext.Value   `json:"question,omitzero"`
	Context     jsontext.Value   `json:"context,omitzero"`
	Excerpt     jsontext.Value   `json:"excerpt,omitzero"`
	Evidence    []sealedEvidence `json:"evidence,omitzero"`
	Constraints jsontext.Value   `json:"constraints,omitzero"`
	Brief       jsontext.Value   `json:"brief,omitzero"`
	Roster      jsontext.Value   `json:"roster,omitzero"`
	Agents      []sealedParty    `json:"agents,omitzero"`
	Arbiter     *sealedParty     `json:"arbiter,omitzero"`
	Rules       sealedRules      `json:"rules"`
	Rehearsal   jsontext.Value   `json:"rehearsal,omitzero"`
	Settings    jsontext.Value   `json:"settings"` // always noSettings
	Records     jsontext.Value   `json:"records,omitzero"`
	Module      jsontext.Value   `json:"module,omitzero"`
	Later       jsontext.Value   `json:",embed"`
}

// noSettings replaces the settings of every session.
const noSettings = `{"rounds":0,"flow":"","quorum":"","budget_tokens":0,"reply_tokens":0,"quiet_rounds":0,"stop_when_clean":false,"repair":false,` +
	`"limits":{"call_ms":0,"idle_ms":0,"agent_ms":0,"run_ms":0}}`

type sealedEvidence struct {
	ID    jsontext.Value `json:"id,omitzero"`
	Name  jsontext.Value `json:"name,omitzero"`
	Hash  jsontext.Value `json:"hash,omitzero"`
	Later jsontext.Value `json:",embed"`
}

type sealedParty struct {
	Name    jsontext.Value `json:"name,omitzero"`
	Role    jsontext.Value `json:"role,omitzero"`
	Program jsontext.Value `json:"program,omitzero"`
	Model   jsontext.Value `json:"model,omitzero"`
	Via     jsontext.Value `json:"via,omitzero"`
	ModelID jsontext.Value `json:"model_id,omitzero"`
	Seed    jsontext.Value `json:"seed,omitzero"`
	View    jsontext.Value `json:"view,omitzero"`
	Later   jsontext.Value `json:",embed"`
}

type sealedRules struct {
	Version     jsontext.Value         `json:"version,omitzero"`
	Unified     jsontext.Value         `json:"unified,omitzero"`
	Strict      jsontext.Value         `json:"strict_scopes,omitzero"`
	Grants      []sealedGrant          `json:"grants,omitzero"`
	Authorities jsontext.Value         `json:"authorities,omitzero"`
	Priority    jsontext.Value         `json:"priority,omitzero"`
	Limits      map[string]sealedLimit `json:"limits,omitzero"`
	Later       jsontext.Value         `json:",embed"`
}

type sealedGrant struct {
	Role         jsontext.Value `json:"role,omitzero"`
	Write        jsontext.Value `json:"write,omitzero"`
	Add          jsontext.Value `json:"add,omitzero"`
	KillAnywhere jsontext.Value `json:"kill_anywhere,omitzero"`
	Later        jsontext.Value `json:",embed"`
}

type sealedLimit struct {
	Min   jsontext.Value `json:"min,omitzero"`
	Max   jsontext.Value `json:"max,omitzero"`
	Later jsontext.Value `json:",embed"`
}
