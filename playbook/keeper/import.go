package keeper

import (
	"cmp"
	"context"
	"slices"

	"brenner/playbook"
	"brenner/playbook/vector"
	"brenner/store"
)

// Import takes lines as if they were proposed here one after the other, all or none.
func (k *Keeper) Import(ctx context.Context, act playbook.Act, lines []playbook.Line, into playbook.Into, progress func(done, of int)) (out []playbook.Imported, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := playbook.CheckWord("domain", into.Domain); err != nil {
		return nil, err
	}
	if err := k.refresh(ctx); err != nil {
		return nil, err
	}
	vectors := make([]*vector.Vector, len(lines))
	_, err = k.do(ctx, act, func(d *playbook.Draft) (blobs [][]byte, err error) {
		earlier := &earlierLines{lines: lines, adds: d.Adds}
		out, err = d.Import(lines, into, func(n int) ([]playbook.Match, playbook.Embedding, error) {
			if vectors[n] == nil {
				last, err := k.embedLines(ctx, lines, n, into.Domain, vectors)
				if err != nil {
					return nil, playbook.Embedding{}, err
				}
				if progress != nil {
					progress(last+1, len(lines))
				}
			}
			data := vectors[n].Bytes()
			blobs = append(blobs, data)
			matches, err := k.neighbours(ctx, earlier, n, *vectors[n], into.Domain)
			return matches, playbook.Embedding{Model: vectors[n].Model, SHA256: store.Hash(data)}, err
		})
		return blobs, err
	})
	return out, err
}

// embedLines embeds a line together with the next ones that will probably need a vector, and
// returns the place of the last one. Several at once take less time than one after the other.
func (k *Keeper) embedLines(ctx context.Context, lines []playbook.Line, from int, domain string, to []*vector.Vector) (last int, err error) {
	places, texts := []int{from}, []string{lines[from].Text}
	for n := from + 1; n < len(lines) && len(places) < embedBatch; n++ {
		_, unknown := k.book.Find(lines[n].ID)
		if to[n] == nil && unknown != nil && len(k.book.SameText(domain, lines[n].Text)) == 0 {
			places, texts = append(places, n), append(texts, lines[n].Text)
		}
	}
	all, err := k.Embedder.Embed(ctx, texts)
	if err != nil {
		return 0, err
	}
	for i, n := range places {
		to[n] = &all[i]
	}
	return places[len(places)-1], nil
}

// earlierLines finds lines of the same import that become bullets.
type earlierLines struct {
	lines   []playbook.Line
	adds    func(id string) bool
	index   vector.Index
	vectors []vector.Vector
	places  []int // in lines
}

// neighbours returns the matches of a line among the bullets and the earlier lines.
func (k *Keeper) neighbours(ctx context.Context, earlier *earlierLines, n int, v vector.Vector, domain string) ([]playbook.Match, error) {
	if k.Rules.Match > 1 { // nothing matches
		return nil, nil
	}
	matches, err := k.search(ctx, v, domain, k.Rules.Match, maxMatches)
	if err != nil {
		return nil, err
	}
	hits, err := earlier.index.Search(v, vector.Query{
		Least: k.Rules.Match, Most: maxMatches,
		// The id of a line that was counted for a bullet may be that of an unrelated bullet.
		Keep:  func(n int) bool { return earlier.adds(earlier.lines[earlier.places[n]].ID) },
		Exact: func(n int) (vector.Vector, error) { return earlier.vectors[n], nil },
	})
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		matches = append(matches, playbook.Match{ID: earlier.lines[earlier.places[h.Number]].ID, Cosine: h.Cosine})
	}
	slices.SortStableFunc(matches, func(a, b playbook.Match) int { return cmp.Compare(b.Cosine, a.Cosine) })
	earlier.vectors, earlier.places = append(earlier.vectors, v), append(earlier.places, n)
	return matches, earlier.index.Add(v)
}
