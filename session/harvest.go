package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/artifact/lint"
	"brenner/internal/text"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/playbook"
	"brenner/session/flow"
	"brenner/session/stalemate"
)

// Harvest is a session's contribution to the playbook: credits for cited lessons, and insights.
type Harvest struct {
	Credits  []playbook.Credit
	Insights []playbook.Insight
}

// Tags of insights from results.
const (
	TagKilled   = "killed"
	TagRejected = "rejected"
	TagRuled    = "ruled"
	TagLint     = "lint"
	TagLesson   = "lesson"
)

// KilledMark separates the claim of a killed hypothesis from the reason.
const KilledMark = " (killed: "

const maxInsights = 20

// Harvest returns a session's contribution to the playbook. It is empty for a rehearsal.
func (h *History) Harvest(ctx context.Context) (*Harvest, error) {
	if h.State.Opened.Rehearsal != "" {
		return &Harvest{}, nil
	}
	return h.Lessons(ctx)
}

// Lessons is Harvest without the exception for rehearsals.
func (h *History) Lessons(ctx context.Context) (*Harvest, error) {
	out := &Harvest{}
	if h.State.Version() == 0 || h.State.Opened.Task != "" { // nothing is learned from tasks
		return out, nil
	}
	reports := make([]*Report, len(h.State.Commits))
	for i := range h.State.Commits {
		r, err := readReport(ctx, h.Store, h.State.Commits[i].Report)
		if err != nil {
			return nil, err
		}
		reports[i] = r
	}
	last, err := h.Artifact(ctx, h.State.Version())
	if err != nil {
		return nil, err
	}
	cited, err := h.readReplies(ctx, out)
	if err != nil {
		return nil, err
	}
	out.credit(cited, resultsOf(reports, &last))
	if err := out.addKills(ctx, h, &last); err != nil {
		return nil, err
	}
	out.addRejections(h, reports)
	out.addRulings(h, reports, &last)
	if err := out.addVerdicts(ctx, h); err != nil {
		return nil, err
	}
	out.addFixedFindings(reports, &last, &h.State.Opened)
	for i := range out.Insights {
		out.Insights[i].Source.Session = h.Thread
	}
	return out, nil
}

// readReplies reads what the agents wrote about lessons. It returns the cited bullets with the
// agents that cited them, and adds newly reported lessons to out.
func (h *History) readReplies(ctx context.Context, out *Harvest) (map[string][]string, error) {
	cited := make(map[string][]string)
	for i := range h.State.Legs {
		leg := &h.State.Legs[i]
		for n := range leg.Exchanges {
			k := &leg.Exchanges[n]
			call := k.Answer()
			if call == nil {
				continue
			}
			data, err := h.Store.Blob(ctx, call.Answered.Reply)
			if err != nil {
				return nil, err
			}
			reader := h.State.Opened.Reads()
			for _, id := range kickoff.CitedIDs(string(reader.WithoutReasoning(data)), k.Lessons) {
				if !slices.Contains(cited[id], k.Agent) {
					cited[id] = append(cited[id], k.Agent)
				}
			}
			for _, l := range kickoff.ReadLessons(string(data), call.Answered.Cut, reader) {
				out.add(TagLesson, playbook.Insight{
					Section: playbook.Section(l.Kind), Text: l.Text, Source: playbook.Source{Agent: k.Agent, Task: call.ID},
				})
			}
		}
	}
	return cited, nil
}

type result struct{ good, bad int }

func (r *result) add(o result) { r.good, r.bad = r.good+o.good, r.bad+o.bad }

// results are the outcomes of a session by which lessons are judged.
type results struct {
	agents map[string]*result
	whole  result // lint findings of the final artifact as a whole
}

func (r *results) of(agent string) *result {
	if r.agents[agent] == nil {
		r.agents[agent] = &result{}
	}
	return r.agents[agent]
}

// resultsOf counts for each agent what was applied, and what was rejected, killed by another
// author, or is a lint error at the end.
func resultsOf(reports []*Report, last *artifact.Artifact) *results {
	all := &results{agents: make(map[string]*result)}
	for _, r := range reports {
		for _, row := range r.Merge.Deltas {
			switch row.Disposition {
			case merge.Applied:
				all.of(row.Agent).good++
			case merge.Rejected:
				all.of(row.Agent).bad++
			default:
			}
		}
	}
	for _, s := range artifact.Sections() {
		for _, it := range last.Items(s) {
			if it.Killed() && it.Created != nil && it.Kill.By != it.Created.Agent {
				all.of(it.Created.Agent).bad++
			}
		}
	}
	all.lint(reports[len(reports)-1].Findings, last)
	return all
}

// lint counts the final lint findings. An error in an item counts against its author; validity
// counts for the artifact as a whole. Warnings do not count: most of them are about work still
// to be done.
func (r *results) lint(findings []lint.Finding, last *artifact.Artifact) {
	for _, f := range findings {
		if it, _, ok := last.Find(f.Item); f.Severity == lint.Error && ok && it.Created != nil {
			r.of(it.Created.Agent).bad++
		}
	}
	if (lint.Result{Findings: findings}).Valid() {
		r.whole.good = 1
	} else {
		r.whole.bad = 1
	}
}

// credit judges each cited bullet by the results of the agents that cited it. In a tie the
// artifact as a whole decides, unless those agents contributed nothing to it.
func (out *Harvest) credit(cited map[string][]string, results *results) {
	for _, id := range slices.Sorted(maps.Keys(cited)) {
		var sum result
		for _, agent := range cited[id] {
			sum.add(*results.of(agent))
		}
		if sum.good == sum.bad && sum.good > 0 {
			sum = results.whole
		}
		polarity := playbook.Neutral
		switch {
		case sum.good > sum.bad:
			polarity = playbook.Helpful
		case sum.bad > sum.good:
			polarity = playbook.Harmful
		}
		out.Credits = append(out.Credits, playbook.Credit{Bullet: id, Polarity: polarity})
	}
}

// add adds an insight unless there are maxInsights of its kind.
func (out *Harvest) add(tag string, i playbook.Insight) {
	same := 0
	for _, o := range out.Insights {
		if slices.Contains(o.Tags, tag) {
			same++
			if o.Text == i.Text {
				return
			}
		}
	}
	if same < maxInsights {
		i.Tags = append([]string{tag}, i.Tags...)
		out.Insights = append(out.Insights, i)
	}
}

func (out *Harvest) addKills(ctx context.Context, h *History, last *artifact.Artifact) error {
	for _, it := range last.Items(artifact.HypothesisSlate) {
		claim := oneLine(it.Text("claim"))
		if !it.Killed() || claim == "" {
			continue
		}
		why, err := h.killReason(ctx, it.Kill)
		if err != nil {
			return err
		}
		text := claim + KilledMark + cmp.Or(oneLine(why), NoReason) + ")"
		out.add(TagKilled, playbook.Insight{Section: playbook.Neutral, Text: text, Source: playbook.Source{Agent: it.Kill.By, Task: it.ID}})
	}
	return nil
}

func (out *Harvest) addRejections(h *History, reports []*Report) {
	roles := make(map[string]string)
	for _, p := range h.State.Opened.Agents {
		roles[p.Name] = p.Role
	}
	for _, r := range reports {
		for _, row := range r.Merge.Deltas {
			if row.Disposition != merge.Rejected || row.Code == delta.AmbiguousDelta || roles[row.Agent] == "" { // it may be a quotation
				continue
			}
			article := "a "
			if strings.ContainsAny(roles[row.Agent][:1], "aeiou") {
				article = "an "
			}
			text := "Deltas of " + article + roles[row.Agent] + " were rejected with " + string(row.Code)
			if !strings.ContainsFunc(row.Message, unicode.IsDigit) { // a message with an item id applies to that item only
				text += ": " + oneLine(row.Message)
			}
			out.add(TagRejected, playbook.Insight{
				Section: playbook.Harmful, Text: text,
				Tags: []string{playbook.RolePrefix + roles[row.Agent]}, Source: playbook.Source{Agent: row.Agent, Task: row.DeltaID},
			})
		}
	}
}

// addRulings adds the conflicts that a person or an arbiter has decided. An arbiter counts as an
// agent, though its ruling is carried out like a person's.
func (out *Harvest) addRulings(h *History, reports []*Report, last *artifact.Artifact) {
	for i := 1; i < len(reports); i++ {
		c := &h.State.Commits[i]
		if c.Source != flow.ByPerson {
			continue
		}
		for _, was := range reports[i-1].Merge.Conflicts {
			open := slices.ContainsFunc(reports[i].Merge.Conflicts, func(o merge.Conflict) bool { return o.Item == was.Item && o.Field == was.Field })
			it, _, ok := last.Find(was.Item)
			if open || !ok {
				continue
			}
			if value := oneLine(it.Text(was.Field)); value != "" {
				out.add(TagRuled, playbook.Insight{
					Section: playbook.Helpful, Person: !h.isArbiter(c.Author), Text: subject(it, was.Field) + ": " + was.Field + " is " + value, Source: playbook.Source{Agent: c.Author, Task: was.Item + "." + was.Field},
				})
			}
		}
	}
}

func (out *Harvest) addVerdicts(ctx context.Context, h *History) error {
	for _, s := range h.State.Stalemates {
		if s.Verdict == "" || s.State != stalemate.Applied { // a ruling that was not carried out teaches nothing
			continue
		}
		v, err := h.Verdict(ctx, s.ID)
		if err != nil {
			return err
		}
		if cause := oneLine(v.RootCause); cause != "" {
			out.add(TagRuled, playbook.Insight{
				Section: playbook.Helpful, Person: v.Arbiter.Kind == stalemate.ByPerson, Text: "A session was stuck (" + s.Kind + "): " + cause,
				Source: playbook.Source{Agent: v.Arbiter.Name, Task: s.ID},
			})
		}
	}
	return nil
}

// isArbiter reports whether name is the arbiter's; no person has the same name.
func (h *History) isArbiter(name string) bool {
	return h.State.Opened.Arbiter != nil && h.State.Opened.Arbiter.Name == name
}

// subject returns what an item is about: its first non-empty text field, except the given one.
func subject(it *artifact.Item, except string) string {
	for _, f := range it.Fields {
		if text := oneLine(it.Text(f.Name)); f.Name != except && text != "" {
			return text
		}
	}
	return it.ID
}

// addFixedFindings adds the lint rules with a finding in an earlier version that the last version
// no longer has. Findings of the brief are skipped, since it is incomplete by nature. Killing an
// item does not count as fixing it. Earlier sessions keep their wording: harvested again, they must not
// teach the same twice.
func (out *Harvest) addFixedFindings(reports []*Report, last *artifact.Artifact, o *flow.Opened) {
	if len(reports) < 2 {
		return
	}
	fixed := make(map[string]bool)
	final := reports[len(reports)-1].Findings
	for _, r := range reports[1:] {
		for _, f := range r.Findings {
			it, _, ok := last.Find(f.Item)
			gone := ok && it.Killed()
			still := slices.ContainsFunc(final, func(o lint.Finding) bool { return o.ID == f.ID && o.Item == f.Item })
			fixed[f.ID] = fixed[f.ID] || !gone && !still
		}
	}
	for _, rule := range lint.Rules() {
		if fixed[rule.ID] {
			words := LintLesson(rule.Title, rule.Why)
			switch {
			case !o.Follows(flow.SecondProtocol):
				words = "See to it that " + oneLine(rule.Title)
			case o.Domain == "":
				words = LintLesson(rule.Title, "")
			}
			out.add(TagLint, playbook.Insight{Section: playbook.Helpful, Text: words, Source: playbook.Source{Agent: "lint", Task: rule.ID}})
		}
	}
}

// LintLesson is the lesson of a lint rule: a sentence with the rule's title, which is a clause, or
// a number of items, and the reason, if any. Without it, sentences such as "every hypothesis has a
// claim" and "every hypothesis has anchors" count as one lesson.
func LintLesson(title, why string) string {
	clause := oneLine(title)
	if strings.HasPrefix(clause, "at least ") || strings.HasPrefix(clause, "at most ") {
		clause = "there are " + clause
	}
	if why != "" {
		clause += ": " + oneLine(why)
	}
	return "Make sure that " + clause
}

// maxPart bounds the text of the artifact quoted in a lesson.
const maxPart = 130

func oneLine(text string) string { return clip(text, maxPart) }

func clip(s string, longest int) string {
	return text.Clip(text.Clean(s, text.Words), longest)
}

// Observe summarizes the session's success and latencies for the playbook's guardrail.
func (h *History) Observe() playbook.Observation {
	o := playbook.Observation{Session: h.Thread, At: h.State.Began}
	switch h.State.Ended {
	case flow.EndRounds, flow.EndQuiet, flow.EndClean:
		o.OK = len(h.State.Missing()) == 0
	}
	for i := range h.State.Legs {
		for c := range h.State.Legs[i].Calls() {
			switch c.Status {
			case flow.Replied:
				o.Calls++
				o.Latencies = append(o.Latencies, time.Duration(c.Answered.TookMS)*time.Millisecond)
			case flow.Lost:
				o.Calls, o.Failed = o.Calls+1, o.Failed+1
			default:
			}
		}
	}
	return o
}

// NoReason replaces a missing reason for a kill.
const NoReason = "no reason was given"

// killReason returns why an item was killed: the reason of the KILL or else its rationale, which
// many agents write instead. It returns "" if there is neither.
func (h *History) killReason(ctx context.Context, k *artifact.Kill) (string, error) {
	if !delta.Blank(k.Reason) || k.Stamp == nil {
		return k.Reason, nil
	}
	for i := range h.State.Commits {
		c := &h.State.Commits[i]
		if c.Version != k.Stamp.Version {
			continue
		}
		in, err := h.input(ctx, h.empty(), &c.Committed, c.Agents, nil)
		if err != nil {
			return "", err
		}
		_, deltas := settle.Read(in)
		for j := range deltas {
			if deltas[j].ID == k.Stamp.Delta {
				return deltas[j].Rationale, nil
			}
		}
	}
	return "", nil
}
