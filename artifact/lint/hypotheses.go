package lint

import (
	"slices"
	"strings"

	"brenner/artifact"
)

func hypothesisRules() []rule {
	const h = artifact.HypothesisSlate
	return []rule{
		newRule("EH-001", minimum(h, "hypotheses"),
			"two make an either-or, and then the evidence is read as for or against",
			"ADD hypotheses with a `claim`, a `mechanism` and `anchors`",
			atLeast(h, "hypotheses", `{"name": "…", "claim": "…", "mechanism": "…", "anchors": ["§12"]}`)),
		newRule("EH-002", maximum(h, "hypotheses"),
			"the tests of one session cannot tell more apart",
			"KILL the weakest, with a reason",
			atMost(h, "hypotheses")),
		newRule("EH-003", "one active hypothesis is a third alternative",
			"all others may be wrong, and one hypothesis must say how",
			"ADD one with `\"third_alternative\": true`, or say so in a `name` or in `labels`",
			oneOf(h, (*artifact.Item).ThirdAlternative, []string{"third_alternative", "name", "labels"},
				"no active hypothesis is a third alternative",
				`ADD to hypothesis_slate: {"name": "…", "claim": "how the others may all be wrong", "third_alternative": true}`)),
		newRule("EH-004", "every hypothesis has a claim",
			"without one there is nothing to test",
			"EDIT it with a `claim`: one sentence that an observation could prove wrong",
			requireText(h, "claim", "one sentence that an observation could prove wrong")),
		newRule("WH-001", "every hypothesis has anchors",
			"a reader must be able to tell sources from inference",
			"EDIT it with `anchors`: `§n`, `§n-§m`, `EV-001`, `EV-001#E1`, or `inference`",
			requireAnchors(h)),
		newRule("WH-002", "anchors have one of the known forms",
			"an anchor that cannot be looked up proves nothing",
			"write `§n`, a range `§127-§129` or `§127-129`, `EV-001`, `EV-001#E1`, or `inference`; `[inference]` may follow any of them or be used alone",
			each(h, "anchors", anchorForms)),
		newRule("WH-003", "a hypothesis without a source is labelled as inference",
			"unlabelled text is mistaken for a source",
			"add an anchor with `§` or `EV-`, or the anchor `inference`",
			each(h, "anchors", inferenceLabelled)),
		newRule("WH-101", "some active test can kill the hypothesis",
			"a hypothesis that no test names, in `discriminates` or in the keys of `expected_outcomes`, can never lose",
			"add what it forbids to a test's `expected_outcomes`, or ADD a test for it",
			killable),
		newRule("IH-001", "every hypothesis has a mechanism",
			"a mechanism makes predictions that a mere correlation does not",
			"EDIT it with a `mechanism`: how the claim would come about",
			requireText(h, "mechanism", "how that would come about, step by step")),
	}
}

// requireAnchors returns the check for items whose anchors are missing or empty.
func requireAnchors(section artifact.Section) check {
	const payload = `{"anchors": ["§12"]}, the places that it rests on, or with {"anchors": ["inference"]}`
	return each(section, "anchors", func(_ *subject, it *artifact.Item) (string, string) {
		switch v := it.Get("anchors").(type) {
		case artifact.Conflict:
			return "", ""
		case artifact.List:
			if slices.ContainsFunc(v, func(e artifact.Value) bool { return !blank(e) }) {
				return "", ""
			}
		case nil:
		default:
			return "the anchors of " + show(it.ID) + " are not a list", payload
		}
		return show(it.ID) + " has no anchors", payload
	})
}

func anchorForms(_ *subject, it *artifact.Item) (wrong, payload string) {
	var d dangling
	list, _ := it.Get("anchors").(artifact.List)
	for _, v := range list {
		t, ok := v.(artifact.Text)
		if !ok {
			d.add(valueOf(v) + " is not a text")
			continue
		}
		if a := readAnchor(string(t)); a.wrong != "" && !blank(t) {
			d.add(quote(string(t)) + " " + a.wrong)
		}
	}
	return d.describe(it, "anchors"), `{"anchors": ["§12", "§127-§129", "EV-001#E1", "inference"], "anchors_replace": true}, all of its anchors in forms like these`
}

// inferenceLabelled checks hypotheses whose anchors are only words. Missing anchors are left to
// WH-001, misspelt § or EV anchors to WH-002.
func inferenceLabelled(_ *subject, it *artifact.Item) (wrong, payload string) {
	anchors := it.Texts("anchors")
	said := slices.ContainsFunc(anchors, func(text string) bool { a := readAnchor(text); return a.source || a.inference }) ||
		slices.ContainsFunc(it.Texts("labels"), func(label string) bool { return readAnchor(label).inference })
	if said || strings.TrimSpace(strings.Join(anchors, "")) == "" {
		return "", ""
	}
	return show(it.ID) + " has no anchor in the text or the evidence, and is not labelled as inference",
		`{"anchors": ["inference"]}, or with the § or EV anchor that it rests on`
}

// killable reports hypotheses that no active test names, unless there are no tests at all.
func killable(s *subject, r *report) {
	tests := s.active[artifact.DiscriminativeTests]
	if len(tests) == 0 {
		return
	}
	named := make(map[string]bool)
	for _, t := range tests {
		doubted := t.Doubts()
		for _, field := range []string{"discriminates", "expected_outcomes"} {
			for _, id := range mentioned(t.Get(field)) {
				if !doubted[field+"."+id] {
					named[id] = true
				}
			}
		}
	}
	seen := make(map[string]bool)
	for _, h := range s.active[artifact.HypothesisSlate] {
		if named[h.ID] || seen[h.ID] || !artifact.HypothesisSlate.ValidID(h.ID) {
			continue
		}
		seen[h.ID] = true
		r.add(inItem(artifact.HypothesisSlate, h, ""),
			"no active test can kill "+h.ID+": none names it",
			edit(tests[0], `{"expected_outcomes": {"%s": "what must not be seen if it is right"}}, or ADD a test that names %[1]s`, h.ID))
	}
}

// mentioned returns the hypotheses in a text, in the keys of a map, and in all candidates.
func mentioned(v artifact.Value) []string {
	switch v := v.(type) {
	case artifact.Text:
		return hypothesesIn(string(v))
	case artifact.Map:
		var ids []string
		for _, e := range v {
			ids = append(ids, hypothesesIn(e.Key)...)
		}
		return ids
	case artifact.Conflict:
		var ids []string
		for _, c := range v {
			ids = append(ids, mentioned(c.Value)...)
		}
		return ids
	}
	return nil
}
