package lint

import "brenner/artifact"

func critiqueRules() []rule {
	const c = artifact.AdversarialCritique
	return []rule{
		{
			id: "EC-001", title: minimum(c, "critiques"),
			why:   "a framing that nobody attacked has not been tested",
			fix:   "ADD critiques with an `attack` and its `evidence`",
			check: atLeast(c, "critiques", `{"attack": "…", "evidence": "…", "current_status": "open"}`),
		},
		{
			id: "EC-002", title: "every critique has an attack",
			why:   "without one there is nothing to answer",
			fix:   "EDIT it with an `attack`: what would make the framing wrong",
			check: wantsText(c, "attack", "what would make the whole framing wrong"),
		},
		{
			id: "WC-001", title: "one active critique offers a real third alternative",
			why:   "a critique that only denies leaves the choice where it was",
			fix:   "EDIT or ADD one with `\"real_third_alternative\": true` and a `proposed_alternative`",
			check: realAlternative,
		},
		{
			id: "WC-002", title: "every critique has evidence",
			why:   "an attack without evidence is an opinion",
			fix:   "EDIT it with the `evidence`, or with what evidence would confirm it",
			check: wantsText(c, "evidence", "what speaks for it, or what would confirm it"),
		},
		{
			id: "IC-001", title: "every critique has a current status",
			why:   "open and answered attacks call for different work",
			fix:   "EDIT it with its `current_status`: how far it has been answered",
			check: wantsText(c, "current_status", "open, or how far it has been answered"),
		},
	}
}

// realAlternative goes by the flag alone: a proposed alternative may be offered
// only to be knocked down. But where one is proposed, the hint names it.
func realAlternative(s *subject, r *report) {
	const c = artifact.AdversarialCritique
	fix := `ADD to adversarial_critique: {"attack": "…", "real_third_alternative": true, "proposed_alternative": "how it would all look otherwise"}`
	proposed := false
	for _, it := range s.active[c] {
		if it.Flag("real_third_alternative") || undecided(it, "real_third_alternative") {
			return
		}
		if !proposed && !blank(it.Get("proposed_alternative")) {
			proposed = true
			fix = edit(it, `{"real_third_alternative": true}, if the alternative that it proposes is meant`)
		}
	}
	if len(s.active[c]) > 0 {
		r.add(inSection(c), "no active critique offers a real third alternative", fix)
	}
}
