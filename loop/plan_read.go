package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/yaml"
	"brenner/roster"
	"brenner/session/flow"
)

// Parse parses a plan. The error lists all mistakes, each with its line.
func Parse(data []byte) (*Plan, error) {
	r := newReader()
	p := &Plan{lines: make(map[string]int)}
	root, problem := yaml.Read(data)
	switch {
	case problem != nil:
		r.Add(InvalidYAML, problem.Line, problem.Hint, "%s", problem.Detail)
	case root == nil:
		r.Add(InvalidYAML, 1, "start with schema: "+Schema, "the plan is empty")
	default:
		(&planReader{reader: r, plan: p, ids: make(map[string]bool)}).read(root)
	}
	SortByLine(r.Found.Kept)
	if err := r.Found.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// SortByLine sorts the errors of a plan by line.
func SortByLine(all fault.List) {
	slices.SortStableFunc(all, func(a, b *fault.Error) int { return cmp.Compare(a.Line, b.Line) })
}

// planReader reads one plan.
type planReader struct {
	*reader
	plan *Plan
	// ids holds "question NAME", "roster NAME" and so on.
	ids map[string]bool
}

func (r *planReader) read(root *yaml.Node) {
	p := r.plan
	var schema string
	p.Limits = Limits{Rounds: 1, Concurrency: defaultConcurrency, Then: ThenContinue, Pause: defaultPause.Milliseconds()}
	ok := r.Object(root, "a plan",
		r.text("schema", &schema), r.at("name", r.text("name", &p.Name)),
		r.at("rounds", r.number("rounds", 1, 1000, func(n int) { p.Limits.Rounds = n })),
		r.number("concurrency", 1, maxConcurrency, func(n int) { p.Limits.Concurrency = n }),
		r.at("questions", r.each("questions", r.question)), r.at("rosters", r.each("rosters", r.roster)), r.each("models", r.model),
		r.at("seeds", r.each("seeds", func(n *yaml.Node, _ int) {
			r.number("a seed", 0, MaxSeed, func(seed int) { p.Seeds = append(p.Seeds, seed) }).Take(n)
		})),
		yaml.Key{Name: "sessions", Take: func(n *yaml.Node) {
			p.Sessions, p.lines["sessions"] = []PlanSession{}, n.Line
			r.each("sessions", r.session).Take(n)
		}},
		r.each("tasks", r.task),
		r.at("via", r.word("via", &p.Via, "openai", "mail", "program", "rehearsal")),
		r.at("script", r.text("script", &p.Script)),
		yaml.Key{Name: "session", Take: r.settings}, yaml.Key{Name: "budget", Take: r.budget}, yaml.Key{Name: "stop", Take: r.stop}, yaml.Key{Name: "failed", Take: r.failed},
		r.at("follow", yaml.Key{Name: "follow", Take: r.follow}), r.at("rotate", r.Flag("rotate", &p.Rotate)),
	)
	if !ok {
		return
	}
	if schema != Schema {
		r.Add(InvalidValue, root.Line, "write schema: "+Schema, "schema is %s, want %s", fault.Shown(schema), Schema)
	}
	r.check(root.Line)
}

// at records the line of a key.
func (r *planReader) at(what string, k yaml.Key) yaml.Key {
	return yaml.Key{Name: k.Name, Take: func(n *yaml.Node) {
		r.plan.lines[what] = n.Line
		k.Take(n)
	}}
}

func (r *planReader) question(n *yaml.Node, i int) {
	q := PlanQuestion{}
	r.plan.lines[fmt.Sprintf("questions[%d]", i)] = n.Line
	if n.Kind == yaml.ScalarNode { // short form: only the question
		r.text("a question", &q.Question).Take(n)
	} else if !r.Object(n, "a question",
		r.text("id", &q.ID), r.text("question", &q.Question), r.text("context", &q.Context),
		r.texts("hypotheses", &q.Hypotheses), r.texts("constraints", &q.Constraints),
		r.text("excerpt_file", &q.Excerpt), r.texts("evidence", &q.Evidence),
		r.at(fmt.Sprintf("questions[%d].script", i), r.text("script", &q.Script)),
	) {
		return
	}
	if q.Question == "" {
		r.Add(InvalidValue, n.Line, "write question: and what the sessions should find out", "the question is empty")
	}
	if q.ID == "" {
		q.ID = "q" + strconv.Itoa(i+1)
	}
	if r.id(n, "question", q.ID) {
		r.plan.Questions = append(r.plan.Questions, q)
	}
}

// id checks an id: its form, and that it is unique.
func (r *planReader) id(n *yaml.Node, what, id string) bool {
	if !validID(id) {
		r.Add(InvalidValue, n.Line, "use 1 to 40 characters of a-z, 0-9, - and _", "invalid %s id %s", what, fault.Shown(id))
		return false
	}
	if r.ids[what+" "+id] {
		r.Add(InvalidValue, n.Line, "make the ids unique", "duplicate %s id %s", what, fault.Shown(id))
		return false
	}
	r.ids[what+" "+id] = true
	return true
}

const (
	small = "abcdefghijklmnopqrstuvwxyz0123456789"
	maxID = 40
)

// ValidNeed reports whether a word may name what a roster needs of a machine.
func ValidNeed(word string) bool { return validID(word) }

func validID(id string) bool {
	return id != "" && len(id) <= maxID && strings.Trim(id, small+"-_") == "" && strings.Contains(small, id[:1])
}

// isDayTime reports whether text is a time of day such as 07:00.
func isDayTime(text string) bool {
	_, err := time.Parse("15:04", text)
	return err == nil && len(text) == len("15:04")
}

func (r *planReader) roster(n *yaml.Node, i int) {
	ro := PlanRoster{ID: "r" + strconv.Itoa(i+1)}
	r.plan.lines[fmt.Sprintf("rosters[%d]", i)] = n.Line
	if n.Kind == yaml.ScalarNode { // short form: only the preset
		r.text("a roster", &ro.Preset).Take(n)
		ro.ID = ro.Preset
	} else if !r.Object(n, "a roster",
		r.text("id", &ro.ID), r.text("preset", &ro.Preset), r.text("name", &ro.Name), r.text("needs", &ro.Needs),
		r.word("mode", &ro.Mode, string(roster.RoleSeparated), string(roster.Unified)),
		r.each("entries", func(n *yaml.Node, _ int) {
			e := PlanEntry{}
			if r.Object(n, "an entry", r.text("agentName", &e.Agent), r.text("role", &e.Role), r.text("program", &e.Program),
				r.text("model", &e.Model), r.text("notes", &e.Notes)) {
				ro.Entries = append(ro.Entries, e)
			}
		}),
	) {
		return
	}
	if ro.Preset == "" && len(ro.Entries) == 0 {
		r.Add(InvalidValue, n.Line, "write preset: with a preset's id, or entries: with agents and their roles", "the roster has no agents")
	}
	if ro.Needs != "" && !ValidNeed(ro.Needs) {
		r.Add(InvalidValue, n.Line, "use 1 to 40 characters of a-z, 0-9, - and _, such as gpu", "invalid needs: %s", fault.Shown(ro.Needs))
	}
	if r.id(n, "roster", ro.ID) {
		r.plan.Rosters = append(r.plan.Rosters, ro)
	}
}

func (r *planReader) model(n *yaml.Node, i int) {
	m := PlanModel{ID: "m" + strconv.Itoa(i+1)}
	r.plan.lines[fmt.Sprintf("models[%d]", i)] = n.Line
	if n.Kind == yaml.ScalarNode { // short form: only the model's name
		r.text("a model", &m.Model).Take(n)
		if validID(m.Model) {
			m.ID = m.Model
		}
	} else if !r.Object(n, "a model",
		r.text("id", &m.ID), r.text("model", &m.Model), r.word("via", &m.Via, "openai", "mail", "program"), r.text("model_id", &m.ModelID)) {
		return
	}
	if m.Model == "" && m.ModelID == "" {
		r.Add(InvalidValue, n.Line, "write model: with a name from agents.models: in brenner.yaml, or model_id: with the provider's id", "the model has no name")
	}
	if r.id(n, "model", m.ID) {
		r.plan.Models = append(r.plan.Models, m)
	}
}

func (r *planReader) session(n *yaml.Node, _ int) {
	s, repeat := PlanSession{line: n.Line}, 1
	if !r.Object(n, "a session",
		r.text("id", &s.ID), r.text("question", &s.Question), r.text("roster", &s.Roster), r.text("model", &s.Model),
		r.number("seed", 0, MaxSeed, func(seed int) { s.Seed = &seed }), r.text("after", &s.After),
		r.number("repeat", 1, MaxSessions, func(times int) { repeat = times }),
	) {
		return
	}
	if s.ID != "" && repeat > 1 {
		r.Add(InvalidValue, n.Line, "remove id: or repeat:", "a session with an id cannot be repeated")
		return
	}
	if s.After != "" && !artifact.IsThreadID(s.After) && !r.ids["session "+s.After] {
		r.Add(InvalidValue, n.Line, "use the id of a session above it in the list, or of a stored session (RS-…)", "after: no session %s to follow", fault.Shown(s.After))
	}
	if s.ID != "" && !r.id(n, "session", s.ID) {
		return
	}
	before := len(r.plan.Sessions)
	for range min(repeat, MaxSessions+1-before) { // one too many is enough for the error
		r.plan.Sessions = append(r.plan.Sessions, s)
	}
	if after := len(r.plan.Sessions); before <= MaxSessions && after > MaxSessions {
		r.Add(InvalidValue, n.Line, "split it into several plans", "the list has more than %d sessions per round", MaxSessions)
	}
}

func (r *planReader) settings(n *yaml.Node) {
	s := &r.plan.Session
	var clean, repair bool
	pointer := func(to **bool, value *bool, k yaml.Key) yaml.Key {
		return yaml.Key{Name: k.Name, Take: func(n *yaml.Node) {
			k.Take(n)
			*to = value
		}}
	}
	r.Object(n, "session",
		r.at("session.rounds", r.number("rounds", 1, 1000, func(n int) { s.Rounds = &n })),
		r.tokens("reply_tokens", 0, 1<<31-1, func(n int) { s.Reply = &n }),
		r.at("session.quiet_rounds", r.number("quiet_rounds", 0, 1000, func(n int) { s.Quiet = &n })),
		r.at("session.flow", r.word("flow", &s.Flow, flow.FlowParallel, flow.FlowStaged)),
		yaml.Key{Name: "quorum", Take: func(n *yaml.Node) {
			r.plan.lines["session.quorum"] = n.Line
			if k, err := strconv.Atoi(n.Value); n.Kind == yaml.ScalarNode && err == nil && k > 0 {
				s.Quorum = strconv.Itoa(k)
				return
			}
			r.word("quorum", &s.Quorum, flow.QuorumRole, flow.QuorumAll, "1").Take(n)
		}},
		r.duration("timeout", &s.Timeout),
		r.at("session.when_clean", pointer(&s.Clean, &clean, r.Flag("when_clean", &clean))), pointer(&s.Repair, &repair, r.Flag("repair", &repair)),
	)
}

func (r *planReader) budget(n *yaml.Node) {
	p := r.plan
	p.lines["budget"] = n.Line
	r.Object(n, "budget",
		r.tokens("session_tokens", 1, 1<<40, func(n int) { p.Budget.Tokens = &n }),
		r.dollars("session_usd", func(n int64) { p.Budget.USD = &n }),
		r.at("budget.tokens", r.tokens("tokens", 1, 1<<50, func(n int) { p.Limits.Tokens = n })),
		r.at("budget.usd", r.dollars("usd", func(n int64) { p.Limits.USD = n })),
	)
}

func (r *planReader) stop(n *yaml.Node) {
	p := r.plan
	r.Object(n, "stop",
		yaml.Key{Name: "at", Take: func(n *yaml.Node) {
			if n.Kind != yaml.ScalarNode || !isDayTime(n.Value) {
				r.Add(InvalidValue, n.Line, `write hours and minutes in quotes: "07:00"`, "at must be a time of day, not %s", yaml.KindOf(n))
				return
			}
			p.At = n.Value
		}},
		r.at("stop.after", r.duration("after", &p.After)),
		r.at("stop.quiet_rounds", r.number("quiet_rounds", 0, 1000, func(n int) { p.Limits.Quiet = n })), r.at("stop.when_clean", r.Flag("when_clean", &p.Limits.Clean)),
		r.number("failures", 0, 1<<31-1, func(n int) { p.Limits.Failures = n }), r.Flag("when_person_needed", &p.Limits.Person),
	)
}

func (r *planReader) failed(n *yaml.Node) {
	r.Object(n, "failed",
		r.number("retry", 0, 100, func(n int) { r.plan.Limits.Retry = n }),
		yaml.Key{Name: "pause", Take: func(n *yaml.Node) {
			d, err := time.ParseDuration(n.Value)
			if n.Kind != yaml.ScalarNode || err != nil || d < 0 || d > maxPause {
				r.Add(InvalidValue, n.Line, "write a number and a unit, such as 30s or 5m, up to 24h; 0s means no pause", "pause must be a duration, not %s", yaml.KindOf(n))
				return
			}
			r.plan.Limits.Pause = d.Milliseconds()
		}},
		r.word("then", &r.plan.Limits.Then, ThenContinue, ThenStop))
}

func (r *planReader) follow(n *yaml.Node) {
	f := &Follow{From: FollowOwn, Relation: "extends"}
	if n.Kind == yaml.ScalarNode {
		r.word("follow", &f.From, FollowOwn, FollowBest).Take(n)
	} else {
		r.Object(n, "follow",
			r.word("from", &f.From, FollowOwn, FollowBest), r.word("relation", &f.Relation, artifact.Relations()...),
			r.each("take", func(n *yaml.Node, _ int) {
				var section string
				r.word("take", &section, Sections()...).Take(n)
				if section != "" && !slices.Contains(f.Take, section) {
					f.Take = append(f.Take, section)
				}
			}),
		)
	}
	if f.Take == nil {
		f.Take = DefaultTake()
	}
	r.plan.Follow = f
}

// Sections returns the sections that a session can inherit: all but the research thread.
func Sections() []string {
	var all []string
	for _, s := range artifact.Sections() {
		if s != artifact.ResearchThread {
			all = append(all, s.String())
		}
	}
	return all
}

// DefaultTake returns the sections inherited by default: hypotheses and anomalies.
func DefaultTake() []string {
	return []string{artifact.HypothesisSlate.String(), artifact.AnomalyRegister.String()}
}

// noScript refuses a script in a plan without scripted agents.
func (r *planReader) noScript(what string) {
	if line, given := r.plan.lines[what]; given {
		r.Add(InvalidValue, line, "write via: rehearsal, or remove script:", "script: requires via: rehearsal")
	}
}

// The codes of invalid plans.
const (
	InvalidYAML  fault.Code = "PLAN_INVALID_YAML"  // The plan is not valid YAML, or uses an unsupported feature.
	UnknownKey   fault.Code = "PLAN_UNKNOWN_KEY"   // Unknown key in a plan.
	DuplicateKey fault.Code = "PLAN_DUPLICATE_KEY" // Duplicate key in a plan.
	WrongType    fault.Code = "PLAN_WRONG_TYPE"    // A value in a plan has the wrong type.
	InvalidValue fault.Code = "PLAN_INVALID_VALUE" // Invalid value or combination of values in a plan.
)
