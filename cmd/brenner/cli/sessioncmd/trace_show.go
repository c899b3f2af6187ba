package sessioncmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/merge/settle"
	"brenner/project"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

type traceShowOptions struct {
	project string
	agent   string
	round   int
	repair  bool
	prompt  bool
	reply   bool
}

func traceShowCommand(a *ui.App) *cobra.Command {
	var opt traceShowOptions
	c := &cobra.Command{
		Use:   "show CALL [FILE]",
		Short: "Show one agent call: what went in, what came out, and what became of it",
		Long: `Shows one call. What went in: the template and the view with their hashes, the version
that was shown and the items of it, the evidence, the prompt. What came out: the reply,
its blocks, and what became of each delta in it. And what it used and how long it took,
with every attempt that the journal knows of.

A call is named by its id, which ` + "`brenner trace list`" + ` shows, or by a session (or the
file of an export) with --agent and --round. --prompt and --reply print the text itself,
byte for byte, and nothing else.`,
		Example: `  brenner trace show RS-20261115-cell-fate/r2.1/BlueLake/ask
  brenner trace show RS-20261115-cell-fate --agent BlueLake --round 2
  brenner trace show RS-20261115-cell-fate/r1.1/GreenValley/repair --reply
  brenner trace show RS-20261115-cell-fate/r2.1/BlueLake/ask cell-fate.jsonl --json

Exit codes: 0 shown; 1 the store is damaged; 2 there is no such session or call, the call
has no reply, or the file cannot be read.`,
		Args: ui.OneOrTwo("a call is needed"),
		RunE: func(c *cobra.Command, args []string) error { return traceShow(a, c, args, &opt) },
	}
	ui.AddProjectFlag(c, &opt.project)
	f := c.Flags()
	f.StringVar(&opt.agent, "agent", "", "with a session: the call of this agent")
	f.IntVar(&opt.round, "round", 0, "with a session: the call of this round")
	f.BoolVar(&opt.repair, "repair", false, "with --agent and --round: the question for better blocks")
	f.BoolVar(&opt.prompt, "prompt", false, "print what was sent, as it was sent")
	f.BoolVar(&opt.reply, "reply", false, "print what was answered, as it came")
	return c
}

func traceShow(a *ui.App, c *cobra.Command, args []string, opt *traceShowOptions) error {
	if opt.prompt && opt.reply && !a.JSON {
		return ui.Usage(c, "--prompt and --reply: one of them at a time", "--json takes both")
	}
	where, id := args[0], ""
	thread, _, isCall := strings.Cut(args[0], "/")
	if isCall && artifact.IsThreadID(thread) {
		where, id = thread, args[0]
	}
	if len(args) > 1 {
		where = args[1]
	}
	switch byHand := opt.agent != "" || opt.round != 0; {
	case id != "" && (byHand || opt.repair):
		return ui.Usage(c, "the call is named twice: by its id, and by --agent and --round", "")
	case id == "" && (opt.agent == "" || opt.round < 1):
		return ui.Usage(c, ui.Clean(args[0])+" is no call: with a session, --agent and --round are needed", "`brenner trace list "+ui.Clean(args[0])+"` lists the calls")
	case id == "" && len(args) > 1:
		return ui.Usage(c, ui.Clean(args[0])+" is no call", "a call is named like RS-20261115-name/r1.1/AGENT/ask")
	}
	return a.WithSession(c, opt.project, where, func(ctx context.Context, src *project.Source, h *session.History) error {
		if err := ui.WholeSession(c, src.Address); err != nil {
			return err
		}
		call, err := opt.find(h, id)
		if err != nil {
			return err
		}
		res, err := traceOf(ctx, h, call, opt)
		if err != nil {
			return err
		}
		return a.Show(res)
	})
}

// find finds the call that is meant. Of several legs the last one counts.
func (o *traceShowOptions) find(h *session.History, id string) (*flow.Call, error) {
	turn := flow.TurnAsk
	if o.repair {
		turn = flow.TurnRepair
	}
	var found *flow.Call
	asked := false // the agent was, in that round
	for _, call := range tracedCalls(h.State) {
		inRound := id == "" && call.Agent == o.agent && call.Round == o.round
		asked = asked || inRound
		if call.ID == id || inRound && call.Turn == turn {
			found = call
		}
	}
	if found != nil {
		return found, nil
	}
	what := fault.Shown(id)
	if id == "" {
		what = fmt.Sprintf("of %s in round %d", fault.Shown(o.agent), o.round)
	}
	if asked {
		return nil, &fault.Error{
			Code: session.NotFound, Detail: h.Thread + " has no repair " + what + ": the first answer could be read as it was, or there was none",
			Hint: "without --repair it shows the first question and its answer",
		}
	}
	return nil, &fault.Error{
		Code: session.NotFound, Detail: h.Thread + " has no call " + what,
		Hint: "`brenner trace list " + h.Thread + "` lists those it has",
	}
}

// traceCall is one call with all that the journal knows of it.
type traceCall struct {
	Schema    string           `json:"schema"`
	Thread    string           `json:"thread_id"`
	Rehearsal bool             `json:"rehearsal"`
	Call      callSummary      `json:"call"`
	In        callInput        `json:"in"`
	Out       callOutput       `json:"out"`
	Deltas    []originDocument `json:"deltas"`
	Settled   bool             `json:"settled"`
	Version   int              `json:"version"` // that its round was merged into
	Journal   []callEvent      `json:"journal"`
	bare      *string
}

type callInput struct {
	Subject      string         `json:"subject"`
	Template     string         `json:"template"`
	TemplateHash string         `json:"template_hash"`
	View         string         `json:"view_hash"`
	Base         int            `json:"base_version"`
	Saw          []string       `json:"items_shown"`
	Lessons      []string       `json:"lessons,omitempty"`      // of the playbook, that it quotes
	LessonsLeft  []string       `json:"lessons_left,omitempty"` // for which there was no room
	Evidence     []callEvidence `json:"evidence"`
	Records      []callRecord   `json:"records_shown"`
	RecordsView  string         `json:"records_view_hash"`
	Kickoff      string         `json:"kickoff"`
	Prompt       string         `json:"prompt"`
	Bytes        int            `json:"prompt_bytes"`
	Tokens       int            `json:"prompt_tokens"` // counted here, before it was sent
	Reserved     int            `json:"reserved_tokens"`
	Before       string         `json:"first_reply"` // what a repair is about
	Text         *string        `json:"prompt_text,omitempty"`
	ruling       bool
}

// callRecord is a record of the project that an agent was shown.
type callRecord struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Type    string `json:"type"`
	Form    string `json:"form"`
	Content string `json:"content"` // hash
	// Here tells what this store has of that name: the same, another, or none.
	Here string `json:"here"`
}

// What a store has of the name of a record that an agent was shown. A session that
// was imported names records of the project where it was held.
const (
	hereSame    = "same"
	hereAnother = "another"
	hereNone    = "none"
)

// here looks for the records of a call in the store that holds the session.
func (in *callInput) here(ctx context.Context, st store.Store) error {
	for i := range in.Records {
		r := &in.Records[i]
		found, err := st.Records(ctx, store.Query{ID: r.ID, Version: r.Version})
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			r.Here = hereNone
		case r.Content != "" && found[0].Content != r.Content, found[0].Type != r.Type:
			r.Here = hereAnother
		default:
			r.Here = hereSame
		}
	}
	return nil
}

func (r *callRecord) what() string {
	text := ui.Clean(r.Type)
	if r.Form != "" {
		text += ", " + ui.Clean(r.Form)
	}
	switch r.Here {
	case hereAnother:
		text += "; another record has this name here"
	case hereNone:
		text += "; not in this store"
	}
	return text
}

type callEvidence struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Hash string `json:"sha256"`
}

type callOutput struct {
	Reply    string          `json:"reply"`
	Bytes    int             `json:"reply_bytes"`
	Broken   bool            `json:"broken_off"` // the reply has no end, and was not used
	Taken    int             `json:"taken"`
	Refused  int             `json:"refused"`
	Shown    int             `json:"only_shown"`
	Problems []delta.Located `json:"problems"`
	Text     *string         `json:"reply_text,omitempty"`
}

// callEvent is an entry of the journal about a call.
type callEvent struct {
	Entry int    `json:"entry"`
	At    string `json:"at"`
	Kind  string `json:"kind"`
	Hash  string `json:"hash"`
}

func traceOf(ctx context.Context, h *session.History, c *flow.Call, opt *traceShowOptions) (*traceCall, error) {
	t := &traceCall{
		Schema: "brenner.trace.call/v1", Thread: h.Thread, Rehearsal: h.State.Opened.Rehearsal != "",
		Call: summaryOf(h.State, c), Deltas: []originDocument{}, Journal: eventsOf(h, c.ID),
	}
	t.In.fill(h.State, c)
	if err := t.In.here(ctx, h.Store); err != nil {
		return nil, err
	}
	for i := range h.State.Commits {
		m := &h.State.Commits[i]
		if c.Turn != flow.TurnRule && m.Source == flow.ByRound && m.Round == c.Round && m.Leg == c.Leg ||
			c.Turn == flow.TurnRule && m.Ruling != "" && m.Author == c.Agent && strings.Contains(c.ID, "/"+m.Ruling+"/") {
			t.Settled, t.Version = true, m.Version
		}
	}
	prompt, err := h.Store.Blob(ctx, c.Prompt)
	if err != nil {
		return nil, err
	}
	t.In.Bytes = len(prompt)
	reply, err := t.Out.fill(ctx, h, c)
	if err != nil {
		return nil, err
	}
	promptText, replyText := string(prompt), string(reply)
	if opt.prompt {
		t.In.Text, t.bare = &promptText, &promptText
	}
	if opt.reply {
		if t.Out.Reply == "" {
			return nil, &fault.Error{Code: session.NotFound, Detail: "there is no reply to " + c.ID, Hint: "`brenner trace show " + c.ID + "` says why"}
		}
		t.Out.Text, t.bare = &replyText, &replyText
	}
	if t.Settled && c.Turn != flow.TurnRule {
		origins, err := h.Origins(ctx)
		if err != nil {
			return nil, err
		}
		found, err := origins.OfCall(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		t.Deltas = originDocuments(found)
	}
	return t, nil
}

// fill says what went into a call.
func (in *callInput) fill(st *flow.State, c *flow.Call) {
	in.Prompt, in.Reserved, in.Saw, in.Evidence = c.Prompt, c.Reserved.Tokens, []string{}, []callEvidence{}
	in.Records = []callRecord{}
	if c.Turn == flow.TurnRule { // it sees the request, and nothing else of the session
		in.ruling, in.Tokens = true, max(0, c.Reserved.Tokens-st.Settings.Reply)
		return
	}
	for _, p := range st.Opened.Agents {
		if p.Name == c.Agent {
			in.View = p.View
		}
	}
	for _, ev := range st.Opened.Evidence {
		in.Evidence = append(in.Evidence, callEvidence{ev.ID, ev.Name, ev.Hash})
	}
	for i := range st.Legs {
		leg := &st.Legs[i]
		at := slices.IndexFunc(leg.Kickoffs, func(k flow.Kickoff) bool { return k.Agent == c.Agent })
		if leg.Round != c.Round || leg.Leg != c.Leg || at < 0 {
			continue
		}
		k := leg.Kickoffs[at]
		in.Subject, in.Template, in.TemplateHash, in.Kickoff, in.Tokens, in.Base = k.Subject, k.Template, k.Hash, k.Body, k.Tokens, leg.Base
		in.Saw = append(in.Saw, k.Saw...)
		for _, ref := range k.Records {
			in.Records = append(in.Records, callRecord{ID: ref.ID, Version: ref.Version, Type: ref.Type, Form: ref.Form, Content: ref.Content})
		}
		in.RecordsView = k.RecordsView
		in.Lessons, in.LessonsLeft = k.Lessons, k.LessonsLeft
		if c.Turn == flow.TurnRepair {
			in.Before = leg.Calls[2*at].Answered.Reply
		}
	}
}

// fill says what came out of a call, and gives the reply.
func (out *callOutput) fill(ctx context.Context, h *session.History, c *flow.Call) ([]byte, error) {
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
	if c.Turn == flow.TurnRule { // a verdict, which stalemate show tells of
		return text, nil
	}
	reply, err := h.Reading(ctx, c)
	if err != nil {
		return nil, err
	}
	var r settle.Reading
	r.Take(&reply)
	out.Taken, out.Refused, out.Shown, out.Problems = r.Taken, r.Refused, r.Shown, r.Problems
	return text, nil
}

// eventsOf gives the entries about a call: one that was made again has several of each.
func eventsOf(h *session.History, id string) []callEvent {
	events := []callEvent{}
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
		// The journal was folded before: its bodies can be read.
		if json.Unmarshal(e.Body, &body, json.MatchCaseInsensitiveNames(true)) == nil && slices.Contains([]string{body.Call, body.Began.Call, body.Answered.Call, body.Failed.Call}, id) {
			events = append(events, callEvent{e.Seq, artifact.FormatInstant(e.At), e.Kind, e.Hash})
		}
	}
	return events
}
