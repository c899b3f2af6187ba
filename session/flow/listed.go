package flow

import "github.com/go-json-experiment/json"

// Listed is what lists of sessions show of one. The store keeps it beside the journal, so that lists
// need not read journals.
type Listed struct {
	// Form is listedForm. It changes whenever the same journal would be listed differently: what other
	// programs stored is then not used.
	Form      int     `json:"form"`
	Ended     string  `json:"ended,omitzero"`
	Round     int     `json:"round"`
	Rounds    int     `json:"rounds"`
	Version   int     `json:"version"`
	Conflicts int     `json:"conflicts,omitzero"` // of the newest version
	Rehearsal bool    `json:"rehearsal,omitzero"`
	Verdict   Verdict `json:"verdict"`
	Task      string  `json:"task,omitzero"` // the task spec that it runs
	Question  string  `json:"question"`
}

const listedForm = 1

// longestListed bounds what is written again with each entry: a longer question is read from the journal.
const longestListed = 2000

// Listed returns what lists of sessions show.
func (s *State) Listed() Listed {
	l := Listed{
		Form: listedForm, Ended: s.Ended, Round: s.Round(), Rounds: s.Settings.Rounds, Version: s.Version(),
		Rehearsal: s.Opened.Rehearsal != "", Verdict: s.Verdict(), Task: s.Opened.Task, Question: s.Opened.Question,
	}
	if n := len(s.Commits); n > 0 {
		l.Conflicts = s.Commits[n-1].Outcome.Conflicts
	}
	return l
}

// ListedText returns Listed as it is stored, or "" if it is too long.
func (s *State) ListedText() string {
	data, err := json.Marshal(s.Listed())
	if err != nil || len(data) > longestListed {
		return ""
	}
	return string(data)
}

// ReadListed returns what is stored, unless it has another form.
func ReadListed(stored string) (l Listed, ok bool) {
	err := json.Unmarshal([]byte(stored), &l)
	return l, err == nil && l.Form == listedForm
}

// ListedAs reports whether what is stored agrees with the journal. Nothing, and another program's form, do.
func (s *State) ListedAs(stored string) bool {
	var l struct {
		Form int `json:"form"`
	}
	err := json.Unmarshal([]byte(stored), &l)
	return stored == "" || err == nil && l.Form != listedForm || stored == s.ListedText()
}
