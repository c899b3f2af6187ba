package playbook

import (
	"slices"

	"brenner/internal/fault"
)

// fields is the set of fields that an entry changes.
type fields uint32

const (
	fConfidence fields = 1 << iota
	fEmbedding
	fHarmful
	fHelpful
	fLastSeen
	fNeutral
	fReview
	fStage
	fImmutable // fields that never change: content, section, domain, source and so on
)

const fCounters = fHarmful | fHelpful | fNeutral

// polarity returns the section of the only counter in a part.
func (p *Part) polarity() Section {
	switch {
	case p.Helpful != nil:
		return Helpful
	case p.Harmful != nil:
		return Harmful
	default:
		return Neutral
	}
}

func (o Op) mayTouch() fields {
	switch o {
	case OpCount:
		return fCounters | fLastSeen | fConfidence
	case OpStage:
		return fStage
	case OpForce, OpQuarantine, OpRestore:
		return fStage | fReview | fConfidence
	case OpReview:
		return fReview | fConfidence
	case OpRollback:
		return fCounters | fStage | fReview | fConfidence
	case OpEmbed:
		return fEmbedding
	default:
		return 0
	}
}

// forbidden returns the rule that an entry breaks, or "".
func (e *Entry) forbidden(before, after *Bullet, touched fields) string {
	switch {
	case touched == 0:
		return "it changes nothing"
	case touched&fImmutable != 0:
		return "it changes what never changes"
	case touched&^e.Op.mayTouch() != 0:
		return "it changes what this operation does not touch"
	case !slices.Contains(Stages(), after.Stage):
		return "there is no stage " + fault.Shown(string(after.Stage))
	case !slices.Contains([]string{"", Waiting, Approved, Rejected}, after.Review):
		return "there is no review " + fault.Shown(after.Review)
	case after.Confidence != share(after.Confidence):
		return "the confidence is no share of four digits"
	case after.Helpful < 0 || after.Harmful < 0 || after.Neutral < 0:
		return "a counter falls below zero"
	}
	return e.unruly(before, after, touched)
}

// unruly returns the rule of its operation that an entry breaks, or "".
func (e *Entry) unruly(before, after *Bullet, touched fields) string {
	rise := after.Helpful + after.Harmful + after.Neutral - before.Helpful - before.Harmful - before.Neutral
	counters := touched & fCounters
	up := before.Stage == Shadow && after.Stage == Staging || before.Stage == Staging && after.Stage == Prod
	for _, r := range []struct {
		op     Op
		broken bool
		says   string
	}{
		{OpCount, counters == 0 || counters&(counters-1) != 0 || rise != 1, "it does not raise one counter by one"},
		{OpRollback, rise > 0 || after.Confidence > before.Confidence || touched&fStage != 0 && !falls(before.Stage, after.Stage), "what is rolled back does not rise"},
		{OpStage, !up, "no gate leads there"},
		{OpForce, before.Stage == Quarantined || after.Stage == Quarantined, "nobody is forced into or out of quarantine"},
		{OpQuarantine, after.Stage != Quarantined, "it does not end in quarantine"},
		{OpRestore, before.Stage != Quarantined || after.Stage == Quarantined || e.Reason == "", "nobody leaves quarantine so"},
	} {
		if e.Op == r.op && r.broken {
			return r.says
		}
	}
	return ""
}

// falls reports whether a bullet is demoted or quarantined.
func falls(from, to Stage) bool {
	return to == Quarantined || from != Quarantined && rank(to) < rank(from)
}

func (p *Part) equal(q *Part) bool {
	return same(p.Confidence, q.Confidence) && same(p.Content, q.Content) && same(p.Created, q.Created) && same(p.Domain, q.Domain) &&
		same(p.Embedding, q.Embedding) && same(p.Harmful, q.Harmful) && same(p.Helpful, q.Helpful) && same(p.LastSeen, q.LastSeen) &&
		sameList(p.Near, q.Near) && same(p.Neutral, q.Neutral) && same(p.Review, q.Review) && same(p.Section, q.Section) &&
		same(p.Source, q.Source) && same(p.Stage, q.Stage) && same(p.Supersedes, q.Supersedes) && sameList(p.Tags, q.Tags)
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func sameList(a, b *[]string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(*a, *b)
}
