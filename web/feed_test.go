package web

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"brenner/store"
	"brenner/store/journal"
)

// growing is a store of one stream. While it is asked, during is called.
type growing struct {
	store.Store
	seq    int
	during func()
}

func (g *growing) Streams(context.Context, string) ([]store.Stream, error) {
	heads := []store.Stream{{Name: "s", Head: journal.Head{Seq: g.seq}}}
	g.during()
	return heads, nil
}

func (g *growing) Entries(_ context.Context, _ string, after int) ([]journal.Entry, error) {
	return make([]journal.Entry, g.seq-after), nil
}

func (g *growing) Close() error { return nil }

// A listener that joins while the store is asked gets newer heads than that answer: its page may have seen
// what was written meanwhile, and would be shown again for nothing.
func TestFeedGreetsWithNewerHeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		st := &growing{seq: 5}
		f := newFeed(time.Second, func(context.Context) (store.Store, error) { return st, nil }, zerolog.Nop())
		var second *listener
		st.during = func() {
			if second == nil {
				second, _ = f.join("s")
				st.seq = 6
			}
		}
		first, _ := f.join("s")
		go f.run(ctx)
		if got := (<-first.heads)["s"]; got != 5 {
			t.Errorf("the first listener got head %d, want 5", got)
		}
		if got := (<-second.heads)["s"]; got != 6 {
			t.Errorf("the second listener got head %d, want 6", got)
		}
		cancel()
		synctest.Wait()
	})
}
