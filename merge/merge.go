// Package merge is the kernel: it merges a batch of deltas into an artifact, by fixed rules.
//
// Merge is a pure function. Its result is the same to the byte for every order of the batch. The
// base is never changed. Merging a batch twice equals merging it once. No delta can block the
// others, and every delta is accounted for exactly once. The package has no clock, no randomness,
// no logger and no errors: mistakes of agents are data in the report.
package merge

import (
	"slices"

	"brenner/artifact"
	"brenner/artifact/delta"
)

// Merge merges a batch into base.
func Merge(base artifact.Artifact, batch []delta.Delta, rules Rules) (artifact.Artifact, Report) {
	p := judge(&base, batch, &rules)
	out := base
	if len(p.counted) > 0 {
		out = p.commit()
	}
	report := p.report(&out)
	return out, report
}

// Judge returns the rows of the report of Merge, without merging.
func Judge(base *artifact.Artifact, batch []delta.Delta, rules Rules) []Row {
	return judge(base, batch, &rules).rows
}

func judge(base *artifact.Artifact, batch []delta.Delta, rules *Rules) *pass {
	c := newRuleIndex(rules)
	p := &pass{base: base, index: c, orderedBatch: arrange(batch, c, base)}
	p.run()
	if vetoed := p.thirdAlternativeRule(); vetoed != nil {
		p = p.again(vetoed)
		p.run()
	}
	return p
}

// thirdAlternativeRule finds KILLs that leave the slate without a third alternative. The KILLs of
// the last one are refused and the batch is judged again. If that pass leaves none either, the
// report only warns.
func (p *pass) thirdAlternativeRule() map[entry]bool {
	if len(p.kills) == 0 {
		return nil
	}
	for s := range p.section(artifact.HypothesisSlate).slots {
		if !s.killed() && s.close().ThirdAlternative() {
			return nil
		}
	}
	slices.SortFunc(p.kills, func(a, b *kill) int { return int(a.by[0].index - b.by[0].index) })
	for _, k := range slices.Backward(p.kills) {
		if !k.third {
			continue
		}
		vetoed := make(map[entry]bool, len(k.by))
		for _, e := range k.by {
			vetoed[e] = true
		}
		return vetoed
	}
	return nil
}

// commit builds the new version.
func (p *pass) commit() artifact.Artifact {
	out := *p.base
	for s, state := range p.sections {
		if state != nil && state.touched {
			out.Sections[s] = state.items()
		}
	}
	tests := &out.Sections[artifact.DiscriminativeTests]
	if state := p.sections[artifact.DiscriminativeTests]; state == nil || !state.closed {
		*tests = slices.Clone(*tests)
	}
	artifact.RankTests(*tests)
	out.Deltas = make([]*artifact.Stamp, len(p.base.Deltas), len(p.base.Deltas)+len(p.facts))
	copy(out.Deltas, p.base.Deltas)
	for i := range p.facts {
		if f := &p.facts[i]; f.claimed && !f.recorded {
			out.Deltas = append(out.Deltas, &p.orderedBatch.stamps[i])
		}
	}
	p.commitMetadata(&out.Metadata)
	return out
}
