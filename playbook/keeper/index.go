package keeper

import (
	"context"

	"brenner/playbook"
	"brenner/store"
	"brenner/vector"
)

// index finds bullets by their vectors. It is filled when something is first searched.
type index struct {
	vectors vector.Index
	bullets []int // of each vector, the place of its bullet in the book
	seen    int   // how many bullets it has looked at
}

// embed makes the vector of a text.
func (k *Keeper) embed(ctx context.Context, text string) (*vector.Vector, error) {
	all, err := k.Embedder.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

// search gives the bullets of a domain that are most alike; an empty domain is any.
func (k *Keeper) search(ctx context.Context, v vector.Vector, domain string, least float64, most int) ([]playbook.Match, error) {
	return k.searchFor(ctx, v, least, most, func(b *playbook.Bullet) bool { return domain == "" || b.Domain == domain })
}

func (k *Keeper) searchFor(ctx context.Context, v vector.Vector, least float64, most int, want func(*playbook.Bullet) bool) ([]playbook.Match, error) {
	if err := k.fill(ctx, v.Model); err != nil {
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

// vectorOf reads a bullet's vector.
func (k *Keeper) vectorOf(ctx context.Context, b *playbook.Bullet) (vector.Vector, error) {
	data, err := k.Store.Blob(ctx, b.Embedding.SHA256)
	if err != nil {
		return vector.Vector{}, err
	}
	return vector.Parse(b.Embedding.Model, data)
}

// fill brings the index up to date. Bullets whose vector another model has made are
// embedded anew: vectors of different models are never compared, and a lesson must not
// be lost because the model has changed.
func (k *Keeper) fill(ctx context.Context, model string) error {
	if err := k.renew(ctx, model); err != nil {
		return err
	}
	x := &k.index
	var hashes []string
	var places []int
	for n := x.seen; n < k.book.Len(); n++ {
		if b := k.book.At(n); b.Embedding.Model == model {
			hashes, places = append(hashes, b.Embedding.SHA256), append(places, n)
		}
	}
	err := store.Blobs(ctx, k.Store, hashes, func(i int, data []byte) error {
		v, err := vector.Parse(model, data)
		if err == nil {
			err = x.vectors.Add(v)
		}
		if err == nil {
			x.bullets, x.seen = append(x.bullets, places[i]), places[i]+1
		}
		return err
	})
	if err == nil {
		x.seen = k.book.Len()
	}
	return err
}

// renewed is how many bullets are embedded anew at a time.
const renewed = 64

// renew embeds the bullets that have no vector of this model.
func (k *Keeper) renew(ctx context.Context, model string) error {
	for {
		var ids, texts []string
		for n := k.index.seen; n < k.book.Len() && len(ids) < renewed; n++ {
			if b := k.book.At(n); b.Embedding.Model != model {
				ids, texts = append(ids, b.ID), append(texts, b.Content)
			}
		}
		if len(ids) == 0 {
			return nil
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
}
