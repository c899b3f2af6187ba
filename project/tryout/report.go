package tryout

import (
	"cmp"
	"context"
	"errors"

	"brenner/agent"
	"brenner/agent/openai"
	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/prompts"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

// Report is what became of the replies of all models, or what would be asked.
type Report struct {
	Schema   string   `json:"schema"`
	DryRun   bool     `json:"dry_run"`
	Question string   `json:"question"`
	Sample   bool     `json:"sample"` // the built-in question
	Repair   bool     `json:"repair"` // asked once more for what can be corrected
	Estimate Estimate `json:"estimate"`
	// Brief is lint of the brief alone; null if nothing was asked.
	Brief *Lint  `json:"brief_lint"`
	Rows  []*Row `json:"rows"`
	Total Total  `json:"total"`
}

// Failed reports whether any call failed.
func (r *Report) Failed() bool { return r.Total.Failed > 0 }

// Estimate is what all calls cost at most, without retries of failed ones.
type Estimate struct {
	Calls     int      `json:"calls"`
	Input     int      `json:"input_tokens"`
	Output    int      `json:"output_tokens"`
	Reply     int      `json:"reply_tokens"` // limit of each reply; 0 means none: then Output is unknown
	USD       *float64 `json:"usd"`          // null if a price is unknown
	Budget    int      `json:"tokens_budget"`
	BudgetUSD float64  `json:"usd_budget"`
	Covered   bool     `json:"covered"` // by the budget

	worst flow.Cost
}

// Total is the sum of all rows.
type Total struct {
	Calls  int      `json:"calls"` // that were made
	Failed int      `json:"failed"`
	Input  int      `json:"input_tokens"`
	Output int      `json:"output_tokens"`
	Lost   int      `json:"tokens_lost"` // assumed for calls without a usable reply
	USD    *float64 `json:"usd"`         // null if a price is unknown
}

// Lint counts the findings in an artifact.
type Lint struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
}

// How a reply ended.
const (
	Complete = "complete"
	Cut      = "cut"    // at the limit of its length
	Failed   = "failed" // there is no reply
)

// Row is what became of the reply of one model in one role, with its repair.
type Row struct {
	Model        string `json:"model"` // as named
	ModelID      string `json:"model_id"`
	Endpoint     string `json:"endpoint"`
	Role         string `json:"role"`
	Template     string `json:"template"`
	TemplateHash string `json:"template_hash"`
	Structured   string `json:"structured"`     // how replies are requested: fences, schema or auto
	Kickoff      string `json:"kickoff"`        // short or full
	Context      int    `json:"context_tokens"` // if the endpoint was asked for it and reports it
	Sent         int    `json:"kickoff_tokens"` // counted locally

	Outcome  string `json:"outcome,omitempty"`         // as of an agent in a round
	Reason   string `json:"reason,omitempty"`          // of NO CHANGES
	Finish   string `json:"finish,omitempty"`          // complete, cut or failed
	Used     string `json:"structured_used,omitempty"` // fences or schema
	Answered string `json:"answered_by,omitempty"`     // as the endpoint reports it
	Counts   Counts `json:"blocks"`
	Lint     *Lint  `json:"lint"` // of the artifact with the reply; null without one

	Calls   int      `json:"calls"`
	Input   int      `json:"input_tokens"`
	Output  int      `json:"output_tokens"`
	Guessed bool     `json:"guessed"` // by our own count
	Lost    int      `json:"tokens_lost"`
	USD     *float64 `json:"usd"` // null if the price is unknown
	TookMS  int      `json:"took_ms"`

	Problems []Problem     `json:"problems"`
	Remarks  []flow.Remark `json:"remarks"`
	Kept     []string      `json:"kept"` // files
	// Code, Detail and Hint are about a failed call. After a reply, that is its repair.
	Code   fault.Code `json:"code,omitempty"`
	Detail string     `json:"detail,omitempty"`
	Hint   string     `json:"hint,omitempty"`
}

// Counts is what became of the blocks of a reply and its repair. Each block counts once.
type Counts struct {
	Taken      int `json:"taken"`
	Repaired   int `json:"repaired"`     // blocks of the reply that its repair replaced
	Repairable int `json:"repairable"`   // defects of the reply that a repair turn asks for
	Refused    int `json:"refused"`      // unreadable, or against the rules
	Scope      int `json:"out_of_scope"` // outside the rights of the role
	Idle       int `json:"no_effect"`
	Shown      int `json:"only_shown"`     // drafts, quotations and examples
	Fields     int `json:"refused_fields"` // of blocks that were taken
}

// Kinds of problems.
const (
	KindRefused = "refused"
	KindScope   = "out_of_scope"
	KindField   = "field"
	KindIdle    = "no_effect"
	KindShown   = "only_shown"
	KindReply   = "reply" // the reply as a whole
)

// Problem is something in a reply that was not taken.
type Problem struct {
	Kind string `json:"kind"`
	audit.Written
	Target  string     `json:"target_id,omitempty"`
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
}

func newRow(model, role string, p *flow.Party) *Row {
	return &Row{
		Model: model, ModelID: p.ModelID, Endpoint: baseurl.Shown(p.Endpoint()), Role: role, Structured: p.Way.Structured,
		Problems: []Problem{}, Remarks: []flow.Remark{}, Kept: []string{},
	}
}

// ShortHash returns the leading digits of the template's hash, for display.
func (r *Row) ShortHash() string { return prompts.Short(r.TemplateHash) }

// fail records that there is no reply.
func (r *Row) fail(err error) {
	r.Outcome, r.Finish, r.Code, r.Detail, r.Hint = flow.NoReply, Failed, fault.CodeOf(err), err.Error(), fault.HintOf(err)
	var failure *agent.Failure
	if errors.As(err, &failure) {
		r.Code, r.Detail, r.Hint = failure.Code, failure.Detail, failure.Hint
	}
}

// total adds up the rows.
func (r *Report) total() {
	usd, priced := 0.0, true
	for _, row := range r.Rows {
		t := &r.Total
		t.Calls, t.Input, t.Output, t.Lost = t.Calls+row.Calls, t.Input+row.Input, t.Output+row.Output, t.Lost+row.Lost
		if row.Code != "" {
			t.Failed++
		}
		if row.USD == nil {
			priced = false
		} else {
			usd += *row.USD
		}
	}
	if priced {
		r.Total.USD = &usd
	}
}

// judge fills the row from the session.
func (t *trial) judge(ctx context.Context, h *session.History) error {
	summary, err := audit.Summarise(ctx, h, nil, "")
	if err != nil {
		return err
	}
	row := t.row
	for _, c := range audit.ListCalls(h).Calls {
		if c.Agent == t.party.Name {
			row.addCall(&c)
		}
	}
	if row.Hint == openai.NoSchemaHint { // here are no sessions to resume
		row.Hint = "the endpoint does not support this schema: pass --structured auto or fences"
	}
	row.Kept = append(row.Kept, t.calls.kept...)
	if summary.Unpriced == 0 {
		usd := flow.Dollars(h.State.Spent.USD)
		row.USD = &usd
	}
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		lint := &Lint{Errors: c.Outcome.Errors, Warnings: c.Outcome.Warnings}
		switch {
		case c.Source != flow.ByRound:
			t.lint = lint
		case row.Finish != Failed:
			row.Lint = lint
			if err := t.addReading(ctx, h, c, summary); err != nil {
				return err
			}
		}
	}
	if row.Finish == "" { // nothing was asked: the run was stopped
		row.Outcome, row.Finish, row.Code, row.Detail = flow.NoReply, Failed, agent.Stopped, "stopped before the call"
	}
	return nil
}

// addCall adds a call that was made.
func (r *Row) addCall(c *audit.CallSummary) {
	if c.Status == flow.Open {
		return
	}
	r.Calls++
	r.Input, r.Output, r.Guessed, r.Lost, r.TookMS = r.Input+c.Input, r.Output+c.Output, r.Guessed || c.Guessed, r.Lost+c.Spent, r.TookMS+c.TookMS
	r.Remarks = append(r.Remarks, c.Remarks...)
	r.Code, r.Detail, r.Hint = cmp.Or(r.Code, c.Code), cmp.Or(r.Detail, c.Detail), cmp.Or(r.Hint, c.Hint)
	switch {
	case c.Status == flow.Replied && c.Cut:
		r.Finish = Cut
	case c.Status == flow.Replied && r.Finish == "":
		r.Finish = Complete
	case c.Turn == flow.TurnAsk && c.Status != flow.Replied:
		r.Outcome, r.Finish = flow.NoReply, Failed
	}
	r.Answered = cmp.Or(c.Observed, r.Answered)
}

// addReading adds what became of the blocks.
func (t *trial) addReading(ctx context.Context, h *session.History, c *flow.Commit, s *audit.Summary) error {
	r := t.row
	report, err := h.Report(ctx, c)
	if err != nil {
		return err
	}
	for _, heard := range h.State.HeardIn(c) {
		if heard.Agent == t.party.Name {
			r.Outcome, r.Reason, r.Counts.Taken, r.Counts.Fields = heard.Outcome, heard.Reason, heard.Applied, heard.Fields
		}
	}
	if reading := settle.ReadingOf(report.Readings, t.party.Name); reading != nil {
		r.Counts.Repaired, r.Counts.Shown = reading.Repaired, reading.Shown
	}
	r.Counts.Idle = c.Outcome.Other
	defects := make(map[string][]settle.Defect)
	x := h.State.Leg(c.Round, c.Leg).Of(t.party.Name)
	for _, call := range []*flow.Call{&x.Ask, &x.Repair} {
		if defects[call.Turn], err = h.Defects(ctx, call); err != nil {
			return err
		}
	}
	if r.Used = openai.Fences; x.Ask.Schema != "" && !x.Ask.Answered.NoSchema {
		r.Used = openai.Schema
	}
	r.Counts.Repairable = settle.Correctable(defects[flow.TurnAsk])
	r.addProblems(s, t.party.Name)
	r.addHints(defects)
	if x.RepairAnswer() == nil {
		r.addWhole(defects[flow.TurnAsk], "")
	} else {
		r.addWhole(defects[flow.TurnRepair], flow.TurnRepair)
	}
	return nil
}

// addProblems adds what was not taken of the replies of an agent. The rules may refuse hypotheses of the
// brief, too: those are not the agent's.
func (r *Row) addProblems(s *audit.Summary, name string) {
	add := func(agent string, p Problem) {
		if agent == name {
			r.Problems = append(r.Problems, p)
		}
	}
	for _, x := range s.Rejected {
		kind := KindRefused
		if x.Code == merge.WriteScope {
			kind = KindScope
		}
		add(x.Agent, Problem{Kind: kind, Written: x.Written, Target: x.Target, Code: x.Code, Message: x.Message})
	}
	for _, f := range s.Refused {
		add(f.Agent, Problem{Kind: KindField, Target: f.Place, Code: f.Code, Message: f.Message})
	}
	for _, x := range s.Skipped {
		add(x.Agent, Problem{Kind: KindIdle, Written: x.Written, Target: x.Target, Code: x.Code, Message: x.Message})
	}
	for _, x := range s.Ignored {
		add(x.Agent, Problem{Kind: KindShown, Written: x.Written, Target: x.Target, Code: fault.Code(x.Form), Message: x.Reason})
	}
	for i := range r.Problems {
		switch r.Problems[i].Kind {
		case KindRefused:
			r.Counts.Refused++
		case KindScope:
			r.Counts.Scope++
		}
	}
}

// addHints adds to each problem how to correct it. The place of a defect may be a line within its block.
func (r *Row) addHints(defects map[string][]settle.Defect) {
	for i := range r.Problems {
		p := &r.Problems[i]
		turn := flow.TurnAsk
		if p.Text == flow.TurnRepair {
			turn = flow.TurnRepair
		}
		for _, d := range defects[turn] { // in the order of lines
			if d.Code == p.Code && d.Line >= p.Line && d.Hint != "" {
				p.Hint = d.Hint
				break
			}
		}
	}
}

// addWhole adds the defects of the last text as a whole: it was cut, or has neither deltas nor NO CHANGES.
func (r *Row) addWhole(last []settle.Defect, text string) {
	for _, d := range last {
		if d.Block > 0 {
			continue
		}
		p := Problem{Kind: KindReply, Written: audit.Written{Text: text, Line: d.Line}, Code: d.Code, Message: d.Message, Hint: d.Hint}
		if d.Cut { // the hint is for its author
			p.Code, p.Hint = agent.Cut, "raise budget.reply_tokens; reasoning counts too"
		}
		r.Problems = append(r.Problems, p)
	}
}
