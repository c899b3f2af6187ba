package lint

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
)

func testRules() []rule {
	const t = artifact.DiscriminativeTests
	return []rule{
		newRule("ET-001", minimum(t, "tests"),
			"only tests can tell hypotheses apart, and a single one may fail",
			"ADD tests with a `procedure` and `expected_outcomes`",
			atLeast(t, "tests", `{"procedure": "…", "discriminates": "H1 vs H2", "expected_outcomes": {"H1": "…", "H2": "…"}}`)),
		newRule("ET-002", "every test has a procedure",
			"a test that cannot be carried out decides nothing",
			"EDIT it with a `procedure`",
			requireText(t, "procedure", "what is done, with what, and what is read off")),
		newRule("ET-003", "every test has expected outcomes",
			"outcomes written down afterwards always fit",
			"EDIT it with `expected_outcomes`, one for each hypothesis that it can kill",
			requireKind[artifact.Map](t, "expected_outcomes", " has no expected outcomes", "the expected outcomes of %s are not outcomes by hypothesis",
				`{"expected_outcomes": {"H1": "…", "H2": "…"}}`)),
		newRule("WT-001", "every test has a potency check",
			"a negative result counts only if a positive one was possible",
			"EDIT it with a `potency_check`: the control that shows that it works",
			requireText(t, "potency_check", "the control that shows that the test could have come out otherwise")),
		newRule("WT-002", "tests are ranked by score",
			"the first test is the one that gets done",
			"move it: the highest score first, then those without one, the killed last, equals by number; a merge does so automatically",
			ranked),
		newRule("WT-003", fmt.Sprintf("every test has a score with all its parts, each a whole number from 0 to %d", artifact.ScoreMax),
			"a total hides which part of it is a guess",
			"EDIT its `score` with `likelihood_ratio`, `cost`, `speed` and `ambiguity`",
			each(t, "score", scoreBreakdown)),
		newRule("WT-101", "`discriminates` names hypotheses that exist",
			"a test between hypotheses that do not exist is wasted",
			"EDIT it with ids that exist: `\"discriminates\": \"H1 vs H2\"`",
			each(t, "discriminates", discriminates)),
		newRule("IT-002", "every test says how feasible it is",
			"a test that cannot be paid for should not rank first",
			"EDIT it with its `feasibility`: means, time, money",
			requireText(t, "feasibility", "what it takes: means, time, money")),
	}
}

// ranked reports the first test out of rank order, unless a score is in CONFLICT.
func ranked(s *subject, r *report) {
	tests := s.artifact.Items(artifact.DiscriminativeTests)
	if slices.ContainsFunc(s.active[artifact.DiscriminativeTests], scoreUndecided) {
		return
	}
	inOrder := slices.Clone(tests)
	artifact.RankTests(inOrder)
	for i := range tests {
		if tests[i] == inOrder[i] {
			continue
		}
		r.add(inItem(artifact.DiscriminativeTests, tests[i], ""),
			fmt.Sprintf("the tests are not in rank order: %s stands where %s belongs", show(tests[i].ID), show(inOrder[i].ID)),
			fmt.Sprintf("move %s before %s: the highest score comes first, then those without one, the killed last, equals by number",
				show(inOrder[i].ID), show(tests[i].ID)))
		return
	}
}

func scoreUndecided(it *artifact.Item) bool {
	return undecided(it, "score") || slices.ContainsFunc(it.Map("score"), func(e artifact.Entry) bool {
		_, ok := e.Value.(artifact.Conflict)
		return ok
	})
}

// scoreBreakdown counts a part in CONFLICT as present.
func scoreBreakdown(_ *subject, it *artifact.Item) (wrong, payload string) {
	spec, _ := artifact.DiscriminativeTests.Spec().Field("score")
	switch {
	case undecided(it, "score"):
	case blank(it.Get("score")):
		wrong = show(it.ID) + " has no score"
	default:
		d := wrongParts(spec, it.Map("score"))
		wrong = d.describe(it, "score")
	}
	return wrong, fmt.Sprintf(`{"score": {"likelihood_ratio": 3, "cost": 2, "speed": 2, "ambiguity": 1}, "score_replace": true}, each from 0 to %d`, artifact.ScoreMax)
}

func wrongParts(spec *artifact.FieldSpec, score artifact.Map) dangling {
	var d dangling
	for _, part := range spec.Allowed {
		v, ok := score.Get(part)
		if !ok {
			d.add(part + " is missing")
		} else if !mark(v) {
			d.add(fmt.Sprintf("%s is %s, not a whole number from 0 to %d", part, valueOf(v), artifact.ScoreMax))
		}
	}
	for _, e := range score {
		if !slices.Contains(spec.Allowed, e.Key) {
			d.add(show(e.Key) + " is no part of a score")
		}
	}
	return d
}

// mark reports whether a value can be one part of a score.
func mark(v artifact.Value) bool {
	switch v := v.(type) {
	case artifact.Conflict:
		return true
	case artifact.Number:
		return v >= 0 && v <= artifact.ScoreMax && v == artifact.Number(int(v))
	}
	return false
}

// discriminates checks the tokens of a text, which is optional beside expected outcomes.
func discriminates(s *subject, it *artifact.Item) (wrong, payload string) {
	v := it.Get("discriminates")
	if blank(v) || undecided(it, "discriminates") {
		return "", ""
	}
	var d dangling
	doubted := it.Doubts()
	ids := mentioned(v)
	if len(ids) == 0 {
		d.add("it names no hypothesis by its id")
	}
	for _, id := range ids {
		d.id(id, s.exists(id), doubted["discriminates."+id])
	}
	for _, place := range it.Unresolved() {
		if ref, ok := strings.CutPrefix(place, "discriminates."); ok && strings.Contains(ref, " ") { // kept under another name
			d.id(ref, false, true)
		}
	}
	return d.describe(it, "discriminates"), `{"discriminates": "` + s.example() + `"}`
}

// example returns hypotheses to use in a hint.
func (s *subject) example() string {
	ids := slices.Concat(s.plain[:min(len(s.plain), 2)], s.thirds[:min(len(s.thirds), 1)])
	if len(ids) < 2 {
		return "H1 vs H2"
	}
	return strings.Join(ids[:2], " vs ")
}
