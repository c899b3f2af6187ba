package keeper

import (
	"context"
	"fmt"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/playbook/vector"
	"brenner/store"
	"brenner/store/journal"
)

// Proof is the result of verifying a playbook.
type Proof struct {
	Entries int          `json:"entries"` // intact ones
	Bullets int          `json:"bullets"`
	Vectors int          `json:"vectors"`
	Head    string       `json:"head"` // of the last one
	Faults  store.Faults `json:"-"`    // serialized by the caller
}

// Prove is Verify with the fault as part of the result.
func Prove(ctx context.Context, st store.Store, kept string) *Proof {
	p, err := Verify(ctx, st, kept)
	p.Faults.Add(err)
	return p
}

// Verify reads the whole journal, verifies its chain, replays it and checks every vector. The
// error names the first entry that was altered, dropped, swapped or inserted. Kept, if not
// empty, is a hash that must be in the chain: only that reveals a truncated end.
func Verify(ctx context.Context, st store.Store, kept string) (*Proof, error) {
	book, chain := &playbook.Book{}, journal.Follow(playbook.Stream, journal.Head{})
	found := kept == ""
	head, err := follow(ctx, st, book, chain, func(l *journal.Line) { found = found || string(l.Hash) == kept })
	r := &Proof{Entries: head.Seq, Bullets: book.Len(), Head: head.Hash}
	if err != nil {
		return r, err
	}
	if err := checkEnd(ctx, st, chain.Head()); err != nil {
		return r, err
	}
	if !found {
		return r, &fault.Error{
			Code: journal.WrongHead, Op: "find head " + fault.Shown(kept),
			Detail: fmt.Sprintf("no entry has this hash; the journal ends with entry %d, %s", r.Entries, fault.Shown(r.Head)),
			Hint:   "entries at its end were removed, or the hash is of another journal",
		}
	}
	r.Vectors, err = checkVectors(ctx, st, book)
	return r, err
}

func checkEnd(ctx context.Context, st store.Store, end journal.Head) error {
	head, ends, err := store.EndsAt(ctx, st, playbook.Stream, end)
	if err != nil || ends {
		return err
	}
	return &fault.Error{
		Code: journal.BrokenChain, Place: fmt.Sprintf("%s, entry %d", playbook.Stream, end.Seq+1),
		Detail: fmt.Sprintf("missing: the journal should end with entry %d, %s", head.Seq, fault.Shown(head.Hash)),
		Hint:   "entries at its end were removed; those before are intact",
	}
}

func checkVectors(ctx context.Context, st store.Store, book *playbook.Book) (int, error) {
	var hashes []string
	var of []*playbook.Bullet
	for n := range book.Len() {
		if b := book.At(n); b.Embedding != (playbook.Embedding{}) {
			hashes, of = append(hashes, b.Embedding.SHA256), append(of, b)
		}
	}
	err := store.Blobs(ctx, st, hashes, func(n int, data []byte) error {
		_, err := vector.Parse(of[n].Embedding.Model, data)
		if err != nil {
			return &fault.Error{Code: vector.Invalid, Place: "bullet " + of[n].ID, Detail: "invalid vector", Cause: err, Hint: "the vector was changed; everything else is intact"}
		}
		return nil
	})
	return len(hashes), err
}
