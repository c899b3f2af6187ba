package audit

import (
	"cmp"
	"slices"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
)

// CallList is every call of a session.
type CallList struct {
	Schema    string        `json:"schema"`
	Thread    string        `json:"thread_id"`
	Rehearsal bool          `json:"rehearsal"`
	Calls     []CallSummary `json:"calls"`
}

// callsOf returns all calls of a session in the order of its rounds. Calls of the arbiter
// follow the round with the stalemate.
func callsOf(st *flow.State) []*flow.Call {
	all := st.Calls()
	for i := range st.Rulings {
		all = append(all, &st.Rulings[i])
	}
	slices.SortStableFunc(all, func(a, b *flow.Call) int { return cmp.Compare(a.Round, b.Round) })
	return all
}

// CallSummary summarizes one call.
type CallSummary struct {
	Call     string      `json:"call"`
	Round    int         `json:"round"`
	Leg      int         `json:"leg"`
	Turn     string      `json:"turn"`
	Agent    string      `json:"agent"`
	Role     string      `json:"role"`
	Via      string      `json:"via"`
	Model    string      `json:"model"`          // in the roster
	ModelID  string      `json:"model_id"`       // as requested
	Observed string      `json:"model_observed"` // as reported by the model
	Seed     *int        `json:"seed,omitempty"` // for the model
	Input    int         `json:"input_tokens"`
	Output   int         `json:"output_tokens"`
	Guessed  bool        `json:"guessed"`
	Spent    int         `json:"spent_tokens"` // possible cost of a call without an answer
	Attempts int         `json:"attempts"`
	TookMS   int         `json:"took_ms"`
	Began    string      `json:"began_at"`
	Ended    string      `json:"ended_at"`
	Status   flow.Status `json:"status"`
	Code     fault.Code  `json:"code"`
	Detail   string      `json:"detail"`
	Hint     string      `json:"hint"`
	Failures int         `json:"failures"` // attempts of earlier runs that failed or were lost
	Cut      bool        `json:"cut"`      // the reply ended at its token limit
	Outcome  string      `json:"outcome"`  // of the agent in the round, once it is settled
	// Remarks are what the outcome does not say, such as another model than the requested one.
	Remarks []flow.Remark `json:"remarks,omitempty"`
	AskedWay
}

// AskedWay is what is really asked: sessions opened before ways were pinned do not say it for models and
// programs.
type AskedWay struct {
	Asked    string `json:"asked,omitempty"` // such as "llama3 at 127.0.0.1:8080"
	Endpoint string `json:"endpoint,omitempty"`
	API      string `json:"api,omitempty"`
	Program  string `json:"program,omitempty"` // its command
	Release  string `json:"version,omitempty"` // of the program
	// Structured is how replies are requested: fences, schema or auto.
	Structured string `json:"structured,omitempty"`
	// Kickoff is "short" for short kickoffs, and Context the context size that the endpoint reported.
	Kickoff string `json:"kickoff,omitempty"`
	Context int    `json:"context_tokens,omitzero"`
}

func askedOf(p *flow.Party) AskedWay {
	if p.Way == nil {
		return AskedWay{Asked: p.Asked()}
	}
	return AskedWay{p.Asked(), cmp.Or(p.Way.Endpoint, p.Way.Mail), p.Way.API, p.Way.Program, p.Way.Version, p.Way.Structured, p.Way.Kickoff, p.Way.Context}
}

// ListCalls returns every call of a session.
func ListCalls(h *session.History) *CallList {
	res := &CallList{Schema: "brenner.trace.list/v1", Thread: h.Thread, Rehearsal: h.State.Opened.Rehearsal != "", Calls: []CallSummary{}}
	for _, call := range callsOf(h.State) {
		res.Calls = append(res.Calls, summaryOf(h.State, call))
	}
	return res
}

func summaryOf(st *flow.State, c *flow.Call) CallSummary {
	s := CallSummary{
		Call: c.ID, Round: c.Round, Leg: c.Leg, Turn: c.Turn, Agent: c.Agent, Status: c.Status,
		Began: artifact.FormatInstant(c.Began), Remarks: st.Remarks(c),
	}
	s.Failures, s.Cut, s.Outcome = c.Failures, c.Answered.Cut, outcomeOf(st, c)
	if c.Status == flow.Lost {
		s.Failures-- // this one
	}
	if p := st.Reached(c); p != nil {
		s.Role, s.Via, s.Model, s.ModelID, s.Seed, s.AskedWay = p.Role, p.Via, p.Entry().Model, p.ModelID, p.Seed, askedOf(p)
	}
	switch c.Status {
	case flow.Replied:
		r := &c.Answered
		s.Observed, s.Input, s.Output, s.Guessed, s.Attempts, s.TookMS = r.Model, r.Input, r.Output, r.Guessed, r.Attempts, r.TookMS
	case flow.Lost:
		f := &c.Failed
		s.Code, s.Detail, s.Hint, s.Spent, s.Attempts, s.TookMS = f.Code, f.Detail, f.Hint, f.Spent, f.Attempts, f.TookMS
	}
	if c.Status == flow.Replied || c.Status == flow.Lost {
		s.Ended = artifact.FormatInstant(c.Ended)
	}
	return s
}

// outcomeOf returns what the agent of a call came to in its round, or "".
func outcomeOf(st *flow.State, c *flow.Call) string {
	for i := range st.Commits {
		if m := &st.Commits[i]; !c.OfArbiter() && m.Source == flow.ByRound && m.Round == c.Round && m.Leg == c.Leg {
			for _, h := range st.HeardIn(m) {
				if h.Agent == c.Agent {
					return h.Outcome
				}
			}
		}
	}
	return ""
}

// CallRemark is a remark about calls of an agent.
type CallRemark struct {
	Agent string `json:"agent"`
	flow.Remark
	Calls int `json:"calls"` // number of calls
}

// remarksOf returns the remarks about all calls; equal ones of an agent are one.
func remarksOf(st *flow.State) []CallRemark {
	var all []CallRemark
	for _, c := range callsOf(st) {
		for _, r := range st.Remarks(c) {
			i := slices.IndexFunc(all, func(o CallRemark) bool { return o.Agent == c.Agent && o.Remark == r })
			if i < 0 {
				i, all = len(all), append(all, CallRemark{Agent: c.Agent, Remark: r})
			}
			all[i].Calls++
		}
	}
	return all
}
