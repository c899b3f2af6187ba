package lint

import "brenner/artifact"

func anomalyRules() []rule {
	const x = artifact.AnomalyRegister
	return []rule{
		{
			id: "EX-001", title: "every anomaly has an observation",
			why:   "without one there is nothing that does not fit",
			fix:   "EDIT it with an `observation`",
			check: wantsText(x, "observation", "what was seen that should not have been"),
		},
		{
			id: "EX-002", title: "an empty anomaly register says so",
			why:   "nothing found and nothing looked for are different things",
			fix:   "write `None registered` under the heading; in JSON, `\"anomaly_register\": []`",
			check: emptySaid,
		},
		{
			id: "WX-002", title: "every anomaly says what it conflicts with",
			why:   "an observation is only anomalous to somebody's claim",
			fix:   "EDIT it with `conflicts_with`: the ids of hypotheses or assumptions",
			check: conflictsWith,
		},
		{
			id: "IX-001", title: statuses(x, "anomaly"),
			why:   "a register without statuses only ever grows",
			fix:   "EDIT it with its `status`",
			check: wantsStatus(x),
		},
	}
}

// emptySaid is about the anomaly register alone: any other empty section is below
// its minimum, and that is said already.
func emptySaid(s *subject, r *report) {
	const x = artifact.AnomalyRegister
	for _, p := range s.problems {
		if p.Kind == artifact.EmptyNotSaid && p.Item == x.String() {
			r.add(s.inFile(p), safe(p.Message), "write "+x.Spec().Empty+" under the heading")
		}
	}
}

func conflictsWith(s *subject, r *report) {
	const x = artifact.AnomalyRegister
	for _, it := range s.active[x] {
		v := it.Get("conflicts_with")
		_, isList := v.(artifact.List)
		if undecided(it, "conflicts_with") || (isList && !blank(v)) {
			continue
		}
		message := show(it.ID) + " does not say what it conflicts with"
		if !blank(v) {
			message = "the conflicts_with of " + show(it.ID) + " is not a list of ids"
		}
		r.add(inItem(x, it, "conflicts_with"), message,
			edit(it, `{"conflicts_with": ["H1"]}, the hypotheses or assumptions that do not allow for it`))
	}
}
