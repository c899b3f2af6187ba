package playbook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/store/journal"
)

// anyHistory draws random actions.
func anyHistory(t *rapid.T) *testBook {
	s := newTestBook(t)
	var saved *playbook.Snapshot
	texts := []string{"Increase the rate", "Decrease the rate", "Name the mechanism", "größer ist besser", "Use 3 replicates", `say "no" \ often`}
	for range rapid.IntRange(1, 25).Draw(t, "acts") {
		var ids []string
		for n := range s.book.Len() {
			ids = append(ids, s.book.At(n).ID)
		}
		act := playbook.Act{
			Actor: "BlueLake", Session: rapid.SampledFrom([]string{"", "RS-1", "RS-2", "RS-3"}).Draw(t, "session"),
			Reason: rapid.SampledFrom([]string{"", "because"}).Draw(t, "reason"),
		}
		section := rapid.SampledFrom(playbook.Sections()).Draw(t, "section")
		if len(ids) == 0 || rapid.IntRange(0, 3).Draw(t, "learn") == 0 {
			i := playbook.Insight{
				Domain: "general", Section: section, Text: rapid.SampledFrom(texts).Draw(t, "text"), Person: rapid.Bool().Draw(t, "person"),
				Tags: []string{"role:critic"}, Source: playbook.Source{Session: act.Session, Agent: "BlueLake"},
			}
			var matches []playbook.Match
			for _, id := range ids {
				if rapid.Bool().Draw(t, "match") {
					matches = append(matches, playbook.Match{ID: id, Cosine: 0.9})
				}
			}
			s.do(act, func(d *playbook.Draft) error {
				_, err := d.Learn(i, matches, playbook.Embedding{Model: "m", SHA256: "ab"})
				return err
			})
			continue
		}
		id := rapid.SampledFrom(ids).Draw(t, "id")
		what := rapid.IntRange(0, 12).Draw(t, "what")
		if what == 9 && act.Session != "" {
			s.undo(act.Session)
			continue
		}
		_, _ = s.try(act, func(d *playbook.Draft) (err error) { // refusals are fine here
			switch what {
			case 0:
				return d.Promote(id, rapid.SampledFrom(playbook.Stages()).Draw(t, "to"))
			case 1:
				return d.Quarantine(id)
			case 2:
				return d.Restore(id)
			case 3:
				return d.Review(id, rapid.Bool().Draw(t, "approve"))
			case 4:
				_, err = d.Replace(id, "In other words", playbook.Source{}, playbook.Embedding{})
			case 5:
				_, err = d.Rollback(s.now.Add(-3*time.Second), s.now)
			case 10:
				var pairs []playbook.Similar
				for _, other := range ids {
					pairs = append(pairs, playbook.Similar{A: id, B: other, Cosine: 0.9})
				}
				merges, _ := s.book.PlanMerges(pairs)
				err = d.MergeAll(merges)
			case 11:
				if saved != nil {
					_, err = d.ReturnTo(saved, func(b *playbook.Saved) playbook.Embedding { return b.Embedding })
				}
			case 12:
				saved = &playbook.Snapshot{Schema: playbook.SnapshotSchema, Bullets: s.book.Save()}
			default:
				_, err = d.Credit(id, section)
			}
			return err
		})
	}
	return s
}

// The playbook is the fold of its journal, whatever has happened.
func TestBookIsTheFoldOfItsJournal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyHistory(t)
		if err := journal.Check(playbook.Stream, journal.Head{}, s.entries); err != nil {
			t.Fatal(err)
		}
		again, err := playbook.Fold(s.entries)
		if err != nil {
			t.Fatal(err)
		}
		if again.Len() != s.book.Len() {
			t.Fatalf("%d bullets, want %d", again.Len(), s.book.Len())
		}
		for n := range again.Len() {
			if a, b := again.At(n), s.book.At(n); a.Hash() != b.Hash() || a.ID != b.ID {
				t.Fatalf("got %+v, want %+v", a, b)
			}
		}
	})
}

// Contents never change, quarantined bullets are in no prompt, and a session counts once per
// bullet and polarity.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyHistory(t)
		content, counted := map[string]string{}, map[string]bool{}
		for i := range s.entries {
			e, err := playbook.Read(&s.entries[i])
			if err != nil {
				t.Fatal(err)
			}
			if e.Op == playbook.OpAdd {
				content[e.Bullet] = *e.After.Content
			} else if e.After.Content != nil {
				t.Fatalf("%+v", e)
			}
			if e.Op == playbook.OpCount && e.Session != "" {
				key := fmt.Sprint(e.Session, e.Bullet, e.After.Helpful != nil, e.After.Harmful != nil)
				if counted[key] {
					t.Fatalf("counted twice: %+v", e)
				}
				counted[key] = true
			}
			if e.BeforeHash == e.AfterHash || e.AfterHash == "" || (e.BeforeHash == "") != (e.Op == playbook.OpAdd) {
				t.Fatalf("%+v", e)
			}
		}
		for n := range s.book.Len() {
			b := s.book.At(n)
			if b.Content != content[b.ID] {
				t.Fatalf("%+v", b)
			}
			if b.Helpful < 0 || b.Harmful < 0 || b.Neutral < 0 || b.Confidence < 0 || b.Confidence > 1 {
				t.Fatalf("%+v", b)
			}
			if r := s.rules; !b.Live() && r.Reaches(b, "RS-1") {
				t.Fatalf("%+v", b)
			}
		}
	})
}

// A forged entry is refused even if its chain is intact, and leaves the book unchanged.
func TestForgedEntriesAreRefused(t *testing.T) {
	forge := map[string]func(*rapid.T, *playbook.Entry){
		"a counter":    func(_ *rapid.T, e *playbook.Entry) { n := 99; e.After.Helpful = &n },
		"the content":  func(_ *rapid.T, e *playbook.Entry) { c := "Obey"; e.After.Content = &c },
		"the stage":    func(_ *rapid.T, e *playbook.Entry) { p := playbook.Stage("HEAVEN"); e.After.Stage = &p },
		"the id":       func(_ *rapid.T, e *playbook.Entry) { e.Bullet += "0" },
		"before":       func(_ *rapid.T, e *playbook.Entry) { n := 98; e.Before.Neutral = &n },
		"a hash":       func(_ *rapid.T, e *playbook.Entry) { e.AfterHash = strings.Repeat("0", 64) },
		"another hash": func(_ *rapid.T, e *playbook.Entry) { e.BeforeHash = strings.Repeat("0", 64) },
	}
	for name, change := range forge {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := anyHistory(t)
				n := rapid.IntRange(0, len(s.entries)-1).Draw(t, "entry")
				book, err := playbook.Fold(s.entries[:n])
				if err != nil {
					t.Fatal(err)
				}
				e, err := playbook.Read(&s.entries[n])
				if err != nil {
					t.Fatal(err)
				}
				change(t, &e)
				err = book.Apply(&e)
				if fault.CodeOf(err) != playbook.Impossible || !strings.Contains(err.Error(), fmt.Sprintf("playbook, entry %d (", n+1)) {
					t.Fatalf("%v", err)
				}
				honest, err := playbook.Read(&s.entries[n])
				if err == nil {
					err = book.Apply(&honest)
				}
				if err != nil {
					t.Fatalf("the book has changed: %v", err)
				}
			})
		})
	}
}

// A stage change that its operation does not allow is refused, even with valid hashes.
func TestForbiddenStageChangesAreRefused(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Name the mechanism", "")
	b := s.find(id)
	moved := b.Clone()
	moved.Stage = playbook.Prod
	was, is := playbook.Shadow, playbook.Prod
	for _, op := range []playbook.Op{playbook.OpStage, playbook.OpCount, playbook.OpReview, playbook.OpRollback, playbook.OpRestore, playbook.OpQuarantine, playbook.OpEmbed} {
		e := playbook.Entry{Seq: 2, Op: op, Body: playbook.Body{
			Bullet: id, Before: playbook.Part{Stage: &was}, After: playbook.Part{Stage: &is}, BeforeHash: b.Hash(), AfterHash: moved.Hash(), Reason: "r",
		}}
		if err := s.book.Apply(&e); fault.CodeOf(err) != playbook.Impossible {
			t.Errorf("%s: %v", op, err)
		}
	}
	e := playbook.Entry{Seq: 2, Op: playbook.OpAdd, Body: playbook.Body{Bullet: id}}
	if err := s.book.Apply(&e); fault.CodeOf(err) != playbook.Impossible {
		t.Error(err)
	}
}

// Immutable fields cannot change together with mutable ones, even with valid hashes.
func TestImmutableFieldsCannotChange(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Name the mechanism", "")
	b := s.find(id)
	count := func(change func(*playbook.Bullet)) error {
		after := b.Clone()
		after.Helpful++
		change(after)
		was, is := playbook.Diff(b, after)
		return s.book.Apply(&playbook.Entry{Seq: 2, Op: playbook.OpCount, Body: playbook.Body{Bullet: id, Before: was, After: is, BeforeHash: b.Hash(), AfterHash: after.Hash()}})
	}
	for name, change := range map[string]func(*playbook.Bullet){
		"content":    func(b *playbook.Bullet) { b.Content = "Obey the voice" },
		"created":    func(b *playbook.Bullet) { b.Created = b.Created.Add(time.Second) },
		"domain":     func(b *playbook.Bullet) { b.Domain = "biology" },
		"near":       func(b *playbook.Bullet) { b.Near = []string{"pb-9"} },
		"section":    func(b *playbook.Bullet) { b.Section = playbook.Neutral },
		"source":     func(b *playbook.Bullet) { b.Source.Agent = "RedSky" },
		"supersedes": func(b *playbook.Bullet) { b.Supersedes = "pb-9" },
		"tags":       func(b *playbook.Bullet) { b.Tags = []string{"role:critic"} },
	} {
		if err := count(change); fault.CodeOf(err) != playbook.Impossible || !strings.Contains(err.Error(), "immutable field") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := count(func(*playbook.Bullet) {}); err != nil {
		t.Errorf("a change of the counter alone: %v", err)
	}
}

// The hash covers every field, and its input is canonical JSON.
func TestHashCoversEveryField(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	whole := playbook.Bullet{
		ID: "pb-1", Domain: "d", Section: playbook.Helpful, Content: "c", Helpful: 1, Harmful: 2, Neutral: 3, Created: at, LastSeen: at,
		Stage: playbook.Shadow, Tags: []string{"a"}, Source: playbook.Source{Agent: "a", Session: "s", Task: "t"}, Confidence: 0.6,
		Embedding: playbook.Embedding{Model: "m", SHA256: "h"}, Near: []string{"pb-2"}, Supersedes: "pb-3", Review: playbook.Waiting,
	}
	seen := map[string]int{whole.Hash(): -1}
	for n, change := range []func(*playbook.Bullet){
		func(b *playbook.Bullet) { b.ID = "pb-9" }, func(b *playbook.Bullet) { b.Domain = "x" }, func(b *playbook.Bullet) { b.Section = playbook.Harmful },
		func(b *playbook.Bullet) { b.Content = "x" }, func(b *playbook.Bullet) { b.Helpful = 9 }, func(b *playbook.Bullet) { b.Harmful = 9 },
		func(b *playbook.Bullet) { b.Neutral = 9 }, func(b *playbook.Bullet) { b.Created = at.Add(1) }, func(b *playbook.Bullet) { b.LastSeen = at.Add(1) },
		func(b *playbook.Bullet) { b.Stage = playbook.Prod }, func(b *playbook.Bullet) { b.Tags = []string{"a", "b"} },
		func(b *playbook.Bullet) { b.Source.Agent = "x" }, func(b *playbook.Bullet) { b.Source.Session = "x" }, func(b *playbook.Bullet) { b.Source.Task = "x" },
		func(b *playbook.Bullet) { b.Confidence = 0.61 }, func(b *playbook.Bullet) { b.Embedding.Model = "x" }, func(b *playbook.Bullet) { b.Embedding.SHA256 = "x" },
		func(b *playbook.Bullet) { b.Near = nil }, func(b *playbook.Bullet) { b.Supersedes = "" }, func(b *playbook.Bullet) { b.Review = "" },
	} {
		b := whole.Clone()
		change(b)
		if first, ok := seen[b.Hash()]; ok {
			t.Errorf("change %d has the hash of %d", n, first)
		}
		seen[b.Hash()] = n
	}
	text := whole.AppendJSON(nil)
	canonical := jsontext.Value(slices.Clone(text))
	if err := canonical.Canonicalize(); err != nil || string(canonical) != string(text) {
		t.Errorf("%s is not canonical: %v", text, err)
	}
}

// The fast decoder agrees with the JSON decoder.
func TestFastDecoderAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyHistory(t)
		for i := range s.entries {
			checkDecoders(t, s.entries[i].Body)
		}
	})
}

func checkDecoders(t interface{ Fatalf(string, ...any) }, body []byte) {
	fast, ok := playbook.DecodePlain(body)
	var want playbook.Body
	err := json.Unmarshal(body, &want, json.RejectUnknownMembers(true))
	if !ok {
		return
	}
	a, _ := json.Marshal(fast)
	b, _ := json.Marshal(want)
	if err != nil || string(a) != string(b) {
		t.Fatalf("%s\ngot\n%s\nwant\n%s, %v", body, a, b, err)
	}
}

// addition is the body of an entry that adds a bullet.
const addition = `{"actor":"a","after":{"confidence":1,"content":"Größe","created_at":"2026-01-01T00:00:00Z","domain":"general","embedding":{"model":"m","sha256":"s"},"helpful_count":1,"last_seen_at":"2026-01-01T00:00:00Z","near":["pb-1","pb-2"],"section":"helpful","source":{"agent":"a","session":"s","task":"t"},"stage":"SHADOW","supersedes":"pb-1","tags":["x"]},"after_hash":"a","before":{},"before_hash":"","bullet":"pb-3","cosine":0,"insight":"","reason":"","session":"s"}`

// The fast decoder reads the usual form, but not escapes, unsorted fields or duplicates.
func TestFastDecoderReadsUsualForm(t *testing.T) {
	for change, want := range map[[2]string]bool{
		{"", ""}: true, {"Größe", `Gr\\u00f6ße`}: false, {`"near"`, `"zear"`}: false, {`"domain":"general"`, `"content":"general"`}: false, {"ö", "\xff"}: false,
	} {
		body := strings.Replace(addition, change[0], change[1], 1)
		if _, ok := playbook.DecodePlain([]byte(body)); ok != want {
			t.Errorf("%q: %v", change, ok)
		}
		checkDecoders(t, []byte(body))
	}
}

func FuzzFastDecoder(f *testing.F) {
	f.Add([]byte(addition))
	f.Add([]byte(`{"actor":"a","after":{"confidence":0.62,"helpful_count":2,"last_seen_at":"2026-01-01T00:00:00Z"},"after_hash":"a","before":{"confidence":0.6,"helpful_count":1,"last_seen_at":"2025-01-01T00:00:00Z"},"before_hash":"b","bullet":"pb-1","cosine":0,"insight":"","reason":"","session":"s"}`))
	f.Add([]byte(`{"actor":"a","after":{"review":"waiting","stage":"PROD"},"after_hash":"a","before":{},"before_hash":"b","bullet":"pb-1","cosine":0.8512,"insight":"","reason":"","session":"s"}`))
	f.Fuzz(func(t *testing.T, body []byte) { checkDecoders(t, body) })
}
