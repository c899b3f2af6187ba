// Package kickoff writes the messages that open a round, and reads them back.
//
// Compose promises one message per recipient with its parts in a fixed order. Outside texts are
// block quotes, so that none can forge a heading, the roster's table or a delta, and a kickoff, or
// a reply that repeats it, contains no deltas when read as a reply. Audit checks that roster,
// thread id and template of a message agree with each other and with a given roster.
//
// The package is pure. It must not know how a message is sent, how a view is built, or what becomes
// of a reply.
package kickoff

import (
	"errors"
	"slices"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/roster"
)

// Input is the content of the messages of one round.
type Input struct {
	ThreadID string
	Roster   roster.Roster // resolved: shown as is
	// Recipients are agents of the roster; none means all of them.
	Recipients []string
	Round      int // from 1; less means 1

	Question    string // required
	Context     string
	Excerpt     string
	Hypotheses  []Hypothesis
	Constraints []string
	Memory      []Bullet
	// Project is the optional view of the project's records, in Markdown, by agent.
	Project map[string]string
	// Patchable are the addresses (ID@vN) of texts in it that an agent may change, by agent. They
	// are not quoted: the store's ids are plain words.
	Patchable map[string][]string
	// Hashes are those of the canonical texts of Patchable, if the agent may send anchor patches.
	Hashes map[string][]string
	// Creates are the types of records that an agent may create, by agent.
	Creates map[string][]string
	// Task makes the messages of a task: the question is its text, and the replies are records.
	Task *Task
	// Lessons are additional bullets by agent.
	Lessons map[string][]Bullet
	// Learns asks the agents to cite what they use and to report what they learned.
	Learns bool
	// Views are the artifact as each agent sees it, in Markdown, by agent. From round 2 on every
	// recipient needs one: it can only change what it can name.
	Views  map[string]string
	Scopes merge.Scopes // the zero value restricts no agent
	// Structured says, by agent, whether its reply is held to a JSON schema: "schema", "auto" if that may fail, or "".
	Structured map[string]string
	// LeftOut says, by agent, what its message does not show because it would be too long.
	LeftOut map[string][]string
	// Prompts is the version of the prompts; 0 is the latest one.
	Prompts int
	// Short are the agents whose messages have a short prompt, for small contexts.
	Short map[string]bool
	// Reader is the version of the rules by which the replies will be read; empty is the newest.
	Reader delta.Reader

	// Frames, if not nil, caches frames between calls of Compose.
	Frames Frames
}

// Task is a task of the project's store. Its text is the question of the message.
type Task struct {
	Address string   // ID@vN
	Role    string   // of the store, whose agent does it
	Creates []string // the types of records that this role may create
}

// Hypothesis is a hypothesis of the brief, with its id if it has one.
type Hypothesis struct{ ID, Text string }

// Bullet is a lesson from earlier sessions.
type Bullet struct{ ID, Text string }

// Quoted returns a lesson as it appears in a message.
func (b Bullet) Quoted() string { return quoted(b.line()) }

func (b Bullet) line() string { return "- [" + oneLine(b.ID) + "] " + oneLine(b.Text) + "\n" }

// Message is a kickoff for one agent.
type Message struct {
	To           string      `json:"to"`
	Role         roster.Role `json:"role"` // empty in unified mode
	ThreadID     string      `json:"-"`
	Subject      string      `json:"subject"`
	AckRequired  bool        `json:"ack_required"`
	Template     string      `json:"template"`      // name and version: "test_designer/1"
	TemplateHash string      `json:"template_hash"` // SHA-256 in hexadecimal digits, in full
	Body         string      `json:"body"`          // Markdown
	// Examples are the deltas that the message shows. A reply that repeats one does not propose it.
	Examples []string `json:"-"`
}

// Compose returns the messages in the order of the recipients, or all faults of its input.
func Compose(in Input) ([]Message, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	in.Round = max(in.Round, 1)
	in.Roster = effective(in.Roster, in.Recipients)
	if in.Frames == nil {
		in.Frames = make(localFrames)
	}
	messages := make([]Message, 0, len(in.Recipients))
	for _, to := range in.Recipients {
		messages = append(messages, in.message(to))
	}
	return messages, nil
}

// Check returns all faults of the input. Without recipients, all agents of the roster are.
func (in *Input) Check() error {
	if len(in.Recipients) == 0 {
		in.Recipients = in.Roster.Agents()
	}
	found := []error{CheckThreadID(in.ThreadID), validate(in.Roster, in.Task != nil), in.Roster.Covers(in.Recipients)}
	if blank(in.Question) {
		found = append(found, &fault.Error{
			Code: NoQuestion, Detail: "the research question is missing",
			Hint: "state the question in a sentence or two",
		})
	}
	if len(in.Recipients) == 0 && len(in.Roster.Entries) == 0 && in.Roster.Mode == roster.Heuristic {
		found = append(found, &fault.Error{
			Code: roster.NoRecipients, Detail: "no recipients", Hint: "name at least one agent",
		})
	}
	for i, to := range in.Recipients {
		if slices.Contains(in.Recipients[:i], to) {
			found = append(found, &fault.Error{
				Code: roster.DuplicateAgent, Detail: "Duplicate recipient: " + fault.Shown(to), Hint: "name each recipient once",
			})
		}
		if in.Round > 1 && blank(in.Views[to]) {
			found = append(found, &fault.Error{
				Code: NoView, Detail: "no view of the artifact for " + fault.Shown(to),
				Hint: "from round 2 on, every recipient needs a view of the artifact",
			})
		}
	}
	return errors.Join(found...)
}

// effective fills in the roles that heuristic mode guesses, so that the message shows them.
func effective(r roster.Roster, recipients []string) roster.Roster {
	if r.Mode != roster.Heuristic {
		return r
	}
	r.Entries = slices.Clone(r.Entries)
	for _, to := range recipients {
		if _, ok := r.Find(to); !ok {
			r.Entries = append(r.Entries, roster.Entry{Agent: to})
		}
	}
	for i := range r.Entries {
		if e := &r.Entries[i]; e.Role == "" {
			e.Role, _, _ = roster.HeuristicRole(e.Agent)
		}
	}
	return r
}

// message returns one message; the input has been checked.
func (in *Input) message(to string) Message {
	f := in.cachedFrame(to)
	sections := in.sections(to)
	m := Message{
		To: to, Role: f.role, ThreadID: in.ThreadID, Subject: subject(in.Round, in.Question), AckRequired: true,
		Template: f.template, TemplateHash: f.hash, Body: in.body(to, &f, sections),
	}
	m.Examples = f.examples(sections, m.Body, in.Reader)
	if in.creatable(to) != "" {
		m.Examples = append(m.Examples, recordExample(in.Creates[to][0]))
	}
	return m
}

// Codes of kickoffs that cannot be composed.
const (
	InvalidThreadID fault.Code = "INVALID_THREAD_ID"   // The thread id does not match RS-YYYYMMDD-slug.
	NoQuestion      fault.Code = "KICKOFF_NO_QUESTION" // A kickoff needs a research question.
	NoView          fault.Code = "KICKOFF_NO_VIEW"     // From round 2 on, every recipient must be shown the artifact.
)

// Codes of audit findings, in addition to those of package roster.
const (
	BadHead         fault.Code = "KICKOFF_BAD_HEAD"         // Audit: a header line of the kickoff is missing or unreadable.
	BadOrder        fault.Code = "KICKOFF_BAD_ORDER"        // Audit: a part of the kickoff is missing or misplaced.
	UnknownTemplate fault.Code = "KICKOFF_UNKNOWN_TEMPLATE" // Audit: unknown template.
	WrongTemplate   fault.Code = "KICKOFF_WRONG_TEMPLATE"   // Audit: the template is for a role other than the recipient's.
	TemplateHash    fault.Code = "KICKOFF_TEMPLATE_HASH"    // Audit: the hash does not match the named template version.
	PromptChanged   fault.Code = "KICKOFF_PROMPT_CHANGED"   // Audit: the prompt differs from the text of its template.
	WrongThread     fault.Code = "KICKOFF_WRONG_THREAD"     // Audit: the kickoff belongs to a different thread.
	RosterDiffers   fault.Code = "KICKOFF_ROSTER_DIFFERS"   // Audit: the roster table differs from the given roster.
)

// CheckThreadID returns an error if id is not the thread id of a research session.
func CheckThreadID(id string) error {
	if artifact.IsThreadID(id) {
		return nil
	}
	return &fault.Error{
		Code: InvalidThreadID, Detail: "not a thread id: " + fault.Shown(id),
		Hint: "a thread id is RS-, the date as eight digits, -, and 2 to 40 of a-z, 0-9 and -: RS-20251230-cell-fate",
	}
}
