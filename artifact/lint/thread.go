package lint

import "brenner/artifact"

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
			check: threadAnchors,
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
	for _, it := range s.active[rt] {
		wantText(r, rt, it, "statement", example)
	}
}

func threadAnchors(s *subject, r *report) {
	for _, it := range s.active[artifact.ResearchThread] {
		wantAnchors(r, artifact.ResearchThread, it)
	}
}
