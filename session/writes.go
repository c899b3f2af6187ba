package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
	"brenner/store/record"
)

// Task is the task of the project's store that a session runs.
type Task struct {
	Address string // "read-lewis@v1"
	Role    string // whose agent does it
	Text    string // what to do
	Content string // hash of the task spec
}

// Opened reports whether a session runs the task, and not one of the same name in another project. What
// its agent is shown besides, and which model it is, does not make it another task.
func (t *Task) Opened(o *flow.Opened) bool {
	switch {
	case o.Task != t.Address:
		return false
	case o.TaskContent != "":
		return o.TaskContent == t.Content
	}
	return o.Question == t.Text && o.Agents[0].Role == t.Role // the first sessions did not store the hash
}

// WriteInput is an answer, with its repair, whose records are to be put.
type WriteInput struct {
	PatchInput
	Drafts []delta.Draft
	Repair record.Ref // the record of the answer's repair, or zero
	Module string     // of records that name none
}

// checkInputs returns an error if a message shows none of the inputs of its task.
func checkInputs(to, task string, inputs, shown []flow.RecordRef) error {
	known := make(map[string]bool)
	for _, r := range shown {
		known[refOf(r)] = true
	}
	if len(inputs) == 0 || slices.ContainsFunc(inputs, func(r flow.RecordRef) bool { return known[refOf(r)] }) {
		return nil
	}
	return &fault.Error{
		Code: view.TooLarge, Op: "write to " + fault.Shown(to), Detail: "the message shows none of the inputs of " + task,
		Hint: "`brenner context explain --task " + task + "` says why; if they are too long, raise session.context_tokens, or max_tokens of the role",
	}
}

// TaskRuns returns the sessions of a store that ran a task, oldest first.
func TaskRuns(ctx context.Context, st store.Store, t *Task) ([]*History, error) {
	ref, err := record.ParseAddress(t.Address)
	if err != nil {
		return nil, err
	}
	edges, err := st.Edges(ctx, store.EdgeQuery{To: []record.Ref{{ID: ref.ID, Version: ref.Version}}})
	if err != nil {
		return nil, err
	}
	var all []*History
	for _, e := range edges {
		thread, isRoster := strings.CutPrefix(e.From.ID, rosterPrefix)
		if !isRoster {
			continue
		}
		h, err := Load(ctx, st, thread)
		if err != nil {
			return nil, err
		}
		if t.Opened(&h.State.Opened) {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b *History) int {
		return cmp.Or(a.State.Began.Compare(b.State.Began), cmp.Compare(a.Thread, b.Thread))
	})
	return all, nil
}

// TaskEnded reports whether the run of a task has ended: it is not resumed.
func TaskEnded(s *flow.State) bool { return CheckResumable(s, s.Settings) != nil }

// draftsOf returns the records in the answers of a settled leg, by agent.
func (s *run) draftsOf(ctx context.Context, leg *flow.Leg) (map[string][]delta.Draft, error) {
	if s.state.Opened.Writes == 0 {
		return nil, nil
	}
	at := slices.IndexFunc(s.state.Commits, func(c flow.Commit) bool {
		return c.Source == flow.ByRound && c.Round == leg.Round && c.Leg == leg.Leg
	})
	c := &s.state.Commits[at] // the leg is settled
	var readings []settle.Reading
	if s.settled != nil && s.reported == c.Report {
		readings = s.settled.Readings
	} else {
		h := s.history()
		base, err := h.Artifact(ctx, s.state.Commits[at-1].Version)
		if err != nil {
			return nil, err
		}
		in, err := h.input(ctx, base, &c.Committed, c.Agents, nil)
		if err != nil {
			return nil, err
		}
		readings, _ = settle.Read(in)
	}
	drafts := make(map[string][]delta.Draft)
	for i := range readings {
		drafts[readings[i].Agent] = readings[i].Records
	}
	return drafts, nil
}

// writeInput returns the records of an answer and its repair.
func (s *run) writeInput(x *flow.Exchange, drafts []delta.Draft) *WriteInput {
	w := &WriteInput{PatchInput: s.patchInput(x), Drafts: drafts, Module: moduleOf(&s.state.Opened)}
	if x.Ask.Status == flow.Replied {
		w.Source = replyRef(s.state, &x.Ask)
	}
	if x.Repair.Status == flow.Replied {
		w.Repair = replyRef(s.state, &x.Repair)
	}
	return w
}

// replyRef returns the record of the answer to a call.
func replyRef(state *flow.State, c *flow.Call) record.Ref {
	ref := record.Ref{ID: replyID(state.Opened.Thread, c.Agent)}
	for _, r := range receivedReplies(state, &flow.Committed{}) {
		if r.agent == c.Agent && r.seq <= c.Seq {
			ref.Version++
		}
	}
	return ref
}

// mistakes returns what the store would refuse of the records in a reply, for a request to correct it. It
// writes nothing.
func (s *run) mistakes(ctx context.Context, t *conversation, x *flow.Exchange) []settle.Defect {
	if s.Project == nil || s.state.Opened.Writes == 0 {
		return nil
	}
	var drafts []delta.Draft
	for i := range t.Read.Blocks {
		b := &t.Read.Blocks[i]
		if d := b.Record(); d != nil && b.OK && !b.Skipped() {
			drafts = append(drafts, *d)
		}
	}
	if len(drafts) == 0 {
		return nil
	}
	w := s.writeInput(x, drafts)
	w.Source, w.Repair = record.Ref{}, record.Ref{} // it is not stored yet when a reply arrives
	found, err := s.Project.Mistakes(ctx, w)
	if err != nil {
		s.Log.Warn().Err(err).Str("agent", t.Agent).Msg("cannot check the records of a reply; they are checked again when they are put")
	}
	return found
}
