package govern_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"brenner/govern"
	"brenner/store"
	"brenner/store/record"
	"brenner/store/sqlite"
)

// TestVerifyDetectsForgeries changes the tables directly, in every way that could fake a decision.
func TestVerifyDetectsForgeries(t *testing.T) {
	t.Parallel()
	const columns = "(id, version, parent, type, status, module, summary, content, change, creator, at, tags, links, summary_of, summary_by)"
	for name, forgery := range map[string]string{
		"a record with its head": `INSERT INTO records ` + columns + ` SELECT 'forged', 1, 0, type, 'canonical', module, summary, content, change, creator, at, tags, links, summary_of, summary_by FROM records WHERE id = 'note' AND version = 1;
			INSERT INTO heads SELECT 'forged', 1, 1, type, module, 'canonical', summary, 1, at FROM heads WHERE id = 'note'; INSERT INTO tips VALUES ('forged', 1)`,
		"a record without a head": `INSERT INTO records ` + columns + ` SELECT 'forged', 1, 0, type, status, module, summary, content, change, creator, at, tags, '[]', summary_of, summary_by FROM records WHERE id = 'note' AND version = 1`,
		"a version": `INSERT INTO records ` + columns + ` SELECT id, 4, 3, type, status, module, summary, content, change, creator, at, tags, '[]', summary_of, summary_by FROM records WHERE id = 'note' AND version = 3;
			UPDATE heads SET latest = 4 WHERE id = 'note'; UPDATE tips SET version = 4 WHERE id = 'note' AND version = 3`,
		"a status":                `UPDATE statuses SET status = 'draft' WHERE id = 'memo'`,
		"an extra status":         `INSERT INTO statuses VALUES ('note', 3, 'canonical')`,
		"the status of a put":     `UPDATE records SET status = 'canonical' WHERE id = 'note' AND version = 3`,
		"no statuses":             `DELETE FROM statuses`,
		"no links":                `DELETE FROM links`,
		"an extra link":           `INSERT INTO links VALUES ('note', 1, 'memo', 1, 'cites')`,
		"the tip count of a head": `UPDATE heads SET tips = 1 WHERE id = 'note'`,
		"the tips":                `UPDATE heads SET tips = 1 WHERE id = 'note'; DELETE FROM tips WHERE id = 'note' AND version = 2`,
		"no heads":                `DELETE FROM heads`,
		"no head":                 `DELETE FROM heads WHERE id = 'memo'`,
		"the type of a head":      `UPDATE heads SET type = 'manuscript_section' WHERE id = 'note'`,
		"the module of a head":    `UPDATE heads SET module = 'other' WHERE id = 'note'`,
		"the latest version":      `UPDATE heads SET latest = 1 WHERE id = 'note'`,
		"the canonical version":   `UPDATE heads SET canonical = 2 WHERE id = 'note'`,
		"the summary of a head":   `UPDATE heads SET summary = 'all is well' WHERE id = 'note'`,
		"the time of a head":      `UPDATE heads SET at = '2020-01-01T00:00:00.000000000Z' WHERE id = 'note'`,
		"the status of a head":    `UPDATE heads SET status = 'deprecated' WHERE id = 'note'`,
		"an extra tag":            `INSERT INTO tags VALUES ('rehearsal', 'memo')`,
		"no tags":                 `DELETE FROM tags`,
		"the author of a mark":    `UPDATE marks SET author = 'Mallory'`,
		"the time of a mark":      `UPDATE marks SET at = '2020-01-01T00:00:00Z'`,
		"the replaced version":    `UPDATE marks SET was = 1 WHERE id = 'memo'`,
		"no marks":                `DELETE FROM marks`,
		"a mark without a record": `INSERT INTO marks (id, version, status, was, author, reason, at) VALUES ('nothing', 1, 'canonical', 0, 'Sydney', 'so', '2026-01-01T00:00:00Z')`,
		"no journal":              `DELETE FROM entries WHERE stream = (SELECT id FROM streams WHERE name = 'records'); DELETE FROM streams WHERE name = 'records'`,
		"a removed version":       `DELETE FROM records WHERE id = 'note' AND version = 2`,
		"a forged reply": `INSERT INTO records ` + columns + ` SELECT 'reply/RS-20260101-x/Blue', 1, 0, 'reply', 'draft', module, summary, content, change, creator, at, '[]', '[]', summary_of, summary_by FROM records WHERE id = 'note' AND version = 1;
			INSERT INTO heads SELECT 'reply/RS-20260101-x/Blue', 1, 0, 'reply', module, 'draft', summary, 1, at FROM heads WHERE id = 'note'; INSERT INTO tips VALUES ('reply/RS-20260101-x/Blue', 1)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			st, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = st.Close() })
			k := newKit(t, st)
			tagged := draft("note", record.PaperNote, "one")
			tagged.Tags = []string{"growth"}
			k.put(tagged)
			k.put(draft("note", "", "two"))
			fork := draft("note", "", "three")
			fork.Parent = 1
			k.put(fork)
			k.put(draft("memo", record.IntegratedMemo, "all", "cites=note@v1"))
			k.promote("memo")
			k.promote("note@v1")
			k.wantVerified()
			if err := st.Verify(t.Context()); err != nil {
				t.Fatal("before: ", err)
			}
			db, err := sql.Open("sqlite", filepath.Join(dir, "brenner.db"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), forgery); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			p, err := k.Verify(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := st.Verify(t.Context()); err == nil && len(p.Faults) == 0 {
				t.Error("not detected")
			}
		})
	}
}

// The heads of all journals are reported, so that a copy of them can reveal a removed journal.
func TestVerifyReportsHeadsOfAllJournals(t *testing.T) {
	t.Parallel()
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		_, err := k.Put(k.ctx(), reader, draft("ms", record.ManuscriptSection, "text"))
		if err == nil {
			k.Fatal("a reader wrote a manuscript_section")
		}
		p, err := k.Verify(k.ctx())
		if err != nil {
			k.Fatal(err)
		}
		k.equal("streams", len(p.Streams), 4)
		for i, want := range []struct {
			name    string
			entries int
		}{{govern.Changes, 1}, {govern.Refusals, 1}, {govern.Calls, 0}, {govern.Attempts, 0}} {
			s := p.Streams[i]
			if s.Name != want.name || s.Entries != want.entries || (s.Head != "") != (want.entries > 0) {
				k.Errorf("stream %d: %+v", i, s)
			}
		}
	})
}

// busy is a store that calls do right after its records were listed.
type busy struct {
	store.Store
	do func()
}

func (s *busy) Heads(ctx context.Context, q store.HeadQuery) ([]record.Head, error) {
	heads, err := s.Store.Heads(ctx, q)
	if do := s.do; do != nil {
		s.do = nil
		do()
	}
	return heads, err
}

// Sessions write versions directly to the store. A version written during Verify is not a fault.
func TestVerifyToleratesConcurrentSessions(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		k.putBySession("RS-20260101-ab", record.ResearchArtifact, "a slate")
		d := k.withStore(&busy{k.Store, func() {
			next := k.record("RS-20260101-ab")
			next.Version, next.Parent, next.Summary = 2, 1, "the next round"
			if err := k.Store.Write(k.ctx(), store.Batch{Records: []record.Record{next}}); err != nil {
				k.Fatal(err)
			}
			k.putBySession("RS-20260102-cd", record.ResearchArtifact, "another slate")
		}})
		d.Vouched = func(_ context.Context, ref record.Ref) (bool, error) { return ref.ID != "note", nil }
		if p, err := d.Verify(k.ctx()); err != nil || len(p.Faults) > 0 {
			k.Errorf("%v, %v", err, p.Faults)
		}
		k.Vouched = d.Vouched
	})
}
