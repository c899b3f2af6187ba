package session

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
)

// plan composes the messages of a leg and journals them before anything is sent.
func (s *run) plan(ctx context.Context, p flow.Plan) error {
	if err := s.collect(ctx); err != nil {
		return err
	}
	boxes := s.join(ctx, p.Agents)
	err := s.put(ctx, func(state *flow.State) (*draft, error) {
		if err := s.catchUp(ctx); err != nil {
			return nil, err
		}
		d := &draft{}
		c, err := s.compose(ctx, d, state, p)
		if err != nil {
			return nil, err
		}
		d.event(flow.KindPlanned, flow.Planned{
			Round: p.Round, Leg: p.Leg, At: state.NextAt(s.Now()), Base: state.Version(),
			Mailboxes: boxes, Kickoffs: c.kickoffs,
		})
		return d, nil
	})
	if err == nil {
		s.conversations, err = s.history().conversations(ctx, &s.current)
	}
	return err
}

// promptsOf returns the version of the prompts that a session began with.
func promptsOf(o *flow.Opened) int {
	if o.Follows(flow.SecondProtocol) {
		return 2
	}
	return 1
}

// composed is the messages of a leg: what they are made from, as sent, and as journaled.
type composed struct {
	input    kickoff.Input
	messages []kickoff.Message
	kickoffs []flow.Kickoff
	leftOut  [][]string // by message
}

// compose composes the messages of a leg and adds their texts to the draft. A dry run calls it, too.
func (s *run) compose(ctx context.Context, d *draft, state *flow.State, p flow.Plan) (*composed, error) {
	in, views, err := s.input(ctx, state, p)
	if err != nil {
		return nil, err
	}
	records, err := s.records(ctx, state, &in)
	if err != nil {
		return nil, err
	}
	recalled := s.addLessons(ctx, state, &in)
	c := &composed{input: in}
	if len(state.Legs) == 0 {
		if err := s.checkRoom(state, p, in, records); err != nil {
			return nil, err
		}
	}
	fits := make([]*fitted, len(in.Recipients))
	err = concurrently(len(fits), func(i int) (err error) {
		to := in.Recipients[i]
		fits[i], err = s.fit(state, in, to, views[to], records[to], recalled[to])
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, to := range in.Recipients {
		f := fits[i]
		if err := checkInputs(to, state.Opened.Task, records[to].Inputs, f.records.Records); err != nil {
			return nil, err
		}
		k, err := s.message(d, f.message)
		if err != nil {
			return nil, err
		}
		if err := checkSamePrompt(state, &k); err != nil {
			return nil, err
		}
		k.Saw, k.Records, k.RecordsView = f.saw, f.records.Records, f.records.View
		k.Lessons, k.LessonsLeft = f.lessons.ids(), f.lessons.Omitted
		c.messages, c.kickoffs, c.leftOut = append(c.messages, f.message), append(c.kickoffs, k), append(c.leftOut, f.leftOut)
	}
	return c, nil
}

// concurrently calls work with 0 to n-1, on all processors, and returns the error of the lowest number.
func concurrently(n int, work func(int) error) error {
	failed := make([]error, n)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			failed[i] = work(i)
			return nil
		})
	}
	_ = group.Wait() // the errors are in failed
	return cmp.Or(failed...)
}

func (s *run) message(d *draft, m kickoff.Message) (flow.Kickoff, error) {
	examples, err := json.Marshal(m.Examples)
	if err != nil {
		return flow.Kickoff{}, err
	}
	return flow.Kickoff{
		Agent: m.To, Subject: m.Subject, Body: d.blob([]byte(m.Body)), Examples: d.blob(examples),
		Template: m.Template, Hash: m.TemplateHash, Tokens: s.Tokens.Count(m.Body),
	}, nil
}

// records returns the project's records for each agent.
func (s *run) records(ctx context.Context, state *flow.State, in *kickoff.Input) (map[string]ShownRecords, error) {
	if s.Project == nil {
		return nil, nil
	}
	module := moduleOf(&state.Opened)
	all := make(map[string]ShownRecords)
	for _, e := range in.Roster.Entries {
		role := string(e.Role)
		if in.Roster.Mode == roster.Unified && state.Opened.Task == "" {
			role = view.Unified
		}
		shownRecords, err := s.Project.RecordsFor(ctx, role, module, state.Opened.Task)
		if err == nil && len(state.Legs) == 0 {
			err = shownRecords.Over // later, an overview that has grown must not end the session
		}
		if err != nil {
			return nil, err
		}
		all[e.Agent] = shownRecords
	}
	return all, nil
}

// checkSamePrompt returns an error if the prompts differ from those the session began with: answers
// to different prompts are not rounds of one session.
func checkSamePrompt(state *flow.State, k *flow.Kickoff) error {
	for i := range state.Legs {
		for _, first := range state.Legs[i].Kickoffs {
			switch {
			case first.Agent != k.Agent:
				continue
			case first.Hash == k.Hash:
				return nil
			}
			return &fault.Error{
				Code: PromptsChanged, Place: state.Opened.Thread,
				Detail: fmt.Sprintf("%s began with template %s (%s); this program has %s (%s)", k.Agent, first.Template, shortHash(first.Hash), k.Template, shortHash(k.Hash)),
				Hint:   "resume with the version that began the session (" + state.Opened.Program + "), or start a new one",
			}
		}
	}
	return nil
}

func examplesOf(ctx context.Context, st store.Store, hash string) ([]string, error) {
	data, err := st.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	var examples []string
	if err := json.Unmarshal(data, &examples); err != nil {
		return nil, &fault.Error{Code: store.Damaged, Op: "read the examples of a kickoff", Cause: err}
	}
	return examples, nil
}

// input returns the input for the messages of a leg, and the artifact as each agent sees it; nil before
// there is more than the brief.
func (s *run) input(ctx context.Context, state *flow.State, p flow.Plan) (kickoff.Input, map[string]*view.Input, error) {
	o := &state.Opened
	reached := rosterAsked(state, s.roster)
	short := shortAgents(state.Agents)
	frames, err := s.common.framesFor(o, reached)
	if err != nil {
		return kickoff.Input{}, nil, err
	}
	in := kickoff.Input{
		ThreadID: o.Thread, Recipients: p.Agents, Round: p.Round, Scopes: s.rules.Scopes,
		Question: o.Question, Context: o.Context, Constraints: o.Constraints, Excerpt: joinPieces(s.pieces), Roster: reached, Frames: frames, Prompts: promptsOf(o), Reader: o.Reads(),
		Short: short, Structured: make(map[string]string),
	}
	for i := range o.Agents {
		in.Structured[o.Agents[i].Name] = o.Agents[i].Structured()
	}
	if o.Task != "" {
		in.Task = &kickoff.Task{Address: o.Task, Role: o.Agents[0].Role}
	}
	if p.Round == 1 {
		for _, h := range s.current.Active(artifact.HypothesisSlate) {
			if h.Created != nil && h.Created.Agent == o.Operator {
				in.Hypotheses = append(in.Hypotheses, kickoff.Hypothesis{ID: h.ID, Text: h.Text("claim")})
			}
		}
		if p.Leg == 1 && len(state.Notes) == 0 {
			return in, nil, nil
		}
	}
	views := make(map[string]*view.Input)
	for _, name := range p.Agents {
		v, err := s.view(ctx, state, name)
		if err != nil {
			return in, nil, err
		}
		views[name] = v
	}
	return in, views, nil
}

// shortAgents returns the agents with short kickoffs.
func shortAgents(agents []flow.Party) map[string]bool {
	short := make(map[string]bool)
	for i := range agents {
		if agents[i].Way.Short() {
			short[agents[i].Name] = true
		}
	}
	return short
}

// view returns the artifact as an agent sees it.
func (s *run) view(ctx context.Context, state *flow.State, name string) (*view.Input, error) {
	in := &view.Input{Artifact: s.current, Spec: s.views[name], Agent: name, Count: s.countQuoted, Counts: true}
	for _, n := range state.Notes {
		in.Notes = append(in.Notes, view.Note{By: n.Author, Text: n.Text})
	}
	report, unresolved, err := s.lastReport(ctx, state, name)
	if err != nil {
		return nil, err
	}
	if text := lastReply(state, name); text != "" && state.Opened.Follows(flow.ThirdProtocol) {
		in.Feedback = append(in.Feedback, view.Outcome{Message: text})
	}
	if text := renumbered(&s.current, lastReplyCommit(state, name), name); text != "" {
		in.Feedback = append(in.Feedback, view.Outcome{Message: text})
	}
	for i := range report {
		in.Feedback = append(in.Feedback, feedbackOn(&report[i], state.Opened.Follows(flow.SecondProtocol))...)
	}
	for _, row := range unresolved {
		in.Feedback = append(in.Feedback, view.Outcome{Target: row.TargetID, Disposition: row.Disposition.String(), Code: row.Code, Delta: row.DeltaID, Message: row.Message})
	}
	patches, err := s.patchFeedback(ctx, state, name)
	if err != nil {
		return nil, err
	}
	in.Feedback = append(in.Feedback, patches...)
	return in, nil
}

func (s *run) countQuoted(text string) int {
	return s.Tokens.Count("> " + strings.ReplaceAll(text, "\n", "\n> "))
}

// renumbered tells an agent which items of its last reply have other ids than it assumed, or "".
func renumbered(a *artifact.Artifact, last *flow.Commit, name string) string {
	var all []string
	for _, items := range a.Sections {
		for _, it := range items {
			if s := it.Created; last == nil || s == nil || s.Agent != name || s.Version != last.Version || s.Message < last.Message {
				continue
			}
			for _, label := range it.Labels() {
				all = append(all, "Your "+label+" became "+it.ID+".")
			}
		}
	}
	return strings.Join(all, " ")
}

// feedbackOn tells an agent what became of one of its deltas, unless it was applied as sent or a
// duplicate. Since protocol 2 that includes refused fields.
func feedbackOn(row *merge.Row, fields bool) []view.Outcome {
	var all []view.Outcome
	if row.Disposition != merge.Applied && row.Disposition != merge.Duplicate || row.Code == merge.LabelTaken {
		all = append(all, view.Outcome{
			Target: row.TargetID, Disposition: row.Disposition.String(), Code: row.Code, Delta: row.DeltaID, Message: row.Message,
		})
	}
	for i := range row.Fields {
		if f := &row.Fields[i]; fields && f.Outcome == merge.FieldRefused {
			all = append(all, view.Outcome{
				Target: row.TargetID + "." + f.Field, Disposition: f.Outcome.String(), Code: f.Code(), Delta: row.DeltaID, Message: f.Message,
			})
		}
	}
	return all
}

// lastReport returns the outcomes of an agent's last deltas, and since reader/4 their references that are bound to nothing.
func (s *run) lastReport(ctx context.Context, state *flow.State, name string) (rows, unresolved []merge.Row, err error) {
	last := lastReplyCommit(state, name)
	if last == nil {
		return nil, nil, nil
	}
	report := s.report
	if s.reported != last.Report { // settled in an earlier round, or by an earlier run
		if report, err = readReport(ctx, s.store, last.Report); err != nil {
			return nil, nil, err
		}
	}
	others := func(row merge.Row) bool { return row.Agent != name }
	rows = slices.DeleteFunc(slices.Clone(report.Merge.Deltas), others)
	if state.Opened.Reads().Since(delta.FourthReader) {
		unresolved = slices.DeleteFunc(report.Merge.Unresolved(), others)
	}
	return rows, unresolved, nil
}

// lastReply tells an agent in one sentence that its last reply came to nothing, or was cut, or returns "".
// What became of its deltas is told for each of them.
func lastReply(state *flow.State, name string) string {
	last := lastReplyCommit(state, name)
	if last == nil {
		return ""
	}
	for _, h := range state.HeardIn(last) {
		if h.Agent != name {
			continue
		}
		round := fmt.Sprintf("Your reply of round %d ", last.Round)
		patched := slices.ContainsFunc(state.Patches, func(p flow.Patched) bool { return p.Agent == name && p.Round == last.Round })
		switch {
		case h.Outcome == flow.ProseOnly && patched:
			return ""
		case h.Outcome == flow.ProseOnly:
			return round + "was prose only, with neither a delta nor a line NO CHANGES: nothing of it was taken."
		case h.Outcome == flow.Refused && h.Idle > 0:
			return round + "changed nothing: what was applied of it is what was there before."
		case h.Outcome == flow.Unreadable:
			return round + "could not be read: nothing of it was taken."
		case h.Outcome == flow.ReplyCut:
			return round + "was cut off at its token limit before its first complete delta: nothing of it was taken, so be brief."
		case h.Cut && state.Leg(last.Round, last.Leg).Of(name).Answer().Answered.Cut:
			return round + "was cut off at its token limit, so be brief: of a cut text only complete deltas are taken."
		case h.Cut:
			return fmt.Sprintf("Your correction in round %d was cut off at its token limit, so be brief: of a cut text only complete deltas are taken.", last.Round)
		}
	}
	return ""
}

func lastReplyCommit(state *flow.State, name string) *flow.Commit {
	for i := len(state.Legs) - 1; i >= 0; i-- {
		leg := &state.Legs[i]
		if x := leg.Of(name); x == nil || x.Answer() == nil {
			continue
		}
		for k := len(state.Commits) - 1; k >= 0; k-- {
			if c := &state.Commits[k]; c.Source == flow.ByRound && c.Round == leg.Round && c.Leg == leg.Leg {
				return c
			}
		}
	}
	return nil
}

// byteOrderMark may begin a file; it is not part of the text.
const byteOrderMark = "\ufeff"

// piece is a text that the operator passed to all agents, its name, and our heading.
type piece struct{ name, heading, text string }

// joinPieces returns the text shown to all agents.
func joinPieces(pieces []piece) string {
	var texts []string
	for _, p := range pieces {
		texts = append(texts, p.heading+p.text)
	}
	return strings.Join(texts, "\n\n")
}

// pieces returns the texts shown to all agents: the excerpt, then the evidence with its ids.
func (h *History) pieces(ctx context.Context) ([]piece, error) {
	o := &h.State.Opened
	var all []piece
	if o.Excerpt != "" {
		data, err := h.Store.Blob(ctx, o.Excerpt)
		if err != nil {
			return nil, err
		}
		if data = bytes.TrimPrefix(data, []byte(byteOrderMark)); len(data) > 0 {
			all = append(all, piece{"excerpt", "", string(data)})
		}
	}
	for _, ev := range o.Evidence {
		data, err := h.Store.Blob(ctx, ev.Hash)
		if err != nil {
			return nil, err
		}
		all = append(all, piece{ev.ID, fmt.Sprintf("%s (%s):\n\n", ev.ID, ev.Name), string(bytes.TrimPrefix(data, []byte(byteOrderMark)))})
	}
	return all, nil
}

// rosterAsked returns the roster with what is asked now. Before protocol 2 it does not change.
func rosterAsked(state *flow.State, r roster.Roster) roster.Roster {
	if !state.Opened.Follows(flow.SecondProtocol) {
		return r
	}
	return flow.AskedRoster(r, state.Agents)
}

func rosterOf(o *flow.Opened) (roster.Roster, error) {
	v, err := artifact.ParseValue(o.Roster, artifact.MaxDepth)
	if err != nil {
		return roster.Roster{}, err
	}
	r, _, err := roster.FromValue(v)
	return r, err
}
