package lint

import (
	"fmt"
	"strings"
	"unicode"

	"brenner/artifact"
)

func threadRules() []rule {
	const rt = artifact.ResearchThread
	return []rule{
		{
			id: "ER-001", title: "the research thread has a statement",
			why:   "everything else in the artifact answers to it",
			fix:   "EDIT `RT` with a `statement`: the question, in a sentence or two",
			check: threadStatement,
		},
		{
			id: "ER-002", title: "the research thread has a context",
			why:   "agents see nothing but the artifact, and a question without its setting is answered in another one",
			fix:   "EDIT `RT` with a `context`: what is known, and what is not",
			check: wantsText(rt, "context", "what is known already, and where it stops"),
		},
		{
			id: "WR-001", title: "the research thread has anchors",
			why:   "a question that comes from a text should say from where",
			fix:   "EDIT `RT` with `anchors`, or with `inference` if there is no source",
			check: wantsAnchors(rt),
		},
		{
			id: "IR-001", title: "the research thread says why it matters",
			why:   "it decides which tests are worth their cost",
			fix:   "EDIT `RT` with `why_it_matters`",
			check: wantsText(rt, "why_it_matters", "what would be done differently if we knew"),
		},
	}
}

// threadStatement is also the minimum of its section: no thread, no statement.
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
	wantsText(rt, "statement", example)(s, r)
}

func assumptionRules() []rule {
	const a = artifact.AssumptionLedger
	return []rule{
		{
			id: "EA-001", title: minimum(a, "assumptions"),
			why:   "there always are some, and those that nobody wrote down are never checked",
			fix:   "ADD assumptions with a `statement`, a `load` and a `test`",
			check: atLeast(a, "assumptions", `{"statement": "…", "load": "what falls if it is wrong", "test": "…"}`),
		},
		{
			id: "EA-002", title: "one active assumption is a scale check",
			why: "many ideas die of a number that somebody could have worked out on the back of an envelope",
			fix: "ADD one with `\"scale_check\": true` and a `calculation`",
			check: oneOf(a, (*artifact.Item).ScaleCheck, []string{"scale_check", "name"},
				"no active assumption is a scale check",
				`ADD to assumption_ledger: {"statement": "…", "scale_check": true, "calculation": "10 µm / 0.1 µm/s = 100 s"}`),
		},
		{
			id: "EA-003", title: "every assumption has a statement",
			why:   "without one there is nothing to check",
			fix:   "EDIT it with a `statement`",
			check: wantsText(a, "statement", "what is taken for granted"),
		},
		{
			id: "WA-001", title: "every assumption says what rests on it",
			why:   "assumptions that carry nothing need no check; those that carry everything need it first",
			fix:   "EDIT it with a `load`: what falls if it is wrong",
			check: wantsText(a, "load", "what falls if it is wrong, such as H1 and T2"),
		},
		{
			id: "WA-002", title: "every assumption that is not a scale check has a test",
			why:   "an assumption that cannot be checked is a belief",
			fix:   "EDIT it with a `test`; a scale check has its calculation instead",
			check: wantsTextIf(a, "test", "how it could be checked", needsTest),
		},
		{
			id: "WA-003", title: "every scale check has a calculation",
			why:   "that is what makes it one",
			fix:   "EDIT it with a `calculation`",
			check: wantsTextIf(a, "calculation", exampleCalculation, (*artifact.Item).ScaleCheck),
		},
		{
			id: "WA-101", title: "the calculation of a scale check has numbers in it",
			why:   "\"small enough\" is not a calculation",
			fix:   "EDIT the `calculation` with the quantities and the result",
			check: each(a, "calculation", numbers),
		},
		{
			id: "IA-001", title: statuses(a, "assumption"),
			why:   "a falsified assumption takes down what rests on it",
			fix:   "EDIT it with its `status`",
			check: wantsStatus(a),
		},
	}
}

const exampleCalculation = "diffusion over 100 µm at 10 µm²/s takes about 500 s"

// needsTest reports whether an assumption is surely no scale check.
func needsTest(it *artifact.Item) bool { return !it.ScaleCheck() && !undecided(it, "scale_check") }

func numbers(_ *subject, it *artifact.Item) (wrong, payload string) {
	text := it.Text("calculation")
	if !it.ScaleCheck() || strings.TrimSpace(text) == "" || hasNumber(text) {
		return "", ""
	}
	return "the calculation of " + show(it.ID) + " has no numbers in it", fmt.Sprintf(`{"calculation": "%s"}`, exampleCalculation)
}

// hasNumber looks for a number that is not merely the number of an item: "see A2"
// is not a calculation.
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
			why: "an observation is only anomalous to somebody's claim",
			fix: "EDIT it with `conflicts_with`: the ids of hypotheses or assumptions",
			check: wantsKind[artifact.List](x, "conflicts_with", " does not say what it conflicts with", "the conflicts_with of %s is not a list of ids",
				`{"conflicts_with": ["H1"]}, the hypotheses or assumptions that do not allow for it`),
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
