package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/kickoff"
	"brenner/playbook"
	"brenner/playbook/vector"
	"brenner/session"
)

// killedClaim is a hypothesis killed in this or an earlier session.
type killedClaim struct {
	id, claim, reason string // the reason may be empty
	here              bool
}

// compare compares how informative two killed hypotheses are: one with a reason ranks above one
// without, and one of this session above an older one. Similarity decides between equals.
func (d *killedClaim) compare(o *killedClaim) int {
	order := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return 1
		default:
			return -1
		}
	}
	return cmp.Or(order(d.reason != "", o.reason != ""), order(d.here, o.here))
}

// similarKilled returns a warning for each of the agent's hypotheses that resembles a killed one.
func (b *Book) similarKilled(ctx context.Context, r *session.LessonQuery) ([]kickoff.Bullet, error) {
	var warnings []kickoff.Bullet
	killed := func(p *playbook.Bullet) bool {
		return slices.Contains(p.Tags, session.TagKilled) && p.Stage != playbook.Quarantined && p.Domain == r.Domain
	}
	if len(r.Own) == 0 || len(r.Killed) == 0 && len(b.Keeper.Bullets(killed)) == 0 {
		return nil, nil
	}
	for _, own := range r.Own {
		var all []killedClaim
		for _, d := range r.Killed {
			all = append(all, killedClaim{id: d.Item, claim: d.Text, reason: d.Reason, here: true})
		}
		matches, err := b.Keeper.Similar(ctx, own.Text, maxKilled, killed)
		if err != nil {
			return nil, err
		}
		for _, match := range matches {
			p, err := b.Keeper.Find(match.ID)
			if err != nil {
				return nil, err
			}
			standing, err := b.Keeper.Find(b.Keeper.Standing(match.ID)) // a merged claim still warns
			if err != nil {
				return nil, err
			}
			if d, ok := killedFromBullet(p); ok && p.Source.Session != r.Thread && standing.Live() {
				all = append(all, d)
			}
		}
		d, err := b.nearest(ctx, own.Text, all)
		if err != nil {
			return nil, err
		}
		if d != nil {
			warnings = append(warnings, kickoff.Bullet{ID: d.id, Text: fmt.Sprintf("Your %s resembles a hypothesis that was killed: “%s”. It died because: %s", own.Item, d.claim, cmp.Or(d.reason, session.NoReason))})
		}
	}
	return warnings, nil
}

func killedFromBullet(b *playbook.Bullet) (killedClaim, bool) {
	claim, reason, ok := strings.Cut(b.Content, session.KilledMark)
	reason = strings.TrimSuffix(reason, ")")
	if reason == session.NoReason {
		reason = ""
	}
	return killedClaim{id: b.ID, claim: claim, reason: reason}, ok
}

const maxKilled = 10

// nearest returns the most informative killed hypothesis that matches a claim, or nil.
func (b *Book) nearest(ctx context.Context, claim string, all []killedClaim) (*killedClaim, error) {
	all = slices.DeleteFunc(all, func(d killedClaim) bool { return strings.TrimSpace(d.claim) == "" })
	if len(all) == 0 || strings.TrimSpace(claim) == "" {
		return nil, nil
	}
	texts := []string{claim}
	for _, d := range all {
		texts = append(texts, d.claim)
	}
	vectors, err := b.Keeper.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	var found *killedClaim
	best := 0.0
	for i, v := range vectors[1:] {
		c := cosine(vectors[0], v)
		if c < b.Keeper.Rules.Match || playbook.Differ(claim, all[i].claim) != "" {
			continue
		}
		if found == nil || cmp.Or(all[i].compare(found), cmp.Compare(c, best)) > 0 {
			found, best = &all[i], c
		}
	}
	return found, nil
}

func cosine(v, w vector.Vector) float64 {
	c, _ := v.Cosine(w)
	return c
}
