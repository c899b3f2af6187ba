// Package loop is the state machine for many sessions, as package flow is for one. A plan
// lists the sessions and the stop rules, Fold computes the state of a loop's journal, and
// Next returns the commands to execute in that state. A runner only executes commands and
// journals their outcomes.
//
// The package is pure: it uses no store, no agents and no clock, and reads no files.
package loop

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store/journal"
)

// Schema is the schema id of a plan.
const Schema = "brenner.loop.plan/v1"

// Plan is a parsed and checked plan file; files, presets and models it names are not looked
// up yet.
type Plan struct {
	Name      string
	Questions []PlanQuestion
	Rosters   []PlanRoster
	Models    []PlanModel
	Seeds     []int
	Sessions  []PlanSession // replaces all combinations
	Tasks     []PlanTask
	Via       string // default transport of models
	Script    string // file; default script for scripted agents
	Session   PlanSettings
	Budget    PlanBudget // of each session
	Follow    *Follow
	Rotate    bool
	Limits    Limits
	At        string        // time of day to stop: "07:00"
	After     time.Duration // or duration after the start

	lines map[string]int // by key, for errors found later
}

// PlanQuestion is the subject of sessions.
type PlanQuestion struct {
	ID          string
	Question    string
	Context     string
	Hypotheses  []string
	Constraints []string
	Excerpt     string   // file
	Evidence    []string // files
	Script      string   // file; for scripted agents
}

// PlanRoster is a roster of a plan.
type PlanRoster struct {
	ID      string
	Preset  string
	Mode    string
	Name    string
	Needs   string // of a machine
	Entries []PlanEntry
}

// PlanEntry is one agent of a roster.
type PlanEntry struct{ Agent, Role, Program, Model, Notes string }

// PlanSession is one session of a list.
type PlanSession struct {
	ID       string
	Question string // ids of the lists above
	Roster   string
	Model    string
	Seed     *int
	After    string // id of a session above it, or a stored session
	line     int
}

// PlanSettings override the configuration for the sessions of a plan; nil, "" and 0 keep
// it.
type PlanSettings struct {
	Rounds, Reply, Quiet *int
	Flow, Quorum         string
	Clean, Repair        *bool
	Timeout              time.Duration
}

// PlanBudget is the budget of each session; nil keeps the configuration's.
type PlanBudget struct {
	Tokens *int
	USD    *int64
}

// Line returns the line of a part of the plan, such as "rosters[2]" or "script", for errors
// found after parsing.
func (p *Plan) Line(what string) int { return max(p.lines[what], 1) }

// SessionLine returns the line of a cell's session; without a list of sessions, that of the
// first question.
func (p *Plan) SessionLine(cell int) int {
	if cell < len(p.Sessions) {
		return max(p.Sessions[cell].line, 1)
	}
	return p.Line("questions[0]")
}

// Defaults and limits of a plan.
const (
	defaultConcurrency = 4
	defaultPause       = time.Minute
	maxConcurrency     = 256
)

// Limits of a plan that also apply to added work.
const (
	MaxSessions = 100_000 // per round
	MaxSeed     = 1<<31 - 1
)

// Cells returns the sessions of a round: those of the list, or all combinations of
// questions, rosters, models and seeds, in this order. Those of tasks follow, without their
// rosters.
func (p *Plan) Cells() []Cell {
	cells := p.sessionCells()
	for i := range p.Tasks {
		t := &p.Tasks[i]
		cells = append(cells, Cell{ID: t.ID, Model: t.Model, Task: t.ID})
	}
	return cells
}

func (p *Plan) sessionCells() []Cell {
	var cells []Cell
	if p.Sessions != nil {
		for _, s := range p.Sessions {
			cells = append(cells, Cell{
				ID: s.ID, Question: s.Question, Roster: s.Roster, Model: s.Model, Seed: s.Seed, After: s.After,
			})
		}
		return cells
	}
	models, seeds := p.Models, []*int{nil}
	if len(models) == 0 {
		models = []PlanModel{{}}
	}
	if len(p.Seeds) > 0 {
		seeds = nil
	}
	for i := range p.Seeds {
		seeds = append(seeds, &p.Seeds[i])
	}
	for _, q := range p.Questions {
		for _, r := range p.Rosters {
			for i := range models {
				for _, seed := range seeds {
					cells = append(cells, Cell{Question: q.ID, Roster: r.ID, Model: models[i].ID, Seed: seed})
				}
			}
		}
	}
	return cells
}

// MaxName is the maximum length of a loop's name. The ids of its sessions consist of it and
// a number of up to five digits.
const MaxName = 34

// MaxNameFor returns the maximum length of a loop's name for a number of sessions, which
// may need more digits.
func MaxNameFor(sessions int) int {
	return min(MaxName, MaxName+len("99999")-len(strconv.Itoa(sessions)))
}

// ValidName reports whether name is valid for a loop of so many sessions in all rounds.
func ValidName(name string, sessions int) bool {
	if name == "" || len(name) > MaxNameFor(sessions) || strings.Trim(name, small+"-") != "" {
		return false
	}
	return !slices.Contains(strings.Split(name, "-"), "")
}

// LoopName returns the name of the plan's loop for a key; "" means no key. A plan without a
// name is named after its file; file is the last element of its path.
func (p *Plan) LoopName(file, key string) (string, error) {
	name := p.Name
	if name == "" {
		name = slug(strings.TrimSuffix(strings.TrimSuffix(file, ".yaml"), ".yml"))
	}
	// Keys are not normalized: two different keys must not become the same one.
	if key != "" && slug(key) != key {
		hint := "use words of a-z and 0-9, with - between them"
		if slug(key) != "" {
			hint += ", such as " + slug(key)
		}
		return "", usage("--run: not a valid key: "+fault.Shown(key), hint)
	}
	if key != "" {
		name += "-" + key
	}
	if !ValidName(name, p.Count()) {
		return "", usage("invalid loop name: "+fault.Shown(name),
			"name and key together have at most "+strconv.Itoa(MaxNameFor(p.Count()))+" of a-z, 0-9 and -; set name: in the plan, or pass a shorter --run")
	}
	return name, nil
}

// slug converts text to lower-case words joined by hyphens.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// Count returns the number of sessions in all rounds of a plan.
func (p *Plan) Count() int { return p.Limits.Rounds*p.perRound() + len(p.Tasks) }

// perRound counts the sessions of a round, except tasks, without creating them: lists of a few thousand
// each would fill the memory.
func (p *Plan) perRound() int {
	if p.Sessions != nil {
		return len(p.Sessions)
	}
	n := 1
	for _, list := range []int{len(p.Questions), len(p.Rosters), max(1, len(p.Models)), max(1, len(p.Seeds))} {
		n = min(n*list, 1<<40)
	}
	return n
}

// PlanChanged is the code for a plan that differs from the one a loop was opened with.
const PlanChanged fault.Code = "PLAN_CHANGED" // The plan differs from the one that the loop was started with.

// CheckWork returns an error if a plan has other work than the loop, which would silently be
// ignored if the loop continued. Limits may change. File is the plan's file, for the error.
func (o *Opened) CheckWork(plan *Opened, file string) error {
	was, err := journal.Encode(o.Work)
	if err != nil {
		return err
	}
	work := plan.Work
	if o.Work.Settings.Hypotheses == 0 {
		work.Settings.Hypotheses = 0 // loops of earlier versions do not have it
	}
	is, err := journal.Encode(work)
	if err != nil || string(is) == string(was) {
		return err
	}
	return &fault.Error{
		Code: PlanChanged, Place: file, Detail: "loop " + o.Name + " was started with another plan: questions, rosters, models, sessions, tasks or their settings differ",
		Hint: "only rounds, concurrency, the total budget, stop: and failed: may change; for other work use another name: or --run, or `brenner loop add`",
	}
}

// CheckPlan is CheckWork for a loop that has ended and is not run: an unchanged file is the
// same plan, even if the configuration has changed.
func (o *Opened) CheckPlan(plan *Opened, file string) error {
	if o.Plan == plan.Plan {
		return nil
	}
	return o.CheckWork(plan, file)
}

// SamePlan reports whether a loop was started with a plan, or with an earlier version of
// its file.
func (o *Opened) SamePlan(plan *Opened) bool {
	return plan.File != "" && o.File == plan.File || o.CheckPlan(plan, "") == nil
}

// StopAt returns the instant at which a loop started now must stop, or "".
func (p *Plan) StopAt(now time.Time) string {
	switch {
	case p.After > 0:
		return artifact.FormatInstant(now.Add(p.After).Truncate(time.Millisecond))
	case p.At == "":
		return ""
	}
	hour, _ := strconv.Atoi(p.At[:2])
	minute, _ := strconv.Atoi(p.At[3:])
	at := onDay(now, 0, hour, minute)
	if !at.After(now) {
		at = onDay(now, 1, hour, minute)
	}
	return artifact.FormatInstant(at)
}

// stopText returns the stop time as written in the plan. While it is unchanged, the instant
// stays the one computed when the loop began.
func (p *Plan) stopText() string {
	switch {
	case p.After > 0:
		return "after " + p.After.String()
	case p.At != "":
		return "at " + p.At
	}
	return ""
}

// LimitsFrom returns the limits of a loop started now.
func (p *Plan) LimitsFrom(now time.Time) Limits {
	l := p.Limits
	l.Until, l.Stop = p.StopAt(now), p.stopText()
	return l
}

// LimitsOnResume returns the limits of a resumed loop, from those of a loop started now. The
// stop time stays the same, unless the loop had ended or the plan has changed it.
func (p *Plan) LimitsOnResume(s *State, now Limits) Limits {
	switch {
	case s.Ended != "":
	case now.Stop == s.Limits.Stop:
		now.Until = s.Limits.Until // being killed does not move the stop time
	case p.After > 0:
		now.Until = p.StopAt(s.Began)
	}
	return now
}

// onDay returns a time of day some days after an instant. If clocks skip that time, it
// returns the instant at which they do.
func onDay(from time.Time, days, hour, minute int) time.Time {
	at := time.Date(from.Year(), from.Month(), from.Day()+days, hour, minute, 0, 0, from.Location())
	asked := time.Date(from.Year(), from.Month(), from.Day()+days, hour, minute, 0, 0, time.UTC)
	shown := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
	before, after := at.ZoneBounds()
	switch {
	case shown.After(asked):
		return before
	case shown.Before(asked):
		return after
	}
	return at
}
