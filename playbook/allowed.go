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
	case OpMerge:
		return fCounters | fLastSeen | fStage | fReview
	case OpReset:
		return fCounters | fLastSeen | fStage | fReview | fConfidence
	default:
		return 0
	}
}

// violation returns the rule that an entry breaks, or "".
func (e *Entry) violation(before, after *Bullet, touched fields) string {
	switch {
	case touched == 0:
		return "changes nothing"
	case touched&fImmutable != 0:
		return "changes an immutable field"
	case touched&^e.Op.mayTouch() != 0:
		return "changes a field that this operation must not change"
	case !slices.Contains(Stages(), after.Stage):
		return "unknown stage " + fault.Shown(string(after.Stage))
	case !slices.Contains([]string{"", Waiting, Approved, Rejected}, after.Review):
		return "unknown review " + fault.Shown(after.Review)
	case after.Confidence != roundShare(after.Confidence):
		return "confidence is not a number from 0 to 1 with four digits"
	case after.Helpful < 0 || after.Harmful < 0 || after.Neutral < 0:
		return "negative counter"
	}
	return e.opViolation(before, after, touched)
}

// opViolation returns the rule of its operation that an entry breaks, or "".
func (e *Entry) opViolation(before, after *Bullet, touched fields) string {
	rise := after.Helpful + after.Harmful + after.Neutral - before.Helpful - before.Harmful - before.Neutral
	counters := touched & fCounters
	up := before.Stage == Shadow && after.Stage == Staging || before.Stage == Staging && after.Stage == Prod
	for _, r := range []struct {
		op     Op
		broken bool
		why    string
	}{
		{OpCount, counters == 0 || counters&(counters-1) != 0 || rise != 1, "does not increment one counter by one"},
		{OpRollback, rise > 0 || after.Confidence > before.Confidence || touched&fStage != 0 && !falls(before.Stage, after.Stage), "a rollback must not raise anything"},
		{OpStage, !up, "no gate leads to this stage"},
		{OpForce, !before.Live() || !after.Live(), "a promotion cannot enter or leave quarantine"},
		{OpQuarantine, after.Stage != Quarantined, "does not end in quarantine"},
		{OpRestore, before.Live() || !after.Live() || e.Reason == "", "does not leave quarantine, or has no reason"},
		{OpMerge, !before.Live() || after.Stage != before.Stage && (after.Stage != Merged || counters != 0), "does not merge a bullet"},
		{OpReset, e.Reason == "", "has no reason"},
	} {
		if e.Op == r.op && r.broken {
			return r.why
		}
	}
	return ""
}

// falls reports whether a bullet is demoted or quarantined.
func falls(from, to Stage) bool {
	return to == Quarantined || from != Quarantined && from != Merged && rank(to) < rank(from)
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
