// Package loop is many sessions as a machine, as package flow is one: a plan says
// which sessions there are to be and when to stop, Fold gives the state that a
// loop's journal stands for, and Next gives the commands that lead on from it.
// Whoever runs a loop only executes commands and journals what came of them.
//
// The package is pure: it knows no store, no agent and no clock. What it takes from
// files, the caller has read.
package loop

import "time"

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
