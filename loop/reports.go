package loop

import "slices"

// LastReports returns what became of the report the last time, for each reader to whom it
// went since the loop ended.
func (s *State) LastReports() []Reported {
	var last []Reported
	for _, r := range s.Reports {
		if i := slices.IndexFunc(last, func(o Reported) bool { return o.To == r.To }); i >= 0 {
			last[i] = r
			continue
		}
		last = append(last, r)
	}
	return last
}

// Unreached returns the readers whom the report of the loop's end has not reached.
func (s *State) Unreached(readers []string) []string {
	var all []string
	for _, to := range readers {
		if !slices.ContainsFunc(s.Reports, func(r Reported) bool { return r.To == to && r.Code == "" }) {
			all = append(all, to)
		}
	}
	return all
}

// Owed returns the readers to whom the loop's end still owes its report. A reader who
// was named only after the loop began, and to whom it was never sent, is owed nothing.
func (s *State) Owed(readers []string) []string {
	return slices.DeleteFunc(s.Unreached(readers), func(to string) bool {
		tried := slices.ContainsFunc(s.Reports, func(r Reported) bool { return r.To == to })
		return !tried && !slices.Contains(s.Opened.Deliver, to)
	})
}
