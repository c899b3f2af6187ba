package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
)

// Addition is a question to add to a loop, with the sessions that ask it.
type Addition struct {
	Question string
	Context  string // what every agent is told about it
	Roster   string // the id of a roster of the plan; "" is all of them
	Model    string // the id of a model of the plan; "" is all of them
	Seed     *int   // of the models; nil: what the configuration says of them
	After    string // a session of the store to begin with; "" is none
}

// Check refuses what cannot be added to any loop.
func (a *Addition) Check() error {
	switch {
	case strings.TrimSpace(a.Question) == "":
		return usage("the question is missing", "give it with --question \"…\"")
	case a.Seed != nil && (*a.Seed < 0 || *a.Seed > MostSeed):
		return usage(fmt.Sprintf("--seed cannot be %d", *a.Seed), fmt.Sprintf("0 to %d are possible", MostSeed))
	case a.After != "" && !artifact.IsThreadID(a.After):
		return usage("--after "+fault.Shown(a.After)+" is no session", "`brenner session list` shows those there are")
	}
	return nil
}

// Add returns what a question adds to the loop, within the limits of a plan: a session
// for each roster and model that is meant.
func (s *State) Add(a *Addition) (Added, error) {
	if err := a.Check(); err != nil {
		return Added{}, err
	}
	q := Question{Question: strings.TrimSpace(a.Question), Context: strings.TrimSpace(a.Context)}
	for n, taken := len(s.Work.Questions)+1, true; taken; n++ { // a plan may use such an id itself
		q.ID = fmt.Sprintf("added-%d", n)
		_, taken = s.Work.Question(q.ID)
	}
	rosters, err := choose("roster", a.Roster, idsOf(s.Work.Rosters, func(r *Roster) string { return r.ID }))
	if err != nil {
		return Added{}, err
	}
	models, err := choose("model", a.Model, idsOf(s.Work.Models, func(m *PlanModel) string { return m.ID }))
	if err != nil {
		return Added{}, err
	}
	if len(models) == 0 {
		models = []string{""}
	}
	added := Added{Questions: []Question{q}}
	for _, r := range rosters {
		for _, m := range models {
			added.Cells = append(added.Cells, Cell{Question: q.ID, Roster: r, Model: m, Seed: a.Seed, After: a.After})
		}
	}
	if n := len(s.Work.Cells) + len(added.Cells); n > MostSessions {
		return Added{}, usage(fmt.Sprintf("the loop would have %d sessions a round; %d are the most", n, MostSessions), "begin another one")
	}
	if n := s.PlannedWith(len(added.Cells)); !ValidName(s.Opened.Name, n) {
		return Added{}, usage(fmt.Sprintf("%d sessions are too many for a loop with so long a name", n), "begin another one, with a shorter name:")
	}
	return added, nil
}

// choose returns the id that is named, or all of them.
func choose(what, id string, all []string) ([]string, error) {
	if id == "" {
		return all, nil
	}
	if !slices.Contains(all, id) {
		return nil, usage("the plan has no "+what+" "+fault.Shown(id), "it has "+cmp.Or(strings.Join(all, ", "), "none"))
	}
	return []string{id}, nil
}

func usage(detail, hint string) error {
	return &fault.Error{Code: fault.Usage, Detail: detail, Hint: hint}
}
