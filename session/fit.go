package session

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner/agent"
	"brenner/artifact/delta"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/session/flow"
	"brenner/session/view"
)

// callBound is the number of tokens that a call to an agent may have.
type callBound struct {
	tokens         int
	context, reply int // of the agent's model, if they are what limits the call; else 0
}

// replyShare is the part of a model's context that is kept for a reply at most. Replies without
// a sensible limit must not displace the message.
const replyShare = 4

// callBound returns the bound of calls to an agent: that of the session, or of its model's context with
// room for the reply.
func (s *run) callBound(name string) callBound {
	b := callBound{tokens: s.state.Settings.Context}
	if b.tokens <= 0 {
		b.tokens = view.DefaultCallTokens
	}
	for i := range s.state.Agents {
		w := s.state.Agents[i].Way
		if s.state.Agents[i].Name != name || w == nil || w.Context <= 0 {
			continue
		}
		reply := w.Context / replyShare
		if s.state.Settings.Reply > 0 {
			reply = min(s.state.Settings.Reply, reply)
		}
		if tokens := w.Context - reply; tokens < b.tokens {
			b = callBound{tokens: tokens, context: w.Context, reply: reply}
		}
	}
	return b
}

func (b callBound) hint(needs int) string {
	if b.context > 0 {
		return fmt.Sprintf("the model's context has %d tokens, %d of them for the reply: give the server a larger context, or ask another model", b.context, b.reply)
	}
	return fmt.Sprintf("raise session.context_tokens to %d or more, or shorten the question, or the goal, constraints or non-goals of the project's brief", needs)
}

// repairRoom returns the tokens kept for a repair after a message to an agent, or 0.
func (s *run) repairRoom(name string) int {
	if !s.state.Settings.Repair {
		return 0
	}
	r := kickoff.Correct(s.state.Opened.Thread, 0, nil)
	return view.RepairRoom(r.Head, r.Tail+kickoff.AsJSON, s.Tokens.Count) + s.around(s.state.Opened.Party(name).Via)
}

// around returns the tokens that a repair has besides its turns: programs are sent one text.
func (s *run) around(via string) int {
	if via != flow.ViaProgram {
		return 0
	}
	return s.Tokens.Count(agent.BeforeOwn) + s.Tokens.Count(agent.AfterOwn)
}

// candidates is everything that a message to an agent may show.
type candidates struct {
	run      *run
	to       string
	in       kickoff.Input
	view     *view.Input // nil before there is more than the brief
	least    int         // tokens of the shortest view
	records  ShownRecords
	overview *ShownRecords // without other records; nil before it is needed
	lessons  LessonSet
	worst    bool // leave out as much as any later message may have to
	blind    bool // leave out the overview, too
	notes    int  // tokens of notes
	reader   delta.Reader

	views map[int]view.View // by grant
}

// fitted is a message within its bound, and what it shows.
type fitted struct {
	message kickoff.Message
	tokens  int
	saw     []string
	records ShownRecords
	lessons LessonSet
	leftOut []string
}

// fit composes a message to an agent within the bound of its call.
func (s *run) fit(state *flow.State, in kickoff.Input, to string, v *view.Input, records ShownRecords, lessons LessonSet) (*fitted, error) {
	c := s.candidates(state, in, to, v, records, lessons)
	bound, room := s.callBound(to), s.repairRoom(to)
	var last *fitted
	var with view.Grants
	measure := func(g view.Grants) (int, error) {
		f, err := c.compose(g)
		if err != nil {
			return 0, err
		}
		last, with = f, g
		return f.tokens, nil
	}
	grants, tokens, err := view.Prune(bound.tokens-room, measure)
	if err == nil && tokens+room > bound.tokens && len(state.Legs) > 0 {
		// The overview has grown since the session began; that must not end it.
		c.blind = true
		grants, tokens, err = view.Prune(bound.tokens-room, measure)
	}
	switch {
	case err != nil:
		return nil, err
	case tokens+room > bound.tokens:
		return nil, view.Shortfall(to, tokens+room, bound.tokens, bound.hint(tokens+room))
	case with != grants:
		return c.compose(grants)
	}
	return last, nil
}

func (s *run) candidates(state *flow.State, in kickoff.Input, to string, v *view.Input, records ShownRecords, lessons LessonSet) *candidates {
	in.Recipients = []string{to}
	c := &candidates{
		run: s, to: to, in: in, view: v, least: s.countQuoted(view.Least(state.Opened.Thread)), records: records, lessons: lessons,
		views: make(map[int]view.View), reader: state.Opened.Reads(),
	}
	if v != nil {
		for _, n := range v.Notes {
			c.notes += s.countQuoted(n.By + ": " + n.Text + "\n")
		}
	}
	return c
}

// compose composes the message with grants.
func (c *candidates) compose(g view.Grants) (*fitted, error) {
	f := &fitted{records: c.records, lessons: c.lessons}
	in := c.in
	l := view.LeftOut{Tokens: g[view.Names], Count: c.run.Tokens.Count}
	c.fitProse(&in, g[view.Prose], &l)
	if err := c.fitItems(&in, f, g[view.Items], &l); err != nil {
		return nil, err
	}
	c.fitLessons(&in, f, g[view.Lessons], &l)
	if err := c.fitRecords(&in, f, g[view.Records], &l); err != nil {
		return nil, err
	}
	if c.worst {
		l.Lines = view.WorstLines()
	}
	f.leftOut = l.Lines
	in.LeftOut = map[string][]string{c.to: l.Lines}
	messages, err := kickoff.Compose(in)
	if err != nil {
		return nil, err
	}
	f.message = messages[0]
	f.tokens = c.run.Tokens.Count(f.message.Body)
	return f, nil
}

// minPiece is the least number of tokens worth showing of a text.
const minPiece = 32

// fitProse adds as much of the context, the excerpt and the evidence as fits, in this order.
func (c *candidates) fitProse(in *kickoff.Input, grant int, l *view.LeftOut) {
	if grant >= view.Whole {
		return
	}
	shown, left := view.Begin(in.Context, grant, c.run.countQuoted)
	l.AddText(view.ContextName, left, utf8.RuneCountInString(in.Context))
	in.Context = shown
	if grant -= c.run.countQuoted(shown); left > 0 {
		grant = 0
	}
	var pieces []piece
	var missing []string
	for _, p := range c.run.pieces {
		if grant < minPiece {
			missing = append(missing, p.name)
			continue
		}
		if p.heading != "" {
			grant -= c.run.countQuoted(p.heading)
		}
		shown, left := view.Begin(p.text, grant, c.run.countQuoted)
		l.AddText(p.name, left, utf8.RuneCountInString(p.text))
		pieces = append(pieces, piece{p.name, p.heading, shown})
		if grant -= c.run.countQuoted(shown); left > 0 {
			grant = 0
		}
	}
	l.Add(view.PiecesName, missing, len(c.run.pieces))
	in.Excerpt = joinPieces(pieces)
}

// fitItems adds as much of the artifact as fits, or of the hypotheses of the brief before there is more.
func (c *candidates) fitItems(in *kickoff.Input, f *fitted, grant int, l *view.LeftOut) error {
	if c.view == nil {
		c.fitHypotheses(in, f, grant, l)
		return nil
	}
	all, err := c.build(view.Whole)
	if err != nil {
		return err
	}
	v, err := c.build(grant)
	if err != nil {
		return err
	}
	if v.Text != all.Text {
		before := len(l.Lines)
		if l.AddView(&v); len(l.Lines) == before {
			l.Lines = append(l.Lines, "headings of empty sections")
		}
	}
	in.Views = map[string]string{c.to: v.Text}
	f.saw = slices.Concat(v.Shown, v.Targets) // an agent may decide a conflict that it is shown
	if c.in.Round == 1 {
		c.fitHypotheses(in, &fitted{}, grant, l)
	}
	return nil
}

// build returns the view of the artifact with a grant.
func (c *candidates) build(grant int) (view.View, error) {
	if v, ok := c.views[grant]; ok {
		return v, nil
	}
	in := *c.view
	// Notes of people are no part of what a role's view bounds.
	in.Spec.MaxTokens = min(in.Spec.Bound()+c.notes, view.MaxSetting)
	if grant < view.Whole {
		in.Spec.MaxTokens = min(in.Spec.MaxTokens, c.least+grant)
	}
	v, err := view.Build(in)
	c.views[grant] = v
	return v, err
}

// fitHypotheses adds the hypotheses of the brief that fit, each whole.
func (c *candidates) fitHypotheses(in *kickoff.Input, f *fitted, grant int, l *view.LeftOut) {
	var kept []kickoff.Hypothesis
	var missing []string
	for _, h := range c.in.Hypotheses {
		if grant < view.Whole {
			cost := c.run.countQuoted("- " + h.ID + ": " + h.Text + "\n")
			if cost > grant {
				missing = append(missing, h.ID)
				continue
			}
			grant -= cost
		}
		kept = append(kept, h)
		f.saw = append(f.saw, h.ID)
	}
	in.Hypotheses = kept
	l.Add(view.HypothesesName, missing, len(c.in.Hypotheses))
}

// fitLessons adds the first lessons that fit.
func (c *candidates) fitLessons(in *kickoff.Input, f *fitted, grant int, l *view.LeftOut) {
	kept := c.lessons.Lessons
	for i := 0; i < len(kept) && grant < view.Whole; i++ {
		if grant -= c.run.Tokens.Count(kept[i].Quoted()); grant < 0 {
			kept = kept[:i]
		}
	}
	if in.Lessons != nil {
		in.Lessons = map[string][]kickoff.Bullet{c.to: kept}
	}
	var missing []string
	for _, b := range c.lessons.Lessons[len(kept):] {
		missing = append(missing, b.ID)
	}
	f.lessons = LessonSet{Lessons: kept, Omitted: slices.Concat(missing, c.lessons.Omitted)}
	l.Add(view.LessonsName, missing, len(c.lessons.Lessons))
}

// fitRecords adds as many records of the project as fit.
func (c *candidates) fitRecords(in *kickoff.Input, f *fitted, grant int, l *view.LeftOut) error {
	if c.blind {
		f.records = ShownRecords{}
		l.Lines = append(l.Lines, view.OverviewName)
		all := len(c.records.Records) + len(c.records.Left)
		l.AddCount(view.RecordsName, all, all)
		return nil
	}
	pruned := grant < view.Whole && c.records.Within != nil
	if pruned {
		var err error
		if f.records, err = c.recordsWithin(grant); err != nil {
			return err
		}
	}
	in.Project = map[string]string{c.to: f.records.Text}
	in.Patchable = map[string][]string{c.to: f.records.Patchable}
	if c.reader.Since(delta.ThirdReader) {
		in.Hashes = map[string][]string{c.to: f.records.Hashes}
	}
	c.setCreates(in, f.records.Creates)
	if pruned {
		l.Add(view.FieldsName, f.records.LeftFields, f.records.Fields)
		addRecords(l, &c.records, &f.records)
	}
	return nil
}

// setCreates names the types of records that the agent may create.
func (c *candidates) setCreates(in *kickoff.Input, types []string) {
	if in.Task == nil {
		in.Creates = map[string][]string{c.to: types}
		return
	}
	task := *in.Task
	task.Creates = types
	in.Task = &task
}

// addRecords says which records are left out, those that the role's view has room for first.
func addRecords(l *view.LeftOut, whole, shown *ShownRecords) {
	known := make(map[string]bool)
	for _, r := range shown.Records {
		known[refOf(r)] = true
	}
	var missing []string
	for _, r := range slices.Concat(whole.Records, shown.Left) {
		if name := refOf(r); !known[name] {
			missing, known[name] = append(missing, name), true
		}
	}
	line := fmt.Sprintf("%s, %d of %d", view.RecordsName, len(missing), len(known))
	switch {
	case shown.More:
		l.AddNamed(line+view.OrMore, missing)
	case len(missing) > 0:
		l.AddNamed(line, missing)
	}
}

func refOf(r flow.RecordRef) string { return fmt.Sprintf("%s@v%d", r.ID, r.Version) }

// recordsWithin returns the overview of the project, and records within a grant.
func (c *candidates) recordsWithin(grant int) (ShownRecords, error) {
	if c.overview == nil {
		o, err := c.records.Within(OverviewOnly)
		if err != nil {
			return o, err
		}
		c.overview = &o
	}
	if grant == 0 {
		return *c.overview, nil
	}
	return c.records.Within(c.overview.Tokens + grant)
}

// roomToChange is for what may change in the fixed parts during a session: the names of models.
const roomToChange = 50

// checkRoom returns an error if the fixed parts of any message that the session may need exceed the
// bound of its call, before the first one is paid for.
func (s *run) checkRoom(state *flow.State, p flow.Plan, in kickoff.Input, records map[string]ShownRecords) error {
	least := view.Least(state.Opened.Thread)
	agents := state.Opened.Agents
	shortfalls, over := make([]error, len(agents)), make([]int, len(agents))
	err := concurrently(len(agents), func(i int) error {
		a := &agents[i]
		if spec := s.views[a.Name]; spec.Bound() < s.countQuoted(least) {
			return view.Shortfall(a.Name, s.countQuoted(least), spec.Bound(), "raise max_tokens of the role's view")
		}
		c := s.candidates(state, in, a.Name, nil, records[a.Name], LessonSet{})
		c.worst = true
		bound := s.callBound(a.Name)
		for _, round := range slices.Compact([]int{1, max(1, state.Settings.Rounds)}) {
			c.in.Round, c.in.Views = round, nil
			if round > 1 || !slices.Contains(p.Agents, a.Name) {
				c.in.Views = map[string]string{a.Name: least}
			}
			f, err := c.compose(view.Grants{})
			if err != nil {
				return err
			}
			needs := f.tokens + s.repairRoom(a.Name) + roomToChange
			if more := needs - bound.tokens; more > over[i] {
				shortfalls[i], over[i] = view.Shortfall(a.Name, needs, bound.tokens, bound.hint(needs)), more
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return shortfalls[slices.Index(over, slices.Max(over))]
}

// roomNotes says what was left out of messages, and which leave too little room for the reply.
func (s *run) roomNotes(c *composed) []string {
	var notes []string
	for i := range c.kickoffs {
		k := &c.kickoffs[i]
		if len(c.leftOut[i]) > 0 {
			notes = append(notes, fmt.Sprintf("%s: left out, to keep to %d tokens: %s", k.Agent, s.callBound(k.Agent).tokens, strings.Join(c.leftOut[i], "; ")))
		}
		party := s.state.Opened.Party(k.Agent)
		if party.Way == nil || party.Way.Context <= 0 || k.Tokens+s.state.Settings.Reply <= party.Way.Context {
			continue
		}
		notes = append(notes, fmt.Sprintf("%s: the message and a reply of %s do not fit into the model's context of %d: set budget.reply_tokens to %d or less",
			k.Agent, text.Count(s.state.Settings.Reply, "token"), party.Way.Context, party.Way.Context-k.Tokens))
	}
	return notes
}
