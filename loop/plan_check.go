package loop

import (
	"fmt"
	"strings"

	"brenner/internal/fault"
)

// check reports mistakes that depend on several keys.
func (r *planReader) check(line int) {
	p := r.plan
	if p.Name != "" && !ValidName(p.Name, 1) {
		r.Add(InvalidValue, p.Line("name"), fmt.Sprintf("use 1 to %d characters of a-z and 0-9, with single - between", MaxName), "invalid loop name: %s", fault.Shown(p.Name))
	}
	if p.At != "" && p.After > 0 {
		r.Add(InvalidValue, p.Line("stop.after"), "remove at: or after:", "stop has both at: and after:")
	}
	valid := r.Found.Len() == 0 // else the key may only be misspelt
	onlyTasks := r.onlyTasks()
	if len(p.Questions) == 0 && valid && !onlyTasks {
		hint := "write questions: with a list"
		if len(p.Tasks) == 0 {
			hint += ", or tasks:"
		}
		r.Add(InvalidValue, line, hint, "the plan has no questions")
	}
	if len(p.Rosters) == 0 && valid && !onlyTasks {
		r.Add(InvalidValue, line, "write rosters: with a list, such as [default-3-agent]", "the plan has no rosters")
	}
	switch {
	case p.Via == "rehearsal" && p.Script == "":
		r.Add(InvalidValue, p.Line("via"), "write script: with the file of a rehearsal script, or name models", "via: rehearsal requires script: in a loop")
	case p.Via != "rehearsal":
		for i := range p.Questions {
			r.noScript(fmt.Sprintf("questions[%d].script", i))
		}
		r.noScript("script")
	case p.Via == "rehearsal" && len(p.Models) > 0:
		r.Add(InvalidValue, p.Line("models[0]"), "remove models:", "scripted agents have no models")
	}
	r.checkBudgets()
	r.checkSessions()
	r.checkTasks()
}

func (r *planReader) checkBudgets() {
	p := r.plan
	if t := p.Budget.Tokens; t != nil && p.Limits.Tokens > 0 && *t > p.Limits.Tokens {
		r.Add(InvalidValue, p.Line("budget.tokens"), "lower session_tokens: or raise tokens:; a session's budget is reserved before it starts",
			"no session can start: each may spend %d tokens, all together %d", *t, p.Limits.Tokens)
	}
	if u := p.Budget.USD; u != nil && p.Limits.USD > 0 && *u > p.Limits.USD {
		r.Add(InvalidValue, p.Line("budget.usd"), "lower session_usd: or raise usd:", "no session can start: each may spend more dollars than all together")
	}
}

// checkSessions checks the ids that the list of sessions refers to.
func (r *planReader) checkSessions() {
	p := r.plan
	if p.Sessions == nil {
		if n := p.perRound(); n > MaxSessions {
			r.Add(InvalidValue, 1, "split it into several plans", "the plan has %d sessions per round; the limit is %d", n, MaxSessions)
		}
		return
	}
	if len(p.Sessions) == 0 {
		r.Add(InvalidValue, p.Line("sessions"), "remove sessions: to run all combinations", "the list of sessions is empty")
	}
	lists := []struct {
		what  string
		names []string
		of    func(*PlanSession) *string
	}{
		{"question", idsOf(p.Questions, func(q *PlanQuestion) string { return q.ID }), func(s *PlanSession) *string { return &s.Question }},
		{"roster", idsOf(p.Rosters, func(q *PlanRoster) string { return q.ID }), func(s *PlanSession) *string { return &s.Roster }},
		{"model", idsOf(p.Models, func(q *PlanModel) string { return q.ID }), func(s *PlanSession) *string { return &s.Model }},
	}
	for i := range p.Sessions {
		for _, list := range lists {
			r.choose(p.Sessions[i].line, list.what, list.of(&p.Sessions[i]), list.names)
		}
	}
}

// choose checks an id of a list of the plan. Without one, it takes that of the only entry.
func (r *planReader) choose(line int, what string, id *string, names []string) {
	switch {
	case *id == "" && len(names) == 1:
		*id = names[0]
	case *id == "" && what == "model" && len(names) == 0, *id != "" && r.ids[what+" "+*id]:
	default:
		hint := "known: " + someIDs(names)
		if len(names) == 0 {
			hint = "add " + what + "s: to the plan, or remove " + what + ":"
		}
		r.Add(InvalidValue, line, hint, "missing or unknown %s: %s", what, fault.Shown(*id))
	}
}

// someIDs lists the first ids: each session of a long list may have a mistake.
func someIDs(ids []string) string {
	const most = 20
	if len(ids) > most {
		return strings.Join(ids[:most], ", ") + fmt.Sprintf(" and %d more", len(ids)-most)
	}
	return strings.Join(ids, ", ")
}

func idsOf[T any](list []T, id func(*T) string) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = id(&list[i])
	}
	return out
}
