package govern_test

import (
	"context"
	"strings"
	"testing"

	"brenner/govern"
	"brenner/store"
	"brenner/store/record"
)

// An imported session links to a record of its own project, and a different one has that name
// here: neither lineage, staleness nor rehearsal taint follows such a link.
func TestLinksToOtherProjectsAreNotFollowed(t *testing.T) {
	both(t, func(k *kit) {
		note := k.put(draft("note", record.PaperNote, "ours")).Record
		one := func(id, kind string, links ...record.Link) record.Record {
			return record.Record{
				ID: id, Type: kind, Version: 1, Status: record.Draft, Module: "fate", Summary: "s", SummaryOf: store.Hash(nil), SummaryBy: record.Given,
				Content: store.Hash(nil), Creator: "Sydney", At: k.Now(), Links: links,
			}
		}
		batch := store.Batch{Blobs: [][]byte{nil}, Records: []record.Record{
			one("kickoff/RS-1/Blue", record.Kickoff, record.Link{Relation: record.Cites, ID: "note", Version: 1}, record.Link{Relation: record.Cites, ID: "gone", Version: 1}),
			one("reply/RS-1/Blue", record.Reply, record.Link{Relation: record.RepliesTo, ID: "kickoff/RS-1/Blue", Version: 1}),
			one("RS-20260101-x", record.ResearchArtifact, record.Link{Relation: record.DerivesFrom, ID: "reply/RS-1/Blue", Version: 1}),
		}}
		if err := k.Store.Write(k.ctx(), batch); err != nil {
			k.Fatal(err)
		}
		k.Vouched = func(_ context.Context, ref record.Ref) (bool, error) { return ref.ID != "note", nil }
		setTarget := func(kind, content string) {
			k.LinkTarget = func(_ context.Context, from, _ record.Ref) (string, string, bool, error) {
				return kind, content, strings.HasPrefix(from.ID, "kickoff/"), nil
			}
		}
		lineage := func(address string, up bool) *govern.Lineage {
			k.Helper()
			l, err := k.Lineage(k.ctx(), address, up, false, 0)
			if err != nil {
				k.Fatal(err)
			}
			return l
		}
		for _, test := range []struct {
			kind, content string
			same          bool
		}{{record.PaperNote, note.Content, true}, {record.PaperNote, store.Hash([]byte("theirs")), false}, {record.Assumption, "", false}, {record.PaperNote, "", true}} {
			setTarget(test.kind, test.content)
			l := lineage("RS-20260101-x", true)
			nodes, down, elsewhere := 4, 1, 1
			if test.same {
				nodes, down, elsewhere = 5, 4, 0
			}
			k.equal("up", []int{len(l.Nodes), len(l.Elsewhere)}, []int{nodes, elsewhere})
			k.equal("separate nodes", strings.Contains(l.DOT(), `"note@v1 elsewhere"`) && strings.Contains(l.Mermaid(), "of another project"), !test.same)
			k.equal("down", len(lineage("note", false).Nodes), down)
		}
		setTarget(record.PaperNote, store.Hash([]byte("theirs")))
		k.put(draft("note", record.PaperNote, "ours, changed"))
		k.equal("stale", len(k.promote("note").Stale), 0)
		setTarget(record.PaperNote, note.Content)
		k.put(draft("note", record.PaperNote, "ours, changed again"))
		k.equal("stale", len(k.promote("note").Stale), 1)
	})
}
