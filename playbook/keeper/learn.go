package keeper

import (
	"context"
	"slices"

	"brenner/playbook"
	"brenner/playbook/vector"
	"brenner/store"
)

// Learn counts an insight for the bullet with the same meaning, or adds a new bullet. Equal
// texts are found without making a vector.
func (k *Keeper) Learn(ctx context.Context, act playbook.Act, i playbook.Insight) (playbook.Outcome, []playbook.Entry, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := i.Check(k.Rules); err != nil {
		return playbook.Outcome{}, nil, err
	}
	if err := k.refresh(ctx); err != nil {
		return playbook.Outcome{}, nil, err
	}
	var out playbook.Outcome
	var made *vector.Vector
	entries, err := k.do(ctx, act, func(d *playbook.Draft) (blobs [][]byte, err error) {
		matches := k.sameText(i.Domain, i.Text)
		_, took := k.book.CountedFor(act.Session, &i)
		if chosen, _ := k.book.Choose(i.Text, matches); took || chosen != nil {
			out, err = d.Learn(i, matches, playbook.Embedding{})
			return nil, err
		}
		if made == nil {
			if made, err = k.embed(ctx, i.Text); err != nil {
				return nil, err
			}
		}
		alike, err := k.search(ctx, *made, i.Domain, k.Rules.Match, maxMatches)
		if err != nil {
			return nil, err
		}
		data := made.Bytes()
		out, err = d.Learn(i, joinMatches(matches, alike), playbook.Embedding{Model: made.Model, SHA256: store.Hash(data)})
		if out.Added {
			blobs = [][]byte{data}
		}
		return blobs, err
	})
	return out, entries, err
}

const maxMatches = 50

func (k *Keeper) sameText(domain, text string) []playbook.Match {
	var all []playbook.Match
	for _, n := range k.book.SameText(domain, text) {
		all = append(all, playbook.Match{ID: k.book.At(n).ID, Cosine: 1})
	}
	return all
}

func joinMatches(a, b []playbook.Match) []playbook.Match {
	all := slices.Clone(a)
	for _, m := range b {
		if !slices.ContainsFunc(a, func(o playbook.Match) bool { return o.ID == m.ID }) {
			all = append(all, m)
		}
	}
	return all
}

// Replace replaces a bullet by one with another text.
func (k *Keeper) Replace(ctx context.Context, act playbook.Act, id, text string) (newID string, entries []playbook.Entry, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := playbook.CheckContent(text, k.Rules.Longest); err != nil {
		return "", nil, err
	}
	if err := k.refresh(ctx); err != nil {
		return "", nil, err
	}
	if _, err := k.book.Find(id); err != nil {
		return "", nil, err
	}
	made, err := k.embed(ctx, text)
	if err != nil {
		return "", nil, err
	}
	data := made.Bytes()
	entries, err = k.do(ctx, act, func(d *playbook.Draft) (blobs [][]byte, err error) {
		newID, err = d.Replace(id, text, playbook.Source{Agent: act.Actor, Task: "replace"}, playbook.Embedding{Model: made.Model, SHA256: store.Hash(data)})
		return [][]byte{data}, err
	})
	return newID, entries, err
}
