package keeper

import (
	"context"
	"slices"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/playbook/vector"
	"brenner/store"
)

// index finds bullets by their vectors. It is filled on the first search.
type index struct {
	vectors vector.Index
	bullets []int    // place in the book of each vector's bullet
	sums    []string // hash of each vector
	seen    int      // number of bullets examined
}

func (k *Keeper) embed(ctx context.Context, text string) (*vector.Vector, error) {
	all, err := k.Embedder.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

// search returns the most similar bullets of a domain; an empty domain means any.
func (k *Keeper) search(ctx context.Context, v vector.Vector, domain string, least float64, most int) ([]playbook.Match, error) {
	return k.searchFor(ctx, v, least, most, func(b *playbook.Bullet) bool { return domain == "" || b.Domain == domain })
}

func (k *Keeper) searchFor(ctx context.Context, v vector.Vector, least float64, most int, want func(*playbook.Bullet) bool) ([]playbook.Match, error) {
	if err := k.fill(ctx, v); err != nil {
		return nil, err
	}
	x := &k.index
	hits, err := x.vectors.Search(v, vector.Query{
		Least: least, Most: most,
		Keep:  func(n int) bool { return want(k.book.At(x.bullets[n])) },
		Exact: func(n int) (vector.Vector, error) { return k.vectorOf(ctx, k.book.At(x.bullets[n])) },
	})
	if err != nil {
		return nil, err
	}
	matches := make([]playbook.Match, len(hits))
	for i, h := range hits {
		matches[i] = playbook.Match{ID: k.book.At(x.bullets[h.Number]).ID, Cosine: h.Cosine}
	}
	return matches, nil
}

func (k *Keeper) vectorOf(ctx context.Context, b *playbook.Bullet) (vector.Vector, error) {
	data, err := k.Store.Blob(ctx, b.Embedding.SHA256)
	if err != nil {
		return vector.Vector{}, err
	}
	return vector.Parse(b.Embedding.Model, data)
}

// maxFills bounds the attempts to fill the index while other processes embed bullets with another model.
const maxFills = 8

// fill brings the index up to date for vectors comparable with like. Bullets with a vector of another model
// are embedded again: such vectors are never compared, and no lesson may be lost because the
// model has changed. The same holds for a vector of another length under the same model name.
func (k *Keeper) fill(ctx context.Context, like vector.Vector) error {
	if !k.holds(like) {
		k.index = index{}
	}
	for range maxFills {
		outdated, err := k.extend(ctx, like)
		if err == nil && len(outdated) == 0 {
			return nil
		}
		if err == nil {
			err = k.renew(ctx, outdated)
		}
		k.index = index{}
		if err != nil {
			return err
		}
	}
	return &fault.Error{
		Code: vector.Invalid, Op: "compare with the bullets", Detail: "cannot embed all bullets with the model " + fault.Shown(like.Model),
		Hint: "the model returns vectors of different lengths, or another process embeds the playbook with another model",
	}
}

// holds reports whether the index is comparable with like, and has the vectors of the current
// bullets.
func (k *Keeper) holds(like vector.Vector) bool {
	x := &k.index
	for i, n := range x.bullets {
		if k.book.At(n).Embedding.SHA256 != x.sums[i] {
			return false
		}
	}
	return x.vectors.Fits(like)
}

// extend adds new bullets whose vectors are comparable with like, and returns the places of the
// others.
func (k *Keeper) extend(ctx context.Context, like vector.Vector) (outdated []int, err error) {
	x := &k.index
	var sums []string
	var places []int
	for n := x.seen; n < k.book.Len(); n++ {
		if e := k.book.At(n).Embedding; e.Model == like.Model {
			sums, places = append(sums, e.SHA256), append(places, n)
		} else {
			outdated = append(outdated, n)
		}
	}
	err = store.Blobs(ctx, k.Store, sums, func(i int, data []byte) error {
		v, err := vector.Parse(like.Model, data)
		switch {
		case err != nil:
			return err
		case len(v.Values) != len(like.Values):
			outdated = append(outdated, places[i])
			return nil
		}
		x.bullets, x.sums = append(x.bullets, places[i]), append(x.sums, sums[i])
		return x.vectors.Add(v)
	})
	x.seen = k.book.Len()
	return outdated, err
}

// embedBatch is the number of texts that are embedded at once.
const embedBatch = 64

func (k *Keeper) renew(ctx context.Context, places []int) error {
	for part := range slices.Chunk(places, embedBatch) {
		var ids, texts []string
		for _, n := range part {
			ids, texts = append(ids, k.book.At(n).ID), append(texts, k.book.At(n).Content)
		}
		vectors, err := k.Embedder.Embed(ctx, texts)
		if err != nil {
			return err
		}
		_, err = k.do(ctx, playbook.Act{Actor: "brenner"}, func(d *playbook.Draft) (blobs [][]byte, err error) {
			for i, v := range vectors {
				data := v.Bytes()
				blobs = append(blobs, data)
				if err := d.Embed(ids[i], playbook.Embedding{Model: v.Model, SHA256: store.Hash(data)}); err != nil {
					return nil, err
				}
			}
			return blobs, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
