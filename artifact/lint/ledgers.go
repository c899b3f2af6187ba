package lint

import (
	"strings"
	"unicode"

	"brenner/artifact"
)

func threadRules() []rule {
	const rt = artifact.ResearchThread
	return []rule{
		newRule("ER-001", "the research thread has a statement",
			"everything else in the artifact answers to it",
			"EDIT `RT` with a `statement`: the question, in a sentence or two",
			threadStatement),
		newRule("ER-002", "the research thread has a context",
			"agents see only the artifact; without its context they answer a different question",
			"EDIT `RT` with a `context`: what is known, and what is not",
			requireText(rt, "context", "what is known already, and where it stops")),
		newRule("WR-001", "the research thread has anchors",
			"a question that comes from a text should say from where",
			"EDIT `RT` with `anchors`, or with `inference` if there is no source",
			requireAnchors(rt)),
		newRule("IR-001", "the research thread says why it matters",
			"it decides which tests are worth their cost",
			"EDIT `RT` with `why_it_matters`",
			requireText(rt, "why_it_matters", "what would be done differently if we knew")),
	}
}

// threadStatement is also the minimum check of its section.
func threadStatement(s *subject, r *report) {
	const rt = artifact.ResearchThread
	const example = "the question, in a sentence or two"
	if len(s.active[rt]) == 0 {
		if !s.missing[rt] {
			r.add(inSection(rt), "there is no research thread",
				`EDIT RT with {"statement": "`+example+`"}: that creates it`)
		}
		return
	}
	requireText(rt, "statement", example)(s, r)
}

func assumptionRules() []rule {
	const a = artifact.AssumptionLedger
	return []rule{
		newRule("EA-001", minimum(a, "assumptions"),
			"there are always some, and unwritten ones are never checked",
			"ADD assumptions with a `statement`, a `load` and a `test`",
			atLeast(a, "assumptions", `{"statement": "…", "load": "what falls if it is wrong", "test": "…"}`)),
		newRule("EA-002", "one active assumption is a scale check",
			"many ideas fail on a number that fits on the back of an envelope",
			"ADD one with `\"scale_check\": true` and a `calculation`",
			oneOf(a, (*artifact.Item).ScaleCheck, []string{"scale_check", "name"},
				"no active assumption is a scale check",
				`ADD to assumption_ledger: {"statement": "…", "scale_check": true, "calculation": "10 µm / 0.1 µm/s = 100 s"}`)),
		newRule("EA-003", "every assumption has a statement",
			"without one there is nothing to check",
			"EDIT it with a `statement`",
			requireText(a, "statement", "what is taken for granted")),
		newRule("WA-001", "every assumption says what rests on it",
			"the more rests on an assumption, the sooner it must be checked",
			"EDIT it with a `load`: what fails if it is wrong",
			requireText(a, "load", "what falls if it is wrong, such as H1 and T2")),
		newRule("WA-002", "every assumption that is not a scale check has a test",
			"an assumption that cannot be checked is a belief",
			"EDIT it with a `test`; a scale check has its calculation instead",
			requireTextIf(a, "test", "how it could be checked", needsTest)),
		newRule("WA-003", "every scale check has a calculation",
			"without a calculation nothing is checked",
			"EDIT it with a `calculation`",
			requireTextIf(a, "calculation", exampleCalculation, (*artifact.Item).ScaleCheck)),
		newRule("WA-101", "the calculation of a scale check has numbers in it",
			"\"small enough\" is not a calculation",
			"EDIT the `calculation` with the quantities and the result",
			each(a, "calculation", numbers)),
		newRule("IA-001", statuses(a, "assumption"),
			"a falsified assumption invalidates what rests on it",
			"EDIT it with its `status`",
			requireStatus(a)),
	}
}

const exampleCalculation = "diffusion over 100 µm at 10 µm²/s takes about 500 s"

// needsTest reports whether an assumption is certainly not a scale check.
func needsTest(it *artifact.Item) bool { return !it.ScaleCheck() && !undecided(it, "scale_check") }

func numbers(_ *subject, it *artifact.Item) (wrong, payload string) {
	text := it.Text("calculation")
	if !it.ScaleCheck() || strings.TrimSpace(text) == "" || hasNumber(text) {
		return "", ""
	}
	return "the calculation of " + show(it.ID) + " has no numbers in it", `{"calculation": "` + exampleCalculation + `"}`
}

// hasNumber reports whether text has a number: "see A2" has none.
func hasNumber(text string) bool {
	between := func(r rune) bool { return notWord(r) && !unicode.IsNumber(r) }
	for _, word := range strings.FieldsFunc(text, between) {
		if _, isID := artifact.SectionOfID(word); !isID && strings.ContainsFunc(word, unicode.IsNumber) {
			return true
		}
	}
	return false
}

func anomalyRules() []rule {
	const x = artifact.AnomalyRegister
	return []rule{
		newRule("EX-001", "every anomaly has an observation",
			"without one there is nothing that does not fit",
			"EDIT it with an `observation`",
			requireText(x, "observation", "what was seen that should not have been")),
		newRule("EX-002", "an empty anomaly register says so",
			"nothing found and nothing looked for are different things",
			"write `None registered` under the heading; in JSON, `\"anomaly_register\": []`",
			emptyStated),
		newRule("WX-002", "every anomaly says what it conflicts with",
			"an observation is anomalous only in relation to a claim",
			"EDIT it with `conflicts_with`: the ids of hypotheses or assumptions",
			requireKind[artifact.List](x, "conflicts_with", " does not say what it conflicts with", "the conflicts_with of %s is not a list of ids",
				`{"conflicts_with": ["H1"]}, the hypotheses or assumptions that do not allow for it`)),
		newRule("IX-001", statuses(x, "anomaly"),
			"a register without statuses only ever grows",
			"EDIT it with its `status`",
			requireStatus(x)),
	}
}

// emptyStated checks the anomaly register. The other sections have a minimum anyway.
func emptyStated(s *subject, r *report) {
	const x = artifact.AnomalyRegister
	for _, p := range s.problems {
		if p.Kind == artifact.EmptyNotStated && p.Item == x.String() {
			r.add(s.inFile(p), safe(p.Message), "write "+x.Spec().Empty+" under the heading")
		}
	}
}

func critiqueRules() []rule {
	const c = artifact.AdversarialCritique
	return []rule{
		newRule("EC-001", minimum(c, "critiques"),
			"a framing without a critique has not been tested",
			"ADD critiques with an `attack` and its `evidence`",
			atLeast(c, "critiques", `{"attack": "…", "evidence": "…", "current_status": "open"}`)),
		newRule("EC-002", "every critique has an attack",
			"without one there is nothing to answer",
			"EDIT it with an `attack`: what would make the framing wrong",
			requireText(c, "attack", "what would make the whole framing wrong")),
		newRule("WC-001", "one active critique offers a real third alternative",
			"a critique that only denies does not widen the choice",
			"EDIT or ADD one with `\"real_third_alternative\": true` and a `proposed_alternative`",
			realAlternative),
		newRule("WC-002", "every critique has evidence",
			"an attack without evidence is an opinion",
			"EDIT it with the `evidence`, or with what evidence would confirm it",
			requireText(c, "evidence", "what speaks for it, or what would confirm it")),
		newRule("IC-001", "every critique has a current status",
			"open and answered attacks call for different work",
			"EDIT it with its `current_status`: how far it has been answered",
			requireText(c, "current_status", "open, or how far it has been answered")),
	}
}

// realAlternative uses only the flag: a proposed alternative may be a straw man.
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
