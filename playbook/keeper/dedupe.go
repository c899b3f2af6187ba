package keeper

import (
	"cmp"
	"context"

	"brenner/playbook"
	"brenner/playbook/vector"
	"brenner/store"
)

// DedupeOptions select bullets to compare.
type DedupeOptions struct {
	Domain string // empty means each of them
	Apply  bool   // merge; without it nothing changes
}

// Deduped is what a comparison of all bullets found, and what was merged.
type Deduped struct {
	Schema   string           `json:"schema"`
	Applied  bool             `json:"applied"`
	Compared int              `json:"compared"` // bullets
	Merges   []MergedPair     `json:"merges"`
	Apart    []playbook.Apart `json:"apart"` // similar, but not merged
	// Batch is the name of the merges in the journal, for `rollback --session`; empty if there are none.
	Batch   string           `json:"batch"`
	Entries []playbook.Entry `json:"entries"`
	Head    string           `json:"head"`
}

// MergedPair is a merge with the two bullets as they are before it, and the first as it is after it.
type MergedPair struct {
	playbook.Merge
	StaysText string           `json:"stays_text"`
	GoesText  string           `json:"goes_text"`
	After     *playbook.Bullet `json:"after"` // the bullet that stays, after all merges
}

// Dedupe compares all live bullets of each domain and proposes to merge those that the rule for new
// lessons would have counted as one. With Apply it merges them, all or none.
func (k *Keeper) Dedupe(ctx context.Context, act playbook.Act, o DedupeOptions) (*Deduped, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(ctx); err != nil {
		return nil, err
	}
	out := &Deduped{Schema: "brenner.playbook.dedupe/v1", Applied: o.Apply}
	plan := func(d *playbook.Draft) error {
		out.Merges, out.Batch = nil, ""
		pairs, compared, err := k.similarPairs(ctx, o.Domain)
		if err != nil {
			return err
		}
		merges, apart := k.book.PlanMerges(pairs)
		out.Compared, out.Apart = compared, apart
		if err := d.MergeAll(merges); err != nil {
			return err
		}
		for _, m := range merges {
			stays, _ := k.book.Find(m.Stays) // both were found by PlanMerges
			goes, _ := k.book.Find(m.Goes)
			out.Merges = append(out.Merges, MergedPair{Merge: m, StaysText: stays.Content, GoesText: goes.Content})
		}
		if len(merges) > 0 {
			out.Batch = d.Session()
		}
		for i := range out.Merges {
			out.Merges[i].After, err = d.Result(out.Merges[i].Stays)
			if err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	if o.Apply {
		out.Entries, err = k.do(ctx, act, func(d *playbook.Draft) ([][]byte, error) {
			d.InSession(playbook.MergeBatch(k.chain.Head().Seq + 1))
			return nil, plan(d)
		})
	} else {
		err = plan(k.book.Draft(k.Rules, act))
		out.Batch = ""
	}
	out.Head = k.chain.Head().Hash
	return out, err
}

// similarPairs returns all pairs of live bullets of one domain that match by their vectors or have equal
// texts, and the number of bullets compared.
func (k *Keeper) similarPairs(ctx context.Context, domain string) ([]playbook.Similar, int, error) {
	want := func(b *playbook.Bullet) bool { return b.Live() && (domain == "" || b.Domain == domain) }
	var live []*playbook.Bullet
	for n := range k.book.Len() {
		if b := k.book.At(n); want(b) {
			live = append(live, b)
		}
	}
	if len(live) < 2 {
		return nil, len(live), nil
	}
	like, err := k.embed(ctx, live[0].Content)
	if err == nil {
		err = k.fill(ctx, *like) // the vectors of all bullets are of one model after this
	}
	if err != nil {
		return nil, 0, err
	}
	vectors, err := k.vectorsOf(ctx, live)
	if err != nil {
		return nil, 0, err
	}
	var all vector.Index
	place := make(map[string]int, len(live))
	for i, b := range live {
		place[b.ID] = i
		if err := all.Add(vectors[i]); err != nil {
			return nil, 0, err
		}
	}
	var pairs []playbook.Similar
	for i, b := range live {
		same := make(map[int]bool) // equal texts need no vector
		for _, n := range k.book.SameText(b.Domain, b.Content) {
			if at, ok := place[k.book.At(n).ID]; ok && at > i {
				same[at] = true
				pairs = append(pairs, playbook.Similar{A: b.ID, B: live[at].ID, Cosine: 1})
			}
		}
		hits, err := all.Search(vectors[i], vector.Query{
			Least: k.Rules.Match, Keep: func(n int) bool { return n > i && !same[n] && live[n].Domain == b.Domain },
			Exact: func(n int) (vector.Vector, error) { return vectors[n], nil },
		})
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, 0, err
		}
		for _, h := range hits {
			pairs = append(pairs, playbook.Similar{A: b.ID, B: live[h.Number].ID, Cosine: h.Cosine})
		}
	}
	return pairs, len(live), nil
}

// vectorsOf reads the vectors of bullets.
func (k *Keeper) vectorsOf(ctx context.Context, bullets []*playbook.Bullet) ([]vector.Vector, error) {
	vectors, sums := make([]vector.Vector, len(bullets)), make([]string, len(bullets))
	for i, b := range bullets {
		sums[i] = b.Embedding.SHA256
	}
	err := store.Blobs(ctx, k.Store, sums, func(i int, data []byte) (err error) {
		vectors[i], err = vector.Parse(bullets[i].Embedding.Model, data)
		return err
	})
	return vectors, err
}
