package loop

import (
	"cmp"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/roster"
)

// workIndex says where in the lists of a Work something of an id stands: loops of
// many thousands of questions look each of them up for each session.
type workIndex struct{ questions, rosters, models map[string]int }

// Index makes lookups by id quick. It must be made anew when something was added, and
// says which id there is twice, or "".
func (w *Work) Index() (flaw string) {
	w.index = &workIndex{}
	var questions, rosters, models string
	w.index.questions, questions = placesOf("question", w.Questions, func(q *Question) string { return q.ID })
	w.index.rosters, rosters = placesOf("roster", w.Rosters, func(r *Roster) string { return r.ID })
	w.index.models, models = placesOf("model", w.Models, func(m *PlanModel) string { return m.ID })
	return cmp.Or(questions, rosters, models)
}

func placesOf[T any](what string, list []T, id func(*T) string) (places map[string]int, twice string) {
	places = make(map[string]int, len(list))
	for i := range list {
		name := id(&list[i])
		if _, there := places[name]; there {
			if twice == "" {
				twice = "there are two of the id " + fault.Shown(name) + ": a " + what
			}
			continue
		}
		places[name] = i
	}
	return places, twice
}

// find gives where something of an id stands.
func find[T any](places map[string]int, list []T, id string, of func(*T) string) (int, bool) {
	if places != nil {
		i, ok := places[id]
		return i, ok
	}
	for i := range list {
		if of(&list[i]) == id {
			return i, true
		}
	}
	return 0, false
}

func (w *Work) places() workIndex {
	if w.index == nil {
		return workIndex{}
	}
	return *w.index
}

// Question finds a question of the work.
func (w *Work) Question(id string) (Question, bool) {
	i, ok := find(w.places().questions, w.Questions, id, func(q *Question) string { return q.ID })
	if !ok {
		return Question{}, false
	}
	return w.Questions[i], true
}

// Roster finds a roster of the work.
func (w *Work) Roster(id string) (Roster, bool) {
	i, ok := find(w.places().rosters, w.Rosters, id, func(r *Roster) string { return r.ID })
	if !ok {
		return Roster{}, false
	}
	return w.Rosters[i], true
}

// RosterOf returns who takes part in the session of a cell: its roster, with the model
// of the plan's list, and with roles rotated by so many turns.
func (w *Work) RosterOf(c *Cell, turn int) (roster.Roster, error) {
	pinned, _ := w.Roster(c.Roster)
	v, err := artifact.ParseValue(pinned.Roster, artifact.MaxDepth)
	if err != nil {
		return roster.Roster{}, err
	}
	r, _, err := roster.FromValue(v)
	if err != nil {
		return r, err
	}
	if m, _ := w.Model(c.Model); m.Model != "" {
		for i := range r.Entries {
			r.Entries[i].Model = m.Model
		}
	}
	return Rotated(r, turn), nil
}

// Model finds a model of the work; the one without a name is always there.
func (w *Work) Model(id string) (PlanModel, bool) {
	if id == "" {
		return PlanModel{}, true
	}
	i, ok := find(w.places().models, w.Models, id, func(m *PlanModel) string { return m.ID })
	if !ok {
		return PlanModel{}, false
	}
	return w.Models[i], true
}

// ScriptOf is the hash of what scripted agents say to a question; "" where they are real.
func (w *Work) ScriptOf(q *Question) string { return cmp.Or(q.Script, w.Script) }
