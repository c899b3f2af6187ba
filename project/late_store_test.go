package project

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/playbook/embedding/uselite"
	"brenner/playbook/keeper"
	"brenner/playbook/vector"
	"brenner/project/storage"
	"brenner/store"
	"brenner/store/memory"
)

// renamedEmbedder is an embedder with another model name: its vectors are never compared
// with those of the original.
type renamedEmbedder struct{ embedding.Embedder }

func (r renamedEmbedder) Model() string { return "another" }

func (r renamedEmbedder) Embed(ctx context.Context, texts []string) ([]vector.Vector, error) {
	all, err := r.Embedder.Embed(ctx, texts)
	for i := range all {
		if all[i], err = vector.New(r.Model(), all[i].Values); err != nil {
			return nil, err
		}
	}
	return all, err
}

// readOnly is a store on a read-only disk.
type readOnly struct{ store.Store }

func (readOnly) Write(context.Context, store.Batch) error {
	return &fault.Error{Code: store.Unwritable, Detail: "the disk is read-only"}
}

// In a read-only store, bullets of another model are found, and nothing is written.
func TestSearchPlaybookInReadOnlyStore(t *testing.T) {
	t.Parallel()
	ctx, base := t.Context(), memory.New()
	model := uselite.New(uselite.Options{Lower: true})
	options := keeper.Options{Store: base, Rules: playbook.DefaultRules(), Embedder: model, Now: func() time.Time { return time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC) }}
	k, err := keeper.Open(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Say how large an effect is.", "Name the cell line that was used."} {
		if _, _, err := k.Learn(ctx, playbook.Act{Actor: "operator"}, playbook.Insight{Text: text, Domain: "general", Section: playbook.Helpful, Person: true}); err != nil {
			t.Fatal(err)
		}
	}
	before, err := base.Entries(ctx, playbook.Stream, 0)
	if err != nil {
		t.Fatal(err)
	}

	late := &storage.Late{Store: readOnly{base}, Open: func(ctx context.Context, before store.Store) (store.Store, error) {
		return toKeepVectors(ctx, before, func(context.Context) (store.Store, error) {
			return nil, &fault.Error{Code: store.Unwritable, Detail: "the disk is read-only"}
		})
	}}
	options.Store, options.Embedder = late, renamedEmbedder{model}
	if k, err = keeper.Open(ctx, options); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time with the new vectors
		found, err := k.Similar(ctx, "the size of effects", 1, func(*playbook.Bullet) bool { return true })
		if err != nil || len(found) != 1 || found[0].ID != "pb-00001" {
			t.Fatalf("%+v, %v", found, err)
		}
	}
	after, err := base.Entries(ctx, playbook.Stream, 0)
	if diff := cmp.Diff(before, after); diff != "" || err != nil {
		t.Errorf("the store changed: %s, %v", diff, err)
	}
	if err := late.Close(); err != nil {
		t.Error(err)
	}
}
