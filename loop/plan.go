// Package loop is many sessions as a machine, as package flow is one: a plan says
// which sessions there are to be and when to stop, Fold gives the state that a
// loop's journal stands for, and Next gives the commands that lead on from it.
// Whoever runs a loop only executes commands and journals what came of them.
//
// The package is pure: it knows no store, no agent and no clock. What it takes from
// files, the caller has read.
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

// Schema names the form of a plan.
const Schema = "brenner.loop.plan/v1"

// Plan is a plan file as it was read: checked by itself, but with nothing in it
// looked up yet.
type Plan struct {
	Name      string
	Questions []PlanQuestion
	Rosters   []PlanRoster
	Models    []PlanModel
	Seeds     []int
	Sessions  []PlanSession // instead of all combinations
	Via       string        // for all models that do not say it
	Script    string        // a file; of scripted agents, for questions without one of their own
	Session   PlanSettings
	Budget    PlanBudget // of each session
	Follow    *Follow
	Rotate    bool
	Limits    Limits
	At        string        // the time of day at which it stops: "07:00"
	After     time.Duration // or how long after its beginning

	lines map[string]int // of what may turn out wrong later
}

// PlanQuestion is what sessions are about.
type PlanQuestion struct {
	ID          string
	Question    string
	Context     string
	Hypotheses  []string
	Constraints []string
	Excerpt     string   // a file
	Evidence    []string // files
	Script      string   // a file; of scripted agents
}

// PlanRoster is who takes part.
type PlanRoster struct {
	ID      string
	Preset  string
	Mode    string
	Name    string
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
	After    string // the id of one above it, or an earlier session of the store
	line     int
}

// PlanSettings are what the sessions of a plan have otherwise than the
// configuration says; nil and "" leave it at that.
type PlanSettings struct {
	Rounds, Reply, Quiet *int
	Flow, Quorum         string
	Clean, Repair        *bool
	Timeout              time.Duration // 0 leaves it to the configuration
}

// PlanBudget is that of each session; nil leaves it to the configuration.
type PlanBudget struct {
	Tokens *int
	USD    *int64
}

// Line gives where something of the plan stands, for faults that only show later:
// "rosters[2]", "script".
func (p *Plan) Line(what string) int { return max(p.lines[what], 1) }

// SessionLine gives where the session of a cell stands: in the list, or where there is
// none, with the first question.
func (p *Plan) SessionLine(cell int) int {
	if cell < len(p.Sessions) {
		return max(p.Sessions[cell].line, 1)
	}
	return p.Line("questions[0]")
}

// The defaults of a plan.
const (
	defaultConcurrency = 4
	defaultPause       = time.Minute
	mostConcurrency    = 256
)

// The limits of a plan that hold for what is added to a loop, too.
const (
	MostSessions = 100_000 // of one round
	MostSeed     = 1<<31 - 1
)

// Cells gives the sessions of a round: those of the list, or all combinations of
// questions, rosters, models and seeds, in this order.
func (p *Plan) Cells() []Cell {
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

// MaxName is the length of the longest name of a loop: its sessions are called by
// it, and a number of up to five digits fits behind it.
const MaxName = 34

// LongestName is that of a loop of so many sessions: their numbers may have more digits.
func LongestName(sessions int) int {
	return min(MaxName, MaxName+len("99999")-len(strconv.Itoa(sessions)))
}

// ValidName tells whether a loop of so many sessions, in all of its rounds, can be
// called so.
func ValidName(name string, sessions int) bool {
	if name == "" || len(name) > LongestName(sessions) || strings.Trim(name, small+"-") != "" {
		return false
	}
	return !slices.Contains(strings.Split(name, "-"), "")
}

// LoopName returns the name of the plan's loop for a key; "" is no key. A plan that has no
// name is called after its file, of which only the last element is given here.
func (p *Plan) LoopName(file, key string) (string, error) {
	name := p.Name
	if name == "" {
		name = slug(strings.TrimSuffix(strings.TrimSuffix(file, ".yaml"), ".yml"))
	}
	// A key is taken as it is: two different keys must not become the same one.
	if key != "" && slug(key) != key {
		hint := "a key is words of a-z and 0-9, with - between them"
		if slug(key) != "" {
			hint += ", such as " + slug(key)
		}
		return "", usage("--run "+fault.Shown(key)+" is no key", hint)
	}
	if key != "" {
		name += "-" + key
	}
	if !ValidName(name, p.Count()) {
		return "", usage("a loop cannot be called "+fault.Shown(name),
			"name and key together have at most "+strconv.Itoa(LongestName(p.Count()))+" of a-z, 0-9 and -; write name: into the plan, or give a shorter --run")
	}
	return name, nil
}

// slug returns the words of a text as a part of a name.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// Count returns how many sessions all rounds of a plan have.
func (p *Plan) Count() int { return p.Limits.Rounds * p.perRound() }

// perRound counts the sessions of a round before they are made: lists of a few
// thousand each would fill the memory.
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

// PlanChanged is the code of a plan that is not the one a loop was opened with.
const PlanChanged fault.Code = "PLAN_CHANGED" // The plan differs from the one that the loop was started with.

// CheckWork refuses to go on with a loop by a plan of other work than it was opened
// with: what the plan asks for would silently not happen. Limits may change. File is the
// plan's file, for the error.
func (o *Opened) CheckWork(plan *Opened, file string) error {
	was, err := journal.Encode(o.Work)
	if err != nil {
		return err
	}
	is, err := journal.Encode(plan.Work)
	if err != nil || string(is) == string(was) {
		return err
	}
	return &fault.Error{
		Code: PlanChanged, Place: file, Detail: "the loop " + o.Name + " was begun with another plan: its questions, rosters, models, sessions or their settings differ",
		Hint: "rounds, concurrency, the whole budget, stop: and failed: may change; for other work choose another name: or --run, or `brenner loop add`",
	}
}

// CheckPlan is CheckWork for a loop that has ended and is not run: an unchanged file is the
// same plan, whatever the configuration says by now.
func (o *Opened) CheckPlan(plan *Opened, file string) error {
	if o.Plan == plan.Plan {
		return nil
	}
	return o.CheckWork(plan, file)
}

// IsOf reports whether a loop was begun with a plan, changed since or not.
func (o *Opened) IsOf(plan *Opened) bool {
	return plan.File != "" && o.File == plan.File || o.CheckPlan(plan, "") == nil
}

// StopAt gives the instant at which a loop that begins now stops by the clock, or "".
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

// StopWords are what the plan says of that instant: as long as it says the same, the
// instant stays what it was when the loop began.
func (p *Plan) StopWords() string {
	switch {
	case p.After > 0:
		return "after " + p.After.String()
	case p.At != "":
		return "at " + p.At
	}
	return ""
}

// LimitsFrom returns the limits of a loop that begins now.
func (p *Plan) LimitsFrom(now time.Time) Limits {
	l := p.Limits
	l.Until, l.Stop = p.StopAt(now), p.StopWords()
	return l
}

// LimitsOn returns the limits under which a loop goes on, from those it would begin with
// now. The instant at which it stops stays the same, unless the loop had ended or the plan
// says something else of it.
func (p *Plan) LimitsOn(s *State, now Limits) Limits {
	switch {
	case s.Ended != "":
	case now.Stop == s.Limits.Stop:
		now.Until = s.Limits.Until // its hour does not move because it was killed
	case p.After > 0:
		now.Until = p.StopAt(s.Began)
	}
	return now
}

// onDay gives a time of day, some days after another instant. Where clocks are put
// forward over it there is no such time: it is then when they are.
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
