package audit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/merge/settle"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
)

// CallTrace is everything that the journal records about a call.
type CallTrace struct {
	Schema    string      `json:"schema"`
	Thread    string      `json:"thread_id"`
	Rehearsal bool        `json:"rehearsal"`
	Call      CallSummary `json:"call"`
	In        CallInput   `json:"in"`
	Out       CallOutput  `json:"out"`
	Deltas    []Origin    `json:"deltas"`
	Settled   bool        `json:"settled"`
	Version   int         `json:"version"` // the version its round was merged into
	Journal   []CallEvent `json:"journal"`
}

// CallInput is the input of a call.
type CallInput struct {
	Subject      string         `json:"subject"`
	Template     string         `json:"template"`
	TemplateHash string         `json:"template_hash"`
	View         string         `json:"view_hash"`
	Base         int            `json:"base_version"`
	Saw          []string       `json:"items_shown"`
	Lessons      []string       `json:"lessons,omitempty"`      // quoted bullets of the playbook
	LessonsLeft  []string       `json:"lessons_left,omitempty"` // those that did not fit
	Evidence     []CallEvidence `json:"evidence"`
	Records      []CallRecord   `json:"records_shown"`
	RecordsView  string         `json:"records_view_hash"`
	Kickoff      string         `json:"kickoff"`
	Prompt       string         `json:"prompt"`
	Bytes        int            `json:"prompt_bytes"`
	Tokens       int            `json:"prompt_tokens"` // counted locally before sending
	Reserved     int            `json:"reserved_tokens"`
	Before       string         `json:"first_reply"` // the reply that a repair corrects
	Text         *string        `json:"prompt_text,omitempty"`
	Schema       string         `json:"reply_schema,omitempty"` // hash
	SchemaText   jsontext.Value `json:"reply_schema_text,omitempty"`
	LeftOut      []string       `json:"left_out,omitempty"` // to keep to the bound of the call
	Ruling       bool           `json:"-"`                  // an arbiter's call
}

// CallRecord is a record of the project shown to an agent.
type CallRecord struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
	Form    string `json:"form"`
	Content string `json:"content"` // hash
	// Here reports what the store has under that name: the same record, another one, or none.
	Here string `json:"here"`
}

// Values of CallRecord.Here. An imported session names records of its original project.
const (
	HereSame    = "same"
	HereAnother = "another"
	HereNone    = "none"
)

// lookUpRecords looks up the records of a call in the store that holds the session.
func (in *CallInput) lookUpRecords(ctx context.Context, st store.Store) error {
	for i := range in.Records {
		r := &in.Records[i]
		found, err := st.Records(ctx, store.Query{ID: r.ID, Version: r.Version})
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			r.Here = HereNone
		case r.Content != "" && found[0].Content != r.Content, found[0].Type != r.Type:
			r.Here = HereAnother
		default:
			r.Here = HereSame
		}
	}
	return nil
}

// CallEvidence is a file of the brief.
type CallEvidence struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Hash string `json:"sha256"`
}

// CallOutput is the output of a call.
type CallOutput struct {
	Reply    string          `json:"reply"`
	Bytes    int             `json:"reply_bytes"`
	Broken   bool            `json:"broken_off"` // the reply was cut off and not used
	Taken    int             `json:"taken"`
	Refused  int             `json:"refused"`
	Shown    int             `json:"only_shown"`
	Problems []delta.Located `json:"problems"`
	Text     *string         `json:"reply_text,omitempty"`
	Ignored  []Ignored       `json:"ignored,omitempty"` // what it only shows
	Repeated int             `json:"repeated,omitzero"` // of Taken in a repair: what the first reply has, too
	Patches  []PatchResult   `json:"patches,omitempty"` // its search/replace blocks
}

// addPatches adds what the reply to a call made of the project's records. One that changed a record, or put
// one, needs no deltas. The outcome of an answer has the records of its repair, too, but no other repaired
// blocks.
func (out *CallOutput) addPatches(ctx context.Context, h *session.History, c *flow.Call) error {
	_, x := h.State.Planned(c)
	if x == nil {
		return nil
	}
	p := h.State.PatchesOf(x.Ask.ID)
	if p == nil {
		return nil
	}
	applied := false
	for i := range p.Changes {
		repaired := false
		if p.Changes[i].Kind == flow.RecordKind {
			text, err := h.Store.Blob(ctx, p.Changes[i].Blocks)
			if err != nil {
				return err
			}
			var draft delta.Draft
			repaired = json.Unmarshal(text, &draft) == nil && draft.Repair
		}
		if repaired != (c.Turn == flow.TurnRepair) {
			continue
		}
		out.Patches = append(out.Patches, patchResult(&p.Changes[i]))
		applied = applied || p.Changes[i].Made != ""
	}
	if applied {
		out.Problems = slices.DeleteFunc(slices.Clone(out.Problems), func(p delta.Located) bool { return p.Code == delta.NoDeltas })
	}
	return nil
}

// CallEvent is a journal entry about a call.
type CallEvent struct {
	Entry int    `json:"entry"`
	At    string `json:"at"`
	Kind  string `json:"kind"`
	Hash  string `json:"hash"`
}

// CallQuery names a call, by id or by agent and round, and selects its texts.
type CallQuery struct {
	ID     string
	Agent  string
	Round  int
	Repair bool // the repair call
	Prompt bool // include the prompt as sent
	Reply  bool // include the reply as received
}

// find returns the call in question. Of several legs the last one counts.
func (o *CallQuery) find(h *session.History) (*flow.Call, error) {
	turn := flow.TurnAsk
	if o.Repair {
		turn = flow.TurnRepair
	}
	var found *flow.Call
	asked := false // in that round
	for _, call := range callsOf(h.State) {
		inRound := o.ID == "" && call.Agent == o.Agent && call.Round == o.Round
		asked = asked || inRound
		if call.ID == o.ID || inRound && call.Turn == turn {
			found = call
		}
	}
	if found != nil {
		return found, nil
	}
	what := fault.Shown(o.ID)
	if o.ID == "" {
		what = fmt.Sprintf("of %s in round %d", fault.Shown(o.Agent), o.Round)
	}
	if asked {
		return nil, &fault.Error{
			Code: NotFound, Detail: h.Thread + " has no repair " + what + ": the first reply was readable, or there was no reply",
			Hint: "omit --repair to see the first question and its reply",
		}
	}
	return nil, &fault.Error{
		Code: NotFound, Detail: h.Thread + " has no call " + what,
		Hint: "`brenner trace list " + h.Thread + "` lists its calls",
	}
}

// TraceCall returns everything that the journal records about a call.
func TraceCall(ctx context.Context, h *session.History, q *CallQuery) (*CallTrace, error) {
	c, err := q.find(h)
	if err != nil {
		return nil, err
	}
	t := &CallTrace{
		Schema: "brenner.trace.call/v1", Thread: h.Thread, Rehearsal: h.State.Opened.Rehearsal != "",
		Call: summaryOf(h.State, c), Journal: eventsOf(h, c.ID),
	}
	t.In.fill(h.State, c)
	if err := t.In.lookUpRecords(ctx, h.Store); err != nil {
		return nil, err
	}
	t.Version, t.Settled = settledIn(h.State, c)
	prompt, err := h.Store.Blob(ctx, c.Prompt)
	if err != nil {
		return nil, err
	}
	t.In.Bytes = len(prompt)
	opening := prompt
	if c.Turn == flow.TurnRepair {
		if opening, err = blobIf(ctx, h, t.In.Kickoff); err != nil {
			return nil, err
		}
	}
	if !c.OfArbiter() {
		t.In.LeftOut = kickoff.LeftOut(string(opening))
		t.In.Evidence = t.In.Evidence[:max(0, len(t.In.Evidence)-view.EvidenceLeft(t.In.LeftOut))]
	}
	reply, err := t.Out.fill(ctx, h, c)
	if err != nil {
		return nil, err
	}
	promptText, replyText := string(prompt), string(reply)
	if q.Prompt {
		if t.In.SchemaText, err = blobIf(ctx, h, c.Schema); err != nil {
			return nil, err
		}
		t.In.Text = &promptText
	}
	if q.Reply {
		if t.Out.Reply == "" {
			return nil, &fault.Error{Code: NotFound, Detail: "no reply to " + c.ID, Hint: "`brenner trace show " + c.ID + "` shows why"}
		}
		t.Out.Text = &replyText
	}
	if t.Settled && !c.OfArbiter() {
		origins, err := OriginsOf(ctx, h)
		if err != nil {
			return nil, err
		}
		if t.Deltas, err = origins.FromCall(ctx, c.ID); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// blobIf returns a blob, or nil if there is none.
func blobIf(ctx context.Context, h *session.History, hash string) ([]byte, error) {
	if hash == "" {
		return nil, nil
	}
	return h.Store.Blob(ctx, hash)
}

func settledIn(st *flow.State, c *flow.Call) (version int, settled bool) {
	for i := range st.Commits {
		m := &st.Commits[i]
		if !c.OfArbiter() && m.Source == flow.ByRound && m.Round == c.Round && m.Leg == c.Leg ||
			c.OfArbiter() && m.Ruling != "" && m.Author == c.Agent && strings.Contains(c.ID, "/"+m.Ruling+"/") {
			version, settled = m.Version, true
		}
	}
	return version, settled
}

func (in *CallInput) fill(st *flow.State, c *flow.Call) {
	in.Schema = c.Schema
	in.Prompt, in.Reserved, in.Saw, in.Evidence = c.Prompt, c.Reserved.Tokens, []string{}, []CallEvidence{}
	in.Records = []CallRecord{}
	if c.OfArbiter() { // an arbiter sees only the request
		in.Ruling, in.Tokens = true, max(0, c.Reserved.Tokens-st.Settings.Reply)
		return
	}
	for _, p := range st.Opened.Agents {
		if p.Name == c.Agent {
			in.View = p.View
		}
	}
	for _, ev := range st.Opened.Evidence {
		in.Evidence = append(in.Evidence, CallEvidence{ev.ID, ev.Name, ev.Hash})
	}
	leg, k := st.Planned(c)
	if k == nil {
		return
	}
	in.Subject, in.Template, in.TemplateHash, in.Kickoff, in.Tokens, in.Base = k.Subject, k.Template, k.Hash, k.Body, k.Tokens, leg.Base
	in.Saw = append(in.Saw, k.Saw...)
	for _, ref := range k.Records {
		in.Records = append(in.Records, CallRecord{ID: ref.ID, Version: ref.Version, Type: ref.Type, Form: ref.Form, Content: ref.Content})
	}
	in.RecordsView = k.RecordsView
	in.Lessons, in.LessonsLeft = k.Lessons, k.LessonsLeft
	if c.Turn == flow.TurnRepair {
		in.Before = k.Ask.Answered.Reply
	}
}

func (out *CallOutput) fill(ctx context.Context, h *session.History, c *flow.Call) ([]byte, error) {
	switch {
	case c.Status == flow.Replied:
		out.Reply = c.Answered.Reply
	case c.Status == flow.Lost && c.Failed.Partial != "":
		out.Reply, out.Broken = c.Failed.Partial, true
	default:
		return nil, nil
	}
	text, err := h.Store.Blob(ctx, out.Reply)
	if err != nil {
		return nil, err
	}
	out.Bytes = len(text)
	if c.OfArbiter() { // a verdict; stalemate show displays it
		return text, nil
	}
	reply, err := h.Reading(ctx, c)
	if err != nil {
		return nil, err
	}
	var r settle.Reading
	r.Take(&reply)
	out.Taken, out.Refused, out.Shown, out.Problems = r.Taken, r.Refused, r.Shown, r.Problems
	out.Ignored = append(ignoredIn(&reply, false), lessonsIn(h, c, text)...)
	if err := out.addPatches(ctx, h, c); err != nil {
		return nil, err
	}
	if c.Turn == flow.TurnRepair {
		if out.Repeated, err = repeatedIn(ctx, h, c, &reply); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// repeatedIn counts the deltas of a repair that its first reply has, too.
func repeatedIn(ctx context.Context, h *session.History, c *flow.Call, repair *delta.Reply) (int, error) {
	_, x := h.State.Planned(c)
	if x == nil {
		return 0, nil
	}
	first, err := h.Reading(ctx, &x.Ask)
	if err != nil {
		return 0, err
	}
	before := make(map[[sha256.Size]byte]bool)
	for _, d := range first.Stamped(delta.Envelope{Agent: c.Agent}) {
		before[d.Hash()] = d.Problem == nil
	}
	n := 0
	for _, d := range repair.Stamped(delta.Envelope{Agent: c.Agent}) {
		if before[d.Hash()] {
			n++
		}
	}
	return n, nil
}

func eventsOf(h *session.History, id string) []CallEvent {
	events := []CallEvent{}
	for i := range h.Entries {
		e := &h.Entries[i]
		switch e.Kind {
		case flow.KindBegan, flow.KindAnswered, flow.KindFailed, flow.KindStalemate:
		default:
			continue
		}
		type about struct {
			Call string `json:"call"`
		}
		var body struct {
			about
			// Of an arbiter's call.
			Began, Answered, Failed about
		}
		// The journal was folded before, so its bodies are readable.
		if json.Unmarshal(e.Body, &body, json.MatchCaseInsensitiveNames(true)) == nil && slices.Contains([]string{body.Call, body.Began.Call, body.Answered.Call, body.Failed.Call}, id) {
			events = append(events, CallEvent{e.Seq, artifact.FormatInstant(e.At), e.Kind, e.Hash})
		}
	}
	return events
}
